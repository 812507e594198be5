import { describe, expect, test } from 'vitest'
import { nextTime } from '../../src/schedule/due.ts'
import { isDueBy } from '../../src/workers/queue.ts'

const zone = 'Pacific/Auckland'
const minuteMs = 60_000

/** All minutes between, as the cron asks for them. */
function dueBetween(cron: string, from: number, to: number): readonly string[] {
  const isDue = isDueBy({ cron, zone })
  const due: string[] = []
  for (let moment = from; moment < to; moment += minuteMs) {
    const at = new Date(moment)
    const minute = {
      min: at.getUTCMinutes(),
      hour: at.getUTCHours(),
      date: at.getUTCDate(),
      month: at.getUTCMonth() + 1,
    }
    if (isDue(minute)) due.push(at.toISOString())
  }
  return due
}

/** The same by the timetable of windrow schedule. */
function timesBetween(cron: string, from: number, to: number): readonly string[] {
  const times: string[] = []
  for (
    let next = nextTime({ cron, zone }, new Date(from - 1));
    next!.getTime() < to;
    next = nextTime({ cron, zone }, next!)
  )
    times.push(next!.toISOString())
  return times
}

describe('a worker and windrow schedule run a pipeline at the same times', () => {
  const lastYear = new Date().getUTCFullYear() - 1
  test.each([
    ['every night', '15 2 * * *', Date.UTC(lastYear, 5, 1)],
    ['over the night without 02:15', '15 2 * * *', Date.UTC(lastYear, 8, 20)],
    ['over the night with two', '15 2 * * *', Date.UTC(lastYear, 3, 1)],
    ['every quarter of an hour over a new year', '*/15 * * * *', Date.UTC(lastYear, 11, 28)],
    ['on working days', '0 7 * * 1-5', Date.UTC(lastYear, 1, 25)],
  ])('%s', (_, cron, from) => {
    const began = Math.max(from, Date.now() - 360 * 86_400_000)
    const start = began - (began % minuteMs)
    const to = start + 12 * 86_400_000
    expect(dueBetween(cron, start, to)).toEqual(timesBetween(cron, start, to))
    // Asked again from the beginning, as after an outage.
    expect(dueBetween(cron, start, to)).toEqual(timesBetween(cron, start, to))
  })
})
