/** Finds a dataset by name, or a type of the control list. */

import type { Client } from '../../client/connection.ts'
import type { Dataset } from '../../client/streaming.ts'
import { WindrowError } from '../../core/error.ts'

/** The dataset with this name, else the type of the control list with this short code. */
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
    new WindrowError('option-invalid', `The account has no type "${name}".`, {
      hint: codes.length === 0 ? 'It has no types at all.' : `It has: ${codes.join(', ')}.`,
    })
  )
}

function ifMissing(cause: unknown): WindrowError {
  if (cause instanceof WindrowError && cause.data['status'] === 404) return cause
  throw cause
}
