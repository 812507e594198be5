/** Recognises KML, loose or packed as KMZ, and defines its options. */

import { strictObject } from '../core/object-schema.ts'
import type { Format, Probe } from './format.ts'
import { headText } from './recognise.ts'

/** KML by the OGC standard with Google's additions, and zips of it. */
export const kml: Format = {
  name: 'kml',
  title: 'KML and KMZ',
  extensions: ['.kml', '.kmz'],
  options: strictObject([], {
    encoding: { type: 'string', description: 'The text encoding, if not the one the file declares.' },
  }),
  recognise,
  open: async (source, options) => (await import('./kml/open-kml.ts')).openKml(source, options, false),
  look: async (source, options) => (await import('./kml/open-kml.ts')).openKml(source, options, true),
  write: async (tables, target) => (await import('./kml/write-kml.ts')).writeKml(tables, target),
}

function recognise({ name, head, members }: Probe): boolean {
  // Other zips are searched file by file.
  if (members !== undefined)
    return members.some((member) => (/\.kmz$/i.test(name) ? /\.kml$/i : /^doc\.kml$/i).test(member))
  const text = headText(head)
  return /^\s*</.test(text) && (/<(?:\w+:)?kml[\s>]/.test(text) || (/\.kml$/i.test(name) && !/<html\b/i.test(text)))
}
