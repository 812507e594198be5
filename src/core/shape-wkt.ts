/** Hides how a flat shape becomes well-known text; wkt-reader.ts goes the other way. */

import type { Shape } from './shape.ts'

/** Writes a shape as well-known text, coordinates as they are; heights make it `Z`, measures are left out. */
export function wktText(shape: Shape): string {
  const { kind, coordinates, ends, parts, z } = shape
  const word = `${kind.toUpperCase()}${z === undefined ? '' : ' Z'}`
  if (kind === 'GeometryCollection') {
    const members = shape.members ?? []
    return members.length === 0 ? 'GEOMETRYCOLLECTION EMPTY' : `GEOMETRYCOLLECTION (${members.map(wktText).join(', ')})`
  }
  if (coordinates.length === 0) return `${word} EMPTY`
  const position = (vertex: number): string =>
    `${coordinates[vertex * 2]!} ${coordinates[vertex * 2 + 1]!}${z === undefined ? '' : ` ${z[vertex]!}`}`
  const run = (from: number, to: number): string => {
    let text = '('
    for (let vertex = from; vertex < to; vertex += 1)
      text += vertex === from ? position(vertex) : `, ${position(vertex)}`
    return `${text})`
  }
  const lines = (from: number, to: number): string => {
    let text = '('
    for (let line = from; line < to; line += 1)
      text += `${line === from ? '' : ', '}${run(line === 0 ? 0 : ends[line - 1]!, ends[line]!)}`
    return `${text})`
  }
  if (kind === 'Point' || kind === 'LineString') return `${word} ${run(0, coordinates.length / 2)}`
  if (kind === 'MultiPoint')
    return `${word} (${Array.from({ length: coordinates.length / 2 }, (_, vertex) => `(${position(vertex)})`).join(', ')})`
  if (kind !== 'MultiPolygon') return `${word} ${lines(0, ends.length)}`
  const polygons = parts.map((end, part) => lines(part === 0 ? 0 : parts[part - 1]!, end))
  return `${word} (${polygons.join(', ')})`
}
