/** Hides `windrow export`: records of the service into a file, chosen by the words on the command line. */

import { resolve } from 'node:path'
import { WindrowError } from '../core/error.ts'
import { formatForTarget } from '../formats/index.ts'
import { faultOfDay } from '../pipeline/definition/period.ts'
import { machineZone } from '../mapping/zones.ts'
import type { ExportJob } from '../pipeline/export/export-job.ts'
import { runExport, type Exported } from '../pipeline/export-run.ts'
import { isReadable } from '../pipeline/export/fetch-records.ts'
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
  words: [{ name: 'what', description: readableTypes.join(', ') }],
  options: [
    { flags: '-o, --out <FILE>', description: 'the file to write; its ending says the format' },
    { flags: '--holding <HOLDING>', description: 'only this holding: its name, id or SCHEME:ID' },
    { flags: '--operation <WORD>', description: 'only work records of this operation, such as CropProtection' },
    { flags: '--status <WORD>', description: 'only work records with this status' },
    { flags: '--from <DAY>', description: 'only what was done or observed from this day on, as 2026-09-01' },
    { flags: '--until <DAY>', description: 'only up to this day, which is included' },
    { flags: '--box <W,S,E,N>', description: 'only what this box of degrees touches, or has no location' },
    { flags: '--deleted-too', description: 'deleted pasture cover events as well' },
    {
      flags: '--zone <ZONE>',
      description: "the time zone of days and times, such as Pacific/Auckland (this machine's)",
    },
    { flags: '--area-unit <UNIT>', description: 'the unit of areas (usually ha)' },
    { flags: '--layout <LAYOUT>', description: 'flat: one table; linked: several tables that refer to each other' },
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
  tellExport(exported, { job, zoneIsOwn: text(input, 'zone') === undefined, asJson: flag(input, 'json') }, surroundings)
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
      signal: surroundings.signal,
      onRead: (records) => progress.show(`${count(records)} records read`),
    })
  } finally {
    progress.clear()
  }
}

/** Says what was written, and what was left out and why. */
export function tellExport(
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
    `${type.plural.padEnd(13)} ${count(read)} read = ${count(written)} written + ${count(sifted)} left out as asked`,
    plain(`file          ${path}   ${tables.join(', ')}`),
    plain(`times         Days and times in ${zone}${how.zoneIsOwn ? ", this machine's zone" : ''}`),
    ...notes.map((note) => plain(`note          ${note}`)),
    ...(read > 0 && written === 0
      ? ['note          Nothing is like what was asked for; the file holds headings only.']
      : []),
  )
}

function readJob(input: Input, surroundings: Surroundings): ExportJob {
  const what = word(input, 'what')
  const type = findResourceType(what)
  if (type === undefined || !isReadable(type))
    throw new WindrowError('option-invalid', `"${what}" cannot be exported.`, {
      hint: `It is one of: ${readableTypes.join(', ')}.`,
    })
  const out = text(input, 'out')
  if (out === undefined)
    throw new WindrowError('option-invalid', 'It is not said where to write.', {
      hint: 'Add -o FILE.xlsx, -o FILE.csv or -o FILE.geojson.',
    })
  const holding = text(input, 'holding')
  checkSifts(type, input)
  const [from, until] = [day(input, 'from'), day(input, 'until')]
  if (from !== undefined && until !== undefined && from > until)
    throw new WindrowError('option-invalid', `The days run backwards: --from ${from} --until ${until}.`)
  const only = {
    ...(holding === undefined ? {} : { holding }),
    operations: listOf(text(input, 'operation')),
    statuses: listOf(text(input, 'status')),
    ...optional('from', from),
    ...optional('until', until),
    ...(flag(input, 'deleted-too') ? { deletedToo: true } : {}),
    ...(text(input, 'box') === undefined ? {} : { box: boxOf(text(input, 'box')!) }),
  }
  return {
    type,
    only,
    zone: zoneOf(input) ?? machineZone(),
    units: optional('area', areaUnit(input)),
    layout:
      choice(input, 'layout', ['flat', 'linked']) ??
      (type.plural === 'work-records' && out.endsWith('.xlsx') ? 'linked' : 'flat'),
    path: resolve(surroundings.folder, out),
    format: formatForTarget(out),
    formatOptions: {},
  }
}

const happening = ['work-records', 'pasture-cover-events', 'load-receivals', 'sample-analyses', 'sample-plans']
/** Which records an option can choose among. */
const chosenAmong: Readonly<Record<string, readonly string[]>> = {
  operation: ['work-records'],
  status: ['work-records'],
  from: happening,
  until: happening,
  'deleted-too': ['pasture-cover-events'],
  box: ['plots', 'holdings', 'land-covers'],
}

function checkSifts({ plural }: ResourceType, input: Input): void {
  for (const [name, plurals] of Object.entries(chosenAmong)) {
    if (input.options[name] === undefined || plurals.includes(plural)) continue
    const words = plurals.map((each) => each.replaceAll('-', ' ')).join(', ')
    throw new WindrowError('option-invalid', `--${name} is for ${words}; ${plural.replaceAll('-', ' ')} have none.`)
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
    hint: 'It is west, south, east and north in degrees: --box 175.2,-37.9,175.4,-37.7',
  })
}

function areaUnit(input: Input): string | undefined {
  const given = text(input, 'area-unit')
  if (given === undefined) return undefined
  const code = unitCode(given, 'area')
  if (code === undefined)
    throw new WindrowError('option-invalid', `"${given}" is not a unit of area.`, { hint: 'Such as ha, acres or m2.' })
  return code
}
