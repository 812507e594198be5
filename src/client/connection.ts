/** Hides how the parts of the client are put together for one connection. */

import type { Members } from './reading.ts'
import { workRecordsOf } from './crops.ts'
import { usualLimits, type ClientDeps, type Limits, type Waiting, type Wire } from './exchange.ts'
import { featuresOf, type Collection, type Feature, type FeatureOptions } from './features.ts'
import { accountId, type Profile } from './profile.ts'
import { requesterOf, type RequestOptions } from './request.ts'
import { usualRetry, type RetryPolicy } from './retry.ts'
import { secretKeeper } from './secrets.ts'
import {
  changesOf,
  publishHalving,
  publishTo,
  readControl,
  readDataset,
  readDatasets,
  type ChangesPage,
  type ControlItem,
  type Dataset,
  type PublishedPart,
  type PublishOutcome,
} from './streaming.ts'
import { tokenSource } from './token.ts'

/** How a connection behaves besides whom it is for. `onWait` is told of each wait before another attempt. */
export type ConnectionOptions = RequestOptions & {
  readonly limits?: Partial<Limits>
  readonly retry?: Partial<RetryPolicy>
  readonly onWait?: (waiting: Waiting) => void
}

/**
 * The service as one account sees it. Signs in when first used. Every call may be repeated until the budget is spent, throws
 * WindrowErrors only (or the reason of an aborted signal), and sends nothing anywhere but to the service's own origin.
 */
export type Client = {
  readonly account: string
  readonly service: string
  /** Signs in now, to find out whether the credentials are good. */
  signIn(signal?: AbortSignal): Promise<void>
  control(signal?: AbortSignal): Promise<readonly ControlItem[]>
  datasets(signal?: AbortSignal): Promise<readonly Dataset[]>
  dataset(name: string, signal?: AbortSignal): Promise<Dataset>
  publish(updates: string, bodies: readonly string[], signal?: AbortSignal): Promise<PublishOutcome>
  publishHalving(updates: string, bodies: readonly string[], signal?: AbortSignal): AsyncIterable<PublishedPart>
  changes(
    dataset: { readonly changes?: string | undefined },
    options?: { readonly since?: string | undefined; readonly limit?: number },
    signal?: AbortSignal,
  ): AsyncIterable<ChangesPage>
  features(collection: Collection, options?: FeatureOptions, signal?: AbortSignal): AsyncIterable<readonly Feature[]>
  workRecords(options?: { readonly limit?: number }, signal?: AbortSignal): AsyncIterable<readonly Members[]>
}

/** Makes the client of a profile; asks nothing yet. Throws when an address or option of it cannot be used. */
export function connectTo(profile: Profile, deps: ClientDeps, options: ConnectionOptions = {}): Client {
  const secrets = secretKeeper([profile.password, profile.clientSecret])
  const wire: Wire = {
    ...deps,
    limits: { ...usualLimits, ...options.limits },
    retry: { ...usualRetry, ...options.retry },
    clean: (text, most) => secrets.clean(text, most),
    onWait: options.onWait,
  }
  const tokens = tokenSource(profile, wire, secrets)
  const requester = requesterOf(profile.service, tokens, wire, options)
  return {
    account: accountId(profile),
    service: requester.service.href,
    signIn: async (signal) => void (await tokens.get(signal)),
    control: (signal) => readControl(requester, signal),
    datasets: (signal) => readDatasets(requester, signal),
    dataset: (name, signal) => readDataset(requester, name, signal),
    publish: (updates, bodies, signal) => publishTo(requester, updates, bodies, signal),
    publishHalving: (updates, bodies, signal) => publishHalving(requester, updates, bodies, signal),
    changes: (dataset, given = {}, signal) => changesOf(requester, dataset, given, signal),
    features: (collection, given = {}, signal) => featuresOf(requester, collection, given, signal),
    workRecords: (given = {}, signal) => workRecordsOf(requester, given, signal),
  }
}
