/** Hides how the record tree of a pipeline becomes a function that builds a record: the shape of the one is the shape of the other. */

import type { JSONSchema } from 'json-schema-to-ts'
import { objectMaker } from '../core/values/object-maker.ts'
import type { Value } from '../core/row.ts'
import { nearest } from '../resources/nearest.ts'
import { columnNamed } from './cell.ts'
import { pointerPart } from '../resources/wording.ts'
import { fault, faultOfName, type Compilation } from './compilation.ts'
import { isLeafMap } from './leaf-map.ts'
import { compileLeaf } from './leaf.ts'
import { blank, type Reader } from './run.ts'
import { spokenWanted, wantedBy, type Members, type Wanted } from './target.ts'

/** What a pipeline says of a record: text, numbers, lists and maps, as they stand in the file. */
export type RecordTree = { readonly [field: string]: Value }

/** A compiled piece of the tree; `live` when it reads cells, `leaves` are the pointers of what it maps. */
export type Node = { readonly read: Reader; readonly live: boolean; readonly leaves: readonly string[] }

type Standing = {
  readonly path: string
  readonly field: string
  readonly wanted: Wanted
  readonly identifying: boolean
}

/** Fields of every record that windrow or the service fills in; each with the way to say it. */
const ownFields: Readonly<Record<string, string>> = {
  dataPointKey: 'windrow makes it of the holding and the key.',
  resourceType: 'windrow writes it from the word after "import".',
  spatialFeature: 'It is the geometry of the file.',
  id: 'The service gives it; the id of your own system is the key.',
  self: 'The service gives it.',
}

/** Compiles the whole tree. Faults go to the compilation; the node works only when there are none. */
export function compileTree(tree: RecordTree, schema: JSONSchema, compilation: Compilation): Node {
  const wanted = wantedBy(schema)
  const members = wanted.kind === 'object' ? wanted.members : { byName: {}, required: [] }
  for (const [name, reason] of Object.entries(ownFields))
    if (Object.hasOwn(tree, name)) fault(compilation, `/${name}`, `"${name}" is not for a pipeline to say.`, reason)
  const meta = tree['meta']
  if (typeof meta === 'object' && meta !== null && Object.hasOwn(meta, 'sourceId'))
    fault(compilation, '/meta/sourceId', '"meta.sourceId" is not for a pipeline to say.', 'It is the key.')
  const open = Object.fromEntries(Object.entries(tree).filter(([name]) => !Object.hasOwn(ownFields, name)))
  return compileMembers(open, members, { path: '', field: '', root: true }, compilation)
}

function compileNode(spec: Value, at: Standing, compilation: Compilation): Node | undefined {
  if (spec === 'measured' && at.wanted.kind === 'measure') return compileMeasured(at, compilation)
  if (Array.isArray(spec)) return compileList(spec as readonly Value[], at, compilation)
  if (typeof spec === 'object' && spec !== null && !isLeafMap(spec))
    return compileObject(spec as RecordTree, at, compilation)
  const { wanted } = at
  if (typeof spec !== 'object' && !(typeof spec === 'string' && columnNamed(spec) !== undefined)) {
    if (wanted.kind === 'list' || wanted.kind === 'object')
      return fault(
        compilation,
        at.path,
        `This field takes ${spokenWanted(wanted)}, not one text.`,
        wanted.kind === 'list' ? 'Write it as a list, in brackets: [ … ]' : 'Write its fields: { … }',
      )
  }
  const leaf = compileLeaf(spec, at, compilation)
  if (leaf === undefined) return undefined
  const { read } = leaf
  if (!leaf.live) return { read, live: false, leaves: [at.field] }
  return {
    live: true,
    leaves: [at.field],
    read(run) {
      const value = read(run)
      if (value === undefined) return undefined
      if (value === blank) {
        run.blank ??= []
        run.blank.push(at.field)
        return undefined
      }
      run.filled++
      return value
    },
  }
}

/** Two decimals of a square metre are a hand's breadth; more would only make every run differ in the last figures. */
function compileMeasured(at: Standing, compilation: Compilation): Node | undefined {
  const kind = at.wanted.kind === 'measure' ? at.wanted.of : undefined
  if (kind !== 'area' && kind !== 'length')
    return fault(compilation, at.path, 'Only areas and lengths can be measured from the geometry.')
  const read: Reader = (run) => {
    if (run.measured === undefined) return undefined
    run.filled++
    return kind === 'area'
      ? { measurement: hundredths(run.measured.areaM2), units: 'MTK' }
      : { measurement: hundredths(run.measured.perimeterM), units: 'MTR' }
  }
  return { read, live: true, leaves: [at.field] }
}

function hundredths(number: number): number {
  return Math.round(number * 100) / 100
}

function compileList(specs: readonly Value[], at: Standing, compilation: Compilation): Node | undefined {
  const { wanted } = at
  if (wanted.kind !== 'list' && wanted.kind !== 'any')
    return fault(
      compilation,
      at.path,
      `This field takes ${spokenWanted(wanted)}, not a list.`,
      'Take away the brackets or the dash.',
    )
  const of: Wanted = wanted.kind === 'list' ? wanted.of : { kind: 'any' }
  const nodes = specs.flatMap((spec, index) => {
    const node = compileNode(
      spec,
      { path: `${at.path}/${index}`, field: `${at.field}/${index}`, wanted: of, identifying: false },
      compilation,
    )
    return node === undefined ? [] : [node]
  })
  const readers = nodes.map(({ read }) => read)
  return {
    live: nodes.some(({ live }) => live),
    leaves: nodes.flatMap(({ leaves }) => leaves),
    read(run) {
      let entries: unknown[] | undefined
      for (const read of readers) {
        const entry = read(run)
        if (entry === undefined) continue
        entries ??= []
        entries.push(entry)
      }
      return entries
    },
  }
}

function compileObject(spec: RecordTree, at: Standing, compilation: Compilation): Node | undefined {
  const { wanted } = at
  if (wanted.kind === 'object' || wanted.kind === 'measure')
    return compileMembers(spec, wanted.members, { ...at, root: false }, compilation)
  if (wanted.kind === 'any')
    return compileMembers(spec, { byName: {}, required: [] }, { ...at, root: false, open: true }, compilation)
  const names = Object.keys(spec)
  const near = nearest(names[0] ?? '', ['from', 'first', 'text'])
  return fault(
    compilation,
    at.path,
    `This field takes ${spokenWanted(wanted)}, not fields of its own (${names.slice(0, 3).join(', ')}).`,
    near === undefined || wanted.kind === 'list' ? listHint(wanted) : `"${names[0]}": did you mean ${near}?`,
  )
}

function listHint(wanted: Wanted): string {
  return wanted.kind === 'list'
    ? 'Write it as a list, in brackets: [{ … }]'
    : 'Name the column after "from": { from: COLUMN }'
}

type Holder = { readonly path: string; readonly field: string; readonly root: boolean; readonly open?: boolean }

function compileMembers(spec: RecordTree, members: Members, at: Holder, compilation: Compilation): Node {
  const compiled: (readonly [string, Node])[] = []
  for (const [name, value] of Object.entries(spec)) {
    const path = `${at.path}/${pointerPart(name)}`
    const schema = Object.hasOwn(members.byName, name) ? members.byName[name] : undefined
    if (name === '__proto__') fault(compilation, path, '"__proto__" cannot be a field.')
    else if (schema === undefined && at.open !== true) faultUnknown(name, path, members, compilation)
    else {
      const identifying = name === 'id' && Object.hasOwn(members.byName, 'scheme')
      const field = `${at.field}/${pointerPart(name)}`
      const node = compileNode(value, { path, field, wanted: wantedBy(schema ?? true), identifying }, compilation)
      if (node !== undefined) compiled.push([name, node])
    }
  }
  // What is required of the whole record is windrow's own to fill in.
  if (!at.root) {
    const missing = members.required.filter(
      (name) => !Object.hasOwn(spec, name) && name !== 'sourceId' && name !== 'modified',
    )
    if (missing.length > 0) fault(compilation, at.path, `Here ${missing.join(' and ')} must be said too.`)
  }
  return membersNode(compiled, at.root)
}

function faultUnknown(name: string, path: string, members: Members, compilation: Compilation): undefined {
  const known = Object.keys(members.byName).filter((each) => !Object.hasOwn(ownFields, each))
  const near = nearest(name, known)
  const list = `Fields here: ${known.join(', ')}.`
  return faultOfName(compilation, path, {
    message: `The record has no field "${name}"${near === undefined ? '.' : `: did you mean ${near}?`}`,
    hint: Object.hasOwn(members.byName, 'additionalProperties')
      ? `Fields of your own go under additionalProperties: { ${name}: … }. ${list}`
      : list,
  })
}

function membersNode(compiled: readonly (readonly [string, Node])[], root: boolean): Node {
  const names = compiled.map(([name]) => name)
  const readers = compiled.map(([, node]) => node.read)
  const live = compiled.some(([, node]) => node.live)
  const make = objectMaker(names)
  return {
    live,
    leaves: compiled.flatMap(([, node]) => node.leaves),
    read(run) {
      const before = run.filled
      // Of its length from the start: a list that grows takes room for 16 with its first entry.
      const values = Array<unknown>(readers.length)
      let count = 0
      for (let index = 0; index < readers.length; index += 1) {
        const value = readers[index]!(run)
        values[index] = value
        if (value !== undefined) count += 1
      }
      // Constants alone, such as the scheme of an id that is blank, are no entry.
      const isEntry = root || (count > 0 && (!live || run.filled > before))
      if (!isEntry) return undefined
      return count === names.length ? make(values) : presentOf(names, values)
    },
  }
}

function presentOf(names: readonly string[], values: readonly unknown[]): Record<string, unknown> {
  const present: Record<string, unknown> = {}
  for (const [index, name] of names.entries()) if (values[index] !== undefined) present[name] = values[index]
  return present
}
