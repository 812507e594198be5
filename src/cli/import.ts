/** Runs `windrow import`: shows how it reads a file, then publishes the records. */

import { WindrowError } from '../core/error.ts'
import type { Decision } from '../core/row.ts'
import { dateOrderProblem } from '../mapping/suggest-dates.ts'
import { readRepair } from '../pipeline/definition/amounts.ts'
import type { Connection } from '../pipeline/report/course.ts'
import { decisionsOfFile } from '../pipeline/inspect/decisions.ts'
import { planFile, type PlannedFile } from '../pipeline/inspect/one-off.ts'
import { placeInService, placeOfHolding } from '../pipeline/prepare/holding-place.ts'
import { prepareImport } from '../pipeline/prepare/prepare.ts'
import { holdingDoubt } from '../pipeline/definition/holding-text.ts'
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
  zoneOf,
  zoneOption,
} from './reading.ts'
import { confirmWithin, unlessDry } from './run.ts'
import { painter, plain, say } from './terminal.ts'

export const importFile: CommandSpec = {
  words: [{ name: 'file', description: 'the file, folder, zip or web address; - for standard input' }],
  options: [
    {
      flags: '--to <TYPE>',
      description: 'what the rows become: plots (default), holdings, land-covers, or a dataset of the service',
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
        blank: choice(input, 'blank', ['keep', 'clear']),
        options: formatOptions(input),
        repairUpTo: repairOption(input),
        match,
        duplicates,
        dryRun: flag(input, 'dry-run'),
      },
      { dates: datesOption(input), saidZone: zoneOf(input), connection, signal: surroundings.signal },
    )
    const decisions = decisionsOfFile(planned, { zone, evidence, holding: holdingEvidence(input, planned) })
    if (!flag(input, 'json')) showChoices(planned, decisions, surroundings)
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
      return await runAndReport({ ...prepared, decisions }, options, input, surroundings)
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

function holdingEvidence(input: Input, { refusal, suggestion, pipeline }: PlannedFile): string {
  const { id } = pipeline.mapping.holding
  if (typeof id === 'string' && id === `<${suggestion.holding?.column}>`) return suggestion.holding!.evidence
  if (text(input, 'holding') !== undefined) return 'set by --holding'
  return refusal === undefined ? 'the only farm that you may write' : ''
}

function showChoices(
  { pipeline, suggestion, profile, changed }: PlannedFile,
  decisions: readonly Decision[],
  { terminal }: Surroundings,
): void {
  const paint = painter(terminal)
  const { fields, undecided } = suggestion
  if (fields.length + undecided.length === 0 && Object.keys(profile.shapes).length === 0)
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
  say(
    terminal,
    paint('dim', 'How this file was read. To save and change these choices: windrow init'),
    ...[...changed.map((each) => ({ ...each, value: yamlInline(each.value) })), ...decisions].map(decisionLine),
    ...notes.map((note) => plain(`  note: ${note}`)),
    '',
  )
}

function decisionLine({ option, value, evidence, runnerUp }: Decision): string {
  if (option === 'not used') return plain(`  ${option}: ${value}`)
  const why = runnerUp === undefined ? evidence : `${evidence}; next best: ${runnerUp}`
  const parts = [String(value), why].filter((part) => part !== '')
  return plain(`  ${option.padEnd(26)} ${parts.join('   ')}`)
}
