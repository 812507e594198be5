import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { gunzipSync } from 'node:zlib'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { connectTo, type Client } from '../../src/client/connection.ts'
import { readLedger } from '../../src/ledger/comparison.ts'
import { setAsideIfDamaged } from '../../src/ledger/damage.ts'
import { openLedger } from '../../src/ledger/ledger.ts'
import { createService, type Service } from '../../src/service/create.ts'
import { demoCredentials } from '../../src/service/store/accounts.ts'
import { root } from '../imports.ts'
import { folderWith } from './temporary-folder.ts'

// Each file was written by windrow 0.1.0 when its tables had that version: an invented farm with two or three plots, one
// deleted, and one work record.
let path: string
beforeEach(() => {
  path = join(folderWith({}), 'kept.db')
})
afterEach(() => rmSync(path, { force: true }))

function unpack(name: string): void {
  writeFileSync(path, gunzipSync(readFileSync(join(root, 'test/fixtures/state', `${name}.db.gz`))))
}

function versionIn(file: string): unknown {
  const database = new DatabaseSync(file)
  try {
    return database.prepare('PRAGMA user_version').get()?.['user_version']
  } finally {
    database.close()
  }
}

function makeNewer(file: string): void {
  const database = new DatabaseSync(file)
  database.exec('PRAGMA user_version = 99')
  database.close()
}

describe('a store of the embedded service', () => {
  const base = 'http://127.0.0.1:8080'
  const connect = (service: Service): Client =>
    connectTo(
      { name: 'local', service: base, tokenUrl: `${base}/auth/realms/windrow`, ...demoCredentials },
      {
        fetch: (input: Parameters<typeof fetch>[0], init?: RequestInit) => service.fetch(new Request(input, init)),
        clock: () => new Date(),
        sleep: () => Promise.resolve(),
        random: () => 0.5,
      },
    )

  test.each([1, 2, 3, 4, 5])('of version %i is read, written and found by place', async (version) => {
    unpack(`store-${version}`)
    let service = createService({ store: path, demo: true })
    try {
      for (const _ of ['migrated', 'opened again']) {
        const client = connect(service)
        const shown: Record<string, boolean> = {}
        for await (const page of client.changes(await client.dataset('plots')))
          for (const { dataPointKey, meta } of page.items)
            shown[String(dataPointKey).split('/').at(-1)!] = (meta as { isDeleted?: boolean }).isDeleted === true
        expect(shown).toEqual({ 1: false, 2: true, 3: false })
        const inside: string[] = []
        for await (const page of client.features('plots', { bbox: [175.3, -37.81, 175.3035, -37.79] }))
          inside.push(...page.map(({ properties }) => (properties['agriculture'] as { name: string }).name))
        // A record without a place is in every box.
        expect(inside.toSorted()).toEqual(['Paddock 1', 'Paddock 3'])
        const worked: unknown[] = []
        for await (const page of client.workRecords()) worked.push(...page)
        expect(worked).toHaveLength(1)
        service.close()
        service = createService({ store: path, demo: true })
      }
    } finally {
      service.close()
    }
    expect(versionIn(path)).toBe(5)
  })

  test('of a newer version is refused with a sentence, and left alone', () => {
    unpack('store-5')
    makeNewer(path)
    expect(() => createService({ store: path, demo: true })).toThrow(
      expect.objectContaining({
        code: 'state-unreadable',
        exit: 2,
        message: `"${path}" was written by a newer windrow (version 99 of the file; this windrow knows 5).`,
      }) as Error,
    )
    expect(versionIn(path)).toBe(99)
  })
})

describe('a ledger', () => {
  const account = 'http://127.0.0.1:8080|sam'
  const keyOf = (number: number): string => `plots/nz.example.farm-number/00412876/${number}`

  test.each(['1-first', '1', '2', '3', '4', '5', '6', '7', '8'])(
    'of version %s keeps its records, its place in the feed and its count',
    (version) => {
      unpack(`ledger-${version}`)
      expect(setAsideIfDamaged(path, new Date())).toBeUndefined()
      const ledger = openLedger(path, account)
      try {
        const found = [1, 2, 3, 4, 5].map((number) => ledger.find(keyOf(number)))
        expect(found.map((each) => [each?.state, each?.pipeline, each?.inDoubt])).toEqual([
          ['confirmed', 'nightly', false],
          ['confirmed', 'nightly', false],
          ['accepted', 'nightly', false],
          ['confirmed', null, false],
          ['deleted', null, false],
        ])
        expect(JSON.parse(found[2]!.body)).toMatchObject({ name: 'Paddock 3', totalArea: { measurement: 3.5 } })
        expect(ledger.token('plots')).toBe('T7')
        const { records, rows } = ledger.lastCount('nightly')!
        expect(records ?? rows).toBe(3)
        expect([...ledger.heldBy('nightly')].map(({ key }) => key)).toEqual([1, 2, 3].map(keyOf))
        expect(ledger.sourceRows.keysOf('nightly').has(keyOf(1))).toBe(['7', '8'].includes(version))
        ledger.shared.add('other', [keyOf(1)])
        expect(ledger.shared.pipelinesOf(keyOf(1))).toEqual(['other'])
        ledger.forgetDeleted()
      } finally {
        ledger[Symbol.dispose]()
      }
      expect(versionIn(path)).toBe(9)
    },
  )

  test.each(['1-first', '1', '2', '3', '4', '5', '6', '7', '8'])('of version %s is read by verify', (version) => {
    unpack(`ledger-${version}`)
    using reader = readLedger(path, account)
    const comparison = reader.compare('plots')
    comparison.see([])
    expect([reader.datasets(), comparison.count().ledger]).toEqual([['plots'], 4])
  })

  test.each(['5', '6'])('of version %s knows the places of its records', (version) => {
    unpack(`ledger-${version}`)
    const earlier = new DatabaseSync(path)
    earlier
      .prepare(`UPDATE records SET body = json_set(body, '$.centroid', json(?)) WHERE key = ?`)
      .run('{"type":"Point","coordinates":[175.31,-37.79]}', keyOf(2))
    earlier.close()
    const ledger = openLedger(path, account)
    const box = [175.3, -37.8, 175.32, -37.78] as const
    expect([...ledger.standingNear('plots', { box, degrees: 0.05 })].map(({ key }) => key)).toEqual([keyOf(2)])
    ledger[Symbol.dispose]()
  })

  test('of version 8 knows whose a record is that was posted before its answer came', () => {
    unpack('ledger-8')
    const ledger = openLedger(path, account)
    const meta = {
      sourceId: { scheme: 'nz.example.farm-number.plots', id: '00412876/6' },
      modified: '2026-11-20T04:00:00.000Z',
    }
    const item = { resourceType: 'plotResource', dataPointKey: keyOf(6), name: 'Paddock 6', meta }
    ledger.observe('plots', { items: [item], token: 'T8', startsOver: false })
    expect(ledger.find(keyOf(6))).toMatchObject({ state: 'confirmed', pipeline: 'nightly' })
    ledger[Symbol.dispose]()
  })

  test('of a newer version is refused with a sentence, and left alone', () => {
    unpack('ledger-4')
    makeNewer(path)
    const refusal = expect.objectContaining({
      code: 'state-unreadable',
      exit: 2,
      message: `"${path}" was written by a newer windrow (version 99 of the file; this windrow knows 9).`,
    }) as Error
    expect(setAsideIfDamaged(path, new Date())).toBeUndefined()
    expect(() => openLedger(path, account)).toThrow(refusal)
    expect(() => readLedger(path, account)).toThrow(refusal)
    expect(versionIn(path)).toBe(99)
  })
})
