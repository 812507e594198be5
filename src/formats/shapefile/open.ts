/** Hides how a shapefile is opened: which files belong together, loose or in a zip. */

import { membersOf } from '../../core/container.ts'
import type { Table } from '../../core/row.ts'
import type { Source } from '../../core/source.ts'
import { openZip } from '../../core/zip.ts'
import type { FormatOptions } from '../format.ts'
import { openLayer } from './layer.ts'
import { layersIn, looseLayer } from './members.ts'

/** Opens a shapefile, or all of a zip or folder, as a table for each layer. */
export async function openShapefile(source: Source, options: FormatOptions): Promise<readonly Table[]> {
  // A file that is only called .zip gets the sentence of the one who reads zips.
  const members =
    (await membersOf(source)) ?? (/\.zip$/i.test(source.name) ? (await openZip(source)).members : undefined)
  const layers =
    members === undefined ? [await looseLayer(source, await source.read(0, 4))] : layersIn(source.name, members)
  return Promise.all(layers.map((files) => openLayer(files, options.encoding as string | undefined)))
}
