/** Opens the layers of a GeoPackage as tables. */

import { problem, type Problem } from '../../core/problem.ts'
import type { Place, Table } from '../../core/row.ts'
import type { Source } from '../../core/sources/source.ts'
import { namesOfHeader, passesOver } from '../table-names.ts'
import { connect, holdDatabase, type HeldDatabase } from './geopackage-database.ts'
import { readContents, type Layer } from './geopackage-layers.ts'
import { columnOf, fieldsToRead, isBytes, readRows } from './geopackage-rows.ts'

/** Opens a GeoPackage: one table a layer. */
export async function openGeoPackage(source: Source): Promise<readonly Table[]> {
  const held = await holdDatabase(source)
  try {
    return tablesOf(held)
  } catch (cause) {
    await held.release()
    throw cause
  }
}

function tablesOf(held: HeldDatabase): readonly Table[] {
  using database = connect(held)
  const { layers, missing } = readContents(database, held)
  const place = { source: held.name, row: 0 }
  const known = [
    ...missing.map((message) => problem('file-inconsistent', place, { message, hint: 'Save that layer again.' })),
    ...(held.lacksLog ? [lostLog(place)] : []),
  ]
  return layers.map((layer) => tableOf(held, layer, known, layers.length === 1))
}

function lostLog(place: Place): Problem {
  const log = `${place.source}-wal`
  return problem('file-inconsistent', place, {
    message: `Programs such as QGIS keep the last changes in a second file, "${log}", while they have this one open. That file is not here, so changes may be missing.`,
    hint: 'Close the file in the program that made it, and copy it again.',
  })
}

function tableOf(held: HeldDatabase, layer: Layer, known: readonly Problem[], isOnly: boolean): Table {
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
          message: `The column "${names[index]!}" contains bytes (${field.declared}), such as pictures; its cells are left empty.`,
        })
      : [],
  )
  const early = [...known, ...notes, ...unreadable]
  return {
    name: layer.name,
    format: 'geopackage',
    crs: layer.crs,
    columns: fields.map((field, index) => columnOf(names[index]!, field)),
    hasGeometry: layer.geometry !== undefined,
    choices: [],
    ...passesOver(early, (report, signal) => readRows({ held, layer, names, at, report }, signal)),
  }
}
