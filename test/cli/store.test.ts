import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { openPostgres, takeLock } from '../../src/core/postgres.ts'
import { openTables } from '../../src/ledger/ledger-tables.ts'
import { openLedger } from '../../src/ledger/ledger.ts'
import { hasPostgres, startPostgres, type Server } from '../postgres.ts'
import { startWorld, type World } from './world.ts'

describe.skipIf(!hasPostgres)('with the ledger in PostgreSQL', () => {
  let server: Server
  let world: World
  let store: string
  beforeAll(async () => {
    server = await startPostgres()
    store = server.database()
  })
  afterAll(() => server.stop())
  beforeEach(async () => {
    world = startWorld()
    world.env['WINDROW_STORE'] = store
    await world.publishFarms()
  })
  afterEach(() => {
    world.close()
    server.empty(store)
  })

  const nightly = 'pipelines/nightly-paddocks.yaml'
  const run = (words: readonly string[] = ['run', nightly]) => world.run(words)
  const rewrite = (path: string, from: string, to: string): void => {
    const file = join(world.folder, path)
    writeFileSync(file, readFileSync(file, 'utf8').replace(from, to))
  }

  test('nights create, update and leave records as they are, and an undo puts them back', async () => {
    expect(await run()).toMatchObject({ exit: 0, out: expect.stringContaining('22 created') as string })
    expect(existsSync(join(world.folder, 'pipelines/.windrow/ledger.db'))).toBe(false)
    expect((await run()).out).toContain('22 unchanged')
    rewrite('samples/rimu-farm/nightly.csv', 'Woolshed', 'Shearing shed')
    expect((await run()).out).toContain('0 created + 1 updated')
    expect((await run(['verify', '--pipeline', nightly])).exit).toBe(0)
    const shown = await run(['ledger', 'show', nightly])
    expect(shown.out).toContain('22 records: 22 in the service')
    expect((await run(['undo', 'last', '--state', 'pipelines/.windrow', '--yes'])).exit).toBe(0)
    expect((await run(['ledger', 'export', 'pipelines/nightly-paddocks', '--json'])).out).toContain('"Woolshed"')
  })

  test('the status of a folder counts the runs with the database', async () => {
    await run()
    const { out } = await run(['status', 'pipelines', '--json'])
    const { pipelines } = JSON.parse(out) as { pipelines: { pipeline: string; records?: number }[] }
    expect(pipelines.find(({ pipeline }) => pipeline === 'nightly-paddocks')).toMatchObject({
      isWell: true,
      records: 22,
    })
  })

  test('another machine with the same files knows what this one sent', async () => {
    await run()
    cpSync(join(world.folder, 'pipelines'), join(world.folder, 'elsewhere/pipelines'), {
      recursive: true,
      filter: (path) => !path.includes('.windrow'),
    })
    cpSync(join(world.folder, 'samples'), join(world.folder, 'elsewhere/samples'), { recursive: true })
    expect((await run(['run', `elsewhere/${nightly}`])).out).toContain('22 unchanged')
  })

  test('a ledger that is moved into the database continues there', async () => {
    delete world.env['WINDROW_STORE']
    await run()
    rewrite('samples/rimu-farm/nightly.csv', 'Woolshed', 'Shearing shed')
    await run()
    const moving = ['ledger', 'move', 'pipelines', '--store', store]
    const moved = await run(moving)
    expect(moved).toMatchObject({ exit: 0, out: expect.stringContaining('22 records moved to postgres://') as string })
    expect(existsSync(join(world.folder, 'pipelines/.windrow/ledger.db'))).toBe(false)
    expect(existsSync(join(world.folder, 'pipelines/.windrow/ledger-moved.db'))).toBe(true)
    world.env['WINDROW_STORE'] = store
    const shown = await run(['ledger', 'show', 'pipelines/nightly-paddocks'])
    expect(shown.out).toContain('22 records: 22 in the service')
    expect((await run(['undo', 'last', '--state', 'pipelines/.windrow', '--yes'])).exit).toBe(0)
    expect((await run(['ledger', 'export', 'pipelines/nightly-paddocks', '--json'])).out).toContain('"Woolshed"')
    expect((await run()).out).toContain('1 updated')
    expect((await run(moving)).failure).toMatchObject({ code: 'state-unreadable' })
  })

  test('two ledgers of one account are moved into one, and each record keeps its pipeline', async () => {
    delete world.env['WINDROW_STORE']
    mkdirSync(join(world.folder, 'east'))
    writeFileSync(join(world.folder, 'east/trial.csv'), 'ID,NAME\nE1,North strip\nE2,South strip\n')
    writeFileSync(
      join(world.folder, 'east/trial.yaml'),
      'windrow: 1\nimport: plots\nfrom: { file: trial.csv, settled: 0 s }\nkey: <ID>\nrecord: { name: <NAME> }\n' +
        'holding: { scheme: nz.example.farm-number, id: "00412876" }\ngone: delete\nrules: { deletes: stop above 50 %, fewer-rows: stop above 50 % }\n',
    )
    await run()
    await run(['run', 'east/trial.yaml'])
    // This ledger has now read the records of the other one, and the other one lacks its own.
    for (const folder of ['pipelines', 'east'])
      expect((await run(['ledger', 'move', folder, '--store', store])).exit).toBe(0)
    world.env['WINDROW_STORE'] = store
    expect((await run(['ledger', 'show', 'pipelines/nightly-paddocks'])).out).toContain('22 records: 22 in the service')
    expect((await run(['ledger', 'show', 'east/trial'])).out).toContain('2 records: 2 in the service')
    rewrite('east/trial.csv', 'E2,South strip\n', '')
    expect((await run(['run', 'east/trial.yaml'])).out).toContain('1 deleted')
    expect((await run()).out).toContain('22 unchanged')
  })

  test('a ledger stays where it is while the service has not confirmed what was sent', async () => {
    delete world.env['WINDROW_STORE']
    await run()
    const ledger = openTables(join(world.folder, 'pipelines/.windrow/ledger.db'), 'all accounts')
    ledger.exec("UPDATE records SET state = 'accepted' WHERE key LIKE '%/001'")
    ledger[Symbol.dispose]()
    const { failure } = await run(['ledger', 'move', 'pipelines', '--store', store])
    expect(failure).toMatchObject({ code: 'run-unusable', exit: 2 })
    expect(failure!.message).toContain('"nightly-paddocks"')
    expect(existsSync(join(world.folder, 'pipelines/.windrow/ledger.db'))).toBe(true)
  })

  test('a pipeline that another machine runs is left to it', async () => {
    // Another address is another connection, as of another process.
    const lock = takeLock(`${store}?application_name=other`, 'pipeline pipelines/nightly-paddocks')
    expect((await run()).failure).toMatchObject({ code: 'run-busy' })
    lock!.release()
    expect((await run()).exit).toBe(0)
  })

  test('tables that another version of windrow made are left alone', async () => {
    openLedger(store, 'sam')[Symbol.dispose]()
    // Another address is another connection, as of another windrow that starts later.
    const opening = { schema: 'windrow_ledger', subject: 'test', tables: { version: 99, create: '' } }
    expect(() => openPostgres(`${store}?application_name=other`, opening)).toThrow(
      'The schema "windrow_ledger" was made by another version of windrow: its tables have the number 1, here they have 99.',
    )
  })

  test('an address with a password never shows it', async () => {
    const closed = await run(['run', nightly, '--store', 'postgres://windrow:secret@127.0.0.1:1/farms'])
    expect(closed.failure).toMatchObject({ code: 'store-unreachable', exit: 4 })
    const wrong = await run(['run', nightly, '--store', store.replace(/\/[^/]*$/, '/nothing').replace('@', ':secret@')])
    expect(wrong.failure).toMatchObject({ code: 'store-refused', exit: 2 })
    const strange = await run(['run', nightly, '--store', 'mysql://windrow:secret@127.0.0.1/farms'])
    expect(strange.failure).toMatchObject({ code: 'option-invalid', exit: 2 })
    expect(JSON.stringify([closed, wrong, strange].map((each) => [each, each.failure!.message]))).not.toContain(
      'secret',
    )
  })

  test('a server that stops ends the run with exit 4, and the next run after its return is complete', async () => {
    await run()
    rewrite('samples/rimu-farm/nightly.csv', 'Woolshed', 'Shearing shed')
    await server.crash()
    expect((await run()).failure).toMatchObject({ code: 'store-unreachable', exit: 4 })
    await server.start()
    expect((await run()).out).toContain('0 created + 1 updated')
    // A connection that broke while nobody used it is made anew.
    await server.crash()
    await server.start()
    expect((await run()).out).toContain('22 unchanged')
  })
})
