/** Makes the demonstration service of this process: in memory, with two farms and their work records, and nobody else reaches it. */

import { connectTo } from '../client/connection.ts'
import type { ClientDeps } from '../client/exchange.ts'
import type { Profile } from '../client/profile.ts'
import { once } from '../core/once.ts'
import { createService } from './create.ts'
import demo from './demo.json' with { type: 'json' }
import type { LoadFile } from './routes/crop-records.ts'
import { demoCredentials } from './store/accounts.ts'

const service = 'http://127.0.0.1'

/** The account of the service and what answers its requests. The service is the same each time, until the process ends. */
export const demoService: () => Promise<Pick<ClientDeps, 'fetch'> & { readonly profile: Profile }> = once(async () => {
  const { fetch, load, authPath } = createService({ demo: true })
  load(demo.records as LoadFile)
  const profile = { name: 'demo', service, tokenUrl: service + authPath, ...demoCredentials }
  const sleep = (): Promise<void> => Promise.resolve()
  const client = connectTo(profile, { fetch, clock: () => new Date(), sleep, random: Math.random })
  const { updates } = await client.dataset('holdings')
  await client.publish(
    updates!,
    demo.holdings.map((holding) => JSON.stringify(holding)),
  )
  return { profile, fetch }
})
