/** Reads points from two columns: decides the decimal separator, degrees or metres, and whether the columns are exchanged. */

import { holdsNothing } from '../../core/values/no-value.ts'
import { plainWords } from '../../core/values/plain-words.ts'
import { readNumber, type DecimalMark } from '../../core/values/number-text.ts'
import { problem, type Problem } from '../../core/problem.ts'
import {
  chosen,
  isBlank,
  type CrsClue,
  type Choice,
  type Place,
  type Row,
  type Value,
  type Values,
} from '../../core/row.ts'
import type { Shape } from '../../core/shape.ts'
import { columnInSentence } from '../table-names.ts'
import type { NamedPair } from './point-names.ts'

/** The geometry of a row: null if it has none. */
export type Reading = { readonly shape: Shape | null; readonly problem?: Problem }

/**
 * The counts over all rows: with a geometry, with a problem, and with a position in only one order of the columns; `example` is the first
 * row that has a position only with the columns exchanged.
 */
export type Counts = ReturnType<typeof startCounts>

export function startCounts() {
  return { placed: 0, failed: 0, asRead: 0, exchanged: 0, example: undefined as Row | undefined }
}

/**
 * How geometry is read from columns. `manner` distinguishes plans for the same columns; `over` returns the choices with counts over
 * all rows. `exchange` exists only if the two columns could be exchanged: it tests whether values without a position
 * would have one then, and makes the plan for that; `isToNames` if the exchanged order is that of the column names. `points` are its two
 * columns, if it uses two.
 */
export type Plan = {
  readonly choices: readonly Choice[]
  readonly notes: readonly Problem[]
  readonly crs?: CrsClue
  readonly manner: string
  readonly points?: { readonly x: string; readonly y: string }
  read(values: Values, at: Place): Reading
  over(counts: Counts): readonly Choice[]
  readonly exchange?: {
    readonly isToNames: boolean
    places(values: Values): boolean
    plan(counts: Counts, example: Row): Plan
  }
}

/** Degrees are longitude and latitude; anything else stays in the units of its grid. */
type Manner = { readonly isDegrees: boolean; readonly isSwapped: boolean; readonly mark: DecimalMark }

/** Plans to read points from a pair of columns; undefined if too few rows contain positions. `isSaid` if options name them. */
export function planPoints(
  pair: NamedPair,
  sample: readonly Row[],
  { isSaid, mark }: { readonly isSaid: boolean; readonly mark: DecimalMark | undefined },
): Plan | undefined {
  const rows = sample.filter(({ values }) => !holdsNothing(values[pair.x]) && !holdsNothing(values[pair.y]))
  // Read without the letters beside them, positions would be on the other half of the earth.
  if (pair.kind === 'degrees' && !isSaid && rows.some(({ values }) => hasHalfBeside(values))) return undefined
  const manner = mannerOf(pair, rows, { isSaid, mark })
  if (manner === undefined) return undefined
  const because = isSaid
    ? 'Set, not guessed.'
    : manner.isSwapped
      ? `By the names of ${columnInSentence(pair.x)} and ${columnInSentence(pair.y)}, none of the first ${rows.length} positions would be on earth.`
      : `Chosen by the names of ${columnInSentence(pair.x)} and ${columnInSentence(pair.y)}; ${rows.length} of the first rows have both.`
  return planIn(pair, manner, { isSaid, because, example: rows[0] ?? sample[0] })
}

const halfNames = /\b(?:ns|ew|n s|e w|hemi\w*|(?:lat|latitude|lon|long|longitude) (?:ref|dir|direction))\b/

/** True if a column of its own says that a position is south or west. */
function hasHalfBeside(values: Values): boolean {
  return Object.entries(values).some(
    ([name, value]) =>
      typeof value === 'string' && /^(?:s|w|south|west)$/i.test(value.trim()) && halfNames.test(plainWords(name)),
  )
}

type Grounds = { readonly isSaid: boolean; readonly because: string; readonly example: Row | undefined }

function planIn(pair: NamedPair, manner: Manner, { isSaid, because, example }: Grounds): Plan {
  const { isDegrees, isSwapped } = manner
  const [x, y] = isSwapped ? [pair.y, pair.x] : [pair.x, pair.y]
  const notes: Problem[] = []
  if (isSwapped && example !== undefined) notes.push(swappedWarning(pair, example))
  if (isDegrees && pair.kind !== 'degrees' && example !== undefined) notes.push(assumedNote(pair, example.at))
  const decided = (evidence: string): readonly Choice[] => [
    chosen('from.x', x, evidence, isSwapped ? y : undefined),
    chosen('from.y', y, evidence, isSwapped ? x : undefined),
  ]
  return {
    choices: decided(because),
    notes,
    points: { x, y },
    ...(isDegrees ? { crs: { from: 'columns', text: 'EPSG:4326' } } : {}),
    manner: [x, y, isDegrees ? 'degrees' : 'grid', manner.mark].join(' '),
    read: (values, place) => readPoint({ x, y, values, at: place }, manner),
    over: (counts) => decided(isSaid ? because : evidenceOver(pair, manner, counts)),
    ...(isDegrees && pair.kind === 'degrees' && !isSaid
      ? {
          exchange: {
            isToNames: isSwapped,
            places: (values) => isPosition(degreesOf(values[y], manner.mark), degreesOf(values[x], manner.mark)),
            plan(counts, turned) {
              const other = { ...manner, isSwapped: !isSwapped }
              const seen = { ...counts, asRead: counts.exchanged, exchanged: counts.asRead }
              return planIn(pair, other, { isSaid, because: evidenceOver(pair, other, seen), example: turned })
            },
          },
        }
      : {}),
  }
}

function evidenceOver(pair: NamedPair, { isSwapped, isDegrees }: Manner, counts: Counts): string {
  const [x, y] = [columnInSentence(pair.x), columnInSentence(pair.y)]
  const all = counts.placed + counts.failed
  if (isSwapped)
    return `By the names of ${x} and ${y}, ${counts.asRead} of ${all} positions would not be on earth; exchanged, ${counts.exchanged === 0 ? 'none' : counts.exchanged}.`
  const named = `Chosen by the names of ${x} and ${y}; ${counts.placed} of ${all} positions can be read`
  if (!isDegrees || counts.exchanged === 0) return `${named}.`
  return `${named}; ${counts.exchanged} would be on earth only with the columns exchanged, ${counts.asRead} only as they are.`
}

function mannerOf(
  pair: NamedPair,
  rows: readonly Row[],
  { isSaid, mark }: { readonly isSaid: boolean; readonly mark: DecimalMark | undefined },
): Manner | undefined {
  const marks: readonly DecimalMark[] = mark === 'comma' ? ['comma', 'point'] : ['point', 'comma']
  // Names that can mean nothing else need fewer rows as proof.
  const enough = Math.max(1, rows.length * (pair.kind === 'degrees' ? 0.5 : 0.8))
  for (const each of marks) {
    const spots = rows.map(({ values }) => [degreesOf(values[pair.x], each), degreesOf(values[pair.y], each)] as const)
    const fits = spots.filter(([x, y]) => isPosition(x, y)).length
    const turned = spots.filter(([x, y]) => isPosition(y, x) && !isPosition(x, y)).length
    // Whole numbers such as 4 and 7 are as likely to be places in a drawing as degrees.
    const areFine =
      pair.kind === 'degrees' || isSaid || rows.filter((row) => isFine(row, pair)).length * 2 >= rows.length
    if (fits >= enough && areFine) return { isDegrees: true, isSwapped: false, mark: each }
    if (turned === rows.length && turned > 0 && pair.kind === 'degrees' && !isSaid)
      return { isDegrees: true, isSwapped: true, mark: each }
    if (pair.kind === 'degrees' && fits > 0 && fits + turned >= enough)
      return { isDegrees: true, isSwapped: false, mark: each }
  }
  // Small numbers under unclear names may be anything; under names of degrees they are degrees, however wrong.
  const least = !isSaid ? 1000 : pair.kind === 'degrees' ? 360 : -1
  for (const each of marks) {
    const inGrid = rows.filter(({ values }) => {
      const [x, y] = [readGrid(values[pair.x], each), readGrid(values[pair.y], each)]
      return x !== undefined && y !== undefined && Math.max(Math.abs(x), Math.abs(y)) > least
    })
    if (inGrid.length >= enough) return { isDegrees: false, isSwapped: false, mark: each }
  }
  return isSaid ? { isDegrees: pair.kind === 'degrees', isSwapped: false, mark: mark ?? 'point' } : undefined
}

function degreesOf(value: Value, mark: DecimalMark): Coordinate | undefined {
  if (typeof value === 'number') return { degrees: value }
  return typeof value === 'string' ? readCoordinate(value, mark) : undefined
}

function isLongitude(read: Coordinate | undefined): boolean {
  return read !== undefined && read.axis !== 'latitude' && Math.abs(read.degrees) <= 180
}

function isLatitude(read: Coordinate | undefined): boolean {
  return read !== undefined && read.axis !== 'longitude' && Math.abs(read.degrees) <= 90
}

function isPosition(x: Coordinate | undefined, y: Coordinate | undefined): boolean {
  return isLongitude(x) && isLatitude(y)
}

function isFine({ values }: Row, { x, y }: NamedPair): boolean {
  return [values[x], values[y]].every((value) => /[.,]\d{3}|\d\s*[°º]/.test(shown(value)))
}

function readGrid(value: Value, mark: DecimalMark): number | undefined {
  if (typeof value === 'number') return value
  return typeof value === 'string' ? readNumber(value.replace(/\s*m?[EN]?$/i, ''), mark) : undefined
}

type Cells = { readonly x: string; readonly y: string; readonly values: Values; readonly at: Place }

function readPoint({ x, y, values, at }: Cells, { isDegrees, mark }: Manner): Reading {
  const [left, right] = [values[x], values[y]]
  if (holdsNothing(left) && holdsNothing(right)) return { shape: null }
  const read = isDegrees
    ? [degreesOf(left, mark), degreesOf(right, mark)].map((each) => each?.degrees)
    : [readGrid(left, mark), readGrid(right, mark)]
  for (const [index, number] of read.entries())
    if (number === undefined || !Number.isFinite(number))
      return { shape: null, problem: unreadable([x, y][index]!, [left, right][index], at, isDegrees) }
  const [east, north] = [read[0]!, read[1]!]
  if (east === 0 && north === 0) return { shape: null, problem: nowhere(x, y, at) }
  if (isDegrees && !isPosition(degreesOf(left, mark), degreesOf(right, mark)))
    return { shape: null, problem: outside({ x, y, values, at }) }
  return { shape: { kind: 'Point', coordinates: Float64Array.of(east, north), ends: [], parts: [] } }
}

function shown(value: Value): string {
  return isBlank(value) ? '' : typeof value === 'object' ? JSON.stringify(value) : String(value).slice(0, 80)
}

function unreadable(column: string, value: Value, at: Place, isDegrees: boolean): Problem {
  const text = shown(value)
  const message = text === '' ? 'The other half of the position is empty.' : `"${text}" is not a coordinate.`
  const hint = isDegrees
    ? `Write degrees such as -37.7919 or 37°47'31"S, or leave both cells empty.`
    : 'Write the metres of the grid as a number, or leave both cells empty.'
  return problem('coordinate-not-a-number', at, { column, value: text, message, hint })
}

function nowhere(x: string, y: string, at: Place): Problem {
  const message = `${columnInSentence(x)} and ${columnInSentence(y)} are both 0, which programs write for no position; the row has no point.`
  return problem('geometry-missing', at, { severity: 'warning', column: x, value: '0', message })
}

function outside({ x, y, values, at }: Cells): Problem {
  const message = `Longitude ${shown(values[x])} (${columnInSentence(x)}) and latitude ${shown(values[y])} (${columnInSentence(y)}) are not a place on earth.`
  const hint =
    'A latitude is between -90 and 90, a longitude between -180 and 180. Check whether the two are exchanged in this row.'
  return problem('coordinate-out-of-range', at, { column: y, value: shown(values[y]), message, hint })
}

function swappedWarning({ x, y }: NamedPair, row: Row): Problem {
  return problem('coordinate-out-of-range', row.at, {
    severity: 'warning',
    column: y,
    value: shown(row.values[y]),
    message: `Latitude and longitude are exchanged: ${columnInSentence(y)} contains ${shown(row.values[y])}, which cannot be a latitude. ${columnInSentence(y)} was read as longitude, ${columnInSentence(x)} as latitude.`,
    hint: `Correct the names in the file, or set in the pipeline  x: ${y}  and  y: ${x}.`,
  })
}

function assumedNote({ x, y }: NamedPair, at: Place): Problem {
  return problem('crs-assumed', at, {
    column: x,
    message: `${columnInSentence(x)} and ${columnInSentence(y)} contain degrees, so they were read as longitude and latitude in WGS 84.`,
    hint: 'If they are in another system, name it with --crs; if they are not a position, set  geometry: none.',
  })
}

/** Degrees, and which of the two they are if a letter such as S or E shows it. */
type Coordinate = { readonly degrees: number; readonly axis?: 'longitude' | 'latitude' }

const part = String.raw`(\d{1,2}(?:[.,]\d+)?)`
// A capital S is south and a small s is seconds: 37 47 20 S, 37d47m20s.
const sexagesimal = new RegExp(
  String.raw`^([NSEWnew])?\s*([+-])?(\d{1,3}(?:[.,]\d+)?)\s*(?:[°º˚d:]\s*|\s+|$|(?=[NSEWnew]))` +
    String.raw`(?:${part}\s*(?:['′’´m:]\s*|\s+|$|(?=[NSEWnew]))(?:${part}\s*(?:["″”s]|['′’´]{2})?\s*)?)?([NSEWnew])?$`,
)

/** Reads a coordinate in degrees; undefined if the text is not one. It has no thousands separators: 175,312 is not 175312. */
export function readCoordinate(text: string, mark: DecimalMark): Coordinate | undefined {
  const plain = readNumber(text, mark, 'none')
  if (plain !== undefined) return { degrees: plain }
  const trimmed = text.trim().replace('\u2212', '-')
  const found = trimmed.length > 40 ? null : sexagesimal.exec(trimmed)
  if (found === null) return undefined
  const [, before, sign, whole, minutes, seconds, after] = found
  const letter = (before ?? after)?.toUpperCase()
  if ((before !== undefined && after !== undefined) || (sign === '-' && letter !== undefined)) return undefined
  // A number alone may be written with the other separator, and two may be anything.
  if (letter === undefined && seconds === undefined && !/[°º˚d]/i.test(trimmed)) return undefined
  const [degrees, minute, second] = [whole, minutes, seconds].map((each) => Number((each ?? '0').replace(',', '.')))
  if (minute! >= 60 || second! >= 60) return undefined
  // Only the last part may have decimals.
  if ((minutes !== undefined && /[.,]/.test(whole!)) || (seconds !== undefined && /[.,]/.test(minutes!)))
    return undefined
  const size = degrees! + minute! / 60 + second! / 3600
  const value = sign === '-' || letter === 'S' || letter === 'W' ? -size : size
  if (letter === undefined) return { degrees: value }
  return { degrees: value, axis: letter === 'N' || letter === 'S' ? 'latitude' : 'longitude' }
}
