import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { changesDocument } from '../../src/pipeline/report/changes.ts'
import { assertBalanced, type Report } from '../../src/pipeline/report/report.ts'
import { openStage, type Stage } from '../../src/pipeline/stage/stage-store.ts'
import { chanceFrom, type Chance } from '../../tools/seeded.ts'
import { runs } from '../runs.ts'
import { anyChange, collection, keyOf, paddock, rimu, startFarm, type Farm } from './farm.ts'

let farm: Farm
beforeEach(async () => {
  farm = await startFarm()
})
afterEach(() => farm.close())

const yaml = (more = '', file = 'nightly.csv') => `windrow: 1
import: plots
from: { file: ${file} }
holding: { scheme: ${rimu.scheme}, id: "${rimu.id}" }
key: <No>
record:
  name: <Name>
  totalArea: { from: Area, unit: ha }
${more}`

type Rows = Readonly<Record<string, string>>
const write = (rows: Rows, last = ''): string =>
  farm.write(
    'nightly.csv',
    `No,Name,Area,Remark\n${Object.entries(rows)
      .map(([no, rest]) => `${no},${rest}\n`)
      .join('')}${last}`,
  )
const night = async (more?: string): Promise<Report> => {
  const report = await farm.run(yaml(more), { isLarge: true })
  if (report.outcome === 'done') assertBalanced(report)
  return report
}
const key = (no: string): string => keyOf('plots', rimu, no)

function stageOf<T>({ run }: Report, work: (stage: Stage) => T): T {
  const stage = openStage(join(farm.folder, '.windrow', 'runs', run))
  try {
    return work(stage)
  } finally {
    stage.close()
  }
}
const sameIn = (report: Report): number => stageOf(report, (stage) => stage.countSameRows())

const three: Rows = { A: 'Kānuka,1.5,x', B: 'Top,2,y', C: 'Low,3.25,z' }

describe('a row that is the same as before', () => {
  beforeEach(async () => {
    write(three)
    expect(await night()).toMatchObject({ outcome: 'done', records: { created: 3 } })
  })

  test('needs no work, and is unchanged in the report and in the list of changes', async () => {
    write({ ...three, B: 'Top,2.5,y' })
    const report = await night()
    expect(report).toMatchObject({
      rows: { read: 3, ready: 1, unchanged: 2 },
      records: { updated: 1, unchanged: 2 },
    })
    expect(sameIn(report)).toBe(2)
    const document = JSON.parse(stageOf(report, (stage) => [...changesDocument(report, stage)].join('')))
    expect(document).toMatchObject({
      counts: { updated: 1, unchanged: 2 },
      changes: [{ key: key('B') }, { kind: 'unchanged', key: key('A'), id: 'A' }, { kind: 'unchanged', key: key('C') }],
    })
    expect(sameIn(await night())).toBe(3)
  })

  test('is found in another place, in a file of another name, and beside a changed column that is not mapped', async () => {
    write({ C: three['C']!, A: 'Kānuka,1.5,another remark' })
    expect(sameIn(await night())).toBe(2)
    farm.write('tomorrow.csv', farm.read(join(farm.folder, 'nightly.csv')))
    expect(sameIn(await farm.run(yaml('', 'tomorrow.csv'), { isLarge: true }))).toBe(2)
  })

  test('is worked on if the pipeline changed', async () => {
    expect(sameIn(await night('blank: clear'))).toBe(0)
    expect(sameIn(await night('blank: clear'))).toBe(3)
  })

  test('is worked on if somebody else changed the record or deleted it', async () => {
    const { client } = farm.connect()
    const { updates } = await client.dataset('plots')
    const changed = (no: string, meta: object, more = {}) => ({
      ...theirs.get(key(no))!,
      ...more,
      meta: { ...(theirs.get(key(no))!['meta'] as object), ...meta, modified: new Date().toISOString() },
    })
    const theirs = await farm.held('plots')
    await client.publish(updates!, [
      JSON.stringify(changed('A', {}, { name: 'Renamed' })),
      JSON.stringify(changed('B', { isDeleted: true })),
    ])
    const report = await night()
    expect(report).toMatchObject({ records: { created: 1, updated: 1, unchanged: 1 } })
    expect(sameIn(report)).toBe(1)
    expect([...(await farm.held('plots')).values()].map(({ name }) => String(name)).toSorted()).toEqual([
      'Kānuka',
      'Low',
      'Top',
    ])
  })

  test('is sent again if another version of it may have arrived', async () => {
    write({ ...three, A: 'Kānuka,9,x' })
    const cut: typeof fetch = async (input, init) => {
      const request = new Request(input, init)
      const answer = await farm.direct(request)
      if (request.method === 'POST' && request.url.endsWith('/resources')) throw new TypeError('cut')
      return answer
    }
    const report = await farm.run(yaml(), { isLarge: true, fetch: cut as typeof globalThis.fetch })
    expect([report.outcome, report.exit]).toEqual(['stopped', 4])
    rmSync(join(farm.folder, '.windrow', 'runs', report.run), { recursive: true })
    write(three)
    const after = await night()
    expect(sameIn(after)).toBe(2)
    expect((await farm.held('plots')).get(key('A'))).toMatchObject({ totalArea: { measurement: 1.5 } })
  })

  test('and another row of its record are both rejected', async () => {
    write(three, 'B,Other,7,q\n')
    const report = await night()
    expect(report).toMatchObject({ rows: { read: 4, unchanged: 2, rejected: 2 } })
    expect(report.problems.map(({ code }) => code)).toContain('key-repeated')
    write(three, `B,${three['B']}\n`)
    expect(await night()).toMatchObject({ rows: { read: 4, unchanged: 3, skipped: 1 } })
  })

  test('keeps its record from being deleted, and only the others are gone', async () => {
    const rest = { A: three['A']!, C: three['C']! }
    write(rest)
    const report = await night('gone: delete\nrules: { deletes: stop above 100 % }')
    expect(report).toMatchObject({ gone: { gone: 1, deleted: 1 } })
    expect([...(await farm.held('plots')).keys()].toSorted()).toEqual([key('A'), key('C')])
    // The pipeline was changed for the deletion: from the next night on it is the same again.
    const after = await night('gone: delete\nrules: { deletes: stop above 100 % }')
    expect([sameIn(after), after.gone.gone]).toEqual([2, 0])
  })

  test('does not hide that the changed rows have other dates: all rows are counted', async () => {
    const dated = (date: string) =>
      `record: { name: <Name>, crops: [{ name: <Name>, establishmentDate: { from: Area, date: d/M/yyyy, zone: Pacific/Auckland } }] }\n# ${date}`
    const own = yaml().replace(/record:[^]*/, dated('day first'))
    const rows = (dates: readonly string[]) =>
      write(Object.fromEntries(dates.map((date, index) => [`R${index}`, `Name ${index},${date},x`])))
    const before = ['13/2/2026', '14/2/2026', '15/2/2026', '16/2/2026', '17/2/2026']
    rows(before)
    await farm.run(own, { name: 'dated', isLarge: true })
    rows([...before.slice(0, 3), '2/16/2026', '2/17/2026'])
    const report = await farm.run(own, { name: 'dated', isLarge: true })
    // Of the changed rows alone, both would speak for another pattern; of all rows, most do not.
    expect(report).toMatchObject({ rows: { read: 5, rejected: 2, unchanged: 3 } })
    expect(report.error).toBeUndefined()
    expect(sameIn(report)).toBe(0)
  })

  test('still belongs to its pipeline when the ledger is lost', async () => {
    await night()
    for (const name of ['ledger.db', 'ledger.db-wal', 'ledger.db-shm'])
      rmSync(join(farm.folder, '.windrow', name), { force: true })
    write({ A: three['A']!, B: three['B']! })
    const more = 'gone: delete\nrules: { deletes: stop above 100 % }'
    expect(await night(more)).toMatchObject({ gone: { gone: 1, deleted: 1 } })
  })
})

test('of a large file the rows between those that the report shows are recognised', async () => {
  // A tenth of the limit is quicker.
  const pictured = { listed: 1_000, drawn: 1_000 }
  const names = (changed: string) =>
    write(
      Object.fromEntries(
        Array.from({ length: 1_040 }, (_, row) => [`R${row}`, `${row % 10 === 0 ? changed : 'Top'},1,x`]),
      ),
    )
  names('Top')
  const first = await farm.run(yaml(), { pictured })
  names('Low')
  const second = await farm.run(yaml(), { pictured })
  // Every second row is worked on, and of the others those that changed.
  expect([sameIn(first), sameIn(second)]).toEqual([0, 416])
  expect(second).toMatchObject({ outcome: 'done', records: { created: 0, updated: 104, unchanged: 936 } })
})

test('of a large map all rows between those that the report shows are recognised', async () => {
  // A tenth of the limits is quicker.
  const pictured = { listed: 1_000, drawn: 150 }
  const paddocks = Array.from({ length: 1_040 }, (_, index) => paddock(index, { ID: `P${index}`, NAME: 'Top' }))
  farm.write('map.geojson', collection(paddocks))
  await farm.run(mapped, { pictured })
  // A reader of GeoJSON cannot say how many rows there are, so the first run did not know that the file is large.
  // The report shows every seventh row.
  expect(sameIn(await farm.run(mapped, { pictured }))).toBe(1_040 - 148)
})

/** The nights of a file that loses, gets, changes, moves and repeats rows. */
function changeSome(rows: Map<string, { name: string; far: number }>, chance: Chance): string[] {
  for (let times = chance.whole(0, 4); times > 0; times -= 1) {
    const no = `P${chance.whole(1, 14)}`
    const what = chance.pick(['set', 'set', 'move', 'remove'] as const)
    if (what === 'remove' && rows.size > 4) rows.delete(no)
    else if (what === 'move') rows.set(no, { name: rows.get(no)?.name ?? 'New', far: chance.pick([0, 0.0004, 0.0012]) })
    else rows.set(no, { name: chance.pick(['Kānuka', 'Top', 'Low', 'N/A', '']), far: rows.get(no)?.far ?? 0 })
  }
  const order = [...rows.keys()]
  if (chance.next() < 0.3) order.reverse()
  return chance.next() < 0.15 ? [...order, order[0]!] : order
}

const mapped = `windrow: 1
import: plots
from: { file: map.geojson }
holding: { scheme: ${rimu.scheme}, id: "${rimu.id}" }
key: <ID>
record: { name: <NAME>, totalArea: measured }
gone: delete
rules: { deletes: stop above 100 %, replaced: stop above 100 %, far: allow, duplicates: allow, versions: allow, ${anyChange} }
geometry: { repair: up to 100 % }`

test('what was found about a row is reported again, with the place of the row in this file', async () => {
  const [sound, crossing] = [paddock(1, { ID: 'S', NAME: 'Sound' }), paddock(2, { ID: 'X', NAME: 'Crossing' })]
  const ring = (crossing as { geometry: { coordinates: number[][][] } }).geometry.coordinates[0]!
  ring.splice(1, 2, ring[2]!, ring[1]!)
  const found = async (...features: readonly object[]) => {
    farm.write('map.geojson', collection(features))
    const report = await farm.run(mapped, { isLarge: true })
    return [sameIn(report), report.problems.map(({ code, count, first }) => [code, count, first[0]!.at.row])]
  }
  expect(await found(sound, crossing)).toEqual([0, [['boundary-repaired', 1, 1]]])
  expect(await found(sound, crossing)).toEqual([2, [['boundary-repaired', 1, 1]]])
  expect(await found(crossing, sound)).toEqual([2, [['boundary-repaired', 1, 0]]])
})

test('a row without a boundary adds nothing to the land of the file', async () => {
  const bare = { ...paddock(3, { ID: 'B', NAME: 'Bare' }), geometry: null }
  farm.write(
    'map.geojson',
    collection([paddock(1, { ID: 'A', NAME: 'Top' }), bare, paddock(2, { ID: 'C', NAME: 'Low' })]),
  )
  const first = await farm.run(mapped, { isLarge: true })
  const second = await farm.run(mapped, { isLarge: true })
  expect(sameIn(second)).toBe(3)
  expect(second.source.bbox).toEqual(first.source.bbox)
})

test.each(Array.from({ length: runs(20) }, (_, index) => index + 1))(
  'nights of seed %i end as if every row had been worked on',
  async (seed) => {
    const chance = chanceFrom(seed)
    const whole = await startFarm()
    try {
      const rows = new Map(Array.from({ length: 10 }, (_, index) => [`P${index}`, { name: 'First', far: 0 }]))
      let recognised = 0
      for (let round = 0; round < 8; round += 1) {
        const features = changeSome(rows, chance).map((no) => {
          const { name: NAME, far } = rows.get(no)!
          const made = paddock(Number(no.slice(1)), { ID: no, NAME }) as { geometry: { coordinates: number[][][] } }
          const ring = made.geometry.coordinates[0]!
          for (const place of [1, 2]) ring[place]![0]! += far
          // These are found faulty each night: the boundary crosses itself.
          if (NAME === 'Top') ring.splice(1, 2, ring[2]!, ring[1]!)
          return NAME === 'Low' ? { ...made, geometry: null } : made
        })
        for (const each of [farm, whole]) each.write('map.geojson', collection(features))
        const [short, long] = [await farm.run(mapped, { isLarge: true }), await whole.run(mapped)]
        recognised += sameIn(short)
        expect(outcomeOf(short)).toEqual(outcomeOf(long))
        expect(farm.posted().flat().map(withoutTimes)).toEqual(whole.posted().flat().map(withoutTimes))
      }
      expect(recognised).toBeGreaterThan(10)
    } finally {
      whole.close()
    }
  },
)

function outcomeOf({ rows, records, gone, areaM2, coverage, problems, exit, error, source }: Report) {
  const outcome = { rows, records, gone, areaM2, coverage, problems, exit, error: error?.message, bbox: source.bbox }
  // The last digits of an area depend on which of two boundaries comes first.
  return JSON.parse(JSON.stringify(outcome), (_, each: unknown) => (typeof each === 'number' ? each.toFixed(6) : each))
}

function withoutTimes(body: Readonly<Record<string, unknown>>): unknown {
  return JSON.parse(JSON.stringify(body).replaceAll(/"(modified|created)":"[^"]*"/g, '"$1":""'))
}
