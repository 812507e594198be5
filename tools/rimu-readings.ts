/** Writes the measurements and deliveries of one spring on Rimu Farm, as the service returns them. All of it is invented. */

const farm = '00412876'
const paddocks = [
  ['001', 'Woolshed'],
  ['007', 'Rāhui'],
  ['015', 'Pond'],
] as const

type Paddock = (typeof paddocks)[number]

/** Days of the farm walk, and the kilograms of dry matter on each paddock. */
const walks: readonly (readonly [day: string, covers: readonly number[]])[] = [
  ['2026-10-05', [2150, 1980, 2240]],
  ['2026-10-19', [2480, 2310, 1620]],
  ['2026-11-02', [2790, 1710, 1980]],
]

/** The text of crop-records.json: the lists that `windrow serve --load` takes beside work records. */
export function cropRecordsText(): string {
  const lists = {
    pastureCoverEvents: [...walks.flatMap(([day, covers]) => walk(day, covers)), mistaken()],
    loadReceivals: [load('L-2201', '2026-10-28', 8420, 34.5), load('L-2202', '2026-10-28', 9160, 33.8)],
    sampleAnalyses: [
      analysis('S-77', '2026-09-14', paddocks[0], 6.1),
      analysis('S-78', '2026-09-14', paddocks[1], 5.7),
    ],
    samplePlans: [plan('P-12', '2026-09-01', paddocks)],
  }
  return `${JSON.stringify(lists, undefined, 2)}\n`
}

function walk(day: string, covers: readonly number[]): readonly object[] {
  return paddocks.map((paddock, index) =>
    cover(`W-${day}-${paddock[0]}`, { day, paddock, dryMatterKg: covers[index]! }),
  )
}

type Cover = { readonly day: string; readonly paddock: Paddock; readonly dryMatterKg: number }

// The plate meter's equation: kilograms for each half centimetre of compressed height, plus a base.
const [slope, intercept] = [140, 500]

function cover(id: string, { day, paddock, dryMatterKg }: Cover): Record<string, unknown> {
  return {
    resourceType: 'svcPastureCoverEvent',
    id,
    name: `Farm walk, ${paddock[1]}`,
    ...common('reading', id, day),
    feature: feature(paddock),
    dryMatter: {
      resourceType: 'pfDryMatterMeasureType',
      measure: { units: 'KGM', measurement: dryMatterKg, resolution: 10 },
      areaMetric: { units: 'HAR', measurement: 1 },
    },
    pastureHeight: {
      resourceType: 'lengthMeasureType',
      units: 'CMT',
      measurement: Number(((dryMatterKg - intercept) / slope / 2).toFixed(1)),
    },
    equationSlope: slope,
    equationIntercept: intercept,
    methodUsed: 'Rising plate meter',
    device: { resourceType: 'deviceType', id: 'PM-3', name: 'Plate meter 3', manufacturer: 'Harbour Instruments' },
    responsible: 'Hēmi Example',
  }
}

/** A reading that was withdrawn. */
function mistaken(): object {
  const reading = cover('W-2026-10-19-001b', { day: '2026-10-19', paddock: paddocks[0], dryMatterKg: 9990 })
  return { ...reading, remark: 'typed twice', meta: { ...(reading['meta'] as object), isDeleted: true } }
}

function load(id: string, day: string, netKg: number, dryMatterPercent: number): object {
  return {
    id,
    name: `Maize silage, load ${id}`,
    ...common('load', id, day),
    consignmentDate: moment('2026-10-27'),
    netWeight: { units: 'KGM', measurement: netKg },
    dryMatterPercent,
  }
}

function analysis(id: string, day: string, paddock: Paddock, acidity: number): object {
  const results = [
    { name: 'pH', value: acidity },
    { name: 'Olsen P', value: 24, units: 'mg/l' },
  ]
  return { id, name: `Soil test, ${paddock[1]}`, ...common('sample', id, day), feature: feature(paddock), results }
}

function plan(id: string, day: string, sites: readonly Paddock[]): object {
  return { id, name: 'Soil tests in spring', ...common('plan', id, day), features: sites.map(feature) }
}

function common(kind: string, id: string, day: string): Record<string, unknown> {
  return {
    holding: {
      identifier: { scheme: 'nz.example.farm-number', id: farm, resourceType: 'identifierType' },
      name: 'Rimu Farm',
      contentType: 'holding',
    },
    observationDate: moment(day),
    meta: { sourceId: { scheme: `nz.example.rimu.${kind}`, id }, modified: moment(day), isDeleted: false },
  }
}

function feature([id, name]: Paddock): object {
  const identifier = { scheme: 'nz.example.rimu.paddock', id, resourceType: 'identifierType' }
  return { identifier, name, contentType: 'plot' }
}

/** Noon in Auckland, which is the evening of the day before in UTC. */
function moment(day: string): string {
  return `${day}T12:00:00+13:00`
}
