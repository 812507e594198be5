/** Hides what is gathered while a record tree is compiled: its mistakes, and the columns it reads. */

import type { DecimalMark } from '../core/values/number-text.ts'
import type { Wanted } from './target.ts'

/** A mistake in the record tree of a pipeline, at a JSON pointer in that tree; `misspelt` when the name there is wrong, not the value. */
export type MappingFault = {
  readonly path: string
  readonly message: string
  readonly hint?: string
  readonly misspelt?: true
}

/** What a whole compilation gathers: faults, and every column that is read. */
export type Compilation = {
  readonly decimal: DecimalMark | undefined
  readonly zone: string | undefined
  readonly faults: MappingFault[]
  readonly columns: Set<string>
}

/** Where a leaf stands: its pointer in the pipeline's tree, its pointer in the record, and what the field wants. */
export type LeafPlace = {
  readonly path: string
  readonly field: string
  readonly wanted: Wanted
  readonly identifying: boolean
}

/** Notes a mistake and gives `undefined`, so that a compiler can end with it. */
export function fault(compilation: Compilation, path: string, message: string, hint?: string): undefined {
  compilation.faults.push({ path, message, ...(hint === undefined ? {} : { hint }) })
  return undefined
}

/** Notes a name that is not known, with the one that was probably meant or the list of what may stand there. */
export function faultOfName(
  compilation: Compilation,
  path: string,
  said: { readonly message: string; readonly hint: string },
): undefined {
  compilation.faults.push({ path, ...said, misspelt: true })
  return undefined
}
