/** Runs `windrow export`: writes the records that the options choose to a file. */

import { WindrowError } from '../core/error.ts'
import { decimalOf } from '../core/values/locale.ts'
import { csvStyles } from '../formats/csv.ts'
import type { Format, FormatOptions } from '../formats/format.ts'
import { machineZone } from '../mapping/zones.ts'
import { crsOf, layoutOf, type ExportJob } from '../pipeline/export/export-job.ts'
import { runExport, type Exported } from '../pipeline/export-run.ts'
import { keepExport, type ExportOptions } from '../pipeline/keep-export.ts'
import { layouts } from '../resources/table-plan.ts'
import { jobGeometryKinds } from '../resources/job-tables.ts'
import { readableTypes, typeToExport } from '../resources/index.ts'
import { chosenRates, chosenUnit } from '../resources/units.ts'
import {
  choice,
  connectionOption,
  flag,
  jsonOption,
  stateOption,
  text,
  timing,
  word,
  type Call,
  type CommandSpec,
  type Input,
  type Specs,
  type Surroundings,
} from './options/command.ts'
import { filterOptions, filtersOf } from './options/export-filters.ts'
import { outputOf, outputOptions, type Output } from './options/export-output.ts'
import { reach, stateOf } from './options/reach.ts'
import { zoneOf } from './options/reading.ts'
import { count, counted, plain, say, startProgress } from './screen/terminal.ts'

/** What may happen to the file and its folder. */
export const forceOption = {
  '--force': 'replace a file that windrow did not write, or that was changed since',
}
const fileOptions: Specs = {
  ...forceOption,
  '--make-folders': 'make the folders of the file that do not exist',
  '--allow-empty': 'when no record matches a filter or one of its words, write what there is, if only headings',
}

export const exportRecords: CommandSpec = {
  words: { what: { description: readableTypes.join(', '), choices: readableTypes } },
  options: {
    ...outputOptions,
    ...filterOptions,
    '--zone <ZONE>': "the time zone of days and times, such as Pacific/Auckland (default: this machine's)",
    ...fileOptions,
    '--area-unit <UNIT>': 'the unit of areas, such as ha (default), acres or m2',
    '--length-unit <UNIT>': 'the unit of lengths, such as m (default), cm or ft',
    '--rate-unit <UNITS>':
      'in the diary: the units of rates, such as "L/ha, kg/ha" or "gal (US)/ac" (default: as recorded)',
    '--layout <LAYOUT>': {
      description: 'of work records: diary (default in .xlsx and .csv), linked (several tables) or flat (one table)',
      choices: layouts,
    },
    '--geometry <KIND>': {
      description:
        'of work records in maps: logged (where the machine went), point (the middle of it) or none (default)',
      choices: jobGeometryKinds,
    },
    '--all-columns': 'in .xlsx: also columns without any value',
    '--csv <STYLE>': {
      description: 'plain (ISO dates and times, default), or excel (as Excel reads them)',
      choices: csvStyles,
    },
    '--cut': 'in a shapefile: cut texts longer than its 254 bytes, instead of refusing them',
    '--locale <LOCALE>': 'with --csv excel: whose list separator and decimals, such as de-DE',
    ...connectionOption,
    ...stateOption,
    ...jsonOption,
  },
  examples: [
    'windrow export plots -o paddocks.geojson',
    'windrow export work-records --operation CropProtection --day "last month" --zone Pacific/Auckland -o spraying.xlsx',
  ],
  run: runExportCommand,
}

async function runExportCommand(call: Call): Promise<void> {
  await using output = await outputOf(call)
  const job = readJob(call, output)
  const connection = await reach(call)
  const { passOn, terminal } = output
  if (text(call, 'columns') === '?') {
    await runExport(job, { client: connection.client, clock: call.clock, signal: call.signal })
    await passOn?.()
    return
  }
  const name = `export-${job.type.plural}`
  const options = {
    name,
    state: stateOf(call),
    replaces: flag(call, 'force'),
    passOn,
    connection,
  }
  const exported = await writeFile(job, options, call)
  const how = { job, zoneIsOwn: text(call, 'zone') === undefined, isPassedOn: passOn !== undefined }
  printExport(exported, how, { ...call, terminal })
}

/** Writes the file with a progress line. */
export async function writeFile(
  job: ExportJob,
  options: Omit<ExportOptions, 'web' | 'clock' | 'signal' | 'onRead'>,
  surroundings: Surroundings,
): Promise<Exported> {
  const { clock, signal, sleep } = timing(surroundings)
  const began = clock().getTime()
  using progress = startProgress(surroundings)
  const { passOn } = options
  return await keepExport(job, {
    ...options,
    passOn:
      passOn &&
      (() => {
        progress[Symbol.dispose]()
        return passOn()
      }),
    web: { env: surroundings.env, sleep },
    clock,
    signal,
    onRead: (records, total) => progress.show(readingText(records, total, (clock().getTime() - began) / 1000)),
  })
}

/** Such as "12 000 of 100 000 records read, 2 400 a second, about 37 s left". */
function readingText(records: number, total: number | undefined, seconds: number): string {
  const perSecond = records / Math.max(seconds, 0.001)
  const rate = `${count(Math.round(perSecond))} a second`
  if (total === undefined || total < records) return `${count(records)} records read, ${rate}`
  if (total === records) return `${count(records)} records read, writing the file`
  const left = Math.ceil((total - records) / perSecond)
  const time = left < 120 ? `${left} s` : `${Math.ceil(left / 60)} min`
  return `${count(records)} of ${count(total)} records read, ${rate}, about ${time} left`
}

/** Prints what was written and how many records did not match. */
export function printExport(
  { path, bytes, rows, notes, read, written, sifted }: Exported,
  {
    job,
    zoneIsOwn,
    isPassedOn = false,
  }: { readonly job: ExportJob; readonly zoneIsOwn: boolean; readonly isPassedOn?: boolean },
  call: Call,
): void {
  const { terminal } = call
  const { zone, type } = job
  if (flag(call, 'json')) {
    const file = isPassedOn ? {} : { path }
    const records = { read, written, sifted }
    return say(terminal, JSON.stringify({ ...file, bytes, rows, notes, zone, records }))
  }
  const tables = Object.entries(rows).map(([name, n]) => `${name}: ${counted(n, 'row')}`)
  say(
    terminal,
    `${type.plural.padEnd(13)} ${sifted === 0 ? `${counted(written, 'record was', 'records were')} written.` : `${count(written)} of ${count(read)} records matched and ${written === 1 ? 'was' : 'were'} written.`}`,
    plain(`file          ${isPassedOn ? 'standard output' : path}   ${tables.join(', ')}`),
    plain(`times         Days and times in ${zone}${zoneIsOwn ? ", this machine's zone" : ''}`),
    ...notes.map((note) => plain(`note          ${note}`)),
    ...(read > 0 && written === 0 ? ['note          No record matched; the file has headings only.'] : []),
  )
}

function readJob(call: Call, output: Output): ExportJob {
  const type = typeToExport(word(call, 'what'))
  const { path, format, formatOptions, layoutLike } = output
  const columns = text(call, 'columns')
  const crs = text(call, 'crs')
  const zone = zoneOf(call) ?? machineZone()
  const only = filtersOf(type, call, { zone, now: call.clock() })
  return {
    type,
    only,
    zone,
    units: { area: unitOf(call, 'area'), length: unitOf(call, 'length'), rate: rateOf(call) },
    ...layoutOf(
      { layout: choice(call, 'layout', layouts), geometry: choice(call, 'geometry', jobGeometryKinds) },
      type,
      layoutLike,
    ),
    allColumns: flag(call, 'all-columns'),
    path,
    format,
    formatOptions: { ...formatOptions, ...csvOptions(format, call), ...cutOption(format, call) },
    crs: crs === undefined || columns === '?' ? undefined : crsOf(crs, format),
    allowsEmpty: flag(call, 'allow-empty'),
    columns: columns === '?' ? undefined : columns?.split(','),
    sort: text(call, 'sort'),
    groupBy: text(call, 'group-by'),
    makesFolders: flag(call, 'make-folders'),
    onlyChanged: flag(call, 'since-last'),
  }
}

function cutOption({ options }: Format, input: Input): FormatOptions {
  if (!flag(input, 'cut')) return {}
  if ('cut' in options.properties) return { cut: true }
  throw new WindrowError('option-invalid', '--cut works for shapefiles only.', {
    hint: 'Other formats store texts of any length: leave it out.',
  })
}

function csvOptions({ options }: Format, input: Input): FormatOptions {
  const style = choice(input, 'csv', csvStyles)
  const locale = text(input, 'locale')
  if ((style !== undefined || locale !== undefined) && !('csv' in options.properties))
    throw new WindrowError('option-invalid', `--${style === undefined ? 'locale' : 'csv'} works for CSV files only.`, {
      hint: 'Choose a name that ends in .csv.',
    })
  if (locale !== undefined) decimalOf(locale)
  return { ...(style && { csv: style }), ...(locale !== undefined && { locale }) }
}

function rateOf(input: Input): string | undefined {
  const given = text(input, 'rate-unit')
  if (given !== undefined) chosenRates(given)
  return given
}

function unitOf(input: Input, kind: 'area' | 'length'): string | undefined {
  const given = text(input, `${kind}-unit`)
  return given === undefined ? undefined : chosenUnit(given, kind)
}
