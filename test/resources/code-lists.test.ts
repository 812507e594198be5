import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { codeKey, codeLists, isListed, listedSpelling } from '../../src/resources/code-lists.ts'

test.each([
  ['work-status', 6],
  ['priority', 5],
  ['operation', 16],
  ['wind-direction', 16],
  ['abundance', 6],
  ['medicine-species', 8],
  ['breed-species', 3],
  ['breed-scheme', 6],
  ['withholding-product', 7],
])('%s has %d values', (name, count) => {
  const values = codeLists.find((list) => list.name === name)?.values ?? []
  expect(new Set(values).size).toBe(count)
  expect(values).toHaveLength(count)
})

test('no list contains a value twice', () => {
  for (const { values } of codeLists) expect(new Set(values).size).toBe(values.length)
})

describe('spellings', () => {
  test.each([
    ['medicine-classification', 'Antibiotic+Related', 'Antibiotic+Related'],
    ['medicine-classification', 'AntibioticRelated', 'AntibioticRelated'],
    ['medicine-classification', 'Antibiotic Related', 'AntibioticRelated'],
    ['medicine-form', 'oral capsule', 'OralCapsule'],
    ['work-status', 'in progress', 'InProgress'],
    ['wind-direction', 'nnw', 'NNW'],
    ['breed-scheme', 'NZDIGAD3', 'NZ DIGAD3'],
    ['work-status', 'Started', undefined],
    ['no-list', 'x', undefined],
  ])('%s: %s is %s', (name, value, expected) => {
    expect(listedSpelling(name, value)).toBe(expected)
    expect(isListed(name, value)).toBe(value === expected)
  })
  test('all spellings of a value share a key, different values do not', () => {
    expect(
      new Set(['Dermal+EquipDisinfectant', 'Dermal EquipDisinfectant', 'dermalequipdisinfectant'].map(codeKey)).size,
    ).toBe(1)
    expect(codeKey('Pāua')).not.toBe(codeKey('Paua'))
  })
})

const contract = new URL('../../../shared/service-interface.md', import.meta.url)
describe.skipIf(!existsSync(contract))('the lists of the service', () => {
  test.each([
    ['Medicine classification values', 'medicine-classification', 27 + 23],
    ['Medicine form values', 'medicine-form', 35 + 133],
  ])('%s are all known', (heading, name, count) => {
    const lines = readFileSync(contract, 'utf8')
      .split('\n')
      .filter((line) => line.startsWith(heading))
    const values = lines.flatMap((line) =>
      line
        .slice(line.indexOf(':') + 1, -1)
        .split(', ')
        .map((value) => value.trim()),
    )
    expect(values).toHaveLength(count)
    expect(values.filter((value) => !isListed(name, value))).toEqual([])
  })
})
