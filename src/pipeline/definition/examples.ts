/** Compares the example rows of a pipeline with the records its mapping gives. */

import { isObject } from '../../core/values/exact-json.ts'
import { compileMapping, type Mapped, type Mapping } from '../../mapping/compile.ts'
import { dataPointKey } from '../../resources/keys.ts'
import type { ImportPipeline } from './definition.ts'

/** The result of one example, counted from 1; `difference` is a sentence. */
export type ExampleResult = { readonly example: number; readonly ok: boolean; readonly difference?: string }

/** Runs every example of the pipeline. `gives` may be a part of the record; lists must have as many entries as they name. */
export function checkExamples(pipeline: ImportPipeline): readonly ExampleResult[] {
  if (pipeline.examples.length === 0) return []
  const mapping = compileMapping(pipeline.mapping)
  return pipeline.examples.map(({ row, gives }, index) => {
    const example = index + 1
    const mapped = mapping.apply({ at: { source: pipeline.path, row: example }, values: row })
    const difference = problemOf(mapped) ?? differenceOf(gives, recordOf(mapped, mapping), '')
    return difference === undefined ? { example, ok: true } : { example, ok: false, difference }
  })
}

/** The keys of the example rows, as the file has them. */
export function sourceIdsOf(pipeline: ImportPipeline): readonly string[] {
  const mapping = compileMapping(pipeline.mapping)
  return pipeline.examples.flatMap(
    ({ row }) => mapping.apply({ at: { source: pipeline.path, row: 1 }, values: row }).sourceId ?? [],
  )
}

function recordOf(mapped: Mapped, mapping: Mapping): Readonly<Record<string, unknown>> {
  const { sourceId, holding, record } = mapped
  return sourceId === undefined || holding === undefined
    ? record
    : { dataPointKey: dataPointKey({ type: mapping.type, holding, sourceId }), ...record }
}

function problemOf({ problems }: Mapped): string | undefined {
  const error = problems.find(({ severity }) => severity === 'error')
  if (error === undefined) return undefined
  const { column, value, message } = error
  return `${[column, value === undefined ? undefined : `"${value}"`].filter((part) => part !== undefined).join(' ')}: ${message}`
}

function differenceOf(expected: unknown, actual: unknown, path: string): string | undefined {
  const where = path === '' ? 'the record' : path
  if (Array.isArray(expected)) {
    if (!Array.isArray(actual)) return `${where} should be a list but is ${show(actual)}.`
    if (expected.length !== actual.length)
      return `${where} should have ${expected.length} entries but has ${actual.length}.`
    const differences = expected.map((entry, index) => differenceOf(entry, actual[index], `${path}[${index}]`))
    return differences.find((each) => each !== undefined)
  }
  if (typeof expected === 'object' && expected !== null) {
    if (!isObject(actual)) return `${where} should have fields but is ${show(actual)}.`
    const fields = new Map(Object.entries(actual))
    return Object.entries(expected)
      .map(([name, value]) => differenceOf(value, fields.get(name), path === '' ? name : `${path}.${name}`))
      .find((each) => each !== undefined)
  }
  // An id without quotes is a number to YAML and text to the record; an empty value means that the field should be absent.
  const same = expected === null ? actual === undefined : spell(expected) === spell(actual)
  return same ? undefined : `${where} should be ${show(expected)} but is ${show(actual)}.`
}

function spell(value: unknown): string | undefined {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
    ? String(value)
    : undefined
}

function show(value: unknown): string {
  return value === undefined || value === null ? 'empty' : JSON.stringify(value)
}
