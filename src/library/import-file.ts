/** Imports one file: decides how to read it, as `windrow import` does, and runs that. */

import { resolve } from 'node:path'
import { openSource, webOf } from '../core/sources/open-source.ts'
import { isWebAddress } from '../core/sources/web-address.ts'
import { compileDatePattern } from '../core/values/date-pattern.ts'
import type { FormatOptions } from '../formats/format.ts'
import { openFile } from '../formats/index.ts'
import { columnNamed } from '../mapping/cell.ts'
import { machineZone } from '../mapping/zones.ts'
import { meaningOf } from '../pipeline/definition/amounts.ts'
import type { ImportFile } from '../pipeline/definition/definition-schema.ts'
import { checkSettings, usualRepair } from '../pipeline/definition/definition.ts'
import { farmSaid } from '../pipeline/export/find-holding.ts'
import { planFile } from '../pipeline/inspect/one-off.ts'
import type { Report } from '../pipeline/report/report.ts'
import { typeToPublish } from '../resources/index.ts'
import type { Identifier } from '../resources/resource-type.ts'
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
    const { holding, from = {}, key = [], zone, dates, match, blank, geometry } = settings as Partial<ImportFile>
    const { layer, format, crs, grids, 'private addresses': inside, settled: _, ...formatOptions } = from
    const web = { signal, clock, sleep, ...webOf(around, state), allowsPrivate: inside === 'allow' }
    const { source, close } = await openSource(path, folder, web)
    await using closers = new AsyncDisposableStack()
    closers.defer(close)
    const read = formatOptions as FormatOptions
    const opened = await openFile(source, { formats, format, options: read, signal })
    closers.defer(opened.close)
    const type = typeToPublish(settings.import ?? 'plots')
    const pattern = dates === undefined ? undefined : compileDatePattern(dates)
    const { pipeline } = await planFile(
      opened,
      {
        file: isWebAddress(path) ? path : resolve(folder, path),
        fileName: source.name,
        type,
        typeIsSaid: settings.import !== undefined,
        holding:
          typeof holding === 'object' ? (holding as Identifier) : await farmSaid(holding, { type, connection, signal }),
        key: [key].flat().flatMap((each) => (typeof each === 'string' ? (columnNamed(each) ?? each) : [])),
        layer,
        format,
        crs,
        grids: grids === undefined ? undefined : resolve(folder, grids),
        zone: zone ?? machineZone(),
        blank,
        options: read,
        repairUpTo: meaningOf('/geometry/repair', geometry?.repair) ?? usualRepair,
        match: meaningOf('/match', match),
        dryRun: options.dryRun === true,
      },
      { connection, saidZone: zone, dates: typeof pattern === 'object' ? pattern : undefined, signal },
    )
    return finished(await runAlone({ pipeline, state, source, connection }, options, around))
  })
}
