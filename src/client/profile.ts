/** Defines a connection to a service, and saves and loads connections so that nobody else on the machine can read them. */

import { createHash } from 'node:crypto'
import { chmod, mkdir, readdir } from 'node:fs/promises'
import { join, posix, win32 } from 'node:path'
import type { Environment, FileableVariable, optionalVariables, requiredVariables } from '../core/environment.ts'
import { WindrowError } from '../core/error.ts'
import { quoted } from '../core/shell-word.ts'
import { readPrivateText, readVariable } from '../core/sources/secret-text.ts'
import { isDeviceOfWindows, writeTarget } from '../core/sources/target.ts'
import { jsonValue } from '../core/values/exact-json.ts'
import { listed } from '../core/values/plural.ts'
import { serviceAddress, tokenAddress } from './address.ts'
import { membersOf, textOf } from './reading.ts'

/** Optional headers of the interface, the same for every call of a connection. `region` is a 2-letter country code. */
export type RequestOptions = {
  readonly region?: string
  readonly requestingClientId?: string
  readonly downgradeAuthentication?: string
}

/**
 * All that is needed to sign in at one service, and the optional headers for every call there. `tokenUrl` may lack its usual
 * ending.
 */
export type Profile = RequestOptions & {
  readonly name: string
  readonly service: string
  readonly tokenUrl: string
  readonly clientId: string
  readonly clientSecret?: string
  readonly username: string
  readonly password: string
  readonly scope?: string
}

/** Where connections are saved. `platform` is Node's name for the operating system. */
export type ProfilePlace = { readonly stateFolder: string; readonly platform: NodeJS.Platform }

/** The folder in which windrow keeps its state for this user, by the rules of the operating system. */
export function stateFolder(env: Environment, platform: NodeJS.Platform): string {
  const { LOCALAPPDATA: local, USERPROFILE: profile, HOME: home, XDG_STATE_HOME: state } = env
  if (platform === 'win32') {
    if (local) return win32.join(local, 'windrow')
    if (profile) return win32.join(profile, 'AppData', 'Local', 'windrow')
    throw homeUnknown('LOCALAPPDATA')
  }
  if (platform === 'darwin') {
    if (home) return posix.join(home, 'Library', 'Application Support', 'windrow')
    throw homeUnknown('HOME')
  }
  // A relative path must be ignored (XDG Base Directory Specification).
  if (state && posix.isAbsolute(state)) return posix.join(state, 'windrow')
  if (home) return posix.join(home, '.local', 'state', 'windrow')
  throw homeUnknown('XDG_STATE_HOME or HOME')
}

function homeUnknown(names: string): WindrowError {
  return new WindrowError('state-unreadable', 'The home folder of this user is unknown.', { hint: `Set ${names}.` })
}

/** Saves a connection under its name, readable by this user only; replaces one of the same name. Checks both addresses first. */
export async function saveProfile(profile: Profile, place: ProfilePlace): Promise<string> {
  const path = profilePath(profile.name, place)
  serviceAddress(profile.service)
  tokenAddress(profile.tokenUrl)
  const folder = join(place.stateFolder, 'connections')
  await makePrivateFolder(folder, place)
  await writeTarget(path, `${JSON.stringify(profile, undefined, 2)}\n`)
  return path
}

async function makePrivateFolder(folder: string, place: ProfilePlace): Promise<void> {
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 })
    if (place.platform !== 'win32') await chmod(folder, 0o700)
  } catch (cause) {
    throw new WindrowError('target-unwritable', `The folder "${folder}" cannot be created: ${faultName(cause)}.`, {
      hint: 'Check the owner of its parent folder.',
      cause,
    })
  }
}

/** The names of the saved connections, sorted. */
export async function listProfiles(place: ProfilePlace): Promise<readonly string[]> {
  const files = await readdir(join(place.stateFolder, 'connections')).catch((cause: NodeJS.ErrnoException) => {
    if (cause.code === 'ENOENT') return []
    throw unreadable('The saved connections cannot be read', cause)
  })
  const names = files
    .filter((file) => file.endsWith('.json'))
    .map((file) => file.slice(0, -'.json'.length).normalize('NFC'))
  return names.filter(isName).toSorted()
}

/** Reads a saved connection. Throws when there is none of that name, or when others on this machine may read the file. */
export async function loadProfile(name: string, place: ProfilePlace): Promise<Profile> {
  const path = profilePath(name, place)
  const text = await readPrivateText(path, place.platform).catch(async (cause: NodeJS.ErrnoException) => {
    if (cause instanceof WindrowError) throw cause
    if (cause.code !== 'ENOENT') throw unreadable(`The connection "${name}" cannot be read`, cause)
    const names = await listProfiles(place)
    throw new WindrowError('connection-missing', `Connection "${name}" was not found.`, {
      hint: names.length === 0 ? 'Save one with windrow connect.' : `Saved connections: ${names.join(', ')}.`,
    })
  })
  const hint = 'Save the connection again with windrow connect.'
  const parsed = jsonValue(text)
  if (parsed === undefined)
    throw new WindrowError('state-unreadable', `"${path}" is not a connection: it is not JSON.`, { hint })
  return profileFrom(parsed, { name: name.normalize('NFC'), what: `"${path}"`, hint })
}

type Origin = { readonly name: string; readonly what: string; readonly hint: string }

function profileFrom(value: unknown, { name, what, hint }: Origin): Profile {
  const members = membersOf(value) ?? {}
  const given = (name: keyof Profile): string | undefined => textOf(members[name])
  const [service, tokenUrl, clientId] = [given('service'), given('tokenUrl'), given('clientId')]
  const [username, password] = [given('username'), given('password')]
  if (!service || !tokenUrl || !clientId || !username || !password)
    throw new WindrowError('state-unreadable', `${what} is not a complete connection.`, { hint })
  return { name, service, tokenUrl, clientId, username, password, ...optionalMembers(given) }
}

/** The optional members of a connection that `given` has a value for. */
export function optionalMembers(
  given: (name: OptionalMember) => string | undefined,
): Partial<Pick<Profile, OptionalMember>> {
  const pairs = (Object.keys(optional) as OptionalMember[]).map((name) => [name, given(name)] as const)
  return Object.fromEntries(pairs.filter(([, value]) => value !== undefined))
}

function unreadable(what: string, cause: NodeJS.ErrnoException): WindrowError {
  return new WindrowError('state-unreadable', `${what}: ${faultName(cause)}.`, {
    hint: 'Check the owner of the folder.',
    cause,
  })
}

function faultName(cause: unknown): string {
  return (cause as NodeJS.ErrnoException).code ?? 'unknown fault'
}

/** The file of a connection. Throws when the name is not allowed. */
export function profilePath(name: string, place: ProfilePlace): string {
  const plain = name.normalize('NFC')
  if (isName(plain)) return join(place.stateFolder, 'connections', `${plain}.json`)
  throw new WindrowError('option-invalid', `"${name.slice(0, 80)}" is not allowed as the name of a connection.`, {
    hint: 'Use letters, digits, spaces, dots, - and _; start with a letter or digit. none and demo have a meaning of their own.',
  })
}

/** True for a name that is a file name on every system: no separators, no device name of Windows, no dot or space at its end. "none" chooses no connection, and "demo" is the one in a program. */
function isName(name: string): boolean {
  return (
    /^[\p{L}\p{N}][\p{L}\p{M}\p{N} ._-]{0,63}$/u.test(name) &&
    !/[ .]$/.test(name) &&
    !/^(?:none|demo)(?:\.|$)/i.test(name) &&
    !isDeviceOfWindows(name)
  )
}

/**
 * The id of the account at its service, whatever the profile's name, without any secret: the ledger is kept by it. Each region
 * is a separate account, because its feeds show other records.
 */
export function accountId(profile: Pick<Profile, 'service' | 'clientId' | 'username' | 'region'>): string {
  const { origin, pathname } = serviceAddress(profile.service)
  const region = profile.region === undefined ? [] : [profile.region.toUpperCase()]
  const account = JSON.stringify([origin + pathname, profile.username, profile.clientId, ...region])
  return createHash('sha256').update(account).digest('hex').slice(0, 32)
}

/**
 * The connection to use: the one named by the option, else by the pipeline, else the one the environment describes, else the
 * only saved one. Throws 'connection-missing' with what to do when there is none, or more than one and no choice.
 */
export async function resolveProfile(
  choice: { readonly option?: string | undefined; readonly pipeline?: string | undefined },
  deps: ProfilePlace & { readonly env: Environment },
): Promise<Profile> {
  const mounted = await mountedConnections(deps.env)
  const load = (name: string): Profile | Promise<Profile> =>
    mounted === undefined ? loadProfile(name, deps) : mountedProfile(name, mounted)
  const named = choice.option ?? choice.pipeline
  if (named !== undefined) return load(named)
  const fromEnvironment = await environmentProfile(deps.env)
  if (fromEnvironment !== undefined) return fromEnvironment
  const names = mounted === undefined ? await listProfiles(deps) : [...mounted.keys()].toSorted()
  const [only] = names
  if (names.length === 1 && only !== undefined) return load(only)
  if (only === undefined)
    throw new WindrowError('connection-missing', 'No service connection is configured.', {
      hint: howToConfigure,
      data: { isNone: true },
    })
  throw new WindrowError(
    'connection-missing',
    `Which connection? There are ${names.length}: ${listed(names, mostNamed)}.`,
    {
      hint: `Add --connection ${quoted(only)}, or write connection: ${only} in the pipeline.`,
      data: { connections: names },
    },
  )
}

const mostNamed = 20
// Some ten thousand connections.
const mostConnectionBytes = 1 << 22

/** The connections of WINDROW_CONNECTIONS by their names; undefined without it. Its errors quote nothing: it has passwords. */
async function mountedConnections(env: Environment): Promise<ReadonlyMap<string, unknown> | undefined> {
  const text = await readVariable(env, 'WINDROW_CONNECTIONS', mostConnectionBytes)
  if (text === undefined) return undefined
  const members = membersOf(jsonValue(text))
  if (members !== undefined) return new Map(Object.entries(members))
  throw new WindrowError('state-unreadable', 'WINDROW_CONNECTIONS is not a JSON object with connections.', {
    hint: howToMount,
  })
}

function mountedProfile(name: string, mounted: ReadonlyMap<string, unknown>): Profile {
  const value = mounted.get(name)
  const what = `The connection "${name}" in WINDROW_CONNECTIONS`
  if (value !== undefined) return profileFrom(value, { name, what, hint: howToMount })
  throw new WindrowError('connection-missing', `Connection "${name}" was not found in WINDROW_CONNECTIONS.`, {
    hint: `It has: ${listed([...mounted.keys()].toSorted(), mostNamed)}.`,
  })
}

const howToMount =
  'Write  { "NAME": { "service": "...", "tokenUrl": "...", "clientId": "...", "username": "...", "password": "..." } }  into the file that ' +
  'WINDROW_CONNECTIONS_FILE names.'

const howToConfigure =
  'Save a connection with windrow connect. Or name a saved one with --connection NAME, or connection: NAME in the pipeline. ' +
  'Or set WINDROW_SERVICE, WINDROW_TOKEN_URL, WINDROW_CLIENT_ID, WINDROW_USERNAME and WINDROW_PASSWORD, ' +
  'each also possible as ..._FILE with the name of a file that contains the value.'

const required = {
  service: 'WINDROW_SERVICE',
  tokenUrl: 'WINDROW_TOKEN_URL',
  clientId: 'WINDROW_CLIENT_ID',
  username: 'WINDROW_USERNAME',
  password: 'WINDROW_PASSWORD',
} as const satisfies Readonly<Record<string, keyof typeof requiredVariables>>

const optional = {
  clientSecret: 'WINDROW_CLIENT_SECRET',
  scope: 'WINDROW_SCOPE',
  region: 'WINDROW_REGION',
  requestingClientId: 'WINDROW_REQUESTING_CLIENT_ID',
  downgradeAuthentication: 'WINDROW_DOWNGRADE_AUTHENTICATION',
} as const satisfies Readonly<Record<string, keyof typeof optionalVariables>>

export type OptionalMember = keyof typeof optional

/** The profile that a program gives. Throws if a member is missing or empty, which no compiler may have checked. */
export function completeProfile(given: Profile): Profile {
  const missing = (['name', ...Object.keys(required)] as (keyof Profile)[]).filter((member) => !given[member])
  if (missing.length === 0) return given
  throw new WindrowError('connection-missing', `The connection lacks ${missing.join(', ')}.`, {
    hint: 'Give each of them as a text, or name a connection that windrow connect saved.',
  })
}

async function environmentProfile(env: Environment): Promise<Profile | undefined> {
  const given = await readVariables(required, env)
  const missing = Object.entries(required).flatMap(([member, name]) => (given[member] === undefined ? [name] : []))
  if (missing.length === Object.keys(required).length) return undefined
  // Falling back to a saved connection here could send a farm's records to another service than meant.
  if (missing.length > 0)
    throw new WindrowError(
      'connection-missing',
      `The environment describes a connection, but ${missing.join(', ')} ${missing.length === 1 ? 'is' : 'are'} missing.`,
      {
        hint: 'Set them, each also possible as ..._FILE. Or unset the others, or name a saved connection with --connection NAME.',
        data: { missing },
      },
    )
  const more = await readVariables(optional, env)
  const complete = given as Readonly<Record<keyof typeof required, string>>
  return { name: 'environment', ...complete, ...optionalMembers((name) => more[name]) }
}

/** The values of variables, by the member of the profile that each is for. */
async function readVariables(variables: Readonly<Record<string, FileableVariable>>, env: Environment) {
  const pairs = Object.entries(variables).map(
    async ([member, name]) => [member, await readVariable(env, name)] as const,
  )
  return Object.fromEntries(await Promise.all(pairs))
}
