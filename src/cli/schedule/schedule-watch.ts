/** Tells people and Prometheus what happens in a schedule: by the ways that notify.yaml names, and by metrics. */

import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { exitCodes, WindrowError } from '../../core/error.ts'
import { notifyFile, readNotifySettings, type NotifySettings } from '../../notify/settings.ts'
import type { TellerDeps } from '../../notify/teller.ts'
import type { ScheduleEvent } from '../../schedule/events.ts'
import type { Measure } from '../../service/store/measure.ts'
import { flag, text, timing, type Input, type OptionSpec, type Surroundings } from '../options/command.ts'
import type { Log } from './schedule-text.ts'
import { startMetrics } from './metrics.ts'
import { inform, plain, say } from '../screen/terminal.ts'

export const notifyOptions: readonly OptionSpec[] = [
  { flags: '--notify <FILE>', description: 'who gets messages (default: notify.yaml beside the pipelines)' },
  { flags: '--test-notify', description: 'send a test message each way that notify.yaml names, then exit' },
]

export type ScheduleWatch = Awaited<ReturnType<typeof startScheduleWatch>>

type WatchDeps = Pick<TellerDeps, 'place' | 'stateOf' | 'timetables' | 'summarises'> & {
  readonly folder: string
  readonly log: Log | undefined
  readonly measures: () => readonly Measure[] | Promise<readonly Measure[]>
}

/**
 * Starts what notify.yaml and the options ask for: it hears events, and works while the schedule rests. `rest` and `finish` never
 * throw. A mistake in notify.yaml stops no pipeline; then `fault` says why nobody gets messages.
 */
export async function startScheduleWatch(deps: WatchDeps, input: Input, surroundings: Surroundings) {
  let fault: WindrowError | undefined
  const settings = await readSettings(deps.folder, input, surroundings).catch((cause: unknown) => {
    if (!(cause instanceof WindrowError)) throw cause
    fault = cause
    return undefined
  })
  const metrics = await startMetrics(input, surroundings)
  const teller = settings && (await startTelling(settings, deps, surroundings))
  const warn = warnerOf(deps.log, surroundings)
  const show = async (): Promise<void> => {
    try {
      if (metrics !== undefined) await metrics.show(await deps.measures())
    } catch (cause) {
      warn(`The metrics are not up to date. ${(cause as Error).message}`)
    }
  }
  return {
    fault,
    hear: (event: ScheduleEvent) => teller?.hear(event),
    rest: async (): Promise<void> => void (await Promise.all([teller?.deliver(), show()])),
    /** Before a schedule with --once ends: waits for the first tries. */
    finish: async (): Promise<void> => void (await Promise.all([teller?.finish(), show()])),
    async [Symbol.asyncDispose]() {
      teller?.close()
      await metrics?.close()
    },
  }
}

async function startTelling(
  settings: NotifySettings,
  { place, stateOf, timetables, summarises, log }: WatchDeps,
  surroundings: Surroundings,
) {
  const { env, fetch, terminal } = surroundings
  // Loaded only where there is somebody to tell.
  const { startTeller } = await import('../../notify/teller.ts')
  const warn = warnerOf(log, { terminal })
  return startTeller({
    settings,
    place,
    stateOf,
    summarises,
    env,
    fetch,
    ...timing(surroundings),
    timetables,
    onDelivery({ channel, title, reason, isGivenUp }) {
      if (reason === undefined) return log?.line({ level: 'info', message: `"${title}" was sent: ${channel}` })
      const next = isGivenUp ? 'It is given up.' : 'It will be tried again.'
      warn(`The message "${title}" was not sent: ${channel}: ${reason}. ${next}`)
    },
    onTrouble: (cause) => warn(`No message could be sent. ${(cause as Error).message}`),
  })
}

function warnerOf(log: Log | undefined, { terminal }: Pick<Surroundings, 'terminal'>): (message: string) => void {
  return (message) => {
    if (log === undefined) inform(terminal, message)
    else log.line({ level: 'warning', message })
  }
}

async function readSettings(
  folder: string,
  input: Input,
  { env, platform, folder: here }: Surroundings,
): Promise<NotifySettings | undefined> {
  const named = text(input, 'notify')
  const path = named === undefined ? join(folder, notifyFile) : resolve(here, named)
  return named === undefined && !existsSync(path) ? undefined : readNotifySettings(path, { env, platform })
}

/** Sends a test message each way. Returns 0 if all arrived, else 4. */
export async function testNotify(folder: string, input: Input, surroundings: Surroundings): Promise<number> {
  const settings = await readSettings(folder, input, surroundings)
  const { tryChannels } = await import('../../notify/teller.ts')
  const tried = settings === undefined ? [] : await tryChannels(settings, surroundings)
  if (tried.length === 0)
    throw new WindrowError('notify-invalid', `Nobody gets messages about the pipelines in "${folder}".`, {
      hint: `Write ${notifyFile} beside them, with email, webhook or command; docs/running.md shows one.`,
    })
  const { terminal } = surroundings
  if (flag(input, 'json')) say(terminal, JSON.stringify(tried.map(({ channel, reason }) => ({ channel, reason }))))
  else
    for (const { channel, reason } of tried)
      say(terminal, plain(`${channel}: ${reason === undefined ? 'sent' : `failed, ${reason}`}`))
  return tried.every(({ reason }) => reason === undefined) ? exitCodes.done : exitCodes.unreachable
}
