/** Names the facts that a run keeps in its stage. */

import type { Choice } from '../../core/row.ts'
import type { LastCount, Match } from '../../ledger/ledger.ts'
import type { Identifier } from '../../resources/resource-type.ts'
import type { KeptPipeline } from '../definition/kept-pipeline.ts'
import type { StatedArea } from './stated-areas.ts'
import type { Pictured } from './farm-outlines.ts'
import type { RowTotals } from './row-totals.ts'

/** How many of each kind there are between the boundaries of a run, and how much land. */
export type Coverage = Readonly<
  Record<'twice' | 'inside' | 'overlap', { readonly count: number; readonly areaM2: number }>
> & { readonly boundaries: number }

export type Facts = {
  /** The name of the pipeline; `kept pipeline` has all of it. */
  readonly pipeline: string
  readonly started: string
  readonly account: string | null
  readonly 'dry-run': boolean
  /** A person saw the dry run as a plan. */
  readonly plan: true
  /** Counts the runs of a state folder, whatever the clock shows. */
  readonly number: number
  /** The number of a plan before it was applied, which gives it another one. */
  readonly planned: number | null
  /** When the sending of a plan began. */
  readonly applied: string
  /** The run that this one undoes. */
  readonly undoes: string
  /** The run whose rejected rows this one sends. */
  readonly retries: string
  readonly 'take over': boolean
  readonly 'kept pipeline': KeptPipeline
  readonly choices: readonly Choice[]
  /** The digests of the pipeline and of its file, and when the file was last written. */
  readonly definition: string
  readonly fingerprint: string
  readonly written: number | null
  /** Whether the last line of a CSV file had its line break. */
  readonly 'line ended': boolean | null
  readonly passed: RowTotals
  readonly 'last problem of a row': number
  readonly holdings: readonly Identifier[]
  readonly pictured: readonly Pictured[]
  readonly coverage: Coverage | null
  readonly 'stated-area': StatedArea
  /** The number of records in the file. */
  readonly records: number
  /** Everything was staged and judged. */
  readonly complete: true
  /** A rule stopped it: everything was staged and judged, and only a person may send it. */
  readonly stopped: true
  /** A person let this run through, with `windrow apply` or --allow. */
  readonly accepted: true
  /** A batch went out, and the service did not refuse all of it. */
  readonly posted: boolean
  readonly matches: readonly Match[]
  /** Those that the ledger did not have before the run, and those that an undo took from it. */
  readonly 'new matches': readonly Match[]
  readonly 'dropped matches': readonly Match[]
  /** What the ledger had counted before the run. */
  readonly 'last count': LastCount | null
  /** The number of records in the pipeline's last file, once the run has reached its end; null after its first run was undone. */
  readonly delivered: number | null
  /** Its report is written: no later run continues it. */
  readonly finished: boolean
}

/** Reads a fact by its name. */
export type Recall = <Name extends keyof Facts>(name: Name) => Facts[Name] | undefined
