import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { importsOf, packageOf, readSourceFiles, root } from './imports.ts'

type Manifest = {
  readonly dependencies: Readonly<Record<string, string>>
  readonly devDependencies: Readonly<Record<string, string>>
  readonly optionalDependencies?: unknown
  readonly peerDependencies?: unknown
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
  test('what a user installs is what was agreed on', () => {
    expect(Object.keys(manifest.dependencies)).toEqual([
      '@hono/node-server',
      '@mapbox/geojson-rewind',
      '@turf/bbox-clip',
      '@turf/helpers',
      '@turf/simplify',
      'ajv',
      'ajv-formats',
      'commander',
      'croner',
      'geographiclib-geodesic',
      'hono',
      'iconv-lite',
      'json-schema-to-ts',
      'papaparse',
      'proj4',
      'xlsx',
      'yaml',
      'yauzl',
      'yazl',
    ])
    expect(manifest.optionalDependencies).toBeUndefined()
    expect(manifest.peerDependencies).toBeUndefined()
  })

  test('versions are exact', () => {
    const exact = /^(npm:(@[\w-]+\/)?[\w-]+@)?\d+\.\d+\.\d+$/
    for (const [name, version] of Object.entries({ ...manifest.dependencies, ...manifest.devDependencies }))
      expect(version, name).toMatch(exact)
  })

  test('the lockfile names no host and knows the content of every package', () => {
    expect(lockText).not.toMatch(/"resolved"|https?:\/\/[^"]*\.tgz/)
    const packages = Object.entries(lock.packages).filter(([path]) => path !== '')
    expect(packages.length).toBeGreaterThan(100)
    expect(packages.filter(([, { integrity }]) => integrity === undefined).map(([path]) => path)).toEqual([])
  })

  test('the lockfile knows the package of every platform, without which npm ci refuses it', () => {
    const known = new Set(Object.keys(lock.packages).map((path) => path.slice(path.lastIndexOf('node_modules/') + 13)))
    const named = Object.values(lock.packages).flatMap((each) => Object.keys(each.optionalDependencies ?? {}))
    expect(named.length).toBeGreaterThan(50)
    expect(named.filter((name) => !known.has(name))).toEqual([])
  })

  test('only Node itself may run a script while it is installed', () => {
    const running = Object.entries(lock.packages).filter(([, each]) => each.hasInstallScript && !each.optional)
    expect(running.map(([path]) => path)).toEqual(['node_modules/node'])
    expect(manifest.allowScripts).toEqual({ node: true })
  })

  test('the published files are the program and nothing else', () => {
    expect(manifest.files).toEqual(['bin', 'dist', 'CHANGELOG.md'])
  })
})

test('the public names of index.ts are these', async () => {
  const names = Object.keys(await import('../src/index.ts')).toSorted()
  expect(names).toEqual([
    'WindrowError',
    'adoptFormat',
    'bufferSource',
    'check',
    'connectTo',
    'errorCodes',
    'exitCodes',
    'exportFile',
    'exportJobOf',
    'fileSource',
    'fileTarget',
    'findResourceType',
    'formatForTarget',
    'formats',
    'geoJsonFromShape',
    'geometryText',
    'identifyCrs',
    'importFile',
    'importPipeline',
    'inspectTable',
    'inspectionSchema',
    'isProjectionFault',
    'measure',
    'membersOf',
    'normaliserFor',
    'openFile',
    'openSource',
    'parsePipeline',
    'pipelineSchema',
    'prepareImport',
    'problem',
    'problemCodes',
    'projectorFor',
    'readPipeline',
    'recordsOf',
    'reportSchema',
    'resourceTypes',
    'runExport',
    'shapeFromGeoJson',
    'typeOfDataset',
    'withGrids',
  ])
})

test('the names for files alone come without the service', async () => {
  const names = Object.keys(await import('../src/files.ts'))
  expect(names).toContain('openFile')
  expect(names).toContain('projectorFor')
  expect(names).not.toContain('importFile')
})

test('the embedded service has a door of its own', async () => {
  expect(Object.keys(await import('../src/service.ts')).toSorted()).toEqual(['createService', 'serve'])
})

describe('docs/decisions.md says truly where each package works', () => {
  const text = readFileSync(join(root, 'docs/decisions.md'), 'utf8')
  const rows = [...text.matchAll(/^\| (@?[\w/-]+) \| `([^`]+)` \|/gm)].map(
    ([, name, place]) => [name!, place!] as const,
  )

  test('the table was read', () => {
    expect(rows.map(([name]) => name)).toEqual([
      'xlsx',
      'ajv',
      '@mapbox/geojson-rewind',
      '@turf/union',
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
