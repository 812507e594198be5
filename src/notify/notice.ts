/** Writes the messages about pipelines, in words and as data. */

import { exitCodes } from '../core/error.ts'
import { exitExplanations } from '../core/explanations.ts'
import type { Code, Problem } from '../core/problem.ts'
import { plural } from '../core/values/plural.ts'
import type { RunReport } from '../pipeline/report/export-report.ts'
import { errorFacts, type Report, type RunError } from '../pipeline/report/report.ts'
import type { ScheduleEvent } from '../schedule/events.ts'
import { timeIn, isGoodReport } from '../schedule/status.ts'
import type { Occasion } from './settings.ts'

/** A message: `title` is one line, `text` has some. Times in it are local, with their zone. */
export type Notice = {
  readonly occasion: Occasion | 'test' | 'good run'
  readonly at: string
  readonly pipeline?: string
  readonly title: string
  readonly text: string
  readonly run?: string
  readonly exit?: number
  readonly error?: RunError | undefined
  readonly counts?: Counts
}

/** The events that a message is about. */
export type Failed = Extract<ScheduleEvent, { kind: 'retrying' | 'gave-up' }>
export type Healed = Extract<ScheduleEvent, { kind: 'healed' }>
export type EndedRun = Extract<ScheduleEvent, { kind: 'ended' }>
/** Now, and the zone of the pipeline's timetable. */
type Around = { readonly at: Date; readonly zone: string }

/** A run failed for the first time, or for good. `lastGood` is the end of the last good one. */
export function failureNotice(event: Failed, { at, zone, lastGood }: Around & { lastGood: Date | undefined }): Notice {
  const { name, due, exit, report } = event
  const error = event.failure ?? report?.error
  const tries = event.tries === 1 ? '' : ` after ${event.tries} tries`
  return {
    ...aboutRun(event),
    occasion: 'failure',
    at: at.toISOString(),
    title: event.kind === 'retrying' ? `${name} failed and will be tried again` : `${name} failed${tries}`,
    text: [
      `The pipeline ${name}, due at ${timeIn(due, zone)}, ended with exit ${exit}${tries}. ${meaningOf(exit)}`,
      ...errorLines(error),
      nextLine(event, zone),
      lastGood === undefined ? 'It has had no good run yet.' : `Its last good run ended at ${timeIn(lastGood, zone)}.`,
      ...runLines(report),
    ].join('\n'),
    error: error && errorFacts(error),
  }
}

function nextLine(event: Failed, zone: string): string {
  if (event.kind === 'retrying')
    return `It will be tried again at ${timeIn(event.at, zone)}, and until ${timeIn(event.until, zone)}. Another message follows when it has succeeded, or when it is no longer tried.`
  const next = event.next === undefined ? 'never' : `at ${timeIn(event.next, zone)}`
  return `It is not tried again for this time. Its next run is ${next}.`
}

/** The first good run after failures. */
export function recoveryNotice(event: Healed, { at, zone }: Around): Notice {
  const { name, since, report } = event
  return {
    ...aboutRun(event),
    occasion: 'recovery',
    at: at.toISOString(),
    title: `${name} is well again`,
    text: [
      `The pipeline ${name}, which failed since ${timeIn(since, zone)}, ended well at ${timeIn(at, zone)}. ${event.exit === 0 ? 'You need not do anything.' : 'But not all of its rows are in the service: please look at the run.'}`,
      ...(report === undefined ? [] : [countLine(countsOf(report))]),
      ...runLines(report),
    ].join('\n'),
  }
}

/** A good run that a person should look at; `reasons` has a sentence for each unusual count and each new warning. */
export function unusualNotice(event: EndedRun, reasons: readonly string[], { at, zone }: Around): Notice {
  return {
    ...aboutRun(event),
    occasion: 'unusual counts',
    at: at.toISOString(),
    title: `${event.name} ran, but please look at it`,
    text: [
      `The pipeline ${event.name} ended at ${timeIn(at, zone)} with exit ${event.exit}. Please look at this:`,
      ...reasons,
      ...runLines(event.report),
    ].join('\n'),
  }
}

/** A pipeline file that cannot be used at all. */
export function brokenNotice(file: string, error: RunError, at: Date): Notice {
  return {
    occasion: 'failure',
    at: at.toISOString(),
    pipeline: file,
    title: `${file} cannot be used`,
    text: [`The pipeline ${file} does not run until it is corrected.`, ...errorLines(error)].join('\n'),
    error: errorFacts(error),
  }
}

/** The schedule cannot write its own files. */
export function hinderedNotice(reason: string, at: Date): Notice {
  return {
    occasion: 'failure',
    at: at.toISOString(),
    title: 'no pipeline can run',
    text: `${reason}\nPipelines that are due run as soon as the disk has room. No other message follows.`,
  }
}

/** A run ended well: for a dead man's switch. */
export function goodRunNotice(event: EndedRun, at: Date): Notice {
  const text = event.report === undefined ? '' : countLine(countsOf(event.report))
  return { ...aboutRun(event), occasion: 'good run', at: at.toISOString(), title: `${event.name} ended well`, text }
}

/** A message that only shows that messages arrive. */
export function testNotice(place: string, at: Date): Notice {
  return {
    occasion: 'test',
    at: at.toISOString(),
    title: 'this is a test',
    text: `windrow schedule --test-notify sent this from ${place}. Messages about failed pipelines will come the same way.`,
  }
}

type About = Pick<Notice, 'pipeline' | 'exit' | 'run' | 'counts'>

function aboutRun({ name, exit, report }: Failed | Healed | EndedRun): About {
  return { pipeline: name, exit, ...(report === undefined ? {} : { run: report.run, counts: countsOf(report) }) }
}

function errorLines(error: RunError | undefined): readonly string[] {
  return [error?.message, error?.hint].filter((line) => line !== undefined)
}

function runLines(report: RunReport | undefined): readonly string[] {
  return report === undefined ? [] : [`To see all of it, in the folder of the pipelines:  windrow runs ${report.run}`]
}

function meaningOf(exit: number): string {
  const name = Object.entries(exitCodes).find(([, status]) => status === exit)?.[0]
  return name === undefined ? '' : exitExplanations[name as keyof typeof exitCodes].meaning
}

/** A pipeline and its runs since the last summary, oldest first. */
export type SummaryPart = {
  readonly name: string
  readonly zone: string
  readonly runs: readonly RunReport[]
  readonly lastGood: Date | undefined
  readonly next: Date | undefined
}

export function summaryNotice(parts: readonly SummaryPart[], since: Date, at: Date, zone: string): Notice {
  const failing = parts.filter(({ runs, lastGood }) => !isWell(runs.at(-1), lastGood))
  const many = parts.length === 1 ? 'The pipeline is well' : `All ${parts.length} pipelines are well`
  return {
    occasion: 'summary',
    at: at.toISOString(),
    title: failing.length === 0 ? many.toLowerCase() : `${failing.map(({ name }) => name).join(', ')} not well`,
    text: [
      `From ${timeIn(since, zone)} to ${timeIn(at, zone)}:`,
      ...parts.flatMap((part) => ['', ...linesOf(part)]),
    ].join('\n'),
  }
}

function isWell(last: RunReport | undefined, lastGood: Date | undefined): boolean {
  return last === undefined ? lastGood !== undefined : isGoodReport(last)
}

function linesOf({ name, zone, runs, lastGood, next }: SummaryPart): readonly string[] {
  const good = runs.filter(isGoodReport)
  const failed = runs.length - good.length
  const last = runs.at(-1)
  return [
    `${name}: ${plural(good.length, 'good run')}, ${failed} failed`,
    ...(good.length === 0 ? [] : [`  Together: ${countLine(sumOf(good.map(countsOf)))}`]),
    ...(last?.error === undefined ? [] : [`  The last run failed: ${last.error.message.split('\n', 1)[0]}`]),
    `  Last good run: ${lastGood === undefined ? 'none yet' : timeIn(lastGood, zone)}. Next run: ${next === undefined ? 'none' : timeIn(next, zone)}.`,
  ]
}

function sumOf(all: readonly Counts[]): Counts {
  const sum: Record<string, number> = {}
  for (const counts of all) for (const [name, count] of Object.entries(counts)) sum[name] = (sum[name] ?? 0) + count
  return sum
}

export type Counts = Readonly<Record<string, number>>

const fewestRuns = 5
const mostRuns = 10
const leastMore = 10
const leastFewer = 5
const words: Readonly<Record<string, string>> = {
  read: 'rows were read',
  created: 'records were created',
  updated: 'records were updated',
  deleted: 'records were deleted',
  rejected: 'rows were rejected or refused',
  unseen: 'records were accepted but not shown yet by the service',
  written: 'records were written',
}

const readNames: ReadonlySet<string> = new Set(['read', 'written'])
const troubles: ReadonlySet<string> = new Set(['rejected', 'unseen'])

function wordsFor(name: string, count: number): string {
  const text = words[name] ?? name
  return plural(count, text.replace(/^(\w+)s were/, '$1 was'), text)
}

/**
 * A sentence for each unusual count: it is more than twice the largest of the last ten good runs and at least ten more, or for rows read
 * a fifth less than the smallest and at least five fewer. `before` are the counts of earlier good runs, oldest first; with fewer than five, none.
 * More rejected rows, or records that are not shown, than in any of them are unusual from the first run on: each is not up to date.
 */
export function unusualCounts(now: Counts, before: readonly Counts[]): readonly string[] {
  const known = before.slice(-mostRuns)
  const runs = known.length === 1 ? 'good run' : `${known.length} good runs`
  return Object.entries(now).flatMap(([name, count]) => {
    const counts = known.map((each) => each[name] ?? 0)
    const [low, high] = [Math.min(...counts), Math.max(0, ...counts)]
    const isMany = known.length >= fewestRuns && count > 2 * high && count - high >= leastMore
    const isFew = known.length >= fewestRuns && readNames.has(name) && count < 0.8 * low && low - count >= leastFewer
    if (!isMany && !isFew && !(troubles.has(name) && count > high)) return []
    const usual = low === high ? String(low) : `${low} to ${high}`
    const before = known.length === 0 ? '' : `; in the last ${runs} it was ${usual}`
    return [`${wordsFor(name, count)}${before}.`]
  })
}

/** What a person must hear of although the run was good: values that may be wrong, and records that it did not change as it should. */
const worthHearing: ReadonlySet<Code> = new Set([
  'area-differs',
  'area-leap',
  'boundary-far',
  'changed-hands',
  'clock-wrong',
  'column-blank',
  'columns-changed',
  'encoding-doubtful',
  'file-cut',
  'file-inconsistent',
  'file-older',
  'first-land-far',
  'filter-empty',
  'gone-by-filter',
  'ledger-rebuilt',
  'letters-doubtful',
  'not-in-file',
  'other-farm-named',
  'other-reading',
  'record-back',
  'record-repeated',
  'refused',
  'values-changed',
])

/** A sentence for each kind of warning that none of the earlier good runs had. A first run has none: somebody looks at it. */
export function newWarnings(report: RunReport, before: readonly RunReport[]): readonly string[] {
  if (before.length === 0) return []
  const heard = new Set(
    before.slice(-mostRuns).flatMap((each) => groupsOf(each).flatMap(({ first }) => first.map(withoutPlace))),
  )
  return groupsOf(report).flatMap(({ code, first }) => {
    // Refused rows are counted.
    const fresh = first.filter((each) => !heard.has(withoutPlace(each)) && (code !== 'refused' || each.at.row < 0))
    const [one, ...others] = fresh
    if (one === undefined) return []
    const place = one.at.row < 0 ? '' : `Row ${one.at.row}: `
    return [`${place}${withoutPlace(one)}${others.length === 0 ? '' : ` There are ${others.length} more of these.`}`]
  })
}

function groupsOf(report: RunReport): Report['problems'] {
  return report.kind === 'export' ? [] : (report.problems ?? []).filter(({ code }) => worthHearing.has(code))
}

/** A row may have another number the next night. */
function withoutPlace({ value, message }: Problem): string {
  return `${value === undefined ? '' : `${value}: `}${message.replace(/[^.?!]$/, '$&.')}`
}

/** The numbers of a run that a person compares from night to night. */
export function countsOf(report: RunReport): Counts {
  if (report.kind === 'export') return { read: report.records.read, written: report.records.written }
  const { rows, records, gone, unseen } = report
  return {
    read: rows.read,
    created: records.created,
    updated: records.updated,
    deleted: gone.deleted,
    rejected: rows.rejected + records.refused,
    ...(unseen > 0 ? { unseen } : {}),
  }
}

export function countLine(counts: Counts): string {
  return `${Object.entries(counts)
    .map(([name, count]) => `${count} ${name}`)
    .join(', ')}.`
}
