/**
 * Scans XML as its bytes come in, as real programs write it: no tree and no strings; accepts a bare & and < in a name,
 * undeclared prefixes and attributes without quotes. Definitions of entities and endless tags are refused.
 */

import { WindrowError } from '../core/error.ts'
import { wholeLetters } from '../core/letters.ts'

/** A code for a name without its prefix, so that names compare as numbers: `<x:row>` and `<row>` are equal. */
export function nameCode(name: string): number {
  let code = hashSeed
  for (let at = 0; at < name.length; at += 1) code = Math.imul(code ^ name.charCodeAt(at), hashPrime)
  return code
}

export function nameCodes<Name extends string>(...names: readonly Name[]): Readonly<Record<Name, number>> {
  return Object.fromEntries(names.map((name) => [name, nameCode(name)])) as Readonly<Record<Name, number>>
}

const hashSeed = 0x811c9dc5 | 0
const hashPrime = 16_777_619

/** The tag just opened: where its name is without the prefix, and the name of each attribute as a code with the range of its value. */
export type Attributes = ReturnType<typeof startAttributes>

function startAttributes() {
  const [names, starts, ends]: [number[], number[], number[]] = [[], [], []]
  return { nameStart: 0, nameEnd: 0, count: 0, names, starts, ends, isEmpty: false }
}

/**
 * Called for each part. What lies from `start` to `end` of the bytes is valid only until the call returns. Text of more than 64 kB
 * comes in pieces unless the scan is strict; `literal` means that `&` is an ordinary character in it.
 */
export type XmlListener = {
  open(name: number, attributes: Attributes, bytes: Buffer): void
  text?(bytes: Buffer, start: number, end: number, literal: boolean): void
  close?(name: number): void
}

const longestTag = 1 << 20
/** What must be complete in a strict scan; a cell contains up to 32,767 characters. */
const longestStrict = 1 << 22
const longestWhole = 1 << 16
/** "&#x10FFFF;" is the longest reference there is. */
const longestReference = 10

const lessThan = 0x3c
const greaterThan = 0x3e
const slash = 0x2f
const equals = 0x3d
const colon = 0x3a
const quoteDouble = 0x22
const quoteSingle = 0x27
const more = -1

/**
 * Scans one UTF-8 document, called `name` in errors. A strict scan refuses invalid XML and gives whole texts. A scanning method
 * returns where it stopped, or `more` if bytes are missing.
 */
export class XmlScanner {
  readonly #name: string
  readonly #listener: XmlListener
  readonly #isStrict: boolean
  readonly #attributes = startAttributes()
  #bytes: Buffer = Buffer.allocUnsafeSlow(1 << 18)
  #end = 0
  #within: 'content' | 'comment' | 'literal' = 'content'

  constructor(name: string, listener: XmlListener, { isStrict = false } = {}) {
    this.#name = name
    this.#listener = listener
    this.#isStrict = isStrict
  }

  /** Takes the next bytes. */
  push(chunk: Uint8Array): void {
    const end = this.#end + chunk.length
    if (end > this.#bytes.length) {
      const larger = Buffer.allocUnsafeSlow(Math.max(end, this.#bytes.length * 2))
      this.#bytes.copy(larger, 0, 0, this.#end)
      this.#bytes = larger
    }
    this.#bytes.set(chunk, this.#end)
    this.#end = end
    let at = 0
    while (at < end) {
      const next = this.#next(at)
      if (next === more) break
      at = next
    }
    if (this.#isStrict && end - at > longestStrict) throw this.#invalid()
    if (!this.#isStrict && end - at > longestTag) throw damaged(`A tag of "${this.#name}" never ends.`)
    this.#bytes.copyWithin(0, at, end)
    this.#end = end - at
  }

  /** True if everything that began has ended, except elements. A strict scan must end completely. */
  end(): boolean {
    const isWhole = this.#within === 'content' && this.#bytes.toString('latin1', 0, this.#end).trim() === ''
    if (!isWhole && this.#isStrict) throw this.#invalid()
    return isWhole
  }

  #next(at: number): number {
    if (this.#within !== 'content') return this.#rest(at)
    return this.#bytes[at] === lessThan ? this.#tag(at) : this.#text(at)
  }

  #text(from: number): number {
    const bytes = this.#bytes
    let to = from + 1
    while (to < this.#end && bytes[to] !== lessThan) to += 1
    if (to === this.#end) {
      if (this.#isStrict || to - from < longestWhole) return more
      to = endOfWhole(bytes, to)
    }
    this.#listener.text?.(bytes, from, to, false)
    return to
  }

  /** The rest of a comment or a literal text. */
  #rest(from: number): number {
    const isLiteral = this.#within === 'literal'
    const found = this.#find(isLiteral ? ']]>' : '-->', from)
    if (found < 0 && isLiteral && (this.#isStrict || this.#end - from < longestWhole)) return more
    // Both marks end with the third character.
    const left = isLiteral ? endOfWhole(this.#bytes, this.#end - 2) : Math.max(from, this.#end - 2)
    const to = found < 0 ? left : found
    if (isLiteral) this.#listener.text?.(this.#bytes, from, to, true)
    if (found < 0) return to > from ? to : more
    this.#within = 'content'
    return found + 3
  }

  #tag(at: number): number {
    if (at + 1 >= this.#end) return more
    const second = this.#bytes[at + 1]!
    if (second === slash) return this.#closing(at + 2)
    if (second === 0x21) return this.#declaration(at)
    if (second === 0x3f) {
      const end = this.#find('?>', at + 2)
      return end < 0 ? more : end + 2
    }
    if (isNameStart(second)) return this.#opening(at + 1)
    this.#listener.text?.(this.#bytes, at, at + 1, true)
    return at + 1
  }

  #closing(from: number): number {
    const bytes = this.#bytes
    let code = hashSeed
    for (let at = from; at < this.#end; at += 1) {
      const byte = bytes[at]!
      if (byte === greaterThan) {
        this.#listener.close?.(code)
        return at + 1
      }
      if (byte === colon) code = hashSeed
      else if (byte > 0x20) code = Math.imul(code ^ byte, hashPrime)
    }
    return more
  }

  #opening(from: number): number {
    const bytes = this.#bytes
    const end = this.#end
    const attributes = this.#attributes
    let at = from
    let code = hashSeed
    attributes.nameStart = from
    attributes.count = 0
    for (; at < end; at += 1) {
      const byte = bytes[at]!
      if (byte <= 0x20 || byte === greaterThan || byte === slash) break
      code = byte === colon ? hashSeed : Math.imul(code ^ byte, hashPrime)
      if (byte === colon) attributes.nameStart = at + 1
    }
    attributes.nameEnd = at
    for (;;) {
      while (at < end && (bytes[at]! <= 0x20 || bytes[at] === slash)) at += 1
      if (at >= end) return more
      if (bytes[at] === greaterThan) break
      const next = this.#attribute(at)
      if (next === more) return more
      at = next
    }
    attributes.isEmpty = bytes[at - 1] === slash
    this.#listener.open(code, attributes, bytes)
    if (attributes.isEmpty) this.#listener.close?.(code)
    return at + 1
  }

  /** Notes an attribute; one whose quote is never closed ends with its tag. */
  #attribute(from: number): number {
    const bytes = this.#bytes
    const end = this.#end
    const attributes = this.#attributes
    let code = hashSeed
    let at = from
    for (; at < end; at += 1) {
      const byte = bytes[at]!
      if (byte === equals || byte <= 0x20 || byte === greaterThan || byte === slash) break
      code = byte === colon ? hashSeed : Math.imul(code ^ byte, hashPrime)
    }
    while (at < end && bytes[at]! <= 0x20) at += 1
    if (at >= end) return more
    if (bytes[at] !== equals) return at
    at += 1
    while (at < end && bytes[at]! <= 0x20) at += 1
    if (at >= end) return more
    const quote = bytes[at]!
    const isQuoted = quote === quoteDouble || quote === quoteSingle
    if (!isQuoted && this.#isStrict) throw this.#invalid()
    const start = isQuoted ? at + 1 : at
    at = start
    if (isQuoted) while (at < end && bytes[at] !== quote && bytes[at] !== lessThan) at += 1
    else while (at < end && bytes[at]! > 0x20 && bytes[at] !== greaterThan && bytes[at] !== lessThan) at += 1
    if (at >= end) return more
    if (bytes[at] === lessThan) return this.#find('>', from)
    attributes.names[attributes.count] = code
    attributes.starts[attributes.count] = start
    attributes.ends[attributes.count] = at
    attributes.count += 1
    return isQuoted ? at + 1 : at
  }

  #declaration(at: number): number {
    const head = this.#bytes.toString('latin1', at, Math.min(at + 9, this.#end))
    const within = head.startsWith('<!--') ? 'comment' : head === '<![CDATA[' ? 'literal' : undefined
    if (within !== undefined) {
      this.#within = within
      return at + (within === 'comment' ? 4 : 9)
    }
    if (head.length < 9) return more
    const end = this.#find('>', at)
    const declared = this.#bytes.toString('latin1', at, end < 0 ? this.#end : end)
    if (/^<!(?:ENTITY|DOCTYPE[^]*\[)/i.test(declared)) throw definesEntities(this.#name)
    return end < 0 ? more : end + 1
  }

  #invalid(): WindrowError {
    return damaged(`"${this.#name}" is cut off or is not valid XML.`)
  }

  #find(mark: string, from: number): number {
    return this.#bytes.subarray(0, this.#end).indexOf(mark, from, 'latin1')
  }
}

function isNameStart(byte: number): boolean {
  return (byte >= 0x41 && byte <= 0x5a) || (byte >= 0x61 && byte <= 0x7a) || byte === 0x5f || byte > 0x7f
}

/** The last position up to `end` where no letter and no reference is cut in two. */
function endOfWhole(bytes: Buffer, end: number): number {
  const at = wholeLetters(bytes.subarray(0, end))
  const reference = bytes.subarray(0, at).lastIndexOf('&', undefined, 'latin1')
  return reference >= at - longestReference ? reference : at
}

const named: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: '\u00a0' }

/** The text with its references resolved: `&amp;`, `&#10;`; anything else stays as written. */
export function withReferences(text: string): string {
  if (!text.includes('&')) return text
  return text.replace(
    /&(?:#x([0-9a-f]{1,6})|#(\d{1,7})|(amp|lt|gt|quot|apos|nbsp));/gi,
    (whole, hex, decimal, name) => {
      if (name !== undefined) return named[name as string] ?? whole
      const code = hex === undefined ? Number(decimal) : Number.parseInt(hex as string, 16)
      return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : whole
    },
  )
}

/** The value of the attribute with this name, with only XML's references resolved; undefined if there is none. */
export function attribute(attributes: Attributes, name: number, bytes: Buffer): string | undefined {
  const value = rawAttribute(attributes, name, bytes)
  return value === undefined ? undefined : withReferences(value)
}

/** The same, unresolved. */
export function rawAttribute(attributes: Attributes, name: number, bytes: Buffer): string | undefined {
  for (let index = 0; index < attributes.count; index += 1)
    if (attributes.names[index] === name)
      return bytes.toString('utf8', attributes.starts[index], attributes.ends[index])
  return undefined
}

function damaged(sentence: string): WindrowError {
  return new WindrowError('file-damaged', sentence, {
    hint: 'Open the file in the program that made it, and save or export it again.',
  })
}

function definesEntities(name: string): WindrowError {
  return new WindrowError('archive-unsafe', `"${name}" is not opened: it defines its own entities.`, {
    hint: 'Such a definition can fill the memory or load other files, and no map or sheet needs it. Ask where the file comes from.',
  })
}
