/** Finds the coordinate systems that a file without one could use, and where each would put it; doubts one that puts it elsewhere. */

import { WindrowError } from '../../core/error.ts'
import { once } from '../../core/once.ts'
import type { CrsClue } from '../../core/row.ts'
import type { Box, Shape } from '../../core/shape.ts'
import { distanceKm, farKm, isWithin, nearKm, widen, type Near } from '../crs/area.ts'
import { identifyCrs, type Crs } from '../crs/crs.ts'
import { systems } from '../crs/systems.ts'
import { wrap } from '../measure/measure.ts'
import { placer } from '../projection/project.ts'
import { axisOrderFor } from './axis-order.ts'

/**
 * Identifies the clue; without one throws `crs-unknown`, whose hint lists where each system that fits the numbers would put them. The
 * box is that of the file's own coordinates.
 * Also throws when the clue means degrees and the numbers are not degrees.
 */
export function requireCrs(clue: CrsClue | undefined, box: Box, near?: Near): Crs {
  if (clue === undefined) throw missing(box, near)
  const crs = identifyCrs(clue)
  if (crs.isLonLat && isMeasured(box) && !isDegrees(box)) throw contradicted(crs, box, near)
  return crs
}

/**
 * Like `requireCrs`, with the first shapes of the file. One row outside the system's area is that row's fault; the system is doubted
 * only if all first rows are outside.
 */
export function requireFitting(clue: CrsClue | undefined, box: Box, shapes: readonly Shape[], near?: Near): Crs {
  if (clue === undefined) return requireCrs(clue, box, near)
  const crs = identifyCrs(clue)
  const judge = axisOrderFor(crs)
  return shapes.some(({ coordinates: [x = NaN, y = NaN] }) => judge(x, y) !== 'neither')
    ? crs
    : requireCrs(clue, box, near)
}

// Land this near to a farm may belong to it.
const besideKm = 100

// Farms near a border use the neighbour's grid; half a degree is fifty kilometres. All of Norway uses one zone of UTM, which reaches
// 620 km to one side of its meridian; coordinates of another grid lie beyond that.
const beyondDegrees = 0.5
const besideMeridianKm = 800

type Positions = readonly (readonly [lon: number, lat: number])[]

/**
 * Doubts a system, such as one named by mistake, when none of the places (longitude and latitude) lies where its farms can be: all
 * are outside the area where the system is used, in an ocean, or far from the known farm. It lists the systems that fit better.
 */
export function doubt(crs: Crs, all: Positions, box: Box, near?: Near) {
  const places = all.filter(([lon, lat]) => Number.isFinite(lon) && Number.isFinite(lat))
  const [first] = places
  if (first === undefined && !isMeasured(box)) return undefined
  // Tries every national grid, so only for the few files that are doubted.
  const others = once(() =>
    candidatesFor(box, near).filter((each) => each.crs.isTurned === true || each.crs.code !== crs.code),
  )
  const name = `${crs.name} (${crs.code === '' ? '' : `${crs.code}, `}by ${crs.evidence})`
  if (first === undefined)
    return {
      message: `The first boundaries are not in ${name}: their coordinates run from ${box.slice(0, 2).map(Math.round).join(', ')} to ${box.slice(2).map(Math.round).join(', ')}, far outside.${placingsOf(others(), near)}`,
      hint: 'Set from.crs to the right system.',
    }
  const where = `near ${wrap(first[0]).toFixed(2)}, ${first[1].toFixed(2)}`
  if (crs.code !== '' && !places.some((place) => isWhereUsed(crs, place)))
    return {
      message: `No boundary lies where ${name} is used: they lie ${where}, far outside.${placingsOf(others(), near)}`,
      hint: nameAnother,
    }
  const away = near === undefined ? undefined : farFrom(near, places, others)
  if (near !== undefined && away !== undefined)
    return {
      message: `In ${name} the boundaries lie ${where}, ${distanceInWords(away)} from ${near.name}.${placingsOf(
        others().filter(({ km = Infinity }) => km < nearKm),
        near,
      )}`,
      hint: nameAnother,
    }
  const oceans = places.map(([lon, lat]) => oceanAt(wrap(lon), lat))
  if (oceans.includes(undefined)) return undefined
  const turned = turnedRound(crs, first)
  const dry = [...otherHalf(crs, box, near), ...others()].filter((each) => oceanAt(each.lon, each.lat) === undefined)
  return {
    message: `In ${name} all boundaries lie in ${oceans[0]}, ${where}, where no farm can be.${turned === undefined ? placingsOf(dry, near) : ` The other way round they would lie near ${turned}.`}`,
    hint:
      turned === undefined
        ? nameAnother
        : 'If latitude and longitude are the wrong way round, export the file again with longitude first, or set from.axes: exchanged.',
  }
}

const nameAnother = 'If the farm is not there, set from.crs to the right system.'

function placingsOf(others: readonly Candidate[], near: Near | undefined): string {
  return others.length === 0 ? '' : ` ${others.map((each) => placingOf(each, near)).join('; ')}.`
}

/** The distance in km to the farm, where another system would put the file beside it; undefined where the places may be the farm's. */
function farFrom(near: Near, places: Positions, others: () => readonly Candidate[]): number | undefined {
  const km = Math.min(...places.map(([lon, lat]) => distanceKm(near, { lon, lat })))
  return km > farKm && others().some((each) => (each.km ?? Infinity) < besideKm) ? km : undefined
}

/** Where degrees that lie in an ocean would be with their axes exchanged, if that is on land. */
function turnedRound({ isLonLat }: Crs, [lon, lat]: readonly [number, number]): string | undefined {
  if (!isLonLat || Math.abs(lon) > 90 || oceanAt(lat, lon) !== undefined) return undefined
  return `${lat.toFixed(2)}, ${lon.toFixed(2)}`
}

/** The UTM zone of the other half of the earth, where a file names the wrong one. */
function otherHalf({ code }: Crs, box: Box, near: Near | undefined): readonly Candidate[] {
  const [, half, zone] = /^EPSG:32([67])(\d\d)$/.exec(code) ?? []
  const other = zone === undefined ? undefined : `EPSG:32${half === '6' ? 7 : 6}${zone}`
  const found = other === undefined ? undefined : candidateIn(identifyCrs({ from: 'option', text: other }), box, near)
  return found === undefined ? [] : [found]
}

function isWhereUsed({ area, definition }: Crs, [lon, lat]: readonly [number, number]): boolean {
  if (!isWithin(wrap(lon), lat, widen(area, beyondDegrees))) return false
  return definition.method !== 'tmerc' || distanceKm({ lon, lat }, { lon: definition.lon0, lat }) < besideMeridianKm
}

function isMeasured(box: Box): boolean {
  return box.every(Number.isFinite) && box[0] <= box[2] && box[1] <= box[3]
}

/** True when every number of the box can be a longitude or latitude. */
export function isDegrees([minX, minY, maxX, maxY]: Box): boolean {
  return minX >= -360 && maxX <= 360 && minY >= -90 && maxY <= 90
}

function missing(box: Box, near: Near | undefined): WindrowError {
  if (!isMeasured(box))
    return new WindrowError(
      'crs-unknown',
      'No boundary of the file can be read, and it does not say which coordinate system it uses.',
      {
        hint: 'windrow inspect shows what is wrong with its boundaries. Correct them first.',
        data: { candidates: [] },
      },
    )
  return unknownCrs('The file does not say which coordinate system its coordinates use.', box, near)
}

/** The error with every system that fits the numbers, and where each would put them. */
function unknownCrs(message: string, box: Box, near: Near | undefined): WindrowError {
  const candidates = candidatesFor(box, near)
  const places = candidates.map((each) => ({ code: each.crs.code, where: placingOf(each, near) }))
  return new WindrowError('crs-unknown', message, {
    hint: hintFor(candidates, box, near),
    data: { candidates: places.map(({ code }) => code), places },
  })
}

/** True when the first numbers can be latitudes and some of the second can only be longitudes. */
function isTurnedRound([minX, minY, maxX, maxY]: Box): boolean {
  return minX >= -90 && maxX <= 90 && minY >= -180 && maxY <= 180 && (minY < -90 || maxY > 90)
}

function contradicted(crs: Crs, box: Box, near: Near | undefined): WindrowError {
  if (isTurnedRound(box))
    return new WindrowError(
      'crs-unknown',
      `Latitude and longitude are the wrong way round: the coordinates run from ${box[0]}, ${box[1]} to ${box[2]}, ${box[3]}.`,
      {
        hint: `Turned round they lie near longitude ${box[1].toFixed(2)}, latitude ${box[0].toFixed(2)}. Export the file again with longitude first, as GeoJSON requires, or set from.axes: exchanged.`,
        data: { candidates: [] },
      },
    )
  return unknownCrs(
    `By ${crs.evidence} the coordinates are degrees (${crs.name}), but they run from ${box[0]}, ${box[1]} to ${box[2]}, ${box[3]}.`,
    box,
    near,
  )
}

type Candidate = { readonly crs: Crs; readonly lon: number; readonly lat: number; readonly km?: number }

function hintFor(candidates: readonly Candidate[], box: Box, near: Near | undefined): string {
  if (candidates.length === 0) return 'Ask whoever made the file, then set from.crs, such as  from.crs: EPSG:2193'
  const likeness =
    isDegrees(box) || isTurnedRound(box)
      ? `They look like degrees (${box[0]}, ${box[1]} to ${box[2]}, ${box[3]}).`
      : 'They look like metres.'
  const places = candidates.map((each) => `${placingOf(each, near)} (from.crs: ${each.crs.code})`)
  return `${likeness} ${places.join('; ')}.`
}

/** Such as "NZTM2000 would put them near 175.31, -37.79, 412 m from Rimu Farm". */
function placingOf({ crs, lon, lat, km }: Candidate, near: Near | undefined): string {
  const name = crs.isLonLat ? 'longitude and latitude' : crs.name
  const order = crs.isTurned === true ? ', latitude first,' : ''
  const distance = near === undefined || km === undefined ? '' : `, ${distanceInWords(km)} from ${near.name}`
  const ocean = oceanAt(lon, lat)
  const where = ocean === undefined ? '' : `, in ${ocean}`
  return `${name}${order} would put them near ${wrap(lon).toFixed(2)}, ${lat.toFixed(2)}${where}${distance}`
}

function distanceInWords(km: number): string {
  if (km < 1) return `${Math.round(km * 1000)} m`
  return `${km < 10 ? km.toFixed(1) : Math.round(km).toLocaleString('en')} km`
}

// With a known place every system of the table is a candidate; without one only national grids, because any metres fit sixty zones of UTM.
function candidatesFor(box: Box, near: Near | undefined): readonly Candidate[] {
  if (!isMeasured(box)) return []
  if (isDegrees(box) || isTurnedRound(box)) return degreesFor(box, near)
  const found = systems()
    .filter((each) => each.definition.method !== 'longlat' && (near !== undefined || each.isNational))
    .flatMap((system) => {
      const candidate = candidateIn(identifyCrs({ from: 'option', text: system.code }), box, near)
      return candidate === undefined ? [] : [{ ...candidate, isNational: system.isNational }]
    })
  if (near === undefined) return found.slice(0, 5)
  // Systems that put the file in nearly the same place count as one: the national grid, where there is one.
  const ranked = found.toSorted(
    (one, other) => one.km! - other.km! || Number(other.isNational) - Number(one.isNational),
  )
  const answers: (typeof ranked)[number][] = []
  for (const each of ranked) {
    const twin = answers.findIndex((answer) => distanceKm(answer, each) < 0.5)
    if (twin === -1) answers.push(each)
    else if (each.isNational && !answers[twin]!.isNational) answers[twin] = each
    if (answers.length > 5) break
  }
  return answers.slice(0, 5)
}

function degreesFor(box: Box, near: Near | undefined): readonly Candidate[] {
  const written = identifyCrs({ from: 'option', text: 'EPSG:4326' })
  const isAnyWayRound = near !== undefined && box[0] >= -90 && box[2] <= 90 && box[1] >= -180 && box[3] <= 180
  const canBeTurned = isAnyWayRound || isTurnedRound(box)
  const candidates = [written, ...(canBeTurned ? [{ ...written, isTurned: true }] : [])]
    .flatMap((crs) => candidateIn(crs, box, near) ?? [])
    .toSorted((one, other) => (one.km ?? 0) - (other.km ?? 0))
  const dry = candidates.filter(({ lon, lat }) => oceanAt(lon, lat) === undefined)
  return dry.length === 0 ? candidates : dry
}

function candidateIn(crs: Crs, [minX, minY, maxX, maxY]: Box, near: Near | undefined): Candidate | undefined {
  const place = placer(crs)
  const corners = [place(minX, minY), place(maxX, maxY)]
  if (!corners.every(([lon, lat]) => isWithin(lon, lat, crs.area))) return undefined
  const [lon, lat] = place((minX + maxX) / 2, (minY + maxY) / 2)
  return { crs, lon, lat, ...(near === undefined ? {} : { km: distanceKm(near, { lon, lat }) }) }
}

// Boxes far from coasts and islands; a place in none of them may still be water.
const waters: readonly (readonly [name: string, ...boxes: Box[]])[] = [
  [
    'the Atlantic',
    [-6, -12, 5, 3],
    [0, 3, 4.5, 5],
    [-48, 6, -27, 35],
    [-45, 35, -33, 55],
    [-28, -34, -16, -10],
    [-34, -53.5, -14, -42],
    [-40, -66, 0, -61],
  ],
  [
    'the Pacific',
    [-150, 26, -128, 48],
    [168, 22, 180, 45],
    // With the western Aleutians, which have no farms: New Zealand lies there in a UTM zone of the north.
    [168.5, 45, 180, 59],
    [-128, -60, -112, -30],
    [-125, -20, -95, -2],
    [-150, 2, -112, 16],
  ],
  [
    'the Indian Ocean',
    [80, -35, 95, -13],
    [65, -35, 76, -22],
    [80, -9, 92, 4],
    // Along the coast of Somalia, where Europe lies with its axes exchanged.
    [42.5, -4, 44.5, -1],
    [44.5, -4, 49, 0.7],
    [46, 0.7, 49, 1.7],
    [47.7, 1.7, 49, 3.3],
    [49, -3, 62, 1],
    [49, -5, 52, -3],
    [49.5, 1, 50.3, 4.5],
    [50.3, 1, 52, 7.5],
    [52, 1, 66, 10],
    [56, 10, 68, 16],
  ],
  // Where New South Wales and Victoria lie in a UTM zone of the north.
  ['the Sea of Okhotsk', [145.5, 51, 154.5, 58.5]],
  ['the Arctic Ocean', [-180, 84, 180, 90]],
  ['Antarctica', [-180, -90, 180, -66]],
]

/** The ocean or polar region that a position surely lies in. */
export function oceanAt(lon: number, lat: number): string | undefined {
  return waters.find(([, ...boxes]) => (boxes as readonly Box[]).some((box) => isWithin(lon, lat, box)))?.[0]
}
