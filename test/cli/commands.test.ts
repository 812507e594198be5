import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import os from 'node:os'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { everyCommand, specsOf } from '../../src/cli/options/command.ts'
import { commandsFor, loadCommands } from '../../src/cli/commands.ts'
import { helpOf } from '../../src/cli/program.ts'
import type { WindrowError } from '../../src/core/error.ts'
import { fileSource } from '../../src/core/sources/source.ts'
import { formats, openFile } from '../../src/formats/index.ts'
import { pipelineSchema } from '../../src/pipeline/definition/definition-schema.ts'
import { demoCredentials } from '../../src/service/store/accounts.ts'
import { collection, pipeline } from '../pipeline/farm.ts'
import { startWorld, type Ran, type World } from './world.ts'

let world: World
beforeEach(() => {
  world = startWorld()
})
afterEach(() => world.close())

const zip = 'samples/rimu-farm/Rimu paddocks FINAL v3.zip'
const holding = ['--holding', 'nz.example.farm-number:00412876']
const holdings = 'samples/rimu-farm/holdings.csv'
const importHoldings = ['import', holdings, '--to', 'holdings', '--holding', 'nz.example.farm-number']

const write = (name: string, text: string): void => writeFileSync(join(world.folder, name), text)
const read = (name: string): string => readFileSync(join(world.folder, name), 'utf8')
/** The environment of somebody without a service. */
const bare = (): Record<string, string> => ({
  HOME: world.folder,
  LOCALAPPDATA: world.folder,
  XDG_STATE_HOME: world.env['XDG_STATE_HOME']!,
})
/** Replaces a text in a file. */
const change = (name: string, from: string | RegExp, to: string): void => write(name, read(name).replace(from, to))

/** Expects that a command ends with 0 and prints this. */
async function prints(words: readonly string[], text: string, more: Parameters<World['run']>[1] = {}): Promise<Ran> {
  const ran = await world.run(words, more)
  expect(ran.exit).toBe(0)
  expect(ran.out).toContain(text)
  return ran
}

/** Expects that a command fails with this status and code. */
async function fails(words: readonly string[], exit: number, code: string): Promise<WindrowError> {
  const { failure, ...ran } = await world.run(words)
  expect([ran.exit, failure?.code]).toEqual([exit, code])
  return failure!
}

test('only the called command is loaded; anything else needs names and summaries only', async () => {
  const all = (await loadCommands()).map(({ name }) => name)
  for (const name of all) expect((await commandsFor([name, '--help'])).map((each) => each.name)).toEqual([name])
  for (const words of [[], ['--help'], ['--version'], ['imprt'], ['toString']]) {
    const listed = await commandsFor(words)
    expect(listed.map(({ name }) => name)).toEqual(all)
    expect(listed.every((entry) => 'parts' in entry && entry.parts.length === 0)).toBe(true)
  }
})

describe.each(everyCommand(await loadCommands()))('windrow $words', ({ words: called, command }) => {
  test('explains itself, each argument and each option', () => {
    const help = helpOf(command)
    expect(help).toContain(command.summary.slice(0, 30))
    for (const { name, description } of specsOf(command.words))
      expect(help).toMatch(new RegExp(`${name}[^]*${description.slice(0, 10)}`))
    for (const { name, description } of specsOf(command.options)) {
      expect(help).toContain(name)
      expect(description).toMatch(/^\S.{9,}$/)
    }
    expect(command.examples.length).toBeGreaterThan(0)
  })

  test('understands its own examples', async () => {
    for (const example of command.examples) {
      expect(example).toMatch(new RegExp(`^windrow ${called}( |$)`))
      const words = example.split(' ').slice(1 + called.split(' ').length)
      const { failure } = await world.run([...called.split(' '), '--help', ...words])
      expect(failure, example).toBeUndefined()
    }
  })
})

describe('a mistyped command gets a message with a way out', () => {
  test.each([
    [['imprt', 'x.csv'], 'import'],
    [['import'], 'file'],
    [['import', zip, '--crss', 'x'], '--crs'],
    [['import', zip, '--encoding', 'utf-8'], '--set from.encoding=VALUE'],
    [['import', zip, '--set', 'blank=maybe'], 'keep or clear'],
    [['import', zip, '--to', 'tractors'], 'plots'],
    [['import', 'nothing.zip'], 'spelling'],
    [['export', 'cows', '-o', 'x.csv'], 'work-records'],
    [['export', 'plots'], '-o FILE'],
    [['export', 'plots', '-o', 'x.docx'], '.xlsx'],
    [['export', 'work-records', '-o', 'x.csv', '--from', '2026-02-30'], '2026-09-01'],
    [['export', 'work-records', '-o', 'x.csv', '--zone', 'Nowhere'], 'Pacific/Auckland'],
    [['export', 'plots', '-o', 'x.csv', '--holding', 'Moa Farm'], 'no holding'],
    [['schedule', 'nowhere'], 'folder'],
    [['serve', '--port', 'x'], 'whole number'],
    [['inspect', zip, '--set', 'from.header=0'], 'such as 2-3'],
  ])('%j', async (words, hint) => {
    const { exit, failure } = await world.run(words)
    expect(exit).toBe(2)
    expect(`${failure?.message} ${failure?.hint}`).toContain(hint)
  })
})

describe('inspect', () => {
  test('shows what a file contains, to people and to programs', async () => {
    const { out } = await world.run(['inspect', zip])
    for (const text of ['24 rows', '24 Polygon', 'NZTM2000 EPSG:2193', 'PADDOCK_ID', 'date d/M/yyyy', 'text (id)'])
      expect(out).toContain(text)
    const { out: json } = await world.run(['inspect', zip, '--json'])
    expect(JSON.parse(json)).toMatchObject({
      format: 'shapefile',
      layers: [{ rows: 24, geometry: { Polygon: 24 }, crs: { code: 'EPSG:2193' } }],
    })
  })

  test('draws the layer and fits its table to a wide terminal, but never in JSON', async () => {
    const onTerminal = async (columns: number, ...words: readonly string[]): Promise<string> => {
      let shown = ''
      const out = { isTTY: true, columns, write: (text: string) => (shown += text) }
      await world.run(['inspect', zip, ...words], { terminal: { out, err: out } })
      return shown
    }
    const isDrawn = (shown: string): boolean => /[\u2801-\u28ff]/.test(shown)
    const wide = await onTerminal(100)
    expect(isDrawn(wide)).toBe(true)
    expect(isDrawn(await onTerminal(50))).toBe(false)
    expect(isDrawn(await onTerminal(100, '--json'))).toBe(false)
    expect((await world.run(['inspect', zip])).out).not.toMatch(/[\u2801-\u28ff]/)
  })

  test('shows the cells that do not fit the type of their column', async () => {
    const days = Array.from({ length: 12 }, (_, index) => `${index + 1},Oats,1/${index + 1}/2026,3.5`)
    write('doubts.csv', `id,Crop,Sown,Area\n${days.join('\n')}\n13,Oats,1/13/26,n/a\n`)
    const { out } = await world.run(['inspect', 'doubts.csv'])
    expect(out).toContain('Sown: 1 of 13 is not a real date: 1/13/26, row 14')
    expect(out).toContain('The dates in column "Sown" of doubts are ambiguous: 1/2/2026 is 1 February or 2 January.')
    expect(out).toContain('Area: 12 of 13 are numbers')
  })

  test('lists the layers where the named one does not exist', async () => {
    const { failure } = await world.run(['inspect', zip, '--layer', 'padocks'])
    expect(failure).toMatchObject({ code: 'layer-unclear', hint: expect.stringContaining('Did you mean "paddocks"?') })
  })

  test('shows which rows cannot be read', async () => {
    write('ragged.csv', 'a,b\n1,2\n3\n4,5,6\n')
    const { out } = await world.run(['inspect', 'ragged.csv'])
    expect(out).toContain('error: 2 rows, first 3:')
    const { out: json } = await world.run(['inspect', 'ragged.csv', '--json'])
    expect(JSON.parse(json)).toMatchObject({
      layers: [{ inRows: [{ code: 'row-ragged', count: 2, first: { at: { row: 3 } } }] }],
    })
  })

  test('reads standard input', async () => {
    const { exit, out } = await world.run(['inspect', '-', '--json'], { typed: 'a;b\n1;x\n2;y\n' })
    expect(exit).toBe(0)
    expect(JSON.parse(out)).toMatchObject({ format: 'csv', layers: [{ rows: 2 }] })
  })

  test('shows names without obeying their control characters', async () => {
    write('evil.csv', 'a,\u001b[2Jb\n1,\u001b]0;title\u0007x\n')
    const { out } = await world.run(['inspect', 'evil.csv'])
    expect(out).not.toMatch(/[\u001b\u0007]/)
  })
})

describe('import', () => {
  test('publishes a farm in one go, and nothing the second time', async () => {
    const farms = await world.run(importHoldings)
    expect(farms.exit).toBe(0)
    expect(farms.out).toMatch(/^to holdings at /m)
    const first = await world.run(['import', zip, ...holding, '--zone', 'Pacific/Auckland', '--report', 'report.html'])
    expect(first.exit).toBe(3)
    for (const text of ['24 of 24 filled, all different', '22 created', 'all 22 seen', '2 rows need you'])
      expect(first.out).toContain(text)
    for (const text of ['boundary-crosses-itself', 'feature 6 "Ōtāne flat"']) expect(first.out).toContain(text)
    expect(read('report.html')).toContain('Done, 2 rows need you')
    const { out } = await world.run(['import', zip, ...holding, '--zone', 'Pacific/Auckland', '--json'])
    expect(JSON.parse(out)).toMatchObject({ rows: { read: 24, unchanged: 22, rejected: 2 }, records: { ready: 0 } })
  })

  test('makes a dry run without a service, and refuses to publish without one', async () => {
    const nowhere = { env: bare() }
    const dry = await world.run(['import', zip, ...holding, '--dry-run', '--out', 'ready.ndjson'], nowhere)
    expect(dry.exit).toBe(3)
    expect(dry.out).toContain('22 would be created')
    expect(read('ready.ndjson').trim().split('\n')).toHaveLength(22)
    const real = await world.run(['import', zip, ...holding], nowhere)
    expect([real.exit, real.failure?.code]).toEqual([2, 'connection-missing'])
    expect(real.failure!.hint).toContain('windrow connect')
  })

  test('needs no service with --connection none, although one is saved', async () => {
    const without = [...holding, '--connection', 'none']
    const unasked = { fetch: () => Promise.reject(new Error('The service was asked.')) }
    const dry = await world.run(['import', zip, ...without, '--dry-run'], unasked)
    expect(dry.out).toContain('to plots of nz.example.farm-number:00412876 without a service')
    expect((await world.run(['plan', zip, ...without], unasked)).out).toContain('22 to create')
    expect((await world.run(['init', zip, '--to', 'plots', ...without], unasked)).exit).toBe(0)
    expect((await world.run(['import', zip, ...without], unasked)).failure).toMatchObject({
      code: 'connection-missing',
      message: 'This needs a service, and --connection none chooses none.',
    })
  })

  const unwritable: readonly (readonly [string, string])[] = [
    ['--out', 'samples'],
    ['--out', 'samples/README.md/ready.ndjson'],
    ['--report', 'samples/README.md/report.html'],
    ['--report', 'folder.html'],
  ]
  test.each(unwritable)('notices that %s %s cannot be written before anything is sent', async (option, path) => {
    await world.run(importHoldings)
    mkdirSync(join(world.folder, 'folder.html'))
    await fails(['import', zip, ...holding, option, path], 2, 'target-unwritable')
    expect((await world.run(['import', zip, ...holding, '--dry-run'])).out).toContain('22 would be created')
  })

  test.each(['samples/rimu-farm/nightly.csv', 'pipelines/nightly-paddocks.yaml'])(
    'does not write %s, which the run reads',
    async (path) => {
      const before = readFileSync(join(world.folder, path))
      await fails(['run', 'pipelines/nightly-paddocks.yaml', '--dry-run', '--out', path], 2, 'target-exists')
      expect(readFileSync(join(world.folder, path))).toEqual(before)
    },
  )

  test('says on Windows that a backslash before a quote keeps a word open', async () => {
    const words = ['schedule', 'C:\\my farm" --once']
    const { failure } = await world.run(words, { platform: 'win32' })
    expect(failure?.message).toBe('Windows took "C:\\my farm" and what follows it for one word.')
    expect((await world.run(words, { platform: 'linux' })).failure?.code).toBe('file-missing')
  })

  test.skipIf(process.platform === 'win32')('does not write a link to the file that the run reads', async () => {
    const read = join(world.folder, 'samples/rimu-farm/nightly.csv')
    const before = readFileSync(read)
    symlinkSync(read, join(world.folder, 'ready.ndjson'))
    const words = ['run', 'pipelines/nightly-paddocks.yaml', '--dry-run', '--out', 'ready.ndjson']
    expect((await world.run(words)).failure?.code).toBe('target-exists')
    expect(readFileSync(read)).toEqual(before)
  })

  test('prints the result on standard error where the report cannot be written', async () => {
    await world.run(importHoldings)
    const runs = join(world.folder, 'mine/runs')
    const fetch: typeof globalThis.fetch = (input, init) => {
      const request = new Request(input, init)
      if (request.method === 'POST' && request.url.endsWith('/resources'))
        mkdirSync(join(runs, readdirSync(runs)[0]!, 'report.json'))
      return Promise.resolve(world.fetch(request))
    }
    const { exit, err } = await world.run(['import', zip, ...holding, '--state', 'mine'], { fetch })
    expect(exit).toBe(3)
    expect(err).toMatch(
      /The report of run \S+ was not written\. .* 22 created, 0 updated, 0 refused, 0 unsent \(exit 3\)/,
    )
  })

  test.each([
    ['--out', 'ready.ndjson'],
    ['--report', 'report.html'],
  ])('keeps its exit status and says so when %s can be written no more once it was sent', async (option, path) => {
    await world.run(importHoldings)
    const fetch: typeof globalThis.fetch = (input, init) => {
      const request = new Request(input, init)
      if (request.method === 'POST' && request.url.endsWith('/resources')) mkdirSync(join(world.folder, path))
      return Promise.resolve(world.fetch(request))
    }
    const { exit, out, err, failure } = await world.run(['import', zip, ...holding, option, path], { fetch })
    expect(out).toContain('22 created')
    expect(failure).toBeUndefined()
    expect(exit).toBe(3)
    expect(err).toMatch(/The run itself ended with exit 3; the same content is in ".*runs.*"/)
    expect(readdirSync(world.folder).filter((name) => name.endsWith('.part'))).toEqual([])
  })

  test('refuses to publish without a certain key, and names a possible one', async () => {
    await world.run(importHoldings)
    const row = 'Top flat,Kale,"POLYGON((175.3 -37.8,175.301 -37.8,175.301 -37.799,175.3 -37.8))"'
    write('plots.csv', `Name,Crop,WKT\n${row}\n${row}\n`)
    const refused = await world.run(['import', 'plots.csv', ...holding])
    expect(refused.failure).toMatchObject({ code: 'choices-missing', exit: 2 })
    const dry = await world.run(['import', 'plots.csv', ...holding, '--dry-run'])
    expect(dry.out).toContain('No id column found. Row numbers are used for this preview only.')
    expect(dry.out).toContain('is the same as that of "Top flat" (row 2): ')
    expect(await world.run(['import', 'plots.csv', ...holding, '--key', 'Nmae'])).toMatchObject({ exit: 2 })
  })
})

test('exported records that are imported again do not become new records', async () => {
  await world.run(['run', 'pipelines/holdings.yaml', 'pipelines/onboard-paddocks.yaml'])
  await world.run(['export', 'plots', '-o', 'back.geojson'])
  await prints(['import', 'back.geojson', ...holding], '22 read = 0 ready + 22 unchanged')
})

test('coordinates with the latitude first are exchanged, which is said, when every row has them so', async () => {
  const ring = [[-37.8, 175.3], [-37.8, 175.301], [-37.799, 175.301], [-37.8, 175.3]] // oxfmt-ignore
  const feature = { type: 'Feature', properties: { id: '1' }, geometry: { type: 'Polygon', coordinates: [ring] } }
  write('swapped.geojson', collection([feature]))
  await world.publishFarms()
  const run = await world.run(['import', 'swapped.geojson', ...holding, '--key', 'id', '--dry-run'])
  expect(run).toMatchObject({ exit: 0, out: expect.stringContaining('latitude comes before longitude') as string })
})

test('windrow alone shows the help', async () => {
  await prints([], 'Usage: windrow')
})

describe('a pipeline', () => {
  test('runs for an account without a name, as in a container', async () => {
    const { userInfo } = os
    os.userInfo = (() => {
      throw new Error('uv_os_get_passwd returned ENOENT')
    }) as typeof userInfo
    syncBuiltinESMExports()
    try {
      const { out } = await world.run(['run', 'pipelines/nightly-paddocks.yaml', '--dry-run'])
      expect(out).toContain('22 read')
    } finally {
      os.userInfo = userInfo
      syncBuiltinESMExports()
    }
  })

  test('is drafted, checked and run', async () => {
    await world.run(importHoldings)
    const more = [...holding, '--zone', 'Pacific/Auckland', '-o', 'paddocks.yaml']
    const drafted = await world.run(['init', zip, '--to', 'plots', ...more])
    expect(drafted.out).toContain('key: <PADDOCK_ID>')
    expect(drafted.out).toContain('codes such as RG,')
    expect(drafted.out).toContain('Read it, then:')
    await prints(['check', 'paddocks.yaml'], '1 of 1 examples')
    await fails(['init', zip, ...holding, '-o', 'paddocks.yaml'], 2, 'target-unwritable')
    const run = await world.run(['run', 'paddocks.yaml'])
    expect(run).toMatchObject({ exit: 6, out: expect.stringContaining('the limit is 5 %') as string })
  })

  test('is drafted with its schema beside it, which editors find by the first line', async () => {
    await world.run(['init', zip, ...holding, '-o', 'pipelines/paddocks.yaml'])
    const [first] = read('pipelines/paddocks.yaml').split('\n')
    const [, path] = /^# yaml-language-server: \$schema=(.+)$/.exec(first!)!
    const schema = JSON.parse(readFileSync(join(world.folder, 'pipelines', path!), 'utf8')) as unknown
    expect(schema).toEqual(pipelineSchema(formats))
  })

  test('fails its check when an example gives another record', async () => {
    change('pipelines/holdings.yaml', 'gives: { name: Rimu Farm', 'gives: { name: Moa Farm')
    const { exit, out } = await world.run(['check', 'pipelines/holdings.yaml'])
    expect(exit).toBe(2)
    expect(out).toContain('Moa Farm')
  })

  test('of several: the worst exit status counts, and every run is listed', async () => {
    const names = ['holdings', 'onboard-paddocks', 'land-covers'].map((name) => `pipelines/${name}.yaml`)
    expect(await world.run(['run', ...names])).toMatchObject({ exit: 3 })
    const { out } = await world.run(['runs', '--state', 'pipelines/.windrow'])
    const listed = out.match(/\S+-(holdings|onboard-paddocks|land-covers)$/gm)
    expect(listed).toHaveLength(3)
    expect(out).toMatch(/done, exit 3 +24 +22 +0 +0 +2\s/)
  })

  test('prints each doubt about the whole file in its own words', async () => {
    await world.run(['run', 'pipelines/holdings.yaml'])
    write('days.csv', 'No,Name,Sown,Cut\n1,Swamp,2026/03/01,2026/10/01\n2,Terrace,,\n')
    const day = (column: string): string => `{ from: <${column}>, date: yyyy-MM-dd, zone: UTC }`
    const record = `{ name: <Name>, crops: [{ establishmentDate: ${day('Sown')}, harvestDate: ${day('Cut')} }] }`
    write(
      'days.yaml',
      pipeline({ from: '{ file: days.csv }', record, rules: '{ other-reading: warn, rejected: stop above 90 % }' }),
    )
    const { out } = await world.run(['run', 'days.yaml', '--dry-run'])
    for (const column of ['Sown', 'Cut'])
      expect(out).toContain(`warning  The pipeline reads "${column}" as year-month-day (yyyy-MM-dd), but 1 date`)
  })

  test('takes over what an import published, when asked to', async () => {
    await world.run(['run', 'pipelines/holdings.yaml'])
    const csv = (ids: readonly string[]): string => `No,Name\n${ids.map((id) => `${id},Paddock ${id}\n`).join('')}`
    write('all.csv', csv(['1', '2', '3', '4', '5']))
    const all = ['import', 'all.csv', '--to', 'plots', ...holding, '--key', 'No', '--state', 'state']
    expect(await world.run(all)).toMatchObject({ exit: 0 })
    write('some.csv', csv(['1', '2', '3', '4']))
    write('some.yaml', pipeline({ from: '{ file: some.csv }', gone: 'delete' }))
    const first = await world.run(['run', 'some.yaml', '--state', 'state'])
    expect(first).toMatchObject({ exit: 0 })
    expect(first.out).toContain('warning  1 record of this farm is in the service but not in the file: "5".')
    const would = await world.run(['run', 'some.yaml', '--state', 'state', '--take-over', '--dry-run'])
    expect(would.out).toContain('1 would be deleted')
    const taken = await world.run(['run', 'some.yaml', '--state', 'state', '--take-over'])
    expect(taken).toMatchObject({ exit: 0, out: expect.stringContaining('1 deleted') as string })
    const { failure } = await world.run(['run', 'pipelines/spraying-last-month.yaml', '--take-over'])
    expect(failure).toMatchObject({ code: 'option-invalid' })
  })

  test('takes over its own records after the state folder was lost', async () => {
    await world.run(['run', 'pipelines/holdings.yaml'])
    const writePlots = (ids: readonly number[]): void =>
      write('plots.csv', `No,Name\n${ids.map((id) => `${id},Paddock ${id}\n`).join('')}`)
    write('plots.yaml', pipeline({ from: '{ file: plots.csv }', gone: 'delete' }))
    const run = ['run', 'plots.yaml', '--state', 'state']
    writePlots([1, 2, 3, 4, 5])
    await prints(run, '5 created')
    rmSync(join(world.folder, 'state', 'runs'), { recursive: true })
    for (const name of readdirSync(join(world.folder, 'state')).filter((each) => each.startsWith('ledger.db')))
      rmSync(join(world.folder, 'state', name))
    writePlots([1, 2, 3, 4])
    const plain = await world.run(run)
    expect(plain.exit).toBe(0)
    expect(plain.out).toContain('1 record of this farm is in the service but not in the file: "5".')
    expect(plain.out).not.toContain('1 deleted')
    await prints([...run, '--take-over'], '1 deleted')
    const after = await world.run(run)
    expect(after.exit).toBe(0)
    expect(after.out).not.toContain('in the service but not in the file')
  })

  test("that exports writes last month's work", async () => {
    await world.run(importHoldings)
    const clock = (): Date => new Date('2026-11-20T00:00:00Z')
    const { exit, out } = await world.run(['run', 'pipelines/spraying-last-month.yaml'], { clock })
    expect(exit).toBe(0)
    expect(out).toContain('of 12 records matched')
    expect(readdirSync(join(world.folder, 'out'))).toEqual(['Spraying 2026-10.xlsx'])
  })
})

describe('export', () => {
  test.each(['csv', 'geojson', 'xlsx', 'zip'])('writes plots as .%s', async (ending) => {
    await world.run(['run', 'pipelines/holdings.yaml', 'pipelines/onboard-paddocks.yaml'])
    const ofRimu = ['--holding', 'Rimu Farm', '--set', 'to.folders=make']
    await prints(['export', 'plots', ...ofRimu, '-o', `out/plots.${ending}`], '22 records were written')
    expect(statSync(join(world.folder, `out/plots.${ending}`)).size).toBeGreaterThan(1000)
    const { out: json } = await world.run(['inspect', `out/plots.${ending}`, '--json'])
    if (ending !== 'xlsx') expect(JSON.parse(json)).toMatchObject({ layers: [{ rows: 22 }] })
  })

  const october = ['export', 'work-records', '--from', '2026-10-01', '--until', '2026-10-31']
  const inAuckland = async (words: readonly string[]): Promise<Ran> => {
    vi.stubEnv('TZ', 'Pacific/Auckland')
    try {
      return await world.run(words)
    } finally {
      vi.unstubAllEnvs()
    }
  }

  test.each(['csv', 'xlsx'])("without --zone counts days in the machine's zone, and names it: .%s", async (ending) => {
    const flat = [...october, '--set', 'to.layout=flat']
    await world.run(importHoldings)
    const told = await world.run([...flat, '--zone', 'Pacific/Auckland', '-o', `told.${ending}`])
    expect(told.out).toContain('Days and times in Pacific/Auckland\n')
    const own = await inAuckland([...flat, '-o', `own.${ending}`])
    expect(own.out).toContain("Days and times in Pacific/Auckland, this machine's zone\n")
    expect(own.out).not.toMatch(/cannot contain the zone/)
    const rows = async (path: string): Promise<readonly object[]> => {
      const { tables } = await openFile(await fileSource(join(world.folder, path)), { formats })
      const read: object[] = []
      for await (const batch of tables[0]!.batches()) read.push(...batch.map(({ values }) => values))
      return read
    }
    const [ownRows, toldRows] = [await rows(`own.${ending}`), await rows(`told.${ending}`)]
    expect(ownRows).toEqual(toldRows)
    expect(ownRows.map((row) => row['Name' as keyof object])).toContain('Spray Rāhui before sowing')
    for (const name of ['Start', 'End', 'Modified']) expect(ownRows[0]).toHaveProperty([`${name} (Pacific/Auckland)`])
    expect(Object.keys(ownRows[0]!)).not.toContain('Start')
  })

  test("by a pipeline without a zone has the machine's too, in its day and its file name", async () => {
    await world.run(importHoldings)
    const path = join(world.folder, 'today.yaml')
    writeFileSync(path, 'windrow: 1\nexport: work-records\nonly: { day: today }\nto: { file: "{day}.csv" }\n')
    vi.stubEnv('TZ', 'Pacific/Auckland')
    const run = await world.run(['run', path, '--json'], { clock: () => new Date('2026-09-30T20:00:00Z') })
    vi.unstubAllEnvs()
    expect(JSON.parse(run.out)).toMatchObject({ zone: 'Pacific/Auckland', records: { written: 1 } })
    expect(read('2026-10-01.csv')).toContain('Start (Pacific/Auckland)')
  })

  test('notices that its file cannot be written before it asks the service', async () => {
    let asked = 0
    const fetch: typeof globalThis.fetch = (input, init) => {
      asked += 1
      return Promise.resolve(world.fetch(new Request(input, init)))
    }
    mkdirSync(join(world.folder, 'plots.csv'))
    const { failure } = await world.run(['export', 'plots', '-o', 'plots.csv'], { fetch })
    expect([failure?.code, asked]).toEqual(['target-unwritable', 0])
  })

  test('leaves nothing behind when the service fails in the middle', async () => {
    await world.run(['run', 'pipelines/holdings.yaml', 'pipelines/onboard-paddocks.yaml'])
    const fetch: typeof globalThis.fetch = () => Promise.resolve(new Response('', { status: 503 }))
    const { exit } = await world.run(['export', 'plots', '--set', 'to.folders=make', '-o', 'out/plots.csv'], { fetch })
    expect(exit).toBe(4)
    expect(existsSync(join(world.folder, 'out/plots.csv'))).toBe(false)
  })

  test.skipIf(process.platform === 'win32' || process.getuid?.() === 0)(
    'reports a folder that cannot be written',
    async () => {
      await world.run(importHoldings)
      mkdirSync(join(world.folder, 'locked'))
      chmodSync(join(world.folder, 'locked'), 0o500)
      await fails(['export', 'plots', '-o', 'locked/plots.csv'], 2, 'target-unwritable')
    },
  )
})

describe('connect', () => {
  const tokenUrl = 'http://127.0.0.1:8080/auth/realms/windrow'
  const words = ['connect', 'http://127.0.0.1:8080', '--as', 'farms', '--token-url', tokenUrl]
  const account = ['--client-id', demoCredentials.clientId, '--username', demoCredentials.username, '--secret-stdin']
  const secrets = `${demoCredentials.password}\n${demoCredentials.clientSecret}\n`

  test('tries the account, saves it for its owner only, and shows what it may write', async () => {
    await world.run(importHoldings)
    const { exit, out, err } = await world.run([...words, ...account], { typed: secrets })
    expect(exit).toBe(0)
    expect(out).toContain('nz.example.farm-number:00412876')
    const kept = join(world.env['XDG_STATE_HOME']!, 'windrow', 'connections', 'farms.json')
    if (process.platform === 'linux') expect(statSync(kept).mode & 0o777).toBe(0o600)
    for (const secret of [demoCredentials.password, demoCredentials.clientSecret])
      expect(out + err).not.toContain(secret)
    const env = bare()
    expect(
      await world.run(['export', 'holdings', '--set', 'to.folders=make', '-o', 'out/holdings.csv'], { env }),
    ).toMatchObject({
      exit: 0,
    })
  })

  /** A person at a terminal, who answers each question as it comes. */
  async function typing(answers: readonly string[], more: readonly string[] = [], fetch?: typeof globalThis.fetch) {
    const stdin = Object.assign(new PassThrough(), { isTTY: true })
    const left = [...answers]
    let err = ''
    const write = (text: string): void => {
      err += text
      if (text.endsWith(': ')) setImmediate(() => stdin.write(left.shift() ?? '\u0003'))
    }
    const ran = await world.run(['connect', 'http://127.0.0.1:8080', ...more], {
      stdin,
      ...(fetch === undefined ? {} : { fetch }),
      terminal: { out: { write: () => undefined }, err: { write } },
    })
    return { ...ran, err, left }
  }
  const folderOfConnections = (): string => join(world.env['XDG_STATE_HOME']!, 'windrow', 'connections')

  test.each([
    ['Ctrl-C', '\u0003'],
    ['Ctrl-D', '\u0004'],
  ])('stops at %s with 130 and saves nothing, at any question', async (_, key) => {
    const answers = ['farms\r', 'http://127.0.0.1:8080/auth/realms/windrow\r', 'client\r', 'user\r', 'geheim\r']
    for (let at = 0; at <= answers.length; at += 1) {
      const { exit, failure, left, err } = await typing([...answers.slice(0, at), key, 'x\r'])
      expect([exit, failure?.code, left]).toEqual([130, 'interrupted', ['x\r']])
      expect(err).not.toContain('geheim')
    }
    expect(existsSync(folderOfConnections())).toBe(false)
  })

  test('asks again at once for an answer that is empty or cannot be used, before any secret', async () => {
    const { clientId, username, password, clientSecret } = demoCredentials
    const typed = ['a/b', 'farms', 'login.example', 'http://login.example', tokenUrl, '', clientId, '', username]
    const { exit, err } = await typing([...typed, '', password, clientSecret].map((answer) => `${answer}\r`))
    expect(exit).toBe(0)
    expect(err.match(/Please type an answer/g)).toHaveLength(3)
    expect(err).toContain('Please type an answer, such as farm-office, or Ctrl-C to stop.')
    expect(err).toMatch(/is not allowed as the name[^]*not a web address[^]*plain http[^]*Client id/)
    expect(err.match(/^Address for signing in/gm)).toHaveLength(3)
    expect(err).not.toContain(password)
    expect(existsSync(join(folderOfConnections(), 'farms.json'))).toBe(true)
  })

  test('proposes the address for signing in that the service names', async () => {
    const { clientId, username, password, clientSecret } = demoCredentials
    const { exit, err } = await typing(['', '', clientId, username, password, clientSecret].map((each) => `${each}\r`))
    expect(exit).toBe(0)
    expect(err).toContain('Address for signing in [http://127.0.0.1:8080/auth/realms/windrow]: ')
    const kept = JSON.parse(readFileSync(join(folderOfConnections(), '127.0.0.1.json'), 'utf8')) as { tokenUrl: string }
    expect(kept.tokenUrl).toBe(tokenUrl)
  })

  test('asks with an example where the service names no address for signing in', async () => {
    const fetch = () => Promise.resolve(new Response('', { status: 401 }))
    const { exit, err } = await typing(['\r', '\r', '\u0003'], [], fetch)
    expect(exit).toBe(130)
    expect(err).toContain('Please type an answer, such as http://127.0.0.1:8080/auth/realms/farms, or Ctrl-C to stop.')
  })

  test.each([
    ['no password', [...words, ...account], 'no password'],
    ['an empty option', [...words, '--client-id', '', '--secret-stdin'], 'is empty'],
    [
      'a service address that is not a web address',
      ['connect', 'farms.example', '--secret-stdin'],
      'not a web address',
    ],
  ])('refuses %s', async (_, said, sentence) => {
    const { exit, failure } = await world.run(said, { typed: '\n' })
    expect(exit).toBe(2)
    expect(failure?.message).toContain(sentence)
  })

  test('saves nothing when the account is refused', async () => {
    const { exit, failure } = await world.run([...words, ...account], { typed: 'wrong\nwrong\n' })
    expect(exit).toBe(5)
    expect(failure?.code).toBe('sign-in-refused')
    expect(existsSync(join(world.env['XDG_STATE_HOME']!, 'windrow', 'connections', 'farms.json'))).toBe(false)
  })
})

/** The office's program writes the file each night, so a schedule takes an older one for forgotten. */
const writeTonight = (): void => {
  const evening = new Date('2027-01-05T12:00:00Z')
  utimesSync(join(world.folder, 'samples/rimu-farm/nightly.csv'), evening, evening)
}

test('schedule runs what is due, once, and nothing else', async () => {
  await world.run(importHoldings)
  writeTonight()
  const at = (time: string) => ({ clock: () => new Date(time) })
  const once = ['schedule', 'pipelines', '--once']
  const first = 'nightly-paddocks  next run at 2027-01-06 02:15 (Pacific/Auckland)'
  await prints(once, first, at('2027-01-05T10:00:00Z'))
  const due = await world.run(once, at('2027-01-05T20:00:00Z'))
  expect(due.out).toContain('nightly-paddocks  due 2027-01-06 02:15 (Pacific/Auckland), starting')
  expect(due.out).toContain('22 created')
  expect((await world.run(once, at('2027-01-05T20:01:00Z'))).out).not.toContain('starting')
})

describe('schedule with a broken pipeline in its folder', () => {
  const at = (time: string) => ({ clock: () => new Date(time) })
  const good = 'windrow: 1\nexport: plots\nto: { file: a.csv }\nschedule: { cron: "15 2 * * *", zone: UTC }\n'
  const once = ['schedule', 'pipelines', '--once']
  let broken: string
  beforeEach(() => {
    broken = join(world.folder, 'pipelines/broken.yaml')
  })

  test.each([
    ['a wrong indent', 'windrow: 1\n import: plots\n', 'broken.yaml'],
    ['an impossible time', good.replace('15 2', '61 2'), 'The schedule "61 2 * * *"'],
  ])('runs the others, names the one with %s, and exits with 2', async (_, text, sentence) => {
    await world.run(importHoldings)
    writeTonight()
    writeFileSync(broken, text)
    await world.run(once, at('2027-01-05T10:00:00Z'))
    const due = await world.run(once, at('2027-01-05T20:00:00Z'))
    expect(due).toMatchObject({ exit: 2, out: expect.stringContaining('22 created') as string, failure: undefined })
    expect(due.err).toMatch(/^broken\.yaml: /)
    expect(due.err).toContain(sentence)
    rmSync(broken)
    expect((await world.run(once, at('2027-01-05T20:01:00Z'))).exit).toBe(0)
  })

  test('continues, reports it once and again when it changes, and runs it when it is repaired', async () => {
    const texts = ['windrow: 1\n import: plots\n', 'windrow: 1\nexport: cows\n', good]
    let looks = 0
    const stop = new AbortController()
    writeFileSync(broken, texts[0]!)
    const { exit, out, err } = await world.run(['schedule', 'pipelines'], {
      ...at('2027-01-05T10:00:00Z'),
      signal: stop.signal,
      sleep: () => {
        looks += 1
        if (looks % 3 === 0) {
          const next = texts[looks / 3]
          if (next === undefined) rmSync(broken, { force: true })
          else writeFileSync(broken, next)
        }
        if (looks === 12) stop.abort()
        return Promise.resolve()
      },
    })
    expect(exit).toBe(0)
    expect(err.match(/^broken\.yaml: /gm)).toHaveLength(2)
    expect(err.match(/cows/g)).not.toBeNull()
    expect(out.match(/nightly-paddocks {2}next run at/g)).toHaveLength(1)
    expect(out.match(/broken {2}next run at 2027-01-06 02:15 \(UTC\)/g)).toHaveLength(1)
    expect(out.match(/broken {2}is no longer scheduled/g)).toHaveLength(1)
  })

  test('says that a pipeline is a file where its folder is wanted', async () => {
    write('night.yaml', 'windrow: 1\n')
    const { exit, failure } = await world.run(['schedule', 'night.yaml', '--once'])
    expect(exit).toBe(2)
    expect(failure?.message).toMatch(/night\.yaml" is a file, not a folder\.$/)
  })

  test('reports that all pipelines are gone, and continues', async () => {
    const folder = join(world.folder, 'share')
    const away = `${folder} away`
    mkdirSync(folder)
    writeFileSync(join(folder, 'plots.yaml'), good)
    const stop = new AbortController()
    let looks = 0
    const { exit, out, err } = await world.run(['schedule', 'share', '--state', 'state'], {
      ...at('2027-01-05T10:00:00Z'),
      signal: stop.signal,
      sleep: () => {
        looks += 1
        if (looks === 2) renameSync(folder, away)
        if (looks === 4) renameSync(away, folder)
        if (looks === 6) stop.abort()
        return Promise.resolve()
      },
    })
    expect(exit).toBe(0)
    expect(err.match(/The folder ".*share" was not found/g)).toHaveLength(1)
    expect(out.match(/plots {2}next run at/g)).toHaveLength(2)
  })
})

describe('a pipeline with agreed columns and readings', () => {
  test.each<[string, (text: string) => string, string, string]>([
    ['another separator', (text) => text.replaceAll(',', '.').replaceAll(';', ','), 'column-missing', 'delimiter: ","'],
    ['titles above the header', (text) => `Rimu Farm\n\n${text}`, 'column-missing', 'header: 3'],
    [
      'dates in another format',
      (text) => text.replace(/(\d{4})-(\d\d)-(\d\d)/g, '$3/$2/$1'),
      'rule-stopped',
      'date: d/M/yyyy',
    ],
  ])('stops at %s and shows what to write into it', async (_, spoil, code, hint) => {
    expect(await world.run(importHoldings)).toMatchObject({ exit: 0 })
    write('samples/rimu-farm/nightly.csv', spoil(read('samples/rimu-farm/nightly.csv')))
    change('pipelines/nightly-paddocks.yaml', ', settled: 5 s', ', header: 1')
    const { exit, out, failure } = await world.run(['run', 'pipelines/nightly-paddocks.yaml'])
    expect(exit).toBe(6)
    expect(failure?.code ?? code).toBe(code)
    expect(`${out} ${failure?.hint}`).toContain(hint)
  })
})

describe('a damaged file of windrow', () => {
  const state = (): string => join(world.folder, 'pipelines/.windrow')
  beforeEach(async () => {
    await world.run(['run', 'pipelines/holdings.yaml'])
  })

  test('a report that cannot be read is named, and the other runs are listed', async () => {
    await world.run(['run', 'pipelines/holdings.yaml'])
    const [first, second] = readdirSync(join(state(), 'runs')).toSorted()
    writeFileSync(join(state(), 'runs', first!, 'report.json'), '{"windrow": "rep')
    const { exit, out, err } = await world.run(['runs', '--state', 'pipelines/.windrow'])
    expect(exit).toBe(0)
    expect(out).toContain(second)
    expect(out).not.toContain(`${first} `)
    expect(err).toContain(`The report of run ${first} cannot be read`)
  })

  test.each(['', 'shopping list'])('a ledger that contains "%s" is set aside, with a warning', async (content) => {
    writeFileSync(join(state(), 'ledger.db'), content)
    const { exit, out } = await world.run(['run', 'pipelines/holdings.yaml'])
    expect(exit).toBe(0)
    expect(out).toContain('2 unchanged')
    const kept = readdirSync(state()).find((name) => name.startsWith('ledger-damaged-'))
    expect(out).toMatch(new RegExp(`warning +The ledger .*was damaged .*The old one is kept as "${kept}"`))
    expect(readFileSync(join(state(), kept!), 'utf8')).toBe(content)
  })

  test('a memory of the schedule that is damaged is to be moved away: no run replaces it', async () => {
    writeFileSync(join(state(), 'schedule.db'), 'shopping list'.repeat(100))
    const once = ['schedule', 'pipelines', '--once']
    expect((await world.run(once)).failure).toMatchObject({
      code: 'state-damaged',
      hint: expect.stringContaining('Move it away') as string,
    })
    rmSync(join(state(), 'schedule.db'))
    expect((await world.run(once)).exit).toBe(0)
  })

  test.each(['samples/README.md', 'samples/README.md/below'])(
    '--state %s cannot be created: an error message',
    async (wrong) => {
      const { exit, failure } = await world.run(['run', 'pipelines/holdings.yaml', '--state', wrong])
      expect([exit, failure?.name]).toEqual([2, 'WindrowError'])
    },
  )
})

describe('a night without a file to read', () => {
  test('leaves a run with that reason', async () => {
    write('samples/rimu-farm/nightly.csv', '')
    change('pipelines/nightly-paddocks.yaml', ', settled: 5 s', '')
    expect(await world.run(['run', 'pipelines/nightly-paddocks.yaml'])).toMatchObject({ exit: 2 })
    const { out } = await world.run(['runs', '--state', 'pipelines/.windrow'])
    expect(out).toMatch(/stopped, exit 2 .*\s+\S+-nightly-paddocks\n +"nightly.csv" is empty/)
    const [report] = JSON.parse((await world.run(['runs', '--state', 'pipelines/.windrow', '--json'])).out)
    expect(report).toMatchObject({ error: { code: 'file-empty' }, rows: { read: 0 } })
    expect(readFileSync(report.files.page, 'utf8')).toContain('nightly.csv')
  })

  test('names the pipeline that fails, whatever the reason', async () => {
    const nowhere = { env: bare() }
    const { err } = await world.run(['run', 'pipelines/holdings.yaml', 'pipelines/land-covers.yaml'], nowhere)
    expect(err.match(/windrow: (holdings|land-covers)\.yaml: /g)).toHaveLength(2)
  })

  test('does not stop the other pipelines of the same command', async () => {
    const { exit, out, err } = await world.run(['run', 'pipelines/nowhere.yaml', 'pipelines/holdings.yaml'])
    expect(exit).toBe(2)
    expect(err).toContain('nowhere.yaml')
    expect(out).toContain('2 created')
  })
})
