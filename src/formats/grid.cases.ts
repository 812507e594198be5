/** Cases of the rule that finds the row with the column names: found, and nothing to find. */

import type { Case, Cases } from '../core/rule.ts'
import type { Grid } from './grid.ts'
import { textCells } from './grid/grid-cell.ts'

/** A grid of these rows of text. */
const grid = (words: string, ...rows: readonly (readonly string[])[]): Case<Grid> => [
  words,
  {
    name: 'a',
    rows: rows.map((cells, index) => ({ row: index + 1, cells: textCells(cells) })),
    isCounted: false,
    place: (row) => ({ source: 'a', row }),
  },
]

export const headerCases: Cases<Grid> = {
  header: {
    yes: [
      grid('names in the first row', ['id', 'area'], ['1', '2.5'], ['2', '3.5']),
      grid('a title above the names', ['Report'], ['id', 'area'], ['1', '2.5'], ['2', '3.5']),
      grid('units below the names', ['id', 'area'], ['', 'ha'], ['1', '2.5'], ['2', '3.5']),
      grid('no names', ['1', '2.5'], ['2', '3.5'], ['3', '4.5']),
    ],
    no: [grid('blank rows', ['', ''], ['', ''])],
  },
}
