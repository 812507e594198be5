/** Writes records of the service to a file: reads every page, filters, lays out columns, and writes the whole file or none. */

import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { WindrowError } from '../core/error.ts'
import { rowsPerBatch, type Row } from '../core/row.ts'
import { shapeFromGeoJson } from '../core/shapes/shape-geojson.ts'
import { checkTarget, fileTarget } from '../core/sources/target.ts'
import type { Client } from '../client/connection.ts'
import type { OutTable, Written } from '../formats/format.ts'
import { flattener, type Flattener } from '../resources/columns.ts'
import { chosenTables, sortedOrder, wantsBoundaryText } from './export/choose-columns.ts'
import { recordsOf, type Fetched, type Page } from './export/fetch-records.ts'
import type { ExportJob } from './export/export-job.ts'
import type { Missed } from './export/filter-records.ts'
import { openSpool, type Spool } from './export/record-spool.ts'

export type Exported = Written & { readonly read: number; readonly written: number; readonly sifted: number }

/** Where and how records are written. */
export type WriteJob = Omit<ExportJob, 'only'>

/** Writes the records of the service to the job's path. The file appears only when every record has arrived. */
export function runExport(
  job: ExportJob,
  surroundings: { readonly client: Client; readonly signal?: AbortSignal; readonly onRead?: (records: number) => void },
): Promise<Exported> {
  return writeRecords(job, recordsOf(surroundings.client, job, surroundings.signal), surroundings.onRead)
}

/** Writes records to the job's path. The file appears only when every record has arrived. */
export async function writeRecords(
  job: WriteJob,
  pages: AsyncIterable<Page>,
  onRead?: (records: number) => void,
): Promise<Exported> {
  await checkTarget(job.path)
  const folder = await mkdtemp(join(tmpdir(), 'windrow-export-'))
  try {
    const spool = await openSpool<Fetched>(join(folder, 'records.ndjson'))
    try {
      const columns = flattener(job.type, {
        layout: job.layout,
        units: job.units,
        zone: job.zone,
      })
      const { unreadable, missed, ...counts } = await fetchAll(pages, { spool, columns, onRead })
      if (spool.count === 0 && job.allowsEmpty === false) throw nothingMatched(job, counts.read, missed?.())
      const written = await writeAll(job, spool, columns)
      const note = `${unreadable} ${unreadable === 1 ? 'boundary' : 'boundaries'} from the service could not be read as GeoJSON and ${unreadable === 1 ? 'was' : 'were'} left out.`
      return {
        ...written,
        ...counts,
        written: spool.count,
        notes: unreadable === 0 ? written.notes : [...written.notes, note],
      }
    } finally {
      await spool.close()
    }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

type Fetching = {
  readonly spool: Spool<Fetched>
  readonly columns: Flattener
  readonly onRead: ((records: number) => void) | undefined
}

async function fetchAll(
  pages: AsyncIterable<Page>,
  { spool, columns, onRead }: Fetching,
): Promise<{ read: number; sifted: number; unreadable: number; missed: Page['missed'] }> {
  let missed: Page['missed']
  let read = 0
  let sifted = 0
  let unreadable = 0
  for await (const { records, passes, ...page } of pages) {
    missed = page.missed
    read += records.length
    const kept = records.filter(passes)
    sifted += records.length - kept.length
    for (const { body, geometry } of kept) {
      columns.see(body)
      if (geometry !== undefined && geometry !== null && typeof shapeFromGeoJson(geometry) === 'string') unreadable += 1
    }
    await spool.add(kept)
    onRead?.(read)
  }
  return { read, sifted, unreadable, missed }
}

/** The error for an export without a record: an empty file in place of a full one would look like the truth. */
function nothingMatched({ type, path }: WriteJob, read: number, missed: Missed | undefined): WindrowError {
  const records = type.plural.replaceAll('-', ' ')
  const untouched = `${existsSync(path) ? `"${basename(path)}" is unchanged` : 'No file was written'}.`
  const anyway = 'To write a file with headings only, add --allow-empty (in a pipeline: empty: allow, under to).'
  return read === 0 || missed === undefined
    ? new WindrowError('nothing-matched', `The service shows this account no ${records}. ${untouched}`, {
        hint: `windrow service control lists the farms of this account. ${anyway}`,
      })
    : new WindrowError('nothing-matched', `None of ${read} ${records} matches: ${missed.asked}. ${untouched}`, {
        hint: `${missed.instead} ${anyway}`,
      })
}

async function writeAll(job: WriteJob, spool: Spool<Fetched>, columns: Flattener): Promise<Written> {
  const { write } = job.format
  if (write === undefined)
    throw new WindrowError('format-cannot-write', `${job.format.title} files can be read but not written.`, {
      hint: 'Choose a name that ends in .xlsx, .csv or .geojson.',
    })
  const order = await sortedOrder(spool, columns, job)
  const all = columns.tables().map((table, index): OutTable => {
    const hasGeometry =
      index === 0 && job.type.shapes !== undefined && (job.format.name !== 'csv' || wantsBoundaryText(job))
    return {
      name: table.title,
      columns: table.columns,
      hasGeometry,
      rows: () => rowsOf(spool, columns, { index, hasGeometry, name: table.title, order }),
    }
  })
  const tables = chosenTables(all, job, spool.count)
  const target = await fileTarget(job.path)
  try {
    const written = await write(tables, target, job.formatOptions)
    return { ...written, ...(await target.commit()) }
  } catch (cause) {
    await target.abandon()
    throw cause
  }
}

async function* rowsOf(
  spool: Spool<Fetched>,
  columns: Flattener,
  table: {
    readonly index: number
    readonly hasGeometry: boolean
    readonly name: string
    readonly order: Uint32Array | undefined
  },
): AsyncGenerator<readonly Row[]> {
  let row = 0
  for await (const batch of spool.batches(rowsPerBatch, table.order)) {
    const rows: Row[] = []
    for (const { body, geometry } of batch)
      for (const values of columns.rows(body)[table.index] ?? []) {
        const at = { source: table.name, row }
        row += 1
        if (!table.hasGeometry) rows.push({ at, values })
        else {
          const shape = geometry === null || geometry === undefined ? null : shapeFromGeoJson(geometry)
          const id = typeof body.id === 'string' ? { id: body.id } : {}
          rows.push({ at, values, shape: typeof shape === 'string' ? null : shape, ...id })
        }
      }
    yield rows
  }
}
