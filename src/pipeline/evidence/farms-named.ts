/** Notes which farms the rows of a file name that is for one farm. */

import type { Row, Table } from '../../core/row.ts'
import { farmWords, headerWords } from '../../mapping/header-words.ts'

/** What the columns that may name a farm contain, in rows that create or change records. */
export type FarmsNamed = Record<string, string[]>

const mostColumns = 2000
const mostFarms = 100

/** Makes the function that lists the columns of a row that may name its farm, without those that are `filtered`. */
export function farmColumnsOf({ columns }: Table, filtered: readonly string[]): (row: Row) => readonly string[] {
  const known = new Map<string, boolean>()
  const mayNameFarm = (column: string): boolean => {
    const may =
      known.get(column) ??
      (known.size < mostColumns && farmWords.test(headerWords(column)) && !filtered.includes(column))
    if (known.size < mostColumns) known.set(column, may)
    return may
  }
  const declared = columns?.map(({ name }) => name).filter(mayNameFarm)
  return (row) => declared ?? Object.keys(row.values).filter(mayNameFarm)
}

/** Notes the farms that a row names. */
export function noteFarms(named: FarmsNamed, { values }: Row, columns: readonly string[]): void {
  for (const column of columns) {
    const value = values[column]
    if (typeof value === 'string' || typeof value === 'number') addFarm(named, column, String(value).trim())
  }
}

/** Adds what was noted about other rows. */
export function addFarmsNamed(named: FarmsNamed, others: FarmsNamed): void {
  for (const [column, farms] of Object.entries(others)) for (const farm of farms) addFarm(named, column, farm)
}

function addFarm(named: FarmsNamed, column: string, farm: string): void {
  const farms = (named[column] ??= [])
  if (farm !== '' && farms.length < mostFarms && !farms.includes(farm)) farms.push(farm)
}
