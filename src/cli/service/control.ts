/** Runs `windrow service control`. */

import { identifierText } from '../../resources/identifier.ts'
import { controlItem } from '../../resources/listings.ts'
import { connectionOption, type Command } from '../options/command.ts'
import { reach } from '../options/reach.ts'
import { answerList, answerOptions } from './answer.ts'

const type = { name: 'control', title: 'Connected holding', plural: 'control', aliases: [], schema: controlItem }

export const control: Command = {
  name: 'control',
  summary: 'List the farms that the account is connected to, and what it may publish for each.',
  words: [],
  options: [connectionOption, ...answerOptions],
  examples: ['windrow service control', 'windrow service control --json'],
  async run(input, surroundings) {
    const { client } = await reach(input, surroundings)
    const holdings = await client.control(surroundings.signal)
    const shown = {
      Holding: (each: (typeof holdings)[number]) => each.identifiers.map(identifierText),
      'May publish': (each: (typeof holdings)[number]) => each.resourceTypes.map(({ id }) => id),
      Connected: (each: (typeof holdings)[number]) => each.connectedAt,
      Id: (each: (typeof holdings)[number]) => each.holdingId,
    }
    const nothing =
      'The account is not connected to a farm. Publish one first: windrow import holdings.csv --to holdings'
    await answerList(holdings, { type, shown, nothing }, input, surroundings)
  },
}
