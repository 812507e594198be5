/** Hides which formats there are, and how the right one is found for a file to be read or written. */

import { WindrowError } from '../core/error.ts'
import type { Table } from '../core/row.ts'
import type { Source } from '../core/source.ts'
import { zipMemberNames } from '../core/zip.ts'
import { csv } from './csv.ts'
import type { Format, FormatOptions, Probe } from './format.ts'
import { geojson } from './geojson.ts'
import { geopackage } from './geopackage.ts'
import { shapefile } from './shapefile.ts'
import { likenessOf } from './unknown.ts'
import { workbook } from './workbook.ts'
import { xlsx } from './xlsx.ts'

/** All formats. The first that recognises a file has it, so those with the surest signs stand first and CSV last. */
export const formats: readonly Format[] = [shapefile, geopackage, geojson, workbook, xlsx, csv]

/** The format of a file by its name, its first bytes and, for a zip, its members; nothing when none recognises it. */
export async function recogniseFormat(source: Source, among: readonly Format[] = formats): Promise<Format | undefined> {
  const probe = await probeOf(source)
  return among.find((format) => format.recognise(probe))
}

const headBytes = 4096

async function probeOf(source: Source): Promise<Probe> {
  const head = await source.read(0, headBytes)
  const members = await zipMemberNames(source)
  return { name: source.name, head, ...(members === undefined ? {} : { members }) }
}

/** What may be said when a file is opened: its format by name, the formats to choose from, and that format's options. */
export type OpenOptions = {
  readonly format?: string
  readonly formats?: readonly Format[]
  readonly options?: FormatOptions
}

/** Opens a file with the format that recognises it, or the one that is named. */
export async function openFile(
  source: Source,
  { format: wanted, formats: among = formats, options = {} }: OpenOptions = {},
): Promise<{ readonly format: Format; readonly tables: readonly Table[] }> {
  if (source.size === 0)
    throw new WindrowError('file-empty', `"${source.name}" is empty.`, {
      hint: 'Export it again, and look at it first.',
    })
  const probe = await probeOf(source)
  const format = wanted === undefined ? among.find((each) => each.recognise(probe)) : formatNamed(wanted, among)
  if (format === undefined) throw unknown(probe, among)
  if (format.open === undefined)
    throw new WindrowError(
      'format-unknown',
      `"${source.name}" is of a kind that is written but not read: ${format.title}.`,
      {
        hint: `Save it as one of ${readable(among)}.`,
      },
    )
  return { format, tables: await format.open(source, options) }
}

function formatNamed(wanted: string, among: readonly Format[]): Format {
  const format = among.find(({ name }) => name === wanted.toLowerCase())
  if (format !== undefined) return format
  throw new WindrowError('option-invalid', `There is no format "${wanted}".`, {
    hint: `The formats are ${among.map(({ name }) => name).join(', ')}.`,
  })
}

function unknown(probe: Probe, among: readonly Format[]): WindrowError {
  const { what, hint } = likenessOf(probe)
  return new WindrowError('format-unknown', `"${probe.name}" seems to be ${what}. That cannot be read.`, {
    hint: `${hint} What can be read: ${readable(among)}.`,
    data: { likeness: what },
  })
}

function readable(among: readonly Format[]): string {
  return extensionsOf(among.filter((format) => format.open !== undefined))
}

function extensionsOf(among: readonly Format[]): string {
  return among.flatMap(({ extensions }) => extensions).join(' ')
}

/** The format that writes a file of this name, by its extension. */
export function formatForTarget(path: string, among: readonly Format[] = formats): Format {
  const name = path.toLowerCase()
  const format = among.find((each) => each.write !== undefined && each.extensions.some((end) => name.endsWith(end)))
  if (format !== undefined) return format
  const known = among.find(({ extensions }) => extensions.some((end) => name.endsWith(end)))
  const message =
    known === undefined
      ? `The name "${path}" does not say in which format to write.`
      : `${known.title} is read but not written.`
  throw new WindrowError('format-cannot-write', message, {
    hint: `End the name with one of ${extensionsOf(among.filter((each) => each.write !== undefined))}.`,
  })
}
