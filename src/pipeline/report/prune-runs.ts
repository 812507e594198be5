/** Deletes old runs, and what is useless of others, so that the state folder grows with the farm and not with the nights. */

import { existsSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { writeTarget } from '../../core/sources/target.ts'
import { anyReportOf, readRuns, runFolders, type KeptRun, type RunFolder } from './run-folder.ts'
import type { Report } from './report.ts'

/** How many runs of each kind are kept for each pipeline, how long, and how much room those may take that sent nothing. */
export type RunLimits = Readonly<Record<'sent' | 'unsent' | 'dry' | 'days' | 'bytes', number>>

const usualLimits: RunLimits = { sent: 30, unsent: 30, dry: 10, days: 400, bytes: 2 ** 31 }
const { sent, unsent, dry, days } = usualLimits
export const whatIsKept = `for each pipeline the last ${sent} runs that sent something, ${unsent} that did not, and ${dry} dry runs and plans, all for up to ${days} days`
const dayMs = 86_400_000
const mostRemembered = 2000

/**
 * Deletes the runs beyond the limits, oldest first, but never one that is still needed (`neededOf`), or the one that just ended. Runs of
 * one kind never push out those of another. Errors are ignored: the next run tries again.
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
    const newer = new Map<string, number>()
    let bytes = 0
    const useless: string[] = []
    for (const run of runs.toReversed()) {
      const kind = run.isDryRun ? 'dry' : run.hasSent ? 'sent' : 'unsent'
      const of = JSON.stringify([run.pipeline ?? readReport(run)?.pipeline, kind])
      const number = newer.get(of) ?? 0
      const size = sizes.get(run.id) ?? 0
      const isTooMuch = kind !== 'sent' && bytes + size > limits.bytes
      const isBeyond = number >= limits[kind] || isTooMuch || isOld(Date.parse(run.started))
      if (isEnded(run)) newer.set(of, number + 1)
      if (isBeyond && isEnded(run) && !isNeeded(run.id)) useless.push(run.id)
      else bytes += size
    }
    for (const { id } of unreadable) if (isOld(statSync(join(state, 'runs', id)).mtimeMs)) useless.push(id)
    deleteRuns(state, useless, now)
  } catch {
    // The run has ended and its report is written; a failure here must not change its outcome.
  }
}

/** Deletes runs, and remembers when: who asks for one later is to hear what became of it. */
function deleteRuns(state: string, ids: readonly string[], now: Date): void {
  if (ids.length === 0) return
  for (const id of ids) rmSync(join(state, 'runs', id), { recursive: true, force: true })
  const lines = [...deletedLines(state), ...ids.map((id) => `${now.toISOString()} ${id}`)]
  writeFileSync(deletedFile(state), `${lines.slice(-mostRemembered).join('\n')}\n`, { mode: 0o600 })
}

const deletedFile = (state: string): string => join(state, 'deleted-runs.txt')

function deletedLines(state: string): readonly string[] {
  const path = deletedFile(state)
  return existsSync(path) ? readFileSync(path, 'utf8').trimEnd().split('\n') : []
}

/** The last deleted run whose name is this or begins with it, and when it was deleted. */
export function findDeletedRun(
  state: string,
  wanted: string,
): { readonly id: string; readonly at: string } | undefined {
  const deleted = deletedLines(state).map((line) => {
    const [at = '', id = ''] = line.split(' ')
    return { id, at }
  })
  return deleted.findLast(({ id }) => id === wanted) ?? deleted.findLast(({ id }) => id.startsWith(wanted))
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
 * Runs whose undo has not ended; and of each pipeline and account the last run that ended well and the last that shows which records
 * are its own. Also the last export of each file, until it is old: without its report, windrow would take the file for one that
 * somebody else wrote.
 */
function neededOf(runs: readonly KeptRun[], isOld: (moment: number) => boolean): Set<string | undefined> {
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
  return new Set([...toContinue, ...last.values()])
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
