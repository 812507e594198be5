import { chmodSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { Surroundings } from '../../src/cli/options/command.ts'
import { caller } from '../../src/schedule/history.ts'
import { demoCredentials } from '../../src/service/store/accounts.ts'
import { startWebServer } from '../notify/receivers.ts'
import { hasPostgres, startPostgres, type Server } from '../postgres.ts'
import { bothAccounts, secrets } from '../service/hill-farm.ts'
import { startWorld, type Ran, type World } from './world.ts'

let world: World
beforeEach(() => (world = startWorld({ accounts: bothAccounts })))
afterEach(() => world.close())

const write = (path: string, text: string): string => {
  const file = join(world.folder, path)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text, { mode: 0o600 })
  return file
}

const service = 'service: "http://127.0.0.1:8080", token address: "http://127.0.0.1:8080/auth/realms/windrow"'
const { clientId, clientSecret, username, password } = demoCredentials
const rimu =
  `{ ${service}, client id: ${clientId}, client secret: { variable: WINDROW_TENANT_CLIENT }, username: "${username}", ` +
  `password: { variable: WINDROW_TENANT_RIMU } }`
const totara = (source: string): string =>
  `{ ${service}, client id: ${secrets.hill.clientId}, client secret: { file: client-of-totara }, ` +
  `username: "${secrets.hill.username}", password: { ${source} } }`

/** Two tenants: rimu with the demonstration account, totara with the other one, whose password a program prints. */
function writeTenants({ more = '', source }: { readonly more?: string; readonly source?: string } = {}): void {
  for (const name of Object.keys(world.env))
    if (name.startsWith('WINDROW_') && !['WINDROW_STORE', 'WINDROW_TENANTS'].includes(name)) delete world.env[name]
  Object.assign(world.env, { WINDROW_TENANT_CLIENT: clientSecret, WINDROW_TENANT_RIMU: password })
  write('farms/client-of-totara', secrets.hill.clientSecret)
  const program = write(
    'farms/vault.mjs',
    `console.log(process.env.WINDROW_TENANT_RIMU ?? '${secrets.hill.password}')\n`,
  )
  const command = `command: [${JSON.stringify(process.execPath)}, ${JSON.stringify(program)}]`
  const tenants = `  rimu: { account: ${rimu}${more} }\n  totara: { account: ${totara(source ?? command)} }\n`
  write('farms/tenants.yaml', `windrow: 1\ntenants:\n${tenants}`)
}

const numberOf: Readonly<Record<string, string>> = { rimu: '00412876', totara: '0777' }
const plots = (tenant: string, more: string): string =>
  `windrow: 1\nimport: plots\nholding: { scheme: nz.example.farm-number, id: "${numberOf[tenant]}" }\nkey: <ID>\n` +
  `record: { name: <NAME> }\n${more}`
/** A farm of a tenant with a pipeline that reads `file`. */
function addFarm(tenant: string, farm: string, file = 'paddocks.csv', more = ''): void {
  const id = farm.replaceAll(/[^a-z]/g, '')
  write(`farms/${tenant}/${farm}/paddocks.csv`, `ID,NAME\n${id}-1,Top of ${id}\n${id}-2,Flat of ${id}\n`)
  write(`farms/${tenant}/${farm}/paddocks.yaml`, plots(tenant, `from: { file: ${file}, settled: 0 s }\n${more}`))
}
const addHolding = (tenant: string): void => {
  write(`farms/${tenant}/office/holdings.csv`, `NO,NAME\n${numberOf[tenant]},Farm of ${tenant}\n`)
  write(
    `farms/${tenant}/office/holdings.yaml`,
    'windrow: 1\nimport: holdings\nfrom: { file: holdings.csv, settled: 0 s }\n' +
      'holding: { scheme: nz.example.farm-number, id: <NO> }\nrecord: { name: <NAME> }\n',
  )
}

describe('tenants.yaml', () => {
  const check = async (text: string) => {
    write('farms/tenants.yaml', text)
    return (await world.run(['check', 'farms/tenants.yaml'])).failure?.message
  }

  test('is checked, with the place of each mistake and the name that was meant', async () => {
    expect(await check('windrow: 1\ntenants:\n  rimu: { acount: {} }\n')).toMatch(
      /tenants\.yaml:3:11 .*acount[\s\S]*account/,
    )
    expect(await check('windrow: 1\ntenants:\n  rimu: { account: { service: "http://farm.example" } }\n')).toMatch(
      /lacks token address, client id, username, password[\s\S]*plain http/,
    )
    expect(await check('windrow: 1\ntenants:\n  rimu: { account: {}, connection: rimu }\n')).toContain('not both')
    expect(await check(`windrow: 1\ntenants: { rimu: { account: ${rimu}, runs at once: 0 } }\n`)).toMatch(
      /runs at once/,
    )
    const other = rimu.replace('WINDROW_TENANT_RIMU', 'HOME')
    expect(await check(`windrow: 1\ntenants: { rimu: { account: ${other} } }\n`)).toMatch(/variable/)
    expect(await check(`windrow: 1\ntenants: { rimu: { account: ${rimu} } }\n`)).toBeUndefined()
  })

  test.skipIf(process.platform === 'win32')('is refused if others may change it', async () => {
    writeTenants()
    chmodSync(join(world.folder, 'farms/tenants.yaml'), 0o666)
    expect((await world.run(['check', 'farms/tenants.yaml'])).failure).toMatchObject({
      code: 'tenants-invalid',
      message: expect.stringContaining('can be changed by other users') as string,
    })
  })
})

describe('a pipeline of a tenant', () => {
  beforeEach(async () => {
    await world.publishFarms()
    writeTenants()
    addFarm('rimu', 'matai')
    world.env['WINDROW_TENANTS'] = join(world.folder, 'farms/tenants.yaml')
  })
  const run = (file = 'farms/rimu/matai/paddocks.yaml', ...more: readonly string[]): Promise<Ran> =>
    world.run(['run', file, ...more])

  test('uses the account of its tenant', async () => {
    expect(await run()).toMatchObject({ exit: 0, failure: undefined })
    addHolding('totara')
    expect(await run('farms/totara/office/holdings.yaml')).toMatchObject({ exit: 0, failure: undefined })
    // The farm of totara is not one that the account of rimu may write.
    write('farms/rimu/matai/paddocks.yaml', plots('totara', 'from: { file: paddocks.csv }\n'))
    expect((await run()).exit).toBe(5)
  })

  test('cannot name another connection', async () => {
    addFarm('rimu', 'matai', undefined, 'connection: totara\n')
    expect((await run()).failure).toMatchObject({ code: 'tenant-refused' })
    addFarm('rimu', 'matai')
    expect((await run(undefined, '--connection', 'totara')).failure).toMatchObject({ code: 'option-invalid' })
  })

  test('does not run in a folder of no tenant, and the one that was meant is named', async () => {
    addFarm('rimmu', 'matai')
    expect((await run('farms/rimmu/matai/paddocks.yaml')).failure).toMatchObject({
      code: 'tenant-refused',
      hint: expect.stringContaining('"rimu"') as string,
    })
    write('farms/paddocks.yaml', plots('rimu', 'from: { file: rimu/matai/paddocks.csv }\n'))
    expect((await run('farms/paddocks.yaml')).failure).toMatchObject({ code: 'tenant-refused' })
  })

  test.each([
    ['a file of another tenant', 'from: { file: ../../totara/secret/paddocks.csv }'],
    ['a secret', 'from: { file: ../../client-of-totara, format: csv }'],
    ['a folder of another tenant', 'from: { folder: ../../totara/secret, pattern: "*.csv", settled: 0 s }'],
    ['a file in a store', 'from: { file: "s3://farms/rimu/paddocks.csv" }'],
    ['a file on the web', 'from: { file: "https://files.example/rimu/paddocks.csv" }'],
    ['this machine', 'from: { file: "http://127.0.0.1:8080/", private addresses: allow }'],
  ])('cannot read %s', async (_, from) => {
    addFarm('totara', 'secret')
    write('farms/rimu/matai/paddocks.yaml', plots('rimu', `${from}\n`))
    expect((await run()).failure).toMatchObject({ code: 'tenant-refused' })
  })

  test('reads and writes at the addresses that the operator lists', async () => {
    const from = (file: string): void =>
      void write('farms/rimu/matai/paddocks.yaml', plots('rimu', `from: { file: "${file}", settled: 0 s }\n`))
    writeTenants({ more: ', addresses: ["s3://farms/rimu/", "https://127.0.0.1:1/rimu/"]' })
    // They are its own, and there is no key and no server.
    from('s3://farms/rimu/paddocks.csv')
    expect((await run()).failure).toMatchObject({ code: 'option-invalid' })
    from('https://127.0.0.1:1/rimu/paddocks.csv')
    expect((await run()).failure).toMatchObject({ code: 'address-refused' })
    for (const other of ['s3://farms/rimu-north/a.csv', 'https://127.0.0.1:1/rimu/%2E%2E/a.csv', 's3://farm/rimu/a']) {
      from(other)
      expect((await run()).failure, other).toMatchObject({ code: 'tenant-refused' })
    }
    write('farms/rimu/matai/paddocks.yaml', 'windrow: 1\nexport: plots\nto: { file: "s3://farms/rimu/paddocks.csv" }\n')
    expect((await run()).failure).toMatchObject({ code: 'option-invalid' })
    writeTenants({ more: ', addresses: ["s3://farms/rimu"]' })
    expect((await run()).failure).toMatchObject({ code: 'tenants-invalid' })
  })

  test('cannot write to the folder of another tenant', async () => {
    addFarm('totara', 'secret')
    write(
      'farms/rimu/matai/paddocks.yaml',
      'windrow: 1\nexport: plots\nto: { file: ../../totara/secret/paddocks.csv }\n',
    )
    expect((await run()).failure).toMatchObject({ code: 'tenant-refused' })
    write(
      'farms/rimu/matai/paddocks.yaml',
      'windrow: 1\nexport: plots\nto: { file: ../../totara/is-it-there/paddocks.csv }\n',
    )
    world.env['WINDROW_TENANTS'] = join(world.folder, 'farms/tenants.yaml')
    const { exit, out } = await world.run(['check', 'farms/rimu/matai/paddocks.yaml'])
    expect([exit, out]).toEqual([2, expect.stringContaining('lies outside the folder of its tenant')])
  })

  test.skipIf(process.platform === 'win32')('cannot read through a link', async () => {
    addFarm('totara', 'secret')
    const link = join(world.folder, 'farms/rimu/matai/paddocks.csv')
    rmSync(link)
    symlinkSync('../../totara/secret/paddocks.csv', link)
    expect((await run()).failure).toMatchObject({ code: 'tenant-refused' })
    rmSync(link)
    symlinkSync('../../not-there-yet.csv', link)
    expect((await run()).failure).toMatchObject({ code: 'tenant-refused' })
  })

  test.each([
    [
      'a variable that is not set',
      () => void delete world.env['WINDROW_TENANT_RIMU'],
      'WINDROW_TENANT_RIMU is not set',
    ],
    [
      'a command that fails',
      () => writeTenants({ more: '', source: 'command: [no-such-vault]' }),
      'no-such-vault failed',
    ],
    ['a missing file', () => writeTenants({ source: 'file: nowhere' }), '"nowhere" cannot be read'],
  ])('with %s is tried again', async (_, spoil, why) => {
    spoil()
    world.env['WINDROW_TENANTS'] = join(world.folder, 'farms/tenants.yaml')
    addHolding('totara')
    const rimuRuns = await run()
    const failure = rimuRuns.failure ?? (await run('farms/totara/office/holdings.yaml')).failure
    expect(failure).toMatchObject({ code: 'secret-missing', exit: 4, message: expect.stringContaining(why) as string })
  })

  test('check says of an export, too, that the password of its tenant is not there', async () => {
    write('farms/rimu/matai/list.yaml', 'windrow: 1\nexport: plots\nto: { file: list.csv }\n')
    delete world.env['WINDROW_TENANT_RIMU']
    world.env['WINDROW_TENANTS'] = join(world.folder, 'farms/tenants.yaml')
    const { exit, out } = await world.run(['check', 'farms/rimu/matai/list.yaml'])
    expect([exit, out]).toEqual([
      0,
      expect.stringContaining('Not checked: whether you may read plots. The password of'),
    ])
  })
})

describe.skipIf(!hasPostgres)('tenants that share workers', () => {
  let server: Server
  let store: string
  beforeAll(async () => {
    server = await startPostgres()
    store = server.database()
  })
  afterAll(() => server.stop())
  beforeEach(async () => {
    await world.publishFarms()
    world.env['WINDROW_STORE'] = store
  })
  afterEach(() => server.empty(store))

  const pause = (ms: number, signal?: AbortSignal): Promise<void> =>
    new Promise((resolve) => {
      const timer = setTimeout(resolve, Math.min(ms, 100))
      signal?.addEventListener('abort', () => (clearTimeout(timer), resolve()))
    })
  /** The sleep of a worker, which looks whether the queue is empty. */
  const soon: typeof pause = (ms, signal) => pause(Math.min(ms, 20), signal)
  const work = (words: readonly string[] = [], more: Partial<Surroundings> = {}) =>
    world.run(['work', 'farms', '--until-empty', ...words], { sleep: soon, ...more })
  const json = async (...words: readonly string[]) =>
    JSON.parse((await world.run(['cluster', ...words, '--json'])).out) as {
      readonly tenants: readonly Record<string, unknown>[]
      readonly runs: readonly Record<string, unknown>[]
      readonly waiting: readonly Record<string, unknown>[]
    }

  /** The queue writes that a try failed before the worker puts the run back. */
  const isPutBack = ({ error, tries }: Readonly<Record<string, unknown>>): boolean => error !== undefined && tries === 0

  test('each run uses the account of its tenant, and the history says who asked for it', async () => {
    writeTenants()
    addFarm('rimu', 'matai')
    addHolding('totara')
    write('farms/rimu/matai/taken.yaml', plots('rimu', 'from: { file: paddocks.csv }\nconnection: totara\n'))
    const added = await world.run(['cluster', 'run', 'farms'])
    expect(added.out).toContain('2 runs added')
    expect(added.err).toContain('not that of the tenant "rimu"')
    expect((await json('status')).tenants).toMatchObject([
      { tenant: 'rimu', queues: 1, waiting: 1, runsAnHour: 0 },
      { tenant: 'totara', queues: 1, waiting: 1, runsAnHour: 0 },
    ])
    expect((await work()).exit).toBe(0)
    expect((await json('status')).tenants).toMatchObject([
      { tenant: 'rimu', queues: 0, waiting: 0, failed: 0, runsAnHour: 1, recordsAnHour: 2 },
      { tenant: 'totara', queues: 0, waiting: 0, failed: 0, runsAnHour: 1, recordsAnHour: 1 },
    ])
    const { runs } = await json('history', '--tenant', 'rimu')
    expect(runs).toMatchObject([
      { tenant: 'rimu', pipeline: 'matai/paddocks', what: 'run', by: caller(), exit: 0, records: 2 },
    ])
    expect((await world.run(['cluster', 'history'])).out).toContain(`matai/paddocks  run for ${caller()}`)
    expect((await world.run(['cluster', 'status'])).out).toMatch(/^rimu +0 +0 +0 +0 +0 +1 +2$/m)
  })

  test('what a person does by hand is in the history, too, also what failed', async () => {
    writeTenants()
    world.env['WINDROW_TENANTS'] = join(world.folder, 'farms/tenants.yaml')
    addFarm('rimu', 'matai')
    await world.run(['run', 'farms/rimu/matai/paddocks.yaml'])
    await world.run(['undo', 'last', '--state', 'farms/rimu/matai/.windrow', '--yes'])
    write('farms/rimu/matai/paddocks.csv', 'NUMBER\n1\n')
    await world.run(['run', 'farms/rimu/matai/paddocks.yaml'])
    await world.run(['run', 'farms/rimu/matai/paddocks.yaml', '--dry-run'])
    await world.run(['cluster', 'run', 'farms'])
    await work()
    await world.run(['cluster', 'retry', 'matai/paddocks'])
    const { runs } = await json('history')
    expect(runs.map(({ what, exit, code, records }) => [what, exit, code, records])).toEqual([
      ['cluster retry', 0, undefined, 0],
      ['run', 6, 'column-missing', 0],
      ['run', 6, 'column-missing', 0],
      ['undo', 0, undefined, 2],
      ['run', 0, undefined, 2],
    ])
    expect(new Set(runs.map(({ by, tenant }) => `${String(tenant)} ${String(by)}`))).toEqual(
      new Set([`rimu ${caller()}`]),
    )
  })

  test('a tenant runs no more at once than its quota, on whatever workers, and others do not wait for it', async () => {
    writeTenants({ more: ', runs at once: 1' })
    for (const farm of ['one', 'two', 'three', 'four']) addFarm('rimu', farm)
    addHolding('totara')
    await world.run(['cluster', 'run', 'farms'])
    let [underWay, most] = [0, 0]
    const answer = world.fetch
    const fetch: Surroundings['fetch'] = async (input, init) => {
      const request = new Request(input, init)
      const isOfRimu = request.method === 'POST' && request.url.includes('/plots/')
      if (!isOfRimu) return answer(request)
      most = Math.max(most, (underWay += 1))
      await pause(100)
      return answer(request).finally(() => (underWay -= 1))
    }
    // A connection of its own, as on another machine.
    const other = ['--store', `${world.env['WINDROW_STORE']}?application_name=other`]
    const logs = await Promise.all([[], other].map((more) => work(['--at-once', '3', ...more], { fetch })))
    expect(logs.map(({ exit }) => exit)).toEqual([0, 0])
    expect(most).toBe(1)
    const { runs } = await json('history', '--tenant', 'rimu')
    expect(runs.map(({ exit, records }) => [exit, records])).toEqual(Array(4).fill([0, 2]))
    // Each began after the one before it had ended.
    for (const [index, { ended }] of runs.slice(1).entries())
      expect(String(runs[index]!['began']) >= String(ended)).toBe(true)
  })

  test('a tenant that has sent its records of the day waits, and nothing has failed', async () => {
    writeTenants({ more: ', records a day: 2' })
    addFarm('rimu', 'one')
    await world.run(['cluster', 'run', 'farms'])
    await work()
    addFarm('rimu', 'two')
    addHolding('totara')
    await world.run(['cluster', 'run', 'farms', 'two', 'office'])
    const stop = new AbortController()
    const ran = work([], { signal: stop.signal })
    const isDone = async (): Promise<boolean> => {
      const { waiting, tenants } = await json('status')
      const others = tenants.find(({ tenant }) => tenant === 'totara')
      return others?.['recordsAnHour'] === 1 && waiting.some(isPutBack)
    }
    for (let tries = 0; tries < 100 && !(await isDone()); tries += 1) await pause(100)
    stop.abort()
    await ran
    expect(await json('status')).toMatchObject({
      isWell: true,
      waiting: [{ name: 'two/paddocks', tries: 0, error: '"rimu" has sent 2 records or more in 24 hours' }],
      tenants: [
        { tenant: 'rimu', waiting: 1, recordsAnHour: 2 },
        { tenant: 'totara', waiting: 0, recordsAnHour: 1 },
      ],
    })
  })

  test('a mistake in tenants.yaml lets runs wait', async () => {
    writeTenants()
    addFarm('rimu', 'matai')
    await world.run(['cluster', 'run', 'farms'])
    write('farms/tenants.yaml', 'windrow: 1\ntenants: {}\n')
    expect((await work()).failure).toMatchObject({ code: 'tenants-invalid' })
    writeTenants()
    expect((await work(['--connection', 'rimu'])).failure).toMatchObject({ code: 'option-invalid' })
    expect((await json('status')).waiting).toMatchObject([{ name: 'matai/paddocks', tries: 0 }])
  })

  test('a mistake in tenants.yaml while workers run lets the others wait until it is repaired', async () => {
    writeTenants()
    addFarm('rimu', 'one')
    addFarm('rimu', 'two')
    await world.run(['cluster', 'run', 'farms'])
    let isSpoilt = false
    const fetch: Surroundings['fetch'] = (input, init) => {
      if (!isSpoilt) write('farms/tenants.yaml', 'windrow: 1\ntenants: {}\n')
      isSpoilt = true
      return world.fetch(new Request(input, init))
    }
    const repaired = Promise.withResolvers<void>()
    // The worker spares the tenant for three seconds.
    const sleep: Surroundings['sleep'] = (ms, signal) => (ms < 3000 ? soon(ms, signal) : repaired.promise)
    const ran = work(['--at-once', '1'], { fetch, sleep })
    const waits = async (): Promise<boolean> => (await json('status')).waiting.some(isPutBack)
    for (let tries = 0; tries < 100 && !(await waits()); tries += 1) await pause(100)
    expect((await json('status')).waiting).toMatchObject([
      { name: 'two/paddocks', tries: 0, error: expect.stringContaining('tenants') as string },
    ])
    writeTenants()
    repaired.resolve()
    expect((await ran).exit).toBe(0)
    expect((await json('history')).runs.map(({ pipeline, exit }) => [pipeline, exit])).toEqual([
      ['two/paddocks', 0],
      ['one/paddocks', 0],
    ])
  })

  test('workers send what notify.yaml asks for once, ping, and show metrics', async () => {
    const web = await startWebServer()
    writeTenants()
    world.env['WINDROW_WEBHOOK_SECRET'] = 'shh'
    write(
      'farms/notify.yaml',
      `windrow: 1\nnotify: Platform\nwebhook: { address: "${web.url}/hook" }\nping: "${web.url}/ping"\n`,
    )
    addFarm('rimu', 'matai')
    addHolding('totara')
    write('farms/rimu/matai/paddocks.csv', 'NUMBER\n1\n')
    const fetch: Surroundings['fetch'] = (input, init) => {
      const request = new Request(input, init)
      return request.url.startsWith(web.url) ? globalThis.fetch(request) : world.fetch(request)
    }
    const metrics = ['--metrics-file', 'farms.prom']
    const both = () => Promise.all([work(metrics, { fetch }), work(metrics, { fetch })])
    await world.run(['cluster', 'run', 'farms', 'matai'])
    await both()
    await world.run(['cluster', 'run', 'farms', 'office'])
    await both()
    const titles = () =>
      web.calls
        .filter(({ path }) => path === '/hook')
        .map(({ body }) => (JSON.parse(body) as { data: { title: string } }).data.title)
    expect(titles()).toEqual([expect.stringContaining('matai/paddocks')])
    const pings = () => web.calls.filter(({ path }) => path === '/ping').length
    // One pipeline is not well, so the ping for all is not called.
    expect(pings()).toBe(0)
    expect(readFileSync(join(world.folder, 'farms.prom'), 'utf8')).toContain(
      'windrow_tenant_queue_runs{tenant="rimu",state="failed"} 1\n',
    )
    addFarm('rimu', 'matai')
    await world.run(['cluster', 'retry'])
    await both()
    expect(titles()).toHaveLength(2)
    expect(pings()).toBe(1)
    expect(readFileSync(join(world.folder, 'farms.prom'), 'utf8')).toContain('windrow_queue_runs{state="failed"} 0\n')
    web.close()
  })
})
