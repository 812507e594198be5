/** Reads the scheduled pipelines of a folder, or those of many farms: each folder below a root has those of one. */

import { existsSync, readdirSync, statSync } from 'node:fs'
import { basename, join, dirname } from 'node:path'
import { WindrowError } from '../../core/error.ts'
import { isAlike } from '../../core/sources/file-tree.ts'
import { kindOf } from '../../core/sources/folder.ts'
import { relativePath } from '../../core/sources/relative-path.ts'
import type { Format } from '../../formats/format.ts'
import { notifyFile } from '../../notify/settings.ts'
import { readPipeline, type Pipeline } from '../../pipeline/definition/definition.ts'
import { scheduleExample } from '../../pipeline/definition/schedule-keys.ts'
import { faultOfOrder, type Waiting } from '../../schedule/keeper.ts'
import { checkTimes } from '../../schedule/due.ts'
import type { Scheduled } from '../../schedule/status.ts'
import type { FarmPipeline } from '../../workers/queue.ts'
import { isShareLost } from '../../core/storage-failure.ts'
import { nameInStore } from '../options/reach.ts'

export type Broken = { readonly file: string; readonly failure: WindrowError }
/** The scheduled pipelines of a folder, and the files that cannot be used. */
export type ScheduleFolder = { readonly scheduled: readonly Scheduled[]; readonly broken: readonly Broken[] }

/** What was read before, by file, so that only files that changed are read again. */
export type ReadBefore = Map<string, { readonly version: string; readonly pipeline: Pipeline }>

/** Reads all pipelines in the folder. One that cannot be used does not stop the others. */
export async function readFolder(
  folder: string,
  { formats, before = new Map() }: { readonly formats: readonly Format[]; readonly before?: ReadBefore },
): Promise<ScheduleFolder> {
  const names = entriesOf(folder, 'Name the folder with the pipeline files.').map(({ name }) => name)
  // Windows and macOS open Notify.yaml, too, where notify.yaml is looked for.
  const isNotify = (name: string): boolean => isAlike(name, notifyFile) && existsSync(join(folder, notifyFile))
  const files = names.filter((name) => isPipelineFile(name) && !isNotify(name))
  const scheduled: Scheduled[] = []
  const broken: Broken[] = []
  for (const file of files)
    try {
      const pipeline = await readUnlessKnown(join(folder, file), formats, before)
      const { schedule } = pipeline
      if (schedule === undefined) continue
      scheduled.push({ ...pipeline, schedule })
    } catch (failure) {
      broken.push(brokenBy(failure, file))
    }
  if (scheduled.length + broken.length === 0)
    throw files.length === 0
      ? new WindrowError('option-invalid', `There is no pipeline in "${folder}".`, {
          hint: 'Name the folder in which the pipeline files (.yaml) lie.',
        })
      : new WindrowError('option-invalid', `No pipeline in "${folder}" has a schedule.`, {
          hint: `Add one to a pipeline, such as  ${scheduleExample}`,
        })
  const ordered = inOrder(scheduled, broken)
  return { scheduled: ordered.sound, broken: ordered.broken }
}

/** A pipeline that waits for one that cannot run is broken too, until that one is repaired. */
function inOrder<Each extends Waiting & Pick<Pipeline, 'path'>>(
  all: readonly Each[],
  broken: readonly Broken[],
  named: (path: string) => string = basename,
): { readonly sound: readonly Each[]; readonly broken: readonly Broken[] } {
  const waiting = all.map((pipeline) => ({ pipeline, fault: faultOfOrder(pipeline, all) }))
  const stuck = waiting.flatMap(({ pipeline, fault }) =>
    fault === undefined ? [] : [{ file: named(pipeline.path), failure: fault }],
  )
  if (stuck.length === 0) return { sound: all, broken }
  const sound = waiting.flatMap(({ pipeline, fault }) => (fault === undefined ? [pipeline] : []))
  return inOrder(sound, [...broken, ...stuck], named)
}

/** Reads a pipeline, unless its file is as it was before. */
export async function readUnlessKnown(
  path: string,
  formats: readonly Format[],
  before: ReadBefore = new Map(),
): Promise<Pipeline> {
  const { mtimeMs, size } = fileAt(path) ?? {}
  const version = `${mtimeMs} ${size}`
  const known = before.get(path)
  if (known?.version === version) return known.pipeline
  const pipeline = await readPipeline(path, formats)
  // One timetable that cannot be read must not stop those of others.
  if (pipeline.schedule !== undefined) checkTimes(pipeline.schedule)
  before.set(path, { version, pipeline })
  return pipeline
}

/** Throws a WindrowError for a link that leads to itself, or a pipe, which would be read for ever. */
function fileAt(path: string) {
  try {
    const found = statSync(path, { throwIfNoEntry: false })
    if (found === undefined || found.isFile()) return found
  } catch (cause) {
    if (isShareLost(cause)) throw cause
  }
  throw new WindrowError('pipeline-invalid', `"${basename(path)}" is not a file that can be read.`, {
    hint: 'Take it out of the folder of the pipelines.',
  })
}

/** A file with the failure that makes it useless. Throws what is no WindrowError. */
export function brokenBy(failure: unknown, file: string): Broken {
  if (!(failure instanceof WindrowError)) throw failure
  return { file, failure }
}

/** False for what programs leave beside a file: macOS ._paddocks.yaml on disks of Windows, editors .#paddocks.yaml. */
function isPipelineFile(name: string): boolean {
  return /^[^.].*\.ya?ml$/i.test(name) && name !== notifyFile
}

/** All pipelines below the root, and the files that cannot be used. Folders that begin with a dot are not looked into. */
export async function readFarms(
  root: string,
  { formats, before = new Map() }: { readonly formats: readonly Format[]; readonly before?: ReadBefore },
) {
  const found = new Map<string, FarmPipeline>()
  const broken: Broken[] = []
  const named = (path: string): string => relativePath(root, path)
  const onBroken = (failure: unknown, folder: string): void => void broken.push(brokenBy(failure, named(folder)))
  for (const path of yamlFiles(root, onBroken)) {
    const file = named(path)
    try {
      const pipeline = await readUnlessKnown(path, formats, before)
      const name = nameInStore(pipeline)
      const other = found.get(name)
      if (other !== undefined)
        throw new WindrowError('pipeline-invalid', `"${other.file}" has the name ${name}, too.`, {
          hint: 'A pipeline has the name of its folder and its file. Rename one of the two folders or files.',
        })
      const farm = basename(dirname(path))
      if (farm.length > longestFarm)
        throw new WindrowError('pipeline-invalid', `The name of the folder "${farm}" has ${farm.length} characters.`, {
          hint: `Rename it: a farm may have up to ${longestFarm}.`,
        })
      found.set(name, { name, farm, file, pipeline })
    } catch (failure) {
      broken.push(brokenBy(failure, file))
    }
  }
  const pipelines: FarmPipeline[] = []
  for (const ofFarm of Map.groupBy(found.values(), ({ farm }) => farm).values()) {
    const ordered = inOrder(
      ofFarm.map(({ pipeline }) => pipeline),
      [],
      named,
    )
    broken.push(...ordered.broken)
    pipelines.push(...ofFarm.filter(({ pipeline }) => ordered.sound.includes(pipeline)))
  }
  return { pipelines, broken }
}

// The queue takes no longer names.
const longestFarm = 128

/** Below the root, a folder that cannot be read, or that goes away meanwhile, does not stop the others. */
function* yamlFiles(
  root: string,
  onBroken: (failure: unknown, folder: string) => void,
  folder = root,
): Generator<string> {
  let entries: ReturnType<typeof entriesOf>
  try {
    entries = entriesOf(folder, 'Name the folder with the folders of the farms.')
  } catch (failure) {
    const { cause } = failure as WindrowError
    if (isShareLost(cause)) throw cause
    if (folder === root) throw failure
    return onBroken(failure, folder)
  }
  for (const entry of entries) {
    const path = join(folder, entry.name)
    if (kindOf(entry).isDirectory()) {
      if (!entry.name.startsWith('.')) yield* yamlFiles(root, onBroken, path)
    } else if (isPipelineFile(entry.name)) yield path
  }
}

function entriesOf(folder: string, hint: string) {
  try {
    return readdirSync(folder, { withFileTypes: true }).toSorted((one, other) => (one.name < other.name ? -1 : 1))
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException
    const faults: Partial<Record<string, string>> = {
      ENOENT: `The folder "${folder}" was not found.`,
      ENOTDIR: `"${folder}" is a file, not a folder.`,
    }
    throw new WindrowError('file-missing', faults[code!] ?? `The folder "${folder}" cannot be read (${code}).`, {
      hint,
      cause,
    })
  }
}
