/** Writes numbers and lists of names in sentences. */

/** Such as "1 row", "12 rows" or "2 boundaries". */
export function plural(number: number, one: string, several = `${one}s`): string {
  return `${number} ${number === 1 ? one : several}`
}

/** The first names, and how many more there are: "Top, Low and 3 more". */
export function listed(names: readonly (string | number)[], most: number): string {
  const more = names.length - most
  return `${names.slice(0, most).join(', ')}${more > 0 ? ` and ${more} more` : ''}`
}
