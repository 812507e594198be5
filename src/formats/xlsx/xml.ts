/** Hides XML as bytes come in: tags, attributes, comments, CDATA, prefixes and quotes of either kind; no tree, no strings. */

import { WindrowError } from '../../core/error.ts'

/** Stands for a name without its prefix, so that names compare as numbers: `<x:row>` and `<row>` are one. */
export function nameCode(name: string): number {
  let code = hashSeed
  for (let at = 0; at < name.length; at += 1) code = Math.imul(code ^ name.charCodeAt(at), hashPrime)
  return code
}

const hashSeed = 0x811c9dc5 | 0
const hashPrime = 16_777_619

/** The bytes that a scan is at. What `start` and `end` point to is there only until the call that gave them returns. */
export type Bytes = Buffer

/** The attributes of the tag just opened: the name of each as a code, its value as a range of the bytes. */
export type Attributes = {
  count: number
  readonly names: number[]
  readonly starts: number[]
  readonly ends: number[]
}

/** What is told of a part as it goes by. Text comes in pieces; `literal` says that `&` means itself (CDATA). */
export type XmlListener = {
  open(name: number, attributes: Attributes, bytes: Bytes): void
  text(bytes: Bytes, start: number, end: number, literal: boolean): void
  close(name: number): void
}

/** Takes the chunks of one part as they come; `end` throws when the last tag is cut off. */
export type XmlScan = { push(chunk: Uint8Array): void; end(): void }

/** A tag or a text longer than this is no workbook's: a cell holds 32,767 characters. */
const longestPiece = 1 << 22

const lessThan = 0x3c
const greaterThan = 0x3e
const slash = 0x2f
const equals = 0x3d
const colon = 0x3a
const quoteDouble = 0x22
const quoteSingle = 0x27

/** Starts a scan of one UTF-8 part, called `part` in errors. Document types are refused, so there are no entities to define. */
export function scanXml(part: string, listener: XmlListener): XmlScan {
  let work: Bytes = Buffer.allocUnsafeSlow(1 << 19)
  let held = 0
  const attributes: Attributes = { count: 0, names: [], starts: [], ends: [] }
  let end = 0

  const scan = (): number => {
    const bytes = work
    let at = 0
    while (at < end) {
      if (bytes[at] !== lessThan) {
        const start = at
        do at += 1
        while (at < end && bytes[at] !== lessThan)
        if (at === end) return start
        listener.text(bytes, start, at, false)
      }
      const next = scanTag(at)
      if (next < 0) return at
      at = next
    }
    return at
  }

  const scanTag = (at: number): number => {
    const second = work[at + 1]
    if (second === slash) return closingTag(at + 2)
    if (second === 0x21) return declaration(at)
    if (second === 0x3f) return after(at + 2, '?>')
    return openingTag(at + 1)
  }

  const closingTag = (from: number): number => {
    const bytes = work
    let code = hashSeed
    for (let at = from; at < end; at += 1) {
      const byte = bytes[at]!
      if (byte === greaterThan) {
        listener.close(code)
        return at + 1
      }
      if (byte === colon) code = hashSeed
      else if (byte > 0x20) code = Math.imul(code ^ byte, hashPrime)
    }
    return -1
  }

  const openingTag = (from: number): number => {
    const bytes = work
    let at = from
    let name = hashSeed
    for (; at < end; at += 1) {
      const byte = bytes[at]!
      if (byte <= 0x20 || byte === greaterThan || byte === slash) break
      name = byte === colon ? hashSeed : Math.imul(name ^ byte, hashPrime)
    }
    let count = 0
    for (;;) {
      while (at < end && bytes[at]! <= 0x20) at += 1
      if (at >= end) return -1
      const byte = bytes[at]!
      if (byte === greaterThan) break
      if (byte === slash) {
        at += 1
        continue
      }
      let code = hashSeed
      for (; at < end; at += 1) {
        const letter = bytes[at]!
        if (letter === equals || letter <= 0x20 || letter === greaterThan) break
        code = letter === colon ? hashSeed : Math.imul(code ^ letter, hashPrime)
      }
      while (at < end && bytes[at]! <= 0x20) at += 1
      if (bytes[at] !== equals) {
        if (at >= end) return -1
        continue
      }
      at += 1
      while (at < end && bytes[at]! <= 0x20) at += 1
      const quote = bytes[at]
      if (at >= end) return -1
      if (quote !== quoteDouble && quote !== quoteSingle) throw broken(part)
      const start = (at += 1)
      while (at < end && bytes[at] !== quote) at += 1
      if (at >= end) return -1
      attributes.names[count] = code
      attributes.starts[count] = start
      attributes.ends[count] = at
      count += 1
      at += 1
    }
    attributes.count = count
    listener.open(name, attributes, bytes)
    if (bytes[at - 1] === slash) listener.close(name)
    return at + 1
  }

  const declaration = (at: number): number => {
    if (work[at + 2] === 0x2d && work[at + 3] === 0x2d) return after(at + 4, '-->')
    const found = work.toString('latin1', at, Math.min(at + 9, end))
    if (found === '<![CDATA[') {
      const next = after(at + 9, ']]>')
      if (next >= 0) listener.text(work, at + 9, next - 3, true)
      return next
    }
    if ('<![CDATA['.startsWith(found) || '<!--'.startsWith(found)) return -1
    throw new WindrowError('archive-unsafe', `"${part}" holds a document type, which no spreadsheet program writes.`, {
      hint: 'Open the workbook in Excel or LibreOffice and save it again, if you trust where it comes from.',
    })
  }

  const after = (from: number, mark: string): number => {
    const found = work.subarray(0, end).indexOf(mark, from, 'latin1')
    return found < 0 ? -1 : found + mark.length
  }

  return {
    push(chunk) {
      end = held + chunk.length
      if (end > work.length) {
        const larger = Buffer.allocUnsafeSlow(Math.max(end, work.length * 2))
        work.copy(larger, 0, 0, held)
        work = larger
      }
      work.set(chunk, held)
      const done = scan()
      held = end - done
      if (held > longestPiece) throw broken(part)
      work.copyWithin(0, done, end)
    },
    end() {
      if (work.toString('latin1', 0, held).trim() !== '') throw broken(part)
    },
  }
}

function broken(part: string): WindrowError {
  return new WindrowError('file-damaged', `"${part}" in the workbook is cut off or is not XML.`, {
    hint: 'Open the workbook in Excel or LibreOffice and save it again.',
  })
}
