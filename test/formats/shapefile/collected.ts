/** Collects the rows and problems of a shapefile. */

import { decidedBy } from '../fixtures.ts'
import type { Problem } from '../../../src/core/problem.ts'
import type { Row, Table } from '../../../src/core/row.ts'
import { bufferSource, type Source } from '../../../src/core/sources/source.ts'
import type { FormatOptions } from '../../../src/formats/format.ts'
import { shapefile } from '../../../src/formats/shapefile.ts'

export type Collected = { readonly table: Table; readonly rows: readonly Row[]; readonly found: readonly Problem[] }

/** Opens a source and reads every table to its end. */
export async function collect(source: Source, options: FormatOptions = {}): Promise<readonly Collected[]> {
  const all: Collected[] = []
  for (const table of await decidedBy(shapefile, source, options)) {
    const rows: Row[] = []
    for await (const batch of table.batches()) rows.push(...batch)
    all.push({ table, rows, found: table.found() })
  }
  return all
}

/** The first of the given files, with the others beside it. */
export function loose(files: Readonly<Record<string, Uint8Array | string>>): Source {
  const [main, ...beside] = Object.entries(files).map(([name, bytes]) => bufferSource(name, Buffer.from(bytes)))
  return { ...main!, siblings: () => Promise.resolve(beside) }
}
