import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { contentHash, contentHashOfBody } from '../../src/ledger/content.ts'
import { openLedger, type Acceptance, type Ledger } from '../../src/ledger/ledger.ts'
import type { Post } from '../../src/ledger/posts.ts'
import { hasPostgres, startPostgres, type Server } from '../postgres.ts'

let folder: string
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), 'windrow-ledger-'))))
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const key = 'plots/nz.example.farm-number/00412876/007'
const sourceId = { scheme: 'nz.example.farm-number.plots', id: '00412876/007' }
const body = (name: string, modified: string, more: object = {}) => ({
  resourceType: 'plotResource',
  dataPointKey: key,
  name,
  meta: { sourceId, modified, ...more },
})
const acceptance = (name: string, modified: string, deleted = false): Acceptance => ({
  key,
  dataset: 'plots',
  sourceScheme: sourceId.scheme,
  sourceId: sourceId.id,
  body: JSON.stringify(body(name, modified)),
  hash: contentHashOfBody(body(name, modified)),
  modified,
  deleted,
})
const monday = '2026-11-16T00:00:00Z'
const tuesday = '2026-11-17T00:00:00.0000000+00:00'
const page = (...items: object[]) => ({ items: items as Record<string, unknown>[], token: 'T1', startsOver: false })

describe('a ledger in SQLite', () => {
  const place = () => join(folder, 'ledger.db')
  keeps(place, place)
})

describe.skipIf(!hasPostgres)('a ledger in PostgreSQL', () => {
  let server: Server
  let database: string
  beforeAll(async () => {
    server = await startPostgres()
    database = server.database()
  })
  afterAll(() => server.stop())
  keeps(
    () => database,
    // Another address is another connection, as of another process.
    () => `${database}?application_name=other`,
  )
})

let accounts = 0

/** What a ledger does, wherever it is: `otherPlace` leads to the same ledger. */
function keeps(place: () => string, otherPlace: () => string): void {
  let ledger: Ledger
  let account: string
  beforeEach(() => {
    account = `http://localhost|sam ${(accounts += 1)}`
    ledger = openLedger(place(), account)
  })
  afterEach(() => ledger[Symbol.dispose]())

  describe('the state of a record', () => {
    test('is accepted until the feed shows the time that was sent', () => {
      ledger.accept('onboard', [acceptance('Rāhui', monday)])
      expect(ledger.find(key)?.state).toBe('accepted')
      ledger.observe('plots', page(body('Rāhui', '2026-11-16T13:00:00+13:00')))
      expect(ledger.find(key)).toMatchObject({ state: 'confirmed', pipeline: 'onboard' })
      expect(ledger.token('plots')).toBe('T1')
    })

    test('keeps the same text of a body that is given as bytes', () => {
      const given = acceptance('Rāhui', monday)
      ledger.accept('onboard', [{ ...given, body: Buffer.from(String(given.body)) }])
      expect(ledger.find(key)?.body).toBe(given.body)
    })

    test('is confirmed by its source id if the feed shows no key', () => {
      ledger.accept('onboard', [acceptance('Rāhui', monday)])
      const { dataPointKey: _key, ...keyless } = body('Rāhui', monday)
      ledger.observe('plots', page(keyless))
      expect(ledger.find(key)?.state).toBe('confirmed')
    })

    test('follows the service if somebody else wrote, and the next run starts from the new body', () => {
      ledger.accept('onboard', [acceptance('Rāhui', monday)])
      ledger.observe('plots', page(body('Rāhui north', tuesday)))
      expect(JSON.parse(ledger.find(key)!.body)).toMatchObject({ name: 'Rāhui north' })
      expect(ledger.find(key)?.hash).toBe(contentHashOfBody(body('Rāhui north', monday)))
    })

    test('is in doubt without an answer, and as before after a refusal', () => {
      ledger.accept('onboard', [acceptance('Rāhui', monday)])
      ledger.observe('plots', page(body('Rāhui', monday)))
      ledger.markSent('onboard', [acceptance('Rāhui', monday)])
      expect(ledger.find(key)).toMatchObject({ state: 'confirmed', inDoubt: true })
      ledger.release([key])
      expect(ledger.find(key)).toMatchObject({ state: 'confirmed', inDoubt: false })
    })

    test('that its pipeline deleted and somebody published later belongs to nobody; one of a backup is deleted again', () => {
      const deletion = { ...acceptance('Rāhui', tuesday, true), hash: 'deleted' }
      ledger.accept('onboard', [deletion])
      ledger.observe('plots', page(body('Rāhui', tuesday, { isDeleted: true })))
      ledger.observe('plots', page(body('Rāhui', monday)))
      expect(ledger.find(key)).toMatchObject({ state: 'confirmed', pipeline: 'onboard' })
      ledger.accept('onboard', [deletion])
      ledger.observe('plots', page(body('Rāhui', tuesday, { isDeleted: true })))
      ledger.observe('plots', page(body('Rāhui', '2026-11-18T00:00:00Z')))
      expect(ledger.find(key)).toMatchObject({ state: 'confirmed', pipeline: null })
    })

    test('is deleting until the feed shows the deletion', () => {
      ledger.accept('onboard', [acceptance('Rāhui', monday, true)])
      expect(ledger.find(key)?.state).toBe('deleting')
      expect([...ledger.heldBy('onboard')]).toHaveLength(1)
      ledger.observe('plots', page(body('Rāhui', monday, { isDeleted: true })))
      expect(ledger.find(key)?.state).toBe('deleted')
      expect([...ledger.heldBy('onboard')]).toHaveLength(0)
    })

    test('is missing after the service was rebuilt, until it is shown again', () => {
      ledger.accept('onboard', [acceptance('Rāhui', monday)])
      ledger.observe('plots', page(body('Rāhui', monday)))
      ledger.observe('plots', { items: [], token: undefined, startsOver: true })
      expect(ledger.find(key)?.state).toBe('missing')
      expect(ledger.token('plots')).toBeUndefined()
      ledger.observe('plots', page(body('Rāhui', monday)))
      expect(ledger.find(key)?.state).toBe('confirmed')
    })
  })

  describe('a post without an answer', () => {
    const posted = (name: string) => ledger.markSent('onboard', [acceptance(name, monday)])
    const heldBy = (pipeline: string) => [...ledger.heldBy(pipeline)].map((held) => held.key)

    test('is not a record', () => {
      posted('Rāhui')
      expect(ledger.isEmpty()).toBe(true)
      expect(ledger.find(key)).toBeUndefined()
      expect(ledger.stateOf(key)).toBeUndefined()
      expect(ledger.findBySource('plots', sourceId.scheme, sourceId.id)).toBeUndefined()
      expect(heldBy('onboard')).toEqual([])
    })

    test.each([
      ['with the moment that was sent', body('Rāhui', monday)],
      ['with the content that was sent and a moment of its own', body('Rāhui', tuesday)],
      ['without its key', { ...body('Rāhui', monday), dataPointKey: undefined }],
    ])('is the record of its pipeline once the feed shows it %s', (_, shown) => {
      posted('Rāhui')
      ledger.observe('plots', page(shown))
      expect(ledger.find(key)).toMatchObject({ state: 'confirmed', pipeline: 'onboard', inDoubt: false })
    })

    test('belongs to no pipeline if the feed shows what somebody else wrote', () => {
      posted('Rāhui')
      ledger.observe('plots', page(body('Rāhui north', tuesday)))
      ledger.observe('plots', page(body('Rāhui', monday)))
      expect(ledger.find(key)).toMatchObject({ state: 'confirmed', pipeline: null })
    })

    test('is forgotten when the service refuses it', () => {
      ledger.release([key], posted('Rāhui'))
      ledger.observe('plots', page(body('Rāhui', monday)))
      expect(ledger.find(key)?.pipeline).toBeNull()
    })

    test.each([
      ['once it is answered', (post: Post | undefined) => post],
      ['once another post of it is answered', () => undefined],
    ])('is forgotten %s: a record that comes back later belongs to its last pipeline', (_, answered) => {
      const post = posted('Rāhui')
      ledger.accept('onboard', [acceptance('Rāhui', monday)], answered(post))
      ledger.claim('nightly', [key])
      ledger.observe('plots', page(body('Rāhui', tuesday, { isDeleted: true })))
      ledger.observe('plots', page(body('Rāhui', '2026-11-18T00:00:00Z')))
      expect(ledger.find(key)).toMatchObject({ state: 'confirmed', pipeline: 'nightly' })
    })

    test('leaves the others of its request open', () => {
      const each = ['1', '2', '3'].map((id) => ({ ...acceptance(id, monday), key: `plots/${id}`, sourceId: id }))
      const post = ledger.markSent('onboard', each)
      ledger.accept('onboard', each.slice(0, 1), post)
      ledger.release(['plots/2'], post)
      ledger.observe(
        'plots',
        page(
          ...each.map(({ key: dataPointKey, body: text }) => ({
            ...(JSON.parse(String(text)) as object),
            dataPointKey,
          })),
        ),
      )
      expect(each.map(({ key: own }) => ledger.find(own)?.pipeline)).toEqual(['onboard', null, 'onboard'])
    })

    test('may be a record that was deleted before, of another pipeline', () => {
      ledger.accept('old', [acceptance('Rāhui', monday, true)])
      ledger.observe('plots', page(body('Rāhui', monday, { isDeleted: true })))
      ledger.markSent('onboard', [acceptance('Rāhui', tuesday)])
      ledger.observe('plots', page(body('Rāhui', tuesday)))
      expect(heldBy('onboard')).toEqual([key])
    })
  })

  test('a record that was being deleted is deleted if a rebuilt service does not show it', () => {
    ledger.accept('onboard', [acceptance('Rāhui', monday)])
    ledger.accept('onboard', [acceptance('Rāhui', tuesday, true)])
    ledger.observe('plots', { items: [], token: undefined, startsOver: true })
    expect(ledger.find(key)?.state).toBe('deleted')
    ledger.observe('plots', page(body('Rāhui', monday)))
    expect(ledger.find(key)).toMatchObject({ state: 'confirmed', pipeline: 'onboard' })
  })

  test('a record of somebody else is found by its source id', () => {
    ledger.observe('plots', page({ ...body('Rāhui', monday), dataPointKey: 'their-own-key' }))
    expect(ledger.findBySource('plots', sourceId.scheme, sourceId.id)?.key).toBe('their-own-key')
    expect(ledger.findBySource('land-covers', sourceId.scheme, sourceId.id)).toBeUndefined()
  })

  test('two accounts in one ledger do not see each other', () => {
    ledger.accept('onboard', [acceptance('Rāhui', monday)])
    const other = openLedger(place(), `${account} too`)
    expect(other.find(key)).toBeUndefined()
    other[Symbol.dispose]()
  })

  describe('reading many records at once', () => {
    test('gives the same states as one by one, and nothing that another process writes meanwhile', () => {
      ledger.accept('onboard', [acceptance('Rāhui', monday)])
      const other = openLedger(otherPlace(), account)
      try {
        ledger.whileReading(() => {
          const { hash, modified, state, inDoubt } = ledger.find(key)!
          expect(ledger.stateOf(key)).toEqual({ hash, modified, state, inDoubt })
          other.markSent('onboard', [acceptance('Rāhui', monday)])
          expect(ledger.stateOf(key)?.inDoubt).toBe(false)
          expect(ledger.stateOf(`${key}8`)).toBeUndefined()
        })
        expect(ledger.stateOf(key)?.inDoubt).toBe(true)
      } finally {
        other[Symbol.dispose]()
      }
    })
  })

  test('the rows of confirmed records are found again by their digests, with their land and what was found about them', () => {
    const sent = acceptance('Rāhui', monday)
    ledger.accept('onboard', [sent])
    ledger.observe('plots', page(body('Rāhui', monday)))
    const digest = { high: 2 ** 40, low: 7 }
    const land = '[12,175,-38,176,-37]'
    ledger.sourceRows.remember('onboard', [{ ...digest, key, hash: sent.hash, land, findings: '[]' }])
    const known = ledger.sourceRows.of('onboard')
    expect(known.ids).toHaveLength(1)
    expect(known.placeOf(digest)).toBe(0)
    expect(known.placeOf({ ...digest, low: 8 })).toBeUndefined()
    expect([known.landAt(0), known.findingsAt(0)]).toEqual([[12, 175, -38, 176, -37], '[]'])
    expect(ledger.sourceRows.keysOf('onboard')).toEqual(new Set([key]))
    ledger.observe('plots', page(body('Creek', tuesday)))
    expect(ledger.sourceRows.keysOf('onboard')).toEqual(new Set())
  })

  describe('records near a box', () => {
    const at = (id: string, place: object, pipeline = 'south'): void => {
      const text = JSON.stringify({ ...body(id, monday), ...place })
      ledger.accept(pipeline, [{ ...acceptance(id, monday), key: `plots/${id}`, sourceId: id, body: text }])
    }
    const centroid = (lon: number, lat: number) => ({ centroid: { type: 'Point', coordinates: [lon, lat] } })
    const near = (box: readonly [number, number, number, number], own?: { pipeline: string; absent: number[] }) =>
      [...ledger.standingNear('plots', { box, degrees: 0.05 }, own)].map((each) => each.key).toSorted()

    test('are found by their squares, and those without a centroid always', () => {
      at('inside', centroid(175.31, -37.79))
      at('beside', centroid(175.34, -37.79))
      at('far', centroid(176.31, -37.79))
      at('anywhere', { spatialFeature: { geometry: { type: 'Polygon', coordinates: [] } } })
      at('nowhere', {})
      expect(near([175.3, -37.8, 175.32, -37.78])).toEqual(['plots/anywhere', 'plots/beside', 'plots/inside'])
    })

    test('are found where another program put them, and stay there until their deletion is shown', () => {
      const moved = (id: string, place: object) => ({ ...body(id, tuesday), dataPointKey: `plots/${id}`, ...place })
      const box = [175.3, -37.8, 175.32, -37.78] as const
      at('came', centroid(176.31, -37.79))
      at('went', centroid(175.31, -37.79))
      at('odd', centroid(175.31, -37.79))
      ledger.observe('plots', page(moved('came', centroid(175.31, -37.79)), moved('went', centroid(176.31, -37.79))))
      ledger.observe('plots', page(moved('odd', { centroid: { coordinates: 5 }, spatialFeature: 'none' })))
      expect(near(box)).toEqual(['plots/came'])
      ledger.accept('south', [{ ...acceptance('came', tuesday, true), key: 'plots/came', sourceId: 'came' }])
      ledger.observe('plots', page())
      expect(near(box)).toEqual([])
      at('came', centroid(175.31, -37.79))
      expect(near(box)).toEqual(['plots/came'])
    })

    test('are found by the end of a body as windrow writes it, and by any other form of it', () => {
      const bytesOf = (end: string) => Buffer.from(JSON.stringify(body('Kōwhai', monday)).replace(/\}$/, end))
      const forms = {
        bytes: `,"centroid":{"type":"Point","coordinates":[175.31,-37.79]}}`,
        other: `,"centroid":{"coordinates":[175.31,-37.79],"type":"Point"}}`,
        inner: `,"note":{"centroid":{"type":"Point","coordinates":[175.31,-37.79]}}}`,
      }
      for (const [id, end] of Object.entries(forms))
        ledger.accept('south', [{ ...acceptance(id, monday), key: `plots/${id}`, sourceId: id, body: bytesOf(end) }])
      expect(near([175.3, -37.8, 175.32, -37.78])).toEqual(['plots/bytes', 'plots/other'])
    })

    test('are found on both sides of 180 degrees', () => {
      at('east', centroid(-179.98, -16.5))
      at('west', centroid(179.98, -16.5))
      at('far', centroid(0, -16.5))
      expect(near([179.99, -16.6, -179.99, -16.4])).toEqual(['plots/east', 'plots/west'])
      expect(near([-180, -16.6, -179.99, -16.4])).toEqual(['plots/east', 'plots/west'])
    })

    test("leave out the pipeline's own, if they are not absent", () => {
      at('own', centroid(175.31, -37.79), 'own')
      at('absent', centroid(175.31, -37.79), 'own')
      at('other', centroid(175.31, -37.79))
      const box = [175.3, -37.8, 175.32, -37.78] as const
      const absent = [ledger.find('plots/absent')!.id]
      expect(near(box, { pipeline: 'own', absent: [] })).toEqual(['plots/other'])
      expect(near(box, { pipeline: 'own', absent })).toEqual(['plots/absent', 'plots/other'])
      // Of a whole country, without the squares.
      expect(near([166, -47, 179, -34], { pipeline: 'own', absent })).toEqual(['plots/absent', 'plots/other'])
    })
  })

  describe('deleted records', () => {
    const record = (number: number): Acceptance => ({
      ...acceptance('Rāhui', monday),
      key: `plots/${number}`,
      sourceId: String(number),
    })
    const tombstone = (number: number) => ({
      ...body('Rāhui', new Date(Date.UTC(2026, 0, 1, 0, number)).toISOString(), { isDeleted: true }),
      dataPointKey: `plots/${number}`,
    })
    const known = (count: number) =>
      Array.from({ length: count }, (_, number) => number).filter(
        (number) => ledger.find(`plots/${number}`) !== undefined,
      )

    test('are forgotten, the oldest first, beyond the number of living ones', () => {
      ledger.accept(
        'nightly',
        Array.from({ length: 400 }, (_, number) => record(number)),
      )
      const gone = Array.from({ length: 250 }, (_, number) => number)
      ledger.observe('plots', page(...gone.map(tombstone)))
      ledger.forgetDeleted()
      expect(known(400)).toEqual(Array.from({ length: 300 }, (_, index) => index + 100))
    })

    test('are all kept on a small farm', () => {
      ledger.observe('plots', page(...Array.from({ length: 100 }, (_, number) => tombstone(number))))
      ledger.forgetDeleted()
      expect(known(100)).toHaveLength(100)
    })
  })
}

test('a file that is not a ledger is refused with a hint', () => {
  expect(() => openLedger(folder, 'x')).toThrow(expect.objectContaining({ code: 'state-unreadable' }) as Error)
})

describe('content', () => {
  const ring = [
    [175, -38],
    [175.1, -38],
    [175.1, -37.9],
    [175, -38],
  ]
  const feature = { type: 'Feature', geometry: { type: 'Polygon', coordinates: [ring] }, properties: {} }
  const full = { ...body('Rāhui', monday), spatialFeature: feature }

  test.each([
    ['the moment of change', { ...full, meta: { ...full.meta, modified: tuesday, created: monday } }],
    ['what the service gives', { id: 'x', self: 'y', ...full }],
    ['the order of members', Object.fromEntries(Object.entries(full).reverse())],
    [
      'members that say nothing',
      { ...full, crops: [], remark: '', extra: { a: null, b: {} }, meta: { ...full.meta, validTo: null } },
    ],
  ])('does not depend on %s', (_, other) => {
    expect(contentHashOfBody(other)).toBe(contentHashOfBody(full))
  })

  test.each([
    ['a name', { ...full, name: 'Rahui' }],
    [
      'a corner',
      {
        ...full,
        spatialFeature: {
          ...feature,
          geometry: { type: 'Polygon', coordinates: [[...ring.slice(0, 3), [175.0000001, -38]]] },
        },
      },
    ],
    ['the validity', { ...full, meta: { ...full.meta, validTo: tuesday } }],
    ['the boundary itself', { ...full, spatialFeature: null }],
    ['a zero and a no', { ...full, activities: [{ isPrimary: false, share: 0 }] }],
  ])('depends on %s', (_, other) => {
    expect(contentHashOfBody(other)).not.toBe(contentHashOfBody(full))
  })

  test('is the same whether the boundary is given as text or as an object', () => {
    const { spatialFeature: _, ...rest } = full
    const text = '{"type":"Polygon","coordinates":[[[175,-38],[175.1,-38],[175.1,-37.9],[175,-38]]]}'
    expect(contentHash(rest, text)).toBe(contentHashOfBody(full))
  })
})

describe('the content of a record', () => {
  const many = Array.from({ length: 200 }, (_, index) => [`field ${index}`, index] as const)
  test.each([
    ['few members', { b: 1, a: { d: [1, { f: 1, e: 2 }], c: 'ā' } }, { a: { c: 'ā', d: [1, { e: 2, f: 1 }] }, b: 1 }],
    ['many members', Object.fromEntries(many), Object.fromEntries(many.toReversed())],
  ])('does not depend on the order of its %s', (_, one, other) => {
    expect(contentHash(one, undefined)).toBe(contentHash(other, undefined))
  })

  test('differs for each change of a member, of a list’s order and of a long boundary', () => {
    const boundary = `[${'1,'.repeat(200_000)}1]`
    const hashes = [
      contentHash({ a: [1, 2] }, boundary),
      contentHash({ a: [2, 1] }, boundary),
      contentHash({ a: [1, 2], b: 'ā' }, boundary),
      contentHash({ a: [1, 2] }, boundary.replace(/1\]$/, '2]')),
      contentHash({ a: [1, 2] }, undefined),
    ]
    expect(new Set(hashes).size).toBe(hashes.length)
  })
})
