/** Hides how a pipeline's mapping is prepared once and applied to every row. */

import { WindrowError } from '../core/error.ts'
import type { DecimalMark } from '../core/values/number-text.ts'
import type { Problem } from '../core/problem.ts'
import type { Place, Row, Value } from '../core/row.ts'
import type { Identifier, ResourceType } from '../resources/resource-type.ts'
import { fault, type Compilation, type MappingFault } from './compilation.ts'
import { compileLeaf, type Leaf } from './leaf.ts'
import type { Readings } from './readings.ts'
import { blank, complain, startRun, trialRun, type Measured, type Run, type Spot } from './run.ts'
import { compileTree, type Node, type RecordTree } from './tree.ts'

export type { MappingFault } from './compilation.ts'
export type { Measured } from './run.ts'
export type { RecordTree } from './tree.ts'

/** The key of a record: `<COLUMN>`, a leaf map, or several of them for a key in parts. */
export type KeySpec = Value

/**
 * What a pipeline says about columns and fields. `zone` is that of dates which name none; without `key` no source id is made.
 */
export type MappingSpec = {
  readonly type: ResourceType
  readonly holding: { readonly scheme: Value; readonly id: Value }
  readonly key?: KeySpec
  readonly record: RecordTree
  readonly rows?: 'one' | 'group'
  readonly decimal?: DecimalMark
  readonly zone?: string
  readonly sourceScheme?: string
}

/**
 * What one row says: `blank` are the pointers of mapped leaves whose cells hold nothing in this row, `numericIds` the columns
 * whose numbers became identifiers, `wordedBlanks` those that say NULL or the like. The record holds only what the pipeline maps.
 */
export type Mapped = {
  readonly at: Place
  readonly sourceId: string | undefined
  readonly holding: Identifier | undefined
  readonly record: Readonly<Record<string, unknown>>
  readonly blank: readonly string[]
  readonly numericIds: readonly string[]
  readonly wordedBlanks: readonly string[]
  readonly problems: readonly Problem[]
}

/** A mapping ready for use. `owned` are the record's fields that it maps: the top-level ones and the leaves, as JSON pointers. */
export type Mapping = {
  readonly type: ResourceType
  readonly rows: 'one' | 'group'
  readonly sourceScheme: string | undefined
  /** The holding of all rows, where no column says it. */
  readonly holding: Identifier | undefined
  readonly columns: readonly string[]
  readonly owned: readonly string[]
  /** `readings` counts on which cells the agreed readings and others fit. */
  apply(row: Row, measured?: Measured, readings?: Readings): Mapped
}

/** Everything that is wrong with a mapping, each at a pointer into `{ holding, key, record }`. */
export function checkMapping(spec: MappingSpec): readonly MappingFault[] {
  return compileParts(spec).faults
}

/** Prepares a mapping. Throws `pipeline-invalid` with all faults in `data.faults` where it cannot be used. */
export function compileMapping(spec: MappingSpec): Mapping {
  const { faults, columns, tree, readKey, holding: ofHolding } = compileParts(spec)
  const [first] = faults
  if (first !== undefined)
    throw new WindrowError('pipeline-invalid', `The mapping has a mistake at ${first.path}: ${first.message}`, {
      ...(first.hint === undefined ? {} : { hint: first.hint }),
      data: { faults },
    })
  const tops = tree.leaves.map((pointer) => /^\/[^/]*/.exec(pointer)?.[0] ?? pointer)
  return {
    type: spec.type,
    rows: spec.rows ?? 'one',
    sourceScheme: spec.sourceScheme,
    holding: ofHolding.constant,
    columns: [...columns],
    owned: [...new Set([...tops, ...tree.leaves])],
    apply(row, measured, readings) {
      const run = startRun(row, measured, readings)
      const sourceId = readKey(run)
      const holding = ofHolding.read(run)
      const record = tree.read(run) as Record<string, unknown>
      const { blank: blanks = none, numericIds = none, wordedBlanks = none, problems = none } = run
      return { at: row.at, sourceId, holding, record, blank: blanks, numericIds, wordedBlanks, problems }
    },
  }
}

const none: readonly never[] = []

type Parts = {
  readonly faults: readonly MappingFault[]
  readonly columns: ReadonlySet<string>
  readonly tree: Node
  readonly readKey: (run: Run) => string | undefined
  readonly holding: HoldingReader
}

function compileParts(spec: MappingSpec): Parts {
  const compilation: Compilation = { decimal: spec.decimal, zone: spec.zone, faults: [], columns: new Set() }
  const readKey = compileKey(spec.key, compilation)
  const holding = compileHolding(spec.holding, compilation)
  const inTree: Compilation = { ...compilation, faults: [] }
  const tree = compileTree(spec.record, spec.type.schema, inTree)
  const inRecord = inTree.faults.map((each) => ({ ...each, path: `/record${each.path}` }))
  return { faults: [...compilation.faults, ...inRecord], columns: compilation.columns, tree, readKey, holding }
}

function compileIdentity(spec: Value, path: string, compilation: Compilation): Leaf | undefined {
  // A number in the pipeline file is the text that stands there; the reader of the file has kept its zeros.
  const asText = typeof spec === 'number' ? String(spec) : spec
  return compileLeaf(asText, { path, field: '', wanted: { kind: 'text' }, identifying: true }, compilation)
}

function compileKey(spec: KeySpec | undefined, compilation: Compilation): (run: Run) => string | undefined {
  if (spec === undefined) return () => undefined
  const parts: readonly Value[] = Array.isArray(spec) ? (spec as readonly Value[]) : [spec]
  if (parts.length === 0) fault(compilation, '/key', 'The key names no column.', 'Write key: <COLUMN>')
  const several = Array.isArray(spec)
  const leaves = parts.map((part, index) => compileIdentity(part, several ? `/key/${index}` : '/key', compilation))
  const unmade = leaves.some((leaf) => leaf === undefined)
  if (!unmade && parts.length > 0 && !leaves.some((leaf) => leaf?.live === true))
    fault(
      compilation,
      '/key',
      'The key reads no column, so all rows would be one record.',
      `Name the column in angle brackets: <${typeof spec === 'string' ? spec : 'COLUMN'}>`,
    )
  const readers = leaves.flatMap((leaf) => (leaf === undefined ? [] : [leaf.read]))
  const column = [...compilation.columns].join(' + ')
  return (run) => joinKey(readers, several, run, column)
}

/** A key in parts is joined with "/", which is escaped inside the parts: "a/b" and "c" are not "a" and "b/c". */
function joinKey(readers: readonly Leaf['read'][], several: boolean, run: Run, column: string): string | undefined {
  let joined = ''
  for (let index = 0; index < readers.length; index++) {
    const troubles = run.problems?.length ?? 0
    const value = readers[index]?.(run)
    if (typeof value !== 'string') {
      if ((run.problems?.length ?? 0) > troubles) return undefined
      return complainOfNothing(run, 'key-missing', column)
    }
    const part = several ? value.replaceAll('%', '%25').replaceAll('/', '%2F') : value
    joined = index === 0 ? part : `${joined}/${part}`
  }
  return joined
}

function complainOfNothing(run: Run, code: 'key-missing' | 'holding-missing', column: string): undefined {
  const spot: Spot = { column, path: '' }
  return complain(run, spot, {
    code,
    message:
      code === 'key-missing'
        ? 'The row has no key, so it cannot be told from other records.'
        : 'The row does not say which holding it belongs to.',
    hint: `Fill in ${column === '' ? 'the column' : column} for this row.`,
  })
}

type HoldingReader = {
  readonly read: (run: Run) => Identifier | undefined
  readonly constant: Identifier | undefined
}

function compileHolding(spec: MappingSpec['holding'], compilation: Compilation): HoldingReader {
  const before = new Set(compilation.columns)
  const scheme = compileIdentity(spec.scheme, '/holding/scheme', compilation)
  const id = compileIdentity(spec.id, '/holding/id', compilation)
  if (scheme === undefined || id === undefined) return { read: () => undefined, constant: undefined }
  const column = [...compilation.columns].filter((name) => !before.has(name)).join(' + ')
  const read = (run: Run): Identifier | undefined => {
    const troubles = run.problems?.length ?? 0
    const made = { scheme: scheme.read(run), id: id.read(run) }
    if (isIdentifier(made)) return made
    return (run.problems?.length ?? 0) > troubles ? undefined : complainOfNothing(run, 'holding-missing', column)
  }
  if (scheme.live || id.live) return { read, constant: undefined }
  const constant = read(trialRun())
  if (constant === undefined) fault(compilation, '/holding', 'The holding needs a scheme and an id.')
  return { read: () => constant, constant }
}

function isIdentifier(made: { readonly scheme: unknown; readonly id: unknown }): made is Identifier {
  const filled = (value: unknown): boolean => typeof value === 'string' && value !== '' && value !== (blank as unknown)
  return filled(made.scheme) && filled(made.id)
}
