/** Opens every produced format with GDAL, geopandas, openpyxl and LibreOffice, those that are present: all must see the same paddocks. */

import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { bufferSource } from '../../src/core/sources/source.ts'
import { openFile } from '../../src/formats/index.ts'
import { hasProgram, pythonWith, workInOffice } from '../other-programs.ts'
import { counts, endings, held, records, worldWith, type Id } from './hard-records.ts'
import type { World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await worldWith(records)
  for (const file of [...maps, 'plots.xlsx', 'plots.csv']) await exported(file)
})
afterAll(() => world.close())

const maps = [...endings.filter((ending) => !['xlsx', 'csv'].includes(ending)), 'kmz', 'ndjson', 'geojsonseq'].map(
  (ending) => `map-${ending}.${ending}`,
)
const pathOf = (file: string): string => join(world.folder, file)

async function exported(file: string): Promise<void> {
  const { failure } = await world.run(['export', 'plots', '-o', file, '--zone', 'Pacific/Auckland'])
  expect(failure?.message).toBeUndefined()
}

type Seen = { readonly name: unknown; readonly area: unknown; readonly sown: unknown; readonly land?: number }

const hectares = (area: number): number => Number(area.toPrecision(10))
// What the paddocks are: names with macrons, areas in hectares, when the crop was sown, and the land of the boundary in square degrees.
const paddocks: readonly Seen[] = [
  { name: '=1 gully', area: hectares(2.05 * 0.40468564224), sown: null, land: 2e-6 },
  { name: 'Far end', area: null, sown: null, land: 2.25e-6 },
  { name: 'Not drawn yet', area: null, sown: null, land: 0 },
  { name: 'Rāhui "north", 2/3', area: 3.812345679, sown: '2026-04-04T13:30:00.000Z', land: 3.75e-6 },
]

/** GDAL 3.6 reads a KMZ file's columns only as the text of its balloons, though the KML inside is the same. */
function inGdal(file: string): readonly Seen[] {
  return file.endsWith('.kmz') ? paddocks.map((each) => ({ ...each, area: null, sown: null })) : paddocks
}

/** A row as any program shows it, by the columns that all of them name alike. */
function seen(row: Readonly<Record<string, unknown>>, land?: number): Seen {
  const valueOf = (name: RegExp): unknown => {
    const value = row[Object.keys(row).find((each) => name.test(each))!]
    return value === undefined || value === '' ? null : value
  }
  const area = valueOf(/^total(?: area \(ha\)|_ha)$/i)
  const sown = valueOf(/^(?:crop 1 establishment date|sown)/i)
  // The clock of the export's zone, unless the format has times in UTC.
  const moment = typeof sown === 'string' ? sown.replaceAll('/', '-').replace(' ', 'T') : undefined
  const isLocal = moment !== undefined && !/(?:Z|[+-]\d\d(?::?\d\d)?)$/.test(moment.slice(11))
  return {
    name: valueOf(/^name$/i),
    area: typeof area === 'number' ? hectares(area) : area,
    sown:
      moment === undefined
        ? sown
        : new Date(isLocal ? `${moment}+13:00` : moment.replace(/([+-]\d\d)$/, '$1:00')).toISOString(),
    ...(land === undefined ? {} : { land: Number(land.toFixed(8)) }),
  }
}

const byName = (rows: readonly Seen[]): readonly Seen[] =>
  rows.toSorted((one, other) => (`${one.name as string}` < `${other.name as string}` ? -1 : 1))

test('the formats are all there', () => {
  expect(new Set(maps.map((file) => file.split('.')[1]))).toEqual(
    new Set(['geojson', 'geojsonseq', 'gpkg', 'kml', 'kmz', 'ndjson', 'zip']),
  )
})

type Feature = {
  readonly properties: Readonly<Record<string, unknown>>
  readonly geometry: { readonly type: string; readonly coordinates: unknown } | null
}

function landOf({ geometry }: Feature): number {
  if (geometry === null) return 0
  const { type, coordinates } = geometry
  const polygons = (type === 'Polygon' ? [coordinates] : coordinates) as [number, number][][][]
  const ringArea = (ring: [number, number][]): number =>
    ring.slice(1).reduce((sum, [x, y], at) => sum + ring[at]![0] * y - x * ring[at]![1], 0) / 2
  return polygons.reduce(
    (sum, rings) => sum + rings.reduce((own, ring, at) => own + (at === 0 ? 1 : -1) * Math.abs(ringArea(ring)), 0),
    0,
  )
}

describe.skipIf(!hasProgram('ogr2ogr'))('GDAL (skipped where ogr2ogr is missing)', () => {
  test.each(maps)('sees the paddocks of %s', (file) => {
    const path = file.endsWith('.zip') ? `/vsizip/${pathOf(file)}` : pathOf(file)
    const text = execFileSync('ogr2ogr', ['-f', 'GeoJSON', '/vsistdout/', path], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    const { features } = JSON.parse(text) as { features: readonly Feature[] }
    expect(byName(features.map((each) => seen(each.properties, landOf(each))))).toEqual(inGdal(file))
  })
})

const geopandas = pythonWith('geopandas', 'fiona')

describe.skipIf(geopandas === undefined)('geopandas (skipped where it is missing)', () => {
  test('sees the paddocks of every map', () => {
    const script = `
import sys, json, warnings
warnings.filterwarnings('ignore')
import fiona, geopandas
fiona.drvsupport.supported_drivers.update(KML='r', LIBKML='r', GeoJSONSeq='r')
for path in sys.argv[1:]:
    frame = geopandas.read_file(('zip://' if path.endswith('.zip') else '') + path)
    rows = []
    for _, row in frame.iterrows():
        values = {name: None if value is None or value != value else value if isinstance(value, (int, float)) else str(value)
                  for name, value in row.items() if name != 'geometry'}
        rows.append([values, 0 if row.geometry is None else row.geometry.area])
    print(json.dumps({'epsg': frame.crs.to_epsg(), 'rows': rows}))
`
    const lines = execFileSync(geopandas!, ['-c', script, ...maps.map(pathOf)], { encoding: 'utf8' })
      .trim()
      .split('\n')
    expect(lines).toHaveLength(maps.length)
    for (const [index, line] of lines.entries()) {
      const { epsg, rows } = JSON.parse(line) as { epsg: number; rows: [Record<string, unknown>, number][] }
      expect(epsg, maps[index]).toBe(4326)
      expect(byName(rows.map(([values, land]) => seen(values, land))), maps[index]).toEqual(inGdal(maps[index]!))
    }
  })
})

const withoutLand = paddocks.map(({ name, area, sown }) => ({ name, area, sown }))
const openpyxl = pythonWith('openpyxl')

test.skipIf(openpyxl === undefined)('openpyxl sees the paddocks of plots.xlsx (skipped where it is missing)', () => {
  const script = `
import sys, json, openpyxl, datetime
sheet = openpyxl.load_workbook(sys.argv[1])['Plots']
head = [cell.value for cell in sheet[1]]
print(json.dumps([{name: value.isoformat() if isinstance(value, datetime.datetime) else value for name, value in zip(head, row)}
                  for row in sheet.iter_rows(min_row=2, values_only=True)]))
`
  const rows = JSON.parse(
    execFileSync(openpyxl!, ['-c', script, pathOf('plots.xlsx')], { encoding: 'utf8' }),
  ) as Record<string, unknown>[]
  expect(byName(rows.map((row) => seen(row)))).toEqual(withoutLand)
})

describe.skipIf(!hasProgram('soffice'))('LibreOffice (skipped where soffice is missing)', () => {
  async function tableOf(file: string): Promise<readonly Record<string, unknown>[]> {
    const { tables, close } = await openFile(bufferSource(file, readFileSync(pathOf(file))))
    const rows: Record<string, unknown>[] = []
    for await (const batch of tables[0]!.batches()) rows.push(...batch.map(({ values }) => values))
    await close()
    return rows
  }

  const edits = [
    [/^Name$/, 'Ōtāne 007', { name: 'Ōtāne 007' }],
    [/^Total area \(ha\)$/, '4.5', { totalArea: { measurement: 4.5, units: 'HAR' } }],
  ] as const

  beforeAll(async () => {
    const rows = await tableOf('plots.xlsx')
    const columns = Object.keys(rows[0]!)
    const row = rows.findIndex((each) => each['Name'] === paddocks[3]!.name) + 2
    const typed = edits.map(([column, text], index) => {
      const letter = String.fromCodePoint(65 + columns.findIndex((each) => column.test(each)))
      return { path: pathOf(`typed-${index}.xlsx`), sheet: 0, cell: `${letter}${row}`, text }
    })
    for (const index of edits.keys()) await exported(`typed-${index}.xlsx`)
    const [excel, csv] = ['Calc MS Excel 2007 XML', 'Text - txt - csv (StarCalc)']
    mkdirSync(pathOf('saved'))
    workInOffice(world.folder, typed, [
      { from: pathOf('plots.xlsx'), opens: excel, to: pathOf('saved/plots.ods'), saves: 'calc8' },
      { from: pathOf('plots.csv'), opens: csv, options: '44,34,76,1', to: pathOf('saved/plots.xlsx'), saves: excel },
    ])
  })

  test('sees the paddocks of plots.xlsx and plots.csv; what it saves again changes nothing', async () => {
    const before = await held(world, 'plots')
    // LibreOffice keeps the apostrophe that marks text in a CSV file; an import takes it off.
    const marked = withoutLand.map((each) => (each.name === '=1 gully' ? { ...each, name: "'=1 gully" } : each))
    for (const [file, expected] of [
      ['saved/plots.ods', withoutLand],
      ['saved/plots.xlsx', marked],
    ] as const) {
      const rows = await tableOf(file)
      expect(byName(rows.map((row) => seen(row))), file).toEqual(byName(expected))
      const report = await counts(world, ['import', file])
      expect(report).toMatchObject({ records: { created: 0, updated: 0 } })
      // Opening a CSV file takes the zeros off the farm numbers, so the import stops before anything is sent.
      expect(report.rows['unchanged']).toBe(file.endsWith('.ods') ? before.size : 0)
      expect(await held(world, 'plots')).toEqual(before)
    }
  })

  test('changes one cell, and exactly that field changes', async () => {
    const id = (records['plots']![0]!['meta'] as { sourceId: Id }).sourceId.id
    for (const [index, [, , change]] of edits.entries()) {
      const other = await worldWith(records)
      try {
        const before = await held(other, 'plots')
        const report = await counts(other, ['import', pathOf(`typed-${index}.xlsx`)])
        expect(report).toMatchObject({ rows: { rejected: 0 }, records: { created: 0, updated: 1 } })
        const after = await held(other, 'plots')
        expect(after).toEqual(new Map([...before, [id, { ...before.get(id)!, ...change }]]))
      } finally {
        other.close()
      }
    }
  })
})
