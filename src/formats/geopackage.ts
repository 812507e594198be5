/** Hides the GeoPackage: a SQLite file that holds several layers, each with its own coordinate system. */

import { problem, type Problem } from '../core/problem.ts'
import type { Place, Table } from '../core/row.ts'
import type { Source } from '../core/source.ts'
import type { Format, Probe } from './format.ts'
import { connect, holdDatabase, type HeldDatabase } from './geopackage/database.ts'
import { readContents, type Layer } from './geopackage/layers.ts'
import { columnOf, fieldsToRead, isBytes, readRows } from './geopackage/rows.ts'
import { namesOfHeader } from './table.ts'

/** GeoPackages by the standard of the OGC, each layer of features or attributes a table. */
export const geopackage: Format = {
  name: 'geopackage',
  title: 'GeoPackage',
  extensions: ['.gpkg'],
  options: { type: 'object', properties: {}, additionalProperties: false },
  recognise,
  open: openGeoPackage,
}

/** The mark of an application in the header of a SQLite file, as GeoPackages had it from version 1.0 on. */
const marks = new Set(['GPKG', 'GP10', 'GP11'])

function recognise({ name, head }: Probe): boolean {
  const text = Buffer.from(head.subarray(0, 72)).toString('latin1')
  return text.startsWith('SQLite format 3\0') && (marks.has(text.slice(68, 72)) || /\.gpkg$/i.test(name))
}

async function openGeoPackage(source: Source): Promise<readonly Table[]> {
  const held = await holdDatabase(source)
  try {
    return tablesOf(held)
  } catch (cause) {
    await held.release()
    throw cause
  }
}

function tablesOf(held: HeldDatabase): readonly Table[] {
  const database = connect(held)
  try {
    const { layers, missing } = readContents(database, held)
    const known = missing.map((message) =>
      problem('file-inconsistent', { source: held.name, row: 0 }, { message, hint: 'Save that layer again.' }),
    )
    return layers.map((layer) => tableOf(held, layer, { known, isOnly: layers.length === 1 }))
  } finally {
    database.close()
  }
}

function tableOf(
  held: HeldDatabase,
  layer: Layer,
  { known, isOnly }: { readonly known: readonly Problem[]; readonly isOnly: boolean },
): Table {
  const at = (row: number): Place =>
    isOnly ? { source: held.name, row } : { source: held.name, layer: layer.name, row }
  const fields = fieldsToRead(layer)
  const { names, notes } = namesOfHeader(
    fields.map(({ name }) => name),
    at(0),
  )
  const unreadable = fields.flatMap((field, index) =>
    isBytes(field)
      ? problem('column-unreadable', at(0), {
          column: names[index]!,
          message: `The column "${names[index]!}" holds bytes (${field.declared}), such as pictures; its cells are left empty.`,
        })
      : [],
  )
  const early = [...known, ...notes, ...unreadable]
  let late: Problem[] = []
  return {
    name: layer.name,
    format: 'geopackage',
    ...(layer.crs === undefined ? {} : { crs: layer.crs }),
    columns: fields.map((field, index) => columnOf(names[index]!, field)),
    hasGeometry: layer.geometry !== undefined,
    decisions: [],
    batches(signal) {
      late = []
      const found = late
      return readRows({ held, layer, names, at, report: (each) => found.push(each) }, signal)
    },
    found: () => [...early, ...late],
  }
}
