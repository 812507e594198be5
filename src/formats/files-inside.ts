/** Finds and opens the readable files in a folder or zip that no format recognises as a whole. */

import { loosened, stemOf, type Allowance } from '../core/sources/file-tree.ts'
import { WindrowError } from '../core/error.ts'
import { problem, type Problem } from '../core/problem.ts'
import type { Table } from '../core/row.ts'
import { asOpened, type Member, type Source } from '../core/sources/source.ts'
import { withoutGzip } from '../core/sources/gzip.ts'
import { isZip } from '../core/sources/zip-mark.ts'
import { listed } from '../core/values/plural.ts'
import type { Format } from './format.ts'
import { formatOf, headOf, probeSource, type Probed } from './recognise.ts'
import { namesFile } from './shapefile/field-names.ts'
import { changedTable } from './table-names.ts'

type Search = {
  readonly among: readonly Format[]
  readonly signal: AbortSignal | undefined
  readonly found: Found[]
  /** Zips inside that cannot be opened: an error if nothing else is found, otherwise a note. */
  readonly faults: WindrowError[]
  readonly closing: AsyncDisposableStack
  allowance: Allowance
}

type Found = { readonly path: string; readonly source: Source; readonly format: Format }

/** More tables than anybody chooses from. */
const mostFiles = 50

/**
 * Opens the readable files in a folder or zip: the only one with its path, or all of the same kind; undefined if there are none. `notes`
 * report which zips inside cannot be opened. Throws if it is not clear which file is meant.
 */
export async function openContained(
  source: Source,
  { members, left }: NonNullable<Probed['within']>,
  choice: Pick<Search, 'among' | 'signal'> & {
    readonly open: (format: Format, source: Source) => Promise<readonly Table[]>
  },
) {
  if (isDocument(members)) return undefined
  await using closing = new AsyncDisposableStack()
  const { among, signal } = choice
  const search: Search = { among, signal, found: [], faults: [], closing, allowance: left }
  await lookThrough(members, '', search)
  const found = likely(search.found)
  const [first] = found
  if (first === undefined) {
    if (search.faults[0] !== undefined) throw search.faults[0]
    return undefined
  }
  if (found.length > mostFiles || found.some(({ format }) => format !== first.format)) throw unclear(source, found)
  const opened: (Found & { readonly tables: readonly Table[] })[] = []
  // One after the other: each may read its whole file to decide.
  for (const each of found) opened.push({ ...each, tables: await choice.open(each.format, each.source) })
  const path = found.length === 1 ? first.path : undefined
  const tables = path === undefined ? allTables(opened) : opened[0]!.tables
  const notes = search.faults.map(({ message, hint }) =>
    problem('files-beside', { source: source.name, row: -1 }, { message, hint }),
  )
  const kept = closing.move()
  return { path, format: first.format, tables, notes, close: () => kept.disposeAsync() }
}

/** An office file is one document, whatever is embedded in it. */
function isDocument(members: readonly Member[]): boolean {
  return members.some(({ name }) => /^(?:\[Content_Types\]\.xml$|mimetype$|META-INF\/|Index\/.*\.iwa$)/.test(name))
}

async function lookThrough(members: readonly Member[], within: string, search: Search): Promise<void> {
  // A packed copy beside a file is an old one, and is not unpacked.
  const isPacked = ({ name }: Member): boolean => isTableInGzip(name, search.among)
  for (const { name, source } of members.toSorted((one, other) => Number(isPacked(one)) - Number(isPacked(other)))) {
    search.signal?.throwIfAborted()
    if (source.size === 0) continue
    try {
      await lookAt(source, within + name, search)
    } catch (cause) {
      if (!(cause instanceof WindrowError)) throw cause
      search.faults.push(cause)
    }
  }
}

async function lookAt(packed: Source, path: string, search: Search): Promise<void> {
  const { among, signal, closing, found } = search
  const head = await headOf(packed)
  const isGzip = [path, ...likely(found).map((each) => each.path)].every((each) => isTableInGzip(each, among))
  const { source, close } = isZip(head)
    ? await loosened(packed, signal)
    : isGzip
      ? await withoutGzip(asOpened(packed), signal)
      : asOpened(packed)
  closing.defer(close)
  const probed = await probeSource(source, search.allowance, isGzip ? await headOf(source) : head)
  if (probed.within !== undefined) search.allowance = { ...probed.within.left, zips: search.allowance.zips }
  const format = formatOf(probed, among)
  if (format?.open !== undefined) found.push({ path, source, format })
  else if (probed.within !== undefined && !isDocument(probed.within.members)) {
    const { zips } = search.allowance
    search.allowance = probed.within.left
    await lookThrough(probed.within.members, `${path}/`, search)
    search.allowance = { ...search.allowance, zips }
  }
}

/** True for paddocks.csv.gz, and not for backup.tar.gz, which would be unpacked for nothing. */
function isTableInGzip(path: string, among: readonly Format[]): boolean {
  const name = path.toLowerCase()
  return among.some(({ extensions }) => extensions.some((end) => name.endsWith(`${end}.gz`)))
}

// Documents that people pack beside their data for others to read.
const note =
  /(?:^|\/)(?:read[ _-]?me|licen[cs]e|copying|copyright|terms|disclaimer|liesmich|lisezmoi)(?:[ _-][^/.]*)?(?:\.txt|\.md)?$/i

/**
 * A text beside a table is a licence or a note; alone it is the table, unless its name shows otherwise. The index of a shapefile is read
 * with its table.
 */
function likely(all: readonly Found[]): readonly Found[] {
  const paths = new Set(all.map(({ path }) => path.toLowerCase()))
  const isIndex = (path: string): boolean =>
    /\.shx$/i.test(path) && paths.has(path.toLowerCase().replace(/shx$/, 'dbf'))
  const found = all.filter(({ path, format }) => !isIndex(path) && (format.name !== 'csv' || !note.test(path)))
  const sure = found.filter(({ path }) => !/\.(?:txt|asc|dat|data|tmp)$/i.test(path))
  return sure.length > 0 ? sure : found
}

function unclear(source: Source, found: readonly Found[]): WindrowError {
  const paths = found.map(({ path }) => path)
  return new WindrowError(
    'layer-unclear',
    `"${source.name}" contains ${found.length} files that could be meant: ${listed(paths, 12)}.`,
    { hint: `Choose one${howToName(source, paths[0]!)}` },
  )
}

/** The tables of all files, by their own names if those differ, otherwise with the file's path before them. */
function allTables(opened: readonly { readonly path: string; readonly tables: readonly Table[] }[]): readonly Table[] {
  const names = opened.flatMap(({ tables }) => tables.map(({ name }) => name))
  const isClear = new Set(names).size === names.length
  return opened.flatMap(({ path, tables }) => {
    const stem = stemOf(path)
    return tables.map((table) => {
      const long = tables.length === 1 ? stem : `${stem}/${table.name}`
      return isClear ? table : changedTable(table, () => ({ name: long }))
    })
  })
}

function howToName({ prefix }: Source, path: string): string {
  return prefix === undefined ? ', once it is unpacked.' : `: "${prefix}${path}".`
}

/** Notes what else is in a folder or zip that a format reads as a whole, because a person may have meant that. */
export function notesOnRest(
  source: Source,
  format: Format,
  members: readonly Member[],
  among: readonly Format[],
): readonly Problem[] {
  const own = new Set(format.extensions)
  const others = among
    .flatMap(({ extensions, open }) => (open === undefined ? [] : extensions))
    .filter((each) => !own.has(each))
  const rest = members.filter(
    ({ name }) =>
      // The list of full column names belongs to the shapefiles.
      name.slice(name.lastIndexOf('/') + 1) !== namesFile &&
      others.some((extension) => extension !== '.txt' && name.toLowerCase().endsWith(extension)),
  )
  if (rest.length === 0) return []
  const names = rest.map(({ name }) => name)
  const message = `"${source.name}" also contains ${listed(names, 5)}, which ${rest.length === 1 ? 'was' : 'were'} not read.`
  const hint = `If you want that, choose it${howToName(source, names[0]!)}`
  return [problem('files-beside', { source: source.name, row: -1 }, { message, hint })]
}
