/** Writes what happens in a schedule: as lines for people, in local time, as JSON for programs, or as a log on standard error. */

import { machineZone } from '../../mapping/zones.ts'
import { zoneClock } from '../../resources/date-time.ts'
import type { RunReport } from '../../pipeline/report/export-report.ts'
import type { RunError } from '../../pipeline/report/report.ts'
import type { ScheduleEvent } from '../../schedule/events.ts'
import { countLine, countsOf, type Counts } from '../../notify/notice.ts'
import { flag, choice, type Call, type Specs } from '../options/command.ts'
import { inform, plain, say, type Terminal } from '../screen/terminal.ts'

export const logOption: Specs = {
  '--log <FORMAT>': {
    description:
      'write only log lines, on standard error: text or json, each with the pipeline and the run it is about',
    choices: ['text', 'json'],
  },
}

type LogLine = {
  readonly level: 'info' | 'warning' | 'error'
  readonly message: string
  readonly pipeline?: string | undefined
  readonly run?: string | undefined
  readonly [more: string]: unknown
}

/** `line` writes a line; `terminalOf` makes a terminal whose error output becomes lines about a pipeline, and whose other output is dropped. */
export type Log = { line(line: LogLine): void; terminalOf(pipeline?: string): Terminal }

export function logOf(call: Call): Log | undefined {
  const { terminal, clock } = call
  const format = choice(call, 'log', ['text', 'json'])
  if (format === undefined) return undefined
  const line = ({ level, message, pipeline, run, ...more }: LogLine): void => {
    const at = clock().toISOString()
    const names = [pipeline, run].filter((name) => name !== undefined)
    const written =
      format === 'json'
        ? JSON.stringify({ at, level, pipeline, run, message, ...more })
        : plain([localTime(at), level.padEnd(7), ...names, message].join('  '))
    terminal.err.write(`${written}\n`)
  }
  return {
    line,
    terminalOf: (pipeline) => ({
      out: { write: () => undefined },
      err: {
        write(text) {
          for (const message of text.split('\n')) if (message.trim() !== '') line({ level: 'info', pipeline, message })
        },
      },
    }),
  }
}

/** A moment as the clock of this machine shows it, with its offset. */
function localTime(moment: string): string {
  const local = zoneClock(machineZone())(moment) ?? moment
  return local.replace('T', ' ').replace(/\.\d+/, '')
}

/** A moment as the clock on the wall shows it: 2026-11-22 02:15 (Pacific/Auckland). */
function zoneTime(moment: Date, zone: string): string {
  const local = zoneClock(zone)(moment.toISOString()) ?? moment.toISOString()
  return `${local.slice(0, 16).replace('T', ' ')} (${zone})`
}

/** Prints an event; `zone` is the pipeline's. What broke or hinders goes to standard error. */
export function printEvent(event: ScheduleEvent, zone: string | undefined, call: Call): void {
  const { terminal, clock } = call
  if (event.kind === 'broken') return printFailure(event, call)
  if (flag(call, 'json')) {
    // The run has printed its report already.
    say(terminal, JSON.stringify({ at: clock().toISOString(), ...event, report: undefined }))
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
  const { kind, report, failure, ...others } = { report: undefined, failure: undefined, ...event }
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
    message: messageOf(event, shown, counts).replaceAll(/\s*\n\s*/g, ' '),
    counts,
    error: failure,
  })
}

function messageOf(event: ScheduleEvent, shown: (moment: Date) => string, counts: Counts | undefined): string {
  const words = wordsOf(event, shown)
  if (event.kind !== 'ended') return words
  if (event.failure !== undefined) return `${words}: ${event.failure.message} ${event.failure.hint ?? ''}`.trimEnd()
  return counts === undefined ? words : `${words}: ${countLine(counts)}${warningsIn(event.report)}`
}

/** The codes of a run's warnings, which windrow explain explains. */
function warningsIn(report: RunReport | undefined): string {
  const groups = report === undefined || report.kind === 'export' ? [] : report.problems
  const codes = groups.filter(({ severity }) => severity === 'warning').map(({ code }) => code)
  return codes.length === 0 ? '' : ` Warnings: ${codes.join(', ')}.`
}

/** Prints why a pipeline cannot be used, or its run could not begin. */
export function printFailure(
  { file, failure, exit }: { readonly file: string; readonly failure: RunError; readonly exit: number },
  call: Call,
): void {
  if (flag(call, 'json')) return say(call.terminal, JSON.stringify({ pipeline: file, error: failure, exit }))
  const lines = `${file}: ${failure.message}\n${failure.hint ?? ''}`.trimEnd().split('\n')
  for (const line of lines) inform(call.terminal, line)
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
