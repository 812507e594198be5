import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import {
  fileName,
  findUnfinishedRun,
  listRuns,
  lockPipeline,
  pruneRuns,
  startRunFolder,
} from '../../src/pipeline/run-folder.ts'
import { openStage } from '../../src/pipeline/stage-store.ts'

let state: string
beforeEach(() => {
  state = mkdtempSync(join(tmpdir(), 'windrow-runs-'))
})
afterEach(() => rmSync(state, { recursive: true, force: true }))

const at = new Date(2026, 10, 20, 14, 12)

function leaveRun(name: string, facts: { readonly complete?: boolean; readonly finished?: boolean }): string {
  const { id, folder } = startRunFolder(state, name, at)
  const stage = openStage(folder)
  stage.remember('pipeline', name)
  if (facts.complete === true) stage.complete()
  if (facts.finished === true) stage.remember('finished', true)
  stage.close()
  return id
}

test('a run is named by its time and its pipeline, and two in one minute are told apart', () => {
  expect(startRunFolder(state, 'onboard', at).id).toBe('1120-1412-onboard')
  expect(startRunFolder(state, 'onboard', at).id).toBe('1120-1412-onboard-2')
})

test.each([
  ['Rimu paddocks FINAL v3', 'Rimu-paddocks-FINAL-v3'],
  ['plots/<FARM>:1', 'plots-FARM-1'],
  ['Ōtāne', 'Ōtāne'],
  ['../..', 'run'],
])('the name %s is safe as %s', (name, safe) => {
  expect(fileName(name)).toBe(safe)
})

describe('an unfinished run', () => {
  test.each([
    ['a stage that was not complete', {}, false],
    ['a complete stage', { complete: true }, true],
    ['a finished run', { complete: true, finished: true }, false],
  ])('%s', (_, facts, isFound) => {
    const id = leaveRun('nightly', facts)
    expect(findUnfinishedRun(state, 'nightly')?.id).toBe(isFound ? id : undefined)
    expect(findUnfinishedRun(state, 'another')).toBeUndefined()
  })

  test('is kept when old runs are pruned', () => {
    const open = leaveRun('nightly', { complete: true })
    const done = Array.from({ length: 62 }, () => leaveRun('onboard', { complete: true, finished: true }))
    pruneRuns(state)
    expect(existsSync(join(state, 'runs', open))).toBe(true)
    expect(done.filter((id) => existsSync(join(state, 'runs', id)))).toHaveLength(60)
  })
})

test('runs are listed by their start, those without a report are not', () => {
  for (const started of ['2026-11-20T02:00:00Z', '2026-11-19T02:00:00Z']) {
    const { folder } = startRunFolder(state, 'nightly', at)
    writeFileSync(join(folder, 'report.json'), JSON.stringify({ started }))
  }
  startRunFolder(state, 'nightly', at)
  expect(listRuns(state).map(({ report }) => report.started)).toEqual(['2026-11-19T02:00:00Z', '2026-11-20T02:00:00Z'])
})

test('one pipeline is run by one at a time, others are free', () => {
  const lock = lockPipeline(state, 'nightly')
  expect(() => lockPipeline(state, 'nightly')).toThrow(expect.objectContaining({ code: 'run-busy', exit: 6 }) as Error)
  lockPipeline(state, 'onboard').release()
  lock.release()
  lockPipeline(state, 'nightly').release()
})
