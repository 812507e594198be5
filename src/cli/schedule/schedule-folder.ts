/** Reads the scheduled pipelines of a folder. */

import { readdirSync, statSync } from 'node:fs'
import { basename, join } from 'node:path'
import { WindrowError } from '../../core/error.ts'
import type { Format } from '../../formats/format.ts'
import { notifyFile } from '../../notify/settings.ts'
import { readPipeline, type Pipeline } from '../../pipeline/definition/definition.ts'
import { scheduleExample } from '../../pipeline/definition/schedule-keys.ts'
import { faultOfOrder } from '../../schedule/dependencies.ts'
import { nextTime } from '../../schedule/due.ts'
import type { Scheduled } from '../../schedule/status.ts'

export type Broken = { readonly file: string; readonly failure: WindrowError }
/** The scheduled pipelines of a folder, and the files that cannot be used. */
export type ScheduleFolder = { readonly scheduled: readonly Scheduled[]; readonly broken: readonly Broken[] }

/** What was read before, by file, so that only files that changed are read again. */
export type ReadBefore = Map<string, { readonly version: string; readonly pipeline: Pipeline }>

/** Reads all pipelines in the folder. One that cannot be used does not stop the others. */
export async function readFolder(
  folder: string,
  {
    formats,
    now,
    before = new Map(),
  }: { readonly formats: readonly Format[]; readonly now: Date; readonly before?: ReadBefore },
): Promise<ScheduleFolder> {
  const files = listYaml(folder)
  const scheduled: Scheduled[] = []
  const broken: Broken[] = []
  for (const file of files)
    try {
      const pipeline = await readUnlessKnown(join(folder, file), formats, before)
      if (!isScheduled(pipeline)) continue
      // Throws a WindrowError where the schedule cannot be read.
      nextTime(pipeline.schedule, now)
      scheduled.push(pipeline)
    } catch (failure) {
      broken.push(...asBroken(file)(failure).broken)
    }
  if (scheduled.length + broken.length === 0)
    throw files.length === 0
      ? new WindrowError('option-invalid', `There is no pipeline in "${folder}".`, {
          hint: 'Name the folder in which the pipeline files (.yaml) lie.',
        })
      : new WindrowError('option-invalid', `No pipeline in "${folder}" has a schedule.`, {
          hint: `Add one to a pipeline, such as  ${scheduleExample}`,
        })
  return inOrder(scheduled, broken)
}

/** A pipeline that waits for one that cannot run is broken too, until that one is repaired. */
function inOrder(scheduled: readonly Scheduled[], broken: readonly Broken[]): ScheduleFolder {
  const waiting = scheduled.map((pipeline) => ({ pipeline, fault: faultOfOrder(pipeline, scheduled) }))
  const stuck = waiting.flatMap(({ pipeline, fault }) =>
    fault === undefined ? [] : [{ file: basename(pipeline.path), failure: fault }],
  )
  if (stuck.length === 0) return { scheduled, broken }
  const sound = waiting.flatMap(({ pipeline, fault }) => (fault === undefined ? [pipeline] : []))
  return inOrder(sound, [...broken, ...stuck])
}

/** Reads a pipeline, unless its file is as it was before. */
export async function readUnlessKnown(path: string, formats: readonly Format[], before: ReadBefore): Promise<Pipeline> {
  const { mtimeMs, size } = statSync(path, { throwIfNoEntry: false }) ?? {}
  const version = `${mtimeMs} ${size}`
  const known = before.get(path)
  if (known?.version === version) return known.pipeline
  const pipeline = await readPipeline(path, formats)
  before.set(path, { version, pipeline })
  return pipeline
}

function isScheduled(pipeline: Pipeline): pipeline is Scheduled {
  return pipeline.schedule !== undefined
}

/** A failure as a folder of which nothing else can be used. */
export function asBroken(file: string): (failure: unknown) => ScheduleFolder {
  return (failure) => {
    if (!(failure instanceof WindrowError)) throw failure
    return { scheduled: [], broken: [{ file, failure }] }
  }
}

function listYaml(folder: string): readonly string[] {
  try {
    return readdirSync(folder)
      .filter((name) => /\.ya?ml$/i.test(name) && name !== notifyFile)
      .sort()
  } catch (cause) {
    throw new WindrowError('file-missing', `The folder "${folder}" was not found.`, {
      hint: 'Name the folder with the pipeline files.',
      cause,
    })
  }
}
