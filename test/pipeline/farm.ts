/** A farm for tests: a folder, an embedded service in this process, and pipelines that run against it without a socket. */

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect } from 'vitest'
import { connectTo } from '../../src/client/connection.ts'
import { parsePipeline, type ImportPipeline } from '../../src/pipeline/definition/definition.ts'
import { runImport } from '../../src/pipeline/import-run.ts'
import type { Connection, ImportOptions } from '../../src/pipeline/report/course.ts'
import { prepareImport } from '../../src/pipeline/prepare/prepare.ts'
import { startPicture } from '../../src/pipeline/stage/farm-outlines.ts'
import type { Report } from '../../src/pipeline/report/report.ts'
import { reportSchema } from '../../src/pipeline/report/report-schema.ts'
import { checkAgainst } from '../../src/resources/validation.ts'
import { demoCredentials } from '../../src/service/store/accounts.ts'
import { createService } from '../../src/service/create.ts'
import { cellsOf } from '../memory-table.ts'
import { publishesOnce } from '../published-once.ts'
import type { FaultRule } from '../../src/service/faults/faults.ts'

export type Fetch = typeof globalThis.fetch
export type Farm = Awaited<ReturnType<typeof startFarm>>
/** How many rows the report's map shows of a file, and of one with more than that. */
type PictureLimits = Parameters<typeof startPicture>[1]
export type RunOptions = Partial<ImportOptions> & {
  readonly name?: string
  readonly fetch?: Fetch
  readonly keyless?: boolean
  readonly isLarge?: boolean
  readonly pictured?: PictureLimits
}
type Body = Record<string, unknown> & { readonly name?: string; readonly dataPointKey?: string }

const base = 'http://127.0.0.1:8080'

/** The two farms that most tests publish to. */
export const rimu = { scheme: 'nz.example.farm-number', id: '00412876' }
export const kowhai = { scheme: 'nz.example.farm-number', id: '00731190' }

const publishOnce = publishesOnce<number>()

/** Starts a farm whose two holdings are published already. */
export async function startFarm({ faults }: { readonly faults?: readonly FaultRule[] } = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'windrow-farm-'))
  const service = createService({ demo: true, ...(faults && { faults: { seed: 1, faults: [...faults] } }) })
  // Who sleeps finds that the time has passed.
  let slept = 0
  const clock = (): Date => new Date(Date.now() + slept)
  const sleep = (ms: number): Promise<void> => Promise.resolve(void (slept += ms))
  const direct: Fetch = async (input, init) => service.fetch(new Request(input, init))
  let posts: Body[][] = []
  const watched =
    (fetch: Fetch): Fetch =>
    async (input, init) => {
      const request = new Request(input, init)
      if (request.method === 'POST' && request.url.endsWith('/resources'))
        posts.push((await request.clone().json()) as Body[])
      return fetch(request)
    }
  const connect = (fetch: Fetch = direct): Connection => {
    const profile = { name: 'local', service: base, tokenUrl: `${base}/auth/realms/windrow`, ...demoCredentials }
    const deps = { fetch: watched(fetch), clock, sleep, random: () => 0.5 }
    const client = connectTo(profile, deps)
    return { client, name: 'local' }
  }
  const farm = {
    folder,
    direct,
    connect,
    write(name: string, content: string | Uint8Array): string {
      const path = join(folder, name)
      writeFileSync(path, content)
      return path
    },
    read: (path: string): string => readFileSync(path, 'utf8'),
    /** Runs a pipeline given as YAML. `fetch` goes between client and service. */
    async run(yaml: string, how: RunOptions = {}): Promise<Report> {
      const { name = 'paddocks', fetch, keyless = false, isLarge = false, pictured, ...options } = how
      const pipeline = parsePipeline(yaml, join(folder, `${name}.yaml`)) as ImportPipeline
      const { key: _, ...unkeyed } = pipeline.mapping
      const opened = await prepareImport(keyless ? { ...pipeline, mapping: unkeyed } : pipeline, {
        folder,
        clock,
        sleep,
      })
      // Every row lies beyond those that the report shows, as most do in a large file.
      const limited = pictured && startPicture(opened.job.geometry?.crs, pictured)
      const picture = limited ?? (isLarge ? undefined : opened.job.picture)
      const prepared = { ...opened, job: { ...opened.job, picture } }
      posts = []
      const report = await runImport(prepared, {
        state: join(folder, '.windrow'),
        connection: connect(fetch),
        dryRun: false,
        clock,
        sleep,
        confirmWithinMs: 200,
        ...options,
      })
      // Every report of every test matches the published schema.
      expect(checkAgainst(reportSchema, report)).toEqual([])
      return report
    },
    /** Writes the file that a pipeline reads, and runs the pipeline. */
    night(text: string | Uint8Array, yaml: string, how: RunOptions = {}): Promise<Report> {
      farm.write(/file: ([\w.-]+)/.exec(yaml)![1]!, text)
      return farm.run(yaml, how)
    },
    /** Leaves what a run has when its process is killed: no report, and without facts that it had not reached. */
    leaveAsKilled({ run }: Report, ...unreached: readonly string[]): void {
      const left = join(folder, '.windrow', 'runs', run)
      for (const name of ['report.json', 'report.html']) rmSync(join(left, name))
      const database = new DatabaseSync(join(left, 'stage.db'))
      for (const name of ['finished', ...unreached]) database.prepare('DELETE FROM facts WHERE name = ?').run(name)
      database.close()
    },
    /** The bodies that the last run posted, batch by batch. */
    posted: (): readonly (readonly Body[])[] => posts,
    /** All records of the service in a dataset, by name. */
    async held(dataset: string): Promise<Map<string, Body>> {
      const { client } = connect()
      const held = new Map<string, Body>()
      for await (const page of client.changes(await client.dataset(dataset)))
        for (const item of page.items as readonly (Body & { meta?: { isDeleted?: boolean } })[])
          if (item.meta?.isDeleted !== true) held.set(item.dataPointKey ?? '', item)
      return held
    },
    close(): void {
      service.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
  const holdings = pipeline({
    import: 'holdings',
    from: '{ file: holdings.csv }',
    holding: `{ scheme: ${rimu.scheme}, id: <FARM_NO> }`,
    key: '<FARM_NO>',
    record: '{ name: <NAME> }',
  })
  const farms = table(`FARM_NO|NAME; ${rimu.id}|Rimu Farm; ${kowhai.id}|Kōwhai Station`)
  const publish = async (fetch: Fetch): Promise<number> => {
    const report = await farm.night(farms, holdings, { name: 'holdings', fetch })
    if (report.records.created !== 2) throw new Error(`The holdings were not published: ${JSON.stringify(report)}`)
    return slept
  }
  // Faults may strike this run too.
  slept = faults === undefined ? await publishOnce({ folder, fetch: direct }, publish) : await publish(direct)
  return farm
}

/**
 * An import of plots from nightly.csv to the first farm, as YAML. `lines` take the place of the usual ones; `more` comes after
 * them.
 */
export function pipeline(lines: Readonly<Record<string, string>> = {}, more = ''): string {
  const all = {
    windrow: '1',
    import: 'plots',
    from: '{ file: nightly.csv }',
    holding: `{ scheme: ${rimu.scheme}, id: "${rimu.id}" }`,
    key: '<No>',
    record: '{ name: <Name> }',
    ...lines,
  }
  return `${Object.entries(all)
    .map(([name, value]) => `${name}: ${value}\n`)
    .join('')}${more}`
}

/** Lets known records get any other values, in flow style, for tests of what comes after. */
export const anyChange = [
  'values-changed',
  'column-cleared',
  'amounts-resized',
  'dates-moved',
  'ids-moved',
  'other-land',
]
  .map((rule) => `${rule}: allow`)
  .join(', ')

/** A table as the text of a CSV file; its rows are written as 'No|Name; 1|Top; 2|Low'. */
export function table(rows: string, delimiter = ','): string {
  return cellsOf(rows)
    .map((cells) => `${cells.join(delimiter)}\n`)
    .join('')
}

/** The key of a record as it is published. */
export function keyOf(type: string, holding: { readonly id: string }, id: string): string {
  return `${type}/${rimu.scheme}/${holding.id}/${id}`
}

/** A square paddock of about one hectare, the number-th of a row, as a GeoJSON feature. */
export function paddock(number: number, properties: object): object {
  const west = 175.3 + number * 0.002
  const ring = [
    [west, -37.8],
    [west + 0.001, -37.8],
    [west + 0.001, -37.799],
    [west, -37.799],
    [west, -37.8],
  ]
  return { type: 'Feature', properties, geometry: { type: 'Polygon', coordinates: [ring] } }
}

/** A FeatureCollection as text. */
export function collection(features: readonly object[]): string {
  return JSON.stringify({ type: 'FeatureCollection', features })
}
