/** Rules about the corrected rows of a run, which may be older than what the service has by now. */

import type { Rule } from '../core/rule.ts'
import { zerosLost } from '../core/values/same-name.ts'

/** A corrected row, and what happened to its record since the run that rejected it. */
export type CorrectedFacts = {
  readonly id: string
  /** The run that rejected the row. */
  readonly run: string
  /** The run that has published the record: that one, from another row with this id, or a later one. */
  readonly publishedBy: string | undefined
  /** When another program or computer changed the record. */
  readonly changedAt: string | undefined
  /** The id of a rejected row of which this one is another spelling, where no record has it. */
  readonly rejectedAs: string | undefined
}

const outdated: Rule<CorrectedFacts, CorrectedFacts> = {
  id: 'row-outdated',
  about: 'record',
  usual: 'reject',
  why: 'The record of a corrected row was published or changed since. You retry the rejected rows of a run, and a later run of the same pipeline has published this record: its row was corrected in the file, too. The row that you retry is older and would overwrite what the later run sent, so it is rejected. So is a row whose record another program, or windrow on another computer, has changed since, and one with the id of another row of the run, which was not rejected. Nothing has to be done if the record in the service is right. If the row is newer, correct it in the file that the pipeline reads. If it has the id of another row, give it the id that it had.',
  find: (row) => (isOutdated(row) ? row : undefined),
  says({ id, run, publishedBy, changedAt }) {
    if (publishedBy === run)
      return {
        value: id,
        message: `The run "${run}" had another row with this id, and did not reject that one.`,
        hint: 'Give this row the id that it had when it was rejected, or delete it here. To change what that run published, correct the file of the import.',
      }
    return {
      value: id,
      message:
        publishedBy === undefined
          ? `Another program or computer has changed this record since, at ${changedAt}.`
          : `The run "${publishedBy}" has published this record since, with the values that the file had by then.`,
      hint: 'If this row is newer, correct it in the file of the import and import that. If not, delete it here.',
    }
  },
}

function isOutdated({ publishedBy, changedAt }: CorrectedFacts): boolean {
  return publishedBy !== undefined || changedAt !== undefined
}

const respelt: Rule<CorrectedFacts, { readonly id: string; readonly before: string }> = {
  id: 'corrected-id-respelt',
  about: 'record',
  usual: 'reject',
  why: 'The id of a corrected row lost characters that it had when it was rejected, such as its zeros. Spreadsheet programs drop the zeros in front of an id when they open a CSV file: 009 comes back as 9. With its id as it is, the corrected row would become another record, so it is rejected. Write the id as it was, in a column of text.',
  find(row) {
    const { id, rejectedAs: before } = row
    // Who makes an id longer corrects it.
    const isShorter = before !== undefined && before.length > id.length
    return isShorter && !isOutdated(row) ? { id, before } : undefined
  },
  says: ({ id, before }) => ({
    value: id,
    message: `This row had the id "${before}" when it was rejected. With "${id}" it would be another record.`,
    hint: `Write "${before}" again. ${zerosLost}`,
  }),
}

/** The rules that run for each record of a retry. */
export const correctedRules: readonly Rule<CorrectedFacts>[] = [outdated, respelt]
