/** Describes what happens while a schedule runs, for all who report it: the screen, the log, notifications, the status. */

import type { RunReport } from '../pipeline/report/export-report.ts'
import type { RunError } from '../pipeline/report/report.ts'

/** How one try ended. Some tries leave no report: one that found the same file missing as the try before, for example. */
export type Ending = {
  readonly exit: number
  readonly report?: RunReport | undefined
  readonly failure?: RunError | undefined
}

/** A pipeline and the time by the timetable that it runs for. */
export type Night = { readonly name: string; readonly due: Date }

export type ScheduleEvent =
  /** The next time of a pipeline is known. */
  | (Night & { readonly kind: 'waiting' })
  /** A try begins; the first is 1. */
  | (Night & { readonly kind: 'started'; readonly tries: number })
  /** Another process runs this pipeline. */
  | (Night & { readonly kind: 'taken' })
  /** It waits for the good run of another pipeline. */
  | (Night & { readonly kind: 'held'; readonly after: string })
  /** A try ended, well or not. What it means for the night follows as 'retrying', 'gave-up' or 'healed'. */
  | (Night & Ending & { readonly kind: 'ended'; readonly tries: number })
  /** The try failed, and the next one is at `at`; without success the last is by `until`. */
  | (Night & Ending & { readonly kind: 'retrying'; readonly tries: number; readonly at: Date; readonly until: Date })
  /** The run failed and is not tried again for this time: trying would not help, or the time is up. */
  | (Night & Ending & { readonly kind: 'gave-up'; readonly tries: number; readonly next: Date | undefined })
  /** The first good run after a failure. `since`: the due time of the first run that failed. */
  | (Night & Ending & { readonly kind: 'healed'; readonly tries: number; readonly since: Date })
  /** With --once: the last due run failed earlier; `at` is the next try, if there is one. */
  | (Night & {
      readonly kind: 'failing'
      readonly exit: number
      readonly reason: string
      readonly at: Date | undefined
    })
  /** A pipeline file cannot be used; it is reported once for each new mistake. */
  | { readonly kind: 'broken'; readonly file: string; readonly exit: number; readonly failure: RunError }
  /** A pipeline file that was broken can be used again, or is gone. */
  | { readonly kind: 'repaired'; readonly file: string }
  /** A pipeline is no longer in the folder, or has no schedule any more. */
  | { readonly kind: 'left'; readonly name: string }
  /** The disk of the schedule's own files failed; what is due runs later. */
  | { readonly kind: 'hindered'; readonly reason: string }

/** Hears each event as it happens. It must not throw; what takes long, it does by itself. */
export type OnEvent = (event: ScheduleEvent) => void
