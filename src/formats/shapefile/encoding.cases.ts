/** Cases of the rule that decides the encoding of a shapefile: decided, and left to a person. */

import type { Cases } from '../../core/rule.ts'
import type { TableTextFacts } from './encoding.ts'

const said = 'The .dbf names language driver 0x57'
const foreign = { word: 'Ïîëå', readings: [{ encoding: 'windows-1251', word: 'Поле' }] }

export const tableEncodingCases: Cases<TableTextFacts> = {
  'table-encoding': {
    yes: [
      ['nothing declared, and nobody tried the text', { declared: undefined, trial: undefined }],
      ['nothing declared, and valid UTF-8', { declared: undefined, trial: 'utf-8' }],
      ['nothing declared, and letters of DOS', { declared: undefined, trial: 'dos' }],
      ['Windows-1252 declared', { declared: { encoding: 'windows-1252', said }, trial: 'other' }],
      ['Windows-1252 declared, and valid UTF-8', { declared: { encoding: 'windows-1252', said }, trial: 'utf-8' }],
      ['Cyrillic declared', { declared: { encoding: 'windows-1251', said }, trial: foreign }],
    ],
    no: [
      ['nothing declared, and Cyrillic words', { declared: undefined, trial: foreign }],
      ['Windows-1252 declared, and Cyrillic words', { declared: { encoding: 'windows-1252', said }, trial: foreign }],
    ],
  },
}
