/**
 * Recognises a published record by its dataPointKey or source id (a holding also by its identifiers) and finds its holding. A
 * record that belongs to somebody else, would move, or would be stored twice is rejected with a sentence.
 */

import { publishedTypes } from '../../resources/index.ts'
import type { Identifier, ResourceType } from '../../resources/resource-type.ts'
import type { Account } from '../store/accounts.ts'
import { quoted } from '../http/query.ts'
import type { NamedHolding, Records, StoredRecord } from '../store/records.ts'

/** One list that is being published to a dataset. `named` keeps the holdings that its records name. */
export type Intake = {
  readonly records: Records
  readonly accounts: readonly Account[]
  readonly account: Account
  readonly type: ResourceType
  readonly named: Map<string, NamedHolding | undefined>
}

/** The identity of a record that passed the checks. */
export type Candidate = {
  readonly key: string
  readonly source: string | undefined
  readonly identifiers: readonly Identifier[]
  readonly isDeletion: boolean
}

/** The stored version of the record, the holding it belongs to (none for a holding itself), and a note for the sender. */
export type Settled = {
  readonly existing?: StoredRecord | undefined
  readonly holding?: number
  readonly note?: string | undefined
}

/** Finds the stored version of a record and its holding, or the sentence that rejects it. */
export function settle(intake: Intake, candidate: Candidate): Settled | string {
  const { records, type } = intake
  const byKey = records.byKey(candidate.key)
  if (byKey !== undefined && byKey.dataset !== type.dataset) return keyTaken(candidate, 'in another dataset')
  return type.dataset === 'holdings'
    ? settleHolding(intake, candidate, byKey)
    : settleOnHolding(intake, candidate, byKey)
}

/** The key of a record: its dataPointKey, or one made from the source id that no dataPointKey can equal. */
export function keyOf(dataPointKey: unknown, source: string | undefined): string | undefined {
  if (typeof dataPointKey === 'string') return `=${dataPointKey}`
  return source === undefined ? undefined : `~${source}`
}

/** The dataPointKey of a stored key, undefined where the publisher gave none. */
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
    return `meta.sourceId ${sourceText(source!)} already belongs to the record ${keyText(bySource.key)}, but this record is ${keyText(byKey.key)}. Use one sourceId for each record.`
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
    return `The identifiers belong to more than one of your holdings: ${identifiersText(candidate.identifiers)}. Name one holding.`
  // A deletion does not have to name the holding again.
  if (candidate.isDeletion && byKey !== undefined && records.isConnected(account.number, byKey.holding))
    return byKey.holding
  if (candidate.identifiers.length === 0)
    return 'The record names no holding. Put an identifier of its holding into identifiers.'
  // The same sentence for a holding of somebody else, so that nobody can find out what others have.
  return `You cannot publish to a holding with the identifier ${identifiersText(candidate.identifiers)}. Check the identifier, or publish the holding first.`
}

function holdingNamed(intake: Intake, identifier: Identifier): NamedHolding | undefined {
  const key = `${identifier.scheme}\n${identifier.id}`
  if (intake.named.has(key)) return intake.named.get(key)
  const named = intake.records.holdingNamed(identifier, intake.account.number)
  intake.named.set(key, named)
  return named
}

/**
 * In a real service people register holdings. Here the account that publishes a holding owns it from then on, unless one of its
 * identifiers already belongs to somebody else.
 */
function settleHolding(intake: Intake, candidate: Candidate, byKey: StoredRecord | undefined): Settled | string {
  const { records, account, type } = intake
  const { identifiers, source } = candidate
  if (byKey !== undefined && !records.isConnected(account.number, byKey.number))
    return keyTaken(candidate, 'of another account')
  if (identifiers.length === 0 && !candidate.isDeletion)
    return 'A holding needs an identifier in identifiers, so that its plots can name it.'
  const matches = new Map<number, StoredRecord>()
  if (byKey !== undefined) matches.set(byKey.number, byKey)
  const bySource = source === undefined ? undefined : records.holdingBySource(type.dataset!, source, account.number)
  if (bySource !== undefined) matches.set(bySource.number, bySource)
  for (const identifier of identifiers) {
    const named = records.holdingNamed(identifier, account.number)
    const claims = accountsNaming(intake.accounts, [identifier])
    const isForeign = named === undefined ? claims.length > 0 && !claims.includes(account) : !named.isConnected
    if (isForeign) return `The identifier ${identifiersText([identifier])} belongs to a holding of another account.`
    if (named !== undefined) matches.set(named.number, records.byNumber(named.number)!)
  }
  const [existing, second] = matches.values()
  if (existing !== undefined && second !== undefined)
    return `This record matches two of your holdings: ${keyText(existing.key)} and ${keyText(second.key)}. Its key, source id and identifiers must belong to one.`
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
    if (living > 0) return `The holding still has ${plural} (${living}). Delete them first.`
  }
  return undefined
}

function keyTaken({ key }: Candidate, where: string): string {
  return `The key ${keyText(key)} already belongs to a record ${where}. Records cannot move; give this one another key.`
}

function keyNote({ key }: Candidate, existing: StoredRecord | undefined): string | undefined {
  if (existing === undefined || existing.key === key || dataPointKeyOf(key) === undefined) return undefined
  return `The key of this record changed from ${keyText(existing.key)} to ${keyText(key)}.`
}

function keyText(key: string): string {
  const own = dataPointKeyOf(key)
  return own === undefined ? `source id ${sourceText(key.slice(1))}` : quoted(own)
}

function sourceText(source: string): string {
  return quoted((JSON.parse(source) as readonly string[]).join(' '))
}

function identifiersText(identifiers: readonly Identifier[]): string {
  return identifiers
    .slice(0, 5)
    .map(({ scheme, id }) => quoted(`${scheme} ${id}`))
    .join(', ')
}
