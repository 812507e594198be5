import { afterAll, afterEach, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { openPostgres } from '../../src/core/postgres.ts'
import { openLedger } from '../../src/ledger/ledger.ts'
import { inPostgres } from '../../src/service/store/store-tables.ts'
import { startWorld } from '../cli/world.ts'
import { hasPostgres, startPostgres, type Server } from '../postgres.ts'
import { chanceFrom } from '../../tools/seeded.ts'
import { hillFarm, holding, list, openService, plot, signIn, speaker, text } from './hill-farm.ts'

describe.skipIf(!hasPostgres)('a store in PostgreSQL', () => {
  let server: Server
  let store: string
  beforeAll(async () => {
    server = await startPostgres()
    store = server.database()
  })
  afterEach(() => server.empty(store))
  afterAll(() => server.stop())

  // Another address is another connection, as of another process.
  const elsewhere = (store: string): string => `${store}?application_name=other`

  test('is used by one process at a time, and is free again when that one has ended', async () => {
    const { service, hill } = await hillFarm({ store })
    await hill.post('plots', [plot('1')])
    expect(() => openService({ store: elsewhere(store) })).toThrow(
      expect.objectContaining({
        code: 'state-unreadable',
        message: expect.stringMatching(/^The store "postgres:\/\/[^@]*" is in use by another process\.$/) as string,
      }) as Error,
    )
    service.close()
    // A request that is still under way may not write beside the next process.
    expect((await hill.post('plots', [plot('2')])).status).toBe(500)
    const other = openService({ store: elsewhere(store) })
    expect((await (await signIn(other)).feed('plots')).items).toHaveLength(1)
    other.close()
  })

  test('answers any lists as SQLite does, with the same records at their end', async () => {
    const chance = chanceFrom(18)
    const [one, other] = [await hillFarm(), await hillFarm({ store })]
    onTestFinished(other.service.close)
    const both = async <T>(work: (hill: typeof one.hill) => Promise<T>): Promise<T> => {
      const [expected, found] = [await work(one.hill), await work(other.hill)]
      expect(found).toEqual(expected)
      return expected
    }
    await both(async (hill) => (await hill.post('holdings', [holding('HF-2')])).body)
    const errors = new Set<unknown>()
    const any = (): object => {
      const [key, source] = [chance.whole(0, 29), chance.whole(0, 29)]
      const isDeleted = chance.whole(0, 5) === 0
      return {
        ...plot(String(key), chance.pick(['HF-0042', 'HF-0042', 'HF-2'])),
        name: `Plot ${chance.whole(0, 2)} ${chance.whole(0, 2) === 0 ? 'x'.repeat(70_000) : ''}`,
        dataPointKey: key === 29 ? undefined : `plots/${key}`,
        meta: {
          sourceId: source === 29 ? [] : { scheme: 's', id: String(source) },
          modified: '2026-11-16T00:00:00Z',
          isDeleted,
        },
      }
    }
    for (let turn = 0; turn < 40; turn += 1) {
      const sent = Array.from({ length: chance.whole(1, 30) }, any)
      const results = await both(async (hill) => list((await hill.post('plots', sent)).body))
      for (const { error, note } of results)
        errors.add(text(error ?? note ?? 'as it should be').replaceAll(/"[^"]*"|source id without id/g, '…'))
    }
    expect((await both((hill) => hill.feed('plots'))).items.length).toBeGreaterThan(9)
    // Keys and source ids have met and moved in every way.
    expect(errors.size).toBe(8)
  })

  test('shares a database with a ledger', async () => {
    const ledger = openLedger(store, 'sam')
    const { service, hill } = await hillFarm({ store })
    expect((await hill.feed('holdings')).items).toHaveLength(1)
    expect(ledger.find('holdings/HF-0042')).toBeUndefined()
    service.close()
    ledger[Symbol.dispose]()
  })

  test('that another version of windrow made is left alone', () => {
    const newer = server.database()
    const database = openPostgres(newer, inPostgres)
    database.exec('INSERT INTO versions VALUES (99)')
    database.close()
    expect(() => openService({ store: elsewhere(newer) })).toThrow(/made by another version of windrow/)
  })

  test('that goes away fails requests, not records: a service that starts again has all that was answered', async () => {
    const faults: unknown[] = []
    const { service, hill } = await hillFarm({ store, onFault: (cause) => void faults.push(cause) })
    await hill.post('plots', [plot('1')])
    await server.crash()
    expect((await hill.post('plots', [plot('2')])).status).toBe(500)
    expect(service.isHealthy()).toBe(false)
    await server.start()
    // Its lock is gone: another process may have written meanwhile.
    expect(service.isHealthy()).toBe(false)
    expect(faults).toMatchObject([{}, {}, {}].map(() => ({ code: 'store-unreachable' })))
    service.close()
    const again = openService({ store })
    const { items } = await speaker(again, hill.token).feed('plots')
    expect(items.map(({ dataPointKey }) => dataPointKey)).toEqual(['HF-0042/1'])
    again.close()
  })

  test('is what windrow serve takes from WINDROW_STORE; without its database the command ends with exit 4', async () => {
    const world = startWorld()
    onTestFinished(() => world.close())
    world.env['WINDROW_STORE'] = store
    const stop = new AbortController()
    let out = ''
    const terminal = { out: { write: (text: string) => void (out += text) }, err: { write: () => undefined } }
    const running = world.run(['serve', '--demo'], { signal: stop.signal, terminal })
    await expect.poll(() => out).toContain('Ctrl-C stops it.')
    expect(out).toMatch(/^It keeps its records in postgres:\/\/127\.0\.0\.1:\d+\/\w+$/m)
    const [, url] = /^The service is running at (\S+)$/m.exec(out)!
    await server.crash()
    expect((await fetch(`${url}/health`)).status).toBe(503)
    expect((await running).failure).toMatchObject({ code: 'store-unreachable', exit: 4 })
    await server.start()
  })
})
