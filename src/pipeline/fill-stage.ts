/** Fills the stage of a run from its file, a second time if rows were matched with records of the service, and judges it. */

import type { Problem } from '../core/problem.ts'
import type { Choice } from '../core/row.ts'
import { older } from '../rules/limits.ts'
import { judgeGone, reportChangedHands } from './settle/gone.ts'
import { addKnownBoundaries, compareBoundaries, judgeAreas, leaveOutVoided } from './settle/coverage.ts'
import { judgeChanges } from './settle/changed.ts'
import { judgeKeys } from './settle/keys.ts'
import { doubtsAboutReading, judgeFarmsNamed, judgeLimits, judgeSource, judgeTotals } from './settle/file.ts'
import { judgeRetry } from './settle/retry.ts'
import { find, throwIfStopped, type Judging } from './settle/judging.ts'
import { mayLieElsewhere, newAndKnown } from './settle/candidates.ts'
import {
  judgeIdentity,
  matchRecords,
  matchScope,
  refuseUnseen,
  startMatching,
  type Matched,
} from './settle/identity.ts'
import { startSharedLand } from './settle/shared-land.ts'
import { judgePlaces } from './settle/places.ts'
import { placeOfRun } from './prepare/holding-place.ts'
import { digestOf } from './prepare/prepare.ts'
import type { Course, PreparedImport } from './report/course.ts'
import { goneBefore, lastDefinition, retriedIn } from './report/run-folder.ts'
import { startBoundaryStore } from './stage/boundary-store.ts'
import type { StageContext } from './stage/draft-row.ts'
import { startEvidence } from './stage/import-job.ts'
import { startSameRows } from './stage/same-rows.ts'
import { stageRows } from './stage/stage.ts'
import { isCut, type Stage } from './stage/stage-store.ts'

/** Fills the stage of a run, and completes it if it may be sent; else throws why not. */
export async function fillStage(course: Course<PreparedImport>): Promise<void> {
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

/**
 * Stages and judges the file. Returns undefined once it is complete; the matches found, with which it has to be staged again; or that it
 * has to be staged again without recognising rows, because the rows that changed are in doubt.
 */
async function fillAndJudge(
  course: Course<PreparedImport>,
  { boundaries, matching, sameRows }: Pick<StageContext, 'boundaries' | 'matching' | 'sameRows'>,
): Promise<Matched | 'doubtful' | undefined> {
  const { prepared, options, ledger, stage, run } = course
  const { job, source, pipeline } = prepared
  const { signal, onProgress, state } = options
  const onRows = (rows: number): void => onProgress?.('read', rows)
  const client = options.connection?.client
  const isPreview = client === undefined
  const collected = { ...startEvidence(job), boundaries, matching, sameRows }
  const context: StageContext = { stage, ledger, now: run.started, signal, isPreview, onRows, ...collected }
  const judging: Judging = { ...context, job, source: source.name, state, client }
  const totals = await stageRows(job, context)
  judgeTotals(judging, totals)
  await judgeSource(job, { before: stage.recall('fingerprint')!, fingerprint: source.fingerprint })
  if (sameRows?.hasClash === true) return 'doubtful'
  const repeated = job.rows === 'one' ? judgeKeys(judging) : undefined
  if (options.retries !== undefined) judgeRetry(judging, retriedIn(state, options.retries))
  if (boundaries !== undefined) addKnownBoundaries(boundaries, judging)
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
  const found = job.table.found()
  const doubts = doubtsAboutReading(judging)
  // Only a part of the cells was read where rows are recognised.
  if (doubts.length > 0 && (sameRows?.found.rows ?? 0) > 0) return 'doubtful'
  for (const each of [...found, ...doubts]) stage.addProblem(each)
  judgeAreas(judging)
  const findFarm = client && (() => placeOfRun(pipeline, { ledger, client, signal }))
  const mayMove = await judgePlaces(judging, compared.records, findFarm)
  const account = client?.account
  judgeChanges(judging, {
    isWhole,
    merged: found.find(({ code }) => code === 'cells-merged')?.message,
    mayMove,
    matched: matchedNow(judging),
    lastDefinition: () => lastDefinition(state, { name: job.name, account }),
  })
  await judgeFarmsNamed(judging, totals)
  const goneUntilNow = () => goneBefore(state, { name: job.name, account })
  // A dry run that will be refused shows its findings, and then why.
  const isRefused = options.refusal !== undefined
  await judgeIdentity(judging, { ...compared, isRefused, goneBefore: isWhole ? goneUntilNow : undefined })
  leaveOutVoided(judging)
  if (compared.records === undefined) await refuseUnseen(judging, totals)
  const missing = (options.refusal?.data['missing'] ?? []) as readonly Choice[]
  const hasKey = options.refusal?.code !== 'key-missing' && !missing.some(({ setting }) => setting === 'key')
  if (source.age !== undefined) find(judging, [older], source.age)
  if (isWhole) judgeLimits(judging, { read: totals.read, unowned, hasKey, repeated })
  if (job.picture !== undefined) stage.remember('pictured', job.picture.rows())
  stage.remember('matches', [...matching.keys])
  if (job.policy.allowed.size > 0) stage.remember('accepted', true)
  stage.complete({ isPreview, isStopped: stage.stops().length > 0 })
  throwIfStopped(stage)
  return undefined
}

/** Compares the boundaries with each other and with those of the service, once for all that judge land. */
async function compareLand(judging: Judging) {
  const { stage, boundaries } = judging
  const records = newAndKnown(judging)
  if (boundaries === undefined) return { records, land: undefined }
  const comparesKnown = records !== undefined || mayLieElsewhere(judging)
  const land = startSharedLand(stage, boundaries, comparesKnown)
  stage.remember('coverage', await compareBoundaries(judging, boundaries, land.see))
  return { records, land }
}

/** The keys of the records that this run has matched, and no run before it. */
function matchedNow({ job, ledger, matching }: Judging): ReadonlySet<string> {
  const before = matching.keys.size === 0 ? new Map() : ledger.matches(matchScope(job))
  return new Set([...matching.keys].flatMap(([given, key]) => (before.has(given) ? [] : [key])))
}

/** Empties the stage of all rows, and of the problems after this one, to stage the file again. */
function startOver(stage: Stage, afterProblem: number, notes: readonly Problem[]): void {
  stage.together(() => {
    for (const table of ['rows', 'records', 'changes', 'same_rows', 'digests', 'owners'])
      stage.change(`DELETE FROM ${table}`)
    stage.change('DELETE FROM problems WHERE id > ?', afterProblem)
    for (const each of notes) stage.addProblem(each)
  })
}
