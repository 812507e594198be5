import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { problem } from '../../src/core/problem.ts'
import { parsePipeline, type ImportPipeline } from '../../src/pipeline/definition/definition.ts'
import type { PreparedImport } from '../../src/pipeline/report/course.ts'
import { prepareImport } from '../../src/pipeline/prepare/prepare.ts'
import { collection, paddock } from './farm.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'windrow-prepare-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const head =
  'windrow: 1\nimport: plots\nholding: { scheme: nz.example.farm-number, id: "1" }\nkey: <ID>\nrecord: { name: <NAME> }\n'

function prepare(more: string, clock: () => Date = () => new Date()): Promise<PreparedImport> {
  const pipeline = parsePipeline(`${head}${more}`, join(folder, 'pipeline.yaml')) as ImportPipeline
  return prepareImport(pipeline, { clock, sleep: () => Promise.resolve() })
}
const write = (name: string, content: string): void => writeFileSync(join(folder, name), content)

describe('the coordinate system', () => {
  const nztm = { type: 'name', properties: { name: 'urn:ogc:def:crs:EPSG::2193' } }
  const ring = [
    [1802223, 5814303],
    [1802323, 5814303],
    [1802323, 5814403],
    [1802223, 5814303],
  ]
  const feature = {
    type: 'Feature',
    properties: { ID: '1', NAME: 'Rāhui' },
    geometry: { type: 'Polygon', coordinates: [ring] },
  }
  const projected = (crs?: object) =>
    JSON.stringify({ type: 'FeatureCollection', ...(crs ? { crs } : {}), features: [feature] })

  test("is the file's, and the evidence says so", async () => {
    write('map.geojson', projected(nztm))
    expect((await prepare('from: { file: map.geojson }')).crs).toMatchObject({
      code: 'EPSG:2193',
      evidence: 'the crs member',
    })
    expect((await prepare('from: { file: map.geojson, crs: EPSG:2193 }')).crs).toMatchObject({
      evidence: 'the crs member',
    })
  })

  test('of boundaries as text is never assumed', async () => {
    const wkt = 'POLYGON ((175 -38, 175.01 -38, 175.01 -38.01, 175 -38))'
    write('map.csv', `ID,NAME,WKT\n1,Rāhui,"${wkt}"\n2,Bull,"${wkt}"\n`)
    await expect(prepare('from: { file: map.csv, geometry: WKT }')).rejects.toMatchObject({ code: 'crs-unknown' })
    const { job } = await prepare('from: { file: map.csv, geometry: WKT, crs: EPSG:4326 }')
    expect(job.table.found()).toEqual([])
    expect((await prepare('from: { file: map.csv }')).job.table.hasGeometry).toBe(false)
  })

  test('that differs between file and pipeline stops the run, with the name of the file', async () => {
    write('map.geojson', projected(nztm))
    await expect(prepare('from: { file: map.geojson, crs: EPSG:27200 }')).rejects.toMatchObject({
      code: 'crs-differs',
      exit: 6,
      message: expect.stringMatching(/^map\.geojson: /) as string,
    })
    await expect(prepare('from: { file: map.geojson, crs: EPSG:4326 }')).rejects.toMatchObject({
      message: expect.stringContaining('but the crs member says NZTM2000 (EPSG:2193)') as string,
    })
  })

  test('in degrees, over numbers that are metres, is refused with candidates', async () => {
    write('map.geojson', projected())
    await expect(prepare('from: { file: map.geojson }')).rejects.toMatchObject({
      code: 'crs-unknown',
      hint: expect.stringContaining('EPSG:2193') as string,
    })
  })
})

describe('columns', () => {
  const from = 'from: { file: nightly.csv }\n'

  test('that the mapping reads and the file lacks stop the run, with the nearest name', async () => {
    write('nightly.csv', 'ID,NAME_\n1,Rāhui\n')
    await expect(prepare(from)).rejects.toMatchObject({
      code: 'column-missing',
      exit: 6,
      message: expect.stringContaining('"NAME"') as string,
      hint: expect.stringContaining('renamed to "NAME_"') as string,
    })
  })

  test('with one missing and one new are reported as renamed', async () => {
    write('nightly.csv', 'ID,Bezeichnung\n1,Rāhui\n')
    await expect(prepare(from)).rejects.toMatchObject({
      hint: expect.stringContaining('renamed to "Bezeichnung"? If the file is right') as string,
    })
  })

  test('are never said to be renamed to a column that the pipeline has already', async () => {
    write('nightly.csv', 'ID,NAME_2,Bezeichnung,Crop\n1,Rāhui,x,Kale\n')
    await expect(prepare(`${from}columns: { expect: [ID, NAME, NAME_2] }\n`)).rejects.toMatchObject({
      code: 'column-missing',
      hint: expect.not.stringContaining('renamed') as string,
    })
  })

  test.each([
    ['stop', 'columns-differ'],
    ['warn', undefined],
    ['ignore', undefined],
  ])('that are new, under the policy %s', async (policy, code) => {
    write('nightly.csv', 'ID,NAME,SURPRISE\n1,Rāhui,!\n')
    const prepared = prepare(`${from}columns: { expect: [ID, NAME], new: ${policy} }`)
    if (code !== undefined) return expect(prepared).rejects.toMatchObject({ code })
    const found = (await prepared).job.table.found().filter((each) => each.code === 'columns-changed')
    expect(found.map(({ column }) => column)).toEqual(policy === 'warn' ? ['SURPRISE'] : [])
  })

  test('that are expected but not mapped may be missing if the pipeline only warns', async () => {
    write('nightly.csv', 'ID,NAME\n1,Rāhui\n')
    await expect(prepare(`${from}columns: { expect: [ID, NAME, CROP] }`)).rejects.toMatchObject({
      code: 'column-missing',
    })
    const { job } = await prepare(`${from}columns: { expect: [ID, NAME, CROP], missing: warn }`)
    expect(job.table.found()).toContainEqual(expect.objectContaining({ code: 'columns-changed', column: 'CROP' }))
  })
})

test('a header with another unit than the pipeline has a warning', async () => {
  write('nightly.csv', 'ID,NAME,Area (ha),Length (km)\n1,Rāhui,3.5,1.23\n')
  const record = 'record: { totalArea: { from: Area (ha), unit: ha }, totalLength: { from: Length (km), unit: m } }\n'
  const text = `${head.replace(/record: .*\n/, record)}from: { file: nightly.csv }\n`
  const pipeline = parsePipeline(text, join(folder, 'pipeline.yaml')) as ImportPipeline
  const { job } = await prepareImport(pipeline, { clock: () => new Date(), sleep: () => Promise.resolve() })
  expect(job.table.found().map(({ code, column }) => [code, column])).toEqual([['file-inconsistent', 'Length (km)']])
})

describe('the file', () => {
  test('is named if it is missing', async () => {
    await expect(prepare('from: { file: nothing.csv }')).rejects.toMatchObject({ code: 'file-missing', exit: 2 })
  })

  test('is waited for until it is unchanged for long enough, but not forever', async () => {
    write('nightly.csv', 'ID,NAME\n1,Rāhui\n')
    let minutes = 0
    const clock = (): Date => new Date(Date.now() + (minutes += 1) * 60_000)
    await expect(prepare('from: { file: nightly.csv, settled: 5 min }', clock)).resolves.toBeDefined()
    let seconds = 0
    const restless = (): Date => {
      write('nightly.csv', 'ID,NAME\n1,Rāhui\n')
      return new Date(Date.now() - 3_600_000 + (seconds += 20) * 1000)
    }
    await expect(prepare('from: { file: nightly.csv, settled: 1 min }', restless)).rejects.toMatchObject({
      code: 'source-changed',
    })
  })

  test('has another fingerprint when it, or a file beside it with its name, changes', async () => {
    write('map.geojson', collection([paddock(1, { ID: '1', NAME: 'Rāhui' })]))
    const { source } = await prepare('from: { file: map.geojson }')
    const before = await source.fingerprint()
    expect(await source.fingerprint()).toBe(before)
    write('map.prj', 'something')
    expect(await source.fingerprint()).not.toBe(before)
  })

  test('stops the run if it is another one than was looked at', async () => {
    write('nightly.csv', 'ID,NAME\n1,Rāhui\n')
    const from = 'from: { file: nightly.csv }'
    const lookedAt = await (await prepare(from)).source.fingerprint()
    const pipeline = parsePipeline(`${head}${from}`, join(folder, 'pipeline.yaml')) as ImportPipeline
    const prepareAgain = () =>
      prepareImport(pipeline, { clock: () => new Date(), sleep: () => Promise.resolve(), lookedAt })
    await expect(prepareAgain()).resolves.toBeDefined()
    write('nightly.csv', 'ID,NAME\n1,Rāhui\n2,Bull\n')
    await expect(prepareAgain()).rejects.toMatchObject({ code: 'source-changed', exit: 2 })
  })

  test('with several layers needs a layer name', async () => {
    const { chooseTable } = await import('../../src/pipeline/prepare/choose-table.ts')
    const { job } = await (write('nightly.csv', 'ID,NAME\n1,Rāhui\n'), prepare('from: { file: nightly.csv }'))
    const layers = ['paddocks', 'fences'].map((name) => ({ ...job.table, name }))
    expect(chooseTable(layers, 'fences', 'farm.zip').name).toBe('fences')
    expect(() => chooseTable(layers, undefined, 'farm.zip')).toThrow(
      expect.objectContaining({ code: 'layer-unclear' }) as Error,
    )
    expect(() => chooseTable(layers, 'fence', 'farm.zip')).toThrow(
      expect.objectContaining({ hint: expect.stringContaining('Did you mean "fences"') as string }) as Error,
    )
    // Followed, such advice would publish last season.
    const seasons = [{ ...job.table, name: 'Paddocks 2025' }]
    expect(() => chooseTable(seasons, 'Paddocks 2026', 'farm.zip')).toThrow(
      expect.objectContaining({ hint: 'It has: Paddocks 2025.' }) as Error,
    )
    const hidden = problem('sheet-hidden', { source: 'farm.xlsx', layer: 'Paddocks 2026', row: 1 }, { message: 'x' })
    const [season] = seasons
    expect(() => chooseTable([{ ...season!, found: () => [hidden] }], 'Paddocks 2026', 'farm.xlsx')).toThrow(
      expect.objectContaining({ hint: expect.stringContaining('from.hidden: true') as string }) as Error,
    )
  })
})
