/** Decides what the rows of a file are: paddocks, unless it is an export of other records, a list of land covers or a log. */

import type { ColumnProfile, TableProfile } from '../core/profile/profile-table.ts'
import { chosen } from '../core/row.ts'
import type { Decider } from '../core/rule.ts'
import { fieldRules, headerWords, logWords, saysLand } from '../core/values/header-words.ts'
import { plural } from '../core/values/plural.ts'
import { publishedTypes } from '../resources/index.ts'
import { pickDates } from './dates.ts'
import { fittingHeaders, rankOf, repeats } from './field-columns.ts'
import { exportedType } from './own-export.ts'

type TypeFacts = { readonly profile: TableProfile; readonly fileName: string }
type TypeSeen = TypeFacts & { readonly exported?: string; readonly cover?: string; readonly log?: readonly string[] }

export const recordType: Decider<TypeFacts, TypeSeen> = {
  id: 'record-type',
  about: 'file',
  decides: 'import',
  why: 'What the rows of a file are. An export of windrow says it by its source ids; other files with a boundary, an area or a crop are taken for paddocks. A list without these, a list of land covers, and a log of loads, harvests or jobs with several rows per paddock would become wrong paddocks: there a person must say what they are.',
  find(facts) {
    const { profile } = facts
    const exported = exportedType(profile.columns.map(({ name }) => name))
    if (exported !== undefined) return { ...facts, exported: exported.plural }
    if (profile.rows === 0) return undefined
    if (!mayBePlots(profile)) return facts
    const cover = coverColumn(profile)
    if (cover !== undefined) return { ...facts, cover }
    const log = logSigns(profile)
    return log && { ...facts, log }
  },
  says({ profile, fileName, exported, cover, log }) {
    if (exported !== undefined) return chosen('import', exported, 'an export of these records')
    const evidence =
      cover !== undefined
        ? `"${fileName}" has the column "${cover}" and no names or crops of paddocks: it may be a list of land covers.`
        : log !== undefined
          ? `"${fileName}" has ${log.length === 1 ? 'the column' : 'the columns'} ${log.join(', ')}: it looks like a log. Jobs and loads are only read from the service, never sent.`
          : `"${fileName}" has no boundary, area or crop column, so it may not be a list of plots.${columnsRead(profile)}`
    const plurals = ['plots', ...publishedTypes.map((type) => type.plural).filter((each) => each !== 'plots')]
    return {
      setting: 'import',
      value: undefined,
      evidence,
      others: plurals.map((value) => ({ value, evidence: '' })),
      certainty: 'ask',
      question: 'What are the rows?',
    }
  },
}

const mostNamed = 8

/** Which names the search for them found, and what to do if they are wrong; empty if the file says them or has none. */
export function columnsRead({ columns, format }: Pick<TableProfile, 'columns' | 'format'>): string {
  if (!['csv', 'xlsx', 'workbook'].includes(format)) return ''
  const names = columns.slice(0, mostNamed).map(({ name }) => `"${name}"`)
  const more = columns.length > mostNamed ? ', …' : ''
  if (format === 'csv' && columns.length === 1)
    return ` It was read as one column, ${names.join('')}. If it has more, set from.delimiter, or export the file again as CSV.`
  // Without a header, columns are numbered.
  if (columns.every(({ name }) => /^column \d+$/.test(name))) return ''
  return ` These were taken for the column names: ${names.join(', ')}${more}. If they are none, set from.header to their row, or to none.`
}

/** True for a table with a boundary, an area or a crop; a name alone may be anything. */
function mayBePlots({ columns, shapes }: TableProfile): boolean {
  const telling = fieldRules.filter(({ field }) => field === 'totalArea' || field === 'crops.0.name')
  return Object.keys(shapes).length > 0 || columns.some((column) => telling.some((each) => rankOf(each, column) !== -1))
}

/** The column that shows a list of land covers, in a table without names, numbers or crops of paddocks; undefined without one. */
function coverColumn({ columns }: TableProfile): string | undefined {
  const rules = fieldRules.filter(({ field, types }) => /^(?:crops\.0\.)?name$/.test(field) && types.includes('plots'))
  if (columns.some((column) => saysLand(column.name) || rules.some((rule) => rankOf(rule, column) !== -1)))
    return undefined
  return columns.find(({ name }) => /^land ?cover\b/.test(headerWords(name)))?.name
}

// Paddocks with boundaries, or without a date, may have some of these: their yield in each year, the last product. A job has more.
const fewestOfJob = 4

/** The columns that show that a table is a log, with several rows per plot; undefined if nothing does. */
function logSigns({ columns, shapes }: TableProfile): readonly string[] | undefined {
  const rule = fieldRules.find(({ field, types }) => field === 'name' && types.includes('plots'))!
  const [named] = fittingHeaders(rule, columns)
  const logWordIn = ({ name }: ColumnProfile): string | undefined => logWords.exec(headerWords(name))?.[0]
  const ofLog = columns.filter((each) => logWordIn(each) !== undefined)
  const dated = columns.filter((each) => !ofLog.includes(each) && pickDates(each) !== undefined)
  const isRepeated = named !== undefined && repeats(named.column)
  const hasShapes = Object.keys(shapes).length > 0
  const mayBeList = named !== undefined && (hasShapes || dated.length === 0)
  const isLog = isRepeated
    ? ofLog.length + (hasShapes ? 0 : dated.length) > 0
    : new Set(ofLog.map(logWordIn)).size >= (mayBeList ? fewestOfJob : 2)
  if (!isLog) return undefined
  return [...(isRepeated ? dated : []), ...ofLog].slice(0, 3).map(({ name }) => name)
}

/** Such as "3 different names in 12 rows". */
export function namesIn({ distinct, filled }: ColumnProfile): string {
  return `${plural(distinct, 'different name')} in ${filled} rows`
}
