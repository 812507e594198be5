import { describe, expect, test } from 'vitest'
import { judge, rulingOf, usualPolicy, type Rule, type Ruling } from '../src/core/rule.ts'
import { allCases } from '../src/rules/all.cases.ts'
import { allRules, meaningOf } from '../src/rules/index.ts'
import { placingCases } from '../src/rules/placing.cases.ts'
import { decidePlace, type Lying } from '../src/rules/placing.ts'

describe('the rules', () => {
  test('have an id each, and cases for each', () => {
    const ids = allRules.map(({ id }) => id)
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

describe.each(Object.entries(placingCases))('what decides from.%s', (id, { yes, no }) => {
  const decided = (lying: Lying) => decidePlace(lying, (setting) => setting !== `from.${id}`)

  test.each(yes)('decides: %s', (_, lying) => {
    const [choice] = decided(lying)
    expect(choice).toMatchObject({ setting: `from.${id}`, value: expect.any(String) as string })
    expect(choice!.certainty).not.toBe('ask')
    expect(choice!.evidence).toMatch(/^\S.*\w$/)
  })

  test.each(no)('does not: %s', (_, lying) => {
    for (const { certainty, question } of decided(lying))
      expect([certainty, question]).toEqual(['ask', expect.stringMatching(/\?$/)])
  })
})
