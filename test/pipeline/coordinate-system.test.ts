import { describe, expect, test } from 'vitest'
import type { Row, Table } from '../../src/core/row.ts'
import type { Shape } from '../../src/core/shape.ts'
import type { Near } from '../../src/geometry/crs/area.ts'
import { isProjectionFault, projectorFor } from '../../src/geometry/projection/project.ts'
import { settleCrs } from '../../src/pipeline/prepare/coordinate-system.ts'

type Point = readonly [number, number]

function square([x, y]: Point, side: number): Shape {
  const corners = [x, y, x + side, y, x + side, y + side, x, y + side, x, y]
  return { kind: 'Polygon', coordinates: Float64Array.from(corners), ends: [5], parts: [1] }
}

function exchanged(shape: Shape): Shape {
  const coordinates = shape.coordinates.map((_, index, all) => all[index % 2 === 0 ? index + 1 : index - 1]!)
  return { ...shape, coordinates }
}

function tableOf(shapes: readonly Shape[], said?: string): Table {
  const rows = shapes.map((shape, row): Row => ({ at: { source: 'paddocks', row }, values: {}, shape }))
  return {
    name: 'paddocks',
    columns: [],
    hasGeometry: true,
    choices: [],
    ...(said === undefined ? {} : { crs: { from: 'crs member', text: said } as const }),
    async *batches() {
      await Promise.resolve()
      // The first batch alone must not decide for the others.
      yield rows.slice(0, 3)
      yield rows.slice(3)
    },
    found: () => [],
  } as unknown as Table
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
  ] as const)('of %s are turned when every row has them exchanged, and that is told', async (_, code, start, side) => {
    const shapes = paddocks(start, side)
    const right = await settleCrs(tableOf(shapes, code), undefined, undefined)
    const turned = await settleCrs(tableOf(shapes.map(exchanged), code), undefined, undefined)
    expect(right).toMatchObject({ notes: [] })
    expect(turned.notes.map((each) => each.code)).toEqual(['coordinates-turned'])
    const place = (settled: typeof right, shape: Shape): readonly number[] => {
      const projected = projectorFor(settled.crs)(shape)
      if (isProjectionFault(projected)) throw new Error(projected.message)
      return [...projected.coordinates]
    }
    expect(place(turned, exchanged(shapes[0]!))).toEqual(place(right, shapes[0]!))
  })

  test('stay as written if one row of a later batch fits as written; each exchanged row is rejected on its own', async () => {
    const shapes = paddocks([1800000, 5815000], 300)
    const mixed = [...shapes.slice(0, 5).map(exchanged), shapes[5]!]
    const { crs, notes } = await settleCrs(tableOf(mixed, 'EPSG:2193'), undefined, undefined)
    expect(notes).toMatchObject([{ code: 'crs-out-of-area' }])
    const results = mixed.map(projectorFor(crs))
    expect(results.map(isProjectionFault)).toEqual([true, true, true, true, true, false])
    expect(results[0]).toMatchObject({
      code: 'coordinate-out-of-range',
      hint: expect.stringContaining('exchanged') as string,
    })
  })

  test('in degrees that are possible both ways are decided by the other rows', async () => {
    const shapes = paddocks([11, 48], 0.01).map((shape, index) => (index === 2 ? exchanged(shape) : shape))
    const { crs } = await settleCrs(tableOf([...shapes.slice(0, 3), ...shapes], 'EPSG:4326'), undefined, {
      lon: 11.05,
      lat: 48,
      name: 'the records of holding 7',
    })
    const faults = shapes.map(projectorFor(crs)).map(isProjectionFault)
    expect(faults).toEqual([false, false, true, false, false, false])
  })

  test('in degrees that are possible both ways are exchanged if the farm is known to lie there', async () => {
    const shapes = paddocks([11, 48], 0.01).map(exchanged)
    const near = { lon: 11.05, lat: 48, name: 'the records of holding 7' }
    expect((await settleCrs(tableOf(shapes, 'EPSG:4326'), undefined, near)).crs.isTurned).toBe(true)
    expect((await settleCrs(tableOf(shapes, 'EPSG:4326'), undefined, undefined)).crs.isTurned).toBeUndefined()
  })

  test('are not exchanged for a farm just outside a grid that is similar both ways; its rows are rejected', async () => {
    const bulgarian = paddocks([500000, 190000], 300)
    const { crs, notes } = await settleCrs(tableOf(bulgarian, 'EPSG:3844'), undefined, undefined)
    expect({ isTurned: crs.isTurned, notes }).toMatchObject({
      isTurned: undefined,
      notes: [{ code: 'crs-out-of-area' }],
    })
    expect(bulgarian.map(projectorFor(crs)).every(isProjectionFault)).toBe(true)
  })

  test('a paddock a little beyond the border stays as it is drawn', async () => {
    const { crs } = await settleCrs(tableOf(paddocks([275000, 480000], 300), 'EPSG:28992'), undefined, undefined)
    expect(isProjectionFault(projectorFor(crs)(square([300000, 450000], 300)))).toBe(false)
  })
})

describe('a coordinate system that puts the file where it is not used', () => {
  const shapes = paddocks([1800000, 5815000], 300)

  test('is doubted, with the system that would fit', async () => {
    const { notes } = await settleCrs(tableOf(shapes, 'EPSG:27200'), undefined, undefined)
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
  ] as const)('is doubted where a farm of the south would lie in a zone of the north: %s', async (...names) => {
    const [code, start, sea, right] = names
    const { notes } = await settleCrs(tableOf(paddocks(start, 300), code), undefined, undefined)
    const message = `all boundaries lie in ${sea}, where no farm can be. WGS 84 / UTM zone ${right}`
    expect(notes).toMatchObject([{ code: 'crs-out-of-area', message: expect.stringContaining(message) as string }])
  })

  test('gives way to the one that a person names, if that one fits', async () => {
    const { crs, notes } = await settleCrs(tableOf(shapes, 'EPSG:27200'), 'EPSG:2193', undefined)
    expect(crs).toMatchObject({ code: 'EPSG:2193', evidence: 'from.crs' })
    expect(notes).toMatchObject([{ code: 'crs-assumed', message: expect.stringContaining('New Zealand Map Grid') }])
    const inDegrees = paddocks([175.3, -37.8], 0.003)
    const { crs: degrees } = await settleCrs(tableOf(inDegrees, 'EPSG:2193'), 'EPSG:4326', undefined)
    expect(degrees.code).toBe('EPSG:4326')
    await expect(settleCrs(tableOf(shapes, 'EPSG:27200'), 'EPSG:32760', undefined)).rejects.toMatchObject({
      code: 'crs-differs',
    })
  })

  test('is doubted in a UTM zone too, outside the countries that use it', async () => {
    const { notes } = await settleCrs(tableOf(shapes, 'EPSG:32760'), undefined, undefined)
    expect(notes).toMatchObject([{ code: 'crs-out-of-area', message: expect.stringContaining('-168.') as string }])
    const finnmark = paddocks([1_100_000, 7_800_000], 300)
    expect((await settleCrs(tableOf(finnmark, 'EPSG:25833'), undefined, undefined)).notes).toEqual([])
  })

  test('is doubted if it is used worldwide, but another would put the file beside the farm', async () => {
    const { notes } = await settleCrs(tableOf(shapes, 'EPSG:3857'), undefined, inWaikato)
    expect(notes.map(({ code, message }) => [code, message])).toEqual([
      [
        'crs-out-of-area',
        expect.stringMatching(
          /^In Web Mercator \(EPSG:3857, by the crs member\) the boundaries lie near 16\.17, 46\.22, 18,\d{3} km from the records of holding 7\. NZTM2000 would put them near 175\.28, -37\.79, \d+ m from/,
        ),
      ],
    ])
    expect((await settleCrs(tableOf(shapes, 'EPSG:3857'), undefined, undefined)).notes).toEqual([])
  })

  test('is not doubted for longitudes from 0 to 360', async () => {
    expect(
      (await settleCrs(tableOf(paddocks([183.45, -43.95], 0.003), 'EPSG:4326'), undefined, undefined)).notes,
    ).toEqual([])
  })

  test('is doubted if it puts the file into an ocean', async () => {
    const { notes } = await settleCrs(tableOf(paddocks([400000, 250000], 300), 'EPSG:3857'), undefined, undefined)
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
  ] as const)(
    'degrees of %s with their axes exchanged are doubted where they lie in an ocean',
    async (_, start, sea) => {
      const right = paddocks(start, 0.003)
      expect((await settleCrs(tableOf(right, 'EPSG:4326'), undefined, undefined)).notes).toEqual([])
      const { notes } = await settleCrs(tableOf(right.map(exchanged), 'EPSG:4326'), undefined, undefined)
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
    },
  )

  test('is not doubted if one of the first boundaries lies in its area', async () => {
    const mixed = [...shapes, square([2710000, 6380000], 300)].reverse()
    expect((await settleCrs(tableOf(mixed, 'EPSG:27200'), undefined, undefined)).notes).toEqual([])
  })

  test('across 180 degrees is not doubted', async () => {
    const chatham = paddocks([3500000, 5100000], 300)
    const fiji = paddocks([800000, 8100000], 300)
    expect((await settleCrs(tableOf(fiji, 'EPSG:32760'), undefined, undefined)).notes).toEqual([])
    expect((await settleCrs(tableOf(chatham, 'EPSG:3793'), undefined, undefined)).notes).toEqual([])
  })
})

describe('no coordinate system at all', () => {
  const metres = tableOf(paddocks([1800000, 5815000], 300))

  test('where no boundary can be read, the message says so', async () => {
    await expect(settleCrs(tableOf([]), undefined, inWaikato)).rejects.toMatchObject({
      code: 'crs-unknown',
      message: expect.stringMatching(/^No boundary of the file can be read/),
    })
  })

  test('is refused with the candidates, the nearest to the farm first', async () => {
    await expect(settleCrs(metres, undefined, inWaikato)).rejects.toMatchObject({
      code: 'crs-unknown',
      hint: expect.stringMatching(
        /NZTM2000 would put them near 175\.28, -37\.79, [\d.]+ k?m from the records of holding 7/,
      ) as string,
      data: { candidates: expect.arrayContaining(['EPSG:2193']) as string[] },
    })
  })

  test('is worked out on request, when one is far nearer to the farm than any other', async () => {
    const { crs, notes } = await settleCrs(metres, 'auto', inWaikato)
    expect(crs).toMatchObject({ code: 'EPSG:2193' })
    expect(notes).toMatchObject([
      { code: 'crs-assumed', message: expect.stringContaining('the records of holding 7') as string },
    ])
  })

  test('is not worked out for metres if the place of the farm is unknown', async () => {
    await expect(settleCrs(metres, 'auto', undefined)).rejects.toMatchObject({
      code: 'crs-unknown',
      message: expect.stringContaining('once the holding is named') as string,
    })
  })

  test('is not worked out if the farm is far from all candidates', async () => {
    const inKansas = { lon: -98, lat: 38, name: 'the records of holding 8' }
    await expect(settleCrs(metres, 'auto', inKansas)).rejects.toMatchObject({ code: 'crs-unknown' })
  })

  test('degrees that fit only one way are accepted on request', async () => {
    const { crs } = await settleCrs(tableOf(paddocks([175.3, -37.8], 0.003)), 'auto', undefined)
    expect(crs).toMatchObject({ code: 'EPSG:4326' })
    await expect(settleCrs(tableOf(paddocks([11, 48], 0.003)), 'auto', undefined)).rejects.toMatchObject({
      code: 'crs-unknown',
    })
  })

  test('degrees with latitude first are recognised by the farm', async () => {
    const near = { lon: 11.05, lat: 48, name: 'the records of holding 7' }
    const { crs } = await settleCrs(tableOf(paddocks([11, 48], 0.003).map(exchanged)), 'auto', near)
    expect(crs).toMatchObject({ code: 'EPSG:4326', isTurned: true })
  })

  test('auto does not change a file that names its system', async () => {
    const said = tableOf(paddocks([1800000, 5815000], 300), 'EPSG:2193')
    expect(await settleCrs(said, 'auto', undefined)).toMatchObject({ crs: { code: 'EPSG:2193' }, notes: [] })
  })
})
