import { describe, expect, test } from 'vitest'
import { settingOf, type CrsClue, type Row, type Table } from '../../src/core/row.ts'
import type { Shape } from '../../src/core/shape.ts'
import type { Near } from '../../src/geometry/crs/area.ts'
import { isProjectionFault, projectorFor } from '../../src/geometry/projection/project.ts'
import { settleCrs, withFirstShapes, type Settled } from '../../src/pipeline/prepare/coordinate-system.ts'
import { decidePlace } from '../../src/rules/place.ts'

type Point = readonly [number, number]

function square([x, y]: Point, side: number): Shape {
  const corners = [x, y, x + side, y, x + side, y + side, x, y + side, x, y]
  return { kind: 'Polygon', coordinates: Float64Array.from(corners), ends: [5], parts: [1] }
}

function exchanged(shape: Shape): Shape {
  const coordinates = shape.coordinates.map((_, index, all) => all[index % 2 === 0 ? index + 1 : index - 1]!)
  return { ...shape, coordinates }
}

function clueOf(said: string | undefined): CrsClue | undefined {
  return said === undefined ? undefined : { from: 'crs member', text: said }
}

type Around = { readonly given?: string; readonly near?: Near; readonly axes?: 'written' | 'exchanged' }

/** Settles the system of a file that begins with these shapes, and says `said`, as a run does. */
function settle(shapes: readonly Shape[], said?: string, { given, near, axes }: Around = {}): Settled {
  const table = { name: 'paddocks', crs: clueOf(said) } as Table
  return settleCrs(table, { crs: given, axes, shapes: shapes.slice(0, 3), near })
}

/** Whether the axes of such a file are exchanged, by all its rows. */
function axesOf(shapes: readonly Shape[], said: string, near?: Near): unknown {
  const points = shapes.flatMap(({ coordinates: [x, y] }) => [x!, y!])
  const lying = { said: undefined, clue: clueOf(said), box: undefined, firstShapes: shapes.slice(0, 3), points, near }
  return settingOf(
    decidePlace(lying, () => false),
    'from.axes',
  )
}

const paddocks = (start: Point, side: number): readonly Shape[] =>
  Array.from({ length: 6 }, (_, index) => square([start[0] + index * side * 2, start[1]], side))

const inWaikato: Near = { lon: 175.28, lat: -37.79, name: 'the records of holding 7' }

describe('axes', () => {
  test.each([
    ['NZTM2000', 'EPSG:2193', [1800000, 5815000], 300],
    ['RD New', 'EPSG:28992', [150000, 450000], 300],
    ['Lo29 of South Africa', 'EPSG:2053', [50000, 2850000], 300],
    ['degrees that are none as written', 'EPSG:4326', [175.3, -37.8], 0.003],
  ] as const)('of %s are exchanged when every row has them so', (_, code, start, side) => {
    const shapes = paddocks(start, side)
    expect([axesOf(shapes, code), axesOf(shapes.map(exchanged), code)]).toEqual([undefined, 'exchanged'])
    const right = settle(shapes, code)
    const turned = settle(shapes.map(exchanged), code, { axes: 'exchanged' })
    expect([right.notes, turned.notes]).toEqual([[], []])
    const place = (settled: typeof right, shape: Shape): readonly number[] => {
      const projected = projectorFor(settled.crs)(shape)
      if (isProjectionFault(projected)) throw new Error(projected.message)
      return [...projected.coordinates]
    }
    expect(place(turned, exchanged(shapes[0]!))).toEqual(place(right, shapes[0]!))
  })

  test('stay as written if one row of many fits as written; each exchanged row is rejected on its own', () => {
    const shapes = paddocks([1800000, 5815000], 300)
    const mixed = [...shapes.slice(0, 5).map(exchanged), shapes[5]!]
    expect(axesOf(mixed, 'EPSG:2193')).toBeUndefined()
    const { crs, notes } = settle(mixed, 'EPSG:2193')
    expect(notes).toMatchObject([{ code: 'crs-out-of-area' }])
    const results = mixed.map(projectorFor(crs))
    expect(results.map(isProjectionFault)).toEqual([true, true, true, true, true, false])
    expect(results[0]).toMatchObject({
      code: 'coordinate-out-of-range',
      hint: expect.stringContaining('exchanged') as string,
    })
  })

  test('in degrees that are possible both ways are decided by the other rows', () => {
    const shapes = paddocks([11, 48], 0.01).map((shape, index) => (index === 2 ? exchanged(shape) : shape))
    const near = { lon: 11.05, lat: 48, name: 'the records of holding 7' }
    expect(axesOf(shapes, 'EPSG:4326', near)).toBeUndefined()
    const { crs } = settle(shapes, 'EPSG:4326', { near })
    const faults = shapes.map(projectorFor(crs)).map(isProjectionFault)
    expect(faults).toEqual([false, false, true, false, false, false])
  })

  test('in degrees that are possible both ways are exchanged if the farm is known to lie there', () => {
    const shapes = paddocks([11, 48], 0.01).map(exchanged)
    const near = { lon: 11.05, lat: 48, name: 'the records of holding 7' }
    expect(axesOf(shapes, 'EPSG:4326', near)).toBe('exchanged')
    expect(axesOf(shapes, 'EPSG:4326')).toBeUndefined()
  })

  test('are not exchanged for a farm just outside a grid that is similar both ways; its rows are rejected', () => {
    const bulgarian = paddocks([500000, 190000], 300)
    expect(axesOf(bulgarian, 'EPSG:3844')).toBeUndefined()
    const { crs, notes } = settle(bulgarian, 'EPSG:3844')
    expect(notes).toMatchObject([{ code: 'crs-out-of-area' }])
    expect(bulgarian.map(projectorFor(crs)).every(isProjectionFault)).toBe(true)
  })

  test('are written the other way round from one night to the next: each row is rejected, in degrees if the farm is known', () => {
    const shapes = paddocks([1800000, 5815000], 300)
    const isRejected = (each: readonly Shape[], { crs }: Settled) =>
      each.map(projectorFor(crs)).every(isProjectionFault)
    expect(isRejected(shapes, settle(shapes, 'EPSG:2193', { axes: 'exchanged' }))).toBe(true)
    expect(isRejected(shapes.map(exchanged), settle(shapes.map(exchanged), 'EPSG:2193'))).toBe(true)
    const bavaria = paddocks([11, 48], 0.01)
    const near = { lon: 11.05, lat: 48, name: 'the records of holding 7' }
    expect(isRejected(bavaria, settle(bavaria, 'EPSG:4326', { near, axes: 'exchanged' }))).toBe(true)
    expect(isRejected(bavaria.map(exchanged), settle(bavaria.map(exchanged), 'EPSG:4326', { near }))).toBe(true)
  })

  test('a paddock a little beyond the border stays as it is drawn', () => {
    const { crs } = settle(paddocks([275000, 480000], 300), 'EPSG:28992')
    expect(isProjectionFault(projectorFor(crs)(square([300000, 450000], 300)))).toBe(false)
  })
})

describe('a coordinate system that puts the file where it is not used', () => {
  const shapes = paddocks([1800000, 5815000], 300)

  test('is doubted, with the system that would fit', () => {
    const { notes } = settle(shapes, 'EPSG:27200')
    expect(notes).toMatchObject([
      {
        code: 'crs-out-of-area',
        severity: 'warning',
        message: expect.stringMatching(
          /New Zealand Map Grid \(EPSG:27200, by the crs member\).* NZTM2000 would put them near 175\.28, -37\.79/,
        ) as string,
      },
    ])
  })

  test.each([
    ['EPSG:32660', [307000, 5815000], 'the Pacific, near 174.16, 52.45', '60S would put them near 174.82, -37.79'],
    [
      'EPSG:32655',
      [450000, 5910000],
      'the Sea of Okhotsk, near 146.25, 53.34',
      '55S would put them near 146.45, -36.95',
    ],
  ] as const)('is doubted where a farm of the south would lie in a zone of the north: %s', (...names) => {
    const [code, start, sea, right] = names
    const { notes } = settle(paddocks(start, 300), code)
    const message = `all boundaries lie in ${sea}, where no farm can be. WGS 84 / UTM zone ${right}`
    expect(notes).toMatchObject([{ code: 'crs-out-of-area', message: expect.stringContaining(message) as string }])
  })

  test('gives way to the one that a person names, if that one fits', () => {
    const { crs, notes } = settle(shapes, 'EPSG:27200', { given: 'EPSG:2193' })
    expect(crs).toMatchObject({ code: 'EPSG:2193', evidence: 'from.crs' })
    expect(notes).toMatchObject([{ code: 'crs-assumed', message: expect.stringContaining('New Zealand Map Grid') }])
    const inDegrees = paddocks([175.3, -37.8], 0.003)
    const { crs: degrees } = settle(inDegrees, 'EPSG:2193', { given: 'EPSG:4326' })
    expect(degrees.code).toBe('EPSG:4326')
    expect(() => settle(shapes, 'EPSG:27200', { given: 'EPSG:32760' })).toThrow(/^from\.crs is WGS 84/)
  })

  test('is doubted in a UTM zone too, outside the countries that use it', () => {
    const { notes } = settle(shapes, 'EPSG:32760')
    expect(notes).toMatchObject([{ code: 'crs-out-of-area', message: expect.stringContaining('-168.') as string }])
    const finnmark = paddocks([1_100_000, 7_800_000], 300)
    expect(settle(finnmark, 'EPSG:25833').notes).toEqual([])
  })

  test('is doubted if it is used worldwide, but another would put the file beside the farm', () => {
    const { notes } = settle(shapes, 'EPSG:3857', { near: inWaikato })
    expect(notes.map(({ code, message }) => [code, message])).toEqual([
      [
        'crs-out-of-area',
        expect.stringMatching(
          /^In Web Mercator \(EPSG:3857, by the crs member\) the boundaries lie near 16\.17, 46\.22, 18,\d{3} km from the records of holding 7\. NZTM2000 would put them near 175\.28, -37\.79, \d+ m from/,
        ),
      ],
    ])
    expect(settle(shapes, 'EPSG:3857').notes).toEqual([])
  })

  test('is not doubted for longitudes from 0 to 360', () => {
    expect(settle(paddocks([183.45, -43.95], 0.003), 'EPSG:4326').notes).toEqual([])
  })

  test('is doubted if it puts the file into an ocean', () => {
    const { notes } = settle(paddocks([400000, 250000], 300), 'EPSG:3857')
    expect(notes).toMatchObject([
      {
        code: 'crs-out-of-area',
        message: expect.stringMatching(
          /^In Web Mercator .* all boundaries lie in the Atlantic, near 3\.59, 2\.25, where no farm can be\..* British National Grid would put them near -1\.99, 52\.15/,
        ) as string,
      },
    ])
  })

  test.each([
    ['the Netherlands', [5.3, 52.1], 'the Indian Ocean'],
    ['England', [-1.5, 52], 'the Indian Ocean'],
    ['France', [1.2, 47.5], 'the Indian Ocean'],
    ['South Africa', [25, -29], 'the Atlantic'],
    ['Uruguay', [-56, -33], undefined],
    ['Chile', [-71, -35], 'Antarctica'],
    ['Germany', [11, 48], undefined],
    ['Nigeria', [8, 10], undefined],
  ] as const)('degrees of %s with their axes exchanged are doubted where they lie in an ocean', (_, start, sea) => {
    const right = paddocks(start, 0.003)
    expect(settle(right, 'EPSG:4326').notes).toEqual([])
    const { notes } = settle(right.map(exchanged), 'EPSG:4326')
    const place = `${start[0].toFixed(2)}, ${start[1].toFixed(2)}`
    if (sea === undefined) expect(notes).toEqual([])
    else
      expect(notes).toMatchObject([
        {
          code: 'crs-out-of-area',
          message: expect.stringContaining(
            `lie in ${sea}, near ${start[1].toFixed(2)}, ${start[0].toFixed(2)}, where no farm can be. The other way round they would lie near ${place}.`,
          ) as string,
        },
      ])
  })

  test('is not doubted if one of the first boundaries lies in its area', () => {
    const mixed = [...shapes, square([2710000, 6380000], 300)].reverse()
    expect(settle(mixed, 'EPSG:27200').notes).toEqual([])
  })

  test('across 180 degrees is not doubted', () => {
    const chatham = paddocks([3500000, 5100000], 300)
    const fiji = paddocks([800000, 8100000], 300)
    expect(settle(fiji, 'EPSG:32760').notes).toEqual([])
    expect(settle(chatham, 'EPSG:3793').notes).toEqual([])
  })
})

describe('no coordinate system at all', () => {
  const metres = paddocks([1800000, 5815000], 300)

  test('where no boundary can be read, the message says so', () => {
    expect(() => settle([], undefined, { near: inWaikato })).toThrow(/^No boundary of the file can be read/)
  })

  test('is refused with the candidates, the nearest to the farm first', () => {
    expect(failureOf(() => settle(metres, undefined, { near: inWaikato }))).toMatchObject({
      code: 'crs-unknown',
      hint: expect.stringMatching(
        /NZTM2000 would put them near 175\.28, -37\.79, [\d.]+ k?m from the records of holding 7/,
      ) as string,
      data: { candidates: expect.arrayContaining(['EPSG:2193']) as string[] },
    })
  })
})

function failureOf(act: () => unknown): unknown {
  try {
    return act()
  } catch (cause) {
    return cause
  }
}

test('the batches that are read for the first shapes are not read again', async () => {
  const shapes = paddocks([1800000, 5815000], 300)
  const rows = [null, ...shapes].map((shape, row): Row => ({ at: { source: 'paddocks', row }, values: {}, shape }))
  let [reads, ends] = [0, 0]
  const given = {
    name: 'paddocks',
    hasGeometry: true,
    async *batches() {
      reads += 1
      try {
        for (const row of rows) yield await Promise.resolve([row])
      } finally {
        ends += 1
      }
    },
  } as unknown as Table
  const begun = await withFirstShapes(given)
  expect([begun.shapes, reads]).toEqual([[shapes[0]], 1])
  const rowsOf = async (table: Table) => {
    const all: Row[] = []
    for await (const batch of table.batches()) all.push(...batch)
    return all
  }
  expect([await rowsOf(begun.table), reads]).toEqual([rows, 1])
  expect([await rowsOf(begun.table), reads]).toEqual([rows, 2])
  const unread = await withFirstShapes(given)
  await unread.close()
  expect(ends).toBe(3)
})
