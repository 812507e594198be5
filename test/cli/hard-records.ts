/** Records that are hard to bring back from a file, published to an embedded service, with what the service then shows. */

import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { formats } from '../../src/formats/index.ts'
import { publishedTypes } from '../../src/resources/index.ts'
import { startWorld, type World } from './world.ts'

export const farmScheme = 'nz.example.farm-number'
export const [rimu, kowhai] = ['00412876', '00731190'].map((id) => ({ scheme: farmScheme, id })) as [Id, Id]
export type Id = { readonly scheme: string; readonly id: string }
export type Body = Readonly<Record<string, unknown>>

/** The file endings that windrow writes, one for each format. */
export const endings = formats.flatMap((format) =>
  format.write === undefined
    ? []
    : format.extensions.slice(0, 1).map((each) => ({ shp: 'zip' })[each.slice(1)] ?? each.slice(1)),
)

/** The ring of a square. */
export function square(west: number, south: number, size: number): readonly (readonly number[])[] {
  return [
    [west, south],
    [west + size, south],
    [west + size, south + size],
    [west, south + size],
    [west, south],
  ].map(([x, y]) => [Number(x!.toFixed(7)), Number(y!.toFixed(7))])
}

export function boundary(geometry: object): object {
  return { type: 'Feature', geometry, properties: {} }
}

export function source(holding: Id, type: string, id: string): Body {
  return {
    sourceId: { scheme: `${holding.scheme}.${type}`, id: `${holding.id}/${encodeURIComponent(id)}` },
    modified: '2026-10-01T02:03:04.567Z',
    created: '2026-09-01T00:00:00Z',
    validFrom: '2026-09-01T00:00:00+12:00',
  }
}

export function key(holding: Id, type: string, id: string): string {
  return [type, holding.scheme, holding.id, id].map(encodeURIComponent).join('/')
}

/** Coordinates with more digits than windrow publishes. */
const fine = square(175.32, -37.8, 0.0015).map(([x, y]) => [x! + 0.000000031, y! - 0.000000042])
const shell = square(175.3, -37.8, 0.002)
const polygons = [
  { type: 'Polygon', coordinates: [shell, square(175.3005, -37.7995, 0.0005).toReversed()] },
  { type: 'MultiPolygon', coordinates: [[square(175.31, -37.8, 0.001)], [square(175.312, -37.8, 0.001)]] },
  { type: 'MultiPolygon', coordinates: [[fine]] },
]

/** Records with macrons, several crops, several identifiers in several orders, blank fields, odd units and moments. */
export const records: Readonly<Record<string, readonly Body[]>> = {
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
        {
          name: 'Rimu',
          taxonomicName: 'Dacrydium cupressinum',
          abundance: 'Frequent',
          classfication: [{ primary: 'Tree' }],
        },
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

/** A world whose service has these records. */
export async function worldWith(bodies: Readonly<Record<string, readonly Body[]>>): Promise<World> {
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

/** The report of a command that imports. */
export async function counts(world: World, words: readonly string[]): Promise<Counts & { readonly outcome: string }> {
  const { out, failure } = await world.run([...words, '--json'])
  expect(failure, failure?.message).toBeUndefined()
  return JSON.parse(out) as Counts & { readonly outcome: string }
}

/** The records that the service shows, by the last part of their source id, without what changes with each version. */
export async function held(world: World, type: string): Promise<ReadonlyMap<string, Body>> {
  const { out } = await world.run(['service', 'changes', type, '--json'])
  const items = out
    .trim()
    .split('\n')
    .flatMap((line) => {
      const parsed = JSON.parse(line) as Body | { items: Body[] }
      return 'items' in parsed ? (parsed['items'] as Body[]) : [parsed as Body]
    })
  return new Map(
    items.map(({ meta, ...rest }) => {
      const { modified: _, ...kept } = meta as Body
      return [(kept['sourceId'] as Id).id, { ...rest, meta: kept }] as const
    }),
  )
}
