/** Hides the shapefile: several files that are one, loose or in a zip, read as rows and written as a zip. */

import { membersOf } from '../core/container.ts'
import type { Table } from '../core/row.ts'
import type { Source } from '../core/source.ts'
import { openZip } from '../core/zip.ts'
import type { Format, FormatOptions, Probe } from './format.ts'
import { isGeometryFile } from './shapefile/geometry-file.ts'
import { openLayer } from './shapefile/layer.ts'
import { layersIn, looseLayer } from './shapefile/members.ts'
import { writeShapefile } from './shapefile/write.ts'

/** Shapefiles: a .shp with its .dbf and .prj, or a zip with one or several of them. */
export const shapefile: Format = {
  name: 'shapefile',
  title: 'Shapefile (.shp with .dbf and .prj, or a zip or folder of them)',
  extensions: ['.shp', '.dbf', '.shx', '.zip'],
  options: {
    type: 'object',
    properties: {
      encoding: { type: 'string', description: 'How the text is encoded, such as utf-8 or windows-1252.' },
      cut: {
        type: 'boolean',
        description:
          'When writing: cut text that is longer than the 254 bytes a shapefile can hold, instead of refusing it.',
      },
    },
    additionalProperties: false,
  },
  readsFolders: true,
  recognise,
  open: openShapefile,
  write: writeShapefile,
}

function recognise({ name, head, members }: Probe): boolean {
  if (members !== undefined) return members.some((member) => /\.shp$/i.test(member))
  if (isGeometryFile(head)) return true
  const bytes = Buffer.from(head)
  return /\.dbf$/i.test(name) && bytes.length > 32 && bytes.readUInt16LE(8) > 32 && bytes.readUInt16LE(10) > 0
}

async function openShapefile(source: Source, options: FormatOptions): Promise<readonly Table[]> {
  // A file that is only called .zip gets the sentence of the one who reads zips.
  const members =
    (await membersOf(source)) ?? (/\.zip$/i.test(source.name) ? (await openZip(source)).members : undefined)
  const layers =
    members === undefined ? [await looseLayer(source, await source.read(0, 4))] : layersIn(source.name, members)
  return Promise.all(layers.map((files) => openLayer(files, options.encoding as string | undefined)))
}
