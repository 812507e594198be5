import { expect, test } from 'vitest'
import { runsPage, type RunRow } from '../../src/web/runs-page.ts'

test('the page of all runs shows the pipelines that fail before the others', () => {
  const runs = ['a', 'b', 'c'].map((pipeline): RunRow => {
    const isGood = pipeline !== 'c'
    const counts = { read: 1, created: 0, updated: 0, deleted: 0, rejected: 0 }
    return { pipeline, started: '2026-10-01T13:15:00Z', outcome: 'done', exit: isGood ? 0 : 4, isGood, counts }
  })
  const page = runsPage(runs, { title: 'pipelines', zone: 'UTC' })
  expect([...page.matchAll(/<h2>(\w)<\/h2>/g)].map(([, name]) => name)).toEqual(['c', 'a', 'b'])
})
