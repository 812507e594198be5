/** Reads points from two columns; rows that pass show whether they are degrees or metres, and whether the columns are exchanged. */

import { holdsNothing } from '../../core/values/no-value.ts'
import { plainWords } from '../../core/values/plain-words.ts'
import { readNumber, type DecimalMark } from '../../core/values/number-text.ts'
import { problem, type Problem } from '../../core/problem.ts'
import {
  chosen,
  chosenByPerson,
  isBlank,
  type CrsClue,
  type Choice,
  type Place,
  type Row,
  type Value,
  type Values,
} from '../../core/row.ts'
import type { Shape } from '../../core/shape.ts'
import { startShapeFacts, type ShapeFacts } from '../../core/shape-facts.ts'
import { columnInSentence } from '../table-names.ts'

/** The geometry of a row: null if it has none. */
export type Reading = { readonly shape: Shape | null; readonly problem?: Problem }

/** How geometry is read from columns. `points` are its two columns, if it uses two. */
export type Plan = {
  readonly choices: readonly Choice[]
  readonly notes: readonly Problem[]
  readonly crs?: CrsClue
  readonly points?: { readonly x: string; readonly y: string }
  read(values: Values, at: Place): Reading
}

/** A plan that rows proved, with the facts about its shapes and the problems of its rows. */
export type Proved = { readonly plan: Plan; readonly shapes: ShapeFacts; readonly problems: readonly Counted[] }

/** A problem of rows: how many have it, and the first. */
export type Counted = { readonly count: number; readonly first: Problem }

const longitudeLatitude = { from: 'columns', text: 'EPSG:4326' } as const

/** The plan to read points from the two columns that options name. Under names of degrees they are degrees. */
export function planPoints(x: string, y: string, mark: DecimalMark | undefined): Plan {
  const isDegrees = kindOf(x, y) === 'degrees'
  return {
    choices: [chosenByPerson('from.x', x), chosenByPerson('from.y', y)],
    notes: [],
    points: { x, y },
    ...(isDegrees ? { crs: longitudeLatitude } : {}),
    read: (values, at) => readPoint({ x, y, values, at }, isDegrees, mark),
  }
}

/** What the names of two columns mean, whichever is first. */
export function kindOf(x: string, y: string): PairKind {
  return namedPairs([x, y])[0]?.kind ?? 'weak'
}

const halfNames = /\b(?:ns|ew|n s|e w|hemi\w*|(?:lat|latitude|lon|long|longitude) (?:ref|dir|direction))\b/

type Seen = { readonly values: Values; readonly at: Place }

/**
 * Watches a pair of columns while rows pass, and proves whether they contain positions: degrees, or metres of a grid; as their names say,
 * or exchanged. `isSaid` if options name them.
 */
export function watchPoints(
  pair: NamedPair,
  columns: readonly string[],
  { isSaid, mark }: { readonly isSaid: boolean; readonly mark: DecimalMark | undefined },
) {
  const { kind } = pair
  const halves = columns.filter((name) => halfNames.test(plainWords(name)))
  const facts = { named: startShapeFacts(), turned: startShapeFacts(), grid: startShapeFacts() }
  // Positions by where they are on earth: in the order of the names, only exchanged, only as named, and nowhere in an order.
  const counts = { both: 0, filled: 0, named: 0, onlyTurned: 0, onlyNamed: 0, fine: 0, large: 0, zero: 0 }
  let hasHalves = false
  const unreadable = new Map<string, { count: number; first: Problem }>()
  let [outNamed, outTurned]: (Seen | undefined)[] = []
  let firstTurned: Seen | undefined
  let first: Seen | undefined
  const addShapes = (named: Shape | null, turned: Shape | null, grid: Shape | null): void => {
    facts.named.add(named)
    facts.turned.add(turned)
    facts.grid.add(grid)
  }
  return {
    pass({ values, at }: Row): void {
      const [left, right] = [values[pair.x], values[pair.y]]
      const [noLeft, noRight] = [holdsNothing(left), holdsNothing(right)]
      if (noLeft && noRight) return addShapes(null, null, null)
      first ??= { values, at }
      counts.filled += 1
      if (!noLeft && !noRight) counts.both += 1
      // Read without the letters beside them, positions would be on the other half of the earth.
      hasHalves ||= halves.some((name) => isOtherHalf(values[name]))
      const read = positionOf({ ...pair, values, at }, kind === 'degrees', mark)
      if ('problem' in read) {
        const known = unreadable.get(read.problem.code)
        if (known === undefined) unreadable.set(read.problem.code, { count: 1, first: read.problem })
        else known.count += 1
        if (read.problem.code === 'geometry-missing') counts.zero += 1
        return addShapes(null, null, null)
      }
      const { x, y } = read
      const [isNamed, isTurned] = [isPosition(x, y), isPosition(y, x)]
      if (isNamed) counts.named += 1
      else outNamed ??= { values, at }
      if (isTurned && !isNamed) {
        counts.onlyTurned += 1
        firstTurned ??= { values, at }
      }
      if (isNamed && !isTurned) counts.onlyNamed += 1
      if (!isTurned) outTurned ??= { values, at }
      if (kind !== 'degrees' && isFine(values, pair)) counts.fine += 1
      // Small numbers under unclear names may be anything; under names of degrees they are degrees, however wrong.
      if (
        Math.max(Math.abs(x.degrees), Math.abs(y.degrees)) >
        (isSaid && kind !== 'degrees' ? -1 : kind === 'degrees' ? 360 : 1000)
      )
        counts.large += 1
      const shape = pointOf(x, y)
      addShapes(isNamed ? shape : null, isTurned ? pointOf(y, x) : null, shape)
    },
    end(): Proved | undefined {
      const { both, filled, named, onlyTurned, onlyNamed, fine, large } = counts
      if (kind === 'degrees' && !isSaid && hasHalves) return undefined
      // Names that can mean nothing else need fewer rows as proof.
      const enough = Math.max(1, both * (kind === 'degrees' ? 0.5 : 0.8))
      // Whole numbers such as 4 and 7 are as likely to be places in a drawing as degrees.
      const areFine = kind === 'degrees' || isSaid || fine * 2 >= both
      const isDegrees = (kind === 'degrees' ? named + onlyTurned : named) >= enough && areFine
      if (!isDegrees && large < enough && !isSaid) return undefined
      const areDegrees = isDegrees || (large < enough && kind === 'degrees')
      const isTurned =
        areDegrees &&
        kind === 'degrees' &&
        !isSaid &&
        onlyNamed === 0 &&
        onlyTurned > 0 &&
        onlyTurned >= leastTurned * filled
      const [x, y] = isTurned ? [pair.y, pair.x] : [pair.x, pair.y]
      const [xIn, yIn] = [columnInSentence(pair.x), columnInSentence(pair.y)]
      const shapes = (areDegrees ? (isTurned ? facts.turned : facts.named) : facts.grid).finish()
      const placed = Object.values(shapes.shapes).reduce((sum, each) => sum + each, 0)
      const exchanged =
        areDegrees && onlyTurned > 0
          ? `; ${onlyTurned} would be on earth only with the columns exchanged, ${onlyNamed} only as they are`
          : ''
      const evidence = isTurned
        ? `By the names of ${xIn} and ${yIn}, ${onlyTurned} of ${filled} positions would not be on earth; exchanged, none.`
        : `Chosen by the names of ${xIn} and ${yIn}; ${placed} of ${filled} positions can be read${exchanged}.`
      const choose = (setting: string, column: string, other: string): Choice =>
        isSaid ? chosenByPerson(setting, column) : chosen(setting, column, evidence, isTurned ? other : undefined)
      const notes = [
        ...(isTurned && firstTurned ? [turnedWarning(pair, firstTurned)] : []),
        ...(areDegrees && kind !== 'degrees' && first ? [assumedNote([pair.x, pair.y], first.at)] : []),
      ]
      const out = areDegrees ? (isTurned ? outTurned : outNamed) : undefined
      const outside = filled - placed - [...unreadable.values()].reduce((sum, { count }) => sum + count, 0)
      const plan: Plan = {
        choices: [choose('from.x', x, y), choose('from.y', y, x)],
        notes,
        points: { x, y },
        ...(areDegrees ? { crs: longitudeLatitude } : {}),
        read: (values, at) => readPoint({ x, y, values, at }, areDegrees, mark),
      }
      const outsideOf = out && { count: outside, first: outsideProblem({ x, y, ...out }) }
      return { plan, shapes, problems: [...unreadable.values(), ...(outsideOf && outside > 0 ? [outsideOf] : [])] }
    },
  }
}

/** The share of positions that must be on earth only with the columns exchanged; fewer are single mistakes. */
const leastTurned = 0.05

/** True if a column of its own says that a position is south or west. */
function isOtherHalf(value: Value): boolean {
  return typeof value === 'string' && /^(?:s|w|south|west)$/i.test(value.trim())
}

function pointOf(x: Coordinate, y: Coordinate): Shape {
  return { kind: 'Point', coordinates: Float64Array.of(x.degrees, y.degrees), ends: [], parts: [] }
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

function isFine(values: Values, { x, y }: NamedPair): boolean {
  return [values[x], values[y]].every((value) => /[.,]\d{3}|\d\s*[°º]/.test(shown(value)))
}

function readGrid(value: Value, mark: DecimalMark): number | undefined {
  if (typeof value === 'number') return value
  return typeof value === 'string' ? readNumber(value.replace(/\s*m?[EN]?$/i, ''), mark) : undefined
}

type Cells = { readonly x: string; readonly y: string; readonly values: Values; readonly at: Place }

type Position = { readonly x: Coordinate; readonly y: Coordinate }

/** The position in two cells. Degrees have no thousands separators, so either decimal separator may be tried. */
function positionOf(
  cells: Cells,
  isDegrees: boolean,
  mark: DecimalMark = 'point',
): Position | { readonly problem: Problem } {
  const { x, y, values, at } = cells
  const [left, right] = [values[x], values[y]]
  const marks = mark === 'comma' ? (['comma', 'point'] as const) : (['point', 'comma'] as const)
  const [inX, inY] = [left, right].map((value) => degreesOf(value, marks[0]) ?? degreesOf(value, marks[1]))
  const isRead = inX !== undefined && inY !== undefined
  let read = isRead && (isDegrees || isPosition(inX, inY)) ? { x: inX, y: inY } : undefined
  for (const each of read === undefined ? marks : []) {
    const [east, north] = [readGrid(left, each), readGrid(right, each)]
    if (east !== undefined && north !== undefined) read ??= { x: { degrees: east }, y: { degrees: north } }
  }
  read ??= isRead ? { x: inX, y: inY } : undefined
  if (read === undefined || !Number.isFinite(read.x.degrees) || !Number.isFinite(read.y.degrees)) {
    const isFirst =
      inX === undefined && readGrid(left, marks[0]) === undefined && readGrid(left, marks[1]) === undefined
    return { problem: unreadable(isFirst ? x : y, isFirst ? left : right, at, isDegrees) }
  }
  return read.x.degrees === 0 && read.y.degrees === 0 ? { problem: nowhere(x, y, at) } : read
}

function readPoint(cells: Cells, isDegrees: boolean, mark: DecimalMark | undefined): Reading {
  const { x, y, values } = cells
  if (holdsNothing(values[x]) && holdsNothing(values[y])) return { shape: null }
  const read = positionOf(cells, isDegrees, mark)
  if ('problem' in read) return { shape: null, problem: read.problem }
  // Metres under names of degrees are for the coordinate system to judge.
  const isNear = Math.max(Math.abs(read.x.degrees), Math.abs(read.y.degrees)) <= 360
  if (isDegrees && isNear && !isPosition(read.x, read.y)) return { shape: null, problem: outsideProblem(cells) }
  return { shape: pointOf(read.x, read.y) }
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

function outsideProblem({ x, y, values, at }: Cells): Problem {
  const message = `Longitude ${shown(values[x])} (${columnInSentence(x)}) and latitude ${shown(values[y])} (${columnInSentence(y)}) are not a place on earth.`
  const hint =
    'A latitude is between -90 and 90, a longitude between -180 and 180. Check whether the two are exchanged in this row.'
  return problem('coordinate-out-of-range', at, { column: y, value: shown(values[y]), message, hint })
}

function turnedWarning({ x, y }: NamedPair, row: Seen): Problem {
  return problem('coordinate-out-of-range', row.at, {
    severity: 'warning',
    column: y,
    value: shown(row.values[y]),
    message: `Latitude and longitude are exchanged: ${columnInSentence(y)} contains ${shown(row.values[y])}, which cannot be a latitude. ${columnInSentence(y)} was read as longitude, ${columnInSentence(x)} as latitude.`,
    hint: `Correct the names in the file, or set  from.x: ${y}  and  from.y: ${x}`,
  })
}

/** The note about coordinates that say no system and are small enough for degrees. */
export function assumedNote(columns: readonly string[], at: Place): Problem {
  return problem('crs-assumed', at, {
    column: columns[0],
    message: `The coordinates of ${columns.map(columnInSentence).join(' and ')} are degrees, so they were read as longitude and latitude in WGS 84.`,
    hint: 'If they are in another system, set from.crs; if they are not a position, set  from.geometry: none',
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

/** `degrees` are names for longitude and latitude, `grid` for a grid in metres, `weak` may mean something else. */
export type PairKind = 'degrees' | 'grid' | 'weak'

export type NamedPair = { readonly x: string; readonly y: string; readonly kind: PairKind }

const tail =
  '(?: (?:wgs ?84|dd|dms|deg|degrees?|decimal|gps|gda ?94|gda ?2020|nzgd ?2000|etrs ?89|m|metres?|meters?|\\d+))*'

const words = (
  [
    {
      kind: 'degrees',
      x: '(?:.* )?(?:lon|long|lng|longitude?|longitudine|lengtegraad|langengrad|laengengrad|lengdegrad|langdgrad|længdegrad|laengdegrad|pituusaste|dlugosc(?: geograficzna)?|długosc(?: geograficzna)?|zemepisna delka|долгота)',
      y: '(?:.* )?(?:lat|latitude?|latitudine|breedtegraad|breitengrad|breddegrad|leveysaste|szerokosc(?: geograficzna)?|zemepisna sirka|широта)',
    },
    {
      kind: 'grid',
      x: '(?:.* )?(?:eastings?|rechtswert|ostwert|abscissa)|(?:nztm|nzmg|mga|amg|utm|osgb|bng|itm|tm35|lv95|rd)(?: .*)? (?:e|x)|east|este|e',
      y: '(?:.* )?(?:northings?|hochwert|nordwert)|(?:nztm|nzmg|mga|amg|utm|osgb|bng|itm|tm35|lv95|rd)(?: .*)? (?:n|y)|north|norte|n',
    },
    {
      kind: 'weak',
      x: 'x|(?:point|coord|coordinate|pos|map|centroid|gps) x|x (?:coord|coordinate)|xcoord|lange|laenge|lengte',
      y: 'y|(?:point|coord|coordinate|pos|map|centroid|gps) y|y (?:coord|coordinate)|ycoord|breite|breedte',
    },
  ] as const
).map(({ kind, x, y }) => ({ kind, x: named(x), y: named(y) }))

function named(names: string): RegExp {
  return new RegExp(`^(?:${names})${tail}$`, 'u')
}

/** The pairs among the columns by their names, the most certain first. */
export function namedPairs(columns: readonly string[]): readonly NamedPair[] {
  const plain = columns.map((name) => ({ name, plain: plainWords(name) }))
  return words.flatMap(({ kind, x, y }) => {
    const xs = plain.filter((each) => x.test(each.plain))
    const ys = plain.filter((each) => y.test(each.plain))
    // Programs write pairs in the same order: start lon, start lat, end lon, end lat.
    const pairs = xs.length === ys.length ? xs : xs.slice(0, 1)
    return pairs.flatMap((one, index) => (ys[index] === undefined ? [] : [{ x: one.name, y: ys[index].name, kind }]))
  })
}
