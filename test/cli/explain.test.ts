import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { errorCodes, exitCodes } from '../../src/core/error.ts'
import { errorExplanations, exitExplanations, problemExplanations } from '../../src/core/explanations.ts'
import { problemCodes } from '../../src/core/problem.ts'
import { readSourceFiles } from '../imports.ts'
import { startWorld, type World } from './world.ts'

let world: World
beforeEach(() => {
  world = startWorld()
})
afterEach(() => world.close())

test('every code and exit status has an explanation, and no explanation is for an unknown code', () => {
  const codesOf = (table: object): readonly string[] => Object.keys(table).toSorted()
  expect(codesOf(problemExplanations)).toEqual(codesOf(problemCodes))
  expect(codesOf(errorExplanations)).toEqual(codesOf(errorCodes))
  expect(codesOf(exitExplanations)).toEqual(codesOf(exitCodes))
})

test('every code is one that windrow can give', () => {
  const isList = /src\/core\/(?:error|problem|explanations)\.ts$/
  const texts = readSourceFiles('src', ['.ts']).flatMap(({ path, text }) => (isList.test(path) ? [] : [text]))
  const all = texts.join('\n')
  const codes = [...Object.keys(problemCodes), ...Object.keys(errorCodes)]
  expect(codes.filter((code) => !all.includes(`'${code}'`))).toEqual([])
})

test.each([
  ...Object.entries(problemExplanations),
  ...Object.entries(errorExplanations),
  ...Object.entries(exitExplanations).map(([name, { paragraph }]) => [name, paragraph] as const),
])('the paragraph of %s has two to five sentences', (_, paragraph) => {
  const sentences = paragraph.split(/(?<=[.)]) (?=[A-Z]|windrow )/)
  expect(sentences.length).toBeGreaterThanOrEqual(2)
  expect(sentences.length).toBeLessThanOrEqual(5)
  expect(paragraph).toMatch(/\.$/)
})

describe('windrow explain', () => {
  const text = (out: string): string => out.replaceAll(/\s+/g, ' ')

  test('says what a code means, why windrow does that, and what to do', async () => {
    const { exit, out } = await world.run(['explain', 'boundary-crosses-itself'])
    expect(exit).toBe(0)
    expect(out).toContain('boundary-crosses-itself  (error of a row or a file)\nThe boundary crosses itself.\n\n')
    expect(text(out)).toContain(problemExplanations['boundary-crosses-itself'])
    expect(Math.max(...out.split('\n').map((line) => line.length))).toBeLessThanOrEqual(100)
  })

  test('explains exit statuses', async () => {
    const { out } = await world.run(['explain', '6'])
    expect(out).toContain('6  (exit status)\nA rule stopped the run. Nothing was sent.\n')
    expect(text(out)).toContain(exitExplanations.stopped.paragraph)
  })

  test('explains a code twice where a row and a run can have it', async () => {
    const { out } = await world.run(['explain', 'key-missing'])
    expect(text(out)).toContain(errorExplanations['key-missing'])
    expect(text(out)).toContain(problemExplanations['key-missing'])
  })

  test('lists all codes', async () => {
    const { out } = await world.run(['explain'])
    for (const code of [
      ...Object.values(exitCodes).map(String),
      ...Object.keys(errorCodes),
      ...Object.keys(problemCodes),
    ])
      expect(out).toMatch(new RegExp(`^  ${code} +\\S`, 'm'))
  })

  test.each([
    ['boundary-crosses', 'Did you mean: windrow explain boundary-crosses-itself'],
    ['weather', 'windrow explain lists all codes.'],
    ['7', 'windrow ends with one of: 0, 1, 2, 3, 4, 5, 6, 130, 143.'],
    ['key', expect.stringMatching(/^Codes with this word: .*key-missing.*key-repeated/)],
  ])('offers the nearest codes for %s', async (code, hint) => {
    const { failure } = await world.run(['explain', code])
    expect(failure).toMatchObject({ code: 'option-invalid', message: `There is no code "${code}".`, hint })
  })
})

test('a report in the terminal names windrow explain once where rows have problems', async () => {
  const zip = 'samples/rimu-farm/Rimu paddocks FINAL v3.zip'
  const { out } = await world.run(['import', zip, '--holding', 'nz.example.farm-number:00412876', '--dry-run'])
  expect(out.match(/windrow explain/g)).toHaveLength(1)
  expect(out).toContain('What a problem means, and what to do: windrow explain boundary-crosses-itself')
  const clean = await world.run(['run', 'pipelines/holdings.yaml'])
  expect(clean.out).not.toContain('windrow explain')
})
