/** Compiles the record tree of a pipeline to a function that builds a record of the same shape. */

import type { JsonSchema } from '../core/object-schema.ts'
import { measuredAs, type UnitKind } from '../resources/units.ts'
import { objectMaker } from '../core/values/object-maker.ts'
import type { Value } from '../core/row.ts'
import { nearest } from '../core/values/nearest.ts'
import { columnNamed } from './cell.ts'
import { pointerPart } from '../resources/wording.ts'
import { fault, inside, type Compilation, type FaultPlace, type NodePlace } from './compilation.ts'
import { isLeafMap } from './leaf-map.ts'
import { compileLeaf } from './leaf.ts'
import { blank, type Reader } from './row-state.ts'
import { spokenWanted, wantedBy, type Members, type Wanted } from './target.ts'

/** The record of a pipeline: text, numbers, lists and maps, as in the file. */
export type RecordTree = { readonly [field: string]: Value }

/** A record tree that is being built. */
export type Branch = { [name: string]: unknown }

/** Puts a spec into the tree; missing lists and maps on the way are made. */
export function putAt(tree: Branch, steps: readonly string[], spec: unknown): void {
  let branch = tree
  for (const [index, step] of steps.entries()) {
    const next = steps[index + 1]
    if (next === undefined) branch[step] = spec
    else branch = (branch[step] ??= /^\d+$/.test(next) ? [] : {}) as Branch
  }
}

/** A compiled piece of the tree; `live` when it reads cells, `leaves` are the pointers of what it maps. */
export type Node = { readonly read: Reader; readonly live: boolean; readonly leaves: readonly string[] }

/** Fields that windrow or the service fills in, each with the reason. */
export const ownFields: Readonly<Record<string, string>> = {
  dataPointKey: 'windrow makes it from the holding and the key.',
  resourceType: 'windrow takes it from the word after "import".',
  spatialFeature: 'It is the geometry of the file.',
  id: 'The service assigns it; the id of your own system is the key.',
  self: 'The service assigns it.',
}

/** Compiles the whole tree. Adds faults to the compilation; the node works only when there are none. */
export function compileTree(tree: RecordTree, schema: JsonSchema, compilation: Compilation): Node {
  const wanted = wantedBy(schema)
  const at: Holder = { compilation, path: '/record', field: '' }
  for (const [name, reason] of Object.entries(ownFields))
    if (Object.hasOwn(tree, name)) fault(inside(at, name), `A pipeline cannot set "${name}".`, reason)
  const meta = tree['meta']
  if (typeof meta === 'object' && meta !== null && Object.hasOwn(meta, 'sourceId'))
    fault(inside(at, 'meta/sourceId'), 'A pipeline cannot set "meta.sourceId".', 'It is the key.')
  const settable = Object.fromEntries(Object.entries(tree).filter(([name]) => !Object.hasOwn(ownFields, name)))
  return compileMembers(settable, wanted.kind === 'object' ? wanted.members : undefined, at)
}

function compileNode(spec: Value, at: NodePlace): Node | undefined {
  if (spec === 'measured' && at.wanted.kind === 'measure') return compileMeasured(at, at.wanted.of)
  if (Array.isArray(spec)) return compileList(spec as readonly Value[], at)
  if (typeof spec === 'object' && spec !== null && !isLeafMap(spec)) return compileObject(spec as RecordTree, at)
  const { wanted } = at
  if (typeof spec !== 'object' && !(typeof spec === 'string' && columnNamed(spec) !== undefined)) {
    if (wanted.kind === 'list' || wanted.kind === 'object')
      return fault(
        at,
        `This field takes ${spokenWanted(wanted)}, not one text.`,
        wanted.kind === 'list' ? 'Write it as a list, in brackets: [ … ]' : 'Write its fields: { … }',
      )
  }
  const leaf = compileLeaf(spec, at)
  if (leaf === undefined) return undefined
  const { read } = leaf
  if (!leaf.live) return { read, live: false, leaves: [at.field] }
  return {
    live: true,
    leaves: [at.field],
    read(state) {
      const value = read(state)
      if (value === undefined) return undefined
      if (value === blank) {
        state.blank ??= []
        state.blank.push(at.field)
        return undefined
      }
      state.filled++
      return value
    },
  }
}

function compileMeasured(at: NodePlace, kind: UnitKind | undefined): Node | undefined {
  if (kind !== 'area' && kind !== 'length')
    return fault(at, 'Only areas and lengths can be measured from the geometry.')
  at.compilation.measured.add(at.field)
  const read: Reader = (state) => {
    if (state.measured === undefined) return undefined
    state.filled++
    const { areaM2, perimeterM } = state.measured
    return kind === 'area' ? measuredAs(areaM2, 'MTK') : measuredAs(perimeterM, 'MTR')
  }
  return { read, live: true, leaves: [at.field] }
}

function compileList(specs: readonly Value[], at: NodePlace): Node | undefined {
  const { wanted } = at
  if (wanted.kind !== 'list' && wanted.kind !== 'any')
    return fault(at, `This field takes ${spokenWanted(wanted)}, not a list.`, 'Remove the brackets or the dash.')
  const of: Wanted = wanted.kind === 'list' ? wanted.of : { kind: 'any' }
  const nodes = specs.flatMap((spec, index) => {
    const node = compileNode(spec, {
      ...inside(at, index),
      field: `${at.field}/${index}`,
      wanted: of,
      identifying: false,
    })
    return node === undefined ? [] : [node]
  })
  const readers = nodes.map(({ read }, index) => [read, `${at.field}/${index}`] as const)
  return {
    live: nodes.some(({ live }) => live),
    leaves: nodes.flatMap(({ leaves }) => leaves),
    read(state) {
      let entries: unknown[] | undefined
      for (const [read, pointer] of readers) {
        const entry = read(state)
        if (entry === undefined) {
          state.leftOut ??= []
          state.leftOut.push(pointer)
          continue
        }
        entries ??= []
        entries.push(entry)
      }
      return entries
    },
  }
}

function compileObject(spec: RecordTree, at: NodePlace): Node | undefined {
  const { wanted } = at
  if (wanted.kind === 'object' || wanted.kind === 'measure') return compileMembers(spec, wanted.members, at)
  if (wanted.kind === 'any') return compileMembers(spec, undefined, at)
  const names = Object.keys(spec)
  const near = nearest(names[0] ?? '', ['from', 'first', 'text'])
  return fault(
    at,
    `This field takes ${spokenWanted(wanted)}, not several fields (${names.slice(0, 3).join(', ')}).`,
    wanted.kind === 'list'
      ? 'Write it as a list, in brackets: [{ … }]'
      : near === undefined
        ? 'Write the column after "from": { from: COLUMN }'
        : `"${names[0]}": did you mean ${near}?`,
  )
}

type Holder = Pick<NodePlace, 'compilation' | 'path' | 'field'>

/** Compiles the members of an object; without `members` it may have any. */
function compileMembers(spec: RecordTree, members: Members | undefined, at: Holder): Node {
  const { byName, required }: Members = members ?? { byName: {}, required: [] }
  const isRecord = at.field === ''
  const compiled: (readonly [string, Node])[] = []
  for (const [name, value] of Object.entries(spec)) {
    const inner = { compilation: at.compilation, path: `${at.path}/${pointerPart(name)}` }
    const schema = Object.hasOwn(byName, name) ? byName[name] : undefined
    if (name === '__proto__') fault(inner, '"__proto__" cannot be a field.')
    else if (schema === undefined && members !== undefined) faultUnknown(name, inner, byName)
    else {
      const identifying = name === 'id' && Object.hasOwn(byName, 'scheme')
      const field = `${at.field}/${pointerPart(name)}`
      const node = compileNode(value, { ...inner, field, wanted: wantedBy(schema ?? true), identifying })
      if (node !== undefined) compiled.push([name, node])
    }
  }
  // windrow itself fills in the required members of the whole record.
  if (!isRecord) {
    const missing = required.filter((name) => !Object.hasOwn(spec, name) && name !== 'sourceId' && name !== 'modified')
    if (missing.length > 0) fault(at, `${missing.join(' and ')} ${missing.length === 1 ? 'is' : 'are'} missing here.`)
  }
  return membersNode(compiled, isRecord)
}

function faultUnknown(name: string, at: FaultPlace, byName: Members['byName']): undefined {
  const known = Object.keys(byName).filter((each) => !Object.hasOwn(ownFields, each))
  const near = nearest(name, known)
  const list = `Fields here: ${known.join(', ')}.`
  return fault(
    at,
    `The record has no field "${name}"${near === undefined ? '.' : `: did you mean ${near}?`}`,
    Object.hasOwn(byName, 'additionalProperties')
      ? `Put your own fields under additionalProperties: { ${name}: … }. ${list}`
      : list,
    'name',
  )
}

function membersNode(compiled: readonly (readonly [string, Node])[], isRecord: boolean): Node {
  const names = compiled.map(([name]) => name)
  const readers = compiled.map(([, node]) => node.read)
  const live = compiled.some(([, node]) => node.live)
  const make = objectMaker(names)
  return {
    live,
    leaves: compiled.flatMap(([, node]) => node.leaves),
    read(state) {
      const before = state.filled
      const values: unknown[] = []
      let count = 0
      for (const read of readers) {
        const value = read(state)
        values.push(value)
        if (value !== undefined) count += 1
      }
      // Constants alone, such as the scheme of a blank id, do not make an entry.
      const isEntry = isRecord || (count > 0 && (!live || state.filled > before))
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
