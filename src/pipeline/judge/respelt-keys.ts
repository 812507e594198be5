/**
 * Hides how it is noticed that a file writes its ids otherwise than before: 1.0 or 1 for 001, because a spreadsheet had it in
 * between. Each id is sound by itself, and all records would be published a second time.
 */

import { problem } from '../../core/problem.ts'
import type { Ledger } from '../../ledger/ledger.ts'
import { idInKey } from '../../resources/keys.ts'
import type { Contradiction } from '../evidence/encoding-evidence.ts'
import type { Stage } from '../stage/stage-store.ts'

/**
 * What contradicts the pipeline where most new records have the key of a known one in another writing, and the known ones are not
 * in the file. Where only some do, that is a warning.
 */
export function contradictionOfKeys(stage: Stage, ledger: Ledger, source: string): Contradiction | undefined {
  if (ledger.isEmpty()) return undefined
  const created = [...stage.keysWhere(`action = 'create'`)].flat()
  const respelt = respeltAmong(created, stage, ledger)
  const [first] = respelt
  if (first === undefined) return undefined
  const [key, known] = first
  const [place] = stage.query<{ row: number | null }>('SELECT row FROM rows WHERE key = ? LIMIT 1', key)
  const row = place?.row ?? -1
  const sentence =
    `${respelt.size} of ${created.length} new records ${respelt.size === 1 ? 'has a key' : 'have keys'} that known ones have in another writing ` +
    `(row ${row}: "${idInKey(key)}", known as "${idInKey(known)}"), and those are not in the file, as if its ids were written anew.`
  const remedy = 'guard: { reading: warn, replaced: 100 % }  for this once, and delete the records with the old keys'
  if (respelt.size > 1 && respelt.size * 2 > created.length) return { sentence, write: remedy }
  const hint = 'If it is the same record, write its key as it was, in a column of text.'
  stage.addProblem(problem('file-inconsistent', { source, row }, { message: sentence, hint }))
  return undefined
}

/** Keys that are new, each with one that is known. */
function respeltAmong(created: readonly string[], stage: Stage, ledger: Ledger): ReadonlyMap<string, string> {
  const respelt = new Map<string, string>()
  for (const [prefix, keys] of Map.groupBy(created, (key) => key.slice(0, key.lastIndexOf('/') + 1))) {
    const byPlain = new Map(keys.map((key) => [plainId(key), key]))
    for (const known of ledger.keysWith(prefix)) {
      const key = byPlain.get(plainId(known))
      if (key !== undefined && key !== known && !stage.hasRow(known)) respelt.set(key, known)
    }
  }
  return respelt
}

/** The id without what programs add and take away: zeros in front of figures and behind a point, capitals, white space, marks that nobody sees. */
function plainId(key: string): string {
  return idInKey(key)
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[\p{Cf}\s]+/gu, '')
    .replace(/(?<=^\d+)[.,]0+$/, '')
    .replace(/(?<!\d)0+(?=\d)/g, '')
}
