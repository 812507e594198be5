/** Reads the options of `windrow export` that choose records. */

import { WindrowError } from '../../core/error.ts'
import { faultOfDay, firstDay, periodOf } from '../../pipeline/definition/period.ts'
import { faultOfFilter } from '../../pipeline/definition/filter-types.ts'
import type { RecordFilter } from '../../pipeline/export/filter-records.ts'
import type { ResourceType } from '../../resources/resource-type.ts'
import { flag, text, texts, type Input, type Specs } from './command.ts'

export const filterOptions: Specs = {
  '--holding <HOLDING>': 'only this farm: its name, number, id or SCHEME:ID',
  '--plot <PLOT>': { description: 'only this paddock: its name or id; may be given again', many: true },
  '--operation <WORD>': {
    description: 'only work records of this operation, such as "crop protection"; may be given again',
    many: true,
  },
  '--product <WORD>': {
    description:
      'only work records with this product: its name, type, manufacturer or registration; may be given again',
    many: true,
  },
  '--operator <NAME>': {
    description: 'only work records of this person or contractor; may be given again',
    many: true,
  },
  '--status <WORD>': { description: 'only work records with this status; may be given again', many: true },
  '--day <DAY>': 'only this day or these days, such as 2026-09-01, 2026-09, yesterday or "last month"',
  '--from <DAY>': 'only from this day, such as 2026-09-01 or "2 weeks ago"',
  '--until <DAY>': 'only up to and including this day',
  '--modified-since <DAY>': 'only records changed on this day or later',
  '--box <W,S,E,N>': 'only what touches this box (west, south, east, north in degrees) or has no location',
  '--since-last': 'only what changed or was deleted since the last export with --since-last',
  '--include-deleted': 'also deleted pasture cover events',
}

const combinedWithChanges = ['holding', 'plot', 'modified-since', 'box']

/** The filters of the command line; days are counted in the zone. */
export function filtersOf(
  { plural }: ResourceType,
  input: Input,
  when: { readonly zone: string; readonly now: Date },
): RecordFilter {
  for (const [name, given] of Object.entries(input.options)) {
    const isGiven = given !== undefined && !(Array.isArray(given) && given.length === 0)
    const fault = isGiven ? faultOfFilter(name, plural) : undefined
    if (fault !== undefined) throw new WindrowError('option-invalid', `--${name} ${fault}`)
  }
  const combined = combinedWithChanges.find((name) => [input.options[name]].flat().some((each) => each !== undefined))
  if (flag(input, 'since-last') && combined !== undefined)
    throw new WindrowError('option-invalid', `--since-last cannot be combined with --${combined}.`, {
      hint: 'A deleted record no longer shows what it was, so its deletion would be lost.',
    })
  const box = text(input, 'box')
  const since = days(input, 'modified-since')
  const { zone, now } = when
  return {
    holding: text(input, 'holding'),
    plots: texts(input, 'plot'),
    operations: texts(input, 'operation'),
    products: texts(input, 'product'),
    operators: texts(input, 'operator'),
    statuses: texts(input, 'status'),
    ...periodOf(writtenPeriod(input), zone, now),
    modifiedSince: since === undefined ? undefined : firstDay(since, zone, now),
    deletedToo: flag(input, 'include-deleted') || undefined,
    box: box === undefined ? undefined : boxOf(box),
  }
}

function writtenPeriod(input: Input) {
  const [day, from, until] = [days(input, 'day'), days(input, 'from'), days(input, 'until')]
  if (day !== undefined && (from !== undefined || until !== undefined))
    throw new WindrowError('option-invalid', '--day cannot be combined with --from or --until.', {
      hint: 'Use --day for one day or period, or --from and --until for its first and last day.',
    })
  return { day, from, until }
}

function days(input: Input, name: string): string | undefined {
  const given = text(input, name)
  const fault = given === undefined ? undefined : faultOfDay(given, true)
  if (fault !== undefined) throw new WindrowError('option-invalid', `--${name}: ${fault}`)
  return given
}

function boxOf(given: string): readonly [number, number, number, number] {
  const [west, south, east, north, ...more] = given.split(',').map((each) => (each.trim() === '' ? NaN : Number(each)))
  const box = [west, south, east, north] as readonly [number, number, number, number]
  if (more.length === 0 && box.every(Number.isFinite)) return box
  throw new WindrowError('option-invalid', `--box cannot be "${given}".`, {
    hint: 'Use west, south, east and north in degrees: --box 175.2,-37.9,175.4,-37.7',
  })
}
