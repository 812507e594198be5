/** Notes each run that sends something in the history that machines share, with who asked for it. */

import { basename, dirname } from 'node:path'
import { exitCodes, WindrowError } from '../../core/error.ts'
import { storageFailure } from '../../core/storage-failure.ts'
import type { Pipeline } from '../../pipeline/definition/definition.ts'
import type { RunReport } from '../../pipeline/report/export-report.ts'
import { caller, openHistory } from '../../schedule/history.ts'
import { flag, type Call } from '../options/command.ts'
import { storeOf, tenantsPath } from '../options/reach.ts'
import { readTenants } from '../platform/tenants.ts'

/** What is run, by which command. Without `by`, the person who typed it. */
export type ToNote = {
  readonly what: string
  readonly pipeline: Pick<Pipeline, 'name' | 'path'>
  readonly by?: string | undefined
  readonly due?: Date | undefined
}

/** Runs, and notes the run if the store is PostgreSQL. `run` gets what hears its reports. Returns the exit status. */
export async function noteRun(
  { what, pipeline: { name, path }, by = caller(), due }: ToNote,
  call: Call,
  run: (onReport: (report: RunReport) => void) => Promise<number>,
): Promise<number> {
  const store = storeOf(call)
  if (store === undefined || flag(call, 'dry-run')) return run(() => undefined)
  const tenants = tenantsPath(call)
  const farm = basename(dirname(path))
  const tenant = tenants === undefined ? farm : (await readTenants(tenants, call.platform)).of(path).name
  using history = openHistory(store)
  const reports: RunReport[] = []
  const id = history.begin({ tenant, pipeline: name, what, by, due })
  const end = (exit: number, code = reports.at(-1)?.error?.code): void =>
    history.end(id, {
      exit,
      code,
      run: reports.at(-1)?.run,
      records: reports.reduce((sum, each) => sum + recordsIn(each), 0),
    })
  try {
    const exit = await run((report) => void reports.push(report))
    end(exit)
    return exit
  } catch (cause) {
    const failure = storageFailure(cause) ?? cause
    if (failure instanceof WindrowError) end(failure.exit, failure.code)
    else end(exitCodes.bug, 'bug')
    throw cause
  }
}

/** How many records a run sent, or an export wrote. */
function recordsIn(report: RunReport): number {
  if (report.kind === 'export') return report.records.written
  const { records, gone } = report
  return records.created + records.updated + gone.deleted
}
