/** Names the sheets that windrow adds to an export, so that reading the workbook again leaves them out. */

import type { CellRow } from './spreadsheet-sheet.ts'

/** The text in the first cell of each, by the name of the sheet. */
export const companionMarks = { about: 'About this export', totals: 'Total of' } as const

/** True for such a sheet; another program may have named a sheet alike, so its first cell decides too. */
export function isCompanion(name: string, first: CellRow | undefined): boolean {
  const mark = new Map(Object.entries<string>(companionMarks)).get(name.toLowerCase())
  return mark !== undefined && first !== undefined && first.texts[first.columns.indexOf(0)] === mark
}
