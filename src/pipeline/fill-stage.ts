/** Fills the stage of a run from its file, a second time if rows were matched with records of the service, and judges it. */

import { WindrowError } from '../core/error.ts'
import type { Meeting } from '../geometry/coverage/coverage.ts'
import { betterReadings, startReadings } from '../mapping/readings.ts'
import { startChangedValues } from './evidence/changed-values.ts'
import { doubtfulChangesIn, oddChangesIn } from './evidence/odd-changes.ts'
import { startLetters } from './evidence/encoding-evidence.ts'
import { startStatedAreas, verdictOnAreas } from './evidence/stated-area.ts'
import { addHeldBoundaries } from './judge/held-boundaries.ts'
import { farmsToWrite, otherFarmError } from './export/find-holding.ts'
import { judgeCoverage } from './judge/judge-coverage.ts'
import { judgeDuplicates, judgeElsewhere, judgeMoved, startElsewhere } from './judge/judge-duplicates.ts'
import { judgeFar, warnOfFirst } from './judge/judge-far.ts'
import { judgeGone } from './judge/judge-gone.ts'
import {
  contradictionOfFilter,
  contradictionOfLetters,
  contradictionOfRival,
  judgeReadings,
} from './judge/judge-readings.ts'
import { reportChangedHands } from './judge/judge-sharing.ts'
import { judgeRetry } from './judge/judge-retry.ts'
import { judgeRenamed, stopForOddChanges } from './judge/judge-renamed.ts'
import { judgeTwins, noteTwins, startTwins } from './judge/judge-twins.ts'
import { judgeGuards, judgeKeys, judgeSource } from './judge/judge.ts'
import { isLetThrough, type GuardName, type Judging } from './judge/judging.ts'
import { matchRecords, startMatching, startOver, type Matched } from './judge/match-records.ts'
import { newAndHeld } from './judge/new-and-held.ts'
import { contradictionOfKeys } from './judge/respelt-keys.ts'
import { startSharedLand } from './judge/shared-land.ts'
import { placeOfRun } from './prepare/holding-place.ts'
import { digestOf } from './prepare/prepare.ts'
import { deleteRest, startSharedWork, type SharedWork } from './parts.ts'
import type { PreparedImport, ReadingCourse } from './report/course.ts'
import { retriedIn } from './report/run-folder.ts'
import { startBoundaryStore, type BoundaryStore } from './stage/boundary-store.ts'
import type { Matching, Passed, SameRows, StageContext } from './stage/import-job.ts'
import { startSameRows } from './stage/same-rows.ts'
import { endRows, stageRows } from './stage/stage.ts'
import { wholeFile } from './stage/stage-store.ts'

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
  let isShared = true
  for (let attempt = 1; ; attempt += 1) {
    const boundaries = job.geometry && startBoundaryStore(stage.folder)
    const sameRows = recognises ? startSameRows(job, ledger, { definition, isPreview }) : undefined
    try {
      const shared = isShared ? await startSharedWork(course, { attempt, recognises }) : undefined
      const ended = await fillAndJudge(course, { boundaries, matching, sameRows, shared })
      if (ended === undefined || ended instanceof WindrowError) return ended
      recognises &&= ended !== 'doubtful'
      isShared &&= ended !== 'unclear'
      const { found, notes } = typeof ended === 'string' ? { found: [], notes: [] } : ended
      for (const [given, key] of found) matching.keys.set(given, key)
      startOver(stage, noted, notes)
    } finally {
      boundaries?.close()
      deleteRest(stage)
    }
    job.picture?.startOver()
  }
}

/** A text of what decides, beside the row itself, what becomes of a row. Tonight's file may have another name. */
export function recognitionOf({ pipeline, crs }: Pick<PreparedImport, 'pipeline' | 'crs'>): string {
  return JSON.stringify([digestOf({ ...pipeline, from: { ...pipeline.from, file: '' } }), crs])
}

type Aids = {
  readonly boundaries: BoundaryStore | undefined
  readonly matching: Matching
  readonly sameRows: SameRows | undefined
  readonly shared: SharedWork | undefined
}

/**
 * Stages and judges the file. Returns undefined once it is complete; the matches found, with which it has to be staged again; that it
 * has to be staged again without recognising rows, because the rows that changed are in doubt; or as a whole, because its parts are
 * unclear.
 */
async function fillAndJudge(
  course: ReadingCourse,
  { boundaries, matching, sameRows, shared }: Aids,
): Promise<Matched | 'doubtful' | 'unclear' | WindrowError | undefined> {
  const { prepared, options, ledger, stage, started } = course
  const { job, source, pipeline, guards } = prepared
  const { signal, onProgress, state } = options
  const readings = startReadings()
  const letters = prepared.encoding === undefined ? undefined : startLetters(prepared.encoding)
  const onRows = (rows: number): void => onProgress?.('read', rows)
  const [changedValues, statedAreas] = [startChangedValues(), startStatedAreas()]
  const client = options.connection?.client
  const isPreview = client === undefined
  const collected = { readings, letters, changedValues, statedAreas, boundaries, matching, sameRows }
  const context: StageContext = { stage, ledger, now: started, signal, isPreview, onRows, ...collected }
  const judging: Judging = { ...context, job, source: source.name, state, guards, client }
  const staged = shared === undefined ? await stageRows(job, context) : await shared.stage(context)
  if (staged === undefined) return 'unclear'
  endRows(job, stage, staged)
  const { passed } = staged
  await judgeSource(job, { before: stage.recall<string>('fingerprint')!, fingerprint: source.fingerprint })
  if (sameRows?.hasClash === true) return 'doubtful'
  const repeated = job.rows === 'one' ? judgeKeys(judging) : undefined
  if (options.retries !== undefined) judgeRetry(judging, retriedIn(state, options.retries))
  if (boundaries !== undefined) addHeldBoundaries(boundaries, judging)
  const matched = pipeline.match && (await matchRecords(judging, pipeline.match))
  if (matched !== undefined && matched.found.size > 0) return matched
  // The rows of a retry are a few of the file: the others are not gone.
  const isWhole = options.retries === undefined
  // A row in doubt may be any of several records.
  const keyless = passed.keyless + (matched?.unclear ?? 0)
  const gone = { gone: prepared.gone, keyless, takeOver: options.takeOver ?? false }
  const unowned = isWhole ? judgeGone(judging, gone) : 0
  reportChangedHands(judging)
  const both = newAndHeld(judging)
  const land = both && boundaries && startSharedLand(stage, boundaries, both)
  const elsewhere = boundaries && startElsewhere(judging, boundaries)
  const twins = boundaries && startTwins(boundaries)
  if (boundaries !== undefined) {
    const onMeeting = (meeting: Meeting): void => {
      land?.see(meeting)
      elsewhere?.land.see(meeting)
      if (twins !== undefined) noteTwins(twins, meeting)
    }
    stage.remember('coverage', await judgeCoverage(judging, boundaries, { findMeetings: shared?.meetings, onMeeting }))
  }
  const found = job.table.found()
  for (const each of found) stage.addProblem(each)
  const merged = found.find(({ code }) => code === 'cells-merged')
  const inLetters = letters && contradictionOfLetters(letters, job.settingsIn)
  const areas = verdictOnAreas(statedAreas, { source: source.name, settingsIn: job.settingsIn })
  if (areas.stated !== undefined) stage.remember('stated-area', areas.stated)
  for (const each of areas.problems) stage.addProblem(each)
  const inKeys = contradictionOfKeys(judging)
  const oddChanges = oddChangesIn(changedValues, merged)
  const inFilter = contradictionOfFilter(judging, pipeline.only)
  const contradictions = [
    ...(inKeys ? [inKeys] : []),
    ...(inFilter ? [inFilter] : []),
    ...(inLetters ? [inLetters] : []),
    ...betterReadings(readings).map((each) => contradictionOfRival(each, job.settingsIn)),
    ...oddChanges,
    ...(areas.contradiction ? [areas.contradiction] : []),
  ]
  if (contradictions.length > 0 && sameRows !== undefined && sameRows.found.rows > 0) return 'doubtful'
  const isAllowed = (name: GuardName, { data }: WindrowError): boolean =>
    isLetThrough(judging, name, data['reasons'] as readonly string[])
  judgeReadings(judging, contradictions)
  const about = { file: wholeFile(source.name), sameRows: sameRows?.found.rows ?? 0 }
  for (const each of doubtfulChangesIn(changedValues, about)) stage.addProblem(each)
  const ofOtherFarm = await judgeFarmsNamed(judging, passed)
  if (ofOtherFarm !== undefined) throw ofOtherFarm
  const far = guards.far === 'allow' ? undefined : await judgeFar(judging, both, boundaries)
  if (far !== undefined && !isAllowed('far', far)) throw far
  const isRenamedAllowed = guards.renamed === 'allow' || !isWhole
  const mayMove = guards.far === 'allow' || far !== undefined
  const renamed = isRenamedAllowed ? undefined : judgeRenamed(judging, new Set(matching.keys.values()), mayMove)
  if (renamed !== undefined && !isAllowed('renamed', renamed)) throw renamed
  // judgeReadings only warns of it in a one-off import, which has just decided how to read the file.
  const odd = inKeys === undefined ? oddChanges : [inKeys, ...oddChanges]
  if (job.settingsIn === 'import' && !isRenamedAllowed && odd.length > 0) throw stopForOddChanges(odd)
  // A dry run that will be refused shows its findings, and then why.
  const policy = options.refusal === undefined ? guards.duplicates : 'allow'
  const doubled =
    (both && judgeDuplicates(judging, both, { land, policy })) ??
    (policy === 'stop' && elsewhere ? await judgeElsewhere(judging, elsewhere, both) : undefined) ??
    (policy === 'stop' && isWhole ? await judgeMoved(judging) : undefined) ??
    (policy === 'stop' && twins ? judgeTwins(judging, boundaries, twins) : undefined)
  if (doubled !== undefined && !isAllowed('duplicates', doubled)) return doubled
  if (client && boundaries && guards.far === 'stop')
    await warnOfFirst(judging, { both, boundaries }, () => placeOfRun(pipeline, { ledger, client, signal }))
  const hasKey = options.refusal?.code !== 'key-missing'
  if (isWhole) judgeGuards(judging, { passed, unowned, hasKey, repeated })
  if (job.picture !== undefined) stage.remember('pictured', job.picture.rows())
  stage.remember('matches', [...matching.keys])
  stage.complete({ isPreview })
  return undefined
}

/** Returns the error of new or changed rows that name another farm of the account. */
async function judgeFarmsNamed(
  { job, source, client, signal }: Judging,
  { farmsNamed }: Passed,
): Promise<WindrowError | undefined> {
  const chosen = job.mapping.holding
  const columns = Object.entries(farmsNamed)
  if (client === undefined || chosen === undefined || columns.length === 0) return undefined
  const farms = await farmsToWrite(client, signal)
  return otherFarmError(columns, { file: source, chosen, farms, settingsIn: job.settingsIn })
}
