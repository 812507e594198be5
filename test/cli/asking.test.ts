import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { startWorld, type World } from './world.ts'

let world: World
beforeEach(() => {
  world = startWorld()
})
afterEach(() => world.close())

describe('a command line that cannot be read', () => {
  test.each([
    [['import'], 'The file is missing.', 'Usage: windrow import [options] <file>', 'windrow import "Rimu'],
    [['apply'], 'The run is missing.', 'Usage: windrow apply [options] <run>', 'windrow apply last'],
    [['service', 'record'], ' is missing.', 'Usage: windrow service record', 'windrow service record '],
  ])('%j is answered with the usage and an example', async (words, message, usage, example) => {
    const { exit, failure } = await world.run(words)
    expect([exit, failure?.code]).toEqual([2, 'option-invalid'])
    expect(failure?.message).toContain(message)
    expect(failure?.hint).toContain(usage)
    expect(failure?.hint).toContain(`\nExample: ${example}`)
    expect(failure?.hint).toContain(`\nMore: windrow help ${words.join(' ')}`)
  })

  test.each([
    [['imprt', 'a.csv'], 'Did you mean import?'],
    [['import', 'a.csv', '--holdin', 'x'], 'Did you mean --holding?'],
    [['service', 'recrd'], 'Did you mean record?'],
  ])('%j is answered with the nearest word', async (words, sentence) => {
    const { exit, failure } = await world.run(words)
    expect(exit).toBe(2)
    expect(failure?.message).toContain(sentence)
  })
})

test.each([
  [['help'], 'Usage: windrow [options] [command]'],
  [['help', 'import'], 'Usage: windrow import [options] <file>'],
  [['help', 'service', 'record'], 'Usage: windrow service record'],
  [['-v'], '0.0.0'],
  [['--version'], '0.0.0'],
])('%j prints what it names', async (words, text) => {
  const { exit, out } = await world.run(words)
  expect(exit).toBe(0)
  expect(out).toContain(text)
})
