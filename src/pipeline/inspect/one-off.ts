/** Hides how an import without a pipeline file becomes one: what the command line says, filled up with what the file suggests. */

import { WindrowError } from '../../core/error.ts'
import type { TableProfile } from '../../core/profile/profile-table.ts'
import type { Value } from '../../core/row.ts'
import type { FormatOptions } from '../../formats/format.ts'
import type { Suggestion } from '../../mapping/suggest.ts'
import type { Identifier, ResourceType } from '../../resources/resource-type.ts'
import { usualReplaced } from '../definition/amounts.ts'
import type { BlankPolicy, ImportPipeline } from '../definition/definition.ts'
import { unsaidHolding } from '../definition/holding-text.ts'

/** What was said on the command line about a file. `holding.id` may be a column in angle brackets. */
export type OneOff = {
  readonly file: string
  readonly fileName: string
  readonly type: ResourceType
  readonly holding: Identifier | undefined
  readonly key: string | undefined
  readonly layer: string | undefined
  readonly format: string | undefined
  readonly crs: string | undefined
  readonly grids: string | undefined
  readonly zone: string
  readonly blank: BlankPolicy
  readonly options: FormatOptions
  readonly repairUpTo: number
  readonly dryRun: boolean
}

/** A pipeline for this once, with the choices that were made for it. */
export type Planned = {
  readonly pipeline: ImportPipeline
  readonly suggestion: Suggestion
  readonly key: string | undefined
  /** Why a real run would not begin; only a dry run gets as far as this. */
  readonly refusal: WindrowError | undefined
}

/** What was found out about the file: what it holds, and the mapping proposed for it. */
export type FoundOut = { readonly profile: TableProfile; readonly suggestion: Suggestion }

/** Plans the import. Throws a WindrowError where publishing would need a guess that nobody confirmed. */
export function planOneOff(
  oneOff: OneOff,
  { profile, suggestion }: FoundOut,
  onlyHolding: Identifier | undefined,
): Planned {
  const { type } = oneOff
  if (profile.rows === 0)
    throw new WindrowError('file-empty', `"${profile.name}" holds no rows, only headings at most.`, {
      hint: 'Export it again, and look whether it is the right file.',
    })
  const { value: key, refusal: ofKey } = keyOf(oneOff, profile, suggestion)
  const { value: holding, refusal: ofHolding } = holdingOf(oneOff, suggestion, onlyHolding)
  const refusal = ofKey ?? ofHolding
  if (refusal !== undefined && !oneOff.dryRun) throw refusal
  const pipeline: ImportPipeline = {
    kind: 'import',
    name: `${type.plural}-${holding.id.replace(/[<>]/g, '')}-${oneOff.fileName.replace(/\.[^.]*$/, '')}`,
    path: oneOff.file,
    connection: undefined,
    schedule: undefined,
    type,
    from: {
      file: oneOff.file,
      allowsPrivate: false,
      layer: oneOff.layer,
      format: oneOff.format,
      crs: oneOff.crs,
      grids: oneOff.grids,
      settledMs: 0,
      options: oneOff.options,
    },
    columns: { expect: undefined, new: 'ignore', missing: 'stop' },
    mapping: {
      type,
      holding,
      record: suggestion.record,
      rows: 'one',
      zone: oneOff.zone,
      ...(key === undefined ? {} : { key: `<${key}>` as Value }),
      ...(suggestion.decimal === undefined ? {} : { decimal: suggestion.decimal.value }),
    },
    only: [],
    geometry: { multipart: 'keep', repairUpTo: oneOff.repairUpTo, keepHeights: false, decimals: 7 },
    blank: oneOff.blank,
    gone: 'keep',
    guard: {
      deletes: { count: 0 },
      rejected: undefined,
      fewerRows: undefined,
      replaced: usualReplaced,
      reading: 'warn',
    },
    examples: [],
  }
  return { pipeline, suggestion, key, refusal }
}

/** The column that a person named as the key. Throws a WindrowError where the file has none of that name. */
export function keyAsSaid(said: string, { columns }: TableProfile): string {
  const names = columns.map(({ name }) => name)
  if (names.includes(said)) return said
  throw new WindrowError('option-invalid', `The file has no column "${said}".`, {
    hint: `It has: ${names.join(', ')}.`,
  })
}

function keyOf(oneOff: OneOff, profile: TableProfile, { key, notes }: Suggestion): Chosen<string | undefined> {
  if (oneOff.key !== undefined) return { value: keyAsSaid(oneOff.key, profile) }
  if (key?.certain === true) return { value: key.column }
  const given = notes.find((note) => note.includes('ids that a service gave'))
  const candidate = key === undefined ? '' : ` <${key.column}> might do (${key.evidence}).`
  const refusal = new WindrowError(
    'key-missing',
    [`No column of "${oneOff.fileName}" surely tells one record from another.${candidate}`, given ?? []]
      .flat()
      .join(' '),
    {
      hint: 'Name the one that does with --key COLUMN. Every later import must use the same one, or records are published twice.',
    },
  )
  return { value: key?.column, refusal }
}

function holdingOf(oneOff: OneOff, suggestion: Suggestion, onlyHolding: Identifier | undefined): Chosen<Identifier> {
  const said = oneOff.holding
  if (said !== undefined && said.id !== '') return { value: said }
  const column = suggestion.holding?.column ?? (oneOff.type.plural === 'holdings' ? suggestion.key?.column : undefined)
  if (said !== undefined && column !== undefined) return { value: { scheme: said.scheme, id: `<${column}>` } }
  if (said === undefined && onlyHolding !== undefined && oneOff.type.plural !== 'holdings')
    return { value: onlyHolding }
  const refusal = new WindrowError('option-invalid', 'It is not said which holding the records belong to.', {
    hint:
      oneOff.type.plural === 'holdings'
        ? 'Say it with --holding SCHEME:<COLUMN>, such as --holding "nz.example.farm-number:<FARM_NO>".'
        : 'Say it with --holding SCHEME:ID, such as --holding nz.example.farm-number:00412876. "windrow connect" shows yours.',
  })
  if (said !== undefined) throw refusal
  return { value: unsaidHolding, refusal }
}

/** A choice, with the reason for which nothing can be published with it: a dry run looks at the rest all the same. */
type Chosen<Value> = { readonly value: Value; readonly refusal?: WindrowError }
