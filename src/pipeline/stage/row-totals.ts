/** Counts what all rows of a run add up to. */

import { joinBoxes, type Bbox, type Measured } from '../../geometry/measure/measure.ts'
import type { FarmsNamed } from '../evidence/farms-named.ts'
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
