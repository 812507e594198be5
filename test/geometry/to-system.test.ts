/** Turns positions into every system of the table, and writes its text for a .prj. */

import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { describe, expect, test } from 'vitest'
import type { Shape } from '../../src/core/shape.ts'
import { identifyCrs } from '../../src/geometry/crs/crs.ts'
import { systemOfCode, systems } from '../../src/geometry/crs/systems.ts'
import { wktOf } from '../../src/geometry/crs/write-wkt.ts'
import { isProjectionFault, projectorFor, projectorInto } from '../../src/geometry/projection/project.ts'
import { root } from '../imports.ts'
import { share } from '../runs.ts'

const crsOf = (code: string) => identifyCrs({ from: 'option', text: code })
const pointAt = (x: number, y: number): Shape => ({
  kind: 'Point',
  coordinates: Float64Array.of(x, y),
  ends: [],
  parts: [],
})

const points = readFileSync(join(root, 'test/geometry/control-points.txt'), 'utf8').trim().split('\n')

describe('a shape in a system', () => {
  test('lies within 3 mm of where PROJ puts it, for two points of each system', () => {
    const off = points.flatMap((line) => {
      const [code, ...numbers] = line.split(' ')
      const [x, y, lon, lat] = numbers.map(Number) as [number, number, number, number]
      const crs = crsOf(`EPSG:${code}`)
      const [east = NaN, north = NaN] = projectorInto(crs)(pointAt(lon, lat))?.coordinates ?? []
      const unitM = crs.isLonLat ? 111_320 : crs.definition.unitM
      const errorM = Math.hypot(east - x, north - y) * unitM
      return errorM < 0.003 ? [] : [`${line}: ${east} ${north}`]
    })
    expect(off).toEqual([])
  })

  test('comes back to the same place within 1 mm, or 3 mm in systems of a whole continent', () => {
    const places = new Map(points.map((line) => [`EPSG:${line.split(' ')[0]}`, line.split(' ').slice(3).map(Number)]))
    for (const { code, isNational } of systems()) {
      const most = isNational ? 0.001 : 0.003
      const crs = crsOf(code)
      const [lon, lat] = places.get(code)!
      const there = projectorInto(crs)(pointAt(lon!, lat!))!
      const back = projectorFor(crs)(there)
      if (isProjectionFault(back)) throw new Error(`${code}: ${back.message}`)
      expect(Math.abs(back.coordinates[1]! - lat!) * 111_320, code).toBeLessThan(most)
      const east = Math.abs(back.coordinates[0]! - lon!) * 111_320 * Math.cos((lat! * Math.PI) / 180)
      expect(east, code).toBeLessThan(most)
    }
  })

  test('is refused where it lies far outside the area of the system', () => {
    expect(projectorInto(crsOf('EPSG:2193'))(pointAt(2.3, 48.8))).toBeUndefined()
    expect(projectorInto(crsOf('EPSG:2193'))(pointAt(Number.NaN, -40))).toBeUndefined()
  })

  test('has the heights it had, in each member', () => {
    const point = { ...pointAt(175, -40), z: Float64Array.of(12) }
    const both: Shape = {
      kind: 'GeometryCollection',
      coordinates: new Float64Array(),
      ends: [],
      parts: [],
      members: [point, point],
    }
    expect(projectorInto(crsOf('EPSG:2193'))(both)?.members?.[1]).toEqual({
      ...point,
      coordinates: Float64Array.of(1770725.494, 5570327.027),
    })
  })
})

describe('the text of a system', () => {
  test('is understood as that system again', () => {
    const other = systems().flatMap(({ code }) => {
      const found = identifyCrs({ from: '.prj', text: wktOf(systemOfCode(code)!) })
      return isDeepStrictEqual(found.definition, crsOf(code).definition) ? [] : [[code, found.code]]
    })
    expect(other).toEqual([])
  })

  const hasGdal = spawnSync('gdaltransform', ['--version']).status === 0
  const codes = [
    'EPSG:2193',
    'EPSG:27200',
    'EPSG:7855',
    'EPSG:27700',
    'EPSG:2056',
    'EPSG:5514',
    'EPSG:28992',
    'EPSG:2048',
    'EPSG:3857',
    'EPSG:2285',
    'EPSG:5880',
    'EPSG:6933',
    'EPSG:3035',
    'EPSG:3577',
    'EPSG:4167',
    'EPSG:27572',
  ]
  test.skipIf(!hasGdal).each(share(codes, 1, (code) => systemOfCode(code)!.definition.method))(
    'puts the coordinates of %s where GDAL puts those of its code (skipped where gdaltransform is missing)',
    (code) => {
      const line = points.find((each) => each.startsWith(`${code.slice(5)} `))!
      const [x, y] = line.split(' ').slice(1, 3).map(Number) as [number, number]
      // From the code to the code GDAL changes nothing.
      const words = ['-s_srs', wktOf(systemOfCode(code)!), '-t_srs', code]
      const { stdout } = spawnSync('gdaltransform', words, { input: `${x} ${y}`, encoding: 'utf8' })
      const [east, north] = stdout.split(' ').map(Number) as [number, number]
      expect(Math.hypot(east - x, north - y)).toBeLessThan(crsOf(code).isLonLat ? 1e-8 : 0.001)
    },
  )
})
