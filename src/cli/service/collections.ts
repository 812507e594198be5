/** Runs `windrow service collections`: lists the collections of the features API, of the service or of one farm. */

import type { Client } from '../../client/connection.ts'
import type { CollectionDescription } from '../../client/features.ts'
import { WindrowError } from '../../core/error.ts'
import { findHolding } from '../../pipeline/export/find-holding.ts'
import { collection } from '../../resources/listings.ts'
import { connectionOption, jsonOption, text, type Command, type Input, type Surroundings } from '../options/command.ts'
import { reach } from '../options/reach.ts'
import { answerList } from './answer.ts'

const type = { name: 'collection', title: 'Collection', plural: 'collections', aliases: [], schema: collection }
const names = ['holdings', 'plots', 'land-covers'] as const

export const collections: Command = {
  name: 'collections',
  summary: 'List the collections of the features API, or show one.',
  words: [{ name: 'collection', description: names.join(', '), optional: true, choices: names }],
  options: [
    { flags: '--holding <HOLDING>', description: 'only those of this farm: its name, id or SCHEME:ID' },
    connectionOption,
    jsonOption,
  ],
  examples: ['windrow service collections', 'windrow service collections plots --holding "Rimu Farm"'],
  async run(input, surroundings) {
    const { client } = await reach(input, surroundings)
    const found = await read(client, input, surroundings)
    const shown = {
      Collection: (each: CollectionDescription) => each.id,
      Title: (each: CollectionDescription) => each['title'],
      Items: (each: CollectionDescription) => each['itemCount'],
    }
    await answerList(found, { type, shown, nothing: 'The service has no collections.' }, input, surroundings)
  },
}

async function read(client: Client, input: Input, { signal }: Surroundings): Promise<readonly CollectionDescription[]> {
  const words = text(input, 'holding')
  const holdingId = words === undefined ? undefined : (await findHolding(client, words, signal)).id
  const [wanted] = input.words['collection'] ?? []
  if (wanted === undefined) return client.collections(holdingId, signal)
  const name = names.find((each) => each === wanted)
  const one = name === undefined ? undefined : await client.collection(name, holdingId, signal)
  if (one !== undefined) return [one]
  throw new WindrowError('option-invalid', `There is no collection "${wanted}".`, {
    hint: `Use one of: ${names.join(', ')}.`,
  })
}
