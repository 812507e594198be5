/** Counts what all rows of a run add up to. */

import { joinBoxes, type Bbox, type Measured } from '../../geometry/measure/measure.ts'
import { addFarmsNamed, type FarmsNamed } from '../evidence/farms-named.ts'
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

/** Adds the totals of a later part of the rows. */
export function addTotals(totals: RowTotals, part: RowTotals): void {
  totals.read += part.read
  if (part.bbox !== undefined) addMeasures(totals, { areaM2: part.areaM2, bbox: part.bbox })
  totals.newWithoutBoundary += part.newWithoutBoundary
  totals.dimensionsDropped += part.dimensionsDropped
  totals.keyless += part.keyless
  totals.partsMade.rows += part.partsMade.rows
  totals.partsMade.parts += part.partsMade.parts
  for (const [kind, count] of Object.entries(part.kinds)) totals.kinds[kind] = (totals.kinds[kind] ?? 0) + count
  for (const [column, row] of Object.entries(part.numericIds)) totals.numericIds[column] ??= row
  addFarmsNamed(totals.farmsNamed, part.farmsNamed)
  for (const [column, { first, rows }] of Object.entries(part.wordedBlanks))
    (totals.wordedBlanks[column] ??= { first, rows: 0 }).rows += rows
}
