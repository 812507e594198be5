import { readFileSync } from 'node:fs'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Report } from '../../src/pipeline/report/report.ts'
import { collection, kowhai, pipeline, startFarm, type Farm } from './farm.ts'

let farm: Farm
beforeEach(async () => {
  farm = await startFarm()
})
afterEach(() => farm.close())

/** A rectangle in steps of a hundred-thousandth of a degree, about a metre. */
function field(id: string, [west, south, east, north]: readonly [number, number, number, number]): object {
  const at = (x: number, y: number): readonly number[] => [
    Number((175.3 + x * 1e-5).toFixed(7)),
    Number((-37.8 + y * 1e-5).toFixed(7)),
  ]
  const ring = [at(west, south), at(east, south), at(east, north), at(west, north), at(west, south)]
  return { type: 'Feature', properties: { ID: id }, geometry: { type: 'Polygon', coordinates: [ring] } }
}

const lines = { from: '{ file: map.geojson }', key: '<ID>', record: '{ name: <ID>, totalArea: measured }' }

const imported = (...fields: readonly object[]): Promise<Report> => farm.night(collection(fields), pipeline(lines))

const found = ({ problems }: Report, code: string) => problems.find((each) => each.code === code)

describe('the boundaries of a file', () => {
  test('that overlap are reported with both rows, place and area; all are sent as drawn', async () => {
    const report = await imported(field('A', [0, 0, 100, 100]), field('B', [80, 0, 200, 100]))
    expect(report).toMatchObject({ exit: 0, records: { created: 2 } })
    const { severity, first } = found(report, 'boundaries-overlap')!
    expect(severity).toBe('warning')
    expect(first).toMatchObject([{ at: { row: 1 }, with: [{ row: 0 }], value: 'B' }])
    expect(first[0]!.message).toMatch(
      /^The boundary overlaps that of "A" \(row 0\): 0\.20 ha, 16\.7 % of it, count twice\.$/,
    )
    expect(first[0]!.where!.lon).toBeCloseTo(175.3009, 6)
    expect(report.coverage!.overlap.count).toBe(1)
    expect(report.coverage!.overlap.areaM2).toBeGreaterThan(1900)
  })

  test('that overlap are only counted where the pipeline allows it', async () => {
    const yaml = pipeline(lines, 'rules: { boundaries-overlap: allow }')
    const report = await farm.night(collection([field('A', [0, 0, 100, 100]), field('B', [80, 0, 200, 100])]), yaml)
    expect(report).toMatchObject({ exit: 0, problems: [], coverage: { overlap: { count: 1 } } })
  })

  test('that are the same under many keys are reported once each, not once per pair, and name some of the others', async () => {
    const fields = Array.from({ length: 40 }, (_, at) => field(String(at), [0, 0, 100, 100]))
    const report = await imported(...fields, field('B', [90, 0, 190, 100]))
    expect(report.coverage).toMatchObject({ twice: { count: 39 }, overlap: { count: 1 } })
    const { count, first } = found(report, 'boundary-twice')!
    expect(count).toBe(39)
    expect(first[0]).toMatchObject({ at: { row: 1 } })
    expect(first[0]!.with!.map(({ row }) => row)).toEqual([0, 2, 3, 4, 5, 6, 7, 8, 9, 10])
    expect(first[0]!.message).toBe(
      'The boundary is the same as that of "0" (row 0) and 38 more: 0.98 ha count 40 times.',
    )
  })

  test('that lie on top of each other by the hundred are all compared', async () => {
    const fields = Array.from({ length: 120 }, (_, at) => field(String(at), [at, 0, at + 200, 100]))
    const report = await imported(...fields)
    const { twice, inside, overlap } = report.coverage!
    expect(twice.count + inside.count + overlap.count).toBe((120 * 119) / 2)
  })

  test('of which one lies inside another are reported at the inner one', async () => {
    const report = await imported(field('pond', [40, 40, 50, 50]), field('A', [0, 0, 100, 100]))
    expect(found(report, 'boundary-inside-another')!.first).toMatchObject([{ at: { row: 0 }, with: [{ row: 1 }] }])
  })

  test('whose rows are all rejected for their key have no area', async () => {
    const report = await imported(field('A', [0, 0, 100, 100]), field('A', [100, 0, 200, 100]))
    expect(report).toMatchObject({ rows: { rejected: 2 }, areaM2: 0 })
  })

  test('of which one is the outline of the farm are reported once', async () => {
    const report = await imported(
      field('A', [0, 0, 100, 100]),
      field('B', [100, 0, 200, 100]),
      field('farm', [0, 0, 300, 100]),
      field('C', [200, 0, 300, 100]),
    )
    expect(report.problems).toHaveLength(1)
    const { first } = found(report, 'boundary-inside-another')!
    expect(first).toMatchObject([{ at: { row: 2 }, with: [{ row: 0 }, { row: 1 }, { row: 3 }] }])
    expect(first[0]!.message).toBe(
      'The boundary contains 3 others, such as "A" (row 0). Is it the outline of the farm?',
    )
  })

  test('are compared even if nothing changed, and a repeated row is only reported as repeated', async () => {
    const fields = [field('A', [0, 0, 100, 100]), field('B', [80, 0, 200, 100])]
    await imported(...fields)
    const once = await imported(...fields)
    const again = await imported(...fields, fields[0]!)
    expect(again.rows).toMatchObject({ unchanged: 2, skipped: 1 })
    expect(again.areaM2).toBeCloseTo(once.areaM2, 3)
    expect(again.problems.map(({ code, count }) => [code, count])).toEqual([
      ['boundaries-overlap', 1],
      ['row-repeated', 1],
    ])
  })

  test('are named by the name and the id of the other one, also if that one is unchanged or only in the service', async () => {
    const yaml = pipeline({ ...lines, record: '{ name: { text: "<ID> flat" } }' })
    const [one, other] = [field('A', [0, 0, 100, 100]), field('B', [80, 0, 200, 100])]
    const overlap = async (...fields: readonly object[]) =>
      found(await farm.night(collection(fields), yaml), 'boundaries-overlap')!.first[0]!.message
    expect(await overlap(one, other)).toContain('overlaps that of "A flat" (A, row 0)')
    expect(await overlap(one, field('B', [70, 0, 200, 100]))).toContain('overlaps that of "A flat" (A, row 0)')
    expect(await overlap(field('B', [60, 0, 200, 100]))).toContain('overlaps that of "A flat" (A, in the service)')
  })

  test('are marked on the map where they overlap', async () => {
    const report = await imported(field('A', [0, 0, 100, 100]), field('B', [80, 0, 200, 100]))
    const page = readFileSync(report.files['page']!, 'utf8')
    expect(page).toMatch(
      /<g[^>]+transform="[^"]*translate\([\d.]+[ ,][\d.]+\)[^"]*"[^>]*>\s*<path class="mark warning"/,
    )
    expect(page).toContain('The boundary overlaps that of &quot;A&quot;')
  })
})

describe('a boundary that the service already has', () => {
  test('is recognised under another key, with no other problem', async () => {
    await imported(field('A', [0, 0, 100, 100]), field('B', [100, 0, 200, 100]), field('C', [100, 0, 200, 101]))
    const report = await imported(field('new', [0, 0, 100, 100]))
    expect(report).toMatchObject({ exit: 0, records: { created: 1 }, coverage: { twice: { count: 1 } } })
    expect(found(report, 'boundary-twice')!.first).toMatchObject([{ at: { row: 0 }, value: 'new', with: [] }])
    expect(found(report, 'boundary-twice')!.first[0]!.message).toContain('is the same as that of "A" (in the service)')
    expect(report.coverage).toMatchObject({ overlap: { count: 0 }, inside: { count: 0 } })
  })

  test('and that lies inside one of the file is reported as contained in it', async () => {
    await imported(field('part', [40, 40, 80, 80]))
    const messages = async (...[west, south, east, north]: readonly number[]) => {
      const report = await imported(field('whole', [west!, south!, east!, north!]))
      return found(report, 'boundary-inside-another')!.first.map(({ message }) => message)
    }
    expect(await messages(0, 0, 100, 100)).toEqual([
      expect.stringMatching(/^The boundary contains that of "part" \(in the service\): 0\.16 ha count twice\.$/),
    ])
    expect(await messages(50, 50, 60, 60)).toEqual([
      expect.stringMatching(/^The boundary lies inside that of "part" \(in the service\): \d+ m² count twice\.$/),
    ])
  })

  test('for another farm is named with that farm, also inside and twice', async () => {
    const known = [field('Top', [0, 0, 100, 100]), field('Low', [300, 0, 400, 100])]
    const holding = `{ scheme: ${kowhai.scheme}, id: "${kowhai.id}" }`
    await farm.night(collection(known), pipeline({ ...lines, holding }))
    const fields = [field('A', [80, 0, 200, 100]), field('B', [40, 40, 60, 60]), field('C', [300, 0, 400, 100])]
    const report = await imported(...fields, field('D', [180, 0, 250, 100]))
    const messageOf = (code: string, row: number): string =>
      found(report, code)!.first.find(({ at }) => at.row === row)!.message
    expect(messageOf('boundaries-overlap', 0)).toContain(
      'overlaps that of "Top" of Kōwhai Station (in the service): 0.20 ha, 16.7 % of it',
    )
    expect(messageOf('boundaries-overlap', 3)).toContain('overlaps that of "A" (row 0): 0.20 ha')
    expect(messageOf('boundary-inside-another', 1)).toContain('inside that of "Top" of Kōwhai Station (in the service)')
    expect(messageOf('boundary-twice', 2)).toContain('the same as that of "Low" of Kōwhai Station (in the service)')
  })

  test('is not compared with itself or its own new shape', async () => {
    await imported(field('A', [0, 0, 100, 100]))
    expect((await imported(field('A', [0, 0, 100, 99]))).coverage).toMatchObject({
      boundaries: 1,
      inside: { count: 0 },
    })
  })

  test('that lies elsewhere is not compared', async () => {
    await imported(field('A', [50_000, 0, 50_100, 100]))
    expect((await imported(field('B', [0, 0, 100, 100]))).coverage).toMatchObject({ boundaries: 1 })
  })
})

test('only the largest are listed, all are counted', async () => {
  const fields = Array.from({ length: 1102 }, (_, at) =>
    field(String(at), [at * 100, 0, at * 100 + 105 + at / 100, 100]),
  )
  const report = await imported(...fields)
  const group = found(report, 'boundaries-overlap')!
  expect(report.coverage!.overlap.count).toBe(1101)
  expect(group.count).toBe(1000)
})
