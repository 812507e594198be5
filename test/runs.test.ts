import { describe, expect, test } from 'vitest'
import { share } from './runs.ts'

describe('a share', () => {
  const all = ['a1', 'a2', 'a3', 'a4', 'b1', 'c1', 'c2', 'c3'] as const
  const kindOf = (input: string): string => input.slice(0, 1)
  const [one, again] = [share(all, 2, kindOf), share(all, 2, kindOf)]

  test('has of each kind as many as wanted, in their order, and the same each time', () => {
    expect(one.map(kindOf)).toEqual(['a', 'a', 'b', 'c', 'c'])
    expect(one.toSorted()).toEqual(one)
    expect(again).toEqual(one)
  })
})
