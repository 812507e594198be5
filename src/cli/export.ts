/** Runs `windrow export`: writes the records that the options choose to a file, as a pipeline with the same settings would. */

import { createReadStream } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { WindrowError } from '../core/error.ts'
import { strictObject } from '../core/object-schema.ts'
import { temporaryFolder } from '../core/sources/temporary.ts'
import type { Format } from '../formats/format.ts'
import { formatForTarget, formats } from '../formats/index.ts'
import { pipelineFrom, type ExportPipeline } from '../pipeline/definition/definition.ts'
import { groupIn, type Group } from '../resources/groups.ts'
import { exportJobOf, type ExportJob } from '../pipeline/export/export-job.ts'
import { runExport, type Exported } from '../pipeline/export-run.ts'
import { keepExport, type ExportOptions } from '../pipeline/keep-export.ts'
import { readableTypes } from '../resources/index.ts'
import {
  connectionOption,
  flag,
  jsonOption,
  stateOption,
  text,
  timing,
  word,
  type Call,
  type CommandSpec,
  type Surroundings,
} from './options/command.ts'
import { reach, stateOf } from './options/reach.ts'
import { setOption, settingsOf } from './options/settings.ts'
import { count, counted, plain, say, startProgress, type Terminal } from './screen/terminal.ts'

export const forceOption = {
  '--force': 'replace a file that windrow did not write, or that was changed since',
}

export const exportRecords: CommandSpec = {
  words: { what: { description: readableTypes.join(', '), choices: readableTypes } },
  options: {
    '-o, --out <FILE>':
      'the file to write, or s3://BUCKET/FILE; its ending chooses the format, and .gz packs it; - is standard output, as CSV unless to.format is another text format',
    '--holding <HOLDING>': 'only this farm: its name, number, id or SCHEME:ID',
    '--from <DAY>': 'only from this day, such as 2026-09-01 or "2 weeks ago"',
    '--until <DAY>': 'only up to and including this day',
    '--only <NAME=VALUE>': {
      description:
        'only what fits, such as plot=Rāhui, "operation=crop protection", "product=[Urea, Herbicide]" or "day=last month"; may be given again',
      many: true,
    },
    '--crs <CRS>': 'the coordinate system of a .gpkg or .zip, such as EPSG:2193 (default: longitude and latitude)',
    '--zone <ZONE>': "the time zone of days and times, such as Pacific/Auckland (default: this machine's)",
    ...setOption(['export']),
    ...forceOption,
    ...connectionOption,
    ...stateOption,
    ...jsonOption,
  },
  examples: [
    'windrow export plots -o paddocks.geojson',
    'windrow export work-records --only operation=CropProtection --only "day=last month" --zone Pacific/Auckland -o spraying.xlsx',
    'windrow export work-records --set to.columns=?',
  ],
  run: runExportCommand,
}

async function runExportCommand(call: Call): Promise<void> {
  const said = await settingsOf(call, 'export')
  await using output = await outputOf(call, groupIn(said, 'to'))
  // Its name is that of the pipeline, which is in no file.
  const path = join(call.folder, `export-${word(call, 'what')}`)
  const pipeline = pipelineFrom({ ...said, to: output.to }, path, formats) as ExportPipeline
  const job = { ...exportJobOf(pipeline, call.clock()), ...output.instead }
  const connection = await reach(call)
  const { passOn, terminal } = output
  if (output.instead.format !== undefined) {
    await runExport(job, { client: connection.client, clock: call.clock, signal: call.signal })
    await passOn?.()
    return
  }
  const { name } = pipeline
  const options = { name, state: stateOf(call), replaces: flag(call, 'force'), passOn, connection }
  const exported = await writeFile(job, options, call)
  const how = { job, zoneIsOwn: pipeline.zone === undefined, isPassedOn: passOn !== undefined }
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

/**
 * Where to write: `to` as in a pipeline, and what is `instead` of that. `passOn` prints a file that was written for standard output, and
 * says whether its reader took all of it; the file is removed at the end.
 */
type Output = AsyncDisposable & {
  readonly to: Group
  readonly instead: Partial<Pick<ExportJob, 'path' | 'format' | 'formatOptions' | 'columns' | 'crs'>>
  /** Where messages go. */
  readonly terminal: Terminal
  readonly passOn: (() => Promise<boolean>) | undefined
}

/** The output that -o names, for an export with these settings of `to`. */
async function outputOf(call: Call, { columns, format, ...said }: Group): Promise<Output> {
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
