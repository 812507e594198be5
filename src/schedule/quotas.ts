/**
 * Keeps each tenant within its quota, over all workers. A run takes one of its tenant's places; a place is a lock in PostgreSQL,
 * so that it is free again when its worker dies.
 */

import { takeLock } from '../core/postgres.ts'
import type { History } from './history.ts'

/** How much a tenant may do; undefined is no limit. `recordsADay` counts what its runs sent in the last 24 hours. */
export type Quota = { readonly runsAtOnce: number | undefined; readonly recordsADay: number | undefined }

type Sleep = (ms: number, signal?: AbortSignal) => Promise<void>

export type Quotas = ReturnType<typeof openQuotas>

// Another worker may free a place any time; records are counted over a day.
const runsAgainMs = 3000
const recordsAgainMs = 60_000

export function openQuotas(url: string, history: Pick<History, 'recordsToday'>, sleep: Sleep) {
  const spared = new Map<string, object>()
  const ended = new AbortController()
  const spare = (flag: string, ms: number): void => {
    const turn = {}
    spared.set(flag, turn)
    const end = (): void => void (spared.get(flag) === turn && spared.delete(flag))
    void sleep(ms, ended.signal).then(end, end)
  }
  const wait = (flag: string, ms: number, reason: string) => {
    spare(flag, ms)
    return { reason }
  }
  return {
    /**
     * Begins a run of a tenant. Without `release` it may not run now; `reason` says why. `flag` is the tenant of its job, which is
     * another name if the run was added before there was a tenants.yaml.
     */
    begin(
      tenant: string,
      { runsAtOnce, recordsADay }: Quota,
      flag: string,
    ): { release(): void } | { readonly reason: string } {
      if (recordsADay !== undefined && history.recordsToday(tenant) >= recordsADay)
        return wait(flag, recordsAgainMs, `"${tenant}" has sent ${recordsADay} records or more in 24 hours`)
      if (runsAtOnce === undefined) return { release: () => undefined }
      for (let place = 1; place <= runsAtOnce; place += 1) {
        const lock = takeLock(url, `tenant ${tenant}, place ${place}`)
        if (lock === undefined) continue
        return {
          release() {
            lock.release()
            spared.delete(flag)
          },
        }
      }
      return wait(flag, runsAgainMs, `"${tenant}" has ${runsAtOnce} ${runsAtOnce === 1 ? 'run' : 'runs'} under way`)
    },
    /** Leaves the runs with a flag in the queue for some seconds. */
    spare: (flag: string) => spare(flag, runsAgainMs),
    /** The flags of the runs that this worker need not try for the moment. */
    full: (): readonly string[] => [...spared.keys()],
    [Symbol.dispose]: () => ended.abort(),
  }
}
