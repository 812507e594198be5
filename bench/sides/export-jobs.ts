/** Our side of the whole export of work records: records as they come from the service, through the spool, to a file. */

import { resolve } from 'node:path'
import { keepMemorySmall } from '../../src/core/memory.ts'
import { formatForTarget } from '../../src/formats/index.ts'
import type { Page } from '../../src/pipeline/export/fetch-records.ts'
import { writeRecords } from '../../src/pipeline/export-run.ts'
import { workRecord } from '../../src/resources/work-record.ts'
import { batchesOf } from './json-lines.mjs'

const [file = '', output = ''] = process.argv.slice(2)
keepMemorySmall()

async function* pages(): AsyncGenerator<Page> {
  for await (const batch of batchesOf(file)) yield { records: batch.map((body) => ({ body })), passes: () => true }
}

const format = formatForTarget(output)
const place = { path: resolve(output), format, formatOptions: {} }
const job = { type: workRecord, zone: 'Pacific/Auckland', units: {}, layout: 'diary', ...place } as const
await writeRecords(job, pages(), { now: new Date() })
