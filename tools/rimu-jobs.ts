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
  readonly percent: number
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
  readonly until: string | undefined
  readonly responsible: string | undefined
  readonly remark: string | undefined
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

// Times are in UTC, where J-102 and J-108 are in another month. A tank mix is products with their rate, and their share where that is not
// the whole.
const table = `
farm | id | name | operation | status | paddock | areaHa | from | until | responsible | remark | passes
00412876 | J-101 | Urea on Woolshed | Fertilizing | Complete | 001 Woolshed | 4.6 | 2026-09-28T21:10:00 | 2026-09-28T22:25:00 | Hēmi Example | | urea 65
00412876 | J-102 | Spray Rāhui before sowing | CropProtection | Complete | 007 Rāhui | 5.1 | 2026-09-30T19:40:00.1234567 | 2026-09-30T21:05:00 | Hēmi Example | Wind dropped after 9. | clover 2.5 + wetter 0.25 0.1
00412876 | J-103 | Thistles in Swamp | CropProtection | Complete | 009 Swamp | 1.75 | 2026-10-06T20:15:00 | 2026-10-06T21:00:00 | Aroha Example | | thistle 0.035
00412876 | J-104 | Slugs in Mānuka | CropProtection | Complete | 010 Mānuka | 5.02 | 2026-10-12T02:30:00 | 2026-10-12T04:10:00 | Aroha Example | =2 bags left over | slug 8
00412876 | J-105 | Spray Tūī, two passes | CropProtection | Complete | 014 Tūī | 5.2 | 2026-10-18T19:05:00 | 2026-10-18T23:50:00 | Hēmi Example | | clover 2.5 + wetter 0.25 0.1 / moth 0.4
00412876 | J-106 | Sow Hāngī | SowingAndPlanting | Complete | 022 Hāngī | 4.9 | 2026-10-23T20:00:00 | 2026-10-24T03:30:00 | Contractor Example Ltd | | nothing
00412876 | J-107 | Spray O'Neill's | CropProtection | Cancelled | 024 O'Neill's | 5 | 2026-10-27T19:30:00 | | | Too windy. |
00412876 | J-108 | Rust in Pōhutukawa | CropProtection | Complete | 003 Pōhutukawa | 4.85 | 2026-10-31T18:10:00 | 2026-10-31T19:20:00 | Hēmi Example | | rust 0.75
00412876 | J-109 | Mow Hay barn | Mowing | Complete | 013 Hay barn | 4.7 | 2026-11-07T21:00:00 | 2026-11-08T01:15:00 | | | nothing
00412876 | J-110 | Moths in Pūkeko | CropProtection | Complete | 017 Pūkeko | 5.15 | 2026-11-11T19:45:00 | 2026-11-11T21:30:00 | Aroha Example | | moth 0.4 + wetter 0.2 0.1
00412876 | J-111 | Super on Top flat | Fertilizing | Scheduled | 019 Top flat | 4.95 | 2026-11-24T20:00:00 | | | | super 250
00731190 | K-7 | Gorse on the terrace | CropProtection | Complete | 7 Terrace | 12.4 | 2026-10-14T20:20:00 | 2026-10-15T01:40:00 | Wiremu Example | | thistle 0.05
`

const [heads = [], ...rows] = table
  .trim()
  .split('\n')
  .map((line) => line.split('|').map((cell) => cell.trim()))

const jobs = rows.map((cells) =>
  jobOf(Object.fromEntries(heads.map((head, column) => [head, cells[column]])) as Record<keyof Job, string>),
)

function jobOf(cells: Readonly<Record<keyof Job, string>>): Job {
  const [, paddockId, paddockName] = /^(\S+) (.+)$/.exec(cells.paddock)!
  return {
    ...cells,
    farm: cells.farm as FarmNumber,
    paddock: [paddockId!, paddockName!],
    areaHa: Number(cells.areaHa),
    from: `${cells.from}+00:00`,
    until: cells.until === '' ? undefined : `${cells.until}+00:00`,
    responsible: cells.responsible || undefined,
    remark: cells.remark || undefined,
    passes: cells.passes === '' ? [] : cells.passes.split(' / ').map(mixIn),
  }
}

function mixIn(text: string): readonly Spray[] {
  if (text === 'nothing') return []
  return text.split(' + ').map((each) => {
    const [product, rate, percent = 100] = each.split(' ')
    return { product: product as Spray['product'], rate: Number(rate), percent: Number(percent) }
  })
}

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
      percent,
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
