import { createRequire } from 'node:module'
import type iconv from 'iconv-lite'
import { describe, expect, test } from 'vitest'
import { foreignText, hasLostLetters, isSpoiltFrom, spoiltLetters, startTrial } from '../../src/core/letters.ts'
import { foreignTextError } from '../../src/core/sources/text.ts'

const library = createRequire(import.meta.url)('iconv-lite') as typeof iconv
const bytesIn = (encoding: string, text: string): Uint8Array => library.encode(text, encoding)

test.each([
  ['Top \ud83c', { how: 'lost' }],
  ['S\x81d', { how: 'lost' }],
  ['KÅ\x8dwhai', { how: 'encoded twice', meant: 'Kōwhai' }],
  ['TÅ«Ä« unter Größe', { how: 'encoded twice', meant: 'Tūī unter Größe' }],
  ['Smith &amp; Co', { how: 'as in a web page', letter: '&amp;' }],
  ['K?nuka', { how: 'question mark in a word' }],
  ['Why? Größe, 🌱', undefined],
])('the letters of %j', (text, expected) => {
  expect(spoiltLetters(text)).toEqual(expected)
  expect(hasLostLetters(text)).toBe(expected?.how === 'lost')
})

test.each([
  ['K?nuka', 'Kānuka', true],
  ['Gr&uuml;nland', 'Grünland', true],
  ['GrŸnland', 'Grünland', true],
  ['Kānuka', 'Kānuka', false],
  ['Ka\u0304nuka?', 'Kānuka?', false],
  ['Kanuka', 'Kānuka', false],
])('%s for %s', (now, before, expected) => {
  expect(isSpoiltFrom(now, before)).toBe(expected)
})

describe('text that is not Windows-1252', () => {
  test.each([
    ['utf-8', 'Müller', 'MÃ¼ller', 'Müller'],
    ['utf-8', 'Kōwhai', 'KÅ\x8dwhai', 'Kōwhai'],
    ['utf-8', 'Tūī', 'TÅ«Ä«', 'Tūī'],
    ['windows-1250', 'Łąka mała', '£¹ka', 'Łąka'],
    ['windows-1250', 'Pole Żytnie', '¯ytnie', 'Żytnie'],
    ['windows-1250', 'Řepiště u lesa', 'Øepištì', 'Řepiště'],
    ['windows-1251', 'Поле Северное\nPrès', 'Ïîëå', 'Поле'],
    ['windows-1253', 'Χωράφι', '×ùñÜöé', 'Χωράφι'],
    ['windows-1254', 'Güney\nÇeşme', 'Çeþme', 'Çeşme'],
    ['windows-1257', 'Ąžuolas', 'Àþuolas', 'Ąžuolas'],
    ['shift_jis', 'Id,Name\n1,北の畑\n', '–k‚Ì”¨', '北の畑'],
    ['gbk', '北地块', '±±µØ¿é', '北地块'],
    ['euc-kr', '북쪽 밭', 'ºÏÂÊ', '북쪽'],
    ['macintosh', 'Les Prés', 'PrŽs', 'Prés'],
    ['iso-8859-15', 'Bœuf', 'B½uf', 'Bœuf'],
  ])('%s: %s', (encoding, text, word, meant) => {
    const found = foreignText(bytesIn(encoding, text))
    expect(found?.word).toBe(word)
    expect(found?.readings).toContainEqual({ encoding, word: meant })
    expect(foreignTextError(found!).hint).toContain(`${encoding} (${meant})`)
  })

  test('of a DOS program has no encoding to choose', () => {
    const found = foreignText(bytesIn('cp850', 'Les Prés'))
    expect(found).toEqual({ word: 'Pr‚s', readings: [] })
    expect(foreignTextError(found!).hint).toMatch(/^Export it again as UTF-8/)
  })

  test.each(['Königsacker', 'Bärenfeld', 'Peña', 'Grâce', 'Straßenacker', 'Weißes', 'Café', 'Río', 'Feijão'])(
    'of a DOS program, such as %s, is noticed',
    (name) => {
      expect(foreignText(bytesIn('cp850', name))?.word).toHaveLength(name.length)
    },
  )
})

test('a word of a million letters takes no time', () => {
  expect(foreignText(bytesIn('windows-1252', 'š'.repeat(1_000_000)))?.word).toBe('š'.repeat(40))
  expect(foreignText(bytesIn('windows-1252', 'aš'.repeat(500_000)))).toBeUndefined()
})

/** Names of countries, as a language writes them, in so far as Windows-1252 can. */
function namesIn(language: string): readonly string[] {
  const names = new Intl.DisplayNames(language, { type: 'region' })
  const letters = Array.from({ length: 26 }, (_, index) => String.fromCharCode(65 + index))
  return letters
    .flatMap((one) => letters.flatMap((other) => names.of(one + other) ?? []))
    .filter((name) => library.decode(bytesIn('windows-1252', name), 'windows-1252') === name)
}

test.each(['fr', 'de', 'es', 'pt', 'it', 'nl', 'da', 'sv', 'nb', 'fi', 'is', 'et', 'ga', 'ca', 'sq', 'fo'])(
  'names in %s are Windows-1252',
  (language) => {
    const names = namesIn(language)
    expect(names.length).toBeGreaterThan(100)
    for (const name of names) expect(foreignText(bytesIn('windows-1252', name)), name).toBeUndefined()
    expect(foreignText(bytesIn('windows-1252', names.join('\n')))).toBeUndefined()
  },
)

test.each([
  '12 m³haul',
  'AUÅ’s Ä–z, «CAFÉ»b',
  '„Alte Wiese“ – 5 €',
  '‚Über‘ uns',
  '¡Viva la Ærø! Café „Nord“, ÆLDRE',
  '£5/ha',
  '1¼ ha',
  '¿Qué?',
  'ÄÖÜ',
  'Škoda, Žito',
  'Þór, Ísafjörður',
  'Suárez, Seán, Leányfalu, Goiás, Áed',
  'O’Brien’s',
  'Nord–Süd',
  '„Auf der Höhe”, 5‰',
])('%s is Windows-1252', (text) => {
  expect(foreignText(bytesIn('windows-1252', text))).toBeUndefined()
})

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
