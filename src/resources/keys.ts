/** Hides how a record is told from every other record of every farm. */

import type { Identifier, ResourceType } from './resource-type.ts'

type Parts = { readonly type: ResourceType; readonly holding: Identifier; readonly sourceId: string }

/** The key under which the service keeps a record: `{plural}/{holding scheme}/{holding id}/{source id}`, each part percent-encoded. */
export function dataPointKey({ type, holding, sourceId }: Parts): string {
  return frontOf(type, holding).ofKey + encodePart(sourceId)
}

/**
 * The source id of a record. The id names the holding too, because the service takes two records with one source id for the
 * same record; the scheme names the type unless the caller gives another.
 */
export function sourceIdOf({
  type,
  holding,
  sourceId,
  scheme,
}: Parts & { readonly scheme?: string | undefined }): Identifier {
  const front = frontOf(type, holding)
  return { scheme: scheme ?? front.scheme, id: front.ofId + encodePart(sourceId) }
}

/** The source id at the end of a key, as a person knows it. Keys that others made may be encoded otherwise, or not at all. */
export function idInKey(key: string): string {
  const part = key.slice(key.lastIndexOf('/') + 1)
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}

/** What the keys and source ids of a holding's records of one type begin with, and the scheme of these. */
type Front = Omit<Parts, 'sourceId'> & { readonly ofKey: string; readonly ofId: string; readonly scheme: string }

let last: Front | undefined

/** Records of one holding follow each other; making it for each took half the time of a key. */
function frontOf(type: ResourceType, holding: Identifier): Front {
  if (last?.type === type && last.holding.id === holding.id && last.holding.scheme === holding.scheme) return last
  const id = encodePart(holding.id)
  last = {
    type,
    holding,
    ofKey: `${encodePart(type.plural)}/${encodePart(holding.scheme)}/${id}/`,
    ofId: `${id}/`,
    scheme: `${holding.scheme}.${type.plural}`,
  }
  return last
}

/** encodeURIComponent throws at half a surrogate pair, which a damaged file can hold; `%u` cannot come from anything else. */
function encodePart(part: string): string {
  // Most parts need no encoding, and seeing that takes a tenth of the time.
  if (/^[\w.~-]*$/.test(part)) return part
  if (part.isWellFormed()) return encodeURIComponent(part)
  let encoded = ''
  for (const character of part)
    encoded += character.isWellFormed()
      ? encodeURIComponent(character)
      : `%u${character.charCodeAt(0).toString(16).toUpperCase()}`
  return encoded
}
