import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { readCases } from '../../tools/cases/case.ts'
import { judgeCase } from '../../tools/cases/judge.ts'
import type { Verdict } from '../../tools/cases/judgement.ts'
import { dbfBytes, partsContent, shpBytes, square } from '../formats/shapefile/made-files.ts'
import { root } from '../imports.ts'

// A hundredth of a degree in the square, on the equator: 1.1132 by 1.1057 km.
const squareHa = 123.09072
const degrees =
  'GEOGCS["GCS_WGS_1984",DATUM["D_WGS_1984",SPHEROID["WGS_1984",6378137,298.257223563]],PRIMEM["Greenwich",0],UNIT["Degree",0.0174532925199433]]'
const shp = shpBytes([partsContent(5, [square(10, 0, 0.01)]), partsContent(5, [square(10, 1, 0.01)])])
const dbf = dbfBytes({
  fields: [
    { name: 'NAME', letter: 'C', width: 10 },
    { name: 'SOWN', letter: 'D', width: 8 },
  ],
  rows: [{ cells: ['Top Flat', '20260903'] }, { cells: ['River', ''] }],
})
const hole = { type: 'Polygon', coordinates: [square(10, 0, 0.01), square(10.02, 0, 0.005)] }
const bow = {
  type: 'Polygon',
  coordinates: [
    [
      [10, 0],
      [10.01, 0.01],
      [10.01, 0],
      [10, 0.01],
      [10, 0],
    ],
  ],
}

const files: Readonly<Record<string, string | Uint8Array>> = {
  'farm/paddocks.shp': shp,
  'farm/paddocks.dbf': dbf,
  'farm/paddocks.prj': degrees,
  'bare/paddocks.shp': shp,
  'bare/paddocks.dbf': dbf,
  'cut/paddocks.shp': shp.subarray(0, shp.length - 20),
  'cut/paddocks.dbf': dbf,
  'cut/paddocks.prj': degrees,
  'hole.geojson': JSON.stringify(hole),
  'bow.geojson': JSON.stringify(bow),
  'broken.geojson': '{"type": "FeatureColl',
  'rows.csv': 'Paddock;Area\r\nTop;1,5\r\n\r\nRiver;2,25\r\n',
  'drawn.json': JSON.stringify([
    { op: 'isvalid', desc: 'square', wkt: 'POLYGON ((0 0, 400 0, 400 400, 0 400, 0 0))', expected: true },
    { op: 'isvalid', desc: 'bow', wkt: 'POLYGON ((0 0, 4 4, 4 0, 0 4, 0 0))', expected: false },
  ]),
}

const layer = {
  crs: { epsg: 4326 },
  fields: [{ name: 'NAME' }, { name: 'SOWN' }],
  features: 2,
  geometryTypes: { Polygon: 2 },
  bboxNative: [10, 0, 10.01, 1.01],
  bboxWgs84: [10, 0, 10.01, 1.01],
  positionToleranceM: 0.02,
  firstAttributes: { NAME: 'Top Flat', SOWN: '2026/09/03' },
  perFeature: [{ i: 0, type: 'Polygon', centroid: [10.005, 0.005] }],
}

const cases: readonly Readonly<Record<string, unknown>>[] = [
  { id: 'right', file: 'farm/paddocks.shp', format: 'shapefile', oracle: layer },
  { id: 'wrong-count', file: 'farm/paddocks.shp', format: 'shapefile', oracle: { ...layer, features: 3 } },
  { id: 'wrong-area', file: 'farm/paddocks.shp', format: 'shapefile', oracle: { ...layer, totalAreaHa: 200 } },
  {
    id: 'wrong-place',
    file: 'farm/paddocks.shp',
    format: 'shapefile',
    oracle: { ...layer, perFeature: [{ i: 1, centroid: [10.005, 1.0051] }] },
  },
  { id: 'wrong-crs', file: 'farm/paddocks.shp', format: 'shapefile', oracle: { ...layer, crs: { epsg: 2193 } } },
  {
    id: 'wrong-cell',
    file: 'farm/paddocks.shp',
    format: 'shapefile',
    oracle: { firstAttributes: { NAME: 'Top Flat', SOWN: '2026/03/09' } },
  },
  { id: 'truth-wins', file: 'farm/paddocks.shp', format: 'shapefile', oracle: { features: 9, truth: { features: 2 } } },
  {
    id: 'told-crs',
    file: 'bare/paddocks.shp',
    format: 'shapefile',
    oracle: layer,
    expectedError: 'CRS_UNKNOWN unless the caller gives EPSG:4326',
  },
  {
    id: 'cut',
    file: 'cut/paddocks.shp',
    format: 'shapefile',
    oracle: { completeRecords: 1 },
    expectedError: 'TRUNCATED, or the first 1 records with a warning',
  },
  { id: 'not-refused', file: 'hole.geojson', format: 'geojson', oracle: {}, expectedError: 'INVALID_JSON' },
  { id: 'refused', file: 'broken.geojson', format: 'geojson', oracle: {}, expectedError: 'INVALID_JSON' },
  {
    id: 'outcome',
    file: 'hole.geojson',
    format: 'geojson',
    oracle: { truth: { shellAreaHa: squareHa } },
    acceptableOutcomes: ['hole dropped with warning (area = shellAreaHa)', 'error'],
  },
  {
    id: 'no-outcome',
    file: 'bow.geojson',
    format: 'geojson',
    oracle: { truth: { areaHaIfSplit: squareHa } },
    acceptableOutcomes: ['MultiPolygon of two triangles with areaHaIfSplit', '7 features'],
  },
  {
    id: 'text',
    file: 'rows.csv',
    format: 'csv',
    oracle: {
      encoding: 'utf-8',
      delimiter: ';',
      recordsIncludingHeader: 4,
      blankRecords: 1,
      header: ['Paddock', 'Area'],
      firstRow: ['Top', '1,5'],
      lastRow: ['River', '2,25'],
      truth: { areas: [1.5, 2.25] },
    },
  },
  { id: 'drawn', file: 'drawn.json', format: 'wkt-cases', oracle: { cases: 2 } },
  { id: 'no-file', file: 'nowhere.shp', format: 'shapefile', oracle: { features: 1 } },
  { id: 'nothing-said', file: 'rows.csv', format: 'csv', oracle: { notes: 'made by hand' } },
]

let folder: string

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'windrow-cases-'))
  for (const [name, content] of Object.entries({ ...files, 'cases.json': JSON.stringify(cases) })) {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), content)
  }
})

afterAll(() => rmSync(folder, { recursive: true, force: true }))

function judge(id: string): Promise<Verdict> {
  const list = readCases(folder)
  return judgeCase(
    list.folder,
    list.cases.find((each) => each.id === id)!,
  )
}

describe('a case passes when the file is read correctly', () => {
  test.each(['right', 'truth-wins', 'told-crs', 'cut', 'refused', 'text', 'drawn'])('%s', async (id) => {
    expect(await judge(id)).toMatchObject({ outcome: 'passed', failures: [] })
  })

  test('one of several outcomes is enough, and is named', async () => {
    const { outcome, remarks } = await judge('outcome')
    expect(outcome).toBe('passed')
    expect(remarks.join()).toMatch(/^Outcome: /)
  })
})

describe('a case fails with the reason', () => {
  test.each([
    ['wrong-count', /2 rows, expected 3/],
    ['wrong-area', /all together measure 246\.\d+ ha, expected 200/],
    ['wrong-place', /feature 1 is 11\.\d+ m from its expected place/],
    ['wrong-crs', /is EPSG:4326, expected EPSG:2193/],
    ['wrong-cell', /column "SOWN" of the first row is "2026-09-03", expected "2026\/03\/09"/],
    ['not-refused', /refused for another reason|read without any report/],
    ['no-outcome', /not "7 features": 1 rows/],
    ['no-file', /file "nowhere.shp" was not found/],
  ])('%s', async (id, why) => {
    const { outcome, failures } = await judge(id)
    expect(outcome).toBe('failed')
    expect(failures.join('\n')).toMatch(why)
  })
})

test('a case without anything to check is skipped, not passed', async () => {
  expect(await judge('nothing-said')).toMatchObject({ outcome: 'skipped' })
})

/** Real files with known results; they are beside the project and not part of it. */
const wild = join(root, '../shared/cases')

describe.skipIf(!existsSync(wild))('files of the wild', () => {
  const list = existsSync(wild) ? readCases(wild) : { folder: wild, cases: [] }

  test('contain some of each kind', () => {
    const kinds = new Set(list.cases.map(({ format }) => format))
    for (const kind of ['csv', 'geojson', 'shapefile', 'shapefile-zip', 'xlsx', 'xls', 'xlsb', 'ods', 'wkt-cases'])
      expect(kinds).toContain(kind)
  })

  test.each(list.cases.map((each) => [each.id, each] as const))('%s', async (_, each) => {
    expect(await judgeCase(list.folder, each)).toMatchObject({ outcome: 'passed', failures: [] })
  })
})

describe('npm run cases', () => {
  const run = (...words: readonly string[]) =>
    spawnSync(process.execPath, ['tools/cases.ts', ...words], { cwd: root, encoding: 'utf8' })

  test('judges each case in its own process and counts', () => {
    const { status, stdout } = run(folder, '--json', '--only', 'right', '--only', 'wrong-count')
    const [right, wrong, totals] = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>)
    expect(right).toMatchObject({ id: 'right', outcome: 'passed' })
    expect(right!.peakMB).toBeGreaterThan(20)
    expect(wrong).toMatchObject({ id: 'wrong-count', outcome: 'failed' })
    expect(totals).toEqual({ passed: 1, failed: 1, skipped: 0 })
    expect(status).toBe(3)
  })

  test('ends with the totals, and with 0 when all pass', () => {
    const { status, stdout } = run(folder, '--only', 'right')
    expect(stdout.trim().split('\n').at(-1)).toBe('1 passed, 0 failed, 0 skipped')
    expect(status).toBe(0)
  })

  test.each([
    [[], 'Name one folder'],
    [['nowhere'], 'was not found'],
  ])('explains why %j is refused', (words, sentence) => {
    const { status, stderr } = run(...words)
    expect(status).toBe(2)
    expect(stderr).toContain(sentence)
  })
})
