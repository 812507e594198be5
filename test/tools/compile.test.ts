import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import {
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { writeCode } from '../../tools/compile.ts'
import { fixtures } from '../formats/fixtures.ts'
import { importsOf, packageOf, root } from '../imports.ts'

let folder: string
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'windrow-compile-'))
  await writeCode(join(folder, 'dist'))
  for (const name of ['bin', 'package.json']) cpSync(join(root, name), join(folder, name), { recursive: true })
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'), 'junction')
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

function windrow(...words: readonly string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [join(folder, 'bin/windrow.js'), ...words], {
    cwd: folder,
    encoding: 'utf8',
  })
  return { status, stdout, stderr }
}

const codeOf = (name: string): string => readFileSync(join(folder, 'dist', name), 'utf8')

/** A file without its dynamic imports. */
const atOnce = (name: string): string => codeOf(name).replace(/\bimport\(/g, '(')

/** The files that are loaded together with one. */
function loadedWith(name: string, seen = new Set<string>()): ReadonlySet<string> {
  if (seen.has(name)) return seen
  seen.add(name)
  for (const each of importsOf(atOnce(name))) if (each.startsWith('./')) loadedWith(each.slice(2), seen)
  return seen
}

/** The files that are started as threads or processes. */
const fixedNames = ['boundary-thread.js', 'guard.js', 'library.js', 'postgres-thread.js']

describe('the code that is published', () => {
  test('leaves the packages for PostgreSQL to those who install them, and loads them only when asked', () => {
    const names = readdirSync(join(folder, 'dist')).filter((name) => name.endsWith('.js'))
    for (const each of ['pg', 'graphile-worker']) {
      const loading = names.filter((name) => importsOf(codeOf(name)).includes(each))
      expect(loading, each).toHaveLength(1)
      expect(importsOf(atOnce(loading[0]!))).not.toContain(each)
    }
  })

  test('has the entry points of package.json, with the names of the source', async () => {
    const { exports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
      exports: Record<string, { default?: string }>
    }
    const sources = {
      './dist/index.js': await import('../../src/index.ts'),
      './dist/files.js': await import('../../src/files.ts'),
      './dist/service.js': await import('../../src/service.ts'),
    }
    expect(Object.values(exports).flatMap((each) => each.default ?? [])).toEqual(Object.keys(sources))
    for (const [door, source] of Object.entries(sources)) {
      const ask = `console.log(JSON.stringify(Object.keys(await import('${door}'))))`
      const asked = spawnSync(process.execPath, ['--input-type=module', '-e', ask], { cwd: folder, encoding: 'utf8' })
      expect(JSON.parse(asked.stdout).toSorted(), door).toEqual(Object.keys(source).toSorted())
    }
  })

  test.each(['index', 'files', 'service'])('explains in a sentence, as %s, that an older Node is too old', (name) => {
    const program = `await import('./dist/${name}.js').catch(({ message }) => console.log(message))`
    const asked = (node: string, ...words: readonly string[]) =>
      spawnSync(node, [...words, '--input-type=module', '-e', program], { cwd: folder, encoding: 'utf8' }).stdout
    const said = (version: string): string =>
      `windrow needs Node 24.16 or later; this is Node ${version}. Install a newer one from nodejs.org.\n`
    const versions = `Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '20.20.2' } })`
    expect(asked(process.execPath, '--import', `data:text/javascript,${encodeURIComponent(versions)}`)).toBe(
      said('20.20.2'),
    )
    expect(asked(process.execPath)).toBe('')
    // The system may have such a Node.
    for (const node of ['/usr/bin/node', '/usr/local/bin/node'].filter((path) => existsSync(path))) {
      const version = spawnSync(node, ['--version'], { encoding: 'utf8' }).stdout.trim().slice(1)
      if (Number(version.split('.')[0]) < 24) expect(asked(node)).toBe(said(version))
    }
  })

  test('is in one folder, with the files that it starts by address', () => {
    const files = readdirSync(join(folder, 'dist'))
    expect(files.filter((name) => !name.endsWith('.js'))).toEqual([])
    const started = files.flatMap((name) =>
      [...codeOf(name).matchAll(/new URL\(`\.\/([\w-]+)\$/g)].map(([, beside]) => `${beside}.js`),
    )
    expect(started.toSorted()).toEqual(fixedNames)
    for (const name of started) expect(existsSync(join(folder, 'dist', name)), name).toBe(true)
  })

  test('keeps the names and comments of the source', () => {
    expect(codeOf('main.js')).toContain('/** Runs windrow with the words after its name. Returns the exit status. */')
  })

  test('loads no package before it is needed, but two of a file or two', () => {
    const atStart = [...loadedWith('index-checked.js')].flatMap((name) => importsOf(atOnce(name)))
    expect(atStart).toContain('node:path')
    const packages = new Set(atStart.flatMap((each) => packageOf(each) ?? []))
    expect([...packages].toSorted()).toEqual(['flatbush', 'robust-predicates'])
  })

  test('loads commands only when they are called', () => {
    const atStart = loadedWith('main.js')
    for (const command of ['inspect', 'serve', 'create', 'import']) {
      const named = readdirSync(join(folder, 'dist')).filter((name) => name.replace(/-[\w-]{8}\.js$/, '') === command)
      expect(named, command).not.toEqual([])
      expect(named.filter((name) => atStart.has(name))).toEqual([])
    }
  })
})

describe('the command line that is published', () => {
  test('prints its version', () => {
    const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string }
    expect(windrow('--version')).toEqual({ status: 0, stdout: `${version}\n`, stderr: '' })
  })

  test('reads an old workbook, in a child process', () => {
    const { make } = fixtures.find(({ name }) => name.endsWith('.xls'))!
    writeFileSync(join(folder, 'old.xls'), make(3))
    const { status, stdout, stderr } = windrow('inspect', 'old.xls', '--json')
    expect(stderr).toBe('')
    expect(JSON.parse(stdout)).toMatchObject({ layers: [{ rows: 3 }] })
    expect(status).toBe(0)
  })

  test('makes many boundaries on a second thread', () => {
    const features = Array.from({ length: 2_500 }, (_, index) => {
      const [west, south] = [175 + (index % 50) * 0.01, -38 + Math.floor(index / 50) * 0.01]
      const [east, north] = [west + 0.005, south + 0.005]
      const ring = [
        [west, south],
        [east, south],
        [east, north],
        [west, north],
        [west, south],
      ]
      return { type: 'Feature', properties: { NO: index }, geometry: { type: 'Polygon', coordinates: [ring] } }
    })
    writeFileSync(join(folder, 'paddocks.geojson'), JSON.stringify({ type: 'FeatureCollection', features }))
    writeFileSync(
      join(folder, 'paddocks.yaml'),
      'windrow: 1\nimport: plots\nfrom: { file: paddocks.geojson }\nkey: <NO>\nrecord: { name: <NO>, totalArea: measured }\n' +
        'holding: { scheme: nz.example.farm-number, id: "00412876" }\n',
    )
    const { status, stdout, stderr } = windrow('run', 'paddocks.yaml', '--dry-run', '--state', 'state')
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
    expect(stdout).toMatch(/2\D500 read = 2\D500 ready/)
  })

  test('serves, with its page', async () => {
    const child = spawn(process.execPath, [join(folder, 'bin/windrow.js'), 'serve', '--demo', '--port', '0'], {
      cwd: folder,
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const [said] = (await once(child.stdout, 'data')) as [Buffer]
    const [url] = /http:\/\/[\w.:]+/.exec(said.toString())!
    expect(await (await fetch(`${url}/ogc/api.html`)).text()).toContain('<h1>')
    child.kill()
    await once(child, 'exit')
  })

  test('names each dynamically loaded file by its content, so that an update does not replace it', () => {
    const entries = ['index', 'files', 'service'].flatMap((name) => [`${name}.js`, `${name}-checked.js`])
    const doors = [...entries, 'main.js', ...fixedNames]
    const others = readdirSync(join(folder, 'dist')).filter((name) => !doors.includes(name))
    expect(others.length).toBeGreaterThan(10)
    for (const name of others) expect(name).toMatch(/-[\w-]{8}\.js$/)
  })

  test('explains when a dynamically loaded file is missing', () => {
    const kept = join(folder, 'kept')
    renameSync(join(folder, 'dist'), kept)
    try {
      cpSync(kept, join(folder, 'dist'), { recursive: true })
      const early = loadedWith('main.js')
      for (const name of readdirSync(kept)) if (!early.has(name)) rmSync(join(folder, 'dist', name))
      const { status, stderr } = windrow('inspect', 'package.json')
      expect(stderr).toMatch(/^windrow: A part of windrow is missing\. .+\n.+Install it again.+\n$/)
      expect(status).toBe(2)
    } finally {
      rmSync(join(folder, 'dist'), { recursive: true, force: true })
      renameSync(kept, join(folder, 'dist'))
    }
  })

  test('explains when the workbook reader does not start', () => {
    const { name, make } = fixtures.find((each) => each.name.endsWith('.ods'))!
    writeFileSync(join(folder, name), make(3))
    const library = join(folder, 'dist', 'library.js')
    renameSync(library, `${library}.away`)
    try {
      const { status, stderr } = windrow('inspect', name)
      expect(stderr).toMatch(
        /^windrow: paddocks\.ods: The part of windrow that reads workbooks does not start\.\nInstall windrow again/s,
      )
      expect(status).toBe(2)
    } finally {
      renameSync(`${library}.away`, library)
    }
  })
})
