/** The thread that talks to PostgreSQL, while the thread that asked waits. */

import { workerData, type MessagePort } from 'node:worker_threads'
import type { Value } from './database.ts'
import { connectClient, type Client, type QueryConfig } from './postgres-client.ts'

/** What the thread gets at its start: where to connect, the schema, how answers travel, and the flag that one is there. */
export type Line = {
  readonly url: string
  readonly schema: string
  readonly port: MessagePort
  readonly flag: Int32Array
}

/** A script of statements, or one with its values, or one to run once for each list of values. */
export type Question = {
  readonly sql: string
  readonly values?: readonly Value[]
  readonly each?: readonly (readonly Value[])[]
}

export type Answer =
  | { readonly rows: readonly Record<string, Value>[]; readonly changes: number }
  /** The SQLSTATE or system code of a failure, and its message. */
  | { readonly fault: string; readonly code: string | undefined }

const { url, schema, port, flag } = workerData as Line
let client: Promise<Client> | undefined
/** Named statements are parsed and planned by the server once. */
const names = new Map<string, string>()

port.on('message', (question: Question) => {
  void answerTo(question).then((answer) => {
    port.postMessage(answer)
    Atomics.store(flag, 0, 1)
    Atomics.notify(flag, 0)
  })
})

async function answerTo({ sql, values, each = [] }: Question): Promise<Answer> {
  try {
    client ??= connectClient(url, schema)
    const query: QueryConfig = { text: sql, ...((values || each.length > 0) && nameOf(sql)) }
    const connected = await client
    for (const list of each.slice(0, -1)) await connected.query({ ...query, values: [...list] })
    const last = each.at(-1) ?? values
    const { rows, rowCount } = await connected.query(last === undefined ? query : { ...query, values: [...last] })
    return { rows: rows ?? [], changes: rowCount ?? 0 }
  } catch (cause) {
    const { message, code } = cause as Error & { readonly code?: string }
    return { fault: message, code }
  }
}

function nameOf(sql: string): { name?: string } {
  // Each cursor has a name of its own: its statement does not come again.
  if (sql.startsWith('DECLARE')) return {}
  const name = names.get(sql) ?? `s${names.size}`
  names.set(sql, name)
  return { name }
}
