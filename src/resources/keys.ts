/** Makes the keys and source ids under which the service keeps the records of every farm apart. */

import { decoded } from '../core/sources/web-address.ts'
import type { Identifier, ResourceType } from './resource-type.ts'

type Parts = { readonly type: ResourceType; readonly holding: Identifier; readonly sourceId: string }

/** The key under which the service keeps a record: `{plural}/{holding scheme}/{holding id}/{source id}`, each part percent-encoded. */
export function dataPointKey({ type, holding, sourceId }: Parts): string {
  return `${startOfKeys({ type, holding })}${endOfKey(sourceId)}`
}

/** What the keys of all records of a holding begin with. */
export function startOfKeys({ type, holding }: Omit<Parts, 'sourceId'>): string {
  return `${encodePart(type.plural)}/${encodePart(holding.scheme)}/${encodePart(holding.id)}/`
}

/** What a key begins with, before the record's own id. */
export function startOf(key: string): string {
  return key.slice(0, key.lastIndexOf('/') + 1)
}

/** The holding in what its keys begin with. */
export function farmOfStart(start: string): Identifier {
  const [, scheme = '', id = ''] = start.split('/').map(idInKey)
  return { scheme, id }
}

/** How a record's key ends. */
export const endOfKey = encodePart

/**
 * The source id of a record. The id contains the holding too, because the service takes two records with one source id for the
 * same record; the scheme contains the type unless the caller gives another.
 */
export function sourceIdOf({
  type,
  holding,
  sourceId,
  scheme = `${holding.scheme}.${type.plural}`,
}: Parts & { readonly scheme?: string | undefined }): Identifier {
  return { scheme, id: `${encodePart(holding.id)}/${encodePart(sourceId)}` }
}

/** The source id at the end of a key, as a person knows it. Other programs may encode their keys otherwise, or not at all. */
export function idInKey(key: string): string {
  return decoded(key.slice(key.lastIndexOf('/') + 1))
}

/** encodeURIComponent throws at half a surrogate pair, which a damaged file can contain; `%u` cannot come from anything else. */
function encodePart(part: string): string {
  if (part.isWellFormed()) return encodeURIComponent(part)
  let encoded = ''
  for (const character of part)
    encoded += character.isWellFormed()
      ? encodeURIComponent(character)
      : `%u${character.charCodeAt(0).toString(16).toUpperCase()}`
  return encoded
}

/** The holding's id and the record's own id in a source id that `sourceIdOf` made; undefined for one of another program. */
export function partsOfSourceId(id: string): { readonly holding: string; readonly own: string } | undefined {
  const parts = id.split('/')
  if (parts.length !== 2) return undefined
  try {
    const [holding = '', own = ''] = parts.map(decodeURIComponent)
    return encodePart(holding) === parts[0] && encodePart(own) === parts[1] ? { holding, own } : undefined
  } catch {
    return undefined
  }
}
