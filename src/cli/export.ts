/** Runs `windrow export`: writes the records that the options choose to a file, as a pipeline with the same settings would. */

import { join } from 'node:path'
import { pipelineFrom, type ExportPipeline } from '../pipeline/definition/definition.ts'
import { formats } from '../formats/index.ts'
import { groupIn, type Group } from '../resources/groups.ts'
import type { ExportJob } from '../pipeline/export/export-job.ts'
import { exportJobOf } from '../pipeline/export/export-job.ts'
import { runExport, type Exported } from '../pipeline/export-run.ts'
import { keepExport, type ExportOptions } from '../pipeline/keep-export.ts'
import { readableTypes } from '../resources/index.ts'
import {
  connectionOption,
  flag,
  jsonOption,
  stateOption,
  timing,
  word,
  type Call,
  type CommandSpec,
  type Surroundings,
} from './options/command.ts'
import { outputOf, type Output } from './options/export-output.ts'
import { reach, stateOf } from './options/reach.ts'
import { setOption, settingsOf } from './options/settings.ts'
import { count, counted, plain, say, startProgress } from './screen/terminal.ts'

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
  const pipeline = pipelineOf(said, output, call)
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

function pipelineOf(said: Group, { to }: Output, call: Call): ExportPipeline {
  // Its name is that of the pipeline, which is in no file.
  const path = join(call.folder, `export-${word(call, 'what')}`)
  return pipelineFrom({ ...said, to }, path, formats) as ExportPipeline
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
