/** Builds a row from one placemark: its texts, data in three notations, a description, a geometry. */

import { WindrowError } from '../../core/error.ts'
import { problem, type Problem, type ProblemCode } from '../../core/problem.ts'
import type { Place, Row, Value } from '../../core/row.ts'
import { readDescription } from './description.ts'
import { startGeometry, type GeometryBuilder } from './kml-geometry.ts'
import type { AttributeOf } from './markup.ts'

/** A placemark with more data than this has lost its end tag. */
const mostData = 2000

/** Elements whose text is a column of the same name, and their parents. */
const ownTexts: Readonly<Record<string, string>> = {
  name: 'Placemark',
  description: 'Placemark',
  address: 'Placemark',
  when: 'TimeStamp',
  begin: 'TimeSpan',
  end: 'TimeSpan',
}

type Fault = { readonly code: ProblemCode; readonly message: string; readonly value?: string; readonly hint: string }

type Making = ReturnType<typeof startMaking>

function startMaking() {
  return {
    own: new Map<string, string>(),
    data: new Map<string, Value>(),
    faults: [] as Fault[],
    types: undefined as ReadonlyMap<string, string> | undefined,
    dataName: '',
  }
}

/**
 * Starts to make the rows of a file, one placemark after the other. `schemas` are the types that schemas declare for their fields, by
 * the id of the schema; they may come while it works.
 */
export function placemarkBuilder(fileName: string, schemas: ReadonlyMap<string, ReadonlyMap<string, string>>) {
  const geometry = startGeometry()
  let making = startMaking()
  let described = 0
  return {
    /** Returns whether the text of the element is wanted. */
    opened(name: string, attributeOf: AttributeOf, parent: string | undefined): boolean {
      geometry.opened(name)
      if (name === 'Model') addFault(making, modelFault)
      else if (name === 'SchemaData') making.types = schemas.get((attributeOf('schemaUrl') ?? '').replace(/^.*#/, ''))
      else if (name === 'Data' || name === 'SimpleData') making.dataName = attributeOf('name') ?? ''
      else if (parent === 'ExtendedData') making.dataName = name
      return isWanted(name, parent)
    },
    took(name: string, text: string, parent: string | undefined): void {
      if (name === 'coordinates' || name === 'coord') return takeCoordinates(making, geometry, name, text)
      const value = ownCopy(text.trim())
      if (isOwnText(name, parent)) making.own.set(name, value)
      else if (making.data.size === mostData)
        throw new WindrowError(
          'file-too-large',
          `A placemark of "${fileName}" has more than ${mostData} data values.`,
          lostEnd,
        )
      else setFree(making.data, making.dataName, typed(value, making.types?.get(making.dataName)))
    },
    closed: geometry.closed,
    finish(at: Place, folder: string): Row {
      const { own, data } = making
      const description = readDescription(own.get('description') ?? '')
      // If there are data, the table in the description only shows them.
      const fields = data.size === 0 ? description.fields : []
      if (fields.length > 0) described += 1
      const values = valuesOf(own, [...data, ...fields], { folder, text: description.text })
      const row = rowOf(making, geometry, { at, values: Object.fromEntries(values) })
      making = startMaking()
      return row
    },
    /** How many rows have columns from their description. */
    get described() {
      return described
    },
  }
}

function isOwnText(name: string, parent: string | undefined): boolean {
  return parent !== undefined && ownTexts[name] === parent
}

function isWanted(name: string, parent: string | undefined): boolean {
  if (name === 'coordinates' || name === 'coord' || name === 'SimpleData') return true
  if (name === 'value') return parent === 'Data'
  if (parent === 'ExtendedData') return name !== 'Data' && name !== 'SchemaData'
  return isOwnText(name, parent)
}

function takeCoordinates(making: Making, geometry: GeometryBuilder, name: string, text: string): void {
  const value = name === 'coord' ? geometry.trackPoint(text) : geometry.coordinates(text)
  if (value === undefined) return
  addFault(making, {
    code: 'coordinate-not-a-number',
    value: ownCopy(value),
    message: 'Some of the coordinates are not longitude, latitude and height separated by commas.',
    hint: 'Export the file again, or draw that shape again.',
  })
}

/** The first fault of each kind is enough. */
function addFault({ faults }: Making, fault: Fault): void {
  if (!faults.some(({ code }) => code === fault.code)) faults.push(fault)
}

function rowOf({ faults }: Making, geometry: GeometryBuilder, row: Pick<Row, 'at' | 'values'>): Row {
  const shape = geometry.finish()
  const isRefused = typeof shape === 'string'
  const all: readonly Fault[] = isRefused
    ? [...faults, { code: 'geometry-wrong-type', message: shape, hint: 'Draw that shape again.' }]
    : faults
  // Half of a boundary is worse than none.
  const isHalf = isRefused || faults.some(({ code }) => code === 'coordinate-not-a-number')
  const problems: readonly Problem[] = all.map(({ code, ...more }) => problem(code, row.at, more))
  return { ...row, shape: isHalf ? null : shape, ...(problems.length === 0 ? {} : { problems }) }
}

function valuesOf(
  own: ReadonlyMap<string, string>,
  data: readonly (readonly [string, Value])[],
  { folder, text }: { readonly folder: string; readonly text: string },
): ReadonlyMap<string, Value> {
  const values = new Map<string, Value>()
  if (own.has('name')) values.set('name', own.get('name'))
  if (folder !== '') values.set('folder', folder)
  for (const [name, value] of data) setFree(values, name, value)
  if (text !== '') setFree(values, 'description', text)
  for (const name of ['address', 'when', 'begin', 'end']) if (own.has(name)) setFree(values, name, own.get(name))
  return values
}

/** Sets a value under its name, or under a numbered name if the name already has another value. */
function setFree(values: Map<string, Value>, wanted: string, value: Value): void {
  const stem = wanted.trim() === '' ? 'value' : wanted.trim()
  let name = stem
  for (let count = 2; values.has(name) && values.get(name) !== value; count += 1) name = `${stem} (${count})`
  values.set(name, value)
}

/** A value declared as a number or truth is converted if it is written as one; ids with leading zeros stay text. */
function typed(text: string, type: string | undefined): Value {
  if (type === undefined || type === 'string') return text
  if (type === 'bool') return text === 'true' || text === '1' ? true : text === 'false' || text === '0' ? false : text
  const isNumber = /int|short|float|double/.test(type) && /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?$/.test(text)
  if (!isNumber) return text
  const value = Number(text)
  return Number.isInteger(value) && !Number.isSafeInteger(value) ? text : value
}

const modelFault: Fault = {
  code: 'geometry-wrong-type',
  message: 'The geometry is a three-dimensional model, such as a building.',
  hint: 'Draw its outline instead, or leave the row out.',
}

/** What to do about a placemark without end. */
export const lostEnd = { hint: 'Its end may be missing. Export the file again, or split that placemark.' }

/** Copies the text: a slice would keep the larger text it came from in memory, here 64 kB per cell. */
export function ownCopy(text: string): string {
  return ` ${text}`.slice(1)
}
