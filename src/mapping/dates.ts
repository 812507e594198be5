/** Turns a date in a cell into the service's date-time: by pattern and time zone, also on days when clocks change. */

import { compileDatePattern, readIsoDate, type DatePattern, type Moment } from '../core/values/date-pattern.ts'
import type { Value } from '../core/row.ts'
import { countDate, dateAgreement, type DateAgreement } from './readings.ts'
import { addProblem, type RowState, type CellAndField, type Transform } from './row-state.ts'
import { findZone, type Zone } from './zones.ts'

/** The pattern of dates, and their zone. */
export type DateOptions = { readonly date?: string | undefined; readonly zone?: string | undefined }

const rfc3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/
const correctHint = 'Correct the cell, or leave it empty.'

/**
 * Makes the reader of dates. ISO dates are read too, unless the pattern itself starts with the year; `instant` needs an offset
 * and so a zone, else a bare day stays a day. Returns a sentence when the options make no sense.
 */
export function dateTransform(options: DateOptions, instant: boolean): Transform | string {
  const pattern = options.date === undefined ? undefined : compileDatePattern(options.date)
  if (typeof pattern === 'string') return pattern
  const zone = options.zone === undefined ? undefined : findZone(options.zone)
  if (options.zone !== undefined && zone === undefined)
    return `"${options.zone}" is not a time zone. Zones are named like Pacific/Auckland or Europe/London.`
  if (instant && pattern !== undefined && !pattern.hasOffset && zone === undefined)
    return `The date pattern "${pattern.pattern}" has no offset, so add a time zone: zone: Pacific/Auckland`
  const compiled: Compiled = { pattern, zone, instant, agreement: dateAgreement(pattern) }
  return (value, state, spot) => readDate(value, state, spot, compiled)
}

type Compiled = {
  readonly pattern: DatePattern | undefined
  readonly zone: Zone | undefined
  readonly instant: boolean
  readonly agreement: DateAgreement
}

function readDate(value: Value, state: RowState, spot: CellAndField, compiled: Compiled): string | undefined {
  const { pattern, zone, instant, agreement } = compiled
  const text = typeof value === 'string' ? value.trim() : typeof value === 'number' ? String(value) : ''
  const reading = pattern?.read(text) ?? (pattern?.pattern.startsWith('y') ? undefined : readIsoDate(text))
  if (state.readings !== undefined && text !== '')
    countDate(state.readings, agreement, { column: spot.column, text, at: state.row.at }, reading)
  const expected = `Expected ${pattern?.spoken ?? 'year-month-day'}.`
  if (typeof reading === 'string')
    return addProblem(state, spot, {
      code: 'date-impossible',
      value: text,
      message: `${reading} ${expected}`,
      hint: correctHint,
    })
  if (reading === undefined)
    return addProblem(state, spot, {
      code: 'date-unclear',
      value,
      message: `This is not a date in the form ${pattern?.pattern ?? 'yyyy-MM-dd'}. ${expected}`,
      hint: unclearHint(pattern, spot),
    })
  const doubt = doubtAbout(reading)
  if (doubt !== undefined)
    return addProblem(state, spot, {
      code: 'date-unlikely',
      value: text,
      message: doubt,
      hint: `Correct the cell, or leave it empty. For every such cell:  words: { ${JSON.stringify(text)}: "" }, otherwise: keep`,
    })
  if (reading.offset !== undefined) return rfc3339.test(text) ? text : spell(reading, reading.offset)
  if (zone === undefined && instant)
    return addProblem(state, spot, {
      code: 'date-unclear',
      value: text,
      message: 'This date has no time zone.',
      hint: 'Set the zone, such as  zone: Pacific/Auckland',
    })
  // A text field gets only the parts in the cell.
  if (zone === undefined) return /\d:\d/.test(text) ? `${spellDay(reading)}T${spellTime(reading)}` : spellDay(reading)
  return placeInZone(reading, zone, state, spot)
}

function unclearHint(pattern: DatePattern | undefined, { column }: CellAndField): string {
  if (pattern === undefined)
    return 'Write it as 2027-05-31, format the cell as a date, leave it empty, or name the format, such as  dates: d/M/yyyy'
  if (pattern.pattern === 'd/M/yyyy') return correctHint
  return `Correct the cell, leave it empty, or name the format of the dates, such as  dates: d/M/yyyy  or for this column  { from: ${column}, date: d/M/yyyy }`
}

/** The first and last days that spreadsheets and databases know. */
const daysForNothing: ReadonlySet<string> = new Set([
  '0001-01-01',
  '1899-12-30',
  '1899-12-31',
  '1900-01-01',
  '9999-12-31',
])

/** Why nobody can mean this day; undefined for nearly every one. Vines may be older than a century, and hardly anything older than four. */
function doubtAbout(moment: Moment): string | undefined {
  const { year } = moment
  if (year > 1900 && year < 2200) return undefined
  const day = spellDay(moment)
  if (daysForNothing.has(day)) return `Programs write ${day} where there is no date.`
  return year < 1600 || year >= 2200 ? `The year ${year} cannot be right.` : undefined
}

function placeInZone(moment: Moment, zone: Zone, state: RowState, spot: CellAndField): string | undefined {
  const local = zone.place(moment)
  if (local.fate === 'clear') return spell(moment, local.offset)
  const time = spellTime(moment)
  if (local.fate === 'gap') {
    // A day without a time means its start, which may be one o'clock.
    if (time === '00:00:00') return `${local.other}${local.offset}`
    return addProblem(state, spot, {
      code: 'date-impossible',
      value: `${spellDay(moment)} ${time}`,
      message: `The clock in ${zone.name} was put forward over ${time} on ${spellDay(moment)}; the next time there is ${local.other.slice(11)}.`,
      hint: correctHint,
    })
  }
  const taken = spell(moment, local.offset)
  state.otherMoments ??= new Map()
  state.otherMoments.set(taken, spell(moment, local.other))
  if (time !== '00:00:00')
    addProblem(state, spot, {
      code: 'date-twice',
      value: `${spellDay(moment)} ${time}`,
      message: `The clock in ${zone.name} showed ${time} twice on ${spellDay(moment)}; the first (${local.offset}) was taken, not the second (${local.other}).`,
    })
  return taken
}

function spell(moment: Moment, offset: string): string {
  return `${spellDay(moment)}T${spellTime(moment)}${moment.fraction === '' ? '' : `.${moment.fraction}`}${offset}`
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
