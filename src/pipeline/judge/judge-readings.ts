/** Stops a run whose file fits another format better than the pipeline's: dates or numbers. */

import type { Contradiction } from '../evidence/odd-changes.ts'
import { wholeFile } from '../stage/stage-store.ts'
import { warnIfAllowed, stopFor, type Judging } from '../settle/judging.ts'

/**
 * Stops the run if the file as a whole fits another format better; with `warn` it only warns. A single cell that does not fit
 * is a problem of its row only.
 */
export function judgeReadings(judging: Judging, contradictions: readonly Contradiction[]): void {
  if (contradictions.length === 0) return
  const { stage, source, guards, job } = judging
  const reasons = contradictions.map(({ sentence }) => sentence)
  if (guards.reading === 'stop' && !warnIfAllowed(judging, 'reading', reasons))
    throw stopFor('guard-stopped', reasons, { hint: hintOf(contradictions, job.file) })
  for (const { sentence, write } of contradictions) {
    const hint = write === undefined ? {} : { hint: `If the file is right:  ${write}` }
    stage.report('file-inconsistent', wholeFile(source), { message: sentence, ...hint })
  }
}

function hintOf(contradictions: readonly Contradiction[], file: string): string {
  const changes = contradictions.flatMap(({ write }) => write ?? []).join('; ')
  if (changes === '')
    return `If the file is right, let it through once:  windrow run ${file} --allow reading. If not, export the file again as before.`
  return `If the file is right, change the pipeline:  ${changes}. If not, export the file again as before. To send the readable rows anyway:  guard: { reading: warn }`
}
