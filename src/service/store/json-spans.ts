/**
 * Finds the elements and members in the bytes of a JSON text, so that a record is stored as it was sent, to the last digit, and
 * served without parsing its coordinates.
 */

export type Span = { readonly start: number; readonly end: number }

/** An element of a list; `members` counts the members of all objects in it. */
export type Element = Span & { readonly members: number }

/** A member of an object: `start` is where its name begins, `value` where its value begins, `end` behind its value. */
export type Member = Span & { readonly name: string; readonly value: number }

const quote = 0x22
const backslash = 0x5c
const comma = 0x2c
const opensList = 0x5b
const closesList = 0x5d

// The role of each byte in the structure; 0 for none.
const opens = 1
const closes = 2
const parts = 3
const begins = 4
const names = 5
const roles = new Uint8Array(256)
for (const [role, bytes] of [
  [opens, '{['],
  [closes, '}]'],
  [parts, ','],
  [begins, '"'],
  [names, ':'],
] as const)
  for (const byte of bytes) roles[byte.charCodeAt(0)] = role

/**
 * The elements in the text of a list, in order, or the limit that it breaks (how deep its brackets may nest, how many elements it
 * may have), or that it is not a list. The caller checks each element with JSON.parse: the text is JSON when all of them are.
 */
export function elementSpans(
  bytes: Uint8Array,
  limits: { readonly deepest: number; readonly most: number },
): readonly Element[] | 'too deep' | 'too many' | 'no list' {
  const elements: Element[] = []
  const first = afterBlanks(bytes, bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0)
  if (bytes[first] !== opensList) return 'no list'
  let depth = 0
  let [start, members] = [0, 0]
  for (let at = first; at < bytes.length; at += 1) {
    const role = roles[bytes[at]!]!
    if (role === 0) continue
    if (role === begins) at = endOfText(bytes, at) - 1
    else if (role === names) members += 1
    else if (role === opens) {
      depth += 1
      if (depth > limits.deepest) return 'too deep'
      if (depth === 1) start = at + 1
    } else if (role === closes) {
      depth -= 1
      if (depth > 0) continue
      if (bytes[at] !== closesList || afterBlanks(bytes, at + 1) < bytes.length) return 'no list'
      const isEmpty = elements.length === 0 && afterBlanks(bytes, start) === at
      return isEmpty ? [] : [...elements, { start, end: at, members }]
    } else if (depth === 1) {
      elements.push({ start, end: at, members })
      if (elements.length >= limits.most) return 'too many'
      start = at + 1
      members = 0
    }
  }
  return 'no list'
}

/** The members of the object in a span, in order. The text must be JSON. */
export function memberSpans(bytes: Uint8Array, span: Span): readonly Member[] {
  return bareMembers(bytes, { start: afterBlanks(bytes, span.start) + 1, end: span.end })
}

/** The same for the text of an object without its braces. */
export function bareMembers(bytes: Uint8Array, span: Span = { start: 0, end: bytes.length }): readonly Member[] {
  const members: Member[] = []
  let at = span.start
  while (at < span.end) {
    at = afterBlanks(bytes, at)
    if (bytes[at] !== quote) break
    const nameEnd = endOfText(bytes, at)
    const value = afterBlanks(bytes, afterBlanks(bytes, nameEnd) + 1)
    const end = endOfValue(bytes, value)
    members.push({ name: nameOf(bytes, at, nameEnd), start: at, value, end })
    at = afterBlanks(bytes, end)
    if (bytes[at] !== comma) break
    at += 1
  }
  return members
}

/** The last member of a name, the one that JSON.parse keeps. */
export function lastNamed(members: readonly Member[], name: string): Member | undefined {
  return members.findLast((member) => member.name === name)
}

/** The text of an object's members without its braces and without the members of these names. */
export function textWithout(bytes: Uint8Array, members: readonly Member[], names: ReadonlySet<string>): Uint8Array {
  const runs: Uint8Array[] = []
  let from = -1
  let to = -1
  const close = (): void => {
    if (from >= 0) runs.push(bytes.subarray(from, to))
    from = -1
  }
  for (const member of members) {
    if (names.has(member.name)) close()
    else {
      if (from < 0) from = member.start
      to = member.end
    }
  }
  close()
  if (runs.length === 1) return runs[0]!
  return Buffer.concat(runs.flatMap((run, index) => (index === 0 ? [run] : [separator, run])))
}

const separator = Buffer.from(',')

function nameOf(bytes: Uint8Array, start: number, end: number): string {
  let name = ''
  for (let at = start + 1; at < end - 1; at += 1) {
    const byte = bytes[at]!
    if (byte === backslash || byte > 0x7f)
      return JSON.parse(Buffer.from(bytes.subarray(start, end)).toString()) as string
    name += String.fromCharCode(byte)
  }
  return name
}

function afterBlanks(bytes: Uint8Array, from: number): number {
  let at = from
  while (at < bytes.length && (bytes[at] === 0x20 || bytes[at] === 0x0a || bytes[at] === 0x0d || bytes[at] === 0x09))
    at += 1
  return at
}

function endOfText(bytes: Uint8Array, from: number): number {
  let at = from + 1
  while (at < bytes.length && bytes[at] !== quote) at += bytes[at] === backslash ? 2 : 1
  return at + 1
}

function endOfValue(bytes: Uint8Array, from: number): number {
  const first = roles[bytes[from]!]
  if (first === begins) return endOfText(bytes, from)
  let at = from
  if (first !== opens) {
    while (at < bytes.length && bytes[at]! > 0x20 && bytes[at] !== comma && roles[bytes[at]!] !== closes) at += 1
    return at
  }
  for (let depth = 0; at < bytes.length; at += 1) {
    const role = roles[bytes[at]!]!
    if (role === 0 || role === parts || role === names) continue
    if (role === begins) at = endOfText(bytes, at) - 1
    else if (role === opens) depth += 1
    else {
      depth -= 1
      if (depth === 0) return at + 1
    }
  }
  return at
}

/** The text of the geometry in the body of a record, undefined where it has none. */
export function geometryText(body: Uint8Array): Uint8Array | undefined {
  const spatial = lastNamed(bareMembers(body), 'spatialFeature')
  return spatial === undefined ? undefined : geometryIn(body, spatial)
}

/** The text of the geometry in a member that is a GeoJSON Feature, undefined where it has none. */
export function geometryIn(body: Uint8Array, spatial: Member): Uint8Array | undefined {
  if (body[spatial.value] !== 0x7b) return undefined
  const member = lastNamed(memberSpans(body, { start: spatial.value, end: spatial.end }), 'geometry')
  return member === undefined || body[member.value] !== 0x7b ? undefined : body.subarray(member.value, member.end)
}
