/** Counts what all rows of a run add up to. */

import type { Row, Table } from '../../core/row.ts'
import { joinBoxes, type Bbox, type Measured } from '../../geometry/measure/measure.ts'
import { mayNameFarm } from '../../core/values/header-words.ts'
import type { PartsMade } from './part-rows.ts'

/** The totals of the rows, each counted where it happens. */
export type RowTotals = ReturnType<typeof startTotals>

/** The totals of no rows. */
export function startTotals() {
  return {
    read: 0,
    areaM2: 0,
    kinds: {} as Record<string, number>,
    bbox: undefined as Bbox | undefined,
    /** The new records from a table without boundaries. */
    newWithoutBoundary: 0,
    dimensionsDropped: 0,
    /** The columns whose numbers became identifiers, with the first row of each. */
    numericIds: {} as Record<string, number>,
    /** The columns with NULL or similar words, with the first row and the number of rows. */
    wordedBlanks: {} as Record<string, { readonly first: number; rows: number }>,
    farmsNamed: {} as FarmsNamed,
    keyless: 0,
    partsMade: { rows: 0, parts: 0 } as PartsMade,
  }
}

/** Adds the land of a boundary. */
export function addMeasures(totals: RowTotals, { areaM2, bbox }: Pick<Measured, 'areaM2' | 'bbox'>): void {
  totals.areaM2 += areaM2
  totals.bbox = totals.bbox === undefined ? bbox : joinBoxes(totals.bbox, bbox)
}

/** What the columns that may name a farm contain, in rows that create or change records. */
export type FarmsNamed = Record<string, string[]>

const mostColumns = 2000
const mostFarms = 100

/** Makes the function that lists the columns of a row that may name its farm, without those that are `filtered`. */
export function farmColumnsOf({ columns }: Table, filtered: readonly string[]): (row: Row) => readonly string[] {
  const isFarmColumn = (name: string): boolean => mayNameFarm(name) && !filtered.includes(name)
  const declared = columns?.map(({ name }) => name).filter(isFarmColumn)
  if (declared !== undefined) return () => declared
  const known = new Map<string, boolean>()
  return ({ values }) =>
    Object.keys(values).filter((name) => {
      const is = known.get(name) ?? isFarmColumn(name)
      // Each row may have names of its own.
      if (known.size < mostColumns) known.set(name, is)
      return is
    })
}

/** Notes the farms that a row names. */
export function noteFarms(named: FarmsNamed, { values }: Row, columns: readonly string[]): void {
  for (const column of columns) {
    const value = values[column]
    if (typeof value === 'string' || typeof value === 'number') addFarm(named, column, String(value).trim())
  }
}

function addFarm(named: FarmsNamed, column: string, farm: string): void {
  if (farm === '') return
  const farms = (named[column] ??= [])
  if (farms.length < mostFarms && !farms.includes(farm)) farms.push(farm)
}
