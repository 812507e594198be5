/** Lists cases of the rules about the file of a night. */

import type { Cases } from '../core/rule.ts'
import { compileDatePattern } from '../core/values/date-pattern.ts'
import { countDate, countNumber, dateAgreement, type ColumnReadings, type Readings } from '../mapping/readings.ts'
import type { ClockFacts, CopyFacts, FarmFacts, FilterFacts, NamedFarm } from './file.ts'

const night = '2026-11-29T02:00:00Z'
const hours = (count: number): number => count * 3_600_000

/** What a filter took of a file of two rows, and how many records the last one had. */
const filter = (taken: number, lastRecords?: number): FilterFacts => ({
  only: [{ column: 'Crop', oneOf: ['Kale', 'Oats'] }],
  left: 2 - taken,
  taken,
  lastRecords,
})

const counted = (readings: Readings): ColumnReadings => ({ ...[...readings.values()][0]! })
const cell = (text: string, index: number, column: string) => ({
  column,
  text,
  at: { source: 'a.csv', row: index + 2 },
})

/** How cells of days fit a pattern. */
function days(written: string, texts: string): ColumnReadings {
  const pattern = compileDatePattern(written)
  if (typeof pattern === 'string') throw new Error(pattern)
  const readings: Readings = new Map()
  const agreement = dateAgreement(pattern)
  for (const [index, text] of texts.split(' ').entries())
    countDate(readings, agreement, cell(text, index, 'Sown'), pattern.read(text))
  return counted(readings)
}

/** How cells of areas fit a decimal mark. */
function areas(decimal: 'point' | 'comma', texts: string, thousands?: 'none' | 'point'): ColumnReadings {
  const readings: Readings = new Map()
  const writing = { decimal, thousands }
  for (const [index, text] of texts.split(' ').entries()) countNumber(readings, writing, cell(text, index, 'Area'))
  return counted(readings)
}

const farm = (name: string, id: string, words: readonly string[], isChosen = false): NamedFarm => ({
  name,
  identifiers: [{ scheme: 'nz.farm', id }],
  words,
  isChosen,
})
const rimu = farm('Rimu Farm', '412', ['Rimu'], true)
const naming = (farms: readonly NamedFarm[]): FarmFacts => ({
  file: 'both.csv',
  chosen: { scheme: 'nz.farm', id: '412' },
  columns: [
    { column: 'Block', farms: [] },
    { column: 'Farm', farms },
  ],
})

/** A file that was written so many hours before the last one, which was written when its run started, or later. */
const written = (hoursBefore: number, hoursAhead = 0): CopyFacts => ({
  writtenMs: Date.parse(night) + hours(hoursAhead - hoursBefore),
  isLineEnded: undefined,
  last: { id: 'last', started: night, writtenMs: Date.parse(night) + hours(hoursAhead) },
})
const ended = (isLineEnded: boolean | undefined, before: boolean | null | undefined): CopyFacts => ({
  writtenMs: undefined,
  isLineEnded,
  last: { id: 'last', started: night, isLineEnded: before },
})

const clock = (lastStarted: string | undefined, aheadMs?: number): ClockFacts => ({ now: night, lastStarted, aheadMs })

const filterCases: Cases<FilterFacts> = {
  'filter-empty': {
    yes: [
      ['none of two rows', filter(0, 1)],
      ['none in the first file', filter(0)],
    ],
    no: [
      ['one of two rows', filter(1, 1)],
      ['none, as the last time', filter(0, 0)],
      ['a file without rows', { ...filter(0, 1), left: 0 }],
    ],
  },
}

const readingCases: Cases<ColumnReadings> = {
  'other-reading': {
    yes: [
      ['day and month exchanged, and most fit both', days('d/M/yyyy', '9/3/2026 9/4/2026 9/13/2026 10/5/2026')],
      ['another pattern', days('d/M/yyyy', '13.9.2026 1.2.2026')],
      ['two of three are not ISO', days('yyyy-MM-dd', '13/9/2026 2026-02-01 14/9/2026')],
      ['decimal points, of which 1.234 fits both', areas('comma', '1.234 3.5 12')],
      ['another thousands separator', areas('point', '3,204.5 1,204', 'none')],
    ],
    no: [
      ['all as agreed', days('d/M/yyyy', '13/9/2026 9/3/2026')],
      ['one cell among good dates', days('d/M/yyyy', '13/9/2026 14/9/2026 9/13/2026')],
      ['one number among good ones', areas('comma', '3,5 4,5 3.5')],
      ['thousands as agreed', areas('comma', '1.204,5 2.110', 'point')],
      ['whole numbers', areas('comma', '3 4')],
    ],
  },
}

const farmCases: Cases<FarmFacts> = {
  'other-farm-named': {
    yes: [
      ['the name of another farm', naming([rimu, farm('Kōwhai', '731', ['kowhai'])])],
      ['its number', naming([rimu, farm('Kōwhai', '731', ['731'])])],
      ['only another farm, without a name', naming([farm('', '731', ['731'])])],
    ],
    no: [
      ['the chosen farm alone', naming([rimu])],
      ['no farm of the account', naming([])],
    ],
  },
}

const copyCases: Cases<CopyFacts> = {
  'file-older': {
    yes: [['a copy of yesterday', written(24)]],
    no: [
      ['written after the last one', written(-24)],
      ['an hour before, as where the clocks change', written(1)],
      ['before one with a date in the future', written(24, 48)],
      ['no time of the file', ended(true, true)],
      ['no last file', { ...written(24), last: undefined }],
    ],
  },
  'file-cut': {
    yes: [['no line break at its end', ended(false, true)]],
    no: [
      ['a line break', ended(true, true)],
      ['none the last time either', ended(false, false)],
      ['the first file', { ...ended(false, true), last: undefined }],
      ['no CSV the last time', ended(false, null)],
    ],
  },
}

const clockCases: Cases<ClockFacts> = {
  'clock-wrong': {
    yes: [
      ['three hours ahead', clock(undefined, hours(3))],
      ['two days behind', clock(undefined, hours(-49))],
      ['the last run was an hour later', clock('2026-11-29T03:00:00Z')],
    ],
    no: [
      ['six minutes', clock(undefined, hours(0.1))],
      ['the last run was yesterday', clock('2026-11-28T02:00:00Z')],
      ['five minutes later', clock('2026-11-29T02:05:00Z')],
      ['no service', clock(undefined)],
    ],
  },
}

export const fileCases: Cases<unknown> = {
  ...filterCases,
  ...readingCases,
  ...farmCases,
  ...copyCases,
  ...clockCases,
}
