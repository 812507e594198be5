/** Describes one import: its job, and the surroundings of the stage. */

import type { Problem } from '../../core/problem.ts'
import type { Row, Table } from '../../core/row.ts'
import { rulesFor, type Policy } from '../../core/rule.ts'
import type { GeometryPolicy } from '../../geometry/boundary/normalise.ts'
import type { Mapping } from '../../mapping/compile.ts'
import type { Readings } from '../../mapping/readings.ts'
import type { ResourceType } from '../../resources/resource-type.ts'
import type { BlankPolicy } from '../definition/definition.ts'
import type { RowFilter } from '../definition/row-filter.ts'
import type { Picture } from './farm-outlines.ts'
import type { Land, RowDigest } from '../../ledger/source-rows.ts'
import { lettersLost, startLetters, textRules, wordSpoilt } from '../../rules/letters.ts'
import { rowRules } from '../../rules/rows.ts'
import { type AreaReading, type StatedAreas } from './stated-areas.ts'

/** Everything a stage needs to know about one import. */
export type ImportJob = {
  readonly name: string
  /** The pipeline file as a person types it in a shell. */
  readonly file: string
  /** True for the import of one file, without a pipeline file. */
  readonly isOneOff: boolean
  readonly type: ResourceType
  readonly table: Table
  readonly mapping: Mapping
  /** How boundaries are treated; undefined if the table has none. */
  readonly geometry: GeometryPolicy | undefined
  /** True when each part of a boundary becomes a record. */
  readonly partsApart: boolean
  readonly keep: ((row: Row) => boolean) | undefined
  /** What `keep` asks for. */
  readonly only: RowFilter
  /** The columns that choose rows or find their records: those of `only:` and `match:`. */
  readonly choosing: readonly string[]
  readonly rows: 'one' | 'group'
  readonly sourceScheme: string | undefined
  readonly blank: BlankPolicy
  /** The column or columns of the key, for messages. */
  readonly keyColumn: string
  /** True when the row number is used as a placeholder for the key: such records are never published. */
  readonly keyIsStandIn: boolean
  readonly picture: Picture | undefined
  /** How to read the areas that the file states, to compare them with those of its boundaries. */
  readonly areas: AreaReading | undefined
  /** The columns of a row that may name its farm, where all rows are for one farm. */
  readonly farmColumns: ((row: Row) => readonly string[]) | undefined
  /** What the run does about what rules find. */
  readonly policy: Policy
  /** The rules of each row, for which the policy was asked once. */
  readonly rules: ReturnType<typeof rulesOfRows>
  /** The encoding in the pipeline. */
  readonly encoding: string | undefined
}

/** The rules that run for each row, by the policy of a run. */
export function rulesOfRows(policy: Policy) {
  return {
    cells: rulesFor([lettersLost], policy),
    words: rulesFor([wordSpoilt], policy),
    texts: rulesFor(textRules, policy),
    rows: rulesFor(rowRules, policy),
  }
}

/** The dataset that an import publishes to. */
export function datasetOf({ type }: Pick<ImportJob, 'type'>): string {
  return type.dataset ?? type.plural
}

/** Which records of the service the rows are, where the keys do not say it. */
export type Matching = {
  /** The key of the record, by the key that the row gives. */
  readonly keys: ReadonlyMap<string, string>
  /** The column whose value is an identifier of the record. */
  readonly column: string | undefined
  /** The values of that column in new rows, by the key that the row gives. */
  readonly values: Map<string, string>
}

/** A row before any work: its digest; if a record came from the same row, its land and what was found about the row. */
export type Looked = {
  readonly digest: RowDigest
  readonly same: { readonly land: Land | undefined; readonly findings: readonly Problem[] } | undefined
}

/** What the rows say about the way in which the file is read. */
export type Evidence = ReturnType<typeof startEvidence>

export function startEvidence({ encoding }: ImportJob) {
  return {
    /** Counts the cells that fit another format better than the pipeline's. */
    readings: new Map() as Readings,
    letters: encoding === undefined ? undefined : startLetters(encoding),
    statedAreas: { measuredRows: 0, columns: undefined } as StatedAreas,
  }
}
