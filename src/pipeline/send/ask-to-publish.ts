/** Asks whether the service would take what is to be published: the account's rights for each holding, and keys that are the file's own. */

import type { Client } from '../../client/connection.ts'
import { mayPublish } from '../../client/writable.ts'
import { exitCodes, WindrowError } from '../../core/error.ts'
import { isServiceId } from '../../mapping/suggest-key.ts'
import type { Identifier, ResourceType } from '../../resources/resource-type.ts'

/** What is to be published, as far as it is known. No holding means any; `keys` are a few new records as the file calls them. */
export type ToPublish = {
  readonly type: ResourceType
  readonly holdings: readonly Identifier[]
  readonly keys: readonly string[]
  readonly keyColumn: string
  /** True where a record has this as the id of its source, as an export writes it. */
  readonly isSourceId?: (id: string) => boolean
}

/** Gives the address that records are published to. Throws `rights-missing` or `key-missing` where they must not be. */
export async function askToPublish(client: Client, wanted: ToPublish, signal?: AbortSignal): Promise<string> {
  const updates = await askRights(client, wanted, signal)
  if (await areServiceIds(client, wanted, signal)) throw serviceIdsAsKey(wanted.keyColumn)
  return updates
}

/** The refusal of a key that would make a second record of each that the service has. */
export function serviceIdsAsKey(column: string): WindrowError {
  return new WindrowError(
    'key-missing',
    `<${column}> holds ids that a service gave, not yours: as a key it would publish every record a second time.`,
    { hint: 'Name the column with your own numbers: --key COLUMN, or key: <COLUMN> in the pipeline.' },
  )
}

async function askRights(client: Client, { type, holdings }: ToPublish, signal?: AbortSignal): Promise<string> {
  const [control, datasets] = await Promise.all([client.control(signal), client.datasets(signal)])
  const wanted: readonly (Identifier | undefined)[] =
    type.plural === 'holdings' || holdings.length === 0 ? [undefined] : holdings
  const answers = wanted.map((holding) => mayPublish(control, type, holding, datasets))
  const refusal = answers.find((answer) => !answer.allowed)
  if (refusal !== undefined)
    throw new WindrowError(
      'rights-missing',
      `${refusal.reason ?? 'The account may not publish this.'} Nothing was sent.`,
      {
        hint:
          control.length === 0 && type.plural !== 'holdings'
            ? 'The farm comes first: windrow import holdings.csv --to holdings --holding SCHEME, or ask its keeper to connect this account.'
            : 'Ask the keeper of the holding to connect this account, or correct the holding: --holding, or holding: in the pipeline.',
      },
    )
  const updates = answers.find((answer) => answer.updates !== undefined)?.updates
  if (updates === undefined)
    throw new WindrowError('service-confused', `The service gives no address for publishing ${type.plural}.`)
  return updates
}

async function areServiceIds(
  client: Client,
  { type, keys, isSourceId }: ToPublish,
  signal?: AbortSignal,
): Promise<boolean> {
  for (const id of keys)
    if (isSourceId?.(id) !== true && !(isServiceId(id) && (await hasRecord(client, type, id, signal)))) return false
  return keys.length > 0
}

async function hasRecord(client: Client, { plural }: ResourceType, id: string, signal?: AbortSignal): Promise<boolean> {
  if (plural !== 'plots' && plural !== 'holdings' && plural !== 'land-covers') return false
  try {
    return (await client.feature(plural, id, {}, signal)) !== undefined
  } catch (cause) {
    // An account that may only publish is not shown records.
    if (cause instanceof WindrowError && cause.exit === exitCodes.refused) return false
    throw cause
  }
}
