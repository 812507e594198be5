/** Hides where a dataset is found by the word that somebody typed: among the datasets, or among the types of the control list. */

import type { Client } from '../../client/connection.ts'
import type { Dataset } from '../../client/streaming.ts'
import { WindrowError } from '../../core/error.ts'

/** The dataset of that name, or what the control list says of a type with that short code. */
export async function namedDataset(client: Client, name: string, signal: AbortSignal): Promise<Dataset> {
  const isCode = name.startsWith('/')
  const missing = isCode ? undefined : await client.dataset(name, signal).catch(ifMissing)
  if (missing !== undefined && !(missing instanceof WindrowError)) return missing
  const listed = (await client.control(signal)).flatMap(({ resourceTypes }) => resourceTypes)
  const found = listed.find(({ id }) => id === name || (!isCode && id.endsWith(`/${name}`)))
  if (found !== undefined) {
    const { id, changes, updates } = found
    return { name: id.slice(id.lastIndexOf('/') + 1), changes, updates, containedTypes: [id] }
  }
  const codes = [...new Set(listed.map(({ id }) => id))]
  throw (
    missing ??
    new WindrowError('option-invalid', `The control list has no type "${name}".`, {
      hint: codes.length === 0 ? 'It is empty.' : `It has: ${codes.join(', ')}.`,
    })
  )
}

function ifMissing(cause: unknown): WindrowError {
  if (cause instanceof WindrowError && cause.data['status'] === 404) return cause
  throw cause
}
