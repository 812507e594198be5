/** Sends a message by each way that notify.yaml names: e-mail (nodemailer), a signed webhook, a command, a ping. */

import { spawn } from 'node:child_process'
import { createHmac } from 'node:crypto'
import { environmentForOthers, type Environment } from '../core/environment.ts'
import { oneLine, secretKeeper, type Secrets } from '../client/reading.ts'
import type { Notice } from './notice.ts'
import type { MailSettings, NotifySettings, WebhookSettings } from './settings.ts'

/**
 * A way for messages. `name` is for people, without a secret, and messages wait under it in the outbox. `send` rejects with an Error whose
 * message has none either.
 */
export type Channel = { readonly name: string; send(notice: Notice, id: string): Promise<void> }

export type ChannelDeps = { readonly fetch: typeof fetch; readonly env: Environment; readonly clock: () => Date }

const waitMs = 20_000
const commandWaitMs = 60_000

/** The ways that the settings name. */
export function channelsOf(settings: NotifySettings, deps: ChannelDeps): readonly Channel[] {
  const { place, email, webhook, command } = settings
  const secrets = secretKeeper([email?.login?.password, webhook?.secret, webhook?.address])
  const channels: Channel[] = []
  // One for each person: a server that refuses one of several addresses takes the mail, and that person would never hear.
  for (const to of email?.to ?? [])
    channels.push({
      name: `e-mail to ${to}`,
      send: (notice, id) =>
        sendMail(email!, {
          to,
          id,
          subject: oneLine(`${place}: ${notice.title}`),
          text: `${notice.text}\n\n-- \nwindrow, ${place}\n`,
          at: new Date(notice.at),
        }),
    })
  if (webhook !== undefined)
    channels.push({
      name: `webhook at ${new URL(webhook.address).host}`,
      send: (notice, id) => postSigned(webhook, eventOf(notice, id, place), deps),
    })
  if (command !== undefined)
    channels.push({
      name: `command ${command[0]}`,
      send: (notice, id) => runCommand(command, eventOf(notice, id, place), deps.env),
    })
  return channels.map((channel) => safely(channel, secrets))
}

/** The ways to dead man's switches: `all` for the one address of all pipelines, else by pipeline. */
export function pingsOf({ ping = {} }: NotifySettings, { fetch }: ChannelDeps): ReadonlyMap<string, Channel> {
  const addresses = typeof ping === 'string' ? [['all', ping] as const] : Object.entries(ping)
  return new Map(
    addresses.map(([name, address]) => {
      const call = () => fetch(address, { redirect: 'manual', signal: AbortSignal.timeout(waitMs) })
      const channel = { name: `ping for ${name}`, send: async () => checkAnswer(await call()) }
      return [name, safely(channel, secretKeeper([address]))]
    }),
  )
}

function safely({ name, send }: Channel, secrets: Secrets): Channel {
  return {
    name,
    send: (notice, id) =>
      send(notice, id).catch((cause: unknown) => {
        throw new Error(secrets.clean(reasonOf(cause)))
      }),
  }
}

/** A message as a CloudEvents 1.0 event, the form of the service's own events. `text` is what chat programs show. */
function eventOf(notice: Notice, id: string, place: string): string {
  return JSON.stringify({
    specversion: '1.0',
    id,
    source: `/windrow/${encodeURIComponent(place)}`,
    type: `windrow.${notice.occasion.replaceAll(' ', '-')}`,
    time: notice.at,
    subject: notice.pipeline,
    datacontenttype: 'application/json',
    text: `${place}: ${notice.title}\n${notice.text}`,
    data: { place, ...notice },
  })
}

/** Sends plain text. Rejects with the answer of the mail server. The same `id` in a second try lets a mailbox see the double. */
async function sendMail(
  { from, server, port, encryption, login }: MailSettings,
  message: { readonly [Part in 'id' | 'to' | 'subject' | 'text']: string } & { readonly at: Date },
): Promise<void> {
  // Loaded when a message is sent: most nights need none.
  const { createTransport } = await import('nodemailer')
  const transport = createTransport({
    host: server,
    port,
    secure: encryption === 'tls',
    requireTLS: encryption === 'starttls',
    ignoreTLS: encryption === 'none',
    connectionTimeout: waitMs,
    greetingTimeout: waitMs,
    socketTimeout: waitMs,
    ...(login === undefined ? {} : { auth: { user: login.username, pass: login.password } }),
  })
  try {
    await transport.sendMail({
      from,
      to: message.to,
      subject: message.subject,
      text: message.text,
      date: message.at,
      messageId: `<${message.id}@windrow>`,
      disableFileAccess: true,
      disableUrlAccess: true,
    })
  } finally {
    transport.close()
  }
}

/** Posts an event, signed as Standard Webhooks says: HMAC-SHA256 over id, time and body. */
async function postSigned({ address, secret }: WebhookSettings, body: string, deps: ChannelDeps): Promise<void> {
  const { id } = JSON.parse(body) as { readonly id: string }
  const time = Math.floor(deps.clock().getTime() / 1000)
  const response = await deps.fetch(address, {
    method: 'POST',
    // A redirect could lead the message to another address than the one that was checked.
    redirect: 'manual',
    headers: {
      'Content-Type': 'application/cloudevents+json; charset=utf-8',
      'User-Agent': 'windrow',
      'webhook-id': id,
      'webhook-timestamp': String(time),
      'webhook-signature': `v1,${signatureOf(secret, `${id}.${time}.${body}`)}`,
    },
    body,
    signal: AbortSignal.timeout(waitMs),
  })
  await checkAnswer(response)
}

function signatureOf(secret: string, signed: string): string {
  const prefix = 'whsec_'
  const key = secret.startsWith(prefix) ? Buffer.from(secret.slice(prefix.length), 'base64') : Buffer.from(secret)
  return createHmac('sha256', key).update(signed).digest('base64')
}

async function checkAnswer(response: Response): Promise<void> {
  await response.body?.cancel()
  const { ok, status } = response
  if (status >= 300 && status < 400) throw new Error(`it answered ${status}: write the address that it leads to`)
  if (!ok) throw new Error(`it answered ${status}`)
}

/** Starts the program without a shell. The event comes on its standard input; it gets none of windrow's secrets. */
async function runCommand([program = '', ...words]: readonly string[], body: string, env: Environment): Promise<void> {
  const child = spawn(program, words, {
    env: environmentForOthers(env),
    stdio: ['pipe', 'ignore', 'ignore'],
    timeout: commandWaitMs,
    windowsHide: true,
  })
  await new Promise<void>((resolve, reject) => {
    child.once('error', reject)
    // A program that reads no input is fine.
    child.stdin.on('error', () => undefined)
    child.once('close', (exit, signal) => {
      if (exit === 0) resolve()
      else reject(new Error(exit === null ? `it was ended by ${signal}` : `it ended with exit ${exit}`))
    })
    child.stdin.end(body)
  })
}

function reasonOf(cause: unknown): string {
  const { message, name, cause: inner } = cause as Error
  if (name === 'TimeoutError') return 'it did not answer in time'
  const { code } = (inner ?? cause) as NodeJS.ErrnoException
  return code === undefined || message.includes(code) ? message : `${message} (${code})`
}
