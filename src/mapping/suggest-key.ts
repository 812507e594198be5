/** Hides which column is proposed to tell one record from another. */

import type { ColumnProfile, TableProfile } from '../core/profile/profile-table.ts'
import type { ResourceType } from '../resources/resource-type.ts'
import { filledOf, isNameable, type Choice } from './choice.ts'
import { headerWords, keyWords, rowNumberWords } from './header-words.ts'
import { pickDates } from './suggest-dates.ts'

/** "24 of 24 filled, all different", "23 of 24 filled, 2 repeated". */
function uniquenessOf(column: ColumnProfile): string {
  const different = column.distinctIsExact ? 'all different' : `more than ${column.distinct} different`
  return `${filledOf(column)}, ${column.repeated > 0 ? `${column.repeated} repeated` : different}`
}

type Ranked = { readonly column: ColumnProfile; readonly rank: number; readonly isUnique: boolean }

/** The best column, or none and a note that says why. */
export function suggestKey(
  type: ResourceType,
  profile: TableProfile,
  holding: Choice | undefined,
  notes: string[],
): Choice | undefined {
  if (type.plural === 'holdings' && holding !== undefined) return { ...holding, field: 'key' }
  const given = profile.columns.filter(holdsServiceIds)
  if (given.length > 0)
    notes.push(
      `${given.map(({ name }) => `<${name}>`).join(' and ')} ${given.length === 1 ? 'holds' : 'hold'} ids that a service gave, not yours: as a key they would publish every record a second time.`,
    )
  const ranked = profile.columns
    .filter((column) => column.name !== holding?.column && couldBeKey(column) && !given.includes(column))
    .map((column): Ranked => ({ column, rank: keyRank(column), isUnique: column.blank === 0 && column.repeated === 0 }))
    .toSorted((left, right) => Number(right.isUnique) - Number(left.isUnique) || left.rank - right.rank)
  const [best, second] = ranked
  const perFarm = withinFarms(ranked, holding, profile)
  if (best?.isUnique !== true && perFarm !== undefined) return perFarm
  if (best === undefined || !best.isUnique || best.column.filled === 0) {
    const nearest = best === undefined ? '' : ` The nearest is <${best.column.name}>: ${uniquenessOf(best.column)}.`
    notes.push(`No column is filled in and different in every row, so there is no key.${nearest}`)
    return undefined
  }
  const { column, rank } = best
  const isRowNumber = rowNumberWords.test(headerWords(column.name))
  const hint = isRowNumber ? '; a row number, which may change with the next export' : ''
  return {
    field: 'key',
    column: column.name,
    spec: `<${column.name}>`,
    evidence: uniquenessOf(column) + hint,
    ...(second === undefined ? {} : { runnerUp: runnerUpOf(second.column) }),
    certain: rank < keyWords.length - 1,
  }
}

/** Where a file holds several farms, each may number its paddocks anew: the farm is part of the key, so a repeated number is none. */
function withinFarms(
  ranked: readonly Ranked[],
  holding: Choice | undefined,
  { columns }: TableProfile,
): Choice | undefined {
  const farms = columns.find(({ name }) => name === holding?.column)
  const named = ranked.filter(({ column, rank }) => column.blank === 0 && rank < keyWords.length)
  const [best] = named.toSorted((left, right) => left.rank - right.rank)
  if (farms === undefined || farms.distinct < 2 || farms.blank > 0 || best === undefined) return undefined
  const { column } = best
  return {
    field: 'key',
    column: column.name,
    spec: `<${column.name}>`,
    evidence: `${uniquenessOf(column)}, told apart by <${farms.name}>; a number that comes twice in one farm is rejected`,
    certain: false,
  }
}

function runnerUpOf(column: ColumnProfile): string {
  const why =
    column.repeated > 0
      ? `${column.repeated} repeated`
      : column.blank > 0
        ? `${column.blank} blank`
        : 'all different as well'
  return `<${column.name}> (${why})`
}

function couldBeKey(column: ColumnProfile): boolean {
  const { filled, nested, truths, longest, numberFit, texts } = column
  if (filled === 0 || nested > 0 || truths > 0 || longest > 100 || !isNameable(column.name)) return false
  const isFraction =
    numberFit.point + numberFit.comma > 0 && numberFit.point + numberFit.comma + numberFit.either >= texts
  return !isFraction && !column.examples.some((text) => /^-?\d+\.\d+$/.test(text)) && pickDates(column) === undefined
}

function keyRank(column: ColumnProfile): number {
  const words = headerWords(column.name)
  if (rowNumberWords.test(words)) return keyWords.length + 1
  const rank = keyWords.findIndex((each) => each.test(words))
  return rank === -1 ? keyWords.length : rank
}

/** True for the form of the ids that services give to records. */
export function isServiceId(text: string): boolean {
  return /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i.test(text)
}

/** The ids of records, and the ids of their sources with the holding in front, as an export of the service has them. */
function holdsServiceIds({ name, examples }: ColumnProfile): boolean {
  const isOf = exportedSourceId.test(headerWords(name)) ? (text: string) => text.includes('/') : isServiceId
  return examples.length > 0 && examples.every(isOf)
}

const exportedSourceId = /^source id(?: |$)/
