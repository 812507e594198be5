/** Hides formulas that are only a text in quotes: programs write `="00123"` so that Excel keeps the zeros. */

/** True for text in which such a formula may stand. */
export function mayHoldConstants(text: string): boolean {
  return text.includes('="')
}

/** The cells of a record with what such formulas mean in their place. */
export function constantsMeant(cells: readonly string[]): readonly string[] {
  return cells.map((cell) => {
    if (!cell.startsWith('="')) return cell
    const [, text] = /^="((?:[^"]|"")*)"$/.exec(cell.trimEnd()) ?? []
    return text === undefined ? cell : text.replaceAll('""', '"')
  })
}
