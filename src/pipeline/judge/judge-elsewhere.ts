/** Stops a run whose new boundaries are those of another farm of the account. */

import type { Client } from '../../client/connection.ts'
import { WindrowError } from '../../core/error.ts'
import { settingText } from '../../core/setting-text.ts'
import { readBody } from '../../ledger/content.ts'
import type { Ledger } from '../../ledger/ledger.ts'
import { farmNames } from '../export/find-holding.ts'
import type { BoundaryStore } from '../stage/boundary-store.ts'
import type { ImportJob } from '../stage/import-job.ts'
import type { Stage } from '../stage/stage-store.ts'
import { isTooMany } from './judge-duplicates.ts'
import type { NewAndHeld } from './new-and-held.ts'
import { samePaddock, startSharedLand, type SharedLand } from './shared-land.ts'

type New = { readonly id: number; readonly holding: '' }
export type Elsewhere = {
  readonly fresh: ReadonlyMap<number, New>
  readonly land: SharedLand<{ readonly key: string; readonly holding: '' }>
}

/** Starts to compare the new boundaries with those of other farms; undefined without new records. */
export function startElsewhere(
  stage: Stage,
  boundaries: BoundaryStore,
  both: NewAndHeld | undefined,
): Elsewhere | undefined {
  // All boundaries of the store are the run's own if the service has none nearby.
  if (boundaries.own === boundaries.count) return undefined
  const ids = stage.query<{ id: number }>(`SELECT id FROM records WHERE action = 'create' AND base IS NULL`)
  if (ids.length === 0) return undefined
  const fresh = new Map(ids.map(({ id }): [number, New] => [id, { id, holding: '' }]))
  const isOwn = (key: string): boolean => both?.held.has(key) === true || stage.hasRow(key)
  const held = { get: (key: string) => (isOwn(key) ? undefined : ({ key, holding: '' } as const)) }
  return { fresh, land: startSharedLand(stage, boundaries, { fresh, held }) }
}

type Judging = {
  readonly stage: Stage
  readonly ledger: Ledger
  readonly client: Client | undefined
  readonly signal: AbortSignal | undefined
}

/** Returns the error 'duplicates-found' if many of the new boundaries are those of another farm. */
export async function judgeElsewhere(
  job: ImportJob,
  { stage, ledger, client, signal }: Judging,
  { fresh, land }: Elsewhere,
): Promise<WindrowError | undefined> {
  const pairs = [...fresh.values()].flatMap(({ id }) => {
    const mate = land.of({ id }).find(({ share }) => share >= samePaddock)
    return mate === undefined ? [] : [{ id, key: mate.held.key }]
  })
  const [first] = pairs
  if (first === undefined || !isTooMany(pairs.length, fresh.size)) return undefined
  // The names are only a help.
  const names = client && (await farmNames(client, signal).catch(() => undefined))
  const named = names?.(readBody(stage.bodyOf(first.id)!))
  const other = names?.(readBody(ledger.find(first.key)!.body)) ?? 'another farm'
  const reason = `${pairs.length} of ${fresh.size} new records have boundaries that belong to ${other} already${named === undefined ? '' : `; you named ${named}`}.`
  return new WindrowError('duplicates-found', `${reason} Nothing was sent.`, {
    hint: `Name the farm that the file belongs to. If both farms have this land:  ${settingText(job.settingsIn, 'guard: { duplicates: allow }', '--duplicates allow')}`,
    data: { reasons: [reason] },
  })
}
