/** Plans an import without a pipeline file, from the command line and suggestions from the file. */

import { WindrowError } from '../../core/error.ts'
import type { TableProfile } from '../../core/profile/profile-table.ts'
import type { DatePattern } from '../../core/values/date-pattern.ts'
import type { Decision, Value } from '../../core/row.ts'
import type { FormatOptions } from '../../formats/format.ts'
import type { OpenedFile } from '../../formats/index.ts'
import { suggestFor, type Suggestion } from '../../mapping/suggest.ts'
import type { Identifier, ResourceType } from '../../resources/resource-type.ts'
import { usualReplaced } from '../definition/amounts.ts'
import { chooseTable, tableFor } from '../prepare/choose-table.ts'
import type { Connection } from '../report/course.ts'
import type { BlankPolicy, ImportPipeline } from '../definition/definition.ts'
import { lookOver } from './look-over.ts'
import { farmsToWrite, missingHolding, type Farm } from '../prepare/missing-holding.ts'
import { unsaidHolding } from '../definition/holding-text.ts'

/** The command line's options for a file. `holding.id` may be a column in angle brackets. */
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

/** A pipeline for one run, with its choices. */
export type Planned = {
  readonly pipeline: ImportPipeline
  readonly suggestion: Suggestion
  readonly key: string | undefined
  /** Why a real run would be refused; only a dry run continues with it. */
  readonly refusal: WindrowError | undefined
}

/** A plan with the file's profile; `changed` are the decisions that the whole file changed. */
export type PlannedFile = Planned & { readonly profile: TableProfile; readonly changed: readonly Decision[] }

/** Profiles a file and plans its import. Throws a WindrowError if publishing would need an unconfirmed guess. */
export async function planFile(
  opened: OpenedFile,
  oneOff: OneOff,
  around: {
    readonly dates?: DatePattern | undefined
    readonly connection: Connection | undefined
    readonly signal: AbortSignal
  },
): Promise<PlannedFile> {
  const { type, layer, zone, holding } = oneOff
  const { dates, connection, signal } = around
  const { table, profile, decidedAgain } = await lookOver(chooseTable(opened.tables, layer, opened.name), {
    watch: (each) => tableFor(type, each),
    signal,
  })
  const suggestion = await suggestFor(type, { table, profile, zone, dates, signal })
  const isNamed = holding !== undefined && holding.id !== ''
  const farms = isNamed || connection === undefined ? [] : await farmsToWrite(connection.client, signal)
  const options = { ...oneOff.options, ...decidedAgain }
  const planned = planOneOff({ ...oneOff, options }, { profile, suggestion }, farms)
  return { ...planned, profile, changed: table.decisions.filter(({ option }) => option in decidedAgain) }
}

type FoundOut = { readonly profile: TableProfile; readonly suggestion: Suggestion }

function planOneOff(oneOff: OneOff, { profile, suggestion }: FoundOut, farms: readonly Farm[]): Planned {
  const { type } = oneOff
  if (profile.rows === 0)
    throw new WindrowError('file-empty', `"${profile.name}" has no rows.`, {
      hint: 'Check whether it is the right file, or export it again.',
    })
  const { value: key, refusal: ofKey } = keyOf(oneOff, profile, suggestion)
  const { value: holding, refusal: ofHolding } = holdingOf(oneOff, suggestion, farms)
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
    settingsIn: 'import',
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

/** The key column that a person named. Throws a WindrowError if the file does not have it. */
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
  const candidate = key === undefined ? '' : ` Perhaps <${key.column}> (${key.evidence}).`
  const refusal = new WindrowError(
    'key-missing',
    [
      `No column of "${oneOff.fileName}" is certain to be different in every row, so windrow could not recognise these records next time.${candidate}`,
      given ?? [],
    ]
      .flat()
      .join(' '),
    {
      hint: 'Name the id column with --key COLUMN. Every later import must use the same one, or records are published twice.',
    },
  )
  return { value: key?.column, refusal }
}

function holdingOf(oneOff: OneOff, suggestion: Suggestion, farms: readonly Farm[]): Chosen<Identifier> {
  const said = oneOff.holding
  if (said !== undefined && said.id !== '') return { value: said }
  const column = suggestion.holding?.column ?? (oneOff.type.plural === 'holdings' ? suggestion.key?.column : undefined)
  if (said !== undefined && column !== undefined) return { value: { scheme: said.scheme, id: `<${column}>` } }
  const isFarms = oneOff.type.plural === 'holdings'
  const only = farms.length === 1 ? farms[0]!.identifier : undefined
  if (said === undefined && only !== undefined && !isFarms) return { value: only }
  const refusal = isFarms
    ? new WindrowError('holding-missing', 'Which column contains the farm number? Add --holding "SCHEME:<COLUMN>".', {
        hint: 'For example --holding "nz.example.farm-number:<FARM_NO>".',
      })
    : missingHolding(farms)
  if (said !== undefined) throw refusal
  return { value: unsaidHolding, refusal }
}

/** A choice, with the reason why it cannot be published; a dry run continues anyway. */
type Chosen<Value> = { readonly value: Value; readonly refusal?: WindrowError }
