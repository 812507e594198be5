/**
 * Shares the work on a large file with other processes: the parts to stage, and later the boundaries to compare. Each takes the next
 * piece that nobody has; the run itself takes what is left, also of a process that died. The plan says what there is to do.
 */

import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setImmediate, setTimeout as wait } from 'node:timers/promises'
import type { Range } from '../core/row.ts'
import { version } from '../core/version.ts'
import { isWebAddress } from '../core/sources/web-address.ts'
import type { Meeting } from '../geometry/coverage/coverage.ts'
import { machineZone } from '../mapping/zones.ts'
import type { KeptPipeline } from './definition/kept-pipeline.ts'
import type { ReadingCourse } from './report/course.ts'
import type { Report } from './report/report.ts'
import { lockIn } from './report/run-folder.ts'
import type { BoundaryStore } from './stage/boundary-store.ts'
import {
  cutStrips,
  meetingsOfStrip,
  stripFile,
  stripsOf,
  type ComparingAll,
  type Strip,
} from './stage/boundary-strips.ts'
import { isStaged, stagePart, startJoin, writeWhole, type PartContext } from './stage/part.ts'
import type { ImportJob, StageContext } from './stage/import-job.ts'
import type { Staged } from './stage/stage.ts'

/** The parts of a file to stage, and all that decides what becomes of a row. */
export type StagingPlan = {
  readonly kind: 'stage'
  readonly pipeline: KeptPipeline
  readonly name: string
  readonly account: string | undefined
  readonly started: string
  readonly isPreview: boolean
  readonly recognises: boolean
  /** A process that finds another file, pipeline, coordinate system or time zone than these must not help. */
  readonly definition: string
  readonly fingerprint: string
  readonly crs?: Report['source']['crs']
  /** A date without a zone is a day in the zone of the machine. */
  readonly timeZone: string
  readonly ranges: readonly Range[]
}

/** The boundaries to compare, strip by strip; those of each strip are in a file beside the plan. */
export type ComparingPlan = {
  readonly kind: 'compare'
  readonly strips: readonly Strip[]
  /** The boundaries of the run's own rows come first, so many. */
  readonly own: number
  readonly widestGapM: number
}

export type Plan = StagingPlan | ComparingPlan

/** The plan in a file; undefined if the run that made it has ended, or is of another version, which may do the work otherwise. */
export function readPlan(path: string): Plan | undefined {
  if (!existsSync(path)) return undefined
  const plan = JSON.parse(readFileSync(path, 'utf8')) as Plan & { readonly windrow: string }
  return plan.windrow === version() ? plan : undefined
}

function writePlan(path: string, plan: Plan): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  writeWhole(path, JSON.stringify({ windrow: version(), ...plan }))
}

function folderOf(plan: string, part: number): string {
  return join(dirname(plan), String(part).padStart(4, '0'))
}

type Turns = {
  readonly plan: string
  readonly count: number
  readonly store: string | undefined
  readonly signal: AbortSignal | undefined
  isDone(piece: number): boolean
  work(piece: number): Promise<void>
}

/** Works on all pieces that are not done and that no other process has. Returns how many that were. */
export async function takeTurns({ plan, count, store, signal, isDone, work }: Turns): Promise<number> {
  let done = 0
  for (let piece = 0; piece < count; piece += 1) {
    signal?.throwIfAborted()
    if (isDone(piece)) continue
    if (!existsSync(plan)) return done
    using lock = lockIn(store, `part ${piece} of ${plan}`, join(dirname(plan), `${piece}.lock`))
    if (lock === undefined) continue
    // A run deletes its plan before it deletes what was done.
    if (isDone(piece) || !existsSync(plan)) continue
    await work(piece)
    done += 1
  }
  return done
}

const [lookAgainMs, lookAgainMostMs] = [5, 100]

/** Takes turns until all pieces are done, by whomever. Uses each of them, in their order, as soon as it can. */
async function finish(turns: Turns, use: (piece: number) => void): Promise<void> {
  let used = 0
  const useDone = (): void => {
    for (; used < turns.count && turns.isDone(used); used += 1) use(used)
  }
  const work = async (piece: number): Promise<void> => {
    await turns.work(piece)
    // Others continue meanwhile.
    useDone()
  }
  for (let waitMs = lookAgainMs; ; waitMs = Math.min(2 * waitMs, lookAgainMostMs)) {
    await takeTurns({ ...turns, work })
    useDone()
    if (used === turns.count) return
    await wait(waitMs, undefined, { signal: turns.signal })
  }
}

type Helping = { readonly store: string | undefined; readonly signal: AbortSignal | undefined }

/** The parts of a file to stage. */
export function stagingTurns(
  plan: string,
  ranges: readonly Range[],
  { job, context, store }: { readonly job: ImportJob; readonly context: PartContext } & Pick<Helping, 'store'>,
): Turns {
  return {
    plan,
    count: ranges.length,
    store,
    signal: context.signal,
    isDone: (part) => isStaged(folderOf(plan, part)),
    work: (part) => stagePart(job, context, { folder: folderOf(plan, part), range: ranges[part]! }),
  }
}

/** The strips of boundaries to compare. */
export function comparingTurns(
  plan: string,
  { strips, own, widestGapM }: ComparingPlan,
  { store, signal }: Helping,
): Turns {
  return {
    plan,
    count: strips.length,
    store,
    signal,
    isDone: (strip) => existsSync(meetingsFile(plan, strip)),
    async work(strip) {
      const numbers: number[] = []
      const onCrowd = (boundary: number): void => void numbers.push(crowd, boundary, 0, 0, 0, 0, 0, 0, 0)
      const comparing = { strip: strips[strip]!, own, widestGapM, onCrowd }
      for (const meetings of meetingsOfStrip(stripFile(dirname(plan), strip), comparing)) {
        for (const { kind, one, other, areasM2, areaM2, widthM, lon, lat, copies } of meetings)
          numbers.push(copies ? copy : kind === 'gap' ? gap : overlap, one, other, ...areasM2, areaM2, widthM, lon, lat)
        // Lets an interrupt through.
        await setImmediate()
        signal?.throwIfAborted()
      }
      writeWhole(meetingsFile(plan, strip), Float64Array.from(numbers))
    },
  }
}

const [gap, overlap, copy, crowd] = [0, 1, 2, 3]
const perMeeting = 9

function meetingsFile(plan: string, strip: number): string {
  return join(dirname(plan), `meetings-${strip}`)
}

/** The work on a file that is shared with others. */
export type SharedWork = NonNullable<Awaited<ReturnType<typeof startSharedWork>>>

/** Cuts the file of a run, if it is large and others may help; undefined if one process has to stage it as a whole. */
export async function startSharedWork(
  { prepared, options, stage, started }: ReadingCourse,
  { attempt, recognises }: { readonly attempt: number; readonly recognises: boolean },
) {
  const { job, pipeline, definition, crs, encoding } = prepared
  const { sharing, store, signal, connection } = options
  // The rows of a group, or to be matched, are looked at together. Others cannot read what was downloaded here.
  if (sharing === undefined || job.rows === 'group' || pipeline.match !== undefined || job.keyIsStandIn)
    return undefined
  if (options.retries !== undefined || isWebAddress(pipeline.from.file)) return undefined
  const ranges = await job.table.cut?.(sharing.partBytes, signal)
  if (ranges === undefined || ranges.length < 2) return undefined
  const home = join(stage.folder, 'parts', String(attempt))
  const plan = join(home, 'stage.json')
  return {
    /** Stages all parts and adds them to the stage of the run. Undefined if that has to be filled anew, from the file as a whole. */
    async stage(context: StageContext): Promise<Staged | undefined> {
      writePlan(plan, {
        kind: 'stage',
        pipeline: stage.recall<KeptPipeline>('kept pipeline')!,
        name: job.name,
        account: connection?.client.account,
        started,
        isPreview: context.isPreview,
        recognises,
        definition,
        fingerprint: stage.recall<string>('fingerprint')!,
        ...(crs && { crs }),
        timeZone: machineZone(),
        ranges,
      })
      sharing.ask(plan, ranges.length)
      const onRows = addingUp(context.onRows)
      const joined = startJoin(job, context)
      let isClear = true
      await finish(stagingTurns(plan, ranges, { job, context: { ...context, encoding, onRows }, store }), (part) => {
        isClear &&= joined.add(folderOf(plan, part))
      })
      rmSync(plan)
      const staged = isClear ? joined.end() : undefined
      if (staged !== undefined) stage.remember('parts', ranges)
      return staged
    },
    /** Finds the same meetings in the same order as `meetingsOf`. */
    async *meetings(
      boundaries: BoundaryStore,
      { isOut, widestGapM, onCrowd }: ComparingAll,
    ): AsyncGenerator<readonly Meeting[]> {
      const strips = stripsOf(boundaries)
      cutStrips(boundaries, strips, { isOut, widestGapM, folder: home })
      const comparePlan = join(home, 'compare.json')
      const compare: ComparingPlan = { kind: 'compare', strips, own: boundaries.own, widestGapM }
      writePlan(comparePlan, compare)
      sharing.ask(comparePlan, strips.length)
      await finish(comparingTurns(comparePlan, compare, { store, signal }), (strip) => rmSync(stripFile(home, strip)))
      rmSync(comparePlan)
      for (const strip of strips.keys()) {
        const path = meetingsFile(comparePlan, strip)
        yield meetingsIn(path, onCrowd)
        rmSync(path)
      }
    },
  }
}

/** Deletes what parts have left. A process that helps may have a lock open still. */
export function deleteParts(folder: string): void {
  rmSync(join(folder, 'parts'), { recursive: true, force: true, maxRetries: 5 })
}

/** Each part counts its rows from 1. */
function addingUp(onRows: StageContext['onRows']): StageContext['onRows'] {
  let [before, last] = [0, 0]
  return (rows) => {
    if (rows < last) before += last
    last = rows
    onRows?.(before + rows)
  }
}

function meetingsIn(path: string, onCrowd: ComparingAll['onCrowd']): readonly Meeting[] {
  const bytes = readFileSync(path)
  const numbers = new Float64Array(bytes.buffer, bytes.byteOffset, bytes.length / 8)
  const meetings: Meeting[] = []
  let copies: number[] = []
  for (let at = 0; at < numbers.length; at += perMeeting) {
    const [kind, one, other, areaOne, areaOther, areaM2, widthM, lon, lat] = numbers.subarray(at, at + perMeeting)
    if (kind === crowd) {
      onCrowd?.(one!)
      continue
    }
    // The first of several identical boundaries meets all others, one after the other.
    if (kind === copy && copies[0] !== one) copies = [one!]
    if (kind === copy) copies.push(other!)
    meetings.push({
      kind: kind === gap ? 'gap' : 'overlap',
      one: one!,
      other: other!,
      areasM2: [areaOne!, areaOther!],
      areaM2: areaM2!,
      widthM: widthM!,
      lon: lon!,
      lat: lat!,
      ...(kind === copy && { copies }),
    })
  }
  return meetings
}
