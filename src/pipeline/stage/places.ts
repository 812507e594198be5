/** Makes the places of problems: a stored row, or the whole file. */

import type { Place } from '../../core/row.ts'

/** The place of a row as the stage has it. */
export function placeOf(
  { layer, row }: { readonly layer: string | null; readonly row: number },
  source: string,
): Place {
  return { source, ...(layer === null ? {} : { layer }), row }
}

/** The place of what is wrong with a file as a whole. */
export function wholeFile(source: string): Place {
  return { source, row: -1 }
}
