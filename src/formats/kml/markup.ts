/**
 * Hides XML as people's programs really write it: a bare & or < in a name, elements closed in the wrong order, prefixes that
 * nobody declared. What could do harm (definitions of entities, nesting and tags without end) is refused.
 */

import { WindrowError } from '../../core/error.ts'

/** What is told as the text goes by. Names come without their prefix; text comes in pieces, decoded, while `isListening`. */
export type MarkupListener = {
  readonly isListening: boolean
  opened(name: string, attributes: string): void
  closed(name: string): void
  text(piece: string): void
}

/** Takes the text in pieces; `end` tells whether everything that was opened had been closed. */
export type MarkupScanner = { push(piece: string): void; end(): 'whole' | 'cut' }

const deepestNesting = 200
const longestTag = 1 << 20
/** "&#x10FFFF;" is the longest entity there is. */
const longestEntity = 10

type Mode = 'content' | 'comment' | 'literal'

/** Starts a scanner for one document. */
export function markupScanner(fileName: string, listener: MarkupListener): MarkupScanner {
  let held = ''
  let mode: Mode = 'content'
  const stack: string[] = []

  const tellText = (text: string): void => {
    if (text !== '' && listener.isListening) listener.text(text.includes('&') ? decoded(text) : text)
  }
  const open = (tag: string): void => {
    const isEmpty = tag.endsWith('/')
    const nameEnd = endOfName(tag)
    const name = tag.slice(tag.lastIndexOf(':', nameEnd) + 1, nameEnd)
    listener.opened(name, tag.slice(nameEnd))
    if (isEmpty) listener.closed(name)
    else if (stack.push(name) > deepestNesting) throw tooDeep(fileName)
  }
  /** An element that was never closed ends with the one around it; the end of one that was never opened is nothing. */
  const close = (tag: string): void => {
    const name = tag.slice(tag.indexOf(':') + 1).trim()
    if (stack.at(-1) !== name && !stack.includes(name)) return
    for (let last = stack.pop(); last !== undefined; last = stack.pop()) {
      listener.closed(last)
      if (last === name) return
    }
  }
  /** Takes what ends with `mark`; gives where it went on, or less than zero when the end has not come yet. */
  const takeUpTo = (text: string, from: number, mark: string): number => {
    const end = text.indexOf(mark, from)
    const to = end < 0 ? Math.max(from, text.length - mark.length + 1) : end
    if (mode === 'literal' && listener.isListening && to > from) listener.text(text.slice(from, to))
    if (end >= 0) mode = 'content'
    else held = text.slice(to)
    return end < 0 ? -1 : end + mark.length
  }
  /** Takes one tag, whose < stands at `from`; gives where it went on, or less than zero when its end has not come yet. */
  const takeTag = (text: string, from: number): number => {
    const code = text.charCodeAt(from + 1)
    if (code === 0x21) return takeDeclaration(text, from)
    if (code === 0x3f) return afterMark(text, from, '?>')
    if (code !== 0x2f && !isNameStart(code)) {
      if (Number.isNaN(code)) return -1
      tellText('<')
      return from + 1
    }
    const end = endOfTag(text, from)
    if (end < 0) return -1
    if (code === 0x2f) close(text.slice(from + 2, end))
    else open(text.slice(from + 1, end))
    return end + 1
  }
  const takeDeclaration = (text: string, from: number): number => {
    if (text.startsWith('<!--', from)) {
      mode = 'comment'
      return from + 4
    }
    if (text.startsWith('<![CDATA[', from)) {
      mode = 'literal'
      return from + 9
    }
    if (text.length - from < 9) return -1
    const end = text.indexOf('>', from)
    const declaration = text.slice(from, end < 0 ? text.length : end)
    if (/^<!(?:ENTITY|DOCTYPE[^]*\[)/i.test(declaration)) throw definesEntities(fileName)
    return end < 0 ? -1 : end + 1
  }
  const scan = (text: string): void => {
    let at = 0
    while (at < text.length) {
      if (mode !== 'content') {
        at = takeUpTo(text, at, mode === 'comment' ? '-->' : ']]>')
        if (at < 0) return
        continue
      }
      const tag = text.indexOf('<', at)
      if (tag < 0) {
        const to = beforeEntity(text, at)
        tellText(text.slice(at, to))
        held = text.slice(to)
        return
      }
      if (tag > at) tellText(text.slice(at, tag))
      at = takeTag(text, tag)
      if (at >= 0) continue
      held = text.slice(tag)
      if (held.length > longestTag) throw tagTooLong(fileName)
      return
    }
  }
  return {
    push(piece) {
      const text = held === '' ? piece : held + piece
      held = ''
      scan(text)
    },
    end() {
      const ending = mode === 'content' && stack.length === 0 && held.trim() === '' ? 'whole' : 'cut'
      for (let last = stack.pop(); last !== undefined && ending === 'whole'; last = stack.pop()) listener.closed(last)
      return ending
    },
  }
}

function isNameStart(code: number): boolean {
  return (code >= 0x41 && code <= 0x5a) || (code >= 0x61 && code <= 0x7a) || code === 0x5f || code > 0x7f
}

function endOfName(tag: string): number {
  for (let at = 0; at < tag.length; at += 1) {
    const code = tag.charCodeAt(at)
    if (code <= 0x20 || code === 0x2f) return at
  }
  return tag.length
}

/** Where the tag ends: a > inside quotes does not end it, unless the quote itself is never closed. */
function endOfTag(text: string, from: number): number {
  const first = text.indexOf('>', from)
  const equals = text.indexOf('=', from)
  if (equals < 0 || (first >= 0 && equals > first)) return first
  let quote = 0
  for (let at = equals; at < text.length; at += 1) {
    const code = text.charCodeAt(at)
    if (code === 0x3c) return first
    if (quote !== 0) quote = code === quote ? 0 : quote
    else if (code === 0x3e) return at
    else if (code === 0x22 || code === 0x27) quote = code
  }
  return -1
}

function afterMark(text: string, from: number, mark: string): number {
  const end = text.indexOf(mark, from)
  return end < 0 ? -1 : end + mark.length
}

/** Where the text ends that can be decoded now: an entity may go on in the next piece. */
function beforeEntity(text: string, from: number): number {
  const at = text.lastIndexOf('&')
  return at < Math.max(from, text.length - longestEntity) || text.includes(';', at) ? text.length : at
}

const entities: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: '\u00a0' }

/** Text with its entities as the characters that they stand for; what is none stays as it is written. */
export function decoded(text: string): string {
  return text.replace(/&(?:#(\d{1,7})|#[xX]([0-9a-fA-F]{1,6})|([a-z]{2,4}));/g, (whole, decimal, hex, name) => {
    if (name !== undefined) return Object.hasOwn(entities, name) ? entities[name]! : whole
    const code = decimal === undefined ? Number.parseInt(hex, 16) : Number(decimal)
    return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : whole
  })
}

// Sticky, so that a tag made to harm costs one pass.
const attribute = /[\s/]*([^\s=/]+)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+)))?/y

/** One attribute out of those of a tag, decoded, whatever its prefix; nothing when it is not there. */
export function attributeOf(attributes: string, name: string): string | undefined {
  attribute.lastIndex = 0
  for (let match = attribute.exec(attributes); match !== null; match = attribute.exec(attributes)) {
    const [, found, inDouble, inSingle, bare] = match
    if (found === name || found?.endsWith(`:${name}`)) return decoded(inDouble ?? inSingle ?? bare ?? '')
  }
  return undefined
}

function tooDeep(name: string): WindrowError {
  return new WindrowError('file-damaged', `"${name}" nests its elements more than ${deepestNesting} deep.`, {
    hint: 'Export it again; no map needs that.',
  })
}

function tagTooLong(name: string): WindrowError {
  return new WindrowError('file-damaged', `A tag of "${name}" never ends.`, { hint: 'Export it again.' })
}

function definesEntities(name: string): WindrowError {
  return new WindrowError('archive-unsafe', `"${name}" is not opened: it defines entities of its own.`, {
    hint: 'Such a definition can fill the memory or fetch other files, and no map needs it. Ask where the file comes from.',
  })
}
