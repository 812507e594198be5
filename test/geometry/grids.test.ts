import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Row } from '../../src/core/row.ts'
import type { Shape } from '../../src/core/shape.ts'
import { boundaryOf, withBoundaries, type Boundary, type Bounded } from '../../src/geometry/boundary/boundaries.ts'
import { identifyCrs, type Crs } from '../../src/geometry/crs/crs.ts'
import { withGrids } from '../../src/geometry/projection/grids.ts'
import { normaliserFor, type GeometryPolicy } from '../../src/geometry/boundary/normalise.ts'
import { isProjectionFault, projectorFor } from '../../src/geometry/projection/project.ts'
import { hasProj } from '../../tools/proj.ts'
import { forwardTransverseMercator } from './forward.ts'
import { ntv2, type GridDrawn } from './ntv2.ts'

let folder: string

beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'windrow-grids-'))))
afterEach(() => rmSync(folder, { recursive: true }))

const international = 6378388

/** Shifts that grow over the land, so that a wrong node or a wrong sign is seen. */
const northIsland: GridDrawn = {
  name: 'NORTH',
  extent: [174, -40, 178, -36],
  stepDegrees: 0.5,
  shift: (lon, lat) => [6 + (lon - 174) / 10, 0.5 + (lat + 40) / 20 + (lon - 174) / 40],
}

/** In the middle of it, finer and a metre and more off what lies around it. */
const waikato: GridDrawn = {
  name: 'WAIKATO',
  parent: 'NORTH',
  extent: [175, -38, 176, -37],
  stepDegrees: 0.1,
  shift: (lon, lat) => [6.3 + (lon - 175) / 5, 0.7 - (lat + 38) / 10],
}

function put(name: string, bytes: Uint8Array): string {
  const path = join(folder, name)
  writeFileSync(path, bytes)
  return path
}

function system(code: string): Crs {
  return identifyCrs({ from: 'option', text: code })
}

function square([x, y]: readonly [number, number], side: number): Shape {
  const corners = [x, y, x + side, y, x + side, y + side, x, y + side, x, y]
  return { kind: 'Polygon', coordinates: Float64Array.from(corners), ends: [5], parts: [1] }
}

function placed(crs: Crs, x: number, y: number): readonly number[] {
  const projected = projectorFor(crs)({ kind: 'Point', coordinates: Float64Array.of(x, y), ends: [], parts: [] })
  if (isProjectionFault(projected)) throw new Error(projected.message)
  return [...projected.coordinates]
}

/** The farthest that two lists of positions are apart, in degrees. */
function farthest(one: readonly (readonly number[])[], other: readonly (readonly number[])[]): number {
  return Math.max(...one.flatMap((each, row) => each.map((value, index) => Math.abs(value - other[row]![index]!))))
}

describe.each([true, false])('a grid whose bytes are little-endian: %s', (isLittle) => {
  test('shifts a position by the nodes around it', async () => {
    put('nzgd2kgrid0005.gsb', ntv2([northIsland], { isLittle, semiMajorM: international }))
    const { crs, lack } = await withGrids(system('EPSG:4272'), folder, [[175.2, -39.3]])
    const [northward, eastward] = northIsland.shift(175.2, -39.3)
    expect(lack).toBeUndefined()
    expect(crs).toMatchObject({ transformation: 'the grid nzgd2kgrid0005.gsb (0.2 m to NZGD2000)', accuracyM: 1 })
    expect(farthest([placed(crs, 175.2, -39.3)], [[175.2 + eastward / 3600, -39.3 + northward / 3600]])).toBeLessThan(
      1e-9,
    )
  })

  test('gives way to the finer grid within it', async () => {
    put('nzgd2kgrid0005.gsb', ntv2([northIsland, waikato], { isLittle, semiMajorM: international }))
    const { crs } = await withGrids(system('EPSG:4272'), folder, [[175.4, -37.3]])
    const [northward, eastward] = waikato.shift(175.4, -37.3)
    expect(farthest([placed(crs, 175.4, -37.3)], [[175.4 + eastward / 3600, -37.3 + northward / 3600]])).toBeLessThan(
      1e-9,
    )
  })

  test.skipIf(!hasProj())('puts New Zealand Map Grid where PROJ puts it, to 0.01 mm', async () => {
    const path = put('nzgd2kgrid0005.gsb', ntv2([northIsland, waikato], { isLittle, semiMajorM: international }))
    const positions = [2610000, 2660000, 2710000, 2755000, 2830000].flatMap((x) =>
      [6150000, 6200000, 6395000, 6440000].map((y) => [x, y] as const),
    )
    const { crs } = await withGrids(system('EPSG:27200'), folder, positions)
    const from = '+proj=nzmg +lat_0=-41 +lon_0=173 +x_0=2510000 +y_0=6023150 +ellps=intl'
    const { stdout } = spawnSync(
      'cs2cs',
      ['-f', '%.12f', ...from.split(' '), `+nadgrids=${path}`, '+to', '+proj=longlat', '+datum=WGS84'],
      { input: positions.map((each) => `${each.join(' ')}\n`).join(''), encoding: 'utf8' },
    )
    const expected = stdout
      .trim()
      .split('\n')
      .map((line) => line.trim().split(/\s+/).slice(0, 2).map(Number))
    expect(
      farthest(
        positions.map(([x, y]) => placed(crs, x, y)),
        expected,
      ),
    ).toBeLessThan(1e-10)
  })
})

test('a grid places eastings and northings where it places their longitudes and latitudes', async () => {
  const britain: GridDrawn = {
    name: 'BRITAIN',
    extent: [-4, 51, 0, 54],
    stepDegrees: 0.5,
    shift: (lon, lat) => [2 + lat / 50, -4 + lon / 10],
  }
  put('OSTN15_NTv2_OSGBtoETRS.gsb', ntv2([britain], { isLittle: true, semiMajorM: 6377563.396 }))
  const { crs: degrees } = await withGrids(system('EPSG:4277'), folder, [[-2.3, 52.7]])
  const { definition } = system('EPSG:27700')
  const [x, y] = forwardTransverseMercator({ ...definition, ...definition.datum }, -2.3, 52.7)
  const { crs: metres } = await withGrids(system('EPSG:27700'), folder, [[x, y]])
  expect(metres.transformation).toBe('the grid OSTN15_NTv2_OSGBtoETRS.gsb (0.03 m to ETRS89)')
  expect(farthest([placed(metres, x, y)], [placed(degrees, -2.3, 52.7)])).toBeLessThan(1e-9)
})

describe('a folder of grids', () => {
  test('serves old German and Swiss systems as well as those of New Zealand', async () => {
    const over = (extent: GridDrawn['extent']): GridDrawn => ({
      name: 'A',
      extent,
      stepDegrees: 0.5,
      shift: () => [-4, -3],
    })
    mkdirSync(join(folder, 'europe'))
    put('europe/beta2007.GSB', ntv2([over([6, 47, 15, 55])], { isLittle: true, semiMajorM: 6377397.155 }))
    put('CHENYX06_etrs.gsb', ntv2([over([5, 45, 11, 48])], { isLittle: true, semiMajorM: 6377397.155 }))
    const german = await withGrids(system('EPSG:31467'), folder, [[3500000, 5600000]])
    const swiss = await withGrids(system('EPSG:21781'), folder, [[600000, 200000]])
    expect(german.crs.transformation).toBe('the grid BETA2007.gsb (0.9 m to ETRS89)')
    expect(swiss.crs.transformation).toBe('the grid CHENyx06_ETRS.gsb (0.25 m to ETRS89)')
  })

  test('without a grid for the datum is reported with the name of one that fits', async () => {
    put('other.gsb', Uint8Array.of(1, 2, 3))
    const crs = system('EPSG:27200')
    const { crs: same, lack } = await withGrids(crs, folder, [[2700000, 6400000]])
    expect(same).toBe(crs)
    expect(lack).toBe(
      'The folder of grids has none for NZGD49; EPSG:1564 NZGD49 to WGS 84 (2) (good to 4 m) is used instead. It has other.gsb; it needs nzgd2kgrid0005.gsb.',
    )
  })

  test('is ignored for a modern system', async () => {
    put('nzgd2kgrid0005.gsb', Uint8Array.of(1, 2, 3))
    const crs = system('EPSG:2193')
    expect(await withGrids(crs, folder, [[1800000, 5800000]])).toEqual({ crs })
  })

  test('whose grid does not cover the file is not used', async () => {
    put('nzgd2kgrid0005.gsb', ntv2([waikato], { isLittle: true, semiMajorM: international }))
    const crs = system('EPSG:27200')
    const { crs: same, lack } = await withGrids(crs, folder, [[2200000, 5500000]])
    expect(same).toBe(crs)
    expect(lack).toContain('lies outside the area of the grid "nzgd2kgrid0005.gsb"')
  })

  test('that does not exist is an error', async () => {
    const failed = withGrids(system('EPSG:27200'), join(folder, 'none'), [])
    await expect(failed).rejects.toMatchObject({ code: 'option-invalid', message: expect.stringContaining('none"') })
  })
})

describe('a grid that cannot be used', () => {
  const sound = ntv2([northIsland], { isLittle: true, semiMajorM: international })
  const withInteger = (at: number, value: number): Uint8Array => {
    const bytes = Buffer.from(sound)
    bytes.writeInt32LE(value, at)
    return bytes
  }
  test.each([
    ['is cut off within its header', sound.subarray(0, 100), 'it ends within its header'],
    ['is cut off within a grid', sound.subarray(0, 900), 'it ends within a grid'],
    ['promises a grid that is not there', withInteger(40, 3), 'it ends before its last grid'],
    ['is something else', Buffer.alloc(400, 'PK'), 'it does not begin like an NTv2 file'],
    ['counts its nodes wrongly', withInteger(176 + 168, 7), 'do not agree'],
    [
      'counts in metres',
      ntv2([northIsland], { isLittle: true, semiMajorM: international, unit: 'METRES' }),
      '"METRES"',
    ],
    ['has nothing in it', withInteger(40, 0), 'it contains no grid'],
    [
      'leads the other way',
      ntv2([northIsland], { isLittle: true, semiMajorM: 6378137 }),
      'begins at another ellipsoid',
    ],
  ])('%s', async (_, bytes, why) => {
    put('nzgd2kgrid0005.gsb', bytes)
    const failed = withGrids(system('EPSG:27200'), folder, [[2700000, 6400000]])
    await expect(failed).rejects.toMatchObject({ code: 'file-damaged', message: expect.stringContaining(why) })
  })
})

describe('rows', () => {
  const allowed = ['Polygon', 'MultiPolygon'] as const
  const rest = { multipart: 'keep', repairUpTo: 0.01, decimals: 7, keepHeights: false, allowed } as const

  async function policy(): Promise<GeometryPolicy> {
    put('nzgd2kgrid0005.gsb', ntv2([waikato], { isLittle: true, semiMajorM: international }))
    const { crs } = await withGrids(system('EPSG:27200'), folder, [[2700000, 6400000]])
    return { ...rest, crs }
  }

  test('outside the grid, or partly outside, are shifted without it and noted', async () => {
    const normalise = normaliserFor(await policy())
    const plain = normaliserFor({ ...rest, crs: system('EPSG:27200') })
    const at = { source: 'paddocks', row: 3 }
    const [within, across, beyond] = [
      square([2700000, 6400000], 300),
      square([2700000, 6340000], 30_000),
      square([2200000, 5500000], 300),
    ]
    expect(normalise(within, at).problems).toEqual([])
    expect(normalise(within, at).shape).not.toEqual(plain(within, at).shape)
    for (const shape of [across, beyond]) {
      const { problems, ...made } = normalise(shape, at)
      expect({ ...made, problems: [] }).toEqual(plain(shape, at))
      expect(problems.map(({ code }) => code)).toEqual(['grid-left'])
      expect(problems[0]!.message).toContain('EPSG:1564 NZGD49 to WGS 84 (2) (good to 4 m)')
    }
  })

  test('are shifted equally on the second thread', async () => {
    const wanted = await policy()
    const rows = Array.from({ length: 6_000 }, (_, row): Row => {
      const start = row % 50 === 0 ? ([2200000, 5500000] as const) : ([2690000 + row, 6400000 + row] as const)
      return { at: { source: 'paddocks', row }, values: {}, shape: square(start, 200) }
    })
    async function* batches() {
      for (let from = 0; from < rows.length; from += 500) {
        // Reading takes its time; the other thread begins meanwhile.
        if (from === 4000) await new Promise((resolve) => setTimeout(resolve, 700))
        yield rows.slice(from, from + 500)
      }
    }
    const options = { policy: wanted, wants: () => true, wantsOutlines: false, expected: undefined }
    const made: Bounded[] = []
    for await (const each of withBoundaries(batches(), options)) made.push(each)
    const normalise = normaliserFor(wanted)
    const here = rows.map(({ shape, at }) => boundaryOf(normalise(shape!, at), false))
    const seen = (all: readonly Pick<Boundary, 'text' | 'problems'>[]) =>
      all.map(({ text, problems }) => [text && Buffer.from(text).toString(), problems])
    expect(seen(made.flatMap(({ boundaries }) => boundaries.map((each) => each!)))).toEqual(seen(here))
  })
})
