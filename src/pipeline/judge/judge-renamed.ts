/** Stops a run that would give most known records another name and other values at once, or other land: the file is probably of another farm. */

import { withoutMarks } from '../../core/values/plain-words.ts'
import type { WindrowError } from '../../core/error.ts'
import { measure } from '../../geometry/measure/measure.ts'
import { boundaryOf, differingMembers, nameOf, readBody, type Body } from '../../ledger/content.ts'
import { farmOfStart, idInKey } from '../../resources/keys.ts'
import { identifierText } from '../../resources/resource-type.ts'
import type { Contradiction } from '../evidence/odd-changes.ts'
import type { ImportJob } from '../stage/import-job.ts'
import { startOfKey, type Stage } from '../stage/stage-store.ts'
import { stopFor, waysToAllow, type Judging } from '../settle/judging.ts'

/** Fewer records than these may have been corrected by hand. */
const fewest = 3
// A farm renames its paddocks, and a season changes its crops; both for most of them in the same file is another farm.
const mostRenamed = 0.8
const mostOther = 0.5
/** So many show what happened to a farm. */
const mostCompared = 1000
const mostNamed = 3

type Renamed = { readonly key: string; readonly before: string; readonly now: string }

/**
 * Returns the error 'records-renamed' if so many records change: of all, or of one farm of several in the file. Records in `matched`
 * are known under another id, and so perhaps under another name. With `mayMove` a person has allowed boundaries to lie far away.
 */
export function judgeRenamed(
  { job, stage }: Judging,
  matched: ReadonlySet<string>,
  mayMove: boolean,
): WindrowError | undefined {
  const [whole = { start: '', known: 0, updates: 0 }] = stage.query<Counted>(
    `SELECT '' AS start, count(*) + (SELECT coalesce(sum(count), 0) FROM same_rows) AS known, ${countOfUpdates} AS updates
     FROM records WHERE ${isKnown}`,
  )
  const farms =
    job.mapping.holding !== undefined || whole.updates < fewest
      ? []
      : stage.query<Counted>(
          `SELECT start, updates, known + (SELECT coalesce(sum(count), 0) FROM same_rows WHERE same_rows.start = farms.start) AS known
           FROM (SELECT ${startOfKey} AS start, count(*) AS known, ${countOfUpdates} AS updates FROM records WHERE ${isKnown} GROUP BY start)
             AS farms WHERE updates >= ?`,
          fewest,
        )
  for (const counted of [whole, ...farms]) {
    const reason =
      reasonIn(counted, { job, stage, matched }) ?? (mayMove ? undefined : reasonOfLand(counted, { job, stage }))
    if (reason !== undefined) return reason
  }
  return undefined
}

/** How many records whose keys begin so are known, and how many of them change. */
type Counted = { readonly start: string; readonly known: number; readonly updates: number }

const isKnown = `action IN ('update', 'unchanged') AND base IS NOT NULL`
const countOfUpdates = `count(*) FILTER (WHERE action = 'update' AND before IS NOT NULL)`

function reasonIn(
  { start, known, updates }: Counted,
  { job, stage, matched }: Pick<Judging, 'job' | 'stage'> & { readonly matched: ReadonlySet<string> },
): WindrowError | undefined {
  if (updates < Math.max(fewest, mostRenamed * known)) return undefined
  const renamed: Renamed[] = []
  let [compared, others] = [0, 0]
  const sample = sampleOf(stage, start, updates)
  for (const { id, key, before: text } of sample) {
    // So many have kept their names that the rest does not matter.
    if (compared - renamed.length > (1 - mostRenamed) * sample.length) return undefined
    const [before, now] = [readBody(text), readBody(stage.bodyOf(id) ?? '{}')]
    const [was, is] = [nameOf(before), nameOf(now)]
    if (was === undefined || is === undefined || matched.has(key)) continue
    compared += 1
    // Without boundaries in the file, the record keeps the one that it has.
    if (haveCommonName(was, is) || (job.geometry !== undefined && doBoxesMeet(before, now) === true)) continue
    renamed.push({ key, before: was, now: is })
    if (hasOtherValues(before, now)) others += 1
  }
  const knownOfSample = compared + ((known - updates) * compared) / updates
  if (renamed.length < fewest || renamed.length < mostRenamed * knownOfSample) return undefined
  if (others <= mostOther * renamed.length) return undefined
  const few = renamed
    .slice(0, mostNamed)
    .map(({ key, before, now }) => `"${before}" (${idInKey(key)}) would become "${now}"`)
  const what = `${renamed.length} of the ${compared} known ${job.type.plural}${whoseIn(start)} in the file would get another name, and ${others} of them other values too`
  return errorOf(job, start, `${what}: ${few.join(', ')}.`)
}

/** The error of a run in which most known records, be it one, would move to other land: paddocks are called 1, 2, 3 on every farm. */
function reasonOfLand(
  { start, known, updates }: Counted,
  { job, stage }: Pick<Judging, 'job' | 'stage'>,
): WindrowError | undefined {
  if (job.geometry === undefined || updates * 2 <= known) return undefined
  const sample = sampleOf(stage, start, updates)
  const moved = sample.filter(({ id, before }) => doBoxesMeet(readBody(before), readBody(stage.bodyOf(id)!)) === false)
  const knownOfSample = Math.round((known * sample.length) / updates)
  if (moved.length * 2 <= knownOfSample) return undefined
  const few = moved.slice(0, mostNamed).map(({ key, before }) => {
    const name = nameOf(readBody(before))
    return name === undefined ? idInKey(key) : `"${name}" (${idInKey(key)})`
  })
  const what = `${moved.length} of the ${knownOfSample} known ${job.type.plural}${whoseIn(start)} in the file would move to other land`
  return errorOf(job, start, `${what}: ${few.join(', ')}.`)
}

/** The error, with a question about the file or about the rows of one farm in it. */
function errorOf(job: ImportJob, start: string, sentence: string): WindrowError {
  const asks = `${start === '' ? 'Is this the file' : 'Are these the rows'} of another farm, or have the ids moved to other rows?`
  const hint = `Look at the farm, and at the key column of the file. If the file is right:  ${waysToAllow('renamed', job)}`
  return stopFor('records-renamed', [`${sentence} ${asks}`], { hint })
}

/** The error of a one-off import in which most values that change do so in the same odd way. */
export function stopForOddChanges(found: readonly Contradiction[]): WindrowError {
  const reasons = found.map(({ sentence }) => sentence)
  const hint = 'Look at the columns, units and ids in the file. If the file is right:  --renamed allow'
  return stopFor('records-renamed', reasons, { hint })
}

function sampleOf(stage: Stage, start: string, updates: number) {
  return stage.query<{ id: number; key: string; before: string }>(
    `SELECT id, key, before FROM
       (SELECT id, key, before, row_number() OVER (ORDER BY id) AS number FROM records
        WHERE action = 'update' AND base IS NOT NULL AND before IS NOT NULL AND substr(key, 1, length(?1)) = ?1)
     WHERE number % ?2 = 0`,
    start,
    Math.max(1, Math.ceil(updates / mostCompared)),
  )
}

function whoseIn(start: string): string {
  return start === '' ? '' : ` of ${identifierText(farmOfStart(start))}`
}

/** True if one name has all the words of the other, apart from capitals and marks on letters: "Woolshed" and "001 Woolshed". */
function haveCommonName(one: string, other: string): boolean {
  const [few, many] = [wordsOf(one), wordsOf(other)].sort((a, b) => a.size - b.size) as [Set<string>, Set<string>]
  return [...few].every((each) => many.has(each))
}

function wordsOf(name: string): Set<string> {
  return new Set(
    withoutMarks(name)
      .toLowerCase()
      .match(/[\p{L}\p{N}]+/gu) ?? [name],
  )
}

/** Whether the boundary meets the box of the former one: then the paddock is the same, whatever its name. Undefined without both. */
function doBoxesMeet(before: Body, now: Body): boolean | undefined {
  const [was, is] = [boundaryOf(before), boundaryOf(now)]
  if (was === undefined || is === undefined) return undefined
  const [one, other] = [measure(was).bbox, measure(is).bbox]
  return one[0] <= other[2] && other[0] <= one[2] && one[1] <= other[3] && other[1] <= one[3]
}

function hasOtherValues(before: Body, now: Body): boolean {
  return differingMembers(before, now, 'all').some(
    (member) => !ownMembers.has(member) && !(member === 'totalArea' && haveSameArea(before[member], now[member])),
  )
}

/** What changes with the name, or is measured from the boundary. */
const ownMembers = new Set(['name', 'identifiers', 'totalLength'])

/** True if two areas differ at most as far as people round them. */
function haveSameArea(one: unknown, other: unknown): boolean {
  const [was, is] = [one, other].map((each) => (each as { readonly measurement?: unknown } | undefined)?.measurement)
  return typeof was === 'number' && typeof is === 'number' && Math.abs(was - is) <= 0.02 * Math.max(was, is)
}
