/** Reads when a pipeline runs by itself, and how long it is tried again. */

import { isObject } from '../../core/values/exact-json.ts'
import { cronOf, meaningOf, timeOfDay, type WaitLimit } from './amounts.ts'
import type { ExportFile, ImportFile } from './definition-schema.ts'
import { countsFromToday } from './period.ts'
import type { Findings } from './pipeline-mistakes.ts'
import type { Group } from './yaml-source.ts'

/** How often a failed run is tried again, how long if a service does not answer, and how long if the file is not ready. */
export type Patience = {
  readonly everyMs: number
  readonly forMs: number | undefined
  readonly waitForFile: WaitLimit | undefined
}

/** Without keys: every 10 minutes, for 3 hours, and until 06:00 for the file. */
export const usualPatience: Patience = { everyMs: 600_000, forMs: 10_800_000, waitForFile: { minuteOfDay: 360 } }

/** The schedule of a pipeline file that was checked. */
export function scheduleOf(raw: ImportFile | ExportFile) {
  const { schedule } = raw
  if (schedule === undefined) return undefined
  const { every, at, cron, zone, missed = usualMissed(raw), timeout, retry, 'wait for file': wait } = schedule
  const { every: again, for: length } = typeof retry === 'object' ? retry : {}
  return {
    cron: cron ?? cronOf(every!, at!),
    zone,
    missed,
    timeoutMs: meaningOf('/schedule/timeout', timeout),
    patience: {
      everyMs: meaningOf('/schedule/retry/every', again) ?? usualPatience.everyMs,
      forMs: typeof retry === 'string' ? undefined : (meaningOf('/schedule/retry/for', length) ?? usualPatience.forMs),
      waitForFile: wait === undefined ? usualPatience.waitForFile : meaningOf('/schedule/wait for file', wait),
    },
  }
}

/** An export of days in words, such as yesterday, has other records at each missed time: then one run is not enough. */
function usualMissed(raw: ImportFile | ExportFile): 'once' | 'all' {
  if (!('export' in raw)) return 'once'
  const { day, from, until, 'modified since': since } = raw.only ?? {}
  return [day, from, until, since].some((each) => each !== undefined && countsFromToday(each)) ? 'all' : 'once'
}

/** Adds findings for keys that need each other. */
export function checkSchedule(raw: Group, findings: Findings): void {
  const { schedule, after } = raw
  const { retry, ...times } = isObject(schedule) ? schedule : {}
  if (isObject(schedule)) checkTimes(times, findings)
  if (typeof retry === 'string' && retry !== 'none')
    findings.add('/schedule/retry', {
      message: `"${retry}" is not known. Write: { every: 10 min, for: 3 h }, or none.`,
    })
  if (after !== undefined && schedule === undefined)
    findings.add('/after', {
      message: '"after" needs a schedule: it says which pipeline goes first of those that are due.',
      hint: `Add one, such as  ${scheduleExample}`,
    })
}

/** A schedule for hints. */
export const scheduleExample = 'schedule: { every: day, at: "02:15", zone: Pacific/Auckland }'

function checkTimes({ every, at, cron }: Group, findings: Findings): void {
  if (cron === undefined && (every === undefined || at === undefined))
    findings.add('/schedule', {
      message: `${every === undefined ? '"every"' : '"at"'} is missing: the schedule does not say when.`,
      hint: `Write it like  ${scheduleExample}`,
      what: 'name',
    })
  if (cron !== undefined && (every !== undefined || at !== undefined))
    findings.add('/schedule/cron', { message: 'Write every and at, or cron, but not both.', what: 'name' })
  if (typeof at === 'string' && !timeOfDay.test(at))
    findings.add('/schedule/at', { message: `"${at}" is not a time of day. Write it like "02:15".` })
  if (typeof cron !== 'string') return
  const parts = cron.trim().split(/\s+/)
  if (parts.length === 5 && parts.every((part) => /^[\d*/,\-A-Za-z#?]+$/.test(part))) return
  findings.add('/schedule/cron', {
    message: `"${cron}" is not a schedule: it needs minute, hour, day, month and weekday.`,
    hint: 'Every night at 2:15 is "15 2 * * *".',
  })
}
