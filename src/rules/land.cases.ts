/** Lists cases of the rules about land that boundaries share, and about stated areas. */

import type { Cases } from '../core/rule.ts'
import type { AreaUnit, SharedLand, StatedFacts, StatedRow } from './land.ts'

const at = { source: 'a.geojson', row: 3 }

/** The land of two boundaries in hectares, as '0.2 of 1.2 and 1'. */
function land(text: string, copies = 0): SharedLand {
  const [areaM2 = 0, own = 0, other = 0] = text.split(/ of | and /).map((each) => Number(each) * 10_000)
  const about = { at, id: 'B', where: { lon: 175.3, lat: -37.8 }, other: '"Top" (A, row 0)', with: [{ ...at, row: 0 }] }
  return { areaM2, areasM2: [own, other], copies, ...about }
}

const units: Readonly<Record<string, AreaUnit>> = {
  ha: { code: 'HAR', sign: 'ha', plural: 'hectares', m2: 10_000 },
  ac: { code: 'ACR', sign: 'ac', plural: 'acres', m2: 4046.8564224 },
  perches: { code: undefined, sign: 'perches', plural: 'perches', m2: 25.29285264 },
}

/** Stated and measured hectares of rows, as '1.42/0.98, 1.31/0.98'. */
function rowsOf(text: string): readonly StatedRow[] {
  const cells = text === '' ? [] : text.split(', ').map((each) => each.split('/').map(Number))
  return cells.map(([amount = 0, measured = 0], row) => ({ at: { ...at, row }, amount, areaM2: measured * 10_000 }))
}

/** A column of hectares as '3 rows, 0 fit ha, 3 fit ac', and the rows that fit no hectares. */
function column(text: string, doubts: string, more: Partial<StatedFacts> = {}): StatedFacts {
  const [rows = 0, fitting = 0, most = 0] = text.match(/\d+/g)!.map(Number)
  const best = { rows: most, unit: units[text.split('fit ').at(-1)!]! }
  const about = { name: 'AREA', isRecord: false, unit: units['ha']!, rounding: 0.005, hasMore: false }
  return { ...about, rows, fitting, best, doubts: rowsOf(doubts), ...more }
}

const ofRecord = { isRecord: true }
const thousandfold = { rows: 3, unit: 'a thousand times' } as const

/** One row of a column of four. */
function row(text: string, more: Partial<StatedFacts> = {}): StatedFacts {
  return column('4 rows, 3 fit ha, 3 fit ha', text, { row: rowsOf(text)[0]!, ...more })
}

export const landCases: Cases<SharedLand | StatedFacts> = {
  'boundary-twice': {
    yes: [
      ['a paddock under two keys', land('1 of 1 and 1', 2)],
      ['one under forty keys', land('1 of 1 and 1', 40)],
      ['the same field drawn again', land('1 of 1 and 1.008')],
    ],
    no: [
      ['a field that was redrawn', land('1 of 1 and 1.02')],
      ['a pond in a paddock', land('0.01 of 0.01 and 1')],
    ],
  },
  'boundary-inside-another': {
    yes: [
      ['a pond in a paddock', land('0.01 of 0.01 and 1')],
      ['around a paddock of the service', land('0.16 of 1 and 0.16')],
      ['nearly inside', land('0.96 of 1 and 3')],
      ['the outline of a farm of three', { ...land('1 of 3 and 1'), contained: 3 }],
    ],
    no: [
      ['a tenth sticks out', land('0.9 of 1 and 3')],
      ['the same paddock', land('1 of 1 and 1')],
    ],
  },
  'boundaries-overlap': {
    yes: [
      ['a fifth of a paddock', land('0.2 of 1.2 and 1')],
      ['a strip 3 m wide along one side', land('0.03 of 1 and 1')],
    ],
    no: [
      ['one fence drawn by two people', land('0.01 of 1 and 1')],
      ['a pond in a paddock', land('0.01 of 0.01 and 1')],
    ],
  },
  'area-unit': {
    yes: [
      ['acres read as hectares', column('3 rows, 0 fit ha, 3 fit ac', '2.41/0.98, 2.42/0.98, 2.41/0.98', ofRecord)],
      ['four of five', column('5 rows, 1 fit ha, 4 fit ac', '2.41/0.98', ofRecord)],
      ['perches, which the service does not know', column('2 rows, 0 fit ha, 2 fit perches', '387/0.98', ofRecord)],
      ['decimal commas read as points', column('3 rows, 0 fit ha', '977/0.98', { isRecord: true, best: thousandfold })],
    ],
    no: [
      ['hectares', column('3 rows, 3 fit ha, 3 fit ha', '', ofRecord)],
      ['a single paddock', column('1 rows, 0 fit ha, 1 fit ac', '2.41/0.98', ofRecord)],
      ['a column that no record gets', column('3 rows, 0 fit ha, 3 fit ac', '2.41/0.98')],
      ['half of them', column('4 rows, 2 fit ha, 2 fit ac', '2.41/0.98, 2.41/0.98', ofRecord)],
    ],
  },
  'area-differs': {
    yes: [
      ['one row of four', row('1.42/0.98')],
      ['one that the record gets', row('1.42/0.98', ofRecord)],
      ['most rows', column('4 rows, 1 fit ha, 1 fit ha', '1.42/0.98, 1.31/0.98, 1.42/0.98')],
      ['more than can be listed', column('4000 rows, 3000 fit ha, 3000 fit ha', '1.42/0.98', { hasMore: true })],
      ['another unit than the header says', column('3 rows, 0 fit ha, 3 fit ac', '2.41/0.98')],
      ['a single paddock in another unit', column('1 rows, 0 fit ha, 1 fit ac', '2.41/0.98', ofRecord)],
    ],
    no: [
      ['a boundary measured on another map', row('1.06/0.98')],
      ['whole hectares', row('1/0.6', { rounding: 0.5 })],
      ['a garden of 50 m²', row('0.005/0.01')],
      ['a row of a column of which most differ', row('1.42/0.98, 1.42/0.98, 1.42/0.98')],
      ['a wrong unit, which stops the run', column('3 rows, 0 fit ha, 3 fit ac', '2.41/0.98', ofRecord)],
    ],
  },
}
