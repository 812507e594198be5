/** Names columns, keeps what is found in tables, and refuses what a single table cannot contain. */

import { WindrowError } from '../core/error.ts'
import { problem, type Problem } from '../core/problem.ts'
import type { CrsClue, Place, Row, Table, Value, Values } from '../core/row.ts'
import type { Encoding } from '../core/sources/text.ts'
import type { OutTable } from './format.ts'

/**
 * Names for the columns, with a note for each that had to be renamed. White space is normalised silently; a column
 * without a header is named by its position in the file, given by `columns` if some were left out.
 */
export function namesOfHeader(
  header: readonly string[],
  at: Place,
  columns: readonly number[] = header.map((_, index) => index),
): { readonly names: readonly string[]; readonly notes: readonly Problem[] } {
  const wanted = header.map((cell) => cell.trim().replace(/\s+/g, ' '))
  const taken = new Set(wanted)
  const used = new Set<string>()
  // The last number of each repeated name, so that a header of a million equal cells does not take for ever.
  const counts = new Map<string, number>()
  const notes: Problem[] = []
  const names = wanted.map((name, index) => {
    if (name !== '' && !used.has(name)) {
      used.add(name)
      return name
    }
    const number = columns[index]! + 1
    const stem = name === '' ? `column ${number}` : name
    let count = counts.get(stem) ?? (name === '' ? 1 : 2)
    let given = count === 1 ? stem : `${stem} (${count})`
    while (taken.has(given) || used.has(given)) given = `${stem} (${++count})`
    counts.set(stem, count + 1)
    used.add(given)
    const what =
      name === '' ? `Column ${number} has no header` : `The header ${columnInSentence(name)} occurs more than once`
    const message = `${what}; it is called ${columnInSentence(given)} here.`
    notes.push(problem('header-renamed', at, { column: given, message }))
    return given
  })
  return { names, notes }
}

/** The table with a change, also after a search for geometry in its columns. */
export function changedTable(table: Table, change: (table: Table) => Partial<Table>): Table {
  const { search } = table
  const changed = { ...table, ...change(table) }
  if (search === undefined) return changed
  return {
    ...changed,
    search() {
      const { pass, end } = search()
      return {
        pass,
        end(onProblem) {
          const found = end(onProblem)
          return found && { ...found, table: changedTable(found.table, change) }
        },
      }
    },
  }
}

/** The rows of a table, and what is wrong with it: known early, or reported by the last pass over its rows. */
export function passesOver(
  early: readonly Problem[],
  read: (report: (...found: readonly Problem[]) => void, signal?: AbortSignal) => AsyncGenerator<readonly Row[]>,
): Pick<Table, 'batches' | 'found'> {
  let late: Problem[] = []
  return {
    batches(signal) {
      const found: Problem[] = []
      late = found
      return read((...each) => void found.push(...each), signal)
    },
    found: () => [...early, ...late],
  }
}

/** The note about an encoding that is guessed, or that the file contradicts. */
export function encodingNotes(encoding: Encoding, at: Place): readonly Problem[] {
  if (encoding.doubt !== undefined)
    return [problem('encoding-doubtful', at, { message: encoding.doubt, hint: 'Leave the option out, or correct it.' })]
  if (!encoding.guessed) return []
  return [
    problem('encoding-guessed', at, {
      message: `The text is read as ${encoding.name}. ${encoding.evidence}`,
      hint: `If names look wrong, set the encoding; if they look right, write  encoding: ${encoding.name}  into the pipeline.`,
    }),
  ]
}

/** The name of a column in a sentence: <Area ha>; very long text is cut. */
export function columnInSentence(name: string): string {
  return `<${name.length > 60 ? `${name.slice(0, 59)}…` : name}>`
}

/** The name itself, or with the first number that makes it unique. */
export function freeName(wanted: string, taken: readonly string[]): string {
  let name = wanted
  for (let count = 2; taken.includes(name); count += 1) name = `${wanted} (${count})`
  return name
}

/** Makes the function that takes a column's cell from a row, without finding what every object inherits. */
export function cellOf(name: string): (values: Values) => Value {
  return name in {} ? (values) => (Object.hasOwn(values, name) ? values[name] : undefined) : (values) => values[name]
}

/** True for a cell with nothing in it to write: blank, or a number that no file can store. */
export function isNothing(value: Value): boolean {
  return value === null || value === undefined || value === '' || (typeof value === 'number' && !Number.isFinite(value))
}

/** A filled cell as text. */
export function textOf(value: Value): string {
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

/** The note about boundaries that no format can store. */
export function unwritableNotes(boundaries: number): readonly string[] {
  return boundaries === 0 ? [] : [`Boundaries left out because their coordinates are not numbers: ${boundaries}.`]
}

/** The one table of a file that can contain only one, in longitude and latitude unless the format can name another system. */
export function onlyTable(tables: readonly OutTable[], kind: string, named: readonly CrsClue['from'][] = []): OutTable {
  const [table] = tables
  if (table === undefined || tables.length > 1)
    throw new WindrowError(
      'format-cannot-write',
      `A ${kind} file can contain one table; there are ${tables.length} to write.`,
      { hint: 'Write one table, or choose .xlsx or .gpkg, which can contain several.' },
    )
  checkDegrees(table, kind, named)
  return table
}

/** Refuses boundaries that are neither in longitude and latitude nor in a system that the format can name. */
export function checkDegrees(
  { crs, hasGeometry }: OutTable,
  kind: string,
  named: readonly CrsClue['from'][] = [],
): void {
  if (!hasGeometry || crs === undefined || named.includes(crs.from) || longitudeLatitude.test(crs.text)) return
  throw new WindrowError(
    'format-cannot-write',
    `A ${kind} file can only contain boundaries in longitude and latitude.`,
    { hint: 'Leave out the other coordinate system, or write a shapefile or GeoPackage.' },
  )
}

const longitudeLatitude = /^\s*(?:EPSG:4326$|OGC:CRS84$|GEOG(?:CS|CRS)\s*\[\s*"(?:GCS_)?WGS[ _]?(?:19)?84)/i
