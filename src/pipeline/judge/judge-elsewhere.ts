/** Stops a run whose new records are those of another farm of the account: by their boundaries, or by their ids and names. */

import type { Client } from '../../client/connection.ts'
import { WindrowError } from '../../core/error.ts'
import { settingText } from '../../core/setting-text.ts'
import { readBody } from '../../ledger/content.ts'
import type { Ledger } from '../../ledger/ledger.ts'
import { idInKey } from '../../resources/keys.ts'
import { farmNames } from '../export/find-holding.ts'
import type { BoundaryStore } from '../stage/boundary-store.ts'
import type { ImportJob } from '../stage/import-job.ts'
import { uncommon, type Stage } from '../stage/stage-store.ts'
import { isTooMany } from './judge-duplicates.ts'
import type { NewAndHeld } from './new-and-held.ts'
import { samePaddock, startSharedLand, type SharedLand } from './shared-land.ts'

type New = { readonly id: number; readonly holding: '' }
export type Elsewhere = {
  readonly fresh: ReadonlyMap<number, New>
  readonly land: SharedLand<{ readonly key: string; readonly holding: '' }>
}

/** Starts to compare the new boundaries with those of other records; undefined where none can be of another farm. */
export function startElsewhere({ mapping }: ImportJob, stage: Stage, boundaries: BoundaryStore): Elsewhere | undefined {
  // All boundaries of the store are the run's own if the service has none nearby.
  if (mapping.holding !== undefined && boundaries.own === boundaries.count) return undefined
  const ids = stage.query<{ id: number }>(`SELECT id FROM records WHERE action = 'create' AND base IS NULL`)
  if (ids.length === 0) return undefined
  const fresh = new Map(ids.map(({ id }): [number, New] => [id, { id, holding: '' }]))
  const held = { get: (key: string) => ({ key, holding: '' }) as const }
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
  both: NewAndHeld | undefined,
): Promise<WindrowError | undefined> {
  const isOwn = (id: number, key: string): boolean => {
    const farm = both?.fresh.get(id)?.holding
    return farm !== undefined && both?.held.get(key)?.holding === farm
  }
  const pairs = [...fresh.values()].flatMap(({ id }) => {
    const mate = land.of({ id }).find(({ share, held }) => share >= samePaddock && !isOwn(id, held.key))
    return mate === undefined ? [] : [{ id, key: mate.held.key }]
  })
  const [first] = pairs
  if (first === undefined || !isTooMany(pairs.length, fresh.size)) return undefined
  const { named, other } = await farmsOf(first, { stage, ledger, client, signal })
  const given = job.mapping.holding === undefined ? 'the file has them for' : 'you named'
  const reason = `${pairs.length} of ${fresh.size} new records have boundaries that belong to ${other} already${named === undefined ? '' : `; ${given} ${named}`}.`
  return foundElsewhere(job, reason, 'Name the farm that the file belongs to. If both farms have this land:')
}

/**
 * Returns the error 'duplicates-found' if many of the new records are those of another farm that this file had until now: its
 * number was changed, and they would be in the service for both farms.
 */
export async function judgeMoved(job: ImportJob, judging: Judging): Promise<WindrowError | undefined> {
  const { stage, ledger } = judging
  const kept = new Map([...stage.keysWhere(`action = 'keep' AND ${uncommon}`)].flat().map((key) => [idInKey(key), key]))
  if (job.mapping.holding !== undefined || kept.size === 0) return undefined
  const created = stage.query<{ id: number; key: string }>(
    `SELECT id, key FROM records WHERE action = 'create' AND base IS NULL`,
  )
  const pairs = created.flatMap(({ id, key: now }) => {
    const key = kept.get(idInKey(now))
    const name = key && nameIn(ledger.find(key)!.body)
    return name !== undefined && name === nameIn(stage.bodyOf(id)!) ? [{ id, key: key!, name }] : []
  })
  const [first] = pairs
  if (first === undefined || !isTooMany(pairs.length, created.length)) return undefined
  const { named = 'a farm', other } = await farmsOf(first, judging)
  const reason = `${pairs.length} of ${created.length} new records of ${named} are in the service already for ${other}, with the same ids and names: "${first.name}" (${idInKey(first.key)}). The file had them for ${other} until now.`
  return foundElsewhere(job, reason, 'Correct the number of the farm in the file. If both farms have them:')
}

function nameIn(text: string): string | undefined {
  const { name } = readBody(text)
  return typeof name === 'string' ? name : undefined
}

/** The names of the farms of a new record and of the one that the service has; they are only a help. */
async function farmsOf(
  { id, key }: { readonly id: number; readonly key: string },
  { stage, ledger, client, signal }: Judging,
): Promise<{ readonly named: string | undefined; readonly other: string }> {
  const names = client && (await farmNames(client, signal).catch(() => undefined))
  const named = names?.(readBody(stage.bodyOf(id)!))
  return { named, other: names?.(readBody(ledger.find(key)!.body)) ?? 'another farm' }
}

function foundElsewhere({ settingsIn }: ImportJob, reason: string, hint: string): WindrowError {
  return new WindrowError('duplicates-found', `${reason} Nothing was sent.`, {
    hint: `${hint}  ${settingText(settingsIn, 'guard: { duplicates: allow }', '--duplicates allow')}`,
    data: { reasons: [reason] },
  })
}
