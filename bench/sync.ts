/**
 * The contests about a nightly sync: a large table and many boundaries that the ledger knows already, beside programs that only
 * read them; and the first night, beside a loop that only sends.
 */

import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { spawnSync } from 'node:child_process'
import { openLedger } from '../src/ledger/ledger.ts'
import { readBody } from '../src/ledger/content.ts'
import { rememberRows } from '../src/pipeline/stage/same-rows.ts'
import { openStage } from '../src/pipeline/stage/stage-store.ts'
import { nodeSide, sidePath, type Bench, type Contest, type Side } from './contest.ts'
import { installWindrow } from './installed.ts'
import { publishing } from './line.ts'
import { dryRun, lineOf, type Line } from './paddock-line.ts'
import { csvOf } from './records.ts'

const goalMB = 200
const sizes = [
  { rows: 20_000, boundaries: 20_000 },
  { rows: 1_000_000, boundaries: 300_000 },
] as const

const csvNight = 'rows of CSV, 1 % changed'
const firstLoad = 'records, first load'
const secondNight = 'plots with boundaries, unchanged'

export const bench: Bench = {
  rounds: 3,
  names: sizes.flatMap(namesOf),
  async prepare(folder, only) {
    const program = await installWindrow(folder)
    const contests: Contest[] = []
    for (const { rows, boundaries } of sizes) {
      const names = namesOf({ rows, boundaries })
      const isAsked = names.map((name) => name.includes(only))
      if (isAsked[0]) contests.push(await nightOfRows(folder, rows, program))
      if (isAsked[1])
        contests.push({ ...publishing(await tableLine(folder, rows, program)), name: names[1]!, rounds: 1 })
      if (isAsked[2]) contests.push(await nightOfBoundaries(folder, boundaries, program))
    }
    return contests
  },
}

function namesOf({ rows, boundaries }: Readonly<Record<'rows' | 'boundaries', number>>): readonly string[] {
  return [nameOf(rows, csvNight), nameOf(rows, firstLoad), nameOf(boundaries, secondNight)]
}

function nameOf(count: number, what: string): string {
  return `${count / 1000}k ${what}`
}

async function nightOfRows(folder: string, count: number, program: string): Promise<Contest> {
  const line = await tableLine(folder, count, program)
  const state = knownState(line)
  const tonight = await csvOf(folder, count, { changed: true })
  // Of the same name, in another folder: the first load needs the unchanged file and its bodies.
  const home = line.at('tonight')
  mkdirSync(home, { recursive: true })
  const later: Line = { ...line, pipeline: join(home, basename(line.pipeline)), at: (name) => join(home, name) }
  writeFileSync(later.pipeline, tablePipeline(tonight))
  return {
    name: nameOf(count, csvNight),
    ours: night(later, state),
    peer: nodeSide(sidePath('papaparse.mjs'), tonight, line.at('bare.txt'), 'bare'),
    peerName: 'papaparse, only streaming',
    // At most two and a half times its time.
    goal: 1 / 2.5,
    goalMB,
    difference: () => differenceOf(later, { read: count, updated: count / 100 }),
  }
}

async function nightOfBoundaries(folder: string, count: number, program: string): Promise<Contest> {
  const line = await lineOf(folder, count, program)
  const state = knownState(line)
  return {
    name: nameOf(count, secondNight),
    ours: night(line, state),
    peer: nodeSide(sidePath('read-rows.mjs'), dirname(dirname(program)), line.zip, line.at('bare.txt'), 'bare'),
    peerName: 'our own bare pass',
    // At most three times its time.
    goal: 0.33,
    goalMB,
    difference: () => differenceOf(line, { read: count, updated: 0 }),
  }
}

function night(line: Line, state: string): Side {
  return { ...nodeSide(...dryRun(line, state)), writes: [line.at('report.json')] }
}

async function tableLine(folder: string, count: number, program: string): Promise<Line> {
  const home = join(folder, `sync-${count}`)
  mkdirSync(home, { recursive: true })
  const csv = await csvOf(folder, count)
  const line: Line = { count, zip: csv, program, pipeline: join(home, 'records.yaml'), at: (name) => join(home, name) }
  writeFileSync(line.pipeline, tablePipeline(csv))
  return line
}

function tablePipeline(csv: string): string {
  return `windrow: 1
import: plots
from: { file: ${JSON.stringify(csv)}, encoding: utf-8, delimiter: ",", decimal: point }
holding: { scheme: nz.example.farm-number, id: "00412876" }
key: <Record>
record:
  name: <Paddock>
  totalArea: { from: Area ha, unit: ha }
  crops: [{ name: <Product>, establishmentDate: { from: Date, date: yyyy-MM-dd, zone: Pacific/Auckland } }]
`
}

/** A state folder whose ledger has every record of the line as confirmed by the service. */
function knownState(line: Line): string {
  const state = line.at('known')
  rmSync(state, { recursive: true, force: true })
  // A plan for a real service keeps what a preview without one leaves out.
  const planned = [sidePath('publish.ts'), line.program, line.at('stored.txt'), ...dryRun(line, state)]
  const { status, stderr } = spawnSync(process.execPath, planned, { encoding: 'utf8' })
  if (status !== 0) throw new Error(`windrow failed to make the records.\n${stderr}`)
  const runs = join(state, 'runs')
  const stage = openStage(join(runs, readdirSync(runs)[0]!))
  // A dry run without a connection uses this account.
  const ledger = openLedger(join(state, 'ledger.db'), 'no connection')
  const pipeline = stage.recall('pipeline')!
  for (const batch of stage.unanswered({ items: 1000, bytes: 8 << 20 })) {
    ledger.accept(
      pipeline,
      batch.map((record) => ({ ...record, dataset: 'plots', deleted: false })),
    )
    const items = batch.map(({ body }) => readBody(Buffer.from(body).toString()))
    ledger.observe('plots', { items, token: undefined, startsOver: false })
  }
  ledger.setLastCount(pipeline, { records: line.count, most: line.count })
  rememberRows(stage, ledger, pipeline)
  ledger[Symbol.dispose]()
  stage.close()
  rmSync(runs, { recursive: true })
  return state
}

function differenceOf(line: Line, wanted: { readonly read: number; readonly updated: number }) {
  const { rows, records } = JSON.parse(readFileSync(line.at('report.json'), 'utf8')) as {
    readonly rows: { readonly read: number; readonly unchanged: number }
    readonly records: { readonly updated: number }
  }
  const isRight =
    rows.read === wanted.read && records.updated === wanted.updated && rows.unchanged === wanted.read - wanted.updated
  return Promise.resolve(
    isRight ? undefined : `Ours read ${rows.read} rows: ${rows.unchanged} unchanged, ${records.updated} updated.`,
  )
}
