/** Opens the table beside the shapes: its encoding, its columns, and those that cannot be read. */

import { problem, type Problem } from '../../core/problem.ts'
import type { Place } from '../../core/row.ts'
import { stemOf } from '../../core/sources/file-tree.ts'
import type { Source } from '../../core/sources/source.ts'
import { namesOfHeader } from '../table-names.ts'
import { fullNames } from './field-names.ts'
import { chooseEncoding, textReader } from './encoding.ts'
import { columnOf, fieldNames, tryText } from './table-file.ts'
import { readTableHeader, type TableHeader } from './table-header.ts'

/** The opened table; `notes` are what is known before a row is read. */
export type Attributes = Awaited<ReturnType<typeof openAttributes>>

/** The inputs: the table, its declared encoding, the option, whether the text may decide it, and the place for notes. */
export type TableClues = {
  readonly dbf: Source
  readonly cpg: Source | undefined
  readonly names: Source | undefined
  readonly encoding: string | undefined
  readonly decides: boolean
  readonly at: Place
}

/** Opens the table. Reads all of it only to decide its encoding. */
export async function openAttributes({ dbf, cpg, names: list, encoding, decides, at }: TableClues) {
  const header = await readTableHeader(dbf)
  const choice = await chooseEncoding({
    option: encoding,
    declaration: await beginningOf(cpg, 200),
    languageDriver: header.languageDriver,
    ...(decides ? { trial: () => tryText(dbf, header) } : {}),
  })
  const short = fieldNames(header.fields, textReader(choice.encoding))
  const listed = await beginningOf(list, mostListBytes)
  const full = listed === undefined ? short : fullNames(listed, stemOf(dbf.name), short)
  const { names, notes } = namesOfHeader(full, at)
  const columns = header.fields.map((field, index) => columnOf(names[index]!, field))
  const doubts = choice.doubts.map(({ code, ...more }) => problem(code, at, more))
  const unread = header.fields.flatMap((field, index) =>
    field.kind === 'none' ? [unreadable(field, names[index]!, at)] : [],
  )
  return { header, choice, columns, notes: [...repaired(header, dbf, at), ...doubts, ...notes, ...unread] }
}

const mostListBytes = 1 << 20

async function beginningOf(file: Source | undefined, bytes: number): Promise<string | undefined> {
  return file === undefined ? undefined : Buffer.from(await file.read(0, bytes)).toString('utf8')
}

function repaired({ isRepaired }: TableHeader, { name }: Source, at: Place): readonly Problem[] {
  if (!isRepaired) return []
  return [
    problem('file-inconsistent', at, {
      message: `The header of "${name}" gives wrong lengths; its rows were found by their marks.`,
      hint: 'Check whether the values are complete. If not, export the file again.',
    }),
  ]
}

function unreadable({ letter, width }: TableHeader['fields'][number], column: string, at: Place): Problem {
  const isMemo = /[MGP]/.test(letter)
  const what = isMemo
    ? 'a memo, whose text is in a .dbt or .fpt file that is not read'
    : 'not text, number, date or truth'
  const why = width === 0 ? 'has no width' : `is of the kind "${letter}" (${what})`
  return problem('column-unreadable', at, {
    column,
    message: `The column "${column}" ${why}; its cells are left empty.`,
  })
}
