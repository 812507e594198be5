/** Lists the farms to choose from if no farm was named. */

import type { Client } from '../../client/connection.ts'
import { WindrowError } from '../../core/error.ts'
import { identifierText } from '../../resources/identifier.ts'
import type { Identifier } from '../../resources/resource-type.ts'
import { listHoldings } from '../export/filter-records.ts'

/** A farm to choose; the service may have it without an identifier. */
export type Farm = { readonly identifier: Identifier | undefined; readonly name: string | undefined }

const mostListed = 5

/** The farms that the account may write, with names if there are several, so that a person can choose. */
export async function farmsToWrite(client: Client, signal: AbortSignal): Promise<readonly Farm[]> {
  const control = await client.control(signal)
  const shown = control.length < 2 ? [] : await farmsShown(client, signal)
  const names = new Map(shown.map(({ identifier, name }) => [identifierText(identifier), name]))
  return control.map(({ identifiers: [identifier] }) => ({ identifier, name: names.get(identifierText(identifier)) }))
}

/** The farms that the service shows, once per identifier; empty if it refuses, because the list is only a help. */
export async function farmsShown(client: Client, signal: AbortSignal): Promise<readonly Farm[]> {
  const holdings = await listHoldings(client, signal).catch((cause: unknown) => {
    if (cause instanceof WindrowError) return []
    throw cause
  })
  return holdings.flatMap(({ identifiers, name }) => identifiers.map((identifier) => ({ identifier, name })))
}

/** The error where no farm was named. */
export function missingHolding(farms: readonly Farm[]): WindrowError {
  const known = farms.filter(({ identifier }) => identifier !== undefined)
  const listed = known.slice(0, mostListed).map(({ identifier, name }) => {
    const typed = identifierText(identifier)
    return `--holding ${/[^\w.:/-]/.test(typed) ? `"${typed}"` : typed}${name === undefined ? '' : ` (${name})`}`
  })
  if (known.length === 0)
    return new WindrowError('holding-missing', 'Which farm? Add --holding SCHEME:ID.', {
      hint: 'For example --holding nz.example.farm-number:00412876. "windrow service control" lists your farms.',
    })
  const more = known.length > mostListed ? `, or another of your ${known.length} farms` : ''
  return new WindrowError('holding-missing', `Which farm? Add ${listed.join(' or ')}${more}.`, {
    hint: more === '' ? 'Choose one of these farms.' : '"windrow service control" lists all your farms.',
  })
}
