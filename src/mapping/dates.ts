/** Hides how a date in a cell becomes the service's date-time: a pattern, a zone, and the days when clocks change. */

import { compileDatePattern, readIsoDate, type DatePattern, type Moment } from '../core/values/date-pattern.ts'
import type { Value } from '../core/row.ts'
import { countDate, dateAgreement, type DateAgreement } from './readings.ts'
import type { Transform } from './transforms.ts'
import { complain, type Run, type Spot } from './run.ts'
import { findZone, type Zone } from './zones.ts'

export type DateOptions = { readonly pattern?: string | undefined; readonly zone?: string | undefined }

const rfc3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/
const mendHint = 'Correct the cell, or leave it empty.'

/**
 * Makes the reader of dates. ISO dates are read beside the pattern unless the pattern itself starts with the year; `instant`
 * wants an offset and so a zone, else a bare day stays a day. A sentence comes back where the options make no sense.
 */
export function dateTransform(options: DateOptions, instant: boolean): Transform | string {
  const pattern = options.pattern === undefined ? undefined : compileDatePattern(options.pattern)
  if (typeof pattern === 'string') return pattern
  const zone = options.zone === undefined ? undefined : findZone(options.zone)
  if (options.zone !== undefined && zone === undefined)
    return `"${options.zone}" is not a time zone. Zones are named like Pacific/Auckland or Europe/London.`
  if (instant && pattern !== undefined && !pattern.hasOffset && zone === undefined)
    return `The date pattern "${pattern.pattern}" says no offset, so a zone must be named: zone: Pacific/Auckland`
  const compiled: Compiled = { pattern, zone, instant, agreement: dateAgreement(pattern), placed: new Map() }
  return (value, run, spot) => readDate(value, run, spot, compiled)
}

type Compiled = {
  readonly pattern: DatePattern | undefined
  readonly zone: Zone | undefined
  readonly instant: boolean
  readonly agreement: DateAgreement
  /** What texts became that came before: the days of a column are few, and its rows many. */
  readonly placed: Map<string, Placed>
}

type Placed = { readonly reading: Moment; readonly text: string }

const mostPlaced = 2000

function readDate(value: Value, run: Run, spot: Spot, compiled: Compiled): string | undefined {
  const { pattern, zone, instant, agreement, placed } = compiled
  const text = typeof value === 'string' ? value.trim() : typeof value === 'number' ? String(value) : ''
  const known = placed.get(text)
  if (known !== undefined) {
    if (run.readings !== undefined)
      countDate(run.readings, agreement, { column: spot.column, text, at: run.row.at }, known.reading)
    return known.text
  }
  const reading = pattern?.read(text) ?? (pattern?.pattern.startsWith('y') ? undefined : readIsoDate(text))
  if (run.readings !== undefined && text !== '')
    countDate(run.readings, agreement, { column: spot.column, text, at: run.row.at }, reading)
  const expected = `Expected ${pattern?.spoken ?? 'year-month-day'}.`
  if (typeof reading === 'string')
    return complain(run, spot, {
      code: 'date-impossible',
      value: text,
      message: `${reading} ${expected}`,
      hint: mendHint,
    })
  if (reading === undefined)
    return complain(run, spot, {
      code: 'date-unclear',
      value,
      message: `This is not a date in the form ${pattern?.pattern ?? 'yyyy-MM-dd'}. ${expected}`,
      hint: 'Correct the cell, leave it empty, or give the pipeline the pattern that it has.',
    })
  if (reading.offset !== undefined) return rfc3339.test(text) ? text : spell(reading, reading.offset)
  if (zone === undefined && instant)
    return complain(run, spot, {
      code: 'date-unclear',
      value: text,
      message: 'This date does not say in which time zone it is.',
      hint: 'Name the zone in the pipeline: zone: Pacific/Auckland.',
    })
  if (zone === undefined) return spellWithoutZone(reading, text)
  const problems = run.problems?.length
  const spelled = placeInZone(reading, zone, run, spot)
  // What there is something to say about is said of each row.
  if (spelled !== undefined && run.problems?.length === problems && placed.size < mostPlaced)
    placed.set(text, { reading, text: spelled })
  return spelled
}

function placeInZone(moment: Moment, zone: Zone, run: Run, spot: Spot): string | undefined {
  const local = zone.place(moment)
  if (local.fate === 'clear') return spell(moment, local.offset)
  const time = spellTime(moment)
  if (local.fate === 'gap') {
    // A day without a time means its start, and a day may start at one o'clock.
    if (time === '00:00:00') return `${local.other}${local.offset}`
    return complain(run, spot, {
      code: 'date-impossible',
      value: `${spellDay(moment)} ${time}`,
      message: `The clock in ${zone.name} was put forward over ${time} on ${spellDay(moment)}; the next time there is ${local.other.slice(11)}.`,
      hint: mendHint,
    })
  }
  if (time !== '00:00:00')
    complain(run, spot, {
      code: 'date-twice',
      value: `${spellDay(moment)} ${time}`,
      message: `The clock in ${zone.name} showed ${time} twice on ${spellDay(moment)}; the first (${local.offset}) was taken, not the second (${local.other}).`,
    })
  return spell(moment, local.offset)
}

function spell(moment: Moment, offset: string): string {
  return `${spellDay(moment)}T${spellTime(moment)}${moment.fraction === '' ? '' : `.${moment.fraction}`}${offset}`
}

/** For fields that are text: as much as the cell said, in the order of ISO. */
function spellWithoutZone(moment: Moment, text: string): string {
  const day = spellDay(moment)
  return /\d:\d/.test(text) ? `${day}T${spellTime(moment)}` : day
}

function spellDay({ year, month, day }: Moment): string {
  return `${String(year).padStart(4, '0')}-${two(month)}-${two(day)}`
}

function spellTime({ hour, minute, second }: Moment): string {
  return `${two(hour)}:${two(minute)}:${two(second)}`
}

function two(number: number): string {
  return number < 10 ? `0${number}` : String(number)
}
