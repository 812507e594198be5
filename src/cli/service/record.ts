/** Runs `windrow service record`: shows one record by its id. */

import type { Client } from '../../client/connection.ts'
import { WindrowError } from '../../core/error.ts'
import { farmsShown, findHolding, missingHolding } from '../../pipeline/export/find-holding.ts'
import { findResourceType, type readableTypes } from '../../resources/index.ts'
import { connectionOption, text, word, type Command } from '../options/command.ts'
import { reach } from '../options/reach.ts'
import { say } from '../screen/terminal.ts'

type Ask = (
  client: Client,
  id: string,
  holdingId: string | undefined,
  signal: AbortSignal,
) => Promise<object | undefined>

const asks: Readonly<Partial<Record<(typeof readableTypes)[number], Ask>>> = {
  holdings: (client, id, _holding, signal) => client.feature('holdings', id, {}, signal),
  plots: (client, id, holdingId, signal) => client.feature('plots', id, { holdingId }, signal),
  'land-covers': (client, id, holdingId, signal) => client.feature('land-covers', id, { holdingId }, signal),
  'pasture-cover-events': (client, id, holdingId, signal) => client.pastureCoverEvent(id, { holdingId }, signal),
  'load-receivals': async (client, id, holding, signal) =>
    client.loadReceival(holding ?? (await askHolding(client, signal)), id, signal),
  'sample-analyses': async (client, id, holding, signal) =>
    client.sampleAnalysis(holding ?? (await askHolding(client, signal)), id, signal),
  'sample-plans': async (client, id, holding, signal) =>
    client.samplePlan(holding ?? (await askHolding(client, signal)), id, signal),
}

export const record: Command = {
  name: 'record',
  summary: 'Show one record as JSON, as the service gives it.',
  words: [
    { name: 'what', description: Object.keys(asks).join(', '), choices: Object.keys(asks) },
    { name: 'id', description: "the record's id in the service" },
  ],
  options: [
    { flags: '--holding <HOLDING>', description: 'the farm of the record: its name, id or SCHEME:ID' },
    connectionOption,
  ],
  examples: ['windrow service record plots 0198c1f2-7f6e-7000-8000-000000000001'],
  async run(input, surroundings) {
    const { signal, terminal } = surroundings
    const [what, id] = [word(input, 'what'), word(input, 'id')]
    const ask = asks[(findResourceType(what)?.plural ?? what) as keyof typeof asks]
    if (ask === undefined)
      throw new WindrowError('option-invalid', `"${what}" cannot be shown one by one.`, {
        hint: `Use one of: ${Object.keys(asks).join(', ')}.`,
      })
    const { client } = await reach(input, surroundings)
    const words = text(input, 'holding')
    const holding = words === undefined ? undefined : await findHolding(client, words, signal)
    const found = await ask(client, id, holding?.id, signal)
    if (found === undefined)
      throw new WindrowError('request-refused', `No record with id "${id}" was found in ${what}.`, {
        hint: 'It does not exist, or the account may not see it.',
        data: { status: 404 },
      })
    say(terminal, JSON.stringify(found, undefined, 2))
  },
}

/** The service finds these records only within a holding. */
async function askHolding(client: Client, signal: AbortSignal): Promise<never> {
  throw missingHolding(await farmsShown(client, signal))
}
