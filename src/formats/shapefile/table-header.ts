/** Reads the header of a .dbf in the dialects of dBASE and FoxPro: its fields, and where the rows really are. */

import { WindrowError } from '../../core/error.ts'
import type { Source } from '../../core/sources/source.ts'
import type { CellKind } from './shapefile-cell.ts'

/** One field as the header describes it; `at` counts from the start of the row. */
export type Field = {
  readonly name: Buffer
  readonly letter: string
  readonly kind: CellKind
  readonly at: number
  readonly width: number
  readonly decimals: number
}

/** The header, and how many rows are really there. `isRepaired` if its lengths are wrong and the rows showed the right ones. */
export type TableHeader = Awaited<ReturnType<typeof readTableHeader>>

/** The mark before a row that another program deleted. */
export const deletedMark = 0x2a

const prologueBytes = 32
const descriptorBytes = 32
const endOfDescriptors = 0x0d
const keptMark = 0x20

/** Reads the header. Throws a WindrowError if it is invalid. */
export async function readTableHeader(source: Source) {
  if (source.size === 0) throw new WindrowError('file-empty', `"${source.name}" is empty.`)
  const prologue = Buffer.from(await source.read(0, prologueBytes))
  if (prologue.length < prologueBytes) throw damaged(source, 'it ends within its header')
  if ((prologue[0]! & 7) === 4)
    throw new WindrowError('file-unreadable', `"${source.name}" is a dBASE 7 table, which windrow does not read.`, {
      hint: 'Save it as dBASE IV or export it again as a shapefile.',
    })
  const declared: Layout = {
    headerBytes: prologue.readUInt16LE(8),
    rowBytes: prologue.readUInt16LE(10),
    declaredRows: prologue.readUInt32LE(4),
  }
  if (declared.headerBytes <= prologueBytes || declared.rowBytes === 0 || declared.headerBytes > source.size)
    throw damaged(source, 'its header is invalid')
  const descriptors = Buffer.from(await source.read(prologueBytes, declared.headerBytes))
  // Clipper and FoxPro keep the high byte of a wide text column where others keep the decimals, or rubbish: the row's length decides.
  const wide = readFields(descriptors, true)
  const fields = usedBytes(wide) === declared.rowBytes ? wide : readFields(descriptors, false)
  const { headerBytes, rowBytes } = await layoutOf(source, declared, fields)
  return {
    headerBytes,
    rowBytes,
    isRepaired: headerBytes !== declared.headerBytes || rowBytes !== declared.rowBytes,
    declaredRows: declared.declaredRows,
    presentRows: Math.floor((source.size - headerBytes) / rowBytes),
    languageDriver: prologue[29]!,
    fields: fields.filter((field) => field.letter !== '0'),
  }
}

type Layout = { readonly headerBytes: number; readonly rowBytes: number; readonly declaredRows: number }

/** As the header declares it, unless there are no rows there and another layout has exactly the declared number. */
async function layoutOf(source: Source, declared: Layout, fields: readonly Field[]): Promise<Layout> {
  const used = usedBytes(fields)
  const fits = used <= declared.rowBytes
  if (fits && (await hasRows(source, declared))) return declared
  const listEnd = prologueBytes + fields.length * descriptorBytes
  const starts = [declared.headerBytes, listEnd + 1, listEnd, listEnd + 2, listEnd + 1 + foxProPathBytes]
  for (const rowBytes of new Set([...(fits ? [declared.rowBytes] : []), used]))
    for (const headerBytes of new Set(starts)) {
      const layout = { headerBytes, rowBytes, declaredRows: declared.declaredRows }
      const present = Math.floor((source.size - headerBytes) / rowBytes)
      if (present === declared.declaredRows && (await hasRows(source, layout))) return layout
    }
  if (fits) return declared
  throw damaged(source, `its columns need ${used} bytes per row, but the header allows ${declared.rowBytes}`)
}

/** FoxPro keeps the name of its database after the fields. */
const foxProPathBytes = 263
const rowsLookedAt = 64
/** As much of a zip's member as can be read without unpacking all of it. */
const bytesLookedAt = 1 << 16

/** True if the mark of a kept or deleted row is wherever one of the first rows should begin. */
async function hasRows(source: Source, { headerBytes, rowBytes, declaredRows }: Layout): Promise<boolean> {
  const end = Math.min(headerBytes + Math.min(declaredRows, rowsLookedAt) * rowBytes, bytesLookedAt)
  const bytes = await source.read(headerBytes, end)
  for (let at = 0; at < bytes.length; at += rowBytes)
    if (bytes[at] !== keptMark && bytes[at] !== deletedMark) return false
  return bytes.length > 0
}

function usedBytes(fields: readonly Field[]): number {
  return fields.reduce((sum, field) => sum + field.width, 1)
}

function damaged(source: Source, what: string): WindrowError {
  return new WindrowError('file-damaged', `"${source.name}" is not a usable table: ${what}.`, {
    hint: 'Copy or export it again.',
  })
}

function readFields(descriptors: Buffer, wide: boolean): readonly Field[] {
  const fields: Field[] = []
  let at = 1
  for (let start = 0; start + descriptorBytes <= descriptors.length; start += descriptorBytes) {
    if (descriptors[start] === endOfDescriptors) break
    const raw = descriptors.subarray(start, start + 11)
    const end = raw.indexOf(0)
    const letter = String.fromCharCode(descriptors[start + 11]!)
    const isText = letter === 'C'
    const width = descriptors[start + 16]! + (isText && wide ? descriptors[start + 17]! * 256 : 0)
    const decimals = isText ? 0 : descriptors[start + 17]!
    const name = end < 0 ? raw : raw.subarray(0, end)
    fields.push({ name, letter, kind: kindOf(letter, width, decimals), at, width, decimals })
    at += width
  }
  return fields
}

/** The kinds of letters whose cells have a fixed width. */
const kindsByWidth: Readonly<Record<string, Readonly<Record<number, CellKind>>>> = {
  D: { 8: 'date' },
  I: { 4: 'int32' },
  '+': { 4: 'int32' },
  B: { 8: 'double' },
  O: { 8: 'double' },
  Y: { 8: 'currency' },
  T: { 8: 'julian', 14: 'stamp' },
  '@': { 8: 'julian', 14: 'stamp' },
}

function kindOf(letter: string, width: number, decimals: number): CellKind {
  const upper = letter.toUpperCase()
  if (width === 0) return 'none'
  if (upper === 'C') return 'text'
  if (upper === 'L') return 'truth'
  if (upper === 'N' || upper === 'F') return decimals === 0 && letter === 'N' ? 'integer' : 'number'
  return kindsByWidth[upper]?.[width] ?? (upper === 'D' ? 'text' : 'none')
}
