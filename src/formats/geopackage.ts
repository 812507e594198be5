/** Hides the GeoPackage: a SQLite file that holds several layers, each with its own coordinate system. */

import type { Format, Probe } from './format.ts'

/** GeoPackages by the standard of the OGC, each layer of features or attributes a table. */
export const geopackage: Format = {
  name: 'geopackage',
  title: 'GeoPackage',
  extensions: ['.gpkg'],
  options: { type: 'object', properties: {}, additionalProperties: false },
  recognise,
  // Node 22 warns of its SQLite as soon as that is loaded, which must not happen to whoever reads a CSV.
  open: async (source) => (await import('./geopackage/open-geopackage.ts')).openGeoPackage(source),
}

/** The mark of an application in the header of a SQLite file, as GeoPackages had it from version 1.0 on. */
const marks = new Set(['GPKG', 'GP10', 'GP11'])

function recognise({ name, head }: Probe): boolean {
  const text = Buffer.from(head.subarray(0, 72)).toString('latin1')
  return text.startsWith('SQLite format 3\0') && (marks.has(text.slice(68, 72)) || /\.gpkg$/i.test(name))
}
