/** Turns the elements of KML into rows: one placemark is one row, in any folder. */

import { WindrowError } from '../../core/error.ts'
import type { Place, Row } from '../../core/row.ts'
import type { AttributeOf } from './markup.ts'
import { lostEnd, ownCopy, placemarkBuilder } from './placemark.ts'

/** Takes the elements of one file. */
export type PlacemarkReader = ReturnType<typeof placemarkReader>

/** A placemark with more text than this has lost its end tag. */
const longestText = 1 << 26
const longestFolder = 1000

const overlayNames = new Set(['GroundOverlay', 'PhotoOverlay', 'ScreenOverlay'])

/**
 * Starts a reader of one file: `at` gives the place of a placemark by its number from 1, `isRead` whether a link leads to a document that
 * is read anyway.
 */
export function placemarkReader(
  fileName: string,
  { at, isRead }: { readonly at: (row: number) => Place; readonly isRead: (link: string) => boolean },
) {
  const path: string[] = []
  const folders: string[] = []
  const schemas = new Map<string, Map<string, string>>()
  const builder = placemarkBuilder(fileName, schemas)
  const beside = { links: 0, firstLink: '', overlays: 0 }
  let fields = new Map<string, string>()
  let rows: Row[] = []
  let count = 0
  let isInPlacemark = false
  let captured: string[] = []
  let capturedLength = 0
  let captureDepth = 0

  const openedOutside = (name: string, attributeOf: AttributeOf, parent: string | undefined): boolean => {
    if (name === 'Placemark') isInPlacemark = true
    else if (isFolder(name)) folders.push('')
    else if (name === 'Schema') schemas.set(attributeOf('id') ?? '', (fields = new Map()))
    else if (name === 'SimpleField') fields.set(attributeOf('name') ?? '', attributeOf('type') ?? '')
    else if (overlayNames.has(name)) beside.overlays += 1
    return (name === 'name' && isFolder(parent)) || name === 'href'
  }
  const tookOutside = (name: string, text: string, parent: string | undefined): void => {
    if (name === 'name') folders[folders.length - 1] = ownCopy(text.slice(0, longestFolder))
    // Pictures have a href as well, in an Icon.
    else if ((parent === 'Link' || parent === 'Url') && !isRead(text)) {
      beside.links += 1
      beside.firstLink ||= ownCopy(text)
    }
  }
  const takeCaptured = (name: string, parent: string | undefined): void => {
    const text = captured.length === 1 ? captured[0]! : captured.join('')
    captured = []
    captureDepth = 0
    if (isInPlacemark) builder.took(name, text, parent)
    else tookOutside(name, text.trim(), parent)
  }
  const finishPlacemark = (): void => {
    count += 1
    rows.push(builder.finish(at(count), folderOf(folders)))
    isInPlacemark = false
    capturedLength = 0
  }
  return {
    get isListening() {
      return captureDepth > 0
    },
    get count() {
      return count
    },
    /** What else the file contains: links to other files, pictures, and how many rows were read from descriptions. */
    beside: () => ({ ...beside, described: builder.described }),
    opened(name: string, attributeOf: AttributeOf): void {
      const parent = path.at(-1)
      path.push(name)
      if (captureDepth > 0) return
      const isWanted = isInPlacemark
        ? builder.opened(name, attributeOf, parent)
        : openedOutside(name, attributeOf, parent)
      if (isWanted) captureDepth = path.length
    },
    closed(name: string): void {
      const depth = path.length
      path.pop()
      // Elements inside a wanted text belong to it.
      if (captureDepth > 0 && depth > captureDepth) return
      if (captureDepth === depth) takeCaptured(name, path.at(-1))
      if (isInPlacemark) builder.closed(name)
      if (isFolder(name)) folders.pop()
      if (isInPlacemark && name === 'Placemark') finishPlacemark()
    },
    text(piece: string): void {
      captured.push(piece)
      capturedLength += piece.length
      if (capturedLength > longestText)
        throw new WindrowError(
          'file-too-large',
          `A placemark of "${fileName}" is larger than ${longestText >> 20} MB.`,
          lostEnd,
        )
    },
    /** Returns the rows completed since the last call. */
    take(): readonly Row[] {
      const taken = rows
      rows = []
      return taken
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
