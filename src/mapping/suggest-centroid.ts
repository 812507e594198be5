/** Proposes where a farm without a boundary lies: its centroid, from a column of longitudes and one of latitudes. */

import type { DecimalMark } from '../core/values/number-text.ts'
import type { ColumnProfile, TableProfile } from '../core/profile/profile-table.ts'
import type { Value } from '../core/row.ts'
import { filledOf, type Choice } from './choice.ts'
import { ownDecimal } from './suggest-decimal.ts'

/** The choice and its two columns, undefined where a cell of them is no plain number. */
export function suggestCentroid(
  { columns }: TableProfile,
  lonLat: readonly [string, string],
  mark: DecimalMark | undefined,
): { readonly choice: Choice; readonly columns: readonly string[] } | undefined {
  const found = lonLat.map((name) => columns.find((column) => column.name === name && isNumbers(column)))
  const [lon, lat] = found
  if (lon === undefined || lat === undefined) return undefined
  const specs = [lon, lat].map((column) => specOf(column, mark))
  return {
    columns: lonLat,
    choice: {
      field: '/centroid',
      column: lon.name,
      spec: { type: 'Point', coordinates: specs } as Value,
      evidence: `longitudes and latitudes; ${filledOf(lon)}`,
      certain: true,
    },
  }
}

function isNumbers({ numbers, numberFit, filled }: ColumnProfile): boolean {
  return filled > 0 && numbers + Math.max(numberFit.point, numberFit.comma) + numberFit.either === filled
}

function specOf(column: ColumnProfile, mark: DecimalMark | undefined): unknown {
  const own = ownDecimal(column, mark)
  return own === undefined ? `<${column.name}>` : { from: column.name, number: { decimal: own } }
}
