/** Prepares a pipeline and its file: opens the file, chooses the layer and coordinate system, checks the columns. */

import { hash } from 'node:crypto'
import { basename, dirname, relative } from 'node:path'
import { naming, WindrowError } from '../../core/error.ts'
import type { Problem } from '../../core/problem.ts'
import type { Table } from '../../core/row.ts'
import type { Shape } from '../../core/shape.ts'
import { isAlike, stemOf } from '../../core/sources/file-tree.ts'
import { lastWrittenMs, openSource, type webOf } from '../../core/sources/open-source.ts'
import type { OpenedSource, Source } from '../../core/sources/source.ts'
import { quoted } from '../../core/shell-word.ts'
import { formats, openFile, type OpenedFile } from '../../formats/index.ts'
import type { Format } from '../../formats/format.ts'
import { asUsed, type Crs } from '../../geometry/crs/crs.ts'
import type { Near } from '../../geometry/crs/area.ts'
import type { GeometryPolicy } from '../../geometry/boundary/normalise.ts'
import { areaColumnsOf } from '../../mapping/area-column.ts'
import { columnsNamedIn } from '../../mapping/cell.ts'
import { compileMapping } from '../../mapping/compile.ts'
import { checkColumns } from './agreed-columns.ts'
import { isWebAddress, withoutSecrets } from '../../core/sources/web-address.ts'
import { chooseTable, layersLeftOut, tableFor } from './choose-table.ts'
import { settleCrs, settleGrids, withFirstShapes } from './coordinate-system.ts'
import type { ImportPipeline } from '../definition/definition.ts'
import { isOneOff } from '../definition/kept-pipeline.ts'
import type { PreparedImport } from '../report/course.ts'
import { sourceChanged } from '../settle/file.ts'
import { rulesOfRows } from '../stage/import-job.ts'
import { startPicture } from '../stage/farm-outlines.ts'
import type { AreaReading } from '../stage/stated-areas.ts'
import type { FileAge } from '../../rules/limits.ts'
import { farmColumnsOf } from '../stage/row-totals.ts'
import { takerOf } from '../definition/row-filter.ts'

export type Preparation = {
  /** The folder in which the person types commands. */
  readonly folder?: string | undefined
  readonly sleep: (ms: number) => Promise<void>
  readonly clock: () => Date
  readonly formats?: readonly Format[]
  /** Called once if the file changed too recently to be read yet. */
  readonly onWait?: (sentence: string) => void
  readonly signal?: AbortSignal | undefined
  readonly web?: ReturnType<typeof webOf> | undefined
  /** How old the file may be, unless the pipeline says. */
  readonly usualOldestMs?: number | undefined
  /** False for a file that later ones of the same folder follow. */
  readonly checksAge?: boolean | undefined
  /** The rules that do not stop this one run. */
  readonly allowed?: ReadonlySet<string> | undefined
  /** Earlier findings about the file, for the report. */
  readonly notes?: readonly Problem[]
  /** The source of the bytes, if not the pipeline's file; for example standard input. */
  readonly source?: Source
  /** The fingerprint of the source when it was looked at: the run stops if it has another one. */
  readonly lookedAt?: string | undefined
  /** Finds where the pipeline's farm lies; the file's rows should lie near it. It `isNeeded` where nobody names a coordinate system. */
  readonly findNear?: ((isNeeded: boolean) => Promise<Near | undefined>) | undefined
  /** True for a file that is no file of the pipeline, as the corrected rows of a run: what nobody has said is decided by all of it. */
  readonly decides?: boolean
  /** How the file's table is read, if not as it is. */
  readonly read?: ((table: Table) => Table) | undefined
}

/** Prepares a pipeline to run. Throws a WindrowError if its file, layer, coordinate system or columns cannot be used. */
export async function prepareImport(pipeline: ImportPipeline, preparation: Preparation): Promise<PreparedImport> {
  const { source, age, writtenMs, close: closeSource } = await sourceOf(pipeline, preparation)
  const notes = [...(preparation.notes ?? [])]
  const closers = new AsyncDisposableStack()
  closers.defer(closeSource)
  const close = (): Promise<void> => closers.disposeAsync()
  try {
    const { format, options } = pipeline.from
    const { formats: known = formats, signal, read = (each: Table) => each } = preparation
    const { lookedAt } = preparation
    if (lookedAt !== undefined && (await fingerprintOf(source)) !== lookedAt) throw sourceChanged(source.name)
    const how = preparation.decides === true ? 'decide' : 'as said'
    const opened = await openFile(source, { formats: known, options, how, signal, format })
    closers.defer(opened.close)
    const whole = read(tableFor(pipeline.type, chooseTable(opened.tables, pipeline.from.layer, opened.name)))
    if (pipeline.from.layer === undefined) notes.push(...layersLeftOut(opened, whole))
    const { table, shapes, close: closeTable } = await withFirstShapes(whole, signal)
    closers.defer(closeTable)
    const prepared = await preparedOf(pipeline, { source, opened, table, shapes }, { ...preparation, notes, known })
    const isLineEnded = table.format === 'csv' ? await endsLine(source) : undefined
    const facts = { ...prepared.source, age, writtenMs, isLineEnded }
    return { ...prepared, source: facts, [Symbol.asyncDispose]: close }
  } catch (cause) {
    await close()
    throw naming(source.name, cause)
  }
}

type Begun = {
  readonly source: Source
  readonly opened: OpenedFile
  readonly table: Table
  readonly shapes: readonly Shape[]
}

async function preparedOf(
  pipeline: ImportPipeline,
  { source, opened: { name, format }, table, shapes }: Begun,
  { known, findNear, notes = [], allowed, folder, usualOldestMs }: Preparation & { readonly known: readonly Format[] },
): Promise<Omit<PreparedImport, typeof Symbol.asyncDispose>> {
  const mapping = compileMapping(pipeline.mapping)
  const promised = await checkColumns(pipeline, mapping, table)
  if (!table.hasGeometry && pipeline.from.crs !== undefined)
    throw new WindrowError(
      'option-invalid',
      `"${name}" has no boundaries, so it cannot have a coordinate system (${pipeline.from.crs}).`,
      {
        hint: 'If columns contain them, name them: from.geometry, or from.x and from.y. If they are missing, export the file again with them. If it has none, remove from.crs.',
      },
    )
  if (!table.hasGeometry && pipeline.match?.by === 'boundary')
    throw new WindrowError('option-invalid', `"${name}" has no boundaries, so its rows cannot be matched by them.`, {
      hint: `Match them by their names:  match: name`,
    })
  const { crs: given, axes, grids } = pipeline.from
  const { encoding } = pipeline.from.options
  const near = table.hasGeometry ? await findNear?.((given ?? table.crs) === undefined) : undefined
  const named = table.hasGeometry ? settleCrs(table, { crs: given, axes, shapes, near }) : undefined
  const firstPoints = shapes.map(({ coordinates }) => [coordinates[0]!, coordinates[1]!] as const)
  const settled = named && grids !== undefined ? await settleGrids(table, named, grids, firstPoints) : named
  const crs = settled?.crs
  const isOfOneFarm = mapping.holding !== undefined && pipeline.type.plural !== 'holdings'
  // Who chooses rows by a column has said which farms it may name.
  const filtered = pipeline.only.map(({ column }) => column)
  // Where the pipeline says nothing about the age of the file, its schedule does.
  const older = { verdict: 'stop', above: { count: usualOldestMs ?? 0 } } as const
  const rulings = usualOldestMs === undefined ? pipeline.rules : { older, ...pipeline.rules }
  const policy = { rulings, allowed: allowed ?? new Set<string>() }
  return {
    job: {
      name: pipeline.name,
      file: quoted(folder === undefined ? pipeline.path : relative(folder, pipeline.path)),
      isOneOff: isOneOff(pipeline),
      type: pipeline.type,
      table: withNotes(table, [...notes, ...promised, ...(settled?.notes ?? [])]),
      mapping,
      geometry: crs === undefined ? undefined : geometryPolicyOf(pipeline, crs),
      partsApart: crs !== undefined && pipeline.geometry.multipart === 'explode',
      keep: pipeline.only.length === 0 ? undefined : takerOf(pipeline.only),
      only: pipeline.only,
      choosing: pipeline.match?.by === 'identifier' ? [...filtered, pipeline.match.column] : filtered,
      rows: pipeline.mapping.rows ?? 'one',
      sourceScheme: pipeline.mapping.sourceScheme,
      blank: pipeline.blank,
      keyColumn: columnsNamedIn(pipeline.mapping.key).join(' + '),
      keyIsStandIn: pipeline.mapping.key === undefined,
      picture: startPicture(crs),
      areas: crs === undefined ? undefined : areaReadingOf(pipeline, table),
      farmColumns: isOfOneFarm ? farmColumnsOf(table, filtered) : undefined,
      policy,
      rules: rulesOfRows(policy),
      encoding: typeof encoding === 'string' ? encoding : undefined,
    },
    source: { name, fingerprint: () => fingerprintOf(source) },
    rejects: {
      table,
      own: format,
      ofMaps: known.find((each) => each.name === 'geojson'),
      fallback: known.find((each) => each.name === 'csv') ?? format,
    },
    crs: crs && asUsed(crs),
    pipeline,
    definition: digestOf(pipeline),
  }
}

function geometryPolicyOf({ geometry, type }: ImportPipeline, crs: Crs): GeometryPolicy {
  const multipart = geometry.multipart === 'union' ? 'union' : 'keep'
  return { ...geometry, multipart, crs, allowed: type.shapes ?? [] }
}

function areaReadingOf({ mapping: { record, decimal } }: ImportPipeline, { columns }: Table): AreaReading {
  const names = columns?.map(({ name }) => name)
  return { columnsOf: ({ values }) => areaColumnsOf(record, names ?? Object.keys(values)), decimal }
}

/** A digest of a pipeline; it changes if the pipeline would stage something else. */
export function digestOf(pipeline: ImportPipeline): string {
  const { from, columns, mapping, only, geometry, blank, match, gone, rules } = pipeline
  const { type, ...spec } = mapping
  const filter = only.map(({ column, oneOf }) => [column, ...oneOf])
  return hash('sha256', JSON.stringify([type.name, from, columns, spec, filter, geometry, blank, match, gone, rules]))
}

/** The given source, which the caller closes, or the pipeline's file once it is unchanged for long enough. */
async function sourceOf(pipeline: ImportPipeline, preparation: Preparation) {
  if (preparation.source !== undefined)
    return { source: preparation.source, age: undefined, close: () => Promise.resolve() }
  const { file, settledMs, allowsPrivate } = pipeline.from
  const { signal, sleep, clock, web } = preparation
  let opened: OpenedSource | undefined
  const reopen = async (): Promise<OpenedSource> => {
    await opened?.close()
    opened = undefined
    return (opened = await openSource(file, dirname(pipeline.path), { ...web, allowsPrivate, signal, sleep, clock }))
  }
  // A file on the web is downloaded again only where the server has another one.
  const written = async (): Promise<number | undefined> => {
    if (!isWebAddress(file)) return lastWrittenMs(file)
    if (opened === undefined || (await opened.source.hasChanged?.()) !== false) await reopen()
    return opened!.source.writtenMs
  }
  try {
    await waitUntilSettled(file, settledMs, { ...preparation, written })
    const { source, close } = opened ?? (await reopen())
    const writtenMs = isWebAddress(file) ? source.writtenMs : await lastWrittenMs(file)
    return { source, close, age: ageOf(pipeline, writtenMs, preparation), writtenMs }
  } catch (cause) {
    await opened?.close()
    throw cause
  }
}

/** How old the file is, where the pipeline or its schedule has a limit for that. */
function ageOf(
  pipeline: ImportPipeline,
  lastMs: number | undefined,
  { clock, usualOldestMs, checksAge = true }: Preparation,
): FileAge | undefined {
  const own = pipeline.rules['older']
  if (!checksAge || (own === undefined && usualOldestMs === undefined)) return undefined
  // By a schedule alone, a server need not say when a file was written.
  if (lastMs === undefined && own === undefined) return undefined
  return { name: fileNameOf(pipeline.from.file), ms: lastMs === undefined ? undefined : clock().getTime() - lastMs }
}

function fileNameOf(file: string): string {
  return isWebAddress(file) ? basename(withoutSecrets(file).replace(/\?.*$/, '')) : basename(file)
}

/**
 * Waits until a file is unchanged for the pipeline's `settled` time. `written` gives when it was last written; undefined if its server
 * does not say.
 */
export async function waitUntilSettled(
  file: string,
  settledMs: number,
  around: Pick<Preparation, 'sleep' | 'clock' | 'onWait'> & {
    readonly written?: () => Promise<number | undefined>
  },
): Promise<void> {
  if (settledMs === 0) return
  const { sleep, clock, onWait, written = () => lastWrittenMs(file) } = around
  const name = fileNameOf(file)
  const giveUp = clock().getTime() + 10 * settledMs
  let seen: { readonly lastMs: number; readonly atMs: number } | undefined
  for (let hasWaited = false; ; hasWaited = true) {
    const lastMs = await written()
    if (lastMs === undefined)
      throw new WindrowError('option-invalid', `The server of "${name}" does not say when it was last written.`, {
        hint: 'Remove "settled" from the pipeline: a file that changes while it is read stops the run anyway.',
      })
    const now = clock().getTime()
    if (seen?.lastMs !== lastMs) seen = { lastMs, atMs: now }
    // The date of a file may lie in the future: then only watching it shows that nobody writes it.
    const age = now - (lastMs > now ? seen.atMs : lastMs)
    if (age >= settledMs) return
    if (now > giveUp)
      throw new WindrowError('source-changed', `"${name}" keeps changing.`, {
        hint: 'Check the program that writes it, or shorten "settled" in the pipeline.',
      })
    const why = lastMs > now + settledMs ? 'has a date in the future' : 'was changed just now'
    if (!hasWaited) onWait?.(`"${name}" ${why}; waiting until it is unchanged for ${settledMs / 1000} s.`)
    await sleep(Math.min(settledMs - age + 50, 30_000))
  }
}

/** Whether a text, also one in UTF-16, ends with a line break; undefined for a zip, a folder, or a file that changes. */
async function endsLine(source: Source): Promise<boolean | undefined> {
  const { name, size } = source
  if (/\.zip$/i.test(name)) return undefined
  const end = await source.read(Math.max(0, size - 2), size).catch(() => undefined)
  const last = end?.at(-1) === 0 ? end.at(-2) : end?.at(-1)
  return last === undefined ? undefined : last === 10 || last === 13
}

/** A text that changes with the file. The files of a shapefile belong together: a change of one is a change of the source. */
export async function fingerprintOf(source: Source): Promise<string> {
  const isPart = (name: string): boolean => isAlike(stemOf(name), stemOf(source.name))
  const beside = (await source.siblings(isPart)).filter(({ name }) => isPart(name))
  const all = [source, ...beside].sort((one, other) => one.name.localeCompare(other.name))
  return (await Promise.all(all.map(async (each) => `${each.name}=${await each.fingerprint()}`))).join(';')
}

/** Notes come before what the reader finds, and what a look found already is said once. */
function withNotes(table: Table, notes: readonly Problem[]): Table {
  const isNew = ({ code, message }: Problem): boolean =>
    notes.every((each) => each.code !== code || each.message !== message)
  return {
    ...table,
    batches: (signal) => table.batches(signal),
    found: () => [...notes, ...table.found().filter(isNew)],
  }
}
