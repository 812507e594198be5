/** Describes one import: its job, what surrounds it while rows are staged, and what the rows added up to. */

import type { Row, Table } from '../../core/row.ts'
import type { Bbox } from '../../geometry/measure/measure.ts'
import type { GeometryPolicy } from '../../geometry/boundary/normalise.ts'
import type { Ledger } from '../../ledger/ledger.ts'
import type { Mapping } from '../../mapping/compile.ts'
import type { Readings } from '../../mapping/readings.ts'
import type { ResourceType } from '../../resources/resource-type.ts'
import type { BoundaryStore } from './boundary-store.ts'
import type { BlankPolicy } from '../definition/definition.ts'
import type { Letters } from '../evidence/encoding-evidence.ts'
import type { PartsMade } from './part-rows.ts'
import type { Picture } from './farm-outlines.ts'
import type { Scale } from '../evidence/area-scale.ts'
import type { Stage } from './stage-store.ts'
import type { StatedAreas } from '../evidence/stated-area.ts'

/** How wide an overlap may be that is cut off, with how many decimals, and which fields of the record are measured. */
export type TrimPolicy = {
  readonly upToM: number
  readonly decimals: number
  readonly measuresArea: boolean
  readonly measuresLength: boolean
}

/** All that a stage needs to know about one import. */
export type ImportJob = {
  readonly name: string
  readonly type: ResourceType
  readonly table: Table
  readonly mapping: Mapping
  /** What is wanted of boundaries; undefined where the table has none. */
  readonly geometry: GeometryPolicy | undefined
  /** True when each part of a boundary becomes a record. */
  readonly partsApart: boolean
  readonly keep: ((row: Row) => boolean) | undefined
  readonly rows: 'one' | 'group'
  readonly sourceScheme: string | undefined
  readonly blank: BlankPolicy
  /** The column, or columns, that the key comes from, for messages. */
  readonly keyColumn: string
  /** True when the row number is used as a placeholder for the key: such records are never published. */
  readonly keyIsStandIn: boolean
  readonly picture: Picture | undefined
  readonly statedAreas: StatedAreas | undefined
  /** Which overlaps are cut off; none where it is missing. */
  readonly trim: TrimPolicy | undefined
}

export type StageContext = {
  readonly stage: Stage
  readonly ledger: Ledger
  readonly now: string
  readonly signal?: AbortSignal | undefined
  /** Collects the cells that fit another reading better than the agreed one. */
  readonly readings: Readings
  readonly letters: Letters | undefined
  readonly scale?: Scale
  /** Keeps the boundaries that are compared with each other at the end. */
  readonly boundaries?: BoundaryStore | undefined
  readonly onRows?: ((rows: number) => void) | undefined
}

/** What the rows added up to while they passed, each counted where it happened. */
export type Passed = {
  read: number
  areaM2: number
  readonly kinds: Record<string, number>
  bbox: Bbox | undefined
  dimensionsDropped: number
  /** The columns whose numbers became identifiers, each with the first row of it. */
  readonly numericIds: Record<string, number>
  /** The columns that say NULL or the like: the first row of each, and how many. */
  readonly wordedBlanks: Record<string, { readonly first: number; rows: number }>
  keyless: number
  readonly partsMade: PartsMade
}
