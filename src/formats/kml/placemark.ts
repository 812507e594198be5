/** Builds a row from one placemark: its texts, data in three notations, a description, a geometry. */

import { WindrowError } from '../../core/error.ts'
import { problem, type ProblemCode } from '../../core/problem.ts'
import type { Place, Row, Value } from '../../core/row.ts'
import { nameWithoutTags, readDescription } from './description.ts'
import { textOf, type Element } from './element.ts'
import { beginsPiece, shapeReader } from './kml-geometry.ts'

/** The types that schemas declare for their fields, by the id of the schema. */
export type Schemas = Map<string, ReadonlyMap<string, string>>

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

/** In ExtendedData any other element is a column. */
const notColumns: ReadonlySet<string> = new Set(['Data', 'SchemaData', 'value', 'coordinates', 'coord'])

type Found = {
  readonly own: Map<string, string>
  readonly data: Map<string, Value>
  readonly faults: Map<ProblemCode, Fault>
  types: ReadonlyMap<string, string> | undefined
}

/** Makes the function that makes a row of a placemark; `isDescribed`: it has columns from its description. */
export function rowMaker(fileName: string, schemas: Schemas) {
  const shapes = shapeReader()
  const find = (element: Element, found: Found, around?: string): void => {
    const { own, data, faults } = found
    const add = (name: string, of: Element): void => {
      if (data.size === mostData)
        throw new WindrowError(
          'file-too-large',
          `A placemark of "${fileName}" has more than ${mostData} data values.`,
          lostEnd,
        )
      setFree(data, name, typed(textOf(of).trim(), found.types?.get(name)))
    }
    /** The first fault of each kind is enough. */
    const addFault = (fault: Fault): void => void (faults.has(fault.code) || faults.set(fault.code, fault))
    for (const each of element.content) {
      if (typeof each === 'string') continue
      const { name, label } = each
      if (ownTexts[name] === element.name) own.set(name, textOf(each).trim())
      else if (name === 'SimpleData') add(label, each)
      else if (name === 'value' && element.name === 'Data') add(element.label, each)
      else if (element.name === 'ExtendedData' && !notColumns.has(name)) add(name, each)
      else {
        if (name === 'SchemaData') found.types = schemas.get(label.replace(/^.*#/, ''))
        if (name === 'Model') addFault(modelFault)
        const isPiece = beginsPiece(name, around)
        const unread = isPiece ? shapes.add(each) : undefined
        if (unread !== undefined) addFault(coordinateFault(unread))
        find(each, found, isPiece ? name : around)
      }
    }
  }
  return (placemark: Element, at: Place, folder: string): { readonly row: Row; readonly isDescribed: boolean } => {
    const found: Found = { own: new Map(), data: new Map(), faults: new Map(), types: undefined }
    const { own, data, faults } = found
    find(placemark, found)
    const description = readDescription(own.get('description') ?? '')
    // If there are data, the table in the description only shows them.
    const fields = data.size === 0 ? description.fields : []
    const values = valuesOf(own, [...data, ...fields], { folder, text: description.text })
    const shape = shapes.finish()
    const isRefused = typeof shape === 'string'
    const all = [...faults.values()]
    if (isRefused) all.push({ code: 'geometry-wrong-type', message: shape, hint: 'Draw that shape again.' })
    const problems = all.map(({ code, ...more }) => problem(code, at, more))
    // Half of a boundary is worse than none.
    const isHalf = isRefused || faults.has('coordinate-not-a-number')
    const row = { at, values: Object.fromEntries(values), shape: isHalf ? null : shape }
    return { row: problems.length === 0 ? row : { ...row, problems }, isDescribed: fields.length > 0 }
  }
}

function coordinateFault(unread: string): Fault {
  return {
    code: 'coordinate-not-a-number',
    value: unread,
    message: 'Some of the coordinates are not longitude, latitude and height separated by commas.',
    hint: 'Export the file again, or draw that shape again.',
  }
}

function valuesOf(
  own: ReadonlyMap<string, string>,
  data: readonly (readonly [string, Value])[],
  { folder, text }: { readonly folder: string; readonly text: string },
): ReadonlyMap<string, Value> {
  const values = new Map<string, Value>()
  const title = own.get('name')
  // A name that is among the data, too, as in an export of windrow, is meant as it is.
  const isMeant = data.some(([, value]) => value === title)
  if (title !== undefined) values.set('name', isMeant ? title : nameWithoutTags(title))
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
