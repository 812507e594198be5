import { spawn } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { readAll, fileSource } from '../../src/core/sources/source.ts'
import { fileTarget } from '../../src/core/sources/target.ts'
import { membersOfZip } from '../../src/core/sources/zip.ts'
import type { Row } from '../../src/core/row.ts'
import type { Format } from '../../src/formats/format.ts'
import { geopackage } from '../../src/formats/geopackage.ts'
import { shapefile } from '../../src/formats/shapefile.ts'
import { shapeFromGeoJson } from '../../src/core/shapes/shape-geojson.ts'
import type { Shape } from '../../src/core/shape.ts'
import { startProcesses } from '../../src/cli/running/processes.ts'
import { helpRun } from '../../src/pipeline/help-run.ts'
import type { Report } from '../../src/pipeline/report/report.ts'
import { assertBalanced } from '../../src/pipeline/report/report.ts'
import { openStage, type Stage } from '../../src/pipeline/stage/stage-store.ts'
import { startWorld } from '../cli/world.ts'
import { share } from '../runs.ts'
import { rimu, startFarm, type Farm } from './farm.ts'

let whole: Farm
let inParts: Farm
beforeEach(async () => {
  ;[whole, inParts] = [await startFarm(), await startFarm()]
})
afterEach(() => {
  whole.close()
  inParts.close()
})

type Field = {
  readonly id: string
  readonly name: string
  readonly area: string
  readonly ring: readonly (readonly [number, number])[]
}

/** A row of square fields side by side; some overlap the next one, lie twice, or are no field. */
function fields(count: number, change: (number: number) => Partial<Field> = () => ({})): readonly Field[] {
  return Array.from({ length: count }, (_, number) => {
    const [x, y] = [175 + (number % 20) * 0.001, -38 + Math.floor(number / 20) * 0.001]
    const wide = number % 7 === 3 ? 0.00105 : 0.001
    const ring = [
      [x, y],
      [x + wide, y],
      [x + wide, y + 0.001],
      [x, y + 0.001],
      [x, y],
    ] as const
    return { id: `F${number}`, name: `Field ${number}`, area: '0.97', ring, ...change(number) }
  })
}

/** What goes wrong in real files: each thing in several places, so that both sides of a border have it. */
const messy = (number: number): Partial<Field> => {
  // A line, which is no field.
  if (number % 23 === 5)
    return {
      ring: [
        [175, -38],
        [175.1, -38],
        [175, -38],
      ],
    }
  if (number % 31 === 9) return { id: '' }
  if (number % 40 === 17) return { id: 'F2', name: `Another ${number}` }
  if (number === 77) return fields(4)[3]!
  if (number % 29 === 6) return { name: 'NULL' }
  if (number % 11 === 4) return { area: '9.7' }
  if (number === 90) return { ring: fields(31)[30]!.ring }
  return {}
}

const wkt = ({ ring }: Field): string => `POLYGON ((${ring.map(([x, y]) => `${x} ${y}`).join(', ')}))`
const feature = ({ id, name, area, ring }: Field): object => ({
  type: 'Feature',
  properties: { ID: id, NAME: name, HA: Number(area) },
  geometry: { type: 'Polygon', coordinates: [ring] },
})

async function writeWith(format: Format, path: string, all: readonly Field[]): Promise<void> {
  const rows = all.map((each, row): Row => {
    const { properties, geometry } = feature(each) as { properties: Row['values']; geometry: object }
    return { at: { source: 'made', row }, values: properties, shape: shapeFromGeoJson(geometry) as Shape }
  })
  const columns = [
    { name: 'ID', type: 'text' },
    { name: 'NAME', type: 'text' },
    { name: 'HA', type: 'number' },
  ] as const
  const target = await fileTarget(path)
  const table = {
    name: 'fields',
    columns,
    hasGeometry: true,
    rows: async function* () {
      yield rows
    },
  }
  await format.write!([table], target, {})
  await target.commit()
}

const ways: Readonly<Record<string, (farm: Farm, all: readonly Field[], isTidy?: boolean) => Promise<string>>> = {
  // Quoted line breaks, blank and ragged rows, and notes below the table.
  csv: (farm, all, isTidy = false) => {
    const lines = all.map((each, number) => {
      const name = number % 13 === 2 ? `"${each.name}\r\n""by the river"", north"` : each.name
      const more = isTidy ? '' : number % 37 === 8 ? ',too,many' : number % 41 === 20 ? '\n,,,' : ''
      return `${each.id},${name},${each.area},"${wkt(each)}"${more}`
    })
    farm.write(
      'fields.csv',
      `ID,NAME,HA,WKT\n${lines.join('\n')}\n\nTotal,,${all.length},\nExported from the register of fields\n`,
    )
    return Promise.resolve('fields.csv')
  },
  geojson: (farm, all) => {
    const text = all.map((each) => JSON.stringify(feature(each))).join(',\n')
    farm.write('fields.geojson', `{"type":"FeatureCollection","name":"fields","features":[\n${text}\n],"note":[1,2]}\n`)
    return Promise.resolve('fields.geojson')
  },
  'geojson with a feature a line': (farm, all) => {
    farm.write(
      'fields.geojsonl',
      all.map((each, at) => `${JSON.stringify(feature(each))}\n${at % 9 === 4 ? ' \n' : ''}`).join(''),
    )
    return Promise.resolve('fields.geojsonl')
  },
  geopackage: async (farm, all) => {
    await writeWith(geopackage, join(farm.folder, 'fields.gpkg'), all)
    return 'fields.gpkg'
  },
  shapefile: async (farm, all) => {
    const zip = join(farm.folder, 'zipped.zip')
    await writeWith(shapefile, zip, all)
    const members = await membersOfZip(await fileSource(zip))
    for (const { name, source } of members) farm.write(name, await readAll(source, 1e8))
    return 'fields.shp'
  },
}

/** Six to ten parts, whatever a format needs for a field. */
const partBytesOf: Readonly<Record<string, number>> = {
  geojson: 4900,
  'geojson with a feature a line': 4900,
  geopackage: 9_000,
}

const yaml = (file: string, more = ''): string => `windrow: 1
import: plots
from: { file: ${file}${file.endsWith('.csv') ? ', encoding: utf-8, crs: EPSG:4326' : ''} }
holding: { scheme: ${rimu.scheme}, id: "${rimu.id}" }
key: <ID>
record: { name: <NAME>, totalArea: { from: HA, unit: ha } }
${more}`

const ofTheFolder = `'kept pipeline', 'definition', 'fingerprint', 'written', 'parts'`
const fixed = { clock: () => new Date('2026-11-23T10:00:00Z') }

function stageOf<T>(farm: Farm, { run }: Report, work: (stage: Stage) => T): T {
  const stage = openStage(join(farm.folder, '.windrow', 'runs', run))
  try {
    return work(stage)
  } finally {
    stage.close()
  }
}

/** Areas are the same to twelve digits: those of the rows are added in another order. */
function rounded<T>(value: T): T {
  const round = (_: string, each: unknown): unknown => (typeof each === 'number' ? Number(each.toPrecision(12)) : each)
  return JSON.parse(JSON.stringify(value), round) as T
}

/** All that a run leaves, but for the names of its folder and files. */
function left(farm: Farm, report: Report) {
  // They have the paths of the farm's folder.
  const { files, retry: _, apply: _apply, undo: _undo, ...rest } = report
  const { rejected = '' } = files
  return stageOf(farm, report, (stage) => ({
    report: rounded(rest),
    rejected: /\.(csv|geojson)$/.test(rejected) ? readFileSync(rejected, 'utf8') : '',
    bodies: readFileSync(join(stage.folder, 'ready.ndjson'), 'utf8'),
    sent: [...stage.unanswered({ items: 1000, bytes: 1e9 })]
      .flat()
      .map(({ body, offset: _at, ...each }) => ({ ...each, body: String(body) })),
    tables: ['rows', 'records', 'problems', 'digests', 'owners', 'receipts'].map((table) =>
      stage.query(`SELECT * FROM ${table}`),
    ),
    same: stage.query(
      'SELECT start, r.value AS row, e.value AS id FROM same_rows, json_each(rows) r JOIN json_each(ends) e USING (key)',
    ),
    facts: rounded(
      stage
        .query<{ name: string; value: string }>(
          `SELECT name, value FROM facts WHERE name NOT IN (${ofTheFolder}) ORDER BY name`,
        )
        .map(({ name, value }) => [name, JSON.parse(value)]),
    ),
  }))
}

type How = Parameters<Farm['run']>[1]

const helping = (taskFile: string): Promise<number> =>
  helpRun(taskFile, { place: { state: join(inParts.folder, '.windrow') }, clock: fixed.clock, sleep: (ms) => wait(ms) })

/** `isUnclear`: the file has to be staged as a whole after all. */
type Sharing = { help?: (taskFile: string) => unknown; partBytes?: number; isUnclear?: boolean }

/** Runs a file once as a whole and once in parts, with somebody else who helps, and compares all that is left. */
async function both(
  file: (farm: Farm) => Promise<string>,
  more = '',
  { help = helping, partBytes = 4000, isUnclear = false, ...how }: How & Sharing = {},
): Promise<Report> {
  const name = await file(whole)
  for (const each of readdirSync(whole.folder))
    if (each.startsWith('fields.')) writeFileSync(join(inParts.folder, each), readFileSync(join(whole.folder, each)))
  const asWhole = await whole.run(yaml(name, more), { ...fixed, ...how })
  const helped: unknown[] = []
  const ask = (taskFile: string): void => void helped.push(help(taskFile))
  const parted = await inParts.run(yaml(name, more), { ...fixed, ...how, sharing: { partBytes, ask } })
  const shares = await Promise.all(helped)
  if (help === helping && !isUnclear) expect(shares.some((count) => count !== 0)).toBe(true)
  const parts = stageOf(inParts, parted, (stage) => stage.recall('parts') ?? []).length
  expect(parts > 4).toBe(!isUnclear)
  expect(left(inParts, parted)).toEqual(left(whole, asWhole))
  if (parted.outcome === 'done') assertBalanced(parted)
  return parted
}

/** These are also stopped by a guard, read again as they are, and tried without a service. */
const playedInFull = share(Object.keys(ways), 1)

describe.each(Object.entries(ways))('a messy %s in parts is the same, to the byte, as a whole', (format, write) => {
  const partBytes = partBytesOf[format] ?? 2800
  test('when it is new, stopped by a guard, the same, changed, and in a dry run without a service', async () => {
    const first = await both((farm) => write(farm, fields(140, messy)), 'gone: delete\n', { partBytes })
    expect(first.rows.rejected).toBeGreaterThan(10)
    expect(first.problems.map(({ code }) => code)).toEqual(
      expect.arrayContaining(['key-repeated', 'row-repeated', 'boundaries-overlap', 'boundary-twice', 'area-differs']),
    )
    const isFull = playedInFull.includes(format)
    if (isFull) {
      const stopped = await both((farm) => write(farm, fields(140, messy)), 'guard: { rejected: 1 % }\n', { partBytes })
      expect(stopped.error?.code).toBe('guard-stopped')
      const second = await both((farm) => write(farm, fields(140, messy)), 'gone: delete\n', { partBytes })
      expect(second.records).toMatchObject({ created: 0, updated: 0 })
      expect(second.rows.unchanged).toBeGreaterThan(100)
    }
    // A row without a key may be any record: then nothing would be deleted.
    const changed = (number: number): Partial<Field> => (number % 50 === 1 ? { name: `New ${number}` } : {})
    const third = await both((farm) => write(farm, fields(136, changed), true), 'gone: delete\n', { partBytes })
    expect(third.records.updated).toBeGreaterThan(2)
    expect(third.gone.deleted).toBeGreaterThan(2)
    if (!isFull) return
    const preview = await both((farm) => write(farm, fields(150, messy)), '', {
      dryRun: true,
      connection: undefined,
      partBytes,
    })
    expect(preview.outcome).toBe('dry-run')
  })
})

describe('a file in parts', () => {
  const write = ways['csv']!

  test('is sent, and nothing of its parts is left', async () => {
    const report = await both((farm) => write(farm, fields(200), true))
    expect(report.records.created).toBe(200)
    const folder = join(inParts.folder, '.windrow', 'runs', report.run)
    expect(report.files['bodies']).toBe(join(folder, 'ready.ndjson'))
    expect(existsSync(join(folder, 'parts'))).toBe(false)
    expect(await inParts.held('plots')).toHaveProperty('size', 200)
  })

  test('is staged by the run alone where nobody helps, also what a process had that was killed', async () => {
    await both((farm) => write(farm, fields(200, messy)), '', { help: () => undefined })
    let killed = 0
    const killWhileWorking = (taskFile: string): void => {
      if (!taskFile.endsWith('stage.json')) return
      const program = fileURLToPath(new URL('helping.ts', import.meta.url))
      const child = spawn(process.execPath, [program, taskFile, join(inParts.folder, '.windrow')], { stdio: 'inherit' })
      const isHalf = (part: string): boolean =>
        existsSync(join(dirname(taskFile), part, 'stage.db')) && !existsSync(join(dirname(taskFile), part, 'part.json'))
      const isWorking = (): boolean => readdirSync(dirname(taskFile)).some(isHalf)
      // Soon after it was seen, the part may be whole.
      let hasWorked = false
      for (const until = Date.now() + 60_000; !hasWorked && Date.now() < until; pause(2)) hasWorked = isWorking()
      expect(hasWorked).toBe(true)
      child.kill('SIGKILL')
      killed += 1
    }
    await both((farm) => write(farm, fields(1200, messy)), '', { help: killWhileWorking, partBytes: 21_000 })
    expect(killed).toBe(1)
  })

  test('has boundaries that lie over each other, across parts and across 180 degrees, compared as in a whole', async () => {
    const heap = (number: number): Partial<Field> => {
      const [x, y, off] = [number % 2 === 0 ? 175 : 179.9995, -38, number * 1e-6]
      return {
        ring: [
          [x + off, y],
          [x + off + 0.001, y],
          [x + off + 0.001, y + 0.001 + off],
          [x + off, y + 0.001],
          [x + off, y],
        ],
      }
    }
    const { problems } = await both((farm) => write(farm, fields(280, heap), true))
    const codes = problems.map(({ code }) => code)
    expect(codes).toEqual(expect.arrayContaining(['boundaries-crowded', 'boundary-twice']))
  })

  test('has overlaps cut off as in a whole, also across the border of two parts', async () => {
    const { coverage } = await both((farm) => write(farm, fields(200), true), 'geometry: { overlaps: up to 5 m }\n')
    expect(coverage?.trimmed.count).toBeGreaterThan(20)
  })

  test('has its rows recognised that are the same as in the last file, if none of them is in doubt', async () => {
    // No row is shown in the report.
    const large = { isLarge: true, help: () => undefined }
    await both((farm) => write(farm, fields(200), true), '', large)
    const named = (number: number): Partial<Field> => (number % 60 === 5 ? { name: `New ${number}` } : {})
    const second = await both((farm) => write(farm, fields(199, named), true), '', large)
    expect(second.records).toMatchObject({ updated: 4, unchanged: 195 })
    expect(stageOf(inParts, second, (stage) => stage.countSameRows())).toBeGreaterThan(100)
    // The record of a row that is the same has another row, in another part: all rows are staged again.
    const again = (number: number): Partial<Field> => (number === 180 ? { id: 'F1' } : named(number))
    const third = await both((farm) => write(farm, fields(199, again), true), '', large)
    expect(third.rows.rejected).toBe(2)
    expect(stageOf(inParts, third, (stage) => stage.countSameRows())).toBe(0)
  })

  test('has no help from a process that finds another file, pipeline or time zone, or is of another version', async () => {
    const answers: unknown[] = []
    const help = async (path: string): Promise<void> => {
      const task = JSON.parse(readFileSync(path, 'utf8')) as object
      for (const other of ['definition', 'fingerprint', 'timeZone', 'windrow']) {
        const changed = join(inParts.folder, `${other}.json`)
        writeFileSync(changed, JSON.stringify({ ...task, [other]: 'another' }))
        answers.push(await helping(changed))
      }
    }
    await both((farm) => write(farm, fields(200)), '', {
      help: (path: string) => (path.endsWith('stage.json') ? help(path) : undefined),
    })
    expect(answers).toEqual([0, 0, 0, 0])
  })

  test('is staged by the processes that a run starts', async () => {
    const place = { state: join(inParts.folder, '.windrow') }
    const processes = startProcesses(1, { place, partBytes: 35_000 })
    let first: readonly string[] = []
    const help = (taskFile: string): void => {
      processes.ask(taskFile, 1)
      const parts = (): readonly string[] => readdirSync(dirname(taskFile)).filter((each) => /^\d{4}$/.test(each))
      // The run itself has not begun.
      if (taskFile.endsWith('stage.json'))
        for (let tries = 0; parts().length === 0 && tries < 3000; tries += 1) pause(10)
      first = [...first, ...parts()]
    }
    await both((farm) => write(farm, fields(200, messy)), '', { help })
    processes[Symbol.dispose]()
    expect(first).toContain('0000')
  })

  test.each([
    ['the column names are repeated in another order', (rows: string[]) => rows.splice(100, 0, 'NAME,ID,HA,WKT\n')],
    [
      'a total may be a footer or not',
      (rows: string[]) => rows.splice(0, 200, ...rows.map((row) => `${row}Total,1,2${' '.repeat(400)},\n`)),
    ],
    [
      'most rows of one part have a cell too many',
      (rows: string[]) => rows.splice(0, 40, ...rows.slice(0, 40).map((row) => row.replace(',', ',,'))),
    ],
  ])(
    'is staged as a whole after all where %s',
    async (_, spoil) => {
      const spoilt = (farm: Farm): Promise<string> => {
        const rows = fields(200).map((each) => `${each.id},${each.name},${each.area},"${wkt(each)}"\n`)
        spoil(rows)
        farm.write('fields.csv', `ID,NAME,HA,WKT\n${rows.join('')}`)
        return Promise.resolve('fields.csv')
      }
      await both(spoilt, '', { isUnclear: true })
      expect(existsSync(join(inParts.folder, '.windrow', 'runs', '2026-11-23-1000-paddocks', 'parts'))).toBe(false)
    },
    30_000,
  )

  test('is staged as a whole where it is not certain where its rows end', async () => {
    const asked: string[] = []
    const sharing = { partBytes: 2000, ask: (taskFile: string) => void asked.push(taskFile) }
    const run = async (cell: string): Promise<Report> => {
      const rows = fields(300).map(({ id, name }) => `${id},${name}\n`)
      inParts.write('fields.csv', `ID,NAME\n${rows.join('')}Z,${cell}\n`)
      const plain = yaml('fields.csv')
        .replace(', crs: EPSG:4326', '')
        .replace(/, totalArea: .*? }/, '')
      return inParts.run(plain, { ...fixed, sharing })
    }
    expect((await run('5" pipe')).rows.read).toBe(301)
    expect(asked).toEqual([])
    expect((await run('5 inch pipe')).rows.read).toBe(301)
    expect(asked).toHaveLength(1)
  })
})

function pause(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)
}

test('windrow run --processes prints the same counts', async () => {
  const world = startWorld()
  try {
    const lines = fields(300, messy).map(
      (each) => `${each.id},${each.name},${each.area},${'-'.repeat(8000)},"${wkt(each)}"\n`,
    )
    writeFileSync(join(world.folder, 'fields.csv'), `ID,NAME,HA,REMARK,WKT\n${lines.join('')}`)
    writeFileSync(join(world.folder, 'fields.yaml'), yaml('fields.csv'))
    const [alone, helped] = [
      await world.run(['run', 'fields.yaml', '--dry-run', '--json']),
      await world.run(['run', 'fields.yaml', '--dry-run', '--json', '--processes', '2', '--part-size', '1']),
    ]
    const counts = ({ out }: { readonly out: string }) => {
      const { rows, records, problems, coverage } = JSON.parse(out) as Report
      return rounded({ rows, records, problems, coverage })
    }
    expect(counts(helped)).toEqual(counts(alone))
    expect(helped.exit).toBe(alone.exit)
    const [run] = readdirSync(join(world.folder, '.windrow', 'runs'))
      .toSorted()
      .slice(-1)
    const stage = openStage(join(world.folder, '.windrow', 'runs', run!))
    expect(stage.recall('parts')!.length).toBeGreaterThan(1)
    stage.close()
  } finally {
    world.close()
  }
})
