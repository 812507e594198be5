/** Finds the format of a source by its name, its first bytes, and the members of a zip or folder. */

import { membersWithin, usualAllowance, type Allowance } from '../core/sources/file-tree.ts'
import { isZip } from '../core/sources/zip-mark.ts'
import type { Source } from '../core/sources/source.ts'
import type { Format, Probe } from './format.ts'

/** What is known of a source before it is opened. `within` exists for a folder or zip. */
export type Probed = Awaited<ReturnType<typeof probeSource>>

const headBytes = 4096

/** The beginning of a source, for recognising its format; a folder has none. */
export async function headOf(source: Source): Promise<Uint8Array> {
  return source.members === undefined ? source.read(0, headBytes) : new Uint8Array(0)
}

/** Reads the beginning of a source, unless it is known, and lists its members. */
export async function probeSource(source: Source, allowance: Allowance = usualAllowance, known?: Uint8Array) {
  const isFolder = source.members !== undefined
  const head = known ?? (await headOf(source))
  const within = isFolder || isZip(head) ? await membersWithin(source, allowance) : undefined
  const members = within?.members.map(({ name }) => name)
  const probe: Probe = { name: source.name, head, ...(members === undefined ? {} : { members }) }
  return { probe, isFolder, within }
}

/** The first format that recognises the source; undefined if none does. */
export function formatOf({ probe, isFolder }: Probed, among: readonly Format[]): Format | undefined {
  return among.find((format) => (!isFolder || format.readsFolders === true) && format.recognise(probe))
}

/** The beginning of a text file, one character per byte, without byte order mark and the zeros of UTF-16. */
export function headText(head: Uint8Array): string {
  return Buffer.from(head)
    .toString('latin1')
    .replaceAll('\0', '')
    .replace(/^(?:\xef\xbb\xbf|\xff\xfe|\xfe\xff)/, '')
}

/** The first bytes of every Office file from before 2007. */
export const compoundFile = [0xd0, 0xcf, 0x11, 0xe0]

export function beginsWith(head: Uint8Array, bytes: readonly number[]): boolean {
  return bytes.every((byte, index) => head[index] === byte)
}

/** Excel 2 to 4 wrote the records of a sheet without a container: 0x09, then the version. */
export function isOldStream(head: Uint8Array): boolean {
  return head[0] === 0x09 && [0x00, 0x02, 0x04, 0x08].includes(head[1] ?? -1)
}

const magic = 9994

/** True for the first bytes of a .shp (and of a .shx, which begins the same way). */
export function isGeometryFile(head: Uint8Array): boolean {
  return head.length >= 4 && new DataView(head.buffer, head.byteOffset).getInt32(0) === magic
}
