/** Reads when a pipeline runs by itself, and how long it is tried again. */

import { checked, readDurationMs, readRetryEveryMs, readWaitLimit, type WaitLimit } from './amounts.ts'
import type { ExportFile, ImportFile } from './definition-schema.ts'
import type { Findings } from './pipeline-mistakes.ts'

/** When a pipeline runs by itself. */
export type Schedule = {
  readonly cron: string
  readonly zone: string
  readonly missed: 'once' | 'skip' | 'all'
  readonly timeoutMs: number | undefined
  readonly patience: Patience
}

/** How often a failed run is tried again, how long if a service does not answer, and how long if the file is not ready. */
export type Patience = {
  readonly everyMs: number
  readonly forMs: number | undefined
  readonly waitForFile: WaitLimit | undefined
}

/** Without keys: every 10 minutes, for 3 hours, and until 06:00 for the file. */
export const usualPatience: Patience = { everyMs: 600_000, forMs: 10_800_000, waitForFile: { minuteOfDay: 360 } }

/** The schedule of a pipeline file that was checked. */
export function scheduleOf({ schedule }: ImportFile | ExportFile): Schedule | undefined {
  if (schedule === undefined) return undefined
  const { cron, zone, missed = 'once', timeout, retry, 'wait for file': wait } = schedule
  const { every, for: length } = typeof retry === 'object' ? retry : {}
  return {
    cron,
    zone,
    missed,
    timeoutMs: checked(readDurationMs, timeout),
    patience: {
      everyMs: checked(readRetryEveryMs, every) ?? usualPatience.everyMs,
      forMs: typeof retry === 'string' ? undefined : (checked(readDurationMs, length) ?? usualPatience.forMs),
      waitForFile: wait === undefined ? usualPatience.waitForFile : checked(readWaitLimit, wait),
    },
  }
}

/** Adds findings for keys that need each other. */
export function checkSchedule(raw: Readonly<Record<string, unknown>>, findings: Findings): void {
  const { schedule, after } = raw
  const { retry } = (typeof schedule === 'object' && schedule !== null ? schedule : {}) as { readonly retry?: unknown }
  if (typeof retry === 'string' && retry !== 'none')
    findings.add('/schedule/retry', {
      message: `"${retry}" is not known. Write: { every: 10 min, for: 3 h }, or none.`,
    })
  if (after !== undefined && schedule === undefined)
    findings.add('/after', {
      message: '"after" needs a schedule: it says which pipeline goes first of those that are due.',
      hint: 'Add one, such as  schedule: { cron: "15 2 * * *", zone: Pacific/Auckland }',
    })
}
