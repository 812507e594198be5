/** Collects what the report's page shows of each record: name, crop, areas, and a simplified boundary for the map. */

import type { Row } from '../../core/row.ts'
import type { Shape } from '../../core/shape.ts'
import type { Crs } from '../../geometry/crs/crs.ts'
import { isProjectionFault, projectorFor } from '../../geometry/projection/project.ts'
import { areaOf } from '../../geometry/measure/measure.ts'
import { crossesDateline, unwrapLongitudes } from '../../geometry/measure/rings.ts'
import { outline } from '../../geometry/coverage/simplify.ts'
import { boundaryOf, type Body } from '../../ledger/content.ts'
import { convert, unitOfCode } from '../../resources/units.ts'
import { entriesIn } from '../../resources/groups.ts'
import { measureOf } from '../evidence/changed-values.ts'
import type { Paddock } from '../../web/farm-map.ts'

/** A row as the page shows it, before anybody knows its outcome. */
export type Pictured = Omit<Paddock, 'id' | 'outcome'>

/** What a row became: `body` without its boundary, and the body that the record has in the service. */
export type Settled = {
  readonly key: string | null
  readonly body: Body
  readonly areaM2: number | undefined
  readonly previous?: Body | undefined
  readonly isUpdate?: boolean
}

/** A page in the making. It takes only the first rows, and few of a large file, so that a report stays small. */
export type Picture = ReturnType<typeof startPicture>

/** A page shows all rows of a file up to this number. */
export const mostPictured = 10_000
const mostOfLarger = 1_500
const mostNumbers = 1_000_000
/** About a metre: finer than a screen shows. */
const toleranceDegrees = 1e-5

/** Starts a page; boundaries are in the given coordinate system, if there are any. `expected` is the number of rows, if known. */
export function startPicture(
  crs: Crs | undefined,
  expected: number | undefined,
  { most, ofLarger } = { most: mostPictured, ofLarger: mostOfLarger },
) {
  const project = crs && projectorFor(crs)
  const pictured: Pictured[] = []
  let numbers = 0
  // One row too many shows that a file is larger.
  let enough = most + 1
  const expect = (rows: number): void => {
    if (rows > most) enough = ofLarger
  }
  if (expected !== undefined) expect(expected)
  const projected = ({ shape }: Row): Shape | undefined => {
    if (!project || !shape || shape.members !== undefined) return undefined
    const found = project(shape)
    return isProjectionFault(found) ? undefined : found
  }
  return {
    add(row: Row, { key, body, areaM2, previous, isUpdate }: Settled): void {
      // A file without boundaries does not change those of the service.
      const kept = row.shape === undefined && previous !== undefined ? boundaryOf(previous) : undefined
      const shape = numbers > mostNumbers ? undefined : (projected(row) ?? kept)
      const rings = shape === undefined ? [] : outlineRings(shape)
      for (const ring of rings) numbers += ring.length
      pictured.push({
        row: row.at.row,
        key,
        ...describeBody(body),
        ...areaMember('areaM2', areaM2 ?? (kept === undefined ? statedArea(body) : areaOf(kept))),
        ...(isUpdate && previous && areaMember('beforeM2', areaOfBody(previous))),
        rings,
      })
    },
    isFull: () => pictured.length >= enough,
    /** It is full after this many rows. */
    get enough() {
      return enough
    },
    /** Says about how many rows there are, where the file does not. */
    expect,
    rows: (): readonly Pictured[] => (pictured.length > most ? pictured.slice(0, ofLarger) : pictured),
    /** Forgets all rows: they are read again. */
    startOver(): void {
      pictured.splice(0)
      numbers = 0
    },
  }
}

/** A record as the page shows it, from its whole body. */
export function pictureBody(row: number, key: string, body: Body): Pictured {
  const shape = boundaryOf(body)
  return {
    row,
    key,
    ...describeBody(body),
    ...areaMember('areaM2', areaOfBody(body)),
    rings: shape === undefined ? [] : outlineRings(shape),
  }
}

function describeBody(body: Body): Pick<Pictured, 'name' | 'crop'> {
  const { name } = body
  const crops = entriesIn(body, 'crops').map((each) => each['name'])
  const named = crops.filter((each) => typeof each === 'string').join(', ')
  return { ...(typeof name === 'string' ? { name } : {}), ...(named === '' ? {} : { crop: named }) }
}

function areaMember(name: 'areaM2' | 'beforeM2', areaM2: number | undefined): Partial<Pictured> {
  return areaM2 === undefined || areaM2 === 0 ? {} : { [name]: Math.round(areaM2) }
}

/** The area inside the boundary, as for new records; without a boundary the area that is written in the record. */
function areaOfBody(body: Body): number | undefined {
  const shape = boundaryOf(body)
  return shape === undefined ? statedArea(body) : areaOf(shape)
}

function statedArea({ totalArea }: Body): number | undefined {
  const { measurement, units } = measureOf(totalArea) ?? {}
  if (measurement === undefined || typeof units !== 'string' || unitOfCode(units)?.kind !== 'area') return undefined
  return convert(measurement, units, 'MTK')
}

function outlineRings(shape: Shape): Pictured['rings'] {
  if (shape.ends.length === 0) return []
  const whole = crossesDateline(shape) ? unwrapLongitudes(shape) : shape
  const { coordinates, ends } = outline(whole, toleranceDegrees)
  return ends.map((end, index) => {
    const ring = coordinates.subarray(index === 0 ? 0 : ends[index - 1]! * 2, end * 2)
    return Array.from(ring, (degrees) => Math.round(degrees * 1e6) / 1e6)
  })
}
