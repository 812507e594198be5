/** Hears what happens in a schedule and sends messages about it. Nothing here changes the result of a run. */

import { randomUUID, createHmac } from 'node:crypto'
import { parse } from 'node:path'
import { storageFailure } from '../core/storage-failure.ts'
import type { RunReport } from '../pipeline/report/export-report.ts'
import { wasClockAhead, isGood, dueTimes, nextTime, type Timetable } from '../schedule/due.ts'
import type { ScheduleEvent } from '../schedule/events.ts'
import { isGoodReport, reportsIn, runsOf } from '../schedule/status.ts'
import {
  countsOf,
  newWarnings,
  unusualCounts,
  summaryNotice,
  brokenNotice,
  hinderedNotice,
  failureNotice,
  goodRunNotice,
  recoveryNotice,
  testNotice,
  unusualNotice,
  type EndedRun,
  type Notice,
} from './notice.ts'
import { openOutbox, waitsMs, type Letter, type Outbox } from './outbox.ts'
import type { NotifySettings, MailSettings, WebhookSettings } from './settings.ts'
import { spawn } from 'node:child_process'
import { environmentForOthers, type Environment } from '../core/environment.ts'
import { oneLine, secretKeeper, type Secrets } from '../client/reading.ts'

/** How one try to send a message ended; without a `reason` it was sent. */
export type Delivery = {
  readonly channel: string
  readonly title: string
  readonly reason?: string
  readonly isGivenUp: boolean
}

export type NotifierDeps = ChannelDeps & {
  readonly settings: NotifySettings
  /** The state folder, with the runs of the pipelines and the messages that wait. */
  readonly state: string
  readonly sleep: (ms: number) => Promise<void>
  /** The timetables of the pipelines, by name. */
  readonly timetables: () => ReadonlyMap<string, Timetable>
  readonly onDelivery: (delivery: Delivery) => void
  readonly onTrouble: (cause: unknown) => void
}

export type Notifier = ReturnType<typeof startNotifier>

// A ping that comes later would say that all is well when it may no longer be.
const pingGoodMs = 3_600_000
const finishMs = 60_000

/** `hear` notes what must be said, `deliver` sends what is due, `finish` also waits for the first tries. None of them throws. */
export function startNotifier(deps: NotifierDeps) {
  const { settings, clock, sleep, onTrouble } = deps
  const outbox = openOutbox(deps.state, clock)
  // A full disk has no room for a message to wait.
  const urgent: Notice[] = []
  let isHindered = false
  const notifying = { deps, outbox, channels: channelsOf(settings, deps), pings: pingsOf(settings, deps) }
  // A way that is no longer in notify.yaml needs nobody's attention.
  const ways = [...notifying.channels, ...notifying.pings.values()].map(({ name }) => name)
  for (const { channel } of outbox.unsent()) if (!ways.includes(channel)) outbox.noteArrival(channel, undefined)
  const deliver = async (): Promise<void> => {
    for (const notice of urgent.splice(0)) await sendAtOnce(notice, notifying)
    try {
      noteSummary(notifying)
      await Promise.all(outbox.take(clock()).map((letter) => send(letter, notifying)))
    } catch (cause) {
      onTrouble(cause)
    }
  }
  return {
    hear(event: ScheduleEvent): void {
      if (event.kind === 'hindered' && !isHindered) urgent.push(hinderedNotice(event.reason, clock()))
      if (event.kind === 'hindered' || event.kind === 'ended') isHindered = event.kind === 'hindered'
      try {
        note(event, notifying)
      } catch (cause) {
        const notice = storageFailure(cause) === undefined ? undefined : newsOf(event, deps)
        if (notice === undefined) onTrouble(cause)
        else urgent.push(notice)
      }
    },
    deliver,
    async finish(): Promise<void> {
      await deliver()
      for (let next = outbox.next(); next !== undefined; next = outbox.next()) {
        const waitMs = next.getTime() - clock().getTime()
        if (waitMs > finishMs) return
        const isStopped = await sleep(Math.max(0, waitMs))
          .then(() => false)
          .catch(() => true)
        // What is left is sent by the next start.
        if (isStopped) return
        await deliver()
      }
    },
    close: () => outbox.close(),
  }
}

/** Sends one test message each way, pings apart, and says how each ended. */
export async function tryChannels(settings: NotifySettings, deps: ChannelDeps): Promise<readonly Delivery[]> {
  const at = deps.clock()
  const notice = testNotice(settings.place, at)
  const id = `test-${at.getTime()}`
  return Promise.all(channelsOf(settings, deps).map((channel) => tryOnce(channel, notice, id)))
}

type Notifying = {
  readonly deps: NotifierDeps
  readonly outbox: Outbox
  readonly channels: readonly Channel[]
  readonly pings: ReadonlyMap<string, Channel>
}

function note(event: ScheduleEvent, notifying: Notifying): void {
  const { deps, outbox } = notifying
  const at = deps.clock()
  const around = (name: string) => ({ at, zone: deps.timetables().get(name)?.zone ?? 'UTC' })
  switch (event.kind) {
    case 'ended':
      return noteEnd(event, notifying)
    case 'retrying':
    case 'gave-up': {
      outbox.remember(`failing ${event.name}`, at.toISOString())
      const notice = newsOf(event, deps)
      return notice && post(notice, notifying)
    }
    case 'healed':
      outbox.forget(`failing ${event.name}`)
      return post(recoveryNotice(event, around(event.name)), notifying)
    case 'broken': {
      const { message } = event.failure
      if (outbox.recall(`broken ${event.file}`) === message) return
      outbox.remember(`broken ${event.file}`, message)
      return post(brokenNotice(event.file, event.failure, at), notifying)
    }
    case 'repaired':
      return outbox.forget(`broken ${event.file}`)
    case 'left':
      return outbox.forget(`failing ${event.name}`)
    // No news for a person who is not there.
    case 'waiting':
    case 'started':
    case 'taken':
    case 'held':
    case 'failing':
    case 'hindered':
      return
  }
}

/** What a failure is to people: only the first try and the end of all tries are news. */
function newsOf(event: ScheduleEvent, { clock, state, timetables }: NotifierDeps): Notice | undefined {
  if (event.kind !== 'gave-up' && !(event.kind === 'retrying' && event.tries === 1)) return undefined
  const good = runsOf(event.name, reportsIn(state)).findLast(isGoodReport)
  const lastGood = good && new Date(good.ended)
  const zone = timetables().get(event.name)?.zone ?? 'UTC'
  return failureNotice(event, { at: clock(), zone, lastGood })
}

function noteEnd(event: EndedRun, notifying: Notifying): void {
  const { deps, outbox, pings } = notifying
  const { name, report } = event
  for (const each of outbox.names('broken ')) if (parse(each.slice('broken '.length)).name === name) outbox.forget(each)
  if (report === undefined ? !isGood(event.exit, event.failure) : !isGoodReport(report)) return
  outbox.forget(`failing ${name}`)
  const at = deps.clock()
  const reasons = report === undefined ? [] : unusualIn(report, deps.state)
  const zone = deps.timetables().get(name)?.zone ?? 'UTC'
  if (reasons.length > 0) post(unusualNotice(event, reasons, { at, zone }), notifying)
  // One address for all pipelines must not be called while one of them fails.
  const isAllWell = outbox.names('failing ').length + outbox.names('broken ').length === 0
  const ping = pings.get(name) ?? (isAllWell ? pings.get('all') : undefined)
  if (ping !== undefined) outbox.post(ping.name, goodRunNotice(event, at))
}

function unusualIn(report: RunReport, state: string): readonly string[] {
  const others = runsOf(report.pipeline, reportsIn(state)).filter(({ run }) => run !== report.run)
  const good = others.filter(isGoodReport)
  return [...unusualCounts(countsOf(report), good.map(countsOf)), ...newWarnings(report, good)]
}

function post(notice: Notice, { deps, outbox, channels }: Notifying): void {
  if (notice.occasion === 'test' || notice.occasion === 'good run' || !deps.settings.on.has(notice.occasion)) return
  for (const { name } of channels) outbox.post(name, notice)
}

function noteSummary(notifying: Notifying): void {
  const { deps, outbox } = notifying
  const { summary } = deps.settings
  if (summary === undefined) return
  const now = deps.clock()
  const before = outbox.recall('summary')
  const since = new Date(before ?? now)
  if (before === undefined || wasClockAhead(since, now)) return outbox.remember('summary', now.toISOString())
  const due = dueTimes(summary, since, now).at(-1)
  if (due === undefined) return
  outbox.remember('summary', due.toISOString())
  const reports = reportsIn(deps.state)
  const parts = [...deps.timetables()].map(([name, timetable]) => {
    const runs = runsOf(name, reports)
    const good = runs.findLast(isGoodReport)
    return {
      name,
      zone: timetable.zone,
      runs: runs.filter(({ ended }) => ended >= before),
      lastGood: good && new Date(good.ended),
      next: nextTime(timetable, now),
    }
  })
  post(summaryNotice(parts, since, now, summary.zone), notifying)
}

async function sendAtOnce(notice: Notice, { deps, channels }: Notifying): Promise<void> {
  if (!deps.settings.on.has('failure')) return
  const sent = channels.map(async (channel) =>
    deps.onDelivery({ ...(await tryOnce(channel, notice, randomUUID())), isGivenUp: true }),
  )
  await Promise.all(sent)
}

async function send(letter: Letter, { deps, outbox, channels, pings }: Notifying): Promise<void> {
  const { notice, tries } = letter
  const channel = [...channels, ...pings.values()].find(({ name }) => name === letter.channel)
  const isOld = notice.occasion === 'good run' && deps.clock().getTime() - new Date(notice.at).getTime() > pingGoodMs
  // A way that is no longer in notify.yaml gets no messages.
  if (channel === undefined || isOld) return outbox.settle(letter)
  const delivery = await tryOnce(channel, notice, letter.id)
  outbox.noteArrival(channel.name, delivery.reason)
  if (delivery.reason === undefined) outbox.settle(letter)
  deps.onDelivery({ ...delivery, isGivenUp: delivery.reason !== undefined && tries > waitsMs.length })
}

async function tryOnce(channel: Channel, notice: Notice, id: string): Promise<Delivery> {
  const about = { channel: channel.name, title: notice.title, isGivenUp: false }
  return channel.send(notice, id).then(
    () => about,
    (cause: unknown) => ({ ...about, reason: (cause as Error).message }),
  )
}

/**
 * A way for messages. `name` is for people, without a secret, and messages wait under it in the outbox. `send` rejects with an Error whose
 * message has none either.
 */
type Channel = { readonly name: string; send(notice: Notice, id: string): Promise<void> }

type ChannelDeps = { readonly fetch: typeof fetch; readonly env: Environment; readonly clock: () => Date }

const waitMs = 20_000
const commandWaitMs = 60_000

/** The ways that the settings name. */
function channelsOf(settings: NotifySettings, deps: ChannelDeps): readonly Channel[] {
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
function pingsOf({ ping = {} }: NotifySettings, { fetch }: ChannelDeps): ReadonlyMap<string, Channel> {
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
