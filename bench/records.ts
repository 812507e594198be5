/**
 * Makes benchmark tables: seeded work records of 12 columns and some 105 bytes a row, one cell in ten quoted, as CSV and as a
 * workbook like Excel's, with shared strings, styles and dates by serial number.
 */

import { join } from 'node:path'
import { fileTarget } from '../src/core/sources/target.ts'
import { zipTarget } from '../src/core/sources/zip-writer.ts'
import { chanceFrom, type Chance } from '../tools/seeded.ts'
import { writeText } from '../tools/write-text.ts'
import { madeOnce } from './made-once.ts'

/** The columns; serial ones contain whole days since 1899, the others text or numbers. */
export const columns = [
  'Record',
  'Farm',
  'Paddock',
  'Operation',
  'Product',
  'Date',
  'Area ha',
  'Rate',
  'Operator',
  'Machine',
  'Note',
  'Done',
] as const

const dateColumn = columns.indexOf('Date')
const areaColumn = columns.indexOf('Area ha')
const edition = 1
const farms = ['Rimu Farm', 'Kōwhai Station', 'Tōtara Downs', 'Ngāio Ridge Trust']
const operations = ['Spraying', 'Sowing', 'Fertiliser', 'Mowing', 'Harvest']
const operators = ['A. Tūhoe', 'M. Rangi', 'J. Holm', 'K. Weir', 'S. Pōtae']
const notes = ['', '', '', 'wind from the west, 12 km/h', 'gate "Ōtāne" left open, told the office']

/** The cells of a number of records; a date is the number of its day. */
export function* recordsOf(count: number): Generator<readonly (string | number)[]> {
  const chance = chanceFrom(1899)
  for (let index = 0; index < count; index += 1) yield record(chance, index)
}

function record(chance: Chance, index: number): readonly (string | number)[] {
  return [
    `WR-${String(index + 1).padStart(7, '0')}`,
    chance.pick(farms),
    `P${chance.whole(1, 400)}`,
    chance.pick(operations),
    `Product ${chance.whole(1, 60)}`,
    46_000 + chance.whole(0, 340),
    Math.round(chance.between(0.4, 30) * 100) / 100,
    Math.round(chance.between(1, 200) * 1000) / 1000,
    chance.pick(operators),
    `Tractor ${chance.whole(1, 30)}`,
    chance.pick(notes),
    chance.pick(['yes', 'no']),
  ]
}

/** The path of the records as CSV, made when missing; changed, the area of one in a hundred is another. */
export function csvOf(folder: string, count: number, { changed = false } = {}): Promise<string> {
  const path = join(folder, `records-${count}${changed ? '-changed' : ''}-${edition}.csv`)
  return madeOnce(path, (part) => writeText(part, csvLines(count, changed)))
}

function* csvLines(count: number, changed: boolean): Generator<string> {
  yield `${columns.join(',')}\n`
  let index = 0
  for (const made of recordsOf(count)) {
    const cells = changed && index % 100 === 0 ? made.with(areaColumn, Number(made[areaColumn]) + 1) : made
    index += 1
    const written = cells.map((cell, column) => csvCell(column === dateColumn ? dayOf(cell as number) : cell, column))
    yield `${written.join(',')}\n`
  }
}

function dayOf(serial: number): string {
  return new Date(Date.UTC(1899, 11, 30 + serial)).toISOString().slice(0, 10)
}

/** Every product is quoted without need, as some programs do; notes only where necessary. */
function csvCell(cell: string | number, column: number): string {
  const text = String(cell)
  return column === 4 || /[",]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

const types = 'http://schemas.openxmlformats.org/package/2006/content-types'
const relations = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'
const main = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main'
const part = 'application/vnd.openxmlformats-officedocument.spreadsheetml'
const declaration = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'

/** The path of the records as a workbook, made when missing. */
export function workbookOf(folder: string, count: number): Promise<string> {
  return madeOnce(join(folder, `records-${count}-${edition}.xlsx`), async (path) => {
    const target = await fileTarget(path)
    const zip = zipTarget(target, { level: 6 })
    const strings = new Map<string, number>()
    for (const [name, text] of Object.entries(frame)) await zip.add(name, chunksOf([declaration, text]))
    await zip.add('xl/worksheets/sheet1.xml', sheetOf(count, strings))
    await zip.add('xl/sharedStrings.xml', stringsOf(strings, count))
    await zip.finish()
    await target.commit()
  })
}

const frame: Readonly<Record<string, string>> = {
  '[Content_Types].xml': `<Types xmlns="${types}"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Override PartName="/xl/workbook.xml" ContentType="${part}.sheet.main+xml"/><Override PartName="/xl/worksheets/sheet1.xml" ContentType="${part}.worksheet+xml"/><Override PartName="/xl/styles.xml" ContentType="${part}.styles+xml"/><Override PartName="/xl/sharedStrings.xml" ContentType="${part}.sharedStrings+xml"/></Types>`,
  '_rels/.rels': `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="rId1" Type="${relations}/officeDocument" Target="xl/workbook.xml"/></Relationships>`,
  'xl/workbook.xml': `<workbook xmlns="${main}" xmlns:r="${relations}"><sheets><sheet name="Records" sheetId="1" r:id="rId1"/></sheets></workbook>`,
  'xl/_rels/workbook.xml.rels': `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="rId1" Type="${relations}/worksheet" Target="worksheets/sheet1.xml"/><Relationship Id="rId2" Type="${relations}/styles" Target="styles.xml"/><Relationship Id="rId3" Type="${relations}/sharedStrings" Target="sharedStrings.xml"/></Relationships>`,
  'xl/styles.xml': `<styleSheet xmlns="${main}"><fonts count="1"><font><sz val="11"/><name val="Calibri"/></font></fonts><fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill></fills><borders count="1"><border/></borders><cellStyleXfs count="1"><xf/></cellStyleXfs><cellXfs count="2"><xf numFmtId="0"/><xf numFmtId="14" applyNumberFormat="1"/></cellXfs></styleSheet>`,
}

async function* sheetOf(count: number, strings: Map<string, number>): AsyncGenerator<string> {
  const letters = columns.map((_, index) => String.fromCharCode(65 + index))
  const shared = (text: string): number => {
    const known = strings.get(text) ?? strings.size
    strings.set(text, known)
    return known
  }
  const row = (number: number, cells: readonly (string | number)[]): string => {
    const written = cells.map((cell, column) => {
      if (cell === '') return ''
      const at = `r="${letters[column]!}${number}"`
      if (typeof cell === 'string') return `<c ${at} t="s"><v>${shared(cell)}</v></c>`
      return `<c ${at}${column === dateColumn ? ' s="1"' : ''}><v>${cell}</v></c>`
    })
    return `<row r="${number}" spans="1:${cells.length}">${written.join('')}</row>`
  }
  let text = `${declaration}<worksheet xmlns="${main}"><dimension ref="A1:L${count + 1}"/><sheetData>${row(1, columns)}`
  let number = 1
  for (const cells of recordsOf(count)) {
    text += row((number += 1), cells)
    if (text.length < 1 << 18) continue
    yield text
    text = ''
  }
  yield `${text}</sheetData><pageMargins left="0.7" right="0.7" top="0.75" bottom="0.75" header="0.3" footer="0.3"/></worksheet>`
}

async function* stringsOf(strings: ReadonlyMap<string, number>, count: number): AsyncGenerator<string> {
  let text = `${declaration}<sst xmlns="${main}" count="${count * 8}" uniqueCount="${strings.size}">`
  for (const each of strings.keys()) {
    text += `<si><t>${each.replaceAll('&', '&amp;').replaceAll('<', '&lt;')}</t></si>`
    if (text.length < 1 << 18) continue
    yield text
    text = ''
  }
  yield `${text}</sst>`
}

async function* chunksOf(texts: readonly string[]): AsyncGenerator<string> {
  yield* texts
}
