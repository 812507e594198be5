/** Puts the parts of the client together for one connection. */

import { refuseUnknown, type Names } from '../core/values/nearest.ts'
import type { LoadReceival, PastureCoverEvent, SampleAnalysis, SamplePlan } from '../resources/crop-observations.ts'
import type { BirthPeriod, Breed, MedicineProduct } from '../resources/livestock.ts'
import type { Identifier } from '../resources/resource-type.ts'
import type { WebhookRegistration } from '../resources/webhook.ts'
import type { WorkRecord } from '../resources/work-record.ts'
import { cropData, type ConsignedBetween, type ObservedBetween, type PastureCoverOptions } from './crops.ts'
import {
  usualRetry,
  usualLimits,
  type RetryPolicy,
  type ClientDeps,
  type Limits,
  type Waiting,
  type Wire,
} from './exchange.ts'
import {
  featuresApi,
  type Collection,
  type CollectionDescription,
  type Feature,
  type FeatureOptions,
} from './features.ts'
import { accountId, type Profile, type RequestOptions } from './profile.ts'
import { referenceData, type BreedFilter, type MedicineFilter } from './reference.ts'
import { requesterOf } from './request.ts'
import { secretKeeper, type Members, type Received } from './reading.ts'
import {
  streamingApi,
  type ChangesOptions,
  type ChangesPage,
  type ControlItem,
  type Dataset,
  type Feed,
  type ItemOutcome,
  type PublishedPart,
  type RecordText,
} from './streaming.ts'
import { tokenSource } from './token.ts'
import { openTraffic, type Traffic } from './traffic.ts'
import { webhookManagement, type Webhook } from './webhooks.ts'

/** Limits, retries and optional headers of a connection. `onWait` is called before each wait for another attempt. */
export type ConnectionOptions = RequestOptions & {
  readonly limits?: Partial<Limits>
  readonly retry?: Partial<RetryPolicy>
  readonly onWait?: (waiting: Waiting) => void
  /** Given to several connections, it makes them keep the pauses and the rate that a service asked one of them for. */
  readonly traffic?: Traffic | undefined
}

const connectionOptions: Names<ConnectionOptions> = {
  region: true,
  requestingClientId: true,
  downgradeAuthentication: true,
  limits: true,
  retry: true,
  onWait: true,
  traffic: true,
}

type Batches<Body> = AsyncIterable<readonly Received<Body>[]>

/**
 * The service as one account sees it. Signs in when first needed. Every call except the creation of a webhook is repeated
 * until it is answered or the retries are used up, throws only WindrowErrors (or the reason of an aborted signal), and sends
 * nothing outside the service's own origin. What does not exist is undefined; a list fails when fewer records come than the service
 * counted.
 */
export type Client = {
  /** The id of the account, by which the ledger is kept. */
  readonly account: string
  /** The address of the service. */
  readonly service: string
  /** Signs in now, to check the credentials. */
  signIn(signal?: AbortSignal): Promise<void>
  /** A fresh token for another program that calls the same service; `expires` only if the service says when. */
  accessToken(signal?: AbortSignal): Promise<{ readonly text: string; readonly expires: Date | undefined }>
  /** By how much the clock of this machine is ahead of the service's; undefined before an answer that has a time. */
  clockAheadMs(): number | undefined

  /** What the account may publish, by holding. An account without any holding gets an empty list. */
  control(signal?: AbortSignal): Promise<readonly ControlItem[]>
  /** All datasets of the service that the account may see. */
  datasets(signal?: AbortSignal): Promise<readonly Dataset[]>
  /** The dataset of this name. */
  dataset(name: string, signal?: AbortSignal): Promise<Dataset>
  /**
   * Posts JSON texts as one batch to an `updates` address. Gives one outcome for each item, in the order of the items. Throws
   * 'service-confused' when a result belongs to no item or two belong to one, and 'request-refused' when the whole batch is refused.
   */
  publish(updates: string, bodies: readonly RecordText[], signal?: AbortSignal): Promise<readonly ItemOutcome[]>
  /**
   * Publishes like `publish`, but a batch that is refused as a whole is halved until the faulty item is found: it becomes
   * `refused` with the service's reason, and the others are sent. Gives each part, the outcomes of consecutive items from item
   * number `first` on, as soon as it is known, so that no result is lost when a later part fails.
   */
  publishHalving(updates: string, bodies: readonly RecordText[], signal?: AbortSignal): AsyncGenerator<PublishedPart>
  /**
   * Reads a feed page by page, up to and including the first page without items: its token is valid. Without `since`, the newest
   * version of everything.
   */
  changes(feed: Feed, options?: ChangesOptions, signal?: AbortSignal): AsyncGenerator<ChangesPage>

  /** The landing page of the features API: title, description and links. */
  landingPage(signal?: AbortSignal): Promise<Members>
  /** The addresses of the conformance classes. */
  conformance(signal?: AbortSignal): Promise<readonly string[]>
  /** All collections, or those of one holding. */
  collections(holdingId?: string, signal?: AbortSignal): Promise<readonly CollectionDescription[]>
  /** One collection, or that of one holding. */
  collection(name: Collection, holdingId?: string, signal?: AbortSignal): Promise<CollectionDescription | undefined>
  /** The features of a collection in batches. With `holdingId`, those of that holding; of the holdings, that one. */
  features(collection: Collection, options?: FeatureOptions, signal?: AbortSignal): AsyncIterable<readonly Feature[]>
  /** The feature with this id. */
  feature(
    collection: Collection,
    id: string,
    options?: Pick<FeatureOptions, 'holdingId'>,
    signal?: AbortSignal,
  ): Promise<Feature | undefined>

  /** The work records of all holdings, in batches. */
  workRecords(options?: Pick<PastureCoverOptions, 'limit' | 'onTotal'>, signal?: AbortSignal): Batches<WorkRecord>
  /** The loads that a holding delivered, in batches. */
  loadReceivals(
    holdingId: string,
    bounds?: ObservedBetween & ConsignedBetween,
    signal?: AbortSignal,
  ): Batches<LoadReceival>
  /** One load of a holding. */
  loadReceival(holdingId: string, id: string, signal?: AbortSignal): Promise<Received<LoadReceival> | undefined>
  /** Measured pasture covers, in batches. */
  pastureCoverEvents(options?: PastureCoverOptions, signal?: AbortSignal): Batches<PastureCoverEvent>
  /** One measured pasture cover. */
  pastureCoverEvent(
    id: string,
    options?: Pick<PastureCoverOptions, 'holdingId'>,
    signal?: AbortSignal,
  ): Promise<Received<PastureCoverEvent> | undefined>
  /** The analyses of a holding's samples, in batches. */
  sampleAnalyses(holdingId: string, bounds?: ObservedBetween, signal?: AbortSignal): Batches<SampleAnalysis>
  /** One analysis of a sample. */
  sampleAnalysis(holdingId: string, id: string, signal?: AbortSignal): Promise<Received<SampleAnalysis> | undefined>
  /** The plans for a holding's samples, in batches. */
  samplePlans(holdingId: string, bounds?: ObservedBetween, signal?: AbortSignal): Batches<SamplePlan>
  /** One plan for samples. */
  samplePlan(holdingId: string, id: string, signal?: AbortSignal): Promise<Received<SamplePlan> | undefined>

  /** The birth periods of a species or country. */
  birthPeriods(
    filter?: { readonly species?: string | undefined; readonly country?: string | undefined },
    signal?: AbortSignal,
  ): Promise<readonly Received<BirthPeriod>[]>
  /** The medicine products that the service knows. */
  medicineProducts(filter?: MedicineFilter, signal?: AbortSignal): Promise<readonly Received<MedicineProduct>[]>
  /** The medicine product with this registration. */
  medicineProduct(id: Identifier, signal?: AbortSignal): Promise<Received<MedicineProduct> | undefined>
  /** The medicine product whose name the service finds nearest to these words. */
  findMedicineProduct(words: string, signal?: AbortSignal): Promise<Received<MedicineProduct> | undefined>
  /** The species, which need no account. */
  species(signal?: AbortSignal): Promise<readonly string[]>
  /** The breeds of a species, which need no account. */
  breeds(species: string, filter?: BreedFilter, signal?: AbortSignal): Promise<readonly Received<Breed>[]>

  /** The webhooks of an organisation. */
  webhooks(organisationId: string, signal?: AbortSignal): Promise<readonly Webhook[]>
  /** One webhook of an organisation. */
  webhook(organisationId: string, webhookId: string, signal?: AbortSignal): Promise<Webhook | undefined>
  /** Sent once: after a cut connection it is unknown whether the webhook was created. Undefined when the answer does not describe it. */
  createWebhook(
    organisationId: string,
    registration: WebhookRegistration,
    signal?: AbortSignal,
  ): Promise<Webhook | undefined>
  /** Deletes a webhook; false when there was none. */
  deleteWebhook(organisationId: string, webhookId: string, signal?: AbortSignal): Promise<boolean>
}

/** Makes the client of a profile; sends nothing yet. Throws when an address or option of it cannot be used. */
export function connectTo(profile: Profile, deps: ClientDeps, options: ConnectionOptions = {}): Client {
  refuseUnknown('connectTo', options, connectionOptions)
  const secrets = secretKeeper([profile.password, profile.clientSecret])
  const wire: Wire = {
    ...deps,
    limits: { ...usualLimits, ...options.limits },
    retry: { ...usualRetry, ...options.retry },
    clean: secrets.clean,
    onWait: options.onWait,
    traffic: options.traffic ?? openTraffic(),
    heard: {},
  }
  const tokens = tokenSource(profile, wire, secrets)
  const headers = { ...headersOf(profile), ...headersOf(options) }
  const requester = requesterOf(profile.service, tokens, wire, headers)
  return {
    account: accountId({ ...profile, ...headers }),
    service: requester.service.href,
    signIn: async (signal?: AbortSignal): Promise<void> => void (await tokens.get(signal)),
    accessToken: (signal?: AbortSignal) => tokens.fresh(signal),
    clockAheadMs: () => wire.heard.clockAheadMs,
    ...streamingApi(requester),
    ...featuresApi(requester),
    ...cropData(requester),
    ...referenceData(requester),
    ...webhookManagement(requester),
  }
}

/** Only given options, so that an option left out does not hide the profile's value. */
function headersOf({ region, requestingClientId, downgradeAuthentication }: RequestOptions): RequestOptions {
  const headers = Object.entries({ region, requestingClientId, downgradeAuthentication })
  return Object.fromEntries(headers.filter(([, value]) => value !== undefined))
}
