/** Collects what the report's page shows of each record: name, crop, areas, and a simplified boundary for the map. */

import type { Row } from '../../core/row.ts'
import type { Shape } from '../../core/shape.ts'
import type { Crs } from '../../geometry/crs/crs.ts'
import { isProjectionFault, projectorFor } from '../../geometry/projection/project.ts'
import { areaOf } from '../../geometry/measure/measure.ts'
import { crossesDateline, unwrapLongitudes } from '../../geometry/measure/rings.ts'
import { outline } from '../../geometry/coverage/simplify.ts'
import { boundaryOf, type Body } from '../../ledger/content.ts'
import { convert, measureOf, unitOfCode } from '../../resources/units.ts'
import { entriesIn } from '../../resources/groups.ts'
import { mostDrawn, mostListed, type Paddock } from '../../web/farm-map.ts'

/** A row as the page shows it, before anybody knows its outcome. */
export type Pictured = Omit<Paddock, 'id' | 'outcome'>

/** What a row became: `body` without its boundary, and the body that the record has in the service. */
export type Settled = {
  readonly key: string | null
  readonly body: Body
  readonly areaM2: number | undefined
  readonly previous?: Body | undefined
  /** None for a row that was rejected. */
  readonly action?: string
  readonly hasFinding?: boolean
}

/** A page in the making. */
export type Picture = ReturnType<typeof startPicture>

const mostNumbers = 1_000_000
/** About a metre: finer than a screen shows. */
const toleranceDegrees = 1e-5

/**
 * Starts a page; boundaries are in the given coordinate system, if there are any. It keeps few outlines of any file: of the rows that
 * stand out, of new records and of unchanged ones, each evenly over the file.
 */
export function startPicture(crs: Crs | undefined, { listed, drawn } = { listed: mostListed, drawn: mostDrawn }) {
  const project = crs && projectorFor(crs)
  let rest: Pictured[] = []
  let kinds = startKinds(drawn)
  let added = 0
  let numbers = 0
  const projected = ({ shape }: Row): Shape | undefined => {
    if (!project || !shape || shape.members !== undefined) return undefined
    const found = project(shape)
    return isProjectionFault(found) ? undefined : found
  }
  return {
    add(row: Row, { key, body, areaM2, previous, action, hasFinding }: Settled): void {
      added += 1
      if (added > listed) rest = []
      const isPlain = hasFinding !== true && (action === 'create' || action === 'unchanged')
      const kind = kinds[isPlain ? action : 'standsOut']
      const isDrawn = kind.takesNext()
      if (!isDrawn && added > listed) return
      // A file without boundaries does not change those of the service.
      const kept = row.shape === undefined && previous !== undefined ? boundaryOf(previous) : undefined
      const shape = isDrawn && numbers <= mostNumbers ? (projected(row) ?? kept) : undefined
      const rings = shape === undefined ? [] : outlineRings(shape)
      for (const ring of rings) numbers += ring.length
      const pictured = {
        row: row.at.row,
        key,
        ...describeBody(body),
        ...areaMember('areaM2', areaM2 ?? (kept === undefined ? statedArea(body) : areaOf(kept))),
        ...(action === 'update' && previous && areaMember('beforeM2', areaOfBody(previous))),
        rings,
      }
      const dropped = isDrawn ? kind.keep(pictured) : [pictured]
      for (const each of dropped) for (const ring of each.rings) numbers -= ring.length
      if (added <= listed) rest.push(...dropped.map((each) => ({ ...each, rings: [] })))
    },
    /** The page works out one of so many rows; 1 for all. */
    everyOf: (rows: number): number => (rows > listed ? Math.ceil(rows / drawn) : 1),
    /** The rows in no order. */
    rows: (): readonly Pictured[] => [...Object.values(kinds).flatMap((each) => each.kept()), ...rest],
    /** Forgets all rows: they are read again. */
    startOver(): void {
      rest = []
      kinds = startKinds(drawn)
      added = 0
      numbers = 0
    },
  }
}

function startKinds(most: number) {
  return { standsOut: startThinned(most), create: startThinned(most), unchanged: startThinned(most) }
}

/** Keeps at most so many of any number of rows, evenly: once there are more, every second one is dropped. */
function startThinned(most: number) {
  let kept: Pictured[] = []
  let step = 1
  let seen = 0
  return {
    takesNext: () => seen++ % step === 0,
    /** Keeps a row, and returns those that are dropped for it. */
    keep(row: Pictured): readonly Pictured[] {
      kept.push(row)
      if (kept.length <= most) return []
      step *= 2
      const dropped = kept.filter((_, index) => index % 2 === 1)
      kept = kept.filter((_, index) => index % 2 === 0)
      return dropped
    },
    kept: () => kept,
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
