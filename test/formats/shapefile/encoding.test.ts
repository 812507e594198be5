import { describe, expect, test } from 'vitest'
import {
  chooseEncoding,
  encodingFromName,
  textReader,
  type EncodingClues,
} from '../../../src/formats/shapefile/encoding.ts'

test.each([
  ['UTF-8', 'utf-8'],
  ['UTF-8\r\n', 'utf-8'],
  ['\uFEFFutf8', 'utf-8'],
  ['UTF 8', 'utf-8'],
  ['65001', 'utf-8'],
  ['1252', 'windows-1252'],
  ['CP1252', 'windows-1252'],
  ['ANSI 1252', 'windows-1252'],
  ['windows-1252', 'windows-1252'],
  ['Windows_1250', 'windows-1250'],
  ['ANSI', 'windows-1252'],
  ['ISO88591', 'windows-1252'],
  ['ISO-8859-1', 'windows-1252'],
  ['8859_15', 'iso-8859-15'],
  ['28591', 'windows-1252'],
  ['28605', 'iso-8859-15'],
  ['Latin1', 'windows-1252'],
  ['OEM 850', 'cp850'],
  ['IBM437', 'cp437'],
  ['LDID/87', 'windows-1252'],
  ['Big5', 'big5'],
  ['Big-5', 'big5'],
  ['950', 'big5'],
  ['932', 'shift_jis'],
  ['Shift_JIS', 'shift_jis'],
  ['GB18030', 'gb18030'],
  ['KOI8-R', 'koi8-r'],
  ['<!DOCTYPE html><html>', undefined],
  ['', undefined],
  ['SYSTEM', undefined],
  ['base64', undefined],
  ['hex', undefined],
  ['UTF-16', undefined],
  ['9999', undefined],
  ['constructor', undefined],
  ['__proto__', undefined],
  ['toString', undefined],
])('%j names %s', (spelling, expected) => {
  expect(encodingFromName(spelling)).toBe(expected)
})

describe('choosing', () => {
  const clues = (more: Partial<EncodingClues>): EncodingClues => ({
    option: undefined,
    declaration: undefined,
    languageDriver: 0,
    trial: () => Promise.resolve('ascii'),
    ...more,
  })
  const never = (): Promise<never> => Promise.reject(new Error('The text was looked at without need.'))

  test.each<[string, Partial<EncodingClues>, string, string[]]>([
    ['the option before all', { option: 'cp850', declaration: 'UTF-8', languageDriver: 3, trial: never }, 'cp850', []],
    ['the .cpg before the driver', { declaration: 'UTF-8\n', languageDriver: 3, trial: never }, 'utf-8', []],
    ['the driver', { languageDriver: 0xc8, trial: () => Promise.resolve('other') }, 'windows-1250', []],
    [
      'UTF-8 before a driver',
      { languageDriver: 0x57, trial: () => Promise.resolve('utf-8') },
      'utf-8',
      ['encoding-guessed'],
    ],
    [
      'UTF-8 before a .cpg of another encoding',
      { declaration: 'ISO-8859-1', trial: () => Promise.resolve('utf-8') },
      'utf-8',
      ['encoding-guessed'],
    ],
    [
      'a .cpg of another encoding',
      { declaration: 'ISO-8859-1', trial: () => Promise.resolve('other') },
      'windows-1252',
      [],
    ],
    ...['dos', 'windows'].flatMap((tried): [string, Partial<EncodingClues>, string, string[]][] => {
      const trial = () => Promise.resolve(tried as 'dos')
      const [other, right] = tried === 'dos' ? [0x57, 0x02] : [0x02, 0x57]
      const shown = tried === 'dos' ? 'cp850' : 'windows-1252'
      return [
        [`letters of ${tried} before a driver`, { languageDriver: other, trial }, shown, ['encoding-guessed']],
        [`letters of ${tried} and their driver`, { languageDriver: right, trial }, shown, []],
        [`letters of ${tried} and a driver of another alphabet`, { languageDriver: 0xc9, trial }, 'windows-1251', []],
      ]
    }),
    [
      'letters of DOS before a .cpg',
      { declaration: '1252', trial: () => Promise.resolve('dos') },
      'cp850',
      ['encoding-guessed'],
    ],
    ['a driver of several bytes a letter', { languageDriver: 0x4d, trial: never }, 'gbk', []],
    ['letters of DOS', { trial: () => Promise.resolve('dos') }, 'cp850', ['encoding-guessed']],
    ['a web page as .cpg', { declaration: '<html>', languageDriver: 3 }, 'windows-1252', ['encoding-doubtful']],
    ['ASCII', {}, 'utf-8', []],
    ['valid UTF-8', { trial: () => Promise.resolve('utf-8') }, 'utf-8', []],
    ['anything else', { trial: () => Promise.resolve('other') }, 'windows-1252', ['encoding-guessed']],
    ['an unknown driver', { languageDriver: 0x68 }, 'utf-8', []],
  ])('%s', async (_, more, expected, codes) => {
    const { encoding, decision, doubts } = await chooseEncoding(clues(more))
    expect(encoding).toBe(expected)
    expect(decision).toMatchObject({
      setting: 'from.encoding',
      value: expected,
      evidence: expect.stringMatching(/\.$/),
    })
    expect(doubts.map((doubt) => doubt.code)).toEqual(codes)
  })

  test('text that cannot be the declared Windows-1252 stops', async () => {
    const trial = () => Promise.resolve({ word: 'Ïîëå', readings: [{ encoding: 'windows-1251', word: 'Поле' }] })
    await expect(chooseEncoding(clues({ languageDriver: 0x57, trial }))).rejects.toMatchObject({
      code: 'encoding-unknown',
      message: expect.stringMatching(/^The \.dbf names language driver 0x57, which means windows-1252\..*"Ïîëå"/),
      hint: expect.stringContaining('windows-1251 (Поле)'),
    })
    await expect(chooseEncoding(clues({ languageDriver: 0xc9, trial }))).resolves.toMatchObject({
      encoding: 'windows-1251',
      doubts: [],
    })
  })

  test('an option that is not an encoding stops', async () => {
    await expect(chooseEncoding(clues({ option: 'klingon' }))).rejects.toMatchObject({ code: 'encoding-unknown' })
  })
})

describe('reading text', () => {
  test.each([
    ['utf-8', 'Rāhui Pōkeka', Buffer.from('Rāhui Pōkeka')],
    ['windows-1252', 'Près du château €', Buffer.from('Pr\xe8s du ch\xe2teau \x80', 'latin1')],
    ['cp850', 'Prés', Buffer.from('Pr\x82s', 'latin1')],
    ['big5', '國語', Buffer.from([0xb0, 0xea, 0xbb, 0x79])],
    ['shift_jis', '畑', Buffer.from([0x94, 0xa8])],
  ])('%s', (encoding, expected, bytes) => {
    const reader = textReader(encoding)
    expect(reader.decode(bytes, false)).toBe(expected)
    expect(reader.doubts()).toEqual([])
  })

  test('a letter cut off at the end of a full cell is left out and reported', () => {
    const reader = textReader('utf-8')
    expect(reader.decode(Buffer.from('Kōwhaī').subarray(0, 7), true)).toBe('Kōwha')
    expect(reader.doubts()).toMatchObject([
      { severity: 'note', message: expect.stringContaining('cut off in the middle of a letter') },
    ])
  })

  test('bytes that are no UTF-8 are counted', () => {
    const reader = textReader('utf-8')
    expect(reader.decode(Buffer.from('Pr\xe9s', 'latin1'), true)).toContain('\uFFFD')
    expect(reader.doubts()).toMatchObject([{ severity: 'warning', code: 'encoding-doubtful' }])
  })

  test('UTF-8 read as something else is suspected only when all of it is UTF-8', () => {
    const suspicious = textReader('windows-1252')
    suspicious.decode(Buffer.from('Fenêtre'), false)
    expect(suspicious.doubts()).toMatchObject([{ hint: expect.stringContaining('utf-8') }])
    suspicious.decode(Buffer.from('Pr\xe8s', 'latin1'), false)
    expect(suspicious.doubts()).toEqual([])
  })
})
