/** Writes the events of a schedule as lines for people, in local time, or as JSON for programs. */

import { machineZone } from '../../mapping/zones.ts'
import { zoneClock } from '../../resources/date-time.ts'
import type { RunError } from '../../pipeline/report/report.ts'
import type { ScheduleEvent } from '../../schedule/events.ts'
import { countLine, countsOf, type Counts } from '../../notify/counts.ts'
import { flag, type Input, type Surroundings } from '../options/command.ts'
import type { Log, LogLine } from './log.ts'
import { inform, plain, say } from '../screen/terminal.ts'

/** A moment as the clock on the wall shows it: 2026-11-22 02:15 (Pacific/Auckland). */
function zoneTime(moment: Date, zone: string): string {
  const local = zoneClock(zone)(moment.toISOString()) ?? moment.toISOString()
  return `${local.slice(0, 16).replace('T', ' ')} (${zone})`
}

/** Prints an event; `zone` is the pipeline's. What broke or hinders goes to standard error. */
export function printEvent(
  event: ScheduleEvent,
  zone: string | undefined,
  input: Input,
  { terminal, clock }: Surroundings,
): void {
  if (event.kind === 'broken') return printFailure(event, input, { terminal })
  if (flag(input, 'json')) {
    // The run has printed its report already.
    const { report: _, ...facts } = { report: undefined, ...event }
    say(terminal, JSON.stringify({ at: clock().toISOString(), ...facts }))
    return
  }
  const shown = (moment: Date): string => zoneTime(moment, zone ?? machineZone())
  const words = wordsOf(event, shown)
  if (event.kind === 'hindered') inform(terminal, `${shown(clock())}  ${words}`)
  else say(terminal, plain(`${shown(clock())}  ${'name' in event ? event.name : event.file}  ${words}`))
}

const levels: Readonly<Partial<Record<ScheduleEvent['kind'], LogLine['level']>>> = {
  held: 'warning',
  taken: 'warning',
  hindered: 'warning',
  retrying: 'warning',
  'gave-up': 'error',
  failing: 'error',
  broken: 'error',
}

/** Writes an event as a log line; `zone` is the pipeline's. */
export function logEvent(event: ScheduleEvent, zone: string | undefined, log: Log): void {
  const shown = (moment: Date): string => zoneTime(moment, zone ?? machineZone())
  const { report, failure, ...facts } = { report: undefined, failure: undefined, ...event }
  const { kind, ...others } = facts
  const counts = kind === 'ended' && report !== undefined ? countsOf(report) : undefined
  const pipeline = 'name' in event ? event.name : 'file' in event ? event.file : undefined
  log.line({
    ...others,
    name: undefined,
    file: undefined,
    level: kind === 'ended' && failure !== undefined ? 'warning' : (levels[kind] ?? 'info'),
    event: kind,
    pipeline,
    run: report?.run,
    message: messageOf(event, shown, counts),
    counts,
    error: failure,
  })
}

function messageOf(event: ScheduleEvent, shown: (moment: Date) => string, counts: Counts | undefined): string {
  const words = wordsOf(event, shown)
  if (event.kind !== 'ended') return words
  if (event.failure !== undefined) return `${words}: ${event.failure.message}`
  return counts === undefined ? words : `${words}: ${countLine(counts)}`
}

/** Prints why a pipeline cannot be used, or its run could not begin. */
export function printFailure(
  { file, failure, exit }: { readonly file: string; readonly failure: RunError; readonly exit: number },
  input: Input,
  { terminal }: Pick<Surroundings, 'terminal'>,
): void {
  if (flag(input, 'json')) return say(terminal, JSON.stringify({ pipeline: file, error: failure, exit }))
  const lines = `${file}: ${failure.message}\n${failure.hint ?? ''}`.trimEnd().split('\n')
  for (const line of lines) inform(terminal, line)
}

function wordsOf(event: ScheduleEvent, shown: (moment: Date) => string): string {
  switch (event.kind) {
    case 'hindered':
      return `${event.reason} Due pipelines will run later.`
    case 'broken':
      return event.failure.message
    case 'repaired':
      return 'can be used again, or was removed'
    case 'waiting':
      return `next run at ${shown(event.due)}`
    case 'started':
      return `due ${shown(event.due)}, starting${event.tries === 1 ? '' : `, try ${event.tries}`}`
    case 'taken':
      return 'is already run by another process'
    case 'held':
      return `due ${shown(event.due)}, waits for "${event.after}"`
    case 'ended':
      return `finished with exit ${event.exit}`
    case 'retrying':
      return `will be tried again at ${shown(event.at)}, at the latest at ${shown(event.until)}`
    case 'gave-up':
      return `failed (exit ${event.exit}) and is not tried again${event.next === undefined ? '' : `; next run at ${shown(event.next)}`}`
    case 'healed':
      return `ran well again; it had failed since ${shown(event.since)}`
    case 'failing':
      return `the run due ${shown(event.due)} failed (exit ${event.exit}): ${event.reason} ${event.at === undefined ? 'It is not tried again until it is due.' : `It will be tried again at ${shown(event.at)}.`}`
    case 'left':
      return 'is no longer scheduled'
  }
}
