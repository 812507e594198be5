/** Finds under which key the ledger knows an item of a feed. */

import type { Database } from '../core/database.ts'
import type { Body } from './content.ts'

type KeyOfSource = (account: string, dataset: string, scheme: string, id: string) => string | undefined

/** Makes the function that finds the key under which a record with this source id is known. */
export function sourceFinder(database: Database): KeyOfSource {
  const find = database.prepare(
    'SELECT key FROM records WHERE account = ? AND dataset = ? AND source_scheme = ? AND source_id = ?',
  )
  return (account, dataset, scheme, id) =>
    (find.get(account, dataset, scheme, id) as { readonly key: string } | undefined)?.key
}

/** The identity of a feed item. A service may show a record without its key; then it is found by its source id. */
export function identityOf(item: Body, keyOfSource: (scheme: string, id: string) => string | undefined) {
  const meta = (typeof item['meta'] === 'object' && item['meta'] !== null ? item['meta'] : {}) as Body
  const listed = Array.isArray(meta['sourceId']) ? (meta['sourceId'][0] as unknown) : meta['sourceId']
  const source = (typeof listed === 'object' && listed !== null ? listed : {}) as { scheme?: unknown; id?: unknown }
  const scheme = typeof source.scheme === 'string' ? source.scheme : null
  const id = typeof source.id === 'string' ? source.id : null
  const given = item['dataPointKey']
  const bySource = scheme !== null && id !== null ? () => keyOfSource(scheme, id) ?? `${scheme}|${id}` : () => undefined
  const key = typeof given === 'string' ? given : bySource()
  if (key === undefined) return undefined
  const modified = typeof meta['modified'] === 'string' ? meta['modified'] : null
  return { key, scheme, id, modified, isDeleted: meta['isDeleted'] === true }
}
