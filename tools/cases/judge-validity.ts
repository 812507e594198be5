/** Hides how a list of geometries, each with the word whether it is sound, is held against windrow's own judgement. */

import { readFileSync } from 'node:fs'
import type { Shape } from '../../src/core/shape.ts'
import { shapeFromGeoJson } from '../../src/core/shape-geojson.ts'
import { tidyRings } from '../../src/geometry/rings.ts'
import { findFaults, isError } from '../../src/geometry/validity.ts'
import type { Oracle } from './case.ts'
import type { Judgement } from './judgement.ts'

type Drawn = { readonly desc?: string; readonly op?: string; readonly wkt?: string; readonly expected?: unknown }

/**
 * Holds each geometry of the file. A boundary that touches itself is no valid polygon by the book, but a sound field: windrow
 * notes it and keeps it, so a note is enough for it.
 */
export function judgeValidity(judgement: Judgement, path: string, { cases, expectedFalse }: Oracle): void {
  const listed = JSON.parse(readFileSync(path, 'utf8')) as unknown
  judgement.hold(Array.isArray(listed), 'the file is no list of geometries')
  if (!Array.isArray(listed)) return
  if (cases !== undefined) judgement.hold(listed.length === cases, `${listed.length} geometries, expected ${cases}`)
  const wrong = listed.filter(({ expected }: Drawn) => expected === false).length
  if (expectedFalse !== undefined)
    judgement.hold(wrong === expectedFalse, `${wrong} are said to be wrong, expected ${expectedFalse}`)
  for (const { desc = '', op = 'isvalid', wkt = '', expected } of listed as readonly Drawn[]) {
    if (!/^is_?valid$/i.test(op)) {
      judgement.remark(`Not judged: the operation ${op}.`)
      continue
    }
    const shape = shapeOf(wkt)
    if (typeof shape === 'string') {
      judgement.hold(expected === false, `${desc}: ${shape}`)
      continue
    }
    if (shape.coordinates.length === 0 && shape.members === undefined) {
      judgement.remark(`Not judged: ${desc.trim()}. Where there are no coordinates windrow says that they are missing.`)
      continue
    }
    const faults = findFaults(tidyRings(shape).shape)
    const refused = faults.find(isError)
    if (expected === true) judgement.hold(refused === undefined, `${desc}: it is valid, but: ${refused?.message ?? ''}`)
    else judgement.hold(faults.length > 0, `${desc}: it is not valid, and nothing was said`)
    if (expected === false && refused === undefined && faults.length > 0)
      judgement.remark(`Noted and kept: ${desc.trim()}`)
  }
}

const kinds: Readonly<Record<string, string>> = {
  POINT: 'Point',
  MULTIPOINT: 'MultiPoint',
  LINESTRING: 'LineString',
  LINEARRING: 'Polygon',
  MULTILINESTRING: 'MultiLineString',
  POLYGON: 'Polygon',
  MULTIPOLYGON: 'MultiPolygon',
}

/** The geometry of a well-known text, within the range of degrees; a sentence where it is none. */
function shapeOf(wkt: string): Shape | string {
  const [, word = '', body = ''] = /^\s*([A-Za-z]+)\s*(?:Z|M|ZM)?\s*(\(.*\)|EMPTY)\s*$/is.exec(wkt) ?? []
  if (word.toUpperCase() === 'GEOMETRYCOLLECTION') return collectionOf(body)
  const kind = kinds[word.toUpperCase()]
  if (kind === undefined) return `"${wkt.slice(0, 40)}" is no geometry that is known here.`
  const coordinates = coordinatesOf(kind, body)
  // A ring on its own is judged as the shell that it is: as a line it might cross itself.
  const isRing = /^linearring$/i.test(word)
  const shape = shapeFromGeoJson({ type: kind, coordinates: isRing ? [coordinates] : coordinates })
  if (typeof shape === 'string') return shape
  const largest = shape.coordinates.reduce((most, value) => Math.max(most, Math.abs(value)), 0)
  // By a power of two, which changes no side of any line.
  const scale = Number.isFinite(largest) && largest > 64 ? 2 ** Math.ceil(Math.log2(largest / 64)) : 1
  return { ...shape, coordinates: shape.coordinates.map((value) => value / scale) }
}

function collectionOf(body: string): Shape | string {
  const texts =
    body === 'EMPTY'
      ? []
      : (body.slice(1, -1).match(/[A-Za-z]+\s*(?:EMPTY|\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\))/g) ?? [])
  const members = texts.map(shapeOf)
  const broken = members.find((member) => typeof member === 'string')
  if (broken !== undefined) return broken
  const whole = members.filter((member) => typeof member !== 'string')
  return { kind: 'GeometryCollection', coordinates: new Float64Array(0), ends: [], parts: [], members: whole }
}

function coordinatesOf(kind: string, body: string): unknown {
  const list = body.replaceAll(/EMPTY/gi, '()').replaceAll(/[+-]?(?:nan|inf(?:inity)?)\b/gi, 'null')
  const json = list
    .replaceAll(/[^(),]+/g, (numbers) => (numbers.trim() === '' ? '' : `[${numbers.trim().split(/\s+/).join(',')}]`))
    .replaceAll('(', '[')
    .replaceAll(')', ']')
  const nested = JSON.parse(json) as unknown[]
  if (kind === 'Point') return nested[0] ?? []
  const isWrapped = kind === 'MultiPoint' && Array.isArray((nested[0] as unknown[] | undefined)?.[0])
  return isWrapped ? nested.map((point) => (point as unknown[])[0]) : nested
}
