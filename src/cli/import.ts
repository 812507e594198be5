/** Hides `windrow import`: a file into the service in one go, every choice said before anything is sent. */

import { WindrowError } from '../core/error.ts'
import type { TableProfile } from '../core/profile/profile-table.ts'
import type { Decision, Value } from '../core/row.ts'
import { suggestFor } from '../mapping/suggest.ts'
import { dateOrderProblem } from '../mapping/suggest-dates.ts'
import { readRepair } from '../pipeline/definition/amounts.ts'
import type { Connection } from '../pipeline/report/course.ts'
import { lookOver } from '../pipeline/inspect/look-over.ts'
import { planOneOff, type Planned } from '../pipeline/inspect/one-off.ts'
import { chooseTable, tableFor } from '../pipeline/prepare/choose-table.ts'
import { placeInService, placeOfHolding } from '../pipeline/prepare/holding-place.ts'
import { prepareImport } from '../pipeline/prepare/prepare.ts'
import { holdingDoubt, unsaidHolding } from '../pipeline/definition/holding-text.ts'
import { yamlInline } from '../pipeline/inspect/yaml-text.ts'
import { findResourceType } from '../resources/index.ts'
import { typeOfDataset } from '../resources/published-resource.ts'
import type { Identifier, ResourceType } from '../resources/resource-type.ts'
import {
  choice,
  connectionOption,
  flag,
  jsonOption,
  stateOption,
  text,
  type CommandSpec,
  type Input,
  type Surroundings,
} from './command.ts'
import { importOptions, runAndTell } from './import-report.ts'
import { reach, stateOf } from './reach.ts'
import {
  datesOption,
  formatOptions,
  gridFolder,
  holdingOption,
  withReading,
  readingOptions,
  targetType,
  zoneOption,
} from './reading.ts'
import { confirmWithin, unlessDry } from './run.ts'
import { painter, plain, say } from './terminal.ts'

export const importFile: CommandSpec = {
  words: [{ name: 'file', description: 'the file, folder, zip or web address, or - for standard input' }],
  options: [
    {
      flags: '--to <TYPE>',
      description: 'what the rows become: plots (usual), holdings, land-covers, or a dataset of the service',
    },
    {
      flags: '--holding <SCHEME:ID>',
      description: 'the farm the records belong to; SCHEME:<COLUMN> where a column says it',
    },
    { flags: '--key <COLUMN>', description: 'the column that tells one record from another' },
    { flags: '--zone <ZONE>', description: 'the time zone of dates, such as Pacific/Auckland' },
    { flags: '--blank <POLICY>', description: 'what an empty cell does to a value the record has: keep or clear' },
    {
      flags: '--repair <SHARE>',
      description: 'how much of its area mending a boundary may change: "1 %" (usual), or none',
    },
    ...readingOptions,
    ...importOptions,
    connectionOption,
    stateOption,
    jsonOption,
  ],
  examples: [
    'windrow import "Rimu paddocks FINAL v3.zip" --holding nz.example.farm-number:00412876 --dry-run',
    'windrow import holdings.csv --to holdings --holding "nz.example.farm-number:<FARM_NO>"',
  ],
  run: runImportCommand,
}

async function runImportCommand(input: Input, surroundings: Surroundings): Promise<number> {
  const connection = await reach(input, surroundings).catch(unlessDry(input))
  return withReading(input, surroundings, async ({ source, opened, formats, path }) => {
    const type = await typeToImport(input, connection, surroundings)
    const { table, profile, decidedAgain } = await lookOver(
      chooseTable(opened.tables, text(input, 'layer'), opened.name),
      { watch: (each) => tableFor(type, each), signal: surroundings.signal },
    )
    const { zone, evidence } = zoneOption(input)
    const suggestion = await suggestFor(type, {
      table,
      profile,
      zone,
      dates: datesOption(input),
      signal: surroundings.signal,
    })
    const planned = planOneOff(
      {
        file: path,
        fileName: source.name,
        type,
        holding: holdingOption(input),
        key: text(input, 'key'),
        layer: text(input, 'layer'),
        format: text(input, 'format'),
        crs: text(input, 'crs'),
        grids: gridFolder(input, surroundings),
        zone,
        blank: choice(input, 'blank', ['keep', 'clear']),
        options: { ...formatOptions(input), ...decidedAgain },
        repairUpTo: repairOption(input),
        dryRun: flag(input, 'dry-run'),
      },
      { profile, suggestion },
      await onlyHolding(connection, surroundings.signal),
    )
    const changed = table.decisions.filter(({ option }) => option in decidedAgain)
    if (!flag(input, 'json')) tellChoices(planned, { profile, changed, zone, evidence }, surroundings)
    const { clock, sleep, signal } = surroundings
    const state = stateOf(input, surroundings)
    const near = placeOfHolding(planned.pipeline, { state, account: connection?.account })
    const findNear = connection && (() => placeInService(planned.pipeline, connection.client, signal))
    const notes = planned.suggestion.undecided.map(({ dates }) => dateOrderProblem(dates, source.name))
    const wait = (ms: number): Promise<void> => sleep(ms, signal)
    const preparation = { clock, source, formats, signal, near, findNear, notes, sleep: wait }
    const prepared = await prepareImport(planned.pipeline, preparation)
    try {
      const told = { state, connection, confirmWithinMs: confirmWithin(input), refusal: planned.refusal }
      return await runAndTell(prepared, told, input, surroundings)
    } finally {
      await prepared.close()
    }
  })
}

/** What --to names: a type that windrow knows, else a dataset of the service. */
async function typeToImport(
  input: Input,
  connection: Connection | undefined,
  { signal, terminal }: Surroundings,
): Promise<ResourceType> {
  const wanted = text(input, 'to') ?? 'plots'
  if (connection === undefined || findResourceType(wanted) !== undefined) return targetType(input)
  const found = (await connection.client.datasets(signal)).find(({ name }) => name === wanted)
  if (found === undefined) return targetType(input)
  const { type, note } = typeOfDataset(found)
  if (note !== undefined) terminal.err.write(`${plain(note)}\n`)
  return type
}

function repairOption(input: Input): number {
  const share = readRepair(text(input, 'repair') ?? '1 %')
  if (typeof share === 'string') throw new WindrowError('option-invalid', `--repair: ${share}`)
  return share
}

/** The one holding the account may write, if there is one: then nobody needs to say it. */
async function onlyHolding(connection: Connection | undefined, signal: AbortSignal): Promise<Identifier | undefined> {
  if (connection === undefined) return undefined
  const control = await connection.client.control(signal)
  return control.length === 1 ? control[0]!.identifiers[0] : undefined
}

function holdingWords({ scheme, id }: { readonly scheme: Value; readonly id: Value }): string {
  if (scheme === unsaidHolding.scheme && id === unsaidHolding.id) return 'not said; a dry run does without'
  return [scheme, id].map((each) => (typeof each === 'string' ? each : JSON.stringify(each))).join(' ')
}

/** `changed` is what the whole file decided otherwise than its first part. */
type Grounds = {
  readonly profile: TableProfile
  readonly changed: readonly Decision[]
  readonly zone: string
  readonly evidence: string
}

function tellChoices(
  { pipeline, suggestion, key }: Planned,
  { profile, changed, ...dates }: Grounds,
  { terminal }: Surroundings,
): void {
  const paint = painter(terminal)
  const chosen = suggestion.fields.map(({ field, spec, evidence, runnerUp, certain }) => {
    const why = `${certain ? '' : 'please check: '}${evidence}`
    return `  ${inDots(field)} ${yamlInline(spec)}   ${why}${runnerUp === undefined ? '' : `; runner-up ${runnerUp}`}`
  })
  const leftOut = suggestion.undecided.map(
    ({ field, dates: { column, patterns } }) =>
      `  ${inDots(field)} left out: <${column}> could be ${patterns.join(' or ')}; say which with --dates`,
  )
  if (chosen.length + leftOut.length === 0 && Object.keys(profile.shapes).length === 0)
    throw new WindrowError(
      'option-invalid',
      `No column of "${profile.name}" looks like a field of ${pipeline.type.plural}.`,
      {
        hint: `Write a pipeline and say there which column is what. To begin it: windrow init FILE --to ${pipeline.type.plural}`,
      },
    )
  const { scheme, id } = pipeline.mapping.holding
  const isSaid = typeof scheme === 'string' && typeof id === 'string'
  const ofHolding = isSaid ? holdingDoubt(suggestion, profile, { scheme, id }) : undefined
  const notes = [...suggestion.notes, ...(ofHolding === undefined ? [] : [ofHolding])]
  const usesDates = suggestion.fields.some(({ spec }) => typeof spec === 'object' && spec !== null && 'date' in spec)
  const keyLine =
    key === undefined
      ? 'none: the row number stands in'
      : `<${key}>   ${suggestion.key?.column === key ? suggestion.key.evidence : 'as you said'}`
  say(
    terminal,
    paint('dim', 'Decided for this import (windrow init writes it down, to be kept and corrected):'),
    ...changed.map(({ option, value, evidence }) => plain(`  ${option.padEnd(26)} ${yamlInline(value)}   ${evidence}`)),
    plain(`  ${'key'.padEnd(26)} ${keyLine}`),
    plain(`  ${'holding'.padEnd(26)} ${holdingWords(pipeline.mapping.holding)}`),
    ...[...chosen, ...leftOut].map(plain),
    ...(usesDates ? [plain(`  ${'zone of dates'.padEnd(26)} ${dates.zone}   ${dates.evidence}`)] : []),
    ...(suggestion.unused.length === 0 ? [] : [plain(`  not used: ${suggestion.unused.slice(0, 20).join(', ')}`)]),
    ...notes.map((note) => plain(`  note: ${note}`)),
    '',
  )
}

function inDots(field: string): string {
  return field.slice(1).replaceAll('/', '.').padEnd(26)
}
