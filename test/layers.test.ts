import { existsSync, readdirSync } from 'node:fs'
import { join, posix } from 'node:path'
import { describe, expect, test } from 'vitest'
import { importsOf, packageOf, readSourceFiles, root } from './imports.ts'

/** The allowed imports. A room is a folder of src; index.ts is one by itself. */
const mayImport: Readonly<Record<string, readonly string[]>> = {
  core: [],
  formats: ['core'],
  geometry: ['core'],
  resources: ['core'],
  ledger: ['core'],
  web: ['core'],
  mapping: ['core', 'resources'],
  rules: ['core', 'formats', 'geometry', 'resources', 'mapping'],
  client: ['core', 'resources'],
  service: ['core', 'geometry', 'resources', 'formats', 'client'],
  pipeline: ['core', 'formats', 'geometry', 'resources', 'mapping', 'client', 'ledger', 'web', 'rules'],
  schedule: ['core', 'pipeline', 'ledger'],
  workers: ['core', 'pipeline', 'ledger', 'schedule'],
  notify: ['core', 'resources', 'mapping', 'client', 'pipeline', 'schedule'],
  library: ['core', 'formats', 'mapping', 'resources', 'rules', 'client', 'service', 'ledger', 'pipeline'],
  cli: [
    'core',
    'formats',
    'geometry',
    'resources',
    'ledger',
    'web',
    'mapping',
    'client',
    'service',
    'pipeline',
    'rules',
    'schedule',
    'workers',
    'notify',
    'index.ts',
  ],
  'files.ts': ['core', 'formats', 'geometry'],
  'service.ts': ['service'],
  'index.ts': [
    'files.ts',
    'core',
    'formats',
    'geometry',
    'resources',
    'ledger',
    'mapping',
    'client',
    'pipeline',
    'library',
  ],
}

/** The most lines that each room may have. A number only falls, except in a commit that says why. */
const mostLines: Readonly<Record<string, number>> = {
  core: 7840,
  formats: 13096,
  geometry: 5595,
  resources: 4004,
  ledger: 1572,
  web: 1333,
  mapping: 1902,
  client: 2658,
  service: 5169,
  pipeline: 14721,
  rules: 4004,
  schedule: 750,
  notify: 1015,
  workers: 487,
  library: 586,
  cli: 6549,
}

/** The rooms inside a room, from top to bottom: each may import those below it. '.' is what lies in the room itself. */
const innerOrder: Readonly<Record<string, readonly string[]>> = {
  cli: ['.', 'service', 'schedule', 'running', 'options', 'screen'],
  core: ['profile', 'sources', 'shapes', 'values', '.'],
  geometry: ['boundary', 'coverage', 'repair', 'validity', 'place', 'projection', 'crs', 'measure'],
  pipeline: ['.', 'inspect', 'prepare', 'report', 'send', 'settle', 'stage', 'export', 'definition'],
  service: ['.', 'webhooks', 'routes', 'features', 'faults', 'http', 'store'],
}

/** Packages with types only, which need no owner. */
const typePackages = ['geojson']

const sources = readSourceFiles('src', ['.ts']).filter(({ path }) => !path.endsWith('.cases.ts'))

function roomOf(path: string): string {
  return path.split('/')[1]!
}

function innerRoomOf(path: string): string {
  const steps = path.split('/')
  return steps.length > 3 ? steps[2]! : '.'
}

function importedFiles(path: string, imports: readonly string[]): readonly string[] {
  return imports.filter((each) => each.startsWith('.')).map((each) => posix.join(posix.dirname(path), each))
}

describe('the scanner sees', () => {
  test.each([
    ['a value import', `import { a } from './a.ts'`, ['./a.ts']],
    ['a type import', `import type { A } from './a.ts'`, ['./a.ts']],
    ['an import over lines', `import {\n  a,\n  type B,\n} from "./a.ts"`, ['./a.ts']],
    ['an import for its effect', `import './a.ts'`, ['./a.ts']],
    ['a namespace', `import * as XLSX from 'xlsx'`, ['xlsx']],
    ['a default beside names', `import a, { b } from 'ab'`, ['ab']],
    ['a re-export', `export { a } from './a.ts'\nexport * from './b.ts'`, ['./a.ts', './b.ts']],
    ['a dynamic import', `const a = await import('./a.ts')`, ['./a.ts']],
    ['a type in place', `let a: import('./a.ts').A`, ['./a.ts']],
    ['a computed import', 'await import(`./${name}.ts`)', ['./${name}.ts']],
    ['an import of a variable', 'await import(name)', ['?']],
    [
      'two imports, not one long one',
      `import './a.ts'\nexport const b = 1\nimport c from './c.ts'`,
      ['./a.ts', './c.ts'],
    ],
    ['no import in a comment', `// import './a.ts'\n/* import './b.ts' */`, []],
    ['no import in a text', `const a = "import './a.ts'"`, []],
    ['no text in a regular expression', `const quote = /['"]/\nimport './a.ts'`, ['./a.ts']],
    ['a division', `const a = b / 2\nimport './a.ts' // c`, ['./a.ts']],
    ['no import in an exported constant', `export const from = 'x'`, []],
  ])('%s', (_, text, expected) => {
    expect(importsOf(text)).toEqual(expected)
  })
})

describe('the rooms', () => {
  test('are found', () => {
    expect(sources.length).toBeGreaterThan(8)
    const rooms = [...new Set(sources.map((source) => roomOf(source.path)))]
    expect(rooms.toSorted()).toEqual(readdirSync(join(root, 'src')).toSorted())
    expect(sources.flatMap((source) => importedFiles(source.path, source.imports)).length).toBeGreaterThan(8)
  })

  test('are all in the table', () => {
    for (const source of sources) expect(Object.keys(mayImport), source.path).toContain(roomOf(source.path))
  })

  test('import only what the table allows', () => {
    const wrong = sources.flatMap((source) => {
      const room = roomOf(source.path)
      return importedFiles(source.path, source.imports)
        .filter((imported) => roomOf(imported) !== room && mayImport[room]?.includes(roomOf(imported)) !== true)
        .map((imported) => `${source.path} imports ${imported}`)
    })
    expect(wrong).toEqual([])
  })

  test.each(Object.entries(mostLines))('of %s have at most %i lines', (room, most) => {
    const lines = sources
      .filter(({ path }) => roomOf(path) === room)
      .map(({ text }) => text.split('\n').length - 1)
      .reduce((sum, each) => sum + each, 0)
    expect(lines).toBeLessThanOrEqual(most)
    // Whoever makes a room smaller lowers its number.
    expect(lines).toBeGreaterThan(most - 100)
  })

  test.each(Object.entries(innerOrder))('of %s are ordered from top to bottom', (room, order) => {
    const inside = sources.filter((source) => roomOf(source.path) === room)
    expect(new Set(inside.map((source) => innerRoomOf(source.path)))).toEqual(new Set(order))
    const upward = inside.flatMap((source) =>
      importedFiles(source.path, source.imports)
        .filter((imported) => roomOf(imported) === room)
        .filter((imported) => order.indexOf(innerRoomOf(imported)) < order.indexOf(innerRoomOf(source.path)))
        .map((imported) => `${source.path} imports ${imported}`),
    )
    expect(upward).toEqual([])
  })

  test('have no files that import each other, not even by way of others', () => {
    const imports = new Map(sources.map(({ path, imports }) => [path, importedFiles(path, imports)]))
    const reachedFrom = (path: string): ReadonlySet<string> => {
      const reached = new Set<string>()
      const next = [...(imports.get(path) ?? [])]
      for (let each = next.pop(); each !== undefined; each = next.pop())
        if (!reached.has(each)) {
          reached.add(each)
          next.push(...(imports.get(each) ?? []))
        }
      return reached
    }
    expect([...imports.keys()].filter((path) => reachedFrom(path).has(path))).toEqual([])
  })

  test('import files that exist, from inside src, by their full name', () => {
    const wrong = sources.flatMap((source) =>
      importedFiles(source.path, source.imports)
        .filter((imported) => !imported.startsWith('src/') || !existsSync(join(root, imported)))
        .map((imported) => `${source.path} imports ${imported}`),
    )
    expect(wrong).toEqual([])
  })

  test('import nothing computed, except the format that a person names', () => {
    expect(sources.filter((source) => source.imports.includes('?')).map((source) => source.path)).toEqual([
      'src/cli/options/format-module.ts',
    ])
  })
})

describe('packages', () => {
  test('have one owning file each', () => {
    const owners = new Map<string, Set<string>>()
    for (const source of sources)
      for (const specifier of source.imports) {
        const name = packageOf(specifier)
        if (name === undefined || typePackages.includes(name)) continue
        owners.set(name, (owners.get(name) ?? new Set()).add(source.path))
      }
    const shared = [...owners].filter(([, files]) => files.size > 1).map(([name, files]) => [name, ...files])
    expect(shared).toEqual([])
  })
})

describe('files', () => {
  const written = ['src', 'test', 'tools', 'bench', 'bin'].flatMap((folder) =>
    readSourceFiles(folder, ['.ts', '.mjs', '.js']),
  )

  test('are not called utils, helpers, common or types', () => {
    const vague = /(^|\/)(utils?|helpers?|common|misc|types)(\/|\.[a-z]+$)/
    expect(written.filter((source) => vague.test(source.path)).map((source) => source.path)).toEqual([])
  })

  test('stay within 500 lines, tables of tests apart', () => {
    const code = written.filter((source) => !source.path.endsWith('.test.ts'))
    const long = code.map((source) => [source.path, source.text.split('\n').length - 1] as const)
    expect(long.filter(([, lines]) => lines > 500)).toEqual([])
  })

  test('of src, tools and bench open with a sentence on what they do', () => {
    const silent = written
      .filter((source) => /^(src|tools|bench|bin)\//.test(source.path))
      .filter((source) => !/^(#!.*\n)?\/[/*]/.test(source.text))
    expect(silent.map((source) => source.path)).toEqual([])
  })
})
