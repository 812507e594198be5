/** Runs `windrow service webhooks`: registers, lists, shows and deletes subscribers. */

import { resolve } from 'node:path'
import { checkRegistration } from '../../client/webhooks.ts'
import { WindrowError } from '../../core/error.ts'
import { connectionOption, flag, jsonOption, text, word, type Command, type CommandGroup } from '../options/command.ts'
import { reach } from '../options/reach.ts'
import { readSecretJson } from '../../core/sources/secret-text.ts'
import { plain, say } from '../screen/terminal.ts'
import { tableLines } from './answer.ts'

const ofOrganisation = { organisation: 'the id of the organisation; ask the operator of the service' }
const ofWebhook = { ...ofOrganisation, webhook: 'the id of the webhook' }
const options = { ...connectionOption, ...jsonOption }

type Shown = { readonly [name: string]: unknown }

const shown = {
  Id: (each: Shown) => each['id'],
  Name: (each: Shown) => each['name'],
  Address: (each: Shown) => each['uri'],
  Authentication: (each: Shown) => (each['authentication'] as { readonly type?: unknown } | undefined)?.type,
}

const list: Command = {
  name: 'list',
  summary: 'List the webhooks of an organisation.',
  words: ofOrganisation,
  options,
  examples: ['windrow service webhooks list 7d0f6a52-3c0e-4b61-9f4c-0f6f8b1f2a10'],
  async run(call) {
    const { terminal, signal } = call
    const { client } = await reach(call)
    const found = await client.webhooks(word(call, 'organisation'), signal)
    if (flag(call, 'json')) say(terminal, JSON.stringify(found, hideSecret))
    else if (found.length === 0) say(terminal, 'The organisation has no webhook.')
    else say(terminal, ...tableLines(found, shown, terminal))
  },
}

const create: Command = {
  name: 'create',
  summary: 'Register a subscriber from a file: its address, authentication and event types.',
  words: ofOrganisation,
  options: {
    '--registration <FILE>':
      'a JSON file with the registration, as in docs/interface.md; windrow listen reads the same file',
    ...options,
  },
  examples: ['windrow service webhooks create 7d0f6a52-3c0e-4b61-9f4c-0f6f8b1f2a10 --registration office.json'],
  async run(call) {
    const { terminal, signal, folder } = call
    const file = text(call, 'registration')
    if (file === undefined)
      throw new WindrowError('option-invalid', 'Which registration should be sent?', {
        hint: 'Add --registration FILE.',
      })
    const registration = await checkRegistration(await readSecretJson(resolve(folder, file)))
    const { client } = await reach(call)
    const made = await client.createWebhook(word(call, 'organisation'), registration, signal)
    if (flag(call, 'json')) say(terminal, JSON.stringify(made ?? null, hideSecret))
    else
      say(
        terminal,
        plain(
          made?.id === undefined
            ? 'Registered. The service returned no id; windrow service webhooks list shows it.'
            : `Registered as ${made.id}.`,
        ),
      )
  },
}

const get: Command = {
  name: 'get',
  summary: 'Show one webhook as JSON.',
  words: ofWebhook,
  options: { ...connectionOption },
  examples: ['windrow service webhooks get 7d0f6a52-3c0e-4b61-9f4c-0f6f8b1f2a10 w-1'],
  async run(call) {
    const { client } = await reach(call)
    const [owner, id] = [word(call, 'organisation'), word(call, 'webhook')]
    const found = await client.webhook(owner, id, call.signal)
    if (found === undefined) throw missing(id)
    say(call.terminal, JSON.stringify(found, hideSecret, 2))
  },
}

const remove: Command = {
  name: 'delete',
  summary: 'Delete a webhook; nothing is sent to it any more.',
  words: ofWebhook,
  options,
  examples: ['windrow service webhooks delete 7d0f6a52-3c0e-4b61-9f4c-0f6f8b1f2a10 w-1'],
  async run(call) {
    const { terminal, signal } = call
    const { client } = await reach(call)
    const [owner, id] = [word(call, 'organisation'), word(call, 'webhook')]
    if (!(await client.deleteWebhook(owner, id, signal))) throw missing(id)
    say(terminal, flag(call, 'json') ? JSON.stringify({ deleted: id }) : plain(`${id} was deleted.`))
  },
}

const secretMembers = new Set(['password', 'apiToken', 'clientSecret', 'refreshToken'])

/** A service may return a registration with its secrets. */
function hideSecret(name: string, value: unknown): unknown {
  return secretMembers.has(name) && typeof value === 'string' ? '[hidden]' : value
}

function missing(id: string): WindrowError {
  return new WindrowError('request-refused', `The organisation has no webhook "${id}".`, {
    hint: 'windrow service webhooks list shows all of them.',
    data: { status: 404 },
  })
}

export const webhooks: CommandGroup = {
  name: 'webhooks',
  summary: 'Manage the subscribers that receive changes (webhooks).',
  parts: [list, create, get, remove],
}
