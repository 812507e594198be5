/** Leaves the report of a run whose file could not be read at all, because nobody may be watching. */

import { basename } from 'node:path'
import type { WindrowError } from '../core/error.ts'
import { isWebAddress, withoutSecrets } from '../core/sources/web-address.ts'
import { storageFailure } from '../core/storage-failure.ts'
import type { ImportPipeline } from './definition/definition.ts'
import { startRun } from './import-run.ts'
import { conclude } from './report/conclusion.ts'
import { withoutFile, type ImportOptions } from './report/course.ts'
import { pruneRuns } from './report/prune-runs.ts'
import type { Report } from './report/report.ts'
import { lockPipeline } from './report/run-folder.ts'

type Around = Pick<ImportOptions, 'state' | 'store' | 'connection' | 'clock'>

/** Returns the report; undefined if another process runs the pipeline or the disk cannot be written. */
export async function reportUnread(
  pipeline: ImportPipeline,
  failure: WindrowError,
  around: Around,
): Promise<Report | undefined> {
  const { name, from } = pipeline
  const file = isWebAddress(from.file) ? withoutSecrets(from.file) : basename(from.file)
  const shared = {
    prepared: withoutFile(pipeline, { name: file, table: '', format: '' }),
    options: { ...around, dryRun: false },
    posting: { hasBegun: false, unkept: [] },
  }
  try {
    using _lock = lockPipeline(around, name)
    return await startRun(shared, { name, facts: {} }, async (ran) => {
      const report = await conclude({ ...shared, ...ran }, () => Promise.reject(failure))
      pruneRuns(around.state, { now: around.clock(), justEnded: ran.run.id })
      return report
    })
  } catch (cause) {
    // The first failure is the one the person must see.
    if (storageFailure(cause) === undefined) throw cause
    return undefined
  }
}
