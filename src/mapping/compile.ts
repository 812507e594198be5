/** Compiles a pipeline's mapping once and applies it to every row. */

import { WindrowError } from '../core/error.ts'
import { asTextHint, isDayOrTime } from '../core/values/made-days.ts'
import type { DecimalMark } from '../core/values/number-text.ts'
import type { Problem } from '../core/problem.ts'
import type { Place, Row, Value } from '../core/row.ts'
import { exportedColumns } from '../resources/exported-columns.ts'
import { partsOfSourceId } from '../resources/keys.ts'
import type { Identifier, ResourceType } from '../resources/resource-type.ts'
import { pointerPart } from '../resources/wording.ts'
import { columnNamed } from './cell.ts'
import { fault, type Compilation, type MappingFault } from './compilation.ts'
import { compileLeaf, type Leaf } from './leaf.ts'
import type { Readings } from './readings.ts'
import {
  blank,
  addProblem,
  startRow,
  rowlessState,
  type Measured,
  type RowState,
  type CellAndField,
} from './row-state.ts'
import { compileTree, type RecordTree } from './tree.ts'

/**
 * How a pipeline maps columns to fields. `zone` is for dates without one, `dates` the pattern of those that have none of their own.
 * `key` is `<COLUMN>`, a leaf map, or several of them, of which `{ place: measured }` is where the boundary lies; for an export of the
 * service's records `{ source id: { SCHEME: <COLUMN> } }`, whose column has whole source ids. Without it records get no source id.
 */
export type MappingSpec = {
  readonly type: ResourceType
  readonly holding: { readonly scheme: Value; readonly id: Value }
  readonly key?: Value | undefined
  readonly record: RecordTree
  readonly rows?: 'one' | 'group'
  readonly decimal?: DecimalMark | undefined
  readonly zone?: string | undefined
  readonly dates?: string | undefined
  readonly sourceScheme?: string | undefined
}

/**
 * One row as a record, which contains only what the pipeline maps. `blank` are the pointers of mapped fields whose cells are
 * empty in this row, `numericIds` the columns whose numbers became identifiers, `wordedBlanks` the columns with NULL or the like.
 */
export type Mapped = {
  readonly at: Place
  readonly sourceId: string | undefined
  /** The source ids that the row has, where the file is an export of the service's records; the first is the record's own. */
  readonly sources?: readonly Identifier[] | undefined
  readonly holding: Identifier | undefined
  readonly record: Readonly<Record<string, unknown>>
  readonly blank: readonly string[]
  /** The entries of lists that the row leaves out. */
  readonly leftOut?: readonly string[] | undefined
  readonly numericIds: readonly string[]
  readonly wordedBlanks: readonly string[]
  /** Moments of an hour that the clock showed twice: the one that was taken, and the other. */
  readonly otherMoments?: ReadonlyMap<string, string> | undefined
  readonly problems: readonly Problem[]
}

export type Mapping = ReturnType<typeof compileMapping>

/** All faults of a mapping, each at a pointer into `{ holding, key, record }`. */
export function checkMapping(spec: MappingSpec): readonly MappingFault[] {
  return compileParts(spec).faults
}

/** Compiles a mapping. Throws `pipeline-invalid` with all faults in `data.faults` when it cannot be used. */
export function compileMapping(spec: MappingSpec) {
  const { faults, columns, measured, tree, readKey, holding: ofHolding } = compileParts(spec)
  const [first] = faults
  if (first !== undefined)
    throw new WindrowError('pipeline-invalid', `The mapping has a mistake at ${first.path}: ${first.message}`, {
      hint: first.hint,
      data: { faults },
    })
  const tops = tree.leaves.map((pointer) => /^\/[^/]*/.exec(pointer)?.[0] ?? pointer)
  return {
    type: spec.type,
    /** True when the file is an export of the service's records: a row finds its record by the source id. */
    isExport: sourceColumnsOf(spec.key) !== undefined,
    /** True when the last part of the key is where the boundary lies. */
    keyHasPlace: Array.isArray(spec.key) && isPlace((spec.key as readonly Value[]).at(-1)),
    /** The holding of all rows, where no column gives it. */
    holding: ofHolding.constant,
    columns: [...columns],
    /** The record's fields that it maps, top-level fields and leaves, as JSON pointers. */
    owned: [...new Set([...tops, ...tree.leaves])],
    /** The fields that are measured from the boundary, as JSON pointers. */
    measured,
    schemes: schemesIn(spec.record, tree.leaves),
    /** Reads only what names the record. */
    identify(row: Row): Pick<Mapped, 'sourceId' | 'holding'> {
      const state = startRow(row)
      return { sourceId: readKey(state).sourceId, holding: ofHolding.read(state) }
    },
    /** `readings` counts which cells fit the configured readings, and which fit others. */
    apply(row: Row, measured?: Measured, readings?: Readings): Mapped {
      const state = startRow(row, { measured, readings })
      const key = readKey(state)
      const holding = ofHolding.read(state)
      const record = tree.read(state) as Record<string, unknown>
      const { blank: blanks = none, numericIds = none, wordedBlanks = none, problems = none } = state
      const { leftOut, otherMoments } = state
      return {
        at: row.at,
        ...key,
        holding,
        record,
        blank: blanks,
        leftOut,
        numericIds,
        wordedBlanks,
        problems,
        otherMoments,
      }
    },
  }
}

const none: readonly never[] = []

/** The schemes of identifiers, by the JSON pointer of their list. */
function schemesIn(record: RecordTree, leaves: readonly string[]): ReadonlyMap<string, readonly unknown[]> {
  const schemes = new Map<string, unknown[]>()
  for (const leaf of leaves) {
    const list = /^(.+)\/\d+\/scheme$/.exec(leaf)?.[1]
    if (list === undefined) continue
    const steps = leaf.slice(1).split('/')
    const scheme = steps.reduce<unknown>((node, step) => (node as RecordTree | undefined)?.[step], record)
    schemes.set(list, [...(schemes.get(list) ?? []), scheme])
  }
  return schemes
}

function compileParts(spec: MappingSpec) {
  const compilation: Compilation = {
    decimal: spec.decimal,
    zone: spec.zone,
    dates: spec.dates,
    faults: [],
    columns: new Set(),
    measured: new Set(),
  }
  const readKey = compileKey(spec, compilation)
  const holding = compileHolding(spec.holding, compilation)
  const tree = compileTree(spec.record, spec.type.schema, compilation)
  return { ...compilation, tree, readKey, holding }
}

function compileIdentity(spec: Value, path: string, compilation: Compilation): Leaf | undefined {
  // A number in the pipeline file is meant as text; the reader of the file has kept its zeros.
  const asText = typeof spec === 'number' ? String(spec) : spec
  return compileLeaf(asText, { compilation, path, field: '', wanted: { kind: 'text' }, identifying: true })
}

type KeyReader = (state: RowState) => Pick<Mapped, 'sourceId' | 'sources'>

function compileKey({ key: spec, type }: MappingSpec, compilation: Compilation): KeyReader {
  if (spec === undefined) return () => ({ sourceId: undefined })
  const columns = sourceColumnsOf(spec)
  if (columns !== undefined) return compileSourceIds(columns, compilation)
  const named = typeof spec === 'string' ? columnNamed(spec) : undefined
  const field = named === undefined ? undefined : exportedColumns(type, [named]).get(named)
  if (field?.is === 'identifier' && field.pointer === sourceIdPointer)
    fault(
      { compilation, path: '/key' },
      `<${named}> contains the service's source ids: as the key it would publish every record a second time.`,
      `To update the records that have these ids:  key: { source id: { ${field.scheme}: "<${named}>" } }`,
    )
  const parts: readonly Value[] = Array.isArray(spec) ? (spec as readonly Value[]) : [spec]
  if (parts.length === 0) fault({ compilation, path: '/key' }, 'The key names no column.', 'Write key: <COLUMN>')
  const several = Array.isArray(spec)
  const leaves = parts.map((part, index) =>
    several && isPlace(part) && index === parts.length - 1
      ? placeLeaf
      : compileIdentity(part, several ? `/key/${index}` : '/key', compilation),
  )
  const unmade = leaves.some((leaf) => leaf === undefined)
  if (!unmade && parts.length > 0 && !leaves.some((leaf) => leaf?.live === true))
    fault(
      { compilation, path: '/key' },
      'The key reads no column, so all rows would become one record.',
      `Name the column in angle brackets: <${typeof spec === 'string' ? spec : 'COLUMN'}>`,
    )
  const readers = leaves.flatMap((leaf) => (leaf === undefined ? [] : [leaf.read]))
  const column = [...compilation.columns].join(' + ')
  const namedParts = parts.map((part) => (typeof part === 'string' ? columnNamed(part) : undefined) ?? column)
  return (state) => ({ sourceId: joinKey(readers, several, state, namedParts) })
}

function isPlace(part: Value): boolean {
  return typeof part === 'object' && part !== null && 'place' in part && part['place'] === 'measured'
}

/** Latitude and longitude of the centroid, which moves only a little when a boundary is redrawn. */
const placeLeaf: Leaf = {
  live: false,
  read(state) {
    const [lon, lat] = state.measured?.centroid ?? []
    if (lon !== undefined && lat !== undefined) return `${lat.toFixed(5)},${lon.toFixed(5)}`
    return addProblem(
      state,
      { column: '', path: '' },
      {
        code: 'key-missing',
        message: 'The row has no boundary, and the key contains where the boundary lies.',
        hint: 'Give the row a boundary, or choose a column with ids as the key.',
      },
    )
  },
}

/** Where an export shows the source ids of a record. */
export const sourceIdPointer = '/meta/sourceId'

/** The columns of `{ source id: { SCHEME: <COLUMN> } }`; undefined for any other key. */
function sourceColumnsOf(key: Value | undefined): Readonly<Record<string, Value>> | undefined {
  if (typeof key !== 'object' || key === null || !('source id' in key)) return undefined
  const columns = key['source id']
  return typeof columns === 'object' && columns !== null ? (columns as Readonly<Record<string, Value>>) : {}
}

function compileSourceIds(columns: Readonly<Record<string, Value>>, compilation: Compilation): KeyReader {
  const leaves = Object.entries(columns).map(([scheme, spec]) => ({
    scheme,
    leaf: compileIdentity(spec, `/key/source id/${pointerPart(scheme)}`, compilation),
  }))
  if (!leaves.some(({ leaf }) => leaf?.live === true))
    fault({ compilation, path: '/key' }, 'The key names no column.', 'Write  key: { source id: { SCHEME: <COLUMN> } }')
  const column = [...compilation.columns].join(' + ')
  return (state) => {
    const sources = leaves.flatMap(({ scheme, leaf }) => {
      const id = leaf?.read(state)
      return typeof id === 'string' && id !== '' ? [{ scheme, id }] : []
    })
    const [first] = sources
    if (first === undefined)
      return {
        sourceId: addMissing(state, 'key-missing', column, 'for a new record write FARM/ID there, such as 00412876/31'),
      }
    return { sourceId: partsOfSourceId(first.id)?.own ?? first.id, sources }
  }
}

/** Joins the parts of a key with "/", which is escaped inside the parts: "a/b" and "c" differ from "a" and "b/c". */
function joinKey(readers: readonly Leaf['read'][], several: boolean, state: RowState, columns: readonly string[]) {
  let joined = ''
  for (let index = 0; index < readers.length; index++) {
    const column = columns[index] ?? ''
    const problemsBefore = state.problems?.length ?? 0
    const value = readers[index]?.(state)
    if (typeof value !== 'string') {
      if ((state.problems?.length ?? 0) > problemsBefore) return undefined
      return addMissing(state, 'key-missing', column)
    }
    // Of a key in parts, one may well be a day.
    if (!several && isDayOrTime(value)) {
      const message =
        'The cell contains a day or a time where an id is expected. A spreadsheet program may have made it of a text such as 1-3 or 5 A.'
      return addProblem(state, { column, path: '' }, { code: 'date-as-id', value, message, hint: asTextHint })
    }
    const part = several ? value.replaceAll('%', '%25').replaceAll('/', '%2F') : value
    joined = index === 0 ? part : `${joined}/${part}`
  }
  return joined
}

function addMissing(state: RowState, code: 'key-missing' | 'holding-missing', column: string, more?: string) {
  const spot: CellAndField = { column, path: '' }
  return addProblem(state, spot, {
    code,
    message:
      code === 'key-missing'
        ? 'The row has no key, so it cannot be recognised next time.'
        : 'The row does not name the holding that it belongs to.',
    hint: `Fill in ${column === '' ? 'the column' : column} for this row${more === undefined ? '' : `; ${more}`}.`,
  })
}

function compileHolding(spec: MappingSpec['holding'], compilation: Compilation) {
  const before = new Set(compilation.columns)
  const scheme = compileIdentity(spec.scheme, '/holding/scheme', compilation)
  const id = compileIdentity(spec.id, '/holding/id', compilation)
  if (scheme === undefined || id === undefined) return { read: () => undefined, constant: undefined }
  const column = [...compilation.columns].filter((name) => !before.has(name)).join(' + ')
  const read = (state: RowState): Identifier | undefined => {
    const problemsBefore = state.problems?.length ?? 0
    const made = { scheme: scheme.read(state), id: id.read(state) }
    if (isIdentifier(made)) return made
    return (state.problems?.length ?? 0) > problemsBefore ? undefined : addMissing(state, 'holding-missing', column)
  }
  if (scheme.live || id.live) return { read, constant: undefined }
  const constant = read(rowlessState())
  if (constant === undefined) fault({ compilation, path: '/holding' }, 'The holding needs a scheme and an id.')
  return { read: () => constant, constant }
}

function isIdentifier(made: { readonly scheme: unknown; readonly id: unknown }): made is Identifier {
  const filled = (value: unknown): boolean => typeof value === 'string' && value !== '' && value !== (blank as unknown)
  return filled(made.scheme) && filled(made.id)
}
