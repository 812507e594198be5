/** Measures how long a number is on a sheet: programs show "###" for one without room, on paper too. */

/** With `decimals`, the number has that many, and a mark between thousands. */
export function numberLength(value: number, decimals?: number): number {
  if (decimals === undefined) return String(value).length
  const thousands = Math.floor((String(Math.trunc(Math.abs(value))).length - 1) / 3)
  return value.toFixed(decimals).length + thousands
}
