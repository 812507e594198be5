import { globSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { setTimeout as wait } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { bufferSource } from '../../src/core/sources/source.ts'
import { membersOfZip } from '../../src/core/sources/zip.ts'
import { serveParts, startServer } from '../core/web-server.ts'
import { fixtures } from '../formats/fixtures.ts'
import { zipBytes } from '../core/zip-bytes.ts'
import { startWorld, type World } from './world.ts'

let world: World
beforeEach(() => {
  world = startWorld()
})
afterEach(() => world.close())

const samples = 'samples/rimu-farm'
const shapefileZip = (): Uint8Array => readFileSync(join(world.folder, samples, 'Rimu paddocks FINAL v3.zip'))
const nightly = (): Uint8Array => readFileSync(join(world.folder, samples, 'nightly.csv'))
const holding = ['--holding', 'nz.example.farm-number:00412876', '--zone', 'Pacific/Auckland']

function textsIn(folder: string): readonly string[] {
  return globSync(`${folder}/**/*`, { cwd: world.folder, withFileTypes: true })
    .filter((each) => each.isFile())
    .map((each) => readFileSync(join(each.parentPath, each.name), 'latin1'))
}

async function unpackShapefile(into: string): Promise<void> {
  mkdirSync(join(world.folder, into), { recursive: true })
  for (const { source } of await membersOfZip(bufferSource('paddocks.zip', shapefileZip())))
    writeFileSync(join(world.folder, into, source.name), await source.read(0, source.size))
}

const counts = async (words: readonly string[], stdin?: Uint8Array): Promise<unknown> => {
  const { out, failure } = await world.run([...words, '--json'], stdin ? { stdin: Readable.from([stdin]) } : {})
  expect(failure).toBeUndefined()
  const { layers } = JSON.parse(out) as { layers: readonly { name: string; rows: number }[] }
  return layers.map(({ name, rows }) => [name, rows])
}

describe('inspect', () => {
  test('reads a folder like a zip of it', async () => {
    await unpackShapefile('Rimu farm')
    expect(await counts(['inspect', 'Rimu farm'])).toEqual([['paddocks', 24]])
    const { out } = await world.run(['inspect', 'Rimu farm'])
    expect(out).toMatch(/^Rimu farm {3}Shapefile .*\)\n/)
  })

  test('reads a zip of a zip from standard input and leaves nothing behind', async () => {
    const temporary = join(world.folder, 'temporary')
    mkdirSync(temporary)
    for (const name of ['TMPDIR', 'TEMP', 'TMP']) vi.stubEnv(name, temporary)
    const outer = zipBytes([{ name: 'download/paddocks.zip', bytes: shapefileZip() }])
    expect(await counts(['inspect', '-'], outer)).toEqual([['paddocks', 24]])
    expect(readdirSync(temporary)).toEqual([])
    vi.unstubAllEnvs()
  })

  // The fixtures' .ods does not begin with its type, so only its name shows its format.
  test.each(fixtures.filter(({ name }) => !name.endsWith('.ods')))(
    'reads $name from standard input',
    async ({ make }) => {
      expect(await counts(['inspect', '-'], make(3))).toMatchObject([[expect.anything(), 3]])
    },
  )

  test('reads the named file in a zip', async () => {
    const zip = zipBytes([
      { name: 'data/nightly.csv', bytes: nightly() },
      { name: 'maps/paddocks.zip', bytes: shapefileZip() },
    ])
    writeFileSync(join(world.folder, 'export.zip'), zip)
    expect((await world.run(['inspect', 'export.zip'])).failure).toMatchObject({
      code: 'layer-unclear',
      hint: 'Choose one: "export.zip/data/nightly.csv".',
    })
    expect(await counts(['inspect', 'export.zip/data/nightly.csv'])).toEqual([['nightly', 22]])
    expect(await counts(['inspect', 'export.zip/maps/paddocks.zip/paddocks.shp'])).toEqual([['paddocks', 24]])
  })
})

describe('import', () => {
  test('of a folder returns the wrong rows as a shapefile', async () => {
    await world.publishFarms()
    await unpackShapefile('Rimu farm')
    const { exit, out } = await world.run(['import', 'Rimu farm', ...holding, '--dry-run'])
    expect([exit, out]).toEqual([3, expect.stringContaining('2 rejected')])
    expect(globSync('state/**/rejected.zip', { cwd: world.folder })).toHaveLength(1)
  })

  test('of a file in a zip returns the wrong rows in the format of that file', async () => {
    await world.publishFarms()
    const rows = 'Paddock no,Name\n1,Top\n1,Flat\n'
    writeFileSync(join(world.folder, 'export.zip'), zipBytes([{ name: 'data/rows.csv', bytes: rows }]))
    const words = [
      'import',
      'export.zip',
      '--to',
      'plots',
      ...holding,
      '--key',
      'Paddock no',
      '--set',
      'blank=keep',
      '--dry-run',
      '--json',
    ]
    const report = JSON.parse((await world.run(words)).out) as { source: { name: string }; rows: { read: number } }
    expect([report.source.name, report.rows.read]).toEqual(['export.zip/data/rows.csv', 2])
    const rejected = globSync('state/**/rejected.csv', { cwd: world.folder })
    expect(rejected.map((path) => readFileSync(join(world.folder, path), 'utf8'))).toEqual([
      expect.stringMatching(/1,Flat,.*is also in row 2/),
    ])
  })
})

describe('a pipeline', () => {
  test('reads a file in a zip, which init writes and run reads', async () => {
    await world.publishFarms()
    const zip = zipBytes([
      { name: 'data/nightly.csv', bytes: nightly() },
      { name: 'notes.geojson', bytes: '{"type":"FeatureCollection","features":[]}' },
    ])
    mkdirSync(join(world.folder, 'in'))
    writeFileSync(join(world.folder, 'in/export.zip'), zip)
    const made = await world.run(['init', 'in/export.zip/data/nightly.csv', ...holding, '-o', 'pipelines/zip.yaml'])
    expect(made.failure).toBeUndefined()
    const yaml = readFileSync(join(world.folder, 'pipelines/zip.yaml'), 'utf8')
    expect(yaml).toContain('file: ../in/export.zip/data/nightly.csv')
    const { exit, out } = await world.run(['run', 'pipelines/zip.yaml', '--dry-run'])
    expect([exit, out]).toEqual([0, expect.stringContaining('22 read')])
  })

  test('waits until the zip, or the newest file in a folder, no longer changes', async () => {
    await world.publishFarms()
    mkdirSync(join(world.folder, 'in'))
    writeFileSync(join(world.folder, 'in/export.zip'), zipBytes([{ name: 'nightly.csv', bytes: nightly() }]))
    const yaml = readFileSync(join(world.folder, 'pipelines/nightly-paddocks.yaml'), 'utf8')
    for (const file of ['../in', '../in/export.zip/nightly.csv']) {
      const path = join(world.folder, 'pipelines/waits.yaml')
      writeFileSync(path, yaml.replace(/file: [^,]*,/, `file: ${file},`).replace('settled: 5 s', 'settled: 1 h'))
      let now = Date.now()
      const { exit, err } = await world.run(['run', path, '--dry-run'], {
        clock: () => new Date(now),
        sleep: (ms) => Promise.resolve(void (now += ms)),
      })
      expect([exit, err]).toEqual([0, expect.stringMatching(/"(in|nightly\.csv)" was changed just now/)])
    }
  })
})

test('an import leaves nothing except the folder of its run', async () => {
  const before = readdirSync(world.folder)
  await world.run(['import', '-', ...holding, '--dry-run'], { stdin: Readable.from([shapefileZip()]) })
  expect(readdirSync(world.folder).filter((name) => !before.includes(name))).toEqual(['state'])
})

describe('a web address', () => {
  const allowed = '--set=from.private addresses=allow'
  const served = (more: Readonly<Record<string, string>> = {}) =>
    startServer((request, response) => {
      if (request.url!.startsWith('/nightly.csv')) serveParts(request, response, nightly(), more)
      else response.writeHead(404).end()
    })

  test('on this machine is read only where allowed', async () => {
    const { url, asked } = await served()
    const refused = await world.run(['inspect', `${url}/nightly.csv`])
    expect([refused.failure?.code, refused.exit, asked]).toEqual(['address-refused', 2, []])
    expect(await counts(['inspect', allowed, `${url}/nightly.csv`])).toEqual([['nightly', 22]])
  })

  test('behind a sign-in page is reported as a web page', async () => {
    const { url } = await startServer((_, response) =>
      response.writeHead(200, { 'content-type': 'text/html' }).end('<!DOCTYPE html><html>Sign in, please</html>'),
    )
    const { failure } = await world.run(['inspect', allowed, `${url}/paddocks.shp`])
    expect(failure?.data).toMatchObject({ likeness: 'a web page' })
  })

  test('becomes a pipeline that runs, and never shows its secret', async () => {
    await world.publishFarms()
    const { url } = await served()
    const address = `${url}/nightly.csv?token=geheim`
    const words = ['init', allowed, address, ...holding, '-o', 'pipelines/web.yaml']
    const made = await world.run(words)
    expect(made.out).toContain(`file: "${url}/nightly.csv?..."`)
    const yaml = readFileSync(join(world.folder, 'pipelines/web.yaml'), 'utf8')
    expect(yaml).toContain(`file: "${address}"`)
    const ran = await world.run(['run', 'pipelines/web.yaml', '--dry-run'])
    expect([ran.exit, ran.out]).toEqual([0, expect.stringContaining('22 read')])
    const left = [...textsIn('pipelines/.windrow')]
    expect(left.length).toBeGreaterThan(2)
    const importing = [
      'import',
      allowed,
      address,
      ...holding,
      '--key',
      'Paddock no',
      '--set',
      'blank=keep',
      '--dry-run',
    ]
    const imported = await world.run(importing)
    expect([imported.exit, imported.out]).toEqual([0, expect.stringContaining('22 read')])
    left.push(...textsIn('state'))
    // The pipeline file has the secret, so that its plan can be applied; the plan of the address cannot.
    const planned = await world.run(['plan', 'pipelines/web.yaml'])
    const applied = await world.run(['apply', 'last', '--state', 'pipelines/.windrow', '--json'])
    expect(JSON.parse(applied.out)).toMatchObject({ outcome: 'done', records: { created: 22 } })
    const one = await world.run(['plan', ...importing.slice(1, -1)])
    expect(one.out).toContain('This plan cannot be applied: windrow keeps no secrets of web addresses.')
    expect((await world.run(['apply', 'last'])).failure).toMatchObject({ code: 'plan-unusable' })
    left.push(planned.out, applied.out, one.out, ...textsIn('pipelines/.windrow'), ...textsIn('state'))
    for (const text of [imported.out, imported.err, made.out, made.err, ran.out, ran.err, ...left])
      expect(text).not.toContain('geheim')
  })

  test('is downloaded once to be looked at and run, and asked about while it is too new', async () => {
    await world.publishFarms()
    const { url, asked } = await served({ 'last-modified': new Date().toUTCString() })
    const methods = (): readonly string[] => asked.splice(0).map(({ method }) => method)
    const address = `${url}/nightly.csv`
    const imported = await world.run(['import', allowed, address, ...holding, '--key', 'Paddock no'])
    expect([imported.exit, methods()]).toEqual([0, ['GET']])
    await world.run(['init', allowed, address, ...holding, '-o', 'pipelines/web.yaml'])
    expect(methods()).toEqual(['GET'])
    const yaml = readFileSync(join(world.folder, 'pipelines/web.yaml'), 'utf8')
    writeFileSync(join(world.folder, 'pipelines/web.yaml'), yaml.replace('from:', 'from:\n  settled: 2 s'))
    const ran = await world.run(['run', 'pipelines/web.yaml'], { sleep: (ms) => wait(ms) })
    expect([ran.exit, ran.err, methods()]).toEqual([0, expect.stringContaining('waiting'), ['GET', 'HEAD']])
  })

  test('without a secret is written and shown as it was typed', async () => {
    const zip = zipBytes([
      { name: 'data/nightly.csv', bytes: nightly() },
      { name: 'b.geojson', bytes: '{"features":[]}' },
    ])
    const { url } = await startServer((request, response) => serveParts(request, response, zip))
    const address = `${url}/export.zip#data/nightly.csv`
    const { out } = await world.run(['init', allowed, address, ...holding, '--json'])
    const { pipeline, yaml } = JSON.parse(out) as { pipeline: string; yaml: string }
    expect(yaml).toContain(`file: "${address}"`)
    expect([pipeline, readFileSync(pipeline, 'utf8')]).toEqual([join(world.folder, 'nightly.yaml'), yaml])
    const { failure } = await world.run(['inspect', allowed, `${url}/export.zip?key=1`])
    expect(failure?.hint).toBe(`Choose one: "${url}/export.zip?...#data/nightly.csv".`)
  })

  test('that does not answer ends a nightly run with "run again"', async () => {
    const { url } = await startServer((_, response) => response.writeHead(503).end())
    const yaml = readFileSync(join(world.folder, 'pipelines/nightly-paddocks.yaml'), 'utf8')
    const from = `from: { file: "${url}/nightly.csv", private addresses: allow, encoding: utf-8, delimiter: ";" }`
    writeFileSync(join(world.folder, 'pipelines/web.yaml'), yaml.replace(/^from: .*$/m, from))
    const { exit, failure } = await world.run(['run', 'pipelines/web.yaml'])
    expect([exit, failure?.code]).toEqual([4, 'address-unreachable'])
  })
})

test('inspect counts one vertex in the singular', async () => {
  const feature = {
    type: 'Feature',
    properties: { name: 'Gate' },
    geometry: { type: 'Point', coordinates: [175, -37] },
  }
  writeFileSync(join(world.folder, 'gate.geojson'), JSON.stringify(feature))
  expect((await world.run(['inspect', 'gate.geojson'])).out).toContain('1 row, 1 Point, 1 vertex\n')
})
