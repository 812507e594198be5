/** The first bytes of every Office file from before 2007. */
export const compoundFile = [0xd0, 0xcf, 0x11, 0xe0]

export function beginsWith(head: Uint8Array, bytes: readonly number[]): boolean {
  return bytes.every((byte, index) => head[index] === byte)
}

/** Excel 2 to 4 wrote the records of a sheet without a container: 0x09, then the version. */
export function isOldStream(head: Uint8Array): boolean {
  return head[0] === 0x09 && [0x00, 0x02, 0x04, 0x08].includes(head[1] ?? -1)
}
