/** Makes zip files for tests, also invalid ones. */

import { crc32, deflateRawSync } from 'node:zlib'

/** One member; what is given beside `name` and `bytes` is written into the headers whether it is true or not. */
export type MadeMember = {
  readonly name: string | Uint8Array
  readonly bytes?: Uint8Array | string
  readonly method?: 0 | 8 | 9
  readonly flags?: number
  readonly size?: number
  readonly crc?: number
  /** Day and time as MS-DOS has them. */
  readonly changed?: number
  readonly madeBy?: number
  readonly attributes?: number
  /** What stands in the zip as the packed bytes, and how many the directory counts, whatever `bytes` is. */
  readonly packed?: Uint8Array
  readonly packedSize?: number
  /** Where the directory says that the member begins. */
  readonly offset?: number
}

/** Writes a zip as the specification (APPNOTE 4.3) lays it out. */
export function zipBytes(members: readonly MadeMember[]): Uint8Array {
  const locals: Uint8Array[] = []
  const directory: Uint8Array[] = []
  let offset = 0
  for (const member of members) {
    const bytes = Buffer.from(member.bytes ?? '')
    const name = Buffer.from(member.name)
    const method = member.method ?? 8
    const data = member.packed ?? (method === 8 ? deflateRawSync(bytes) : bytes)
    const shared = Buffer.alloc(26)
    shared.writeUInt16LE(20, 0)
    shared.writeUInt16LE(member.flags ?? 0x800, 2)
    shared.writeUInt16LE(method, 4)
    shared.writeUInt32LE(member.changed ?? 0, 6)
    shared.writeUInt32LE(member.crc ?? crc32(bytes), 10)
    shared.writeUInt32LE(member.packedSize ?? data.length, 14)
    shared.writeUInt32LE(member.size ?? bytes.length, 18)
    shared.writeUInt16LE(name.length, 22)
    const tail = Buffer.alloc(14)
    tail.writeUInt32LE(member.attributes ?? 0, 6)
    tail.writeUInt32LE(member.offset ?? offset, 10)
    directory.push(Buffer.from('PK\x01\x02'), uint16(member.madeBy ?? 20), shared, tail, name)
    locals.push(Buffer.from('PK\x03\x04'), shared, name, data)
    offset += 4 + shared.length + name.length + data.length
  }
  const list = Buffer.concat(directory)
  const end = Buffer.alloc(22)
  end.write('PK\x05\x06', 'latin1')
  end.writeUInt16LE(members.length, 8)
  end.writeUInt16LE(members.length, 10)
  end.writeUInt32LE(list.length, 12)
  end.writeUInt32LE(offset, 16)
  return new Uint8Array(Buffer.concat([...locals, list, end]))
}

function uint16(value: number): Uint8Array {
  const bytes = Buffer.alloc(2)
  bytes.writeUInt16LE(value)
  return bytes
}
