import { expect, test } from 'vitest'
import { startTrial } from '../../../src/formats/shapefile/encoding.ts'

const bytes = (text: string): Buffer => Buffer.from(text, 'latin1')

test.each([
  ['ASCII', [bytes('Top Flat')], 'ascii'],
  ['UTF-8', [bytes('Top Flat'), Buffer.from('R\u0101hui')], 'utf-8'],
  ['UTF-8 cut off in a letter', [Buffer.from('R\u0101hui K\u014dwha\u012b').subarray(0, -1)], 'utf-8'],
  ['Windows', [bytes('Pr\xe8s du ch\xe2teau')], 'windows'],
  ['letters that Windows and DOS have', [bytes('Gro\xe1feld'), bytes('Dorf\xe4cker')], 'other'],
  ['Windows with apostrophes and quotes', [bytes('O\x92Brien'), bytes('\x84Auf der H\xf6he\x93')], 'other'],
  ['DOS', [bytes('Gr\x81nland'), bytes('Pr\x82s')], 'dos'],
  [
    'DOS with a sharp s',
    [bytes('K\x84se'), bytes('Hinterm W\x84ldchen'), bytes('M\x84usle'), bytes('F\x84\xe1le')],
    'dos',
  ],
  ['DOS with sharp s alone', [bytes('Gro\xe1e Wiese'), bytes('Schlo\xe1hof')], 'dos'],
  ['DOS with as many sharp s', [bytes('Gro\xe1e Wiese'), bytes('K\x94nigsacker')], 'dos'],
  ['one cell of UTF-8 among others', [Buffer.from('R\u0101hui'), bytes('Pr\xe8s')], 'windows'],
] as const)('%s', (_, cells, verdict) => {
  const trial = startTrial()
  for (const cell of cells) trial.add(cell, true)
  expect(trial.verdict()).toBe(verdict)
})

test('text of another alphabet is neither', () => {
  const trial = startTrial()
  for (const cell of ['\xcf\xee\xeb\xe5', 'Top']) trial.add(bytes(cell), true)
  expect(trial.verdict()).toMatchObject({
    word: 'Ïîëå',
    readings: [{ encoding: 'windows-1251', word: 'Поле' }, {}, {}, {}, {}],
  })
})
