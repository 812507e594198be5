/** Hides what to say when a file does not tell its coordinate system: which ones its numbers could mean, and where that would be. */

import type { CrsClue } from '../core/row.ts'
import { WindrowError } from '../core/error.ts'
import type { Shape } from '../core/shape.ts'
import { identifyCrs, type Crs } from './crs.ts'
import { isProjectionFault, projectorFor } from './project.ts'
import type { Box } from './systems/row.ts'
import { systems } from './systems.ts'

/** The extent of a file's raw coordinates. */
export type RawBox = readonly [minX: number, minY: number, maxX: number, maxY: number]

/**
 * Identifies the clue; without one throws `crs-unknown`, whose hint tells what the numbers look like: degrees, or metres of
 * a national grid, with the place each would give. Also throws when a clue of degrees meets numbers that are none.
 */
export function requireCrs(clue: CrsClue | undefined, box: RawBox): Crs {
  if (clue === undefined) throw missing(box)
  const crs = identifyCrs(clue)
  if (crs.isLonLat && isMeasured(box) && !isDegrees(box)) throw contradicted(crs, box)
  return crs
}

function isMeasured(box: RawBox): boolean {
  return box.every(Number.isFinite) && box[0] <= box[2] && box[1] <= box[3]
}

function isDegrees([minX, minY, maxX, maxY]: RawBox): boolean {
  return minX >= -360 && maxX <= 360 && minY >= -90 && maxY <= 90
}

function missing(box: RawBox): WindrowError {
  const message = 'The file does not say which coordinate system its coordinates are in.'
  if (isMeasured(box) && isDegrees(box))
    return new WindrowError('crs-unknown', message, {
      hint: `They look like degrees (${box[0]}, ${box[1]} to ${box[2]}, ${box[3]}). If they are longitude and latitude, say so: --crs EPSG:4326, or in a pipeline  crs: EPSG:4326`,
      data: { candidates: ['EPSG:4326'] },
    })
  const candidates = candidatesFor(box)
  return new WindrowError('crs-unknown', message, {
    hint: hintFor(candidates),
    data: { candidates: candidates.map((each) => each.code) },
  })
}

/** Latitudes first: what stands for longitude could be a latitude, and what stands for latitude can only be a longitude. */
function isTurnedRound([minX, minY, maxX, maxY]: RawBox): boolean {
  return minX >= -90 && maxX <= 90 && minY >= -180 && maxY <= 180 && (minY < -90 || maxY > 90)
}

function contradicted(crs: Crs, box: RawBox): WindrowError {
  if (isTurnedRound(box))
    return new WindrowError(
      'crs-unknown',
      `Latitude and longitude are the wrong way round: as they stand, the coordinates run from ${box[0]}, ${box[1]} to ${box[2]}, ${box[3]}.`,
      {
        hint: `Turned round they lie near longitude ${box[1].toFixed(2)}, latitude ${box[0].toFixed(2)}. Export the file again with longitude first, as GeoJSON wants it.`,
        data: { candidates: [] },
      },
    )
  const candidates = candidatesFor(box)
  const message = `By ${crs.evidence} the coordinates are degrees (${crs.name}), but they run from ${box[0]}, ${box[1]} to ${box[2]}, ${box[3]}.`
  return new WindrowError('crs-unknown', message, {
    hint: hintFor(candidates),
    data: { candidates: candidates.map((each) => each.code) },
  })
}

type Candidate = { readonly code: string; readonly name: string; readonly lon: number; readonly lat: number }

function hintFor(candidates: readonly Candidate[]): string {
  if (candidates.length === 0)
    return 'Ask whoever made the file, then say it with --crs, such as --crs EPSG:2193, or with crs: in a pipeline.'
  const places = candidates.map(
    (each) =>
      `${each.name} would put them near ${each.lon.toFixed(2)}, ${each.lat.toFixed(2)} (--crs ${each.code}; in a pipeline  crs: ${each.code})`,
  )
  return `They look like metres. ${places.join('; ')}.`
}

// Only national grids stand in line: any metres fit sixty zones of UTM.
function candidatesFor(box: RawBox): readonly Candidate[] {
  if (!isMeasured(box)) return []
  const corners: Shape = {
    kind: 'MultiPoint',
    coordinates: Float64Array.of(box[0], box[1], box[2], box[3], (box[0] + box[2]) / 2, (box[1] + box[3]) / 2),
    ends: [],
    parts: [],
  }
  return systems
    .filter((each) => each.isNational)
    .flatMap((system) => {
      const projected = projectorFor(identifyCrs({ from: 'option', text: system.code }))(corners)
      if (isProjectionFault(projected)) return []
      const [west, south, east, north, lon, lat] = projected.coordinates
      return isWithin([west!, south!, east!, north!], system.area)
        ? [{ code: system.code, name: system.name, lon: lon!, lat: lat! }]
        : []
    })
    .slice(0, 5)
}

function isWithin(inner: Box, outer: Box): boolean {
  return inner[0] >= outer[0] && inner[2] <= outer[2] && inner[1] >= outer[1] && inner[3] <= outer[3]
}
