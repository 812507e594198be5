/** Runs the short commands of `windrow service`, and lists all of them. */

import { resolve } from 'node:path'
import type { Client } from '../client/connection.ts'
import type { CollectionDescription } from '../client/features.ts'
import { WindrowError } from '../core/error.ts'
import { writeTarget } from '../core/sources/target.ts'
import { farmsShown, findHolding, missingHolding } from '../pipeline/export/find-holding.ts'
import { findResourceType, type readableTypes } from '../resources/index.ts'
import { collection, controlItem, dataset } from '../resources/listings.ts'
import { identifierText } from '../resources/resource-type.ts'
import {
  connectionOption,
  flag,
  jsonOption,
  text,
  word,
  type Call,
  type Command,
  type GroupParts,
} from './options/command.ts'
import { reach } from './options/reach.ts'
import { plain, say, inform } from './screen/terminal.ts'
import { answerOptions, listing } from './service/answer.ts'
import { changes } from './service/changes.ts'
import { publish } from './service/publish.ts'
import { reference } from './service/reference.ts'
import { webhooks } from './service/webhooks.ts'

export const token: Command = {
  name: 'token',
  summary: 'Sign in and print an access token, or write the header file for GDAL and QGIS.',
  words: {},
  options: {
    '--gdal-header-file <FILE>':
      'write the token to this file, which only you can read; then set GDAL_HTTP_HEADER_FILE to it',
    ...connectionOption,
    ...jsonOption,
  },
  examples: ['windrow service token', 'windrow service token --gdal-header-file windrow-token.txt'],
  async run(call) {
    const { terminal, folder, signal } = call
    const { client } = await reach(call)
    const { text: secret, expires } = await client.accessToken(signal)
    const file = text(call, 'gdal-header-file')
    const until =
      expires === undefined ? 'The service does not give an expiry time.' : `Valid until ${expires.toISOString()}.`
    if (file === undefined) {
      say(terminal, flag(call, 'json') ? JSON.stringify({ token: secret, expires: expires ?? null }) : secret)
      if (!flag(call, 'json')) inform(terminal, until)
      return
    }
    const path = resolve(folder, file)
    await writeTarget(path, `Authorization: Bearer ${secret}\n`)
    const features = `OAPIF:${client.service.replace(/\/$/, '')}/ogc`
    if (flag(call, 'json')) say(terminal, JSON.stringify({ path, expires: expires ?? null, features }))
    else
      say(
        terminal,
        plain(`${path}   ${until}`),
        plain(`Set GDAL_HTTP_HEADER_FILE to it, then for example:  ogrinfo "${features}" plots`),
      )
  },
}

type Ask = (
  client: Client,
  id: string,
  holdingId: string | undefined,
  signal: AbortSignal,
) => Promise<object | undefined>

/** The service finds these only within a holding. */
const withinHolding: readonly string[] = ['load-receivals', 'sample-analyses', 'sample-plans']

const asks: Readonly<Partial<Record<(typeof readableTypes)[number], Ask>>> = {
  holdings: (client, id, _holding, signal) => client.feature('holdings', id, {}, signal),
  plots: (client, id, holdingId, signal) => client.feature('plots', id, { holdingId }, signal),
  'land-covers': (client, id, holdingId, signal) => client.feature('land-covers', id, { holdingId }, signal),
  'pasture-cover-events': (client, id, holdingId, signal) => client.pastureCoverEvent(id, { holdingId }, signal),
  'load-receivals': (client, id, holdingId, signal) => client.loadReceival(holdingId!, id, signal),
  'sample-analyses': (client, id, holdingId, signal) => client.sampleAnalysis(holdingId!, id, signal),
  'sample-plans': (client, id, holdingId, signal) => client.samplePlan(holdingId!, id, signal),
}

export const record: Command = {
  name: 'record',
  summary: 'Show one record as JSON, as the service gives it.',
  words: {
    what: { description: Object.keys(asks).join(', '), choices: Object.keys(asks) },
    id: "the record's id in the service",
  },
  options: {
    '--holding <HOLDING>': 'the farm of the record: its name, id or SCHEME:ID',
    ...connectionOption,
  },
  examples: ['windrow service record plots 0198c1f2-7f6e-7000-8000-000000000001'],
  async run(call) {
    const { signal, terminal } = call
    const [what, id] = [word(call, 'what'), word(call, 'id')]
    const plural = findResourceType(what)?.plural ?? what
    const ask = asks[plural as keyof typeof asks]
    if (ask === undefined)
      throw new WindrowError('option-invalid', `"${what}" cannot be shown one by one.`, {
        hint: `Use one of: ${Object.keys(asks).join(', ')}.`,
      })
    const { client } = await reach(call)
    const words = text(call, 'holding')
    const holding = words === undefined ? undefined : await findHolding(client, words, signal)
    if (holding === undefined && withinHolding.includes(plural)) throw missingHolding(await farmsShown(client, signal))
    const found = await ask(client, id, holding?.id, signal)
    if (found === undefined)
      throw new WindrowError('request-refused', `No record with id "${id}" was found in ${what}.`, {
        hint: 'It does not exist, or the account may not see it.',
        data: { status: 404 },
      })
    say(terminal, JSON.stringify(found, undefined, 2))
  },
}

const about: Command = {
  name: 'about',
  summary: 'Show the title and description of the service, and the parts of OGC API Features it supports.',
  words: {},
  options: { ...connectionOption, ...jsonOption },
  examples: ['windrow service about'],
  async run(call) {
    const { client } = await reach(call)
    const { signal, terminal } = call
    const [landingPage, conformsTo] = await Promise.all([client.landingPage(signal), client.conformance(signal)])
    if (flag(call, 'json')) say(terminal, JSON.stringify({ landingPage, conformsTo }))
    else {
      const texts = [landingPage['title'], landingPage['description']]
      say(terminal, ...[client.service, ...texts, ...conformsTo].filter((each) => typeof each === 'string').map(plain))
    }
  },
}

const control = listing({
  name: 'control',
  summary: 'List the farms that the account is connected to, and what it may publish for each.',
  words: {},
  options: { ...connectionOption, ...answerOptions },
  examples: ['windrow service control', 'windrow service control --json'],
  ask: async (call) => (await reach(call)).client.control(call.signal),
  type: { name: 'control', title: 'Connected holding', plural: 'control', aliases: [], schema: controlItem },
  shown: {
    Holding: ({ identifiers }) => identifiers.map(identifierText),
    'May publish': ({ resourceTypes }) => resourceTypes.map(({ id }) => id),
    Connected: ({ connectedAt }) => connectedAt,
    Id: ({ holdingId }) => holdingId,
  },
  nothing: 'The account is not connected to a farm. Publish one first: windrow import holdings.csv --to holdings',
})

const datasets = listing({
  name: 'datasets',
  summary: 'List the datasets of the service, or show one.',
  words: { dataset: { description: 'the name of one dataset', optional: true } },
  options: { ...connectionOption, ...answerOptions },
  examples: ['windrow service datasets', 'windrow service datasets plots --json'],
  async ask(call) {
    const { client } = await reach(call)
    const [name] = call.words['dataset'] ?? []
    return name === undefined ? client.datasets(call.signal) : [await client.dataset(name, call.signal)]
  },
  type: { name: 'dataset', title: 'Dataset', plural: 'datasets', aliases: [], schema: dataset },
  shown: {
    Dataset: ({ name }) => name,
    Contains: ({ containedTypes }) => containedTypes,
    'Known to windrow': ({ name }) => (findResourceType(name) === undefined ? 'no' : 'yes'),
    Changes: ({ changes: address }) => address,
    Updates: ({ updates }) => updates,
  },
  nothing: 'The service shows this account no datasets.',
})

const collectionNames = ['holdings', 'plots', 'land-covers'] as const
const collections = listing({
  name: 'collections',
  summary: 'List the collections of the features API, or show one.',
  words: { collection: { description: collectionNames.join(', '), optional: true, choices: collectionNames } },
  options: {
    '--holding <HOLDING>': 'only those of this farm: its name, id or SCHEME:ID',
    ...connectionOption,
    ...jsonOption,
  },
  examples: ['windrow service collections', 'windrow service collections plots --holding "Rimu Farm"'],
  ask: async (call) => readCollections((await reach(call)).client, call),
  type: { name: 'collection', title: 'Collection', plural: 'collections', aliases: [], schema: collection },
  shown: {
    Collection: ({ id }) => id,
    Title: (each) => each['title'],
    Items: (each) => each['itemCount'],
  },
  nothing: 'The service has no collections.',
})

async function readCollections(client: Client, call: Call): Promise<readonly CollectionDescription[]> {
  const { signal } = call
  const words = text(call, 'holding')
  const holdingId = words === undefined ? undefined : (await findHolding(client, words, signal)).id
  const [wanted] = call.words['collection'] ?? []
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
