import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { assertBalanced, type Report } from '../../src/pipeline/report/report.ts'
import { readRuns } from '../../src/pipeline/report/run-folder.ts'
import { undoRun } from '../../src/pipeline/undo-run.ts'
import { processorMs } from '../processor-time.ts'
import { collection, keyOf, kowhai, pipeline, rimu, startFarm, table, type Farm } from './farm.ts'

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

/** Expects that this rule, perhaps beside others, stopped a run before it sent anything, and returns what they said. */
function stoppedBy(report: Report, rule: string): string {
  expect(report).toMatchObject({ exit: 6, error: { code: 'rule-stopped' }, records: { created: 0 } })
  expect(report.problems.filter(({ severity }) => severity === 'stop').map(({ code }) => code)).toContain(rule)
  return report.error!.message
}

describe('a file with the paddocks of several years', () => {
  const year = (id: string, count: number, by = 0): readonly object[] =>
    row(0, count).map((each) => field(`${id}${each}`, [each * 20, 0, each * 20 + 10 + by, 10], `Field ${each}`))

  test('is stopped, also where they were redrawn a little, unless the pipeline allows versions', async () => {
    const file = [...year('old', 3), ...year('new', 3, 1)]
    expect(stoppedBy(await send(file), 'versions')).toContain(
      '6 of 6 new records have the boundary of another row of the file, such as row 0 ("Field 0") and row 3 ("Field 0"). Does it have several years or versions of the same plots?',
    )
    const allowed = await send(file, 'rules: { versions: allow }')
    expect(allowed.records.created).toBe(6)
  })
})

describe('new records that are in the service under other keys', () => {
  test('stop the run, unless the pipeline allows duplicates, and then have a warning each', async () => {
    await send([field(1, at(0), 'A'), field(2, at(0), 'B'), field(3, at(1), 'C')], 'rules: { versions: allow }')
    const file = [field('x', at(0), 'new'), field('y', at(1), 'new')]
    const stopped = await send(file)
    expect(stoppedBy(stopped, 'duplicates')).toContain(
      '2 of 2 new records are in the service already, under other keys: row 0, "new" (x), is "A" (1), overlap 100 %, or "B" (2), overlap 100 %; row 1, "new" (y), is "C" (3), overlap 100 %.',
    )
    expect(stopped.error!.hint).toContain('match: boundary  or  match: <COLUMN>=identifier')
    const allowed = await send(file, 'rules: { duplicates: allow, replaced: stop above 100 % }')
    expect(allowed).toMatchObject({ exit: 0, records: { created: 2 } })
    expect(sentences(allowed, 'record-repeated')).toHaveLength(2)
  })

  test('are none where this run deletes those: "replaced" guards them, and names match: too', async () => {
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
    stoppedBy(await send(some, 'gone: keep'), 'duplicates')
    const all = row(0, 20).map((each) => field(`x${each}`, at(each)))
    const { error } = await send(all, 'gone: delete\nrules: { deletes: stop above 100 % }')
    expect(error).toMatchObject({ code: 'rule-stopped', hint: expect.stringContaining('match: boundary') })
  })

  test('stop a pipeline that takes over the records of another, and match: keeps them', async () => {
    await send(row(0, 20).map((each) => field(each, at(each))))
    for (const folder of ['ledger.db', 'runs']) rmSync(join(farm.folder, '.windrow', folder), { recursive: true })
    const all = row(0, 20).map((each) => field(`x${each}`, at(each)))
    stoppedBy(await send(all, '', { takeOver: true }), 'duplicates')
    const matched = await send(all, 'match: boundary\ngone: delete', { takeOver: true })
    expect(matched).toMatchObject({
      exit: 0,
      records: { created: 0, updated: 20 },
      gone: { gone: 0 },
    })
  })

  test('are found in time in proportion to the boundaries and names', async () => {
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

  test('keeps the keys, counts each row once, and the records are not gone from the file', async () => {
    await send(known)
    const first = await send(renamed, 'match: boundary\ngone: delete')
    expect(first).toMatchObject({ exit: 0, records: { created: 0, updated: 10 }, gone: { gone: 0 } })
    expect(first.rows).toMatchObject({ read: 10, ready: 10 })
    expect(sentences(first, 'record-matched')).toHaveLength(10)
    expect(await held()).toEqual(keys)
    const next = await send(renamed, 'match: boundary\ngone: delete')
    expect(next).toMatchObject({ exit: 0, records: { ready: 0, unchanged: 10 }, gone: { gone: 0 } })
    expect(next.areaM2).toBeCloseTo(first.areaM2)
    // One row leaves the file: its record is gone from the file.
    expect(await send(renamed.slice(1), 'gone: delete')).toMatchObject({ exit: 0, gone: { gone: 1, deleted: 1 } })
    expect(await held()).toEqual(keys.slice(1))
  })

  test('a dry run remembers nothing', async () => {
    await send(known)
    await send(renamed, 'match: boundary', { dryRun: true })
    stoppedBy(await send(renamed), 'duplicates')
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

  test('by name does not join paddocks that lie apart', async () => {
    const { areaM2 } = await send([field(1, at(0), 'House paddock'), field(2, at(1), 'Top')])
    const report = await send([field('a', at(9), 'House paddock'), field('b', at(1), 'tōp ')], 'match: name')
    expect(report).toMatchObject({ exit: 3, records: { created: 0, updated: 1 }, rows: { rejected: 1 } })
    expect(report.areaM2).toBeCloseTo(areaM2 / 2, 3)
    expect(sentences(report, 'match-unclear')).toEqual([
      '0: This row has the name of "House paddock" (1), but lies elsewhere.',
    ])
  })
})

describe('boundaries of another farm of the account', () => {
  const other = (more = ''): string => yaml(more).replaceAll(rimu.id, kowhai.id)
  const fields = (from: number, to: number, prefix: string): readonly object[] =>
    row(from, to).map((each) => field(`${prefix}${each}`, at(each), `${prefix} ${each}`))

  test('stop an import, unless the pipeline allows duplicates', async () => {
    farm.write('fields.geojson', collection(fields(0, 12, 'K')))
    expect((await farm.run(other(), { name: 'kowhai' })).exit).toBe(0)
    farm.write('fields.geojson', collection([...fields(0, 12, 'R'), ...fields(20, 23, 'R')]))
    const message = stoppedBy(await farm.run(yaml(), { name: 'wrong' }), 'duplicates')
    expect(message).toContain(
      '12 of 15 new records are in the service already, for Kōwhai Station: row 0, "R 0" (R0), is "K0", ',
    )
    expect(message).toContain('The file has them for Rimu Farm.')
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
    expect(stoppedBy(await farm.run(yamlByFarm), 'duplicates')).toContain(
      '4 of 4 new records are in the service already, for Kōwhai Station: ',
    )
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
  const write = (farmOfLast: string): void => {
    const rows = row(0, 34).map((each) =>
      each < 30 ? `${rimu.id},${each},Field ${each}` : `${farmOfLast},${each},Creek ${each}`,
    )
    farm.write('farms.csv', `Farm,No,Name\n${rows.join('\n')}\n`)
  }

  test('stops before they are in the service for both', async () => {
    write(kowhai.id)
    expect((await farm.run(yamlByFarm())).records.created).toBe(34)
    write(rimu.id)
    const message = stoppedBy(await farm.run(yamlByFarm()), 'duplicates')
    expect(message).toContain(
      '4 of 4 new records are in the service already, for Kōwhai Station: row 32, "Creek 30" (30), is "Creek 30" (30), same id and name; ',
    )
    expect(message).toContain('The file has them for Rimu Farm.')
    expect(await farm.run(yamlByFarm('rules: { duplicates: allow }'))).toMatchObject({ exit: 0 })
  })

  describe('where another farm has left the file before', () => {
    const night = (...farms: readonly (readonly [id: string, name: string])[]): Promise<Report> => {
      const rows = farms.flatMap(([id, name]) => row(1, 11).map((each) => `${id},${each},${name} ${each}`))
      farm.write('farms.csv', `Farm,No,Name\n${rows.join('\n')}\n`)
      return farm.run(
        yamlByFarm('rules: { values-changed: allow, fewer-rows: stop above 90 %, replaced: stop above 100 % }'),
      )
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
      expect(stoppedBy(await night([third, 'River']), 'duplicates')).toContain(
        '10 of 10 new records are in the service already, for Rimu Farm: ',
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
      stoppedBy(await night([kowhai.id, 'Hill'], [third, 'Paddock']), 'duplicates')
    })
  })
})

describe('ids in another spelling', () => {
  const night = (rows: string, more = ''): Promise<Report> => farm.night(table(`No|Name; ${rows}`), pipeline({}, more))
  const known = '001|Top; 002|Low; 003|Hill'
  const replaced = 'rules: { replaced: stop above 100 % }'

  test('stop the run where most new records have them, unless the pipeline allows it', async () => {
    await night(known)
    const report = await night('1|The top; 2|The flat; 003|Hill')
    expect(stoppedBy(report, 'records-renumbered')).toContain(
      '2 of 2 new records seem to be known records under other ids (row 2: "The top" (1), known as "001"), and the known ones are not in the file.',
    )
    const allowed = await night(
      '1|The top; 2|The flat; 003|Hill',
      'rules: { records-renumbered: allow, replaced: stop above 100 % }',
    )
    expect(allowed).toMatchObject({ exit: 0, records: { created: 2 } })
    expect(sentences(allowed, 'record-repeated')).toHaveLength(2)
  })

  test('stop the run for a single known record that would be deleted with what it has', async () => {
    await night(known)
    const report = await night(
      "001|Top; '002|Flat; 003|Hill; 4|New; 5|Road",
      'gone: delete\nrules: { deletes: stop above 50 % }',
    )
    expect(stoppedBy(report, 'records-renumbered')).toContain(
      '(row 3: "Flat" (\'002), known as "002", which would be deleted with what it has)',
    )
  })

  test('reject a row with the name of the known record, unless the pipeline allows it', async () => {
    await night(known)
    const report = await night('001|Top; 003|Hill; 4|New; 2|Low')
    expect(report).toMatchObject({ exit: 3, records: { created: 1 }, rows: { rejected: 1 } })
    expect(report.problems.filter(({ severity }) => severity === 'error')).toMatchObject([
      { code: 'id-respelt', first: [{ value: '2', at: { row: 5 }, hint: expect.stringContaining('Write "002"') }] },
    ])
    const allowed = await night(
      '001|Top; 003|Hill; 4|New; 2|Low',
      'rules: { id-respelt: allow, replaced: stop above 100 % }',
    )
    expect(allowed).toMatchObject({ exit: 0, records: { created: 1 } })
    expect(sentences(allowed, 'record-repeated')).toHaveLength(1)
  })

  test('are recognised as programs make them', async () => {
    const spelt =
      "001 1,002 002.0,003 0\u200b03,004 '004,005 #005,006 006”,1-3 1-Mar,Kōwhai K?whai,Rātā Rata,Tōtara T&#333;tara,Rōto RÅ\u008dto,Öd ™d,Öl …l"
    const ids = spelt.split(',').map((each) => each.split(' ') as [string, string])
    await night(ids.map(([id], at) => `${id}|Field ${at}`).join('; '))
    const others = row(100, 120).map((each) => `${each}|Field ${each}`)
    const respelt = ids.map(([, id], at) => `${id}|Field ${at}`)
    const report = await night([...respelt, ...others].join('; '), replaced)
    expect(report).toMatchObject({ rows: { rejected: ids.length }, records: { created: 20 } })
    expect(sentences(report, 'id-respelt')).toHaveLength(ids.length)
  })

  test('are those of other records where both are in the file', async () => {
    await night(known)
    expect(await night(`${known}; 2|Low; 3|Hill`)).toMatchObject({ exit: 0, records: { created: 2 } })
  })

  test('of farms reject their row, or stop the run', async () => {
    const lines = { import: 'holdings', key: '<No>', holding: `{ scheme: ${rimu.scheme}, id: <No> }` }
    const farms = (rows: string): Promise<Report> =>
      farm.night(table(`No|Name; ${rows}`), pipeline(lines), { name: 'farms' })
    await farms('00412876|Rimu Farm; 00731190|Kowhai Farm; 00500001|Tawa')
    const report = await farms('00412876|Rimu Farm; 731190|Kowhai Farm; 00500001|Tawa; 00500002|Matai')
    expect(report).toMatchObject({ exit: 3, rows: { rejected: 1 }, records: { created: 1 } })
    expect(sentences(report, 'id-respelt')).toHaveLength(1)
    stoppedBy(await farms('412876|Rimu Farm; 731190|Kowhai Farm; 500001|Tawa'), 'records-renumbered')
  })
})
