/**
 * Writes records of the service to a file: reads every page, or what changed since the last export, filters, lays out columns, and writes
 * the whole file or none.
 */

import { existsSync } from 'node:fs'
import { basename, join } from 'node:path'
import { WindrowError } from '../core/error.ts'
import { shapeFromGeoJson } from '../core/shapes/shape-geojson.ts'
import { relativePath } from '../core/sources/relative-path.ts'
import { checkTarget, fileTarget, type Target } from '../core/sources/target.ts'
import { isS3Address } from '../core/sources/web-address.ts'
import type { Client } from '../client/connection.ts'
import { landCover, plot } from '../resources/land.ts'
import { jobGeometries } from '../resources/job-tables.ts'
import { workRecord } from '../resources/work-record.ts'
import type { Written } from '../formats/format.ts'
import { assertSameFile } from './definition/kept-pipeline.ts'
import type { Origin } from './export/about-sheet.ts'
import { fetchedFromFeed, isDeleted, recordsOf, type Fetched, type Page } from './export/fetch-records.ts'
import type { ExportJob } from './export/export-job.ts'
import type { Missed } from './export/filter-records.ts'
import { farmNames } from './export/find-holding.ts'
import { exportTables, type ExportTables } from './export/export-tables.ts'
import { openSpool, type Spool } from './export/record-spool.ts'
import type { Feed } from '../client/streaming.ts'
import { rowsPerBatch } from '../core/row.ts'
import { plural } from '../core/values/plural.ts'
import { ownFileName } from './report/run-folder.ts'
import { changesToEnd, openPlace } from './send/feed.ts'

/** `sha256` is the digest of a file in a store. */
export type Exported = WrittenFile & {
  readonly read: number
  readonly written: number
  readonly sifted: number
}

type WrittenFile = Written & Awaited<ReturnType<Target['commit']>>

/** The service, and what else an export needs. */
export type Surroundings = {
  readonly client: Client
  readonly clock: () => Date
  readonly signal?: AbortSignal
  readonly onRead?: OnRead | undefined
}

/** Writes the records of the service to the job's path. The file appears only when every record has arrived. */
export async function runExport(job: ExportJob, around: Surroundings): Promise<Exported> {
  const { client, signal, onRead } = around
  // Before the service is asked for anything.
  if (!isS3Address(job.path)) await checkTarget(job.path)
  let total: number | undefined
  const pages = recordsOf(client, { ...job, onTotal: (records) => (total = records) }, signal)
  const origin = await originOf(job, around)
  return writeRecords(job, pages, { ...origin, onRead: onRead && ((records) => onRead(records, total)) })
}

/** Is called with how many records have come, and of how many, where that is known. */
export type OnRead = (records: number, total?: number) => void

async function originOf({ type }: ExportJob, { client, clock, signal }: Surroundings): Promise<Omit<Origin, 'job'>> {
  const { service, account } = client
  const origin = { service, account, now: clock(), signal }
  // Only these belong to a farm and say it only by its number.
  return type === plot || type === landCover ? { ...origin, farmOf: await farmNames(client, signal) } : origin
}

type WriteJob = Origin['job']

/** Writes records, however they came, to the job's path. The file appears only when every record has arrived. */
export async function writeRecords(
  job: WriteJob,
  pages: AsyncIterable<Page>,
  { onRead, ...origin }: Omit<Origin, 'job'> & { readonly onRead?: OnRead | undefined },
): Promise<Exported> {
  if (!isS3Address(job.path)) await checkTarget(job.path)
  await using spool = await openSpool<Fetched>()
  const tables = exportTables({ job, ...origin })
  const isMap = job.type === workRecord && job.format.isWorkbook !== true && job.format.name !== 'csv'
  let [hasPlaces, unreadable] = [false, 0]
  const see = ({ body, geometry }: Fetched): void => {
    tables.see(body)
    hasPlaces ||= isMap && jobGeometries(body).some((each) => each !== undefined)
    // Each row of work records that go into a map has a place of its own.
    for (const place of job.geometry === undefined ? [geometry] : new Set(jobGeometries(body)))
      if (place !== undefined && place !== null && typeof shapeFromGeoJson(place) === 'string') unreadable += 1
  }
  const { undated, farmless, missed, ...counts } = await fetchAll(pages, spool, { see, onRead })
  if ((spool.count === 0 || missed !== undefined) && job.allowsEmpty === false)
    throw nothingMatched(job, counts.read, missed)
  const written = await writeAll(job, tables, spool, counts.read)
  const [one, several] = job.geometry === undefined ? ['boundary', 'boundaries'] : ['place', 'places']
  const unread = `${plural(unreadable, one, several)} from the service could not be read as GeoJSON and ${unreadable === 1 ? 'was' : 'were'} left out.`
  const notes = [
    ...(job.notes ?? []),
    ...written.notes,
    ...(missed === undefined ? [] : [`${noneMatches(job, counts.read, missed)} ${missed.instead}`]),
    ...(unreadable === 0 ? [] : [unread]),
    ...leftOut(undated, 'without a date', 'days were'),
    ...leftOut(farmless, 'without a farm', 'a farm was'),
    ...(isMap && hasPlaces && job.geometry === undefined ? [withoutPlaces] : []),
    ...(isMap && !hasPlaces && job.geometry !== undefined && spool.count > 0 ? [withoutRecordedPlaces] : []),
    ...crsNotes(job),
  ]
  return { ...written, ...counts, written: spool.count, notes }
}

function leftOut(records: number, which: string, chosen: string): readonly string[] {
  const were = plural(records, `record ${which} was`, `records ${which} were`)
  return records === 0 ? [] : [`${were} left out, because ${chosen} chosen.`]
}

const withoutPlaces = 'The rows have no place on a map. To draw where the machine went, set  to.geometry: logged'

const withoutRecordedPlaces = 'None of these records says where the work was done, so the map is empty.'

function crsNotes({ crs }: WriteJob): readonly string[] {
  if (crs === undefined) return []
  const { code, name, accuracyM, transformation } = crs
  const accuracy = accuracyM > 1 ? `, good to ${accuracyM} m by ${transformation}` : ''
  return [`The coordinates are in ${code} (${name})${accuracy}.`]
}

async function fetchAll(
  pages: AsyncIterable<Page>,
  spool: Spool<Fetched>,
  { see, onRead }: { readonly see: (fetched: Fetched) => void; readonly onRead: OnRead | undefined },
) {
  let last: Pick<Page, 'missed' | 'undated' | 'farmless'> = {}
  let [read, sifted] = [0, 0]
  for await (const { records, passes, ...page } of pages) {
    last = page
    read += records.length
    const kept = records.filter(passes)
    sifted += records.length - kept.length
    for (const each of kept) see(each)
    await spool.add(kept)
    onRead?.(read)
  }
  return { read, sifted, undated: last.undated?.() ?? 0, farmless: last.farmless?.() ?? 0, missed: last.missed?.() }
}

/** The error for an export that lacks what was asked for: an empty file, or a part in place of all, would look like the truth. */
function nothingMatched({ type, path }: WriteJob, read: number, missed: Missed | undefined): WindrowError {
  const records = type.plural.replaceAll('-', ' ')
  const untouched = `${!isS3Address(path) && existsSync(path) ? `"${basename(path)}" is unchanged` : 'No file was written'}.`
  return read === 0 || missed === undefined
    ? new WindrowError('nothing-matched', `The service shows this account no ${records}. ${untouched}`, {
        hint: `windrow service control lists the farms of this account. ${anyway}`,
      })
    : new WindrowError('nothing-matched', `${noneMatches({ type }, read, missed)} ${untouched}`, {
        hint: `${missed.instead} ${anyway}`,
      })
}

const anyway = 'To write what there is, if only headings, set  to.empty: allow'

function noneMatches({ type }: Pick<WriteJob, 'type'>, read: number, { asked }: Missed): string {
  return `None of ${read} ${type.plural.replaceAll('-', ' ')} matches: ${asked}.`
}

/** Throws if a word of the filter is in no record of any day, as an export of these days would. Reads all records, and writes none. */
export async function checkFilter(job: ExportJob, client: Client, signal: AbortSignal): Promise<void> {
  const { from: _, until: __, modifiedSince: ___, ...only } = job.only
  if (
    job.allowsEmpty !== false ||
    Object.values(only).every((each) => each === undefined || [each].flat().length === 0)
  )
    return
  let read = 0
  let missed: Page['missed']
  for await (const { records, passes, ...page } of recordsOf(client, { ...job, only }, signal)) {
    read += records.length
    for (const each of records) passes(each)
    missed = page.missed
  }
  const found = missed?.()
  if (found !== undefined)
    throw new WindrowError('nothing-matched', noneMatches(job, read, found), { hint: `${found.instead} ${anyway}` })
}

async function writeAll(job: WriteJob, made: ExportTables, spool: Spool<Fetched>, read: number): Promise<WrittenFile> {
  const tables = await made.tables(spool, { 'Records read': read, 'Records written': spool.count })
  const target = isS3Address(job.path)
    ? await (await import('../core/sources/s3-target.ts')).s3Target(job.path, job.web ?? {})
    : await fileTarget(job.path)
  try {
    const written = await job.format.write!(tables, target, job.formatOptions)
    const rows = Object.entries(written.rows).filter(([name]) => !made.companions.includes(name))
    return { ...written, rows: Object.fromEntries(rows), ...(await target.commit()) }
  } catch (cause) {
    await target.abandon()
    throw cause
  }
}

type Body = Record<string, unknown>

/** What an export by name needs, too: by its name it has a place of its own in the feed. */
export type Around = Surroundings & {
  readonly name: string
  readonly state: string
  /** The pipeline file, if there is one. */
  readonly file?: string | undefined
  /** Passes the file on, so that none is left; false if only a part of it was taken. */
  readonly passOn?: (() => Promise<boolean>) | undefined
}

/**
 * Writes the records that changed since the last export of this name, deleted ones with "true" in the column Deleted; the first
 * export has all records. The place in the feed is kept only when the file is complete and was taken as a whole.
 */
export async function exportChanges(job: ExportJob, around: Around): Promise<Exported> {
  const { client, signal, onRead, name, state, file } = around
  const { dataset } = job.type
  const records = job.type.plural.replaceAll('-', ' ')
  if (dataset === undefined) throw new WindrowError('option-invalid', `There is no list of changes of ${records}.`)
  const path = join(state, 'feeds', `${ownFileName(name)}.json`)
  const kept = file === undefined ? undefined : relativePath(state, file)
  const place = await openPlace(path, { account: client.account, dataset, file: kept })
  if (file !== undefined && place.file !== undefined) assertSameFile({ name, path: file }, { state, file: place.file })
  const feed = await client.dataset(dataset, signal)
  await using spool = await openSpool<Body>()
  const read = await readChanges({ feed, spool, since: place.token }, around)
  if (read.last.size === 0 && place.token !== undefined && job.allowsEmpty === false)
    throw new WindrowError('nothing-matched', `No ${job.type.plural} have changed since the last export.`, {
      hint: 'No file was written. To write one with headings only, set  to.empty: allow',
    })
  const written = await writeRecords(job, pagesOf(spool, read), { ...(await originOf(job, around)), onRead })
  const isTaken = (await around.passOn?.()) ?? true
  if (isTaken) await place.keep(read.token)
  const again = 'Only a part was taken from standard output, so the next export has these records again.'
  const note = `This file has all ${records}: ${place.token === undefined ? 'it is the first export of its kind' : 'the service started its list of changes again'}.`
  return { ...written, notes: [...written.notes, ...(read.isWhole ? [note] : []), ...(isTaken ? [] : [again])] }
}

type Changes = Awaited<ReturnType<typeof readChanges>>

/** `last` is the last version of each record, by its place in the spool. A whole list needs no deleted records. */
async function readChanges(
  { feed, spool, since }: { readonly feed: Feed; readonly spool: Spool<Body>; readonly since: string | undefined },
  { client, signal }: Around,
) {
  const last = new Map<string, number>()
  let token = since
  let isWhole = since === undefined
  for await (const page of changesToEnd(client, feed, { since, restarts: true }, signal)) {
    if (page.fullSync) {
      isWhole = true
      last.clear()
    }
    for (const [index, { dataPointKey, id }] of page.items.entries())
      last.set(String(dataPointKey ?? id), spool.count + index)
    await spool.add(page.items)
    token = page.token
  }
  return { token, isWhole, last }
}

async function* pagesOf(spool: Spool<Body>, { last, isWhole }: Changes): AsyncGenerator<Page> {
  const wanted = new Set(last.values())
  let index = -1
  for await (const batch of spool.batches(rowsPerBatch)) {
    const records = batch.filter(() => wanted.has((index += 1))).map(fetchedFromFeed)
    yield { records, passes: ({ body }) => !isWhole || !isDeleted(body) }
  }
}
