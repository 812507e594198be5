/** Hides how the embedded service is put together: one store, the sections of the interface document over it. */

import { randomBytes } from 'node:crypto'
import type { Identifier } from '../resources/resource-type.ts'
import { demoAccount, enrolAccounts, readAccounts, type Account, type AccountsConfig } from './store/accounts.ts'
import { cropRecordsIn } from './routes/crop-records.ts'
import { cropRoutes } from './routes/crops.ts'
import { readFaultPlan, type FaultPlan } from './faults/fault-plan.ts'
import { faultsOf } from './faults/faults.ts'
import { featureRoutes } from './features/features.ts'
import { idMaker } from './routes/ids.ts'
import { loadFile, type LoadFile, type LoadSummary } from './load.ts'
import { placesIn } from './features/find-by-box.ts'
import { recordsIn, type Records } from './store/records.ts'
import { referenceData, type ReferenceData } from './routes/reference-data.ts'
import { referenceRoutes } from './routes/reference.ts'
import { router } from './http/router.ts'
import { accountsNaming } from './features/known-records.ts'
import { openStore, type Random } from './store/store.ts'
import { streamingRoutes } from './routes/streaming.ts'
import { bearerReader, realmPath, tokenRoutes } from './routes/token.ts'
import type { Measure } from './store/records.ts'
import { closedWebhookRoutes, openWebhooks, type WebhookOptions } from './webhooks/webhooks.ts'

/**
 * `store` is a file, memory without it. `reference` replaces the reference data that come along. `demo` adds the demonstration
 * account. `mostBodyBytes` and `bodyTimeoutMs` bound what a request may send. `faults` go wrong on purpose. Without `webhooks`
 * these are switched off, as in the document. `onFault` is told of failures that are the service's own, which callers see only
 * as status 500.
 */
export type ServiceOptions = {
  readonly store?: string
  readonly reference?: ReferenceData
  readonly accounts?: AccountsConfig
  readonly demo?: boolean
  readonly clock?: () => Date
  readonly random?: Random
  readonly tokenLifetimeS?: number
  readonly refreshLifetimeS?: number
  readonly realm?: string
  readonly mostBodyBytes?: number
  readonly bodyTimeoutMs?: number
  readonly faults?: FaultPlan
  readonly webhooks?: WebhookOptions
  readonly onFault?: (cause: unknown) => void
}

/**
 * The service without a socket. `authPath` is the path below which callers sign in; `isDemo` is true when the demonstration
 * account may sign in. `fetch` answers with links that start with `base`, the request's own origin without it, and rejects only where a fault that was asked for cuts the connection. `load` throws a WindrowError
 * for a file that is none; `close` lets go of the store.
 */
export type Service = {
  readonly authPath: string
  readonly isDemo: boolean
  readonly fetch: (request: Request, base?: string) => Promise<Response>
  readonly load: (records: LoadFile) => LoadSummary
  /** Whether the store can be read; and what there is to count. */
  readonly isHealthy: () => boolean
  readonly measures: () => readonly Measure[]
  readonly close: () => void
}

/** Opens the store and puts the service over it. Throws a WindrowError when store or accounts cannot be used. */
export function createService(options: ServiceOptions = {}): Service {
  const { clock = () => new Date(), random = randomBytes, realm = 'windrow', demo = false } = options
  const { onFault = () => undefined } = options
  const configs = [...readAccounts(options.accounts ?? { accounts: [] }).accounts, ...(demo ? [demoAccount()] : [])]
  const store = openStore(options.store, random)
  const records = recordsIn(store)
  const accounts = enrolAccounts(store, configs)
  const newId = idMaker(clock, random)
  const { tokenLifetimeS: lifetimeS = 3600, refreshLifetimeS = 30 * 24 * 3600 } = options
  const signIn = { store, accounts, clock, random, realm, lifetimeS, refreshLifetimeS }
  const { mostBodyBytes = 50_000_000 } = options
  const limits = {
    bytes: mostBodyBytes,
    milliseconds: options.bodyTimeoutMs ?? 60_000,
    room: { leftBytes: 4 * mostBodyBytes },
  }
  store.transaction(() => connectConfigured(accounts, records, clock().toISOString()))
  const waiting = waitingRoom()
  const faults = options.faults && faultsOf(readFaultPlan(options.faults), { sleep: waiting.sleep, limits })
  const webhooks =
    options.webhooks && openWebhooks({ store, records, clock, newId, random: Math.random }, options.webhooks)
  // Alone with what was loaded, the demonstration account shows it; nobody else has anything to lose to it.
  const showsAll = demo && accounts.length === 1
  const ownFarms = (number: number) =>
    showsAll ? 'every' : (accounts.find((each) => each.number === number)?.config.holdings ?? [])
  const isHidden = (farm: Identifier): boolean => !showsAll && accountsNaming(accounts, [farm]).length === 0
  const delays = faults && { storedAfterMs: faults.storedAfterMs, later: waiting.later }
  const routes = [
    ...tokenRoutes(signIn),
    ...streamingRoutes(
      { store, records, accounts, clock, newId, onFault, onChange: webhooks?.onChange, ...delays },
      limits,
    ),
    ...featureRoutes({ store, records, places: placesIn(store), clock }),
    ...cropRoutes({ crops: cropRecordsIn(store, ownFarms), records }),
    ...referenceRoutes(options.reference ?? referenceData),
    ...(webhooks?.routes ?? closedWebhookRoutes()),
  ]
  const answer = router(routes, { whose: bearerReader(signIn), onFault })
  return {
    authPath: realmPath(realm),
    isDemo: demo,
    fetch: faults === undefined ? answer : faults.around(answer),
    load: (file) => loadFile({ store, newId, isHidden }, file),
    isHealthy: () => store.isReadable(),
    measures: () => [...records.measures(), ...(webhooks?.measures() ?? []), ...processMeasures()],
    close() {
      waiting.close()
      webhooks?.close()
      store.close()
    },
  }
}

function processMeasures(): readonly Measure[] {
  const { user, system } = process.cpuUsage()
  const seconds = {
    name: 'process_cpu_seconds_total',
    help: 'Processor time of the process.',
    type: 'counter',
  } as const
  const bytes = { name: 'process_resident_memory_bytes', help: 'Memory of the process.', type: 'gauge' } as const
  return [
    { ...seconds, value: (user + system) / 1e6 },
    { ...bytes, value: process.memoryUsage.rss() },
  ]
}

/** Waits that end with the service. */
function waitingRoom() {
  const timers = new Set<NodeJS.Timeout>()
  const later = (work: () => void, ms: number): void => {
    const timer = setTimeout(() => {
      timers.delete(timer)
      work()
    }, ms)
    timers.add(timer)
  }
  const sleep = (ms: number): Promise<void> => new Promise((resolve) => later(resolve, ms))
  return { later, sleep, close: () => timers.forEach((timer) => clearTimeout(timer)) }
}

function connectConfigured(accounts: readonly Account[], records: Records, at: string): void {
  for (const { number, config } of accounts) {
    const named = (config.holdings ?? []).map((identifier) => records.holdingNamed(identifier, number)?.number)
    for (const holding of named)
      if (holding !== undefined) records.connect(number, holding, { origin: 'configured', at })
    for (const holding of records.configuredFor(number))
      if (!named.includes(holding)) records.disconnect(number, holding)
  }
}
