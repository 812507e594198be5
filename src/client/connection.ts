/** Puts the parts of the client together for one connection. */

import { refuseUnknown, type Names } from '../core/values/nearest.ts'
import { cropData } from './crops.ts'
import {
  usualRetry,
  usualLimits,
  type RetryPolicy,
  type ClientDeps,
  type Limits,
  type Waiting,
  type Wire,
} from './exchange.ts'
import { featuresApi } from './features.ts'
import { accountId, type Profile, type RequestOptions } from './profile.ts'
import { secretKeeper } from './reading.ts'
import { referenceData } from './reference.ts'
import { requesterOf } from './request.ts'
import { streamingApi } from './streaming.ts'
import { tokenSource } from './token.ts'
import { openTraffic, type Traffic } from './traffic.ts'
import { webhookManagement } from './webhooks.ts'

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

/**
 * The service as one account sees it. Signs in when first needed. Every call except the creation of a webhook is repeated
 * until it is answered or the retries are used up, throws only WindrowErrors (or the reason of an aborted signal), and sends
 * nothing outside the service's own origin. What does not exist is undefined; a list fails when fewer records come than the service
 * counted.
 */
export type Client = OwnCalls &
  ReturnType<typeof streamingApi> &
  ReturnType<typeof featuresApi> &
  ReturnType<typeof cropData> &
  ReturnType<typeof referenceData> &
  ReturnType<typeof webhookManagement>

type OwnCalls = {
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
    signIn: async (signal) => void (await tokens.get(signal)),
    accessToken: (signal) => tokens.fresh(signal),
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
