/** Plans an import without a pipeline file, from the command line and suggestions from the file. */

import { WindrowError } from '../../core/error.ts'
import type { Client } from '../../client/connection.ts'
import type { Problem } from '../../core/problem.ts'
import { judge, usualPolicy } from '../../core/rule.ts'
import { stemOf } from '../../core/sources/file-tree.ts'
import type { TableProfile } from '../../core/profile/profile-table.ts'
import type { DatePattern } from '../../core/values/date-pattern.ts'
import { hasLostZeros, zerosLost } from '../../core/values/same-name.ts'
import { chosen, type Table, type Value } from '../../core/row.ts'
import type { OpenedFile } from '../../formats/index.ts'
import { choiceOf, columnsTaken, fieldChoices, recordOf } from '../../mapping/choice.ts'
import { saysName } from '../../core/values/header-words.ts'
import { coverColumn, logSigns, mayBePlots } from '../../mapping/header-fit.ts'
import {
  hasBoundaries,
  keyText,
  nearlyKey,
  placeAsKey,
  placePart,
  serviceIdNotes,
  whereColumnsAre,
} from '../../mapping/suggest-key.ts'
import { suggest, type Suggestion } from '../../mapping/suggest.ts'
import { exportedType, sourceIdColumns } from '../../mapping/suggest-exported.ts'
import { identifierText, type Identifier, type ResourceType } from '../../resources/resource-type.ts'
import { otherFarmNamed } from '../../rules/file.ts'
import { damageOf } from '../settle/file.ts'
import { serviceIdColumns, serviceIdsAsKey, withSourceIds } from '../send/ask-to-publish.ts'
import { rowFilterOf } from '../definition/row-filter.ts'
import { chooseTable, tableFor } from '../prepare/choose-table.ts'
import type { Connection } from '../report/course.ts'
import { usualImport, type ImportPipeline } from '../definition/definition.ts'
import { lookOver } from './look-over.ts'
import {
  farmColumns,
  farmsNamedIn,
  farmsToChoose,
  farmsToWrite,
  missingHolding,
  type Farm,
} from '../export/find-holding.ts'
import { wholeFile } from '../stage/stage-store.ts'
import { unsaidHolding } from '../definition/holding-text.ts'

/** The command line's options for a file. `holding.id` may be a column in angle brackets. */
export type OneOff = Pick<ImportPipeline, 'type' | 'blank' | 'match'> &
  Pick<ImportPipeline['from'], 'file' | 'layer' | 'format' | 'crs' | 'grids' | 'options'> &
  Pick<ImportPipeline['geometry'], 'repairUpTo'> & {
    readonly fileName: string
    /** True if a person named the type. */
    readonly typeIsSaid: boolean
    readonly holding: Identifier | undefined
    /** Columns, `COLUMN+place`, or several columns with commas between. */
    readonly key: readonly string[]
    readonly zone: string
    readonly dryRun: boolean
  }

/** A pipeline for one run, with its choices and the file's profile; `changed` are the choices that the whole file changed. */
export type PlannedFile = Awaited<ReturnType<typeof planFile>>

/** What a plan knows besides the file and its options. */
export type PlanAround = {
  readonly dates?: DatePattern | undefined
  /** The zone that a person named. */
  readonly saidZone?: string | undefined
  readonly connection: Connection | undefined
  readonly signal: AbortSignal
}

/** A layer of a file, what its rows become, and which of its columns become which fields, before anybody chose a key. */
type FileSeen = Awaited<ReturnType<typeof lookAtFile>>

/** Profiles the layer of a file that is meant, and suggests a mapping. */
export async function lookAtFile(
  opened: OpenedFile,
  oneOff: Pick<OneOff, 'layer' | 'type' | 'typeIsSaid' | 'fileName' | 'zone'>,
  { dates, saidZone, connection, signal }: PlanAround,
) {
  const looked = await lookOver(chooseTable(opened.tables, oneOff.layer, opened.name), {
    watch: (each) => tableFor(oneOff.type, each),
    signal,
  })
  const { table, profile } = looked
  const type = typeIn(oneOff, profile)
  const seen = await seenByService(connection?.client, type, profile, signal)
  const { choices, lonLat } = table
  const suggestion = suggest(type, profile, { choices, lonLat, zone: oneOff.zone, saidZone, dates, ...seen })
  return { ...looked, type, suggestion, serviceIds: seen.serviceIds }
}

/** Profiles a file and plans its import. Throws a WindrowError if publishing would need an unconfirmed guess. */
export async function planFile(opened: OpenedFile, oneOff: OneOff, around: PlanAround) {
  const { connection, signal } = around
  const seen = await lookAtFile(opened, oneOff, around)
  const { type, table, profile, serviceIds, decidedAgain } = seen
  const isNamed = oneOff.holding !== undefined && oneOff.holding.id !== ''
  const farms = isNamed || connection === undefined ? [] : await farmsToChoose(connection.client, profile, signal)
  if (profile.rows === 0) throw emptyFile(table)
  const meant = { ...oneOff, type, options: { ...oneOff.options, ...decidedAgain } }
  const suggestion = withKey(seen.suggestion, oneOff.key, seen)
  const { value: key, refusal: ofKey } = keyOf(meant, seen, suggestion)
  const { value: holding, refusal: ofHolding } = holdingOf(meant, { profile, suggestion }, farms)
  // Why a real run would be refused; only a dry run continues with them.
  const refusals = [ofKey, ofHolding].filter((each) => each !== undefined)
  // The columns of a file that was cut off show nothing, such as which is the key.
  if (refusals[0] !== undefined && !oneOff.dryRun) throw damageOf(table) ?? refusals[0]
  const pipeline = pipelineOf(meant, { suggestion, key, holding })
  const changed = table.choices.filter(({ setting }) => setting.slice('from.'.length) in decidedAgain)
  return { pipeline, suggestion, refusals, profile, serviceIds, changed }
}

/** A file without rows may say why, such as a KML file that only leads to another one. */
function emptyFile(table: Table): WindrowError {
  const { message = '', hint } = table.found().find(({ severity }) => severity === 'error') ?? {}
  return new WindrowError('file-empty', `"${table.name}" has no rows. ${message}`.trim(), {
    hint: hint ?? 'Check whether it is the right file, or export it again.',
  })
}

const mostNamed = 8

/** Which names the search for them found, and what to do if they are wrong; empty if the file says them or has none. */
export function columnsRead({ columns, format }: Pick<TableProfile, 'columns' | 'format'>): string {
  if (!['csv', 'xlsx', 'workbook'].includes(format)) return ''
  const names = columns.slice(0, mostNamed).map(({ name }) => `"${name}"`)
  const more = columns.length > mostNamed ? ', …' : ''
  if (format === 'csv' && columns.length === 1)
    return ` It was read as one column, ${names.join('')}. If it has more, name the delimiter with --delimiter, or export the file again as CSV.`
  // With --header none, columns are numbered.
  if (columns.every(({ name }) => /^column \d+$/.test(name))) return ''
  return ` These were taken for the column names: ${names.join(', ')}${more}. If they are none, name their row with --header ROW, or write --header none.`
}

/** The type that a person named or an export names; they must agree. Throws if only a name suggests that the rows are plots. */
function typeIn(
  { type, typeIsSaid, fileName }: Pick<OneOff, 'type' | 'typeIsSaid' | 'fileName'>,
  profile: TableProfile,
): ResourceType {
  const exported = exportedType(profile.columns.map(({ name }) => name))
  const isGuess = exported === undefined && !typeIsSaid
  if (isGuess && profile.rows > 0 && !mayBePlots(profile))
    throw new WindrowError(
      'type-unclear',
      `"${fileName}" has no boundary, area or crop column, so it may not be a list of plots.`,
      { hint: `Add --to ${type.plural} if it is.${columnsRead(profile)}` },
    )
  const cover = isGuess ? coverColumn(profile) : undefined
  if (cover !== undefined)
    throw new WindrowError(
      'type-unclear',
      `"${fileName}" has the column "${cover}" and no names or crops of paddocks: it may be a list of land covers. Nothing was sent.`,
      { hint: `Add --to land-covers, or --to ${type.plural} if each row is a paddock.` },
    )
  const signs = isGuess ? logSigns(profile) : undefined
  if (signs !== undefined)
    throw new WindrowError('type-unclear', `"${fileName}" has ${signs}: it looks like a log. Nothing was sent.`, {
      hint: `Jobs and loads are only read from the service, never sent. If each row is a paddock:  --to ${type.plural}`,
    })
  if (exported === undefined || exported === type) return type
  if (!typeIsSaid) return exported
  throw new WindrowError('option-invalid', `"${fileName}" is an export of ${exported.plural}, not of ${type.plural}.`, {
    hint: `Write --to ${exported.plural}.`,
  })
}

/** What the service knows about the file: which columns have its own ids, and the schemes of the account's farms. */
async function seenByService(
  client: Client | undefined,
  type: ResourceType,
  profile: TableProfile,
  signal: AbortSignal,
) {
  const serviceIds = await serviceIdColumns(client, type, profile, signal)
  const names = profile.columns.map(({ name }) => name)
  if (client === undefined || sourceIdColumns(type, names).size === 0) return { serviceIds, farmSchemes: [] }
  const farms = await client.control(signal)
  return { serviceIds, farmSchemes: farms.flatMap(({ identifiers }) => identifiers.map(({ scheme }) => scheme)) }
}

type FoundOut = Pick<FileSeen, 'profile' | 'suggestion'>

type Settled = { readonly suggestion: Suggestion; readonly key: Value; readonly holding: Identifier }

function pipelineOf(oneOff: OneOff, { suggestion, key, holding }: Settled): ImportPipeline {
  const { type, file, layer, format, crs, grids, options, zone, repairUpTo } = oneOff
  const { exported, choices } = suggestion
  const decimal = choiceOf(choices, 'from.decimal')?.value as ImportPipeline['mapping']['decimal']
  const usual = usualImport(file, holding)
  return {
    ...usual,
    name: `${type.plural}-${exported === undefined ? holding.id.replace(/[<>]/g, '') : 'export'}-${stemOf(oneOff.fileName).normalize('NFC')}`,
    type,
    from: { ...usual.from, file, layer, format, crs, grids, options },
    columns: { ...usual.columns, new: 'ignore' },
    // The digest of a pipeline follows the order of these.
    mapping: { type, holding, record: recordOf(choices), rows: 'one', zone, key, decimal },
    only: rowFilterOf(exported?.only ?? {}),
    geometry: { ...usual.geometry, repairUpTo },
    blank: oneOff.blank,
    match: oneOff.match,
    rules: {
      deletes: { verdict: 'stop', above: { count: 0 } },
      rejected: { verdict: 'allow' },
      'area-unit': { verdict: 'warn' },
      // It has just decided how to read its file, which is not the next of a pipeline.
      'filter-empty': { verdict: 'allow' },
      'other-reading': { verdict: 'warn' },
      'file-older': { verdict: 'allow' },
      'file-cut': { verdict: 'allow' },
      'other-encoding': { verdict: 'warn' },
    },
  }
}

/**
 * The suggestion with the key columns that a person named. Throws a WindrowError if the file does not have one, or if it contains
 * ids of the service. The source ids of an export are a key already.
 */
export function withKey(
  suggestion: Suggestion,
  said: readonly string[],
  { profile, serviceIds }: Pick<FileSeen, 'profile' | 'serviceIds'>,
): Suggestion {
  const key = choiceOf(suggestion.choices, 'key')
  const [own, ...more] = columnsTaken(key?.value)
  const isSame = said.length === 1 && said[0] === own
  if (said.length === 0 || (suggestion.exported !== undefined && isSame)) return suggestion
  const { columns, hasPlace } = keySaid(said, suggestion, profile)
  for (const column of columns)
    if (serviceIds.has(column)) throw serviceIdsAsKey(column, more.length === 0 ? own : undefined)
  const [column, ...others] = columns.map((name) => `<${name}>`)
  const isOne = others.length === 0 && !hasPlace
  const evidence = hasPlace
    ? 'set by --key; the key keeps the first position, even if the boundary moves later'
    : 'set by --key'
  const set = chosen('key', isOne ? column! : [column!, ...others, ...(hasPlace ? [placePart] : [])], evidence)
  return {
    ...suggestion,
    choices: suggestion.choices.map((each) => (each.setting === 'key' ? set : each)),
    unused: suggestion.unused.filter((name) => !columns.includes(name)),
  }
}

/** The columns that --key names. A comma or "+place" inside the name of a column belongs to the name. */
function keySaid(said: readonly string[], { choices }: Suggestion, profile: TableProfile) {
  const names = profile.columns.map(({ name }) => name)
  let hasPlace = false
  const columns = said.flatMap((each): readonly string[] => {
    if (names.includes(each)) return [each]
    const [, before] = /^(.+)\+place$/.exec(each) ?? []
    if (before !== undefined) {
      hasPlace = true
      const [named] = columnsTaken(choiceOf(fieldChoices(choices), 'record.name')?.value)
      if (!names.includes(before) && before === 'name' && named !== undefined) return [named]
    }
    const parts = before !== undefined ? [before] : each.split(',').map((part) => part.trim())
    const missing = parts.find((part) => !names.includes(part))
    if (missing === undefined) return parts
    throw new WindrowError('option-invalid', `The file has no column "${missing}".`, {
      hint: `It has: ${names.length === 0 ? 'no columns' : names.join(', ')}.`,
    })
  })
  if (hasPlace && !hasBoundaries(profile))
    throw new WindrowError(
      'option-invalid',
      `--key ${said.join(', ')}: the file has no boundaries, so it has no places.`,
      { hint: 'Name columns that are different in every row.' },
    )
  return { columns: [...new Set(columns)], hasPlace }
}

/** The options that make this key. */
function asOptions(spec: Value): string {
  return keyText(spec)
    .replaceAll(/(?: \+ )?<([^<>]+)>/g, ' --key "$1"')
    .trim()
}

function keyOf({ fileName }: OneOff, { profile, serviceIds }: FileSeen, { choices }: Suggestion): Chosen<Value> {
  const { value, evidence, certainty } = choiceOf(choices, 'key')!
  if (certainty !== 'ask') return { value }
  if (profile.columns.length === 0) {
    const message = `"${fileName}" has shapes and no columns, so windrow could not recognise its records next time.`
    return { value, refusal: new WindrowError('key-missing', message, { hint: whereColumnsAre(profile) }) }
  }
  const given = serviceIdNotes({ profile, serviceIds })
  const candidate = value === undefined ? '' : ` Perhaps ${keyText(value)} (${evidence}).`
  const message = `No column of "${fileName}" is certain to be different in every row, so windrow could not recognise these records next time.${candidate}${given.map((note) => ` ${note}`).join('')}`
  const nearly = nearlyKey(profile)
  const such = nearly === undefined ? '' : `, such as <${nearly.name}> (${nearly.note})`
  const choose =
    value === undefined
      ? `Name the id column with --key COLUMN${such}`
      : `If that is right, add ${asOptions(value)}; else name the id column with --key COLUMN`
  const instead = given.length === 0 ? '' : ` ${withSourceIds([...serviceIds])}`
  const hint = `${choose}.${placeAsKey(profile)} Every later import must use the same one, or records are published twice.${instead}`
  return { value, refusal: new WindrowError('key-missing', message, { hint }) }
}

function holdingOf(oneOff: OneOff, { profile, suggestion }: FoundOut, farms: readonly Farm[]): Chosen<Identifier> {
  const said = oneOff.holding
  const exported = exportedHolding(oneOff, suggestion, profile)
  if (exported !== undefined) return { value: exported }
  if (said !== undefined && profile.columns.some(({ name }) => name === said.id))
    throw new WindrowError('option-invalid', `--holding: "${said.id}" is a column of the file, not the id of a farm.`, {
      hint: `To take the farm of each row from it:  --holding "${said.scheme}:<${said.id}>"`,
    })
  if (said !== undefined && said.id !== '') return { value: said }
  const isFarms = oneOff.type.plural === 'holdings'
  const [keyColumn, ...others] = columnsTaken(choiceOf(suggestion.choices, 'key')?.value)
  // A name never becomes an official number by itself.
  const isNumber = isFarms && keyColumn !== undefined && others.length === 0 && !saysName(keyColumn)
  const column = columnsTaken(choiceOf(suggestion.choices, 'holding')?.value)[0] ?? (isNumber ? keyColumn : undefined)
  if (said !== undefined && column !== undefined) return { value: { scheme: said.scheme, id: `<${column}>` } }
  const only = farms.length === 1 ? farms[0]!.identifiers[0] : undefined
  if (said === undefined && only !== undefined && !isFarms) return { value: only }
  const refusal = isFarms
    ? new WindrowError('holding-missing', 'Which column contains the farm number? Add --holding "SCHEME:<COLUMN>".', {
        hint: `For example --holding "nz.example.farm-number:<${column ?? 'FARM_NO'}>". The scheme is the register of the numbers, as the service calls it.`,
      })
    : missingHolding(farms, farmOfEachRow(farms, { profile, suggestion }))
  if (said !== undefined) throw refusal
  return { value: unsaidHolding, refusal }
}

/** SCHEME:<COLUMN> where a column has the numbers of several farms, by the scheme of the first of these farms. */
export function farmOfEachRow([first]: readonly Farm[], { profile, suggestion }: FoundOut): string | undefined {
  const [named] = columnsTaken(choiceOf(suggestion.choices, 'holding')?.value)
  const column = profile.columns.find(({ name }) => name === named)
  const scheme = first?.identifiers[0]?.scheme
  return column === undefined || column.distinct < 2 || scheme === undefined ? undefined : `${scheme}:<${column.name}>`
}

/** What to check if a column names another farm of the account than the chosen one. */
export async function otherFarmIn(
  { fileName, holding, type }: Pick<OneOff, 'fileName' | 'holding' | 'type'>,
  { columns }: TableProfile,
  { connection, signal }: Pick<PlanAround, 'connection' | 'signal'>,
): Promise<readonly Problem[]> {
  if (connection === undefined || holding === undefined || holding.id === '' || holding.id.includes('<')) return []
  const words = type.plural === 'holdings' ? [] : farmColumns(columns)
  if (words.length === 0) return []
  const farms = await farmsToWrite(connection.client, signal)
  const named = farmsNamedIn(words, { chosen: holding, farms })
  const facts = { file: fileName, chosen: holding, columns: named }
  return judge([otherFarmNamed], facts, { policy: usualPolicy, place: wholeFile(fileName) })
}

/**
 * The column that names the farm of each record in an export. Throws a WindrowError if a person named one farm for all of them:
 * the records of the others would move there.
 */
export function exportedHolding(
  { holding: said, fileName }: Pick<OneOff, 'holding' | 'fileName'>,
  { choices, exported }: Suggestion,
  { columns }: TableProfile,
): Identifier | undefined {
  const own = exported && (choiceOf(choices, 'holding')?.value as Identifier | undefined)
  if (own === undefined || said === undefined || said.id === '') return own
  const { distinct, examples } = columns.find(({ name }) => own.id === `<${name}>`)!
  const isSame = said.id === own.id || (distinct === 1 && said.id === examples[0])
  if (isSame && said.scheme === own.scheme) return own
  const message = `"${fileName}" is an export in which ${own.id} names the farm of each record: ${examples.slice(0, 3).join(', ')}. The records cannot move to ${identifierText(said)}.`
  const hint = examples.some((each) => hasLostZeros(each, said.id)) ? zerosLost : 'Leave out --holding.'
  throw new WindrowError('option-invalid', message, { hint })
}

/** A choice, with the reason why it cannot be published; a dry run continues anyway. */
type Chosen<Value> = { readonly value: Value; readonly refusal?: WindrowError }
