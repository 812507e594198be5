/** Decides what the columns of a new file mean: each choice with its evidence and what else it could be. */

import type { DecimalMark } from '../core/values/number-text.ts'
import type { ColumnProfile, TableProfile } from '../core/profile/profile-table.ts'
import { chosen, settingOf, valueText, type Choice, type Other, type Table, type Value } from '../core/row.ts'
import { publishedResourceSchema } from '../resources/index.ts'
import type { ResourceType } from '../resources/resource-type.ts'
import { unitOfCode } from '../resources/units.ts'
import { unitInHeader } from './area-column.ts'
import { choiceOf, columnsTaken, fieldChoices, filledOf, holdingChoice, isNameable } from './choice.ts'
import {
  fittingHeaders,
  isOfDaysOrTimes,
  lacksCrop,
  logNotes,
  mixedDateNotes,
  numbersIn,
  spoiltNumberNotes,
  spoiltTextNotes,
  suits,
  unitWords,
  yearIn,
} from './header-fit.ts'
import { fieldRules, headerWords, holdingWords, type FieldRule } from '../core/values/header-words.ts'
import {
  dateClues,
  pickDates,
  undecidedDates,
  universalDayNotes,
  type DateChoice,
  type DateClues,
} from './suggest-dates.ts'
import {
  ambiguousNumbers,
  chooseThousands,
  needsDecimal,
  ownDecimal,
  sizeDoubt,
  suggestDecimal,
  unitBeside,
} from './suggest-numbers.ts'
import { notesOnLists, suggestExported, type Exported, type ExportedOptions } from './suggest-exported.ts'
import { chooseKey, hasBoundaries, serviceIdNotes, spoiltIdNotes } from './suggest-key.ts'
import { asNames, codeDoubt, columnSpec, nothingWords, withoutNothings } from './words.ts'
import { zoneInHeader } from './zones.ts'

/**
 * What the columns of a file mean. `choices` are of the settings holding, key, from.decimal and those of the record, in the order of a
 * pipeline; `unused` are the columns that none of them takes, `notes` what a person should know about them.
 */
export type Suggestion = {
  readonly type: ResourceType
  readonly choices: readonly Choice[]
  readonly unused: readonly string[]
  readonly notes: readonly string[]
  /** Set for an export of the service's records, whose columns go back to their fields. */
  readonly exported?: Exported
}

/**
 * `zone` is written beside dates, `saidZone` is the one that a person named; `dates` is the date format that a person chose;
 * `choices` are those of the table, which may use columns already. `lonLat` names the columns of a position.
 */
export type SuggestOptions = ExportedOptions & {
  readonly saidZone?: string | undefined
  readonly choices?: readonly Choice[]
  readonly lonLat?: Table['lonLat']
  /** The columns with ids that the service gave, where the service was asked. */
  readonly serviceIds?: ReadonlySet<string> | undefined
}

/** Decides the mapping of a profiled table to a type. */
export function suggest(type: ResourceType, profile: TableProfile, options: SuggestOptions = {}): Suggestion {
  const ofExport = suggestExported(type, profile, options)
  const geometry = columnsOfGeometry(options.choices)
  if (ofExport !== undefined) {
    const found = suggestDecimal(profile)
    // An export has decimal points, unless a spreadsheet program has written it anew.
    const decimal: Choice | undefined =
      found?.certainty === 'ask' ? chosen('from.decimal', 'point', 'as in every export') : found
    const unused = ofExport.unused.filter((name) => !geometry.includes(name))
    return { type, ...ofExport, choices: [...ofExport.choices, ...(decimal === undefined ? [] : [decimal])], unused }
  }
  const holding = suggestHolding(profile)
  const notes: string[] = []
  const decimal = suggestDecimal(profile, options.choices)
  const taken = new Set(columnsTaken(holding?.value))
  const fields = suggestFields(type, profile, { options, notes, decimal, taken })
  const decided = fieldChoices(fields)
  const used = new Set(
    decided.filter(({ setting }) => setting !== 'record.name').flatMap(({ value }) => columnsTaken(value)),
  )
  const hasName = choiceOf(decided, 'record.name') !== undefined
  const { serviceIds } = options
  const key = chooseKey({ type, profile, holding, serviceIds, used, hasName })
  notes.unshift(...serviceIdNotes({ profile, serviceIds }), ...(key.certainty === 'ask' ? spoiltIdNotes(profile) : []))
  if (type.plural === 'plots') notes.push(...logNotes(decided, profile), ...namelessNotes(decided, key, profile))
  const isUnclear = decimal?.certainty === 'ask'
  const choices = [
    holding,
    key,
    isUnclear && !decided.some(({ value }) => needsDecimal(value)) ? undefined : decimal,
    ...fields,
  ].filter((each) => each !== undefined)
  const inUse = new Set([...choices.flatMap(({ value }) => columnsTaken(value)), ...taken, ...geometry])
  const names = profile.columns.map(({ name }) => name)
  const left = names.filter((name) => !inUse.has(name))
  notes.push(...notesOnLists(type, left))
  return { type, choices, unused: left.filter(isNameable), notes }
}

type Fields = {
  readonly options: SuggestOptions
  readonly notes: string[]
  readonly decimal: Choice | undefined
  /** The columns that are taken so far. */
  readonly taken: Set<string>
}

/** The fields that columns fill, those of lists last. */
function suggestFields(type: ResourceType, profile: TableProfile, { options, notes, decimal, taken }: Fields) {
  const mark = decimal?.value as DecimalMark | undefined
  const fields: Choice[] = []
  const { dates, lonLat } = options
  const clues = dateClues(profile, options.saidZone)
  if (
    dates !== undefined &&
    !profile.columns.some((column) => pickDates(column, dates)?.pattern.startsWith(dates.pattern))
  )
    notes.push(`No column has dates in the format ${dates.pattern}.`)
  // A type that windrow does not know has the fields of every published record, as holdings do.
  const plural = type.schema === publishedResourceSchema ? 'holdings' : type.plural
  for (const rule of fieldRules) {
    if (!rule.types.includes(plural)) continue
    const found = suggestField(rule, profile, taken, { options, notes, mark, clues, isFarm: plural === 'holdings' })
    if (found === undefined) continue
    if (lacksCrop(rule, fields)) {
      notes.push(
        `<${found.column}> is left out: it is the date of a crop, and no column names the crop. If one does, write it under crops in a pipeline.`,
      )
      continue
    }
    fields.push(found.choice)
    if (found.column !== undefined) taken.add(found.column)
  }
  const centroid = plural === 'holdings' && lonLat ? suggestCentroid(profile, lonLat, mark) : undefined
  if (centroid) fields.push(centroid)
  const isPlain = ({ setting }: Choice): boolean => setting.split('.').length === 2
  return [...fields.filter(isPlain), ...fields.filter((choice) => !isPlain(choice))]
}

/** Says that a map of plots has no names: many farms call their paddocks by number. */
function namelessNotes(fields: readonly Choice[], key: Choice, profile: TableProfile): readonly string[] {
  if (choiceOf(fields, 'record.name') !== undefined) return []
  // Mostly the unit of the areas, but those are not all different.
  const unit = profile.columns.find(
    ({ name, distinct, filled }) => headerWords(name) === 'unit' && distinct > 2 && distinct === filled,
  )
  if (unit === undefined && !hasBoundaries(profile)) return []
  const [ofKey, ...others] = columnsTaken(key.value)
  const column = unit?.name ?? (key.certainty === 'sure' && others.length === 0 ? ofKey : undefined)
  const called =
    column === undefined
      ? ''
      : ` If <${column}> is what they are called, write  name: <${column}>  under record in a pipeline.`
  return [`No column has names, so new plots would have none.${called}`]
}

function columnsOfGeometry(choices: readonly Choice[] = []): readonly string[] {
  return ['from.geometry', 'from.x', 'from.y'].flatMap((setting) => valueText(settingOf(choices, setting) ?? ''))
}

function suggestHolding(profile: TableProfile): Choice | undefined {
  const column = profile.columns.find(
    ({ name, filled }) => filled > 0 && isNameable(name) && holdingWords.test(headerWords(name)),
  )
  return column && holdingChoice(column, 'the header names a farm')
}

type Surroundings = {
  readonly options: SuggestOptions
  readonly notes: string[]
  /** The decimal mark of the file. */
  readonly mark: DecimalMark | undefined
  readonly clues: DateClues
  readonly isFarm: boolean
}

/** A choice and the column that it takes, also where its value does not name it. */
type Found = { readonly choice: Choice; readonly column: string | undefined }

function suggestField(
  rule: FieldRule,
  profile: TableProfile,
  taken: ReadonlySet<string>,
  { options, notes, mark, clues, isFarm }: Surroundings,
): Found | undefined {
  const free = profile.columns.filter(
    ({ name, filled, nested }) => filled > 0 && nested === 0 && !taken.has(name) && isNameable(name),
  )
  const candidates = fittingHeaders(
    rule,
    rule.holds === 'text' ? free : free.map((each) => withoutNothings(each, rule.holds === 'date' ? 1 : 0.5)),
  ).filter(({ rank, column }) => suits(rule, column, options.dates) || isOfDaysOrTimes(rule, column, rank))
  if (rule.holds === 'date' && candidates.length === 0) notes.push(...mixedDateNotes(rule, profile))
  const isMeasured = rule.holds === 'area' && hasBoundaries(profile)
  if (rule.holds === 'area' && candidates.length === 0 && !isMeasured) notes.push(...spoiltNumberNotes(rule, profile))
  const [best, second] = candidates
  if (isMeasured) return { choice: measuredChoice(`record.${rule.field}`, best?.column), column: best?.column.name }
  if (best === undefined) return undefined
  const { column } = best
  const others = second === undefined ? [] : [{ value: `<${second.column.name}>`, evidence: filledOf(second.column) }]
  const isLatest = second?.rank === best.rank && yearIn(second.column) !== yearIn(column)
  const evidence = `the header; ${isLatest ? 'the latest year; ' : ''}${filledOf(column)}`
  const found = (
    value: Value,
    why: string,
    doubts: readonly (string | undefined)[] = [],
    more: Partial<Choice> = {},
  ): Found => {
    const open = doubts.filter((each) => each !== undefined)
    const certainty = open.length === 0 ? 'sure' : 'check'
    const words = [why, ...open].filter((each) => each !== '').join('; ')
    return {
      choice: { setting: `record.${rule.field}`, value, evidence: words, others, certainty, ...more },
      column: column.name,
    }
  }
  if (rule.holds === 'text') {
    notes.push(...spoiltTextNotes(rule.field, column))
    const doubts = [best.rank >= 2 || isLatest ? '' : undefined, codeDoubt(rule.field, column)]
    return found(columnSpec(rule.field === 'name' ? asNames(column) : column), evidence, doubts)
  }
  if (rule.holds === 'date') {
    const dates = pickDates(column, options.dates, clues)
    if (dates === undefined) return undefined
    notes.push(...universalDayNotes(column, dates, options.zone))
    const undecided = undecidedDates(column, options.dates, clues)
    const valueOf = (pattern: string): Value => dateSpec(column, { ...dates, pattern }, options)
    if (undecided === undefined) {
      const other =
        dates.other === undefined ? {} : { others: [{ value: valueOf(dates.other), evidence: 'fits all of them too' }] }
      return found(valueOf(dates.pattern), dates.evidence, dates.certain ? [] : [''], other)
    }
    const { patterns, meanings, suggested } = undecided
    return found(suggested && valueOf(suggested), undecided.evidence, [], {
      others: patterns.map((pattern, at): Other => ({ value: valueOf(pattern), evidence: meanings[at]! })),
      certainty: 'ask',
      question: `Which comes first in the dates of "${column.name}", day or ${patterns[1].startsWith('yy') ? 'year' : 'month'}?`,
    })
  }
  const unit = unitOfHeader(column, rule.holds)
  if (unit !== undefined) {
    const { value, why, doubt } = numbersSpec(column, unit, mark)
    const tooLarge = rule.field === 'totalArea' && !isFarm ? sizeDoubt(column, value, mark) : undefined
    return found(value, `${evidence}, unit from the header${why}`, [doubt, tooLarge])
  }
  const words = unitWords(column, rule.holds)
  if (words.length > 0) return found(columnSpec(column), `${evidence}, units in the cells: ${words.join(', ')}`)
  const beside = rule.holds === 'area' ? unitBeside(column, profile, mark) : undefined
  if (beside !== undefined)
    return found(beside.spec, `${evidence}, units in <${beside.column}>; a unit alone is a blank cell`)
  notes.push(
    `<${column.name}> looks like ${rule.holds === 'area' ? 'an area' : 'a length'}, but has no unit. If it is ${rule.holds === 'area' ? 'hectares' : 'metres'}, write  ${rule.field}: { from: ${column.name}, unit: ${rule.holds === 'area' ? 'ha' : 'm'} }  under record in a pipeline.`,
  )
  return undefined
}

/** Numbers whose unit is in the header, with how they are written where they differ from the rest of the file. */
function numbersSpec(column: ColumnProfile, unit: string, mark: DecimalMark | undefined) {
  const own = ownDecimal(column, mark)
  const decimal = own ?? mark
  const isInDoubt = column.numberFit.both > 0
  const thousands = isInDoubt && decimal !== undefined ? chooseThousands(column.marks, decimal) : undefined
  const number = {
    ...(own === undefined ? {} : { decimal: own }),
    ...(thousands === undefined ? {} : { thousands: thousands.mark }),
  }
  const shown = isInDoubt && decimal === undefined ? ambiguousNumbers(column.marks) : thousands?.evidence
  const other = own === undefined ? '' : `, with a decimal ${own}, unlike the rest of the file`
  return {
    value: {
      from: column.name,
      ...nothingWords(column),
      unit,
      ...(Object.keys(number).length === 0 ? {} : { number }),
    },
    why: `${other}${shown === undefined ? '' : `; ${shown}`}`,
    doubt: thousands?.certain === false ? '' : undefined,
  }
}

function measuredChoice(setting: string, column: ColumnProfile | undefined): Choice {
  const unit = column === undefined ? undefined : unitOfHeader(column, 'area')
  const other = column === undefined || unit === undefined ? undefined : { from: column.name, unit }
  return chosen(setting, 'measured', 'measured from the boundary', other)
}

function unitOfHeader({ name }: ColumnProfile, kind: 'area' | 'length'): string | undefined {
  return unitOfCode(unitInHeader(name, kind) ?? '')?.sign
}

function dateSpec(column: ColumnProfile, dates: DateChoice, options: SuggestOptions): Value {
  const zone = zoneInHeader(column.name)?.zone ?? options.zone
  if (dates.hasOffset && dates.pattern.startsWith('yyyy-')) return columnSpec(column)
  const date = dates.isAnyIso === true ? {} : { date: dates.pattern }
  return {
    from: column.name,
    ...nothingWords(column),
    ...date,
    ...(zone === undefined || dates.hasOffset ? {} : { zone }),
  }
}

/** Where a farm without a boundary lies; undefined where a cell of the columns is no plain number. */
function suggestCentroid({ columns }: TableProfile, lonLat: readonly [string, string], mark: DecimalMark | undefined) {
  const isNumbers = (column: ColumnProfile): boolean => column.filled > 0 && numbersIn(column) === column.filled
  const [lon, lat] = lonLat.map((name) => columns.find((column) => column.name === name && isNumbers(column)))
  if (lon === undefined || lat === undefined) return undefined
  const coordinates = [lon, lat].map((column) => {
    const own = ownDecimal(column, mark)
    return own === undefined ? `<${column.name}>` : { from: column.name, number: { decimal: own } }
  })
  return chosen('record.centroid', { type: 'Point', coordinates }, `longitudes and latitudes; ${filledOf(lon)}`)
}
