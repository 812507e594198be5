/** Hides how a table becomes GeoJSON by RFC 7946: longitude and latitude, no crs member, one feature a line. */

import type { CrsClue, Row } from '../../core/row.ts'
import { geometryText } from '../../core/shape-geojson.ts'
import type { Target } from '../../core/target.ts'
import type { OutTable, Written } from '../format.ts'
import { cellOf, onlyTable } from '../table.ts'

const writeChars = 1 << 17

/** Writes one table: a feature collection, or a sequence of features where the name of the file ends like one. */
export async function writeGeoJson(tables: readonly OutTable[], target: Target): Promise<Written> {
  const table = onlyTable(tables, 'GeoJSON', ['crs member'])
  const layout = layoutFor(target.name, table.crs)
  const propertiesOf = propertiesWriter(table.columns.map((column) => column.name))
  let text = layout.begin
  let rows = 0
  let unwritable = 0
  for await (const batch of table.rows()) {
    for (const row of batch) {
      let geometry = geometryOf(row)
      if (geometry === undefined) {
        unwritable += 1
        geometry = 'null'
      }
      text += `${rows === 0 ? layout.first : layout.between}{"type":"Feature","properties":${propertiesOf(row)},"geometry":${geometry}}`
      rows += 1
      if (text.length < writeChars) continue
      await target.write(text)
      text = ''
    }
  }
  await target.write(text + (rows === 0 ? layout.emptyEnd : layout.end))
  const notes =
    unwritable === 0 ? [] : [`${unwritable} boundaries hold coordinates that are not numbers and were left out.`]
  return { path: target.path, bytes: target.position, rows: { [table.name]: rows }, notes }
}

type Layout = {
  readonly begin: string
  readonly first: string
  readonly between: string
  readonly end: string
  readonly emptyEnd: string
}

function layoutFor(fileName: string, crs: CrsClue | undefined): Layout {
  // The record separator of RFC 8142 goes with its own extension; the others are read line by line.
  if (/\.(geojsons|geojsonseq)$/i.test(fileName))
    return { begin: '', first: '\x1e', between: '\n\x1e', end: '\n', emptyEnd: '' }
  if (/\.(geojsonl|ndjson|jsonl)$/i.test(fileName))
    return { begin: '', first: '', between: '\n', end: '\n', emptyEnd: '' }
  // Rows that go back to the program they came from keep its coordinate system, in the member from before RFC 7946.
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

/** The geometry as text; nothing where a coordinate is not a number, which JSON cannot hold. */
function geometryOf({ shape }: Row): string | undefined {
  if (shape === null || shape === undefined) return 'null'
  const text = geometryText(shape)
  return /NaN|Infinity/.test(text) ? undefined : text
}
