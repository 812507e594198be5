import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { assertBalanced, type Report } from '../../src/pipeline/report/report.ts'
import { readRuns } from '../../src/pipeline/report/run-folder.ts'
import { undoRun } from '../../src/pipeline/undo-run.ts'
import { processorMs } from '../processor-time.ts'
import { collection, keyOf, kowhai, rimu, startFarm, type Farm } from './farm.ts'

let farm: Farm
beforeEach(async () => {
  farm = await startFarm()
})
afterEach(() => farm.close())

const yaml = (more = '', file = 'fields.geojson'): string => `windrow: 1
import: plots
from: { file: ${file} }
holding: { scheme: ${rimu.scheme}, id: "${rimu.id}" }
key: <No>
record: { name: <Name> }
${more}`

type Box = readonly [west: number, south: number, east: number, north: number]

/** A rectangle of so many hundredths of a degree; a name other than its id is optional. */
function field(id: string | number, [west, south, east, north]: Box, name = `Field ${id}`): object {
  const ring = [
    [west, south],
    [east, south],
    [east, north],
    [west, north],
    [west, south],
  ].map(([x, y]) => [175.3 + x! / 1e4, -37.8 + y! / 1e4])
  return {
    type: 'Feature',
    properties: { No: String(id), Name: name },
    geometry: { type: 'Polygon', coordinates: [ring] },
  }
}

const row = (from: number, to: number): readonly number[] => Array.from({ length: to - from }, (_, at) => from + at)
const at = (place: number): Box => [place * 20, 0, place * 20 + 10, 10]
const held = async () => [...(await farm.held('plots')).keys()].toSorted()

async function send(features: readonly object[], more = '', how: Parameters<Farm['run']>[1] = {}): Promise<Report> {
  farm.write('fields.geojson', collection(features))
  const report = await farm.run(yaml(more), how)
  if (report.outcome !== 'stopped') assertBalanced(report)
  return report
}

/** The sentences of one code, by the row they belong to. */
const sentences = ({ problems }: Report, code: string): readonly string[] =>
  problems
    .filter((each) => each.code === code)
    .flatMap(({ first }) => first.map(({ at: { row: n }, message }) => `${n}: ${message}`))

describe('a file with the paddocks of several years', () => {
  const year = (id: string, count: number, by = 0): readonly object[] =>
    row(0, count).map((each) => field(`${id}${each}`, [each * 20, 0, each * 20 + 10 + by, 10], `Field ${each}`))

  test('is stopped, also where they were redrawn a little, unless duplicates are allowed', async () => {
    const report = await send([...year('old', 3), ...year('new', 3, 1)])
    expect(report).toMatchObject({ exit: 6, error: { code: 'duplicates-found' }, records: { created: 0 } })
    expect(report.error!.message).toBe(
      'fields.geojson: 6 of 6 new records have the boundary of another row of the file, such as row 0 ("Field 0") and row 3 ("Field 0"). Does it have several years or versions of the same plots? Nothing was sent.',
    )
    const allowed = await send([...year('old', 3), ...year('new', 3, 1)], 'rules: { duplicates: allow }')
    expect(allowed.records.created).toBe(6)
  })

  test.each([
    ['one of three', 1, 3],
    ['two of eight', 2, 8],
  ])('is published with a warning where it has %s twice', async (_, twice, all) => {
    const report = await send([...year('old', all), ...year('new', twice)])
    expect(report).toMatchObject({ exit: 0, records: { created: all + twice } })
    expect(sentences(report, 'boundary-twice')).toHaveLength(twice)
  })
})

describe('the guard', () => {
  test.each([
    ['2 of 40 new ones', 2, 38, 0],
    ['3 of 40 new ones', 3, 37, 6],
    ['1 of 1', 1, 0, 0],
    ['2 of 2', 2, 0, 6],
  ])('lets 5 % and a single one through: %s', async (_, repeated, others, exit) => {
    await send(row(0, 3).map((each) => field(each, at(each))))
    const again = row(0, repeated).map((each) => field(`x${each}`, at(each), `other ${each}`))
    const all = [...again, ...row(100, 100 + others).map((each) => field(each, at(each)))]
    const report = await send(all, 'rules: { replaced: stop above 100 % }')
    expect(report.exit).toBe(exit)
    expect(sentences(report, 'record-repeated')).toHaveLength(repeated)
  })

  test('counts the land of records that are in the file under their own keys', async () => {
    const known = row(0, 5).map((each) => field(each, at(each)))
    await send(known)
    const report = await send([...known, ...row(0, 5).map((each) => field(`x${each}`, at(each), `other ${each}`))])
    expect(report).toMatchObject({ exit: 6, error: { code: 'duplicates-found' } })
  })

  test('does not count their names: the file itself keeps them apart', async () => {
    farm.write('fields.csv', 'No,Name\n1,House paddock\n2,Top\n')
    await farm.run(yaml('', 'fields.csv'))
    farm.write('fields.csv', 'No,Name\n1,House paddock\n2,Top\n3,House paddock\n4,Top\n')
    expect(await farm.run(yaml('', 'fields.csv'))).toMatchObject({ exit: 0, records: { created: 2 } })
  })

  test('takes 80 % of both for the same paddock, and less for another', async () => {
    await send(row(0, 2).map((each) => field(each, at(each))))
    const wider = (by: number) =>
      row(0, 2).map((each) => field(`x${each}`, [each * 20, 0, each * 20 + 10 + by, 10], 'new'))
    expect((await send(wider(2))).exit).toBe(6)
    expect((await send(wider(3), 'rules: { replaced: stop above 100 % }')).exit).toBe(0)
  })

  test('lists a new record that is two known ones', async () => {
    const twins = [field(1, at(0), 'A'), field(2, at(0), 'B'), field(3, at(1), 'C')]
    await send(twins)
    const { error } = await send([field('x', at(0), 'new'), field('y', at(1), 'new')])
    expect(error!.message.split('\n').slice(1)).toEqual([
      '  row 0  "new" (x)  ->  "A" (1), overlap 100 %, or "B" (2), overlap 100 %',
      '  row 1  "new" (y)  ->  "C" (3), overlap 100 %',
    ])
  })

  test('leaves records alone that this run deletes: "replaced" guards those, and names --match too', async () => {
    await send(row(0, 20).map((each) => field(each, at(each))))
    const some = [
      ...row(0, 15).map((each) => field(each, at(each))),
      ...row(15, 20).map((each) => field(`x${each}`, at(each))),
    ]
    expect(await send(some, 'gone: delete\nrules: { deletes: stop above 25 % }', { dryRun: true })).toMatchObject({
      exit: 0,
      records: { created: 5 },
      gone: { deleted: 5 },
    })
    expect(await send(some, 'gone: keep')).toMatchObject({ exit: 6, error: { code: 'duplicates-found' } })
    const all = row(0, 20).map((each) => field(`x${each}`, at(each)))
    const { error } = await send(all, 'gone: delete\nrules: { deletes: stop above 100 % }')
    expect(error).toMatchObject({ code: 'rule-stopped', hint: expect.stringContaining('match: boundary') })
  })

  test('stops a pipeline that takes over the records of another, and keeps them', async () => {
    await send(row(0, 20).map((each) => field(each, at(each))))
    for (const folder of ['ledger.db', 'runs']) rmSync(join(farm.folder, '.windrow', folder), { recursive: true })
    const all = row(0, 20).map((each) => field(`x${each}`, at(each)))
    expect(await send(all, '', { takeOver: true })).toMatchObject({ exit: 6, error: { code: 'duplicates-found' } })
    const matched = await send(all, 'match: boundary\ngone: delete', { takeOver: true })
    expect(matched).toMatchObject({
      exit: 0,
      records: { created: 0, updated: 20 },
      gone: { gone: 0 },
    })
  })

  test('takes time in proportion to the boundaries and names', async () => {
    const spent = async (count: number): Promise<number> => {
      farm.close()
      farm = await startFarm()
      await send(row(0, count).map((each) => field(each, at(each), 'Paddock')))
      const again = row(0, count).map((each) => field(`x${each}`, at(each), 'Paddock'))
      return processorMs(async () => expect((await send(again)).exit).toBe(6))
    }
    await spent(100)
    const few = await spent(500)
    // Four times the boundaries: sixteen times the time if each were compared with each.
    expect((await spent(2000)) / few).toBeLessThan(8)
  })
})

describe('match', () => {
  const known = row(0, 10).map((each) => field(each, at(each)))
  const renamed = row(0, 10).map((each) => field(`x${each}`, at(each), `new ${each}`))
  const keys = row(0, 10).map((each) => keyOf('plots', rimu, String(each)))

  test('keeps the keys, and the records are not gone from the file', async () => {
    await send(known)
    const first = await send(renamed, 'match: boundary\ngone: delete')
    expect(first).toMatchObject({ exit: 0, records: { created: 0, updated: 10 }, gone: { gone: 0 } })
    expect(await held()).toEqual(keys)
    const next = await send(renamed, 'match: boundary\ngone: delete')
    expect(next).toMatchObject({ exit: 0, records: { ready: 0, unchanged: 10 }, gone: { gone: 0 } })
    // One row leaves the file: its record is gone from the file.
    expect(await send(renamed.slice(1), 'gone: delete')).toMatchObject({ exit: 0, gone: { gone: 1, deleted: 1 } })
    expect(await held()).toEqual(keys.slice(1))
  })

  test('a dry run remembers nothing', async () => {
    await send(known)
    await send(renamed, 'match: boundary', { dryRun: true })
    expect(await send(renamed)).toMatchObject({ exit: 6, error: { code: 'duplicates-found' } })
  })

  test('is remembered when the ledger is lost', async () => {
    await send(known)
    await send(renamed, 'match: boundary')
    rmSync(join(farm.folder, '.windrow', 'ledger.db'))
    const far = [field('x0', [0, 500, 10, 510], 'new 0'), ...renamed.slice(1)]
    expect(await send(far)).toMatchObject({ exit: 0, records: { created: 0, updated: 1, unchanged: 9 } })
    expect(await held()).toEqual(keys)
  })

  test('is remembered by source, or else by pipeline: the same id may be another paddock elsewhere', async () => {
    await send(known)
    await send(renamed, 'match: boundary')
    expect(await send(renamed, '', { name: 'other' })).toMatchObject({ exit: 6 })
    const source = 'source: { scheme: nz.example.gis }'
    await send(renamed, `match: boundary\n${source}`, { name: 'third' })
    expect(await send(renamed, source, { name: 'fourth' })).toMatchObject({ exit: 0, records: { created: 0 } })
  })

  test('continues after a run that was interrupted while sending', async () => {
    await send(known)
    farm.write('fields.geojson', collection(renamed))
    const fetch: typeof globalThis.fetch = async (input, init) => {
      const request = new Request(input, init)
      if (request.method === 'POST' && request.url.endsWith('/resources')) throw new TypeError('fetch failed')
      return farm.direct(request)
    }
    const killed = await farm.run(yaml('match: boundary'), { fetch })
    expect(killed.exit).toBe(4)
    farm.leaveAsKilled(killed)
    expect(await farm.run(yaml('match: boundary'))).toMatchObject({ exit: 0, records: { updated: 10, created: 0 } })
    expect(await held()).toEqual(keys)
  })

  test('rejects what was split, merged or redrawn, and deletes nothing while it is not clear', async () => {
    const before = [
      field(1, [0, 0, 10, 10], 'split'),
      field(2, [20, 0, 30, 10], 'merged a'),
      field(3, [30, 0, 40, 10], 'merged b'),
      field(4, [60, 0, 70, 10], 'same'),
      field(5, [80, 0, 90, 10], 'twice'),
    ]
    await send(before)
    const after = [
      field('a', [0, 0, 5, 10], 'west'),
      field('b', [5, 0, 10, 10], 'east'),
      field('c', [20, 0, 40, 10], 'both'),
      field('d', [60, 0, 70, 10], 'kept'),
      field('e', [80, 0, 90, 10], 'one'),
      field('f', [80, 0, 90, 10.5], 'other'),
      field('g', [200, 0, 210, 10], 'really new'),
    ]
    const report = await send(
      after,
      'match: boundary\ngone: delete\nrules: { deletes: stop above 100 %, replaced: stop above 100 % }',
    )
    expect(sentences(report, 'match-unclear')).toEqual([
      '0: This row shares land with "split" (1), overlap 50 %: was the paddock split, merged or redrawn?',
      '1: This row shares land with "split" (1), overlap 50 %: was the paddock split, merged or redrawn?',
      '2: This row shares land with "merged a" (2), overlap 50 %, and with "merged b" (3), overlap 50 %: was the paddock split, merged or redrawn?',
      '4: The rows 4, 5 could all be "twice" (5).',
      '5: The rows 4, 5 could all be "twice" (5).',
    ])
    expect(report).toMatchObject({
      exit: 3,
      rows: { rejected: 5 },
      records: { created: 1, updated: 1 },
      gone: { gone: 4, deleted: 0, kept: 4 },
    })
    expect((await held()).length).toBe(6)
  })

  test('takes a piece for new where the rest of the paddock is clear', async () => {
    await send([field(1, [0, 0, 100, 10])])
    const report = await send(
      [field('a', [0, 0, 85, 10], 'rest'), field('b', [85, 0, 100, 10], 'piece')],
      'match: boundary',
    )
    expect(report).toMatchObject({ exit: 0, records: { created: 1, updated: 1 } })
  })

  test('by name does not join paddocks that lie apart', async () => {
    const { areaM2 } = await send([field(1, at(0), 'House paddock'), field(2, at(1), 'Top')])
    const report = await send([field('a', at(9), 'House paddock'), field('b', at(1), 'tōp ')], 'match: name')
    expect(report).toMatchObject({ exit: 3, records: { created: 0, updated: 1 }, rows: { rejected: 1 } })
    expect(report.areaM2).toBeCloseTo(areaM2 / 2, 3)
    expect(sentences(report, 'match-unclear')).toEqual([
      '0: This row has the name of "House paddock" (1), but lies elsewhere.',
    ])
    const both = [field('a', at(9), 'House paddock'), field('c', at(0), 'House paddock'), field('b', at(1), 'Top')]
    expect(await send(both, 'match: name')).toMatchObject({
      exit: 0,
      records: { created: 1, updated: 1, unchanged: 1 },
    })
  })

  test('still guards what it does not match', async () => {
    await send(known)
    const elsewhere = row(0, 10).map((each) => field(`x${each}`, at(each), `new ${each}`))
    expect(await send(elsewhere, 'match: name')).toMatchObject({ exit: 6, error: { code: 'duplicates-found' } })
  })

  test('counts each row once in the report, though the file was staged twice', async () => {
    await send(known)
    const report = await send(renamed, 'match: boundary')
    const once = await send(renamed, 'match: boundary')
    expect(report.rows).toMatchObject({ read: 10, ready: 10 })
    expect(report.areaM2).toBeCloseTo(once.areaM2)
    expect(report.problems.find(({ code }) => code === 'record-matched')).toMatchObject({ count: 10 })
  })
})

describe('boundaries of another farm of the account', () => {
  const other = (more = ''): string => yaml(more).replaceAll(rimu.id, kowhai.id)
  const fields = (from: number, to: number, prefix: string): readonly object[] =>
    row(from, to).map((each) => field(`${prefix}${each}`, at(each), `${prefix} ${each}`))

  test.each([
    ['a farm without paddocks', 0],
    ['a farm with paddocks of its own', 3],
  ])('stop an import into %s', async (_, own) => {
    if (own > 0) {
      farm.write('fields.geojson', collection(fields(50, 50 + own, 'own')))
      expect((await farm.run(yaml(), { name: 'own' })).exit).toBe(0)
    }
    farm.write('fields.geojson', collection(fields(0, 12, 'K')))
    expect((await farm.run(other(), { name: 'kowhai' })).exit).toBe(0)
    farm.write('fields.geojson', collection([...fields(0, 12, 'R'), ...fields(20, 23, 'R')]))
    const report = await farm.run(yaml(), { name: 'wrong' })
    expect(report).toMatchObject({ exit: 6, error: { code: 'duplicates-found' }, records: { created: 0 } })
    expect(report.error!.message).toContain(
      '12 of 15 new records have boundaries that belong to Kōwhai Station already; you named Rimu Farm. Nothing was sent.',
    )
    const allowed = await farm.run(yaml('rules: { duplicates: allow }'), { name: 'wrong' })
    expect(allowed).toMatchObject({ exit: 0, records: { created: 15 } })
  })

  test('stop a file of several farms that has the paddocks of one a second time, for another', async () => {
    const yamlByFarm = yaml().replace(`id: "${rimu.id}"`, 'id: <Farm>')
    const of = ({ id }: { readonly id: string }, from: number, to: number): readonly object[] =>
      (fields(from, to, 'P') as readonly { readonly properties: object }[]).map((each) => ({
        ...each,
        properties: { ...each.properties, Farm: id },
      }))
    const file = [...of(rimu, 0, 20), ...of(kowhai, 20, 24)]
    farm.write('fields.geojson', collection(file))
    expect((await farm.run(yamlByFarm)).records.created).toBe(24)
    farm.write('fields.geojson', collection([...file, ...of(rimu, 20, 24)]))
    const report = await farm.run(yamlByFarm)
    expect(report).toMatchObject({ exit: 6, error: { code: 'duplicates-found' }, records: { created: 0 } })
    expect(report.error!.message).toContain(
      '4 of 4 new records have boundaries that belong to Kōwhai Station already; the file has them for Rimu Farm.',
    )
  })

  test('one on the land of another farm is let through', async () => {
    farm.write('fields.geojson', collection(fields(0, 1, 'K')))
    await farm.run(other(), { name: 'kowhai' })
    farm.write('fields.geojson', collection(fields(0, 5, 'R')))
    expect((await farm.run(yaml(), { name: 'right' })).records.created).toBe(5)
  })
})

describe('a file of several farms that has the records of one under the number of another', () => {
  const yamlByFarm = (more = ''): string => `windrow: 1
import: plots
from: { file: farms.csv }
holding: { scheme: ${rimu.scheme}, id: <Farm> }
key: <No>
record: { name: <Name> }
${more}`
  const write = (farmOfLast: string, name = 'Creek'): void => {
    const rows = row(0, 34).map((each) =>
      each < 30 ? `${rimu.id},${each},Field ${each}` : `${farmOfLast},${each},${name} ${each}`,
    )
    farm.write('farms.csv', `Farm,No,Name\n${rows.join('\n')}\n`)
  }

  test('stops before they are in the service for both', async () => {
    write(kowhai.id)
    expect((await farm.run(yamlByFarm())).records.created).toBe(34)
    write(rimu.id)
    const stopped = await farm.run(yamlByFarm())
    expect(stopped).toMatchObject({ exit: 6, error: { code: 'duplicates-found' }, records: { created: 0 } })
    expect(stopped.error!.message).toContain(
      '4 of 4 new records of Rimu Farm are in the service already for Kōwhai Station, with the same ids and names: "Creek 30" (30).',
    )
    expect(await farm.run(yamlByFarm('rules: { duplicates: allow }'))).toMatchObject({ exit: 0 })
  })

  test('differs from a farm that gets paddocks with numbers of another', async () => {
    write(kowhai.id)
    await farm.run(yamlByFarm())
    write(rimu.id, 'Hill')
    expect(await farm.run(yamlByFarm())).toMatchObject({ exit: 0, records: { created: 4 } })
  })

  describe('where another farm has left the file before', () => {
    const night = (...farms: readonly (readonly [id: string, name: string])[]): Promise<Report> => {
      const rows = farms.flatMap(([id, name]) => row(1, 11).map((each) => `${id},${each},${name} ${each}`))
      farm.write('farms.csv', `Farm,No,Name\n${rows.join('\n')}\n`)
      return farm.run(yamlByFarm('rules: { fewer-rows: stop above 90 %, replaced: stop above 100 % }'))
    }

    const third = '00555001'
    beforeEach(async () => {
      farm.write('third.csv', `FARM_NO,NAME\n${third},Nikau Flats\n`)
      const holdings = yamlByFarm().replace('import: plots', 'import: holdings').replaceAll('<Farm>', '<FARM_NO>')
      const text = holdings.replace('farms.csv', 'third.csv').replace('<No>', '<FARM_NO>').replace('<Name>', '<NAME>')
      expect((await farm.run(text, { name: 'third' })).records.created).toBe(1)
    })

    test('stops, although the paddocks of both farms have the same numbers', async () => {
      await night([rimu.id, 'River'], [kowhai.id, 'Hill'])
      expect(await night([rimu.id, 'River'])).toMatchObject({ exit: 0, gone: { gone: 10, kept: 10 } })
      await night([rimu.id, 'River'])
      const report = await night([third, 'River'])
      expect(report).toMatchObject({ exit: 6, error: { code: 'duplicates-found' }, records: { created: 0 } })
      expect(report.error!.message).toContain(
        '10 of 10 new records of Nikau Flats are in the service already for Rimu Farm',
      )
      // A run that was stopped is not the last good one.
      expect(await night([third, 'River'])).toMatchObject({ exit: 6 })
    })

    test('lets a new farm have paddocks of the same numbers and names as the one that left', async () => {
      await night([rimu.id, 'Paddock'], [kowhai.id, 'Hill'])
      await night([kowhai.id, 'Hill'])
      for (const created of [10, 0])
        expect(await night([kowhai.id, 'Hill'], [third, 'Paddock'])).toMatchObject({ exit: 0, records: { created } })
    })

    test('stops where the night without the other farm was undone', async () => {
      await night([rimu.id, 'Paddock'], [kowhai.id, 'Hill'])
      await night([kowhai.id, 'Hill 2'])
      const state = join(farm.folder, '.windrow')
      await undoRun(readRuns(state).runs.at(-1)!, {
        state,
        connection: farm.connect(),
        dryRun: false,
        clock: () => new Date(),
        sleep: () => Promise.resolve(),
        confirmWithinMs: 200,
      })
      const report = await night([kowhai.id, 'Hill'], [third, 'Paddock'])
      expect(report).toMatchObject({ exit: 6, error: { code: 'duplicates-found' } })
    })
  })
})
