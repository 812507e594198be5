/** Proposes the mapping of an export of the service's records: each column goes back to its field, each row to its record. */

import type { DatePattern } from '../core/values/date-pattern.ts'
import type { ColumnProfile, TableProfile } from '../core/profile/profile-table.ts'
import { chosen, type Choice, type Value } from '../core/row.ts'
import { exportedColumns, type ExportedField } from '../resources/exported-columns.ts'
import { publishedTypes } from '../resources/index.ts'
import type { ResourceType } from '../resources/resource-type.ts'
import { columnsTaken, holdingChoice } from './choice.ts'
import { sourceIdPointer } from './compile.ts'
import { rankOf } from './header-fit.ts'
import { fieldRules } from '../core/values/header-words.ts'
import { pickDates, undecidedDates } from './suggest-dates.ts'
import { ownFields, putAt, type Branch, type RecordTree } from './tree.ts'
import { findZone } from './zones.ts'

/**
 * The columns that only the service fills in. `only` leaves out the rows of records that were deleted, where there are any: an import
 * would publish them again.
 */
export type Exported = {
  readonly given: readonly string[]
  readonly only: Readonly<Record<string, readonly string[]>>
}

export type ExportedOptions = {
  readonly zone?: string
  readonly dates?: DatePattern | undefined
  /** The schemes of the farms that the account may write. */
  readonly farmSchemes?: readonly string[]
}

type Shown = { readonly column: ColumnProfile; readonly field: ExportedField }

/** The columns with source ids, by which an export is recognised. */
export function sourceIdColumns(type: ResourceType, names: readonly string[]): ReadonlyMap<string, string> {
  const found = new Map<string, string>()
  for (const [name, field] of exportedColumns(type, names))
    if (field.is === 'identifier' && field.pointer === sourceIdPointer) found.set(field.scheme, name)
  return found
}

/** The type of the records in an export of windrow's own records; their source ids name it. Undefined for any other file. */
export function exportedType(names: readonly string[]): ResourceType | undefined {
  return publishedTypes.find((type) =>
    [...sourceIdColumns(type, names).keys()].some((scheme) => scheme.endsWith(`.${type.plural}`)),
  )
}

/** Proposes the mapping; undefined for a file without a column of source ids. */
export function suggestExported(type: ResourceType, profile: TableProfile, options: ExportedOptions) {
  const names = profile.columns.map(({ name }) => name)
  const known = knownColumns(type, names)
  const shown = profile.columns.flatMap((column): Shown[] => {
    const field = known.get(column.name)
    return field === undefined ? [] : [{ column, field }]
  })
  const sources = shown.filter(({ column, field }) => field.pointer === sourceIdPointer && column.filled > 0)
  const key = keyOf(sources)
  if (key === undefined) return undefined
  const notes: string[] = []
  const usable = shown.filter(({ field }) => !isGiven(field))
  const tree = treeOf(usable, options, notes)
  const holding = holdingOf(type, shown, sources, options)
  for (const column of profile.columns.filter(({ name }) => !known.has(name)))
    if (isRenamed(type, column, shown))
      notes.push(
        `<${column.name}> is not read: an export has no such column. If it was renamed, give it its name back.`,
      )
  return {
    choices: [
      ...(holding === undefined ? [] : [holding]),
      key,
      ...Object.entries(tree).map(([name, spec]) => fieldChoice(name, spec, usable)),
    ],
    unused: names.filter((name) => !known.has(name)),
    notes,
    exported: {
      only: withoutDeleted(shown),
      given: shown
        .filter(({ field }) => isGiven(field))
        .flatMap(({ column: { name } }) => (columnsTaken(key.value)[0] === name ? [] : [name])),
    },
  }
}

/** A note about the lists of an export that lost its source ids, such as <Crop 1 name>: no other file has such columns. */
export function notesOnLists(type: ResourceType, names: readonly string[]): readonly string[] {
  const inLists = [...exportedColumns(type, names)].filter(
    ([, field]) => /^\/[^/]+\/\d+\//.test(field.pointer) && !isGiven(field),
  )
  if (inLists.length === 0) return []
  const columns = inLists.map(([name]) => `<${name}>`).join(', ')
  const are = inLists.length === 1 ? 'is' : 'are'
  return [
    `${columns} ${are} not read: this looks like an export without its column "Source id", by which each row finds its record again. Export again and keep that column.`,
  ]
}

/**
 * A placemark of KML has its name twice: programs show and change the first one, and keep the column Name as the export wrote it, or
 * leave it out.
 */
function knownColumns(type: ResourceType, names: readonly string[]): ReadonlyMap<string, ExportedField> {
  const known = new Map(exportedColumns(type, names))
  const name = exportedColumns(type, ['Name']).get('Name')
  if (name === undefined || !names.includes('name')) return known
  known.delete('Name')
  return known.set('name', name)
}

/** True for a header that means a field that no column of the export has: somebody may have edited the column after renaming it. */
function isRenamed({ plural }: ResourceType, column: ColumnProfile, shown: readonly Shown[]): boolean {
  return fieldRules.some(
    (rule) =>
      rule.types.includes(plural) &&
      column.filled > 0 &&
      rankOf(rule, column) !== -1 &&
      !shown.some(({ field }) => field.pointer === `/${rule.field.replaceAll('.', '/')}`),
  )
}

/** Programs write "true" in their own language. */
const isTrue = /^(?:true|t|1|yes|y|wahr|ja|vrai|oui|vero|verdadero|waar)$/i

function withoutDeleted(shown: readonly Shown[]): Exported['only'] {
  const found = shown.find(({ field }) => field.pointer === '/meta/isDeleted')?.column
  const kept = found?.few?.filter((each) => !isTrue.test(each))
  return found === undefined || kept === undefined || kept.length === found.few!.length
    ? {}
    : { [found.name]: [...new Set([...kept, 'false', ''])] }
}

/** The service fills these in. Links are among them: an export shows the service's own together with others. */
function isGiven({ pointer }: ExportedField): boolean {
  const top = pointer.split('/')[1]!
  return top === 'links' || top === 'meta' || Object.hasOwn(ownFields, top)
}

function keyOf(sources: readonly Shown[]): Choice | undefined {
  if (sources.length === 0) return undefined
  const columns = sources.map(({ column, field }) => [schemeOf(field), `<${column.name}>`])
  const value = { 'source id': Object.fromEntries(columns) as Record<string, Value> }
  return chosen('key', value, 'an export of these records: each row finds its record again by the source id')
}

function schemeOf(field: ExportedField): string {
  return field.is === 'identifier' ? field.scheme : ''
}

/** The column that names the farm: the source ids of windrow have its scheme, else one of the account's farms has it. */
function holdingOf(
  { plural }: ResourceType,
  shown: readonly Shown[],
  sources: readonly Shown[],
  { farmSchemes = [] }: ExportedOptions,
): Choice | undefined {
  const identifiers = shown.filter(({ field, column }) => field.pointer === '/identifiers' && column.filled > 0)
  const schemes = [
    ...sources
      .map(({ field }) => schemeOf(field))
      .flatMap((each) => (each.endsWith(`.${plural}`) ? [each.slice(0, -plural.length - 1)] : [])),
    ...farmSchemes,
    ...(identifiers.length === 1 ? [schemeOf(identifiers[0]!.field)] : []),
  ]
  const scheme = schemes.find((each) => identifiers.some(({ field }) => schemeOf(field) === each))
  const found = identifiers.find(({ field }) => schemeOf(field) === scheme)
  if (scheme === undefined || found === undefined) return undefined
  const { column } = found
  return holdingChoice(column, 'the farm of each record', { scheme, id: `<${column.name}>` })
}

function fieldChoice(name: string, spec: Value, usable: readonly Shown[]): Choice {
  const columns = usable.filter(({ field }) => field.pointer.split('/')[1] === name).map(({ column }) => column.name)
  return chosen(`record.${name}`, spec, `from ${columns.join(', ')}`)
}

function treeOf(usable: readonly Shown[], options: ExportedOptions, notes: string[]): RecordTree {
  const tree: Branch = {}
  const counts = new Map<string, number>()
  for (const { column, field } of usable) {
    const { pointer } = field
    const spec = specOf(column, field, options)
    if (spec === undefined) notes.push(`<${column.name}> is left out: nothing shows whether day or month comes first.`)
    else if (field.is === 'identifier') {
      const count = counts.get(pointer) ?? 0
      counts.set(pointer, count + 1)
      putAt(tree, [...stepsOf(pointer), String(count)], { scheme: field.scheme, id: spec })
    } else if (field.is === 'longitude') {
      const latitude = usable.find((each) => each.field.is === 'latitude' && each.field.pointer === pointer)
      if (latitude !== undefined)
        putAt(tree, stepsOf(pointer), { type: 'Point', coordinates: [spec, `<${latitude.column.name}>`] })
    } else if (field.is !== 'latitude') putAt(tree, stepsOf(pointer), spec)
  }
  for (const name of Object.keys(tree)) {
    if (!hasGap(tree[name])) continue
    delete tree[name]
    notes.push(`The columns of "${name}" are left out, because those of its first entry are missing.`)
  }
  return tree as RecordTree
}

function specOf(column: ColumnProfile, field: ExportedField, options: ExportedOptions): Value {
  const { name } = column
  if (field.is === 'measure') return { from: name, unit: field.unit }
  if (field.is !== 'date-time') return `<${name}>`
  const zone = field.zone !== undefined && findZone(field.zone) !== undefined ? field.zone : options.zone
  const dates = pickDates(column, options.dates)
  if (undecidedDates(column, options.dates) !== undefined) return undefined
  // A spreadsheet program may have written the moments anew; those of an export need no pattern.
  const date = dates === undefined || dates.pattern.startsWith('yyyy-') ? {} : { date: dates.pattern }
  return zone === undefined && dates?.hasOffset !== false
    ? `<${name}>`
    : { from: name, ...date, ...(zone === undefined ? {} : { zone }) }
}

function stepsOf(pointer: string): readonly string[] {
  return pointer.slice(1).split('/')
}

/** True for a list that lacks an entry before another: the remaining entries would take its place. */
function hasGap(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false
  if (Array.isArray(value) && Object.keys(value).length < value.length) return true
  return Object.values(value).some(hasGap)
}
