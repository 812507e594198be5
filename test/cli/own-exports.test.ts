/** Exports every type of record in every format and imports the file again: each row must find its record, unchanged. */

import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Column, Row, Value } from '../../src/core/row.ts'
import { bufferSource } from '../../src/core/sources/source.ts'
import { fileTarget } from '../../src/core/sources/target.ts'
import type { OutTable } from '../../src/formats/format.ts'
import { formats, openFile } from '../../src/formats/index.ts'
import { publishedTypes, readableTypes } from '../../src/resources/index.ts'
import { startWorld, type World } from './world.ts'

const farmScheme = 'nz.example.farm-number'
const [rimu, kowhai] = ['00412876', '00731190'].map((id) => ({ scheme: farmScheme, id })) as [Id, Id]
type Id = { readonly scheme: string; readonly id: string }
type Body = Readonly<Record<string, unknown>>

const types = publishedTypes.map(({ plural }) => plural).filter((each) => (readableTypes as readonly string[]).includes(each))
const endings = formats.flatMap((format) => (format.write === undefined ? [] : format.extensions.slice(0, 1).map((each) => ({ shp: 'zip' })[each.slice(1)] ?? each.slice(1))))
const matrix = types.flatMap((type) => endings.map((ending) => [type, ending] as const))

function square(west: number, south: number, size: number): readonly (readonly number[])[] {
  return [
    [west, south],
    [west + size, south],
    [west + size, south + size],
    [west, south + size],
    [west, south],
  ].map(([x, y]) => [Number(x!.toFixed(7)), Number(y!.toFixed(7))])
}

function boundary(geometry: object): object {
  return { type: 'Feature', geometry, properties: {} }
}

function source(holding: Id, type: string, id: string): Body {
  return {
    sourceId: { scheme: `${holding.scheme}.${type}`, id: `${holding.id}/${encodeURIComponent(id)}` },
    modified: '2026-10-01T02:03:04.567Z',
    created: '2026-09-01T00:00:00Z',
    validFrom: '2026-09-01T00:00:00+12:00',
  }
}

function key(holding: Id, type: string, id: string): string {
  return [type, holding.scheme, holding.id, id].map(encodeURIComponent).join('/')
}

const shell = square(175.3, -37.8, 0.002)
const polygons = [
  { type: 'Polygon', coordinates: [shell, square(175.3005, -37.7995, 0.0005).toReversed()] },
  { type: 'MultiPolygon', coordinates: [[square(175.31, -37.8, 0.001)], [square(175.312, -37.8, 0.001)]] },
  { type: 'MultiPolygon', coordinates: [[square(175.32, -37.8, 0.0015)]] },
]

/** Records with macrons, several crops, several identifiers in several orders, blank fields, odd units and moments. */
const records: Readonly<Record<string, readonly Body[]>> = {
  plots: [
    {
      name: 'Rāhui "north", 2/3',
      dataPointKey: key(rimu, 'plots', 'A/1 ā'),
      identifiers: [rimu, { scheme: 'org.example.gps', id: '0007' }, { scheme: 'org.example.council', id: 'VAL-9' }],
      totalArea: { measurement: 38123.456789, resolution: 0.5, units: 'MTK' },
      totalLength: { measurement: 820.25, units: 'MTR' },
      classifications: [{ scheme: 'org.example.use', primary: 'Grassland', secondary: 'Dairy' }],
      activities: [
        {
          name: 'Grazing',
          id: [{ scheme: 'org.example.use', id: '12' }],
          isPrimary: true,
          productiveArea: { measurement: 9.1, units: 'ACR' },
        },
        { name: 'Hay', isPrimary: false },
      ],
      crops: [
        {
          name: 'Lucerne',
          variety: 'V-1',
          establishmentDate: '2026-04-05T02:30:00+13:00',
          identifiers: [
            { scheme: 'org.example.crop', id: '3' },
            { scheme: 'org.example.gps', id: '4' },
          ],
          additionalProperties: { seedRate: 12 },
        },
        { name: 'Ōtāne mix', harvestDate: '2026-09-26T14:15:16.789Z' },
      ],
      historicCrops: ['Oats', 'Kale', 'Rape', 'Peas', 'Turnips', 'Maize'].map((name) => ({ name })),
      links: [{ relationship: 'drawing', contentType: 'file', related: 'https://maps.example/a?b=1' }],
      additionalProperties: { soil: 'Waikato clay loam', depth: 0.4 },
      meta: source(rimu, 'plots', 'A/1 ā'),
      spatialFeature: boundary(polygons[0]!),
      centroid: { type: 'Point', coordinates: [175.301, -37.799] },
    },
    {
      name: '=1 gully',
      dataPointKey: key(rimu, 'plots', '002'),
      identifiers: [{ scheme: 'org.example.council', id: 'VAL-10' }, { scheme: 'org.example.gps', id: '8' }, rimu],
      totalArea: { measurement: 2.05, units: 'ACR' },
      crops: [
        {
          name: 'Kale',
          identifiers: [
            { scheme: 'org.example.gps', id: '5' },
            { scheme: 'org.example.crop', id: '6' },
          ],
        },
      ],
      meta: source(rimu, 'plots', '002'),
      spatialFeature: boundary(polygons[1]!),
    },
    {
      name: 'Far end',
      dataPointKey: key(kowhai, 'plots', '002'),
      identifiers: [kowhai],
      meta: source(kowhai, 'plots', '002'),
      spatialFeature: boundary(polygons[2]!),
    },
    {
      name: 'Not drawn yet',
      dataPointKey: 'another program 17',
      identifiers: [rimu],
      crops: [{ name: 'Plantain', maturityDate: '2027-01-31T00:00:00+13:00' }],
      meta: { ...source(rimu, 'plots', '17'), sourceId: { scheme: 'com.example.mapper', id: 'farm/17' } },
      centroid: { type: 'Point', coordinates: [175.3300001, -37.81] },
    },
  ],
  holdings: [
    {
      name: 'Rimu Farm',
      dataPointKey: key(rimu, 'holdings', rimu.id),
      identifiers: [rimu, { scheme: 'nz.example.vat', id: '12-345' }],
      totalArea: { measurement: 121.4, units: 'HAR' },
      meta: source(rimu, 'holdings', rimu.id),
      spatialFeature: boundary(polygons[1]!),
    },
    {
      name: 'Kōwhai Station',
      dataPointKey: key(kowhai, 'holdings', kowhai.id),
      identifiers: [kowhai],
      centroid: { type: 'Point', coordinates: [175.8841, -38.4127] },
      meta: source(kowhai, 'holdings', kowhai.id),
    },
  ],
  'land-covers': [
    {
      name: 'Bush by the creek',
      dataPointKey: key(rimu, 'land-covers', 'b1'),
      identifiers: [rimu],
      landCoverClass: { scheme: 'org.example.cover', primary: 'Native forest' },
      speciesPresent: [
        { name: 'Rimu', taxonomicName: 'Dacrydium cupressinum', abundance: 'Frequent', classfication: [{ primary: 'Tree' }] },
        { name: 'Tōtara' },
      ],
      eligibility: [{ scheme: 'org.example.scheme', primary: 'Carbon', eligible: 'yes' }],
      meta: source(rimu, 'land-covers', 'b1'),
      spatialFeature: boundary(polygons[0]!),
      centroid: { type: 'Point', coordinates: [175.301, -37.799] },
    },
    {
      name: 'Yards',
      dataPointKey: key(rimu, 'land-covers', 'b2'),
      identifiers: [rimu],
      meta: source(rimu, 'land-covers', 'b2'),
      spatialFeature: boundary(polygons[2]!),
    },
    {
      name: 'Pond, not drawn',
      dataPointKey: key(rimu, 'land-covers', 'b3'),
      identifiers: [rimu],
      meta: source(rimu, 'land-covers', 'b3'),
      centroid: { type: 'Point', coordinates: [175.34, -37.82] },
    },
  ],
}

async function worldWith(bodies: Readonly<Record<string, readonly Body[]>>): Promise<World> {
  const world = startWorld()
  await world.publishFarms()
  for (const type of ['holdings', 'plots', 'land-covers']) {
    const resourceType = publishedTypes.find(({ plural }) => plural === type)!.name
    writeFileSync(
      join(world.folder, `${type}.json`),
      JSON.stringify((bodies[type] ?? []).map((body) => ({ resourceType, ...body }))),
    )
    const { out, exit } = await world.run(['service', 'publish', type, `${type}.json`])
    expect(exit, out).toBe(0)
  }
  return world
}

type Counts = { readonly rows: Record<string, number>; readonly records: Record<string, number> }

async function counts(world: World, words: readonly string[]): Promise<Counts & { readonly outcome: string }> {
  const { out, failure } = await world.run([...words, '--json'])
  expect(failure).toBeUndefined()
  return JSON.parse(out) as Counts & { readonly outcome: string }
}

/** The records that the service shows, by the last part of their source id, without what changes with each version. */
async function held(world: World, type: string): Promise<ReadonlyMap<string, Body>> {
  const { out } = await world.run(['service', 'changes', type, '--json'])
  const items = out.trim().split('\n').flatMap((line) => {
    const parsed = JSON.parse(line) as Body | { items: Body[] }
    return 'items' in parsed ? (parsed['items'] as Body[]) : [parsed as Body]
  })
  return new Map(items.map(({ meta, ...rest }) => {
    const { modified: _, ...kept } = meta as Body
    return [(kept['sourceId'] as Id).id, { ...rest, meta: kept }] as const
  }))
}

/** Changes the rows of a file as another program would, and writes them in the same format. */
async function edit(world: World, file: string, change: (rows: Row[]) => readonly Row[]): Promise<void> {
  const path = join(world.folder, file)
  const opened = await openFile(bufferSource(file, readFileSync(path)))
  const tables: OutTable[] = []
  for (const table of opened.tables) {
    const rows: Row[] = []
    for await (const batch of table.batches()) rows.push(...batch)
    const changed = change(rows)
    const names = new Set(rows.flatMap(({ values }) => Object.keys(values)))
    const { name, columns = [...names].map((each): Column => ({ name: each })), hasGeometry } = table
    tables.push({
      name,
      columns: columns.filter((each) => each.name !== 'boundary'),
      hasGeometry,
      rows: async function* () {
        yield changed
      },
    })
  }
  await opened.close()
  const target = await fileTarget(path)
  await opened.format.write!(tables, target, {})
  await target.commit()
}

function withCell(column: RegExp, of: string, value: Value): (rows: Row[]) => readonly Row[] {
  return (rows) =>
    rows.map((row) => {
      if (row.values['Name'] !== of) return row
      const name = Object.keys(row.values).find((each) => column.test(each))!
      return { ...row, values: { ...row.values, [name]: value } }
    })
}

describe('one edit changes one field:', () => {
  const edits: readonly (readonly [string, RegExp, Value, (record: Body) => Body])[] = [
    ['a name with macrons', /^Name$/, 'Ōtāne flat', (record) => ({ ...record, name: 'Ōtāne flat' })],
    [
      'an area in the fourth digit',
      /^Total area \(ha\)$/,
      3.813,
      (record) => ({ ...record, totalArea: { measurement: 3.813, units: 'HAR' } }),
    ],
    [
      'the variety of a crop',
      /^Crop 1 variety$/,
      'V-2',
      (record) => ({ ...record, crops: cropsWith(record, { variety: 'V-2' }) }),
    ],
    [
      'the name of a crop, which keeps what has no column',
      /^Crop 1 name$/,
      'Chicory',
      (record) => ({ ...record, crops: cropsWith(record, { name: 'Chicory' }) }),
    ],
    [
      'the date of a crop, in the zone of the file',
      /^Crop 1 establishment date/,
      '2026-04-06T02:30:00',
      (record) => ({ ...record, crops: cropsWith(record, { establishmentDate: '2026-04-06T02:30:00+12:00' }) }),
    ],
    [
      'an identifier, which keeps its place',
      /^Identifier \(org.example.gps\)$/,
      '0008',
      (record) => ({
        ...record,
        identifiers: (record['identifiers'] as readonly Id[]).map((each) =>
          each.scheme === 'org.example.gps' ? { ...each, id: '0008' } : each,
        ),
      }),
    ],
  ]
  const cropsWith = (record: Body, change: Body): readonly Body[] =>
    (record['crops'] as readonly Body[]).map((crop, index) => (index === 0 ? { ...crop, ...change } : crop))

  test.each(endings)('a .%s', async (ending) => {
    const world = await worldWith(records)
    try {
      let before = await held(world, 'plots')
      const id = (records['plots']![0]!['meta'] as { sourceId: Id }).sourceId.id
      for (const [what, column, value, expected] of edits) {
        const file = `plots.${ending}`
        await world.run(['export', 'plots', '-o', file, '--zone', 'Pacific/Auckland'])
        await edit(world, file, withCell(column, before.get(id)!['name'] as string, value))
        const report = await counts(world, ['import', file])
        expect(report, what).toMatchObject({ rows: { rejected: 0 }, records: { created: 0, updated: 1 } })
        const after = await held(world, 'plots')
        expect(after, what).toEqual(new Map([...before, [id, expected(before.get(id)!)]]))
        before = after
      }
    } finally {
      world.close()
    }
  })

  test.each(endings.filter((ending) => ending !== 'xlsx'))('a moved corner in a .%s', async (ending) => {
    const world = await worldWith(records)
    try {
      const before = await held(world, 'plots')
      await world.run(['export', 'plots', '-o', `plots.${ending}`])
      await edit(world, `plots.${ending}`, (rows) =>
        rows.map((row) => {
          if (row.values['Name'] !== 'Far end' || !row.shape) return row
          const coordinates = row.shape.coordinates.map((each, index) => (index === 2 ? each + 3e-7 : each))
          return { ...row, shape: { ...row.shape, coordinates } }
        }),
      )
      const report = await counts(world, ['import', `plots.${ending}`])
      expect(report).toMatchObject({ rows: { rejected: 0 }, records: { created: 0, updated: 1 } })
      const changed = [...(await held(world, 'plots'))].filter(([id, now]) => !isDeepStrictEqual(now, before.get(id)))
      expect(changed.map(([, { name }]) => name)).toEqual(['Far end'])
    } finally {
      world.close()
    }
  })

  test('rows and columns that are left out leave their records and fields alone', async () => {
    const world = await worldWith(records)
    try {
      const before = await held(world, 'plots')
      await world.run(['export', 'plots', '-o', 'plots.csv'])
      const left = /^(?:Name|Source id|Identifier \(nz|Crop 1 name|Crop 1 variety)/
      await edit(world, 'plots.csv', (rows) =>
        rows.slice(0, 2).map(({ at, values }) => ({
          at,
          values: Object.fromEntries(Object.entries(values).filter(([name]) => left.test(name))),
        })),
      )
      const report = await counts(world, ['import', 'plots.csv'])
      expect(report).toMatchObject({ rows: { read: 2, unchanged: 2 }, records: { created: 0, updated: 0 } })
      expect(await held(world, 'plots')).toEqual(before)
    } finally {
      world.close()
    }
  })
})

describe('an export that is imported again changes nothing:', () => {
  let world: World
  beforeAll(async () => {
    world = await worldWith(records)
  })
  afterAll(() => world.close())

  test('the formats and types are all there', () => {
    expect(types).toEqual(['holdings', 'plots', 'land-covers'])
    expect(endings.toSorted()).toEqual(['csv', 'geojson', 'xlsx', 'zip'])
  })

  test.each(matrix)('%s as .%s', async (type, ending) => {
    const before = await held(world, type)
    expect(before.size).toBe(records[type]!.length)
    for (const zone of ['Pacific/Auckland', 'America/Chicago', 'UTC']) {
      const file = `${type}-${zone.replace('/', '-')}.${ending}`
      const unit = zone === 'America/Chicago' ? ['--area-unit', 'acres'] : []
      const exported = await world.run(['export', type, '-o', file, '--zone', zone, ...unit])
      expect(exported.failure).toBeUndefined()
      const report = await counts(world, ['import', file, '--zone', 'Europe/London'])
      expect(report, JSON.stringify(report)).toMatchObject({
        rows: { ready: 0, rejected: 0, unchanged: records[type]!.length },
        records: { created: 0, updated: 0 },
      })
    }
    expect(await held(world, type)).toEqual(before)
  })

  test.each(matrix)('a pipeline that init wrote for %s as .%s', async (type, ending) => {
    const before = await held(world, type)
    await world.run(['export', type, '-o', `${type}.${ending}`, '--zone', 'Pacific/Auckland'])
    const pipeline = `${type}-${ending}.yaml`
    const written = await world.run(['init', `${type}.${ending}`, '-o', pipeline])
    expect(written.failure).toBeUndefined()
    expect(written.out).toContain(`import: ${type}`)
    expect(written.out).not.toContain('please')
    const checked = await world.run(['check', pipeline])
    expect(checked.exit, checked.out + String(checked.failure?.message)).toBe(0)
    const report = await counts(world, ['run', pipeline])
    expect(report, written.out).toMatchObject({
      rows: { ready: 0, rejected: 0, unchanged: records[type]!.length },
      records: { created: 0, updated: 0 },
    })
    expect(await held(world, type)).toEqual(before)
  })

  test('unless it says another type or farm', async () => {
    await world.run(['export', 'holdings', '-o', 'farms.xlsx'])
    const type = await world.run(['import', 'farms.xlsx', '--to', 'plots', '--dry-run'])
    expect(type.failure?.message).toBe('"farms.xlsx" is an export of holdings, not of plots.')
    await world.run(['export', 'plots', '-o', 'two-farms.csv'])
    const farm = await world.run(['import', 'two-farms.csv', '--holding', `${farmScheme}:${rimu.id}`, '--dry-run'])
    expect(farm.failure?.message).toContain('The records cannot move to nz.example.farm-number:00412876.')
    expect(farm.failure?.hint).toBe('Leave out --holding.')
    await world.run(['export', 'plots', '--holding', 'Kōwhai Station', '-o', 'one-farm.csv'])
    expect((await world.run(['import', 'one-farm.csv', '--holding', `${farmScheme}:${kowhai.id}`, '--dry-run'])).exit).toBe(0)
  })

  test('the records stay with the pipeline that published them', async () => {
    const csv = 'NO,NAME\n1,One\n2,Two\n'
    writeFileSync(join(world.folder, 'mine.csv'), csv)
    const yaml = `windrow: 1
import: plots
from: { file: mine.csv }
holding: { scheme: ${farmScheme}, id: "${kowhai.id}" }
key: <NO>
record: { name: <NAME> }
gone: delete
guard: { deletes: 5 }
`
    writeFileSync(join(world.folder, 'mine.yaml'), yaml)
    const state = ['--state', 'state-of-mine']
    await counts(world, ['run', 'mine.yaml', ...state])
    await world.run(['export', 'plots', '--holding', 'Kōwhai Station', '-o', 'mine-again.csv'])
    expect(await counts(world, ['import', 'mine-again.csv', ...state])).toMatchObject({ rows: { ready: 0 } })
    writeFileSync(join(world.folder, 'mine.csv'), csv.replace('2,Two\n', ''))
    expect(await counts(world, ['run', 'mine.yaml', ...state])).toMatchObject({ gone: { deleted: 1, kept: 0 } })
  })
})
