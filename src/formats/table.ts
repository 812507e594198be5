/** Hides what formats made of rows and columns share: names for columns, and the refusal of what one table cannot hold. */

import { WindrowError } from '../core/error.ts'
import { problem, type Problem } from '../core/problem.ts'
import type { Place, Value, Values } from '../core/row.ts'
import type { OutTable } from './format.ts'

/** Names for the columns, with a note for each that had to be given one of its own. White space is evened out silently. */
export function namesOfHeader(
  header: readonly string[],
  at: Place,
): { readonly names: readonly string[]; readonly notes: readonly Problem[] } {
  const wanted = header.map((cell) => cell.trim().replace(/\s+/g, ' '))
  const taken = new Set(wanted)
  const used = new Set<string>()
  // Where each repeated name has got to: counting on keeps a header of a million equal cells from taking for ever.
  const counts = new Map<string, number>()
  const notes: Problem[] = []
  const names = wanted.map((name, index) => {
    if (name !== '' && !used.has(name)) {
      used.add(name)
      return name
    }
    const stem = name === '' ? `column ${index + 1}` : name
    let count = counts.get(stem) ?? (name === '' ? 1 : 2)
    let given = count === 1 ? stem : `${stem} (${count})`
    while (taken.has(given) || used.has(given)) given = `${stem} (${++count})`
    counts.set(stem, count + 1)
    used.add(given)
    const what = name === '' ? `Column ${index + 1} has no header` : `The header "${name}" stands more than once`
    notes.push(problem('header-renamed', at, { column: given, message: `${what}; it is called "${given}" here.` }))
    return given
  })
  return { names, notes }
}

/** The name itself, or with the first number that makes it differ from those taken. */
export function freeName(wanted: string, taken: readonly string[]): string {
  let name = wanted
  for (let count = 2; taken.includes(name); count += 1) name = `${wanted} (${count})`
  return name
}

/** Makes the function that takes a column's cell out of a row; an absent column never finds what every object inherits. */
export function cellOf(name: string): (values: Values) => Value {
  return name in {} ? (values) => (Object.hasOwn(values, name) ? values[name] : undefined) : (values) => values[name]
}

/** The one table of a file that can hold no more; several are refused. */
export function onlyTable(tables: readonly OutTable[], kind: string): OutTable {
  const [table] = tables
  if (table === undefined || tables.length > 1)
    throw new WindrowError(
      'format-cannot-write',
      `A ${kind} file holds one table; ${tables.length} were to be written.`,
      {
        hint: 'Write one table, or choose .xlsx, which holds several.',
      },
    )
  return table
}
