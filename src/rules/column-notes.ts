/** Finds what a person should know about columns whose meaning was decided: what is left out, and what looks odd. */

import type { ColumnProfile } from '../core/profile/profile-table.ts'
import type { Choice } from '../core/row.ts'
import type { Rule } from '../core/rule.ts'
import { fieldRules, type FieldRule } from '../core/values/header-words.ts'
import { readNumber } from '../core/values/number-text.ts'
import { plural } from '../core/values/plural.ts'
import { unitInHeader } from '../mapping/area-column.ts'
import { choiceOf, columnsTaken, fieldChoices } from '../mapping/choice.ts'
import { asUniversalDays, pickDates } from './dates.ts'
import { hasBoundaries, numbersIn, rankOf, repeats, type ColumnsRead } from './field-columns.ts'
import { serviceIdsIn } from './key-column.ts'
import { listsOfExport, type OwnExport } from './own-export.ts'
import { namesIn } from './record-type.ts'
import { areAmounts } from './values.ts'

/** What was decided about the columns of a file, and what no choice takes. */
export type ColumnsDecided = ColumnsRead & {
  readonly decided: readonly Choice[]
  readonly unused: readonly string[]
  readonly ofExport: OwnExport | undefined
}

type ColumnDecided = ColumnsDecided & { readonly column: ColumnProfile; readonly isTaken: boolean }

const common = { usual: 'note', isChosen: false } as const

const idsOfService: Rule<ColumnsDecided, readonly string[]> = {
  ...common,
  id: 'ids-of-service',
  about: 'file',
  why: 'A column contains ids that the service gave. They are no key: windrow makes the key of a record from your own ids, so with these it would publish every record a second time. To change records of the service, export them with windrow and keep the column "Source id".',
  find({ profile, serviceIds, ofExport }) {
    const given = ofExport === undefined ? serviceIdsIn(profile, serviceIds) : []
    return given.length === 0 ? undefined : given.map(({ name }) => name)
  },
  says: (columns) => ({
    message: `${columns.map((name) => `<${name}>`).join(' and ')} ${columns.length === 1 ? 'contains' : 'contain'} ids that the service gave, not yours: as the key they would publish every record a second time.`,
  }),
}

const rowsOfLog: Rule<ColumnsDecided, ColumnProfile> = {
  ...common,
  id: 'rows-of-log',
  about: 'file',
  why: 'The names of a list without boundaries come again and again, as in a log with several rows per paddock. Each row would become a paddock of its own.',
  find({ type, decided, profile: { columns, shapes } }) {
    const [column] = columnsTaken(choiceOf(fieldChoices(decided), 'record.name')?.value)
    const named = columns.find(({ name }) => name === column)
    const isLog = type.plural === 'plots' && named !== undefined && repeats(named)
    return isLog && Object.keys(shapes).length === 0 ? named : undefined
  },
  says: (column) => ({
    column: column.name,
    message: `<${column.name}> has ${namesIn(column)}, so this may be a log with several rows per plot. Each row would become a plot.`,
  }),
}

const namesMissing: Rule<ColumnsDecided, { readonly column: string | undefined }> = {
  ...common,
  id: 'names-missing',
  about: 'file',
  why: 'No column of a map of paddocks has names, so new paddocks would have none. Many farms call their paddocks by number: then the column of the key is the name, too.',
  find({ type, decided, profile, ofExport }) {
    const isNamed = choiceOf(decided, 'record.name') !== undefined
    if (type.plural !== 'plots' || ofExport !== undefined || isNamed || !hasBoundaries(profile)) return undefined
    const key = choiceOf(decided, 'key')
    const [ofKey, ...others] = columnsTaken(key?.value)
    return { column: key?.certainty === 'sure' && others.length === 0 ? ofKey : undefined }
  },
  says: ({ column }) => ({
    message: 'No column has names, so new plots would have none.',
    ...(column !== undefined && { hint: `If <${column}> is what they are called, set  record.name: <${column}>` }),
  }),
}

const exportChanged: Rule<ColumnsDecided, Readonly<Record<'lists' | 'unclear' | 'gaps', readonly string[]>>> = {
  ...common,
  id: 'export-changed',
  about: 'file',
  why: 'A file looks like an export of windrow that somebody changed. Its source ids are gone, the first entry of a list is missing, or its dates were written anew without showing whether day or month comes first. Such columns cannot go back to their fields and are left out. Export again, and keep the columns as they are.',
  find({ type, unused, ofExport }) {
    const lists = ofExport === undefined ? listsOfExport(type, unused) : []
    const { unclear, gaps } = ofExport ?? { unclear: [], gaps: [] }
    return lists.length + unclear.length + gaps.length === 0 ? undefined : { lists, unclear, gaps }
  },
  says(found) {
    const [lists, unclear, gaps] = [found.lists, found.unclear, found.gaps].map((names) =>
      names.map((name) => `<${name}>`).join(', '),
    )
    const sentences = [
      lists &&
        `Not read: ${lists}. This looks like an export without its column "Source id", by which each row finds its record again. Export again and keep that column.`,
      unclear && `Left out: ${unclear}. Nothing shows whether day or month comes first.`,
      gaps && `Left out: the columns of ${gaps}, because those of the first entry are missing.`,
    ]
    return { message: sentences.filter(Boolean).join(' ') }
  },
}

/** About the file as a whole. */
export const fileNotes: readonly Rule<ColumnsDecided>[] = [idsOfService, rowsOfLog, namesMissing, exportChanged]

type LeftOut = {
  readonly column: ColumnProfile
  readonly field: FieldRule
  readonly why: 'no crop' | 'no unit' | 'dates' | 'numbers'
}

const columnLeftOut: Rule<ColumnDecided, LeftOut> = {
  ...common,
  id: 'column-left-out',
  about: 'column',
  why: 'The header of a column means a field, and the column is left out. Its dates cannot be read as a whole, too few of its cells are numbers, it has no unit, or it has the date of a crop that no column names. The message says what to correct.',
  find({ type, column, isTaken, decided, profile }) {
    const isOpen = ({ field, types }: FieldRule): boolean =>
      types.includes(type.plural) && choiceOf(decided, `record.${field}`) === undefined
    if (isTaken || column.filled === 0) return undefined
    const field = fieldRules.find((each) => isOpen(each) && each.holds !== 'text' && rankOf(each, column) !== -1)
    if (field === undefined || field.holds === 'text') return undefined
    if (field.holds === 'date') return { column, field, why: pickDates(column) === undefined ? 'dates' : 'no crop' }
    if (areAmounts(column, field.holds)) return { column, field, why: 'no unit' }
    const isSpoilt = numbersIn(column) > 0 || unitInHeader(column.name, 'area') !== undefined
    return field.holds === 'area' && isSpoilt && !hasBoundaries(profile) ? { column, field, why: 'numbers' } : undefined
  },
  says: ({ column, field, why }) => ({ column: column.name, ...leftOutBecause[why](column, field) }),
}

const leftOutBecause: Readonly<
  Record<LeftOut['why'], (column: ColumnProfile, field: FieldRule) => { message: string; hint: string }>
> = {
  'no crop': ({ name }) => ({
    message: `<${name}> is left out: it is the date of a crop, and no column names the crop.`,
    hint: 'If one does, set  record.crops',
  }),
  'no unit'({ name }, { holds, field }) {
    const [what, units, unit] = holds === 'area' ? ['an area', 'hectares', 'ha'] : ['a length', 'metres', 'm']
    return {
      message: `<${name}> looks like ${what}, but has no unit.`,
      hint: `If it is ${units}, set  record.${field}: { from: ${name}, unit: ${unit} }`,
    }
  },
  dates({ name, dates }) {
    const misfit = dates[0]?.firstMisfit
    const such = misfit === undefined ? '' : `, such as "${misfit.text}" in row ${misfit.at.row}`
    return {
      message: `<${name}> is left out: too many of its cells are not dates in one format that windrow can read${such}.`,
      hint: 'Correct them to use it.',
    }
  },
  numbers(column) {
    const { name, filled, few, examples, numberFit, nothings } = column
    const mark = numberFit.comma > numberFit.point ? 'comma' : 'point'
    const spoilt = (few ?? examples).filter((text) => readNumber(text, mark) === undefined)
    const other = spoilt.find((text) => !Object.hasOwn(nothings, text)) ?? spoilt[0]
    const others = filled - numbersIn(column)
    const are = others === 1 ? 'is not a number' : 'are not numbers'
    return {
      message: `<${name}> is left out: ${others} of its ${filled} cells ${are}${other === undefined ? '' : `, such as "${other}"`}.`,
      hint: 'Correct them to use it.',
    }
  },
}

type TextsOdd = {
  readonly column: ColumnProfile
  readonly are: 'truths' | 'in quotes'
}

const textsOdd: Rule<ColumnDecided, TextsOdd> = {
  ...common,
  id: 'texts-odd',
  about: 'column',
  why: 'A program spoilt the texts of a column: TRUE or FALSE between names, or quotes around all texts. They are read as they are. Correct them in the file.',
  find({ column, decided }) {
    const { name, texts, truths, few, examples } = column
    const choice = fieldChoices(decided).find(({ value }) => columnsTaken(value).includes(name))
    const field = fieldRules.find((each) => `record.${each.field}` === choice?.setting && each.holds === 'text')
    if (field === undefined) return undefined
    const isEach = (pattern: RegExp): boolean => (few ?? examples).every((text) => pattern.test(text))
    if (truths > 0) return { column, are: 'truths' }
    return texts > 0 && isEach(/^["“”„«].*["“”»]$/) ? { column, are: 'in quotes' } : undefined
  },
  says: ({ column: { name, truths, examples }, are }) => ({
    column: name,
    ...{
      truths: {
        message: `<${name}> has ${plural(truths, 'cell')} with TRUE or FALSE instead of a text, read as "true" or "false".`,
        hint: 'Please check.',
      },
      'in quotes': {
        message: `<${name}> has its texts in quotes, such as ${examples[0]}, which become part of them.`,
        hint: 'A program wrote them twice, or typographic ones: export the file again, or write " in it.',
      },
    }[are],
  }),
}

const daysUniversal: Rule<ColumnDecided, { readonly name: string; readonly zone: string; readonly asDays: string }> = {
  ...common,
  id: 'days-universal',
  about: 'column',
  why: 'A program wrote days as midnight in universal time. West of Greenwich that moment is still the day before, so that a paddock would be shown as sown a day early. If they are days, read them with the pattern that the message names.',
  find({ column, isTaken, zone, ...facts }) {
    const asDays = isTaken ? asUniversalDays(column, { ...facts, zone }) : undefined
    return asDays === undefined ? undefined : { name: column.name, zone: zone!, asDays }
  },
  says: ({ name, zone, asDays }) => ({
    column: name,
    message: `The dates of <${name}> are midnight in universal time, which in ${zone} is on the day before.`,
    hint: `If they are days, set the zone and  dates: ${asDays}`,
  }),
}

/** About one column. */
export const columnNotes: readonly Rule<ColumnDecided>[] = [columnLeftOut, textsOdd, daysUniversal]
