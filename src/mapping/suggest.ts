/** Proposes a mapping for a new file: each choice with its evidence and runner-up. */

import type { DecimalMark } from '../core/values/number-text.ts'
import type { ColumnProfile, TableProfile } from '../core/profile/profile-table.ts'
import { settingOf, valueText, type Choice, type Table } from '../core/row.ts'
import { publishedResourceSchema } from '../resources/index.ts'
import type { ResourceType } from '../resources/resource-type.ts'
import { unitOfCode } from '../resources/units.ts'
import { unitInHeader } from './area-column.ts'
import { columnsNamedIn } from './cell.ts'
import { filledOf, holdingChoice, isNameable, type Suggested } from './choice.ts'
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
import { fieldRules, headerWords, holdingWords, type FieldRule } from './header-words.ts'
import {
  dateClues,
  pickDates,
  undecidedDates,
  universalDayNotes,
  type DateChoice,
  type DateClues,
  type UndecidedDates,
} from './suggest-dates.ts'
import {
  ambiguousNumbers,
  chooseThousands,
  columnsInDoubt,
  countMarks,
  needsDecimal,
  ownDecimal,
  suggestDecimal,
  unitBeside,
  weighSize,
  type MarksSeen,
} from './suggest-numbers.ts'
import { notesOnLists, suggestExported, type Exported, type ExportedOptions } from './suggest-exported.ts'
import { suggestNearKey, suggestPair } from './key-search.ts'
import { hasBoundaries, serviceIdsIn, suggestKey, withKeyChoice } from './suggest-key.ts'
import { putAt, type Branch, type RecordTree } from './tree.ts'
import { asNames, columnSpec, nothingWords, withoutNothings, wordsToFillIn } from './words.ts'
import { zoneInHeader } from './zones.ts'

/** A proposal for a whole file. Without a key no column can be one, and `notes` explains why. */
export type Suggestion = {
  readonly type: ResourceType
  readonly key: Suggested | undefined
  readonly holding: Suggested | undefined
  readonly fields: readonly Suggested[]
  /** Fields that are left out until somebody chooses whether day or month comes first in their column. */
  readonly undecided: readonly UndecidedField[]
  readonly record: RecordTree
  readonly decimal: { readonly value: DecimalMark; readonly evidence: string } | undefined
  /** True when numbers are read and nothing shows their decimal mark: somebody must choose it. */
  readonly decimalIsUnclear: boolean
  readonly unused: readonly string[]
  readonly notes: readonly string[]
  /** Set for an export of the service's records, whose columns go back to their fields. */
  readonly exported?: Exported
}

export type UndecidedField = Suggested & { readonly dates: UndecidedDates }

/**
 * `zone` is written beside dates, `saidZone` is the one that a person named; `dates` is the date format that a person chose;
 * `choices` are those of the table, which may use columns already; `marks` counts marks between thousands. `lonLat` names the
 * columns of a position.
 */
export type SuggestOptions = ExportedOptions & {
  readonly saidZone?: string | undefined
  readonly choices?: readonly Choice[]
  readonly marks?: ReadonlyMap<string, MarksSeen>
  readonly lonLat?: Table['lonLat']
  /** The columns with ids that the service gave, where the service was asked. */
  readonly serviceIds?: ReadonlySet<string> | undefined
}

/**
 * Proposes a mapping of a profiled table to a type; reads the table once more when its numbers may confuse thousands and
 * decimals, and once more to find two columns that are a key together.
 */
export async function suggestFor(
  type: ResourceType,
  {
    table,
    profile,
    signal,
    ...rest
  }: Pick<SuggestOptions, 'zone' | 'saidZone' | 'dates' | 'serviceIds' | 'farmSchemes'> & {
    readonly table: Table
    readonly profile: TableProfile
    readonly signal?: AbortSignal
  },
): Promise<Suggestion> {
  const options = { ...rest, choices: table.choices, lonLat: table.lonLat }
  const first = suggest(type, profile, options)
  const inDoubt = columnsInDoubt(first.fields, profile)
  const suggestion =
    inDoubt.length === 0
      ? first
      : suggest(type, profile, { ...options, marks: await countMarks(table, inDoubt, signal) })
  const { holding, fields } = suggestion
  if (suggestion.key?.certain === true || suggestion.exported !== undefined) return suggestion
  const given = serviceIdsIn(profile, options.serviceIds).map(({ name }) => name)
  const search = { table, profile, signal }
  const near = await suggestNearKey({ ...search, others: new Set([holding?.column ?? '', ...given]) })
  if (near !== undefined) return withKeyChoice(suggestion, near)
  if (suggestion.key !== undefined) return suggestion
  const used = [holding, ...fields.filter(({ field }) => field !== '/name')].map((choice) => choice?.column ?? '')
  const pair = await suggestPair({ ...search, others: new Set([...used, ...given]) })
  return pair === undefined ? suggestion : withKeyChoice(suggestion, pair)
}

/** Proposes a mapping of the profiled table to a type. */
export function suggest(type: ResourceType, profile: TableProfile, options: SuggestOptions = {}): Suggestion {
  const ofExport = suggestExported(type, profile, options)
  const geometry = columnsOfGeometry(options.choices)
  if (ofExport !== undefined) {
    const found = suggestDecimal(profile)
    // An export has decimal points, unless a spreadsheet program has written it anew.
    const decimal = found === 'unclear' ? ({ value: 'point', evidence: 'as in every export' } as const) : found
    const unused = ofExport.unused.filter((name) => !geometry.includes(name))
    return { type, undecided: [], decimal, decimalIsUnclear: false, ...ofExport, unused }
  }
  const notes: string[] = []
  const holding = suggestHolding(profile)
  const key = suggestKey(type, profile, { holding, notes, serviceIds: options.serviceIds })
  const decimal = suggestDecimal(profile, options.choices)
  const mark = decimal === 'unclear' ? undefined : decimal?.value
  const taken = new Set([holding?.column])
  const fields: Suggested[] = []
  const undecided: UndecidedField[] = []
  const { dates } = options
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
    const choice = suggestField(rule, profile, taken, { options, notes, mark, clues })
    if (choice === undefined) continue
    if (lacksCrop(rule, fields)) {
      notes.push(
        `<${choice.column}> is left out: it is the date of a crop, and no column names the crop. If one does, write it under crops in a pipeline.`,
      )
      continue
    }
    if ('dates' in choice) undecided.push(choice)
    else fields.push(plural === 'holdings' ? choice : weighSize(choice, profile, mark))
    taken.add(choice.column)
  }
  if (plural === 'plots') notes.push(...logNotes(fields, profile), ...namelessNotes(fields, key, profile))
  const names = profile.columns.map(({ name }) => name)
  const left = names.filter((name) => !taken.has(name))
  notes.push(...notesOnLists(type, left))
  const { lonLat } = options
  const centroid = plural === 'holdings' && lonLat ? suggestCentroid(profile, lonLat, mark) : undefined
  if (lonLat && centroid) {
    fields.push(centroid)
    for (const column of lonLat) taken.add(column)
  }
  const isUnclear = decimal === 'unclear' && fields.some(({ spec }) => needsDecimal(spec))
  if (isUnclear)
    notes.push(
      'The decimal separator is unclear: comma or point? Add --decimal comma or --decimal point; in a pipeline, write it under from: decimal.',
    )
  const isPlain = ({ field }: Suggested): boolean => field.lastIndexOf('/') === 0
  const sorted = [...fields.filter(isPlain), ...fields.filter((choice) => !isPlain(choice))]
  const inTexts = [key, ...fields].flatMap((choice) => columnsNamedIn(choice?.spec))
  const used = new Set([...taken, ...inTexts, ...geometry])
  return {
    type,
    key,
    holding,
    fields: sorted,
    undecided,
    record: treeOf(sorted),
    decimal: decimal === 'unclear' ? undefined : decimal,
    decimalIsUnclear: isUnclear,
    unused: names.filter((name) => !used.has(name) && isNameable(name)),
    notes,
  }
}

/** Says that a map of plots has no names: many farms call their paddocks by number. */
function namelessNotes(
  fields: readonly Suggested[],
  key: Suggested | undefined,
  profile: TableProfile,
): readonly string[] {
  if (fields.some(({ field }) => field === '/name')) return []
  // Mostly the unit of the areas, but those are not all different.
  const unit = profile.columns.find(
    ({ name, distinct, filled }) => headerWords(name) === 'unit' && distinct > 2 && distinct === filled,
  )
  if (unit === undefined && !hasBoundaries(profile)) return []
  const column = unit?.name ?? (key?.certain === true ? key.column : undefined)
  const called =
    column === undefined
      ? ''
      : ` If <${column}> is what they are called, write  name: <${column}>  under record in a pipeline.`
  return [`No column has names, so new plots would have none.${called}`]
}

function columnsOfGeometry(choices: readonly Choice[] = []): readonly string[] {
  return ['from.geometry', 'from.x', 'from.y'].flatMap((setting) => valueText(settingOf(choices, setting) ?? ''))
}

function suggestHolding(profile: TableProfile): Suggested | undefined {
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
}

function suggestField(
  rule: FieldRule,
  profile: TableProfile,
  taken: ReadonlySet<string | undefined>,
  { options, notes, mark, clues }: Surroundings,
): Suggested | UndecidedField | undefined {
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
  if (isMeasured) return measuredChoice(rule.field, best?.column)
  if (best === undefined) return undefined
  const { column } = best
  const runnerUp = second && `<${second.column.name}> (${filledOf(second.column)})`
  const base = { field: rule.field, column: column.name, runnerUp }
  const isLatest = second?.rank === best.rank && yearIn(second.column) !== yearIn(column)
  const evidence = `the header; ${isLatest ? 'the latest year; ' : ''}${filledOf(column)}`
  if (rule.holds === 'text') {
    const certain = best.rank < 2 && !isLatest
    notes.push(...spoiltTextNotes(rule.field, column))
    const spec = columnSpec(rule.field === '/name' ? asNames(column) : column)
    return { ...base, spec, evidence, certain, ...wordsToFillIn(rule.field, column) }
  }
  if (rule.holds === 'date') {
    const dates = pickDates(column, options.dates, clues)
    const undecided = undecidedDates(column, options.dates, clues)
    const choice = dates && dateChoice(base, column, dates, options)
    if (dates) notes.push(...universalDayNotes(column, dates, options.zone))
    return choice && undecided ? { ...choice, dates: undecided } : choice
  }
  const unit = unitOfHeader(column, rule.holds)
  if (unit !== undefined) return { ...base, ...numbersChoice(column, unit, { options, mark }, evidence) }
  const words = unitWords(column, rule.holds)
  if (words.length > 0)
    return {
      ...base,
      spec: columnSpec(column),
      evidence: `${evidence}, units in the cells: ${words.join(', ')}`,
      certain: true,
    }
  const beside = rule.holds === 'area' ? unitBeside(column, profile, mark) : undefined
  if (beside !== undefined)
    return {
      ...base,
      spec: beside.spec,
      evidence: `${evidence}, units in <${beside.column}>; a unit alone is a blank cell`,
      certain: true,
    }
  notes.push(
    `<${column.name}> looks like ${rule.holds === 'area' ? 'an area' : 'a length'}, but has no unit. If it is ${rule.holds === 'area' ? 'hectares' : 'metres'}, write  ${rule.field.slice(1)}: { from: ${column.name}, unit: ${rule.holds === 'area' ? 'ha' : 'm'} }  under record in a pipeline.`,
  )
  return undefined
}

/** Describes numbers whose unit is in the header, and how they are written where they differ from the rest of the file. */
function numbersChoice(
  column: ColumnProfile,
  unit: string,
  { options, mark }: Pick<Surroundings, 'options' | 'mark'>,
  headerEvidence: string,
): Pick<Suggested, 'spec' | 'evidence' | 'certain'> {
  const own = ownDecimal(column, mark)
  const decimal = own ?? mark
  const seen = options.marks?.get(column.name)
  const thousands = seen === undefined || decimal === undefined ? undefined : chooseThousands(seen, decimal)
  const number = {
    ...(own === undefined ? {} : { decimal: own }),
    ...(thousands === undefined ? {} : { thousands: thousands.mark }),
  }
  const doubt = decimal === undefined && seen !== undefined ? ambiguousNumbers(seen) : thousands?.evidence
  const other = own === undefined ? '' : `, with a decimal ${own}, unlike the rest of the file`
  return {
    spec: { from: column.name, ...nothingWords(column), unit, ...(Object.keys(number).length === 0 ? {} : { number }) },
    evidence: `${headerEvidence}, unit from the header${other}${doubt === undefined ? '' : `; ${doubt}`}`,
    certain: thousands?.certain ?? true,
  }
}

function measuredChoice(field: string, column: ColumnProfile | undefined): Suggested {
  const unit = column === undefined ? undefined : unitOfHeader(column, 'area')
  const runnerUp = column === undefined || unit === undefined ? undefined : `{ from: ${column.name}, unit: ${unit} }`
  const evidence = 'measured from the boundary'
  return { field, column: column?.name, spec: 'measured', evidence, runnerUp, certain: true }
}

function unitOfHeader({ name }: ColumnProfile, kind: 'area' | 'length'): string | undefined {
  return unitOfCode(unitInHeader(name, kind) ?? '')?.sign
}

function dateChoice(
  base: Pick<Suggested, 'field' | 'column'>,
  column: ColumnProfile,
  dates: DateChoice,
  options: SuggestOptions,
): Suggested {
  const zone = zoneInHeader(column.name)?.zone ?? options.zone
  const isIso = dates.pattern.startsWith('yyyy-')
  const date = dates.isAnyIso === true ? {} : { date: dates.pattern }
  const spec =
    dates.hasOffset && isIso
      ? columnSpec(column)
      : {
          from: column.name,
          ...nothingWords(column),
          ...date,
          ...(zone === undefined || dates.hasOffset ? {} : { zone }),
        }
  const { evidence, runnerUp, certain } = dates
  return { ...base, spec, evidence, runnerUp, certain }
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
  return {
    field: '/centroid',
    column: lon.name,
    spec: { type: 'Point', coordinates },
    evidence: `longitudes and latitudes; ${filledOf(lon)}`,
    certain: true,
  }
}

function treeOf(choices: readonly Suggested[]): RecordTree {
  const tree: Branch = {}
  for (const { field, spec } of choices) putAt(tree, field, spec)
  return tree as RecordTree
}
