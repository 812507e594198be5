/** Hears what happens in a schedule and sends messages about it. Nothing here changes the result of a run. */

import { randomUUID } from 'node:crypto'
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
import { channelsOf, pingsOf, type Channel, type ChannelDeps } from './channels.ts'
import { openOutbox, waitsMs, type Letter, type Outbox } from './outbox.ts'
import type { NotifySettings } from './settings.ts'

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
