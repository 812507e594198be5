/** Detects .shp files by their first bytes. */

const magic = 9994

/** True for the first bytes of a .shp (and of a .shx, which begins the same way). */
export function isGeometryFile(head: Uint8Array): boolean {
  return head.length >= 4 && new DataView(head.buffer, head.byteOffset).getInt32(0) === magic
}
