/** Cases of the rules about rows that have the same key. */

import type { Case, Cases } from '../core/rule.ts'
import type { RepeatedKey } from './rows.ts'

const place = (row: number) => ({ source: 'a.csv', row })
const rows = (words: string, isSame: boolean, others: readonly number[], more = 0): Case<RepeatedKey> => [
  words,
  { at: place(9), column: 'No', id: '007', others: others.map(place), more, isSame },
]

export const keyCases = {
  'row-repeated': { yes: [rows('the same row twice', true, [2])], no: [rows('two rows of one id', false, [2])] },
  'key-repeated': {
    yes: [rows('two rows of one id', false, [2]), rows('a hundred rows of one id', false, [2, 3], 97)],
    no: [rows('the same row twice', true, [2])],
  },
} satisfies Cases<RepeatedKey>
