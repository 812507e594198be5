/** Damages text: words of the format in wrong places, huge numbers, deep nesting. */

import { spliced, type Mutator } from './bytes.ts'
import type { Random } from './random.ts'

const csvWords = [
  '"', '""', "'", ',', ';', '\t', '|', '\n', '\r', '\r\n', '\n\n', '\0', '\ufeff', 'sep=;\n', '=1+1', '\\"', '"\n', ',"', '",',
  'POLYGON((', 'POINT(1 2)', 'SRID=2193;', 'MULTIPOLYGON EMPTY', '{"type":"Point","coordinates":[1,2]}', '01030000', '37°47\'20"S',
  '1.234,5', '1,234.5', '31/02/2026', '2026-13-45', 'Total', 'lat', 'lon', 'easting', '__proto__', 'constructor', ' ',
] // prettier-ignore
const jsonWords = [
  '{', '}', '[', ']', '"', ',', ':', '\\', '\\u', '\\ud800', 'null', 'true', '1e999', '-1e999', '1e-400', '-0', 'NaN', '-', '[]', '{}',
  '"__proto__":', '"type":', '"coordinates":', '"geometry":', '"features":[', '"properties":null', '"Feature"', '"Polygon"', '"Point"',
  '"MultiPolygon"', '"GeometryCollection"', '"geometries":[', '"crs":{"type":"name","properties":{"name":"EPSG:2193"}}', '\x1e', '\n', '\0',
] // prettier-ignore
const xmlWords = [
  '<', '>', '</', '/>', '&', '&amp;', '&#0;', '&#x110000;', '&#xd800;', '&lol;', '<![CDATA[', ']]>', '<!--', '-->', '<?xml', '?>',
  '<!DOCTYPE a [<!ENTITY b "c">]>', '<!DOCTYPE a SYSTEM "file:///etc/passwd">', ' r="XFD1048576"', ' r="A0"', ' r="AAAA1"', ' t="s"',
  ' t="inlineStr"', ' t="e"', ' t="d"', ' t="b"', '<v>99999999</v>', '<v>-1</v>', '<v>1e999</v>', '<row r="4294967296">', '<c/>', 'xml:', ' s="9999"',
  '<coordinates>', '</coordinates>', '1,2,3 4,5', '<Placemark>', '<Folder>', '<MultiGeometry>', '<outerBoundaryIs>', 'ref="A1:XFD1048576"',
  ' table:number-columns-repeated="16384"', ' table:number-rows-repeated="1048576"', '<mergeCell ref="A1:XFD1048576"/>', 'xmlns="', '"', "'",
] // prettier-ignore
const numbers = ['0', '-1', '1e308', '-1e308', '1e-308', '999999999999999999999', '4294967296', '2147483648', '65536', '180', '90', '', '.', '1.', '00', '181', 'NaN', '1e5000'] // prettier-ignore

/** The words of each kind of text. */
const wordsOf = { csv: csvWords, json: jsonWords, xml: xmlWords }

/** Kinds of text with their own words. */
export type TextKind = keyof typeof wordsOf

const encoder = new TextEncoder()

/** The ways for one kind of text. */
export function textMutators(kind: TextKind): readonly Mutator[] {
  const words = wordsOf[kind].map((word) => encoder.encode(word))
  return [
    (bytes, random) => spliced(bytes, random.below(bytes.length + 1), 0, random.pick(words)),
    (bytes, random) => {
      const at = random.below(bytes.length)
      return spliced(bytes, at, Math.min(random.below(12), bytes.length - at), random.pick(words))
    },
    atEdge(words),
    changeNumber,
    dropOrRepeatLine,
    nest(words),
  ]
}

/** The places where words start or end, so that the text keeps its form more often. */
function atEdge(words: readonly Uint8Array[]): Mutator {
  return (bytes, random) => {
    const edges = placesOf(
      bytes,
      (code) => code === 0x3c || code === 0x3e || code === 0x22 || code === 0x2c || code === 0x0a,
    )
    if (edges.length === 0) return bytes
    return spliced(bytes, random.pick(edges) + random.below(2), 0, random.pick(words))
  }
}

function placesOf(bytes: Uint8Array, isOne: (code: number) => boolean): number[] {
  const places: number[] = []
  for (let at = 0; at < bytes.length && places.length < 100_000; at += 1) if (isOne(bytes[at]!)) places.push(at)
  return places
}

function isDigit(code: number | undefined): boolean {
  return code !== undefined && code >= 0x30 && code <= 0x39
}

const changeNumber: Mutator = (bytes, random) => {
  const starts = placesOf(bytes, isDigit).filter((at) => !isDigit(bytes[at - 1]))
  if (starts.length === 0) return bytes
  const at = random.pick(starts)
  let end = at
  while (isDigit(bytes[end])) end += 1
  return spliced(bytes, at, end - at, encoder.encode(random.pick(numbers)))
}

const dropOrRepeatLine: Mutator = (bytes, random) => {
  const breaks = placesOf(bytes, (code) => code === 0x0a || code === 0x3e)
  if (breaks.length < 2) return bytes
  const which = random.below(breaks.length - 1)
  const [from, to] = [breaks[which]! + 1, breaks[which + 1]! + 1]
  const line = bytes.subarray(from, to)
  if (random.chance(0.4)) return spliced(bytes, from, line.length, new Uint8Array(0))
  return spliced(bytes, random.chance(0.5) ? from : random.pick(breaks) + 1, 0, line)
}

/** Repeats a word: the same quote, bracket or tag some thousand times. */
function nest(words: readonly Uint8Array[]): Mutator {
  return (bytes, random: Random) => {
    const word = random.pick(words)
    const times = 2 ** random.below(14)
    return spliced(bytes, random.below(bytes.length + 1), 0, Buffer.concat(Array.from({ length: times }, () => word)))
  }
}
