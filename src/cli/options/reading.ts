/** Opens a file by the options that inspect, init and import share. */

import { nearest } from '../../core/values/nearest.ts'
import { allRules, mayBeAllowed } from '../../rules/index.ts'
import { resolve } from 'node:path'
import { withoutGzip } from '../../core/sources/gzip.ts'
import { spooledSource, standardInput, type Source } from '../../core/sources/source.ts'
import { openSource, webOf } from '../../core/sources/open-source.ts'
import { isWebAddress } from '../../core/sources/web-address.ts'
import { naming, WindrowError } from '../../core/error.ts'
import { formats, openFile, type OpenedFile } from '../../formats/index.ts'
import type { Format, FormatOptions } from '../../formats/format.ts'
import { headerWish } from '../../formats/grid.ts'
import { compileDatePattern, type DatePattern } from '../../core/values/date-pattern.ts'
import { findZone, machineZone } from '../../mapping/zones.ts'
import { farmSaid } from '../../pipeline/export/find-holding.ts'
import { matchOption, readRepair } from '../../pipeline/definition/amounts.ts'
import type { OneOff } from '../../pipeline/inspect/one-off.ts'
import type { Connection } from '../../pipeline/report/course.ts'
import { publishedTypes, typeToPublish } from '../../resources/index.ts'
import type { ResourceType } from '../../resources/resource-type.ts'
import { choice, flag, text, texts, timing, word, type Call, type Input, type Specs } from './command.ts'
import { formatModuleOption, knownFormats } from './format-module.ts'
import { stateOf } from './reach.ts'

/** The words that --to takes without a connection. */
export const typeChoices = publishedTypes.map(({ plural }) => plural)

const decimals = ['point', 'comma'] as const

/** What an empty cell may do to a value that the record has. */
export const blankPolicies = ['keep', 'clear'] as const

export const readingOptions: Specs = {
  '--layer <NAME>': 'the layer or sheet to read, if the file has several',
  '--format <NAME>': {
    description: 'the format of the file, if its name does not show it',
    choices: formats.flatMap((format) => ('open' in format ? [format.name] : [])),
  },
  ...formatModuleOption,
  '--crs <CRS>': 'the coordinate system of the file, such as EPSG:2193; auto: work it out if the file names none',
  '--grid-dir <DIR>': 'a folder with datum grids (NTv2, .gsb); the one that fits the file is used',
  '--encoding <NAME>': 'the text encoding, such as utf-8 or windows-1252',
  '--delimiter <CHARACTER>': 'the delimiter between cells, or "tab"',
  '--decimal <MARK>': { description: 'the decimal separator: point or comma', choices: decimals },
  '--dates <PATTERN>': 'the format of dates in this file, such as d/M/yyyy',
  '--quote <CHARACTER>': 'the quote character around cells, or none',
  '--header <ROWS>': 'the row with the column names, rows such as 2-3, or none',
  '--hidden': 'also read the hidden sheets of a workbook',
  '--allow-private-addresses': 'allow web addresses on this machine or in a private network',
  '--geometry <COLUMN>': 'the column that contains the boundary as text, or none',
  '--x <COLUMN>': 'the column with the longitude or easting',
  '--y <COLUMN>': 'the column with the latitude or northing',
}

/** The file of the command line, opened. `path` is its name in a pipeline. */
export type Reading = {
  readonly source: Source
  readonly path: string
  readonly opened: OpenedFile
  readonly formats: readonly Format[]
}

/** Opens the named file, or standard input for "-", and closes it after the work. A failure names the file. */
export async function withReading<T>(call: Call, work: (reading: Reading) => Promise<T>): Promise<T> {
  const { folder, stdin, signal } = call
  const formats = await knownFormats(call)
  const file = word(call, 'file')
  const isTyped = file === '-'
  const { source, close } = isTyped
    ? await withoutGzip(await spooledSource(standardInput, stdin, signal), signal)
    : await openSource(file, folder, {
        ...timing(call),
        ...webOf(call, stateOf(call)),
        allowsPrivate: flag(call, 'allow-private-addresses'),
      })
  await using closers = new AsyncDisposableStack()
  closers.defer(close)
  try {
    const format = text(call, 'format')
    const opened = await openFile(source, {
      signal,
      formats,
      options: formatOptions(call),
      format,
    })
    closers.defer(opened.close)
    const path = isWebAddress(file) ? file : resolve(folder, isTyped ? 'standard-input' : file)
    return await work({ source, opened, formats, path })
  } catch (cause) {
    throw naming(source.name, cause)
  }
}

/** The folder of grids that --grid-dir names. */
export function gridFolder(call: Call): string | undefined {
  const given = text(call, 'grid-dir')
  return given === undefined ? undefined : resolve(call.folder, given)
}

function formatOptions(input: Input): FormatOptions {
  const rows = text(input, 'header')
  headerWish(rows)
  const header = rows !== undefined && /^\d+$/.test(rows) ? Number(rows) : rows
  const decimal = choice(input, 'decimal', decimals)
  const hidden = flag(input, 'hidden') ? true : undefined
  const texts = ['encoding', 'delimiter', 'quote', 'geometry', 'x', 'y'].map(
    (name) => [name, text(input, name)] as const,
  )
  const options = { ...Object.fromEntries(texts), decimal, header, hidden }
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined))
}

/** The type of record that --to names. */
export function targetType(input: Input): ResourceType {
  return typeToPublish(text(input, 'to') ?? 'plots')
}

export const zoneOption: Specs = {
  '--zone <ZONE>': "the time zone of dates, such as Pacific/Auckland (default: this machine's)",
}

/** Several columns, or one and the place, make a key in parts. */
export const keyOption: Specs = {
  '--key <COLUMN>': {
    description:
      'the id column, different in every row; several columns: give it again, or "A,B"; without ids: name+place, the name and where the boundary lies',
    many: true,
  },
}

export function datesOf(input: Input): DatePattern | undefined {
  const given = text(input, 'dates')
  const pattern = given === undefined ? undefined : compileDatePattern(given)
  if (typeof pattern !== 'string') return pattern
  throw new WindrowError('option-invalid', `--dates: ${pattern}`, {
    hint: 'Use a format such as d/M/yyyy, M/d/yyyy or yyyy-MM-dd.',
  })
}

/** The time zone that --zone names. Throws a WindrowError when there is no such zone. */
export function zoneOf(input: Input): string | undefined {
  const given = text(input, 'zone')
  if (given === undefined) return undefined
  const found = findZone(given)
  if (found !== undefined) return found.name
  throw new WindrowError('option-invalid', `"${given}" is not a time zone.`, {
    hint: 'Use a name such as Pacific/Auckland or Europe/Dublin.',
  })
}

/** The zone of dates without one: that of --zone, else this machine's. */
export function zoneAndWhy(input: Input): { readonly zone: string; readonly evidence: string } {
  const given = zoneOf(input)
  if (given !== undefined) return { zone: given, evidence: 'set by --zone' }
  return { zone: machineZone(), evidence: "this machine's zone; change it with --zone" }
}

/** A file to import, the type of its records, and where they go. */
export type OneFile = {
  readonly reading: Reading
  readonly connection: Connection | undefined
  readonly type: ResourceType
}

/** What the command line says about one file. */
export async function oneOffOf(call: Call, { reading: { source, path }, connection, type }: OneFile): Promise<OneOff> {
  return {
    file: path,
    fileName: source.name,
    type,
    typeIsSaid: text(call, 'to') !== undefined,
    holding: await farmSaid(text(call, 'holding'), { type, connection, signal: call.signal }),
    key: texts(call, 'key'),
    layer: text(call, 'layer'),
    format: text(call, 'format'),
    crs: text(call, 'crs'),
    grids: gridFolder(call),
    zone: zoneAndWhy(call).zone,
    blank: choice(call, 'blank', blankPolicies),
    options: formatOptions(call),
    repairUpTo: repairOf(call),
    match: matchOption(text(call, 'match')),
    dryRun: flag(call, 'dry-run'),
  }
}

/** The share of --repair, or the usual one. */
export function repairOf(input: Input): number {
  const share = readRepair(text(input, 'repair') ?? '1 %')
  if (typeof share === 'string') throw new WindrowError('option-invalid', `--repair: ${share}`)
  return share
}

/** How rows find the records that they are, and what does not stop this one run; import and run share these. */
export const ruleOptions: Specs = {
  '--match <HOW>':
    'find records that the service has under other keys and update those: boundary, name, or COLUMN=identifier where the column has ids that the service knows',
  '--allow <RULE>': {
    description: 'let this one run through a rule that would stop it (docs/rules.md lists them); may be given again',
    many: true,
  },
}

/** The rules that do not stop this one run. */
export function allowedBy(input: Input): ReadonlySet<string> {
  const ids = allRules.filter(mayBeAllowed).map(({ id }) => id)
  return new Set(
    texts(input, 'allow').map((written) => {
      const id = written.trim()
      if (ids.includes(id)) return id
      const near = nearest(id, ids)
      const hint =
        near === undefined ? 'docs/rules.md lists the rules that stop a run.' : `Did you mean: --allow ${near}`
      throw new WindrowError('option-invalid', `No rule "${written}" stops a run.`, { hint })
    }),
  )
}
