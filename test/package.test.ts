import { existsSync, globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { importsOf, packageOf, readSourceFiles, root } from './imports.ts'

type Manifest = {
  readonly dependencies: Readonly<Record<string, string>>
  readonly devDependencies: Readonly<Record<string, string>>
  readonly optionalDependencies?: unknown
  readonly peerDependencies?: unknown
  readonly peerDependenciesMeta?: Readonly<Record<string, { readonly optional: boolean }>>
  readonly allowScripts: Readonly<Record<string, boolean>>
  readonly files: readonly string[]
}

const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as Manifest
const lockText = readFileSync(join(root, 'package-lock.json'), 'utf8')
const lock = JSON.parse(lockText) as {
  readonly packages: Readonly<
    Record<
      string,
      {
        readonly integrity?: string
        readonly hasInstallScript?: boolean
        readonly optionalDependencies?: object
        readonly optional?: boolean
      }
    >
  >
}
const files = [
  ...['src', 'test'].flatMap((folder) => readSourceFiles(folder, ['.ts'])),
  { path: 'vitest.config.ts', imports: importsOf(readFileSync(join(root, 'vitest.config.ts'), 'utf8')) },
]

describe('dependencies', () => {
  test('a user installs exactly the agreed packages', () => {
    expect(Object.keys(manifest.dependencies)).toEqual([
      '@hono/node-server',
      '@mapbox/geojson-rewind',
      '@turf/bbox-clip',
      '@turf/helpers',
      '@turf/simplify',
      'ajv',
      'ajv-formats',
      'aws4fetch',
      'commander',
      'croner',
      'flatbush',
      'geographiclib-geodesic',
      'hono',
      'iconv-lite',
      'nodemailer',
      'papaparse',
      'proj4',
      'robust-predicates',
      'wkt-parser',
      'xlsx',
      'yaml',
      'yauzl',
      'yazl',
    ])
    expect(manifest.optionalDependencies).toBeUndefined()
    // Only those who name a PostgreSQL database install these.
    expect(manifest.peerDependencies).toEqual({ 'graphile-worker': '^0.18.0', pg: '^8.23.1' })
    expect(Object.values(manifest.peerDependenciesMeta!).every(({ optional }) => optional)).toBe(true)
  })

  test('versions are exact', () => {
    const exact = /^(npm:(@[\w-]+\/)?[\w-]+@)?\d+\.\d+\.\d+$/
    for (const [name, version] of Object.entries({ ...manifest.dependencies, ...manifest.devDependencies }))
      expect(version, name).toMatch(exact)
  })

  test('the lockfile names no host and has a checksum for every package', () => {
    expect(lockText).not.toMatch(/"resolved"|https?:\/\/[^"]*\.tgz/)
    const packages = Object.entries(lock.packages).filter(([path]) => path !== '')
    expect(packages.length).toBeGreaterThan(100)
    expect(packages.filter(([, { integrity }]) => integrity === undefined).map(([path]) => path)).toEqual([])
  })

  test('the lockfile lists the packages of every platform, which npm ci requires', () => {
    const known = new Set(Object.keys(lock.packages).map((path) => path.slice(path.lastIndexOf('node_modules/') + 13)))
    const named = Object.values(lock.packages).flatMap((each) => Object.keys(each.optionalDependencies ?? {}))
    expect(named.length).toBeGreaterThan(50)
    expect(named.filter((name) => !known.has(name))).toEqual([])
  })

  test('only Node itself may run a script during installation', () => {
    const running = Object.entries(lock.packages).filter(([, each]) => each.hasInstallScript && !each.optional)
    expect(running.map(([path]) => path)).toEqual(['node_modules/node'])
    expect(manifest.allowScripts).toEqual({ node: true })
  })

  test('only the program and its documents are published', () => {
    expect(manifest.files).toEqual(['bin', 'dist', 'docs', 'CHANGELOG.md', 'CONTRIBUTING.md'])
  })

  test('every file that the README links to is published', () => {
    const readme = readFileSync(join(root, 'README.md'), 'utf8')
    const links = [...readme.matchAll(/\]\(([^)#:]+)(?:#[^)]*)?\)/g)].map(([, path]) => path!)
    expect(links.length).toBeGreaterThan(5)
    const isPublished = (path: string): boolean =>
      manifest.files.some((each) => path === each || path.startsWith(`${each}/`))
    expect(links.filter((path) => !isPublished(path) || !existsSync(join(root, path)))).toEqual([])
  })
})

test('the public names of index.ts are these', async () => {
  const names = Object.keys(await import('../src/index.ts')).toSorted()
  expect(names).toEqual([
    'WindrowError',
    'adoptFormat',
    'apply',
    'bufferSource',
    'check',
    'connectTo',
    'exportFile',
    'exportPipeline',
    'fileSource',
    'fileTarget',
    'findResourceType',
    'formatForTarget',
    'formats',
    'geoJsonFromShape',
    'identifyCrs',
    'importFile',
    'importPipeline',
    'init',
    'isProjectionFault',
    'membersOf',
    'openFile',
    'openSource',
    'plan',
    'problem',
    'projectorFor',
    'readPipeline',
    'resourceTypes',
    'retry',
    'shapeFromGeoJson',
    'undo',
    'verify',
  ])
})

test('the names for files come without the service', async () => {
  const names = Object.keys(await import('../src/files.ts'))
  expect(names).toContain('openFile')
  expect(names).toContain('projectorFor')
  expect(names).not.toContain('importFile')
})

test('the embedded service has its own entry point', async () => {
  expect(Object.keys(await import('../src/service.ts')).toSorted()).toEqual(['createService', 'serve'])
})

describe('docs/decisions.md names the files that use each package', () => {
  const text = readFileSync(join(root, 'docs/decisions.md'), 'utf8')
  const rows = [...text.matchAll(/^\| (@?[\w/-]+) \| `([^`]+)` \|/gm)].map(
    ([, name, place]) => [name!, place!] as const,
  )

  test('the table was read', () => {
    expect(rows.map(([name]) => name)).toEqual([
      'xlsx',
      'ajv',
      '@mapbox/geojson-rewind',
      'nodemailer',
      'pg',
      'graphile-worker',
      '@turf/union',
      'aws4fetch',
      'papaparse',
      'shpjs',
      'vitest',
    ])
  })

  test.each(rows)('%s in %s', (name, place) => {
    const folder = place.startsWith('test/') ? 'test/' : place.startsWith('src/') ? 'src/' : ''
    const users = files
      .filter((file) => file.path.startsWith(folder) && file.imports.some((each) => packageOf(each) === name))
      .map((file) => file.path)
    const named = globSync(place, { cwd: root }).map((path) => path.replaceAll('\\', '/'))
    expect(users.filter((path) => named.includes(path))).not.toEqual([])
    if (folder === 'src/') expect(users.filter((path) => !named.includes(path))).toEqual([])
  })
})
