/** Finds which columns fit a field by their headers and cells, and whether a table looks like a list of plots. */

import type { ColumnProfile, TableProfile } from '../core/profile/profile-table.ts'
import type { Choice } from '../core/row.ts'
import type { DatePattern } from '../core/values/date-pattern.ts'
import { isDayOrTime } from '../core/values/made-days.ts'
import { readNumber } from '../core/values/number-text.ts'
import { plural } from '../core/values/plural.ts'
import { unitCode } from '../resources/units.ts'
import { unitInHeader } from './area-column.ts'
import { choiceOf, columnsTaken } from './choice.ts'
import { fieldRules, headerWords, logWords, saysLand, type FieldRule } from '../core/values/header-words.ts'
import { mixedDates, pickDates } from './suggest-dates.ts'
import { codeDoubt } from './words.ts'
import { zoneInHeader } from './zones.ts'

/** The index of the rule's word that fits the header; -1 when none does. */
export function rankOf({ words, holds }: FieldRule, { name }: ColumnProfile): number {
  const isDate = holds === 'date'
  const header = headerWords((isDate ? zoneInHeader(name)?.words : undefined) ?? name)
    .replace(yearWords, ' ')
    .replace(isDate ? patternWords : '', '')
    .trim()
  return words.findIndex((each) => each.test(header))
}

/** The columns whose headers fit the rule, best first. Names of blocks that have several paddocks each come after those of the paddocks. */
export function fittingHeaders(rule: FieldRule, columns: readonly ColumnProfile[]) {
  const fitting = columns.map((column) => ({ column, rank: rankOf(rule, column) })).filter(({ rank }) => rank !== -1)
  const ofLand = rule.field === 'name' ? fitting.filter(({ column }) => saysLand(column.name)) : []
  const mostDifferent = Math.max(0, ...ofLand.map(({ column }) => column.distinct))
  const isBlock = (column: ColumnProfile): boolean => repeats(column) && column.distinct < mostDifferent
  return fitting.toSorted(
    (left, right) =>
      Number(isBlock(left.column)) - Number(isBlock(right.column)) ||
      left.rank - right.rank ||
      yearIn(right.column) - yearIn(left.column) ||
      (rule.field === 'name' ? right.column.distinct - left.column.distinct : 0) ||
      right.column.filled - left.column.filled,
  )
}

/** True for a column in which most values come again. */
function repeats({ distinct, filled }: ColumnProfile): boolean {
  return distinct * 2 <= filled
}

/** The units after the numbers of a column, when all are of the kind. */
export function unitWords({ numberWords }: ColumnProfile, kind: 'area' | 'length'): readonly string[] {
  const words = Object.keys(numberWords)
  return words.every((word) => unitCode(word, kind) !== undefined) ? words : []
}

/** True if the cells of the column are such as the field has. */
export function suits(rule: FieldRule, column: ColumnProfile, dates: DatePattern | undefined): boolean {
  const { numberWords, texts, numbers, truths, filled } = column
  const asNumbers = numbersIn(column)
  const inWords = Object.values(numberWords).reduce((sum, each) => sum + each, 0)
  switch (rule.holds) {
    case 'date':
      return pickDates(column, dates) !== undefined
    case 'area':
    case 'length':
      return asNumbers + (unitWords(column, rule.holds).length === 0 ? 0 : inWords) >= filled * 0.9
    case 'text':
      return texts + numbers + truths === filled && truths * 2 < filled && pickDates(column, dates) === undefined
  }
}

/** True for a column of names all of which a spreadsheet made days or times: read as names, its rows are rejected and say so. */
export function isOfDaysOrTimes({ field }: FieldRule, { examples, texts, filled }: ColumnProfile, rank: number) {
  return field === 'name' && rank < 2 && texts === filled && examples.every(isDayOrTime)
}

// "crop 2026", "crop2026", "2025 26 crop", "crop 25 26".
const yearWords = /\s*(?<!\d)((?:19|20)\d\d|\d\d(?= \d\d(?!\d)))(?: (?:20)?\d\d)?(?!\d)\s*/

// "sown dd mm yyyy", also in German and French.
const patternWords = /\s+(?:[djt]{1,2} m{1,3} [ajy]{2,4}|m{1,3} d{1,2} y{2,4}|[ajy]{4} m{1,3} [djt]{1,2})$/

/** The year in a header; 0 without one. */
export function yearIn({ name }: ColumnProfile): number {
  return Number(yearWords.exec(headerWords(name))?.[1] ?? 0)
}

/** True for a date of a crop without a column for the crop: it would make a crop without a name. */
export function lacksCrop({ field, holds }: FieldRule, fields: readonly Choice[]): boolean {
  return holds === 'date' && field.startsWith('crops.') && choiceOf(fields, 'record.crops.0.name') === undefined
}

/** True for a table with a boundary, an area or a crop; a name alone may be anything. */
export function mayBePlots({ columns, shapes }: TableProfile): boolean {
  const telling = fieldRules.filter(({ field }) => field === 'totalArea' || field === 'crops.0.name')
  return Object.keys(shapes).length > 0 || columns.some((column) => telling.some((each) => rankOf(each, column) !== -1))
}

/** The column that shows a list of land covers, in a table without names, numbers or crops of paddocks; undefined without one. */
export function coverColumn({ columns }: TableProfile): string | undefined {
  const rules = fieldRules.filter(({ field, types }) => /^(?:crops\.0\.)?name$/.test(field) && types.includes('plots'))
  if (columns.some((column) => saysLand(column.name) || rules.some((rule) => rankOf(rule, column) !== -1)))
    return undefined
  return columns.find(({ name }) => /^land ?cover\b/.test(headerWords(name)))?.name
}

// Paddocks with boundaries, or without a date, may have some of these: their yield in each year, the last product. A job has more.
const fewestOfJob = 4

/** What shows that a table is a log, with several rows per plot; undefined if nothing does. */
export function logSigns({ columns, shapes }: TableProfile): string | undefined {
  const rule = fieldRules.find(({ field, types }) => field === 'name' && types.includes('plots'))!
  const [named] = fittingHeaders(rule, columns)
  const logWordIn = ({ name }: ColumnProfile): string | undefined => logWords.exec(headerWords(name))?.[0]
  const ofLog = columns.filter((each) => logWordIn(each) !== undefined)
  const dated = columns.filter((each) => !ofLog.includes(each) && pickDates(each) !== undefined)
  const isRepeated = named !== undefined && repeats(named.column)
  const hasBoundaries = Object.keys(shapes).length > 0
  const mayBeList = named !== undefined && (hasBoundaries || dated.length === 0)
  const isLog = isRepeated
    ? ofLog.length + (hasBoundaries ? 0 : dated.length) > 0
    : new Set(ofLog.map(logWordIn)).size >= (mayBeList ? fewestOfJob : 2)
  if (!isLog) return undefined
  const found = [...(isRepeated ? dated : []), ...ofLog].slice(0, 3).map(({ name }) => name)
  const names = isRepeated ? `${namesIn(named.column)}, and ` : ''
  return `${names}${found.length === 1 ? 'the column' : 'the columns'} ${found.join(', ')}`
}

/** Reports names that come again and again, as in a log with several rows per plot. */
export function logNotes(fields: readonly Choice[], { columns, shapes }: TableProfile): readonly string[] {
  const [column] = columnsTaken(choiceOf(fields, 'record.name')?.value)
  const named = columns.find(({ name }) => name === column)
  if (named === undefined || !repeats(named) || Object.keys(shapes).length > 0) return []
  return [
    `<${named.name}> has ${namesIn(named)}, so this may be a log with several rows per plot. Each row would become a plot.`,
  ]
}

function namesIn({ distinct, filled }: ColumnProfile): string {
  return `${plural(distinct, 'different name')} in ${filled} rows`
}

// From 1982 to 2064.
const dayNumber = /^[3-5]\d{4}(?:\.\d+)?$/

/** Reports columns that should contain dates but cannot be read as a whole, and so are left out. */
export function mixedDateNotes(rule: FieldRule, { columns }: TableProfile): readonly string[] {
  return columns
    .filter((column) => column.filled > 0 && rankOf(rule, column) !== -1)
    .map((column) => {
      const mixed = mixedDates(column)
      const { few, examples, dates } = column
      const misfit = dates[0]?.firstMisfit
      const such = misfit === undefined ? '' : `, such as "${misfit.text}" in row ${misfit.at.row}`
      if ((few ?? examples).every((text) => dayNumber.test(text)))
        return `<${column.name}> is left out: it has the day numbers of a spreadsheet, such as ${examples[0]}. Format the column as dates there, and save the file again.`
      return mixed === undefined
        ? `<${column.name}> is left out: too many of its cells are not dates that windrow can read${such}. Correct them to use it.`
        : `<${column.name}> is left out: its dates are in several formats (${mixed}). Write them all in one format to use it.`
    })
}

/** The cells of a column that are numbers, also as text. */
export function numbersIn({ numbers, numberFit }: ColumnProfile): number {
  return numbers + Math.max(numberFit.point, numberFit.comma) + numberFit.either
}

/** Reports columns of numbers that are left out, because too many of their cells are none. */
export function spoiltNumberNotes(rule: FieldRule, { columns }: TableProfile): readonly string[] {
  return columns
    .filter((column) => rankOf(rule, column) !== -1 && column.filled > 0)
    .filter((column) => numbersIn(column) > 0 || unitInHeader(column.name, 'area') !== undefined)
    .map((column) => {
      const { name, filled, few, examples, numberFit, nothings } = column
      const mark = numberFit.comma > numberFit.point ? 'comma' : 'point'
      const isMixed = Math.min(numberFit.point, numberFit.comma) > numberFit.both
      const spoilt = (few ?? examples).filter((text) => readNumber(text, mark) === undefined)
      const other = spoilt.find((text) => !Object.hasOwn(nothings, text)) ?? spoilt[0]
      const others = filled - numbersIn(column)
      const are = others === 1 ? 'is not a number' : 'are not numbers'
      return `<${name}> is left out: ${others} of its ${filled} cells ${are}${isMixed ? ` with a decimal ${mark}` : ''}${other === undefined ? '' : `, such as "${other}"`}. Correct them to use it.`
    })
}

/** Reports texts that a program spoilt: TRUE or FALSE in a column of names, and quotes around all of them. */
export function spoiltTextNotes(field: string, column: ColumnProfile): readonly string[] {
  const { name, texts, truths, few, examples } = column
  const notes: string[] = []
  // Paddocks may be called by number. Codes of crops have a sentence of their own.
  const mayBeNumbers = field === 'name' || codeDoubt(field, column) !== undefined
  if (!mayBeNumbers && (few ?? examples).every((text) => /^\d+$/.test(text)))
    notes.push(
      `<${name}> has only numbers, such as ${examples[0]}. They look like codes and are published as they are. In a pipeline, write what each means under words.`,
    )
  const cells = plural(truths, 'cell')
  if (truths > 0)
    notes.push(`<${name}> has ${cells} with TRUE or FALSE instead of a text, read as "true" or "false". Please check.`)
  const isEach = (pattern: RegExp): boolean => texts > 0 && (few ?? examples).every((text) => pattern.test(text))
  if (isEach(/^[“”„«].*[“”»]$/))
    notes.push(
      `<${name}> has its texts in typographic quotes, such as ${examples[0]}, which become part of them. Replace them by " in the file.`,
    )
  if (isEach(/^".*"$/))
    notes.push(
      `<${name}> has its texts in quotes, such as ${examples[0]}, which become part of them. A program wrote the quotes twice: export the file again.`,
    )
  return notes
}
