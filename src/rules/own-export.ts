/** Decides the mapping of an export of the service's records: each column goes back to its field, each row to its record. */

import type { ColumnProfile } from '../core/profile/profile-table.ts'
import { chosen, type Choice, type Value } from '../core/row.ts'
import { exportedColumns, type ExportedField } from '../resources/exported-columns.ts'
import { publishedTypes } from '../resources/index.ts'
import type { ResourceType } from '../resources/resource-type.ts'
import type { Decider } from '../core/rule.ts'
import { sourceIdPointer } from '../mapping/compile.ts'
import { ownFields, putAt, type Branch, type RecordTree } from '../mapping/tree.ts'
import { findZone } from '../mapping/zones.ts'
import { pickDates, undecidedDates } from './dates.ts'
import { filledOf, type ColumnsRead } from './field-columns.ts'

/** A column and the field that it shows. */
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

/**
 * What the columns of an export are. `given` are those that only the service fills in, `unread` those that no export has;
 * `unclear` have dates of which nothing shows the order, and of the lists in `gaps` the first entry is missing.
 */
export type OwnExport = {
  readonly sources: readonly Shown[]
  readonly holding: Shown | undefined
  readonly usable: readonly Shown[]
  readonly record: RecordTree
  /** The column of the records that were deleted, and the values of those that were not. */
  readonly kept: { readonly column: string; readonly values: readonly string[] } | undefined
  readonly given: readonly string[]
  readonly unclear: readonly string[]
  readonly gaps: readonly string[]
  readonly unread: readonly string[]
}

export const ownExport: Decider<ColumnsRead, OwnExport> = {
  id: 'own-export',
  about: 'file',
  decides: 'record',
  why: 'An export of windrow has a column of source ids. Its columns go back to the fields that they came from, and each row finds its record again by the source id. What only the service fills in is left alone, and rows of deleted records are skipped: an import would publish them again.',
  find(facts) {
    const { type, profile } = facts
    const names = profile.columns.map(({ name }) => name)
    const known = knownColumns(type, names)
    const shown = profile.columns.flatMap((column): Shown[] => {
      const field = known.get(column.name)
      return field === undefined ? [] : [{ column, field }]
    })
    const sources = shown.filter(({ column, field }) => field.pointer === sourceIdPointer && column.filled > 0)
    const [key] = sources
    if (key === undefined) return undefined
    const usable = shown.filter(({ field }) => !isGiven(field))
    return {
      sources,
      holding: holdingOf(type, shown, { sources, facts }),
      usable,
      ...treeOf(usable, facts),
      kept: withoutDeleted(shown),
      given: shown
        .filter(({ field, column }) => isGiven(field) && column !== key.column)
        .map(({ column }) => column.name),
      unread: names.filter((name) => !known.has(name)),
    }
  },
  says({ sources, holding, usable, record, kept }) {
    const ids = sources.map(({ column, field }) => [schemeOf(field), `<${column.name}>`])
    const value = { 'source id': Object.fromEntries(ids) as Record<string, Value> }
    return [
      ...(holding === undefined
        ? []
        : [
            farmChoice(holding.column, 'the farm of each record', {
              scheme: schemeOf(holding.field),
              id: `<${holding.column.name}>`,
            }),
          ]),
      chosen('key', value, 'an export of these records: each row finds its record again by the source id'),
      ...Object.entries(record).map(([name, spec]) => {
        const columns = usable.filter(({ field }) => field.pointer.split('/')[1] === name)
        return chosen(`record.${name}`, spec, `from ${columns.map(({ column }) => column.name).join(', ')}`)
      }),
      ...(kept === undefined
        ? []
        : [
            chosen(
              'only',
              { [kept.column]: kept.values },
              'other rows: deleted records: an import does not publish them again, and deletes none',
            ),
          ]),
    ]
  },
}

/** The column that says of which farm each record is; `why` begins the evidence. */
export function farmChoice(column: ColumnProfile, why: string, value: Value = `<${column.name}>`): Choice {
  const farms = column.distinct === 1 ? 'one farm' : `${column.distinct} farms`
  const evidence = `${why}; ${filledOf(column)}, ${farms}`
  return { setting: 'holding', value, evidence, others: [], certainty: column.blank === 0 ? 'sure' : 'check' }
}

/** The lists of an export that lost its source ids, such as <Crop 1 name>: no other file has such columns. */
export function listsOfExport(type: ResourceType, names: readonly string[]): readonly string[] {
  return [...exportedColumns(type, names)]
    .filter(([, field]) => /^\/[^/]+\/\d+\//.test(field.pointer) && !isGiven(field))
    .map(([name]) => name)
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

/** Programs write "true" in their own language. */
const isTrue = /^(?:true|t|1|yes|y|wahr|ja|vrai|oui|vero|verdadero|waar)$/i

function withoutDeleted(shown: readonly Shown[]): OwnExport['kept'] {
  const found = shown.find(({ field }) => field.pointer === '/meta/isDeleted')?.column
  const kept = found?.few?.filter((each) => !isTrue.test(each))
  return found === undefined || kept === undefined || kept.length === found.few!.length
    ? undefined
    : { column: found.name, values: [...new Set([...kept, 'false', ''])] }
}

/** The service fills these in. Links are among them: an export shows the service's own together with others. */
function isGiven({ pointer }: ExportedField): boolean {
  const top = pointer.split('/')[1]!
  return top === 'links' || top === 'meta' || Object.hasOwn(ownFields, top)
}

function schemeOf(field: ExportedField): string {
  return field.is === 'identifier' ? field.scheme : ''
}

/** The column that names the farm: the source ids of windrow have its scheme, else one of the account's farms has it. */
function holdingOf(
  { plural }: ResourceType,
  shown: readonly Shown[],
  { sources, facts: { farmSchemes = [] } }: { readonly sources: readonly Shown[]; readonly facts: ColumnsRead },
): Shown | undefined {
  const identifiers = shown.filter(({ field, column }) => field.pointer === '/identifiers' && column.filled > 0)
  const schemes = [
    ...sources
      .map(({ field }) => schemeOf(field))
      .flatMap((each) => (each.endsWith(`.${plural}`) ? [each.slice(0, -plural.length - 1)] : [])),
    ...farmSchemes,
    ...(identifiers.length === 1 ? [schemeOf(identifiers[0]!.field)] : []),
  ]
  const scheme = schemes.find((each) => identifiers.some(({ field }) => schemeOf(field) === each))
  return scheme === undefined ? undefined : identifiers.find(({ field }) => schemeOf(field) === scheme)
}

/** The record, and the columns in which nothing shows whether day or month comes first. */
function treeOf(usable: readonly Shown[], facts: ColumnsRead): Pick<OwnExport, 'record' | 'unclear' | 'gaps'> {
  const tree: Branch = {}
  const counts = new Map<string, number>()
  const unclear: string[] = []
  for (const { column, field } of usable) {
    const steps = field.pointer.slice(1).split('/')
    const spec = specOf(column, field, facts)
    if (spec === undefined) unclear.push(column.name)
    else if (field.is === 'identifier') {
      const count = counts.get(field.pointer) ?? 0
      counts.set(field.pointer, count + 1)
      putAt(tree, [...steps, String(count)], { scheme: field.scheme, id: spec })
    } else if (field.is === 'longitude') {
      const latitude = usable.find((each) => each.field.is === 'latitude' && each.field.pointer === field.pointer)
      if (latitude !== undefined)
        putAt(tree, steps, { type: 'Point', coordinates: [spec, `<${latitude.column.name}>`] })
    } else if (field.is !== 'latitude') putAt(tree, steps, spec)
  }
  const gaps = Object.keys(tree).filter((name) => hasGap(tree[name]))
  for (const name of gaps) delete tree[name]
  return { record: tree as RecordTree, unclear, gaps }
}

function specOf(column: ColumnProfile, field: ExportedField, options: ColumnsRead): Value {
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

/** True for a list that lacks an entry before another: the remaining entries would take its place. */
function hasGap(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false
  if (Array.isArray(value) && Object.keys(value).length < value.length) return true
  return Object.values(value).some(hasGap)
}
