/** Hides what a packed workbook may ask of the memory before the library takes it all in. */

import { WindrowError } from '../../core/error.ts'
import type { Source } from '../../core/source.ts'
import { openZip, type Zip } from '../../core/zip.ts'
import { passwordError } from './book.ts'

/** All members together, unpacked. */
const unpackedBytes = 2 ** 30
/** The library takes about 100 bytes for a cell and its text. */
const mostCells = 10_000_000

/** Reads through a packed workbook and refuses one that would unpack to more than can be held; gives its size unpacked. */
export async function checkUnpacked(source: Source): Promise<number> {
  // The library believes the sizes that a zip claims; reading the members here counts what really comes out.
  const zip = await openZip(source, { totalBytes: unpackedBytes })
  let seenBytes = 0
  try {
    if (await isEncrypted(zip)) throw passwordError(source.name)
    for (const { name, source: member } of zip.members) {
      const count = name === 'content.xml' ? cellCounter(source.name) : undefined
      for await (const chunk of member.stream()) {
        seenBytes += chunk.length
        count?.(Buffer.from(chunk).toString('latin1'))
      }
    }
    return seenBytes
  } finally {
    await zip.close()
  }
}

/** OpenDocument encrypts the members one by one, or packs all of them into one, and says so in its manifest (ODF 1.2 part 3, 3.4). */
async function isEncrypted({ members }: Zip): Promise<boolean> {
  const manifest = members.find(({ name }) => name === 'META-INF/manifest.xml')?.source
  return manifest !== undefined && Buffer.from(await manifest.read(0, 1 << 16)).includes('encryption-data')
}

const rowOrCell = /<(?:[\w.-]+:)?table-(row|cell)\b([^<>]*)>/g

/**
 * Counts the filled cells of an OpenDocument sheet from its tags. A row and a cell may each say that they stand there many
 * times over (ODF 1.2, 19.675 and 19.677), so that a few bytes make a sheet that no memory holds.
 */
function cellCounter(name: string): (text: string) => void {
  let cells = 0
  let rowTimes = 1
  let held = ''
  return (text) => {
    const joined = held + text
    const open = joined.lastIndexOf('<')
    const end = open >= 0 && joined.length - open < 10_000 && !joined.includes('>', open) ? open : joined.length
    held = joined.slice(end)
    for (const [, what, attributes] of joined.slice(0, end).matchAll(rowOrCell)) {
      const times = Number(/-repeated\s*=\s*["'](\d+)/.exec(attributes!)?.[1] ?? 1)
      if (what === 'row') rowTimes = times
      else if (!attributes!.endsWith('/') || attributes!.includes('value')) cells += times * rowTimes
    }
    if (cells > mostCells)
      throw new WindrowError('file-too-large', `"${name}" unpacks to more than ${mostCells / 1e6} million cells.`, {
        hint: 'Delete the rows and columns that are only filled down, or save the sheet as CSV (UTF-8) and read that.',
      })
  }
}
