/** Holds the rules about how much of a file is rejected, gone or replaced in one night, and how old the file is. */

import { plural } from '../core/values/plural.ts'
import { readDurationMs, spellDuration } from '../core/values/duration.ts'
import type { Rule } from '../core/rule.ts'

/** How many rows and records a night has, beside those that were known before. */
export type NightCounts = {
  readonly read: number
  readonly rejected: number
  /** Where and why the first row was rejected, in words: a message about the night has no list of the rows. */
  readonly firstError: string
  /** The records of the file, and those that are new. */
  readonly records: number
  readonly created: number
  /** Known records that are no longer in the file, and those of them that would be deleted, without deletions that are sent again. */
  readonly absent: number
  readonly deletes: number
  /** The records of the last file, and the most since a person accepted a run; undefined before the first. */
  readonly last: number | undefined
  readonly most: number | undefined
  /** The farms of a file of several: how many of their records would be deleted, and how many are in the file. */
  readonly farms: readonly { readonly farm: string; readonly gone: number; readonly present: number }[]
  /** Whether the file stops within its last line. */
  readonly isCut: boolean
  /** False before a person chose the key: then keys say nothing about the known records. */
  readonly hasKey: boolean
  readonly hasBoundaries: boolean
}

type Share = { readonly count: number; readonly total: number; readonly mayGo?: number }

const deletes: Rule<NightCounts, Share> = {
  id: 'deletes',
  about: 'night',
  usual: 'stop',
  above: { share: 0.05, count: 10 },
  why: 'More records are gone from the file and would be deleted than the limit allows. With gone: delete, a record that is no longer in the file is deleted in the service. A file that was cut off, filtered or exported from the wrong farm would delete most of them, so windrow stops above 5 % or 10 records. On a small farm, where 5 % is less than 10, the 5 % decides: one record may always go, but not the last one. If they were sold or given up, apply the run; the next night counts without them.',
  find: ({ deletes: count, records, absent }) => ({ count, total: records + absent, mayGo: Math.min(1, records) }),
  says: ({ count, total }, limit) => ({
    message: `${count} of ${total} records are gone from the file and would be deleted; the limit is ${limit}.`,
  }),
}

const farmEmptied: Rule<NightCounts, NightCounts['farms'][number]> = {
  id: 'farm-emptied',
  about: 'night',
  usual: 'stop',
  why: 'One farm of several in the file would lose more than half of its records, at least two. In a file of several farms, the rows of one farm may be missing although few rows are missing in all: an export left the farm out, or its number was changed. With gone: delete its records would be deleted. If the farm really gave up this land, apply the run.',
  find: ({ farms }) => farms.find(({ gone, present }) => gone > 1 && gone > present),
  says: ({ farm, gone, present }) => ({
    message: `${gone} of the ${gone + present} records of the farm ${farm} are gone from the file and would be deleted.`,
  }),
}

const rejected: Rule<NightCounts, Share & Pick<NightCounts, 'firstError'>> = {
  id: 'rejected',
  about: 'night',
  usual: 'stop',
  above: { share: 0.99, count: 1 },
  why: 'More rows are rejected than the limit allows. A file of which nearly all rows are wrong is mostly in another form than the pipeline expects, and the few rows that pass are then no good night. The report lists why rows are rejected. A lower limit, such as rejected: stop above 5 %, finds that sooner.',
  find: ({ rejected: count, read, firstError }) => ({ count, total: read, firstError }),
  says: ({ count, total, firstError }, limit) => ({
    message: `${count} of ${total} rows are rejected${firstError}; the limit is ${limit}.`,
  }),
}

const fewerRows: Rule<NightCounts, Share & Pick<NightCounts, 'records' | 'isCut'>> = {
  id: 'fewer-rows',
  about: 'night',
  usual: 'stop',
  above: 'off',
  why: 'The file has fewer records than before, by more than the limit allows. A file with many fewer records was mostly cut off or filtered. windrow compares with the largest number since a person last accepted a run, so that a file which loses a few rows each night is found too. The rule is off until a pipeline gives it a limit: fewer-rows: stop above 20 %. If the records are rightly gone, apply the run: from then on its number counts.',
  find: ({ records, most = 0, isCut }) =>
    records >= most ? undefined : { count: most - records, total: most, records, isCut },
  says: ({ count, total, records, isCut }, limit) => ({
    message:
      `The file has ${plural(records, 'record')}, ${count} fewer than the ${total} known before; the limit is ${limit}.` +
      (isCut ? ' It does not end with a line break and was perhaps copied only in part.' : ''),
  }),
}

const replaced: Rule<NightCounts, NightCounts & Share & { readonly missing: number }> = {
  id: 'replaced',
  about: 'night',
  usual: 'stop',
  above: { share: 0.5, count: 1 },
  why: 'Many known records are missing while as many are new, as if the key column or the farm had changed. If the ids of a file change, each record would be published a second time, and the old ones would stay or be deleted with their boundaries. So windrow stops when more than half of the known records are missing and as many are new. If they are the same records with new ids, match: finds them by their boundary or name. If they are others, apply the run.',
  find(facts) {
    const { created, absent, records, last, hasKey } = facts
    if (!hasKey || last === undefined) return undefined
    // Records that were gone before are not in the last count.
    const missing = Math.min(absent, Math.max(0, last - (records - created)))
    return { ...facts, count: Math.min(created, missing), total: last, missing }
  },
  says({ created, records, missing, total, hasBoundaries }, limit) {
    const by = hasBoundaries ? 'boundary' : 'name'
    return {
      message: `${created} of ${records} records are new and ${missing} of the ${total} known ones are missing, as if the key column or the holding had changed; the limit is ${limit}.`,
      hint: `If they are the same records with new keys:  match: ${by}`,
    }
  },
}

/** The rules about how much of a file a night may reject, delete or replace. */
export const limitRules: readonly Rule<NightCounts>[] = [deletes, farmEmptied, rejected, fewerRows, replaced]

/** How long ago a file was written: undefined where its server does not say. */
export type FileAge = { readonly name: string; readonly ms: number | undefined }

/** The rule about the age of the file: the program that writes it may have stopped. */
export const older: Rule<FileAge, FileAge & Share> = {
  id: 'older',
  about: 'file',
  usual: 'stop',
  above: 'off',
  why: 'The file is older than the limit allows, or its server does not say how old it is. A file that nobody wrote anew is mostly a sign that the program which writes it has stopped. A pipeline that runs by a schedule allows twice the time between two runs; rules.older: stop above 36 h sets another limit, and rules.older: allow none. Look at that program; if the file is right, apply the run.',
  readLimit(written) {
    const ms = readDurationMs(written)
    return typeof ms === 'number' ? { count: ms } : ms
  },
  spellLimit: ({ count = 0 }) => spellDuration(count),
  find: ({ name, ms }) => ({ name, ms, count: ms ?? Infinity, total: 0 }),
  says: ({ name, ms }, limit) => ({
    message:
      ms === undefined
        ? `The server of "${name}" does not say when it was last written; the limit is ${limit}.`
        : `"${name}" was last written ${spellDuration(ms)} ago; the limit is ${limit}.`,
    hint: 'Check the program that writes the file.',
  }),
}
