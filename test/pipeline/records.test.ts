import { afterEach, beforeEach, expect, test } from 'vitest'
import { prepareImport } from '../../src/pipeline/prepare/prepare.ts'
import { parsePipeline, type ImportPipeline } from '../../src/pipeline/definition/definition.ts'
import { recordsOf, type RowRecord } from '../../src/pipeline/records.ts'
import { collection, paddock, rimu, startFarm, type Farm } from './farm.ts'

let farm: Farm
beforeEach(async () => {
  farm = await startFarm()
})
afterEach(() => farm.close())

const pipeline = (more = ''): string => `windrow: 1
import: plots
from: { file: map.geojson }
holding: { scheme: ${rimu.scheme}, id: "${rimu.id}" }
key: <ID>
only: { USE: grazing }
record: { name: <NAME>, totalArea: measured, crops: [{ name: <CROP>, establishmentDate: { from: SOWN, date: d/M/yyyy } }] }
zone: Pacific/Auckland
${more}`

const rows = [
  paddock(1, { ID: '1', NAME: 'Rāhui', USE: 'grazing', CROP: 'Lucerne', SOWN: '3/9/2026' }),
  paddock(2, { ID: '2', NAME: 'Top flat', USE: 'grazing', CROP: 'Ryegrass', SOWN: '31/2/2026' }),
  paddock(3, { ID: '3', NAME: 'Bush', USE: 'bush', CROP: '', SOWN: '' }),
  paddock(4, { ID: '', NAME: 'Creek', USE: 'grazing', CROP: '', SOWN: '' }),
]

async function recordsIn(yaml: string): Promise<readonly RowRecord[]> {
  const parsed = parsePipeline(yaml, `${farm.folder}/p.yaml`) as ImportPipeline
  const prepared = await prepareImport(parsed, { clock: () => new Date(), sleep: () => Promise.resolve() })
  try {
    const records: RowRecord[] = []
    for await (const batch of recordsOf(prepared, { now: '2026-11-20T00:00:00Z' })) records.push(...batch)
    return records
  } finally {
    await prepared.close()
  }
}

test('each row becomes a record, is rejected with the reason, or is skipped', async () => {
  farm.write('map.geojson', collection(rows))
  const records = await recordsIn(pipeline())
  expect(records.map(({ at, outcome, problems }) => [at.row, outcome, problems.map(({ code }) => code)])).toEqual([
    [0, 'ready', []],
    [1, 'rejected', ['date-impossible']],
    [2, 'skipped', ['row-filtered']],
    [3, 'rejected', ['key-missing']],
  ])
  expect(records.filter(({ body }) => body !== undefined)).toHaveLength(1)
})

test('the checks are those of a run, such as of a crop that would be sown decades from now', async () => {
  const sown = { ID: '1', NAME: 'Rāhui', USE: 'grazing', CROP: 'Lucerne', SOWN: '3/9/2062' }
  const heading = { ID: 'South', NAME: '', USE: 'grazing', CROP: '', SOWN: '' }
  farm.write('map.geojson', collection([paddock(1, sown), { ...paddock(2, heading), geometry: null }]))
  const records = await recordsIn(pipeline())
  const codes = ({ problems }: RowRecord): readonly string[] =>
    problems.filter(({ severity }) => severity === 'error').map(({ code }) => code)
  expect(records.map((each) => [each.outcome, codes(each)])).toEqual([
    ['rejected', ['sowing-unlikely']],
    ['rejected', ['row-without-record']],
  ])
  const report = await farm.run(pipeline(), { dryRun: true })
  const found = report.problems.filter(({ severity }) => severity === 'error').map(({ code }) => code)
  expect(found.toSorted()).toEqual(['row-without-record', 'sowing-unlikely'])
})

test('the bodies are those that a dry run makes', async () => {
  farm.write('map.geojson', collection(rows.slice(0, 1)))
  const report = await farm.run(pipeline(), { dryRun: true })
  const withoutMoments = (body: string): unknown => {
    const { meta, ...record } = JSON.parse(body) as { meta: { sourceId: unknown } }
    return { ...record, sourceId: meta.sourceId }
  }
  const [record] = await recordsIn(pipeline())
  expect(withoutMoments(Buffer.from(record!.body!).toString())).toEqual(
    withoutMoments(farm.read(report.files['bodies']!)),
  )
})

test('only a run groups rows', async () => {
  farm.write('map.geojson', collection(rows))
  await expect(recordsIn(pipeline('rows: group'))).rejects.toMatchObject({ code: 'option-invalid' })
})
