/** Turns KML into rows, even if its elements are closed in the wrong order or not at all: one placemark is one row, in any folder. */

import { WindrowError } from '../../core/error.ts'
import type { Place, Row } from '../../core/row.ts'
import { attribute, nameCodes, withReferences, XmlScanner } from '../xml.ts'
import { textOf, type Element, lostEnd, rowMaker, type Schemas } from './placemark.ts'

/** Takes the bytes of one file, and gives its rows. */
export type PlacemarkReader = ReturnType<typeof placemarkReader>

const deepestNesting = 200
/** A placemark that takes more memory than this has lost its end tag. */
const largestBytes = 1 << 26
const bytesOfElement = 64
const longestFolder = 1000
/** This number of different names of elements is kept as text. */
const mostNames = 1000

const overlayNames = new Set(['GroundOverlay', 'PhotoOverlay', 'ScreenOverlay'])
const codes = nameCodes('id', 'name', 'type', 'schemaUrl')

/**
 * Starts a reader of one file: `at` gives the place of a placemark by its number from 1, `isRead` whether a link leads to a document that
 * is read anyway.
 */
export function placemarkReader(fileName: string, at: (row: number) => Place, isRead: (link: string) => boolean) {
  const open: (Element & { readonly code: number })[] = []
  const names = new Map<number, string>()
  const around = startAround(isRead)
  const { beside } = around
  const makeRow = rowMaker(fileName, around.schemas)
  let rows: Row[] = []
  let count = 0
  let placemark: Element | undefined
  let size = 0

  const grow = (bytes: number): void => {
    size += bytes
    if (size <= largestBytes) return
    throw new WindrowError(
      'file-too-large',
      `A placemark of "${fileName}" is larger than ${largestBytes >> 20} MB.`,
      lostEnd,
    )
  }
  const closed = (element: Element): void => {
    if (placemark === undefined) return around.closed(element, open.at(-1)?.name)
    if (element.name !== 'Placemark') return
    count += 1
    const { row, isDescribed } = makeRow(placemark, at(count), around.folder())
    if (isDescribed) beside.described += 1
    rows.push(row)
    placemark = undefined
  }
  const scanner = new XmlScanner(fileName, {
    open(code, attributes, bytes) {
      let name = names.get(code)
      if (name === undefined) {
        name = bytes.toString('utf8', attributes.nameStart, attributes.nameEnd)
        if (names.size < mostNames) names.set(code, name)
      }
      const attributeOf = (wanted: number): string => attribute(attributes, wanted, bytes) ?? ''
      const label = attributeOf(name === 'SchemaData' ? codes.schemaUrl : codes.name)
      const element = { name, code, label, content: [] }
      if (placemark !== undefined) {
        open.at(-1)!.content.push(element)
        grow(bytesOfElement)
      } else if (name === 'Placemark') [placemark, size] = [element, 0]
      else around.opened(name, attributeOf)
      if (open.push(element) > deepestNesting)
        throw new WindrowError('file-damaged', `"${fileName}" nests its elements more than ${deepestNesting} deep.`, {
          hint: 'Export it again; no map needs that.',
        })
    },
    /** An element that was never closed ends with the one around it; the end of one that was never opened is ignored. */
    close(code) {
      if (!open.some((each) => each.code === code)) return
      for (let last = open.pop(); last !== undefined; last = open.pop()) {
        closed(last)
        if (last.code === code) return
      }
    },
    text(bytes, start, end, isLiteral) {
      const element = open.at(-1)
      if (element === undefined || start === end) return
      if (placemark !== undefined) grow(end - start)
      else if (!open.some(({ name }) => name === 'name' || name === 'href')) return
      const piece = bytes.toString('utf8', start, end)
      element.content.push(isLiteral ? piece : withReferences(piece))
    },
  })
  return {
    get count() {
      return count
    },
    /** What else the file contains: links to other files, pictures, and how many rows were read from descriptions. */
    beside,
    push: (bytes: Uint8Array) => scanner.push(bytes),
    /** True if every opened element was closed. */
    end: () => scanner.end() && open.length === 0,
    /** Returns the rows completed since the last call. */
    take(): readonly Row[] {
      const taken = rows
      rows = []
      return taken
    },
  }
}

/** Follows what is around placemarks: folders, schemas, links and pictures. */
function startAround(isRead: (link: string) => boolean) {
  const folders: string[] = []
  const schemas: Schemas = new Map()
  const beside = { links: 0, firstLink: '', overlays: 0, described: 0 }
  let fields = new Map<string, string>()
  return {
    schemas,
    beside,
    folder: () => folderOf(folders),
    opened(name: string, attributeOf: (code: number) => string): void {
      if (isFolder(name)) folders.push('')
      else if (name === 'Schema') schemas.set(attributeOf(codes.id), (fields = new Map()))
      else if (name === 'SimpleField') fields.set(attributeOf(codes.name), attributeOf(codes.type))
      else if (overlayNames.has(name)) beside.overlays += 1
    },
    closed(element: Element, parent: string | undefined): void {
      if (isFolder(element.name)) folders.pop()
      else if (element.name === 'name' && isFolder(parent))
        folders[folders.length - 1] = textOf(element).slice(0, longestFolder)
      // Pictures have a href as well, in an Icon.
      else if (element.name === 'href' && (parent === 'Link' || parent === 'Url') && !isRead(textOf(element))) {
        beside.links += 1
        beside.firstLink ||= textOf(element)
      }
    },
  }
}

function isFolder(name: string | undefined): boolean {
  return name === 'Folder' || name === 'Document'
}

/** The folders of a placemark; the document around all of them is the file itself. */
function folderOf(folders: readonly string[]): string {
  return folders
    .slice(1)
    .filter((name) => name !== '')
    .join(' / ')
}
