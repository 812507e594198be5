import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { formats } from '../src/formats/index.ts'
import { leafOptions } from '../src/mapping/leaf-map.ts'
import { exportSchema, importSchema } from '../src/pipeline/definition/definition-schema.ts'
import { exportJobOf } from '../src/pipeline/export/export-job.ts'
import { parsePipeline } from '../src/pipeline/definition/definition.ts'
import { readYaml } from '../src/pipeline/definition/yaml-source.ts'
import { columnOptions, pipelineKeys } from '../tools/pipeline-keys.ts'
import { root } from './imports.ts'

const page = readFileSync(join(root, 'docs/pipelines.md'), 'utf8')

const schedule = { cron: '15 2 * * *', zone: 'Pacific/Auckland' }
const starts = {
  import: {
    schedule,
    windrow: 1,
    import: 'plots',
    from: { file: 'a.csv' },
    holding: { scheme: 'nz.example.farm-number', id: '1' },
    key: '<No>',
    record: { name: '<Name>' },
  },
  export: { schedule, windrow: 1, export: 'work-records', to: { file: 'a.csv' } },
}

/** A whole pipeline in which the example replaces or adds a top-level key. */
const withExample = (kind: 'import' | 'export', example: string): string => {
  // Jobs have no list of changes, no boxes and no deleted ones.
  const type = /(?:changed|box): /.test(example) ? 'plots' : /deleted: /.test(example) && 'pasture-cover-events'
  return JSON.stringify({
    ...starts[kind],
    ...(kind === 'export' && type && { export: type }),
    ...(readYaml(example).value as object),
  })
}

const has = (value: unknown, path: string): boolean => {
  let inner = value
  for (const step of path.split('.')) {
    if (Array.isArray(inner)) [inner] = inner as readonly unknown[]
    if (typeof inner !== 'object' || inner === null || !Object.hasOwn(inner, step)) return false
    inner = (inner as Readonly<Record<string, unknown>>)[step]
  }
  return true
}

const optionsOfFormats = formats.flatMap(({ options }) => Object.keys(options.properties))

describe.each(['import', 'export'] as const)('every key of an %s is on the page', (kind) => {
  test.each(pipelineKeys(kind))('$path, with an example that parses', ({ path, example }) => {
    expect(page).toMatch(new RegExp(`^\\| \`${path.replaceAll('.', '\\.')}\` +\\| \\S`, 'm'))
    expect(has(readYaml(example).value, path)).toBe(true)
    const parsed = parsePipeline(withExample(kind, example), 'a.yaml')
    expect(parsed.kind).toBe(kind)
    const options = parsed.kind === 'import' ? parsed.from.options : exportJobOf(parsed, new Date(0)).formatOptions
    // What windrow does not take from `from` and `to` goes to the format.
    expect(optionsOfFormats).toEqual(expect.arrayContaining(Object.keys(options)))
  })

  test('also the first level of the schema itself', () => {
    const { properties } = kind === 'import' ? importSchema : exportSchema
    const paths = pipelineKeys(kind).map(({ path }) => path)
    expect(paths).toEqual(expect.arrayContaining(Object.keys(properties)))
  })
})

test.each(Object.entries(columnOptions))(
  'the option %s of a column has an example that parses',
  (name, [, example]) => {
    expect(page).toMatch(new RegExp(`^\\| \`${name}\` +\\| \\S`, 'm'))
    expect(example).toContain(`${name}: `)
    expect(parsePipeline(withExample('import', example), 'a.yaml').kind).toBe('import')
  },
)

test('all options of a column are listed', () => {
  expect(Object.keys(columnOptions).toSorted()).toEqual([...leafOptions].toSorted())
})

test('whole pipelines on the page parse', () => {
  const blocks = [...page.matchAll(/```yaml\n([^]*?)```/g)].map(([, text]) => text!)
  const whole = blocks.filter((text) => text.startsWith('windrow:'))
  expect(whole.length).toBeGreaterThanOrEqual(2)
  for (const text of whole) expect(() => parsePipeline(text, 'a.yaml')).not.toThrow()
})
