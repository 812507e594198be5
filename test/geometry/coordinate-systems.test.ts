import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { datums } from '../../src/geometry/crs/datums.ts'
import { systemOfCode, systems } from '../../src/geometry/crs/systems.ts'
import { comparer, documentOf, worstError } from '../../tools/coordinate-comparison.ts'
import { coordinateTable, epsgVersion, epsgVersionOf, findProjDatabase } from '../../tools/coordinate-systems.ts'
import { hasProj, type ControlPoint } from '../../tools/proj.ts'
import { root } from '../imports.ts'

const text = readFileSync(join(root, 'test/geometry/control-points.txt'), 'utf8')

const controls = new Map<string, ControlPoint[]>()
for (const line of text.trim().split('\n')) {
  const [code, ...numbers] = line.split(' ')
  const [x, y, lon, lat] = numbers.map(Number)
  const points = controls.get(`EPSG:${code}`) ?? []
  controls.set(`EPSG:${code}`, [...points, { x: x!, y: y!, lon: lon!, lat: lat! }])
}

describe('the table of coordinate systems', () => {
  test('has each code once', () => {
    expect(new Set(systems().map(({ code }) => code)).size).toBe(systems().length)
  })

  test('has two control points of PROJ for each system', () => {
    expect([...controls.keys()]).toEqual(systems().map(({ code }) => code))
    expect([...controls.values()].every(({ length }) => length === 2)).toBe(true)
  })

  test('puts every control point within 3 mm of where PROJ puts it', () => {
    const off = systems().map(({ code }) => [code, worstError(code, controls.get(code)!)] as const)
    expect(off.filter(([, error]) => !(error < 0.003))).toEqual([])
  })

  const database = findProjDatabase()
  // Another version of EPSG's data may have other names and areas of use.
  const isMadeWithThis = database !== undefined && epsgVersionOf(database) === epsgVersion

  test.skipIf(!isMadeWithThis)('is what the tool makes of the chosen systems and of the database of PROJ', () => {
    const table = readFileSync(join(root, 'src/geometry/crs/coordinate-systems.json'), 'utf8')
    expect(coordinateTable(database!)).toBe(table)
  })

  test('matches docs/coordinate-systems.md by name, transformation and accuracy', () => {
    const listed = readFileSync(join(root, 'docs/coordinate-systems.md'), 'utf8')
    const made = documentOf(systems().map((system) => ({ system, points: [], worstM: 0 })))
    const withoutErrors = (document: string): string => document.replaceAll(/under 1 mm|\d+ mm/g, 'error')
    expect(withoutErrors(listed)).toBe(withoutErrors(made))
  })

  test('uses each name of a datum for one datum, which may have a transformation for each region', () => {
    const names = new Map<string, string>()
    for (const { name, aliases } of datums().values())
      for (const alias of aliases) {
        expect(names.get(alias) ?? name, alias).toBe(name)
        names.set(alias, name)
      }
  })

  test
    .skipIf(!hasProj())
    .each([
      'EPSG:2193',
      'EPSG:27200',
      'EPSG:27700',
      'EPSG:28992',
      'EPSG:5514',
      'EPSG:2056',
      'EPSG:23700',
      'EPSG:22279',
      'EPSG:27572',
      'EPSG:29101',
      'EPSG:3035',
      'EPSG:3577',
      'EPSG:6933',
      'EPSG:2286',
      'EPSG:26740',
      'EPSG:3460',
    ])('puts %s where PROJ puts it, over its whole area', async (code) => {
    const { worstM } = await comparer()(systemOfCode(code)!)
    expect(worstM).toBeLessThan(0.003)
  })
})

describe('coverage', () => {
  const range = (from: number, to: number): readonly number[] =>
    Array.from({ length: to - from + 1 }, (_, index) => from + index)

  test.each([
    ['New Zealand, its 28 circuits and the Chathams', [2193, 27200, ...range(2105, 2132), 3793]],
    ['Australia', [...range(28349, 28356), ...range(7849, 7856), ...range(20249, 20256), ...range(20349, 20356)]],
    ['the United Kingdom and Ireland', [27700, 2157, 29902, 29903]],
    ['Austria', [31287, 3416, ...range(31254, 31259)]],
    ['Belgium', [31370, 3812, 3447]],
    ['Bulgaria', [7801]],
    ['Croatia', [3765, 8677, 8678]],
    ['Cyprus', [6312]],
    ['Czechia and Slovakia', [5514]],
    ['Denmark and the Faroes', [25832, 25833, ...range(4093, 4096), 5316]],
    ['Estonia, Latvia, Lithuania', [3301, 3059, 3346]],
    ['Finland', [3067, 2393, ...range(3873, 3885)]],
    ['France and its overseas parts', [2154, ...range(3942, 3950), 27572, 2975, 5490, 2972, 4471, 3163]],
    ['Germany', [25832, 25833, 4647, 5650, ...range(31466, 31469), 5243, 2398]],
    ['Greece', [2100]],
    ['Hungary', [23700]],
    ['Iceland', [3057, 5325, 8088]],
    ['Italy', [3003, 3004, 6707, 6708, 7794, 3064]],
    ['Luxembourg', [2169]],
    ['Malta', [25833, 23033]],
    ['the Netherlands', [28992]],
    ['Norway', [25833, ...range(5105, 5130), ...range(27391, 27398)]],
    ['Poland', [2180, ...range(2176, 2179), 2172, 2175, 3120]],
    ['Portugal', [3763, 27493, 20790, 20791, 5014, 5015, 5016]],
    ['Romania', [3844]],
    ['Slovenia', [3794, 3912]],
    ['Spain', [25829, 25830, 25831, 23030, 4083]],
    ['Sweden', [3006, 3021, ...range(3007, 3018)]],
    ['Switzerland', [2056, 21781]],
    ['Turkey', range(5253, 5259)],
    ['UTM of the USA', [...range(26901, 26919), ...range(26703, 26719), ...range(6330, 6348)]],
    ['State Plane in metres and feet', [26943, 2227, 26986, 2249, 32140, 2278, 3435, 32100, 2256, 6500, 32040, 26743]],
    ['Canada', [...range(32181, 32197), ...range(2945, 2952), ...range(2955, 2962), 3400, 3005, 32198, 2953, 2954]],
    ['Brazil', [...range(31978, 31985), ...range(29188, 29195), 29101, 5880]],
    ['Argentina', [...range(5343, 5349), ...range(22181, 22187), ...range(22191, 22197)]],
    ['Chile and Uruguay', [5361, 5362, 9154, 9155, 5382, 5383]],
    ['Mexico and Colombia', [...range(6366, 6372), 9377, 3116]],
    ['South Africa', [...range(2046, 2055), 22275, 22277, 22279, 22281, 22283, 22285, 22287, 22289, 22291, 22293]],
    ['India', [7755, ...range(7756, 7787), ...range(24378, 24381)]],
    ['Japan, Korea, Taiwan', [...range(6669, 6687), ...range(5179, 5188), 3826]],
    ['the whole world', [4326, 3857, 3395, 6933, 6931, ...range(32601, 32660), ...range(32701, 32760)]],
  ])('of %s', (_, codes) => {
    expect(codes.filter((code) => systemOfCode(`EPSG:${code}`) === undefined)).toEqual([])
  })
})
