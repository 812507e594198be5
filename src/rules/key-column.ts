/** Decides which column identifies a record, or a parcel with its sheet of the map. */

import type { ColumnProfile, TableProfile } from '../core/profile/profile-table.ts'
import { chosen, type Choice, type Other, type Value } from '../core/row.ts'
import type { Decider } from '../core/rule.ts'
import {
  fieldRules,
  headerWords,
  keyWords,
  parcelWords,
  rowNumberWords,
  saysName,
  sheetWords,
} from '../core/values/header-words.ts'
import { columnsNamedIn } from '../mapping/cell.ts'
import { columnsTaken } from '../mapping/choice.ts'
import { pickDates } from './dates.ts'
import { filledOf, hasBoundaries, isNameable, type ColumnsRead } from './field-columns.ts'

/** "24 of 24 filled, all different", "100 of 100 filled, 62 of 100 different". */
function uniquenessOf(column: ColumnProfile): string {
  return `${filledOf(column)}, ${differentOf(column)}`
}

function differentOf({ distinct, distinctIsExact, repeated, filled }: ColumnProfile): string {
  if (!distinctIsExact) return `more than ${distinct} different`
  return repeated > 0 ? `${distinct} of ${filled} different` : 'all different'
}

/** What to do about a file without columns. */
function whereColumnsAre({ format }: TableProfile): string {
  return format === 'shapefile'
    ? 'The ids and names of a shapefile are in its .dbf: put that beside the .shp, or ask for all files of the map.'
    : 'Give each boundary an id or a name in the program that made the file, and export it again with them.'
}

type Ranked = { readonly column: ColumnProfile; readonly rank: number; readonly isUnique: boolean }

/** What a key is chosen from. */
export type KeyFacts = Pick<ColumnsRead, 'type' | 'profile' | 'serviceIds'> & { readonly holding: Choice | undefined }

/** Which columns may be the key, why, and what speaks against them. */
type KeySeen = {
  readonly facts: KeyFacts
  readonly is: 'farm number' | 'parcel on its sheet' | 'column' | 'number per farm' | 'nearly' | 'none'
  readonly columns: readonly ColumnProfile[]
  readonly isSure: boolean
  /** Without a key the column that is nearest to one. */
  readonly nearest?: ColumnProfile | undefined
}

export const keyColumn: Decider<KeyFacts, KeySeen> = {
  id: 'key-column',
  about: 'file',
  decides: 'key',
  why: 'Which column tells the records apart and finds them again next time. It must be filled in and different in every row, and its header must mean an id. Names, row numbers and columns that only count the lines can change, a number that is used once in each farm may come twice, and ids that the service gave are not yours: a person confirms such a key, or names another. A wrong key publishes every record a second time.',
  find(facts) {
    const { type, holding } = facts
    if (type.plural === 'holdings' && holding !== undefined)
      return { facts, is: 'farm number', columns: [], isSure: holding.certainty === 'sure' }
    const ranked = rankedForKey(facts)
    const [best] = ranked
    const perFarm = withinFarms(ranked, facts)
    // Names can change, so a number is better, also where it is different only within a farm.
    const isBest = best?.isUnique === true && (best.rank < nameRank || perFarm === best.column)
    const usual: KeySeen | undefined =
      isBest || perFarm === undefined
        ? usualKey(best, facts)
        : { facts, is: 'number per farm', columns: [perFarm], isSure: false }
    if (usual?.isSure === true) return usual
    const near = nearKey(ranked)
    if (near !== undefined) return { facts, is: 'nearly', columns: [near], isSure: false }
    if (usual !== undefined) return usual
    return { facts, is: 'none', columns: [], isSure: false, nearest: best?.column }
  },
  says(seen) {
    const { facts, is, columns, isSure } = seen
    const [column] = columns
    const named = columns.map(({ name }) => `<${name}>`)
    const value = is === 'farm number' ? facts.holding!.value : named.length > 1 ? named : named[0]
    const evidence = evidenceFor[is](seen, column!)
    if (isSure) return chosen('key', value, evidence)
    // Who has an id with a mistake in it needs no other.
    const all = is === 'nearly' || is === 'number per farm' ? [] : othersForKey(facts)
    const others = all.filter((each) => keyText(each.value) !== keyText(value))
    const question = 'Which column is the id, different in every row and the same next year?'
    return { setting: 'key', value, evidence, others, certainty: 'ask', question }
  },
}

const evidenceFor: Readonly<Record<KeySeen['is'], (seen: KeySeen, column: ColumnProfile) => string>> = {
  'farm number': ({ facts }) => facts.holding!.evidence,
  none: ({ facts, nearest }) => noKey(nearest, facts.profile),
  'parcel on its sheet': () => 'the number of a parcel is another one on each map sheet',
  'number per farm': ({ facts }, column) =>
    `${uniquenessOf(column)}, together with <${columnsTaken(facts.holding?.value)[0]}>; a number used twice in one farm is rejected`,
  nearly: (_, column) =>
    `looks like the id, but only ${column.distinct} of ${column.filled} are different: correct the file, or the rows with the same id are rejected`,
  column({ facts }, column) {
    const copied = copiedFrom(column, facts.profile)
    const counted = countOf(column)
    const doubts = [
      isRowNumber(column) ? 'a row number, which may change with the next export' : undefined,
      copied && `the same as <${copied.name}>, a row number, which may change with the next export`,
      counted && `${counted} in row order: if these only count the lines, they change when the list does`,
      keyRank(column) === nameRank ? 'names can change' : undefined,
    ]
    return [uniquenessOf(column), ...doubts.filter((each) => each !== undefined)].join('; ')
  },
}

function rankedForKey({ type, profile, holding, serviceIds }: KeyFacts): readonly Ranked[] {
  const given = serviceIdsIn(profile, serviceIds)
  const ofFarm = columnsTaken(holding?.value)
  return (
    profile.columns
      .filter((column) => !ofFarm.includes(column.name) && couldBeKey(column) && !given.includes(column))
      // The key of a farm is its official number.
      .filter(({ name }) => type.plural !== 'holdings' || !saysName(name))
      .map((column): Ranked => {
        const isOfProgram = countOf(column)?.startsWith('0') === true || copiedFrom(column, profile) !== undefined
        const rank = isOfProgram ? rowNumberRank : keyRank(column)
        return { column, rank, isUnique: column.blank === 0 && column.repeated === 0 }
      })
      .toSorted(
        (left, right) =>
          Number(right.isUnique) - Number(left.isUnique) ||
          left.rank - right.rank ||
          Number(isRowNumber(left.column)) - Number(isRowNumber(right.column)),
      )
  )
}

/** The best column if it is different in every row, or a parcel with its sheet of the map. */
function usualKey(best: Ranked | undefined, facts: KeyFacts): KeySeen | undefined {
  if (best === undefined || !best.isUnique || best.column.filled === 0) return undefined
  const { column, rank } = best
  const isCounted = countOf(column) !== undefined || copiedFrom(column, facts.profile) !== undefined
  const onSheet = isCounted ? [] : parcelOnSheet(facts.profile)
  return onSheet.includes(column)
    ? { facts, is: 'parcel on its sheet', columns: onSheet, isSure: true }
    : { facts, is: 'column', columns: [column], isSure: rank < nameRank && !isCounted }
}

function noKey(best: ColumnProfile | undefined, profile: TableProfile): string {
  if (profile.columns.length === 0) return `The file has shapes and no columns. ${whereColumnsAre(profile)}`
  const nearest = best === undefined ? '' : ` The nearest is <${best.name}>: ${uniquenessOf(best)}.`
  return `No column is filled in and different in every row, so there is no key: windrow could not recognise these records next time.${nearest} Name several columns that are different together, or add a column with a number for each row. Every later import must use the same key, or records are published twice.`
}

const mostRepeated = 2
const mostExtra = 3

/** The column of ids in which only a few are there twice. */
function nearKey(ranked: readonly Ranked[]): ColumnProfile | undefined {
  const near = ranked.filter(({ column }) => {
    const { filled, blank, distinct, distinctIsExact, repeated } = column
    const isNear = repeated > 0 && repeated <= mostRepeated && filled - distinct <= mostExtra
    return keyRank(column) < nameRank && distinctIsExact && blank === 0 && isNear && distinct >= leastDifferent * filled
  })
  return near.toSorted((one, other) => keyRank(one.column) - keyRank(other.column))[0]?.column
}

const mostOthers = 6

/** What else may be the key. */
function othersForKey({ profile, serviceIds }: KeyFacts): readonly Other[] {
  const given = serviceIdsIn(profile, serviceIds)
  const named = namesWithPlace(profile)
  return [
    ...profile.columns
      .filter((column) => tellsRowsApart(column) && !given.includes(column))
      .slice(0, mostOthers)
      .map(({ name, examples }) => ({
        value: `<${name}>`,
        evidence: `different in every row, such as ${examples[0]}`,
      })),
    ...(named === undefined
      ? []
      : [{ value: [`<${named.name}>`, placePart], evidence: 'the name and where the boundary lies' }]),
  ]
}

/** The official number of a parcel and the columns that name its sheet of the map; empty without both, or where parcels have names. */
function parcelOnSheet({ columns }: TableProfile): readonly ColumnProfile[] {
  const filled = columns.filter((each) => each.filled > 0 && each.blank === 0)
  const isNumbers = ({ name, examples }: ColumnProfile): boolean =>
    parcelWords.test(headerWords(name)) && examples.every((text) => /\d/.test(text))
  const parcel = filled.find(isNumbers)
  const sheets = filled.filter(({ name }) => sheetWords.test(headerWords(name)))
  return parcel === undefined || sheets.length === 0 ? [] : [parcel, ...sheets]
}

/** The rank of a column of names, which comes after every column of ids. */
const nameRank = keyWords.length - 1

/** Numbers of rows come after all other columns. */
const rowNumberRank = keyWords.length + 1

/** The share of different ids from which a column counts as nearly a key. */
const leastDifferent = 0.9

/** The column of names that tell boundaries apart together with their place. */
function namesWithPlace(profile: TableProfile): ColumnProfile | undefined {
  const withNames = profile.columns
    .filter((column) => column.filled > 0 && keyRank(column) === nameRank)
    .toSorted((one, other) => other.distinct - one.distinct)
  return hasBoundaries(profile) ? (withNames.find(({ name }) => saysName(name)) ?? withNames[0]) : undefined
}

/** The part of a key that is where the boundary lies. */
export const placePart: Value = { place: 'measured' }

/** The columns of a key: "<Farm> + <No>". */
export function keyText(spec: Value): string {
  if (spec === undefined) return ''
  const columns = columnsNamedIn(spec).map((name) => `<${name}>`)
  return [...columns, ...(JSON.stringify(spec).includes('"place"') ? ['place'] : [])].join(' + ')
}

const countWords = /^(?:no|nr|num|number|nummer|numero|n|)$/
const leastCounted = 5

/**
 * What only counts the rows: "0 to 11" in row order under any header, as programs count, and "1 to 12" under a header such as "No." or
 * "#", as a printed list has it.
 */
function countOf({ name, filled, repeated, examples, longest }: ColumnProfile): string | undefined {
  const isList = (countWords.test(headerWords(name)) || isRowNumber({ name })) && filled >= leastCounted
  const first = [0, 1].find((start) => examples.every((text, index) => text === String(index + start)))
  if (first === undefined || (first === 1 && !isList) || repeated > 0 || longest > String(filled).length)
    return undefined
  return filled === 1 ? String(first) : `${first} to ${first + filled - 1}`
}

function isRowNumber({ name }: Pick<ColumnProfile, 'name'>): boolean {
  return rowNumberWords.test(headerWords(name))
}

/** The other column of row numbers, such as OBJECTID, that has the same values. */
function copiedFrom(column: ColumnProfile, { columns }: TableProfile): ColumnProfile | undefined {
  const [filled, examples] = [column.filled, column.examples.join()]
  return columns.find(
    (other) => other !== column && isRowNumber(other) && other.filled === filled && other.examples.join() === examples,
  )
}

/** The columns with ids that the service gave: as it said, else by their headers. */
export function serviceIdsIn({ columns }: TableProfile, serviceIds: ReadonlySet<string> | undefined) {
  return columns.filter((column) => serviceIds?.has(column.name) ?? presumedServiceIds(column))
}

/** A number per farm: the farm is part of the key, so a number that several farms use is not repeated. */
function withinFarms(ranked: readonly Ranked[], { holding, profile }: KeyFacts): ColumnProfile | undefined {
  const farms = profile.columns.find(({ name }) => columnsTaken(holding?.value).includes(name))
  if (farms === undefined || farms.distinct < 2 || farms.blank > 0) return undefined
  const isEnough = ({ distinct, distinctIsExact, filled }: ColumnProfile): boolean =>
    !distinctIsExact || distinct * farms.distinct >= filled
  const numbered = ranked.filter(({ column, rank }) => column.blank === 0 && rank < keyWords.length && isEnough(column))
  return numbered.toSorted((left, right) => left.rank - right.rank)[0]?.column
}

/** True for a column that is different in every row, and not an area, a date or a crop. */
function tellsRowsApart(column: ColumnProfile): boolean {
  return couldBeKey(column) && column.blank === 0 && column.distinct === column.filled
}

/** True for a column whose content may tell records apart. */
function couldBeKey(column: ColumnProfile): boolean {
  const { filled, nested, truths, longest, numberFit, texts } = column
  if (filled === 0 || nested > 0 || truths > 0 || longest > 100 || !isNameable(column.name)) return false
  const isFraction =
    numberFit.point + numberFit.comma > 0 && numberFit.point + numberFit.comma + numberFit.either >= texts
  if (isFraction || column.examples.some((text) => /^-?\d+\.\d+$/.test(text))) return false
  return !isWholeArea(column) && !isOfCrop(column) && pickDates(column) === undefined
}

const cropWords = fieldRules.flatMap(({ field, words }) => (field.startsWith('crops.') ? words : []))

/** True for a column whose header names the crop or its code, which change every year. A ranch calls its paddocks pastures. */
function isOfCrop({ name }: ColumnProfile): boolean {
  const words = headerWords(name)
  return words !== 'pasture' && cropWords.some((each) => each.test(words))
}

const areaWords = fieldRules.find(({ field }) => field === 'totalArea')?.words ?? []

/** True for a column of areas without decimals; "Area no" contains ids. */
function isWholeArea(column: ColumnProfile): boolean {
  const areNumbers = column.numberFit.either === column.texts
  return (
    areNumbers && keyRank(column) === keyWords.length && areaWords.some((each) => each.test(headerWords(column.name)))
  )
}

/** How early the header comes among the words for ids. */
function keyRank(column: ColumnProfile): number {
  if (isRowNumber(column)) return rowNumberRank
  const words = headerWords(column.name)
  const rank = keyWords.findIndex((each) => each.test(words))
  return rank === -1 ? keyWords.length : rank
}

/** True for text in the form of the service's record ids. */
export function isServiceId(text: string): boolean {
  return /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i.test(text)
}

/** True for a column that may contain ids of the service; a farm program may have its own ids in this form. */
export function mayBeServiceIds({ examples }: Pick<ColumnProfile, 'examples'>): boolean {
  return examples.length > 0 && examples.every(isServiceId)
}

/** True for a column that contains ids of the service by its header: exports call it "Id", and source ids "Source id". */
export function presumedServiceIds(column: Pick<ColumnProfile, 'name' | 'examples'>): boolean {
  const words = headerWords(column.name)
  const isSourceId = /^source id(?: |$)/.test(words) && column.examples.every((text) => text.includes('/'))
  return isSourceId || (words === 'id' && mayBeServiceIds(column))
}
