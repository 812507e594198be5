/** Makes connections to PostgreSQL with the package for it. */

import type { Client, Pool, QueryConfig } from 'pg'
import { once } from './once.ts'

export type { Client, QueryConfig }

/** Connects, for the tables of one schema. */
export async function connectClient(url: string, schema: string): Promise<Client> {
  const { default: pg } = await import('pg')
  const client = new pg.Client({
    connectionString: url,
    application_name: 'windrow',
    connectionTimeoutMillis: 10_000,
    keepAlive: true,
    // Counts and numbers of records arrive as numbers; text, bytes and whole numbers as they are.
    types: {
      getTypeParser: (type: number, format: 'text' | 'binary' = 'text') =>
        type === bigint ? Number : pg.types.getTypeParser(type, format),
    },
  })
  // A connection that breaks while nobody asks is reported with the next question.
  client.on('error', () => undefined)
  await client.connect()
  // A plan from when a table was empty reads all of it: plans are made for each execution, and never compiled.
  await client.query(
    `SET search_path TO ${schema}; SET lock_timeout TO '20s'; SET plan_cache_mode TO force_custom_plan; SET jit TO off`,
  )
  return client
}

const bigint = 20

/** Opens up to `most` connections for somebody else's statements. */
export async function openPool(url: string, most: number): Promise<Pool> {
  const { default: pg } = await import('pg')
  const pool = new pg.Pool({ connectionString: url, application_name: 'windrow', max: most, keepAlive: true })
  // Whoever uses a connection hears of its end; without these, one that breaks unused would end the process.
  pool.on('error', () => undefined)
  pool.on('connect', (client) => void client.on('error', () => undefined))
  // graphile-worker releases its listening connection twice if that breaks while it stops: an error that nobody can catch.
  const connect = pool.connect.bind(pool)
  const connectOnce = (then?: Then) =>
    then === undefined
      ? connect()
      : connect((cause, client, free) =>
          then(
            cause,
            client,
            once(() => client && free()),
          ),
        )
  return Object.assign(pool, { connect: connectOnce as typeof connect })
}

type Then = Parameters<typeof Pool.prototype.connect>[0]
