/** Shows the queue that workers share by tenant: on the screen, and for Prometheus. */

import type { History } from '../../schedule/history.ts'
import { queueStates, type RunQueue, type Tally } from '../../schedule/queue.ts'
import { gauge, type Measure } from '../../service/store/metrics.ts'
import type { Tenants } from '../platform/tenants.ts'
import { count, plain } from '../screen/terminal.ts'
import { alignedLines } from '../screen/text-width.ts'

/** The queue of a tenant, and what its runs did that began in the last hour. */
type TenantStatus = Tally & { readonly runsAnHour: number; readonly recordsAnHour: number }

/** How each tenant is that has runs in the queue or ran in the last hour; those with failed and late runs first. */
export function tenantStatuses(queue: RunQueue, history: History): readonly TenantStatus[] {
  const rates = new Map(history.rates().map((rate) => [rate.tenant, rate]))
  const tallies = new Map(queue.tallies().map((tally) => [tally.tenant, tally]))
  const none = { queues: 0, running: 0, late: 0, waiting: 0, failed: 0 }
  return [...new Set([...tallies.keys(), ...rates.keys()])]
    .map((tenant) => {
      const { runs = 0, records = 0 } = rates.get(tenant) ?? {}
      return { ...(tallies.get(tenant) ?? { ...none, tenant }), runsAnHour: runs, recordsAnHour: records }
    })
    .sort(
      (one, other) =>
        other.failed - one.failed ||
        other.late - one.late ||
        other.running - one.running ||
        (one.tenant < other.tenant ? -1 : 1),
    )
}

const columns = [
  ['Tenant', 'tenant'],
  ['Queues', 'queues'],
  ['Running', 'running'],
  ['Late', 'late'],
  ['Waiting', 'waiting'],
  ['Failed', 'failed'],
  ['Runs/hour', 'runsAnHour'],
  ['Records/hour', 'recordsAnHour'],
] as const

/** The table of the first tenants. */
export function tenantLines(statuses: readonly TenantStatus[], most: number): readonly string[] {
  const rows = statuses
    .slice(0, most)
    .map((status) => columns.map(([, name]) => (name === 'tenant' ? plain(status.tenant) : count(status[name]))))
  const left = statuses.length - rows.length
  const lines = alignedLines([columns.map(([title]) => title), ...rows], 1)
  return left > 0 ? [...lines, `and ${count(left)} more`] : lines
}

/** The queue as a whole, and by tenant where there is a tenants.yaml: a series for each farm would be too many. */
export function clusterMeasures(queue: RunQueue, history: History, tenants: Tenants | undefined): readonly Measure[] {
  const statuses = tenantStatuses(queue, history)
  const sum = (name: Exclude<keyof TenantStatus, 'tenant'>): number =>
    statuses.reduce((total, status) => total + status[name], 0)
  const each = tenants === undefined ? [] : statuses
  const hour = 'of runs that began in the last hour'
  return [
    ...queueStates.map((state) => gauge('windrow_queue_runs', 'The runs in the queue.', sum(state), { state })),
    gauge('windrow_queue_farms', 'The farms with runs in the queue.', sum('queues')),
    gauge('windrow_runs_last_hour', 'The runs that began in the last hour.', sum('runsAnHour')),
    gauge('windrow_records_last_hour', `The records ${hour}.`, sum('recordsAnHour')),
    ...each.flatMap(({ tenant, ...counts }) =>
      queueStates.map((state) =>
        gauge('windrow_tenant_queue_runs', 'The runs of a tenant in the queue.', counts[state], { tenant, state }),
      ),
    ),
    ...each.map(({ tenant, runsAnHour }) =>
      gauge('windrow_tenant_runs_last_hour', 'The runs of a tenant that began in the last hour.', runsAnHour, {
        tenant,
      }),
    ),
    ...each.map(({ tenant, recordsAnHour }) =>
      gauge('windrow_tenant_records_last_hour', `The records of a tenant ${hour}.`, recordsAnHour, { tenant }),
    ),
  ]
}
