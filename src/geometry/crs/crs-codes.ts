/** Reads the code of a coordinate system in all the forms that files and people write. */

/**
 * The name or code in the crs member of GeoJSON (before RFC 7946) or in the spatialReference of ArcGIS; undefined for other JSON,
 * such as a description of the system.
 */
export function namedByMember(text: string): string | undefined {
  if (!text.startsWith('{')) return undefined
  type Member = {
    readonly type?: unknown
    readonly properties?: { readonly name?: unknown; readonly code?: unknown; readonly href?: unknown } | null
    readonly wkid?: unknown
    readonly latestWkid?: unknown
  }
  let member: Member
  try {
    member = JSON.parse(text) as Member
  } catch {
    return undefined
  }
  const { type, properties } = member
  if (type === 'name' && typeof properties?.name === 'string') return properties.name.trim()
  // The link is never fetched: its words name the system, or it stays unknown.
  if (type === 'link' && typeof properties?.href === 'string') return properties.href.trim()
  const code = type === 'EPSG' ? properties?.code : (member.latestWkid ?? member.wkid)
  return typeof code === 'number' || typeof code === 'string' ? `EPSG:${code}` : undefined
}

const codeForms = [
  /^(?:urn:)?(?:x-)?ogc:def:crs:([a-z]+):[^:]*:([a-z0-9]+)$/i,
  // A horizontal system and one for heights: only the first is read.
  /^urn:ogc:def:crs,crs:([a-z]+):[^:]*:([a-z0-9]+),crs:/i,
  /^([a-z]+):(\d+)\+\d+$/i,
  /^https?:\/\/(?:www\.)?opengis\.net\/def\/crs\/([a-z]+)\/[^/]+\/([a-z0-9]+)$/i,
  /^https?:\/\/(?:www\.)?opengis\.net\/gml\/srs\/([a-z]+)\.xml#([0-9]+)$/i,
  /^https?:\/\/(?:www\.)?spatialreference\.org\/ref\/([a-z]+)\/(\d+)(?:\/|$)/i,
  /^https?:\/\/(?:www\.)?(epsg)\.(?:io|org)\/(?:crs_)?(\d+)(?:\D|$)/i,
  /^\+?init=([a-z]+):(\d+)$/i,
  /^([a-z]+)::?([a-z0-9]+)$/i,
]

/** The code in a text, such as EPSG:2193; undefined where the text is not a code. */
export function codeOf(text: string): string | undefined {
  if (/^\d{4,6}$/.test(text)) return `EPSG:${text}`
  if (/^crs:?84$/i.test(text)) return 'OGC:CRS84'
  for (const form of codeForms) {
    const match = form.exec(text)
    if (match !== null) return `${match[1]!}:${match[2]!}`.toUpperCase()
  }
  return undefined
}
