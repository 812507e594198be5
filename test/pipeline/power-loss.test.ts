import { cpSync, existsSync, readFileSync, readdirSync, rmSync, truncateSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { assertBalanced } from '../../src/pipeline/report/report.ts'
import { publishesOnce } from '../published-once.ts'
import { share } from '../runs.ts'
import { rimu, startFarm, type Farm, type Fetch } from './farm.ts'

// Two batches.
const recordsPerBatch = 200
const rows = recordsPerBatch + 40
const nightly = `windrow: 1
import: plots
from: { file: nightly.csv }
holding: { scheme: ${rimu.scheme}, id: "${rimu.id}" }
key: <ID>
record: { name: <NAME> }
gone: delete
rules: { deletes: stop above 50 %, values-changed: allow }`

let farm: Farm
let state: string
beforeEach(async () => {
  farm = await startFarm()
  state = join(farm.folder, '.windrow')
})
afterEach(() => farm.close())

function write(ids: readonly number[], name: string): void {
  farm.write('nightly.csv', `ID,NAME\n${ids.map((id) => `P${id},${name} ${id}\n`).join('')}`)
}

const publishOnce = publishesOnce<void>()
const upTo = (last: number, first = 0) => Array.from({ length: last - first }, (_, index) => index + first)

/**
 * Leaves the state folder as a computer without power would: a night was published, the next one is half sent, and what its
 * databases have not yet copied out of their journals is still there.
 */
async function losePower(direct: Fetch): Promise<void> {
  write(upTo(rows), 'Paddock')
  expect(await farm.run(nightly, { fetch: direct, recordsPerBatch })).toMatchObject({ exit: 0 })
  write(upTo(rows, 10), 'Field')
  const seen = join(farm.folder, 'as-it-was')
  let posts = 0
  const fetch: Fetch = async (input, init) => {
    const request = new Request(input, init)
    const isPost = request.method === 'POST' && request.url.endsWith('/resources')
    if (isPost && (posts += 1) > 1) {
      if (!existsSync(seen)) cpSync(state, seen, { recursive: true })
      return new Response('', { status: 500 })
    }
    return direct(request)
  }
  expect((await farm.run(nightly, { fetch, recordsPerBatch })).exit).toBe(4)
  rmSync(state, { recursive: true })
  cpSync(seen, state, { recursive: true })
}

/** The file of the run that was under way. */
function inRun(name: string): string {
  const runs = readdirSync(join(state, 'runs')).filter((id) => id.includes('paddocks'))
  const last = runs.map((id) => join(state, 'runs', id)).find((folder) => !existsSync(join(folder, 'report.json')))!
  return join(last, name)
}

function cut(path: string, share: number): void {
  const { length } = readFileSync(path)
  truncateSync(path, Math.floor(length * share))
}

describe('power that fails while a night is sent', () => {
  const files: Readonly<Record<string, () => string>> = {
    'the journal of the ledger': () => join(state, 'ledger.db-wal'),
    'the ledger': () => join(state, 'ledger.db'),
    'the journal of the stage': () => inRun('stage.db-wal'),
    'the stage': () => inRun('stage.db'),
    'the bodies': () => inRun('ready.ndjson'),
  }
  const cases = Object.entries(files).flatMap(([what, file]) =>
    [0, 0.4, 0.9].map((part) => [part, what, file] as const),
  )

  test.each(share(cases, 1, ([, what]) => what))(
    'and leaves %d of %s: the next run makes the service right',
    async (part, _, file) => {
      // The same loss for every file that is cut.
      await publishOnce({ folder: farm.folder, fetch: farm.direct }, losePower)
      cut(file(), part)
      const report = await farm.run(nightly)
      expect(report).toMatchObject({ exit: 0, outcome: 'done', unseen: 0 })
      assertBalanced(report)
      const held = [...(await farm.held('plots')).values()].map(({ name }) => name!)
      const wanted = upTo(rows, 10).map((id) => `Field ${id}`)
      expect(held.filter((name) => name.startsWith('Field')).toSorted()).toEqual(wanted.toSorted())
      // What a lost ledger no longer knows is named, not deleted.
      if (held.length > wanted.length) expect(report.problems.map(({ code }) => code)).toContain('not-in-file')
      expect((await farm.run(nightly)).records.ready).toBe(0)
    },
  )

  test('and leaves half a report: the next run is not disturbed', async () => {
    write(upTo(20), 'Paddock')
    const { run } = await farm.run(nightly)
    cut(join(state, 'runs', run, 'report.json'), 0.5)
    write(upTo(20, 1), 'Paddock')
    expect(await farm.run(nightly)).toMatchObject({ exit: 0, gone: { deleted: 1 } })
  })
})

describe('a clock that was set back', () => {
  const year = 365 * 86_400_000

  test('is named in the report; nothing is lost, and what was left is continued', async () => {
    const ahead = { clock: () => new Date(Date.now() + year) }
    write(upTo(20), 'Paddock')
    expect(await farm.run(nightly, ahead)).toMatchObject({ exit: 0 })
    write(upTo(20, 2), 'Field')
    const fetch: Fetch = (input, init) => {
      const request = new Request(input, init)
      const isPost = request.method === 'POST' && request.url.endsWith('/resources')
      return isPost ? Promise.resolve(new Response('', { status: 500 })) : farm.direct(request)
    }
    const stopped = await farm.run(nightly, { ...ahead, fetch })
    expect(stopped.exit).toBe(4)
    farm.leaveAsKilled(stopped)
    expect(await farm.run(nightly)).toMatchObject({ run: stopped.run, exit: 0, gone: { deleted: 2 } })
    write(upTo(20, 4), 'Field')
    const report = await farm.run(nightly)
    expect(report).toMatchObject({ exit: 0, gone: { deleted: 2 } })
    const named = report.problems.find(({ code }) => code === 'clock-wrong')
    expect(named).toMatchObject({ severity: 'warning', count: 1 })
    expect(named!.first[0]!.message).toMatch(
      /^The clock of this computer shows 20\S+, but the last run started at 20\S+\./,
    )
    expect((await farm.held('plots')).size).toBe(16)
    // The run after it started later than the last one.
    const next = await farm.run(nightly)
    expect(next.problems.map(({ code }) => code)).not.toContain('clock-wrong')
  })
})
