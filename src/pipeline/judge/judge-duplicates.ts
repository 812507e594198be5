/**
 * Stops a run whose records would be in the service twice: new ones that are there already, under other keys or for another farm of the
 * account, and those that are twice in the file, as where a layer has the paddocks of several years.
 */

import { WindrowError } from '../../core/error.ts'
import { settingText, type SettingsIn } from '../../core/setting-text.ts'
import type { Meeting } from '../../geometry/coverage/coverage.ts'
import { nameOf, readBody } from '../../ledger/content.ts'
import { idInKey } from '../../resources/keys.ts'
import type { BoundaryStore } from '../stage/boundary-store.ts'
import type { ImportJob } from '../stage/import-job.ts'
import { isNew, placeOf, uncommon } from '../stage/stage-store.ts'
import { farmNamesIfShown, stopFor, waysToAllow, type Judging } from '../settle/judging.ts'
import { haveSameName, inWords, type NewAndHeld, type NewRecord } from './new-and-held.ts'
import { matesOf, percent, samePaddock, type Mate, type SharedLand } from './shared-land.ts'

/** A new record and those that it repeats. */
type Pair = { readonly record: NewRecord; readonly mates: readonly Mate[] }

// One new record on the land of another is a warning: a paddock may really be there twice.
const fewest = 2
const mostOfNew = 0.05
const mostListed = 10
// A file may have ten thousand rows of one name.
const mostNamesakes = 3

/** Warns of each pair. Returns the error 'duplicates-found' if there are many of them, unless the pipeline allows that. */
export function judgeDuplicates(
  { job, stage, source }: Judging,
  both: NewAndHeld,
  { land, policy }: { readonly land: SharedLand | undefined; readonly policy: 'stop' | 'allow' },
): WindrowError | undefined {
  const pairs = [...both.fresh.values()].flatMap((record) => pairOf(record, both, land) ?? [])
  if (pairs.length === 0) return undefined
  stage.together(() => {
    for (const pair of pairs)
      stage.report('record-repeated', placeOf(pair.record, source), {
        value: pair.record.name,
        message: `The service has this record already, under another key: ${matesInWords(pair)}. This row makes a second one.`,
        hint: `If it is the same record, update the one that is there:  ${waysToMatch([pair], job.settingsIn)}`,
      })
  })
  const created = stage.countNew()
  // A key with the name in it changes with the name.
  const isRenamed = job.mapping.keyHasPlace && pairs.some(({ mates }) => mates.some(isLeftBehind))
  if (policy === 'allow' || !(isRenamed || isTooMany(pairs.length, created))) return undefined
  const [are, keys] = pairs.length === 1 ? ['is', 'another key'] : ['are', 'other keys']
  const reason = `${pairs.length} of ${created} new records ${are} in the service already, under ${keys}.`
  const lines = pairs
    .slice(0, mostListed)
    .map((pair) => `  row ${pair.record.row}  ${inWords(pair.record)}  ->  ${matesInWords(pair)}`)
  const more = pairs.length - lines.length
  return new WindrowError(
    'duplicates-found',
    [`${reason} Nothing was sent.`, ...lines, ...(more > 0 ? [`  and ${more} more`] : [])].join('\n'),
    { hint: hintFor(pairs, job), data: { reasons: [reason] } },
  )
}

/** True for a record that no row of the file has, on the land of a new one. */
function isLeftBehind({ held, share }: Mate): boolean {
  return !held.isInFile && share !== undefined && share >= samePaddock
}

/** True if so many of the new records are in the service already that a run stops. */
function isTooMany(repeated: number, created: number): boolean {
  return repeated >= fewest && repeated > mostOfNew * created
}

function pairOf(record: NewRecord, both: NewAndHeld, land: SharedLand | undefined): Pair | undefined {
  const mates = matesOf(record, both, land)
  const onIts = mates.filter(({ share }) => share >= samePaddock)
  if (onIts.length > 0) return { record, mates: onIts }
  // Records of one name that are all in the file are kept apart by their keys.
  const redrawn = mates.filter(({ held }) => !held.isInFile && haveSameName(held, record))
  const { bare, bounded } = both.namesakesOf(record)
  const alike = [...bare.slice(0, mostNamesakes), ...(record.hasBoundary ? [] : bounded.slice(0, mostNamesakes))]
  const namesakes = alike.filter(({ isInFile }) => !isInFile)
  const all = [...redrawn, ...namesakes.map((held) => ({ held }))]
  return all.length === 0 ? undefined : { record, mates: all }
}

function matesInWords({ mates }: Pair): string {
  const few = mates
    .slice(0, 2)
    .map(({ held, share }) => `${inWords(held)}, ${share === undefined ? 'same name' : `overlap ${percent(share)}`}`)
  return [...few, ...(mates.length > few.length ? ['others'] : [])].join(', or ')
}

function hintFor(pairs: readonly Pair[], job: ImportJob): string {
  return `If they are the same records, update those that are there:  ${waysToMatch(pairs, job.settingsIn)}  if a column has ids that the service knows. If they are others:  ${waysToAllow('duplicates', job)}`
}

/** The ways that would find something, and the one by a column. */
function waysToMatch(pairs: readonly Pair[], settingsIn: SettingsIn): string {
  const isOnLand = pairs.some(({ mates }) => mates.some(({ share }) => share !== undefined))
  const isNamed = pairs.some(({ record, mates }) => mates.some(({ held }) => haveSameName(held, record)))
  const ways = [...(isOnLand ? ['boundary'] : []), ...(isNamed ? ['name'] : [])]
  return [
    ...ways.map((way) => settingText(settingsIn, `match: ${way}`, `--match ${way}`)),
    settingText(settingsIn, 'match: <COLUMN>=identifier', '--match COLUMN=identifier'),
  ].join('  or  ')
}

/** False where no boundary can be that of another farm. */
export function mayLieElsewhere({ job, boundaries }: Judging): boolean {
  // All boundaries of the store are the run's own if the service has none nearby.
  return boundaries !== undefined && (job.mapping.holding === undefined || boundaries.own < boundaries.count)
}

/** Returns the error 'duplicates-found' if many of the new boundaries are those of another farm. */
export async function judgeElsewhere(
  judging: Judging,
  { fresh, of }: SharedLand,
  both: NewAndHeld | undefined,
): Promise<WindrowError | undefined> {
  if (!mayLieElsewhere(judging)) return undefined
  const isOwn = (id: number, key: string): boolean => {
    const farm = both?.fresh.get(id)?.holding
    return farm !== undefined && both?.held.get(key)?.holding === farm
  }
  const pairs = [...fresh].flatMap((id) => {
    const mate = of(id).find(({ share, key }) => share >= samePaddock && !isOwn(id, key))
    return mate === undefined ? [] : [{ id, key: mate.key }]
  })
  const [first] = pairs
  if (first === undefined || !isTooMany(pairs.length, fresh.size)) return undefined
  const { named, other } = await farmsOf(first, judging)
  const given = judging.job.mapping.holding === undefined ? 'the file has them for' : 'you named'
  const reason = `${pairs.length} of ${fresh.size} new records have boundaries that belong to ${other} already${named === undefined ? '' : `; ${given} ${named}`}.`
  return foundElsewhere(judging, reason, 'Name the farm that the file belongs to. If both farms have this land:')
}

/**
 * Returns the error 'duplicates-found' if many of the new records are those of another farm that this file had until now: its
 * number was changed, and they would be in the service for both farms. `goneBefore` gives the keys that the last file lacked already.
 */
export async function judgeMoved(
  judging: Judging,
  goneBefore: () => ReadonlySet<string>,
): Promise<WindrowError | undefined> {
  const { job, stage, ledger } = judging
  if (job.mapping.holding !== undefined) return undefined
  const kept = [...stage.keysWhere(`action = 'keep' AND ${uncommon}`)].flat()
  const before = kept.length === 0 ? undefined : goneBefore()
  // Paddocks of several farms may have the same number.
  const lost = Map.groupBy(
    kept.filter((key) => before?.has(key) !== true),
    idInKey,
  )
  if (lost.size === 0) return undefined
  const created = stage.query<{ id: number; key: string }>(`SELECT id, key FROM records WHERE ${isNew}`)
  const pairs = created.flatMap(({ id, key: now }) => {
    const name = nameOf(readBody(stage.bodyOf(id)!))
    const isItsName = (key: string): boolean => nameOf(readBody(ledger.find(key)!.body)) === name
    const key = name === undefined ? undefined : lost.get(idInKey(now))?.find(isItsName)
    return key === undefined || name === undefined ? [] : [{ id, key, name }]
  })
  const [first] = pairs
  if (first === undefined || !isTooMany(pairs.length, created.length)) return undefined
  const { named = 'a farm', other } = await farmsOf(first, judging)
  const reason = `${pairs.length} of ${created.length} new records of ${named} are in the service already for ${other}, with the same ids and names: "${first.name}" (${idInKey(first.key)}). The file had them for ${other} until now.`
  return foundElsewhere(judging, reason, 'Correct the number of the farm in the file. If both farms have them:')
}

/** The names of the farms of a new record and of the one that the service has. */
async function farmsOf({ id, key }: { readonly id: number; readonly key: string }, judging: Judging) {
  const names = await farmNamesIfShown(judging)
  const named = names?.(readBody(judging.stage.bodyOf(id)!))
  return { named, other: names?.(readBody(judging.ledger.find(key)!.body)) ?? 'another farm' }
}

function foundElsewhere({ job }: Judging, reason: string, hint: string): WindrowError {
  return stopFor('duplicates-found', [reason], { hint: `${hint}  ${waysToAllow('duplicates', job)}` })
}

// Two paddocks that are there twice. People also draw one twice by mistake, which is a warning.
const fewestTwins = 4
const mostTwins = 0.5

/** By boundary of a run: the number of another one of it that is the same, plus one. */
type Twins = Uint32Array

export function startTwins({ own }: BoundaryStore): Twins {
  return new Uint32Array(own)
}

export function noteTwins(twins: Twins, { one, other, areaM2, areasM2 }: Meeting): void {
  if (Math.max(one, other) >= twins.length || areaM2 < samePaddock * Math.max(...areasM2)) return
  twins[one] ||= other + 1
  twins[other] ||= one + 1
}

/** Returns the error 'duplicates-found' if most of the new records have such a boundary. */
export function judgeTwins({ job, stage }: Judging, boundaries: BoundaryStore, twins: Twins): WindrowError | undefined {
  const created = stage.countNew()
  const areTooMany = (count: number): boolean => count >= fewestTwins && count > mostTwins * created
  if (!areTooMany(twins.reduce((sum, twin) => sum + (twin === 0 ? 0 : 1), 0))) return undefined
  const ownerOf = (boundary: number) => boundaries.about(boundary) as { readonly row: number; readonly record: number }
  const ids = new Set(stage.query<{ id: number }>(`SELECT id FROM records WHERE ${isNew}`).map(({ id }) => id))
  const found = [...twins.keys()].filter((boundary) => twins[boundary] !== 0 && ids.has(ownerOf(boundary).record))
  if (!areTooMany(found.length)) return undefined
  const rowText = (boundary: number): string => {
    const { row, record } = ownerOf(boundary)
    const name = nameOf(readBody(stage.bodyOf(record)!))
    return `row ${row}${name === undefined ? '' : ` ("${name}")`}`
  }
  const [one, other] = [found[0]!, twins[found[0]!]! - 1].map(rowText)
  const reason = `${found.length} of ${created} new records have the boundary of another row of the file, such as ${one} and ${other}. Does it have several years or versions of the same ${job.type.plural}?`
  return stopFor('duplicates-found', [reason], {
    hint: `Take the rows of one of them:  only: { COLUMN: [VALUE] }  in a pipeline, which windrow init starts. If all are records:  ${waysToAllow('duplicates', job)}`,
  })
}
