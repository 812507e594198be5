/** Finds the farms and paddocks that a person names among those that the service shows, and lists the farms to choose from. */

import { plainName } from '../../core/values/same-name.ts'
import { WindrowError } from '../../core/error.ts'
import type { TableProfile } from '../../core/profile/profile-table.ts'
import { nearest } from '../../core/values/nearest.ts'
import { hasLostZeros, zerosLost } from '../../core/values/same-name.ts'
import type { Client } from '../../client/connection.ts'
import type { Feature } from '../../client/features.ts'
import { mayNameFarm } from '../../core/values/header-words.ts'
import { groupIn, textIn, type Group } from '../../resources/groups.ts'
import { identifiersIn, identifierText, type Identifier, type ResourceType } from '../../resources/resource-type.ts'
import { sourceIds } from '../../resources/spellings.ts'
import type { FarmFacts } from '../../rules/file.ts'
import { readHolding } from '../definition/holding-text.ts'

export type FoundHolding = { readonly id: string; readonly name: string; readonly identifiers: readonly Identifier[] }

/** Finds the one holding with this name, identifier or scheme:identifier. Throws a WindrowError that lists the holdings. */
export async function findHolding(client: Client, words: string, signal?: AbortSignal): Promise<FoundHolding> {
  const all = await listHoldings(client, signal)
  const found = all.filter((holding) => isCalled(words, holding))
  if (found.length === 1) return found[0]!
  const choices = found.length === 0 ? all : found
  const listed = choices.slice(0, 10).map(holdingInWords)
  const hint =
    all.length === 0
      ? 'The service shows no holdings for this account.'
      : `Choose one of: ${listed.join('; ')}${choices.length > listed.length ? ' ...' : ''}.`
  const message =
    found.length === 0
      ? `Holding "${words}" was not found in the service.${didYouMean(words, all)}`
      : `Several holdings are called "${words}".`
  throw new WindrowError('option-invalid', message, { hint })
}

/** Such as ` Did you mean "Rimu Farm" (nz.example.farm-number:00412876)?`; empty where no farm is near the words. */
function didYouMean(words: string, holdings: readonly Farm[]): string {
  const called = holdings.flatMap((holding) =>
    [holding.name, ...holding.identifiers.flatMap((each) => [identifierText(each), each.id])].map(
      (text) => [text, holding] as const,
    ),
  )
  const texts = called.map(([text]) => text)
  const near = nearest(words, texts)
  const found = called.find(([text]) => text === near)?.[1]
  return found === undefined ? '' : ` Did you mean ${holdingInWords(found)}?`
}

/** Lists every holding that the service shows this account. */
export async function listHoldings(client: Client, signal?: AbortSignal): Promise<readonly FoundHolding[]> {
  const all: FoundHolding[] = []
  for await (const page of client.features('holdings', {}, signal)) all.push(...page.map(describedBy))
  return all
}

/** Makes the function that names the farm of a record, by the identifiers that the two share; farms of one name have their id, too. */
export async function farmNames(client: Client, signal?: AbortSignal): Promise<(body: object) => string | undefined> {
  const names = new Map<string, string>()
  for (const [name, farms] of Map.groupBy(await listHoldings(client, signal), (each) => each.name))
    for (const { identifiers } of name === '' ? [] : farms)
      for (const each of identifiers)
        names.set(identifierText(each), farms.length > 1 ? `${name} (${identifiers[0]!.id})` : name)
  return (body) => identifiersIn(body).flatMap((each) => names.get(identifierText(each)) ?? [])[0]
}

function describedBy(feature: Feature): FoundHolding {
  const body = groupIn(feature.properties, 'agriculture')
  const [id, name] = [textIn(feature, 'id') ?? textIn(body, 'id') ?? '', textIn(body, 'name') ?? '']
  return { id, name, identifiers: identifiersIn(body) }
}

/** The ids and identifiers of the paddocks that a word means: records may refer to them by these, or by an old name. */
export type KnownPlots = ReadonlyMap<string, readonly string[]>

/** Finds the paddocks with these names or ids. There may be several of one name; a word that none has is left out. */
export async function findPlots(
  client: Client,
  words: readonly string[],
  { holding, signal }: { readonly holding: FoundHolding | undefined; readonly signal: AbortSignal | undefined },
): Promise<KnownPlots> {
  const found = new Map<string, string[]>()
  for await (const page of client.features('plots', { holdingId: holding?.id }, signal))
    for (const feature of page) {
      const { id, name, identifiers: given } = describedBy(feature)
      const identifiers = [...given, ...sourceIdsOf(groupIn(feature.properties, 'agriculture'))]
      const ids = [...(id === '' ? [] : [id]), ...identifiers.map(identifierText)]
      for (const word of words.filter((each) => isCalled(each, { id, name, identifiers })))
        found.set(word, [...(found.get(word) ?? []), ...ids])
    }
  return found
}

/** Such as "Rimu Farm (nz.example.farm-number:00412876)". */
function holdingInWords({ name, identifiers: [first] }: Farm): string {
  if (first === undefined) return name
  return name === '' ? identifierText(first) : `${name} (${identifierText(first)})`
}

/** True for the holding's name, id, identifier or scheme:identifier. A name may be written in another way. */
function isCalled(words: string, holding: Farm & Partial<FoundHolding>): boolean {
  if (plainName(holding.name) === plainName(words) || holding.id === words) return true
  return holding.identifiers.some((each) => each.id === words || identifierText(each) === words)
}

/** The ids that a record has where it comes from; the two interfaces of the service write them differently. */
export function sourceIdsOf({ meta }: Group): readonly Identifier[] {
  // windrow writes the farm before the id.
  return sourceIds(meta).flatMap(({ scheme, id }) => [
    { scheme, id },
    { scheme, id: id.slice(id.lastIndexOf('/') + 1) },
  ])
}

/** A farm to choose; the service may have it without an identifier, and not show its name. */
export type Farm = Pick<FoundHolding, 'name' | 'identifiers'>

const mostListed = 5

/** The farms that the account may write, with names if there are several, so that a person can choose. */
export async function farmsToWrite(client: Client, signal?: AbortSignal): Promise<readonly Farm[]> {
  const control = await client.control(signal)
  const shown = await farmsShown(client, signal)
  const names = new Map(
    shown.flatMap(({ identifiers, name }) => identifiers.map((each) => [identifierText(each), name])),
  )
  return control.map(({ identifiers }) => ({ identifiers, name: names.get(identifierText(identifiers[0])) ?? '' }))
}

/**
 * The farm with this name, number or SCHEME:ID among those that the account may write; undefined if the word is one of their
 * schemes. Throws `holding-missing` with the nearest and the list if none or several fit.
 */
function farmMeant(words: string, farms: readonly Farm[]): Identifier | undefined {
  const found = farms.filter((farm) => isCalled(words, farm))
  const [identifier] = found[0]?.identifiers ?? []
  if (found.length === 1 && identifier !== undefined) return identifier
  const isScheme = farms.some(({ identifiers }) => identifiers.some(({ scheme }) => scheme === words))
  if (found.length === 0 && isScheme) return undefined
  const message =
    found.length === 0
      ? `None of your farms is called "${words}".${didYouMean(words, farms)}`
      : `"${words}" fits ${found.length} of your farms.`
  const hint = farmsToName(found.length === 0 ? farms : found) || noFarms
  throw new WindrowError('holding-missing', message, { hint })
}

/**
 * The farm that a person says: SCHEME:ID, a scheme whose ids are in a column, or, with a connection, a farm's name or number.
 */
export async function farmSaid(said: string | undefined, { type, connection, signal }: SaidFor) {
  if (said === undefined) return undefined
  const holding = readHolding(said)
  const canBeScheme = /[a-z]/i.test(holding.scheme) && !/\s/.test(holding.scheme)
  if (canBeScheme && (said.includes(':') || type.plural === 'holdings')) return holding
  const farms = connection === undefined ? [] : await farmsToWrite(connection.client, signal)
  if (canBeScheme && farms.length === 0) return holding
  if (connection !== undefined) return farmMeant(said, farms) ?? holding
  const message = `The holding "${said}" has no scheme, and without a connection windrow cannot look the farm up.`
  const hint = 'Write SCHEME:ID, such as nz.example.farm-number:00412876. Or connect first: windrow connect.'
  throw new WindrowError('holding-missing', message, { hint })
}

type SaidFor = {
  readonly type: ResourceType
  readonly connection: { readonly client: Client } | undefined
  readonly signal: AbortSignal
}

/** The nearest of these farms and their list, for a farm that is not among them; empty without farms. */
export function nearestFarms(wanted: Identifier, farms: readonly Farm[]): string {
  const meant = farms.find(({ identifiers }) => identifiers.some(({ id }) => hasLostZeros(wanted.id, id)))
  if (meant !== undefined) return `The number lost the zeros in front, and means ${holdingInWords(meant)}. ${zerosLost}`
  return [didYouMean(identifierText(wanted), farms).trim(), farmsToName(farms)].join(' ').trim()
}

function farmsToName(farms: readonly Farm[]): string {
  const listed = farms.slice(0, mostNamed).map(holdingInWords)
  if (listed.length === 0) return ''
  return `Choose one of: ${listed.join('; ')}${farms.length > mostNamed ? ` and ${farms.length - mostNamed} more, which "windrow service control" lists` : ''}.`
}

const mostNamed = 10
const noFarms =
  'The account is not connected to a farm yet. Import it first: windrow import holdings.csv --to holdings --holding SCHEME.'

/** The farms that the service shows; none if it refuses, because the list is only a help. */
export function farmsShown(client: Client, signal?: AbortSignal): Promise<readonly Farm[]> {
  return listHoldings(client, signal).catch((cause: unknown) => {
    if (cause instanceof WindrowError) return []
    throw cause
  })
}

/** A slow service must not delay the run. */
const patienceMs = 5000

/** The answer to a question that only helps; undefined if the service refuses, or does not answer soon. */
export async function unlessSlow<T>(
  signal: AbortSignal | undefined,
  ask: (patience: AbortSignal) => Promise<T | undefined>,
): Promise<T | undefined> {
  const patience = AbortSignal.any([...(signal === undefined ? [] : [signal]), AbortSignal.timeout(patienceMs)])
  try {
    return await ask(patience)
  } catch (cause) {
    signal?.throwIfAborted()
    if (cause instanceof WindrowError || patience.aborted) return undefined
    throw cause
  }
}

/** The words that call a farm, by its name or a number that may lack its zeros. */
function wordsFor(farm: Farm, words: readonly string[]): readonly string[] {
  return words.filter((each) => isCalled(each, farm) || farm.identifiers.some(({ id }) => hasLostZeros(each, id)))
}

/** The farms that the account may write, those first that a column of the file names. */
export async function farmsToChoose(client: Client, { columns }: Pick<TableProfile, 'columns'>, signal: AbortSignal) {
  const words = farmColumns(columns).flatMap(([, each]) => each)
  const farms = await farmsToWrite(client, signal)
  const { named = [], others = [] } = Object.groupBy(farms, (farm) =>
    wordsFor(farm, words).length > 0 ? 'named' : 'others',
  )
  return [...named, ...others]
}

/** The columns that may name a farm, with what they contain. */
export function farmColumns(columns: TableProfile['columns']) {
  return columns
    .filter(({ name }) => mayNameFarm(name))
    .map(({ name, examples, few = examples }) => [name, few] as const)
}

/** Which farms of the account each column names, of a file that is for the chosen one; `columns` have what they contain. */
export function farmsNamedIn(
  columns: Iterable<readonly [name: string, words: readonly string[]]>,
  { chosen, farms }: { readonly chosen: Identifier; readonly farms: readonly Farm[] },
): FarmFacts['columns'] {
  const described = farms.flatMap(({ name, identifiers: [first, ...others] }) => {
    const isChosen = [first, ...others].some((each) => identifierText(each) === identifierText(chosen))
    return first === undefined ? [] : [{ name, identifiers: [first, ...others] as const, isChosen }]
  })
  if (!described.some(({ isChosen }) => isChosen)) return []
  return Array.from(columns, ([column, all]) => ({
    column,
    farms: described.map((farm) => ({ ...farm, words: wordsFor(farm, all) })).filter(({ words }) => words.length > 0),
  }))
}

/** The error of a file without a farm; `eachRow` is SCHEME:<COLUMN> where a column has the farm of each row. */
export function missingHolding(farms: readonly Farm[], eachRow?: string): WindrowError {
  const known = farms.filter(({ identifiers }) => identifiers.length > 0)
  const listed = known.slice(0, mostListed).map(({ identifiers: [first], name }) => {
    return `${identifierText(first)}${name === '' ? '' : ` (${name})`}`
  })
  if (known.length === 0)
    return new WindrowError('holding-missing', 'Which farm? Set  holding: SCHEME:ID', {
      hint: 'For example  holding: nz.example.farm-number:00412876  "windrow service control" lists your farms.',
    })
  const more = known.length > mostListed ? `, or another of your ${known.length} farms` : ''
  const ofRows = eachRow === undefined ? '' : `${eachRow} (the farm of each row) or `
  return new WindrowError('holding-missing', `Which farm? Set  holding: ${ofRows}${listed.join(' or ')}${more}.`, {
    hint: more === '' ? 'Choose one of these farms.' : '"windrow service control" lists all your farms.',
  })
}
