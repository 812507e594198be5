/** Makes the work records of the export benchmark: seeded sprayings as JSON lines, and the rows that a diary of them has. */

import { createReadStream } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { flattener } from '../src/resources/columns.ts'
import { workRecord } from '../src/resources/work-record.ts'
import { chanceFrom, type Chance } from '../tools/seeded.ts'
import { writeText } from '../tools/write-text.ts'
import { madeOnce } from './made-once.ts'

const edition = 1

/** The path of a number of work records, one a line, made when missing. */
export function jobsOf(folder: string, count: number): Promise<string> {
  return madeOnce(join(folder, `jobs-${count}-${edition}.ndjson`), (path) => writeText(path, jobLines(count)))
}

function* jobLines(count: number): Generator<string> {
  const chance = chanceFrom(210)
  for (let index = 0; index < count; index += 1) yield `${JSON.stringify(job(chance, index))}\n`
}

/** The path of their diary, made when missing: the columns in the first line, then the rows. */
export function diaryOf(jobs: string): Promise<string> {
  return madeOnce(jobs.replace('jobs-', 'diary-'), async (path) => {
    const flat = flattener(workRecord, { layout: 'diary', zone: 'Pacific/Auckland', forPeople: true })
    for await (const line of createInterface(createReadStream(jobs))) flat.see(JSON.parse(line) as object)
    const lines: object[] = [flat.tables()[0]!.columns]
    for await (const line of createInterface(createReadStream(jobs)))
      lines.push(...flat.rows(JSON.parse(line) as object)[0]!)
    writeText(
      path,
      lines.map((each) => `${JSON.stringify(each)}\n`),
    )
  })
}

const farms = ['Rimu Farm', 'Kōwhai Station', 'Tōtara Downs', 'Ngāio Ridge Trust']
const paddocks = ['Rāhui', 'Ōtāne flat', 'Pōhutukawa', 'Kererū', 'Mānuka', 'Woolshed', 'Bull paddock']
const operators = ['A. Tūhoe', 'M. Rangi', 'J. Holm', 'K. Weir', 'S. Pōtae']
const remarks = ['', '', 'wind from the west, 12 km/h', 'gate "Ōtāne" left open, told the office']
const products = ['Roundup', 'Pulse', 'Karate Zeon', 'Urea', 'Superphosphate']
const measured = (measurement: number, units: string) => ({ measurement, units })

function job(chance: Chance, index: number): object {
  const start = new Date(Date.UTC(2026, 0, 1) + index * 240_000).toISOString()
  const end = new Date(Date.UTC(2026, 0, 1, 1) + index * 240_000).toISOString()
  const areaHa = Math.round(chance.between(0.4, 30) * 100) / 100
  const rate = Math.round(chance.between(1, 200) * 10) / 10
  const id = `00000000-0000-4000-8000-${String(index).padStart(12, '0')}`
  const farm = chance.whole(0, farms.length - 1)
  const name = `${chance.pick(products)} on ${chance.pick(paddocks)}`
  return {
    resourceType: 'workRecordResource',
    id,
    name,
    operation: 'CropProtection',
    status: 'Complete',
    workedArea: measured(areaHa, 'HAR'),
    holding: {
      identifier: { scheme: 'nz.example.farm-number', id: `0041287${farm}` },
      name: farms[farm],
      contentType: 'holding',
    },
    feature: {
      identifier: { scheme: 'nz.example.rimu.paddock', id: String(chance.whole(1, 400)) },
      name: chance.pick(paddocks),
      contentType: 'plot',
    },
    phenomenonStartTime: start,
    phenomenonEndTime: end,
    responsible: chance.pick(operators),
    remark: chance.pick(remarks),
    meta: { sourceId: { scheme: 'nz.example.rimu.job', id: `J-${index}` }, modified: end },
    loggedOperations: [
      {
        resourceType: 'operationRecordResource',
        operation: 'CropProtection',
        operationName: name,
        phenomenonStartTime: start,
        products: [
          {
            applicationRate: measured(rate, 'LTR'),
            spatialMetric: measured(1, 'HAR'),
            applicationTotal: measured(Math.round(rate * areaHa * 10) / 10, 'LTR'),
            waterVolume: measured(200, 'LTR'),
            components: [
              {
                percent: 100,
                product: {
                  name: chance.pick(products),
                  registrations: [{ scheme: 'acvm', id: `P00${chance.whole(1000, 9999)}` }],
                },
              },
            ],
          },
        ],
        environment: {
          windSpeed: measured(chance.whole(0, 20), 'KMH'),
          windDirectionCompass: chance.pick(['N', 'SW', 'E']),
        },
      },
    ],
  }
}
