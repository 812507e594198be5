/** Hides how a mapping is proposed for a file that nobody has mapped yet: each choice with its evidence and its runner-up. */

import type { DatePattern } from '../core/values/date-pattern.ts'
import type { DecimalMark } from '../core/values/number-text.ts'
import type { ColumnProfile, TableProfile } from '../core/profile/profile-table.ts'
import type { Decision, Table, Value } from '../core/row.ts'
import { publishedResourceSchema } from '../resources/published-resource.ts'
import type { ResourceType } from '../resources/resource-type.ts'
import { unitCode, unitOfCode } from '../resources/units.ts'
import { unitInHeader } from './area-column.ts'
import { filledOf, isNameable, type Choice } from './choice.ts'
import { fieldRules, headerWords, holdingWords, type FieldRule } from './header-words.ts'
import { suggestCentroid } from './suggest-centroid.ts'
import { mixedDates, pickDates, undecidedDates, type DateChoice, type UndecidedDates } from './suggest-dates.ts'
import { suggestKey } from './suggest-key.ts'
import { chooseThousands, columnsInDoubt, countMarks, twofoldNumbers, type MarksSeen } from './thousands.ts'
import type { RecordTree } from './tree.ts'
import { zoneInHeader } from './zones.ts'

export type { Choice } from './choice.ts'

/** A proposal for a whole file. Without a key there is no column that could be one, and `notes` says so. */
export type Suggestion = {
  readonly type: ResourceType
  readonly key: Choice | undefined
  readonly holding: Choice | undefined
  readonly fields: readonly Choice[]
  /** Fields that are left out until somebody says whether the day or the month comes first in their column. */
  readonly undecided: readonly UndecidedField[]
  readonly record: RecordTree
  readonly decimal: { readonly value: DecimalMark; readonly evidence: string } | undefined
  /** Numbers are read and nothing shows their decimal mark: somebody has to say it. */
  readonly decimalIsUnclear: boolean
  readonly unused: readonly string[]
  readonly notes: readonly string[]
}

export type UndecidedField = Choice & { readonly dates: UndecidedDates }

/**
 * `zone` is written beside dates; `dates` is how a person says they are written; `identifierScheme` adds the key to the identifiers; `decisions` are those of the table, which
 * may have used columns already; `marks` is what the numbers of columns show of their thousands; `lonLat` names columns of a position.
 */
export type SuggestOptions = {
  readonly zone?: string
  readonly dates?: DatePattern | undefined
  readonly identifierScheme?: string
  readonly decisions?: readonly Decision[]
  readonly marks?: ReadonlyMap<string, MarksSeen>
  readonly lonLat?: Table['lonLat']
}

/**
 * Proposes a mapping to a type for a table that was profiled, and goes over it once more where columns of numbers are chosen in
 * which thousands and decimals may be confused.
 */
export async function suggestFor(
  type: ResourceType,
  {
    table,
    profile,
    signal,
    ...said
  }: Pick<SuggestOptions, 'zone' | 'dates'> & {
    readonly table: Table
    readonly profile: TableProfile
    readonly signal?: AbortSignal
  },
): Promise<Suggestion> {
  const options = { ...said, decisions: table.decisions, lonLat: table.lonLat }
  const suggestion = suggest(type, profile, options)
  const inDoubt = columnsInDoubt(suggestion.fields, profile)
  if (inDoubt.length === 0) return suggestion
  return suggest(type, profile, { ...options, marks: await countMarks(table, inDoubt, signal) })
}

/** Proposes a mapping of the profiled table to a type. */
export function suggest(type: ResourceType, profile: TableProfile, options: SuggestOptions = {}): Suggestion {
  const notes: string[] = []
  const holding = suggestHolding(profile)
  const key = suggestKey(type, profile, holding, notes)
  const decimal = suggestDecimal(profile)
  const mark = decimal === 'unclear' ? undefined : decimal?.value
  const taken = new Set([holding?.column])
  const fields: Choice[] = []
  const undecided: UndecidedField[] = []
  const { dates } = options
  if (
    dates !== undefined &&
    !profile.columns.some((column) => pickDates(column, dates)?.pattern.startsWith(dates.pattern))
  )
    notes.push(`No column has dates that are written as ${dates.pattern}.`)
  // A type that windrow does not know has what every published record has, as holdings do.
  const plural = type.schema === publishedResourceSchema ? 'holdings' : type.plural
  for (const rule of fieldRules) {
    if (!rule.types.includes(plural)) continue
    const choice = suggestField(rule, profile, taken, { options, notes, mark })
    if (choice === undefined) continue
    if ('dates' in choice) undecided.push(choice)
    else fields.push(choice)
    taken.add(choice.column)
  }
  const centroid =
    plural === 'holdings' && options.lonLat !== undefined ? suggestCentroid(profile, options.lonLat, mark) : undefined
  if (centroid !== undefined) {
    fields.push(centroid.choice)
    for (const column of centroid.columns) taken.add(column)
  }
  const isUnclear = decimal === 'unclear' && fields.some(({ spec }) => needsDecimal(spec))
  if (isUnclear)
    notes.push('It cannot be seen whether a comma or a point divides the decimals; say it under from: decimal.')
  const isPlain = ({ field }: Choice): boolean => field.lastIndexOf('/') === 0
  const identifiers =
    options.identifierScheme === undefined || key === undefined ? [] : [identifierOf(key, options.identifierScheme)]
  const sorted = [...fields.filter(isPlain), ...identifiers, ...fields.filter((choice) => !isPlain(choice))]
  const used = new Set([...taken, key?.column, ...columnsOfGeometry(options.decisions)])
  return {
    type,
    key,
    holding,
    fields: sorted,
    undecided,
    record: treeOf(sorted),
    decimal: decimal === 'unclear' ? undefined : decimal,
    decimalIsUnclear: isUnclear,
    unused: profile.columns.map(({ name }) => name).filter((name) => !used.has(name) && isNameable(name)),
    notes,
  }
}

function columnsOfGeometry(decisions: readonly Decision[] = []): readonly string[] {
  return decisions.flatMap(({ option, value }) => (['geometry', 'x', 'y'].includes(option) ? [String(value)] : []))
}

function needsDecimal(spec: Value): boolean {
  return typeof spec === 'object' && spec !== null && 'unit' in spec && !('number' in spec)
}

function identifierOf({ column, spec, certain }: Choice, scheme: string): Choice {
  const evidence = 'the key, under a scheme of your own'
  return { field: '/identifiers/0', column, spec: { scheme, id: spec }, evidence, certain }
}

function suggestHolding(profile: TableProfile): Choice | undefined {
  const column = profile.columns.find(
    ({ name, filled }) => filled > 0 && isNameable(name) && holdingWords.test(headerWords(name)),
  )
  if (column === undefined) return undefined
  const different = column.distinct === 1 ? 'one farm' : `${column.distinct} farms`
  return {
    field: 'holding',
    column: column.name,
    spec: `<${column.name}>`,
    evidence: `the header names a farm; ${filledOf(column)}, ${different}`,
    certain: column.blank === 0,
  }
}

function suggestDecimal(profile: TableProfile): Suggestion['decimal'] | 'unclear' {
  let [point, comma, either] = [0, 0, 0]
  for (const { numberFit, texts } of profile.columns) {
    if (Math.max(numberFit.point, numberFit.comma) + numberFit.either < texts * 0.9) continue
    point += numberFit.point - numberFit.both
    comma += numberFit.comma - numberFit.both
    either += numberFit.both
  }
  if (point === 0 && comma === 0 && either === 0) return undefined
  if (point === comma) return 'unclear'
  const [value, other] = comma > point ? (['comma', 'point'] as const) : (['point', 'comma'] as const)
  const against = Math.min(point, comma)
  const most = Math.max(point, comma)
  const evidence = `${most} ${most === 1 ? 'number reads' : 'numbers read'} with a decimal ${value}`
  const others = [
    ...(against > 0 ? [`${against} with a decimal ${other}`] : []),
    ...(either > 0 ? [`${either} with either`] : []),
  ]
  return { value, evidence: [evidence, ...others].join(', ') }
}

type Surroundings = {
  readonly options: SuggestOptions
  readonly notes: string[]
  /** The decimal mark of the file. */
  readonly mark: DecimalMark | undefined
}

function suggestField(
  rule: FieldRule,
  profile: TableProfile,
  taken: ReadonlySet<string | undefined>,
  { options, notes, mark }: Surroundings,
): Choice | UndecidedField | undefined {
  const candidates = profile.columns
    .filter(({ name, filled, nested }) => filled > 0 && nested === 0 && !taken.has(name) && isNameable(name))
    .map((column) => ({ column, rank: rankOf(rule, column) }))
    .filter(({ rank, column }) => rank !== -1 && suits(rule, column, options.dates))
    .toSorted((left, right) => left.rank - right.rank || right.column.filled - left.column.filled)
  if (rule.holds === 'date' && candidates.length === 0) notes.push(...mixedDateNotes(rule, profile))
  const isMeasured = rule.holds === 'area' && (profile.shapes.Polygon ?? 0) + (profile.shapes.MultiPolygon ?? 0) > 0
  const [best, second] = candidates
  if (isMeasured) return measuredChoice(rule.field, best?.column)
  if (best === undefined) return undefined
  const { column } = best
  const base = {
    field: rule.field,
    column: column.name,
    ...(second === undefined ? {} : { runnerUp: runnerUpOfField(second.column) }),
  }
  const said = `the header; ${filledOf(column)}`
  if (rule.holds === 'text') return { ...base, spec: `<${column.name}>`, evidence: said, certain: best.rank < 2 }
  if (rule.holds === 'date') {
    const dates = pickDates(column, options.dates)
    const undecided = undecidedDates(column, options.dates)
    const choice = dates && dateChoice(base, column, dates, options)
    return choice && undecided ? { ...choice, dates: undecided } : choice
  }
  const unit = unitOfHeader(column, rule.holds)
  if (unit !== undefined) {
    return { ...base, ...numbersChoice(column, unit, { options, mark }, said) }
  }
  const words = unitWords(column, rule.holds)
  if (words.length > 0)
    return {
      ...base,
      spec: `<${column.name}>`,
      evidence: `${said}, units in the cells: ${words.join(', ')}`,
      certain: true,
    }
  notes.push(
    `<${column.name}> looks like ${rule.holds === 'area' ? 'an area' : 'a length'}, but nothing says its unit. If it is ${rule.holds === 'area' ? 'hectares' : 'metres'}, say under record:  ${rule.field.slice(1)}: { from: ${column.name}, unit: ${rule.holds === 'area' ? 'ha' : 'm'} }`,
  )
  return undefined
}

/** Numbers with a unit of the header, and how they are written where that is not said by the rest of the file. */
function numbersChoice(
  column: ColumnProfile,
  unit: string,
  { options, mark }: Pick<Surroundings, 'options' | 'mark'>,
  said: string,
): Pick<Choice, 'spec' | 'evidence' | 'certain'> {
  const own = ownDecimal(column, mark)
  const decimal = own ?? mark
  const seen = options.marks?.get(column.name)
  const thousands = seen === undefined || decimal === undefined ? undefined : chooseThousands(seen, decimal)
  const number = {
    ...(own === undefined ? {} : { decimal: own }),
    ...(thousands === undefined ? {} : { thousands: thousands.mark }),
  }
  const twofold = decimal === undefined && seen !== undefined ? twofoldNumbers(seen) : thousands?.evidence
  const other = own === undefined ? '' : `, with a decimal ${own}, unlike the rest of the file`
  return {
    spec: { from: column.name, unit, ...(Object.keys(number).length === 0 ? {} : { number }) },
    evidence: `${said}, unit from the header${other}${twofold === undefined ? '' : `; ${twofold}`}`,
    certain: thousands?.certain ?? true,
  }
}

/** Which of the rule's words name the column, from 0; -1 where none does. */
function rankOf({ words, holds }: FieldRule, { name }: ColumnProfile): number {
  const header = headerWords((holds === 'date' ? zoneInHeader(name)?.words : undefined) ?? name)
  return words.findIndex((each) => each.test(header))
}

/** A column that should hold dates and cannot be read as a whole is left out, which nobody should have to find out. */
function mixedDateNotes(rule: FieldRule, { columns }: TableProfile): readonly string[] {
  return columns.flatMap((column) => {
    const mixed = rankOf(rule, column) === -1 ? undefined : mixedDates(column)
    return mixed === undefined
      ? []
      : [
          `<${column.name}> is left out: its dates are written in several ways (${mixed}). Bring them into one form to use it.`,
        ]
  })
}

/** The decimal mark of a column that differs from the file's. */
function ownDecimal(
  { numberFit: { point, comma } }: ColumnProfile,
  mark: DecimalMark | undefined,
): DecimalMark | undefined {
  const own = point > comma ? 'point' : comma > point ? 'comma' : mark
  return own === mark ? undefined : own
}

/** The units that stand behind the numbers of a column, where they are all of the kind. */
function unitWords({ numberWords }: ColumnProfile, kind: 'area' | 'length'): readonly string[] {
  const words = Object.keys(numberWords)
  return words.every((word) => unitCode(word, kind) !== undefined) ? words : []
}

function runnerUpOfField(column: ColumnProfile): string {
  return `<${column.name}> (${filledOf(column)})`
}

function suits(rule: FieldRule, column: ColumnProfile, dates: DatePattern | undefined): boolean {
  const { numberFit, numberWords, texts, numbers, filled } = column
  const asNumbers = numbers + Math.max(numberFit.point, numberFit.comma) + numberFit.either
  switch (rule.holds) {
    case 'date':
      return pickDates(column, dates) !== undefined
    case 'area':
    case 'length':
      return asNumbers + (unitWords(column, rule.holds).length === 0 ? 0 : sumOf(numberWords)) >= filled * 0.9
    case 'text':
      return texts + numbers === filled && pickDates(column, dates) === undefined
  }
}

function sumOf(counts: Readonly<Record<string, number>>): number {
  return Object.values(counts).reduce((sum, each) => sum + each, 0)
}

function measuredChoice(field: string, column: ColumnProfile | undefined): Choice {
  const unit = column === undefined ? undefined : unitOfHeader(column, 'area')
  const other = column === undefined || unit === undefined ? undefined : `{ from: ${column.name}, unit: ${unit} }`
  return {
    field,
    column: column?.name,
    spec: 'measured',
    evidence: 'measured from the boundary',
    ...(other === undefined ? {} : { runnerUp: other }),
    certain: true,
  }
}

function unitOfHeader({ name }: ColumnProfile, kind: 'area' | 'length'): string | undefined {
  return unitOfCode(unitInHeader(name, kind) ?? '')?.sign
}

function dateChoice(
  base: Pick<Choice, 'field' | 'column'>,
  column: ColumnProfile,
  dates: DateChoice,
  options: SuggestOptions,
): Choice {
  const zone = zoneInHeader(column.name)?.zone ?? options.zone
  const spec = dates.hasOffset
    ? `<${column.name}>`
    : { from: column.name, date: dates.pattern, ...(zone === undefined ? {} : { zone }) }
  return {
    ...base,
    spec,
    evidence: dates.evidence,
    ...(dates.runnerUp === undefined ? {} : { runnerUp: dates.runnerUp }),
    certain: dates.certain,
  }
}

type Branch = { [name: string]: Value | Branch | Branch[] }

/** Puts choices at pointers together as the tree that a pipeline holds. */
function treeOf(choices: readonly Choice[]): RecordTree {
  const tree: Branch = {}
  for (const { field, spec } of choices) {
    const [, top = '', ...rest] = field.split('/')
    if (rest.length === 0) tree[top] = spec
    else if (rest[0] === '0') {
      const list = (tree[top] ??= []) as Value[]
      const entry = (list[0] ?? {}) as Branch
      list[0] = (rest[1] === undefined ? spec : { ...entry, [rest[1]]: spec }) as Value
    } else tree[top] = { ...(tree[top] as Branch | undefined), [rest[0] ?? '']: spec } as Branch
  }
  return tree as RecordTree
}
