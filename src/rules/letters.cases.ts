/** Cases of the rules about letters. */

import type { Case, Cases } from '../core/rule.ts'
import type { LettersOfFile, MissedWord, NewText, TextCell } from './letters.ts'

/** A cell of the column Name, in a file read as UTF-8. */
const cell = (value: string): Case<TextCell> => [
  JSON.stringify(value),
  { column: 'Name', value, encoding: 'utf-8', settingsIn: 'pipeline' },
]

/** Words that a row has in place of those of the filter: "Gr?nland, not Kale or Grünland; Old, not New". */
const words = (text: string): Case<readonly MissedWord[]> => [
  text,
  text.split('; ').map((each, at) => {
    const [value = '', asked = ''] = each.split(', not ')
    return { column: `Column ${at + 1}`, value, oneOf: asked.split(' or ') }
  }),
]

/** A text of a record, its name unless a path says otherwise, and the one before: "/crops/0/name: Kale <- Rape". "id" is a new id. */
const text = (written: string, isReported = false): Case<NewText> => {
  const [, path = '/name', now = '', before] = /^(?:(\/\S+|id): )?(.*?)(?: <- (.*))?$/s.exec(written) ?? []
  return [
    isReported ? `${written}, reported` : written,
    { path: path === 'id' ? undefined : path, now, before, isReported },
  ]
}

/** A file read in an encoding, with so many sound cells, cells with lost letters, and cells in UTF-8. */
const file = (encoding: string, sound: number, lost: number, twice: number): Case<LettersOfFile> => {
  const firstLost = lost === 0 ? undefined : { text: 'R\ufffdhui', row: 2 }
  const firstTwice = twice === 0 ? undefined : { text: 'RÄ\x81hui', row: 2, meant: 'Rāhui' }
  const words = `${encoding} with ${sound} sound, ${lost} lost and ${twice} in UTF-8`
  return [words, { encoding, settingsIn: 'pipeline', sound, lost, twice, firstLost, firstTwice }]
}

export const lettersCases: Cases<unknown> = {
  'letters-lost': {
    yes: ['K\ufffdwhai', 'S\x81d', 'Pr\x8fs', 'Top \ud83c'].map(cell),
    no: ['Kōwhai', 'KÅ\x8dwhai', 'Süd', 'K?whai', 'Top 🌱', ''].map(cell),
  },
  'word-spoilt': {
    yes: [
      words('Gr?nland, not Kale or Grünland'),
      words('GrŸnland, not Grünland'),
      words('Gr\x81nland, not Grünland'),
      words('Gr&uuml;nland, not Grünland'),
      words('GrÃ¼nland, not Grünland'),
      words('GrÃ¼nland, not Grünland; K?hl, not Kühl'),
    ],
    no: [
      words('Grnland, not Grünland'),
      words('Gr?nland, not Kale'),
      words('GrÃ¼nland, not Grünland; Old, not New'),
      ['no word', []],
    ],
  },
  'letters-spoilt': {
    yes: [
      text('K?nuka <- Kānuka'),
      text('K?nuka <- Ka\u0304nuka'),
      text('K?nuka? <- Kānuka?'),
      text('/crops/0/name: R?warewa <- Rēwarewa'),
      text('RÄ\x81hui <- Rāhui'),
      text('K”nigsacker <- Königsacker'),
      text('Kšnigsacker <- Königsacker'),
      text('K÷nigsacker <- Königsacker'),
      text('Pøíkopy <- Příkopy'),
      text('Smith &amp; S&ouml;hne <- Smith & Söhne'),
      text("O&#39;Brien <- O'Brien"),
    ],
    no: [
      text('K?nuka'),
      text('Kānuka <- K?nuka'),
      text('K?nuka <- Kanuka'),
      text('Hôhe <- Höhe'),
      text('AT&T; upper <- AT&T; lower'),
      text('Kowhai <- Kōwhai'),
    ],
  },
  'letters-doubtful': {
    yes: [
      text('P?hutukawa'),
      text('P?hutukawa', true),
      text('TÅ\x8dtara'),
      text('O&#39;Brien'),
      text('/crops/0/name: R?warewa'),
      text('K?nuka <- Top'),
    ],
    no: [
      text('Why? Because'),
      text('TÅ\x8dtara', true),
      text('AT&T; lower'),
      text('/notes: P?hutukawa'),
      text('id: P?hutukawa'),
      text('K?nuka <- Kānuka'),
    ],
  },
  'name-without-marks': {
    yes: [text('Kanuka <- Kānuka'), text('POHUTUKAWA <- Pōhutukawa')],
    no: [
      text('Tōp <- Top'),
      text('Kanuka'),
      text('Kanuka <- Kanuka'),
      text('Kowhai <- Kānuka'),
      text('/crops/0/name: Mais <- Maïs'),
    ],
  },
  'date-as-name': {
    yes: [
      text('2026-03-05'),
      text('7:00 PM <- Top'),
      text('/crops/0/name: 2026-03-01 <- Maize'),
      text('1-Mar <- 1-3'),
      text('4-Feb <- 02/04'),
      text('Mar-24 <- 3-24'),
    ],
    no: [
      text('5-Mar'),
      text('1-Mar <- Top'),
      text('2026-03-05 <- 2026-03-05'),
      text('/crops/0/note: 2026-03-05'),
      text('id: 2026-03-05'),
    ],
  },
  'perhaps-date-as-name': {
    yes: [text('1-Mar'), text('Mar-24'), text('1-Mar <- Top'), text('id: 1-Mar'), text('/crops/0/name: 5-Mar')],
    no: [text('1-MAR'), text('1-3'), text('id: 1-MAR'), text('1-Mar <- 1-3'), text('1-Mar <- 1-Mar')],
  },
  'other-encoding': {
    yes: [file('windows-1252', 0, 0, 1), file('windows-1252', 2, 0, 3), file('utf-8', 0, 2, 0), file('utf-8', 2, 3, 0)],
    no: [file('windows-1252', 2, 0, 2), file('utf-8', 0, 1, 0), file('utf-8', 3, 2, 0), file('utf-8', 9, 0, 0)],
  },
}
