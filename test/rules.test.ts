import { describe, expect, test } from 'vitest'
import { decide, judge, rulingOf, usualPolicy, type Decider, type Rule, type Ruling } from '../src/core/rule.ts'
import type { Choice } from '../src/core/row.ts'
import { allCases } from '../src/rules/all.cases.ts'
import { allDeciders, allRules, meaningOf, partsOf } from '../src/rules/index.ts'

describe('the rules', () => {
  test('have an id each, and cases for each', () => {
    const ids = [...allRules, ...allDeciders].map(({ id }) => id)
    expect(new Set(ids).size).toBe(ids.length)
    expect(Object.keys(allCases).toSorted()).toEqual(ids.toSorted())
    for (const [id, { yes, no }] of Object.entries(allCases)) {
      expect(yes.length, id).toBeGreaterThan(0)
      expect(no.length, id).toBeGreaterThan(0)
    }
  })

  test.each(allRules as readonly Rule<unknown>[])('$id says whole sentences', ({ id, why }) => {
    expect(id).toMatch(/^[a-z]+(-[a-z]+)*$/)
    expect(meaningOf(id)).toMatch(/^[A-Z<].{20,200}\.$/)
    expect(why).toMatch(/^[A-Z<].*\.$/s)
  })
})

describe.each(allRules as readonly Rule<unknown>[])('$id', (rule) => {
  const { yes = [], no = [] } = allCases[rule.id] ?? {}
  // A rule that is off until somebody gives it a limit gets one here.
  const ruling: Ruling =
    rule.above === 'off'
      ? { verdict: 'stop', above: rule.id === 'older' ? { count: 36 * 3_600_000 } : { share: 0.2 } }
      : rulingOf(rule, usualPolicy)
  const policy = { rulings: { [rule.id]: ruling }, allowed: new Set<string>() }
  const found = (facts: unknown) => judge([rule], facts, { policy, place: { source: 'a.csv', row: -1 } })

  test.each(yes)('finds: %s', (_, facts) => {
    const [problem] = found(facts)
    expect(problem).toBeDefined()
    expect(problem!.message).toMatch(/^\S.*[.?]$/s)
    expect(`${problem!.message} ${problem!.hint} ${problem!.setting}`.replaceAll(' undefined', '')).not.toMatch(
      /undefined|NaN|\[object|,,| {4}/,
    )
  })

  test.each(no)('finds nothing: %s', (_, facts) => {
    expect(found(facts)).toEqual([])
  })
})

describe.each(allDeciders as readonly Decider<unknown>[])('$id', (rule) => {
  const { yes = [], no = [] } = allCases[rule.id] ?? {}

  test('says whole sentences', () => {
    expect(rule.id).toMatch(/^[a-z]+(-[a-z]+)*$/)
    expect(partsOf(rule)[0]).toMatch(/^[A-Z<].{20,300}\.$/)
  })

  const decided = (facts: unknown): readonly Choice[] => decide([rule], facts, () => false)

  test.each(yes)('decides: %s', (_, facts) => {
    const choices = decided(facts)
    expect(choices).not.toEqual([])
    for (const { setting, evidence, certainty } of choices) {
      expect(setting).toMatch(/^[a-zA-Z\d.]+$/)
      expect(evidence).toMatch(/^\S/)
      expect(evidence).not.toMatch(/undefined|NaN|\[object/)
      expect(certainty).not.toBe('ask')
    }
  })

  test.each(no)('decides nothing, or asks: %s', (_, facts) => {
    for (const { certainty, question } of decided(facts))
      expect([certainty, question]).toEqual(['ask', expect.stringMatching(/^\S.*\?$/)])
  })
})
