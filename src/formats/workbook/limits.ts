/** Checks that a packed workbook fits into memory before the library reads it. */

import { WindrowError } from '../../core/error.ts'
import type { Source } from '../../core/sources/source.ts'
import { openZip, type Zip } from '../../core/sources/zip.ts'
import { nameCode, rawAttribute, XmlScanner } from '../xml.ts'
import { passwordError } from './workbook-book.ts'

/** All members together, unpacked. */
const unpackedBytes = 2 ** 30
/** The library uses about 100 bytes for a cell and its text. */
const mostCells = 10_000_000

/** Reads through a packed workbook and refuses one that unpacks to too much; returns its unpacked size. */
export async function checkUnpacked(source: Source): Promise<number> {
  // The library trusts the sizes that a zip declares; this counts what really comes out.
  const zip = await openZip(source, { totalBytes: unpackedBytes })
  let seenBytes = 0
  try {
    if (await isEncrypted(zip)) throw passwordError(source.name)
    for (const { name, source: member } of zip.members) {
      const count = name === 'content.xml' ? cellCounter(source.name) : undefined
      for await (const chunk of member.stream()) {
        seenBytes += chunk.length
        count?.push(chunk)
      }
    }
    return seenBytes
  } finally {
    await zip.close()
  }
}

/** OpenDocument encrypts each member, or packs all of them into one, and declares it in its manifest (ODF 1.2 part 3, 3.4). */
async function isEncrypted({ members }: Zip): Promise<boolean> {
  const manifest = members.find(({ name }) => name === 'META-INF/manifest.xml')?.source
  return manifest !== undefined && Buffer.from(await manifest.read(0, 1 << 16)).includes('encryption-data')
}

const rowName = nameCode('table-row')
const cellName = nameCode('table-cell')
const repeatedNames = [nameCode('number-rows-repeated'), nameCode('number-columns-repeated')]
const valueNames = ['value-type', 'value', 'date-value', 'time-value', 'string-value', 'boolean-value'].map(nameCode)

/**
 * Counts the filled cells of an OpenDocument sheet from its tags. A row and a cell can declare many repetitions
 * (ODF 1.2, 19.675 and 19.677), so a few bytes can make a sheet that no memory can hold.
 */
function cellCounter(fileName: string): XmlScanner {
  let cells = 0
  let rowTimes = 1
  return new XmlScanner(fileName, {
    open(name, attributes, bytes) {
      if (name !== rowName && name !== cellName) return
      const has = (each: number): boolean => rawAttribute(attributes, each, bytes) !== undefined
      const repeated = repeatedNames.map((each) => rawAttribute(attributes, each, bytes)).find((each) => each)
      const times = Math.max(1, Number(repeated) || 1)
      if (name === rowName) rowTimes = times
      else if (!attributes.isEmpty || valueNames.some(has)) cells += times * rowTimes
      if (cells <= mostCells) return
      throw new WindrowError('file-too-large', `"${fileName}" unpacks to more than ${mostCells / 1e6} million cells.`, {
        hint: 'Delete the rows and columns that are only filled down, or save the sheet as CSV (UTF-8) and read that.',
      })
    },
  })
}
