/** Cases of the rules about how much of a file is rejected, gone or replaced, and how old it is. */

import type { Case, Cases } from '../core/rule.ts'
import type { FileAge, NightCounts } from './limits.ts'

const usual: NightCounts = {
  read: 30,
  rejected: 0,
  firstError: '',
  records: 30,
  created: 0,
  absent: 0,
  deletes: 0,
  last: 30,
  most: 30,
  farms: [],
  isCut: false,
  hasKey: true,
  hasBoundaries: true,
}

const night = (words: string, facts: Partial<NightCounts>): Case<NightCounts> => [words, { ...usual, ...facts }]
const farms = (...counts: readonly (readonly [gone: number, present: number])[]) =>
  counts.map(([gone, present], index) => ({ farm: `nz.example:${index + 1}`, gone, present }))

export const limitCases = {
  deletes: {
    yes: [
      night('2 of 30 are gone, which is more than 5 %', { records: 28, absent: 2, deletes: 2 }),
      night('the only record of a farm is gone', { records: 0, absent: 1, deletes: 1 }),
      night('an empty file', { records: 0, absent: 30, deletes: 30 }),
    ],
    no: [
      night('one of a small farm may always go', { records: 3, absent: 1, deletes: 1 }),
      night('a hundredth of a large farm', { records: 990, absent: 10, deletes: 10 }),
      night('gone records are kept', { records: 20, absent: 10 }),
    ],
  },
  'farm-emptied': {
    yes: [night('one farm of three loses 4 of 5', { farms: farms([0, 40], [4, 1], [0, 55]) })],
    no: [
      night('a farm loses its only record', { farms: farms([0, 40], [1, 0]) }),
      night('a farm loses half', { farms: farms([2, 2], [0, 50]) }),
    ],
  },
  rejected: {
    yes: [night('all of 30 rows', { rejected: 30, records: 0 })],
    no: [night('29 of 30 rows', { rejected: 29 }), night('the only row', { read: 1, rejected: 1 })],
  },
  'fewer-rows': {
    yes: [
      night('23 where there were 30', { records: 23 }),
      night('a tenth less each night, the third night', { records: 22, last: 24 }),
    ],
    no: [
      night('24 where there were 30', { records: 24 }),
      night('a first night', { records: 5, last: undefined, most: undefined }),
      night('fewer than before a person accepted that', { records: 20, last: 20, most: 21 }),
    ],
  },
  replaced: {
    yes: [night('20 of 30 have new ids', { created: 20, absent: 20 })],
    no: [
      night('one of two is another one', { records: 2, created: 1, absent: 1, last: 2 }),
      night('a first night', { created: 30, last: undefined }),
      night('ten more', { records: 40, created: 10 }),
    ],
  },
} satisfies Cases<NightCounts>

const age = (words: string, hours: number | undefined): Case<FileAge> => [
  words,
  { name: 'paddocks.csv', ms: hours === undefined ? undefined : hours * 3_600_000 },
]

export const ageCases = {
  older: {
    yes: [age('three days old, with a limit of 36 hours', 72), age('its server does not say', undefined)],
    no: [age('a day old, with a limit of 36 hours', 24)],
  },
} satisfies Cases<FileAge>
