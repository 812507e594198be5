/** Counts, while rows are mapped, cells that fit another date or number format than the configured one. */

import { compileDatePattern, type DatePattern, type DateReading } from '../core/values/date-pattern.ts'
import { numberKindOf, numberKinds, readNumber, type NumberWriting } from '../core/values/number-text.ts'
import { datePatterns, formLike, patternsOf, readDates } from '../core/profile/date-fits.ts'
import type { Place } from '../core/row.ts'

/** Cells that only another reading fits: how many, and the first. */
type Other = { times: number; readonly text: string; readonly at: Place }

/** How many cells of a column the configured reading fits, and how many only other ones. */
export type ColumnReadings = {
  readonly column: string
  readonly kind: 'date' | 'decimal'
  readonly agreed: string
  /** The reading with day and month, or the decimal marks, exchanged: it can read the same cells. */
  readonly exchanged: string | undefined
  read: number
  /** How many of those the exchanged reading reads too. */
  either: number
  readonly others: Map<string, Other>
}

/** The counts of a run, for each place in the mapping with a configured reading. */
export type Readings = Map<object, ColumnReadings>

/** The configured reading of dates; the object itself is the key of its counts. */
export type DateAgreement = ReturnType<typeof dateAgreement>

/** Makes the configured reading for a pattern; without one it is ISO. */
export function dateAgreement(pattern: DatePattern | undefined) {
  const written = pattern?.pattern ?? 'yyyy-MM-dd'
  const turned = written.replace(/^(dd?|MM?)([^A-Za-z]+)(MM?|dd?)(?![Md])/, '$3$2$1')
  const compiled = turned === written ? undefined : compileDatePattern(turned)
  return { pattern: written, exchanged: typeof compiled === 'string' ? undefined : compiled }
}

type Seen = { readonly column: string; readonly text: string; readonly at: Place }

/** Counts a date and whether it could be read. */
export function countDate(readings: Readings, agreement: DateAgreement, seen: Seen, reading: DateReading): void {
  const { pattern, exchanged } = agreement
  const tally = tallyOf(readings, agreement, {
    column: seen.column,
    kind: 'date',
    agreed: pattern,
    exchanged: exchanged?.pattern,
  })
  if (typeof reading === 'object') {
    tally.read += 1
    if (exchanged !== undefined && reading.day <= 12 && typeof exchanged.read(seen.text) === 'object') tally.either += 1
  } else if (exchanged !== undefined && typeof exchanged.read(seen.text) === 'object')
    countOther(tally, exchanged.pattern, seen)
  else {
    const form = formLike(seen.text)
    const fits = form === undefined ? [] : patternsOf(form, readDates(form, seen.text))[0]
    for (const index of fits) countOther(tally, datePatterns[index]!.pattern, seen)
  }
}

/** The name of the reading with the configured decimal mark and any mark between thousands. */
export const partedThousands = 'thousands'

const ownKind = { point: numberKinds.point, comma: numberKinds.comma } as const

/** Counts a text that is, or should be, a number, where the decimal mark is configured; the writing itself is the key of its counts. */
export function countNumber(readings: Readings, writing: NumberWriting, seen: Seen): void {
  const { decimal: mark, thousands } = writing
  if (mark === undefined) return
  const exchanged = mark === 'comma' ? 'point' : 'comma'
  const tally = tallyOf(readings, writing, { column: seen.column, kind: 'decimal', agreed: mark, exchanged })
  const kind = numberKindOf(seen.text.trim())
  if (kind === numberKinds.none) return
  const isAgreed =
    thousands === undefined ? kind !== ownKind[exchanged] : readNumber(seen.text, mark, thousands) !== undefined
  if (isAgreed) {
    tally.read += 1
    if (kind !== ownKind[mark]) tally.either += 1
    return
  }
  if (kind !== ownKind[mark]) countOther(tally, exchanged, seen)
  if (kind !== ownKind[exchanged]) countOther(tally, partedThousands, seen)
}

function tallyOf(
  readings: Readings,
  agreement: object,
  start: Pick<ColumnReadings, 'column' | 'kind' | 'agreed' | 'exchanged'>,
): ColumnReadings {
  const known = readings.get(agreement)
  if (known !== undefined) return known
  const tally: ColumnReadings = { ...start, read: 0, either: 0, others: new Map() }
  readings.set(agreement, tally)
  return tally
}

function countOther({ others }: ColumnReadings, reading: string, { text, at }: Seen): void {
  const known = others.get(reading)
  if (known === undefined) others.set(reading, { times: 1, text: text.slice(0, 60), at })
  else known.times += 1
}
