/** Recognises shapefiles, several files that belong together, loose or in a zip, and defines their options. */

import { strictObject } from '../core/object-schema.ts'
import type { Format, Probe } from './format.ts'
import { isGeometryFile } from './recognise.ts'

/** Shapefiles: a .shp with its .dbf and .prj, or a zip with one or several of them. */
export const shapefile: Format = {
  name: 'shapefile',
  title: 'Shapefile (.shp with .dbf and .prj, or a zip or folder of them)',
  extensions: ['.shp', '.dbf', '.shx', '.zip'],
  writtenAs: ['.zip'],
  options: strictObject([], {
    encoding: { type: 'string', description: 'The text encoding, such as utf-8 or windows-1252.' },
    cut: {
      type: 'boolean',
      writeOnly: true,
      description: 'When writing: cut text longer than the 254 bytes a shapefile can store, instead of refusing it.',
    },
  }),
  readsFolders: true,
  namesCrs: true,
  recognise,
  open: async (source, options) =>
    (await import('./shapefile/open-shapefile.ts')).openShapefile(source, options, false),
  look: async (source, options) => (await import('./shapefile/open-shapefile.ts')).openShapefile(source, options, true),
  write: async (tables, target, options) =>
    (await import('./shapefile/write-shapefile.ts')).writeShapefile(tables, target, options),
}

function recognise({ name, head, members }: Probe): boolean {
  if (members !== undefined) return members.some((member) => /\.shp$/i.test(member))
  if (isGeometryFile(head)) return true
  const bytes = Buffer.from(head)
  return /\.dbf$/i.test(name) && bytes.length > 32 && bytes.readUInt16LE(8) > 32 && bytes.readUInt16LE(10) > 0
}
