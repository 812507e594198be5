/** Hides how it is noticed, while rows are mapped, that cells fit another reading than the one that was agreed upon. */

import { compileDatePattern, type DatePattern, type DateReading } from '../core/values/date-pattern.ts'
import { readNumber, type DecimalMark, type ThousandsMark } from '../core/values/number-text.ts'
import { datePatterns, formLike, patternsOf, readDates } from '../core/profile/date-fits.ts'
import { numberKindOf, numberKinds } from '../core/profile/number-kind.ts'
import type { Place } from '../core/row.ts'

/** Cells that only another reading reads: how many, and the first. */
type Other = { times: number; readonly text: string; readonly at: Place }

type Tally = {
  readonly column: string
  readonly kind: 'date' | 'decimal'
  readonly agreed: string
  /** The reading with day and month, or the marks, exchanged: the one that can read the very same cells. */
  readonly exchanged: string | undefined
  read: number
  /** Of those read, the ones that the exchanged reading reads as well. */
  either: number
  readonly others: Map<string, Other>
}

/** What a run has counted so far, for each place in the mapping where a reading was agreed upon. */
export type Readings = Map<object, Tally>

/**
 * A reading that fits a column better than the agreed one: `only` cells can be read by it alone, `agreedOnly` by the agreed one
 * alone, `either` by both.
 */
export type Rival = {
  readonly column: string
  readonly kind: 'date' | 'decimal'
  readonly agreed: string
  readonly rival: string
  readonly only: number
  readonly agreedOnly: number
  readonly either: number
  readonly example: { readonly text: string; readonly at: Place }
}

/** Starts counting. */
export function startReadings(): Readings {
  return new Map()
}

/** An agreement about dates; the object itself is what a run counts under. */
export type DateAgreement = {
  readonly pattern: string
  readonly exchanged: DatePattern | undefined
}

/** What is agreed upon with a pattern, or without one, which means ISO. */
export function dateAgreement(pattern: DatePattern | undefined): DateAgreement {
  const written = pattern?.pattern ?? 'yyyy-MM-dd'
  const turned = written.replace(/^(dd?|MM?)([^A-Za-z]+)(MM?|dd?)(?![Md])/, '$3$2$1')
  const compiled = turned === written ? undefined : compileDatePattern(turned)
  return { pattern: written, exchanged: typeof compiled === 'string' ? undefined : compiled }
}

/** A cell, where it stands, and what the agreed reading made of it. */
type Seen = { readonly column: string; readonly text: string; readonly at: Place }

/** Counts a date that was read, or was not. */
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

/** An agreement about the decimal mark, and about the one between thousands where that is said. */
export type DecimalAgreement = { readonly mark: DecimalMark; readonly thousands?: ThousandsMark | undefined }

/** The reading with the agreed decimal mark and any mark between thousands. */
export const partedThousands = 'thousands'

const ownKind = { point: numberKinds.point, comma: numberKinds.comma } as const

/** Counts a text that is, or should be, a number. */
export function countNumber(readings: Readings, agreement: DecimalAgreement, seen: Seen): void {
  const { mark, thousands } = agreement
  const exchanged = mark === 'comma' ? 'point' : 'comma'
  const tally = tallyOf(readings, agreement, { column: seen.column, kind: 'decimal', agreed: mark, exchanged })
  const kind = numberKindOf(seen.text.trim())
  if (kind === numberKinds.none) return
  const isAgreed = thousands === undefined ? kind !== ownKind[exchanged] : isReadBy(seen.text, agreement)
  if (isAgreed) {
    tally.read += 1
    if (kind !== ownKind[mark]) tally.either += 1
    return
  }
  if (kind !== ownKind[mark]) countOther(tally, exchanged, seen)
  if (kind !== ownKind[exchanged]) countOther(tally, partedThousands, seen)
}

function isReadBy(text: string, { mark, thousands }: DecimalAgreement): boolean {
  return readNumber(text, mark, thousands) !== undefined
}

function tallyOf(
  readings: Readings,
  agreement: object,
  start: Pick<Tally, 'column' | 'kind' | 'agreed' | 'exchanged'>,
): Tally {
  const known = readings.get(agreement)
  if (known !== undefined) return known
  const tally: Tally = { ...start, read: 0, either: 0, others: new Map() }
  readings.set(agreement, tally)
  return tally
}

function countOther({ others }: Tally, reading: string, { text, at }: Seen): void {
  const known = others.get(reading)
  if (known === undefined) others.set(reading, { times: 1, text: text.slice(0, 60), at })
  else known.times += 1
}

/** The readings that fit better than what was agreed upon, the best one of each column. */
export function betterReadings(readings: Readings): readonly Rival[] {
  const rivals = new Map<string, Rival>()
  for (const { column, kind, agreed, exchanged, read, either, others } of readings.values()) {
    const ranked = [...others].map(([rival, { times, text, at }]): Rival => {
      const shared = rival === exchanged ? either : 0
      return {
        column,
        kind,
        agreed,
        rival,
        only: times,
        agreedOnly: read - shared,
        either: shared,
        example: { text, at },
      }
    })
    const [best] = ranked.toSorted((left, right) => right.only + right.either - left.only - left.either)
    if (best !== undefined && best.only > best.agreedOnly) rivals.set(`${column} ${kind}`, best)
  }
  return [...rivals.values()]
}
