/** Exports generated records in every format and imports the files again: nothing may be created, updated or rejected. */

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { noValueIn } from '../../src/core/values/no-value.ts'
import { runs } from '../runs.ts'
import {
  boundary,
  counts,
  endings,
  held,
  key,
  kowhai,
  rimu,
  source,
  square,
  worldWith,
  type Body,
  type Id,
} from './hard-records.ts'
import type { World } from './world.ts'

/** Words that programs take for something else: formulas, numbers, dates, blanks, markup. */
const oddWords = [
  ['=1+1', '=HYPERLINK("x")', '+64 21', '-5', '@home', "'quoted", '="007"', '-', '%'],
  ['007', '0', '1e5', '9.82E+14', '1,5', '1.234,5', '00123456789012345678', '½', '12 %', '1/2'],
  ['2026-01-02', '1/2/2026', '03:04', 'TRUE', 'no', 'n/a', 'None', 'Infinity'],
  ['Rāhui', 'Ōtāne ā ē ī ō ū', 'a\u0304 decomposed', '\u4e2d\u6587', '\u05d0\u05d1', '\u{1F33E} hay', 'Ä ß ç', 'it’s'],
  ['"all quoted"', 'a "b" c', 'a;b,c\td', 'line\nbreak', '<b>&amp;</b>', ']]>', '{"a": 1}', '[1]', 'a\\b', '_x000A_'],
  ['History', 'Totals', 'constructor', '__proto__', 'a  b', 'x'.repeat(254), `${'ā'.repeat(126)}!`],
].flat()
const words = fc.oneof(
  fc.constantFrom(...oddWords),
  fc.string({ minLength: 1, maxLength: 20 }),
  fc.string({ unit: 'grapheme', minLength: 1, maxLength: 12 }),
)
// Lost letters, errors of a sheet, and an id of which a sheet left 9.82E+14 are rejected, however they came; words for no value are
// blanks. A shapefile's text has 254 bytes.
const text = words
  .map((word) => word.replaceAll(/[\p{Cc}\p{Cs}]/gu, (each) => (each === '\n' || each === '\t' ? each : '')).trim())
  .filter((word) => word !== '' && Buffer.byteLength(word) <= 254 && noValueIn(word) === undefined)
  .filter((word) => !/\uFFFD|^\d+(?:\.\d+)?E\+\d+$/i.test(word))

/** Moments in the hours that clocks of the test's zones skip or repeat, and any others. */
const moment = fc.oneof(
  fc.constantFrom(
    '2026-04-05T02:30:00+13:00',
    '2026-04-05T02:30:00+12:00',
    '2026-09-27T01:59:59+12:00',
    '2026-09-27T03:00:00+13:00',
    '2026-10-25T01:30:00+01:00',
    '2026-10-25T01:30:00Z',
    '2026-03-08T03:00:00-05:00',
    '2026-11-01T01:30:00-05:00',
    '2026-11-01T01:30:00-06:00',
    '2026-01-01T00:00:00+13:00',
    '2024-02-29T23:59:59.999Z',
    '1999-12-31T00:00:00Z',
  ),
  fc
    .date({ min: new Date('1971-01-01'), max: new Date('2099-12-31'), noInvalidDate: true })
    .map((date) => date.toISOString()),
)
const amount = fc.oneof(
  fc.constantFrom(0.0001, 0.1 + 0.2, 1 / 3, 12.5, 38123.456789, 1e6),
  fc.double({ min: 1e-4, max: 1e6, noNaN: true, noDefaultInfinity: true }),
)
const measure = (...units: readonly string[]) =>
  fc.record({ measurement: amount, units: fc.constantFrom(...units) }, { requiredKeys: ['measurement', 'units'] })

/** A boundary in a cell of its own: a square, one with a hole, two squares, or none. */
const shapeAt = (index: number) => {
  const [west, south] = [175 + (index % 10) * 0.01, -38 + Math.floor(index / 10) * 0.01]
  const shell = square(west, south, 0.004)
  const hole = square(west + 0.001, south + 0.001, 0.001).toReversed()
  return fc.constantFrom(
    undefined,
    { type: 'Polygon', coordinates: [shell] },
    { type: 'Polygon', coordinates: [shell, hole] },
    { type: 'MultiPolygon', coordinates: [[shell], [square(west + 0.005, south, 0.001)]] },
    { type: 'MultiPolygon', coordinates: [[shell, hole], [square(west + 0.0015, south + 0.0015, 0.0002)]] },
  )
}
const crop = fc.record(
  { name: text, variety: text, establishmentDate: moment, harvestDate: moment },
  { requiredKeys: ['name'] },
)
const otherIds = fc
  .uniqueArray(
    fc.record({ scheme: fc.constantFrom('org.example.gps', 'org.example.council', 'nz.example.vat'), id: text }),
    { selector: ({ scheme }) => scheme, maxLength: 3 },
  )
  .map((all): readonly Id[] => all)

/** Fields of each type. Every one may be absent; a name may be blank. */
const fields: Readonly<Record<string, fc.Arbitrary<Body>>> = {
  plots: fc.record(
    {
      totalArea: measure('HAR', 'ACR', 'MTK'),
      totalLength: measure('MTR', 'FOT', 'KMT'),
      crops: fc.array(crop, { maxLength: 3 }),
      classifications: fc.array(fc.record({ scheme: fc.constant('org.example.use'), primary: text }), { maxLength: 2 }),
      additionalProperties: fc.record({ soil: text, depth: amount, drained: fc.boolean() }, { requiredKeys: [] }),
    },
    { requiredKeys: [] },
  ),
  holdings: fc.record({ totalArea: measure('HAR', 'ACR') }, { requiredKeys: [] }),
  'land-covers': fc.record(
    {
      landCoverClass: fc.record({ scheme: fc.constant('org.example.cover'), primary: text }),
      speciesPresent: fc.array(fc.record({ name: text, abundance: text }, { requiredKeys: ['name'] }), {
        maxLength: 3,
      }),
    },
    { requiredKeys: [] },
  ),
}

/** The records of a type; of holdings there are the two that the account may publish. */
const recordsOf = (type: string): fc.Arbitrary<readonly Body[]> =>
  fc.integer(type === 'holdings' ? { min: 2, max: 2 } : { min: 4, max: 16 }).chain((count) =>
    fc
      .tuple(
        ...Array.from({ length: count }, (_, index) =>
          fc.record({
            name: text,
            more: fields[type]!,
            others: otherIds,
            shape: shapeAt(index + (type === 'plots' ? 0 : 50)),
            isFirst: fc.boolean(),
            id: fc.constantFrom(`00${index}`, `${index}`, `A/${index} ā`, `=${index}`, `x;${index}`),
          }),
        ),
      )
      .map((all) =>
        all.map(({ name, more, others, shape, isFirst, id }, index) => {
          const holding = index % 3 === 0 ? kowhai : rimu
          const own = type === 'holdings' ? holding.id : id
          return {
            name,
            dataPointKey: key(holding, type, own),
            identifiers: isFirst ? [holding, ...others] : [...others, holding],
            ...more,
            meta: source(holding, type, own),
            ...(shape === undefined ? {} : { spatialFeature: boundary(shape) }),
          }
        }),
      ),
  )

/** The layers of a file: a shapefile has one for each kind of geometry. */
async function layersOf(world: World, file: string): Promise<readonly string[]> {
  const { layers } = JSON.parse((await world.run(['inspect', file, '--json'])).out) as { layers: { name: string }[] }
  return layers.map(({ name }) => name)
}

describe('generated records come back unchanged:', () => {
  test.each(Object.keys(fields))(
    '%s in every format',
    async (type) => {
      await fc.assert(
        fc.asyncProperty(
          recordsOf(type),
          fc.constantFrom('Pacific/Auckland', 'America/Chicago', 'Europe/London', 'UTC'),
          async (records, zone) => {
            const world = await worldWith({ [type]: records })
            try {
              const before = await held(world, type)
              expect(before.size).toBe(records.length)
              for (const ending of endings) {
                const { failure } = await world.run(['export', type, '-o', `all.${ending}`, '--zone', zone])
                expect(failure?.message).toBeUndefined()
                let unchanged = 0
                for (const layer of await layersOf(world, `all.${ending}`)) {
                  const report = await counts(world, ['import', `all.${ending}`, '--layer', layer])
                  expect(await held(world, type), ending).toEqual(before)
                  expect(report, ending).toMatchObject({
                    rows: { ready: 0, rejected: 0 },
                    records: { created: 0, updated: 0 },
                  })
                  unchanged += report.rows['unchanged']!
                }
                expect(unchanged, ending).toBe(records.length)
              }
            } finally {
              world.close()
            }
          },
        ),
        { numRuns: runs(10), endOnFailure: true },
      )
    },
    120_000,
  )
})

test.each([
  ['America/Chicago', '2026-11-01T01:30:00-06:00'],
  ['America/Chicago', '2026-11-01T07:30:00Z'],
  ['Pacific/Auckland', '2026-04-05T02:30:00+12:00'],
  // At midnight, where clocks are put back at one.
  ['America/Havana', '2026-11-01T00:00:00-05:00'],
])(
  'a moment of an hour that the clocks in %s showed twice stays the one it was: %s',
  async (zone, establishmentDate) => {
    const plot = {
      name: 'Night',
      dataPointKey: key(rimu, 'plots', '1'),
      identifiers: [rimu],
      crops: [{ name: 'Kale', establishmentDate }],
      meta: source(rimu, 'plots', '1'),
    }
    const world = await worldWith({ plots: [plot] })
    try {
      const before = await held(world, 'plots')
      for (const words of [['night.xlsx'], ['night.csv', '--set', 'to.csv=excel'], ['night.csv', '--force']]) {
        const exported = await world.run(['export', 'plots', '--zone', zone, '-o', ...words])
        expect(exported.failure).toBeUndefined()
        expect(await counts(world, ['import', words[0]!])).toMatchObject({ rows: { ready: 0, rejected: 0 } })
        expect(await held(world, 'plots')).toEqual(before)
      }
    } finally {
      world.close()
    }
  },
)
