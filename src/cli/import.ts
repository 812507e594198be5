/** Runs `windrow import`: shows how it reads a file, then publishes the records. */

import { WindrowError } from '../core/error.ts'
import { valueText, type Choice } from '../core/row.ts'
import { choiceOf, columnsTaken } from '../mapping/choice.ts'
import { dateOrderOf, dateOrderProblem } from '../mapping/suggest-dates.ts'
import type { Connection, PreparedImport } from '../pipeline/report/course.ts'
import type { Missing } from '../pipeline/inspect/missing-choices.ts'
import { decisionsOfFile } from '../pipeline/inspect/decisions.ts'
import { columnsRead, planFile, type PlannedFile } from '../pipeline/inspect/one-off.ts'
import { holdingDoubt } from '../pipeline/definition/holding-text.ts'
import { yamlInline } from '../pipeline/inspect/yaml-text.ts'
import { findResourceType, typeOfDataset } from '../resources/index.ts'
import type { ResourceType } from '../resources/resource-type.ts'
import {
  askMissing,
  canAsk,
  connectionMissing,
  findingOf,
  isChoiceMissing,
  listMissing,
} from './options/ask-missing.ts'
import {
  flag,
  text,
  usualOptions,
  type Call,
  type CommandSpec,
  type Input,
  type Surroundings,
} from './options/command.ts'
import {
  ruleOptions,
  allowedBy,
  datesOf,
  keyOption,
  oneOffOf,
  zoneOf,
  withReading,
  readingOptions,
  targetType,
  typeChoices,
  zoneAndWhy,
  zoneOption,
  type OneFile,
} from './options/reading.ts'
import { importOptions, openImport, runAndReport, unlessDry, type Show } from './running/import-report.ts'
import { inStore, statePlace, reach } from './options/reach.ts'
import { inform, painter, plain, say } from './screen/terminal.ts'

export const importFile: CommandSpec = {
  words: { file: 'the file, folder, zip or web address; - for standard input' },
  options: {
    '--to <TYPE>': {
      description: 'what the rows become: plots (default), holdings, land-covers, or a dataset of the service',
      choices: typeChoices,
    },
    '--holding <FARM>':
      'the farm the records belong to: SCHEME:ID, or its name or number; SCHEME:<COLUMN> where a column contains it',
    ...keyOption,
    ...zoneOption,
    ...ruleOptions,
    ...readingOptions,
    ...importOptions,
    ...usualOptions,
  },
  examples: [
    'windrow import "Rimu paddocks FINAL v3.zip" --holding nz.example.farm-number:00412876 --dry-run',
    'windrow import holdings.csv --to holdings --holding "nz.example.farm-number:<FARM_NO>"',
  ],
  run: (call) => importOneFile(call),
}

/** Decides how to read a file, shows why, and imports it, or only plans that with --dry-run. */
export async function importOneFile(call: Call, show?: Show): Promise<number> {
  const unreached: Missing[] = []
  const connection = await reach(call)
    .catch(unlessDry(call))
    .catch((cause: unknown) => {
      // A name that is not saved is a mistake, not a missing choice.
      if (canAsk(call) || text(call, 'connection') !== undefined) throw cause
      unreached.push(connectionMissing(cause))
      return undefined
    })
  return withReading(call, async (reading) => {
    const command = show === undefined ? 'import' : 'plan'
    const about = { reading, connection, type: await typeToImport(call, connection) }
    const { said, planned, ...begun } = await beginAsking(command, call, about, unreached)
    await using prepared = begun.prepared
    const choices = decisionsOfFile(planned, { ...zoneAndWhy(said), holding: holdingEvidence(said, planned) })
    if (!flag(said, 'json')) showChoices(planned, choices, call)
    const refusal = joined(planned.refusals)
    const options = { ...statePlace(said), connection, refusal, show }
    return await runAndReport({ ...prepared, choices }, options, said)
  })
}

type Begun = { readonly said: Call; readonly planned: PlannedFile; readonly prepared: PreparedImport }

/** Plans and opens the import; asks for what is missing, or throws one error that lists it. */
async function beginAsking(command: string, call: Call, about: OneFile, unreached: readonly Missing[]): Promise<Begun> {
  const asks = canAsk(call)
  let stopped: WindrowError | undefined
  const begun =
    unreached.length > 0
      ? undefined
      : await begin(call, about).catch((cause: unknown) => {
          if (!isChoiceMissing(cause)) throw cause
          stopped = cause
          return undefined
        })
  const isComplete =
    begun !== undefined && (!asks || (begun.planned.refusals.length === 0 && undecidedIn(begun.planned).length === 0))
  if (isComplete) return begun
  await begun?.prepared.close()
  const finding = await findingOf(call, about)
  if (asks) return begin(await askMissing(command, finding, call), about)
  throw (await listMissing(command, finding, call, unreached)) ?? stopped!
}

async function begin(call: Call, about: OneFile): Promise<Begun> {
  const { reading, connection } = about
  const { source, opened, formats } = reading
  const { signal } = call
  const oneOff = await oneOffOf(call, about)
  const planned = await planFile(opened, oneOff, {
    dates: datesOf(call),
    saidZone: zoneOf(call),
    connection,
    signal,
  })
  const place = statePlace(call)
  const notes = undecidedIn(planned).map((each) => dateOrderProblem(dateOrderOf(each), source.name))
  const named = inStore(planned.pipeline, place.store)
  const prepared = await openImport(
    named,
    { place, connection },
    { source, formats, notes, allowed: allowedBy(call) },
    call,
  )
  return { said: call, planned, prepared }
}

/** The dates of which somebody must choose whether day or month comes first. */
function undecidedIn({ suggestion: { choices } }: PlannedFile): readonly Choice[] {
  return choices.filter(({ setting, certainty }) => setting.startsWith('record.') && certainty === 'ask')
}

/** The reasons why a real run would be refused, as one. */
function joined(refusals: readonly WindrowError[]): WindrowError | undefined {
  const [first, ...others] = refusals
  if (first === undefined || others.length === 0) return first
  const hint = refusals.flatMap((each) => each.hint ?? []).join(' ')
  return new WindrowError(first.code, refusals.map(({ message }) => message).join(' '), { hint, cause: first })
}

/** The type that --to names: one that windrow knows, else a dataset of the service. */
async function typeToImport(call: Call, connection: Connection | undefined): Promise<ResourceType> {
  const { signal, terminal } = call
  const wanted = text(call, 'to') ?? 'plots'
  if (connection === undefined || findResourceType(wanted) !== undefined) return targetType(call)
  const found = (await connection.client.datasets(signal)).find(({ name }) => name === wanted)
  if (found === undefined) return targetType(call)
  const { type, note } = typeOfDataset(found)
  if (note !== undefined) inform(terminal, note)
  return type
}

function holdingEvidence(input: Input, { refusals, suggestion, pipeline }: PlannedFile): string {
  const { id } = pipeline.mapping.holding
  const ofRows = choiceOf(suggestion.choices, 'holding')
  if (typeof id === 'string' && id === `<${columnsTaken(ofRows?.value)[0]}>`) return ofRows!.evidence
  if (text(input, 'holding') !== undefined) return 'set by --holding'
  return refusals.length === 0 ? 'the only farm that you may write' : ''
}

function showChoices(
  { pipeline, suggestion, profile, changed }: PlannedFile,
  choices: readonly Choice[],
  { terminal }: Surroundings,
): void {
  const paint = painter(terminal)
  const hasFields = suggestion.choices.some(({ setting }) => setting.startsWith('record.'))
  if (!hasFields && Object.keys(profile.shapes).length === 0)
    throw new WindrowError(
      'option-invalid',
      `No column of "${profile.name}" looks like a field of ${pipeline.type.plural}.`,
      {
        hint: `${columnsRead(profile)} Write a pipeline that names the column for each field. To start one: windrow init FILE --to ${pipeline.type.plural}`.trim(),
      },
    )
  const { scheme, id } = pipeline.mapping.holding
  const isSaid = typeof scheme === 'string' && typeof id === 'string'
  const ofHolding = isSaid ? holdingDoubt(suggestion.choices, profile, { scheme, id }) : undefined
  const notes = [...suggestion.notes, ...unclearDecimal(suggestion.choices), ofHolding].filter(
    (note) => note !== undefined,
  )
  say(
    terminal,
    paint('dim', 'How this file was read. To save and change these choices: windrow init'),
    ...[...changed.map((each) => ({ ...each, value: yamlInline(each.value) })), ...choices].map(decisionLine),
    ...notes.map((note) => plain(`  note: ${note}`)),
    '',
  )
}

function unclearDecimal(choices: readonly Choice[]): readonly string[] {
  return choiceOf(choices, 'from.decimal')?.certainty === 'ask'
    ? [
        'The decimal separator is unclear: comma or point? Add --decimal comma or --decimal point; in a pipeline, write it under from: decimal.',
      ]
    : []
}

function decisionLine({ setting, value, evidence, others: [next], certainty }: Choice): string {
  if (setting === 'not used') return plain(`  ${setting}: ${valueText(value)}`)
  const said = certainty === 'sure' ? evidence : `please check: ${evidence}`
  const why = next === undefined ? said : `${said}; next best: ${valueText(next.value)}`
  const parts = [valueText(value), why].filter((part) => part !== '')
  return plain(`  ${setting.padEnd(26)} ${parts.join('   ')}`)
}
