/** Stops a run whose file fits another format better than the pipeline's: dates, numbers or text encoding. */

import { settingText, type SettingsIn } from '../../core/setting-text.ts'
import { plural } from '../../core/values/plural.ts'
import type { Letters } from '../evidence/encoding-evidence.ts'
import { wholeFile } from '../stage/stage-store.ts'
import { warnIfAllowed, stopFor, type Judging } from '../settle/judging.ts'

/** Evidence that the pipeline does not fit the file: a sentence, and what to write into the pipeline if the file is right and that helps. */
export type Contradiction = { readonly sentence: string; readonly write?: string }

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

/** Text in another encoding than the pipeline's. */
export function contradictionOfLetters(
  { encoding, sound, lost, twice, firstLost, firstTwice }: Letters,
  settingsIn: SettingsIn,
): Contradiction | undefined {
  const remedy = (name: string): string =>
    settingText(settingsIn, `encoding: ${name}  under "from"`, `--encoding ${name}`)
  const all = sound + lost + twice
  if (firstTwice !== undefined && twice > sound)
    return {
      sentence: `The pipeline reads the text as ${encoding}, but ${twice} of ${plural(all, 'cell')} with special letters ${twice === 1 ? 'is' : 'are'} UTF-8: "${firstTwice.text}" in row ${firstTwice.at.row} should be "${firstTwice.meant}".`,
      write: remedy('utf-8'),
    }
  // A single letter may have been lost before this file was made; its row is rejected anyway.
  if (firstLost !== undefined && lost > 1 && lost > sound)
    return {
      sentence: `The pipeline reads the text as ${encoding}, but ${lost} of ${plural(all, 'cell')} with special letters are in another encoding, first "${firstLost.text}" in row ${firstLost.at.row}.`,
      write: `${remedy(/^utf-?8$/i.test(encoding) ? 'windows-1252' : 'utf-8')}; windrow inspect shows which one it is`,
    }
  return undefined
}
