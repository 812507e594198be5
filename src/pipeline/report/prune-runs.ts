/** Deletes old runs, so that the state folder grows with the farm and not with the nights. */

import { readdirSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { anyReportOf, isReportOnly, readRuns, runFolders, type KeptRun } from './run-folder.ts'

/** Any of these limits deletes a run. `runs` is the number of imports that are kept, and that of exports. */
export type RunLimits = { readonly runs: number; readonly days: number; readonly bytes: number }

const usualLimits: RunLimits = { runs: 60, days: 400, bytes: 2 ** 31 }
const keptToUndo = 30
const dayMs = 86_400_000

/**
 * Deletes the runs beyond the limits, oldest first, but never one that is still needed (`neededOf`), or the one that just ended.
 * Errors are ignored: the next run tries again.
 */
export function pruneRuns(
  state: string,
  {
    now,
    justEnded,
    limits = usualLimits,
  }: { readonly now: Date; readonly justEnded?: string | undefined; readonly limits?: RunLimits },
): void {
  try {
    const sizes = new Map(runFolders(state).map(({ id, folder }) => [id, bytesIn(folder)]))
    const { runs, unreadable } = readRuns(state)
    const isOld = (moment: number): boolean => now.getTime() - moment > limits.days * dayMs
    let needed: ReadonlySet<string | undefined> | undefined
    const isNeeded = (id: string): boolean => (needed ??= neededOf(runs, isOld).add(justEnded)).has(id)
    const newer = { imports: 0, exports: 0, bytes: 0 }
    for (const run of runs.toReversed()) {
      const kind = isReportOnly(run) ? 'exports' : 'imports'
      const size = sizes.get(run.id) ?? 0
      const isBeyond = newer[kind] >= limits.runs || newer.bytes + size > limits.bytes || isOld(Date.parse(run.started))
      if (isEnded(run)) newer[kind] += 1
      if (isBeyond && isEnded(run) && !isNeeded(run.id)) rmSync(run.folder, { recursive: true, force: true })
      else newer.bytes += size
    }
    for (const { id } of unreadable) {
      const folder = join(state, 'runs', id)
      if (isOld(statSync(folder).mtimeMs)) rmSync(folder, { recursive: true, force: true })
    }
  } catch {
    // The run has ended and its report is written; a failure here must not change its outcome.
  }
}

function isEnded({ isFinished, pipeline }: KeptRun): boolean {
  return isFinished || pipeline === undefined
}

/**
 * The last runs that sent something, which can be undone; runs whose undo has not ended; and of each pipeline and account the
 * last run that ended well and the last that shows which records are its own. Also the last export of each file, until it is old:
 * without its report, windrow would take the file for one that somebody else wrote.
 */
function neededOf(runs: readonly KeptRun[], isOld: (moment: number) => boolean): Set<string | undefined> {
  const toUndo = runs.filter(({ hasSent }) => hasSent).slice(-keptToUndo)
  const toContinue = runs.filter(({ isFinished }) => !isFinished).map(({ undoes }) => undoes)
  const last = new Map<string, string>()
  for (const run of runs) {
    const report = run.isDryRun ? undefined : readReport(run)
    const of = JSON.stringify([report?.pipeline, run.account])
    if (run.delivered !== undefined) last.set(`its own ${of}`, run.id)
    if (report?.exit === 0) last.set(`good ${of}`, run.id)
    if (report?.kind === 'export' && report.file !== undefined && !isOld(Date.parse(run.started)))
      last.set(`export ${report.file.path}`, run.id)
  }
  return new Set([...toUndo.map(({ id }) => id), ...toContinue, ...last.values()])
}

function readReport(run: KeptRun) {
  try {
    return anyReportOf(run)
  } catch {
    return undefined
  }
}

function bytesIn(folder: string): number {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .map(({ parentPath, name }) => statSync(join(parentPath, name)).size)
    .reduce((sum, size) => sum + size, 0)
}
