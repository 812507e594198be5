/** What the report's page takes of small and large files. */

import { describe, expect, test } from 'vitest'
import type { Row } from '../../src/core/row.ts'
import { startPicture } from '../../src/pipeline/stage/farm-outlines.ts'

function picturedOf(rows: number, actionOf: (row: number) => string | undefined) {
  const picture = startPicture(undefined)
  for (let row = 0; row < rows; row += 1) {
    const read: Row = { at: { source: 'paddocks.csv', row }, values: {}, shape: undefined } as unknown as Row
    const action = actionOf(row)
    picture.add(read, { key: `k${row}`, body: { name: `Paddock ${row}` }, areaM2: 1, ...(action && { action }) })
  }
  return picture.rows().map(({ row }) => row)
}

describe('the page of a run', () => {
  test('lists all of 10,000 rows', () => {
    expect(new Set(picturedOf(10_000, () => 'create')).size).toBe(10_000)
  })

  test('takes at most 1,500 of more rows, evenly', () => {
    const rows = picturedOf(100_000, () => 'create')
    expect(rows.length).toBeLessThanOrEqual(1_500)
    expect(rows.length).toBeGreaterThan(750)
    expect(rows).toEqual(rows.map((_, index) => index * 128))
  })

  test('takes all rows that stand out and all new ones of a large file that hardly changed', () => {
    const changed = new Map([
      [11, undefined],
      [40_001, 'update'],
      [99_999, 'create'],
    ])
    const rows = picturedOf(100_000, (row) => (changed.has(row) ? changed.get(row) : 'unchanged'))
    expect(rows).toEqual(expect.arrayContaining([...changed.keys()]))
    expect(rows.length).toBeLessThanOrEqual(1_503)
  })
})
