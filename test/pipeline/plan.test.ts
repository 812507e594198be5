import { join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { applyPlan, openPlanned, readPlan } from '../../src/pipeline/apply-run.ts'
import { prepareImport } from '../../src/pipeline/prepare/prepare.ts'
import { changesSchema } from '../../src/pipeline/report/changes-schema.ts'
import { changesDocument, type Change } from '../../src/pipeline/report/changes.ts'
import { assertBalanced, type Report } from '../../src/pipeline/report/report.ts'
import { readRuns } from '../../src/pipeline/report/run-folder.ts'
import { openStage } from '../../src/pipeline/stage/stage-store.ts'
import { checkAgainst } from '../../src/resources/validation.ts'
import { runs } from '../runs.ts'
import { anyChange, collection, paddock, rimu, startFarm, type Farm } from './farm.ts'

const yaml = `windrow: 1
import: plots
from: { file: map.geojson }
holding: { scheme: ${rimu.scheme}, id: "${rimu.id}" }
key: <ID>
record:
  name: <NAME>
  totalArea: { from: AREA, unit: ha }
  crops: [{ name: <CROP> }]
  identifiers: [{ scheme: nz.example.tag, id: <TAG> }]
blank: clear
gone: delete
rules: { deletes: stop above 100 %, replaced: stop above 100 %, ${anyChange} }`

/** A row of the file: undefined where the paddock is not in it. `far` moves its eastern fence; 'bad' is a row that cannot be read. */
type Row = { name: string; crop: string; tag: string; area: string; far: number; drawn: boolean } | undefined

const row: fc.Arbitrary<Row> = fc.option(
  fc.record({
    name: fc.constantFrom('Kānuka', 'Top', 'Low'),
    crop: fc.constantFrom('Maize', 'Lucerne', ''),
    tag: fc.constantFrom('12', ''),
    area: fc.constantFrom('1.2', '1.25', '', 'bad'),
    far: fc.constantFrom(0, 0.0002),
    drawn: fc.boolean(),
  }),
  { nil: undefined, freq: 5 },
)
// Enough rows, so that a file is never empty.
const night = fc
  .array(row, { minLength: 8, maxLength: 8 })
  .filter((rows) => rows.some((each) => each?.area !== 'bad' && each?.drawn))

function fileOf(rows: readonly Row[]): string {
  const features = rows.flatMap((each, number) => {
    if (each === undefined) return []
    const { name: NAME, crop: CROP, tag: TAG, area: AREA, far, drawn } = each
    const made = paddock(number, { ID: `P${number}`, NAME, CROP, TAG, AREA }) as {
      geometry: { coordinates: number[][][] }
    }
    for (const place of [1, 2]) made.geometry.coordinates[0]![place]![0]! += far
    return [drawn ? made : { ...made, geometry: null }]
  })
  return collection(features)
}

async function apply(farm: Farm, planned: Report): Promise<Report> {
  const state = join(farm.folder, '.windrow')
  const plan = readPlan(readRuns(state).runs.find(({ id }) => id === planned.run)!)
  const clock = (): Date => new Date()
  const sleep = (): Promise<void> => Promise.resolve()
  const { pipeline, source, close } = await openPlanned(plan, [], {})
  const prepared = await prepareImport(pipeline, { clock, sleep, source })
  const options = { state, connection: farm.connect(), dryRun: false, clock, sleep, confirmWithinMs: 200 }
  const report = await applyPlan(plan, prepared, options)
  await close()
  return report
}

function changesIn(farm: Farm, report: Report): readonly Change[] {
  const stage = openStage(join(farm.folder, '.windrow', 'runs', report.run))
  const document = JSON.parse([...changesDocument(report, stage)].join('')) as { changes: Change[]; counts: object }
  stage.close()
  expect(checkAgainst(changesSchema, document)).toEqual([])
  const { created, updated, unchanged } = report.records
  const { deleted, kept } = report.gone
  const counts = { created, updated, unchanged, deleted, kept, rejected: report.rows.rejected }
  expect(document.counts).toEqual(counts)
  for (const [kind, number] of Object.entries(counts))
    expect(document.changes.filter((each) => each.kind === kind)).toHaveLength(number)
  return document.changes
}

const counts = ({ rows, records, gone }: Report): object => ({ rows, records, gone })

/** The records of the service without what differs from run to run. */
async function contentOf(farm: Farm): Promise<object> {
  const held = [...(await farm.held('plots'))].sort(([one], [other]) => (one < other ? -1 : 1))
  const own = new Set(['id', 'self', '@self', 'meta'])
  return held.map(([key, body]) => {
    const { modified, created, ...meta } = body['meta'] as Record<string, unknown>
    const members = Object.entries(body).filter(([name]) => !own.has(name))
    return [key, members, meta, typeof modified, typeof created]
  })
}

test(
  'plan counts equal those of the run, and a plan that is applied leaves the service as a run does',
  { timeout: 300_000 },
  async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(night, { minLength: 2, maxLength: 3 }), async (nights) => {
        const [planned, plain] = [await startFarm(), await startFarm()]
        try {
          planned.write('paddocks.yaml', yaml)
          for (const rows of nights) {
            for (const farm of [planned, plain]) farm.write('map.geojson', fileOf(rows))
            // A large file: what is the same as before is only recognised.
            const plan = await planned.run(yaml, { dryRun: true, isLarge: true })
            const applied = await apply(planned, plan)
            expect(plan.error).toBeUndefined()
            expect(await plain.run(yaml, { dryRun: true }).then(counts)).toEqual(counts(plan))
            const ran = await plain.run(yaml)
            assertBalanced(applied)
            expect(counts(applied)).toEqual(counts(plan))
            expect(counts(ran)).toEqual(counts(plan))
            expect(await contentOf(planned)).toEqual(await contentOf(plain))
            const again = await planned.run(yaml, { isLarge: true })
            expect(again.records).toMatchObject({ created: 0, updated: 0 })
            const updates = changesIn(planned, { ...plan, run: applied.run }).filter((each) => each.kind === 'updated')
            for (const { fields, boundary } of updates) expect(fields.length > 0 || boundary !== undefined).toBe(true)
          }
        } finally {
          planned.close()
          plain.close()
        }
      }),
      { numRuns: runs(40) },
    )
  },
)

test('a plan is out of date once a record has changed whose row is the same as before', async () => {
  const farm = await startFarm()
  try {
    farm.write('paddocks.yaml', yaml)
    farm.write('map.geojson', collection([1, 2].map((number) => paddock(number, { ID: `P${number}`, NAME: 'Top' }))))
    await farm.run(yaml, { isLarge: true })
    const plan = await farm.run(yaml, { dryRun: true, isLarge: true })
    const [theirs] = [...(await farm.held('plots')).values()]
    const { client } = farm.connect()
    const meta = { ...(theirs!['meta'] as object), modified: new Date().toISOString() }
    await client.publish((await client.dataset('plots')).updates!, [JSON.stringify({ ...theirs, name: 'Low', meta })])
    await expect(apply(farm, plan)).rejects.toMatchObject({ code: 'plan-outdated' })
  } finally {
    farm.close()
  }
})
