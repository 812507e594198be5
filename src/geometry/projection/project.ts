/** Turns coordinates of a system into WGS 84 longitude and latitude, and back. */

import { createRequire } from 'node:module'
import type proj4 from 'proj4'
import { once } from '../../core/once.ts'
import type { ProblemCode } from '../../core/problem.ts'
import type { Box, Shape } from '../../core/shape.ts'
import type { Crs } from '../crs/crs.ts'
import { define, type Definition } from '../crs/crs-definition.ts'
import { distanceKm, farKm, isWithin, nearKm } from '../crs/area.ts'
import { ownRoom, type Room } from './coordinate-buffer.ts'
import { shiftBy, type ShiftGrid } from '../crs/shift-grid.ts'
import { inverseTransverseMercator } from './transverse-mercator.ts'

/** Turns coordinate pairs of one system into pairs of another. */
type Turn = (from: Float64Array, to: Float64Array) => void

/** A vertex that has no place on earth, or one far from where its system is used. */
export type ProjectionFault = {
  readonly code: Extract<ProblemCode, 'coordinate-not-a-number' | 'coordinate-out-of-range'>
  readonly x: number
  readonly y: number
  readonly message: string
  readonly hint?: string
}

// People draw a little beyond the border; more than five degrees is another country or a wrong system.
const marginDegrees = 5

/**
 * Makes the function that turns shapes of a system into longitude and latitude; heights and measures stay the same. It calls
 * `onBeyond` for each outline that no grid of the system covers as a whole; that is shifted without grids.
 */
export function projectorFor(
  crs: Crs,
  onBeyond?: () => void,
  room: Room = ownRoom,
): (shape: Shape) => Shape | ProjectionFault {
  const unproject = unprojectFor(crs, onBeyond)
  const [west, south, east, north] = limitsOf(crs)
  const isTurned = turnedCheck(crs)
  const project = (shape: Shape): Shape | ProjectionFault => {
    if (shape.members !== undefined) return projectMembers(shape, project)
    const { coordinates } = shape
    const projected = unproject === undefined ? coordinates : room(coordinates.length)
    unproject?.(coordinates, projected)
    for (let index = 0; index < projected.length; index += 2) {
      const lon = projected[index]!
      const lat = projected[index + 1]!
      // Written so that NaN fails too. An area across 180 has an east beyond it, while the library counts from -180 again.
      const isBetween = (lon >= west && lon <= east) || (lon + 360 >= west && lon + 360 <= east)
      if (!(isBetween && lat >= south && lat <= north)) return faultAt(crs, coordinates, index)
      if (index === 0 && isTurned(lon, lat, coordinates))
        return turnedFault(crs, { x: coordinates[0]!, y: coordinates[1]! })
      if (unproject !== undefined && (lon > 180 || lon < -180)) projected[index] = lon > 180 ? lon - 360 : lon + 360
    }
    return unproject === undefined ? shape : { ...shape, coordinates: projected }
  }
  return project
}

export function isProjectionFault(result: Shape | ProjectionFault): result is ProjectionFault {
  return 'code' in result
}

/** Makes the function that projects one position, even where the system is not used. */
export function placer(crs: Crs): (x: number, y: number) => readonly [lon: number, lat: number] {
  const unproject = unprojectFor(crs)
  const from = new Float64Array(2)
  const to = new Float64Array(2)
  return (x, y) => {
    from[0] = x
    from[1] = y
    if (unproject === undefined) return [x, y]
    unproject(from, to)
    return [to[0]!, to[1]!]
  }
}

/**
 * Drawing a little beyond the border is common. But a row that lies there, and within the area the other way round, has easting and
 * northing exchanged. Degrees are mostly on earth either way: there the place of the other rows decides.
 */
function turnedCheck(crs: Crs): (lon: number, lat: number, coordinates: Float64Array) => boolean {
  const { area, isLonLat, near } = crs
  const place = placer(crs)
  if (isLonLat && near !== undefined)
    return (lon, lat) => distanceKm(near, { lon, lat }) > farKm && distanceKm(near, { lon: lat, lat: lon }) < nearKm
  if (isLonLat || area[2] - area[0] >= 360) return () => false
  return (lon, lat, coordinates) =>
    !isWithin(lon, lat, area) && isWithin(...place(coordinates[1]!, coordinates[0]!), area)
}

function turnedFault(crs: Crs, at: Pick<ProjectionFault, 'x' | 'y'>): ProjectionFault {
  const where = !crs.isLonLat
    ? `lies outside the area of ${crs.name}; the other way round it lies in it`
    : crs.near === undefined
      ? 'is not a longitude and a latitude; the other way round it is'
      : `lies far from ${crs.near.name}; the other way round it lies near them`
  const every = `If it is so in every row, set from.axes: ${crs.isTurned === true ? 'written' : 'exchanged'}.`
  const hint = crs.isLonLat
    ? `Latitude and longitude are exchanged in this row: correct the row. ${every}`
    : `If easting and northing are exchanged, correct the row. ${every} If the field really lies outside that area, save the file in longitude and latitude (EPSG:4326).`
  return { code: 'coordinate-out-of-range', ...at, message: `The coordinate ${at.x}, ${at.y} ${where}.`, hint }
}

function projectMembers(shape: Shape, project: (shape: Shape) => Shape | ProjectionFault): Shape | ProjectionFault {
  const members = (shape.members ?? []).map(project)
  return members.find(isProjectionFault) ?? { ...shape, members: members as Shape[] }
}

/** Where positions in the system may lie: its area of use with a margin. */
function limitsOf(crs: Crs): Box {
  // Files across 180 degrees write 181 or 359; a number beyond 360 is not a longitude.
  const [west, south, east, north] = crs.area
  if (crs.isLonLat && east - west >= 360) return [-360, -90, 360, 90]
  // Metres of a world map continue a little beyond 180 degrees where a field lies across it.
  if (east - west >= 360) return [-200, south, 200, north]
  return [
    west - marginDegrees,
    Math.max(-90, south - marginDegrees),
    east + marginDegrees,
    Math.min(90, north + marginDegrees),
  ]
}

function faultAt(crs: Crs, coordinates: Float64Array, index: number): ProjectionFault {
  const x = coordinates[index]!
  const y = coordinates[index + 1]!
  const at = { x, y }
  if (!Number.isFinite(x) || !Number.isFinite(y))
    return { code: 'coordinate-not-a-number', ...at, message: `The coordinate ${x}, ${y} is not a pair of numbers.` }
  const [turnedLon, turnedLat] = placer(crs)(y, x)
  if (isWithin(turnedLon, turnedLat, crs.area)) return turnedFault(crs, at)
  const isDegrees = Math.abs(x) <= 360 && Math.abs(y) <= 90
  const message =
    crs.isLonLat && !isDegrees
      ? `The coordinate ${x}, ${y} is not a longitude and a latitude.`
      : `The coordinate ${x}, ${y} lies far outside the area of ${crs.name}.`
  // Nobody farms within 360 m of where the metres of a system begin.
  const hint =
    'The numbers look like longitude and latitude in degrees, so the coordinate system is the wrong one. Correct it where it is named: in the file (the .prj of a shapefile), or set  from.crs: EPSG:4326'
  return {
    code: 'coordinate-out-of-range',
    ...at,
    message,
    ...(!crs.isLonLat && isDegrees && x !== 0 && y !== 0 ? { hint } : {}),
  }
}

function unprojectFor(crs: Crs, onBeyond?: () => void): Turn | undefined {
  const { definition, isTurned = false, grids } = crs
  const unproject = grids === undefined ? unprojectAsWritten(definition) : unprojectByGrids(definition, grids, onBeyond)
  if (!isTurned) return unproject
  return (from, to) => {
    const exchanged = new Float64Array(from.length)
    for (let index = 0; index < from.length; index += 2) {
      exchanged[index] = from[index + 1]!
      exchanged[index + 1] = from[index]!
    }
    if (unproject === undefined) to.set(exchanged)
    else unproject(exchanged, to)
  }
}

function unprojectAsWritten(definition: Definition): Turn | undefined {
  const { method, datum, unitM } = definition
  const isShifted = datum.toWgs84 !== undefined
  if (method === 'longlat' && !isShifted && unitM === 1) return undefined
  if (method === 'tmerc' && !isShifted) return inverseTransverseMercator({ ...definition, ...datum })
  if (method === 'webmerc') return inverseWebMercator(definition)
  return inverseByLibrary(definition)
}

/** Shifts the whole boundary by one grid or without grids: a mixture would tear it apart by metres. */
function unprojectByGrids(definition: Definition, grids: readonly ShiftGrid[], onBeyond?: () => void): Turn {
  const { toWgs84: _, ...datum } = definition.datum
  const onOwnDatum = { ...definition, datum }
  const toOwnDatum =
    definition.method === 'tmerc'
      ? unprojectAsWritten(onOwnDatum)
      : inverseByLibrary(onOwnDatum, define('longlat', datum))
  const withoutGrids = unprojectAsWritten(definition)
  return (from, to) => {
    for (const grid of grids) {
      toOwnDatum?.(from, to)
      let index = 0
      while (index < to.length && shiftBy(grid, to, index)) index += 2
      if (index >= to.length) return
    }
    onBeyond?.()
    if (withoutGrids === undefined) to.set(from)
    else withoutGrids(from, to)
  }
}

function inverseWebMercator({ lon0, x0, y0, unitM, datum }: Definition): Turn {
  const perMetre = 180 / Math.PI / datum.semiMajorM
  return (from, to) => {
    for (let index = 0; index < from.length; index += 2) {
      const y = (from[index + 1]! * unitM - y0) / datum.semiMajorM
      to[index] = lon0 + (from[index]! * unitM - x0) * perMetre
      to[index + 1] = Math.atan(Math.sinh(y)) * (180 / Math.PI)
    }
  }
}

// A millimetre, and a tenth of one.
const stepsPerMetre = 1e3
const stepsPerDegree = 1e9

/**
 * Makes the function that turns shapes into the system, rounded to a millimetre; undefined for a shape that lies so far outside the
 * system's area that it could not be read back. Heights and measures stay the same.
 */
export function projectorInto(crs: Crs): (shape: Shape) => Shape | undefined {
  const project = forwardFor(crs)
  const limits = limitsOf(crs)
  const steps = crs.isLonLat ? stepsPerDegree : stepsPerMetre
  const turn = (shape: Shape): Shape | undefined => {
    if (shape.members !== undefined) {
      const members = shape.members.map(turn)
      return members.includes(undefined) ? undefined : { ...shape, members: members as Shape[] }
    }
    const { coordinates: from } = shape
    for (let at = 0; at < from.length; at += 2) if (!isWithin(from[at]!, from[at + 1]!, limits)) return undefined
    const coordinates = new Float64Array(from.length)
    project(from, coordinates)
    for (let at = 0; at < coordinates.length; at += 1) coordinates[at] = Math.round(coordinates[at]! * steps) / steps
    return coordinates.every(Number.isFinite) ? { ...shape, coordinates } : undefined
  }
  return turn
}

/** The way from WGS 84 to another datum is some millimetres off: what comes back from there says by how much. */
function forwardFor({ definition }: Crs): Turn {
  const forward = forwardByLibrary(definition)
  if (definition.datum.toWgs84 === undefined) return forward
  const inverse = inverseByLibrary(definition)
  return (from, to) => {
    forward(from, to)
    const better = new Float64Array(from.length)
    inverse(to, better)
    for (let at = 0; at < from.length; at += 1) better[at] = 2 * from[at]! - better[at]!
    forward(better, to)
  }
}

// Loaded only when needed: most files do not use it.
const library = once(() => createRequire(import.meta.url)('proj4') as typeof proj4)

/** Makes the inverse of a projection; to WGS 84 unless another target is given. */
function inverseByLibrary(definition: Definition, target?: Definition): Turn {
  const to = target === undefined ? '+proj=longlat +datum=WGS84 +no_defs' : projText(target)
  const converter = library()(projText(definition), to)
  // A geographic system in another unit than degrees is brought to degrees here, because the library reads degrees only.
  const isLonLat = definition.method === 'longlat'
  const factor = isLonLat ? definition.unitM : 1
  return (from, onto) => {
    for (let index = 0; index < from.length; index += 2) {
      const x = from[index]! * factor
      const y = from[index + 1]! * factor
      // The library throws at numbers that are not finite, and wraps any number into degrees.
      const canProject = isLonLat ? Math.abs(x) <= 360 && Math.abs(y) <= 90 : Number.isFinite(x) && Number.isFinite(y)
      const [lon, lat] = canProject ? converter.forward([x, y]) : [NaN, NaN]
      onto[index] = lon ?? NaN
      onto[index + 1] = lat ?? NaN
    }
  }
}

/** Makes the projection itself: degrees of WGS 84 become coordinates of the definition, NaN where it has none. */
function forwardByLibrary(definition: Definition): Turn {
  const converter = library()('+proj=longlat +datum=WGS84 +no_defs', projText(definition))
  const factor = definition.method === 'longlat' ? definition.unitM : 1
  return (from, onto) => {
    for (let index = 0; index < from.length; index += 2) {
      const [lon, lat] = [from[index]!, from[index + 1]!]
      const canProject = Math.abs(lon) <= 360 && Math.abs(lat) <= 90
      const [x, y] = canProject ? converter.forward([lon, lat]) : [NaN, NaN]
      onto[index] = (x ?? NaN) / factor
      onto[index + 1] = (y ?? NaN) / factor
    }
  }
}

/** Writes a definition the way proj4 and PROJ read it. */
function projText(definition: Definition): string {
  const { method, lat0, lon0, k, x0, y0, lat1, lat2, unitM, datum } = definition
  const ellipsoid = `+a=${datum.semiMajorM} +rf=${datum.inverseFlattening}`
  const shift = `+towgs84=${(datum.toWgs84 ?? [0, 0, 0]).join(',')}`
  const tail = `${ellipsoid} ${shift} +no_defs`
  if (method === 'longlat') return `+proj=longlat ${tail}`
  // The sphere of web maps has the coordinates of the ellipsoid, so nothing is shifted between the two.
  if (method === 'webmerc')
    return `+proj=merc +a=${datum.semiMajorM} +b=${datum.semiMajorM} +lon_0=${lon0} +x_0=${x0} +y_0=${y0} +nadgrids=@null`
  const parallels = method === 'lcc' || method === 'aea' ? ` +lat_1=${lat1} +lat_2=${lat2}` : ''
  // Cylindrical projections have a standard parallel or a scale, not both.
  const scale = method === 'cea' || (method === 'merc' && lat1 !== 0) ? `+lat_ts=${lat1}` : `+k_0=${k}`
  const unit = unitM === 1 ? '+units=m' : `+to_meter=${unitM}`
  return `+proj=${method} +lat_0=${lat0} +lon_0=${lon0}${parallels} ${scale} +x_0=${x0} +y_0=${y0} ${unit} ${tail}`
}
