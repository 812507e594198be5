/** Exports what changed since the last export, by the feed of changes, and keeps how far the feed was read. */

import { join } from 'node:path'
import type { Feed } from '../client/streaming.ts'
import { WindrowError } from '../core/error.ts'
import { rowsPerBatch } from '../core/row.ts'
import type { ExportJob } from './export/export-job.ts'
import { fetchedFromFeed, type Page } from './export/fetch-records.ts'
import { openSpool, type Spool } from './export/record-spool.ts'
import { farmsOf, writeRecords, type Exported, type Surroundings } from './export-run.ts'
import { fileName } from './report/run-folder.ts'
import { changesToEnd, openPlace } from './send/feed.ts'

type Body = Record<string, unknown>

/** Each export has a place of its own in the feed, by its name. */
type Around = Surroundings & { readonly name: string; readonly state: string }

/**
 * Writes the records that changed since the last export of this name, deleted ones with "true" in the column Deleted; the first
 * export has all records. The place in the feed is kept only when the file is complete.
 */
export async function exportChanges(job: ExportJob, around: Around): Promise<Exported> {
  const { client, clock, signal, onRead } = around
  const { dataset } = job.type
  const records = job.type.plural.replaceAll('-', ' ')
  if (dataset === undefined) throw new WindrowError('option-invalid', `There is no list of changes of ${records}.`)
  const path = join(around.state, 'feeds', `${fileName(around.name)}.json`)
  const place = await openPlace(path, { account: client.account, dataset })
  const feed = await client.dataset(dataset, signal)
  await using spool = await openSpool<Body>()
  const read = await readChanges({ feed, spool, since: place.token }, around)
  if (read.last.size === 0 && place.token !== undefined && job.allowsEmpty === false)
    throw new WindrowError('nothing-matched', `No ${job.type.plural} have changed since the last export.`, {
      hint: 'No file was written. To write one with headings only, add --allow-empty (in a pipeline: empty: allow, under to).',
    })
  const farms = await farmsOf(job, client, signal)
  const { service, account } = client
  const origin = { service, account, now: clock(), ...farms, signal, onRead }
  const written = await writeRecords(job, pagesOf(spool, read), origin)
  await place.keep(read.token)
  const note = `This file has all ${records}: ${place.token === undefined ? 'it is the first export of its kind' : 'the service started its list of changes again'}.`
  return read.isWhole ? { ...written, notes: [...written.notes, note] } : written
}

/** `last` is the last version of each record, by its place in the spool. A whole list needs no deleted records. */
type Changes = {
  readonly token: string | undefined
  readonly isWhole: boolean
  readonly last: ReadonlyMap<string, number>
}

async function readChanges(
  { feed, spool, since }: { readonly feed: Feed; readonly spool: Spool<Body>; readonly since: string | undefined },
  { client, signal }: Around,
): Promise<Changes> {
  const last = new Map<string, number>()
  let token = since
  let isWhole = since === undefined
  for await (const page of changesToEnd(client, feed, { since }, signal)) {
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

function isDeleted(body: Body): boolean {
  return (body['meta'] as { readonly isDeleted?: unknown } | undefined)?.isDeleted === true
}
