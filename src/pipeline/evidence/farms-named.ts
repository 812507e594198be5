/** Notes which farms the rows of a file name that is for one farm. */

import type { Row, Table } from '../../core/row.ts'
import { mayNameFarm } from '../../mapping/header-words.ts'

/** What the columns that may name a farm contain, in rows that create or change records. */
export type FarmsNamed = Record<string, string[]>

const mostColumns = 2000
const mostFarms = 100

/** Makes the function that lists the columns of a row that may name its farm, without those that are `filtered`. */
export function farmColumnsOf({ columns }: Table, filtered: readonly string[]): (row: Row) => readonly string[] {
  const isFarmColumn = (name: string): boolean => mayNameFarm(name) && !filtered.includes(name)
  const declared = columns?.map(({ name }) => name).filter(isFarmColumn)
  if (declared !== undefined) return () => declared
  const known = new Map<string, boolean>()
  return ({ values }) =>
    Object.keys(values).filter((name) => {
      const is = known.get(name) ?? isFarmColumn(name)
      // Each row may have names of its own.
      if (known.size < mostColumns) known.set(name, is)
      return is
    })
}

/** Notes the farms that a row names. */
export function noteFarms(named: FarmsNamed, { values }: Row, columns: readonly string[]): void {
  for (const column of columns) {
    const value = values[column]
    if (typeof value === 'string' || typeof value === 'number') addFarm(named, column, String(value).trim())
  }
}

function addFarm(named: FarmsNamed, column: string, farm: string): void {
  if (farm === '') return
  const farms = (named[column] ??= [])
  if (farms.length < mostFarms && !farms.includes(farm)) farms.push(farm)
}
