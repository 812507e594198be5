/** Warns if a file seems to have one column but contains several: quotes around whole lines, an unusual delimiter. */

import { problem, type Problem } from '../../core/problem.ts'
import type { Layout } from '../grid.ts'
import { shownIn, type GridRow } from '../grid/grid-cell.ts'
import { candidates, delimiterName } from './dialect.ts'

const unusual = ['~', '^', ':', '#', '*', '!', '\x1f', '\x1e']

/** A warning if the name of the only column and most cells below it contain a delimiter equally often. */
export function loneColumnNotes(
  source: string,
  { names, firstRow }: Layout,
  rows: readonly GridRow[],
): readonly Problem[] {
  const [name] = names
  if (name === undefined || names.length > 1) return []
  const header = rows.find(({ row }) => row === firstRow - 1)
  const below = rows.filter(({ row }) => row >= firstRow).map((each) => shownIn(each, 0))
  if (header === undefined || below.length === 0) return []
  const wanted = shownIn(header, 0)
  const sign = [...candidates, ...unusual].find((each) => {
    const count = timesIn(wanted, each)
    return count > 0 && below.filter((text) => timesIn(text, each) === count).length * 2 > below.length
  })
  if (sign === undefined) return []
  const isQuoted = !unusual.includes(sign)
  const message = isQuoted
    ? `Each line as a whole is in quotes, so the ${delimiterName(sign)} separates no cells: everything is one column.`
    : `Everything is one column, but its name and the cells below it contain ${spoken(sign)} equally often.`
  const hint = isQuoted
    ? 'Export the file again, or remove the quotes at both ends of each line and replace two quotes by one.'
    : `If that is the delimiter, set  delimiter: ${JSON.stringify(sign)}  (--delimiter).`
  return [problem('file-inconsistent', { source, row: firstRow - 1 }, { message, hint })]
}

function timesIn(text: string, sign: string): number {
  return text.split(sign).length - 1
}

function spoken(sign: string): string {
  return sign < ' ' ? `the character ${sign.charCodeAt(0)}` : `"${sign}"`
}
