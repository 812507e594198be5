/** Hides how an import without a pipeline file becomes one: what the command line says, filled up with what the file suggests. */

import { WindrowError } from '../core/error.ts'
import type { TableProfile } from '../core/profile.ts'
import type { Value } from '../core/row.ts'
import type { FormatOptions } from '../formats/format.ts'
import type { Suggestion } from '../mapping/suggest.ts'
import type { Identifier, ResourceType } from '../resources/resource-type.ts'
import type { BlankPolicy } from './carry-over.ts'
import { usualReplaced } from './amounts.ts'
import type { ImportPipeline } from './definition.ts'
import { unsaidHolding } from './said-holding.ts'

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
  const key = keyOf(oneOff, profile, suggestion)
  const holding = holdingOf(oneOff, suggestion, onlyHolding)
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
  return { pipeline, suggestion, key }
}

function keyOf(oneOff: OneOff, profile: TableProfile, suggestion: Suggestion): string | undefined {
  const names = profile.columns.map(({ name }) => name)
  if (oneOff.key !== undefined) {
    if (names.includes(oneOff.key)) return oneOff.key
    throw new WindrowError('option-invalid', `The file has no column "${oneOff.key}".`, {
      hint: `It has: ${names.join(', ')}.`,
    })
  }
  const { key } = suggestion
  const column = profile.columns.find(({ name }) => name === key?.column)
  if (!oneOff.dryRun && column !== undefined && column.examples.length > 0 && column.examples.every(isServiceId))
    throw new WindrowError(
      'key-missing',
      `<${column.name}> holds ids that a service gave, not yours: as a key it would publish every record a second time.`,
      {
        hint: 'Name the column with your own numbers with --key COLUMN.',
      },
    )
  if (key?.certain === true || (key !== undefined && oneOff.dryRun)) return key.column
  if (oneOff.dryRun) return undefined
  const candidate = key === undefined ? '' : ` <${key.column}> might do (${key.evidence}).`
  throw new WindrowError(
    'key-missing',
    `No column of "${profile.name}" surely tells one record from another.${candidate}`,
    {
      hint: 'Name the one that does with --key COLUMN. Every later import must use the same one, or records are published twice. To look first: --dry-run.',
    },
  )
}

function isServiceId(text: string): boolean {
  return /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i.test(text)
}

function holdingOf(oneOff: OneOff, suggestion: Suggestion, onlyHolding: Identifier | undefined): Identifier {
  const said = oneOff.holding
  if (said !== undefined && said.id !== '') return said
  const column = suggestion.holding?.column ?? (oneOff.type.plural === 'holdings' ? suggestion.key?.column : undefined)
  if (said !== undefined && column !== undefined) return { scheme: said.scheme, id: `<${column}>` }
  if (said === undefined && onlyHolding !== undefined && oneOff.type.plural !== 'holdings') return onlyHolding
  if (said === undefined && oneOff.dryRun) return unsaidHolding
  throw new WindrowError('option-invalid', 'It is not said which holding the records belong to.', {
    hint:
      oneOff.type.plural === 'holdings'
        ? 'Say it with --holding SCHEME:<COLUMN>, such as --holding "nz.example.farm-number:<FARM_NO>".'
        : 'Say it with --holding SCHEME:ID, such as --holding nz.example.farm-number:00412876. "windrow connect" shows yours.',
  })
}
