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

describe('--holding', () => {
  beforeEach(() => world.publishFarms())
  const paddocks = 'samples/rimu-farm/Rimu paddocks FINAL v3.zip'
  const dryRun = (holding: string, more = {}) =>
    world.run(['import', paddocks, '--holding', holding, '--zone', 'Pacific/Auckland', '--dry-run'], more)

  test.each(['00412876', 'Rimu Farm', 'rimu farm', 'nz.example.farm-number:00412876'])(
    'finds the farm by %j',
    async (words) => {
      const { failure, out } = await dryRun(words)
      expect([failure, /^ {2}holding +(.*)$/m.exec(out)?.[1]]).toEqual([undefined, 'nz.example.farm-number:00412876'])
    },
  )

  test('finds the farm by its name for init, and by a name without its macrons', async () => {
    const { exit, out } = await world.run(['init', paddocks, '--holding', 'kowhai station', '--zone', 'Pacific/Auckland'])
    expect(exit).toBe(0)
    expect(out).toContain('00731190')
  })

  test.each([
    ['Rimu Frm', 'Did you mean Rimu Farm (nz.example.farm-number:00412876)?'],
    ['00412867', 'Did you mean Rimu Farm (nz.example.farm-number:00412876)?'],
    ['Nobody at all', 'None of your farms is called "Nobody at all".'],
  ])('%j is answered with the nearest farm and the list', async (words, sentence) => {
    const { exit, failure } = await dryRun(words)
    expect([exit, failure?.code]).toEqual([2, 'holding-missing'])
    expect(failure?.message).toContain(sentence)
    expect(failure?.hint).toMatch(/^Choose one of: .*Rimu Farm \(nz\.example\.farm-number:00412876\)/)
  })

  test('a mistyped number is answered with the nearest farm and the list, by name', async () => {
    const { exit, out } = await world.run(['import', paddocks, '--holding', 'nz.example.farm-number:00412867'])
    expect(exit).toBe(5)
    expect(out).toContain('Did you mean Rimu Farm (nz.example.farm-number:00412876)? Choose one of: Rimu Farm')
    expect(out).toContain('Kōwhai Station (nz.example.farm-number:00731190)')
  })

  test('a bare number is refused with a sentence where there is no connection', async () => {
    const env = { HOME: world.folder, LOCALAPPDATA: world.folder, XDG_STATE_HOME: world.folder }
    const { exit, failure } = await dryRun('00412876', { env })
    expect([exit, failure?.code]).toEqual([2, 'holding-missing'])
    expect(failure?.message).toContain('without a connection windrow cannot look the farm up')
  })
})
