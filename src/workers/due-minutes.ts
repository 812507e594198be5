/** Says of each minute whether a pipeline is due, as graphile-worker's cron asks it: by the parts of a minute in UTC. */

import { nextTime, type Missed, type Timetable } from '../schedule/due.ts'

/** A minute in UTC without its year; `month` counts from 1. */
type Minute = Readonly<Record<'min' | 'hour' | 'date' | 'month', number>>

type IsDue = (minute: Minute) => boolean

const [minuteMs, hourMs, dayMs] = [60_000, 3_600_000, 86_400_000]

/**
 * How far back a worker that starts looks for what came due while none ran. A day may have 25 hours. Only a pipeline that runs once for
 * each time that it missed is still worth it after days.
 */
export const lookBackMs: Readonly<Record<Missed, number>> = { skip: minuteMs, once: 25 * hourMs, all: 7 * dayMs }

/** Whether a timetable is due in a minute. The minutes of one that was asked before are known by the time that comes next. */
export function isDueBy({ cron, zone }: Pick<Timetable, 'cron' | 'zone'>): IsDue {
  const name = `${cron} ${zone}`
  const known = asked.get(name)
  if (known !== undefined) return known
  let [from, next] = [Infinity, -Infinity]
  const isDue: IsDue = (minute) => {
    const moment = momentOf(minute)
    if (moment < from || moment > next)
      [from, next] = [moment, nextTime({ cron, zone }, new Date(moment - 1))?.getTime() ?? Infinity]
    return moment === next
  }
  asked.set(name, isDue)
  return isDue
}

/** Thousands of farms have a few timetables between them. */
const asked = new Map<string, IsDue>()

/** The last such minute, by the clock of the machine, as the cron counts them. */
function momentOf({ month, date, hour, min }: Minute): number {
  const now = new Date()
  const inYear = (year: number): number => Date.UTC(year, month - 1, date, hour, min)
  const thisYear = inYear(now.getUTCFullYear())
  return thisYear > now.getTime() + dayMs ? inYear(now.getUTCFullYear() - 1) : thisYear
}
