/** Rules about the file of a night: whether it is read as it is meant, whose rows it has, and how old it is. */

import type { Place } from '../core/problem.ts'
import type { Rule } from '../core/rule.ts'
import { compileDatePattern } from '../core/values/date-pattern.ts'
import { spellDuration } from '../core/values/duration.ts'
import { plural } from '../core/values/plural.ts'
import { partedThousands, type ColumnReadings } from '../mapping/readings.ts'
import { identifierText, type Identifier } from '../resources/resource-type.ts'

/** What the filter of a pipeline took of a file. */
export type FilterFacts = {
  readonly only: readonly { readonly column: string; readonly oneOf: readonly string[] }[]
  readonly left: number
  readonly taken: number
  /** The records in the pipeline's last file. */
  readonly lastRecords: number | undefined
}

export const filterEmpty: Rule<FilterFacts, FilterFacts> = {
  id: 'filter-empty',
  about: 'file',
  usual: 'stop',
  why: 'The filter of the pipeline (only:) takes no row of the file. The pipeline takes only rows with certain words, and no row of the file has them: they are probably spelled otherwise now, as after a change of language or of capitals. All records would seem to be gone, so nothing was sent. Compare the words under only: with the column in the file. Where the last file had no such row either, as a list of changes may, this is usual.',
  find: (filter) => (filter.left > 0 && filter.taken === 0 && filter.lastRecords !== 0 ? filter : undefined),
  says({ only, left }) {
    const words = only.map(({ column, oneOf }) => `${oneOf.map((word) => `"${word}"`).join(' or ')} in "${column}"`)
    return {
      message: `The pipeline takes only rows with ${words.join(' and ')}, and none of the ${left} rows of the file has that. Is it spelled otherwise in the file now?`,
      setting: 'only: with the words that the file has now',
    }
  },
}

type OtherReading = Pick<ColumnReadings, 'column' | 'kind' | 'agreed'> & {
  readonly rival: string
  /** The cells that can be read only so, only as in the pipeline, or either way. */
  readonly times: number
  readonly agreedOnly: number
  readonly either: number
  readonly text: string
  readonly at: Place
}

export const otherReading: Rule<ColumnReadings, OtherReading> = {
  id: 'other-reading',
  about: 'column',
  usual: 'stop',
  why: 'The dates or numbers of a column fit another form than the one in the pipeline. More cells of the column can be read only in another way than only in the one that the pipeline names, such as month/day/year for day/month/year, or a decimal point for a comma. The program that writes the file, or its settings, probably changed. Cells that fit both ways would get wrong values without a sign, so nothing was sent. A single cell in another form is a problem of its row only.',
  find({ column, kind, agreed, exchanged, read, either, others }) {
    const rivals = [...others].map(([rival, other]) => {
      const shared = rival === exchanged ? either : 0
      return { ...other, column, kind, agreed, rival, agreedOnly: read - shared, either: shared }
    })
    const [best] = rivals.toSorted((left, right) => right.times + right.either - left.times - left.either)
    return best !== undefined && best.times > best.agreedOnly ? best : undefined
  },
  says(evidence) {
    const { column, kind, agreed, rival, times, agreedOnly, either, text, at } = evidence
    const word = kind === 'date' ? 'as' : 'with'
    const inFile = `${plural(times, kind === 'date' ? 'date' : 'number')} in this file can only be read ${word} ${spoken(kind, rival)} (first "${text}" in row ${at.row})`
    return {
      column,
      message:
        `The pipeline reads "${column}" ${word} ${spoken(kind, agreed)}, but ${inFile}, ` +
        `and ${agreedOnly === 0 ? 'none' : agreedOnly} only as in the pipeline.${either === 0 ? '' : ` ${either} could be either.`}`,
      setting: settingFor(evidence),
    }
  },
}

function spoken(kind: OtherReading['kind'], reading: string): string {
  if (kind === 'decimal') return reading === partedThousands ? 'another thousands separator' : `a decimal ${reading}`
  const compiled = compileDatePattern(reading)
  return typeof compiled === 'string' ? reading : `${compiled.spoken} (${reading})`
}

function settingFor({ column, kind, agreed, rival }: OtherReading): string {
  if (kind === 'date') return `{ from: ${column}, date: ${rival} }`
  if (rival === partedThousands) return `{ from: ${column}, number: { decimal: ${agreed} } }`
  return `from.decimal: ${rival}  or for this column  { from: ${column}, number: { decimal: ${rival} } }`
}

/** A farm of the account that a column names, with these words. */
export type NamedFarm = {
  readonly name: string
  readonly identifiers: readonly [Identifier, ...Identifier[]]
  readonly words: readonly string[]
  readonly isChosen: boolean
}

/** Which farms of the account the columns of a file name, all of whose rows are for the chosen one. */
export type FarmFacts = {
  readonly file: string
  readonly chosen: Identifier
  readonly columns: readonly { readonly column: string; readonly farms: readonly NamedFarm[] }[]
}

type OtherFarm = Pick<FarmFacts, 'file' | 'chosen'> & {
  readonly column: string
  readonly other: NamedFarm
  readonly ownWord: string | undefined
}

export const otherFarmNamed: Rule<FarmFacts, OtherFarm> = {
  id: 'other-farm-named',
  about: 'file',
  usual: 'stop',
  why: 'A column of the file names another farm of the account than the one that all rows are for. All rows are published for one farm, and a column of the file (Farm, Client, Folder) names another farm of your account in rows that would create or change records. They would be published for the wrong farm, so nothing was sent. Take the rows of one farm only with only:, take the farm of each row from the column with holding:, or list all values in only: if the column means something else.',
  find({ columns, file, chosen }) {
    for (const { column, farms } of columns) {
      const other = farms.find(({ isChosen }) => !isChosen)
      const ownWord = farms.find(({ isChosen }) => isChosen)?.words[0]
      if (other !== undefined) return { file, chosen, column, other, ownWord }
    }
    return undefined
  },
  says({ file, chosen, column, other, ownWord }) {
    const number = other.identifiers.find(({ id }) => other.words.includes(id))
    const word = ownWord === undefined ? 'NAME' : JSON.stringify(ownWord)
    return {
      column,
      message: `"${file}" has rows of another farm: <${column}> names ${other.name || other.identifiers[0].id}, but all rows are for ${identifierText(chosen)}.`,
      hint: 'If the column means something else, rename it, or list all its values in only.',
      setting: number
        ? `holding: ${number.scheme}:<${column}>  (the farm of each row)`
        : `only: { ${column}: [${word}] }  (the rows of one farm)`,
    }
  },
}

/** When the file was last written, and whether its last line has its line break, beside the file that the pipeline read last. */
export type CopyFacts = {
  readonly writtenMs: number | undefined
  readonly isLineEnded: boolean | undefined
  readonly last:
    | {
        readonly id: string
        readonly started: string
        readonly writtenMs?: number | null | undefined
        readonly isLineEnded?: boolean | null | undefined
      }
    | undefined
}

// Programs write several files in any order, and on some disks the times move by an hour when the clocks change.
const olderByMs = 2 * 60 * 60_000

const fileOlder: Rule<CopyFacts, { readonly run: string; readonly nowMs: number; readonly beforeMs: number }> = {
  id: 'file-older',
  about: 'file',
  usual: 'warn',
  why: 'The file was last written before the one that the pipeline read last. The file was last written more than two hours before the one that this pipeline read last, by the time of the file or of its server: an old copy was put back, a cache answered, or a file of a watched folder arrived late. It was published all the same, so that newer values may have gone back to older ones. Bring the new file and run the pipeline again, or take the run back with windrow undo.',
  find({ writtenMs: nowMs, last }) {
    const beforeMs = last?.writtenMs
    if (last === undefined || nowMs === undefined || beforeMs === undefined || beforeMs === null) return undefined
    const wasInFuture = beforeMs - Date.parse(last.started) > olderByMs
    return beforeMs - nowMs < olderByMs || wasInFuture ? undefined : { run: last.id, nowMs, beforeMs }
  },
  says({ run, nowMs, beforeMs }) {
    const [now, before] = [nowMs, beforeMs].map((ms) => new Date(ms).toISOString().slice(0, 16).replace('T', ' '))
    return {
      message: `The file was last written at ${now} (UTC), and the one that the run "${run}" read at ${before}. It may be an old copy, with values of that day.`,
      hint: 'If it is, bring the new file and run the pipeline again, or take this run back with windrow undo.',
    }
  },
}

const fileCut: Rule<CopyFacts, { readonly run: string }> = {
  id: 'file-cut',
  about: 'file',
  usual: 'warn',
  why: 'The file does not end with a line break, and the one that the pipeline read last did. The file that this pipeline read last ended with a line break, and this one does not: it was probably copied or sent only in part. Its last cell may be incomplete (12 for 12.57), and the rows after it are missing. What it has was published, and nothing was deleted. If the file was cut off, bring it again and run the pipeline, or take the run back with windrow undo. If the program that writes it leaves the last line break out now, there is nothing to do: the next run takes that for usual.',
  find: ({ isLineEnded, last }) => (isLineEnded === false && last?.isLineEnded === true ? { run: last.id } : undefined),
  says: ({ run }) => ({
    message: `The file does not end with a line break, and the one that the run "${run}" read did. It may have been cut off: its last row may be incomplete, and rows may be missing. No record is deleted in this run.`,
    hint: 'Look at its end. If it was cut off, bring it again and run the pipeline, or take this run back with windrow undo.',
  }),
}

/** The rules about a file beside the one before it. */
export const copyRules: readonly Rule<CopyFacts>[] = [fileOlder, fileCut]

/** What the clock of this computer shows, when the last run started, and by how much the clock is ahead of that of the service. */
export type ClockFacts = {
  readonly now: string
  readonly lastStarted: string | undefined
  readonly aheadMs: number | undefined
}

// Clocks are put right by a few minutes all the time.
const toleratedMs = 10 * 60_000

export const clockWrong: Rule<ClockFacts, ClockFacts> = {
  id: 'clock-wrong',
  about: 'night',
  usual: 'warn',
  why: 'The clock of this computer differs from that of the service, or is behind the start of the last run. The service states its time with each answer, and the clock of this computer differs from it by more than ten minutes; or the last run started later than the clock shows now, so that it was set back, or was ahead then. Records get the time of their change from this computer: with a wrong one a service may take a change for an old one and leave it out, and the checks of how old a file is are wrong, too. The order of runs does not depend on it, because windrow numbers them. Set date, time and time zone of the computer, and let it keep them by itself.',
  find: (clock) => (differs(clock) || isSetBack(clock) ? clock : undefined),
  says(clock) {
    const { now, lastStarted, aheadMs = 0 } = clock
    return {
      message: differs(clock)
        ? `The clock of this computer is ${spellDuration(Math.abs(aheadMs))} ${aheadMs > 0 ? 'ahead of' : 'behind'} that of the service.`
        : `The clock of this computer shows ${now}, but the last run started at ${lastStarted}. The clock was set back, or was wrong then.`,
      hint: 'Check date, time and zone of this computer: records get the time of their change from it.',
    }
  },
}

function differs({ aheadMs = 0 }: ClockFacts): boolean {
  return Math.abs(aheadMs) >= toleratedMs
}

function isSetBack({ now, lastStarted = now }: ClockFacts): boolean {
  return Date.parse(lastStarted) - Date.parse(now) >= toleratedMs
}
