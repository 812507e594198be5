/** Shows how the pipelines are to Prometheus: in a file for node_exporter, and on a port of this machine. */

import { resolve } from 'node:path'
import { isLoopback } from '../../client/address.ts'
import { writeTarget } from '../../core/sources/target.ts'
import type { PipelineStatus } from '../../schedule/status.ts'
import { gauge, prometheusText, type Measure } from '../../service/store/measure.ts'
import { text, type Input, type OptionSpec, type Surroundings } from '../options/command.ts'
import { listenAt, portOf } from '../options/https.ts'
import { inform } from '../screen/terminal.ts'

export const metricsOptions: readonly OptionSpec[] = [
  {
    flags: '--metrics-file <FILE>',
    description: "write how the pipelines are, for the textfile collector of Prometheus' node_exporter (FILE.prom)",
  },
  { flags: '--metrics-port <NUMBER>', description: 'answer at /metrics on this port, for Prometheus' },
  { flags: '--metrics-host <ADDRESS>', description: 'the address of this port (default: 127.0.0.1)' },
]

/** Starts what the options ask for; undefined if they ask for nothing. `show` takes the present measures. */
export async function startMetrics(input: Input, surroundings: Surroundings) {
  const { folder, terminal } = surroundings
  const file = text(input, 'metrics-file')
  const port = portOf(input, 'metrics-port')
  if (file === undefined && port === undefined) return undefined
  let measures: readonly Measure[] = []
  const served = port === undefined ? undefined : await servePort(port, () => measures, input, surroundings)
  return {
    async show(present: readonly Measure[]): Promise<void> {
      measures = present
      if (file === undefined) return
      // Not private: node_exporter runs as another user.
      try {
        await writeTarget(resolve(folder, file), prometheusText(measures), { private: false })
      } catch (cause) {
        inform(terminal, `The metrics were not written. ${(cause as Error).message}`)
      }
    },
    close: async () => served?.close(),
  }
}

async function servePort(port: number, measures: () => readonly Measure[], input: Input, surroundings: Surroundings) {
  const host = text(input, 'metrics-host') ?? '127.0.0.1'
  const served = await listenAt(
    { fetch: () => Promise.resolve(new Response('See /metrics.\n', { status: 404 })), measures },
    { host, port, metrics: isLoopback(host) ? 'loopback' : 'everybody' },
    surroundings,
  )
  inform(surroundings.terminal, `Metrics at ${served.url}/metrics`)
  return served
}

/** What `windrow schedule` shows of its pipelines. */
export function pipelineMeasures(statuses: readonly PipelineStatus[], now: Date): readonly Measure[] {
  const seconds = (moment: string | undefined): number | undefined =>
    moment === undefined ? undefined : Date.parse(moment) / 1000
  const each = (
    name: string,
    help: string,
    valueOf: (status: PipelineStatus) => number | undefined,
  ): readonly Measure[] =>
    statuses.flatMap((status) => {
      const value = valueOf(status)
      return value === undefined ? [] : [gauge(`windrow_pipeline_${name}`, help, value, { pipeline: status.pipeline })]
    })
  return [
    ...each('well', '1 if the pipeline is well, as windrow status says.', ({ isWell }) => (isWell ? 1 : 0)),
    ...each('last_run_timestamp_seconds', 'When the last run began.', ({ lastRun }) => seconds(lastRun?.started)),
    ...each('last_run_exit', 'The exit status of the last run.', ({ lastRun }) => lastRun?.exit),
    ...each('last_good_run_timestamp_seconds', 'When the last good run began.', ({ lastGoodRun }) =>
      seconds(lastGoodRun?.started),
    ),
    ...each('next_run_timestamp_seconds', 'When the next run is due.', ({ nextRun }) => seconds(nextRun)),
    ...each('file_modified_timestamp_seconds', 'When the file of the pipeline changed last.', ({ file }) =>
      seconds(file?.modified),
    ),
    ...each('records', 'The records in the file of the last good run.', ({ records }) => records),
    gauge(
      'windrow_schedule_timestamp_seconds',
      'When windrow schedule looked at the pipelines last.',
      now.getTime() / 1000,
    ),
  ]
}
