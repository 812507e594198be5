import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { pickSharedTexts, readSharedTexts } from '../../../src/formats/xlsx/shared-texts.ts'
import { sourceOf } from '../fixtures.ts'

const words = Array.from({ length: 30_000 }, (_, index) =>
  index % 97 === 0 ? '' : `Kōwhai ${index}${'x'.repeat(index % 50)}`,
)
const part = sourceOf('sharedStrings.xml', `<sst>${words.map((text) => `<si><t>${text}</t></si>`).join('')}</sst>`)

const folder = mkdtempSync(join(tmpdir(), 'windrow-texts-'))
beforeAll(() => {
  for (const name of ['TMPDIR', 'TEMP', 'TMP']) vi.stubEnv(name, folder)
})
afterAll(() => {
  vi.unstubAllEnvs()
  rmSync(folder, { recursive: true })
})

describe.each([
  ['in memory', 64 * 2 ** 20],
  ['partly on the disk', 100_000],
  ['on the disk', 0],
])('texts %s', (_, limit) => {
  test('are found by their number, in any order', async () => {
    const texts = await readSharedTexts(part, undefined, limit)
    for (let index = 0; index < words.length; index += 1) {
      expect(texts.at(index)).toBe(words[index])
      const other = (index * 7919) % words.length
      expect(texts.at(other)).toBe(words[other])
    }
    for (const index of [-1, 1.5, words.length, Number.NaN]) expect(texts.at(index)).toBeUndefined()
    await texts.close()
    expect(readdirSync(folder)).toEqual([])
  })
})

test('a few are picked without the rest', async () => {
  const cut = sourceOf(
    'sharedStrings.xml',
    `<sst>${words
      .slice(0, 20)
      .map((text) => `<si><t>${text}</t></si>`)
      .join('')}<si`,
  )
  expect(await pickSharedTexts(cut, new Set([3, 1]))).toEqual(new Map([1, 3].map((index) => [index, words[index]])))
})
