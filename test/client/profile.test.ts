import { chmod, mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import {
  resolveProfile,
  accountId,
  listProfiles,
  loadProfile,
  saveProfile,
  stateFolder,
  type ProfilePlace,
} from '../../src/client/profile.ts'
import { connectTo } from '../../src/client/connection.ts'
import { json, profile, scriptedWorld } from './scripted-service.ts'

let place: ProfilePlace
beforeEach(async () => {
  place = { stateFolder: join(await mkdtemp(join(tmpdir(), 'windrow-')), 'state'), platform: process.platform }
})
afterEach(() => rm(join(place.stateFolder, '..'), { recursive: true, force: true }))

const pathOf = (name: string): string => join(place.stateFolder, 'connections', `${name}.json`)
const environment = {
  WINDROW_SERVICE: 'https://env.example',
  WINDROW_TOKEN_URL: 'https://login.example/token',
  WINDROW_CLIENT_ID: 'env-client',
  WINDROW_USERNAME: 'env-user',
  WINDROW_PASSWORD: 'env-geheim',
}

describe('a saved connection', () => {
  test('is loaded unchanged, under its name', async () => {
    const { clientSecret: _secret, scope: _scope, ...bare } = profile
    await saveProfile(profile, place)
    await saveProfile({ ...bare, name: 'Kōwhai Station' }, place)
    expect(await listProfiles(place)).toEqual(['Kōwhai Station', 'rimu'])
    expect(await loadProfile('rimu', place)).toEqual(profile)
    expect(await loadProfile('Kōwhai Station'.normalize('NFD'), place)).toEqual({ ...bare, name: 'Kōwhai Station' })
  })

  test('replaces the one of the same name and leaves no other file', async () => {
    await saveProfile(profile, place)
    await saveProfile({ ...profile, username: 'other' }, place)
    expect(await loadProfile('rimu', place)).toMatchObject({ username: 'other' })
    expect(await listProfiles(place)).toEqual(['rimu'])
  })

  test.skipIf(process.platform === 'win32')('is for its owner alone, also where the folder was open', async () => {
    await mkdir(join(place.stateFolder, 'connections'), { recursive: true, mode: 0o755 })
    await saveProfile(profile, place)
    expect((await stat(pathOf('rimu'))).mode & 0o777).toBe(0o600)
    expect((await stat(join(place.stateFolder, 'connections'))).mode & 0o777).toBe(0o700)
  })

  test.skipIf(process.platform === 'win32').each([0o640, 0o604, 0o620, 0o777])(
    'that others can open (%o) is not read',
    async (mode) => {
      await saveProfile(profile, place)
      await chmod(pathOf('rimu'), mode)
      await expect(loadProfile('rimu', place)).rejects.toMatchObject({
        code: 'state-unreadable',
        hint: expect.stringContaining('chmod 600'),
      })
      expect(await loadProfile('rimu', { ...place, platform: 'win32' })).toEqual(profile)
    },
  )

  test.each([
    ['../rimu'],
    ['a/b'],
    ['a\\b'],
    [''],
    ['.hidden'],
    ['CON'],
    ['nul.x'],
    ['com1'],
    ['ends '],
    ['ends.'],
    ['a\u0000b'],
    ['x'.repeat(65)],
  ])('cannot be called %j', async (name) => {
    await expect(saveProfile({ ...profile, name }, place)).rejects.toMatchObject({ code: 'option-invalid' })
    await expect(loadProfile(name, place)).rejects.toMatchObject({ code: 'option-invalid' })
    expect(await listProfiles(place)).toEqual([])
  })

  // Windows reports a file in place of a folder as a missing folder.
  test.skipIf(process.platform === 'win32')('is not saved where a file stands in the way', async () => {
    await writeFile(place.stateFolder, '')
    await expect(saveProfile(profile, place)).rejects.toMatchObject({ code: 'target-unwritable' })
    await expect(loadProfile('rimu', place)).rejects.toMatchObject({ code: 'state-unreadable' })
    await expect(listProfiles(place)).rejects.toMatchObject({ code: 'state-unreadable' })
  })

  test.each([
    ['service', 'http://service.example'],
    ['tokenUrl', 'http://login.example'],
  ])('is not saved with a %s that cannot be used', async (member, address) => {
    await expect(saveProfile({ ...profile, [member]: address }, place)).rejects.toMatchObject({
      code: 'option-invalid',
    })
    expect(await listProfiles(place)).toEqual([])
  })

  test.each([
    ['no JSON', '{"password": "geheim'],
    ['no object', '"geheim"'],
    ['a part missing', JSON.stringify({ ...profile, password: undefined, note: 'geheim' })],
    ['a part of another kind', JSON.stringify({ ...profile, username: 7 })],
  ])('that is damaged (%s) is named without its content', async (_name, text) => {
    await saveProfile(profile, place)
    await writeFile(pathOf('rimu'), text)
    const error: unknown = await loadProfile('rimu', place).catch((cause: unknown) => cause)
    expect(error).toMatchObject({ code: 'state-unreadable', hint: expect.stringContaining('windrow connect') })
    expect(String(error) + String((error as Error).cause)).not.toContain('geheim')
  })

  test('that is missing is an error that lists the saved ones', async () => {
    await saveProfile(profile, place)
    await expect(loadProfile('kowhai', place)).rejects.toMatchObject({
      code: 'connection-missing',
      hint: 'Saved connections: rimu.',
    })
  })
})

describe('the optional headers of a connection', () => {
  const headers = { region: 'nz', requestingClientId: 'other', downgradeAuthentication: 'yes' }

  test('are saved with it, read from the environment, and sent', async () => {
    await saveProfile({ ...profile, ...headers }, place)
    expect(await loadProfile('rimu', place)).toMatchObject(headers)
    const env = {
      ...environment,
      WINDROW_REGION: 'nz',
      WINDROW_REQUESTING_CLIENT_ID: 'other',
      WINDROW_DOWNGRADE_AUTHENTICATION: 'yes',
    }
    expect(await resolveProfile({}, { ...place, env })).toMatchObject(headers)
    const world = scriptedWorld(() => json([]))
    await connectTo({ ...profile, ...headers }, world, { region: 'AU' }).datasets()
    expect(Object.fromEntries(world.sent[0]!.headers)).toMatchObject({
      'x-requested-region': 'AU',
      'x-requesting-clientid': 'other',
      'x-downgrade-authentication': 'yes',
    })
  })
})

describe('choosing a connection', () => {
  const named = async (choice: { option?: string; pipeline?: string }, env: Record<string, string> = {}) =>
    (await resolveProfile(choice, { ...place, env })).name

  test('follows option, pipeline, environment, the only saved one', async () => {
    await saveProfile(profile, place)
    expect(await named({})).toBe('rimu')
    await saveProfile({ ...profile, name: 'kowhai' }, place)
    await saveProfile({ ...profile, name: 'totara' }, place)
    expect(await named({ option: 'kowhai', pipeline: 'totara' }, environment)).toBe('kowhai')
    expect(await named({ pipeline: 'totara' }, environment)).toBe('totara')
    expect(await named({}, environment)).toBe('environment')
    await expect(named({})).rejects.toMatchObject({
      code: 'connection-missing',
      message: 'Which connection? There are 3: kowhai, rimu, totara.',
      hint: expect.stringContaining('--connection kowhai'),
    })
    await saveProfile({ ...profile, name: 'Hill farm' }, place)
    await expect(named({})).rejects.toMatchObject({ hint: expect.stringContaining('--connection "Hill farm"') })
  })

  test('with a missing name does not fall back', async () => {
    await saveProfile(profile, place)
    await expect(named({ option: 'gone' }, environment)).rejects.toMatchObject({ code: 'connection-missing' })
  })

  test('finds its name in WINDROW_CONNECTIONS, and no other there', async () => {
    await saveProfile(profile, place)
    const { name: _, ...north } = { ...profile, username: 'north', region: 'nz' }
    const file = join(place.stateFolder, 'connections.json')
    const from = async (connections: unknown, pipeline?: string) => {
      await writeFile(file, JSON.stringify(connections))
      return resolveProfile({ pipeline }, { ...place, env: { WINDROW_CONNECTIONS_FILE: file } })
    }
    expect(await from({ north, south: north }, 'north')).toEqual({ ...north, name: 'north' })
    expect(await from({ north })).toMatchObject({ name: 'north', username: 'north' })
    await expect(from({ north, south: north }, 'rimu')).rejects.toMatchObject({
      code: 'connection-missing',
      hint: 'It has: north, south.',
    })
    await expect(from({ north, south: north })).rejects.toMatchObject({
      message: 'Which connection? There are 2: north, south.',
    })
    for (const wrong of ['geheim', { north: { password: 'geheim' } }])
      await expect(from(wrong, 'north')).rejects.toMatchObject({
        code: 'state-unreadable',
        message: expect.not.stringContaining('geheim') as string,
      })
  })

  test('without any lists what to do', async () => {
    const hint = /windrow connect.*--connection NAME.*connection: NAME.*WINDROW_SERVICE.*WINDROW_PASSWORD.*_FILE/
    await expect(named({})).rejects.toMatchObject({
      code: 'connection-missing',
      exit: 2,
      hint: expect.stringMatching(hint),
    })
  })
})

describe('the environment', () => {
  const from = (env: Record<string, string>) => resolveProfile({}, { ...place, env })

  test('gives a connection, blank settings ignored', async () => {
    expect(await from({ ...environment, WINDROW_SCOPE: '', WINDROW_CLIENT_SECRET: 'geheim' })).toEqual({
      name: 'environment',
      service: 'https://env.example',
      tokenUrl: 'https://login.example/token',
      clientId: 'env-client',
      clientSecret: 'geheim',
      username: 'env-user',
      password: 'env-geheim',
    })
  })

  test.each([
    ['a newline', 'geheim\n', 'geheim'],
    ['a newline of Windows', 'geheim\r\n', 'geheim'],
    ['two newlines', 'geheim\n\n', 'geheim\n'],
    ['blanks', ' geheim ', ' geheim '],
    ['a byte order mark', '\ufeffgeheim', 'geheim'],
  ])('gives a file with %s', async (_name, content, expected) => {
    await mkdir(place.stateFolder, { recursive: true })
    const file = join(place.stateFolder, 'secret')
    await writeFile(file, content)
    const { WINDROW_PASSWORD: _password, ...others } = environment
    expect(await from({ ...others, WINDROW_PASSWORD_FILE: file })).toMatchObject({ password: expected })
    expect(await readFile(file, 'utf8')).toBe(content)
  })

  test('that is incomplete is an error, not a fallback', async () => {
    await saveProfile(profile, place)
    const { WINDROW_PASSWORD: _password, WINDROW_CLIENT_ID: _client, ...others } = environment
    await expect(from(others)).rejects.toMatchObject({
      code: 'connection-missing',
      data: { missing: ['WINDROW_CLIENT_ID', 'WINDROW_PASSWORD'] },
    })
  })

  test('cannot set a value twice', async () => {
    await expect(from({ ...environment, WINDROW_PASSWORD_FILE: 'x' })).rejects.toMatchObject({ code: 'option-invalid' })
  })

  test.each([
    ['missing', undefined, 'file-missing'],
    ['empty', '\n', 'file-empty'],
    ['huge', 'x'.repeat(70_000), 'file-too-large'],
    ['UTF-16, as PowerShell writes it', Buffer.from('\ufeffgeheim\r\n', 'utf16le'), 'encoding-unknown'],
  ])('with a file that is %s is an error', async (_name, content, code) => {
    await mkdir(place.stateFolder, { recursive: true })
    const file = join(place.stateFolder, 'secret')
    if (content !== undefined) await writeFile(file, content)
    const { WINDROW_PASSWORD: _password, ...others } = environment
    await expect(from({ ...others, WINDROW_PASSWORD_FILE: file })).rejects.toMatchObject({ code })
  })
})

describe('the state folder', () => {
  test.each([
    ['linux', { XDG_STATE_HOME: '/x/state', HOME: '/home/rimu' }, '/x/state/windrow'],
    ['linux', { XDG_STATE_HOME: 'relative', HOME: '/home/rimu' }, '/home/rimu/.local/state/windrow'],
    ['linux', { HOME: '/home/rimu' }, '/home/rimu/.local/state/windrow'],
    ['darwin', { HOME: '/Users/rimu' }, '/Users/rimu/Library/Application Support/windrow'],
    ['win32', { LOCALAPPDATA: 'C:\\Users\\rimu\\AppData\\Local' }, 'C:\\Users\\rimu\\AppData\\Local\\windrow'],
    ['win32', { USERPROFILE: 'C:\\Users\\rimu' }, 'C:\\Users\\rimu\\AppData\\Local\\windrow'],
  ] as const)('on %s with %o', (platform, env, expected) => {
    expect(stateFolder(env, platform)).toBe(expected)
  })

  test.each(['linux', 'darwin', 'win32'] as const)('on %s without a home is an error', (platform) => {
    expect(() => stateFolder({}, platform)).toThrow(expect.objectContaining({ code: 'state-unreadable' }))
  })
})

describe('the account', () => {
  test('is the same for any connection name and any spelling of the address', () => {
    const account = accountId(profile)
    expect(account).toMatch(/^[0-9a-f]{32}$/)
    expect(accountId({ ...profile, service: 'HTTPS://Service.Example:443/api/' })).toBe(account)
    expect(accountId({ ...profile, name: 'x', password: 'y', tokenUrl: 'z' } as typeof profile)).toBe(account)
  })

  test.each([
    ['another host', { service: 'https://other.example/api' }],
    ['another path', { service: 'https://service.example/api2' }],
    ['another user', { username: 'other' }],
    ['another client', { clientId: 'other' }],
    ['a region', { region: 'NZ' }],
    ['a border moved', { username: 'office@rimu.example","rimu', clientId: 'sync' }],
  ])('is another one for %s', (_name, difference) => {
    expect(accountId({ ...profile, ...difference })).not.toBe(accountId(profile))
  })
})
