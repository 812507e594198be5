/** Runs `windrow import`: shows how it reads a file, then publishes the records. */

import { WindrowError } from '../core/error.ts'
import type { Value } from '../core/row.ts'
import { dateOrderProblem } from '../mapping/suggest-dates.ts'
import { keyText } from '../mapping/suggest-key.ts'
import type { Connection, PreparedImport } from '../pipeline/report/course.ts'
import type { Missing } from '../pipeline/inspect/missing-choices.ts'
import { planFile, type PlannedFile } from '../pipeline/inspect/one-off.ts'
import { placeInService, placeOfHolding } from '../pipeline/prepare/holding-place.ts'
import { prepareImport } from '../pipeline/prepare/prepare.ts'
import { holdingDoubt, unsaidHolding } from '../pipeline/definition/holding-text.ts'
import { yamlInline } from '../pipeline/inspect/yaml-text.ts'
import { findResourceType } from '../resources/index.ts'
import { typeOfDataset } from '../resources/published-resource.ts'
import type { ResourceType } from '../resources/resource-type.ts'
import { askMissing, canAsk, connectionMissing, findingOf, isChoiceMissing, listMissing } from './ask-missing.ts'
import {
  connectionOption,
  flag,
  jsonOption,
  stateOption,
  text,
  type CommandSpec,
  type Input,
  type Surroundings,
} from './command.ts'
import { duplicateOptions, importOptions, runAndReport, type Show } from './import-report.ts'
import { reach, stateOf } from './reach.ts'
import {
  blankPolicies,
  datesOption,
  keyOption,
  oneOffOf,
  zoneOf,
  withReading,
  readingOptions,
  targetType,
  typeChoices,
  zoneOption,
  type OneFile,
} from './reading.ts'
import { confirmWithin, unlessDry } from './run.ts'
import { painter, plain, say } from './terminal.ts'

export const importFile: CommandSpec = {
  words: [{ name: 'file', description: 'the file, folder, zip or web address; - for standard input' }],
  options: [
    {
      flags: '--to <TYPE>',
      description: 'what the rows become: plots (default), holdings, land-covers, or a dataset of the service',
      choices: typeChoices,
    },
    {
      flags: '--holding <FARM>',
      description:
        'the farm the records belong to: SCHEME:ID, or its name or number; SCHEME:<COLUMN> where a column contains it',
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
  const unreached: Missing[] = []
  const connection = await reach(input, surroundings)
    .catch(unlessDry(input))
    .catch((cause: unknown) => {
      if (canAsk(input, surroundings)) throw cause
      unreached.push(connectionMissing(cause))
      return undefined
    })
  return withReading(input, surroundings, async (reading) => {
    const command = show === undefined ? 'import' : 'plan'
    const about = { reading, connection, surroundings, type: await typeToImport(input, connection, surroundings) }
    const { said, planned, prepared } = await beginAsking(command, input, about, unreached)
    try {
      if (!flag(said, 'json')) showChoices(planned, zoneOption(said), surroundings)
      const state = stateOf(said, surroundings)
      const refusal = joined(planned.refusals)
      const options = { state, connection, confirmWithinMs: confirmWithin(said), refusal, show }
      return await runAndReport(prepared, options, said, surroundings)
    } finally {
      await prepared.close()
    }
  })
}

type Begun = { readonly said: Input; readonly planned: PlannedFile; readonly prepared: PreparedImport }

/** Plans and opens the import; asks for what is missing, or throws one error that lists it. */
async function beginAsking(
  command: string,
  input: Input,
  about: OneFile,
  unreached: readonly Missing[],
): Promise<Begun> {
  const asks = canAsk(input, about.surroundings)
  let stopped: WindrowError | undefined
  const begun =
    unreached.length > 0
      ? undefined
      : await begin(input, about).catch((cause: unknown) => {
          if (!isChoiceMissing(cause)) throw cause
          stopped = cause
          return undefined
        })
  const isComplete =
    begun !== undefined &&
    (!asks || (begun.planned.refusals.length === 0 && begun.planned.suggestion.undecided.length === 0))
  if (isComplete) return begun
  await begun?.prepared.close()
  const finding = await findingOf(input, about)
  if (asks) return begin(await askMissing(command, finding, input, about.surroundings), about)
  throw (await listMissing(command, finding, input, unreached)) ?? stopped!
}

async function begin(said: Input, about: OneFile): Promise<Begun> {
  const { reading, connection, surroundings } = about
  const { source, opened, formats } = reading
  const { clock, sleep, signal } = surroundings
  const oneOff = await oneOffOf(said, about)
  const planned = await planFile(opened, oneOff, {
    dates: datesOption(said),
    saidZone: zoneOf(said),
    connection,
    signal,
  })
  const state = stateOf(said, surroundings)
  const near = placeOfHolding(planned.pipeline, { state, account: connection?.account })
  const findNear = connection && (() => placeInService(planned.pipeline, connection.client, signal))
  const notes = planned.suggestion.undecided.map(({ dates }) => dateOrderProblem(dates, source.name))
  const wait = (ms: number): Promise<void> => sleep(ms, signal)
  const preparation = { clock, source, formats, signal, near, findNear, notes, sleep: wait }
  return { said, planned, prepared: await prepareImport(planned.pipeline, preparation) }
}

/** The reasons why a real run would be refused, as one. */
function joined(refusals: readonly WindrowError[]): WindrowError | undefined {
  const [first, ...others] = refusals
  if (first === undefined || others.length === 0) return first
  const hint = refusals.flatMap((each) => each.hint ?? []).join(' ')
  return new WindrowError(first.code, refusals.map(({ message }) => message).join(' '), { hint, cause: first })
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
