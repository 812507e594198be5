/** Fills the stage of a run from its file, a second time if rows were matched with records of the service, and judges it. */

import { WindrowError } from '../core/error.ts'
import { older } from '../rules/limits.ts'
import type { Meeting } from '../geometry/coverage/coverage.ts'
import {
  judgeDuplicates,
  judgeElsewhere,
  judgeMoved,
  judgeTwins,
  mayLieElsewhere,
  noteTwins,
  startTwins,
} from './judge/judge-duplicates.ts'
import { judgeGone, reportChangedHands } from './settle/gone.ts'
import { contradictionOfLetters, judgeReadings, type Contradiction } from './judge/judge-readings.ts'
import { judgeUnseen } from './judge/judge-unseen.ts'
import { addKnownBoundaries, compareBoundaries, isUnitWrong, judgeAreas, leaveOutVoided } from './settle/coverage.ts'
import { judgeChanges } from './settle/changed.ts'
import { judgeKeys } from './settle/keys.ts'
import { judgeLimits } from './settle/limits.ts'
import { doubtsAboutReading, judgeFarmsNamed } from './settle/file.ts'
import { judgeRetry } from './settle/retry.ts'
import { judgeTotals } from './settle/rows.ts'
import { judgeSource } from './settle/source.ts'
import { find, guardsIn, throwIfStopped, warnIfAllowed, type GuardName, type Judging } from './settle/judging.ts'
import { matchRecords, matchScope, startMatching, startOver, type Matched } from './judge/match-records.ts'
import { newAndHeld, type NewAndHeld } from './judge/new-and-held.ts'
import { contradictionOfKeys, contradictionOfRenumbered, stopForKeys } from './judge/respelt-keys.ts'
import { startSharedLand } from './judge/shared-land.ts'
import { judgePlaces, type FarmLand } from './settle/places.ts'
import { placeOfRun } from './prepare/holding-place.ts'
import { digestOf } from './prepare/prepare.ts'
import type { PreparedImport, ReadingCourse } from './report/course.ts'
import { goneBefore, lastDefinition, retriedIn } from './report/run-folder.ts'
import { startBoundaryStore, type BoundaryStore } from './stage/boundary-store.ts'
import { startEvidence, type Matching, type SameRows, type StageContext } from './stage/import-job.ts'
import type { RowTotals } from './stage/row-totals.ts'
import { startSameRows } from './stage/same-rows.ts'
import { endRows, stageRows } from './stage/stage.ts'
import { isCut } from './stage/stage-store.ts'

/**
 * Fills the stage of a run, and completes it if it may be sent. Returns the error of new records that are in the service
 * already; throws every other.
 */
export async function fillStage(course: ReadingCourse): Promise<WindrowError | undefined> {
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
      if (ended === undefined || ended instanceof WindrowError) return ended
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
): Promise<Matched | 'doubtful' | WindrowError | undefined> {
  const { prepared, options, ledger, stage, run } = course
  const { job, source, pipeline, policy } = prepared
  const guards = guardsIn(policy)
  const { signal, onProgress, state } = options
  const onRows = (rows: number): void => onProgress?.('read', rows)
  const client = options.connection?.client
  const isPreview = client === undefined
  const collected = { ...startEvidence(job), boundaries, matching, sameRows }
  const context: StageContext = { stage, ledger, policy, now: run.started, signal, isPreview, onRows, ...collected }
  const judging: Judging = { ...context, job, source: source.name, state, guards, client }
  const staged = await stageRows(job, context)
  endRows(stage, staged)
  const { totals } = staged
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
  const { contradictions, respelt, merged } = contradictionsIn(judging)
  const sameAsBefore = sameRows?.found.rows ?? 0
  const doubts = doubtsAboutReading(judging)
  const areDoubts = contradictions.length + doubts.length > 0 || isUnitWrong(judging)
  if (areDoubts && sameAsBefore > 0) return 'doubtful'
  judgeAreas(judging)
  judgeReadings(judging, contradictions)
  for (const each of doubts) stage.addProblem(each)
  const findFarm = client && (() => placeOfRun(pipeline, { ledger, client, signal }))
  const mayMove = await judgePlaces(judging, compared.both && landOf(compared.both), findFarm)
  const account = options.connection?.client.account
  judgeChanges(judging, {
    isWhole,
    merged,
    mayMove,
    matched: matchedNow(judging),
    lastDefinition: () => lastDefinition(state, { name: job.name, account }),
  })
  await judgeWhose(judging, { totals, respelt, isWhole })
  leaveOutVoided(judging)
  // A dry run that will be refused shows its findings, and then why.
  const repeats = options.refusal === undefined ? guards.duplicates : 'allow'
  const goneUntilNow = () => goneBefore(state, { name: job.name, account })
  const doubled = await judgeDoubles(judging, {
    compared,
    policy: repeats,
    goneBefore: isWhole ? goneUntilNow : undefined,
  })
  if (doubled !== undefined && !warnIfErrorAllowed(judging, 'duplicates', doubled)) return doubled
  if (compared.both === undefined) await judgeUnseen(judging, totals)
  const hasKey = options.refusal?.code !== 'key-missing'
  if (source.age !== undefined) find(judging, [older], source.age)
  if (isWhole) judgeLimits(judging, { totals, unowned, hasKey, repeated })
  if (job.picture !== undefined) stage.remember('pictured', job.picture.rows())
  stage.remember('matches', [...matching.keys])
  if (policy.allowed.size > 0) stage.remember('accepted', true)
  stage.complete({ isPreview, isStopped: stage.stops().length > 0 })
  throwIfStopped(stage)
  return undefined
}

/** Warns, where the guard is allowed to pass this once, of each reason of its error. Returns whether it is. */
function warnIfErrorAllowed(judging: Judging, name: GuardName, { data }: WindrowError): boolean {
  return warnIfAllowed(judging, name, data['reasons'] as readonly string[])
}

/** Compares the boundaries with each other and with those of the service, once for all that judge land. */
async function compareLand(judging: Judging) {
  const { stage, boundaries } = judging
  const both = newAndHeld(judging)
  if (boundaries === undefined) return { both }
  const land = both !== undefined || mayLieElsewhere(judging) ? startSharedLand(stage, boundaries) : undefined
  const twins = startTwins(boundaries)
  const onMeeting = (meeting: Meeting): void => {
    land?.see(meeting)
    noteTwins(twins, meeting)
  }
  stage.remember('coverage', await compareBoundaries(judging, boundaries, onMeeting))
  return { both, land, twins }
}

type Compared = Awaited<ReturnType<typeof compareLand>>

/** What speaks against the way in which the file was read. A one-off import, too, stops at those that are odd. */
function contradictionsIn(judging: Judging) {
  const { job, stage, letters } = judging
  const { settingsIn } = job
  const found = job.table.found()
  for (const each of found) stage.addProblem(each)
  const merged = found.find(({ code }) => code === 'cells-merged')?.message
  const respelt = contradictionOfKeys(judging)
  const contradictions = [
    respelt,
    contradictionOfRenumbered(judging),
    letters && contradictionOfLetters(letters, settingsIn),
  ]
  return { contradictions: contradictions.filter((each) => each !== undefined), respelt, merged }
}

/** The new records of a run, and those that the service has of their farms. */
function landOf({ fresh, held }: NewAndHeld): FarmLand {
  return { created: fresh.values(), known: held.values() }
}

/** The keys of the records that this run has matched, and no run before it. */
function matchedNow({ job, ledger, matching }: Judging): ReadonlySet<string> {
  const before = matching.keys.size === 0 ? new Map() : ledger.matches(matchScope(job))
  return new Set([...matching.keys].flatMap(([given, key]) => (before.has(given) ? [] : [key])))
}

type Whose = {
  readonly totals: RowTotals
  readonly respelt: Contradiction | undefined
  readonly isWhole: boolean
}

/** Stops where the rows are probably of another farm, or have the ids of known records in another spelling. */
async function judgeWhose(judging: Judging, { totals, respelt, isWhole }: Whose): Promise<void> {
  const { job, guards } = judging
  await judgeFarmsNamed(judging, totals)
  if (guards.renamed === 'allow' || !isWhole) return
  // judgeReadings only warns of it in a one-off import, which has just decided how to read the file.
  if (job.settingsIn === 'import' && respelt !== undefined) throw stopForKeys(respelt)
}

/** Returns the error of new records that are there already, under another key, at another farm or twice in the file. */
async function judgeDoubles(
  judging: Judging,
  {
    compared: { both, land, twins },
    policy,
    goneBefore,
  }: {
    readonly compared: Compared
    readonly policy: 'stop' | 'allow'
    /** Undefined for a retry, whose rows are a few of the file. */
    readonly goneBefore: (() => ReadonlySet<string>) | undefined
  },
): Promise<WindrowError | undefined> {
  const { boundaries } = judging
  const doubled = both && judgeDuplicates(judging, both, { land, policy })
  if (doubled !== undefined || policy === 'allow') return doubled
  return (
    (land && (await judgeElsewhere(judging, land, both))) ??
    (goneBefore && (await judgeMoved(judging, goneBefore))) ??
    (boundaries && twins && judgeTwins(judging, boundaries, twins))
  )
}
