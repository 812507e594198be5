/** Proposes the column that identifies a record, or a parcel with its sheet of the map. */

import type { ColumnProfile, TableProfile } from '../core/profile/profile-table.ts'
import { chosen, type Choice, type Other, type Value } from '../core/row.ts'
import type { ResourceType } from '../resources/resource-type.ts'
import { columnsNamedIn } from './cell.ts'
import { columnsTaken, filledOf, isNameable } from './choice.ts'
import {
  fieldRules,
  headerWords,
  keyWords,
  parcelWords,
  rowNumberWords,
  saysName,
  sheetWords,
} from '../core/values/header-words.ts'
import { pickDates } from './suggest-dates.ts'

/** "24 of 24 filled, all different", "100 of 100 filled, 62 of 100 different". */
function uniquenessOf(column: ColumnProfile): string {
  return `${filledOf(column)}, ${differentOf(column)}`
}

function differentOf({ distinct, distinctIsExact, repeated, filled }: ColumnProfile): string {
  if (!distinctIsExact) return `more than ${distinct} different`
  return repeated > 0 ? `${distinct} of ${filled} different` : 'all different'
}

/** What to do about a file without columns. */
export function whereColumnsAre({ format }: Pick<TableProfile, 'format'>): string {
  return format === 'shapefile'
    ? 'The ids and names of a shapefile are in its .dbf: put that beside the .shp, or ask for all files of the map.'
    : 'Give each boundary an id or a name in the program that made the file, and export it again with them.'
}

type Ranked = { readonly column: ColumnProfile; readonly rank: number; readonly isUnique: boolean }

/** What a key is chosen from. `used` are columns of fields that change, such as the crop; `hasName` where a field takes a name. */
export type KeyFacts = {
  readonly type: ResourceType
  readonly profile: TableProfile
  readonly holding: Choice | undefined
  readonly serviceIds: ReadonlySet<string> | undefined
  readonly used: ReadonlySet<string>
  readonly hasName: boolean
}

/** The key: sure, or asked for with what may be it, or with the reason why nothing may. */
export function chooseKey(facts: KeyFacts): Choice {
  const { type, profile, holding } = facts
  if (type.plural === 'holdings' && holding !== undefined) return { ...holding, setting: 'key' }
  const ranked = rankedForKey(facts)
  const [best, second] = ranked
  const perFarm = withinFarms(ranked, holding, profile)
  // Names can change, so a number is better, also where it is different only within a farm.
  const isSure = best?.isUnique === true && (best.rank < nameRank || perFarm?.column === best.column)
  const usual = isSure || perFarm === undefined ? usualKey(best, profile) : proposalOf(perFarm.column, perFarm.evidence)
  if (usual?.certainty === 'sure') return { ...usual, others: second === undefined ? [] : [runnerUpOf(second.column)] }
  const proposed = nearKey(ranked, profile) ?? usual ?? pairAsKey(facts)
  const others = othersForKey(facts).filter(({ value }) => keyText(value) !== keyText(proposed?.value))
  const { value, evidence } = proposed ?? { value: undefined, evidence: noKey(best, profile) }
  const question = 'Which column is the id, different in every row and the same next year?'
  return { setting: 'key', value, evidence, others, certainty: 'ask', question }
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
function usualKey(best: Ranked | undefined, profile: TableProfile): Choice | undefined {
  if (best === undefined || !best.isUnique || best.column.filled === 0) return undefined
  const { column, rank } = best
  const counted = countOf(column)
  const copied = copiedFrom(column, profile)
  const onSheet = counted === undefined && copied === undefined ? parcelOnSheet(profile) : []
  if (onSheet.includes(column)) {
    const value = onSheet.map(({ name }) => `<${name}>`)
    return chosen('key', value, 'the number of a parcel is another one on each map sheet')
  }
  const doubts = [
    isRowNumber(column) ? 'a row number, which may change with the next export' : undefined,
    copied && `the same as <${copied.name}>, a row number, which may change with the next export`,
    counted && `${counted} in row order: if these only count the lines, they change when the list does`,
    rank === nameRank ? 'names can change' : undefined,
  ].filter((each) => each !== undefined)
  const evidence = [uniquenessOf(column), ...doubts].join('; ')
  const isSure = rank < nameRank && counted === undefined && copied === undefined
  return isSure ? chosen('key', `<${column.name}>`, evidence) : proposalOf(column, evidence)
}

function proposalOf({ name }: ColumnProfile, evidence: string): Choice {
  return { ...chosen('key', `<${name}>`, evidence), certainty: 'ask' }
}

function noKey(best: Ranked | undefined, profile: TableProfile): string {
  if (profile.columns.length === 0) return 'The file has shapes and no columns, so there is no key.'
  const nearest = best === undefined ? '' : ` The nearest is <${best.column.name}>: ${uniquenessOf(best.column)}.`
  return `No column is filled in and different in every row, so there is no key: windrow could not recognise these records next time.${nearest}${placeAsKey(profile)}`
}

const mostRepeated = 2
const mostExtra = 3

/** The column of ids in which only a few are there twice. */
function nearKey(ranked: readonly Ranked[], { columns }: TableProfile): Choice | undefined {
  const near = ({ column }: Ranked): boolean => {
    const { filled, blank, distinct, distinctIsExact, repeated } = column
    const isNear = repeated > 0 && repeated <= mostRepeated && filled - distinct <= mostExtra
    return keyRank(column) < nameRank && distinctIsExact && blank === 0 && isNear && distinct >= leastDifferent * filled
  }
  const [found] = ranked
    .filter(near)
    .toSorted(
      (one, other) =>
        keyRank(one.column) - keyRank(other.column) || columns.indexOf(one.column) - columns.indexOf(other.column),
    )
  if (found === undefined) return undefined
  const again = found.column.again.map(({ text, row }) => `${text} is there again in row ${row}`).join(', ')
  return proposalOf(
    found.column,
    `looks like the id, but ${again}: correct the file, or the rows with the same id are rejected`,
  )
}

const endsAsMark = /(?:id|nr|no|num|nummer|number|code)$/

/** The likeliest two columns that together may be different in every row; a name is the last resort. */
function pairAsKey({ profile, holding, serviceIds, used }: KeyFacts): Choice | undefined {
  const notPart = new Set([
    ...columnsTaken(holding?.value),
    ...used,
    ...serviceIdsIn(profile, serviceIds).map(({ name }) => name),
  ])
  const rankOf = (column: ColumnProfile): number => {
    const rank = keyRank(column)
    return rank === nameRank ? keyWords.length + 2 : rank - (endsAsMark.test(headerWords(column.name)) ? 1 : 0)
  }
  const parts = profile.columns
    .filter((column) => !notPart.has(column.name) && column.blank === 0 && column.distinct > 1 && couldBeKey(column))
    .toSorted((left, right) => rankOf(left) - rankOf(right))
  for (const [index, one] of parts.entries())
    for (const other of parts.slice(index + 1))
      if (one.distinct * other.distinct >= profile.rows) {
        const evidence = `no column alone is different in every row; these two together may be: ${one.distinct} and ${other.distinct} values in ${profile.rows} rows`
        return { ...chosen('key', [`<${one.name}>`, `<${other.name}>`], evidence), certainty: 'ask' }
      }
  return undefined
}

const mostOthers = 6

/** What else may be the key. */
function othersForKey({ profile, serviceIds, hasName }: KeyFacts): readonly Other[] {
  const given = serviceIdsIn(profile, serviceIds)
  const nearly = nearlyKey(profile)
  const named = hasName && hasBoundaries(profile) ? namesWithPlace(profile) : undefined
  return [
    ...profile.columns
      .filter((column) => tellsRowsApart(column) && !given.includes(column))
      .slice(0, mostOthers)
      .map(({ name, examples }) => ({
        value: `<${name}>`,
        evidence: `different in every row, such as ${examples[0]}`,
      })),
    ...(nearly === undefined ? [] : [{ value: `<${nearly.name}>`, evidence: nearly.note }]),
    ...(named === undefined
      ? []
      : [{ value: [`<${named.name}>`, placePart], evidence: 'the name and where the boundary lies' }]),
  ]
}

/** Which columns the service filled with ids of its own. */
export function serviceIdNotes({ profile, serviceIds }: Pick<KeyFacts, 'profile' | 'serviceIds'>): readonly string[] {
  const given = serviceIdsIn(profile, serviceIds)
  if (given.length === 0) return []
  const columns = given.map(({ name }) => `<${name}>`).join(' and ')
  return [
    `${columns} ${given.length === 1 ? 'contains' : 'contain'} ids that the service gave, not yours: as the key they would publish every record a second time.`,
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

/** Says of columns that are called ids why they are not proposed: their numbers are rounded, or could be measured. */
export function spoiltIdNotes({ columns }: TableProfile): readonly string[] {
  return columns.flatMap((column) => {
    const { name, examples } = column
    if (keyRank(column) >= nameRank || couldBeKey(column)) return []
    const rounded = examples.find((text) => /^\d+(?:[.,]\d+)?E\+?\d+$/i.test(text))
    if (rounded !== undefined)
      return `<${name}> is not proposed as the key: a spreadsheet has rounded its ids, such as ${rounded}. Format the column as text where they are still whole, and export again.`
    const fraction = examples.find((text) => /^\d+[.,]\d+$/.test(text))
    if (fraction === undefined) return []
    return `<${name}> is not proposed as the key: it has numbers with decimals, such as ${fraction}. If they are ids, add --key "${name}".`
  })
}

/** The rank of a column of names, which comes after every column of ids. */
const nameRank = keyWords.length - 1

/** Numbers of rows come after all other columns. */
const rowNumberRank = keyWords.length + 1

/** The share of different ids from which a column counts as nearly a key. */
const leastDifferent = 0.9

/** The column that has an id of its own for nearly every row, with what happens to the others; undefined if there is none. */
export function nearlyKey({ columns }: TableProfile): { readonly name: string; readonly note: string } | undefined {
  const isNearly = (column: ColumnProfile): boolean =>
    couldBeKey(column) &&
    !saysName(column.name) &&
    column.filled >= leastDifferent * (column.filled + column.blank) &&
    column.distinct >= leastDifferent * column.filled &&
    (column.blank > 0 || column.repeated > 0)
  const [column] = columns.filter(isNearly).toSorted((one, other) => keyRank(one) - keyRank(other))
  if (column === undefined) return undefined
  return { name: column.name, note: `${uniquenessOf(column)}; rows without an id of their own are rejected` }
}

/** How to make a key where only names and boundaries tell the records apart, or nothing does; empty for other files. */
export function placeAsKey(profile: TableProfile): string {
  const named = namesWithPlace(profile)
  if (named !== undefined)
    return ` If the file has no ids, --key "${named.name}+place" makes the key from <${named.name}> and from where the boundary lies.`
  return profile.columns.some(tellsRowsApart)
    ? ''
    : ' If the file has no ids, add a column to it with a number for each row.'
}

/** The column of names that tell boundaries apart together with their place. */
function namesWithPlace(profile: TableProfile): ColumnProfile | undefined {
  const withNames = profile.columns
    .filter((column) => column.filled > 0 && keyRank(column) === nameRank)
    .toSorted((one, other) => other.distinct - one.distinct)
  return hasBoundaries(profile) ? (withNames.find(({ name }) => saysName(name)) ?? withNames[0]) : undefined
}

/** True for a table with polygons. */
export function hasBoundaries({ shapes }: TableProfile): boolean {
  // The polygons of a collection are a boundary; the rest is a label.
  return (shapes.Polygon ?? 0) + (shapes.MultiPolygon ?? 0) + (shapes.GeometryCollection ?? 0) > 0
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
function withinFarms(ranked: readonly Ranked[], holding: Choice | undefined, { columns }: TableProfile) {
  const farms = columns.find(({ name }) => columnsTaken(holding?.value).includes(name))
  if (farms === undefined || farms.distinct < 2 || farms.blank > 0) return undefined
  const isEnough = ({ distinct, distinctIsExact, filled }: ColumnProfile): boolean =>
    !distinctIsExact || distinct * farms.distinct >= filled
  const named = ranked.filter(({ column, rank }) => column.blank === 0 && rank < keyWords.length && isEnough(column))
  const [best] = named.toSorted((left, right) => left.rank - right.rank)
  if (best === undefined) return undefined
  const { column } = best
  return {
    column,
    evidence: `${uniquenessOf(column)}, together with <${farms.name}>; a number used twice in one farm is rejected`,
  }
}

function runnerUpOf(column: ColumnProfile): Other {
  const evidence =
    column.repeated > 0 ? differentOf(column) : column.blank > 0 ? `${column.blank} blank` : 'all different too'
  return { value: `<${column.name}>`, evidence }
}

/** True for a column that is different in every row, and not an area, a date or a crop. */
export function tellsRowsApart(column: ColumnProfile): boolean {
  return couldBeKey(column) && column.blank === 0 && column.distinct === column.filled
}

/** True for a column whose content may tell records apart. */
export function couldBeKey(column: ColumnProfile): boolean {
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
export function keyRank(column: ColumnProfile): number {
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
