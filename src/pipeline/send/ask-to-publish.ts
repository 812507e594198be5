/** Checks before sending that the account may publish for each holding, and that the keys are not the service's ids. */

import type { Client } from '../../client/connection.ts'
import { mayPublish } from '../../client/writable.ts'
import { exitCodes, WindrowError } from '../../core/error.ts'
import type { TableProfile } from '../../core/profile/profile-table.ts'
import { farmsToWrite, nearestFarms } from '../export/find-holding.ts'
import { isServiceId, mayBeServiceIds, presumedServiceIds } from '../../rules/key-column.ts'
import { identifierText, type Identifier, type ResourceType } from '../../resources/resource-type.ts'

/** What is to be published, as far as known. No holding means any; `keys` are the ids of a few new records in the file. */
export type ToPublish = {
  readonly type: ResourceType
  readonly holdings: readonly Identifier[]
  readonly keys: readonly string[]
  readonly keyColumn: string
  /** True if a record has this source id, as an export writes it. */
  readonly isSourceId?: (id: string) => boolean
}

/** Returns the address to publish to. Throws `rights-missing` or `key-missing` if the records must not be published. */
export async function askToPublish(client: Client, wanted: ToPublish, signal?: AbortSignal): Promise<string> {
  const updates = await askRights(client, wanted, signal)
  if (await areServiceIds(client, wanted, signal)) throw serviceIdsAsKey(wanted.keyColumn)
  return updates
}

/** What to do with a file that has the service's ids in these columns. */
export function withSourceIds(columns: readonly string[]): string {
  // Mapping programs save a shapefile without the list of full names, in which the source id names its scheme.
  return columns.includes('Source id')
    ? 'To change records of the service, put names.csv from the zip of the export beside the shapefile: with the full column names each row finds its record.'
    : 'To change records of the service, export them again and keep the column "Source id": each row finds its record by it.'
}

/** The error for a key that would publish every record a second time; `better` is the column to use. */
export function serviceIdsAsKey(column: string, better?: string): WindrowError {
  const use =
    better === undefined ? 'Name the column with your own ids' : `Use <${better}>, or another column with your own ids`
  return new WindrowError(
    'key-missing',
    `<${column}> contains ids that the service gave, not yours: as the key it would publish every record a second time.`,
    { hint: `${use}: key: <COLUMN>. ${withSourceIds([column])}` },
  )
}

/** Throws `key-missing` if the key column is called Id as in exports and its ids look like the service's; for use without a service. */
export function refuseServiceIds(keyColumn: string, keys: readonly string[]): void {
  const examples = keys.slice(0, 3)
  if (presumedServiceIds({ name: keyColumn, examples })) throw serviceIdsAsKey(keyColumn)
}

/** The columns with ids that the service gave. A service that does not show records leaves the headers to decide. */
export async function serviceIdColumns(
  client: Client | undefined,
  type: ResourceType,
  { columns }: Pick<TableProfile, 'columns'>,
  signal?: AbortSignal,
): Promise<ReadonlySet<string>> {
  const found = new Set<string>()
  for (const column of columns) {
    const asked = client !== undefined && mayBeServiceIds(column) ? column.examples.slice(0, 3) : []
    let isGiven: boolean | undefined
    for (const id of asked) {
      isGiven = await hasRecord(client!, type, id, signal)
      if (isGiven !== false) break
    }
    if (isGiven ?? presumedServiceIds(column)) found.add(column.name)
  }
  return found
}

async function askRights(client: Client, { type, holdings }: ToPublish, signal?: AbortSignal): Promise<string> {
  const [control, datasets] = await Promise.all([client.control(signal), client.datasets(signal)])
  const wanted: readonly (Identifier | undefined)[] =
    type.plural === 'holdings' || holdings.length === 0 ? [undefined] : holdings
  const answers = wanted.map((holding) => mayPublish(control, type, holding, datasets))
  const refusal = answers.find((answer) => 'reason' in answer)
  if (refusal !== undefined) {
    const unknown = wanted[answers.indexOf(refusal)]
    const isConnected = control.some((item) =>
      item.identifiers.some((each) => identifierText(each) === identifierText(unknown)),
    )
    const farms = unknown === undefined || isConnected ? '' : nearestFarms(unknown, await farmsToWrite(client, signal))
    throw new WindrowError('rights-missing', `${refusal.reason} Nothing was sent.`, {
      hint:
        control.length === 0 && type.plural !== 'holdings'
          ? 'Import the farm first: windrow import holdings.csv --to holdings --holding SCHEME. Or ask its owner to connect this account.'
          : `${farms} Correct the holding. Or ask its owner to connect this account.`.trim(),
    })
  }
  return answers.find((answer) => 'updates' in answer)!.updates
}

async function areServiceIds(
  client: Client,
  { type, keys, isSourceId }: ToPublish,
  signal?: AbortSignal,
): Promise<boolean> {
  for (const id of keys)
    if (isSourceId?.(id) !== true && !(isServiceId(id) && (await hasRecord(client, type, id, signal)) === true))
      return false
  return keys.length > 0
}

/** Undefined if the service does not say: an account that may only publish cannot read records. */
async function hasRecord(
  client: Client,
  { plural }: ResourceType,
  id: string,
  signal?: AbortSignal,
): Promise<boolean | undefined> {
  if (plural !== 'plots' && plural !== 'holdings' && plural !== 'land-covers') return undefined
  try {
    return (await client.feature(plural, id, {}, signal)) !== undefined
  } catch (cause) {
    if (cause instanceof WindrowError && cause.exit === exitCodes.refused) return undefined
    throw cause
  }
}
