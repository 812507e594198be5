import { expect, test } from 'vitest'
import type { Table } from '../../src/core/row.ts'
import { openFile } from '../../src/formats/index.ts'
import { settleCrs } from '../../src/pipeline/prepare/coordinate-system.ts'
import { lookAtTable, type TableFacts } from '../../src/pipeline/inspect/look.ts'
import type { Group } from '../../src/pipeline/definition/yaml-source.ts'
import { inspectTable, type Inspection, type LayerSeen } from '../../src/pipeline/inspect/inspection.ts'
import { inspectionSchema } from '../../src/pipeline/inspect/inspection-schema.ts'
import { checkAgainst } from '../../src/resources/validation.ts'
import { fixtures, sourceOf } from '../formats/fixtures.ts'
import { memoryTable, square } from '../memory-table.ts'

/** The inspection of a table, without a service. */
const inspected = (facts: TableFacts, said: Group): Promise<LayerSeen> =>
  inspectTable(facts, said, {
    path: 'a file',
    fileName: 'a file',
    connection: undefined,
    signal: AbortSignal.timeout(60_000),
  })

const inspectionOf = (layers: readonly LayerSeen[]): Inspection => ({
  windrow: 'inspection',
  version: 1,
  file: 'a file',
  bytes: 1,
  format: 'a format',
  layers,
})

/** Only what JSON keeps can be compared with a schema. */
function faultsOf(layers: readonly LayerSeen[]): readonly unknown[] {
  return checkAgainst(inspectionSchema, JSON.parse(JSON.stringify(inspectionOf(layers))))
}

test.each(fixtures.map((fixture) => [fixture.name, fixture] as const))(
  'what %s holds has the published form',
  async (_, fixture) => {
    const { tables, close } = await openFile(sourceOf(fixture.name, fixture.make(20)))
    const layers: LayerSeen[] = []
    for (const table of tables) layers.push(await inspected(await lookAtTable(table), {}))
    await close()
    expect(layers.length).toBeGreaterThan(0)
    expect(faultsOf(layers)).toEqual([])
  },
)

test.each(['names.csv', 'names.geojson'])(
  'letters that were lost before %s was made are doubted in names alone',
  async (file) => {
    const rows = [
      ['K?nuka', 'a?b'],
      ['Top', 'a?b'],
      ['P?hutukawa', ''],
    ]
    const features = rows.map(([Paddock, Remark]) => ({
      type: 'Feature',
      properties: { Paddock, Remark },
      geometry: null,
    }))
    const text = file.endsWith('.csv')
      ? `Paddock,Remark\n${rows.join('\n')}\n`
      : JSON.stringify({ type: 'FeatureCollection', features })
    const { tables } = await openFile(sourceOf(file, Buffer.from(text)))
    const { inRows } = await inspected(await lookAtTable(tables[0]!), {})
    expect(inRows).toMatchObject([
      { code: 'letters-doubtful', severity: 'warning', count: 2, first: { value: 'K?nuka' } },
    ])
  },
)

test('a form that differs from the published one is noticed', async () => {
  const layer = await inspected(await lookAtTable(memoryTable(['A'], [['1']])), {})
  expect(faultsOf([{ ...layer, rows: -1 }])).not.toEqual([])
  expect(faultsOf([{ ...layer, more: 1 } as LayerSeen])).not.toEqual([])
})

const nztm: Table = {
  ...memoryTable(['ID'], [['1'], ['2']], [square(1_802_000, 5_814_000, 1000), null]),
  crs: { from: 'option', text: 'EPSG:2193' },
}

test('a layer has its place on earth', async () => {
  const { bbox, lonLat, crs, withoutGeometry, vertices } = await inspected(await lookAtTable(nztm), {})
  expect(bbox).toEqual([1_802_000, 5_814_000, 1_803_000, 5_815_000])
  expect(lonLat!.map((each) => Number(each.toFixed(3)))).toEqual([175.294, -37.799, 175.306, -37.79])
  expect(crs).toMatchObject({ code: 'EPSG:2193' })
  expect([withoutGeometry, vertices]).toEqual([1, 5])
})

test('a wrong coordinate system is doubted in the words of an import', async () => {
  const doubted: Table = { ...nztm, crs: { from: 'option', text: 'EPSG:27200' } }
  const { problems } = await inspected(await lookAtTable(doubted), {})
  expect(problems).toMatchObject([
    {
      code: 'crs-out-of-area',
      message: expect.stringContaining('NZTM2000 would put them near 175.30, -37.79') as string,
    },
  ])
  expect(problems).toEqual(
    settleCrs(doubted, {
      crs: undefined,
      axes: undefined,
      shapes: [square(1_802_000, 5_814_000, 1000)],
      near: undefined,
    }).notes,
  )
  expect((await inspected(await lookAtTable(nztm), {})).problems).toEqual([])
})

test('northing before easting is reported, and the layer has its right place', async () => {
  const turned = { ...memoryTable(['ID'], [['1']], [square(5_814_000, 1_802_000, 1000)]), crs: nztm.crs! }
  const { lonLat, crs } = await inspected(await lookAtTable(turned), {})
  expect(crs).toMatchObject({ evidence: expect.stringContaining('axes exchanged') as string })
  expect(lonLat!.map((each) => Number(each.toFixed(3)))).toEqual([175.294, -37.799, 175.306, -37.79])
})

test('a layer without a coordinate system gets candidates', async () => {
  const { crs: _, ...unsaid } = nztm
  const { crs, lonLat } = await inspected(await lookAtTable(unsaid), {})
  expect(crs).toMatchObject({
    problem: expect.stringContaining('does not say'),
    hint: expect.stringContaining('from.crs: EPSG:2193'),
  })
  expect(lonLat).toBeNull()
  expect(await inspected(await lookAtTable(unsaid), { from: { crs: 'EPSG:2193' } })).toMatchObject({
    crs: { code: 'EPSG:2193', evidence: 'from.crs' },
  })
})

test('problems of rows are counted by code', async () => {
  const table: Table = {
    ...nztm,
    async *batches() {
      for await (const batch of nztm.batches())
        yield batch.map((row) => ({
          ...row,
          problems: [{ code: 'row-ragged', severity: 'error', at: row.at, message: 'Too short.' }] as const,
        }))
    },
  }
  const { inRows } = await inspected(await lookAtTable(table), {})
  expect(inRows).toMatchObject([{ code: 'row-ragged', count: 2, first: { at: { row: 2 } } }])
})

test.each([
  [['1.5', '2'], 'number'],
  [['1,5', '2'], 'number, comma'],
  [['007', '8'], 'text (id)'],
  [['31/08/2026', '1/9/2026'], 'date d/M/yyyy'],
  [['yes', 'no'], 'text'],
  [[true, false], 'yes/no'],
  [[{ a: 1 }], 'nested'],
  [['', null], 'empty'],
])('%j are %s', async (values, type) => {
  const table = memoryTable(
    ['X'],
    values.map((value) => [value]),
  )
  const { columns } = await inspected(await lookAtTable(table), {})
  expect(columns[0]!.type).toBe(type)
})
