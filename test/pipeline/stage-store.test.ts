import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { TextBytes } from '../../src/core/shapes/text-bytes.ts'
import { openStage, uncommon, type Stage } from '../../src/pipeline/stage/stage-store.ts'

let folder: string
let stage: Stage
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'windrow-stage-'))
  stage = openStage(folder)
})
afterEach(() => {
  stage.close()
  rmSync(folder, { recursive: true, force: true })
})

function add(body: string | undefined): number {
  const source = { sourceScheme: 'nz.example.farm-number.plots', sourceId: '00412876/007' }
  const action = body === undefined ? ('unchanged' as const) : ('create' as const)
  const planned = { key: 'k', action, hash: 'h', base: null, modified: '2026-11-16T00:00:00Z' }
  const write = body === undefined ? undefined : (out: TextBytes) => out.text(body)
  return stage.addRecord({ ...source, ...planned, body: write, before: undefined })
}

const bodyOf = (name: string): string => JSON.stringify({ name })
const readBack = (items = 500, bytes = 4 << 20): string[][] =>
  [...stage.unanswered({ items, bytes })].map((batch) => batch.map(({ body }) => Buffer.from(body).toString()))

// Names whose characters take one, two, three and four bytes; bodies larger than the block they wait in.
const small = ['Rāhui', 'Ōtāne flat', 'Woolshed', '牧草地', '🐄', ''].map(bodyOf)
const large = ['ā', 'x'].map((letter) => bodyOf(letter.repeat(1 << 20)))

test('finds the keys of several rows, but not of skipped ones or rows without a key', () => {
  const keys = ['a', 'b', 'c', 'a', null, null, 'b', 'a']
  for (const [row, key] of keys.entries())
    stage.addRow({ source: 'a.csv', row }, row === 6 ? 'skipped' : 'ready', null, key)
  expect(stage.repeatedKeys()).toEqual(['a'])
})

test('finds records with an uncommon action without reading the others', () => {
  const ids = [bodyOf('Rāhui'), undefined, bodyOf('Woolshed')].map(add)
  stage.change(`UPDATE records SET action = 'void' WHERE id = ?`, ids[2]!)
  const sql = `SELECT id FROM records WHERE action = 'void' AND ${uncommon}`
  expect(stage.query(sql)).toEqual([{ id: ids[2] }])
  expect(stage.query<{ detail: string }>(`EXPLAIN QUERY PLAN ${sql}`).map(({ detail }) => detail)).toEqual([
    'SEARCH records USING COVERING INDEX records_uncommon (action=?)',
  ])
})

describe('bodies that are ready', () => {
  test('come back unchanged, with any letters and any size', () => {
    const bodies = [...small, large[0]!, ...small, large[1]!, ...small]
    stage.together(() => bodies.forEach(add))
    stage.complete()
    expect(readBack().flat()).toEqual(bodies)
    expect(readFileSync(join(folder, 'ready.ndjson'), 'utf8')).toBe(`${bodies.join('\n')}\n`)
  })

  test('come back if most of those between them have an answer', () => {
    const ids = Array.from({ length: 40 }, (_, index) => add(bodyOf(`${'Kererū '.repeat(50)}${index}`)))
    stage.complete()
    stage.addReceipts(ids.slice(1, -1).map((record) => ({ record, state: 'accepted' })))
    expect(readBack().flat()).toEqual([0, 39].map((index) => bodyOf(`${'Kererū '.repeat(50)}${index}`)))
  })

  test('come in batches no larger than asked for, but at least one at a time', () => {
    const bodies = Array.from({ length: 7 }, (_, index) => bodyOf(`Tūī ${index}`))
    bodies.forEach(add)
    stage.complete()
    const sizes = (items: number, bytes: number): number[] => readBack(items, bytes).map(({ length }) => length)
    expect(sizes(3, 4096)).toEqual([3, 3, 1])
    expect(sizes(500, 2 * Buffer.byteLength(bodies[0]!))).toEqual([2, 2, 2, 1])
    expect(sizes(500, 1)).toEqual([1, 1, 1, 1, 1, 1, 1])
    expect(readBack(500, 1).flat()).toEqual(bodies)
  })

  test('come back unchanged without the voided ones', () => {
    const ids = small.map(add)
    add(undefined)
    stage.change(`UPDATE records SET action = 'void' WHERE id IN (?, ?)`, ids[0]!, ids[3]!)
    stage.complete()
    const kept = small.filter((_, index) => index !== 0 && index !== 3)
    expect(readBack().flat()).toEqual(kept)
    expect(readFileSync(join(folder, 'ready.ndjson'), 'utf8')).toBe(`${kept.join('\n')}\n`)
  })
})
