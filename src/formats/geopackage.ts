/** Recognises GeoPackages: SQLite files with several layers, each with its own coordinate system. */

import { strictObject } from '../core/object-schema.ts'
import type { Format, Probe } from './format.ts'

/** GeoPackages by the OGC standard; each layer of features or attributes is a table. */
export const geopackage: Format = {
  name: 'geopackage',
  title: 'GeoPackage',
  extensions: ['.gpkg'],
  namesCrs: true,
  options: strictObject([], {}),
  recognise,
  // Loaded late: a CSV does not need SQLite.
  open: async (source) => (await import('./geopackage/open-geopackage.ts')).openGeoPackage(source),
  write: async (tables, target) => (await import('./geopackage/write-geopackage.ts')).writeGeoPackage(tables, target),
}

/** The application id in the header of a SQLite file, which GeoPackages have since version 1.0. */
const marks = new Set(['GPKG', 'GP10', 'GP11'])

function recognise({ name, head }: Probe): boolean {
  const text = Buffer.from(head.subarray(0, 72)).toString('latin1')
  return text.startsWith('SQLite format 3\0') && (marks.has(text.slice(68, 72)) || /\.gpkg$/i.test(name))
}
