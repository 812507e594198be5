/** Defines the contract between windrow and one file format. */

import type { Source } from '../core/sources/source.ts'
import type { Choice, Column, CrsClue, Row, Table } from '../core/row.ts'
import type { Target } from '../core/sources/target.ts'

/** What is known of a source before it is opened: its name, its first 4 kB (none of a folder), and the members of a zip or folder. */
export type Probe = { readonly name: string; readonly head: Uint8Array; readonly members?: readonly string[] }

/** The values of a format's options from the pipeline file or the command line, already checked against its schema. */
export type FormatOptions = { readonly [option: string]: string | number | boolean | undefined }

/** The options of a format among choices: what is under `from` in a pipeline. */
export function optionsAmong(choices: readonly Choice[]): FormatOptions {
  const scalars = ['string', 'number', 'boolean']
  const chosen = choices.filter(({ setting, value }) => setting.startsWith('from.') && scalars.includes(typeof value))
  return Object.fromEntries(chosen.map(({ setting, value }) => [setting.slice('from.'.length), value as string]))
}

/** A JSON Schema of an object whose properties are the format's options, each with a `description`; `writeOnly` for one that reads nothing. */
export type OptionSchema = {
  readonly type: 'object'
  readonly properties: Readonly<Record<string, { readonly description: string } & Readonly<Record<string, unknown>>>>
  readonly additionalProperties: false
}

/** A row to write; `leadsTo` has the row, from 0, that a cell of a column leads to in another table. */
export type OutRow = Row & { readonly leadsTo?: Readonly<Record<string, number>> }

/**
 * A table to write: its columns are settled, its geometry is in longitude/latitude unless `crs` names another system. On a sheet the
 * first `frozen` columns stay in sight, and `heading` is printed above every page.
 */
export type OutTable = {
  readonly name: string
  readonly columns: readonly Column[]
  readonly hasGeometry: boolean
  readonly crs?: CrsClue | undefined
  readonly frozen?: number
  readonly heading?: string
  rows(): AsyncIterable<readonly OutRow[]>
}

/** The result of writing: rows of each table, and notes for the person who opens the file. */
export type Written = {
  readonly rows: Readonly<Record<string, number>>
  readonly notes: readonly string[]
}

/**
 * `isText`: the file is text, written from its beginning to its end. `isWorkbook`: a file holds several tables on sheets that
 * people print. `namesCrs`: the file says which coordinate system it is in. `readsFolders`: a folder is read like a zip of the same
 * members. `writtenAs`: the extensions of the files that it writes, if not all of `extensions`. `open` reads the file as the options say; what
 * they leave out is as usual, or as the file itself states. `look` reads the whole file to decide what they leave out; a format that has
 * nothing to decide needs none. After `write`, the owner of the target commits or abandons it, also if `write` throws.
 */
export type Format = {
  readonly name: string
  readonly title: string
  readonly extensions: readonly string[]
  readonly writtenAs?: readonly string[]
  readonly options: OptionSchema
  readonly readsFolders?: true
  readonly isText?: true
  readonly isWorkbook?: true
  readonly namesCrs?: true
  recognise(probe: Probe): boolean
  open?(source: Source, options: FormatOptions): Promise<readonly Table[]>
  look?(source: Source, options: FormatOptions, signal?: AbortSignal): Promise<readonly Table[]>
  write?(tables: readonly OutTable[], target: Target, options: FormatOptions): Promise<Written>
}
