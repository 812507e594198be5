/**
 * Hides how a published record is known again and where it belongs: by dataPointKey, by source id, a holding also by its
 * identifiers. What is not the account's own, would move or would be stored twice is turned away with a sentence.
 */

import { publishedTypes } from '../../resources/index.ts'
import type { Identifier, ResourceType } from '../../resources/resource-type.ts'
import type { Account } from '../store/accounts.ts'
import { quoted } from '../http/query.ts'
import type { NamedHolding, Records, StoredRecord } from '../store/records.ts'

/** One list on its way into a dataset. `named` remembers the holdings that its records name. */
export type Intake = {
  readonly records: Records
  readonly accounts: readonly Account[]
  readonly account: Account
  readonly type: ResourceType
  readonly named: Map<string, NamedHolding | undefined>
}

/** What identifies a record that passed the checks. */
export type Candidate = {
  readonly key: string
  readonly source: string | undefined
  readonly identifiers: readonly Identifier[]
  readonly isDeletion: boolean
}

/** What the record is already stored as, the holding it belongs to (none for a holding itself), and a note for the sender. */
export type Settled = {
  readonly existing?: StoredRecord | undefined
  readonly holding?: number
  readonly note?: string | undefined
}

/** Settles what a record is and where it belongs, or says why it cannot be taken. */
export function settle(intake: Intake, candidate: Candidate): Settled | string {
  const { records, type } = intake
  const byKey = records.byKey(candidate.key)
  if (byKey !== undefined && byKey.dataset !== type.dataset) return keyTaken(candidate, 'in another dataset')
  return type.dataset === 'holdings'
    ? settleHolding(intake, candidate, byKey)
    : settleOnHolding(intake, candidate, byKey)
}

/** The key of a record: its own, or one made from the source id, which can be no publisher's own. */
export function keyOf(dataPointKey: unknown, source: string | undefined): string | undefined {
  if (typeof dataPointKey === 'string') return `=${dataPointKey}`
  return source === undefined ? undefined : `~${source}`
}

/** The dataPointKey that a stored key stands for, undefined where the publisher gave none. */
export function dataPointKeyOf(key: string): string | undefined {
  return key.startsWith('=') ? key.slice(1) : undefined
}

/** The accounts whose configuration lists one of these identifiers. */
export function accountsNaming(accounts: readonly Account[], identifiers: readonly Identifier[]): readonly Account[] {
  return accounts.filter(({ config }) =>
    config.holdings?.some((own) => identifiers.some(({ scheme, id }) => own.scheme === scheme && own.id === id)),
  )
}

function settleOnHolding(intake: Intake, candidate: Candidate, byKey: StoredRecord | undefined): Settled | string {
  const holding = holdingOf(intake, candidate, byKey)
  if (typeof holding === 'string') return holding
  if (byKey !== undefined && byKey.holding !== holding) return keyTaken(candidate, 'of another holding')
  const { records, type } = intake
  const { source } = candidate
  const bySource =
    source === undefined || byKey?.source === source ? byKey : records.bySource(type.dataset!, holding, source)
  if (byKey !== undefined && bySource !== undefined && byKey.number !== bySource.number)
    return `meta.sourceId ${sayPair(source)} already belongs to the record ${sayKey(bySource.key)}; this is ${sayKey(byKey.key)}.`
  return { existing: byKey ?? bySource, holding, note: keyNote(candidate, byKey ?? bySource) }
}

function holdingOf(intake: Intake, candidate: Candidate, byKey: StoredRecord | undefined): number | string {
  const { account, records } = intake
  const own = new Set<number>()
  for (const identifier of candidate.identifiers) {
    const named = holdingNamed(intake, identifier)
    if (named !== undefined && named.isConnected && !named.isDeleted) own.add(named.number)
  }
  const [first, second] = own
  if (first !== undefined && second === undefined) return first
  if (first !== undefined)
    return `The identifiers name more than one of your holdings: ${sayList(candidate.identifiers)}.`
  // Whoever deletes a record need not say again where it was.
  if (candidate.isDeletion && byKey !== undefined && records.isConnected(account.number, byKey.holding))
    return byKey.holding
  if (candidate.identifiers.length === 0)
    return 'The record names no holding: put an identifier of its holding into identifiers.'
  // The same sentence for a holding of somebody else, so that nobody can find out what others have.
  return `No holding that you may publish to goes by ${sayList(candidate.identifiers)}.`
}

function holdingNamed(intake: Intake, identifier: Identifier): NamedHolding | undefined {
  const key = `${identifier.scheme}\n${identifier.id}`
  if (intake.named.has(key)) return intake.named.get(key)
  const named = intake.records.holdingNamed(identifier, intake.account.number)
  intake.named.set(key, named)
  return named
}

/**
 * A service proper has people who bring holdings in; this one has none, so an account that publishes a holding is its owner
 * from then on, unless an identifier of it belongs to somebody else already.
 */
function settleHolding(intake: Intake, candidate: Candidate, byKey: StoredRecord | undefined): Settled | string {
  const { records, account, type } = intake
  const { identifiers, source } = candidate
  if (byKey !== undefined && !records.isConnected(account.number, byKey.number))
    return keyTaken(candidate, 'that is not yours')
  if (identifiers.length === 0 && !candidate.isDeletion)
    return 'A holding needs an identifier in identifiers, by which its plots can name it.'
  const matches = new Map<number, StoredRecord>()
  if (byKey !== undefined) matches.set(byKey.number, byKey)
  const bySource = source === undefined ? undefined : records.holdingBySource(type.dataset!, source, account.number)
  if (bySource !== undefined) matches.set(bySource.number, bySource)
  for (const identifier of identifiers) {
    const named = records.holdingNamed(identifier, account.number)
    const claims = accountsNaming(intake.accounts, [identifier])
    const isForeign = named === undefined ? claims.length > 0 && !claims.includes(account) : !named.isConnected
    if (isForeign) return `The identifier ${sayList([identifier])} belongs to a holding that is not yours.`
    if (named !== undefined) matches.set(named.number, records.byNumber(named.number)!)
  }
  const [existing, second] = matches.values()
  if (existing !== undefined && second !== undefined)
    return `This describes two of your holdings at once: ${sayKey(existing.key)} and ${sayKey(second.key)}.`
  return deletionFault(intake, candidate, existing) ?? { existing, note: keyNote(candidate, existing) }
}

function deletionFault(
  { records, type }: Intake,
  { isDeletion }: Candidate,
  existing?: StoredRecord,
): string | undefined {
  if (!isDeletion || existing === undefined) return undefined
  for (const { dataset, plural } of publishedTypes) {
    const living = dataset === undefined || dataset === type.dataset ? 0 : records.livingOn(existing.number, dataset)
    if (living > 0) return `The holding still has ${plural} (${living}); delete them first.`
  }
  return undefined
}

function keyTaken({ key }: Candidate, where: string): string {
  return `The key ${sayKey(key)} already stands for a record ${where}. Records do not move; give this one a key of its own.`
}

function keyNote({ key }: Candidate, existing: StoredRecord | undefined): string | undefined {
  if (existing === undefined || existing.key === key || dataPointKeyOf(key) === undefined) return undefined
  return `This record was known under ${sayKey(existing.key)}; it now goes by ${sayKey(key)}.`
}

function sayKey(key: string): string {
  const own = dataPointKeyOf(key)
  return own === undefined ? `source id ${sayPair(key.slice(1))}` : quoted(own)
}

function sayPair(source: string | undefined): string {
  return source === undefined ? 'without id' : quoted((JSON.parse(source) as readonly string[]).join(' '))
}

function sayList(identifiers: readonly Identifier[]): string {
  const said = identifiers.slice(0, 5).map(({ scheme, id }) => quoted(`${scheme} ${id}`))
  return said.join(', ')
}
