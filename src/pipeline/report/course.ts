/** Describes an import: its connection, its prepared file, its options, and its run. */

import type { Client } from '../../client/connection.ts'
import type { Environment } from '../../core/environment.ts'
import type { WindrowError } from '../../core/error.ts'
import type { Format } from '../../formats/format.ts'
import type { Choice, Table } from '../../core/row.ts'
import type { Ledger, StatePlace } from '../../ledger/ledger.ts'
import type { ImportPipeline } from '../definition/definition.ts'
import type { FileAge } from '../../rules/limits.ts'
import type { Rejects } from './rejects.ts'
import type { Report } from './report.ts'
import type { RunFolder } from './run-folder.ts'
import type { ImportJob } from '../stage/import-job.ts'
import type { Receipt, Stage } from '../stage/stage-store.ts'

/** A client of a service, and the name under which its account is saved. `isNamed`: only --connection leads to it. */
export type Connection = { readonly client: Client; readonly name: string; readonly isNamed?: boolean }

/** An import, opened and ready to read; its end deletes its temporary files. */
export type PreparedImport = AsyncDisposable & {
  readonly job: ImportJob
  readonly source: {
    readonly name: string
    fingerprint(): Promise<string>
    /** When the file was last written, if that is known. */
    readonly writtenMs?: number | undefined
    /** Whether the last line of a CSV file has its line break. */
    readonly isLineEnded?: boolean | undefined
    /** How old it is, if that is to be judged. */
    readonly age?: FileAge | undefined
  }
  readonly rejects: Rejects
  readonly crs: Report['source']['crs']
  readonly pipeline: ImportPipeline
  /** What was decided for this run alone; without it the pipeline decides. */
  readonly choices?: readonly Choice[] | undefined
  /** A digest of the pipeline; it changes if the pipeline would stage something else. */
  readonly definition: string
}

/** What sending and reporting need to know of a run. */
export type Sendable = Pick<PreparedImport, 'crs'> & {
  readonly job: Pick<ImportJob, 'name' | 'type' | 'keyColumn' | 'sourceScheme'> & {
    readonly table: Pick<Table, 'name' | 'format' | 'choices'>
  }
  readonly source: { readonly name: string }
  /** Undefined for a run that reads no file, as the pipeline is. */
  readonly rejects: Rejects | undefined
  readonly pipeline?: ImportPipeline | undefined
}

/** What is known of a run that reads no file, with the names that its report has for one. */
export function withoutFile(
  { name, type, mapping: { sourceScheme } }: Pick<ImportPipeline, 'name' | 'type' | 'mapping'>,
  file: Pick<Report['source'], 'name' | 'table' | 'format'>,
): Sendable {
  const table = { name: file.table, format: file.format, choices: [] }
  return {
    job: { name, type, table, keyColumn: '', sourceScheme },
    source: { name: file.name },
    rejects: undefined,
    crs: undefined,
  }
}

/** What a job on a kept run needs from outside. `connect` gives the connection of a pipeline; a dry run may have none. */
export type AroundJob = {
  readonly folder: string
  readonly env: Environment
  readonly store?: string | undefined
  readonly formats: readonly Format[]
  readonly clock: () => Date
  readonly sleep: (ms: number) => Promise<void>
  readonly signal: AbortSignal
  readonly connect: (pipeline: Pick<ImportPipeline, 'connection'> | undefined) => Promise<Connection | undefined>
}

/** An import that is opened and can begin with these options. */
export type OpenedJob = AsyncDisposable & {
  readonly prepared: PreparedImport
  readonly options: Pick<ImportOptions, 'state' | 'store' | 'connection' | 'refusal' | 'takeOver' | 'retries'>
  readonly begin: (prepared: PreparedImport, options: ImportOptions) => Promise<Report>
}

export type ImportOptions = StatePlace & {
  readonly connection: Connection | undefined
  readonly dryRun: boolean
  /** Why a real run would be refused, if known; a dry run ends with this error. */
  readonly refusal?: WindrowError | undefined
  /** Whether this pipeline takes over records of the same source that no pipeline owns. */
  readonly takeOver?: boolean | undefined
  /** The run whose rejected rows these are, corrected. */
  readonly retries?: string | undefined
  readonly clock: () => Date
  readonly sleep: (ms: number) => Promise<void>
  readonly confirmWithinMs: number
  /** How many records go out in one request; without it, as many as the service takes best. */
  readonly recordsPerBatch?: number | undefined
  readonly signal?: AbortSignal | undefined
  readonly onProgress?: ((phase: 'read' | 'sent', count: number) => void) | undefined
}

/** One run in progress. `isAbandoned`: another run replaces it, and it is only closed. */
export type Course<Prepared extends Sendable = Sendable> = {
  readonly prepared: Prepared
  readonly options: ImportOptions
  readonly ledger: Ledger
  readonly run: RunFolder & { readonly started: string }
  readonly stage: Stage
  readonly isAbandoned: boolean
  /** `hasBegun` becomes true with the first batch that goes out. `unkept` are answers for which the disk had no room. */
  readonly posting: { hasBegun: boolean; readonly unkept: Receipt[] }
}

/** What the end of a run needs to know of it. */
export type Ended = Omit<Course, 'ledger' | 'options'> & {
  readonly options: Pick<ImportOptions, 'state' | 'connection' | 'dryRun' | 'clock' | 'signal'>
}
