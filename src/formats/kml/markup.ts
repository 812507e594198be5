/** Follows the elements of KML, even if they are closed in the wrong order or not at all. */

import { WindrowError } from '../../core/error.ts'
import { attribute, nameCode, withReferences, XmlScanner } from '../xml.ts'

/** Finds an attribute of the element just opened by its name without prefix. */
export type AttributeOf = (name: string) => string | undefined

/** Called for each element with its name without prefix; text comes in pieces while `isListening`. */
export type MarkupListener = {
  readonly isListening: boolean
  opened(name: string, attributeOf: AttributeOf): void
  closed(name: string): void
  text(piece: string): void
}

const deepestNesting = 200

/** Starts a scanner for one document, which takes its text in pieces. */
export function markupScanner(fileName: string, listener: MarkupListener) {
  const open: { readonly name: string; readonly code: number }[] = []
  const scanner = new XmlScanner(fileName, {
    open(code, attributes, bytes) {
      const name = bytes.toString('utf8', attributes.nameStart, attributes.nameEnd)
      if (open.push({ name, code }) > deepestNesting)
        throw new WindrowError('file-damaged', `"${fileName}" nests its elements more than ${deepestNesting} deep.`, {
          hint: 'Export it again; no map needs that.',
        })
      listener.opened(name, (wanted) => attribute(attributes, nameCode(wanted), bytes))
    },
    /** An element that was never closed ends with the one around it; the end of one that was never opened is ignored. */
    close(code) {
      if (!open.some((each) => each.code === code)) return
      for (let last = open.pop(); last !== undefined; last = open.pop()) {
        listener.closed(last.name)
        if (last.code === code) return
      }
    },
    text(bytes, start, end, isLiteral) {
      if (!listener.isListening || start === end) return
      const piece = bytes.toString('utf8', start, end)
      listener.text(isLiteral ? piece : withReferences(piece))
    },
  })
  return {
    push: (piece: string) => scanner.push(Buffer.from(piece)),
    /** True if every opened element was closed. */
    end: () => scanner.end() && open.length === 0,
  }
}
