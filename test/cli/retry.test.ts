import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Row, Values } from '../../src/core/row.ts'
import { fileSource, readAll } from '../../src/core/sources/source.ts'
import { fileTarget } from '../../src/core/sources/target.ts'
import { membersOfZip } from '../../src/core/sources/zip.ts'
import { quoted } from '../../src/core/shell-word.ts'
import { formatForTarget, openFile } from '../../src/formats/index.ts'
import type { Report } from '../../src/pipeline/report/report.ts'
import { pipeline, table } from '../pipeline/farm.ts'
import { startWorld, type Ran, type World } from './world.ts'

let world: World
beforeEach(async () => {
  world = startWorld()
  await world.publishFarms()
})
afterEach(() => world.close())

const zip = 'samples/rimu-farm/Rimu paddocks FINAL v3.zip'
const holding = ['--holding', 'nz.example.farm-number:00412876', '--zone', 'Pacific/Auckland']

async function importing(...words: readonly string[]): Promise<Report> {
  const { out, failure } = await world.run([...words, '--json'])
  if (failure !== undefined) throw failure
  return JSON.parse(out) as Report
}

/** Writes a file again as a program would, after a person changed its rows; `to` may be in another format. */
async function rewrite(
  path: string,
  change: (row: Row) => Row | undefined,
  to = path,
  layers: readonly string[] = ['rejected'],
): Promise<void> {
  const { tables, close } = await openFile(await fileSource(path))
  const [table] = tables
  const rows: Row[] = []
  for await (const batch of table!.batches()) rows.push(...batch.map(change).filter((row) => row !== undefined))
  await close()
  const { crs, hasGeometry } = table!
  const columns = table!.columns ?? Object.keys(rows[0]!.values).map((name) => ({ name }))
  const sheets = layers.map((name) => ({
    name,
    columns,
    hasGeometry,
    ...(crs === undefined ? {} : { crs }),
    async *rows() {
      await Promise.resolve()
      yield rows
    },
  }))
  const target = await fileTarget(to)
  await formatForTarget(to).write!(sheets, target, to.endsWith('.zip') ? { cut: true } : {})
  await target.commit()
}

const withValues = (row: Row, values: Values): Row => ({ ...row, values: { ...row.values, ...values } })

/** Corrects a sample's two rejected paddocks: one crosses itself, the other has a day that does not exist. */
function corrected(row: Row): Row {
  if (row.values['PADDOCK_ID'] === '012') return withValues(row, { SOWN: '28/02/2026' })
  const { shape } = row
  const [xs, ys] = [0, 1].map((axis) => shape!.coordinates.filter((_, at) => at % 2 === axis))
  const [west, east] = [Math.min(...xs!), Math.max(...xs!)]
  const [south, north] = [Math.min(...ys!), Math.max(...ys!)]
  const coordinates = Float64Array.of(west, south, west, north, east, north, east, south, west, south)
  return { ...row, shape: { ...shape!, coordinates, ends: [5], parts: [1] } }
}

async function plots(): Promise<ReadonlyMap<string, Record<string, unknown>>> {
  const { out } = await world.run(['service', 'changes', 'plots', '--json'])
  const bodies = out
    .trim()
    .split('\n')
    .flatMap((line) => (JSON.parse(line) as { readonly items: readonly Record<string, unknown>[] }).items)
  return new Map(bodies.map((body) => [String(body['dataPointKey']).split('/').at(-1)!, body]))
}

describe('the rejected rows of the sample', () => {
  let first: Report
  beforeEach(async () => {
    first = await importing('import', zip, ...holding)
    expect(first.rows).toMatchObject({ read: 24, ready: 22, rejected: 2 })
  })

  test('corrected in their file, are published with the choices of their run, and close its books', async () => {
    await rewrite(first.files['rejected']!, corrected)
    const { exit, out } = await world.run(['retry', first.run])
    expect(out).toContain(`2 of 2 rejected rows of run ${first.run} are now published; that run is complete:`)
    expect(out).toContain('24 read = 22 ready + 0 unchanged + 0 skipped + 2 corrected\n')
    expect(exit).toBe(0)
    const held = await plots()
    expect(held.size).toBe(24)
    expect(held.get('012')).toMatchObject({
      name: 'Kererū',
      crops: [{ name: 'RG', establishmentDate: '2026-02-28T00:00:00+13:00' }],
    })
    // The whole file, corrected, has nothing more to send.
    await rewrite(join(world.folder, zip), (row) =>
      ['006', '012'].includes(row.values['PADDOCK_ID'] as string) ? corrected(row) : row,
    )
    expect(await importing('import', zip, ...holding)).toMatchObject({ rows: { read: 24, unchanged: 24 } })
  })

  test('corrected one after the other, are counted together', async () => {
    await rewrite(first.files['rejected']!, (row) => (row.values['PADDOCK_ID'] === '012' ? corrected(row) : row))
    const half = await importing('retry', 'last')
    const books = { run: first.run, read: 24, ready: 22, unchanged: 0, skipped: 0, takenOut: 0 }
    expect(half).toMatchObject({ exit: 3, rows: { read: 2, ready: 1, rejected: 1 } })
    expect(half.retries).toEqual({ ...books, corrected: 1, rejected: 1 })
    expect(half.retry?.file).toBe(half.files['rejected'])
    await rewrite(half.files['rejected']!, corrected)
    const whole = await importing('retry', 'last')
    expect(whole).toMatchObject({ exit: 0, rows: { read: 1, ready: 1 } })
    expect(whole.retries).toEqual({ ...books, corrected: 2, rejected: 0 })
  })

  test('corrected in a copy elsewhere, belong to the run that --run names', async () => {
    const copy = join(world.folder, 'corrected.zip')
    await rewrite(first.files['rejected']!, corrected, copy)
    const { exit, failure } = await world.run(['retry', 'corrected.zip'])
    expect([exit, failure?.code]).toEqual([2, 'run-unknown'])
    expect(failure!.hint).toContain(`windrow retry corrected.zip --run ${first.run}`)
    const report = await importing('retry', 'corrected.zip', '--run', first.run)
    expect(report).toMatchObject({ exit: 0, retries: { corrected: 2, rejected: 0 } })
  })

  test('in one of several layers of a corrected file, are found by --layer', async () => {
    const copy = join(world.folder, 'corrected.zip')
    await rewrite(first.files['rejected']!, corrected, copy, ['drawn', 'corrected'])
    const words = ['retry', 'corrected.zip', '--run', first.run]
    const { exit, failure } = await world.run(words)
    expect(exit).toBe(2)
    expect(failure!.message).toContain('2 layers')
    const report = await importing(...words, '--layer', 'corrected')
    expect(report).toMatchObject({ exit: 0, retries: { corrected: 2, rejected: 0 } })
  })

  test('are named by their run, as the report says it, or by their file', async () => {
    const state = join(first.files['rejected']!, '../../..')
    const command = `windrow retry ${first.run} --state ${quoted(state)}`
    expect(first.retry).toEqual({ file: first.files['rejected'], command })
    await rewrite(first.files['rejected']!, corrected)
    for (const words of [[first.files['rejected']!], [first.run, '--state', state]])
      expect(await importing('retry', ...words)).toMatchObject({ retries: { corrected: 2 } })
  })

  test('are repaired further if geometry.repair allows it', async () => {
    const report = await importing('retry', first.run, '--set', 'geometry.repair=15 %')
    expect(report).toMatchObject({ rows: { read: 2, ready: 1, rejected: 1 }, retries: { corrected: 1, rejected: 1 } })
    const page = readFileSync(report.files['page']!, 'utf8')
    expect(page).toContain(`Corrected rows of run ${first.run}: 1 of 2 published. 1 still to correct.`)
    expect((await plots()).has('006')).toBe(true)
  })

  test('are rejected again if they are not corrected; the report names what to do next', async () => {
    const { exit, out } = await world.run(['retry', first.run])
    expect(exit).toBe(3)
    expect(out).toContain(`0 of 2 rejected rows of run ${first.run} are now published; 2 still to correct:`)
    expect(out).toMatch(
      /Unpack rejected\.zip where it is, correct the rows in rejected\.shp, save it, and type: {2}windrow retry \S+-2\n/,
    )
  })

  /** Corrects the rejected rows in a folder in which they were unpacked. */
  const unpack = async (folder: string): Promise<string> => {
    mkdirSync(folder, { recursive: true })
    const zipped = join(world.folder, 'rejected.zip')
    await rewrite(first.files['rejected']!, corrected, zipped)
    for (const member of await membersOfZip(await fileSource(zipped)))
      writeFileSync(join(folder, basename(member.name)), await readAll(member.source, 1e8))
    return join(folder, 'rejected.shp')
  }
  /** Writes the corrected rows to another file. */
  const correct = async (name: string): Promise<string> => {
    const file = resolve(world.folder, name)
    await rewrite(first.files['rejected']!, corrected, file)
    return file
  }
  const ofRun = (): string => dirname(first.files['rejected']!)

  test.each<[string, () => Promise<readonly string[]>]>([
    ['beside their zip, by the run', async () => (await unpack(ofRun()), ['last'])],
    ['beside their zip, by their file', async () => [await unpack(ofRun())]],
    ['in a folder of the run, by the run', async () => (await unpack(join(ofRun(), 'rejected')), ['last'])],
    ['in a folder of the run, by that folder', async () => [dirname(await unpack(join(ofRun(), 'rejected')))]],
    ['by the folder of the run', async () => (await unpack(ofRun()), [ofRun()])],
    ['elsewhere, with --run', async () => [await unpack(join(world.folder, 'desk')), '--run', first.run]],
    ['elsewhere, by their folder', async () => [dirname(await unpack(join(world.folder, 'desk'))), '--run', first.run]],
    ['elsewhere, as a GeoPackage', async () => [await correct('corrected.gpkg'), '--run', first.run]],
    [
      'in the folder of the run, as a GeoPackage',
      async () => (await correct(join(ofRun(), 'rejected.gpkg')), ['last']),
    ],
  ])('are read unpacked and corrected: %s', async (_, wordsAfter) => {
    const words = await wordsAfter()
    expect(await importing('retry', ...words)).toMatchObject({ exit: 0, retries: { corrected: 2, rejected: 0 } })
    expect((await plots()).get('006')).toHaveProperty('spatialFeature')
  })

  test('that were taken out of their file are settled', async () => {
    const rejected = first.files['rejected']!
    await rewrite(rejected, (row) => (row.values['PADDOCK_ID'] === '012' ? corrected(row) : undefined))
    const { exit, out } = await world.run(['retry', 'last'])
    expect(exit).toBe(0)
    expect(out).toContain(
      `1 of 2 rejected rows of run ${first.run} is now published; 1 row was taken out; that run is complete:`,
    )
    expect(out).toContain('24 read = 22 ready + 0 unchanged + 0 skipped + 1 corrected + 1 taken out\n')
  })
})

test('a dry run names no command for its rejected rows', async () => {
  const dry = await world.run(['import', zip, ...holding, '--dry-run'])
  expect(dry.out).toContain('rejected.zip')
  expect(dry.out).not.toContain('windrow retry')
})

describe('a pipeline that deletes what is gone and limits its rejected rows', () => {
  const nightly = (file: string, more = ''): string =>
    pipeline({
      from: `{ file: ${file}${more} }`,
      record: '{ name: <Name>, totalArea: { from: Area, unit: ha } }',
      gone: 'delete',
      rules: '{ rejected: stop above 90 %, deletes: stop above 90 % }',
      columns: '{ expect: [No, Name, Area], new: stop }',
    })
  const write = (name: string, text: string | Uint8Array): void => writeFileSync(join(world.folder, name), text)
  const rejectedIn = (): string => {
    const runs = join(world.folder, '.windrow/runs')
    const folder = join(runs, readdirSync(runs).toSorted().at(-1)!)
    const name = readdirSync(folder).find((each) => each.startsWith('rejected'))!
    return join(folder, name)
  }
  /** Corrects a file by replacing a text everywhere. */
  const replaceIn = (file: string, from: string | RegExp, to: string): void =>
    writeFileSync(file, readFileSync(file, 'utf8').replaceAll(from, to))
  /** A night of nightly.yaml over these rows. */
  const night = (rows: string, ...more: readonly string[]): Promise<Ran> => {
    write('nightly.csv', table(`No|Name|Area; ${rows}`))
    return world.run(['run', 'nightly.yaml', ...more])
  }
  const ids = async (): Promise<readonly string[]> => [...(await plots()).keys()].toSorted()

  test.each(['csv', 'xlsx'])(
    'one row of a CSV with semicolons and another encoding, corrected as %s',
    async (extension) => {
      const dialect = ', encoding: windows-1252, delimiter: ";", decimal: comma, header: 2'
      write('nightly.yaml', nightly('nightly.csv', dialect))
      const rows = (third: string): Buffer =>
        Buffer.from(`My farm;;\nNo;Name;Area\n1;Caf\u00e9;1,5\n2;Two;2,5\n3;Three;${third}\n`, 'latin1')
      write('nightly.csv', rows('viel'))
      expect(await world.run(['run', 'nightly.yaml'])).toMatchObject({ exit: 3 })
      const file = rejectedIn()
      if (extension === 'csv') replaceIn(file, 'viel', '3,5')
      else await rewrite(file, (row) => withValues(row, { Area: 3.5 }), file.replace(/csv$/, 'xlsx'))
      const report = await importing('retry', 'last')
      expect(report).toMatchObject({ exit: 0, rows: { read: 1, ready: 1 }, gone: { gone: 0 } })
      expect(report.retries).toMatchObject({ read: 3, ready: 2, corrected: 1, rejected: 0 })
      expect(await ids()).toEqual(['1', '2', '3'])
      expect((await plots()).get('3')).toMatchObject({ name: 'Three', totalArea: { measurement: 3.5 } })
      // The next night compares with the whole file.
      write('nightly.csv', rows('3,5'))
      expect(await importing('run', 'nightly.yaml')).toMatchObject({ exit: 0, rows: { unchanged: 3 } })
    },
  )

  test('rows of a KML file come back as KML', async () => {
    const placemark = (no: string, area: string): string =>
      `<Placemark><name>${no}</name><ExtendedData><Data name="No"><value>${no}</value></Data><Data name="Name"><value>Paddock ${no}</value></Data><Data name="Area"><value>${area}</value></Data></ExtendedData><Polygon><outerBoundaryIs><LinearRing><coordinates>175.3,-37.8 175.301,-37.8 175.301,-37.799 175.3,-37.799 175.3,-37.8</coordinates></LinearRing></outerBoundaryIs></Polygon></Placemark>`
    write('map.yaml', nightly('map.kml').replace('columns:', '#'))
    write(
      'map.kml',
      `<?xml version="1.0"?><kml xmlns="http://www.opengis.net/kml/2.2"><Document>${placemark('1', '1')}${placemark('2', 'viel')}</Document></kml>`,
    )
    expect(await world.run(['run', 'map.yaml'])).toMatchObject({ exit: 3 })
    const file = rejectedIn()
    expect(file).toMatch(/rejected\.kml$/)
    replaceIn(file, 'viel', '2')
    expect(await importing('retry', 'last')).toMatchObject({ exit: 0, retries: { corrected: 1, rejected: 0 } })
    expect((await plots()).get('2')).toMatchObject({ spatialFeature: { geometry: { type: 'Polygon' } } })
  })

  test('a placemark without a name comes back without one, and not called after its problem', async () => {
    const map = (points: string): string =>
      `<kml xmlns="http://www.opengis.net/kml/2.2"><Document><Placemark><ExtendedData><Data name="No"><value>7</value></Data></ExtendedData><Polygon><outerBoundaryIs><LinearRing><coordinates>${points}</coordinates></LinearRing></outerBoundaryIs></Polygon></Placemark></Document></kml>`
    write('map.kml', map('175.3,-37.8 175.301,-37.8 175.3,-37.799 175.301,-37.799 175.3,-37.8'))
    write('map.yaml', pipeline({ from: '{ file: map.kml }', record: '{ name: <name>, totalArea: measured }' }))
    expect(await world.run(['run', 'map.yaml'])).toMatchObject({ exit: 3 })
    const file = rejectedIn()
    const sound = '175.3,-37.8 175.301,-37.8 175.301,-37.799 175.3,-37.799 175.3,-37.8'
    replaceIn(file, /<coordinates>[^<]*/g, `<coordinates>${sound}`)
    expect(await importing('retry', 'last')).toMatchObject({ exit: 0, retries: { corrected: 1 } })
    expect((await plots()).get('7')).not.toHaveProperty('name')
  })

  test('of which the pipeline takes only some, are published', async () => {
    write('nightly.yaml', `${nightly('nightly.csv')}only: { Name: [One, Two] }\n`)
    expect(await night('1|One|1; 2|Two|viel; 3|Three|3')).toMatchObject({ exit: 3 })
    const file = rejectedIn()
    replaceIn(file, 'viel', '2')
    expect(await importing('retry', file)).toMatchObject({ exit: 0, retries: { corrected: 1, rejected: 0 } })
    expect(await ids()).toEqual(['1', '2'])
  })

  test('an undone retry leaves its rows rejected', async () => {
    write('nightly.yaml', nightly('nightly.csv'))
    await night('1|One|1; 2|Two|viel')
    const file = rejectedIn()
    const text = readFileSync(file, 'utf8')
    writeFileSync(file, text.replace('viel', '2'))
    expect(await importing('retry', file)).toMatchObject({ retries: { corrected: 1, rejected: 0 } })
    expect(await world.run(['undo', 'last', '--yes'])).toMatchObject({ exit: 0 })
    writeFileSync(file, text)
    expect(await importing('retry', file)).toMatchObject({ retries: { corrected: 0, rejected: 1 } })
  })

  test('a retry whose undo was taken back counts again', async () => {
    write('nightly.yaml', nightly('nightly.csv'))
    await night('1|One|1; 2|Two|viel; 3|Three|viel', '--allow', 'rejected')
    const file = rejectedIn()
    const [head, two, three] = readFileSync(file, 'utf8').replaceAll('viel', '2').split('\r\n')
    writeFileSync(file, [head, two, ''].join('\r\n'))
    expect(await importing('retry', file)).toMatchObject({ retries: { corrected: 1, takenOut: 1, rejected: 0 } })
    const undo = await importing('undo', 'last', '--yes')
    expect((await importing('undo', undo.run, '--yes')).exit).toBe(0)
    writeFileSync(file, [head, three, ''].join('\r\n'))
    const both = { corrected: 2, takenOut: 0, rejected: 0 }
    expect(await importing('retry', file)).toMatchObject({ exit: 0, retries: both })
    expect(await ids()).toEqual(['1', '2', '3'])
  })

  test.each(['csv', 'xlsx'])('rows with nothing left to correct are settled in a file of the kind %s', async (kind) => {
    write('nightly.yaml', nightly(`nightly.${kind}`))
    write('nightly.csv', 'No,Name,Area\n1,One,1\n,North,\n2,Two,2\n,South,\n')
    if (kind === 'xlsx')
      await rewrite(join(world.folder, 'nightly.csv'), (row) => row, join(world.folder, 'nightly.xlsx'))
    expect(await importing('run', 'nightly.yaml')).toMatchObject({ exit: 3, rows: { ready: 2, rejected: 2 } })
    const file = rejectedIn()
    const nothing = (row: Row) => withValues(row, { Name: null, problem: null, hint: null })
    if (kind === 'csv') writeFileSync(file, `${readFileSync(file, 'utf8').split('\r\n')[0]}\r\n`)
    else await rewrite(file, nothing)
    const { exit, out } = await world.run(['retry', 'last'])
    expect(out).toContain('are now published; 2 rows were taken out; that run is complete:')
    expect(out).toContain('4 read = 2 ready + 0 unchanged + 0 skipped + 0 corrected + 2 taken out\n')
    expect(exit).toBe(0)
  })

  test('a dry run takes nothing out', async () => {
    write('nightly.yaml', nightly('nightly.csv'))
    await night('1|One|1; 2|Two|viel; 3|Three|viel', '--allow', 'rejected')
    const file = rejectedIn()
    const text = readFileSync(file, 'utf8')
    const [head, two] = text.split('\r\n')
    writeFileSync(file, [head, two, ''].join('\r\n'))
    await importing('retry', file, '--dry-run')
    writeFileSync(file, text)
    expect(await importing('retry', file)).toMatchObject({ retries: { corrected: 0, takenOut: 0, rejected: 2 } })
  })

  describe('text that a spreadsheet program would take for a formula', () => {
    const nights = ['-A,-3 Creek', '+B,+2 Hill', "'=C,'@ flat", "'D,'Top", '-5,=E']
    const inTable = (area: string): string => `No,Name,-Area\n${nights.map((each) => `${each},${area}\n`).join('')}`
    const allowing = (file: string): string =>
      nightly(file)
        .replaceAll(/Area\b/g, '"-Area"')
        .replace('total"-Area"', 'totalArea')
        .replace('90 %', '100 %')

    test.each<[string, (file: string) => Promise<string>]>([
      [
        'corrected in its file',
        async (file) => {
          const text = readFileSync(file, 'utf8')
          expect(text).toContain("'-A,'-3 Creek,1x")
          writeFileSync(file, text.replaceAll('1x', '1.5'))
          return file
        },
      ],
      [
        'typed anew without the apostrophe',
        async (file) => {
          const text = readFileSync(file, 'utf8').replaceAll('1x', '1.5')
          writeFileSync(file, text.replace("'-A,'-3 Creek", '-A,-3 Creek'))
          return file
        },
      ],
      [
        'saved as a workbook elsewhere',
        async (file) => {
          const workbook = join(world.folder, 'corrected.xlsx')
          await rewrite(file, (row) => withValues(row, { "'-Area": 1.5 }), workbook)
          return workbook
        },
      ],
    ])('comes back as it was: %s', async (_, correct) => {
      write('nightly.yaml', allowing('nightly.csv'))
      write('nightly.csv', inTable('2.5'))
      const run = await importing('run', 'nightly.yaml')
      expect(run).toMatchObject({ exit: 0, records: { created: 5 } })
      const names = async () => new Map([...(await plots())].map(([key, { name }]) => [key, name]))
      const before = await names()
      write('nightly.csv', inTable('1x'))
      const rejecting = await importing('run', 'nightly.yaml')
      expect(rejecting).toMatchObject({ exit: 3, rows: { rejected: 5 } })
      const file = await correct(rejectedIn())
      const { exit, records, retries } = await importing('retry', file, '--run', rejecting.run)
      expect({ exit, records }).toMatchObject({ exit: 0, records: { created: 0, updated: 5 } })
      expect(retries).toMatchObject({ corrected: 5, takenOut: 0, rejected: 0 })
      expect(await names()).toEqual(before)
      expect((await plots()).get('-A')).toMatchObject({ totalArea: { measurement: 1.5 } })
    })

    test('keeps an apostrophe of its own in a workbook', async () => {
      write('nightly.csv', inTable('2.5'))
      write('nightly.yaml', allowing('nightly.xlsx'))
      const workbook = join(world.folder, 'nightly.xlsx')
      await rewrite(join(world.folder, 'nightly.csv'), (row) => withValues(row, { '-Area': '1x' }), workbook)
      expect(await world.run(['run', 'nightly.yaml'])).toMatchObject({ exit: 3 })
      const file = rejectedIn()
      expect(file).toMatch(/xlsx$/)
      await rewrite(file, (row) => withValues(row, { '-Area': 1.5 }))
      expect(await importing('retry', file)).toMatchObject({ exit: 0, records: { created: 5 } })
      expect([...(await plots()).values()].map(({ name }) => name)).toContain("'@ flat")
    })
  })

  test('a row that lost the zeros of its id is rejected', async () => {
    write('nightly.yaml', nightly('nightly.csv'))
    await night('001|Two|1')
    await night('001|Two|1; 002|Two|viel')
    const file = rejectedIn()
    const text = readFileSync(file, 'utf8').replace('viel', '3')
    writeFileSync(file, text.replace('002', '2'))
    const report = await importing('retry', file)
    expect(report).toMatchObject({ exit: 3, rows: { read: 1, rejected: 1 }, retries: { corrected: 0 } })
    const { hint } = report.problems.find(({ code }) => code === 'corrected-id-respelt')!.first[0]!
    expect(hint).toContain('Write "002" again.')
    expect(await ids()).toEqual(['001'])
    writeFileSync(file, text)
    expect(await importing('retry', file)).toMatchObject({ exit: 0, retries: { corrected: 1 } })
  })

  test('a row with the id of one that was not rejected is rejected, and the run stays open', async () => {
    write('nightly.yaml', nightly('nightly.csv'))
    await night('1|One|1; 2|Two|2; 3|Three|viel', '--allow', 'rejected')
    const file = rejectedIn()
    const text = readFileSync(file, 'utf8').replace('viel', '3')
    writeFileSync(file, text.replace('3,Three', '1,Three'))
    const report = await importing('retry', file)
    expect(report).toMatchObject({ exit: 3, rows: { read: 1, rejected: 1 }, retries: { corrected: 0 } })
    expect(report.problems.map(({ code }) => code)).toContain('row-outdated')
    expect((await plots()).get('1')).toMatchObject({ name: 'One' })
    writeFileSync(file, text)
    const again = await importing('retry', file)
    expect(again).toMatchObject({ exit: 0, records: { created: 1 }, retries: { corrected: 1 } })
  })

  test('a row whose record somebody else has changed since is rejected', async () => {
    write('nightly.yaml', nightly('nightly.csv'))
    await night('1|One|1; 2|Two|2')
    await night('1|Won|viel; 2|Too|viel', '--allow', 'rejected')
    const file = rejectedIn()
    const held = (await plots()).get('2')!
    const modified = new Date(Date.now() + 60_000).toISOString()
    const edited = { ...held, name: 'Tui', meta: { ...(held['meta'] as object), modified } }
    write('elsewhere.json', JSON.stringify([edited]))
    expect(await world.run(['service', 'publish', 'plots', 'elsewhere.json'])).toMatchObject({ exit: 0 })
    replaceIn(file, 'viel', '3')
    const report = await importing('retry', file)
    expect(report).toMatchObject({ exit: 3, rows: { read: 2, ready: 1, rejected: 1 }, retries: { corrected: 1 } })
    expect(report.problems.find(({ code }) => code === 'row-outdated')!.first[0]!.message).toMatch(/^Another program/)
    const named = (name: string): unknown => expect.objectContaining({ name })
    expect(Object.fromEntries(await plots())).toEqual({ 1: named('Won'), 2: named('Tui') })
  })

  describe('a rejected row that was corrected in the file of the pipeline, too,', () => {
    let file: string
    beforeEach(async () => {
      write('nightly.yaml', nightly('nightly.csv'))
      await night('1|One|1; 2|Two|2')
      await night('1|One|1; 2|Old name|viel')
      file = rejectedIn()
      replaceIn(file, 'viel', '2')
      await night('1|One|1; 2|New name|2')
    })

    test('does not overwrite what a later run has published', async () => {
      const report = await importing('retry', file)
      expect(report).toMatchObject({ exit: 3, rows: { read: 1, ready: 0, rejected: 1 }, retries: { corrected: 0 } })
      expect(report.problems.map(({ code }) => code)).toContain('row-outdated')
      expect((await plots()).get('2')).toMatchObject({ name: 'New name' })
    })

    test('is published after the later run was undone, and may then be corrected again', async () => {
      await world.run(['undo', 'last', '--yes'])
      expect(await importing('retry', file)).toMatchObject({ exit: 0, retries: { corrected: 1 } })
      replaceIn(file, 'Old name', 'Other name')
      expect(await importing('retry', file)).toMatchObject({ exit: 0, records: { updated: 1 } })
      expect((await plots()).get('2')).toMatchObject({ name: 'Other name' })
    })
  })
})

describe('a run that was stopped before sending', () => {
  test('offers no retry, and is not retried', async () => {
    await importing('import', zip, ...holding)
    const again = [zip, ...holding, '--key', 'NAME', '--set', 'blank=keep']
    const stopped = await world.run(['import', ...again])
    expect(stopped.exit).toBe(6)
    expect(stopped.out).toContain('Nothing was sent. Correct the file and import it again.')
    expect(stopped.out).not.toContain('windrow retry')
    const report = JSON.parse((await world.run(['import', ...again, '--json'])).out) as Report
    expect(report).not.toHaveProperty('retry')
    const before = await plots()
    for (const words of [[report.run], [report.files['rejected']!]]) {
      const { failure } = await world.run(['retry', ...words])
      expect(failure).toMatchObject({ code: 'run-unusable', exit: 2, hint: 'Correct the file and import it again.' })
      expect(failure!.message).toContain('was stopped before sending')
    }
    expect(await plots()).toEqual(before)
  })

  test('is not retried by "last": the newest run that sent something is', async () => {
    const sent = await importing('import', zip, ...holding)
    await world.run(['import', zip, ...holding, '--key', 'NAME', '--set', 'blank=keep'])
    await rewrite(sent.files['rejected']!, corrected)
    expect((await world.run(['retry', 'last'])).out).toContain(`rejected rows of run ${sent.run} are`)
  })
})

test('the rejected rows of a dry run are not retried', async () => {
  const dry = await importing('import', zip, ...holding, '--dry-run')
  const { failure } = await world.run(['retry', dry.files['rejected']!])
  expect(failure).toMatchObject({ code: 'run-unusable', exit: 2 })
  expect(failure!.message).toContain('was a dry run')
})
