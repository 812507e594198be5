/** Hides how the elements of KML become rows: one placemark, one row, whatever folders and geometries it is made of. */

import { WindrowError } from '../../core/error.ts'
import { problem, type Problem } from '../../core/problem.ts'
import type { Place, Row, Value } from '../../core/row.ts'
import { readDescription } from './description.ts'
import { startGeometry } from './geometry.ts'
import { attributeOf, type MarkupListener } from './markup.ts'

/** What was met beside placemarks. */
export type Beside = { links: number; firstLink: string; overlays: number; described: number }

/** Takes the elements of one file; `take` gives the rows that are complete since it was last called. */
export type PlacemarkReader = MarkupListener & {
  take(): readonly Row[]
  readonly count: number
  readonly beside: Beside
}

/** A placemark with more text or data than this has lost its end. */
const longestText = 1 << 26
const mostData = 2000
const longestFolder = 1000

type Open = {
  readonly own: Map<string, string>
  readonly data: Map<string, Value>
  readonly problems: Problem[]
  types: ReadonlyMap<string, string> | undefined
  dataName: string
}

const overlays = new Set(['GroundOverlay', 'PhotoOverlay', 'ScreenOverlay'])
const ownTexts: Readonly<Record<string, string>> = {
  name: 'Placemark',
  description: 'Placemark',
  address: 'Placemark',
  when: 'TimeStamp',
  begin: 'TimeSpan',
  end: 'TimeSpan',
}

/** What a reader must know of its file: `at` gives the place of a placemark by its number from 1, `isRead` whether a link leads to what is read anyway. */
export type FileFacts = {
  readonly name: string
  readonly at: (row: number) => Place
  readonly isRead: (link: string) => boolean
}

/** Starts a reader of one file. */
export function placemarkReader({ name: fileName, at, isRead }: FileFacts): PlacemarkReader {
  const path: string[] = []
  const folders: string[] = []
  const schemas = new Map<string, Map<string, string>>()
  const geometry = startGeometry()
  const beside: Beside = { links: 0, firstLink: '', overlays: 0, described: 0 }
  let rows: Row[] = []
  let count = 0
  let placemark: Open | undefined
  let fields = new Map<string, string>()
  let captured: string[] = []
  let capturedLength = 0
  let captureDepth = 0

  const openedInPlacemark = (open: Open, name: string, attributes: string, parent: string | undefined): boolean => {
    geometry.opened(name)
    if (name === 'Model') open.problems.push(modelProblem(at(count + 1)))
    if (name === 'SchemaData')
      open.types = schemas.get((attributeOf(attributes, 'schemaUrl') ?? '').replace(/^.*#/, ''))
    if (name === 'Data' || name === 'SimpleData') open.dataName = attributeOf(attributes, 'name') ?? ''
    else if (parent === 'ExtendedData' && name !== 'SchemaData') open.dataName = name
    return isWanted(name, parent)
  }
  const openedOutside = (name: string, attributes: string, parent: string | undefined): boolean => {
    if (name === 'Placemark')
      placemark = { own: new Map(), data: new Map(), problems: [], types: undefined, dataName: '' }
    else if (name === 'Folder' || name === 'Document') folders.push('')
    else if (name === 'Schema') schemas.set(attributeOf(attributes, 'id') ?? '', (fields = new Map()))
    else if (name === 'SimpleField')
      fields.set(attributeOf(attributes, 'name') ?? '', attributeOf(attributes, 'type') ?? '')
    else if (overlays.has(name)) beside.overlays += 1
    return (name === 'name' && (parent === 'Folder' || parent === 'Document')) || name === 'href'
  }
  const closedInPlacemark = (open: Open, name: string, text: string, parent: string | undefined): void => {
    if (name === 'coordinates') addFault(open, geometry.coordinates(text))
    else if (name === 'coord') addFault(open, geometry.trackPoint(text))
    else if (parent !== undefined && ownTexts[name] === parent) open.own.set(name, ownCopy(text.trim()))
    else if (open.data.size === mostData) throw tooLarge(fileName)
    else setFree(open.data, open.dataName, typed(ownCopy(text.trim()), open.types?.get(open.dataName)))
  }
  const addFault = (open: Open, fault: string | undefined): void => {
    if (fault === undefined) return
    open.problems.push(
      problem('coordinate-not-a-number', at(count + 1), {
        value: fault,
        message: 'Some of the coordinates are not longitude, latitude and height with commas between.',
        hint: 'Export the file again, or draw that shape again.',
      }),
    )
  }
  const closedOutside = (name: string, text: string, parent: string | undefined): void => {
    if (name === 'name') folders[folders.length - 1] = ownCopy(text.trim().slice(0, longestFolder))
    // Pictures have a href as well, in an Icon.
    else if ((parent === 'Link' || parent === 'Url') && !isRead(text.trim())) {
      beside.links += 1
      beside.firstLink ||= ownCopy(text.trim())
    }
  }
  const finish = (open: Open): void => {
    count += 1
    const place = at(count)
    const shape = geometry.finish()
    if (typeof shape === 'string')
      open.problems.push(problem('geometry-wrong-type', place, { message: shape, hint: 'Draw that shape again.' }))
    const hasFault = open.problems.some(({ code }) => code === 'coordinate-not-a-number')
    const row: Row = {
      at: place,
      values: Object.fromEntries(valuesOf(open, folderOf(folders), beside)),
      // Half of a boundary is worse than none.
      shape: hasFault || typeof shape === 'string' ? null : shape,
    }
    rows.push(open.problems.length === 0 ? row : { ...row, problems: open.problems })
  }
  return {
    get isListening() {
      return captureDepth > 0
    },
    get count() {
      return count
    },
    beside,
    opened(name, attributes) {
      const parent = path.at(-1)
      path.push(name)
      if (captureDepth > 0) return
      const wanted =
        placemark === undefined
          ? openedOutside(name, attributes, parent)
          : openedInPlacemark(placemark, name, attributes, parent)
      if (wanted) captureDepth = path.length
    },
    closed(name) {
      const depth = path.length
      path.pop()
      if (captureDepth > 0 && depth > captureDepth) return
      const parent = path.at(-1)
      if (captureDepth === depth) {
        const text = captured.length === 1 ? captured[0]! : captured.join('')
        captured = []
        captureDepth = 0
        if (placemark === undefined) closedOutside(name, text, parent)
        else closedInPlacemark(placemark, name, text, parent)
      }
      if (placemark !== undefined) geometry.closed(name)
      if (name === 'Folder' || name === 'Document') folders.pop()
      if (name !== 'Placemark' || placemark === undefined) return
      finish(placemark)
      placemark = undefined
      capturedLength = 0
    },
    text(piece) {
      captured.push(piece)
      capturedLength += piece.length
      if (capturedLength > longestText) throw tooLarge(fileName)
    },
    take() {
      const taken = rows
      rows = []
      return taken
    },
  }
}

function isWanted(name: string, parent: string | undefined): boolean {
  if (name === 'coordinates' || name === 'coord' || name === 'SimpleData') return true
  if (name === 'value') return parent === 'Data'
  if (parent === 'ExtendedData') return name !== 'Data' && name !== 'SchemaData'
  return parent !== undefined && ownTexts[name] === parent
}

/** A text cut out of a larger one keeps all of that in memory for as long as somebody holds it: here, 64 kB a cell. */
function ownCopy(text: string): string {
  return ` ${text}`.slice(1)
}

/** The folders a placemark lies in; the document around all of them is the file itself. */
function folderOf(folders: readonly string[]): string {
  return folders
    .slice(1)
    .filter((name) => name !== '')
    .join(' / ')
}

function valuesOf({ own, data }: Open, folder: string, beside: Beside): ReadonlyMap<string, Value> {
  const values = new Map<string, Value>()
  if (own.has('name')) values.set('name', own.get('name'))
  if (folder !== '') values.set('folder', folder)
  for (const [name, value] of data) setFree(values, name, value)
  const { fields, text } = readDescription(own.get('description') ?? '')
  // Where there are data, the table in the description only shows them.
  if (data.size === 0) for (const [name, value] of fields) setFree(values, name, value)
  if (data.size === 0 && fields.length > 0) beside.described += 1
  if (text !== '') setFree(values, 'description', text)
  for (const name of ['address', 'when', 'begin', 'end']) if (own.has(name)) setFree(values, name, own.get(name))
  return values
}

/** Sets a value under its name, or under one with a number where the name has another value already. */
function setFree(values: Map<string, Value>, wanted: string, value: Value): void {
  const stem = wanted.trim() === '' ? 'value' : wanted.trim()
  let name = stem
  for (let count = 2; values.has(name) && values.get(name) !== value; count += 1) name = `${stem} (${count})`
  values.set(name, value)
}

/** What the schema declares as a number or truth becomes one, where it is written as one; ids with zeros in front stay text. */
function typed(text: string, type: string | undefined): Value {
  if (type === undefined || type === 'string') return text
  if (type === 'bool') return text === 'true' || text === '1' ? true : text === 'false' || text === '0' ? false : text
  const isNumber = /int|short|float|double/.test(type) && /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?$/.test(text)
  if (!isNumber) return text
  const value = Number(text)
  return Number.isInteger(value) && !Number.isSafeInteger(value) ? text : value
}

function modelProblem(at: Place): Problem {
  return problem('geometry-wrong-type', at, {
    message: 'The geometry is a model of three dimensions, such as a building.',
    hint: 'Draw its outline instead, or leave the row out.',
  })
}

function tooLarge(name: string): WindrowError {
  return new WindrowError(
    'file-too-large',
    `A placemark of "${name}" holds more than ${longestText >> 20} MB of text, or more than ${mostData} data.`,
    { hint: 'Its end may be missing. Export the file again, or split that placemark.' },
  )
}
