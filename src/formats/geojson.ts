/** Recognises GeoJSON and defines its options. */

import { strictObject } from '../core/object-schema.ts'
import { mostDecimals } from '../core/shapes/text-bytes.ts'
import { looksLikeText } from '../core/sources/text.ts'
import type { Format, Probe } from './format.ts'
import { headText } from './recognise.ts'

/** GeoJSON by RFC 7946 and the version before it, sequences by RFC 8142 or with one feature per line, and bare lists of features. */
export const geojson: Format = {
  name: 'geojson',
  title: 'GeoJSON',
  extensions: ['.geojson', '.json', '.geojsonl', '.ndjson', '.geojsons', '.geojsonseq', '.jsonl'],
  isText: true,
  options: strictObject([], {
    encoding: { type: 'string', description: 'The text encoding, if not UTF-8.' },
    decimals: {
      type: 'integer',
      minimum: 0,
      maximum: mostDecimals,
      writeOnly: true,
      description: 'When writing: the most decimals of a coordinate; all of them if left out.',
    },
  }),
  recognise,
  open: async (source, options) => (await import('./geojson/open-geojson.ts')).openGeoJson(source, options),
  write: async (tables, target, options) =>
    (await import('./geojson/write-geojson.ts')).writeGeoJson(tables, target, options),
}

function recognise({ name, head, members }: Probe): boolean {
  if (members !== undefined || !looksLikeText(head)) return false
  const text = headText(head).replace(/^[\s\x1e]+/, '')
  // A list of features; a list of anything else is no map.
  if (/^\[\s*\{/.test(text)) return /"type"\s*:\s*"Feature"/.test(text) && !text.includes('"FeatureCollection"')
  if (!text.startsWith('{')) return text === '' && /\.(geojson[ls]?|geojsonseq|ndjson)$/i.test(name)
  if (/\.(geojson[ls]?|geojsonseq|ndjson)$/i.test(name)) return true
  return /"type"\s*:\s*"(Feature|(Multi)?(Point|LineString|Polygon)|GeometryCollection|Topology)|"features"\s*:/.test(
    text,
  )
}
