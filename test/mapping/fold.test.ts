import { describe, expect, test } from 'vitest'
import type { Mapped } from '../../src/mapping/compile.ts'
import { fold } from '../../src/mapping/fold.ts'

function mapped(row: number, record: Readonly<Record<string, unknown>>, more: Partial<Mapped> = {}): Mapped {
  return {
    at: { source: 'rimu.csv', row },
    sourceId: '7',
    holding: { scheme: 'nz.example', id: '1' },
    record,
    blank: [],
    numericIds: [],
    wordedBlanks: [],
    problems: [],
    ...more,
  }
}

describe('rows of one record', () => {
  test('agree on single values and add to lists', () => {
    const area = { measurement: 3.2, units: 'HAR' }
    const folded = fold([
      mapped(2, { name: 'Rāhui', totalArea: area, crops: [{ name: 'Oats' }] }),
      mapped(3, { name: 'Rāhui', totalArea: { ...area }, crops: [{ name: 'Peas', variety: 'Kea' }] }),
      mapped(4, { name: 'Rāhui', crops: [{ name: 'Oats' }, { variety: 'Kea', name: 'Peas' }] }),
    ])
    expect(folded.problems).toEqual([])
    expect(folded.record).toEqual({
      name: 'Rāhui',
      totalArea: area,
      crops: [{ name: 'Oats' }, { name: 'Peas', variety: 'Kea' }],
    })
  })

  test.each([
    ['a text', { name: 'a' }, { name: 'b' }, '/name'],
    ['a measure', { totalArea: { measurement: 1 } }, { totalArea: { measurement: 2 } }, '/totalArea/measurement'],
    ['a list and a text', { crops: [] }, { crops: 'x' }, '/crops'],
  ])('that disagree about %s are reported with their places', (_, left, right, path) => {
    expect(fold([mapped(2, left), mapped(5, right)]).problems).toMatchObject([
      { code: 'group-disagrees', severity: 'error', path, at: { row: 2 }, with: [{ row: 5 }] },
    ])
  })

  test('that belong to two farms disagree', () => {
    const foreign = mapped(3, {}, { holding: { scheme: 'nz.example', id: '2' } })
    expect(fold([mapped(2, {}), foreign]).problems).toMatchObject([{ code: 'group-disagrees' }])
  })

  test('are blank only where all are blank, and keep problems and numeric ids', () => {
    const date = { code: 'date-twice', severity: 'note', at: { source: 'rimu.csv', row: 3 }, message: 'x' } as const
    const folded = fold([
      mapped(2, {}, { blank: ['/name', '/crops/0/name'], numericIds: ['ID'] }),
      mapped(3, { name: 'Rāhui' }, { blank: ['/crops/0/name'], numericIds: ['ID', 'NO'], problems: [date] }),
    ])
    expect(folded).toMatchObject({
      blank: ['/crops/0/name'],
      numericIds: ['ID', 'NO'],
      problems: [date],
      record: { name: 'Rāhui' },
    })
  })

  test('a single row stays unchanged', () => {
    const only = mapped(2, { name: 'x' })
    expect(fold([only])).toBe(only)
  })
})
