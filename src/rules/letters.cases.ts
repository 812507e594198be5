/** Cases of the rules about letters. */

import type { Case, Cases } from '../core/rule.ts'
import type { LettersOfFile, MissedWord, NewText, TextCell } from './letters.ts'

/** A cell of the column Name, in a file read as UTF-8. */
const cell = (words: string, value: string): Case<TextCell> => [words, { column: 'Name', value, encoding: 'utf-8' }]

/** Words that a row has where its filter asks for others: "Gr?nland for Kale or Grünland, Old for New". */
const words = (text: string): Case<readonly MissedWord[]> => [
  text,
  text.split(', ').map((each, at) => {
    const [value = '', asked = ''] = each.split(' for ')
    return { column: `Column ${at + 1}`, value, oneOf: asked.split(' or ') }
  }),
]

const paths: Readonly<Record<string, string | undefined>> = { crop: '/crops/0/name', remark: '/remark', id: undefined }

/** A text of a record, its name if nothing else is said, and the text before: "crop R?warewa for Rēwarewa". */
const text = (written: string): Case<NewText> => {
  const [, field, said, reported] = /^(?:(crop|remark|id) )?(.*?)(, reported by the reader)?$/s.exec(written) ?? []
  const [now = '', before] = said!.split(' for ')
  return [
    written,
    { path: field === undefined ? '/name' : paths[field], now, before, isReported: reported !== undefined },
  ]
}

/** A file read in an encoding, with so many sound cells, cells with lost letters, and cells in UTF-8. */
const file = (encoding: string, sound: number, lost: number, twice: number): Case<LettersOfFile> => {
  const first = {
    lost: { text: 'R\ufffdhui', row: 2, meant: undefined },
    twice: { text: 'RÄ\x81hui', row: 2, meant: 'Rāhui' },
  }
  return [
    `a file in ${encoding}: ${sound} cells sound, ${lost} with lost letters, ${twice} in UTF-8`,
    { encoding, sound, lost, twice, first },
  ]
}

export const lettersCases: Cases<unknown> = {
  'letters-lost': {
    yes: [
      cell('K�whai', 'K\ufffdwhai'),
      cell('Süd from a DOS program', 'S\x81d'),
      cell('Près from an old Macintosh program', 'Pr\x8fs'),
      cell('half an emoji', 'Top \ud83c'),
    ],
    no: [
      cell('Kōwhai', 'Kōwhai'),
      cell('Kōwhai encoded twice', 'KÅ\x8dwhai'),
      cell('K?whai', 'K?whai'),
      cell('an emoji', 'Top 🌱'),
      cell('nothing', ''),
    ],
  },
  'word-spoilt': {
    yes: [
      words('Gr?nland for Kale or Grünland'),
      words('GrŸnland for Grünland'),
      words('Gr&uuml;nland for Grünland'),
      words('GrÃ¼nland for Grünland'),
      words('GrÃ¼nland for Grünland, K?hl for Kühl'),
    ],
    no: [
      words('Grnland for Grünland'),
      words('Gr?nland for Kale'),
      words('GrÃ¼nland for Grünland, Old for New'),
      ['a row that the filter takes', []],
    ],
  },
  'letters-spoilt': {
    yes: [
      text('K?nuka for Kānuka'),
      text('K?nuka for Ka\u0304nuka'),
      text('K?nuka? for Kānuka?'),
      text('crop R?warewa for Rēwarewa'),
      text('TÅ«Ä« for Tūī'),
      text('K”nigsacker for Königsacker'),
      text('Kšnigsacker for Königsacker'),
      text('K÷nigsacker for Königsacker'),
      text('Pøíkopy for Příkopy'),
      text('Smith &amp; S&ouml;hne for Smith & Söhne'),
    ],
    no: [
      text('K?nuka'),
      text('Kānuka for K?nuka'),
      text('Ka\u0304nuka? for Kānuka?'),
      text('K?nuka for Kanuka'),
      text('Hôhe for Höhe'),
      text('AT&T; upper for AT&T; lower'),
      text('Kowhai for Kōwhai'),
    ],
  },
  'letters-doubtful': {
    yes: [
      text('P?hutukawa'),
      text('P?hutukawa, reported by the reader'),
      text('TÅ«Ä«'),
      text('O&#39;Brien'),
      text('crop R?warewa'),
      text('K?nuka for Top'),
      text('Kanuka for Kānuka'),
      text('POHUTUKAWA for Pōhutukawa'),
    ],
    no: [
      text('Tōp for Top'),
      text('Kowhai for Kānuka'),
      text('crop Mais for Maïs'),
      text('Why? Because'),
      text('TÅ«Ä«, reported by the reader'),
      text('AT&T; lower'),
      text('remark P?hutukawa'),
      text('id P?hutukawa'),
      text('K?nuka for Kānuka'),
    ],
  },
  'date-as-name': {
    yes: [
      text('2026-03-05'),
      text('7:00 PM for Top'),
      text('crop 2026-03-01 for Maize'),
      text('1-Mar for 1-3'),
      text('4-Feb for 02/04'),
      text('Mar-24 for 3-24'),
    ],
    no: [text('5-Mar'), text('1-Mar for Top'), text('remark 2026-03-05'), text('id 2026-03-05')],
  },
  'perhaps-date-as-name': {
    yes: [text('1-Mar'), text('Mar-24'), text('1-Mar for Top'), text('id 1-Mar'), text('crop 5-Mar')],
    no: [text('1-MAR'), text('1-3'), text('id 1-MAR'), text('1-Mar for 1-3')],
  },
  'other-encoding': {
    yes: [file('windows-1252', 0, 0, 1), file('windows-1252', 2, 0, 3), file('utf-8', 0, 2, 0), file('utf-8', 2, 3, 0)],
    no: [file('windows-1252', 2, 0, 2), file('utf-8', 0, 1, 0), file('utf-8', 3, 2, 0), file('utf-8', 9, 0, 0)],
  },
}
