/** Imports one file: decides how to read it, as `windrow import` does, and runs that. */

import { resolve } from 'node:path'
import { openSource, webOf } from '../core/sources/open-source.ts'
import { isWebAddress } from '../core/sources/web-address.ts'
import type { ImportFile } from '../pipeline/definition/definition-schema.ts'
import { checkSettings } from '../pipeline/definition/definition.ts'
import { planImport } from '../pipeline/inspect/one-off.ts'
import type { Report } from '../pipeline/report/report.ts'
import { finished, jobAround, runAlone, type ImportSettings } from './jobs.ts'
import { doJob, sendingSchema, type SendingOptions } from './surroundings.ts'

/** What is set about a file; the rest is decided. `holding` may also be SCHEME:ID, or the name or number of a farm. */
export type FileSettings = { readonly [Key in keyof ImportSettings]?: ImportSettings[Key] | undefined }

/**
 * Imports a file as `windrow import` does. Rejects with a WindrowError unless the run finished; if it had started, the
 * error's `data.report` shows how far it came. The report counts rejected rows and refused records.
 */
export function importFile(path: string, settings: FileSettings = {}, options: SendingOptions = {}): Promise<Report> {
  return doJob({ caller: 'importFile', schema: sendingSchema, options }, async (around) => {
    const { folder, formats, signal, clock, sleep } = around
    checkSettings('import', settings, formats)
    const connection = await jobAround(around, options).connect(undefined)
    const state = around.stateBeside(undefined)
    const { from = {} } = settings as Partial<ImportFile>
    const { grids, 'private addresses': inside } = from
    const web = { signal, clock, sleep, ...webOf(around, state), allowsPrivate: inside === 'allow' }
    const { source, close } = await openSource(path, folder, web)
    await using closers = new AsyncDisposableStack()
    closers.defer(close)
    const said = grids === undefined ? settings : { ...settings, from: { ...from, grids: resolve(folder, grids) } }
    const planned = await planImport(source, said, {
      path: isWebAddress(path) ? path : resolve(folder, path),
      fileName: source.name,
      connection,
      formats,
      isTrial: options.dryRun === true,
      signal,
    })
    return finished(await runAlone({ ...planned, state, source, connection }, options, around))
  })
}
