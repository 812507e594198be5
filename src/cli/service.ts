/** Lists the commands of `windrow service`. */

import type { Client } from '../client/connection.ts'
import type { CollectionDescription } from '../client/features.ts'
import { WindrowError } from '../core/error.ts'
import { findHolding } from '../pipeline/export/find-holding.ts'
import { identifierText } from '../resources/resource-type.ts'
import { findResourceType } from '../resources/index.ts'
import { collection, controlItem, dataset } from '../resources/listings.ts'
import {
  connectionOption,
  flag,
  jsonOption,
  text,
  type Command,
  type GroupParts,
  type Input,
  type Surroundings,
} from './options/command.ts'
import { reach } from './options/reach.ts'
import { plain, say } from './screen/terminal.ts'
import { answerList, answerOptions } from './service/answer.ts'
import { changes } from './service/changes.ts'
import { publish } from './service/publish.ts'
import { record } from './service/record.ts'
import { reference } from './service/reference.ts'
import { token } from './service/token.ts'
import { webhooks } from './service/webhooks.ts'

const controlType = { name: 'control', title: 'Connected holding', plural: 'control', aliases: [], schema: controlItem }
const collectionType = {
  name: 'collection',
  title: 'Collection',
  plural: 'collections',
  aliases: [],
  schema: collection,
}
const datasetType = { name: 'dataset', title: 'Dataset', plural: 'datasets', aliases: [], schema: dataset }

const about: Command = {
  name: 'about',
  summary: 'Show the title and description of the service, and the parts of OGC API Features it supports.',
  words: [],
  options: [connectionOption, jsonOption],
  examples: ['windrow service about'],
  async run(input, surroundings) {
    const { client } = await reach(input, surroundings)
    const { signal, terminal } = surroundings
    const [landingPage, conformsTo] = await Promise.all([client.landingPage(signal), client.conformance(signal)])
    if (flag(input, 'json')) say(terminal, JSON.stringify({ landingPage, conformsTo }))
    else {
      const texts = [landingPage['title'], landingPage['description']]
      say(terminal, ...[client.service, ...texts, ...conformsTo].filter((each) => typeof each === 'string').map(plain))
    }
  },
}

const control: Command = {
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
    await answerList(holdings, { type: controlType, shown, nothing }, input, surroundings)
  },
}

const datasets: Command = {
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
    await answerList(found, { type: datasetType, shown, nothing }, input, surroundings)
  },
}

const collectionNames = ['holdings', 'plots', 'land-covers'] as const

const collections: Command = {
  name: 'collections',
  summary: 'List the collections of the features API, or show one.',
  words: [{ name: 'collection', description: collectionNames.join(', '), optional: true, choices: collectionNames }],
  options: [
    { flags: '--holding <HOLDING>', description: 'only those of this farm: its name, id or SCHEME:ID' },
    connectionOption,
    jsonOption,
  ],
  examples: ['windrow service collections', 'windrow service collections plots --holding "Rimu Farm"'],
  async run(input, surroundings) {
    const { client } = await reach(input, surroundings)
    const found = await readCollections(client, input, surroundings)
    const shown = {
      Collection: (each: CollectionDescription) => each.id,
      Title: (each: CollectionDescription) => each['title'],
      Items: (each: CollectionDescription) => each['itemCount'],
    }
    await answerList(
      found,
      { type: collectionType, shown, nothing: 'The service has no collections.' },
      input,
      surroundings,
    )
  },
}

async function readCollections(
  client: Client,
  input: Input,
  { signal }: Surroundings,
): Promise<readonly CollectionDescription[]> {
  const words = text(input, 'holding')
  const holdingId = words === undefined ? undefined : (await findHolding(client, words, signal)).id
  const [wanted] = input.words['collection'] ?? []
  if (wanted === undefined) return client.collections(holdingId, signal)
  const name = collectionNames.find((each) => each === wanted)
  const one = name === undefined ? undefined : await client.collection(name, holdingId, signal)
  if (one !== undefined) return [one]
  throw new WindrowError('option-invalid', `There is no collection "${wanted}".`, {
    hint: `Use one of: ${collectionNames.join(', ')}.`,
  })
}

export const service: GroupParts = {
  parts: [about, control, datasets, changes, publish, collections, record, reference, webhooks, token],
}
