/** Writes tables as KML, or packed as KMZ: a folder for each table, coloured by crop, with each row's facts in its balloon. */

import type { Column, Row, Value } from '../../core/row.ts'
import { firstRingOf, hasFiniteCoordinates, startOf, type Shape } from '../../core/shape.ts'
import type { Target } from '../../core/sources/target.ts'
import { zipTarget } from '../../core/sources/zip-writer.ts'
import type { OutTable, Written } from '../format.ts'
import { cellOf, checkDegrees, textOf, unwritableNotes } from '../table-names.ts'

/** Writes one document. The name decides whether it is packed. */
export async function writeKml(tables: readonly OutTable[], target: Target): Promise<Written> {
  for (const table of tables) checkDegrees(table, 'KML')
  const tally: Tally = { rows: {}, unusable: 0 }
  if (/\.kmz$/i.test(target.name)) {
    const zip = zipTarget(target)
    await zip.add('doc.kml', documentOf(tables, tally))
    await zip.finish()
  } else for await (const text of documentOf(tables, tally)) await target.write(text)
  return { rows: tally.rows, notes: unwritableNotes(tally.unusable) }
}

type Tally = { readonly rows: Record<string, number>; unusable: number }

async function* documentOf(tables: readonly OutTable[], tally: Tally): AsyncGenerator<string> {
  const title = tables.map(({ name }) => name).join(', ')
  yield `<?xml version="1.0" encoding="UTF-8"?>\n<kml xmlns="http://www.opengis.net/kml/2.2"><Document><name>${escaped(title)}</name>\n`
  yield [...colours.map((colour, index) => style(`crop-${index}`, colour)), style('no-crop', noCropColour)].join('')
  yield tables.map((table, index) => schema(`table-${index}`, table)).join('')
  for (const [index, table] of tables.entries()) {
    yield `<Folder><name>${escaped(table.name)}</name>\n`
    const placemarkOf = placemarkWriter(table, `table-${index}`)
    let rows = 0
    for await (const batch of table.rows()) {
      rows += batch.length
      yield batch.map((row) => placemarkOf(row, tally)).join('')
    }
    tally.rows[table.name] = rows
    yield '</Folder>\n'
  }
  yield '</Document></kml>\n'
}

/** Colours that differ on a satellite image, as KML writes them: blue, green, red. */
const colours = ['4b19e6', '4bb43c', '19e1ff', 'd86343', '3182f5', 'b41e91', 'f4d442', 'e632f0', '45efbf', 'bed4fa', '909946', 'ffbedc'] // oxfmt-ignore
const noCropColour = 'dddddd'

function style(id: string, colour: string): string {
  return `<Style id="${id}"><IconStyle><color>ff${colour}</color></IconStyle><LineStyle><color>ff${colour}</color><width>2</width></LineStyle><PolyStyle><color>66${colour}</color></PolyStyle></Style>\n`
}

/** The same crop has the same colour in every file. */
function styleOf(crop: Value): string {
  if (crop === null || crop === undefined || crop === '') return 'no-crop'
  let code = 0
  for (const letter of textOf(crop).trim().toLowerCase()) code = (code * 31 + letter.codePointAt(0)!) % 1_000_003
  return `crop-${code % colours.length}`
}

const schemaTypes: Partial<Record<NonNullable<Column['type']>, string>> = {
  integer: 'int',
  number: 'double',
  boolean: 'bool',
}

/** GDAL finds the schema of a folder by the same name. */
function schema(id: string, { name: title, columns }: OutTable): string {
  const fields = columns.map(({ name, type = 'text' }) => `<SimpleField name="${escaped(name)}" type="${schemaTypes[type] ?? 'string'}"/>`) // oxfmt-ignore
  return `<Schema id="${id}" name="${escaped(title)}">${fields.join('')}</Schema>\n`
}

function placemarkWriter({ columns, hasGeometry }: OutTable, schemaId: string): (row: Row, tally: Tally) => string {
  const cells = columns.map(({ name, type }) => ({ name: escaped(name), type, read: cellOf(name) }))
  const named = columns.find(({ name }) => /^name$/i.test(name)) ?? columns.find(({ type }) => type === 'text')
  // The name of the crop, in the words of windrow's own exports or of most other tables.
  const crop = columns.find(({ name }) => /^crop(?: 1)?(?: name)?$/i.test(name))
  const cellIn = (column: Column | undefined) => (column === undefined ? () => undefined : cellOf(column.name))
  const [nameOf, cropOf] = [cellIn(named), cellIn(crop)] as const
  return ({ values, shape }, tally) => {
    const isUsable = hasGeometry && shape !== undefined && shape !== null && hasFiniteCoordinates(shape)
    if (hasGeometry && shape && !isUsable) tally.unusable += 1
    let data = ''
    let table = ''
    for (const { name, type, read } of cells) {
      const value = read(values)
      if (value === null || value === undefined || value === '') continue
      const text = escaped(textOf(value))
      // GDAL and QGIS read a bool as a number: for them, "true" is 0.
      const fact = type === 'boolean' && typeof value === 'boolean' ? Number(value) : text
      data += `<SimpleData name="${name}">${fact}</SimpleData>`
      table += `<tr><th align="left">${name}</th><td>${text}</td></tr>`
    }
    const name = nameOf(values)
    const title = name === null || name === undefined ? '' : `<name>${escaped(textOf(name))}</name>`
    const facts =
      data === ''
        ? ''
        : `<description><![CDATA[<table>${table}</table>]]></description><styleUrl>#${styleOf(cropOf(values))}</styleUrl><ExtendedData><SchemaData schemaUrl="#${schemaId}">${data}</SchemaData></ExtendedData>`
    return `<Placemark>${title}${facts}${isUsable ? geometryOf(shape) : ''}</Placemark>\n`
  }
}

/** Text that is safe in XML and, as the same letters, in the page of a balloon. */
function escaped(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, '')
}

function geometryOf(shape: Shape): string {
  const pieces = piecesOf(shape)
  return pieces.length === 1 ? pieces[0]! : `<MultiGeometry>${pieces.join('')}</MultiGeometry>`
}

function piecesOf(shape: Shape): readonly string[] {
  const { kind, coordinates, ends, parts, members = [] } = shape
  const line = (index: number): string => coordinatesOf(shape, startOf(shape, index), ends[index]!)
  switch (kind) {
    case 'Point':
    case 'MultiPoint':
      return Array.from(
        { length: coordinates.length / 2 },
        (_, vertex) => `<Point>${coordinatesOf(shape, vertex, vertex + 1)}</Point>`,
      )
    case 'LineString':
    case 'MultiLineString':
      return ends.map((_, index) => `<LineString>${line(index)}</LineString>`)
    case 'Polygon':
    case 'MultiPolygon':
      return parts.map((end, part) => {
        const first = firstRingOf(shape, part)
        const rings = ends.slice(first, end).map((_, index) => {
          const place = index === 0 ? 'outerBoundaryIs' : 'innerBoundaryIs'
          return `<${place}><LinearRing>${line(first + index)}</LinearRing></${place}>`
        })
        return `<Polygon>${rings.join('')}</Polygon>`
      })
    case 'GeometryCollection':
      return members.flatMap(piecesOf)
  }
}

function coordinatesOf({ coordinates, z }: Shape, from: number, to: number): string {
  let text = ''
  for (let vertex = from; vertex < to; vertex += 1)
    text += `${vertex === from ? '' : ' '}${coordinates[vertex * 2]!},${coordinates[vertex * 2 + 1]!}${z === undefined ? '' : `,${z[vertex]!}`}`
  return `<coordinates>${text}</coordinates>`
}
