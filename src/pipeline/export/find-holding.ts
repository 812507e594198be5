/** Finds the farms and paddocks that a person names, among those that the service shows. */

import { withoutMarks } from '../../core/values/plain-words.ts'
import { WindrowError } from '../../core/error.ts'
import type { Client } from '../../client/connection.ts'
import type { Feature } from '../../client/features.ts'
import { identifierText, type Identifier } from '../../resources/resource-type.ts'
import { nearest } from '../../resources/nearest.ts'
import { sourceIds } from '../../resources/spellings.ts'

export type FoundHolding = { readonly id: string; readonly name: string; readonly identifiers: readonly Identifier[] }

type Body = Readonly<Record<string, unknown>>

/** Finds the one holding with this name, identifier or scheme:identifier. Throws a WindrowError that lists the holdings. */
export async function findHolding(client: Client, words: string, signal?: AbortSignal): Promise<FoundHolding> {
  const all = await listHoldings(client, signal)
  const found = all.filter((holding) => isCalled(words, holding))
  if (found.length === 1) return found[0]!
  const listed = all.slice(0, 10).map(holdingInWords)
  const hint =
    all.length === 0
      ? 'The service shows no holdings for this account.'
      : `Choose by scheme:identifier from: ${listed.join('; ')}${all.length > listed.length ? ' ...' : ''}.`
  throw new WindrowError(
    'option-invalid',
    found.length === 0
      ? `Holding "${words}" was not found in the service.${didYouMean(words, all)}`
      : `Several holdings are called "${words}".`,
    { hint },
  )
}

/** Such as ` Did you mean "Rimu Farm" (nz.example.farm-number:00412876)?`; empty where no farm is near the words. */
export function didYouMean(words: string, holdings: readonly Pick<FoundHolding, 'name' | 'identifiers'>[]): string {
  const called = holdings.flatMap((holding) =>
    [holding.name, ...holding.identifiers.flatMap((each) => [identifierText(each), each.id])].map(
      (text) => [text, holding] as const,
    ),
  )
  const near = nearest(
    words,
    called.map(([text]) => text),
  )
  const found = called.find(([text]) => text === near)?.[1]
  return found === undefined ? '' : ` Did you mean ${holdingInWords(found)}?`
}

/** Lists every holding that the service shows this account. */
export async function listHoldings(client: Client, signal?: AbortSignal): Promise<readonly FoundHolding[]> {
  const all: FoundHolding[] = []
  for await (const page of client.features('holdings', {}, signal)) all.push(...page.map(describedBy))
  return all
}

/** Makes the function that names the farm of a record, by the identifiers that the two share. */
export async function farmNames(client: Client, signal?: AbortSignal): Promise<(body: object) => string | undefined> {
  const names = new Map<string, string>()
  for (const { name, identifiers } of await listHoldings(client, signal))
    for (const each of identifiers) if (name !== '') names.set(identifierText(each), name)
  return (body) => {
    const { identifiers } = body as Body
    const own = Array.isArray(identifiers) ? (identifiers as Identifier[]) : []
    return own.map((each) => names.get(identifierText(each))).find((name) => name !== undefined)
  }
}

function describedBy(feature: Feature): FoundHolding {
  const body = (feature.properties['agriculture'] ?? {}) as Body
  const identifiers = Array.isArray(body['identifiers']) ? (body['identifiers'] as Identifier[]) : []
  return { id: textOf(feature['id']) || textOf(body['id']), name: textOf(body['name']), identifiers }
}

/** The ids and identifiers of the paddocks that a person means: records may refer to them by these, or by an old name. */
export type KnownPlots = readonly string[]

/** Finds the paddocks with these names or ids. There may be several of one name, or none. */
export async function findPlots(
  client: Client,
  words: readonly string[],
  { holding, signal }: { readonly holding: FoundHolding | undefined; readonly signal: AbortSignal | undefined },
): Promise<KnownPlots> {
  const found: string[] = []
  for await (const page of client.features('plots', { holdingId: holding?.id }, signal))
    for (const feature of page) {
      const { id, name, identifiers: given } = describedBy(feature)
      const identifiers = [...given, ...sourceIdsOf((feature.properties['agriculture'] ?? {}) as Body)]
      if (!words.some((each) => isCalled(each, { id, name, identifiers }))) continue
      found.push(...(id === '' ? [] : [id]), ...identifiers.map(identifierText))
    }
  return found
}

/** Such as "Rimu Farm (nz.example.farm-number:00412876)". */
export function holdingInWords({ name, identifiers: [first] }: Pick<FoundHolding, 'name' | 'identifiers'>): string {
  if (first === undefined) return name
  return name === '' ? identifierText(first) : `${name} (${identifierText(first)})`
}

/** True for the holding's name, id, identifier or scheme:identifier. A name may lack its macrons and accents. */
export function isCalled(
  words: string,
  holding: { readonly id?: string; readonly name: string; readonly identifiers: readonly Identifier[] },
): boolean {
  if (bare(holding.name) === bare(words) || holding.id === words) return true
  return holding.identifiers.some((each) => each.id === words || identifierText(each) === words)
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

/** The ids that a record has where it comes from; the two interfaces of the service write them differently. */
export function sourceIdsOf({ meta }: Body): readonly Identifier[] {
  // windrow writes the farm before the id.
  return sourceIds(meta).flatMap(({ scheme, id }) => [
    { scheme, id },
    { scheme, id: id.slice(id.lastIndexOf('/') + 1) },
  ])
}

/** A word without case, macrons and accents, to compare. */
export function bare(name: string): string {
  return withoutMarks(fold(name))
}

/** A word without case. */
export function fold(text: string): string {
  return text.normalize('NFC').trim().toLowerCase()
}
