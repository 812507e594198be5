/** Routes each request to its answer (hono), after checking its token and its parameters. */

import { Hono, type Context } from 'hono'
import type { Account } from '../store/accounts.ts'
import { checkQuery, readRegion } from './query.ts'
import { nobody, type Viewer } from '../store/records.ts'
import { problem, Refusal, refused } from './responses.ts'

/** One request. `base` is the address that links start with, by default that of the request; `path` is the path as sent. */
export type Call = {
  readonly request: Request
  readonly base: string
  readonly path: string
  readonly query: URLSearchParams
  readonly account: Account | undefined
  readonly viewer: Viewer
  parameter(name: string): string
}

/**
 * `access` decides about a request without a token: refused ('account') or answered with what anybody may see ('anybody'); with
 * 'unasked' tokens are not checked at all. `query` lists the parameters; any other is refused. `isRegional` routes read the
 * header X-Requested-Region.
 */
export type Route = {
  readonly method: 'GET' | 'POST' | 'DELETE'
  readonly path: string
  readonly access: 'account' | 'anybody' | 'unasked'
  readonly query?: readonly string[]
  readonly isRegional?: boolean
  answer(call: Call): Response | Promise<Response>
}

/** A route that reads. */
export function get(path: string, answer: Route['answer'], more: Partial<Route> = {}): Route {
  return { method: 'GET', path, access: 'account', answer, ...more }
}

type RouterOptions = {
  whose(authorization: string | null): Account | 'nobody' | 'not valid'
  /** Receives every failure of the service itself. */
  onFault(cause: unknown): void
}

type Given = { readonly base?: string }

/** Makes the function that answers every request, also with refusals, 404, 405 and, for its own failures, 500. */
export function router(
  routes: readonly Route[],
  options: RouterOptions,
): (request: Request, base?: string) => Promise<Response> {
  const app = new Hono<{ Bindings: Given }>({ strict: false })
  for (const route of routes) app.on(route.method, route.path, (context) => pass(route, context, options))
  for (const [path, own] of Map.groupBy(routes, (route) => route.path)) {
    const allowed: readonly string[] = own.map(({ method }) => method)
    const allow = allowed.includes('GET') ? ['HEAD', ...allowed] : allowed
    app.options(path, (context) => context.body(null, 204, { Allow: `${allow.join(', ')}, OPTIONS` }))
    app.all(path, ({ req }) =>
      problem(req.path, 405, `${req.method} does not work at this address. Use ${allow.join(', ')}.`, {
        Allow: allow.join(', '),
      }),
    )
  }
  app.notFound(({ req }) => problem(req.path, 404, 'There is nothing at this address. Check the path.'))
  app.onError((cause, { req }) => {
    if (cause instanceof Refusal) return refused(new URL(req.url).pathname, cause)
    options.onFault(cause)
    return problem(req.path, 500, 'The service failed and stored nothing of this request.')
  })
  return async (request, base) => app.fetch(request, base === undefined ? {} : { base })
}

async function pass(route: Route, context: Context<{ Bindings: Given }>, options: RouterOptions): Promise<Response> {
  const { pathname: path, origin, searchParams: query } = new URL(context.req.url)
  const caller = route.access === 'unasked' ? 'nobody' : options.whose(context.req.header('authorization') ?? null)
  if (caller === 'not valid')
    throw unauthorised('The access token is unknown or has expired. Sign in again.', ', error="invalid_token"')
  if (caller === 'nobody' && route.access === 'account')
    throw unauthorised('This address needs an access token. Sign in and send it as Authorization: Bearer ...')
  checkQuery(query, route.query ?? [])
  const region = route.isRegional === true ? readRegion(context.req.header('x-requested-region')) : null
  const account = caller === 'nobody' ? undefined : caller
  const viewer = { account: account?.number ?? nobody, region }
  const parameter = (name: string): string => context.req.param(name) ?? ''
  return route.answer({
    request: context.req.raw,
    base: context.env.base ?? origin,
    path,
    query,
    account,
    viewer,
    parameter,
  })
}

function unauthorised(detail: string, more = ''): Refusal {
  return new Refusal(401, detail, { 'WWW-Authenticate': `Bearer realm="windrow"${more}` })
}
