/** Cases of the rule that decides the encoding of a text file: decided, and left to a person. */

import type { Cases } from '../rule.ts'
import type { EncodingFacts } from './text.ts'

const misfit = 'Byte 8 is not UTF-8; as Windows-1252 it reads "Südfeld".'
const foreign = { word: 'Ïîëå', readings: [{ encoding: 'windows-1251', word: 'Поле' }] }

export const encodingCases: Cases<EncodingFacts> = {
  encoding: {
    yes: [
      ['valid UTF-8', { bytes: 100, misfit: undefined, foreign: undefined }],
      ['valid UTF-8, declared as another', { bytes: 100, misfit: undefined, foreign: undefined, declared: 'latin1' }],
      ['one letter that is not UTF-8', { bytes: 100, misfit, foreign: undefined }],
      ['Cyrillic words, and declared so', { bytes: 100, misfit, foreign, declared: 'windows-1251' }],
    ],
    no: [['Cyrillic words', { bytes: 100, misfit, foreign }]],
  },
}
