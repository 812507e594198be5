/** Hides the trace of a run that never came to its rows, because its file was missing, empty, or not as agreed: nobody watched it fail. */

import { writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import type { WindrowError } from '../core/error.ts'
import { isWebAddress, withoutSecrets } from '../core/web-address.ts'
import { reportPage } from '../web/report-page.ts'
import type { ImportOptions } from './course.ts'
import type { ImportPipeline } from './definition.ts'
import { makeReport, type Report } from './report.ts'
import { pruneRuns, startRunFolder } from './run-folder.ts'
import { openStage } from './stage-store.ts'

type Around = Pick<ImportOptions, 'state' | 'connection' | 'clock'>

/** Leaves a run folder whose report says why nothing was read. */
export async function reportUnread(
  { name, type, from }: ImportPipeline,
  failure: WindrowError,
  { state, connection, clock }: Around,
): Promise<Report> {
  const now = clock()
  const run = startRunFolder(state, name, now)
  const stage = openStage(run.folder)
  try {
    stage.remember('pipeline', name)
    stage.remember('finished', true)
    const page = join(run.folder, 'report.html')
    const path = join(run.folder, 'report.json')
    const { code, message, hint, exit } = failure
    const report = makeReport(stage, {
      run: run.id,
      pipeline: name,
      started: now.toISOString(),
      ended: now.toISOString(),
      outcome: 'stopped',
      exit,
      error: { code, message, ...(hint === undefined ? {} : { hint }) },
      source: {
        name: isWebAddress(from.file) ? withoutSecrets(from.file) : basename(from.file),
        table: '',
        format: '',
        kinds: {},
        decisions: [],
      },
      target: {
        type: type.plural,
        holdings: [],
        ...(connection === undefined ? {} : { connection: connection.name, service: connection.service }),
      },
      unseen: 0,
      files: { page, report: path },
    })
    await writeFile(page, reportPage(report, []), { mode: 0o600 })
    await writeFile(path, `${JSON.stringify(report, null, 2)}\n`, { mode: 0o600 })
    return report
  } finally {
    stage.close()
    pruneRuns(state)
  }
}
