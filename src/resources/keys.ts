/** Hides how a record is told from every other record of every farm. */

import type { Identifier, ResourceType } from './resource-type.ts'

/** The key under which the service keeps a record: `{plural}/{holding scheme}/{holding id}/{source id}`, each part percent-encoded. */
export function dataPointKey(parts: {
  readonly type: ResourceType
  readonly holding: Identifier
  readonly sourceId: string
}): string {
  const { type, holding, sourceId } = parts
  return [type.plural, holding.scheme, holding.id, sourceId].map(encodePart).join('/')
}

/**
 * The source id of a record. The id names the holding too, because the service takes two records with one source id for the
 * same record; the scheme names the type unless the caller gives another.
 */
export function sourceIdOf(parts: {
  readonly type: ResourceType
  readonly holding: Identifier
  readonly sourceId: string
  readonly scheme?: string
}): Identifier {
  const { type, holding, sourceId, scheme = `${holding.scheme}.${type.plural}` } = parts
  return { scheme, id: `${encodePart(holding.id)}/${encodePart(sourceId)}` }
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
