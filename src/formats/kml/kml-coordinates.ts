/** Reads coordinates from text, also with unusual commas and blanks. */

/** Vertices: `xy` in pairs, and the heights of those that have one. */
export type Vertices = { readonly xy: number[]; readonly heights: number[] }

/** An empty list. */
export function startVertices(): Vertices {
  return { xy: [], heights: [] }
}

function push({ xy, heights }: Vertices, x: number, y: number, height: number | undefined): void {
  xy.push(x, y)
  if (height !== undefined) heights.push(height)
}

/**
 * Adds the tuples of a text: longitude, latitude and perhaps height separated by commas, tuples separated by blanks. Returns the
 * first part that does not fit; then nothing was added.
 */
export function addCoordinates(vertices: Vertices, text: string): string | undefined {
  const { xy, heights } = vertices
  const before = { xy: xy.length, heights: heights.length }
  const tryTuples = (written: string): string | undefined => {
    const fault = addTuples(vertices, written)
    if (fault === undefined) return undefined
    xy.length = before.xy
    heights.length = before.heights
    return fault
  }
  const fault = tryTuples(text)
  if (fault === undefined) return undefined
  // "1,2, 3,4," has a comma after each tuple; "1, 2, 3" has blanks inside one. This is tried only if the first reading fails.
  const tidied = text.replace(/,(?=\s|$)/g, ' ')
  if (tidied !== text && tryTuples(tidied) === undefined) return undefined
  // "1,2,0,3,4,0" has no blanks at all. Google Earth reads it as tuples of three, so that is what people saw on the map.
  const numbers = /^[\d.,eE+-]+$/.test(text.trim()) ? text.trim().split(',') : []
  const isRunOn = numbers.length > 3 && numbers.length % 3 === 0
  return isRunOn && tryTuples(inThrees(numbers)) === undefined ? undefined : fault
}

function inThrees(numbers: readonly string[]): string {
  return numbers.map((number, index) => `${number}${index % 3 === 2 ? ' ' : ','}`).join('')
}

const comma = 0x2c

function isBlank(code: number): boolean {
  return code <= 0x20 || code === 0xa0 || code === 0xfeff
}

/** One pass over the text. */
function addTuples(vertices: Vertices, text: string): string | undefined {
  const { length } = text
  let at = 0
  let size = 0
  let x = 0
  let y = 0
  let height = 0
  for (;;) {
    while (at < length && isBlank(text.charCodeAt(at))) at += 1
    const code = at < length ? text.charCodeAt(at) : -1
    if (code !== comma && size > 0) {
      if (size < 2) return excerpt(text, at)
      push(vertices, x, y, size > 2 ? height : undefined)
      size = 0
    }
    if (code < 0) return undefined
    if (code === comma) {
      if (size === 0 || size === 3) return excerpt(text, at)
      at += 1
      while (at < length && isBlank(text.charCodeAt(at))) at += 1
    }
    const from = at
    while (at < length && text.charCodeAt(at) !== comma && !isBlank(text.charCodeAt(at))) at += 1
    const value = numberOf(text.slice(from, at))
    if (Number.isNaN(value)) return excerpt(text, from)
    if (size === 0) x = value
    else if (size === 1) y = value
    else height = value
    size += 1
  }
}

function numberOf(text: string): number {
  return text === '' || /[^\d.eE+-]/.test(text) ? Number.NaN : Number(text)
}

function excerpt(text: string, at: number): string {
  return text
    .slice(Math.max(0, at - 20), at + 20)
    .replace(/\s+/g, ' ')
    .trim()
}

/** Adds one tuple of a track, whose numbers are separated by blanks. Returns the text if it is not one. */
export function addTrackPoint(vertices: Vertices, text: string): string | undefined {
  const numbers = text.trim().split(/[\s,]+/).map(numberOf) // oxfmt-ignore
  const [x, y, height] = numbers
  if (x === undefined || y === undefined || numbers.length > 3 || numbers.some(Number.isNaN)) return text.slice(0, 40)
  push(vertices, x, y, height)
  return undefined
}
