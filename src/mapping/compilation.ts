/** Collects the mistakes and columns that are found while a record tree is compiled. */

import type { DecimalMark } from '../core/values/number-text.ts'
import type { Wanted } from './target.ts'

/** A mistake in the record tree of a pipeline, at a JSON pointer; `what` is set when the name there is wrong, not the value. */
export type MappingFault = {
  readonly path: string
  readonly message: string
  readonly hint?: string | undefined
  readonly what?: 'name'
}

/** The settings of one compilation, the faults found so far, and every column that is read. */
export type Compilation = {
  readonly decimal: DecimalMark | undefined
  readonly zone: string | undefined
  readonly dates: string | undefined
  readonly faults: MappingFault[]
  readonly columns: Set<string>
  /** The fields of the record that are measured from the boundary. */
  readonly measured: Set<string>
}

/** The place of a node: its compilation, its pointer in the pipeline's tree, its pointer in the record, and what the field wants. */
export type NodePlace = {
  readonly compilation: Compilation
  readonly path: string
  readonly field: string
  readonly wanted: Wanted
  readonly identifying: boolean
}

/** Where a mistake is. */
export type FaultPlace = Pick<NodePlace, 'compilation' | 'path'>

/** The place with a longer pointer in the pipeline's tree. */
export function inside<Place extends FaultPlace>(place: Place, step: string | number): Place {
  return { ...place, path: `${place.path}/${step}` }
}

/** Adds a mistake and returns `undefined`, so that a compiling function can return it. `what` is set where a name is wrong. */
export function fault({ compilation, path }: FaultPlace, message: string, hint?: string, what?: 'name'): undefined {
  compilation.faults.push({ path, message, hint, ...(what !== undefined && { what }) })
  return undefined
}
