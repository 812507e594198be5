/** Writes a table as GeoJSON by RFC 7946: longitude and latitude, no crs member, one feature per line. */

import type { CrsClue, Row } from '../../core/row.ts'
import { TextBytes } from '../../core/shapes/text-bytes.ts'
import { writeGeometry } from '../../core/shapes/geometry-text.ts'
import { hasFiniteCoordinates } from '../../core/shape.ts'
import type { Target } from '../../core/sources/target.ts'
import type { FormatOptions, OutTable, Written } from '../format.ts'
import { cellOf, onlyTable, unwritableNotes } from '../table-names.ts'

const writeBytes = 1 << 18

/** Writes one table: a feature collection, or a sequence of features if the file's extension is that of a sequence. */
export async function writeGeoJson(
  tables: readonly OutTable[],
  target: Target,
  options: FormatOptions,
): Promise<Written> {
  const table = onlyTable(tables, 'GeoJSON', ['crs member'])
  const decimals = options.decimals as number | undefined
  const layout = layoutFor(target.name, table.crs)
  const propertiesOf = propertiesWriter(table.columns.map((column) => column.name))
  const out = new TextBytes(writeBytes + (1 << 16))
  out.text(layout.begin)
  let rows = 0
  let unwritable = 0
  for await (const batch of table.rows()) {
    for (const row of batch) {
      const id = row.id === undefined ? '' : `"id":${JSON.stringify(row.id)},`
      out.text(rows === 0 ? layout.first : layout.between)
      out.text(`{"type":"Feature",${id}"properties":${propertiesOf(row)},"geometry":`)
      const isWritable = row.shape === undefined || row.shape === null || hasFiniteCoordinates(row.shape)
      if (!isWritable) unwritable += 1
      if (isWritable && row.shape) writeGeometry(out, row.shape, decimals)
      else out.text('null')
      out.text('}')
      rows += 1
      if (out.at >= writeBytes) await target.write(out.take())
    }
  }
  out.text(rows === 0 ? layout.emptyEnd : layout.end)
  await target.write(out.take())
  return { rows: { [table.name]: rows }, notes: unwritableNotes(unwritable) }
}

function layoutFor(fileName: string, crs: CrsClue | undefined) {
  // The record separator of RFC 8142 belongs to its own extension; the others are read line by line.
  if (/\.(geojsons|geojsonseq)$/i.test(fileName))
    return { begin: '', first: '\x1e', between: '\n\x1e', end: '\n', emptyEnd: '' }
  if (/\.(geojsonl|ndjson|jsonl)$/i.test(fileName))
    return { begin: '', first: '', between: '\n', end: '\n', emptyEnd: '' }
  // Rows that go back to their program keep its coordinate system, in the crs member from before RFC 7946.
  const named =
    crs?.from === 'crs member' ? `"crs":{"type":"name","properties":{"name":${JSON.stringify(crs.text)}}},` : ''
  const begin = `{"type":"FeatureCollection",${named}"features":[`
  return { begin, first: '\n', between: ',\n', end: '\n]}\n', emptyEnd: ']}\n' }
}

function propertiesWriter(names: readonly string[]): (row: Row) => string {
  const members = names.map((name) => ({ key: `${JSON.stringify(name)}:`, read: cellOf(name) }))
  return ({ values }) => {
    let text = ''
    for (const { key, read } of members) {
      const value = read(values)
      // An absent cell stays absent; a blank one is written.
      if (value !== undefined) text += `${text === '' ? '' : ','}${key}${JSON.stringify(value)}`
    }
    return `{${text}}`
  }
}
