import { once } from 'node:events'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { dbfBytes, partsContent, pointContent, shpBytes, square } from '../formats/shapefile/made-files.ts'
import { zipBytes } from '../core/zip-bytes.ts'
import { startWorld, type World } from './world.ts'

let world: World
beforeEach(() => {
  world = startWorld()
})
afterEach(() => world.close())

describe('a command line that cannot be read', () => {
  test.each([
    [['import'], 'The file is missing.', 'Usage: windrow import [options] <file>', 'windrow import "Rimu'],
    [['apply'], 'The run is missing.', 'Usage: windrow apply [options] <run>', 'windrow apply last'],
    [
      ['service', 'record'],
      'The kind of record is missing. Choose one of: holdings, plots, ',
      'Usage: windrow service record',
      'windrow service record ',
    ],
    [
      ['service', 'webhooks', 'list'],
      'The organisation is missing.',
      'Usage: windrow service webhooks list',
      'windrow service webhooks list ',
    ],
  ])('%j is answered with the usage and an example', async (words, message, usage, example) => {
    const { exit, failure } = await world.run(words)
    expect([exit, failure?.code]).toEqual([2, 'option-invalid'])
    expect(failure?.message).toContain(message)
    expect(failure?.hint).toContain(usage)
    expect(failure?.hint).toContain(`\nExample: ${example}`)
    expect(failure?.hint).toContain(`\nMore: windrow help ${words.join(' ')}`)
  })

  test.each([
    [['ledger'], 'The command is missing. Choose one of: show, export, forget, move.'],
    [['imprt', 'a.csv'], 'Did you mean import?'],
    [['import', 'a.csv', '--holdin', 'x'], 'Did you mean --holding?'],
    [['service', 'recrd'], 'Did you mean record?'],
  ])('%j is answered with the nearest words', async (words, sentence) => {
    const { exit, failure } = await world.run(words)
    expect(exit).toBe(2)
    expect(failure?.message).toContain(sentence)
  })
})

test.each([
  [['help'], 'Usage: windrow [options] [command]'],
  [['help', 'import'], 'Usage: windrow import [options] <file>'],
  [['help', 'service', 'record'], 'Usage: windrow service record'],
  [['-v'], '0.0.0'],
  [['--version'], '0.0.0'],
])('%j prints what it names', async (words, text) => {
  const { exit, out } = await world.run(words)
  expect(exit).toBe(0)
  expect(out).toContain(text)
})

describe('--holding', () => {
  beforeEach(() => world.publishFarms())
  const paddocks = 'samples/rimu-farm/Rimu paddocks FINAL v3.zip'
  const dryRun = (holding: string, more = {}) =>
    world.run(['import', paddocks, '--holding', holding, '--zone', 'Pacific/Auckland', '--dry-run'], more)

  test.each(['00412876', 'Rimu Farm', 'rimu farm', 'nz.example.farm-number:00412876'])(
    'finds the farm by %j',
    async (words) => {
      const { failure, out } = await dryRun(words)
      expect([failure, /^ {2}holding +(\S+) {3}Set, not guessed\.$/m.exec(out)?.[1]]).toEqual([
        undefined,
        'nz.example.farm-number:00412876',
      ])
    },
  )

  test('finds the farm by its name for init, and by a name without its macrons', async () => {
    const { exit, out } = await world.run([
      'init',
      paddocks,
      '--holding',
      'kowhai station',
      '--zone',
      'Pacific/Auckland',
    ])
    expect(exit).toBe(0)
    expect(out).toContain('00731190')
  })

  test.each([
    ['Rimu Frm', 'Did you mean Rimu Farm (nz.example.farm-number:00412876)?'],
    ['00412867', 'Did you mean Rimu Farm (nz.example.farm-number:00412876)?'],
    ['Nobody at all', 'None of your farms is called "Nobody at all".'],
  ])('%j is answered with the nearest farm and the list', async (words, sentence) => {
    const { exit, failure } = await dryRun(words)
    expect([exit, failure?.code]).toEqual([2, 'holding-missing'])
    expect(failure?.message).toContain(sentence)
    expect(failure?.hint).toMatch(/^Choose one of: .*Rimu Farm \(nz\.example\.farm-number:00412876\)/)
  })

  test('a mistyped number is answered with the nearest farm and the list, by name', async () => {
    const { exit, out } = await world.run(['import', paddocks, '--holding', 'nz.example.farm-number:00412867'])
    expect(exit).toBe(5)
    expect(out).toContain('Did you mean Rimu Farm (nz.example.farm-number:00412876)? Choose one of: Rimu Farm')
    expect(out).toContain('Kōwhai Station (nz.example.farm-number:00731190)')
  })

  test('a bare number is refused with a sentence where there is no connection', async () => {
    const env = { HOME: world.folder, LOCALAPPDATA: world.folder, XDG_STATE_HOME: world.folder }
    const { exit, failure } = await dryRun('00412876', { env })
    expect([exit, failure?.code]).toEqual([2, 'holding-missing'])
    expect(failure?.message).toContain('without a connection windrow cannot look the farm up')
  })
})

/** Three shapefiles in one zip, without a .prj and without a column that is certainly the key. */
function writeThreeLayers(): void {
  const table = (rows: readonly (readonly string[])[]): Uint8Array =>
    dbfBytes({
      fields: ['PADDOCK', 'CROP', 'SOWN'].map((name) => ({ name, letter: 'C', width: 20 })),
      rows: rows.map((cells) => ({ cells })),
    })
  const area = (at: number): Buffer => partsContent(5, [square(1_803_000 + at * 400, 5_815_000, 300)])
  const files = {
    'Land cover.shp': shpBytes([area(0)]),
    'Land cover.dbf': table([['Bush', '', '']]),
    'Paddocks 2026.shp': shpBytes([area(1), area(2), area(3)]),
    'Paddocks 2026.dbf': table([
      ['North flat', 'Wheat', '4/5/2026'],
      ['South flat', 'Wheat', '4/6/2026'],
      ['Hill', 'Barley', '5/7/2026'],
    ]),
    'Troughs.shp': shpBytes([pointContent(1, [1_803_400, 5_815_000])], { type: 1 }),
    'Troughs.dbf': table([['T1', '', '']]),
  }
  const bytes = zipBytes(Object.entries(files).map(([name, content]) => ({ name, bytes: content })))
  writeFileSync(join(world.folder, 'farm map.zip'), bytes)
}

/** A person at a terminal, who answers each question as it comes; without an answer left, Ctrl-C. */
async function typing(words: readonly string[], answers: readonly string[]) {
  const stdin = Object.assign(new PassThrough(), { isTTY: true })
  const left = [...answers]
  let screen = ''
  const write = (text: string): void => {
    screen += text
    if (text.endsWith(': ')) setImmediate(() => stdin.write(left.shift() ?? '\u0003'))
  }
  const out = { isTTY: true, write: (text: string) => void (screen += text) }
  const ran = await world.run(words, { stdin, terminal: { out, err: { write } } })
  return { ...ran, screen, left }
}

describe('what is missing', () => {
  beforeEach(async () => {
    await world.publishFarms()
    writeThreeLayers()
  })

  test.each(['import', 'plan', 'init'])('is listed in one message by %s without a terminal', async (command) => {
    const { exit, failure } = await world.run([command, 'farm map.zip'])
    expect([exit, failure?.code]).toEqual([2, 'choices-missing'])
    expect(failure?.message.split('\n')).toEqual([
      '5 choices are missing for "farm map.zip":',
      '  from.layer: Which layer of "farm map.zip"? "Paddocks 2026" (3 polygons; suggested) or "Land cover" (1 polygon) or Troughs (1 point).',
      '  holding: Which farm do the records belong to? nz.example.farm-number:00412876 (Rimu Farm) or nz.example.farm-number:00731190 (Kōwhai Station).',
      '  key: Which column is the id, different in every row and the same next year? PADDOCK (3 of 3 filled, all different; names can change; suggested) or PADDOCK+place (the name and where the boundary lies).',
      '  from.crs: Which coordinate system does the file use? EPSG:2193 (NZTM2000 would put them near 175.32, -37.79; suggested).',
      '  dates: Which comes first in the dates of "SOWN", day or month? d/M/yyyy (4/5/2026 is 4 May) or M/d/yyyy (4/5/2026 is 5 April). They are left out until somebody says so.',
    ])
    expect(failure?.hint).toContain(
      `windrow ${command} "farm map.zip" --layer "Paddocks 2026" --holding SCHEME:ID --key PADDOCK --crs EPSG:2193 --dates PATTERN`,
    )
    expect(existsSync(join(world.folder, 'farm map.yaml'))).toBe(false)
  })

  test('is listed with the connection where there is none, and alone where only the layer is open', async () => {
    const env = { HOME: world.folder, LOCALAPPDATA: world.folder, XDG_STATE_HOME: world.folder }
    const { exit, failure } = await world.run(['import', 'farm map.zip'], { env })
    expect([exit, failure?.code]).toEqual([2, 'choices-missing'])
    expect(failure?.message).toMatch(
      /6 choices[^]*connection: Which service\? None is saved yet; first run: windrow connect ADDRESS/,
    )
    expect(failure?.message).toMatch(/holding: .* Write SCHEME:ID/)
    const rest = ['--holding', 'Rimu Farm', '--key', 'PADDOCK', '--crs', 'EPSG:2193']
    const { failure: alone } = await world.run(['import', 'farm map.zip', ...rest])
    expect(alone?.message).toMatch(/^2 choices are missing[^]*from\.layer: .*3 polygons.*[^]*dates: /)
    const { failure: first } = await world.run(['import', 'farm map.zip', ...rest.with(3, 'NUMBER')])
    expect(first?.message).toMatch(/^1 choice is missing for "farm map\.zip":\n {2}from\.layer: .*$/)
  })

  test('is no layer that windrow suggests where each may have a part of the farm', async () => {
    const files = ['Hill', 'Swamp'].flatMap((name, at) => {
      const cells = { fields: [{ name: 'NAME', letter: 'C', width: 20 }], rows: [{ cells: [name] }] }
      const shape = partsContent(5, [square(1_803_000 + at * 400, 5_815_000, 300)])
      return [
        { name: `${name}/Boundary.shp`, bytes: shpBytes([shape]) },
        { name: `${name}/Boundary.dbf`, bytes: dbfBytes(cells) },
      ]
    })
    writeFileSync(join(world.folder, 'fields.zip'), zipBytes(files))
    const remark = 'If each has a part of the farm, join them into one layer first'
    const { failure } = await world.run(['import', 'fields.zip', '--holding', 'Rimu Farm'])
    expect(failure?.message).toContain(`Hill/Boundary (1 polygon) or Swamp/Boundary (1 polygon). ${remark}`)
    expect(failure?.hint).toContain('--layer NAME')
    const rest = ['--holding', 'Rimu Farm', '--key', 'NAME', '--crs', 'EPSG:2193']
    const { failure: alone } = await world.run(['import', 'fields.zip', ...rest])
    expect(alone?.message).toContain(remark)
  })

  const nextTime =
    '"farm map.zip" --layer "Paddocks 2026" --holding nz.example.farm-number:00412876 --key PADDOCK --crs EPSG:2193 --dates '

  test('is the .dbf where a shapefile has shapes alone, and no key to choose', async () => {
    writeFileSync(join(world.folder, 'alone.shp'), shpBytes([partsContent(5, [square(1_803_000, 5_815_000, 300)])]))
    const farm = ['--holding', 'Rimu Farm']
    const commands = [
      ['import', 'alone.shp', ...farm],
      ['init', 'alone.shp', '--to', 'plots', ...farm, '--crs', 'EPSG:2193'],
    ]
    for (const words of commands) {
      const { exit, failure } = await world.run(words)
      if (words[0] === 'init') continue
      expect([exit, failure?.code], words.join(' ')).toEqual([2, 'choices-missing'])
      expect(failure?.message).toContain('has shapes and no columns')
      expect(failure?.message).toContain('are in its .dbf: put that beside the .shp')
    }
    writeFileSync(join(world.folder, 'alone.geojson'), '{"type":"Point","coordinates":[175.3,-37.8]}')
    const { failure } = await world.run(['import', 'alone.geojson', '--to', 'plots', ...farm])
    expect(failure?.message).toContain('Give each boundary an id or a name')
  })

  test('is asked for in a terminal, each with the suggestion as default', async () => {
    const words = ['import', 'farm map.zip']
    const { screen, left, exit } = await typing(words, ['\r', 'rimu farm\r', '\r', '\r', '2\r'])
    expect([exit, left]).toEqual([0, []])
    for (const line of [
      '  1  Paddocks 2026  3 polygons',
      'Layer [Paddocks 2026]: ',
      'Key [PADDOCK]: ',
      'System [EPSG:2193]: ',
    ])
      expect(screen).toContain(line)
    expect(screen).toContain(`Next time: windrow import ${nextTime}M/d/yyyy\n`)
    expect(screen).toContain('3 ready = 3 created')
  })

  test('offers the columns that are different in every row that can be read', async () => {
    const rows = ['7,North,5.5,""', '8,South,6.5,""', '9,West,3.5,"a "b" c"', '6,East,2.5,""', '4,Far,1.5,""']
    writeFileSync(join(world.folder, 'marks.csv'), ['Mark,Paddock,Area (ha),Note', ...rows, ''].join('\n'))
    const { failure } = await world.run(['import', 'marks.csv'])
    expect(failure?.message).toContain('suggested) or Paddock (different in every row, such as North)')
  })

  test('is asked again after an answer that cannot be used, and Ctrl-C sends nothing', async () => {
    const words = ['import', 'farm map.zip']
    const { screen, exit } = await typing(words, ['9\r', 'Troughz\r', '2\r', '\r', 'Rimu Frm\r', '1\r'])
    expect(exit).toBe(130)
    expect(screen.match(/^Layer /gm)).toHaveLength(3)
    expect(screen).toContain('Please type an answer')
    expect(screen).toContain('Did you mean Rimu Farm')
    expect(screen).not.toContain('created')
  })

  test('is asked for by plan and init too', async () => {
    const answers = ['\r', '1\r', '\r', '\r', '1\r']
    const plan = await typing(['plan', 'farm map.zip'], answers)
    expect(plan.screen).toContain(`Next time: windrow plan ${nextTime}d/M/yyyy\n`)
    expect(plan.screen).toContain('To send exactly this: windrow apply ')
    expect((await typing(['init', 'farm map.zip'], answers)).exit).toBe(0)
    const yaml = readFileSync(join(world.folder, 'farm map.yaml'), 'utf8')
    for (const part of ['layer: Paddocks 2026', 'crs: EPSG:2193', 'id: "00412876"', 'key: <PADDOCK>'])
      expect(yaml).toContain(part)
  })

  test('is in the report of a dry run, all of it', async () => {
    const layer = ['--layer', 'Paddocks 2026', '--crs', 'EPSG:2193']
    const { out } = await world.run(['import', 'farm map.zip', ...layer, '--dry-run', '--json'])
    const { error } = JSON.parse(out) as { error: { code: string; message: string } }
    expect(error.message).toMatch(/^3 choices are missing[^]*holding: Which farm[^]*key: Which column/)
  })

  test('shows no secret of a web address', async () => {
    const zip = readFileSync(join(world.folder, 'farm map.zip'))
    const server = createServer((_, answer) => answer.end(zip)).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    const web = `http://127.0.0.1:${port}/farm.zip?key=geheim`
    const { failure } = await world.run(['import', web, '--set', 'from.private addresses=allow'])
    server.close()
    expect(failure?.code).toBe('choices-missing')
    expect(`${failure?.message}${failure?.hint}`).not.toContain('geheim')
  })

  test('is not asked for where nothing is missing, or where the result is for a program', async () => {
    const all = ['--layer', 'Paddocks 2026', '--holding', '00412876', '--key', 'PADDOCK', '--crs', 'EPSG:2193']
    const dates = ['--dates', 'd/M/yyyy']
    expect((await typing(['import', 'farm map.zip', ...all, ...dates], [])).exit).toBe(0)
    const { failure } = await typing(['import', 'farm map.zip', '--json'], [])
    expect(failure?.code).toBe('choices-missing')
  })
})
