/**
 * Logs each request without any secret, and counts requests in the text format of Prometheus. Paths are counted by the part of
 * the service they belong to, so that callers cannot create endless names.
 */

import type { IncomingMessage, ServerResponse } from 'node:http'
import { quoted } from './query.ts'
import { counter, gauge, prometheusText, type Measure } from '../store/metrics.ts'
import { sectionOf } from './sections.ts'

/** One finished request. The path comes without its query, which may contain anything. Status 0 means cut off. */
export type LoggedRequest = {
  readonly time: string
  readonly from: string
  readonly method: string
  readonly path: string
  readonly status: number
  readonly ms: number
}

export type Watch = ReturnType<typeof startWatch>

const bucketsS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

type Timing = { readonly buckets: number[]; sumS: number; count: number }

/** Starts counting; calls `log` for each request when it has ended. */
export function startWatch(clock: () => Date, log?: (request: LoggedRequest) => void) {
  const requests = new Map<string, number>()
  const timings = new Map<string, Timing>()
  let underWay = 0
  return {
    /** Follows a request to its end. */
    watch(incoming: IncomingMessage, outgoing: ServerResponse): void {
      underWay += 1
      // A closed socket no longer has the address of its caller.
      const from = incoming.socket.remoteAddress ?? ''
      const begun = performance.now()
      outgoing.once('close', () => {
        underWay -= 1
        const ms = performance.now() - begun
        const path = pathOf(incoming)
        const status = outgoing.writableFinished ? outgoing.statusCode : 0
        const section = sectionOf(path) ?? 'other'
        const key = `${section} ${status}`
        requests.set(key, (requests.get(key) ?? 0) + 1)
        time(timings, section, ms / 1000)
        log?.({
          time: clock().toISOString(),
          from,
          method: incoming.method ?? '',
          path: quoted(path).slice(1, -1),
          status,
          ms: Math.round(ms * 10) / 10,
        })
      })
    },
    /** Writes the counts, together with other measures. */
    metrics: (others: readonly Measure[]) =>
      prometheusText([
        ...[...requests].map(([key, value]) => {
          const [section = '', status = ''] = key.split(' ')
          const help = 'Requests by part of the service and status; 0 means cut off.'
          return counter('windrow_requests_total', help, value, { section, status })
        }),
        gauge('windrow_requests_under_way', 'Requests being answered now.', underWay),
        ...others,
      ]) + histogram(timings),
  }
}

/** The path of a request as sent, without its query. */
export function pathOf({ url = '' }: IncomingMessage): string {
  return url.replace(/^https?:\/\/[^/?]*/i, '').split('?', 1)[0]!
}

function time(timings: Map<string, Timing>, section: string, seconds: number): void {
  const timing = timings.get(section) ?? { buckets: bucketsS.map(() => 0), sumS: 0, count: 0 }
  timings.set(section, timing)
  for (const [index, most] of bucketsS.entries()) if (seconds <= most) timing.buckets[index]! += 1
  timing.sumS += seconds
  timing.count += 1
}

function histogram(timings: ReadonlyMap<string, Timing>): string {
  const name = 'windrow_request_seconds'
  const lines = [...timings].map(([section, { buckets, sumS, count }]) => {
    const below = bucketsS.map((most, index) => `${name}_bucket{section="${section}",le="${most}"} ${buckets[index]}\n`)
    return `${below.join('')}${name}_bucket{section="${section}",le="+Inf"} ${count}\n${name}_sum{section="${section}"} ${sumS}\n${name}_count{section="${section}"} ${count}\n`
  })
  return `# HELP ${name} Duration of requests in seconds.\n# TYPE ${name} histogram\n${lines.join('')}`
}
