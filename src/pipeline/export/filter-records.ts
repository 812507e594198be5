/** Filters records by holding, operation, status and day, because the service cannot. */

import { WindrowError } from '../../core/error.ts'
import type { Client } from '../../client/connection.ts'
import { identifierText } from '../../resources/identifier.ts'
import { nearest } from '../../resources/nearest.ts'
import type { Identifier } from '../../resources/resource-type.ts'
import { dayOf } from '../definition/period.ts'

/** `from` and `until` are inclusive days in the export's zone. `deletedToo` works only for lists that can show deleted records; `box` (west, south, east, north) only for features. */
export type Sifting = {
  readonly holding?: string
  readonly operations?: readonly string[]
  readonly statuses?: readonly string[]
  readonly from?: string
  readonly until?: string
  readonly deletedToo?: boolean
  readonly box?: readonly [number, number, number, number]
}

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
  for await (const page of client.features('holdings', {}, signal))
    for (const feature of page) {
      const body = (feature.properties?.['agriculture'] ?? {}) as Body
      const identifiers = Array.isArray(body['identifiers']) ? (body['identifiers'] as Identifier[]) : []
      all.push({ id: textOf(feature['id']) || textOf(body['id']), name: textOf(body['name']), identifiers })
    }
  return all
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

/** Makes the test that a record must pass. */
export function sieve(
  only: Sifting,
  context: { readonly zone: string; readonly holding: FoundHolding | undefined },
): (body: Body) => boolean {
  const tests: ((body: Body) => boolean)[] = []
  const { holding } = context
  if (holding !== undefined) tests.push((body) => isOfHolding(body, holding))
  const operations = (only.operations ?? []).map(fold)
  const statuses = (only.statuses ?? []).map(fold)
  if (operations.length > 0) tests.push((body) => operationsOf(body).some((each) => operations.includes(each)))
  if (statuses.length > 0) tests.push((body) => statuses.includes(fold(textOf(body['status']))))
  if (only.from !== undefined || only.until !== undefined) {
    const [from, until] = [only.from ?? '', only.until ?? '9999-12-31']
    tests.push((body) => {
      const moment = body['phenomenonStartTime'] ?? body['observationDate'] ?? body['phenomenonEndTime']
      const instant = typeof moment === 'string' ? Date.parse(moment) : Number.NaN
      if (Number.isNaN(instant)) return false
      const day = dayOf(new Date(instant), context.zone)
      return day >= from && day <= until
    })
  }
  return (body) => tests.every((test) => test(body))
}

function isOfHolding(body: Body, holding: FoundHolding): boolean {
  const reference = body['holding'] as { name?: unknown; identifier?: Partial<Identifier> } | undefined
  // Plots and land covers are read per holding and do not name it; a work record must.
  if (reference === undefined) return !('operation' in body)
  const { identifier } = reference
  const listed = identifier === undefined ? [] : [{ scheme: identifier.scheme ?? '', id: identifier.id ?? '' }]
  return listed.some(({ scheme, id }) => holding.identifiers.some((each) => each.scheme === scheme && each.id === id))
}

/** A record matches by its own operation and by those it logged. */
function operationsOf(body: Body): readonly string[] {
  const logged = Array.isArray(body['loggedOperations']) ? (body['loggedOperations'] as Body[]) : []
  return [body, ...logged].map((each) => fold(textOf(each['operation'])))
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

function bare(name: string): string {
  return fold(name).normalize('NFD').replace(/\p{M}/gu, '')
}

function fold(text: string): string {
  return text.normalize('NFC').trim().toLowerCase()
}
