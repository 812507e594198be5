/**
 * Draws a layer of any size as a small picture of Braille dots, shape by shape: the canvas doubles its area whenever a shape
 * lies outside.
 */

import { boxAround, type Shape } from '../../core/shape.ts'

const side = 512
/** A larger coordinate is a mistake, and is left out. */
const farthest = 1e9

type Canvas = { dots: Uint8Array; west: number; south: number; cell: number }

/** Starts a picture. */
export function startSketch() {
  const canvas: Canvas = { dots: new Uint8Array(side * side), west: 0, south: 0, cell: 0 }
  return {
    add: (shape: Shape) => addShape(canvas, shape),
    /** The lines of the picture; none where nothing was drawn. */
    lines: (limits: Limits) => braille(canvas, limits),
  }
}

function addShape(canvas: Canvas, shape: Shape): void {
  for (const member of shape.members ?? []) addShape(canvas, member)
  const { coordinates, ends } = shape
  const isUsable = coordinates.length > 0 && coordinates.every((each) => Math.abs(each) < farthest)
  if (!isUsable) return
  makeRoom(canvas, coordinates)
  if (ends.length === 0) for (let at = 0; at < coordinates.length; at += 2) line(canvas, coordinates, at, at)
  let from = 0
  for (const end of ends) {
    if (end === from + 1) line(canvas, coordinates, from * 2, from * 2)
    for (let at = from * 2; at < end * 2 - 2; at += 2) line(canvas, coordinates, at, at + 2)
    from = end
  }
}

function makeRoom(canvas: Canvas, coordinates: Float64Array): void {
  const [west, south, east, north] = boxAround(coordinates)
  if (canvas.cell === 0) {
    // The first shape takes the middle quarter.
    canvas.cell = Math.max(east - west, north - south, 1e-6) / (side / 4)
    canvas.west = (west + east) / 2 - (canvas.cell * side) / 2
    canvas.south = (south + north) / 2 - (canvas.cell * side) / 2
  }
  for (;;) {
    const ground = canvas.cell * side
    const [isWest, isSouth] = [west < canvas.west, south < canvas.south]
    if (!isWest && !isSouth && east < canvas.west + ground && north < canvas.south + ground) return
    double(canvas, isWest, isSouth)
  }
}

function double(canvas: Canvas, toWest: boolean, toSouth: boolean): void {
  const dots = new Uint8Array(side * side)
  const [right, up] = [toWest ? side / 2 : 0, toSouth ? side / 2 : 0]
  for (let y = 0; y < side; y++)
    for (let x = 0; x < side; x++)
      if (canvas.dots[y * side + x] === 1) dots[((y >> 1) + up) * side + (x >> 1) + right] = 1
  if (toWest) canvas.west -= canvas.cell * side
  if (toSouth) canvas.south -= canvas.cell * side
  canvas.cell *= 2
  canvas.dots = dots
}

function columnOf(canvas: Canvas, x: number): number {
  return Math.floor((x - canvas.west) / canvas.cell)
}

function rowOf(canvas: Canvas, y: number): number {
  return Math.floor((y - canvas.south) / canvas.cell)
}

/** Draws from the vertex at one place to that at another, or a dot where both are the same. */
function line(canvas: Canvas, coordinates: Float64Array, from: number, to: number): void {
  const x0 = columnOf(canvas, coordinates[from]!)
  const y0 = rowOf(canvas, coordinates[from + 1]!)
  const x1 = columnOf(canvas, coordinates[to]!)
  const y1 = rowOf(canvas, coordinates[to + 1]!)
  const steps = Math.max(Math.abs(x1 - x0), Math.abs(y1 - y0))
  for (let step = 0; step <= steps; step++) {
    const part = steps === 0 ? 0 : step / steps
    canvas.dots[Math.round(y0 + (y1 - y0) * part) * side + Math.round(x0 + (x1 - x0) * part)] = 1
  }
}

function boundsOf({ dots }: Canvas) {
  let [left, bottom, right, top] = [side, side, -1, -1]
  for (let y = 0; y < side; y++)
    for (let x = 0; x < side; x++) {
      if (dots[y * side + x] === 0) continue
      left = Math.min(left, x)
      right = Math.max(right, x)
      bottom = Math.min(bottom, y)
      top = y
    }
  return right === -1 ? undefined : { left, bottom, right, top }
}

// The dots of a Braille character, two across and four down.
const dotBits = [
  [0x01, 0x08],
  [0x02, 0x10],
  [0x04, 0x20],
  [0x40, 0x80],
] as const

/** The most characters that the picture is wide and tall. */
type Limits = { readonly wide: number; readonly tall: number; readonly isLonLat: boolean }

function braille(canvas: Canvas, { wide, tall, isLonLat }: Limits): readonly string[] {
  const bounds = boundsOf(canvas)
  if (bounds === undefined) return []
  const { left, bottom, right, top } = bounds
  const middle = canvas.south + ((bottom + top) / 2) * canvas.cell
  // A degree of longitude is shorter than one of latitude by the cosine of the latitude.
  const squeeze = isLonLat ? Math.max(0.1, Math.cos((middle * Math.PI) / 180)) : 1
  const across = (right - left + 1) * squeeze
  const scale = Math.min((wide * 2) / across, (tall * 4) / (top - bottom + 1), 1)
  const rows = Math.ceil(((top - bottom + 1) * scale) / 4)
  const letters = Array.from({ length: rows }, () => new Uint8Array(Math.ceil((across * scale) / 2)))
  for (let y = bottom; y <= top; y++)
    for (let x = left; x <= right; x++) {
      if (canvas.dots[y * side + x] === 0) continue
      const column = Math.floor((x - left) * squeeze * scale)
      const row = Math.floor((top - y) * scale)
      letters[row >> 2]![column >> 1]! |= dotBits[row & 3]![column & 1]!
    }
  return letters.map((line) =>
    String.fromCharCode(...Array.from(line, (bits) => 0x2800 + bits)).replace(/\u2800+$/, ''),
  )
}
