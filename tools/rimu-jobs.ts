/** Writes two months of work on Rimu Farm and one job on Kōwhai Station, as the service returns them. All of it is invented. */

import { chanceFrom } from './seeded.ts'

const farms = {
  '00412876': { name: 'Rimu Farm', scheme: 'nz.example.rimu' },
  '00731190': { name: 'Kōwhai Station', scheme: 'nz.example.kowhai' },
} as const

type FarmNumber = keyof typeof farms

type Spray = {
  readonly product: keyof typeof products
  readonly rate: number
  readonly percent?: number
}

type Job = {
  readonly id: string
  readonly farm: FarmNumber
  readonly name: string
  readonly operation: string
  readonly status: string
  readonly paddock: readonly [id: string, name: string]
  readonly areaHa: number
  readonly from: string
  readonly until?: string
  readonly responsible?: string
  readonly remark?: string
  /** One tank mix a pass. */
  readonly passes: readonly (readonly Spray[])[]
}

const products = {
  clover: { type: 'Herbicide', form: 'Liquid', manufacturer: 'Puriri Crop Care', id: 'P9001', withholding: 336 },
  thistle: {
    type: 'Herbicide',
    form: 'WaterDispersibleGranule',
    manufacturer: 'Southern Leaf',
    id: 'P9014',
    withholding: 168,
  },
  wetter: { type: 'Adjuvant', form: 'Liquid', manufacturer: 'Southern Leaf', id: 'P9020' },
  moth: {
    type: 'Insecticide',
    form: 'SuspensionConcentrate',
    manufacturer: 'Puriri Crop Care',
    id: 'P9033',
    withholding: 504,
  },
  slug: { type: 'Molluscicide', form: 'Pellet', manufacturer: 'Kea Agri', id: 'P9047', withholding: 120 },
  rust: { type: 'Fungicide', form: 'EmulsifiableConcentrate', manufacturer: 'Kea Agri', id: 'P9052', withholding: 672 },
  urea: { type: 'Fertilizer', form: 'Granules', manufacturer: 'Harbour Nutrients' },
  super: { type: 'Fertilizer', form: 'Granules', manufacturer: 'Harbour Nutrients' },
} as const satisfies Record<string, Product>

type Product = {
  readonly type: string
  readonly form: string
  readonly manufacturer: string
  readonly id?: string
  readonly withholding?: number
}

const rimu = '00412876'
const spraying = { farm: rimu, operation: 'CropProtection', status: 'Complete' } as const

// Two are in another month in UTC: J-102 on 30 September and J-108 on 31 October.
const jobs: readonly Job[] = [
  {
    id: 'J-101',
    farm: rimu,
    name: 'Urea on Woolshed',
    operation: 'Fertilizing',
    status: 'Complete',
    paddock: ['001', 'Woolshed'],
    areaHa: 4.6,
    from: '2026-09-28T21:10:00+00:00',
    until: '2026-09-28T22:25:00+00:00',
    responsible: 'Hēmi Example',
    passes: [[{ product: 'urea', rate: 65 }]],
  },
  {
    ...spraying,
    id: 'J-102',
    name: 'Spray Rāhui before sowing',
    paddock: ['007', 'Rāhui'],
    areaHa: 5.1,
    from: '2026-09-30T19:40:00.1234567+00:00',
    until: '2026-09-30T21:05:00+00:00',
    responsible: 'Hēmi Example',
    remark: 'Wind dropped after 9.',
    passes: [
      [
        { product: 'clover', rate: 2.5 },
        { product: 'wetter', rate: 0.25, percent: 0.1 },
      ],
    ],
  },
  {
    ...spraying,
    id: 'J-103',
    name: 'Thistles in Swamp',
    paddock: ['009', 'Swamp'],
    areaHa: 1.75,
    from: '2026-10-06T20:15:00+00:00',
    until: '2026-10-06T21:00:00+00:00',
    responsible: 'Aroha Example',
    passes: [[{ product: 'thistle', rate: 0.035 }]],
  },
  {
    ...spraying,
    id: 'J-104',
    name: 'Slugs in Mānuka',
    paddock: ['010', 'Mānuka'],
    areaHa: 5.02,
    from: '2026-10-12T02:30:00+00:00',
    until: '2026-10-12T04:10:00+00:00',
    responsible: 'Aroha Example',
    remark: '=2 bags left over',
    passes: [[{ product: 'slug', rate: 8 }]],
  },
  {
    ...spraying,
    id: 'J-105',
    name: 'Spray Tūī, two passes',
    paddock: ['014', 'Tūī'],
    areaHa: 5.2,
    from: '2026-10-18T19:05:00+00:00',
    until: '2026-10-18T23:50:00+00:00',
    responsible: 'Hēmi Example',
    passes: [
      [
        { product: 'clover', rate: 2.5 },
        { product: 'wetter', rate: 0.25, percent: 0.1 },
      ],
      [{ product: 'moth', rate: 0.4 }],
    ],
  },
  {
    id: 'J-106',
    farm: rimu,
    name: 'Sow Hāngī',
    operation: 'SowingAndPlanting',
    status: 'Complete',
    paddock: ['022', 'Hāngī'],
    areaHa: 4.9,
    from: '2026-10-23T20:00:00+00:00',
    until: '2026-10-24T03:30:00+00:00',
    responsible: 'Contractor Example Ltd',
    passes: [[]],
  },
  {
    ...spraying,
    id: 'J-107',
    status: 'Cancelled',
    name: "Spray O'Neill's",
    paddock: ['024', "O'Neill's"],
    areaHa: 5,
    from: '2026-10-27T19:30:00+00:00',
    remark: 'Too windy.',
    passes: [],
  },
  {
    ...spraying,
    id: 'J-108',
    name: 'Rust in Pōhutukawa',
    paddock: ['003', 'Pōhutukawa'],
    areaHa: 4.85,
    from: '2026-10-31T18:10:00+00:00',
    until: '2026-10-31T19:20:00+00:00',
    responsible: 'Hēmi Example',
    passes: [[{ product: 'rust', rate: 0.75 }]],
  },
  {
    id: 'J-109',
    farm: rimu,
    name: 'Mow Hay barn',
    operation: 'Mowing',
    status: 'Complete',
    paddock: ['013', 'Hay barn'],
    areaHa: 4.7,
    from: '2026-11-07T21:00:00+00:00',
    until: '2026-11-08T01:15:00+00:00',
    passes: [[]],
  },
  {
    ...spraying,
    id: 'J-110',
    name: 'Moths in Pūkeko',
    paddock: ['017', 'Pūkeko'],
    areaHa: 5.15,
    from: '2026-11-11T19:45:00+00:00',
    until: '2026-11-11T21:30:00+00:00',
    responsible: 'Aroha Example',
    passes: [
      [
        { product: 'moth', rate: 0.4 },
        { product: 'wetter', rate: 0.2, percent: 0.1 },
      ],
    ],
  },
  {
    id: 'J-111',
    farm: rimu,
    name: 'Super on Top flat',
    operation: 'Fertilizing',
    status: 'Scheduled',
    paddock: ['019', 'Top flat'],
    areaHa: 4.95,
    from: '2026-11-24T20:00:00+00:00',
    passes: [[{ product: 'super', rate: 250 }]],
  },
  {
    ...spraying,
    id: 'K-7',
    farm: '00731190',
    name: 'Gorse on the terrace',
    paddock: ['7', 'Terrace'],
    areaHa: 12.4,
    from: '2026-10-14T20:20:00+00:00',
    until: '2026-10-15T01:40:00+00:00',
    responsible: 'Wiremu Example',
    passes: [[{ product: 'thistle', rate: 0.05 }]],
  },
]

/** The records as a file for the embedded service. */
export function workRecordsText(): string {
  const chance = chanceFrom(60)
  const hex = (length: number): string => Array.from({ length }, () => chance.whole(0, 15).toString(16)).join('')
  const uuid = (): string => `${hex(8)}-${hex(4)}-4${hex(3)}-a${hex(3)}-${hex(12)}`
  return `${JSON.stringify({ workRecords: jobs.map((job) => recordOf(job, uuid)) }, undefined, 2)}\n`
}

function recordOf(job: Job, uuid: () => string): object {
  const { name: farmName, scheme } = farms[job.farm]
  const workedArea = { measurement: job.areaHa, units: 'HAR' }
  return {
    resourceType: 'workRecordResource',
    id: uuid(),
    name: job.name,
    operation: job.operation,
    status: job.status,
    priority: null,
    workedArea,
    holding: reference('nz.example.farm-number', job.farm, farmName, 'holding'),
    feature: reference(`${scheme}.paddock`, job.paddock[0], job.paddock[1], 'plot'),
    phenomenonStartTime: job.from,
    phenomenonEndTime: job.until,
    responsible: job.responsible,
    remark: job.remark,
    meta: { sourceId: { scheme: `${scheme}.job`, id: job.id }, modified: job.until ?? '2026-11-18T20:00:00+00:00' },
    loggedOperations: job.passes.map((mix, index) => ({
      resourceType: 'operationRecordResource',
      id: uuid(),
      operation: job.operation,
      operationName: job.passes.length === 1 ? job.name : `${job.name}: pass ${index + 1}`,
      phenomenonStartTime: job.from,
      products: mix.length === 0 ? [] : [mixture(mix, job.areaHa)],
    })),
  }
}

function reference(scheme: string, id: string, name: string, contentType: string): object {
  return { identifier: { scheme, id, resourceType: 'identifierType' }, name, contentType }
}

/** One tank: the first product gives the rate, the others their share of the water. */
function mixture(mix: readonly Spray[], areaHa: number): object {
  const [first] = mix
  const dry = /^(Granules|Pellet|WaterDispersibleGranule)$/.test(products[first!.product].form)
  const units = dry ? 'KGM' : 'LTR'
  return {
    resourceType: 'operationProductType',
    applicationRate: { units, measurement: first!.rate },
    spatialMetric: { units: 'HAR', measurement: 1 },
    applicationTotal: { units, measurement: Math.round(first!.rate * areaHa * 1000) / 1000 },
    ...(dry ? {} : { waterVolume: { units: 'LTR', measurement: Math.round(areaHa * 120) } }),
    components: mix.map(({ product, percent }, index) => ({
      mixSequence: index + 1,
      percent: percent ?? 100,
      product: productOf(products[product]),
    })),
  }
}

function productOf({ type, form, manufacturer, id, withholding }: Product): object {
  return {
    type,
    manufacturer,
    form,
    ...(withholding === undefined ? {} : { withdrawals: [{ scheme: 'nz.example.agvet', hours: withholding }] }),
    ...(id === undefined ? {} : { registrations: [{ scheme: 'nz.example.agvet', id }] }),
  }
}
