/** Hides what to say when a file does not tell its coordinate system: which ones its numbers could mean, and where that would be. */

import type { CrsClue } from '../../core/row.ts'
import { WindrowError } from '../../core/error.ts'
import { once } from '../../core/sources/once.ts'
import { identifyCrs, type Crs } from '../crs/crs.ts'
import { wrap } from '../measure/measure.ts'
import { distanceKm, farKm, isWithin, nearKm, type Near } from '../crs/area.ts'
import { placer } from '../projection/project.ts'
import { wasteAt } from './oceans.ts'
import { systems } from '../crs/systems.ts'

/** The extent of a file's raw coordinates. */
export type RawBox = readonly [minX: number, minY: number, maxX: number, maxY: number]

/**
 * Identifies the clue; without one throws `crs-unknown`, whose hint tells where each system that the numbers fit would put them.
 * Also throws when a clue of degrees meets numbers that are none.
 */
export function requireCrs(clue: CrsClue | undefined, box: RawBox, near?: Near): Crs {
  if (clue === undefined) throw missing(box, near)
  const crs = identifyCrs(clue)
  if (crs.isLonLat && isMeasured(box) && !isDegrees(box)) throw contradicted(crs, box, near)
  return crs
}

/** The system that a person names, else the file; `auto` says to take a worthy one where the file names none. */
export function crsSaid(told: string | undefined, said: CrsClue | undefined, box: RawBox): Crs {
  const isAuto = told?.toLowerCase() === 'auto'
  if (isAuto && said === undefined) return worthyCrs(box)
  return requireCrs(isAuto || told === undefined ? said : { from: 'option', text: told }, box)
}

/**
 * The system that clearly wins, with its evidence: far nearer to a known place than any other. Without a known place only
 * degrees can win, and those only on land and one way round: what is one country's grid is another's zone of UTM. Throws `crs-unknown` with
 * the odds where none does.
 */
export function worthyCrs(box: RawBox, near?: Near): Crs {
  const [best, ...others] = candidatesFor(box, near)
  if (best === undefined) throw missing(box, near, 'none')
  const second = others.find((each) => distanceKm(best, each) > 1)
  const isOneWayRound = isDegrees(box) && (box[0] < -90 || box[2] > 90)
  const isClear =
    near === undefined ? isOneWayRound && wasteAt(best.lon, best.lat) === undefined : isClearlyNearest(best, second)
  if (!isClear) throw missing(box, near, near === undefined ? 'unplaced' : 'unclear')
  const next = second === undefined ? 'no other system fits' : `the next, ${oddsOf(second, near)}`
  return { ...best.crs, evidence: `where it lies: ${oddsOf(best, near)}; ${next}` }
}

// What lies this near to a farm may be land of it.
const besideKm = 100

// Farms near a border use the neighbour's grid; half a degree is fifty kilometres. One zone of UTM serves all of Norway, which reaches
// 620 km to one side of its meridian; metres of another grid lie beyond that.
const beyondDegrees = 0.5
const besideMeridianKm = 800

/** What to say of a system that is doubted. */
export type Doubt = { readonly message: string; readonly hint: string }

type Positions = readonly (readonly [lon: number, lat: number])[]

/**
 * Says so when none of the places, in longitude and latitude, lies where a farm of the system can be: outside the area where the system
 * is used, in an ocean, or on the other side of the world from the farm. A system that was named by mistake does that. It tells which
 * others would put the file where they are used.
 */
export function doubt(crs: Crs, all: Positions, box: RawBox, near?: Near): Doubt | undefined {
  const places = all.filter(([lon, lat]) => Number.isFinite(lon) && Number.isFinite(lat))
  const [first] = places
  if (first === undefined) return undefined
  // Asked for by the few files that are doubted: it takes every national grid, and the library for some of them.
  const others = once(() =>
    candidatesFor(box, near).filter((each) => each.crs.isTurned === true || each.crs.code !== crs.code),
  )
  const name = `${crs.name} (${crs.code === '' ? '' : `${crs.code}, `}by ${crs.evidence})`
  const where = `near ${wrap(first[0]).toFixed(2)}, ${first[1].toFixed(2)}`
  if (crs.code !== '' && !places.some((place) => isWhereUsed(crs, place)))
    return {
      message: `No boundary lies where ${name} is used: they are ${where}, far outside.${oddsOfAll(others(), near)}`,
      hint: sayAnother,
    }
  const away = near === undefined ? undefined : farFrom(near, places, others)
  if (near !== undefined && away !== undefined)
    return {
      message: `In ${name} the boundaries lie ${where}, ${distanceInWords(away)} from ${near.name}.${oddsOfAll(
        others().filter(({ km = Infinity }) => km < nearKm),
        near,
      )}`,
      hint: sayAnother,
    }
  const wastes = places.map(([lon, lat]) => wasteAt(wrap(lon), lat))
  if (wastes.includes(undefined)) return undefined
  const turned = turnedRound(crs, first)
  const dry = others().filter((each) => wasteAt(each.lon, each.lat) === undefined)
  return {
    message: `In ${name} all boundaries lie in ${wastes[0]}, ${where}, where no farm is.${turned === undefined ? oddsOfAll(dry, near) : ` The other way round they would lie near ${turned}.`}`,
    hint:
      turned === undefined
        ? sayAnother
        : 'If latitude and longitude are the wrong way round, export the file again with longitude first.',
  }
}

const sayAnother = 'If that is not where the farm is, say the right system with --crs, or with crs: in a pipeline.'

function oddsOfAll(others: readonly Candidate[], near: Near | undefined): string {
  return others.length === 0 ? '' : ` ${others.map((each) => oddsOf(each, near)).join('; ')}.`
}

/** How far the nearest place is from a farm that another system would put them beside; undefined where they may be its own. */
function farFrom(near: Near, places: Positions, others: () => readonly Candidate[]): number | undefined {
  const km = Math.min(...places.map(([lon, lat]) => distanceKm(near, { lon, lat })))
  return km > farKm && others().some((each) => (each.km ?? Infinity) < besideKm) ? km : undefined
}

/** Where degrees that lie in an ocean would be with their axes exchanged, if that is on land. */
function turnedRound({ isLonLat }: Crs, [lon, lat]: readonly [number, number]): string | undefined {
  if (!isLonLat || Math.abs(lon) > 90 || wasteAt(lat, lon) !== undefined) return undefined
  return `${lat.toFixed(2)}, ${lon.toFixed(2)}`
}

function isWhereUsed({ area, definition }: Crs, [lon, lat]: readonly [number, number]): boolean {
  const [west, south, east, north] = area
  const around = [west - beyondDegrees, south - beyondDegrees, east + beyondDegrees, north + beyondDegrees] as const
  if (!isWithin(lon, lat, around)) return false
  return definition.method !== 'tmerc' || distanceKm({ lon, lat }, { lon: definition.lon0, lat }) < besideMeridianKm
}

function isClearlyNearest({ km = Infinity }: Candidate, second: Candidate | undefined): boolean {
  return km < besideKm && (second?.km ?? Infinity) > Math.max(50, 10 * km)
}

function isMeasured(box: RawBox): boolean {
  return box.every(Number.isFinite) && box[0] <= box[2] && box[1] <= box[3]
}

function isDegrees([minX, minY, maxX, maxY]: RawBox): boolean {
  return minX >= -360 && maxX <= 360 && minY >= -90 && maxY <= 90
}

// Why nothing was worked out, where that was asked for.
const failures = {
  none: ' No system that windrow knows fits them.',
  unclear: ' None that fits clearly wins by where the farm lies.',
  unplaced: ' It is worked out from where the farm lies, which is known once its holding is named and has records.',
} as const

function missing(box: RawBox, near: Near | undefined, why?: keyof typeof failures): WindrowError {
  const candidates = candidatesFor(box, near)
  const said = `The file does not say which coordinate system its coordinates are in.${why === undefined ? '' : failures[why]}`
  return new WindrowError('crs-unknown', said, {
    hint: hintFor(candidates, box, near),
    data: { candidates: candidates.map(({ crs }) => crs.code) },
  })
}

/** Latitudes first: what stands for longitude could be a latitude, and what stands for latitude can only be a longitude. */
function isTurnedRound([minX, minY, maxX, maxY]: RawBox): boolean {
  return minX >= -90 && maxX <= 90 && minY >= -180 && maxY <= 180 && (minY < -90 || maxY > 90)
}

function contradicted(crs: Crs, box: RawBox, near: Near | undefined): WindrowError {
  if (isTurnedRound(box))
    return new WindrowError(
      'crs-unknown',
      `Latitude and longitude are the wrong way round: as they stand, the coordinates run from ${box[0]}, ${box[1]} to ${box[2]}, ${box[3]}.`,
      {
        hint: `Turned round they lie near longitude ${box[1].toFixed(2)}, latitude ${box[0].toFixed(2)}. An import turns them when every row is so. Better export the file again with longitude first, as GeoJSON wants it.`,
        data: { candidates: [] },
      },
    )
  const candidates = candidatesFor(box, near)
  const message = `By ${crs.evidence} the coordinates are degrees (${crs.name}), but they run from ${box[0]}, ${box[1]} to ${box[2]}, ${box[3]}.`
  return new WindrowError('crs-unknown', message, {
    hint: hintFor(candidates, box, near),
    data: { candidates: candidates.map((each) => each.crs.code) },
  })
}

type Candidate = { readonly crs: Crs; readonly lon: number; readonly lat: number; readonly km?: number }

function hintFor(candidates: readonly Candidate[], box: RawBox, near: Near | undefined): string {
  if (candidates.length === 0)
    return 'Ask whoever made the file, then say it with --crs, such as --crs EPSG:2193, or with crs: in a pipeline.'
  const likeness = isDegrees(box)
    ? `They look like degrees (${box[0]}, ${box[1]} to ${box[2]}, ${box[3]}).`
    : 'They look like metres.'
  const places = candidates.map(
    (each) => `${oddsOf(each, near)} (--crs ${each.crs.code}; in a pipeline  crs: ${each.crs.code})`,
  )
  return `${likeness} ${places.join('; ')}.`
}

/** Such as "NZTM2000 would put them near 175.31, -37.79, 412 m from Rimu Farm". */
function oddsOf({ crs, lon, lat, km }: Candidate, near: Near | undefined): string {
  const name = crs.isLonLat ? 'longitude and latitude' : crs.name
  const order = crs.isTurned === true ? ', latitude first,' : ''
  const distance = near === undefined || km === undefined ? '' : `, ${distanceInWords(km)} from ${near.name}`
  const waste = wasteAt(lon, lat)
  const where = waste === undefined ? '' : `, in ${waste}`
  return `${name}${order} would put them near ${wrap(lon).toFixed(2)}, ${lat.toFixed(2)}${where}${distance}`
}

function distanceInWords(km: number): string {
  if (km < 1) return `${Math.round(km * 1000)} m`
  return `${km < 10 ? km.toFixed(1) : Math.round(km).toLocaleString('en')} km`
}

// With a known place every system of the table stands in line. Without one only national grids do: any metres fit sixty zones of UTM.
function candidatesFor(box: RawBox, near: Near | undefined): readonly Candidate[] {
  if (!isMeasured(box)) return []
  if (isDegrees(box)) return degreesFor(box, near)
  const found = systems()
    .filter((each) => each.definition.method !== 'longlat' && (near !== undefined || each.isNational))
    .flatMap((system) => {
      const candidate = candidateIn(identifyCrs({ from: 'option', text: system.code }), box, near)
      return candidate === undefined ? [] : [{ ...candidate, isNational: system.isNational }]
    })
  if (near === undefined) return found.slice(0, 5)
  // Systems that put the file within a stone's throw of each other are one answer: the one people think of first stands for them.
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

function degreesFor(box: RawBox, near: Near | undefined): readonly Candidate[] {
  const written = identifyCrs({ from: 'option', text: 'EPSG:4326' })
  const canBeTurned = near !== undefined && box[0] >= -90 && box[2] <= 90 && box[1] >= -180 && box[3] <= 180
  return [written, ...(canBeTurned ? [{ ...written, isTurned: true }] : [])]
    .flatMap((crs) => candidateIn(crs, box, near) ?? [])
    .toSorted((one, other) => (one.km ?? 0) - (other.km ?? 0))
}

function candidateIn(crs: Crs, [minX, minY, maxX, maxY]: RawBox, near: Near | undefined): Candidate | undefined {
  const place = placer(crs)
  const corners = [place(minX, minY), place(maxX, maxY)]
  if (!corners.every(([lon, lat]) => isWithin(lon, lat, crs.area))) return undefined
  const [lon, lat] = place((minX + maxX) / 2, (minY + maxY) / 2)
  return { crs, lon, lat, ...(near === undefined ? {} : { km: distanceKm(near, { lon, lat }) }) }
}
