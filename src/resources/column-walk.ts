/**
 * Walks a record and turns it into cells. While the tree grows the walk makes columns; when the tree is settled it fills cells,
 * and values without a column go to the column "Other".
 */

import type { Value, Values } from '../core/row.ts'
import { numberLength } from '../core/values/number-length.ts'
import { startOfDay } from '../core/values/date-pattern.ts'
import { entryNode, longestNumbered, memberNode, slotOf } from './column-tree.ts'
import type { Node, Settled, Slot, Tree } from './column-tree.ts'
import type { LooseIdentifier } from './resource-type.ts'
import { under } from './titles.ts'
import { convert, roundAmount, unitOfCode, type RateUnit, type Unit, type UnitKind } from './units.ts'
import { pointerPart } from './wording.ts'

/** The units of the columns by kind, those of rates, and the clock that shows moments. */
export type Manner = {
  readonly unitOf: (kind: UnitKind) => string
  readonly rates: readonly RateUnit[]
  readonly clock: (text: string) => string | undefined
}

/** One walk over a body; `cells` is set when the tree is settled. `base` is the pointer of the part in its record. */
export type Walk = {
  readonly tree: Tree
  readonly manner: Manner
  readonly cells: Value[] | undefined
  readonly leftovers: Map<string, unknown>
  readonly base: string
}

/** Turns the cells of a walk into the row. */
export function finishRow({ other, make }: Settled, cells: Value[], leftovers: ReadonlyMap<string, unknown>): Values {
  if (leftovers.size > 0) {
    if (other === undefined) throw new Error('A record has members that no record had in the first pass.')
    cells[other] = leftoverText(leftovers)
  }
  return make(cells)
}

function leftoverText(leftovers: ReadonlyMap<string, unknown>): string {
  try {
    return JSON.stringify(Object.fromEntries(leftovers))
  } catch {
    // Lists nested thousands deep exhaust the stack.
    return JSON.stringify({ note: 'nested too deeply to be shown', members: [...leftovers.keys()] })
  }
}

const noSkip: ReadonlySet<string> = new Set()

/** Walks the members of a group, except those to skip. */
export function walkMembers(walk: Walk, owner: Node, group: object, skip: ReadonlySet<string> = noSkip): void {
  for (const name of Object.keys(group)) {
    const value: unknown = (group as Readonly<Record<string, unknown>>)[name]
    if (skip.has(name) || isNothing(value)) continue
    const member = memberNode(walk.tree, owner, name)
    if (member === undefined) leave(walk, `${owner.pointer}/${pointerPart(name)}`, value)
    else walkValue(walk, member, value)
  }
}

function isNothing(value: unknown): boolean {
  if (value === null || value === undefined || value === '') return true
  if (Array.isArray(value)) return value.length === 0
  if (typeof value !== 'object') return false
  for (const name in value) if (Object.hasOwn(value, name)) return false
  return true
}

function leave(walk: Walk, pointer: string, value: unknown): void {
  if (isNothing(value)) return
  if (walk.cells === undefined) walk.tree.hasLeftovers = true
  else walk.leftovers.set(walk.base + pointer, value)
}

/** Walks the value of a member. */
export function walkValue(walk: Walk, owner: Node, value: unknown): void {
  if (isNothing(value)) return
  const { role } = owner
  const isGroup = typeof value === 'object' && !Array.isArray(value)
  if (role.is === 'open') walkOpen(walk, owner, value)
  else if (role.is === 'identifiers') walkIdentifiers(walk, owner, value)
  else if (role.is === 'list' && Array.isArray(value)) walkList(walk, owner, value)
  else if (role.is === 'group' && isGroup) walkMembers(walk, owner, value as object)
  else if (role.is === 'measure' && isGroup) walkMeasure(walk, owner, value as Measured)
  else if (role.is === 'point' && isGroup) walkPoint(walk, owner, value as object)
  else if ((role.is === 'boundary' || role.is === 'shape') && isGroup) walkFeature(walk, owner, value as object)
  else if (role.is === 'tag' && typeof value === 'string' && impliedTags.has(value)) return
  else {
    const type = role.is
    const isPlain = typeof value !== 'object' && isScalarRole(type)
    const slot = isPlain ? slotOf(walk.tree, owner, 'value', { title: owner.title, type }) : undefined
    if (!put(walk, slot, value)) leave(walk, owner.pointer, value)
  }
}

/** Type names of inner groups, which the titles of their columns repeat. */
const impliedTags: ReadonlySet<string> = new Set([
  'holding',
  'plot',
  'identifierType',
  'areaMeasureType',
  'lengthMeasureType',
  'pfDryMatterMeasureType',
  'operationRecordResource',
  'operationProductType',
  'operationEnvironmentType',
  'deviceType',
])

type ScalarRole = 'text' | 'number' | 'boolean' | 'date-time'

/** True for the role of a plain value. */
export function isScalarRole(is: string): is is ScalarRole {
  return is === 'text' || is === 'number' || is === 'boolean' || is === 'date-time'
}

/** The cell for a value in a column of this type; undefined when the value does not fit there. */
function cellOf(walk: Walk, type: ScalarRole, value: unknown): Value {
  switch (type) {
    case 'number':
      return typeof value === 'number' && Number.isFinite(value) ? value : undefined
    case 'boolean':
      return typeof value === 'boolean' ? value : undefined
    case 'date-time':
      return typeof value === 'string' ? walk.manner.clock(value) : undefined
    case 'text':
      return typeof value === 'string' ? value : `${value as number | boolean}`
  }
}

/** False when the value has no column. Both passes must answer alike, or leftovers would come unannounced. */
function put(walk: Walk, slot: Slot | undefined, value: unknown): boolean {
  if (slot === undefined) return false
  const type = slot.type ?? 'text'
  const cell = isScalarRole(type) ? cellOf(walk, type, value) : undefined
  if (walk.cells === undefined) {
    slot.isFilled ||= cell !== undefined
    if (typeof cell === 'string') {
      slot.hasTimes ||= type === 'date-time' && !startOfDay.test(cell)
      slot.longest = Math.max(slot.longest, cell.length)
    } else if (typeof cell === 'number')
      slot.longest = Math.max(slot.longest, numberLength(cell), numberLength(cell, 2))
  }
  if (cell === undefined || walk.cells === undefined) return cell !== undefined
  if (slot.at < 0) return false
  walk.cells[slot.at] = cell
  return true
}

/** Walks an unknown member: measures and identifiers look like those of known members, else all of its values decide its kind. */
function walkOpen(walk: Walk, owner: Node, value: unknown): void {
  if (isWholeIdentifier(value) || (Array.isArray(value) && value.length > 0 && value.every(isWholeIdentifier)))
    return walkIdentifiers(walk, owner, value)
  if (Array.isArray(value)) return walkList(walk, owner, value)
  if (isWholeMeasure(value)) return walkMeasure(walk, owner, value)
  if (typeof value === 'object') return walkMembers(walk, owner, value as object)
  const slot = slotOf(walk.tree, owner, 'value', { title: owner.title })
  if (slot !== undefined && walk.cells === undefined) {
    const type = openType(walk, value)
    slot.type = slot.type === undefined || slot.type === type ? type : 'text'
  }
  if (!put(walk, slot, value)) leave(walk, owner.pointer, value)
}

function isWholeMeasure(value: unknown): value is Measured {
  const { measurement, units } = (value ?? {}) as Measured
  const isOne = typeof measurement === 'number' && typeof units === 'string' && unitOfCode(units) !== undefined
  return isOne && hasOnly(value as object, measureMembers)
}

function isWholeIdentifier(value: unknown): boolean {
  const { scheme, id } = (value ?? {}) as LooseIdentifier
  const isOne = typeof scheme === 'string' && scheme !== '' && typeof id === 'string'
  return isOne && hasOnly(value as object, identifierMembers)
}

function hasOnly(group: object, members: ReadonlySet<string>): boolean {
  return Object.keys(group).every((name) => members.has(name) || name === 'resourceType')
}

function openType(walk: Walk, value: unknown): ScalarRole {
  const types = ['number', 'boolean', 'date-time'] as const
  return types.find((type) => cellOf(walk, type, value) !== undefined) ?? 'text'
}

function walkList(walk: Walk, owner: Node, list: readonly unknown[]): void {
  if (walk.cells === undefined) owner.longest = Math.max(owner.longest, list.length)
  if (owner.longest > longestNumbered && walk.cells !== undefined) return joinList(walk, owner, list)
  for (const [index, value] of list.slice(0, longestNumbered).entries()) {
    const entry = entryNode(walk.tree, owner, index)
    if (entry === undefined) leave(walk, `${owner.pointer}/${index}`, value)
    else walkValue(walk, entry, value)
  }
  // Groups beyond the fifth are shown whole among the leftovers, because joined text has only their names.
  if (list.length > longestNumbered && list.some((each) => typeof each === 'object')) leave(walk, owner.pointer, list)
}

function joinList(walk: Walk, owner: Node, list: readonly unknown[]): void {
  const isPlain = list.every((each) => typeof each !== 'object')
  const joined = list.map(labelOf).filter((label) => label !== '')
  const isPut = put(walk, owner.slots.get('joined'), joined.join('; '))
  if (!isPlain || !isPut) leave(walk, owner.pointer, list)
}

function labelOf(value: unknown): string {
  if (typeof value !== 'object') return `${value as string | number | boolean}`
  const { name, primary, related, id } = (value ?? {}) as Readonly<Record<string, unknown>>
  return [name, primary, related, id].find((each) => typeof each === 'string') ?? ''
}

type Measured = { readonly measurement?: unknown; readonly resolution?: unknown; readonly units?: unknown }
const measureMembers: ReadonlySet<string> = new Set(['measurement', 'resolution', 'units'])

function walkMeasure(walk: Walk, owner: Node, measure: Measured): void {
  const { measurement, resolution, units } = measure
  const unit = typeof units === 'string' ? unitMeant(owner, units) : undefined
  if (typeof measurement !== 'number' || unit === undefined) return leave(walk, owner.pointer, measure)
  const target = walk.manner.unitOf(unit.kind)
  const sign = unitOfCode(target)?.sign ?? target
  const place = kindPlaces[unit.kind]
  const slot = slotOf(walk.tree, owner, unit.kind, { title: measureTitle(owner, sign), type: 'number', place })
  const amount = converted(measurement, unit.code, target)
  if (!put(walk, slot, amount)) return leave(walk, owner.pointer, measure)
  const title = resolutionTitle(owner, sign)
  if (typeof resolution === 'number') {
    const finer = slotOf(walk.tree, owner, `${unit.kind} resolution`, { title, type: 'number', place: place + 1 })
    const step = convertedStep(resolution, measurement, unit, target)
    if (!put(walk, finer, step)) leave(walk, `${owner.pointer}/resolution`, resolution)
  } else leave(walk, `${owner.pointer}/resolution`, resolution)
  walkRest(walk, owner.pointer, measure, measureMembers)
}

/** The title of the column of a measure; the sign is that of its unit. */
export function measureTitle(owner: Node, sign: string): string {
  return `${owner.title} (${sign})`
}

/** The title of the column of how finely a measure was taken. */
export function resolutionTitle(owner: Node, sign: string): string {
  return `${under(owner.title, 'Resolution')} (${sign})`
}

const kindPlaces: Readonly<Record<UnitKind, number>> = {
  area: 0,
  length: 2,
  mass: 4,
  volume: 6,
  speed: 8,
  temperature: 10,
}

/** The unit, when it is of the wanted kind. The service's own sample has a length in square metres, which means metres. */
function unitMeant(owner: Node, code: string): Unit | undefined {
  const kind = owner.role.is === 'measure' ? owner.role.kind : undefined
  const unit = unitOfCode(kind === 'length' && code === 'MTK' ? 'MTR' : code)
  return kind === undefined || unit?.kind === kind ? unit : undefined
}

function converted(amount: number, from: string, to: string): number {
  return from === to ? amount : roundAmount(convert(amount, from, to))
}

/** Converts a resolution, which is a difference: units with a shift or a power need two amounts. */
function convertedStep(step: number, at: number, unit: Unit, to: string): number {
  if (unit.code === to) return step
  if (unit.kind !== 'temperature' && unit.kind !== 'speed') return converted(step, unit.code, to)
  return roundAmount(convert(at + step, unit.code, to) - convert(at, unit.code, to))
}

/** Adds the members of a special group that its columns do not show to the leftovers. */
function walkRest(walk: Walk, pointer: string, group: object, shown: ReadonlySet<string>): void {
  for (const name of Object.keys(group)) {
    if (shown.has(name)) continue
    const value: unknown = (group as Readonly<Record<string, unknown>>)[name]
    if (name === 'resourceType' && impliedTags.has(value as string)) continue
    leave(walk, `${pointer}/${pointerPart(name)}`, value)
  }
}

const identifierMembers: ReadonlySet<string> = new Set(['scheme', 'schema', 'id'])

/** Makes one column for each scheme; a second identifier of the same scheme gets another column. */
function walkIdentifiers(walk: Walk, owner: Node, value: unknown): void {
  const isList = Array.isArray(value)
  const counts = new Map<string, number>()
  for (const [index, each] of (isList ? (value as readonly unknown[]) : [value]).entries()) {
    const pointer = isList ? `/${index}` : ''
    const { scheme, schema, id } = (each ?? {}) as LooseIdentifier
    const named = scheme ?? schema
    const count = counts.get(named as string) ?? 1
    const isWhole = typeof named === 'string' && named !== '' && (typeof id === 'string' || typeof id === 'number')
    const slot = isWhole && count <= longestNumbered ? schemeSlot(walk, owner, named, count) : undefined
    if (!put(walk, slot, id)) leave(walk, owner.pointer + pointer, each)
    else {
      counts.set(named as string, count + 1)
      walkRest(walk, owner.pointer + pointer, each as object, identifierMembers)
    }
  }
}

function schemeSlot(walk: Walk, owner: Node, scheme: string, count: number): Slot | undefined {
  const facet = `${count} ${scheme}`
  const known = owner.slots.get(facet)
  if (known !== undefined) return known
  const title = schemeTitle(owner, scheme, count)
  return slotOf(walk.tree, owner, facet, { title, type: 'text', place: owner.slots.size, isId: true })
}

/** The title of the column of the identifiers of one scheme; `count` is above 1 for a further one in the same record. */
export function schemeTitle(owner: Node, scheme: string, count: number): string {
  const singular = owner.name.endsWith('s') ? owner.title.replace(/s$/, '') : owner.title
  return `${singular}${count === 1 ? '' : ` ${count}`} (${scheme})`
}

const pointMembers: ReadonlySet<string> = new Set(['type', 'bbox', 'coordinates'])
const featureMembers: ReadonlySet<string> = new Set(['type', 'bbox', 'geometry'])

function walkPoint(walk: Walk, owner: Node, point: object): void {
  const { coordinates } = point as { readonly coordinates?: unknown }
  const [longitude, latitude, ...more] = Array.isArray(coordinates) ? (coordinates as readonly unknown[]) : []
  if (typeof longitude !== 'number' || typeof latitude !== 'number') return leave(walk, owner.pointer, point)
  const [lonTitle, latTitle] = pointTitles(owner)
  const isPut =
    put(walk, slotOf(walk.tree, owner, 'longitude', { title: lonTitle, type: 'number' }), longitude) &&
    put(walk, slotOf(walk.tree, owner, 'latitude', { title: latTitle, type: 'number', place: 1 }), latitude)
  if (!isPut || more.length > 0) leave(walk, owner.pointer, point)
  else walkRest(walk, owner.pointer, point, pointMembers)
}

/** The titles of the two columns of a point. */
export function pointTitles(owner: Node): readonly [string, string] {
  return [under(owner.prefix, 'Longitude'), under(owner.prefix, 'Latitude')]
}

/** The title of the column of geometry that the file does not store itself. */
export function shapeTitle(owner: Node): string {
  return `${owner.title} (GeoJSON)`
}

/** The boundary of a record stays with its row; other geometry becomes a text column. */
function walkFeature(walk: Walk, owner: Node, feature: object): void {
  const { geometry } = feature as { readonly geometry?: unknown }
  if (owner.role.is === 'shape' && !isNothing(geometry)) {
    const slot = slotOf(walk.tree, owner, 'value', { title: shapeTitle(owner), type: 'text' })
    if (!put(walk, slot, walk.cells === undefined ? '' : leftoverText(new Map(Object.entries(geometry as object)))))
      leave(walk, `${owner.pointer}/geometry`, geometry)
  }
  walkRest(walk, owner.pointer, feature, featureMembers)
}
