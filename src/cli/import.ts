/** Runs `windrow import`: shows how it reads a file, then publishes the records. */

import type { Choice } from '../core/row.ts'
import { planOf } from '../pipeline/inspect/one-off.ts'
import { prepareNear } from '../pipeline/prepare/holding-place.ts'
import { canAsk, choiceLine, connectionMissing, decideAsking } from './options/ask-missing.ts'
import { flag, text, timing, usualOptions, type Call, type CommandSpec } from './options/command.ts'
import {
  ruleOptions,
  allowedBy,
  keyOption,
  onlyOption,
  withReading,
  readingOptions,
  typeChoices,
  zoneOption,
} from './options/reading.ts'
import { importOptions, runAndReport, unlessDry, type Show } from './running/import-report.ts'
import { inStore, statePlace, reach } from './options/reach.ts'
import { painter, plain, say } from './screen/terminal.ts'

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
    ...onlyOption,
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
  const unreached: Choice[] = []
  let failure: unknown
  const connection = await reach(call)
    .catch(unlessDry(call))
    .catch((cause: unknown) => {
      // A name that is not saved is a mistake, not a missing choice.
      if (canAsk(call) || text(call, 'connection') !== undefined) throw cause
      unreached.push(connectionMissing(cause))
      failure = cause
      return undefined
    })
  return withReading(call, async (reading) => {
    const command = show === undefined ? 'import' : 'plan'
    const { said, decided, around } = await decideAsking(command, call, { reading, connection }, unreached)
    if (unreached.length > 0 && decided.missing.length === 1) throw failure
    const { pipeline, refusal, choices, notes, forReport, lookedAt } = planOf(decided, said, around)
    const place = statePlace(call)
    const { source, formats } = reading
    const outside = { ...timing(call), folder: call.folder, formats }
    const preparation = { ...outside, source, notes: forReport, allowed: allowedBy(call), lookedAt }
    await using prepared = await prepareNear(inStore(pipeline, place.store), { place, connection }, preparation)
    if (!flag(call, 'json'))
      say(
        call.terminal,
        painter(call.terminal)('dim', 'How this file was read. To save and change these choices: windrow init'),
        ...choices.map(choiceLine),
        ...notes.map((note) => plain(`  note: ${note}`)),
        '',
      )
    return await runAndReport({ ...prepared, choices }, { ...place, connection, refusal, show }, call)
  })
}
