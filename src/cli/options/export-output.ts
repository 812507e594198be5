/** Finds where `windrow export` writes: to a file, or to standard output with -o -. */

import { createReadStream } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { strictObject } from '../../core/object-schema.ts'
import { WindrowError } from '../../core/error.ts'
import { temporaryFolder } from '../../core/sources/temporary.ts'
import { isS3Address, isWebAddress } from '../../core/sources/web-address.ts'
import type { Format, FormatOptions } from '../../formats/format.ts'
import { formatForTarget, formats } from '../../formats/index.ts'
import { text, type Call, type Specs } from './command.ts'
import type { Terminal } from '../screen/terminal.ts'

export const outputOptions: Specs = {
  '-o, --out <FILE>':
    'the file to write, or s3://BUCKET/FILE; its ending chooses the format, and .gz packs it; - is standard output',
  '--crs <CRS>': 'the coordinate system of a .gpkg or .zip, such as EPSG:2193 (default: longitude and latitude)',
  '--columns <LIST>': 'only these columns, such as "Name=Paddock,Area"; ? lists what there is',
  '--sort <COLUMN>': 'sort the records by this column, such as Start or "Area desc"',
  '--group-by <COLUMN>':
    'in .xlsx: a sheet for each value of this column, such as Farm or Product; or each day, month or year',
  '--format <ENDING>': 'with -o -: csv (default), tsv, geojson, ndjson or another text format',
}

/**
 * Where to write, and in which format. `passOn` prints a file that was written for standard output, and says whether its reader took all
 * of it; the file is removed at the end.
 */
export type Output = AsyncDisposable & {
  readonly path: string
  readonly format: Format
  /** The format whose usual layout is used. */
  readonly layoutLike: Format
  readonly formatOptions: FormatOptions
  /** Where messages go. */
  readonly terminal: Terminal
  readonly passOn: (() => Promise<boolean>) | undefined
}

/** The output that -o and --format name. */
export async function outputOf(call: Call): Promise<Output> {
  const { folder, terminal } = call
  const [out, ending] = [text(call, 'out'), text(call, 'format')]
  if (text(call, 'columns') === '?') {
    const named = out === undefined || out === '-' ? `records.${ending ?? 'csv'}` : out
    return { ...(await passedOn('columns.txt', columnList, terminal)), layoutLike: formatForTarget(named) }
  }
  if (out === undefined)
    throw new WindrowError('option-invalid', 'Which file should be written?', {
      hint: 'Add -o FILE.xlsx, -o FILE.csv, -o FILE.geojson or -o FILE.gpkg.',
    })
  if (out !== '-') {
    if (ending !== undefined)
      throw new WindrowError('option-invalid', '--format is for -o - only: the ending of a file chooses its format.')
    if (isWebAddress(out) && !isS3Address(out))
      throw new WindrowError('option-invalid', 'windrow cannot write to a web address.', {
        hint: 'Write to a file, or to a store: -o s3://BUCKET/FILE.',
      })
    const path = isS3Address(out) ? out : resolve(folder, out)
    const format = formatForTarget(out)
    return {
      path,
      format,
      layoutLike: format,
      formatOptions: {},
      terminal,
      passOn: undefined,
      [Symbol.asyncDispose]: () => Promise.resolve(),
    }
  }
  const name = `records.${ending ?? 'csv'}`
  const endings = formats.filter(({ isText }) => isText).flatMap(({ extensions }) => extensions)
  if (!endings.some((each) => name === `records${each}`))
    throw new WindrowError('option-invalid', `"${ending}" is not a text format.`, {
      hint: `Use one of: ${endings.map((each) => each.slice(1)).join(', ')}. Write others to a file: -o FILE.xlsx.`,
    })
  return passedOn(name, formatForTarget(name), terminal)
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

async function passedOn(name: string, format: Format, terminal: Terminal): Promise<Output> {
  // Everything is written before the first line is printed: a program that reads them never gets a part.
  const temporary = await mkdtemp(join(temporaryFolder(), 'windrow-output-'))
  const path = join(temporary, name)
  return {
    path,
    format,
    layoutLike: format,
    formatOptions: 'bom' in format.options.properties ? { bom: false } : {},
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
