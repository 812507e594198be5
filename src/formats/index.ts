/** Lists the formats and finds the right one for reading or writing a file. */

import { WindrowError } from '../core/error.ts'
import type { Table } from '../core/row.ts'
import type { Problem } from '../core/problem.ts'
import type { Source } from '../core/sources/source.ts'
import { refuseUnknown, type Names } from '../core/values/nearest.ts'
import { arcgisJson } from './arcgis-json.ts'
import { openContained, notesOnRest } from './files-inside.ts'
import { csv } from './csv.ts'
import type { Format, FormatOptions, Probe } from './format.ts'
import { geojson } from './geojson.ts'
import { geopackage } from './geopackage.ts'
import { gzippedByName } from './gzipped.ts'
import { searched } from './grid/geometry-columns.ts'
import { kml } from './kml.ts'
import { shapefile } from './shapefile.ts'
import { changedTable } from './table-names.ts'
import { formatOf, probeSource } from './recognise.ts'
import { likenessOf } from './unreadable-kinds.ts'
import { workbook } from './workbook.ts'
import { xlsx } from './xlsx.ts'

/** All formats. The first that recognises a file is used, so those with the clearest signs come first and CSV last. */
export const formats: readonly Format[] = [shapefile, geopackage, kml, arcgisJson, geojson, workbook, xlsx, csv]

/**
 * How to open a file: the format by name, the formats to choose from, and that format's options. `how`: what no option says is decided by
 * all of the file (usual); looked at, which leaves the columns with geometry to the pass over the rows; or as said, with what is usual.
 */
export type OpenOptions = {
  readonly format?: string | undefined
  readonly formats?: readonly Format[]
  readonly options?: FormatOptions
  readonly how?: 'decide' | 'look' | 'as said'
  readonly signal?: AbortSignal | undefined
}

const openOptions: Names<OpenOptions> = { format: true, formats: true, options: true, how: true, signal: true }

/**
 * An opened file. `name` is the file's path if it was in a folder or zip. The tables can be read until `close`, which
 * removes temporary files.
 */
export type OpenedFile = {
  readonly name: string
  readonly format: Format
  readonly tables: readonly Table[]
  close(): Promise<void>
}

/**
 * Opens a file with the format that recognises it, or the one that is named. In a folder or zip that no format recognises as a whole,
 * zips inside included, the readable files are opened if they are all of one kind.
 */
export async function openFile(source: Source, choice: OpenOptions = {}): Promise<OpenedFile> {
  refuseUnknown('openFile', choice, openOptions)
  const { format: wanted, formats: among = formats, options = {}, how = 'decide', signal } = choice
  const open = (each: Format, from: Source): Promise<readonly Table[]> => openedBy(each, from, { how, options, signal })
  refuseUnknown(
    'openFile',
    options,
    Object.fromEntries(among.flatMap((each) => Object.entries(each.options.properties))),
  )
  if (source.size === 0 && source.members === undefined)
    throw new WindrowError('file-empty', `"${source.name}" is empty.`, {
      hint: 'Export it again, and look at it first.',
    })
  const allowed = wanted === undefined ? among : [formatNamed(wanted, among)]
  const probed = await probeSource(source)
  const { within } = probed
  const format = formatOf(probed, allowed) ?? (wanted !== undefined && within === undefined ? allowed[0] : undefined)
  if (format !== undefined) {
    if (format.open === undefined) throw writtenOnly(source, format, among)
    const tables = await open(format, source)
    const isWhole = within !== undefined && format.readsFolders === true
    const notes = isWhole ? notesOnRest(source, format, within.members, among) : []
    return { name: source.name, format, tables: withNotes(tables, notes), close: () => Promise.resolve() }
  }
  const inside = within && (await openContained(source, within, { among: allowed, open, signal }))
  if (inside === undefined) throw unknown(probed.probe, among)
  const { path, format: found, tables, notes, close } = inside
  return {
    format: found,
    tables: withNotes(tables, notes),
    close,
    name: path === undefined ? source.name : `${source.name}/${path}`,
  }
}

/** The tables of a file of this format. */
async function openedBy(
  format: Format,
  source: Source,
  { how, options, signal }: Required<Pick<OpenOptions, 'how' | 'options'>> & Pick<OpenOptions, 'signal'>,
): Promise<readonly Table[]> {
  if (how === 'as said' || format.look === undefined) return format.open!(source, options)
  const tables = await format.look(source, options, signal)
  if (how === 'look') return tables
  const decided: Table[] = []
  for (const each of tables) decided.push(await searched(each, signal))
  return decided
}

function writtenOnly(source: Source, format: Format, among: readonly Format[]): WindrowError {
  return new WindrowError(
    'format-unknown',
    `"${source.name}" is in a format that windrow writes but does not read: ${format.title}.`,
    { hint: `Save it as one of ${readable(among)}.` },
  )
}

function withNotes(tables: readonly Table[], notes: readonly Problem[]): readonly Table[] {
  if (notes.length === 0) return tables
  return tables.map((table) => changedTable(table, ({ found }) => ({ found: () => [...notes, ...found()] })))
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
  return among.flatMap(({ open, extensions }) => (open === undefined ? [] : extensions)).join(' ')
}

function writable(among: readonly Format[]): string {
  return among
    .flatMap(({ write, extensions, writtenAs = extensions }) => (write === undefined ? [] : writtenAs))
    .join(' ')
}

/** The format that writes a file with this extension, packed if .gz follows it. */
export function formatForTarget(path: string, among: readonly Format[] = formats): Format {
  const name = path.toLowerCase().replace(/\.gz$/, '')
  const format = among.find((each) => each.write !== undefined && each.extensions.some((end) => name.endsWith(end)))
  if (format !== undefined) return gzippedByName(path, format)
  const known = among.find(({ extensions }) => extensions.some((end) => name.endsWith(end)))
  const message =
    known === undefined
      ? `The name "${path}" has no extension that names a format to write.`
      : `windrow reads ${known.title}, but does not write it.`
  throw new WindrowError('format-cannot-write', message, {
    hint: `End the name with one of ${writable(among)}.`,
  })
}
