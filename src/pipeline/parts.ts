/**
 * Shares the work on a large file with other processes: the parts to stage, and later the boundaries to compare. Each takes the next
 * piece that nobody has; the run itself takes what is left, also of a process that died. The task says what there is to do.
 */

import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setImmediate, setTimeout as wait } from 'node:timers/promises'
import type { Range } from '../core/row.ts'
import { version } from '../core/version.ts'
import { isWebAddress } from '../core/sources/web-address.ts'
import { whenFree } from '../core/sources/when-free.ts'
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
export type StagingTask = {
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

/** The boundaries to compare, strip by strip; those of each strip are in a file beside the task. */
export type ComparingTask = {
  readonly kind: 'compare'
  readonly strips: readonly Strip[]
  /** The boundaries of the run's own rows come first, so many. */
  readonly own: number
  readonly widestGapM: number
}

export type Task = StagingTask | ComparingTask

/** The task in a file; undefined if the run that made it has ended, or is of another version, which may do the work otherwise. */
export function readTask(path: string): Task | undefined {
  if (!existsSync(path)) return undefined
  const task = JSON.parse(readFileSync(path, 'utf8')) as Task & { readonly windrow: string }
  return task.windrow === version() ? task : undefined
}

function writeTask(path: string, task: Task): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  writeWhole(path, JSON.stringify({ windrow: version(), ...task }))
}

function folderOf(taskFile: string, part: number): string {
  return join(dirname(taskFile), String(part).padStart(4, '0'))
}

type Turns = {
  readonly taskFile: string
  readonly count: number
  readonly store: string | undefined
  readonly signal: AbortSignal | undefined
  isDone(piece: number): boolean
  work(piece: number): Promise<void>
}

/** Works on all pieces that are not done and that no other process has. Returns how many that were. */
export async function takeTurns({ taskFile, count, store, signal, isDone, work }: Turns): Promise<number> {
  let done = 0
  for (let piece = 0; piece < count; piece += 1) {
    signal?.throwIfAborted()
    if (isDone(piece)) continue
    if (!existsSync(taskFile)) return done
    using lock = lockIn(store, `part ${piece} of ${taskFile}`, join(dirname(taskFile), `${piece}.lock`))
    if (lock === undefined) continue
    // A run deletes its task before it deletes what was done.
    if (isDone(piece) || !existsSync(taskFile)) continue
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
  taskFile: string,
  ranges: readonly Range[],
  { job, context, store }: { readonly job: ImportJob; readonly context: PartContext } & Pick<Helping, 'store'>,
): Turns {
  return {
    taskFile,
    count: ranges.length,
    store,
    signal: context.signal,
    isDone: (part) => isStaged(folderOf(taskFile, part)),
    work: (part) => stagePart(job, context, { folder: folderOf(taskFile, part), range: ranges[part]! }),
  }
}

/** The strips of boundaries to compare. */
export function comparingTurns(
  taskFile: string,
  { strips, own, widestGapM }: ComparingTask,
  { store, signal }: Helping,
): Turns {
  return {
    taskFile,
    count: strips.length,
    store,
    signal,
    isDone: (strip) => existsSync(meetingsFile(taskFile, strip)),
    async work(strip) {
      const numbers: number[] = []
      const onCrowd = (boundary: number): void => void numbers.push(crowd, boundary, 0, 0, 0, 0, 0, 0, 0)
      const comparing = { strip: strips[strip]!, own, widestGapM, onCrowd }
      for (const meetings of meetingsOfStrip(stripFile(dirname(taskFile), strip), comparing)) {
        for (const { kind, one, other, areasM2, areaM2, widthM, lon, lat, copies } of meetings)
          numbers.push(copies ? copy : kind === 'gap' ? gap : overlap, one, other, ...areasM2, areaM2, widthM, lon, lat)
        // Lets an interrupt through.
        await setImmediate()
        signal?.throwIfAborted()
      }
      writeWhole(meetingsFile(taskFile, strip), Float64Array.from(numbers))
    },
  }
}

const [gap, overlap, copy, crowd] = [0, 1, 2, 3]
const perMeeting = 9

function meetingsFile(taskFile: string, strip: number): string {
  return join(dirname(taskFile), `meetings-${strip}`)
}

/** The work on a file that is shared with others. */
export type SharedWork = NonNullable<Awaited<ReturnType<typeof startSharedWork>>>

/** Cuts the file of a run, if it is large and others may help; undefined if one process has to stage it as a whole. */
export async function startSharedWork(
  { prepared, options, stage, run }: ReadingCourse,
  { attempt, recognises }: { readonly attempt: number; readonly recognises: boolean },
) {
  const { job, pipeline, definition, crs } = prepared
  const { sharing, store, signal, connection } = options
  // The rows of a group, or to be matched, are looked at together. Others cannot read what was downloaded here.
  if (sharing === undefined || job.rows === 'group' || pipeline.match !== undefined || job.keyIsStandIn)
    return undefined
  if (options.retries !== undefined || isWebAddress(pipeline.from.file)) return undefined
  const ranges = await job.table.cut?.(sharing.partBytes, signal)
  if (ranges === undefined || ranges.length < 2) return undefined
  const home = join(stage.folder, 'parts', String(attempt))
  const taskFile = join(home, 'stage.json')
  return {
    /** Stages all parts and adds them to the stage of the run. Undefined if that has to be filled anew, from the file as a whole. */
    async stage(context: StageContext): Promise<Staged | undefined> {
      writeTask(taskFile, {
        kind: 'stage',
        pipeline: stage.recall('kept pipeline')!,
        name: job.name,
        account: connection?.client.account,
        started: run.started,
        isPreview: context.isPreview,
        recognises,
        definition,
        fingerprint: stage.recall('fingerprint')!,
        ...(crs && { crs }),
        timeZone: machineZone(),
        ranges,
      })
      sharing.ask(taskFile, ranges.length)
      const onRows = addingUp(context.onRows)
      const joined = startJoin(job, context)
      let isClear = true
      await finish(stagingTurns(taskFile, ranges, { job, context: { ...context, onRows }, store }), (part) => {
        isClear &&= joined.add(folderOf(taskFile, part))
      })
      whenFree(() => rmSync(taskFile))
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
      const compareFile = join(home, 'compare.json')
      const compare: ComparingTask = { kind: 'compare', strips, own: boundaries.own, widestGapM }
      writeTask(compareFile, compare)
      sharing.ask(compareFile, strips.length)
      await finish(comparingTurns(compareFile, compare, { store, signal }), (strip) =>
        whenFree(() => rmSync(stripFile(home, strip))),
      )
      whenFree(() => rmSync(compareFile))
      for (const strip of strips.keys()) {
        const path = meetingsFile(compareFile, strip)
        yield meetingsIn(path, onCrowd)
        whenFree(() => rmSync(path))
      }
    },
  }
}

/** Deletes what parts have left. A process that helps may have a lock open still. */
export function deleteParts(folder: string): void {
  whenFree(() => rmSync(join(folder, 'parts'), { recursive: true, force: true }))
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
