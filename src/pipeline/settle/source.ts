/** Stops a run whose file changed while it was read, or is damaged as a whole. */

import { WindrowError } from '../../core/error.ts'
import type { Table } from '../../core/row.ts'
import type { ImportJob } from '../stage/import-job.ts'

/** Stops the run if the file changed while it was read, or is damaged as a whole. */
export async function judgeSource(
  job: ImportJob,
  source: { readonly before: string; fingerprint(): Promise<string> },
): Promise<void> {
  if ((await source.fingerprint()) !== source.before)
    throw new WindrowError('file-changed', `"${job.table.name}" changed while it was being read. Nothing was sent.`, {
      hint: 'Run it again after the other program has finished writing. In a pipeline, "settled: 2 min" waits for that.',
    })
  const damage = damageOf(job.table)
  if (damage !== undefined) throw damage
}

/** The error of a file that is damaged as a whole, once it was read. */
export function damageOf(table: Pick<Table, 'found'>): WindrowError | undefined {
  const broken = table.found().find((each) => each.severity === 'error')
  if (broken === undefined) return undefined
  return new WindrowError('file-damaged', `${broken.message} Nothing was sent.`, {
    hint: broken.hint ?? 'Export the file again from the program it comes from.',
    data: { code: broken.code },
  })
}
