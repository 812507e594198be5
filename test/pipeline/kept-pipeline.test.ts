import { readdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, test } from 'vitest'
import { parsePipeline, readPipeline, type ImportPipeline } from '../../src/pipeline/definition/definition.ts'
import { keepPipeline, restorePipeline } from '../../src/pipeline/definition/kept-pipeline.ts'
import { digestOf } from '../../src/pipeline/prepare/prepare.ts'
import { typeOfDataset } from '../../src/resources/index.ts'

const folder = resolve(import.meta.dirname, '../../pipelines')

function afterKeeping(pipeline: ImportPipeline): ImportPipeline {
  return restorePipeline(JSON.parse(JSON.stringify(keepPipeline(pipeline))))
}

test.each(readdirSync(folder).filter((name) => name.endsWith('.yaml')))(
  '%s is the same after it was kept',
  async (name) => {
    const pipeline = await readPipeline(join(folder, name))
    if (pipeline.kind === 'export') return expect(name).toMatch(/spraying/)
    expect(afterKeeping(pipeline)).toEqual(pipeline)
    expect(digestOf(afterKeeping(pipeline))).toBe(digestOf(pipeline))
  },
)

test('a pipeline that takes some of the rows takes the same ones', () => {
  const text =
    'windrow: 1\nimport: plots\nfrom: { file: a.csv }\nholding: { scheme: x, id: "1" }\nkey: <A>\nonly: { STATUS: [Active, New] }\nrecord: { name: <B> }\n'
  const pipeline = parsePipeline(text, 'pipelines/test.yaml') as ImportPipeline
  expect(afterKeeping(pipeline)).toEqual(pipeline)
})

test('a pipeline for a dataset that windrow does not know keeps its type', () => {
  const text =
    'windrow: 1\nimport: plots\nfrom: { file: a.csv }\nholding: { scheme: x, id: "1" }\nkey: <A>\nrecord: { name: <B> }\n'
  const parsed = parsePipeline(text, 'pipelines/test.yaml') as ImportPipeline
  const { type } = typeOfDataset({ name: 'troughs', containedTypes: ['waterTrough'] })
  const pipeline = { ...parsed, type, mapping: { ...parsed.mapping, type } }
  expect(afterKeeping(pipeline)).toEqual(pipeline)
})

test('the secrets of a web address are not kept', () => {
  const text =
    'windrow: 1\nimport: plots\nfrom: { file: "https://farms.example/a.csv?token=geheim" }\nholding: { scheme: x, id: "1" }\nkey: <A>\nrecord: { name: <B> }\n'
  const kept = keepPipeline(parsePipeline(text, 'pipelines/test.yaml') as ImportPipeline)
  expect(JSON.stringify(kept)).not.toContain('geheim')
  expect(kept.from.file).toBe('https://farms.example/a.csv?...')
})
