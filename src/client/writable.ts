/** Answers "may I publish this?" from the service's lists, in words for people. */

import { identifierText, type Identifier, type ResourceType } from '../resources/resource-type.ts'
import { oneLine, shortened } from './reading.ts'
import type { ControlItem, Dataset, WritableType } from './streaming.ts'
import { listed } from '../core/values/plural.ts'

/** The address to publish to, or why publishing is not allowed. */
export type Permission = { readonly updates: string } | { readonly reason: string }

/**
 * Where this account may publish records of a type, for one holding or for any. A holding that the service does not list
 * yet can be published through the dataset's own address: there is no other way to add a farm. `datasets` gives that address,
 * and the addresses that the list leaves out.
 */
export function mayPublish(
  control: readonly ControlItem[],
  type: ResourceType,
  holding?: Identifier,
  datasets: readonly Dataset[] = [],
): Permission {
  if (type.dataset === undefined) return refused(`The service does not accept ${type.plural}.`)
  const own = datasets.find(({ name }) => name === type.dataset)
  const connected = control.filter(
    (item) => holding === undefined || item.identifiers.some((each) => same(each, holding)),
  )
  const listed = connected.flatMap((item) => item.resourceTypes).filter((each) => isOfType(each, type))
  const updates = listed.map((each) => each.updates).find(Boolean) ?? (listed.length > 0 ? own?.updates : undefined)
  if (updates !== undefined) return { updates }
  if (listed.length > 0) return refused(`The service gave no address for publishing ${type.plural}.`)
  if (type.plural === 'holdings' && (holding === undefined || connected.length === 0)) {
    if (own?.updates === undefined) return refused('The service gave no address for publishing holdings.')
    return { updates: own.updates }
  }
  return refused(reasonAgainst(control, connected, type, holding))
}

function refused(reason: string): Permission {
  return { reason }
}

function reasonAgainst(
  control: readonly ControlItem[],
  connected: readonly ControlItem[],
  type: ResourceType,
  holding: Identifier | undefined,
): string {
  if (control.length === 0) return 'The account is not connected to any holding, so it cannot publish anything.'
  if (connected.length > 0) {
    const codes = connected.flatMap((item) => item.resourceTypes.map(({ id }) => id))
    const listed = codes.length === 0 ? 'nothing' : shownInText([...new Set(codes)].join(', '))
    const where = holding === undefined ? 'any of its holdings' : named(holding)
    return `The account may not publish ${type.plural} for ${where}; it may publish ${listed}.`
  }
  const turned = holding && { scheme: holding.id, id: holding.scheme }
  if (turned && control.some((item) => item.identifiers.some((each) => same(each, turned))))
    return `The holding ${named(holding)} is the wrong way round: the scheme comes first: ${named(turned)}.`
  const known = control.flatMap((item) => item.identifiers.slice(0, 1).map(named))
  const list = known.length === 0 ? '' : ` It is connected to ${listed(known, 3)}.`
  return `The account is not connected to the holding ${holding === undefined ? '' : named(holding)}.${list}`
}

function named(holding: Identifier): string {
  return shownInText(identifierText(holding))
}

function shownInText(foreign: string): string {
  return shortened(oneLine(foreign), 200)
}

function same(one: Identifier, other: Identifier): boolean {
  return one.scheme === other.scheme && one.id === other.id
}

function isOfType({ id }: WritableType, type: ResourceType): boolean {
  const spellings = [type.shortCode, type.name, type.plural, type.dataset, ...type.aliases]
  return spellings.some((each) => each?.toLowerCase() === id.trim().toLowerCase())
}
