/** Converts one feature of ArcGIS to a row: the members of its geometry show its kind, and rings are sorted by which lies in which. */

import { isObject, jsonValue, parseExactly, type Members } from '../../core/values/exact-json.ts'
import { problem } from '../../core/problem.ts'
import type { Place, Row, Value, Values } from '../../core/row.ts'
import { shapeOf, startGathering, type Gathered, type Shape } from '../../core/shape.ts'
import { closeRings, polygonFromRings } from '../shapefile/shapefile-rings.ts'

/** The layer's properties: which attributes are times, which have codes and what they mean, and what the third number of a position is. */
export type LayerFacts = {
  readonly dates: readonly string[]
  readonly meanings: ReadonlyMap<string, ReadonlyMap<unknown, string>>
  readonly hasZ: boolean
  readonly hasM: boolean
}

type Positions = Pick<LayerFacts, 'hasZ' | 'hasM'>

const deepestNesting = 64

/** Makes the row of one feature; anything wrong with it becomes a problem of the row. */
export function rowOfArcGis(text: string, depth: number, at: Place, facts: LayerFacts): Row {
  const feature = depth > deepestNesting ? undefined : featureOf(text)
  if (feature === undefined)
    return {
      at,
      values: {},
      shape: null,
      problems: [
        problem('row-unreadable', at, {
          value: text.slice(0, 80),
          message: 'The feature is not valid JSON, or not a feature of ArcGIS.',
          hint: 'Download the file again, or repair this feature in a text editor.',
        }),
      ],
    }
  const values = valuesOf(feature.attributes ?? {}, facts)
  const shape = shapeIn(feature.geometry, facts)
  if (typeof shape !== 'string') return { at, values, shape }
  const hint = 'Ask the server for f=geojson, or draw that shape again.'
  return { at, values, shape: null, problems: [problem('geometry-wrong-type', at, { message: shape, hint })] }
}

function featureOf(text: string): { readonly attributes?: Members | null; readonly geometry?: unknown } | undefined {
  const feature = jsonValue(text, parseExactly)
  if (!isObject(feature)) return undefined
  const { attributes, geometry } = feature
  if (!isObject(attributes ?? {}) || (attributes === undefined && geometry === undefined)) return undefined
  return feature
}

/** Times are milliseconds since 1970 in UTC. A code becomes its meaning, as ArcGIS shows it. */
function valuesOf(attributes: Members, { dates, meanings }: LayerFacts): Values {
  for (const [name, ofCodes] of meanings) {
    const meaning = ofCodes.get(attributes[name])
    if (meaning !== undefined) attributes[name] = meaning
  }
  for (const name of dates) {
    const value = attributes[name]
    if (typeof value === 'number' && Math.abs(value) <= 8.64e15)
      attributes[name] = new Date(value).toISOString().replace('.000Z', 'Z')
  }
  return attributes as Readonly<Record<string, Value>>
}

/** The shape, null if there is none or an empty one, or a sentence. */
function shapeIn(geometry: unknown, layer: Positions): Shape | null | string {
  if (geometry === null || geometry === undefined) return null
  if (!isObject(geometry)) return 'The geometry is not an object.'
  if ('curveRings' in geometry || 'curvePaths' in geometry) return 'The geometry has arcs, which cannot be read.'
  const kind = (['rings', 'paths', 'points', 'x'] as const).find((each) => each in geometry)
  if (kind === undefined) return 'This kind of geometry cannot be read.'
  if (kind === 'x') return pointOf(geometry)
  const lists = kind === 'points' ? [geometry.points] : geometry[kind]
  const lines = gathered(lists, { ...layer, ...flagsOf(geometry) })
  if (typeof lines === 'string') return lines
  if (lines.ends.length === 0) return null
  if (kind === 'points') return shapeOf('MultiPoint', { ...lines, ends: [] })
  if (kind === 'paths') return shapeOf(lines.ends.length === 1 ? 'LineString' : 'MultiLineString', lines)
  return polygonFromRings(closeRings(shapeOf('Polygon', lines)).rings) ?? 'Too many of its rings cross each other.'
}

function flagsOf({ hasZ, hasM }: Members): Partial<Positions> {
  return { ...(typeof hasZ === 'boolean' ? { hasZ } : {}), ...(typeof hasM === 'boolean' ? { hasM } : {}) }
}

function gathered(lists: unknown, { hasZ, hasM }: Positions): Gathered | string {
  if (!Array.isArray(lists)) return 'The coordinates are not a list.'
  const gathered = startGathering()
  const { xy, z, m, ends } = gathered
  for (const list of lists as unknown[]) {
    if (!Array.isArray(list)) return 'The coordinates are not a list of lists.'
    for (const position of list as unknown[]) {
      const [x, y, third, fourth] = (Array.isArray(position) ? position : []) as unknown[]
      if (typeof x !== 'number' || typeof y !== 'number') return 'A position is not a pair of numbers.'
      xy.push(x, y)
      const measure = hasZ ? fourth : third
      // A vertex without a height or measure has null or "NaN" in its place.
      if (hasZ && typeof third === 'number') z.push(third)
      if (hasM && typeof measure === 'number') m.push(measure)
    }
    if (list.length > 0) ends.push(xy.length / 2)
  }
  return gathered
}

function pointOf({ x, y, z }: Members): Shape | null | string {
  // An empty point has "NaN" for x, or null.
  if (x === null || x === 'NaN') return null
  if (typeof x !== 'number' || typeof y !== 'number') return 'A position is not a pair of numbers.'
  const height = typeof z === 'number' ? { z: Float64Array.of(z) } : {}
  return { kind: 'Point', coordinates: Float64Array.of(x, y), ends: [], parts: [], ...height }
}
