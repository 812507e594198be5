/** Finds which columns fit a field of the record, by their headers and cells. */

import type { ColumnProfile, TableProfile } from '../core/profile/profile-table.ts'
import type { Choice, Table, Value } from '../core/row.ts'
import type { DatePattern } from '../core/values/date-pattern.ts'
import { headerWords, saysLand, type FieldRule } from '../core/values/header-words.ts'
import type { DecimalMark } from '../core/values/number-text.ts'
import { zoneInHeader } from '../mapping/zones.ts'
import type { ResourceType } from '../resources/resource-type.ts'

/**
 * What is decided from: a profiled table and the type of its records. `zone` is written beside dates, `dates` is the date format that a
 * person chose; `choices` are those of the table, which may use columns already. `lonLat` names
 * the columns of a position, `serviceIds` the columns with ids that the service gave, where the service was asked, `farmSchemes` the
 * schemes of the farms that the account may write.
 */
export type ColumnsRead = {
  readonly type: ResourceType
  readonly profile: TableProfile
  readonly zone?: string | undefined
  readonly dates?: DatePattern | undefined
  readonly choices?: readonly Choice[]
  readonly lonLat?: Table['lonLat']
  readonly serviceIds?: ReadonlySet<string> | undefined
  readonly farmSchemes?: readonly string[]
}

/** A field, the columns that no other field has taken, and the decimal mark of the file. */
export type FieldFacts = ColumnsRead & {
  readonly field: FieldRule
  readonly free: readonly ColumnProfile[]
  readonly mark: DecimalMark | undefined
}

/** The column that fits a field best; `isLatest` if it is of a later year than the next one. */
export type Fitting = {
  readonly setting: string
  readonly column: ColumnProfile
  readonly rank: number
  readonly isLatest: boolean
}

/** True for a column that can be written as <Column>; angle brackets in a name prevent that. */
export function isNameable(name: string): boolean {
  return !/[<>]/.test(name) && name.trim() !== ''
}

/** "24 of 24 filled". */
export function filledOf({ filled, blank }: ColumnProfile): string {
  return `${filled} of ${filled + blank} filled`
}

/** True for a table with polygons. */
export function hasBoundaries({ shapes }: TableProfile): boolean {
  // The polygons of a collection are a boundary; the rest is a label.
  return (shapes.Polygon ?? 0) + (shapes.MultiPolygon ?? 0) + (shapes.GeometryCollection ?? 0) > 0
}

/** The cells of a column that are numbers, also as text. */
export function numbersIn({ numbers, numberFit }: ColumnProfile): number {
  return numbers + Math.max(numberFit.point, numberFit.comma) + numberFit.either
}

/** The index of the field's word that fits the header; -1 when none does. */
export function rankOf({ words, holds }: FieldRule, { name }: Pick<ColumnProfile, 'name'>): number {
  const isDate = holds === 'date'
  const header = headerWords((isDate ? zoneInHeader(name)?.words : undefined) ?? name)
    .replace(yearWords, ' ')
    .replace(isDate ? patternWords : '', '')
    .trim()
  return words.findIndex((each) => each.test(header))
}

/** The columns whose headers fit the field, best first. Names of blocks that have several paddocks each come after those of the paddocks. */
export function fittingHeaders(field: FieldRule, columns: readonly ColumnProfile[]) {
  const fitting = columns.map((column) => ({ column, rank: rankOf(field, column) })).filter(({ rank }) => rank !== -1)
  const ofLand = field.field === 'name' ? fitting.filter(({ column }) => saysLand(column.name)) : []
  const mostDifferent = Math.max(0, ...ofLand.map(({ column }) => column.distinct))
  const isBlock = (column: ColumnProfile): boolean => repeats(column) && column.distinct < mostDifferent
  return fitting.toSorted(
    (left, right) =>
      Number(isBlock(left.column)) - Number(isBlock(right.column)) ||
      left.rank - right.rank ||
      yearIn(right.column) - yearIn(left.column) ||
      (field.field === 'name' ? right.column.distinct - left.column.distinct : 0) ||
      right.column.filled - left.column.filled,
  )
}

/** The free column that fits best among those with such cells; undefined if there is none. */
export function bestColumn(
  { field, free }: FieldFacts,
  suits: (column: ColumnProfile, rank: number) => boolean,
): Fitting | undefined {
  const [best, second] = fittingHeaders(field, free).filter(({ column, rank }) => suits(column, rank))
  if (best === undefined) return undefined
  const isLatest = second?.rank === best.rank && yearIn(second.column) !== yearIn(best.column)
  return { ...best, setting: `record.${field.field}`, isLatest }
}

/** The choice of a column for a field; with `doubts` a person should check it, of which blank ones have no words. */
export function choiceFor(
  { setting, column, isLatest }: Fitting,
  value: Value,
  { why = '', doubts = [] }: { why?: string; doubts?: readonly (string | undefined)[] },
): Choice {
  const open = doubts.filter((each) => each !== undefined)
  const header = `the header; ${isLatest ? 'the latest year; ' : ''}${filledOf(column)}${why}`
  const evidence = [header, ...open].filter((each) => each !== '').join('; ')
  return { setting, value, evidence, others: [], certainty: open.length === 0 ? 'sure' : 'check' }
}

/** The column as if the words in it that stand for nothing, such as "-" and "n/a", were blank cells, up to a share of its cells. */
export function withoutNothings(column: ColumnProfile, most = 1): ColumnProfile {
  const { nothings, filled, texts, blank } = column
  const cells = Object.values(nothings).reduce((sum, each) => sum + each, 0)
  return cells === 0 || cells > filled * most
    ? column
    : { ...column, filled: filled - cells, texts: texts - cells, blank: blank + cells }
}

/** The option of a pipeline by which these words are blank cells. */
export function nothingWords({ nothings }: ColumnProfile) {
  const words = Object.keys(nothings)
  return words.length === 0 ? undefined : { words: Object.fromEntries(words.map((word) => [word, ''])) }
}

/** A column as a pipeline names it, without these words. */
export function columnSpec(column: ColumnProfile): Value {
  const none = nothingWords(column)
  return none === undefined ? `<${column.name}>` : { from: column.name, ...none, otherwise: 'keep' }
}

/** True for a column in which most values come again. */
export function repeats({ distinct, filled }: ColumnProfile): boolean {
  return distinct * 2 <= filled
}

// "crop 2026", "crop2026", "2025 26 crop", "crop 25 26".
const yearWords = /\s*(?<!\d)((?:19|20)\d\d|\d\d(?= \d\d(?!\d)))(?: (?:20)?\d\d)?(?!\d)\s*/

// "sown dd mm yyyy", also in German and French.
const patternWords = /\s+(?:[djt]{1,2} m{1,3} [ajy]{2,4}|m{1,3} d{1,2} y{2,4}|[ajy]{4} m{1,3} [djt]{1,2})$/

/** The year in a header; 0 without one. */
function yearIn({ name }: ColumnProfile): number {
  return Number(yearWords.exec(headerWords(name))?.[1] ?? 0)
}
