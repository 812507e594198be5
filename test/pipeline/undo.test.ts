import { reportUnread } from '../../src/pipeline/import-run.ts'
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { WindrowError } from '../../src/core/error.ts'
import type { Ledger } from '../../src/ledger/ledger.ts'
import { openLedger } from '../../src/ledger/ledger.ts'
import { assertBalanced, type Report } from '../../src/pipeline/report/report.ts'
import { reportSchema } from '../../src/pipeline/report/report-schema.ts'
import { readRuns, startRunFolder, type KeptRun } from '../../src/pipeline/report/run-folder.ts'
import type { ImportOptions } from '../../src/pipeline/report/course.ts'
import { planUndo, undoRun, type UndoPlan } from '../../src/pipeline/undo-run.ts'
import { parsePipeline, type ImportPipeline } from '../../src/pipeline/definition/definition.ts'
import { checkAgainst } from '../../src/resources/validation.ts'
import { keyOf, rimu, startFarm, type Farm, type Fetch } from './farm.ts'

let farm: Farm
beforeEach(async () => {
  farm = await startFarm()
})
afterEach(() => farm.close())

const nightly = `windrow: 1
import: plots
from: { file: nightly.csv }
holding: { scheme: ${rimu.scheme}, id: "${rimu.id}" }
key: <No>
record: { name: <Name> }
gone: delete
rules: { deletes: stop above 90 %, replaced: stop above 90 %, fewer-rows: stop above 90 %, values-changed: allow }`
const other = nightly.replace('nightly.csv', 'other.csv')

const write = (rows: Readonly<Record<string, string>>, file = 'nightly.csv'): void =>
  void farm.write(
    file,
    `No,Name\n${Object.entries(rows)
      .map(([no, name]) => `${no},${name}\n`)
      .join('')}`,
  )

async function run(rows: Readonly<Record<string, string>>, how: Parameters<Farm['run']>[1] = {}): Promise<Report> {
  write(rows)
  return farm.run(nightly, { name: 'nightly', ...how })
}

function keptRun(id: string): KeptRun {
  return readRuns(join(farm.folder, '.windrow')).runs.find((each) => each.id === id)!
}

function options(more: Partial<ImportOptions> & { readonly fetch?: Fetch } = {}): ImportOptions {
  const { fetch, ...given } = more
  return {
    state: join(farm.folder, '.windrow'),
    connection: farm.connect(fetch),
    dryRun: false,
    clock: () => new Date(),
    sleep: () => Promise.resolve(),
    confirmWithinMs: 200,
    ...given,
  }
}

async function undo({ run: id }: { readonly run: string }, more: Parameters<typeof options>[0] = {}): Promise<Report> {
  const report = await undoRun(keptRun(id), options(more))
  expect(checkAgainst(reportSchema, report)).toEqual([])
  assertBalanced(report)
  return report
}

const plan = ({ run: id }: { readonly run: string }): Promise<UndoPlan> => planUndo(keptRun(id), options())

/** The names of the plots in the service by their numbers. */
async function held(): Promise<Readonly<Record<string, unknown>>> {
  const plots = [...(await farm.held('plots'))].map(([key, { name }]) => [key.split('/').at(-1)!, name])
  return Object.fromEntries(plots)
}

function inLedger<T>(ask: (ledger: Ledger) => T): T {
  const ledger = openLedger(join(farm.folder, '.windrow/ledger.db'), farm.connect().client.account)
  try {
    return ask(ledger)
  } finally {
    ledger[Symbol.dispose]()
  }
}

const owner = (no: string): string | null | undefined =>
  inLedger((ledger) => ledger.find(keyOf('plots', rimu, no))?.pipeline)
const lastCount = (pipeline = 'nightly'): number | null | undefined =>
  inLedger((ledger) => ledger.lastCount(pipeline)?.records)

const before = { 1: 'One', 2: 'Two', 3: 'Three', 4: 'Four' }
const wrong = { 1: 'One', 2: 'Zwei', 5: 'Five' }

test('restores a deleted record that the ledger has forgotten, unless a later run published it again', async () => {
  await run(before)
  const bad = await run(wrong)
  await run({ ...wrong, 4: 'Four again' })
  const database = new DatabaseSync(join(farm.folder, '.windrow/ledger.db'))
  database.exec(`DELETE FROM records WHERE state = 'deleted'`)
  database.close()
  await run(wrong)
  const { counts, first } = await plan(bad)
  expect(counts).toMatchObject({ restore: 1, 'left-alone': 1 })
  expect(first['restore']).toEqual([{ id: '3', name: 'Three' }])
})

test('puts back, deletes and restores what a run changed, and its last count', async () => {
  await run(before)
  const bad = await run(wrong)
  expect(bad).toMatchObject({ records: { created: 1, updated: 1 }, gone: { deleted: 2 } })
  const { counts, first } = await plan(bad)
  expect(counts).toEqual({ 'put-back': 1, delete: 1, restore: 2, 'as-before': 0, 'left-alone': 0 })
  expect(first['restore']).toEqual([
    { id: '3', name: 'Three' },
    { id: '4', name: 'Four' },
  ])
  expect(lastCount()).toBe(3)
  const undone = await undo(bad)
  expect(undone).toMatchObject({
    undoes: bad.run,
    pipeline: 'nightly',
    outcome: 'done',
    exit: 0,
    rows: { read: 4, ready: 4, unchanged: 0, skipped: 0 },
    records: { ready: 3, created: 2, updated: 1 },
    gone: { gone: 1, deleted: 1 },
    unseen: 0,
  })
  expect(await held()).toEqual(before)
  expect(lastCount()).toBe(4)
  expect(await run(before)).toMatchObject({ rows: { unchanged: 4 }, records: { ready: 0 } })
  expect(farm.posted()).toEqual([])
})

test('done twice, the second does nothing', async () => {
  await run(before)
  const bad = await run(wrong)
  await undo(bad)
  expect((await plan(bad)).counts).toEqual({ 'put-back': 0, delete: 0, restore: 0, 'as-before': 4, 'left-alone': 0 })
  expect(await undo(bad)).toMatchObject({ exit: 0, rows: { unchanged: 4 }, records: { ready: 0 }, gone: { gone: 0 } })
  expect(await held()).toEqual(before)
})

test('an undo can be undone, and that again', async () => {
  await run(before)
  const bad = await run(wrong)
  const first = await undo(bad)
  const second = await undo(first)
  expect(await held()).toEqual(wrong)
  expect(lastCount()).toBe(3)
  await undo(second)
  expect(await held()).toEqual(before)
  expect(lastCount()).toBe(4)
})

test('two runs are undone one after the other, the last one first', async () => {
  await run(before)
  const second = await run(wrong)
  const third = await run({ 1: 'Uno', 3: 'Tres', 5: 'Cinco' })
  await undo(third)
  expect(await held()).toEqual(wrong)
  expect(lastCount()).toBe(3)
  await undo(second)
  expect(await held()).toEqual(before)
  expect(lastCount()).toBe(4)
})

test('the first run of a pipeline leaves nothing behind, not even a last count', async () => {
  const first = await run(before)
  await undo(first)
  expect(await held()).toEqual({})
  expect(lastCount()).toBeUndefined()
  const again = await run({ 1: 'One' })
  expect(again).toMatchObject({ exit: 0, records: { created: 1 } })
  expect(again.problems.map(({ code }) => code)).toEqual(['boundary-absent'])
})

describe('what was changed since', () => {
  test('by a later run of another pipeline is left alone and listed with that run', async () => {
    await run(before)
    const bad = await run({ ...before, 1: 'Eins', 2: 'Zwei', 5: 'Five' })
    write({ 1: 'Uno', 5: 'Cinco' }, 'other.csv')
    const later = await farm.run(other, { name: 'other' })
    expect(later).toMatchObject({ records: { updated: 2 } })
    const { counts, first } = await plan(bad)
    expect(counts).toEqual({ 'put-back': 1, delete: 0, restore: 0, 'as-before': 0, 'left-alone': 2 })
    const reason = `changed since by the run ${later.run}`
    expect(first['left-alone']).toEqual([
      { id: '1', name: 'Uno', reason },
      { id: '5', name: 'Cinco', reason },
    ])
    const undone = await undo(bad)
    expect(undone).toMatchObject({ exit: 3, rows: { read: 3, ready: 1, skipped: 2 } })
    expect(undone.problems).toMatchObject([{ code: 'left-alone', count: 2 }])
    expect(await held()).toEqual({ ...before, 1: 'Uno', 5: 'Cinco' })
    expect([owner('1'), owner('2'), owner('5')]).toEqual(['other', 'nightly', 'other'])
  })

  test('by somebody else, or deleted, is left alone', async () => {
    await run(before)
    const bad = await run({ ...before, 1: 'Eins', 2: 'Zwei', 3: 'Drei' })
    const { client } = farm.connect()
    const held = await farm.held('plots')
    const [one, two] = ['1', '2'].map((no) => held.get(keyOf('plots', rimu, no)) as { meta: object })
    const modified = new Date(Date.now() + 1000).toISOString()
    const dataset = await client.dataset('plots')
    const changed = { ...one, name: 'By hand', meta: { ...one!.meta, modified } }
    const gone = { ...two, meta: { ...two!.meta, modified, isDeleted: true } }
    const bodies = [changed, gone].map((each) => JSON.stringify(each))
    for await (const _ of client.publishHalving(dataset.updates!, bodies)) void _
    const { counts, first } = await plan(bad)
    expect(counts).toMatchObject({ 'put-back': 1, 'left-alone': 2 })
    expect(first['left-alone'].map(({ reason }) => reason)).toEqual(['changed since', 'deleted since'])
    expect(await undo(bad)).toMatchObject({ exit: 3, records: { updated: 1 } })
  })
})

test('records that a run took from another pipeline go back to it', async () => {
  write({ 1: 'One', 2: 'Two' }, 'other.csv')
  await farm.run(other, { name: 'other' })
  const taken = await run({ 1: 'One', 2: 'Zwei' })
  expect([owner('1'), owner('2')]).toEqual(['nightly', 'nightly'])
  await undo(taken)
  expect([owner('1'), owner('2')]).toEqual(['other', 'other'])
  expect(await held()).toEqual({ 1: 'One', 2: 'Two' })
  // A lost ledger learns the same from the kept runs.
  for (const end of ['', '-wal', '-shm']) rmSync(join(farm.folder, `.windrow/ledger.db${end}`), { force: true })
  write({ 2: 'Two' }, 'other.csv')
  expect(await farm.run(other, { name: 'other' })).toMatchObject({ gone: { gone: 1, deleted: 1 } })
})

test('what a run matched is forgotten, and known again after the undo of the undo', async () => {
  write({ 1: 'One', 2: 'Two' }, 'other.csv')
  await farm.run(other, { name: 'other' })
  write({ A: 'One', B: 'Two' })
  const matched = await farm.run(`${nightly.replace('gone: delete', 'gone: keep')}\nmatch: name`, { name: 'nightly' })
  expect(matched).toMatchObject({ exit: 0, records: { created: 0 } })
  const matches = (): number => inLedger((ledger) => ledger.matches('nightly').size)
  expect(matches()).toBe(2)
  const undone = await undo(matched)
  expect(matches()).toBe(0)
  expect([owner('1'), owner('2')]).toEqual(['other', 'other'])
  expect(await held()).toEqual({ 1: 'One', 2: 'Two' })
  await undo(undone)
  expect(matches()).toBe(2)
})

describe('a run that was interrupted', () => {
  const interrupted = async (rows: Readonly<Record<string, string>>): Promise<Report> => {
    const stop = new AbortController()
    const fetch: Fetch = async (input, init) => {
      const request = new Request(input, init)
      const isPublish = request.method === 'POST' && request.url.endsWith('/resources')
      const answer = await farm.direct(request)
      if (isPublish) stop.abort()
      stop.signal.throwIfAborted()
      return answer
    }
    const report = await run(rows, { fetch, signal: stop.signal })
    expect(report).toMatchObject({ outcome: 'interrupted', accepted: 0 })
    return report
  }

  test('is undone though no answer came, and is not continued afterwards', async () => {
    await run(before)
    const broken = await interrupted(wrong)
    expect(await held()).toEqual(wrong)
    expect(await undo(broken)).toMatchObject({ exit: 0, rows: { read: 4, ready: 4 } })
    expect(await held()).toEqual(before)
    expect(keptRun(broken.run).isFinished).toBe(true)
    const next = await run(before)
    expect(next).toMatchObject({ exit: 0, rows: { unchanged: 4 }, records: { ready: 0 } })
    expect(next.run).not.toBe(broken.run)
  })
})

describe('an undo that was stopped', () => {
  const stopping = (): { fetch: Fetch; signal: AbortSignal } => {
    const stop = new AbortController()
    const fetch: Fetch = async (input, init) => {
      const request = new Request(input, init)
      const answer = await farm.direct(request)
      if (request.method === 'POST' && request.url.endsWith('/resources')) stop.abort()
      stop.signal.throwIfAborted()
      return answer
    }
    return { fetch, signal: stop.signal }
  }

  test('is made good by the next undo, not by the next run of the pipeline, and keeps its report', async () => {
    await run(before)
    const bad = await run(wrong)
    const broken = await undo(bad, stopping())
    expect(broken).toMatchObject({ outcome: 'interrupted', exit: 130 })
    expect(await run({ ...before, 9: 'Nine' })).toMatchObject({ outcome: 'done', records: { created: 1 } })
    expect(await undo(bad)).toMatchObject({ outcome: 'done', exit: 0, records: { unsent: 0 } })
    expect(JSON.parse(farm.read(broken.files['report']!))).toMatchObject({ outcome: 'interrupted', exit: 130 })
    expect(await held()).toEqual({ ...before, 9: 'Nine' })
    // The last file of the pipeline is the newer one.
    expect(lastCount()).toBe(5)
  })

  test('is closed by another undo if it was killed before it had anything to send', async () => {
    await run(before)
    const bad = await run(wrong)
    const broken = await undo(bad)
    const path = join(farm.folder, '.windrow/runs', broken.run)
    const database = new DatabaseSync(join(path, 'stage.db'))
    database.exec(`DELETE FROM facts WHERE name IN ('complete', 'finished'); DELETE FROM receipts`)
    database.close()
    rmSync(join(path, 'report.json'))
    await undo(bad)
    expect(existsSync(join(path, 'report.json'))).toBe(true)
    expect(JSON.parse(readFileSync(join(path, 'report.json'), 'utf8'))).toMatchObject({ outcome: 'interrupted' })
  })
})

test('an undo that the service does not show is sent again by the next', async () => {
  await run(before)
  const bad = await run(wrong)
  const dropping: Fetch = async (input, init) => {
    const request = new Request(input, init)
    if (request.method !== 'POST' || !request.url.endsWith('/resources')) return farm.direct(request)
    const sent = (await request.json()) as readonly unknown[]
    return Response.json(sent.map((_, index) => ({ index, successful: true })))
  }
  expect(await undo(bad, { fetch: dropping })).toMatchObject({ exit: 3, unseen: 4 })
  expect(await held()).toEqual(wrong)
  expect(await undo(bad)).toMatchObject({ exit: 0, rows: { read: 4, ready: 4 }, unseen: 0 })
  expect(await held()).toEqual(before)
})

describe('cannot be undone:', () => {
  test('a dry run', async () => {
    const dry = await run(wrong, { dryRun: true })
    await expect(undo(dry)).rejects.toMatchObject({ code: 'run-unusable' })
  })

  test('a run that a rule stopped before it sent', async () => {
    await run(before)
    write({ 8: 'Eight' })
    const stopped = await farm.run(nightly.replace('deletes: stop above 90 %', 'deletes: stop above 1 %'), {
      name: 'nightly',
    })
    expect(stopped).toMatchObject({ exit: 6 })
    await expect(undo(stopped)).rejects.toMatchObject({ code: 'run-unusable' })
  })

  test('a run that could not read its file', async () => {
    const pipeline = parsePipeline(nightly, join(farm.folder, 'nightly.yaml')) as ImportPipeline
    const unread = await reportUnread(pipeline, new WindrowError('file-missing', 'There is no file.'), options())
    await expect(undo(unread!)).rejects.toThrow('cannot be undone: it ended before anything was sent.')
  })

  test('an export, whose folder stays as it is', async () => {
    const { id, folder } = startRunFolder(options().state, 'export-plots', new Date())
    const started = '2026-11-20T02:00:00Z'
    writeFileSync(join(folder, 'report.json'), JSON.stringify({ windrow: 'report', kind: 'export', started }))
    await expect(plan({ run: id })).rejects.toMatchObject({ code: 'run-unusable' })
    expect(readdirSync(folder)).toEqual(['report.json'])
  })

  test('a run without the right to publish: nothing is sent', async () => {
    await run(before)
    const bad = await run(wrong)
    const noRights: Fetch = async (input, init) => {
      const request = new Request(input, init)
      return request.url.endsWith('/control') ? Response.json([]) : farm.direct(request)
    }
    expect(await undo(bad, { fetch: noRights })).toMatchObject({ exit: 5, error: { code: 'rights-missing' } })
    expect(await held()).toEqual(wrong)
  })
})
