/** What the report's page takes of small and large files. */

import { describe, expect, test } from 'vitest'
import type { Row } from '../../src/core/row.ts'
import { startPicture } from '../../src/pipeline/stage/farm-outlines.ts'

function picturedOf(rows: number, expected: number | undefined, lastTime = 0) {
  const picture = startPicture(undefined, expected)
  picture.expect(lastTime)
  let added = 0
  for (let row = 0; row < rows && !picture.isFull(); row += 1) {
    const read: Row = { at: { source: 'paddocks.csv', row }, values: {}, shape: undefined } as unknown as Row
    picture.add(read, { key: `k${row}`, body: { name: `Paddock ${row}` }, areaM2: 1 })
    added += 1
  }
  return { shown: picture.rows().length, added }
}

describe('the page of a run', () => {
  test.each([10_000, undefined])('shows all of 10,000 rows, also when their number is given as %s', (expected) => {
    expect(picturedOf(10_000, expected).shown).toBe(10_000)
  })

  test('shows the first 1,500 of more rows, and takes no others where their number is known', () => {
    expect(picturedOf(12_000, undefined).shown).toBe(1_500)
    expect(picturedOf(12_000, 12_000)).toEqual({ shown: 1_500, added: 1_500 })
    expect(picturedOf(12_000, undefined, 11_900)).toEqual({ shown: 1_500, added: 1_500 })
    expect(picturedOf(9_000, undefined, 9_100).shown).toBe(9_000)
  })
})
