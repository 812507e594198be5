/** Reports what happens in a schedule to people and Prometheus: by the ways that notify.yaml names, and by metrics. */

import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { exitCodes, WindrowError } from '../../core/error.ts'
import { notifyFile, readNotifySettings, type NotifySettings } from '../../notify/settings.ts'
import type { Delivery, NotifierDeps } from '../../notify/notifier.ts'
import { stateOf } from '../options/reach.ts'
import { hasOutbox, openOutbox } from '../../notify/outbox.ts'
import { storageFailure } from '../../core/storage-failure.ts'
import type { ScheduleEvent } from '../../schedule/events.ts'
import { gauge, prometheusText, type Measure } from '../../service/store/metrics.ts'
import { flag, text, timing, type Call, type Specs, type Surroundings } from '../options/command.ts'
import type { Log } from './schedule-text.ts'
import { inform, plain, say } from '../screen/terminal.ts'
import { isLoopback } from '../../client/address.ts'
import { writeTarget } from '../../core/sources/target.ts'
import type { PipelineStatus } from '../../schedule/status.ts'
import { listenAt, portOf } from '../options/https.ts'

export const notifyOptions: Specs = {
  '--notify <FILE>': 'who gets messages (default: notify.yaml beside the pipelines)',
  '--test-notify': 'send a test message each way that notify.yaml names, then exit',
}

type WatchDeps = Pick<NotifierDeps, 'state' | 'timetables'> & {
  readonly folder: string
  readonly log: Log | undefined
  readonly measures: () => readonly Measure[] | Promise<readonly Measure[]>
}

/**
 * Starts what notify.yaml and the options ask for: it hears events, and works while the schedule rests. `rest` and `finish` never
 * throw. A mistake in notify.yaml stops no pipeline; then `fault` says why nobody gets messages.
 */
export async function startScheduleWatch(deps: WatchDeps, call: Call) {
  let fault: WindrowError | undefined
  const settings = await readSettings(deps.folder, call).catch((cause: unknown) => {
    if (!(cause instanceof WindrowError)) throw cause
    fault = cause
    return undefined
  })
  const metrics = await startMetrics(call)
  const warn = (message: string): void => {
    if (deps.log === undefined) inform(call.terminal, message)
    else deps.log.line({ level: 'warning', message })
  }
  const notifier = settings && (await startNotifying(settings, { ...deps, warn }, call))
  const show = async (): Promise<void> => {
    try {
      if (metrics !== undefined) await metrics.show(await deps.measures())
    } catch (cause) {
      warn(`The metrics are not up to date. ${(cause as Error).message}`)
    }
  }
  return {
    fault,
    hear: (event: ScheduleEvent) => notifier?.hear(event),
    rest: async (): Promise<void> => void (await Promise.all([notifier?.deliver(), show()])),
    /** Before a schedule with --once ends: waits for the first tries. */
    finish: async (): Promise<void> => void (await Promise.all([notifier?.finish(), show()])),
    async [Symbol.asyncDispose]() {
      notifier?.close()
      await metrics?.[Symbol.asyncDispose]()
    },
  }
}

async function startNotifying(
  settings: NotifySettings,
  deps: WatchDeps & { readonly warn: (message: string) => void },
  surroundings: Surroundings,
) {
  const { env, fetch } = surroundings
  const { log, warn } = deps
  // Loaded only where there is somebody to tell.
  const { startNotifier } = await import('../../notify/notifier.ts')
  return startNotifier({
    ...deps,
    settings,
    env,
    fetch,
    ...timing(surroundings),
    onDelivery({ channel, title, reason, isGivenUp }) {
      if (reason === undefined) return log?.line({ level: 'info', message: `"${title}" was sent: ${channel}` })
      const next = isGivenUp ? 'It is given up.' : 'It will be tried again.'
      warn(`The message "${title}" was not sent: ${channel}: ${reason}. ${next}`)
    },
    onTrouble: (cause) => warn(`No message could be sent. ${(cause as Error).message}`),
  })
}

async function readSettings(folder: string, call: Call): Promise<NotifySettings | undefined> {
  const { env, platform, folder: here } = call
  const named = text(call, 'notify')
  const path = named === undefined ? join(folder, notifyFile) : resolve(here, named)
  return named === undefined && !existsSync(path) ? undefined : readNotifySettings(path, { env, platform })
}

/** Sends a test message each way. Returns 0 if all arrived, else 4. */
export async function testNotify(folder: string, call: Call): Promise<number> {
  const settings = await readSettings(folder, call)
  const { tryChannels } = await import('../../notify/notifier.ts')
  const tried = settings === undefined ? [] : await tryChannels(settings, call)
  if (tried.length === 0)
    throw new WindrowError('notify-invalid', `Nobody gets messages about the pipelines in "${folder}".`, {
      hint: `Write ${notifyFile} beside them, with email, webhook or command; docs/running.md shows one.`,
    })
  noteTried(stateOf(call, folder), tried, call)
  if (flag(call, 'json')) say(call.terminal, JSON.stringify(tried.map(({ channel, reason }) => ({ channel, reason }))))
  else
    for (const { channel, reason } of tried)
      say(call.terminal, plain(`${channel}: ${reason === undefined ? 'sent' : `failed, ${reason}`}`))
  return tried.every(({ reason }) => reason === undefined) ? exitCodes.done : exitCodes.unreachable
}

/**
 * A schedule that cannot use notify.yaml is news for windrow status, which does not know its secrets. Where the disk is full, nobody
 * learns it there.
 */
export function noteFault(state: string, fault: WindrowError | undefined, { clock }: Surroundings): void {
  if (fault === undefined && !hasOutbox(state)) return
  const reason = fault && `the schedule cannot use it. ${fault.message.split(/\s*\n\s*/, 2).join(' ')}`
  try {
    using outbox = openOutbox(state, clock)
    outbox.noteArrival(notifyFile, reason)
  } catch (cause) {
    if (storageFailure(cause) === undefined) throw cause
  }
}

/** A test message that arrives, or not, is news for windrow status. */
function noteTried(state: string, tried: readonly Delivery[], { clock }: Surroundings): void {
  if (!hasOutbox(state)) return
  using outbox = openOutbox(state, clock)
  for (const { channel, reason } of tried) outbox.noteArrival(channel, reason)
}

export const metricsOptions: Specs = {
  '--metrics-file <FILE>':
    "write the state of the pipelines for the textfile collector of Prometheus' node_exporter (FILE.prom)",
  '--metrics-port <NUMBER>': 'answer at /metrics on this port, for Prometheus',
  '--metrics-host <ADDRESS>': 'the address of this port (default: 127.0.0.1)',
}

/** Starts what the options ask for; undefined if they ask for nothing. `show` takes the present measures. */
export async function startMetrics(call: Call) {
  const { folder, terminal } = call
  const file = text(call, 'metrics-file')
  const port = portOf(call, 'metrics-port')
  if (file === undefined && port === undefined) return undefined
  let measures: readonly Measure[] = []
  const served = port === undefined ? undefined : await servePort(port, () => measures, call)
  return {
    async show(present: readonly Measure[]): Promise<void> {
      measures = present
      if (file === undefined) return
      // Not private: node_exporter runs as another user.
      try {
        await writeTarget(resolve(folder, file), prometheusText(measures), { private: false })
      } catch (cause) {
        inform(terminal, `The metrics were not written. ${(cause as Error).message}`)
      }
    },
    [Symbol.asyncDispose]: async () => served?.close(),
  }
}

async function servePort(port: number, measures: () => readonly Measure[], call: Call) {
  const host = text(call, 'metrics-host') ?? '127.0.0.1'
  const served = await listenAt(
    { fetch: () => Promise.resolve(new Response('See /metrics.\n', { status: 404 })), measures },
    { host, port, metrics: isLoopback(host) ? 'loopback' : 'everybody' },
    call,
  )
  inform(call.terminal, `Metrics at ${served.url}/metrics`)
  return served
}

/** What `windrow schedule` shows of its pipelines. */
export function pipelineMeasures(statuses: readonly PipelineStatus[], now: Date): readonly Measure[] {
  const seconds = (moment: string | undefined): number | undefined =>
    moment === undefined ? undefined : Date.parse(moment) / 1000
  const each = (
    name: string,
    help: string,
    valueOf: (status: PipelineStatus) => number | undefined,
  ): readonly Measure[] =>
    statuses.flatMap((status) => {
      const value = valueOf(status)
      return value === undefined ? [] : [gauge(`windrow_pipeline_${name}`, help, value, { pipeline: status.pipeline })]
    })
  return [
    ...each('well', '1 if the pipeline is well, as windrow status says.', ({ isWell }) => (isWell ? 1 : 0)),
    ...each('last_run_timestamp_seconds', 'When the last run began.', ({ lastRun }) => seconds(lastRun?.started)),
    ...each('last_run_exit', 'The exit status of the last run.', ({ lastRun }) => lastRun?.exit),
    ...each('last_good_run_timestamp_seconds', 'When the last good run began.', ({ lastGoodRun }) =>
      seconds(lastGoodRun?.started),
    ),
    ...each('next_run_timestamp_seconds', 'When the next run is due.', ({ nextRun }) => seconds(nextRun)),
    ...each('file_modified_timestamp_seconds', 'When the file of the pipeline changed last.', ({ file }) =>
      seconds(file?.modified),
    ),
    ...each('records', 'The records in the file of the last good run.', ({ records }) => records),
    gauge(
      'windrow_schedule_timestamp_seconds',
      'When windrow schedule looked at the pipelines last.',
      now.getTime() / 1000,
    ),
  ]
}
