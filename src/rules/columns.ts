/** Decides what the columns of a file mean: the farm, the key and the fields of the record, each with its evidence. */

import type { ColumnProfile } from '../core/profile/profile-table.ts'
import type { Problem } from '../core/problem.ts'
import { chosen, settingOf, valueText, type Choice } from '../core/row.ts'
import { decide, judge, usualPolicy, type Decider } from '../core/rule.ts'
import { fieldRules, headerWords, holdingWords } from '../core/values/header-words.ts'
import type { DecimalMark } from '../core/values/number-text.ts'
import { choiceOf, columnsTaken, fieldChoices } from '../mapping/choice.ts'
import { publishedResourceSchema } from '../resources/index.ts'
import type { ResourceType } from '../resources/resource-type.ts'
import { columnNotes, fileNotes } from './column-notes.ts'
import { columnOfDates } from './dates.ts'
import { filledOf, isNameable, numbersIn, type ColumnsRead, type FieldFacts } from './field-columns.ts'
import { keyColumn } from './key-column.ts'
import { farmChoice, ownExport } from './own-export.ts'
import { areaMeasured, columnOfAmounts, columnOfTexts, decimalSeparator, needsDecimal, ownDecimal } from './values.ts'

/**
 * What the columns of a file mean. `choices` are of the settings holding, key, from.decimal, only and those of the record, in the order
 * of a pipeline; `unused` are the columns that none of them takes, `found` is what a person should know about them. `given` are the
 * columns of an export that only the service fills in; undefined for other files.
 */
export type Columns = {
  readonly type: ResourceType
  readonly choices: readonly Choice[]
  readonly unused: readonly string[]
  readonly found: readonly Problem[]
  readonly given: readonly string[] | undefined
}

export const farmColumn: Decider<ColumnsRead, ColumnProfile> = {
  id: 'farm-column',
  about: 'file',
  decides: 'holding',
  why: 'Whether a column says of which farm each record is: its header names the number of a farm, or a register of farms.',
  find: ({ profile: { columns } }) =>
    columns.find(({ name, filled }) => filled > 0 && isNameable(name) && holdingWords.test(headerWords(name))),
  says: (column) => farmChoice(column, 'the header names a farm'),
}

type Position = { readonly columns: readonly [ColumnProfile, ColumnProfile]; readonly mark: DecimalMark | undefined }

export const farmPosition: Decider<ColumnsRead & { readonly mark: DecimalMark | undefined }, Position> = {
  id: 'farm-position',
  about: 'file',
  decides: 'record',
  why: 'Where a farm without a boundary lies: the columns of longitudes and latitudes, if each of their cells is a plain number.',
  find({ profile: { columns }, lonLat, mark }) {
    if (lonLat === undefined) return undefined
    const isNumbers = (column: ColumnProfile): boolean => column.filled > 0 && numbersIn(column) === column.filled
    const [lon, lat] = lonLat.map((name) => columns.find((column) => column.name === name && isNumbers(column)))
    return lon === undefined || lat === undefined ? undefined : { columns: [lon, lat], mark }
  },
  says({ columns, mark }) {
    const coordinates = columns.map((column) => {
      const own = ownDecimal(column, mark)
      return own === undefined ? `<${column.name}>` : { from: column.name, number: { decimal: own } }
    })
    const evidence = `longitudes and latitudes; ${filledOf(columns[0])}`
    return chosen('record.centroid', { type: 'Point', coordinates }, evidence)
  },
}

/** What decides one field of the record, by what its column must contain. */
export const fieldDeciders: readonly Decider<FieldFacts>[] = [
  columnOfTexts,
  columnOfDates,
  areaMeasured,
  columnOfAmounts,
]

const isSaid = (): boolean => false

/** Decides the mapping of a profiled table to a type. What a person said replaces it. */
export function decideColumns(facts: ColumnsRead): Columns {
  const { type, profile, choices: ofTable = [] } = facts
  const names = profile.columns.map(({ name }) => name)
  const geometry = ['from.geometry', 'from.x', 'from.y'].map((setting) => valueText(settingOf(ofTable, setting) ?? ''))
  const place = { source: profile.name, row: -1 }
  const around = { policy: usualPolicy, place }
  const [decimal] = decide([decimalSeparator], facts, isSaid)
  const ofExport = ownExport.find(facts)
  if (ofExport !== undefined) {
    // An export has decimal points, unless a spreadsheet program has written it anew.
    const written = decimal?.certainty === 'ask' ? chosen('from.decimal', 'point', 'as in every export') : decimal
    const choices = [ownExport.says(ofExport), written ?? []].flat()
    const unused = ofExport.unread.filter((name) => !geometry.includes(name))
    const found = judge(fileNotes, { ...facts, decided: choices, unused, ofExport }, around)
    return { type, choices, unused, found, given: ofExport.given }
  }
  const [holding] = decide([farmColumn], facts, isSaid)
  const taken = new Set(columnsTaken(holding?.value))
  const fields = decideFields(facts, decimal?.value as DecimalMark | undefined, taken)
  const decided = fieldChoices(fields)
  const isNeeded = decimal?.certainty !== 'ask' || decided.some(({ value }) => needsDecimal(value))
  const choices = [
    ...(holding === undefined ? [] : [holding]),
    ...decide([keyColumn], { ...facts, holding }, isSaid),
    ...(decimal === undefined || !isNeeded ? [] : [decimal]),
    ...fields,
  ]
  const inUse = new Set([...choices.flatMap(({ value }) => columnsTaken(value)), ...taken, ...geometry])
  const unused = names.filter((name) => !inUse.has(name))
  const seen = { ...facts, decided: choices, unused, ofExport }
  const found = [
    ...judge(fileNotes, seen, around),
    ...profile.columns.flatMap((column) =>
      judge(columnNotes, { ...seen, column, isTaken: taken.has(column.name) }, around),
    ),
  ]
  return { type, choices, unused: unused.filter(isNameable), found, given: undefined }
}

/** Lets each field take a column of those that are left; those of lists come last. */
function decideFields(facts: ColumnsRead, mark: DecimalMark | undefined, taken: Set<string>): readonly Choice[] {
  const fields: Choice[] = []
  for (const field of fieldRules) {
    if (!field.types.includes(typeOf(facts))) continue
    const free = facts.profile.columns.filter(
      ({ name, filled, nested }) => filled > 0 && nested === 0 && !taken.has(name) && isNameable(name),
    )
    const [choice] = decide(fieldDeciders, { ...facts, field, free, mark }, isSaid)
    // The date of a crop alone would make a crop without a name.
    const lacksCrop =
      field.holds === 'date' && field.field.startsWith('crops.') && !choiceOf(fields, 'record.crops.0.name')
    if (choice === undefined || lacksCrop) continue
    fields.push(choice)
    const value = choice.value === undefined || choice.value === 'measured' ? choice.others[0]?.value : choice.value
    for (const name of columnsTaken(value)) taken.add(name)
  }
  if (typeOf(facts) === 'holdings') fields.push(...decide([farmPosition], { ...facts, mark }, isSaid))
  const isPlain = ({ setting }: Choice): boolean => setting.split('.').length === 2
  return [...fields.filter(isPlain), ...fields.filter((choice) => !isPlain(choice))]
}

/** A type that windrow does not know has the fields of every published record, as holdings do. */
function typeOf({ type }: ColumnsRead): string {
  return type.schema === publishedResourceSchema ? 'holdings' : type.plural
}
