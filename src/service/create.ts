/** Puts the embedded service together: one store, with the sections of the interface document over it. */

import { randomBytes } from 'node:crypto'
import { setTimeout } from 'node:timers/promises'
import { refuseUnknown, type Names } from '../core/values/nearest.ts'
import type { Identifier } from '../resources/resource-type.ts'
import { demoAccount, enrolAccounts, readAccounts, type Account, type AccountsConfig } from './store/accounts.ts'
import { loadFile, cropRecordsIn, type LoadFile } from './routes/crop-records.ts'
import { cropRoutes } from './routes/crop-routes.ts'
import { readFaultPlan, faultsOf, type FaultPlan } from './faults/faults.ts'
import { featureRoutes } from './features/features.ts'
import { recordsIn, type Records } from './store/records.ts'
import { referenceData, type ReferenceData } from './routes/reference-data.ts'
import { referenceRoutes } from './routes/reference.ts'
import { router } from './http/router.ts'
import { accountsNaming } from './features/known-records.ts'
import { openStore, type Random } from './store/store.ts'
import { streamingRoutes } from './routes/streaming.ts'
import { bearerReader, realmPath, tokenRoutes } from './routes/token.ts'
import { counter, gauge, type Measure } from './store/metrics.ts'
import { closedWebhookRoutes, openWebhooks, type WebhookOptions } from './webhooks/webhooks.ts'

/**
 * `store` is a file; without it records are kept in memory. `reference` replaces the
 * built-in reference data. `demo` adds the demonstration account. `mostBodyBytes` and `bodyTimeoutMs` limit what a request may
 * send. `faults` make things go wrong on purpose. Without `webhooks` these are switched off, as in the interface document.
 * `onFault` receives failures of the service itself, which callers see only as status 500.
 */
export type ServiceOptions = {
  readonly store?: string | undefined
  readonly reference?: ReferenceData | undefined
  readonly accounts?: AccountsConfig | undefined
  readonly demo?: boolean | undefined
  readonly clock?: (() => Date) | undefined
  readonly random?: Random | undefined
  readonly tokenLifetimeS?: number | undefined
  readonly refreshLifetimeS?: number | undefined
  readonly realm?: string | undefined
  readonly mostBodyBytes?: number | undefined
  readonly bodyTimeoutMs?: number | undefined
  readonly faults?: FaultPlan | undefined
  readonly webhooks?: WebhookOptions | undefined
  readonly onFault?: ((cause: unknown) => void) | undefined
}

const serviceOptions: Names<ServiceOptions> = {
  store: true,
  reference: true,
  accounts: true,
  demo: true,
  clock: true,
  random: true,
  tokenLifetimeS: true,
  refreshLifetimeS: true,
  realm: true,
  mostBodyBytes: true,
  bodyTimeoutMs: true,
  faults: true,
  webhooks: true,
  onFault: true,
}

/**
 * The service without a socket. `authPath` is the path below which callers sign in; `isDemo` is true when the demonstration
 * account may sign in. `fetch` answers with links that start with `base`, by default the origin of the request, and rejects only
 * where a rehearsed fault cuts the connection. `load` throws a WindrowError for a file that it cannot read; `isHealthy` is true
 * while the store can be read, `isSignedIn` for a request with a valid token; `close` closes it.
 */
export type Service = ReturnType<typeof createService>

/** Opens the store and the service over it. Throws a WindrowError when the store or the accounts cannot be used. */
export function createService(options: ServiceOptions = {}) {
  refuseUnknown('createService', options, serviceOptions)
  const { clock = () => new Date(), random = randomBytes, realm = 'windrow', demo = false } = options
  const { onFault = () => undefined } = options
  const configs = [...readAccounts(options.accounts ?? { accounts: [] }).accounts, ...(demo ? [demoAccount()] : [])]
  const store = openStore(options.store, random)
  using opening = new DisposableStack()
  opening.defer(store.close)
  const records = recordsIn(store)
  const accounts = enrolAccounts(store, configs)
  const newId = (): string => risingId(clock(), random)
  const { tokenLifetimeS: lifetimeS = 3600, refreshLifetimeS = 30 * 24 * 3600 } = options
  const signIn = { store, accounts, clock, random, realm, lifetimeS, refreshLifetimeS }
  const { mostBodyBytes = 50_000_000 } = options
  const limits = {
    bytes: mostBodyBytes,
    milliseconds: options.bodyTimeoutMs ?? 60_000,
    room: { leftBytes: 4 * mostBodyBytes },
  }
  store.transaction(() => connectConfigured(accounts, records, clock().toISOString()))
  const stop = new AbortController()
  opening.defer(() => stop.abort())
  const sleep = (ms: number): Promise<void> => setTimeout(ms, undefined, { signal: stop.signal })
  const faults = options.faults && faultsOf(readFaultPlan(options.faults), sleep, limits)
  const webhooks =
    options.webhooks && openWebhooks({ store, records, clock, newId, random: Math.random, onFault }, options.webhooks)
  opening.defer(() => webhooks?.close())
  // Where the demonstration account is the only one, it may see all loaded records: no other account has any to protect.
  const showsAll = demo && accounts.length === 1
  const ownFarms = (number: number) =>
    showsAll ? 'every' : (accounts.find((each) => each.number === number)?.config.holdings ?? [])
  const isHidden = (farm: Identifier): boolean => !showsAll && accountsNaming(accounts, [farm]).length === 0
  const routes = [
    ...tokenRoutes(signIn),
    ...streamingRoutes(
      {
        store,
        records,
        accounts,
        clock,
        newId,
        onFault,
        onChange: webhooks?.onChange,
        isRehearsal: faults?.isRehearsal,
      },
      limits,
    ),
    ...featureRoutes(store, { records, clock }),
    ...cropRoutes({ crops: cropRecordsIn(store, ownFarms), records }),
    ...referenceRoutes(options.reference ?? referenceData),
    ...(webhooks?.routes ?? closedWebhookRoutes()),
  ]
  const whose = bearerReader(signIn)
  const answer = router(routes, { whose, onFault })
  const isTrue = (ask: () => boolean): boolean => {
    try {
      return ask()
    } catch (cause) {
      onFault(cause)
      return false
    }
  }
  const opened = opening.move()
  const close = (): void => opened.dispose()
  return {
    authPath: realmPath(realm),
    isDemo: demo,
    fetch: faults === undefined ? answer : faults.around(answer),
    load: (file: LoadFile) => loadFile({ store, newId, isHidden }, file),
    isHealthy: () => isTrue(store.check),
    isSignedIn: ({ headers }: Request) => isTrue(() => typeof whose(headers.get('authorization')) === 'object'),
    measures: (): readonly Measure[] => [...records.measures(), ...(webhooks?.measures() ?? []), ...processMeasures()],
    close,
    [Symbol.dispose]: close,
  }
}

function processMeasures(): readonly Measure[] {
  const { user, system } = process.cpuUsage()
  return [
    counter('process_cpu_seconds_total', 'Processor time used by the process.', (user + system) / 1e6),
    gauge('process_resident_memory_bytes', 'Memory used by the process.', process.memoryUsage.rss()),
  ]
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

/** A UUID of version 7 (RFC 9562). They rise with time, so the store adds each at the end of its index. */
function risingId(now: Date, random: Random): string {
  const time = now.getTime().toString(16).padStart(12, '0')
  const bytes = Buffer.from(random(10))
  bytes[0] = 0x70 | (bytes[0]! & 0x0f)
  bytes[2] = 0x80 | (bytes[2]! & 0x3f)
  const rest = bytes.toString('hex')
  return `${time.slice(0, 8)}-${time.slice(8)}-${rest.slice(0, 4)}-${rest.slice(4, 8)}-${rest.slice(8)}`
}
