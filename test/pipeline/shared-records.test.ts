import { mkdirSync, rmSync, symlinkSync } from 'node:fs'
import { basename, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { openLedger } from '../../src/ledger/ledger.ts'
import { applyPlan, openPlanned, readPlan } from '../../src/pipeline/apply-run.ts'
import { prepareImport } from '../../src/pipeline/prepare/prepare.ts'
import { readRuns } from '../../src/pipeline/report/run-folder.ts'
import { assertBalanced, type Report } from '../../src/pipeline/report/report.ts'
import { collection, keyOf, kowhai, paddock, rimu, startFarm, type Farm } from './farm.ts'

let farm: Farm
beforeEach(async () => {
  farm = await startFarm()
})
afterEach(() => farm.close())

const upTo = (last: number, first = 1) => Array.from({ length: last - first + 1 }, (_, index) => index + first)
const keysOf = (ids: readonly number[]) => ids.map((id) => keyOf('plots', rimu, String(id))).toSorted()
const held = async () => [...(await farm.held('plots')).keys()].toSorted()

/** Runs the pipeline of this name over its own file, as it lies in the folder. */
async function run(name: string, ids: readonly number[], how: Parameters<Farm['run']>[1] = {}): Promise<Report> {
  farm.write(`${name}.csv`, `No,Name\n${ids.map((id) => `${id},Paddock ${id}\n`).join('')}`)
  const yaml = `windrow: 1
import: plots
from: { file: ${basename(name)}.csv }
holding: { scheme: ${rimu.scheme}, id: "${rimu.id}" }
key: <No>
record: { name: <Name> }
gone: delete
rules: { deletes: stop above 100 % }`
  farm.write(`${name}.yaml`, yaml)
  const report = await farm.run(yaml, { name, ...how })
  assertBalanced(report)
  return report
}

test('two pipelines of one name do not take the records of each other for their own', async () => {
  mkdirSync(join(farm.folder, 'hill'))
  await run('paddocks', [1])
  await expect(run('hill/paddocks', [2])).rejects.toMatchObject({ code: 'name-taken', exit: 2 })
  expect(await held()).toEqual(keysOf([1]))
  // A pipeline that was moved is still the same one.
  rmSync(join(farm.folder, 'paddocks.yaml'))
  expect(await run('hill/paddocks', [1, 2])).toMatchObject({ exit: 0, records: { created: 1, unchanged: 1 } })
  symlinkSync(join(farm.folder, 'hill'), join(farm.folder, 'link'), 'junction')
  expect(await run('link/paddocks', [1, 2])).toMatchObject({ exit: 0, records: { unchanged: 2 } })
})

const problemOf = (report: Report, code: string) => report.problems.find((each) => each.code === code)
const loseLedger = (): void => {
  for (const end of ['', '-wal', '-shm']) rmSync(join(farm.folder, '.windrow', `ledger.db${end}`), { force: true })
}

describe('two pipelines that have the same records', () => {
  test('a record that leaves one file is not deleted while the last file of the other has it', async () => {
    await run('north', upTo(20))
    await run('south', upTo(20, 11))
    await run('north', upTo(20))
    const report = await run('north', upTo(12))
    expect(report).toMatchObject({ exit: 0, gone: { gone: 0 } })
    expect(problemOf(report, 'in-other-file')).toMatchObject({ severity: 'warning', count: 1 })
    expect(problemOf(report, 'in-other-file')!.first[0]!.message).toBe(
      '8 records are no longer in this file: "13", "14", "15", "16", "17" and 3 more. The last file of "south" still has them, so they are not deleted and now "south" decides.',
    )
    expect(await held()).toEqual(keysOf(upTo(20)))
    // They are the other's now, which deletes what its own file no longer has.
    expect(problemOf(await run('north', upTo(12)), 'in-other-file')).toBeUndefined()
    expect(await run('south', upTo(18, 11))).toMatchObject({ exit: 0, gone: { gone: 2, deleted: 2 } })
    expect(await held()).toEqual(keysOf(upTo(18)))
  })

  test('a record that leaves both files is deleted', async () => {
    await run('north', upTo(20))
    await run('south', upTo(20, 11))
    await run('north', upTo(15))
    await run('south', upTo(15, 11))
    expect(await held()).toEqual(keysOf(upTo(15)))
    await run('south', [11])
    expect(await held()).toEqual(keysOf(upTo(15)))
    await run('north', upTo(10))
    expect(await held()).toEqual(keysOf(upTo(11)))
  })

  test('a record that leaves one file is named also where the other pipeline published it last', async () => {
    await run('north', upTo(20))
    await run('south', upTo(20, 11))
    const report = await run('north', upTo(19))
    expect(report).toMatchObject({ exit: 0, gone: { gone: 0 } })
    expect(problemOf(report, 'in-other-file')!.first[0]!.message).toBe(
      '1 record is no longer in this file: "20". The last file of "south" still has it, so it is not deleted and now "south" decides.',
    )
    expect(problemOf(await run('north', upTo(19)), 'in-other-file')).toBeUndefined()
    expect(await run('south', upTo(19, 11))).toMatchObject({ gone: { gone: 1, deleted: 1 } })
    expect(await held()).toEqual(keysOf(upTo(19)))
  })

  test('a record that leaves the file is deleted where the pipeline that published it last is gone', async () => {
    await run('north', upTo(20))
    await run('south', upTo(20, 11))
    rmSync(join(farm.folder, 'south.yaml'))
    expect(await run('north', upTo(19))).toMatchObject({ exit: 0, gone: { gone: 1, deleted: 1 } })
    expect(await held()).toEqual(keysOf(upTo(19)))
  })

  test('a record that leaves the file stays where the pipeline that published it last may run on another machine', async () => {
    await run('north', upTo(20))
    await run('south', upTo(20, 11))
    rmSync(join(farm.folder, 'south.yaml'))
    {
      using ledger = openLedger(join(farm.folder, '.windrow', 'ledger.db'), farm.connect().client.account)
      ledger.shared.setFile('south', join(farm.folder, 'of another machine', 'south.yaml'))
    }
    expect(await run('north', upTo(19))).toMatchObject({ exit: 0, gone: { gone: 0 } })
    expect(await held()).toEqual(keysOf(upTo(20)))
  })

  test('the record is not deleted either when the second pipeline ran last and then drops it', async () => {
    await run('north', upTo(20))
    await run('south', upTo(20))
    expect(await run('south', upTo(19))).toMatchObject({ exit: 0, gone: { gone: 0 } })
    expect(await held()).toEqual(keysOf(upTo(20)))
    expect(await run('north', upTo(19))).toMatchObject({ gone: { gone: 1, deleted: 1 } })
  })

  test('a plan that passes records on to the other pipeline can be applied', async () => {
    await run('north', upTo(20))
    await run('south', upTo(20, 11))
    await run('north', upTo(20))
    const planned = await run('north', upTo(12), { dryRun: true })
    expect(problemOf(planned, 'in-other-file')).toBeDefined()
    const around = { clock: () => new Date(), sleep: () => Promise.resolve() }
    const state = join(farm.folder, '.windrow')
    const plan = readPlan(readRuns(state).runs.find(({ id }) => id === planned.run)!)
    const { pipeline, source, close } = await openPlanned(plan, [], {})
    const prepared = await prepareImport(pipeline, { ...around, source })
    const options = { state, connection: farm.connect(), dryRun: false, ...around, confirmWithinMs: 200 }
    expect(await applyPlan(plan, prepared, options)).toMatchObject({ exit: 0, gone: { gone: 0 } })
    await close()
    expect(await run('south', upTo(19, 11))).toMatchObject({ gone: { gone: 1, deleted: 1 } })
    expect(await held()).toEqual(keysOf(upTo(19)))
  })

  test('the report warns when a record changes hands, and only then', async () => {
    await run('north', upTo(20))
    const first = await run('south', upTo(22, 19))
    expect(problemOf(first, 'changed-hands')).toMatchObject({ severity: 'warning', count: 1 })
    expect(problemOf(first, 'changed-hands')!.first[0]!.message).toBe(
      '2 records of this file were last published by "north": "19", "20". From now on "south" publishes them, too.',
    )
    for (const [name, ids] of [
      ['north', upTo(20)],
      ['south', upTo(22, 19)],
      ['north', upTo(20)],
    ] as const)
      expect(problemOf(await run(name, ids), 'changed-hands')).toBeUndefined()
    expect(problemOf(await run('south', upTo(22, 18)), 'changed-hands')!.first[0]!.message).toContain('"18"')
  })

  test('after the ledger was lost, what both had belongs to nobody until one of them runs', async () => {
    await run('north', upTo(20))
    await run('south', upTo(20, 11))
    await run('north', upTo(20))
    loseLedger()
    expect(await run('north', upTo(8))).toMatchObject({ exit: 0, gone: { gone: 2, deleted: 2 } })
    expect(await held()).toEqual(keysOf([...upTo(8), ...upTo(20, 11)]))
  })
})

describe('a pipeline that nobody runs any more', () => {
  test.each([
    ['because its file is gone', () => rmSync(join(farm.folder, 'old.yaml'))],
    ['because it was a one-off import', () => undefined],
  ])('holds nothing back: %s', async (why, remove) => {
    const isOneOff = why.includes('one-off')
    await run('old', upTo(20))
    if (isOneOff) {
      const database = new DatabaseSync(join(farm.folder, '.windrow', 'ledger.db'))
      database.exec('UPDATE pipelines SET file = NULL')
      database.close()
    }
    remove()
    const first = await run('new', upTo(20))
    expect(problemOf(first, 'changed-hands')).toMatchObject({ severity: 'note' })
    expect(await run('new', upTo(15))).toMatchObject({ exit: 0, gone: { gone: 5, deleted: 5 } })
    expect(await held()).toEqual(keysOf(upTo(15)))
  })
})

describe('two machines with one account, each with a ledger of its own, on alternating nights', () => {
  test('make the service right from the second night on', async () => {
    const night = (number: number, ids: readonly number[]) =>
      run('nightly', ids, { state: join(farm.folder, number % 2 === 0 ? 'one' : 'two') })
    const files = [
      upTo(20),
      [...upTo(20), 21],
      [...upTo(19), 21, 22],
      [...upTo(19), 21, 22],
      [...upTo(10), ...upTo(25, 12)],
    ]
    for (const [number, ids] of files.entries()) {
      const report = await night(number, ids)
      expect(report).toMatchObject({ exit: 0, unseen: 0, records: { refused: 0, unsent: 0 } })
      const now = await held()
      // Nothing is lost or doubled, and nothing is deleted that is in the file.
      expect(now).toEqual(expect.arrayContaining(keysOf(ids)))
      expect(new Set(now).size).toBe(now.length)
      const left = now.length - ids.length
      if (left > 0) expect(report.problems.map(({ code }) => code)).toContain('not-in-file')
    }
    // What only one of them had is deleted on its own next night.
    for (const number of [5, 6]) await night(number, files.at(-1)!)
    expect(await held()).toEqual(keysOf(files.at(-1)!))
  })
})

describe('the row of a record that a pipeline deleted', () => {
  const blocks = (block: string) => `windrow: 1
import: plots
from: { file: blocks.csv }
holding: { scheme: ${rimu.scheme}, id: "${rimu.id}" }
key: <No>
record: { name: <Name> }
only: { Block: ${block} }
gone: delete`
  /** Ten paddocks in two blocks, of which the third has this name and block; without a block its row is missing. */
  const night = async (
    block: string,
    third: { readonly id?: number; readonly name?: string; readonly block?: string },
    more = '',
  ): Promise<Report> => {
    const rows = upTo(10).map((id) => [id, `Paddock ${id}`, id <= 5 ? 'N' : 'S'])
    if (third.block === undefined) rows.splice(2, 1)
    else rows[2] = [third.id ?? 3, third.name ?? 'Paddock 3', third.block]
    farm.write('blocks.csv', `No,Name,Block\n${rows.map((row) => `${row.join(',')}\n`).join('')}`)
    farm.write(`${block}.yaml`, blocks(block))
    const report = await farm.run(`${blocks(block)}\n${more}`, { name: block })
    if (report.outcome !== 'stopped') assertBalanced(report)
    return report
  }
  const third = async () => (await farm.held('plots')).get(keysOf([3])[0]!)
  const map = `windrow: 1
import: plots
from: { file: map.geojson }
holding: { scheme: ${rimu.scheme}, id: "${rimu.id}" }
key: <No>
record: { name: <Name> }`
  beforeEach(async () => {
    farm.write('map.geojson', collection(upTo(10).map((id) => paddock(id, { No: String(id), Name: `Paddock ${id}` }))))
    await farm.run(map, { name: 'map' })
    for (const block of ['N', 'S']) await night(block, { block: 'N' })
  })

  test('gets its boundary back in the file of another pipeline, and both say so', async () => {
    const north = await night('N', { block: 'S' })
    expect(north).toMatchObject({ exit: 0, gone: { deleted: 1 } })
    expect(problemOf(north, 'gone-by-filter')!.first[0]!.message).toBe(
      'The record "3" is in the file, but "only" leaves its row out, so "gone: delete" deletes it.',
    )
    expect(await third()).toBeUndefined()
    const south = await night('S', { block: 'S' })
    expect(south).toMatchObject({ exit: 0, records: { created: 1 } })
    expect(problemOf(south, 'record-back')).toMatchObject({ severity: 'warning', count: 1 })
    expect(problemOf(south, 'boundary-absent')).toBeUndefined()
    expect(await third()).toMatchObject({ name: 'Paddock 3', spatialFeature: { geometry: { type: 'Polygon' } } })
    expect(problemOf(await night('S', { block: 'S' }), 'record-back')).toBeUndefined()
  })

  test('gets its boundary back where it was missing for one night', async () => {
    expect(problemOf(await night('N', {}), 'gone-by-filter')).toBeUndefined()
    expect(await third()).toBeUndefined()
    expect(problemOf(await night('N', { block: 'N' }), 'record-back')!.first[0]!.at.row).toBe(4)
    expect(await third()).toMatchObject({ spatialFeature: { geometry: { type: 'Polygon' } } })
  })

  test('is a new record under another name: the id may mean another paddock now', async () => {
    await night('N', {})
    const report = await night('N', { block: 'N', name: 'New road' })
    expect(problemOf(report, 'boundary-absent')).toMatchObject({ count: 1 })
    expect(problemOf(report, 'record-back')).toBeUndefined()
    expect(await third()).not.toHaveProperty('spatialFeature')
  })

  test('under a new id stops the run, which would delete the boundary, and match: name keeps it', async () => {
    const renumbered = { id: 13, block: 'N' }
    const report = await night('N', renumbered)
    expect(report).toMatchObject({ exit: 6, gone: { deleted: 0 } })
    expect(report.error).toMatchObject({
      message: expect.stringContaining(
        '1 of 1 new records seems to be a known record under another id (row 4: "Paddock 3" (13), known as "3", which would be deleted with its boundary), and the known one is not in the file.',
      ) as string,
      hint: expect.stringContaining('match: name') as string,
    })
    const matched = await night('N', renumbered, 'match: name')
    expect(matched).toMatchObject({ exit: 0, records: { created: 0 }, gone: { gone: 0 } })
    expect(await third()).toMatchObject({ spatialFeature: { geometry: { type: 'Polygon' } } })
  })

  test('is said to be in the file where its record is kept', async () => {
    const keeping = blocks('N').replace('gone: delete', 'gone: keep')
    farm.write(
      'blocks.csv',
      'No,Name,Block\n1,Paddock 1,N\n2,Paddock 2,N\n3,Paddock 3,S\n4,Paddock 4,N\n5,Paddock 5,N\n',
    )
    const kept = await farm.run(keeping, { name: 'N' })
    expect(problemOf(kept, 'gone-from-source')!.first[0]!.message).toBe(
      'The record "3" is in the file, but "only" leaves its row out; it is kept in the service.',
    )
  })
})

test.each([
  ['and the same area stops the run', '1.2', 6],
  ['and another area is another paddock', '3.5', 0],
] as const)('a new record of another farm with the name of one that goes %s', async (_, area, exit) => {
  type Listed = readonly [farm: string, no: number, name: string, area: string]
  const both = (file: string): string => `windrow: 1
import: plots
from: { file: ${file} }
holding: { scheme: ${rimu.scheme}, id: <Farm> }
key: <No>
record: { name: <Name>, totalArea: { from: Area, unit: ha } }
gone: delete`
  const rows = [
    ...upTo(9).map((id): Listed => [rimu.id, id, `Flat ${id}`, '1.2']),
    [kowhai.id, 20, 'Top', '4'] as const,
  ]
  const shapes = rows.map(([Farm, No, Name, Area], index) => paddock(index, { Farm, No, Name, Area }))
  farm.write('map.geojson', collection(shapes))
  expect(await farm.run(both('map.geojson'), { name: 'map' })).toMatchObject({ exit: 0, records: { created: 10 } })
  const night = (list: readonly Listed[]): Promise<Report> => {
    farm.write('both.csv', `Farm,No,Name,Area\n${list.map((row) => `${row.join(',')}\n`).join('')}`)
    return farm.run(both('both.csv'), { name: 'both' })
  }
  await night(rows)
  const moved: Listed = [kowhai.id, 21, 'Flat 3', area]
  const report = await night([...rows.filter(([, no]) => no !== 3), moved])
  expect(report.exit).toBe(exit)
  if (exit === 6)
    expect(report.error!.message).toContain('"Flat 3" (21), known as "3" of Rimu Farm, which would be deleted')
})
