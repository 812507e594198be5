/** Runs `windrow service datasets`: lists the datasets, also those that windrow does not know. */

import { findResourceType } from '../../resources/index.ts'
import { dataset } from '../../resources/listings.ts'
import { connectionOption, type Command } from '../options/command.ts'
import { reach } from '../options/reach.ts'
import { answerList, answerOptions } from './answer.ts'

const type = { name: 'dataset', title: 'Dataset', plural: 'datasets', aliases: [], schema: dataset }

export const datasets: Command = {
  name: 'datasets',
  summary: 'List the datasets of the service, or show one.',
  words: [{ name: 'dataset', description: 'the name of one dataset', optional: true }],
  options: [connectionOption, ...answerOptions],
  examples: ['windrow service datasets', 'windrow service datasets plots --json'],
  async run(input, surroundings) {
    const { client } = await reach(input, surroundings)
    const { signal } = surroundings
    const [name] = input.words['dataset'] ?? []
    const found = name === undefined ? await client.datasets(signal) : [await client.dataset(name, signal)]
    const shown = {
      Dataset: (each: (typeof found)[number]) => each.name,
      Contains: (each: (typeof found)[number]) => each.containedTypes,
      'Known to windrow': (each: (typeof found)[number]) => (findResourceType(each.name) === undefined ? 'no' : 'yes'),
      Changes: (each: (typeof found)[number]) => each.changes,
      Updates: (each: (typeof found)[number]) => each.updates,
    }
    const nothing = 'The service shows this account no datasets.'
    await answerList(found, { type, shown, nothing }, input, surroundings)
  },
}
