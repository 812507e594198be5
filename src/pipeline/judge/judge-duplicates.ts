/** Stops a run whose new records are in the service already, under other keys: published, they would be there twice. */

import { WindrowError } from '../../core/error.ts'
import { problem } from '../../core/problem.ts'
import { settingText, type SettingsIn } from '../../core/setting-text.ts'
import { placeOf } from '../stage/places.ts'
import type { Stage } from '../stage/stage-store.ts'
import { haveSameName, inWords, type NewAndHeld, type NewRecord } from './new-and-held.ts'
import { percent, samePaddock, type LandMate, type SharedLand } from './shared-land.ts'

/** A new record and those that it repeats, with their common land; without it they have the same name. */
type Pair = {
  readonly record: NewRecord
  readonly mates: readonly (Omit<LandMate, 'share'> & { readonly share?: number })[]
}

// One new record on the land of another is a warning: a paddock may really be there twice.
const fewest = 2
const mostOfNew = 0.05
const mostListed = 10
// A file may have ten thousand rows of one name.
const mostNamesakes = 3

type Judging = {
  readonly land: SharedLand | undefined
  readonly source: string
  readonly policy: 'stop' | 'allow'
  readonly settingsIn: SettingsIn | undefined
}

/** Warns of each pair. Returns the error 'duplicates-found' if there are many of them, unless the pipeline allows that. */
export function judgeDuplicates(
  stage: Stage,
  both: NewAndHeld,
  { land, source, policy, settingsIn }: Judging,
): WindrowError | undefined {
  const pairs = [...both.fresh.values()].flatMap((record) => pairOf(record, both, land?.of(record) ?? []) ?? [])
  if (pairs.length === 0) return undefined
  stage.together(() => {
    for (const pair of pairs)
      stage.addProblem(
        problem('record-repeated', placeOf(pair.record, source), {
          value: pair.record.name,
          message: `The service has this record already, under another key: ${matesInWords(pair)}.`,
          hint: `If it is the same record, update the one that is there:  ${waysToMatch([pair], settingsIn)}`,
        }),
      )
  })
  const [{ created }] = stage.query<{ created: number }>(
    `SELECT count(*) AS created FROM records WHERE action = 'create' AND base IS NULL`,
  ) as [{ created: number }]
  if (policy === 'allow' || !isTooMany(pairs.length, created)) return undefined
  const reason = `${pairs.length} of ${created} new records are in the service already, under other keys.`
  const lines = pairs
    .slice(0, mostListed)
    .map((pair) => `  row ${pair.record.row}  ${inWords(pair.record)}  ->  ${matesInWords(pair)}`)
  const more = pairs.length - lines.length
  return new WindrowError(
    'duplicates-found',
    [`${reason} Nothing was sent.`, ...lines, ...(more > 0 ? [`  and ${more} more`] : [])].join('\n'),
    { hint: hintFor(pairs, settingsIn), data: { reasons: [reason] } },
  )
}

/** True if so many of the new records are in the service already that a run stops. */
export function isTooMany(repeated: number, created: number): boolean {
  return repeated >= fewest && repeated > mostOfNew * created
}

function pairOf(record: NewRecord, { namesakesOf }: NewAndHeld, mates: readonly LandMate[]): Pair | undefined {
  const onIts = mates.filter(({ share }) => share >= samePaddock)
  if (onIts.length > 0) return { record, mates: onIts }
  // Records of one name that are all in the file are kept apart by their keys.
  const redrawn = mates.filter(({ held }) => !held.isInFile && haveSameName(held, record))
  const { bare, bounded } = namesakesOf(record)
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

function hintFor(pairs: readonly Pair[], settingsIn: SettingsIn | undefined): string {
  const allow = settingText(settingsIn, 'guard: { duplicates: allow }', '--duplicates allow')
  return `If they are the same records, update those that are there:  ${waysToMatch(pairs, settingsIn)}  if a column has ids that the service knows. If they are others:  ${allow}`
}

/** The ways that would find something, and the one by a column. */
function waysToMatch(pairs: readonly Pair[], settingsIn: SettingsIn | undefined): string {
  const isOnLand = pairs.some(({ mates }) => mates.some(({ share }) => share !== undefined))
  const isNamed = pairs.some(({ record, mates }) => mates.some(({ held }) => haveSameName(held, record)))
  const ways = [...(isOnLand ? ['boundary'] : []), ...(isNamed ? ['name'] : [])]
  return [
    ...ways.map((way) => settingText(settingsIn, `match: ${way}`, `--match ${way}`)),
    settingText(settingsIn, 'match: <COLUMN>=identifier', '--match COLUMN=identifier'),
  ].join('  or  ')
}
