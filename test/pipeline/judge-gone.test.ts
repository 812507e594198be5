import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { assertBalanced, type Report } from '../../src/pipeline/report/report.ts'
import type { FaultRule } from '../../src/service/faults/faults.ts'
import {
  collection,
  keyOf,
  kowhai,
  paddock,
  pipeline,
  rimu,
  startFarm,
  table,
  type Farm,
  type Fetch,
  type RunOptions,
} from './farm.ts'

let farm: Farm
beforeEach(async () => {
  farm = await startFarm()
})
afterEach(() => farm.close())

const plots = (more = '', lines: Readonly<Record<string, string>> = {}): string => pipeline(lines, more)
const ofKowhai = { holding: `{ scheme: ${kowhai.scheme}, id: "${kowhai.id}" }` }
const deleting = plots('gone: delete\nrules: { farm-emptied: allow, deletes: stop above 100 % }')
const south = deleting.replace('nightly.csv', 'south.csv')

const upTo = (last: number, first = 1) => Array.from({ length: last - first + 1 }, (_, index) => index + first)
const without3 = upTo(20).filter((id) => id !== 3)
const keysOf = (ids: readonly (number | string)[]) => ids.map((id) => keyOf('plots', rimu, String(id))).toSorted()
const held = async () => [...(await farm.held('plots')).keys()].toSorted()

/** A run whose books balance. */
async function balanced(run: Promise<Report>): Promise<Report> {
  const report = await run
  if (report.outcome !== 'stopped') assertBalanced(report)
  return report
}

const run = (yaml: string, how: RunOptions = {}): Promise<Report> => balanced(farm.run(yaml, how))

/** Runs a pipeline over a file with these ids. */
function night(ids: readonly (number | string)[], yaml: string, how: RunOptions = {}): Promise<Report> {
  const rows = ids.map((id) => `${id},Paddock ${id},C${id}\n`)
  return balanced(farm.night(`No,Name,Code\n${rows.join('')}`, yaml, how))
}

async function withFaults(...faults: readonly FaultRule[]): Promise<void> {
  farm.close()
  farm = await startFarm({ faults })
}

describe('a deletion that the service accepted and lost', () => {
  // The second list with this record is the one that deletes it.
  const lost: FaultRule = { fault: 'dropped', keys: keysOf([3]), at: [2] }

  test('is sent again with the same bytes until the feed shows it', async () => {
    await withFaults({ ...lost, at: [2, 3] })
    await night(upTo(20), deleting)
    const lostOnce = await night(without3, deleting)
    expect(lostOnce).toMatchObject({ exit: 3, unseen: 1, gone: { gone: 1, deleted: 1, kept: 0 } })
    const first = farm.posted()
    const second = await run(deleting)
    expect(second).toMatchObject({ exit: 3, unseen: 1, gone: { gone: 1, deleted: 1, kept: 0 } })
    expect(farm.posted()).toEqual(first)
    expect(second.problems.map(({ code }) => code)).toContain('not-seen')
    expect(await held()).toEqual(keysOf(upTo(20)))

    expect(await run(deleting)).toMatchObject({ exit: 0, unseen: 0, gone: { gone: 1, deleted: 1, kept: 0 } })
    expect(await held()).toEqual(keysOf(without3))
    expect(await run(deleting)).toMatchObject({ exit: 0, gone: { gone: 0 } })
  })

  test('does not count for the guard a second time', async () => {
    await withFaults(lost)
    const guarded = plots('gone: delete\nrules: { deletes: stop above 1 }')
    await night(upTo(20), guarded)
    await night(without3, guarded)
    expect(await night(without3.slice(0, -1), guarded)).toMatchObject({ exit: 0, gone: { gone: 2, deleted: 2 } })
    expect(await held()).toEqual(keysOf(without3.slice(0, -1)))
  })

  test('is cancelled when the row comes back, and unmapped fields stay', async () => {
    await withFaults({ ...lost, at: [3] })
    const map = plots('').replace('nightly.csv', 'map.geojson')
    const drawn = upTo(3).map((id) => paddock(id, { No: String(id), Name: ['One', 'Two', 'Paddock 3'][id - 1] }))
    await balanced(farm.night(collection(drawn), map, { name: 'map' }))
    const listed = (rows: string): Promise<Report> => balanced(farm.night(table(`No|Name; ${rows}`), deleting))
    await listed('1|One; 2|Two; 3|Three')
    expect(await listed('1|One; 2|Two')).toMatchObject({ exit: 3, unseen: 1 })
    const back = await listed('1|One; 2|Two; 3|Three')
    expect(back).toMatchObject({ exit: 0, unseen: 0, gone: { gone: 0 }, records: { ready: 1 } })
    const third = (await farm.held('plots')).get(keysOf([3])[0]!)
    expect(third).toMatchObject({ name: 'Three', spatialFeature: { geometry: { type: 'Polygon' } } })
  })
})

test('a deletion that the service refuses is reported', async () => {
  await withFaults({ fault: 'bad-record', keys: keysOf([3]), at: [2, 3, 4, 5] })
  await night(upTo(20), deleting)
  const report = await night(without3, deleting)
  expect(report).toMatchObject({ exit: 3, gone: { gone: 1, deleted: 0, kept: 1 } })
  const { message, hint } = report.problems.find(({ code }) => code === 'refused')!.first[0]!
  expect(message).toContain('The service refused to delete this record:')
  expect(hint).toContain('still in the service')
})

test('a record that a rebuilt service does not have is not deleted there', async () => {
  await night(upTo(20), deleting)
  const database = new DatabaseSync(join(farm.folder, '.windrow', 'ledger.db'))
  database.exec(`UPDATE records SET state = 'missing' WHERE source_id LIKE '%/3'`)
  database.close()
  expect(await night(without3, deleting)).toMatchObject({ exit: 0, gone: { gone: 0 } })
  expect(farm.posted()).toEqual([])
})

describe('a new record of a killed run whose answer never came', () => {
  test('belongs to this pipeline, and is deleted when the next file does not have it', async () => {
    await night(upTo(20), deleting)
    const killed = new AbortController()
    const fetch: Fetch = async (input, init) => {
      const request = new Request(input, init)
      const isPublish = request.method === 'POST' && request.url.endsWith('/resources')
      const answer = await farm.direct(request)
      if (isPublish) killed.abort()
      killed.signal.throwIfAborted()
      return answer
    }
    expect(await night([...upTo(20), 'new'], deleting, { fetch, signal: killed.signal })).toMatchObject({
      outcome: 'interrupted',
    })
    expect(await held()).toContain(keysOf(['new'])[0])
    expect(await night(upTo(20), deleting)).toMatchObject({ exit: 0, gone: { gone: 1, deleted: 1 } })
    expect(await held()).toEqual(keysOf(upTo(20)))
  })
})

const tenGone = { delete: { gone: 10, deleted: 10, kept: 0 }, keep: { gone: 10, deleted: 0, kept: 10 } } as const
const unowned = (report: Report) => report.problems.find(({ code }) => code === 'not-in-file')
const inState = (...path: readonly string[]) => join(farm.folder, '.windrow', ...path)
function loseLedger(): void {
  for (const end of ['', '-wal', '-shm']) rmSync(inState(`ledger.db${end}`), { force: true })
}
function loseState(): void {
  loseLedger()
  rmSync(inState('runs'), { recursive: true })
}
function changeStage(run: Report, sql: string): void {
  const database = new DatabaseSync(inState('runs', run.run, 'stage.db'))
  database.exec(sql)
  database.close()
}

describe('a pipeline whose ledger was lost, but not its runs,', () => {
  const rebuilt = (report: Report) => report.problems.find(({ code }) => code === 'ledger-rebuilt')?.first[0]?.message

  test.each(['delete', 'keep'] as const)('owns its records again, and "gone: %s" decides about them', async (gone) => {
    const yaml = plots(`gone: ${gone}\nrules: { farm-emptied: allow, deletes: stop above 100 % }`)
    await night(upTo(30), yaml)
    loseLedger()
    const would = await night(upTo(20), yaml, { dryRun: true })
    expect(rebuilt(would)).toContain('the kept runs of this pipeline show it')
    const expected = tenGone[gone]
    expect(would).toMatchObject({ exit: 0, gone: expected })
    const report = await run(yaml)
    expect(report).toMatchObject({ exit: 0, gone: expected, unseen: 0 })
    expect(unowned(report)).toBeUndefined()
    expect(await held()).toEqual(keysOf(upTo(gone === 'delete' ? 20 : 30)))
  })

  test('still has its guards', async () => {
    await night(upTo(30), deleting)
    loseLedger()
    const stopped = await night(upTo(10), plots('gone: delete\nrules: { fewer-rows: stop above 20 % }'))
    expect(stopped).toMatchObject({ exit: 6, error: { code: 'rule-stopped' } })
    expect(stopped.error!.message).toContain('20 of 30 records are gone from the file and would be deleted')
    expect(stopped.error!.message).toContain('The file has 10 records, 20 fewer than the 30')
    expect(farm.posted()).toEqual([])
    loseLedger()
    expect(await night(upTo(30), plots('', ofKowhai))).toMatchObject({ exit: 6 })
  })

  test('compares the file with its last count, without the records that it keeps from earlier years', async () => {
    const guarded = plots('rules: { fewer-rows: stop above 20 % }')
    await night(upTo(30), plots())
    await night(upTo(20), plots())
    loseLedger()
    expect(await night(upTo(19), guarded)).toMatchObject({ exit: 0, gone: { gone: 11, kept: 11 } })
  })

  test('also owns a farm that the file no longer has', async () => {
    const byFarm = deleting.replace(`id: "${rimu.id}"`, 'id: <Farm>')
    const ofFarms = (...farms: readonly { readonly id: string }[]): Promise<Report> =>
      balanced(farm.night(`No,Name,Farm\n${farms.map(({ id }) => `1,One,${id}\n2,Two,${id}\n`).join('')}`, byFarm))
    expect(await ofFarms(rimu, kowhai)).toMatchObject({ records: { created: 4 } })
    loseLedger()
    expect(await ofFarms(rimu)).toMatchObject({ exit: 0, gone: { gone: 2, deleted: 2 } })
    expect(await held()).toEqual(keysOf(upTo(2)))
  })

  test('does not own the records of another account or service', async () => {
    const first = await night(upTo(30), deleting)
    changeStage(first, `UPDATE facts SET value = '"https://other.example|sam"' WHERE name = 'account'`)
    loseLedger()
    const report = await night(upTo(20), deleting)
    expect(report).toMatchObject({ exit: 0, gone: { gone: 0 } })
    expect(rebuilt(report)).toBeUndefined()
    expect(unowned(report)).toMatchObject({ severity: 'warning' })
    expect(await held()).toEqual(keysOf(upTo(30)))
  })

  test.each([
    ['a dry run', { dryRun: true }, deleting],
    ['a run that a guard stopped', {}, plots('rules: { rejected: stop above 0, fewer-rows: stop above 0 }')],
  ])('owns nothing by %s', async (_, how, yaml) => {
    await night(upTo(30), deleting, { name: 'old-name' })
    expect((await night(upTo(29), yaml, { name: 'new-name', ...how })).outcome).not.toBe('done')
    loseLedger()
    const report = await night(upTo(20), deleting, { name: 'new-name' })
    expect(report).toMatchObject({ exit: 0, gone: { gone: 0 } })
    expect(unowned(report)!.first[0]!.message).toContain('10 records of this farm')
    expect(await held()).toEqual(keysOf(upTo(30)))
  })

  test('shares a farm with another pipeline: each record belongs to the one that had it last', async () => {
    await night(upTo(20), deleting, { name: 'north' })
    await night(upTo(30, 16), south, { name: 'south' })
    loseLedger()
    expect(await night(upTo(10), deleting, { name: 'north' })).toMatchObject({ exit: 0, gone: { gone: 5, deleted: 5 } })
    expect(await held()).toEqual(keysOf([...upTo(10), ...upTo(30, 16)]))
    const second = await night(upTo(29, 17), south, { name: 'south' })
    expect(second).toMatchObject({ exit: 0, gone: { gone: 2, deleted: 2 } })
    expect(await held()).toEqual(keysOf([...upTo(10), ...upTo(29, 17)]))
  })

  test('keeps what another pipeline has owned since', async () => {
    await night(upTo(20), deleting, { name: 'north' })
    loseLedger()
    const first = await night(upTo(20, 16), south, { name: 'south' })
    expect(first).toMatchObject({ exit: 0, rows: { unchanged: 5 }, gone: { gone: 0 } })
    rmSync(inState('runs', first.run), { recursive: true })
    expect(await night(upTo(10), deleting, { name: 'north' })).toMatchObject({ exit: 0, gone: { gone: 5, deleted: 5 } })
    expect(await held()).toEqual(keysOf([...upTo(10), ...upTo(20, 16)]))
  })

  test('owns nothing while a run of another pipeline cannot be read: that one may have had the records last', async () => {
    await night(upTo(20), deleting, { name: 'north' })
    const other = await night(upTo(20, 16), south, { name: 'south' })
    writeFileSync(inState('runs', other.run, 'stage.db'), 'x'.repeat(9000))
    loseLedger()
    const report = await night(upTo(15), deleting, { name: 'north' })
    expect(report).toMatchObject({ exit: 0, gone: { gone: 0 } })
    expect(report.problems.map(({ code }) => code).toSorted()).toEqual(['not-in-file', 'run-unreadable'])
    expect(await held()).toEqual(keysOf(upTo(20)))
  })

  test('ignores a run of its own that cannot be read, and reports it', async () => {
    const first = await night(upTo(30), deleting)
    const second = await night(upTo(31), deleting)
    changeStage(first, 'DROP TABLE receipts')
    writeFileSync(inState('runs', second.run, 'stage.db'), 'x'.repeat(9000))
    loseLedger()
    const report = await night(upTo(20), deleting)
    expect(report).toMatchObject({ exit: 0, gone: { gone: 0 } })
    expect(report.problems.find(({ code }) => code === 'run-unreadable')).toMatchObject({ count: 2 })
    expect(unowned(report)!.first[0]!.message).toContain('11 records of this farm')
    expect(await held()).toEqual(keysOf(upTo(31)))
  })

  test('owns what an interrupted run had sent before the loss', async () => {
    await night(upTo(20), deleting)
    let posts = 0
    const fetch: Fetch = async (input, init) => {
      const request = new Request(input, init)
      if (request.method === 'POST' && request.url.endsWith('/resources') && ++posts > 1)
        return new Response('', { status: 500 })
      return farm.direct(request)
    }
    const stopped = await night(upTo(1100), deleting, { fetch })
    expect(stopped.records.created).toBeGreaterThan(0)
    expect(stopped.records.unsent).toBeGreaterThan(0)
    loseLedger()
    expect(await run(deleting)).toMatchObject({ exit: 0, records: { created: stopped.records.unsent, unsent: 0 } })
    expect(await night(upTo(20), deleting)).toMatchObject({ exit: 0, gone: { gone: 1080, deleted: 1080 } })
    expect(await held()).toEqual(keysOf(upTo(20)))
  })
})

describe('records of this farm that are in the service but not in the file', () => {
  test('are reported after the ledger and the runs were lost, and nothing is deleted', async () => {
    await night(upTo(30), deleting)
    loseState()
    const report = await night(upTo(20), deleting)
    expect(report).toMatchObject({ exit: 0, gone: { gone: 0 }, rows: { unchanged: 20 } })
    expect(unowned(report)).toMatchObject({ severity: 'warning', count: 1 })
    const { message, hint } = unowned(report)!.first[0]!
    expect(message).toContain(
      '10 records of this farm are in the service but not in the file: "21", "22", "23", "24", "25" and 5 more.',
    )
    expect(message).toContain('windrow run --take-over paddocks.yaml')
    expect(hint).toContain('deleted')
    expect(farm.posted()).toEqual([])
    expect(await held()).toEqual(keysOf(upTo(30)))
    // Until somebody decides, each night has a note.
    expect(unowned(await run(deleting))?.severity).toBe('note')
  })

  test.each(['delete', 'keep'] as const)(
    'are this pipeline’s with --take-over, and "gone: %s" decides about them',
    async (gone) => {
      const yaml = plots(`gone: ${gone}\nrules: { farm-emptied: allow, deletes: stop above 100 % }`)
      await night(upTo(30), yaml)
      loseState()
      await night(upTo(20), yaml)
      const would = await run(yaml, { takeOver: true, dryRun: true })
      const report = await run(yaml, { takeOver: true })
      const expected = tenGone[gone]
      expect(would).toMatchObject({ exit: 0, gone: expected })
      expect(report).toMatchObject({ exit: 0, gone: expected, unseen: 0 })
      expect(unowned(report)).toBeUndefined()
      expect(await held()).toEqual(keysOf(upTo(gone === 'delete' ? 20 : 30)))
      // From now on they belong to it without the option.
      expect(await run(yaml)).toMatchObject({ gone: { gone: gone === 'delete' ? 0 : 10 } })
    },
  )

  test('are counted by the guards of the first run', async () => {
    await night(upTo(30), deleting)
    loseState()
    const fewer = await night(upTo(10), plots('gone: delete\nrules: { fewer-rows: stop above 20 % }'), {
      takeOver: false,
    })
    expect(fewer).toMatchObject({ exit: 6, error: { code: 'rule-stopped' } })
    expect(fewer.error!.message).toContain('The file has 10 records, 20 fewer than the 30')
    const deletes = await run(plots('gone: delete'), { takeOver: true })
    expect(deletes.error!.message).toContain('20 of 30 records are gone from the file and would be deleted')
    expect(await held()).toEqual(keysOf(upTo(30)))
  })

  test('are found when the pipeline was renamed, then and later', async () => {
    await night(upTo(30), deleting, { name: 'old-name' })
    const first = await night(upTo(22), deleting, { name: 'new-name' })
    expect(unowned(first)).toMatchObject({ severity: 'warning' })
    expect(unowned(first)!.first[0]!.message).toContain('8 records of this farm')
    expect(unowned(first)!.first[0]!.message).toContain('They were published by "old-name"')
    expect(await held()).toEqual(keysOf(upTo(30)))
    expect(await run(deleting, { name: 'new-name', takeOver: true })).toMatchObject({ gone: { gone: 8, deleted: 8 } })
    expect(await held()).toEqual(keysOf(upTo(22)))
  })

  test('a single one is named in the singular', async () => {
    await night(upTo(30), deleting, { name: 'old-name' })
    const { message, hint } = unowned(await night(upTo(29), deleting, { name: 'new-name' }))!.first[0]!
    expect(message).toMatch(
      /^1 record of this farm is .* It was published by "old-name", so it is not changed\. To give it /,
    )
    expect(hint).toContain('it is then deleted')
  })

  test('a dry run under a new name does not change their owner', async () => {
    await night(upTo(30), deleting, { name: 'old-name' })
    expect(unowned(await night(upTo(22), deleting, { name: 'new-name', dryRun: true }))).toBeDefined()
    expect(await run(deleting, { name: 'old-name' })).toMatchObject({ gone: { gone: 8, deleted: 8 } })
  })

  test('are left alone if another pipeline owns them, with any option', async () => {
    await night(upTo(30, 21), south, { name: 'south' })
    const first = await night(upTo(20), deleting, { name: 'north', takeOver: true })
    expect(first).toMatchObject({ exit: 0, gone: { gone: 0 }, records: { created: 20 } })
    expect(unowned(first)).toBeUndefined()
    expect(await run(deleting, { name: 'north', takeOver: true })).toMatchObject({ gone: { gone: 0 } })
    expect(await held()).toEqual(keysOf(upTo(30)))
  })

  test('of another farm or another source scheme are not among them', async () => {
    await night(upTo(5), plots('', ofKowhai), { name: 'kowhai' })
    await run(plots('source: { scheme: nz.example.other }'), { name: 'other' })
    loseState()
    const report = await night(upTo(9, 6), deleting, { takeOver: true })
    expect(report).toMatchObject({ exit: 0, gone: { gone: 0 } })
    expect(await held()).toHaveLength(14)
  })
})

describe('a farm that would be published twice', () => {
  test.each([
    ['another key column', { key: '<Code>' }],
    ['another holding', ofKowhai],
  ])('by %s stops the run, whatever "gone" says', async (_, changed) => {
    await night(upTo(30), plots())
    const others = 'rules: { duplicates: allow }'
    const report = await run(plots(others, changed))
    expect(report).toMatchObject({ exit: 6, error: { code: 'rule-stopped' } })
    expect(report.error!.message).toContain(
      '30 of 30 records are new and 30 of the 30 known ones are missing, as if the key column or the holding had changed',
    )
    expect(farm.posted()).toEqual([])
    const deletes = await run(plots('gone: delete\nrules: { farm-emptied: allow, deletes: stop above 100 % }', changed))
    expect(deletes).toMatchObject({ exit: 6 })
    const allowed = await run(plots('rules: { replaced: stop above 100 %, duplicates: allow }', changed))
    expect(allowed).toMatchObject({ exit: 0, records: { created: 30 }, gone: { gone: 30, kept: 30 } })
  })

  test('by a pipeline that was given another holding keeps the farm that it had, with any guard', async () => {
    await night(upTo(30), deleting)
    const guards = 'gone: delete\nrules: { deletes: stop above 100 %, replaced: stop above 100 %, duplicates: allow }'
    const moved = await run(plots(guards, ofKowhai))
    expect(moved).toMatchObject({ exit: 0, records: { created: 30 }, gone: { gone: 30, deleted: 0, kept: 30 } })
    expect(moved.problems.find(({ code }) => code === 'not-in-file')!.first[0]!.message).toContain(
      'This pipeline had 30 records of another farm or type before it was changed: "1", "10",',
    )
    // They are no longer its own.
    expect(await run(plots(guards, ofKowhai))).toMatchObject({ exit: 0, gone: { gone: 0 } })
    expect((await held()).length).toBe(60)
  })

  test('by a pipeline that was given another type keeps the records that it had', async () => {
    await night(upTo(3), deleting)
    const covers = plots(
      'gone: delete\nrules: { farm-emptied: allow, deletes: stop above 100 %, replaced: stop above 100 % }',
    )
      .replace('plots', 'land-covers')
      .replace('record: {', 'record: { landCoverClass: { scheme: nz.example.land-cover, primary: Forest },')
    expect(await run(covers)).toMatchObject({ exit: 0, records: { created: 3 }, gone: { gone: 3, kept: 3 } })
    expect(await held()).toEqual(keysOf(upTo(3)))
  })

  test.each([
    ['one of two paddocks', upTo(2), [1, 'x'], 0],
    ['two of two', upTo(2), ['x', 'y'], 6],
    ['one that was divided', [1], ['x', 'y'], 0],
    ['two of four', upTo(4), [1, 2, 'x', 'y'], 0],
    ['two of three', upTo(3), [1, 'x', 'y'], 6],
    ['a farm that grew', upTo(3), upTo(30), 0],
    ['a farm that shrank', upTo(30), upTo(3), 0],
  ])('is told from a farm that changed: %s', async (_, before, after, exit) => {
    await night(before, plots())
    expect((await night(after, plots())).exit).toBe(exit)
  })

  test('is not suspected of a farm that keeps records of earlier years', async () => {
    await night(upTo(30), plots())
    await night(upTo(10), plots())
    const report = await night([...upTo(10), ...upTo(52, 41)], plots())
    expect(report).toMatchObject({ exit: 0, records: { created: 12 }, gone: { kept: 20 } })
  })
})

test('the only record is not deleted by a file without rows, unless the pipeline allows it', async () => {
  await night([1], plots('gone: delete'))
  const stopped = await night([], plots('gone: delete'))
  expect(stopped).toMatchObject({ exit: 6, gone: { deleted: 0 } })
  expect(stopped.error!.message).toContain('1 of 1 records are gone from the file')
  expect(await held()).toEqual(keysOf([1]))
  expect(await run(deleting)).toMatchObject({ exit: 0, gone: { deleted: 1 } })
})

describe('the baseline of "fewer rows"', () => {
  const guarded = plots('rules: { fewer-rows: stop above 20 % }')

  test('counts records: a night that has every row twice does not stop the nights after it', async () => {
    await night(upTo(22), guarded)
    expect(await night([...upTo(22), ...upTo(22)], guarded)).toMatchObject({ exit: 0, rows: { read: 44, skipped: 22 } })
    expect(await night(upTo(22), guarded)).toMatchObject({ exit: 0, rows: { unchanged: 22 } })
    const stopped = await night(upTo(17), guarded)
    expect(stopped.error!.message).toContain('The file has 17 records, 5 fewer than the 22 known before')
  })

  test('ignores rows that are not records', async () => {
    await night(upTo(22), guarded)
    const twice = upTo(11).map((id) => `${id},Paddock ${id}\n${id},Paddock ${id}\n`)
    expect(await balanced(farm.night(`No,Name\n${twice.join('')}`, guarded))).toMatchObject({
      exit: 6,
      rows: { read: 22 },
    })
  })
})

describe('a file of several farms that lacks one of them', () => {
  const byFarm = plots('gone: delete').replace(`id: "${rimu.id}"`, 'id: <Farm>')
  type Part = { readonly id: string; readonly last: number; readonly first?: number }
  const nightOf = (farms: readonly Part[], how: RunOptions = {}): Promise<Report> => {
    const rowsOf = ({ id, last, first }: Part) => upTo(last, first).map((each) => `${each},Paddock ${each},${id}\n`)
    return balanced(farm.night(`No,Name,Farm\n${farms.flatMap(rowsOf).join('')}`, byFarm, how))
  }
  const both = [{ ...rimu, last: 120 }, { ...kowhai, last: 5 }] // oxfmt-ignore

  test.each([false, true])('stops, although few of all records are gone (large: %s)', async (isLarge) => {
    await nightOf(both, { isLarge })
    const stopped = await nightOf(both.slice(0, 1), { isLarge })
    expect(stopped).toMatchObject({ exit: 6, gone: { deleted: 0 } })
    expect(stopped.error!.message).toContain(
      '5 of the 5 records of the farm nz.example.farm-number:00731190 are gone from the file and would be deleted.',
    )
    const allowed = await run(`${byFarm}\nrules: { farm-emptied: allow, deletes: stop above 100 % }`, { isLarge })
    expect(allowed).toMatchObject({ exit: 0, gone: { deleted: 5 } })
  })

  test('stops where a farm has lost most of its records, and not where it has lost some', async () => {
    await nightOf(both)
    expect(await nightOf([both[0]!, { ...kowhai, first: 4, last: 5 }])).toMatchObject({ exit: 6 })
    expect(await nightOf([both[0]!, { ...kowhai, first: 3, last: 5 }])).toMatchObject({ exit: 0, gone: { deleted: 2 } })
  })
})
