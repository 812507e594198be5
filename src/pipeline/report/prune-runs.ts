/** Deletes old runs, and what is useless of others, so that the state folder grows with the farm and not with the nights. */

import { readdirSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { writeTarget } from '../../core/sources/target.ts'
import { anyReportOf, isReportOnly, readRuns, runFolders, type KeptRun, type RunFolder } from './run-folder.ts'
import type { Report } from './report.ts'

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

/** Deletes what a full disk left of a stage, which no run continues. Then there is room for the report, if it was not written. */
export async function keepReportOnly({ folder }: RunFolder, report: Report): Promise<Report> {
  const kept = new Set(Object.values(report.files))
  const path = join(folder, 'report.json')
  const whole: Report = { ...report, files: { ...report.files, report: path } }
  try {
    for (const name of readdirSync(folder))
      if (!kept.has(join(folder, name))) rmSync(join(folder, name), { recursive: true, force: true, maxRetries: 5 })
    if (!kept.has(path)) await writeTarget(path, `${JSON.stringify(whole, null, 2)}\n`)
    return whole
  } catch {
    // The next run says what became of this one.
    return report
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
