/** Hides nothing: the contract between windrow and one kind of file. A format does what its members allow. */

import type { Source } from '../core/sources/source.ts'
import type { Column, CrsClue, Row, Table } from '../core/row.ts'
import type { Target } from '../core/sources/target.ts'

/** What is known of a source before it is opened: its name, its first 4 kB (none of a folder), and what a zip or folder holds. */
export type Probe = { readonly name: string; readonly head: Uint8Array; readonly members?: readonly string[] }

/** The values of a format's options as the pipeline file or the command line gave them, already checked against its schema. */
export type FormatOptions = { readonly [option: string]: string | number | boolean | undefined }

/** A JSON Schema of an object whose properties are the format's options, each with a `description`. */
export type OptionSchema = {
  readonly type: 'object'
  readonly properties: Readonly<Record<string, { readonly description: string } & Readonly<Record<string, unknown>>>>
  readonly additionalProperties: false
}

/** A table to be written: columns settled, geometry in longitude/latitude unless `crs` says otherwise. */
export type OutTable = {
  readonly name: string
  readonly columns: readonly Column[]
  readonly hasGeometry: boolean
  readonly crs?: CrsClue
  rows(): AsyncIterable<readonly Row[]>
}

/** What was written: files, rows of each table, and what the reader of the file should know. */
export type Written = {
  readonly path: string
  readonly bytes: number
  readonly rows: Readonly<Record<string, number>>
  readonly notes: readonly string[]
}

/**
 * `readsFolders`: a folder is read as a zip of the same members is. `open` reads no more than it needs to decide; `write` leaves it to the owner of the target to commit or abandon it, also when
 * it throws.
 */
export type Format = {
  readonly name: string
  readonly title: string
  readonly extensions: readonly string[]
  readonly options: OptionSchema
  readonly readsFolders?: true
  recognise(probe: Probe): boolean
  open?(source: Source, options: FormatOptions): Promise<readonly Table[]>
  write?(tables: readonly OutTable[], target: Target, options: FormatOptions): Promise<Written>
}
