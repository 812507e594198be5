/** Converts the text of one feature to a row. */

import { isObject, jsonValue, parseExactly, type Members } from '../../core/values/exact-json.ts'
import { problem, type Problem } from '../../core/problem.ts'
import type { Place, Row, Values } from '../../core/row.ts'
import type { ShapeKind } from '../../core/shape.ts'
import { crsOfFeature, positionDepth, shapeFromGeoJson } from '../../core/shapes/shape-geojson.ts'
import { findCoordinates, type FoundCoordinates } from './geojson-coordinates.ts'
import { isGeometryType } from './geojson-scanner.ts'
import { isUtf8 } from 'node:buffer'

/** No feature of a map is nested this deeply; deeper ones would overflow programs further down. */
const deepestNesting = 64

/** Decodes the bytes of a piece; `guessed` means that they are not UTF-8 and were read as Windows-1252. */
export function pieceText(bytes: Buffer): { readonly text: string; readonly guessed: boolean } {
  const text = bytes.toString('utf8')
  if (!text.includes('\ufffd') || isUtf8(bytes)) return { text, guessed: false }
  return { text: new TextDecoder('windows-1252').decode(bytes), guessed: true }
}

/**
 * Makes the row of one feature or single geometry; anything wrong with it becomes a problem of the row.
 * `guessed` means that the bytes are not UTF-8, `repaired` that they break a rule of JSON but their meaning is clear; `crs` is the
 * coordinate system that it states.
 */
export function rowOfFeature(bytes: Buffer, depth: number, at: Place): Read & { readonly guessed: boolean } {
  const found = depth > deepestNesting ? undefined : findCoordinates(bytes)
  const read = found === undefined ? undefined : rowAround(bytes, found, at)
  if (read !== undefined) return { ...read, guessed: false }
  const { text, guessed } = pieceText(bytes)
  return { ...rowOfText(text, depth, at), guessed }
}

type Read = { readonly row: Row; readonly repaired: boolean; readonly crs?: string | undefined }

// A placeholder for the coordinates while the rest is parsed; nobody writes a minus before a single zero there.
const placeholder = '-0'

/** The row of an ordinary feature whose coordinates have already been read; undefined if it is not ordinary. */
function rowAround(bytes: Buffer, found: FoundCoordinates, at: Place): Read | undefined {
  const text = `${bytes.toString('utf8', 0, found.from)}${placeholder}${bytes.toString('utf8', found.to)}`
  if (text.includes('\ufffd')) return undefined
  const feature = jsonValue(text, parseExactly)
  if (!isObject(feature) || feature.type !== 'Feature' || !isObject(feature.geometry)) return undefined
  const { geometry, properties, id } = feature
  const kind = geometry.type as ShapeKind
  if (!Object.is(geometry.coordinates, -0) || positionDepth.get(kind) !== found.depth) return undefined
  if (!isObject(properties ?? {})) return undefined
  const row = { at, values: valuesOf((properties ?? {}) as Members, id), shape: found.shapeOf(kind) }
  return { row, repaired: false, crs: crsOfFeature(feature) }
}

function rowOfText(text: string, depth: number, at: Place): Read {
  const refused = (message: string): Read => ({
    row: unreadable(at, text, message),
    repaired: false,
  })
  if (depth > deepestNesting)
    return refused(`The feature is nested ${depth} levels deep; the limit is ${deepestNesting}.`)
  let feature: unknown
  let repaired = false
  try {
    feature = parseExactly(text)
  } catch (cause) {
    feature = parseRepaired(text)
    repaired = feature !== undefined
    if (!repaired) return refused(`The feature is not valid JSON: ${withoutText((cause as Error).message)}.`)
  }
  if (!isObject(feature)) return refused('A member of the list of features is not a feature.')
  const crs = crsOfFeature(feature)
  const twice = shapeTwice(text)
  if (twice !== undefined) return { row: withTwo(at, feature, twice), repaired, crs }
  if (isGeometryType(feature.type)) return { row: withShape(at, {}, feature), repaired, crs }
  if (feature.type !== 'Feature') return refused(`A feature has the type ${shown(feature.type)} instead of "Feature".`)
  const properties = feature.properties ?? {}
  if (!isObject(properties)) return refused('The properties of the feature are not an object.')
  const values = valuesOf(properties, feature.id)
  if (isObject(feature.place) && 'coordinates' in feature.place && !isObject(feature.geometry))
    return { row: { at, values, shape: null, problems: [placedElsewhere(at)] }, repaired }
  return { row: withShape(at, values, feature.geometry), repaired, crs }
}

// Texts are matched only to be skipped; one that is never closed runs to the end, so that none is tried twice.
const oddities = /"(?:[^"\\]|\\[^])*"?|[+-]?\b(?:NaN|Infinity)\b|,(?=\s*[}\]])/g

// The regular expression would overflow on longer text; no feature of that size is written by hand.
const longestToRepair = 1 << 20

/** Reads JSON as Python and people write it: NaN for a missing number, a comma after the last member. */
function parseRepaired(text: string): unknown {
  if (text.length > longestToRepair) return undefined
  const repaired = text.replace(oddities, (found) => (found.startsWith('"') ? found : found === ',' ? '' : 'null'))
  return jsonValue(repaired, parseExactly)
}

function valuesOf(properties: Members, id: unknown): Values {
  // windrow's own exports also have the id in a column called Id.
  const isThere = Object.hasOwn(properties, 'id') || (id !== undefined && properties['Id'] === id)
  if ((typeof id === 'string' || typeof id === 'number') && !isThere) properties.id = id
  // Parsed from JSON, so every member is a Value, and __proto__ is an ordinary member.
  return properties as Values
}

function withShape(at: Place, values: Values, geometry: unknown): Row {
  if (geometry === null || geometry === undefined) return { at, values, shape: null }
  const shape = shapeFromGeoJson(geometry)
  if (typeof shape !== 'string') return { at, values, shape }
  const code = shape.includes('pair of numbers') ? 'coordinate-not-a-number' : 'geometry-wrong-type'
  return { at, values, shape: null, problems: [problem(code, at, { message: shape })] }
}

const texts = /"[^"\\]*(?:\\[^][^"\\]*)*"(\s*:)?|[{}]/g

/** The member for a shape that one object has twice, of which JSON.parse would take the last. */
function shapeTwice(text: string): string | undefined {
  const names = ['"geometry"', '"coordinates"']
  if (names.every((name) => text.indexOf(name) === text.lastIndexOf(name))) return undefined
  const open: Set<string>[] = []
  for (const [found, colon] of text.matchAll(texts)) {
    const name = colon === undefined ? found : found.slice(0, -colon.length)
    if (found === '{') open.push(new Set())
    else if (found === '}') open.pop()
    else if (colon !== undefined && names.includes(name)) {
      if (open.at(-1)?.has(name) === true) return name
      open.at(-1)?.add(name)
    }
  }
  return undefined
}

function withTwo(at: Place, { properties, id }: Members, member: string): Row {
  const found = problem('geometry-wrong-type', at, {
    message: `The feature has two members ${member}, so nobody knows which boundary is right.`,
    hint: 'Remove the wrong one in a text editor, or export the file again.',
  })
  return { at, values: valuesOf(isObject(properties) ? properties : {}, id), shape: null, problems: [found] }
}

/** JSON-FG leaves out the geometry if its `place` is in another system than longitude and latitude. */
function placedElsewhere(at: Place): Problem {
  return problem('geometry-wrong-type', at, {
    message: 'The boundary of the feature is in the member "place" (JSON-FG), which cannot be read.',
    hint: 'Export the file as GeoJSON (RFC 7946), or as GeoPackage.',
  })
}

function unreadable(at: Place, text: string, message: string): Row {
  const found: Problem = problem('row-unreadable', at, {
    value: text.slice(0, 80),
    message,
    hint: 'Export the file again, or repair this feature in a text editor.',
  })
  return { at, values: {}, shape: null, problems: [found] }
}

/** The message of JSON.parse quotes the text around the fault, which may be large and is shown as the value anyway. */
function withoutText(message: string): string {
  return message.replace(/,? *(\.\.\.)?".*$/s, '').slice(0, 100)
}

function shown(value: unknown): string {
  return JSON.stringify(value)?.slice(0, 40) ?? 'nothing'
}
