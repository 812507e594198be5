/** Lists cases of the rules about corrected rows. */

import type { Cases } from '../core/rule.ts'
import type { CorrectedFacts } from './rows.ts'

const run = '2026-11-28-0200-nightly'
const row = (id: string, more: Partial<CorrectedFacts> = {}): CorrectedFacts => ({
  id,
  run,
  publishedBy: undefined,
  changedAt: undefined,
  rejectedAs: undefined,
  ...more,
})
const later = '2026-11-29-0200-nightly'
const changedAt = '2026-11-28T21:00:00Z'

export const retryCases: Cases<CorrectedFacts> = {
  'row-outdated': {
    yes: [
      ['the id of another row, which its run published', row('1', { publishedBy: run })],
      ['a later run published it', row('2', { publishedBy: later })],
      ['somebody else changed it', row('2', { changedAt })],
    ],
    no: [['nobody touched it', row('2')]],
  },
  'corrected-id-respelt': {
    yes: [['its zeros are lost', row('2', { rejectedAs: '002' })]],
    no: [
      ['the id that it had', row('002')],
      ['a longer id, which somebody corrected', row('0002', { rejectedAs: '002' })],
      ['its record was changed since, which says it already', row('2', { rejectedAs: '002', changedAt })],
    ],
  },
}
