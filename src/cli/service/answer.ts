/** Prints the answers of `windrow service`: as a table, as JSON, or to a file with -o. */

import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { WindrowError } from '../../core/error.ts'
import { formatForTarget } from '../../formats/index.ts'
import { machineZone } from '../../mapping/zones.ts'
import { fetchedFromFeed } from '../../pipeline/export/fetch-records.ts'
import { writeRecords, type Exported } from '../../pipeline/export-run.ts'
import type { ResourceType } from '../../resources/resource-type.ts'
import { flag, jsonOption, text, type Call, type Command, type Specs } from '../options/command.ts'
import { counted, inform, plain, say, type Terminal } from '../screen/terminal.ts'
import { alignedLines, cutTo } from '../screen/text-width.ts'

export const outOptions: Specs = {
  '-o, --out <FILE>': 'write the rows to this file; its ending chooses the format',
  '--force': 'replace the file if it is there',
}
/** For commands whose answer is a list of records. */
export const answerOptions: Specs = { ...outOptions, ...jsonOption }

/** A type for lists that windrow makes itself, with columns of text. */
export function textType(plural: string, columns: readonly string[]) {
  const [name, properties] = [plural.replaceAll('-', ' '), columns.map((each) => [each, { type: 'string' }] as const)]
  const schema = { type: 'object', properties: Object.fromEntries(properties) } as const
  return { name, title: name, plural, aliases: [], schema }
}

/** The columns of a table: heading and cell of a record. Empty columns are left out. */
export type Shown<Each> = { readonly [heading: string]: (each: Each) => unknown }

type Listing<Each> = Omit<Command, 'run'> & {
  ask(call: Call): Promise<readonly Each[]>
  readonly type: ResourceType
  readonly shown: Shown<Each>
  readonly nothing: string
}

/** A command that prints records: to the file of -o, as JSON, or as a table, with `nothing` instead of an empty table. */
export function listing<Each extends object>({ ask, type, shown, nothing, ...command }: Listing<Each>): Command {
  return {
    ...command,
    async run(call) {
      const { terminal } = call
      const records = await ask(call)
      if (text(call, 'out') !== undefined) printWritten(await writeBodies(type, [records], call), call)
      else if (flag(call, 'json')) say(terminal, JSON.stringify(records))
      else if (records.length === 0) say(terminal, plain(nothing))
      else say(terminal, ...tableLines(records, shown, terminal))
    },
  }
}

/** Writes records to the file of -o, which was given, as they arrive, with their boundaries. A file that is there stays. */
export async function writeBodies(
  type: ResourceType,
  pages: AsyncIterable<readonly object[]> | Iterable<readonly object[]>,
  call: Call,
): Promise<Exported> {
  const path = resolve(call.folder, text(call, 'out')!)
  if (!flag(call, 'force') && existsSync(path))
    throw new WindrowError('target-exists', `"${path}" is there already.`, {
      hint: 'It was left as it is. Choose another name with -o, or replace it with --force.',
    })
  const job = {
    type,
    zone: machineZone(),
    units: {},
    layout: 'flat',
    path,
    format: formatForTarget(path),
    formatOptions: {},
  } as const
  async function* fetched() {
    for await (const page of pages) yield { records: page.map(fetchedFromFeed), passes: () => true }
  }
  return writeRecords(job, fetched(), { now: call.clock() })
}

/** Prints what the file contains: for people on standard error, with --json on standard output. */
export function printWritten({ path, bytes, rows, notes }: Exported, call: Call): void {
  const { terminal } = call
  if (flag(call, 'json')) return say(terminal, JSON.stringify({ path, bytes, rows, notes }))
  const written = Object.values(rows).reduce((sum, each) => sum + each, 0)
  inform(terminal, `${path}: ${counted(written, 'row')}`)
  for (const note of notes) inform(terminal, note)
}

const widestCell = 60

/** The records as lines under headings, cut to the width of the terminal. */
export function tableLines<Each>(records: readonly Each[], shown: Shown<Each>, terminal: Terminal): readonly string[] {
  const columns = Object.entries(shown).filter(([, cell]) => records.some((each) => cellText(cell(each)) !== ''))
  const rows = records.map((each) => columns.map(([, cell]) => cutTo(cellText(cell(each)), widestCell)))
  const lines = alignedLines([columns.map(([heading]) => heading), ...rows])
  return lines.map((line) => cutTo(line.trimEnd(), terminal.out.columns ?? Infinity))
}

function cellText(value: unknown): string {
  if (value === undefined || value === null) return ''
  if (Array.isArray(value)) return value.map(cellText).join(', ')
  if (typeof value === 'object') return plain(JSON.stringify(value))
  return plain(String(value as string | number | boolean))
}

/** Reads SCHEME:ID. The id may contain colons. */
export function identifierOf(words: string, option: string): { readonly scheme: string; readonly id: string } {
  const at = words.indexOf(':')
  if (at > 0 && at < words.length - 1) return { scheme: words.slice(0, at), id: words.slice(at + 1) }
  throw new WindrowError('option-invalid', `${option} cannot be "${words}".`, {
    hint: 'Use SCHEME:ID, such as nz.example.farm-number:00412876.',
  })
}
