/**
 * Flattens records to tables for spreadsheets and other flat formats. In two passes: it sees every record first, settles the
 * columns, and then gives the rows.
 */

import type { Value } from '../core/row.ts'
import { columnTitle, settle, type Tree } from './column-tree.ts'
import { finishRow, walkMembers, type Manner } from './column-walk.ts'
import { diary, momentOf } from './diary.ts'
import { jobPlan, linkedLeads, linkedPlans } from './job-tables.ts'
import { zoneClock } from './date-time.ts'
import { addColumn } from './exported-columns.ts'
import type { ResourceType } from './resource-type.ts'
import {
  columnCalled,
  plainPlan,
  type Flattener,
  type FlattenerOptions,
  type Part,
  type UnitWords,
} from './table-plan.ts'
import { chosenRates, chosenUnit, type UnitKind } from './units.ts'
import { workRecord } from './work-record.ts'

/**
 * Makes the flattener of a type. 'flat' is one table; a work record has a row for each product of each operation there. 'diary' is
 * what a person wants to read of work records. 'linked' gives work records three tables with linking ids; other types have one table in every layout.
 */
export function flattener(type: ResourceType, options: FlattenerOptions = {}): Flattener {
  const { units = {} } = options
  const manner: Manner = {
    unitOf: unitChooser(units),
    rates: units.rate === undefined ? [] : chosenRates(units.rate),
    clock: zoneClock(options.zone),
  }
  const { zone, layout, forPeople = false, leavesOutEmpty = false } = options
  if (type === workRecord && layout === 'diary') return diary(manner, options)
  const isLinked = type === workRecord && layout === 'linked'
  const arranged = { zone, idsLast: forPeople, leavesOutEmpty }
  const plans = isLinked
    ? linkedPlans(type, manner, forPeople)
    : [type === workRecord ? jobPlan(type, manner, options) : plainPlan(type, manner, options)]
  let count = 0
  return {
    see(body) {
      for (const plan of plans) for (const parts of plan.rowsOf(body, 0)) fill(plan.tree, manner, parts, undefined)
    },
    expect(name) {
      const there = plans.flatMap(({ tree }) => tree.slots.map((slot) => ({ slot, name: columnTitle(slot, zone) })))
      const called = columnCalled(there, name)
      if (called !== undefined) called.slot.isWanted = true
      return called !== undefined || plans.some((plan) => addColumn(plan, name, { manner, zone }))
    },
    tables: () => plans.map(({ name, title, tree }) => ({ name, title, columns: settle(tree, arranged).columns })),
    rows(body, nth = count + 1) {
      count = nth
      return plans.map(({ tree, rowsOf }) => {
        const settled = settle(tree, arranged)
        return rowsOf(body, nth).map((parts) => {
          const cells = Array<Value>(settled.columns.length).fill(undefined)
          return finishRow(settled, cells, fill(tree, manner, parts, cells))
        })
      })
    },
    ...(isLinked && forPeople ? { leads: linkedLeads } : {}),
    ...(type === workRecord && forPeople ? { momentOf } : {}),
  }
}

function fill(tree: Tree, manner: Manner, parts: readonly Part[], cells: Value[] | undefined) {
  const leftovers = new Map<string, unknown>()
  for (const part of parts) {
    if ('root' in part)
      walkMembers({ tree, manner, cells, leftovers, base: part.base }, part.root, part.group, part.skip)
    else if (part.slot !== undefined) {
      if (cells === undefined) part.slot.isFilled ||= part.value !== undefined
      else if (part.slot.at >= 0) cells[part.slot.at] = part.value
    }
  }
  return leftovers
}

function unitChooser(units: UnitWords): (kind: UnitKind) => string {
  const chosen: Readonly<Record<UnitKind, string>> = {
    area: chosenUnit(units.area ?? 'HAR', 'area'),
    length: chosenUnit(units.length ?? 'MTR', 'length'),
    mass: 'KGM',
    volume: 'LTR',
    speed: 'KMH',
    temperature: 'CEL',
  }
  return (kind) => chosen[kind]
}
