/** Hides how a list of geometries, each with the word whether it is sound, is held against windrow's own judgement. */

import { readFileSync } from 'node:fs'
import type { Shape } from '../../src/core/shape.ts'
import { shapeFromWkt } from '../../src/core/shapes/shape-wkt.ts'
import { tidyRings } from '../../src/geometry/measure/rings.ts'
import { findFaults, isError } from '../../src/geometry/validity/validity.ts'
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

/** The geometry of a well-known text, within the range of degrees; a sentence where it is none. */
function shapeOf(wkt: string): Shape | string {
  // A ring on its own is judged as the shell that it is: as a line it might cross itself.
  const shape = shapeFromWkt(wkt.replace(/^\s*LINEARRING\s*(\(.*\))\s*$/is, 'POLYGON ($1)'))
  return typeof shape === 'string' ? shape : withinDegrees(shape)
}

/** Divided by a power of two, which changes no side of any line. */
function withinDegrees(shape: Shape): Shape {
  const largest = shape.coordinates.reduce((most, value) => Math.max(most, Math.abs(value)), 0)
  const scale = Number.isFinite(largest) && largest > 64 ? 2 ** Math.ceil(Math.log2(largest / 64)) : 1
  const coordinates = shape.coordinates.map((value) => value / scale)
  return shape.members === undefined
    ? { ...shape, coordinates }
    : { ...shape, coordinates, members: shape.members.map(withinDegrees) }
}
