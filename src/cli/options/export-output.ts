/** Finds where `windrow export` writes: to a file, or to standard output with -o -. */

import { createReadStream } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { strictObject } from '../../core/object-schema.ts'
import { WindrowError } from '../../core/error.ts'
import { temporaryFolder } from '../../core/sources/temporary.ts'
import type { Format } from '../../formats/format.ts'
import { formatForTarget, formats } from '../../formats/index.ts'
import type { ExportJob } from '../../pipeline/export/export-job.ts'
import type { Group } from '../../resources/groups.ts'
import { text, type Call } from './command.ts'
import type { Terminal } from '../screen/terminal.ts'

/**
 * Where to write: `to` as in a pipeline, and what is `instead` of that. `passOn` prints a file that was written for standard output, and
 * says whether its reader took all of it; the file is removed at the end.
 */
export type Output = AsyncDisposable & {
  readonly to: Group
  readonly instead: Partial<Pick<ExportJob, 'path' | 'format' | 'formatOptions' | 'columns' | 'crs'>>
  /** Where messages go. */
  readonly terminal: Terminal
  readonly passOn: (() => Promise<boolean>) | undefined
}

/** The output that -o names, for an export with these settings of `to`. */
export async function outputOf(call: Call, { columns, format, ...said }: Group): Promise<Output> {
  const out = text(call, 'out')
  const ending = typeof format === 'string' ? format : 'csv'
  if (columns === '?') {
    const { passOn, path, ...output } = await passedOn('columns.txt', call)
    const to = { ...said, file: out === undefined || out === '-' ? `records.${ending}` : out }
    return { ...output, passOn, to, instead: { path, format: columnList, formatOptions: {}, crs: undefined } }
  }
  if (out === undefined)
    throw new WindrowError('option-invalid', 'Which file should be written?', {
      hint: 'Add -o FILE.xlsx, -o FILE.csv, -o FILE.geojson or -o FILE.gpkg.',
    })
  const to = { ...said, ...(columns !== undefined && { columns }) }
  if (out !== '-')
    return {
      to: { ...to, ...(format !== undefined && { format }), file: out },
      instead: {},
      terminal: call.terminal,
      passOn: undefined,
      [Symbol.asyncDispose]: () => Promise.resolve(),
    }
  const endings = formats.filter(({ isText }) => isText).flatMap(({ extensions }) => extensions)
  if (!endings.includes(`.${ending}`))
    throw new WindrowError('option-invalid', `"${ending}" is not a text format.`, {
      hint: `Use one of: ${endings.map((each) => each.slice(1)).join(', ')}. Write others to a file: -o FILE.xlsx.`,
    })
  const { path, ...output } = await passedOn(`records.${ending}`, call)
  const hasMark = 'bom' in formatForTarget(path).options.properties
  return { ...output, to: { ...(hasMark && { bom: false }), ...to, file: path }, instead: {} }
}

/** Lists the columns of the tables in place of their rows. */
const columnList: Format = {
  name: 'columns',
  title: 'List of columns',
  extensions: [],
  options: strictObject([], {}),
  recognise: () => false,
  async write(tables, target) {
    for (const { name, columns } of tables)
      await target.write(`${name}\n${columns.map((column) => `  ${column.name}\n`).join('')}`)
    return { rows: {}, notes: [] }
  },
}

/** A file for standard output. Everything is written before the first line is printed: a program that reads them never gets a part. */
async function passedOn(name: string, { terminal }: Call) {
  const temporary = await mkdtemp(join(temporaryFolder(), 'windrow-output-'))
  const path = join(temporary, name)
  return {
    path,
    terminal: { out: terminal.err, err: terminal.err },
    async passOn() {
      for await (const chunk of createReadStream(path, 'utf8') as AsyncIterable<string>) {
        terminal.out.write(chunk)
        if ((await terminal.arrived?.()) === false) return false
      }
      return true
    },
    [Symbol.asyncDispose]: () => rm(temporary, { recursive: true, force: true, maxRetries: 5 }),
  }
}
