import { chmodSync, existsSync, mkdirSync, readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { everyCommand } from '../../src/cli/command.ts'
import { commandsFor, loadCommands } from '../../src/cli/commands.ts'
import { helpOf } from '../../src/cli/program.ts'
import { demoCredentials } from '../../src/service/accounts.ts'
import { startWorld, type World } from './world.ts'

let world: World
beforeEach(() => {
  world = startWorld()
})
afterEach(() => world.close())

const zip = 'samples/rimu-farm/Rimu paddocks FINAL v3.zip'
const holding = ['--holding', 'nz.example.farm-number:00412876']
const importHoldings = [
  'import',
  'samples/rimu-farm/holdings.csv',
  '--to',
  'holdings',
  '--holding',
  'nz.example.farm-number',
]

test('a command that is called is loaded alone, and for anything else all are', async () => {
  const all = (await loadCommands()).map(({ name }) => name)
  for (const name of all) expect((await commandsFor([name, '--help'])).map((each) => each.name)).toEqual([name])
  for (const words of [['-V'], ['--version']]) expect(await commandsFor(words)).toEqual([])
  for (const words of [[], ['--help'], ['imprt'], ['toString']])
    expect((await commandsFor(words)).map(({ name }) => name)).toEqual(all)
})

describe.each(everyCommand(await loadCommands()))('windrow $words', ({ words: called, command }) => {
  test('explains itself, each word and option', () => {
    const help = helpOf(command)
    expect(help).toContain(command.summary.slice(0, 30))
    for (const { name, description } of command.words)
      expect(help).toMatch(new RegExp(`${name}[^]*${description.slice(0, 10)}`))
    for (const { flags, description } of command.options) {
      expect(help).toContain(flags)
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

describe('what is typed wrongly is told with a way out', () => {
  test.each([
    [['imprt', 'x.csv'], 'import'],
    [['import'], 'file'],
    [['import', zip, '--crss', 'x'], '--crs'],
    [['import', zip, '--blank', 'maybe'], 'keep, clear'],
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
    [['inspect', zip, '--header', '0'], 'such as 2-3'],
  ])('%j', async (words, hint) => {
    const { exit, failure } = await world.run(words)
    expect(exit).toBe(2)
    expect(`${failure?.message} ${failure?.hint}`).toContain(hint)
  })
})

describe('inspect', () => {
  test('says what is in a file, for people and for programs', async () => {
    const { out } = await world.run(['inspect', zip])
    for (const text of ['24 rows', '24 Polygon', 'NZTM2000 EPSG:2193', 'PADDOCK_ID', 'date d/M/yyyy', 'text (id)'])
      expect(out).toContain(text)
    const { out: json } = await world.run(['inspect', zip, '--json'])
    expect(JSON.parse(json)).toMatchObject({
      format: 'shapefile',
      layers: [{ rows: 24, geometry: { Polygon: 24 }, crs: { code: 'EPSG:2193' } }],
    })
  })

  test('draws the layer and fits its table where there is a terminal wide enough, and never into JSON', async () => {
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

  test('says what keeps a column from being all of a kind', async () => {
    const days = Array.from({ length: 12 }, (_, index) => `${index + 1},1/${index + 1}/2026,3.5`)
    writeFileSync(join(world.folder, 'doubts.csv'), `id,Sown,Area\n${days.join('\n')}\n13,1/13/26,n/a\n`)
    const { out } = await world.run(['inspect', 'doubts.csv'])
    expect(out).toContain('Sown: 1 of 13 are no such date, first 1/13/26 in row 14')
    expect(out).toContain('d/M/yyyy and M/d/yyyy read the same 12; nothing tells them apart')
    expect(out).toContain('Area: 12 of 13 are numbers')
  })

  test('names the layers where the one asked for is not there', async () => {
    const { failure } = await world.run(['inspect', zip, '--layer', 'padocks'])
    expect(failure).toMatchObject({ code: 'layer-unclear', hint: expect.stringContaining('Did you mean "paddocks"?') })
  })

  test('says which rows cannot be read', async () => {
    writeFileSync(join(world.folder, 'ragged.csv'), 'a,b\n1,2\n3\n4,5,6\n')
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

  test('shows names without obeying them', async () => {
    writeFileSync(join(world.folder, 'evil.csv'), 'a,\u001b[2Jb\n1,\u001b]0;title\u0007x\n')
    const { out } = await world.run(['inspect', 'evil.csv'])
    expect(out).not.toMatch(/[\u001b\u0007]/)
  })
})

describe('import', () => {
  test('onboards a farm in one go, and again without sending anything', async () => {
    expect(await world.run(importHoldings)).toMatchObject({ exit: 0 })
    const first = await world.run(['import', zip, ...holding, '--zone', 'Pacific/Auckland', '--report', 'report.html'])
    expect(first.exit).toBe(3)
    for (const text of [
      '24 of 24 filled, all different',
      '22 created',
      'all 22 seen',
      '2 rows need you',
      'boundary-crosses-itself',
      '"Ōtāne flat"',
    ])
      expect(first.out).toContain(text)
    expect(readFileSync(join(world.folder, 'report.html'), 'utf8')).toContain('Done, 2 rows need you')
    const { out } = await world.run(['import', zip, ...holding, '--zone', 'Pacific/Auckland', '--json'])
    expect(JSON.parse(out)).toMatchObject({ rows: { read: 24, unchanged: 22, rejected: 2 }, records: { ready: 0 } })
  })

  test('tries it out without a service, and refuses to publish without one', async () => {
    const nowhere = {
      env: { HOME: world.folder, LOCALAPPDATA: world.folder, XDG_STATE_HOME: join(world.folder, 'state') },
    }
    const dry = await world.run(['import', zip, ...holding, '--dry-run', '--out', 'ready.ndjson'], nowhere)
    expect(dry.exit).toBe(3)
    expect(dry.out).toContain('22 would be created')
    expect(readFileSync(join(world.folder, 'ready.ndjson'), 'utf8').trim().split('\n')).toHaveLength(22)
    const real = await world.run(['import', zip, ...holding], nowhere)
    expect(real).toMatchObject({
      exit: 2,
      failure: { code: 'connection-missing', hint: expect.stringContaining('windrow connect') as string },
    })
  })

  test.each([
    ['--out', 'samples'],
    ['--report', 'samples/README.md/report.html'],
  ])('shows its report also when %s cannot be written', async (option, path) => {
    await world.run(importHoldings)
    const { exit, out, failure } = await world.run(['import', zip, ...holding, option, path])
    expect(out).toContain('22 created')
    expect(exit).toBe(2)
    expect(failure?.code).toBe('target-unwritable')
  })

  test('refuses to publish what has no sure key, and names one that might do', async () => {
    await world.run(importHoldings)
    writeFileSync(join(world.folder, 'plots.csv'), 'Name,Crop\nTop flat,Kale\nTop flat,Kale\n')
    const refused = await world.run(['import', 'plots.csv', ...holding])
    expect(refused.failure).toMatchObject({ code: 'key-missing', exit: 2 })
    const dry = await world.run(['import', 'plots.csv', ...holding, '--dry-run'])
    expect(dry.out).toContain('the row number stands in')
    expect(await world.run(['import', 'plots.csv', ...holding, '--key', 'Nmae'])).toMatchObject({ exit: 2 })
  })
})

test('what was exported is not taken for new records when it comes back', async () => {
  await world.run(['run', 'pipelines/holdings.yaml', 'pipelines/onboard-paddocks.yaml'])
  await world.run(['export', 'plots', '-o', 'back.geojson'])
  const { exit, failure } = await world.run(['import', 'back.geojson', ...holding])
  expect(exit).toBe(2)
  expect(failure).toMatchObject({ code: 'key-missing', message: expect.stringContaining('a second time') as string })
})

test('latitudes first are turned, and told, when every row has them so', async () => {
  const ring = [
    [-37.8, 175.3],
    [-37.8, 175.301],
    [-37.799, 175.301],
    [-37.8, 175.3],
  ]
  const feature = { type: 'Feature', properties: { id: '1' }, geometry: { type: 'Polygon', coordinates: [ring] } }
  writeFileSync(
    join(world.folder, 'swapped.geojson'),
    JSON.stringify({ type: 'FeatureCollection', features: [feature] }),
  )
  const run = await world.run(['import', 'swapped.geojson', ...holding, '--key', 'id', '--dry-run'])
  expect(run).toMatchObject({ exit: 0, out: expect.stringContaining('latitude before longitude') as string })
})

test('without words it shows its help', async () => {
  expect(await world.run([])).toMatchObject({ exit: 0, out: expect.stringContaining('Usage: windrow') as string })
})

describe('a pipeline', () => {
  test('is drafted, checked and run', async () => {
    await world.run(importHoldings)
    const drafted = await world.run([
      'init',
      zip,
      '--to',
      'plots',
      ...holding,
      '--zone',
      'Pacific/Auckland',
      '-o',
      'paddocks.yaml',
    ])
    expect(drafted.out).toContain('key: <PADDOCK_ID>')
    expect(await world.run(['check', 'paddocks.yaml'])).toMatchObject({
      exit: 0,
      out: expect.stringContaining('1 of 1 examples') as string,
    })
    expect(await world.run(['init', zip, ...holding, '-o', 'paddocks.yaml'])).toMatchObject({
      exit: 2,
      failure: { code: 'target-unwritable' },
    })
    const run = await world.run(['run', 'paddocks.yaml'])
    expect(run).toMatchObject({ exit: 6, out: expect.stringContaining('the pipeline allows 5 %') as string })
  })

  test('whose example does not give what it says fails its check', async () => {
    const path = join(world.folder, 'pipelines/holdings.yaml')
    writeFileSync(path, readFileSync(path, 'utf8').replace('gives: { name: Rimu Farm', 'gives: { name: Moa Farm'))
    const { exit, out } = await world.run(['check', path])
    expect(exit).toBe(2)
    expect(out).toContain('Moa Farm')
  })

  test('of several: the worst exit status counts, and each run is listed', async () => {
    const names = ['holdings', 'onboard-paddocks', 'land-covers'].map((name) => `pipelines/${name}.yaml`)
    expect(await world.run(['run', ...names])).toMatchObject({ exit: 3 })
    const { out } = await world.run(['runs', '--state', 'pipelines/.windrow'])
    expect(out.trim().split('\n')).toHaveLength(3)
    expect(out).toContain('22 created')
  })

  test('takes over what an import published, when it is told to', async () => {
    await world.run(['run', 'pipelines/holdings.yaml'])
    const csv = (ids: readonly string[]): string => `No,Name\n${ids.map((id) => `${id},Paddock ${id}\n`).join('')}`
    writeFileSync(join(world.folder, 'all.csv'), csv(['1', '2', '3', '4', '5']))
    expect(await world.run(['import', 'all.csv', ...holding, '--key', 'No', '--state', 'state'])).toMatchObject({
      exit: 0,
    })
    writeFileSync(join(world.folder, 'some.csv'), csv(['1', '2', '3', '4']))
    writeFileSync(
      join(world.folder, 'some.yaml'),
      'windrow: 1\nimport: plots\nfrom: { file: some.csv }\nholding: { scheme: nz.example.farm-number, id: "00412876" }\n' +
        'key: <No>\nrecord: { name: <Name> }\ngone: delete\n',
    )
    const first = await world.run(['run', 'some.yaml', '--state', 'state'])
    expect(first).toMatchObject({ exit: 0 })
    expect(first.out).toContain('warning  1 × 1 record of this farm is in the service and not in the file: "5".')
    const would = await world.run(['run', 'some.yaml', '--state', 'state', '--take-over', '--dry-run'])
    expect(would.out).toContain('1 would be deleted')
    const taken = await world.run(['run', 'some.yaml', '--state', 'state', '--take-over'])
    expect(taken).toMatchObject({ exit: 0, out: expect.stringContaining('1 deleted') as string })
    const { failure } = await world.run(['run', 'pipelines/spraying-last-month.yaml', '--take-over'])
    expect(failure).toMatchObject({ code: 'option-invalid' })
  })

  test("that exports writes last month's work", async () => {
    await world.run(importHoldings)
    const clock = (): Date => new Date('2026-11-20T00:00:00Z')
    const { exit, out } = await world.run(['run', 'pipelines/spraying-last-month.yaml'], { clock })
    expect(exit).toBe(0)
    expect(out).toContain('12 read')
    expect(readdirSync(join(world.folder, 'out'))).toEqual(['Spraying 2026-10.xlsx'])
  })
})

describe('export', () => {
  test.each(['csv', 'geojson', 'xlsx', 'zip'])('writes plots as .%s', async (ending) => {
    await world.run(['run', 'pipelines/holdings.yaml', 'pipelines/onboard-paddocks.yaml'])
    const { exit, out } = await world.run(['export', 'plots', '--holding', 'Rimu Farm', '-o', `out/plots.${ending}`])
    expect(exit).toBe(0)
    expect(out).toContain('22 written')
    expect(statSync(join(world.folder, `out/plots.${ending}`)).size).toBeGreaterThan(1000)
    const { out: json } = await world.run(['inspect', `out/plots.${ending}`, '--json'])
    if (ending !== 'xlsx') expect(JSON.parse(json)).toMatchObject({ layers: [{ rows: 22 }] })
  })

  test('leaves nothing behind when the service goes away in the middle', async () => {
    await world.run(['run', 'pipelines/holdings.yaml', 'pipelines/onboard-paddocks.yaml'])
    const fetch: typeof globalThis.fetch = () => Promise.resolve(new Response('', { status: 503 }))
    expect(await world.run(['export', 'plots', '-o', 'out/plots.csv'], { fetch })).toMatchObject({ exit: 4 })
    expect(existsSync(join(world.folder, 'out/plots.csv'))).toBe(false)
  })

  test.skipIf(process.platform === 'win32' || process.getuid?.() === 0)(
    'says it when the folder may not be written',
    async () => {
      await world.run(importHoldings)
      mkdirSync(join(world.folder, 'locked'))
      chmodSync(join(world.folder, 'locked'), 0o500)
      expect(await world.run(['export', 'plots', '-o', 'locked/plots.csv'])).toMatchObject({
        exit: 2,
        failure: { code: 'target-unwritable' },
      })
    },
  )
})

describe('connect', () => {
  const words = [
    'connect',
    'http://127.0.0.1:8080',
    '--as',
    'farms',
    '--token-url',
    'http://127.0.0.1:8080/auth/realms/windrow',
  ]
  const account = ['--client-id', demoCredentials.clientId, '--username', demoCredentials.username, '--secret-stdin']
  const secrets = `${demoCredentials.password}\n${demoCredentials.clientSecret}\n`

  test('tries the account, keeps it for its owner alone, and shows what it may write', async () => {
    await world.run(importHoldings)
    const { exit, out, err } = await world.run([...words, ...account], { typed: secrets })
    expect(exit).toBe(0)
    expect(out).toContain('nz.example.farm-number:00412876')
    const kept = join(world.env['XDG_STATE_HOME']!, 'windrow', 'connections', 'farms.json')
    if (process.platform === 'linux') expect(statSync(kept).mode & 0o777).toBe(0o600)
    for (const secret of [demoCredentials.password, demoCredentials.clientSecret])
      expect(out + err).not.toContain(secret)
    const env = { HOME: world.folder, LOCALAPPDATA: world.folder, XDG_STATE_HOME: world.env['XDG_STATE_HOME']! }
    expect(await world.run(['export', 'holdings', '-o', 'out/holdings.csv'], { env })).toMatchObject({ exit: 0 })
  })

  test('keeps nothing when the account is refused', async () => {
    const { exit, failure } = await world.run([...words, ...account], { typed: 'wrong\nwrong\n' })
    expect(exit).toBe(5)
    expect(failure?.code).toBe('sign-in-refused')
    expect(existsSync(join(world.env['XDG_STATE_HOME']!, 'windrow', 'connections', 'farms.json'))).toBe(false)
  })
})

test('schedule runs what is due, once, and leaves the rest', async () => {
  await world.run(importHoldings)
  const at = (time: string) => ({ clock: () => new Date(time) })
  expect(await world.run(['schedule', 'pipelines', '--once'], at('2027-01-05T10:00:00Z'))).toMatchObject({
    exit: 0,
    out: expect.stringContaining('nightly-paddocks  next at 2027-01-05T13:15:00.000Z') as string,
  })
  const due = await world.run(['schedule', 'pipelines', '--once'], at('2027-01-05T20:00:00Z'))
  expect(due.out).toContain('nightly-paddocks  due 2027-01-05T13:15:00.000Z, starts')
  expect(due.out).toContain('22 created')
  expect((await world.run(['schedule', 'pipelines', '--once'], at('2027-01-05T20:01:00Z'))).out).not.toContain('starts')
})

describe('a pipeline that was agreed upon', () => {
  test.each<[string, (text: string) => string, string, string]>([
    ['another separator', (text) => text.replaceAll(',', '.').replaceAll(';', ','), 'column-missing', 'delimiter: ","'],
    ['titles above the header', (text) => `Rimu Farm\n\n${text}`, 'column-missing', 'header: 3'],
    [
      'dates of another form',
      (text) => text.replace(/(\d{4})-(\d\d)-(\d\d)/g, '$3/$2/$1'),
      'guard-stopped',
      'date: d/M/yyyy',
    ],
  ])('stops at %s with what to write into it', async (_, change, code, write) => {
    expect(await world.run(importHoldings)).toMatchObject({ exit: 0 })
    const file = join(world.folder, 'samples/rimu-farm/nightly.csv')
    writeFileSync(file, change(readFileSync(file, 'utf8')))
    const yaml = join(world.folder, 'pipelines/nightly-paddocks.yaml')
    writeFileSync(yaml, readFileSync(yaml, 'utf8').replace(', settled: 5 s', ', header: 1'))
    const { exit, out, failure } = await world.run(['run', 'pipelines/nightly-paddocks.yaml'])
    expect(exit).toBe(6)
    expect(failure?.code ?? code).toBe(code)
    expect(`${out} ${failure?.hint}`).toContain(write)
  })
})

describe('a night on which there is nothing to read', () => {
  test('leaves a run that says so', async () => {
    writeFileSync(join(world.folder, 'samples/rimu-farm/nightly.csv'), '')
    const yaml = join(world.folder, 'pipelines/nightly-paddocks.yaml')
    writeFileSync(yaml, readFileSync(yaml, 'utf8').replace(', settled: 5 s', ''))
    expect(await world.run(['run', 'pipelines/nightly-paddocks.yaml'])).toMatchObject({ exit: 2 })
    const { out } = await world.run(['runs', '--state', 'pipelines/.windrow'])
    expect(out).toMatch(/nightly-paddocks .* stopped +exit 2 .*\n +"nightly.csv" is empty/)
    const [report] = JSON.parse((await world.run(['runs', '--state', 'pipelines/.windrow', '--json'])).out)
    expect(report).toMatchObject({ error: { code: 'file-empty' }, rows: { read: 0 } })
    expect(readFileSync(report.files.page, 'utf8')).toContain('nightly.csv')
  })

  test('does not keep the other pipelines of the same command from running', async () => {
    const { exit, out, err } = await world.run(['run', 'pipelines/nowhere.yaml', 'pipelines/holdings.yaml'])
    expect(exit).toBe(2)
    expect(err).toContain('nowhere.yaml')
    expect(out).toContain('2 created')
  })
})
