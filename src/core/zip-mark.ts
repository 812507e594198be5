/** Hides by which bytes a zip is known. */

/** True for the first four bytes of a zip. */
export function isZip(head: Uint8Array): boolean {
  const [p, k, third, fourth] = head
  return p === 0x50 && k === 0x4b && ((third === 3 && fourth === 4) || (third === 5 && fourth === 6))
}
