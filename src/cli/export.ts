/** Runs `windrow export`: writes the records that the options choose to a file. */

import { resolve } from 'node:path'
import { WindrowError } from '../core/error.ts'
import { csvStyles } from '../formats/csv.ts'
import type { Format, FormatOptions } from '../formats/format.ts'
import { formatForTarget } from '../formats/index.ts'
import { faultOfDay } from '../pipeline/definition/period.ts'
import { machineZone } from '../mapping/zones.ts'
import { usualLayout, type ExportJob } from '../pipeline/export/export-job.ts'
import { runExport, type Exported } from '../pipeline/export-run.ts'
import { isReadable } from '../pipeline/export/fetch-records.ts'
import { layouts } from '../resources/columns.ts'
import { findResourceType, readableTypes } from '../resources/index.ts'
import type { ResourceType } from '../resources/resource-type.ts'
import { unitCode } from '../resources/units.ts'
import {
  choice,
  connectionOption,
  flag,
  jsonOption,
  text,
  word,
  type CommandSpec,
  type Input,
  type Surroundings,
} from './command.ts'
import { reach } from './reach.ts'
import { zoneOf } from './reading.ts'
import { count, plain, say, startProgress } from './terminal.ts'

export const exportRecords: CommandSpec = {
  words: [{ name: 'what', description: readableTypes.join(', '), choices: readableTypes }],
  options: [
    { flags: '-o, --out <FILE>', description: 'the file to write; its ending chooses the format' },
    { flags: '--holding <HOLDING>', description: 'only this farm: its name, id or SCHEME:ID' },
    { flags: '--operation <WORD>', description: 'only work records of this operation, such as CropProtection' },
    { flags: '--status <WORD>', description: 'only work records with this status' },
    { flags: '--from <DAY>', description: 'only from this day, such as 2026-09-01' },
    { flags: '--until <DAY>', description: 'only up to and including this day' },
    {
      flags: '--box <W,S,E,N>',
      description: 'only what touches this box (west, south, east, north in degrees) or has no location',
    },
    { flags: '--include-deleted', description: 'also deleted pasture cover events' },
    {
      flags: '--zone <ZONE>',
      description: "the time zone of days and times, such as Pacific/Auckland (default: this machine's)",
    },
    { flags: '--area-unit <UNIT>', description: 'the unit of areas, such as ha (default), acres or m2' },
    {
      flags: '--layout <LAYOUT>',
      description: 'of work records: diary (default in .xlsx and .csv), linked (several tables) or flat (one table)',
      choices: layouts,
    },
    { flags: '--all-columns', description: 'in .xlsx: also columns without any value' },
    {
      flags: '--csv <STYLE>',
      description: 'plain (ISO dates and times, default), or excel (as Excel reads them)',
      choices: csvStyles,
    },
    { flags: '--locale <LOCALE>', description: 'with --csv excel: whose list separator and decimals, such as de-DE' },
    connectionOption,
    jsonOption,
  ],
  examples: [
    'windrow export plots -o paddocks.geojson',
    'windrow export work-records --operation CropProtection --from 2026-10-01 --until 2026-10-31 --zone Pacific/Auckland -o spraying.xlsx',
  ],
  run: runExportCommand,
}

async function runExportCommand(input: Input, surroundings: Surroundings): Promise<number> {
  const job = readJob(input, surroundings)
  const connection = await reach(input, surroundings)
  const exported = await writeFile(job, connection, surroundings)
  printExport(
    exported,
    { job, zoneIsOwn: text(input, 'zone') === undefined, asJson: flag(input, 'json') },
    surroundings,
  )
  return 0
}

/** Writes the file with a progress line. */
export async function writeFile(
  job: ExportJob,
  connection: Awaited<ReturnType<typeof reach>>,
  surroundings: Surroundings,
): Promise<Exported> {
  const progress = startProgress(surroundings.terminal, () => surroundings.clock().getTime())
  try {
    return await runExport(job, {
      client: connection.client,
      clock: surroundings.clock,
      signal: surroundings.signal,
      onRead: (records) => progress.show(`${count(records)} records read`),
    })
  } finally {
    progress.clear()
  }
}

/** Prints what was written and how many records did not match. */
export function printExport(
  exported: Exported,
  how: { readonly job: ExportJob; readonly zoneIsOwn: boolean; readonly asJson: boolean },
  { terminal }: Surroundings,
): void {
  const { path, bytes, rows, notes, read, written, sifted } = exported
  const { zone, type } = how.job
  if (how.asJson) {
    say(terminal, JSON.stringify({ path, bytes, rows, notes, zone, records: { read, written, sifted } }))
    return
  }
  const tables = Object.entries(rows).map(([name, n]) => `${name}: ${count(n)} ${n === 1 ? 'row' : 'rows'}`)
  say(
    terminal,
    `${type.plural.padEnd(13)} ${sifted === 0 ? `${count(written)} ${written === 1 ? 'record was' : 'records were'} written.` : `${count(written)} of ${count(read)} records matched and were written.`}`,
    plain(`file          ${path}   ${tables.join(', ')}`),
    plain(`times         Days and times in ${zone}${how.zoneIsOwn ? ", this machine's zone" : ''}`),
    ...notes.map((note) => plain(`note          ${note}`)),
    ...(read > 0 && written === 0 ? ['note          No record matched; the file has headings only.'] : []),
  )
}

function readJob(input: Input, surroundings: Surroundings): ExportJob {
  const what = word(input, 'what')
  const type = findResourceType(what)
  if (type === undefined || !isReadable(type))
    throw new WindrowError('option-invalid', `"${what}" cannot be exported.`, {
      hint: `Use one of: ${readableTypes.join(', ')}.`,
    })
  const out = text(input, 'out')
  if (out === undefined)
    throw new WindrowError('option-invalid', 'Which file should be written?', {
      hint: 'Add -o FILE.xlsx, -o FILE.csv, -o FILE.geojson or -o FILE.gpkg.',
    })
  const holding = text(input, 'holding')
  checkFilters(type, input)
  const [from, until] = [day(input, 'from'), day(input, 'until')]
  if (from !== undefined && until !== undefined && from > until)
    throw new WindrowError('option-invalid', `--from ${from} is later than --until ${until}.`)
  const only = {
    ...(holding === undefined ? {} : { holding }),
    operations: listOf(text(input, 'operation')),
    statuses: listOf(text(input, 'status')),
    ...optional('from', from),
    ...optional('until', until),
    ...(flag(input, 'include-deleted') ? { deletedToo: true } : {}),
    ...(text(input, 'box') === undefined ? {} : { box: boxOf(text(input, 'box')!) }),
  }
  const format = formatForTarget(out)
  return {
    type,
    only,
    zone: zoneOf(input) ?? machineZone(),
    units: optional('area', areaUnit(input)),
    layout: choice(input, 'layout', layouts) ?? usualLayout(type, format),
    ...(flag(input, 'all-columns') ? { allColumns: true } : {}),
    path: resolve(surroundings.folder, out),
    format,
    formatOptions: csvOptions(format, input),
  }
}

function csvOptions({ name }: Format, input: Input): FormatOptions {
  const style = choice(input, 'csv', csvStyles)
  const locale = text(input, 'locale')
  if ((style !== undefined || locale !== undefined) && name !== 'csv')
    throw new WindrowError('option-invalid', `--${style === undefined ? 'locale' : 'csv'} works for CSV files only.`, {
      hint: 'Choose a name that ends in .csv.',
    })
  return { ...optional('csv', style), ...optional('locale', locale) }
}

const dated = ['work-records', 'pasture-cover-events', 'load-receivals', 'sample-analyses', 'sample-plans']
/** The types of record that an option is for. */
const typesOf: Readonly<Record<string, readonly string[]>> = {
  operation: ['work-records'],
  status: ['work-records'],
  from: dated,
  until: dated,
  'include-deleted': ['pasture-cover-events'],
  box: ['plots', 'holdings', 'land-covers'],
}

function checkFilters({ plural }: ResourceType, input: Input): void {
  for (const [name, plurals] of Object.entries(typesOf)) {
    if (input.options[name] === undefined || plurals.includes(plural)) continue
    const words = plurals.map((each) => each.replaceAll('-', ' ')).join(', ')
    throw new WindrowError(
      'option-invalid',
      `--${name} works for ${words} only, not for ${plural.replaceAll('-', ' ')}.`,
    )
  }
}

function optional<Name extends string>(name: Name, value: string | undefined): Partial<Record<Name, string>> {
  return value === undefined ? {} : ({ [name]: value } as Record<Name, string>)
}

function listOf(given: string | undefined): readonly string[] {
  return given === undefined ? [] : given.split(',').map((each) => each.trim())
}

function day(input: Input, name: string): string | undefined {
  const given = text(input, name)
  const fault = given === undefined ? undefined : faultOfDay(given, false)
  if (fault !== undefined) throw new WindrowError('option-invalid', `--${name}: ${fault}`)
  return given
}

function boxOf(given: string): readonly [number, number, number, number] {
  const [west, south, east, north, ...more] = given.split(',').map((each) => (each.trim() === '' ? NaN : Number(each)))
  const box = [west, south, east, north] as readonly [number, number, number, number]
  if (more.length === 0 && box.every(Number.isFinite)) return box
  throw new WindrowError('option-invalid', `--box cannot be "${given}".`, {
    hint: 'Use west, south, east and north in degrees: --box 175.2,-37.9,175.4,-37.7',
  })
}

function areaUnit(input: Input): string | undefined {
  const given = text(input, 'area-unit')
  if (given === undefined) return undefined
  const code = unitCode(given, 'area')
  if (code === undefined)
    throw new WindrowError('option-invalid', `"${given}" is not a unit of area.`, {
      hint: 'Use ha, acres or m2, for example.',
    })
  return code
}
