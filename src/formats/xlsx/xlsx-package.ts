/** Reads the small parts of a workbook: relationships, the list of sheets, the number formats of cells. */

import { WindrowError } from '../../core/error.ts'
import type { Member, Source } from '../../core/sources/source.ts'
import { decoded } from '../../core/sources/web-address.ts'
import { builtInFormat, general, numberFormat, type NumberFormat } from '../spreadsheet/number-format.ts'
import { attribute, nameCodes, XmlScanner, type Attributes } from '../xml.ts'
import { isTrue, utf8Chunks } from './xlsx-text.ts'

/**
 * Reads the small parts of an open workbook: where each worksheet is, how cells look, where shared texts are. Charts and macros among
 * the sheets are left out.
 */
export async function readPackage(name: string, members: readonly Member[]) {
  const find = partFinder(members)
  const bookPath = (await relationships(find, '')).find(({ type }) => type === 'officeDocument')?.target
  const path = bookPath !== undefined && find(bookPath) !== undefined ? bookPath : 'xl/workbook.xml'
  const part = find(path)
  if (part === undefined)
    throw new WindrowError('file-damaged', `"${name}" has no list of sheets; it is not a workbook, or a damaged one.`, {
      hint: 'Open it in Excel or LibreOffice and save it again.',
    })
  const related = await relationships(find, path)
  const { sheets, from1904 } = await readBook(part)
  const oneOf = (type: string): Source | undefined => {
    const target = related.find((each) => each.type === type)?.target
    return target === undefined ? undefined : find(target)
  }
  const found = sheets.flatMap((sheet) => {
    // Macro modules of Excel 5 are listed, but have no part.
    if (sheet.id === '') return []
    const relation = related.find(({ id }) => id === sheet.id)
    if (relation !== undefined && relation.type !== 'worksheet') return []
    const source = relation === undefined ? undefined : find(relation.target)
    if (source === undefined)
      throw new WindrowError(
        'file-damaged',
        `The sheet "${sheet.name}" is in the list of "${name}" but not in the file.`,
        { hint: 'Open it in Excel or LibreOffice and save it again.' },
      )
    return [{ name: sheet.name, hidden: sheet.hidden, part: source }]
  })
  const styles = oneOf('styles')
  return {
    sheets: found,
    sharedTexts: oneOf('sharedStrings'),
    formats: styles === undefined ? [] : await readFormats(styles),
    from1904,
  }
}

type FindPart = (path: string) => Source | undefined

/** Part names are the same in any case, and some programs write them with backslashes (ISO 29500-2, 6.2.2.3). */
function partFinder(members: readonly Member[]): FindPart {
  const folded = (path: string): string => path.replaceAll('\\', '/').replace(/^\/+/, '').toLowerCase()
  const parts = new Map(members.map(({ name, source }) => [folded(name), source]))
  return (path) => parts.get(folded(path)) ?? parts.get(folded(decoded(path)))
}

type Relationship = { readonly id: string; readonly type: string; readonly target: string }

async function relationships(find: FindPart, of: string): Promise<readonly Relationship[]> {
  const slash = of.lastIndexOf('/') + 1
  const folder = of.slice(0, slash)
  const part = find(`${folder}_rels/${of.slice(slash)}.rels`)
  const found: Relationship[] = []
  if (part === undefined) return found
  await readPart(part, (name, attributes, bytes) => {
    if (name !== codes.Relationship || attribute(attributes, codes.TargetMode, bytes) === 'External') return
    const id = attribute(attributes, codes.Id, bytes)
    const target = attribute(attributes, codes.Target, bytes)
    if (id === undefined || target === undefined) return
    // The last word is the same in the strict and in the transitional form.
    const type = (attribute(attributes, codes.Type, bytes) ?? '').replace(/^.*\//, '')
    found.push({ id, type, target: resolved(folder, target) })
  })
  return found
}

function resolved(folder: string, target: string): string {
  const path = target.replaceAll('\\', '/')
  const steps: string[] = path.startsWith('/') ? [] : folder.split('/').filter((step) => step !== '')
  for (const step of path.split('/'))
    if (step === '..') steps.pop()
    else if (step !== '' && step !== '.') steps.push(step)
  return steps.join('/')
}

/** Excel allows 31 letters, other programs more; longer ones would fill every message. */
const longestName = 200

type ListedSheet = { readonly name: string; readonly id: string; readonly hidden: boolean }

async function readBook(part: Source) {
  const sheets: ListedSheet[] = []
  let from1904 = false
  await readPart(part, (name, attributes, bytes) => {
    // Extensions further down have an element of the same name.
    if (name === codes.workbookPr) from1904 ||= isTrue(attribute(attributes, codes.date1904, bytes))
    else if (name === codes.sheet) {
      const state = attribute(attributes, codes.state, bytes) ?? 'visible'
      const called = attribute(attributes, codes.name, bytes)?.slice(0, longestName) ?? `sheet ${sheets.length + 1}`
      sheets.push({ name: called, id: attribute(attributes, codes.id, bytes) ?? '', hidden: state !== 'visible' })
    }
  })
  return { sheets, from1904 }
}

/** The formats of the cells, in the order of their numbers. */
async function readFormats(part: Source): Promise<readonly NumberFormat[]> {
  const own = new Map<number, NumberFormat>()
  const cells: { readonly id: number; readonly font: number }[] = []
  const struckFonts = new Set<number>()
  let fonts = -1
  let inCells = false
  let inFonts = false
  const numberIn = (of: Attributes, name: number, bytes: Buffer): number => Number(attribute(of, name, bytes) ?? 0)
  await readPart(
    part,
    (name, attributes, bytes) => {
      if (name === codes.fonts) inFonts = true
      else if (inFonts && name === codes.font) fonts += 1
      else if (inFonts && name === codes.strike) {
        if (isTrue(attribute(attributes, codes.val, bytes) ?? '1')) struckFonts.add(fonts)
      } else if (name === codes.numFmt && !inCells)
        own.set(
          Number(attribute(attributes, codes.numFmtId, bytes)),
          numberFormat(attribute(attributes, codes.formatCode, bytes) ?? ''),
        )
      else if (name === codes.cellXfs) inCells = true
      else if (inCells && name === codes.xf)
        cells.push({
          id: numberIn(attributes, codes.numFmtId, bytes),
          font: numberIn(attributes, codes.fontId, bytes),
        })
    },
    (name) => {
      if (name === codes.cellXfs) inCells = false
      else if (name === codes.fonts) inFonts = false
    },
  )
  // A file's own code for a number takes precedence: LibreOffice numbers its formats freely.
  return cells.map(({ id, font }) => {
    const format = own.get(id) ?? builtInFormat(id) ?? general
    return struckFonts.has(font) ? { ...format, isStruck: true } : format
  })
}

const codes = {
  ...nameCodes('Relationship', 'TargetMode', 'Target', 'Type', 'Id'),
  ...nameCodes('workbookPr', 'date1904', 'sheet', 'name', 'state', 'id'),
  ...nameCodes('numFmt', 'numFmtId', 'formatCode', 'cellXfs', 'xf', 'fontId', 'fonts', 'font', 'strike', 'val'),
}

async function readPart(
  part: Source,
  open: (name: number, attributes: Attributes, bytes: Buffer) => void,
  close?: (name: number) => void,
): Promise<void> {
  const scan = new XmlScanner(part.name, close === undefined ? { open } : { open, close }, { isStrict: true })
  for await (const chunk of utf8Chunks(part)) scan.push(chunk)
  scan.end()
}
