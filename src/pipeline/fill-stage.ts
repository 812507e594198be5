/** Fills the stage of a run from its file, a second time if rows were matched with records of the service, and judges it. */

import type { WindrowError } from '../core/error.ts'
import type { Problem } from '../core/problem.ts'
import { betterReadings } from '../mapping/readings.ts'
import type { RowFilter } from './definition/row-filter.ts'
import { doubtfulChangesIn, oddChangesIn, type Contradiction } from './evidence/odd-changes.ts'
import { verdictOnAreas } from './evidence/stated-area.ts'
import { addHeldBoundaries } from './judge/held-boundaries.ts'
import { farmsToWrite, otherFarmError } from './export/find-holding.ts'
import { judgeCoverage, leaveOutVoided } from './judge/judge-coverage.ts'
import { judgeFar, warnOfFirst } from './judge/judge-far.ts'
import { judgeGone, reportChangedHands } from './judge/judge-gone.ts'
import {
  contradictionOfFilter,
  contradictionOfLetters,
  contradictionOfRival,
  judgeReadings,
} from './judge/judge-readings.ts'
import { judgeRetry } from './judge/judge-retry.ts'
import { judgeRenamed, stopForOddChanges } from './judge/judge-renamed.ts'
import { judgeGuards, judgeKeys, judgeSource } from './judge/judge.ts'
import { mayLieElsewhere, newAndKnown } from './settle/candidates.ts'
import { judgeIdentity, matchRecords, refuseUnseen, startMatching, type Matched } from './settle/identity.ts'
import { isCut, throwIfStopped, warnIfAllowed, type GuardName, type Judging } from './settle/judging.ts'
import { startSharedLand } from './settle/shared-land.ts'
import { placeOfRun } from './prepare/holding-place.ts'
import { digestOf } from './prepare/prepare.ts'
import type { PreparedImport, ReadingCourse } from './report/course.ts'
import { goneBefore, retriedIn } from './report/run-folder.ts'
import { startBoundaryStore, type BoundaryStore } from './stage/boundary-store.ts'
import { startEvidence, type Matching, type SameRows, type StageContext } from './stage/import-job.ts'
import type { RowTotals } from './stage/row-totals.ts'
import { startSameRows } from './stage/same-rows.ts'
import { endRows, stageRows } from './stage/stage.ts'
import { wholeFile, type Stage } from './stage/stage-store.ts'

/** Fills the stage of a run, and completes it if it may be sent; else throws why not. */
export async function fillStage(course: ReadingCourse): Promise<void> {
  const { prepared, options, ledger, stage } = course
  const { job, source, pipeline } = prepared
  stage.remember('fingerprint', await source.fingerprint())
  const matching = startMatching(job, pipeline.match, ledger)
  const noted = stage.lastProblem()
  const definition = recognitionOf(prepared)
  const isPreview = options.connection === undefined
  let recognises = pipeline.match === undefined && options.retries === undefined
  for (;;) {
    const boundaries = job.geometry && startBoundaryStore(stage.folder)
    const sameRows = recognises ? startSameRows(job, ledger, { definition, isPreview }) : undefined
    try {
      const ended = await fillAndJudge(course, { boundaries, matching, sameRows })
      if (ended === undefined) return
      recognises &&= ended !== 'doubtful'
      const { found, notes } = ended === 'doubtful' ? { found: [], notes: [] } : ended
      for (const [given, key] of found) matching.keys.set(given, key)
      startOver(stage, noted, notes)
    } finally {
      boundaries?.close()
    }
    job.picture?.startOver()
  }
}

/** A text of what decides, beside the row itself, what becomes of a row. Tonight's file may have another name. */
function recognitionOf({ pipeline, crs }: Pick<PreparedImport, 'pipeline' | 'crs'>): string {
  return JSON.stringify([digestOf({ ...pipeline, from: { ...pipeline.from, file: '' } }), crs])
}

type Aids = {
  readonly boundaries: BoundaryStore | undefined
  readonly matching: Matching
  readonly sameRows: SameRows | undefined
}

/**
 * Stages and judges the file. Returns undefined once it is complete; the matches found, with which it has to be staged again; or that it
 * has to be staged again without recognising rows, because the rows that changed are in doubt.
 */
async function fillAndJudge(
  course: ReadingCourse,
  { boundaries, matching, sameRows }: Aids,
): Promise<Matched | 'doubtful' | undefined> {
  const { prepared, options, ledger, stage, run } = course
  const { job, source, pipeline, guards, policy } = prepared
  const { signal, onProgress, state } = options
  const onRows = (rows: number): void => onProgress?.('read', rows)
  const client = options.connection?.client
  const isPreview = client === undefined
  const collected = { ...startEvidence(job), boundaries, matching, sameRows }
  const context: StageContext = { stage, ledger, now: run.started, signal, isPreview, onRows, ...collected }
  const judging: Judging = { ...context, job, source: source.name, state, guards, policy, client }
  const staged = await stageRows(job, context)
  endRows(job, stage, staged)
  const { totals } = staged
  await judgeSource(job, { before: stage.recall('fingerprint')!, fingerprint: source.fingerprint })
  if (sameRows?.hasClash === true) return 'doubtful'
  const repeated = job.rows === 'one' ? judgeKeys(judging) : undefined
  if (options.retries !== undefined) judgeRetry(judging, retriedIn(state, options.retries))
  if (boundaries !== undefined) addHeldBoundaries(boundaries, judging)
  const matched = pipeline.match && (await matchRecords(judging, pipeline.match))
  if (matched !== undefined && matched.found.size > 0) return matched
  // The rows of a retry are a few of the file: the others are not gone.
  const isWhole = options.retries === undefined
  // A row in doubt may be any of several records.
  const keyless = totals.keyless + (matched?.unclear ?? 0)
  // The rows that are missing may be behind the cut.
  const gone = { gone: isCut(stage) ? 'keep' : pipeline.gone, keyless, takeOver: options.takeOver ?? false }
  const unowned = isWhole ? judgeGone(judging, gone) : 0
  reportChangedHands(judging)
  const compared = await compareLand(judging)
  const { contradictions, odd } = contradictionsIn(judging, pipeline.only)
  const sameAsBefore = sameRows?.found.rows ?? 0
  if (contradictions.length > 0 && sameAsBefore > 0) return 'doubtful'
  judgeReadings(judging, contradictions)
  const about = { file: wholeFile(source.name), sameRows: sameAsBefore }
  for (const each of doubtfulChangesIn(context.changedValues, about)) stage.addProblem(each)
  await judgeWhose(judging, { totals, records: compared.records, odd, isWhole })
  const goneUntilNow = () => goneBefore(state, { name: job.name, account: options.connection?.client.account })
  // A dry run that will be refused shows its findings, and then why.
  const isRefused = options.refusal !== undefined
  await judgeIdentity(judging, { ...compared, isRefused, goneBefore: isWhole ? goneUntilNow : undefined })
  leaveOutVoided(judging)
  if (client && guards.far === 'stop')
    await warnOfFirst(judging, compared.records, () => placeOfRun(pipeline, { ledger, client, signal }))
  if (compared.records === undefined) await refuseUnseen(judging, totals)
  throwIfStopped(stage)
  const hasKey = options.refusal?.code !== 'key-missing'
  if (isWhole) judgeGuards(judging, { totals, unowned, hasKey, repeated })
  if (job.picture !== undefined) stage.remember('pictured', job.picture.rows())
  stage.remember('matches', [...matching.keys])
  stage.complete({ isPreview })
  return undefined
}

/** Warns, where the guard is allowed to pass this once, of each reason of its error. Returns whether it is. */
function warnIfErrorAllowed(judging: Judging, name: GuardName, { data }: WindrowError): boolean {
  return warnIfAllowed(judging, name, data['reasons'] as readonly string[])
}

/** Compares the boundaries with each other and with those of the service, once for all that judge land. */
async function compareLand(judging: Judging) {
  const { stage, boundaries } = judging
  const records = newAndKnown(judging)
  if (boundaries === undefined) return { records, land: undefined }
  const comparesKnown = records !== undefined || mayLieElsewhere(judging)
  const land = startSharedLand(stage, boundaries, comparesKnown)
  stage.remember('coverage', await judgeCoverage(judging, boundaries, land.see))
  return { records, land }
}

type Compared = Awaited<ReturnType<typeof compareLand>>

/** What speaks against the way in which the file was read. A one-off import, too, stops at those that are odd. */
function contradictionsIn(judging: Judging, only: RowFilter) {
  const { job, stage, source, readings, letters, changedValues, statedAreas } = judging
  const { settingsIn } = job
  const found = job.table.found()
  const areas = verdictOnAreas(statedAreas, { source, settingsIn })
  if (areas.stated !== undefined) stage.remember('stated-area', areas.stated)
  for (const each of [...found, ...areas.problems]) stage.addProblem(each)
  const merged = found.find(({ code }) => code === 'cells-merged')
  const odd = oddChangesIn(changedValues, merged)
  const others = [
    contradictionOfFilter(judging, only),
    letters && contradictionOfLetters(letters, settingsIn),
    ...betterReadings(readings).map((each) => contradictionOfRival(each, settingsIn)),
    areas.contradiction,
  ]
  return { contradictions: [...odd, ...others.filter((each) => each !== undefined)], odd }
}

type Whose = {
  readonly totals: RowTotals
  readonly records: Compared['records']
  readonly odd: readonly Contradiction[]
  readonly isWhole: boolean
}

/** Stops where the rows are probably of another farm, or of other paddocks than their ids say. */
async function judgeWhose(judging: Judging, { totals, records, odd, isWhole }: Whose): Promise<void> {
  const { job, guards, matching } = judging
  await judgeFarmsNamed(judging, totals)
  const far = guards.far === 'allow' ? undefined : await judgeFar(judging, records)
  if (far !== undefined && !warnIfErrorAllowed(judging, 'far', far)) throw far
  if (guards.renamed === 'allow' || !isWhole) return
  const mayMove = guards.far === 'allow' || far !== undefined
  const renamed = judgeRenamed(judging, new Set(matching.keys.values()), mayMove)
  if (renamed !== undefined && !warnIfErrorAllowed(judging, 'renamed', renamed)) throw renamed
  // judgeReadings only warns of it in a one-off import, which has just decided how to read the file.
  if (job.settingsIn === 'import' && odd.length > 0) throw stopForOddChanges(odd)
}

/** Empties the stage of all rows, and of the problems after this one, to stage the file again. */
function startOver(stage: Stage, afterProblem: number, notes: readonly Problem[]): void {
  stage.together(() => {
    for (const table of ['rows', 'records', 'same_rows', 'digests', 'owners']) stage.change(`DELETE FROM ${table}`)
    stage.change('DELETE FROM problems WHERE id > ?', afterProblem)
    for (const each of notes) stage.addProblem(each)
  })
}

/** Stops where new or changed rows name another farm of the account. */
async function judgeFarmsNamed({ job, source, client, signal }: Judging, { farmsNamed }: RowTotals): Promise<void> {
  const chosen = job.mapping.holding
  const columns = Object.entries(farmsNamed)
  if (client === undefined || chosen === undefined || columns.length === 0) return
  const farms = await farmsToWrite(client, signal)
  const found = otherFarmError(columns, { file: source, chosen, farms, settingsIn: job.settingsIn })
  if (found !== undefined) throw found
}
