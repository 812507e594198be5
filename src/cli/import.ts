/** Runs `windrow import`: shows how it reads a file, then publishes the records. */

import { WindrowError } from '../core/error.ts'
import type { Value } from '../core/row.ts'
import { dateOrderProblem } from '../mapping/suggest-dates.ts'
import { keyText } from '../mapping/suggest-key.ts'
import { readRepair } from '../pipeline/definition/amounts.ts'
import type { Connection } from '../pipeline/report/course.ts'
import { planFile, type PlannedFile } from '../pipeline/inspect/one-off.ts'
import { placeInService, placeOfHolding } from '../pipeline/prepare/holding-place.ts'
import { prepareImport } from '../pipeline/prepare/prepare.ts'
import { holdingDoubt, unsaidHolding } from '../pipeline/definition/holding-text.ts'
import { yamlInline } from '../pipeline/inspect/yaml-text.ts'
import { findResourceType } from '../resources/index.ts'
import { typeOfDataset } from '../resources/published-resource.ts'
import type { ResourceType } from '../resources/resource-type.ts'
import {
  choice,
  connectionOption,
  flag,
  jsonOption,
  stateOption,
  text,
  texts,
  type CommandSpec,
  type Input,
  type Surroundings,
} from './command.ts'
import { duplicateOptions, duplicatesOption, importOptions, runAndReport, type Show } from './import-report.ts'
import { reach, stateOf } from './reach.ts'
import {
  datesOption,
  formatOptions,
  gridFolder,
  holdingOption,
  keyOption,
  withReading,
  readingOptions,
  targetType,
  typeChoices,
  zoneOf,
  zoneOption,
} from './reading.ts'
import { confirmWithin, unlessDry } from './run.ts'
import { painter, plain, say } from './terminal.ts'

const blankPolicies = ['keep', 'clear'] as const

export const importFile: CommandSpec = {
  words: [{ name: 'file', description: 'the file, folder, zip or web address; - for standard input' }],
  options: [
    {
      flags: '--to <TYPE>',
      description: 'what the rows become: plots (default), holdings, land-covers, or a dataset of the service',
      choices: typeChoices,
    },
    {
      flags: '--holding <SCHEME:ID>',
      description: 'the farm the records belong to; SCHEME:<COLUMN> where a column contains its number',
    },
    keyOption,
    {
      flags: '--zone <ZONE>',
      description: "the time zone of dates, such as Pacific/Auckland (default: this machine's)",
    },
    {
      flags: '--blank <POLICY>',
      description: 'what an empty cell does to a value that the record has: keep or clear it (default: reject the row)',
      choices: blankPolicies,
    },
    {
      flags: '--repair <SHARE>',
      description: 'how much of its area the repair of a boundary may change: "1 %" (default), or none',
    },
    ...duplicateOptions,
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
  run: (input, surroundings) => importOneFile(input, surroundings),
}

/** Decides how to read a file, shows why, and imports it, or only plans that with --dry-run. */
export async function importOneFile(input: Input, surroundings: Surroundings, show?: Show): Promise<number> {
  const connection = await reach(input, surroundings).catch(unlessDry(input))
  return withReading(input, surroundings, async ({ source, opened, formats, path }) => {
    const type = await typeToImport(input, connection, surroundings)
    const { match, duplicates = 'stop' } = duplicatesOption(input)
    const { zone, evidence } = zoneOption(input)
    const planned = await planFile(
      opened,
      {
        file: path,
        fileName: source.name,
        type,
        typeIsSaid: text(input, 'to') !== undefined,
        holding: holdingOption(input),
        key: texts(input, 'key'),
        layer: text(input, 'layer'),
        format: text(input, 'format'),
        crs: text(input, 'crs'),
        grids: gridFolder(input, surroundings),
        zone,
        blank: choice(input, 'blank', blankPolicies),
        options: formatOptions(input),
        repairUpTo: repairOption(input),
        match,
        duplicates,
        dryRun: flag(input, 'dry-run'),
      },
      { dates: datesOption(input), saidZone: zoneOf(input), connection, signal: surroundings.signal },
    )
    if (!flag(input, 'json')) showChoices(planned, { zone, evidence }, surroundings)
    const { clock, sleep, signal } = surroundings
    const state = stateOf(input, surroundings)
    const near = placeOfHolding(planned.pipeline, { state, account: connection?.account })
    const findNear = connection && (() => placeInService(planned.pipeline, connection.client, signal))
    const notes = planned.suggestion.undecided.map(({ dates }) => dateOrderProblem(dates, source.name))
    const wait = (ms: number): Promise<void> => sleep(ms, signal)
    const preparation = { clock, source, formats, signal, near, findNear, notes, sleep: wait }
    const prepared = await prepareImport(planned.pipeline, preparation)
    try {
      const options = { state, connection, confirmWithinMs: confirmWithin(input), refusal: planned.refusal, show }
      return await runAndReport(prepared, options, input, surroundings)
    } finally {
      await prepared.close()
    }
  })
}

/** The type that --to names: one that windrow knows, else a dataset of the service. */
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

/** The share of --repair, or the usual one. */
export function repairOption(input: Input): number {
  const share = readRepair(text(input, 'repair') ?? '1 %')
  if (typeof share === 'string') throw new WindrowError('option-invalid', `--repair: ${share}`)
  return share
}

function holdingWords({ scheme, id }: { readonly scheme: Value; readonly id: Value }): string {
  if (scheme === unsaidHolding.scheme && id === unsaidHolding.id) return 'none; the dry run continues without one'
  return [scheme, id].map((each) => (typeof each === 'string' ? each : JSON.stringify(each))).join(':')
}

function showChoices(
  { pipeline, suggestion, key, profile, changed }: PlannedFile,
  dates: { readonly zone: string; readonly evidence: string },
  { terminal }: Surroundings,
): void {
  const paint = painter(terminal)
  const { exported } = suggestion
  const chosen = suggestion.fields.map(({ field, spec, evidence, runnerUp, certain }) => {
    const why = `${certain ? '' : 'please check: '}${evidence}`
    return `  ${inDots(field)} ${exported === undefined ? `${yamlInline(spec)}   ` : ''}${why}${runnerUp === undefined ? '' : `; next best: ${runnerUp}`}`
  })
  const leftOut = suggestion.undecided.map(
    ({ field, dates: { column, patterns, clue } }) =>
      `  ${inDots(field)} left out: <${column}> could be ${patterns.join(' or ')}${clue === undefined ? '' : `; ${clue}`}; choose one with --dates`,
  )
  if (chosen.length + leftOut.length === 0 && Object.keys(profile.shapes).length === 0)
    throw new WindrowError(
      'option-invalid',
      `No column of "${profile.name}" looks like a field of ${pipeline.type.plural}.`,
      {
        hint: `Write a pipeline that names the column for each field. To start one: windrow init FILE --to ${pipeline.type.plural}`,
      },
    )
  const { scheme, id } = pipeline.mapping.holding
  const isSaid = typeof scheme === 'string' && typeof id === 'string'
  const ofHolding = isSaid ? holdingDoubt(suggestion, profile, { scheme, id }) : undefined
  const notes = [...suggestion.notes, ...(ofHolding === undefined ? [] : [ofHolding])]
  const usesDates = suggestion.fields.some(({ spec }) => typeof spec === 'object' && spec !== null && 'date' in spec)
  const keyLine =
    key === undefined
      ? 'No id column found. Row numbers are used for this preview only.'
      : `${keyText(key.spec)}   ${key.certain ? '' : 'please check: '}${key.evidence}`
  say(
    terminal,
    paint('dim', 'How this file was read. To save and change these choices: windrow init'),
    ...changed.map(({ option, value, evidence }) => plain(`  ${option.padEnd(26)} ${yamlInline(value)}   ${evidence}`)),
    plain(`  ${'key'.padEnd(26)} ${keyLine}`),
    plain(`  ${'holding'.padEnd(26)} ${holdingWords(pipeline.mapping.holding)}`),
    ...[...chosen, ...leftOut].map(plain),
    ...(usesDates ? [plain(`  ${'zone of dates'.padEnd(26)} ${dates.zone}   ${dates.evidence}`)] : []),
    ...(exported === undefined
      ? []
      : [plain(`  ${'kept as they are'.padEnd(26)} ${exported.given.join(', ')}   filled in by the service`)]),
    ...(suggestion.unused.length === 0 ? [] : [plain(`  not used: ${suggestion.unused.slice(0, 20).join(', ')}`)]),
    ...notes.map((note) => plain(`  note: ${note}`)),
    '',
  )
}

function inDots(field: string): string {
  return field.slice(1).replaceAll('/', '.').padEnd(26)
}
