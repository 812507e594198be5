/** Writes the report of a run whose file could not be read at all, because nobody may be watching. */

import { basename, join } from 'node:path'
import type { WindrowError } from '../../core/error.ts'
import { storageFailure } from '../../core/storage-failure.ts'
import { writeTarget } from '../../core/sources/target.ts'
import { isWebAddress, withoutSecrets } from '../../core/sources/web-address.ts'
import { machineZone } from '../../mapping/zones.ts'
import { reportPage } from '../../web/report-page.ts'
import type { ImportOptions } from './course.ts'
import type { ImportPipeline } from '../definition/definition.ts'
import { errorFacts, makeReport, type Report } from './report.ts'
import { pruneRuns } from './prune-runs.ts'
import { lockPipeline, startRunFolder } from './run-folder.ts'
import { openStage } from '../stage/stage-store.ts'

type Around = Pick<ImportOptions, 'state' | 'store' | 'connection' | 'clock'>

/** Makes a run folder with a report of the failure; undefined if another process runs the pipeline or the disk cannot be written. */
export async function reportUnread(
  pipeline: ImportPipeline,
  failure: WindrowError,
  around: Around,
): Promise<Report | undefined> {
  try {
    using _lock = lockPipeline(around, pipeline.name)
    return await leaveReport(pipeline, failure, around)
  } catch (cause) {
    // The first failure is the one the person must see.
    if (storageFailure(cause) === undefined) throw cause
    return undefined
  }
}

async function leaveReport(
  { name, type, from }: ImportPipeline,
  failure: WindrowError,
  { state, connection, clock }: Around,
): Promise<Report> {
  const now = clock()
  const run = startRunFolder(state, name, now)
  try {
    using stage = openStage(run.folder)
    stage.together(() => {
      stage.remember('pipeline', name)
      stage.remember('started', now.toISOString())
      stage.remember('finished', true)
    })
    const page = join(run.folder, 'report.html')
    const path = join(run.folder, 'report.json')
    const report = makeReport(stage, {
      run: run.id,
      pipeline: name,
      started: now.toISOString(),
      ended: now.toISOString(),
      outcome: 'stopped',
      exit: failure.exit,
      error: errorFacts(failure),
      source: {
        name: isWebAddress(from.file) ? withoutSecrets(from.file) : basename(from.file),
        table: '',
        format: '',
        kinds: {},
        decisions: [],
      },
      decisions: [],
      target: { type: type.plural, holdings: [], connection: connection?.name, service: connection?.service },
      unseen: 0,
      files: { page, report: path },
    })
    await writeTarget(page, reportPage(report, { paddocks: [], changes: [], zone: machineZone() }))
    await writeTarget(path, `${JSON.stringify(report, null, 2)}\n`)
    return report
  } finally {
    pruneRuns(state, { now, justEnded: run.id })
  }
}
