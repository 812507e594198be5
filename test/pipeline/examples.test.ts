import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { parsePipeline, type ImportPipeline } from '../../src/pipeline/definition/definition.ts'
import { checkExamples } from '../../src/pipeline/definition/examples.ts'

const onboard = readFileSync(join(import.meta.dirname, '../fixtures/pipelines/onboard-paddocks.yaml'), 'utf8')

function importOf(text: string): ImportPipeline {
  const pipeline = parsePipeline(text, 'pipelines/test.yaml')
  if (pipeline.kind !== 'import') throw new Error('not an import')
  return pipeline
}

test('the example of the documentation is right', () => {
  expect(checkExamples(importOf(onboard))).toEqual([{ example: 1, ok: true }])
})

test('a pipeline without examples has nothing to check', () => {
  expect(checkExamples(importOf(onboard.slice(0, onboard.indexOf('examples:'))))).toEqual([])
})

describe('differences are reported', () => {
  const start = onboard.slice(0, onboard.indexOf('examples:'))
  test.each([
    [
      '{ PADDOCK_ID: 007 }',
      '{ dataPointKey: plots/x/y/7 }',
      'dataPointKey should be "plots/x/y/7" but is "plots/nz.example.farm-number/00412876/007".',
    ],
    ['{ PADDOCK_ID: 007, NAME: Rāhui }', '{ name: Rahui }', 'name should be "Rahui" but is "Rāhui".'],
    ['{ PADDOCK_ID: 007 }', '{ name: Rāhui }', 'name should be "Rāhui" but is empty.'],
    ['{ PADDOCK_ID: 007, CROP: RG }', '{ crops: [] }', 'crops should have 0 entries but has 1.'],
    ['{ PADDOCK_ID: 007, CROP: RG }', '{ crops: [{ name: RG }] }', 'crops[0].name should be "RG" but is "Ryegrass".'],
    ['{ PADDOCK_ID: 007 }', '{ crops: [{ name: RG }] }', 'crops should be a list but is empty.'],
    ['{ PADDOCK_ID: 007, NAME: x }', '{ name: { a: 1 } }', 'name should have fields but is "x".'],
    ['{ PADDOCK_ID: 007, NAME: x }', '{ name: }', 'name should be empty but is "x".'],
    [
      '{ PADDOCK_ID: 007, SOWN: 31/2/2026 }',
      '{ name: x }',
      'SOWN "31/2/2026": February 2026 has 28 days. Expected day/month/year.',
    ],
    ['{ NAME: x }', '{ name: x }', 'PADDOCK_ID: The row has no key, so it cannot be recognised next time.'],
    ['{ PADDOCK_ID: 007 }', '{ constructor: x }', 'constructor should be "x" but is empty.'],
  ])('%s gives %s', (row, gives, difference) => {
    const examples = `examples:\n  - { row: { PADDOCK_ID: 1 }, gives: {} }\n  - { row: ${row}, gives: ${gives} }\n`
    expect(checkExamples(importOf(start + examples))).toEqual([
      { example: 1, ok: true },
      { example: 2, ok: false, difference },
    ])
  })
})
