import { chmodSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import type { Surroundings } from '../../src/cli/options/command.ts'
import { openPool } from '../../src/core/postgres-client.ts'
import { openPauses } from '../../src/workers/worker.ts'
import { hasPostgres, startPostgres, type Server } from '../postgres.ts'
import { playCluster } from '../../tools/chaos/cluster-farms.ts'
import { runs } from '../runs.ts'
import { startWorld, type World } from './world.ts'

test('work needs a database, and says what one machine can do without', async () => {
  const world = startWorld()
  try {
    const { failure } = await world.run(['work', 'farms'])
    expect(failure).toMatchObject({
      code: 'option-invalid',
      hint: expect.stringContaining('windrow schedule') as string,
    })
  } finally {
    world.close()
  }
})

let server: Server
beforeAll(async () => {
  if (hasPostgres) server = await startPostgres()
})
afterAll(() => server?.stop())

describe.skipIf(!hasPostgres)('workers that share PostgreSQL', () => {
  let world: World
  let store: string
  beforeAll(() => void (store = server.database()))
  beforeEach(async () => {
    world = startWorld()
    world.env['WINDROW_STORE'] = store
    await world.publishFarms()
  })
  afterEach(() => {
    world.close()
    server.empty(store)
  })

  const rimu = 'holding: { scheme: nz.example.farm-number, id: "00412876" }'
  const write = (path: string, text: string): void => {
    const file = join(world.folder, path)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, text)
  }
  const addFarm = (farm: string, more = ''): void => {
    const id = farm.replaceAll(/[^a-z]/g, '')
    write(`farms/${farm}/paddocks.csv`, `ID,NAME\n${id}-1,Top of ${id}\n${id}-2,Flat of ${id}\n`)
    write(
      `farms/${farm}/paddocks.yaml`,
      `windrow: 1\nimport: plots\nfrom: { file: paddocks.csv, settled: 0 s }\n${rimu}\nkey: <ID>\nrecord: { name: <NAME> }\n${more}`,
    )
  }
  const status = async () => JSON.parse((await world.run(['cluster', 'status', '--json'])).out) as Status
  type Status = Record<'running' | 'late' | 'waiting' | 'failed', { name: string; error?: string; tries: number }[]>
  /** Works until the queue is empty, or until `until` says so. */
  const work = (more: Partial<Surroundings> = {}) =>
    world.run(['work', 'farms', '--until-empty'], { sleep: soon, ...more })
  const pause = (ms: number, signal?: AbortSignal): Promise<void> =>
    new Promise((resolve) => {
      const timer = setTimeout(resolve, Math.min(ms, 100))
      signal?.addEventListener('abort', () => (clearTimeout(timer), resolve()))
    })
  /** The sleep of a worker, which looks whether the queue is empty. */
  const soon: typeof pause = (ms, signal) => pause(Math.min(ms, 20), signal)

  test('a run that was added is done by a worker, and the log says so', async () => {
    addFarm('mataī at the hill, 100 %')
    addFarm('totara')
    expect((await world.run(['cluster', 'run', 'farms'])).out).toContain('2 runs added to the queue.')
    expect((await status()).waiting.map(({ name }) => name)).toEqual([
      'mataī at the hill, 100 %/paddocks',
      'totara/paddocks',
    ])
    const { exit, err } = await work()
    expect(exit).toBe(0)
    expect(err).toMatch(/100 %\/paddocks {2}.* finished with exit 0: 2 read, 2 created/)
    expect(await status()).toMatchObject({ isWell: true, waiting: [], running: [], failed: [] })
    expect((await world.run(['ledger', 'show', 'farms/totara/paddocks.yaml'])).out).toContain('2 records')
  })

  test('metrics show the queue and the runs of the worker', async () => {
    addFarm('matai')
    addFarm('totara')
    write('farms/totara/paddocks.csv', 'NUMBER\n1\n')
    await world.run(['cluster', 'run', 'farms'])
    await world.run(['work', 'farms', '--until-empty', '--metrics-file', 'work.prom'], { sleep: soon })
    const shown = readFileSync(join(world.folder, 'work.prom'), 'utf8')
    expect(shown).toContain('windrow_queue_runs{state="failed"} 1\n')
    expect(shown).toContain('windrow_queue_runs{state="waiting"} 0\n')
    expect(shown).toContain('windrow_worker_runs_total{exit="0"} 1\n')
    expect(shown).toMatch(/windrow_worker_runs_total\{exit="[26]"\} 1\n/)
  })

  test('a farm uses the account that its pipeline names, from the mounted file', async () => {
    const { WINDROW_SERVICE: service, WINDROW_TOKEN_URL: tokenUrl } = world.env
    const { WINDROW_CLIENT_ID: clientId, WINDROW_CLIENT_SECRET: clientSecret } = world.env
    const { WINDROW_USERNAME: username, WINDROW_PASSWORD: password } = world.env
    const connection = { service, tokenUrl, clientId, clientSecret, username, password }
    write('connections.json', JSON.stringify({ north: connection, south: { ...connection, password: 'wrong' } }))
    world.env['WINDROW_CONNECTIONS_FILE'] = join(world.folder, 'connections.json')
    addFarm('matai', 'connection: north\n')
    addFarm('totara', 'connection: south\n')
    addFarm('rata', 'connection: west\n')
    await world.run(['cluster', 'run', 'farms'])
    const { err } = await work()
    expect(err).toMatch(/matai\/paddocks .*finished with exit 0/)
    expect(err).toMatch(/totara\/paddocks .*finished with exit 5/)
    const { failed } = await status()
    expect(failed.map(({ name }) => name).toSorted()).toEqual(['rata/paddocks', 'totara/paddocks'])
    expect(failed.find(({ name }) => name === 'rata/paddocks')!.error).toContain('"west" was not found')
  })

  test('only the farms that are named are added, and an unknown one is refused', async () => {
    addFarm('matai')
    addFarm('totara')
    expect((await world.run(['cluster', 'run', 'farms', 'totara'])).out).toContain('1 run added')
    expect((await status()).waiting.map(({ name }) => name)).toEqual(['totara/paddocks'])
    expect((await world.run(['cluster', 'run', 'farms', 'rata'])).failure).toMatchObject({ code: 'option-invalid' })
  })

  test.skipIf(process.platform === 'win32' || process.getuid?.() === 0)(
    'a folder that cannot be read is named, and the other farms run',
    async () => {
      addFarm('matai')
      addFarm('closed')
      const closed = join(world.folder, 'farms/closed')
      chmodSync(closed, 0)
      onTestFinished(() => chmodSync(closed, 0o700))
      const { exit, out, err } = await world.run(['cluster', 'run', 'farms'])
      expect([exit, out]).toEqual([2, expect.stringContaining('1 run added')])
      expect(`${out}${err}`).toContain(`closed: The folder "${closed}" cannot be read`)
    },
  )

  test.skipIf(process.platform === 'win32')(
    'what is no pipeline file, and a name too long for the queue, are named, and the other farms run',
    async () => {
      addFarm('matai')
      addFarm('n'.repeat(200))
      const loop = join(world.folder, 'farms/matai/loop.yaml')
      symlinkSync(loop, loop)
      symlinkSync(world.folder, join(world.folder, 'farms/matai/folder.yaml'))
      const { exit, out, err } = await world.run(['cluster', 'run', 'farms'])
      expect([exit, out]).toEqual([2, expect.stringContaining('1 run added')])
      for (const file of ['loop.yaml', 'folder.yaml'])
        expect(`${out}${err}`).toContain(`matai/${file}: "${file}" is not a file that can be read.`)
      expect(`${out}${err}`).toContain('has 200 characters.')
    },
  )

  test('pipelines that wait for each other, or for one of another farm, are named, and the others run', async () => {
    addFarm('matai')
    addFarm('totara', 'schedule: { cron: "0 0 1 1 *", zone: Pacific/Auckland }\n')
    const rows = readFileSync(join(world.folder, 'farms/totara/paddocks.yaml'), 'utf8')
    write('farms/totara/north.yaml', `${rows}after: south\n`)
    write('farms/totara/south.yaml', `${rows}after: north\n`)
    write('farms/totara/east.yaml', `${rows}after: ../matai/paddocks\n`)
    const { exit, out, err } = await world.run(['cluster', 'run', 'farms'])
    expect([exit, out]).toEqual([2, expect.stringContaining('2 runs added')])
    expect(err).toContain(
      'totara/east.yaml: "east" waits for "../matai/paddocks" (after), but no pipeline of this name',
    )
    expect(err).toContain('totara/north.yaml: These pipelines wait for each other (after)')
  })

  test('a run that cannot succeed is kept with its reason until it is retried', async () => {
    addFarm('matai')
    write('farms/matai/paddocks.csv', 'NUMBER,NAME\n1,Top\n')
    await world.run(['cluster', 'run', 'farms'])
    await work()
    const found = await world.run(['cluster', 'status'])
    expect(found.exit).toBe(3)
    expect(found.out).toMatch(/failed 1\n {2}matai\/paddocks .*\n {4}.*"ID"/)
    addFarm('matai')
    expect((await world.run(['cluster', 'retry', 'matai/paddocks'])).out).toContain('1 run will be tried again')
    await work()
    expect(await status()).toMatchObject({ isWell: true, failed: [] })
  })

  test('of a pipeline that fails again the last failure is kept, and a good run clears it', async () => {
    addFarm('matai')
    for (const header of ['NUMBER', 'ID']) {
      write('farms/matai/paddocks.csv', `${header}\n1\n`)
      await world.run(['cluster', 'run', 'farms'])
      await work()
    }
    expect((await world.run(['cluster', 'status'])).out).toMatch(
      /failed 1\n {2}matai\/paddocks {2}due \S+ \S+\n {4}.*column "NAME" is missing/,
    )
    addFarm('matai')
    await world.run(['cluster', 'run', 'farms'])
    await work()
    expect(await status()).toMatchObject({ isWell: true, failed: [] })
  })

  test('a good run clears a failure of the pipeline file, too', async () => {
    addFarm('matai')
    await world.run(['cluster', 'run', 'farms'])
    rmSync(join(world.folder, 'farms/matai/paddocks.yaml'))
    await work()
    expect((await status()).failed).toHaveLength(1)
    addFarm('matai')
    await world.run(['cluster', 'run', 'farms'])
    await work()
    expect(await status()).toMatchObject({ isWell: true, failed: [] })
  })

  test('what came due while no worker ran is added once, whoever looks, and a mistake stops no other farm', async () => {
    addFarm('matai', 'schedule: { cron: "15 2 * * *", zone: Pacific/Auckland }\n')
    addFarm('new', 'schedule: { cron: "15 2 * * *", zone: Pacific/Auckland }\n')
    write('farms/broken/paddocks.yaml', 'windrow: 1\nimport: nothing\n')
    addFarm('another-hour', 'schedule: { cron: "0 25 * * *", zone: Pacific/Auckland }\n')
    await world.run(['cluster', 'status'])
    const pool = await openPool(store, 1)
    await pool.query(
      `INSERT INTO graphile_worker._private_known_crontabs VALUES ('matai/paddocks', now() - interval '3 days', NULL)`,
    )
    await pool.end()
    const logs = ['', '']
    const stop = new AbortController()
    const workers = logs.map((_, index) => {
      const terminal = { out: { write: () => true }, err: { write: (text: string) => (logs[index] += text) } }
      return world.run(['work', 'farms'], { sleep: pause, signal: stop.signal, terminal })
    })
    onTestFinished(() => stop.abort())
    const finished = () => logs.flatMap((log) => log.match(/\w+\/paddocks .*finished with exit 0/g) ?? [])
    await expect.poll(finished, { timeout: 10_000 }).toHaveLength(1)
    await expect.poll(async () => (await status()).running).toEqual([])
    stop.abort()
    await Promise.all(workers)
    expect(finished()).toEqual([expect.stringContaining('matai/paddocks')])
    for (const log of logs) expect(log).toContain('another-hour/paddocks.yaml')
    expect(await status()).toMatchObject({ isWell: true, waiting: [], failed: [] })
  })

  test('a pause that the service asked one worker for holds for all, and is never shortened', async () => {
    addFarm('matai')
    await world.run(['cluster', 'run', 'farms'])
    using other = openPauses(`${store}?application_name=other`, () => new Date())
    let wasRefused = false
    const seen: (number | undefined)[] = []
    const answer = world.fetch
    const fetch: Surroundings['fetch'] = (input, init) => {
      const request = new Request(input, init)
      if (wasRefused) seen.push(other.get('127.0.0.1:8080'))
      else if (request.method === 'POST' && !request.url.includes('/auth/')) {
        wasRefused = true
        return Promise.resolve(new Response('', { status: 429, headers: { 'Retry-After': '5' } }))
      }
      return answer(request)
    }
    // The worker does not wait, so that the pause is still there when it asks again.
    await work({ fetch, sleep: (ms, signal) => pause(Math.min(ms, 1), signal) })
    expect(seen[0]! - Date.now()).toBeGreaterThan(0)
    other.set('127.0.0.1:8080', Date.now() + 60_000)
    other.set('127.0.0.1:8080', Date.now() + 10_000)
    expect(other.get('127.0.0.1:8080')! - Date.now()).toBeGreaterThan(50_000)
    expect(other.get('elsewhere.example')).toBeUndefined()
  })

  test('a worker waits for a database that went away, and continues', async () => {
    addFarm('matai')
    const stop = new AbortController()
    const ran = world.run(['work', 'farms'], { sleep: pause, signal: stop.signal })
    await pause(500)
    await server.crash()
    await pause(500)
    await server.start()
    for (let tries = 0; tries < 200 && (await world.run(['cluster', 'run', 'farms'])).exit !== 0; tries += 1)
      await pause(100)
    const isDone = async (): Promise<boolean> => {
      const { waiting, running } = await status()
      return waiting.length + running.length === 0
    }
    for (let tries = 0; tries < 200 && !(await isDone()); tries += 1) await pause(100)
    stop.abort()
    const { exit, err } = await ran
    expect(exit).toBe(0)
    expect(err).toMatch(/does not answer: .* This worker tries again in 10 s\./)
    expect(err).toMatch(/matai\/paddocks .*finished with exit 0: 2 read, 2 created/)
  })

  test('a worker that is stopped gives back the run that it has, and the next one continues it', async () => {
    addFarm('matai')
    await world.run(['cluster', 'run', 'farms'])
    const stop = new AbortController()
    const answer = world.fetch
    const fetch: Surroundings['fetch'] = (input, init) => {
      const request = new Request(input, init)
      if (request.method === 'POST' && !request.url.includes('/auth/')) stop.abort()
      return answer(request)
    }
    const stopped = await work({ fetch, signal: stop.signal })
    expect(stopped.err).toMatch(/matai\/paddocks .*finished with exit (130|143)/)
    expect(await status()).toMatchObject({ running: [], waiting: [{ name: 'matai/paddocks', tries: 1 }] })
    const { err } = await work()
    expect(err).toMatch(/matai\/paddocks .*finished with exit 0/)
    expect((await world.run(['ledger', 'show', 'farms/matai/paddocks.yaml'])).out).toContain('2 records')
  })

  test('only the pipeline of that name is tried again, whatever other names begin with it', async () => {
    addFarm('matai')
    addFarm('mataipu')
    for (const farm of ['matai', 'mataipu']) write(`farms/${farm}/paddocks.csv`, 'NUMBER\n1\n')
    await world.run(['cluster', 'run', 'farms'])
    await work()
    expect((await status()).failed).toHaveLength(2)
    expect((await world.run(['cluster', 'retry', 'matai/pad'])).out).toContain('0 runs will be tried again')
    expect((await world.run(['cluster', 'retry', 'matai/paddocks'])).out).toContain('1 run will be tried again')
    expect(await status()).toMatchObject({
      waiting: [{ name: 'matai/paddocks' }],
      failed: [{ name: 'mataipu/paddocks' }],
    })
  })

  test('a run that waits already is not added again, however often it is asked for', async () => {
    addFarm('matai')
    addFarm('totara')
    await world.run(['cluster', 'run', 'farms', 'totara'])
    const first = await world.run(['cluster', 'run', 'farms'])
    expect([first.exit, first.out]).toEqual([0, '1 run added to the queue.\n'])
    expect(first.err).toBe('1 pipeline not added: a run of each waits there already.\n')
    for (let times = 2; times < 20; times += 1)
      expect((await world.run(['cluster', 'run', 'farms'])).out).toBe('0 runs added to the queue.\n')
    expect((await status()).waiting.map(({ name }) => name).toSorted()).toEqual(['matai/paddocks', 'totara/paddocks'])
    const { err } = await work()
    expect(err.match(/finished with exit 0/g)).toHaveLength(2)
    expect((await world.run(['cluster', 'run', 'farms'])).out).toBe('2 runs added to the queue.\n')
  })

  test('two folders with one name are refused, and the others run', async () => {
    addFarm('north/matai')
    addFarm('south/matai')
    const { err, exit, out } = await world.run(['cluster', 'run', 'farms'])
    expect([exit, out]).toEqual([2, '1 run added to the queue.\n'])
    expect(err).toContain('"north/matai/paddocks.yaml" has the name matai/paddocks, too.')
    rmSync(join(world.folder, 'farms/south'), { recursive: true })
  })

  test('a pipeline waits for the one that it names, on whatever worker', async () => {
    addFarm('matai', 'schedule: { cron: "0 0 1 1 *", zone: Pacific/Auckland }\n')
    write(
      'farms/matai/again.yaml',
      `windrow: 1\nimport: plots\nfrom: { file: paddocks.csv, settled: 0 s }\n${rimu}\nkey: <ID>\nrecord: { name: <NAME> }\n` +
        'schedule: { cron: "0 0 1 1 *", zone: Pacific/Auckland }\nafter: paddocks\n',
    )
    await world.run(['cluster', 'run', 'farms'])
    const { err } = await work()
    const ended = [...err.matchAll(/(matai\/\w+) .*finished with exit/g)].map(([, name]) => name)
    expect(ended).toEqual(['matai/paddocks', 'matai/again'])
    write('farms/matai/paddocks.csv', 'NUMBER\n1\n')
    await world.run(['cluster', 'run', 'farms'])
    await work()
    expect((await status()).failed).toMatchObject([
      { name: 'matai/paddocks', error: expect.stringMatching(/^column-missing: /) as string },
      { name: 'matai/again', error: expect.stringMatching(/^after-failed: /) as string },
    ])
    addFarm('matai', 'schedule: { cron: "0 0 1 1 *", zone: Pacific/Auckland }\n')
    expect((await world.run(['cluster', 'retry'])).out).toContain('2 runs will be tried again')
    await work()
    expect(await status()).toMatchObject({ isWell: true, failed: [] })
  })
})

const unharmed = { fallen: [], lost: 0, doubled: 0, misbooked: 0, unbalanced: 0, disordered: 0, left: [] }

test.skipIf(!hasPostgres)(
  'workers are killed: each row is booked once, nothing is lost or doubled, farms keep their order',
  async () => {
    const farms = runs(80)
    const played = await playCluster({ farms, rows: 20, workers: 2, killEveryS: 0.8, mostKills: runs(80), server })
    const { kills, created, runs: ended, seconds: _, ...others } = played
    expect(kills).toBeGreaterThan(0)
    expect(created).toBe(farms * 20)
    expect(ended).toBeGreaterThanOrEqual(2 * farms)
    expect(others).toEqual({ ...unharmed, stops: 0 })
  },
  240_000,
)

test.skipIf(!hasPostgres)(
  'PostgreSQL is stopped while workers are busy: they wait for it and finish, nothing is lost or doubled',
  async () => {
    const farms = runs(400)
    const mostStops = runs(20)
    const played = await playCluster({ farms, rows: 20, workers: 3, killEveryS: 0, mostStops, server })
    const { created, runs: ended, seconds: _, ...others } = played
    expect(created).toBe(farms * 20)
    expect(ended).toBeGreaterThanOrEqual(2 * farms)
    expect(others).toEqual({ ...unharmed, kills: 0, stops: mostStops })
  },
  240_000,
)
