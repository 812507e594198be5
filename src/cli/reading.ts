/** Hides the options about the file that inspect, init and import share. */

import { resolve } from 'node:path'
import type { Source } from '../core/source.ts'
import { spooledSource } from '../core/source.ts'
import { openSource } from '../core/open-source.ts'
import { isWebAddress } from '../core/web-address.ts'
import { naming, WindrowError } from '../core/error.ts'
import { openFile, type OpenedFile } from '../formats/index.ts'
import type { Format, FormatOptions } from '../formats/format.ts'
import { headerWish } from '../formats/grid.ts'
import { compileDatePattern, type DatePattern } from '../core/date-pattern.ts'
import { findZone, machineZone } from '../mapping/zones.ts'
import { readHolding } from '../pipeline/said-holding.ts'
import { findResourceType, publishedTypes } from '../resources/index.ts'
import type { Identifier, ResourceType } from '../resources/resource-type.ts'
import { choice, flag, text, word, type Input, type OptionSpec, type Surroundings } from './command.ts'
import { formatModuleOption, knownFormats } from './format-module.ts'

export const readingOptions: readonly OptionSpec[] = [
  { flags: '--layer <NAME>', description: 'the layer or sheet, where the file has several' },
  { flags: '--format <NAME>', description: 'the kind of file, where its name does not say it' },
  formatModuleOption,
  {
    flags: '--crs <CRS>',
    description: 'the coordinate system of the file, such as EPSG:2193; auto: worked out where the file says none',
  },
  {
    flags: '--grid-dir <DIR>',
    description: 'a folder with grids of datum shifts (NTv2, .gsb); the one for the file is used where it serves',
  },
  { flags: '--encoding <NAME>', description: 'how the text is encoded, such as utf-8 or windows-1252' },
  { flags: '--delimiter <CHARACTER>', description: 'what stands between two cells; "tab" for a tab' },
  { flags: '--decimal <MARK>', description: 'what stands before decimals: point or comma' },
  { flags: '--dates <PATTERN>', description: 'how dates in this file are written, such as d/M/yyyy' },
  { flags: '--quote <CHARACTER>', description: 'what stands around a cell; none for nothing' },
  { flags: '--header <ROWS>', description: 'the row with the column names, several such as 2-3, or none' },
  { flags: '--hidden', description: 'read the hidden sheets of a workbook too' },
  {
    flags: '--allow-private-addresses',
    description: 'read a web address that leads to this machine or into a private network',
  },
  { flags: '--geometry <COLUMN>', description: 'the column with the boundary as text, or none' },
  { flags: '--x <COLUMN>', description: 'the column with the longitude or easting' },
  { flags: '--y <COLUMN>', description: 'the column with the latitude or northing' },
]

/** A file as the command line named it, opened. `path` is what a pipeline would call it. */
export type Reading = {
  readonly source: Source
  readonly path: string
  readonly opened: OpenedFile
  readonly formats: readonly Format[]
}

/** Opens the file that was named, or standard input for "-", and closes it when the work is done. A failure names the file. */
export async function withReading(
  input: Input,
  surroundings: Surroundings,
  work: (reading: Reading) => Promise<number>,
): Promise<number> {
  const { folder, stdin, signal } = surroundings
  const formats = await knownFormats(input, surroundings)
  const file = word(input, 'file')
  const isTyped = file === '-'
  const sleep = (ms: number): Promise<void> => surroundings.sleep(ms, signal)
  const { source, close } = isTyped
    ? await spooledSource('standard input', stdin, signal)
    : await openSource(file, folder, { signal, sleep, allowsPrivate: flag(input, 'allow-private-addresses') })
  const closers = [close]
  try {
    const format = text(input, 'format')
    const opened = await openFile(source, {
      signal,
      formats,
      options: formatOptions(input),
      ...(format === undefined ? {} : { format }),
    })
    closers.push(opened.close)
    const path = isWebAddress(file) ? file : resolve(folder, isTyped ? 'standard-input' : file)
    return await work({ source, opened, formats, path })
  } catch (cause) {
    throw naming(source.name, cause)
  } finally {
    for (const each of closers.toReversed()) await each()
  }
}

/** The folder of grids that --grid-dir names. */
export function gridFolder(input: Input, { folder }: Surroundings): string | undefined {
  const given = text(input, 'grid-dir')
  return given === undefined ? undefined : resolve(folder, given)
}

/** The options of the format as they were typed. */
export function formatOptions(input: Input): FormatOptions {
  const rows = text(input, 'header')
  headerWish(rows)
  const header = rows !== undefined && /^\d+$/.test(rows) ? Number(rows) : rows
  const decimal = choice(input, 'decimal', ['point', 'comma'])
  const hidden = flag(input, 'hidden') ? true : undefined
  const told = ['encoding', 'delimiter', 'quote', 'geometry', 'x', 'y'].map(
    (name) => [name, text(input, name)] as const,
  )
  const options = { ...Object.fromEntries(told), decimal, header, hidden }
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined))
}

/** The type of record that --to names. */
export function targetType(input: Input): ResourceType {
  const wanted = text(input, 'to') ?? 'plots'
  const type = findResourceType(wanted)
  if (type !== undefined && type.dataset !== undefined) return type
  throw new WindrowError('option-invalid', `Nothing can be published as "${wanted}".`, {
    hint: `--to is one of: ${publishedTypes.map(({ plural }) => plural).join(', ')}.`,
  })
}

/** The holding that --holding names as SCHEME:ID; the id may be left out where a column gives it. */
export function holdingOption(input: Input): Identifier | undefined {
  const given = text(input, 'holding')
  return given === undefined ? undefined : readHolding(given)
}

/** The pattern of dates that --dates gives. */
export function datesOption(input: Input): DatePattern | undefined {
  const given = text(input, 'dates')
  const pattern = given === undefined ? undefined : compileDatePattern(given)
  if (typeof pattern !== 'string') return pattern
  throw new WindrowError('option-invalid', `--dates: ${pattern}`, {
    hint: 'Such as d/M/yyyy, M/d/yyyy or yyyy-MM-dd.',
  })
}

/** The time zone that --zone names. Throws a WindrowError when there is no such zone. */
export function zoneOf(input: Input): string | undefined {
  const told = text(input, 'zone')
  if (told === undefined) return undefined
  const found = findZone(told)
  if (found !== undefined) return found.name
  throw new WindrowError('option-invalid', `"${told}" is not a time zone.`, {
    hint: 'Such as Pacific/Auckland or Europe/Dublin.',
  })
}

/** The zone of dates that name none: as told, else this machine's own. */
export function zoneOption(input: Input): { readonly zone: string; readonly evidence: string } {
  const told = zoneOf(input)
  if (told !== undefined) return { zone: told, evidence: 'the option --zone' }
  return { zone: machineZone(), evidence: "this machine's own; --zone says another" }
}
