/** Adds up work records per farm, product and paddock. */

import type { Column, Values } from '../core/row.ts'
import { inNumbers } from '../core/values/counting-order.ts'
import { numberLength } from '../core/values/number-length.ts'
import {
  applicationsOf,
  inWords,
  placeNames,
  productName,
  registrationsOf,
  totalOf,
  workedArea,
  type Application,
  type Component,
  type PlaceNames,
} from './diary.ts'
import { textIn } from './groups.ts'
import { roundAmount, unitOfCode } from './units.ts'

const kinds = ['All jobs', 'Farm', 'Product', 'Paddock'] as const

type Line = Readonly<Record<'sheet' | 'name' | 'more' | 'status' | 'unit', string>> & {
  readonly of: (typeof kinds)[number]
  /** An application on the farm or paddock of the line, whose names are known once all are seen. */
  at?: Application
  jobs: number
  area: number
  amount: number | undefined
}

/**
 * Starts the totals: `add` every record, and again with the sheet of each of its applications if there are several; then ask for columns
 * and `rows`. Jobs of each status are added up separately: the area of a cancelled job was not worked.
 */
export function workTotals(areaUnit: string) {
  const areaName = `Area (${unitOfCode(areaUnit)?.sign ?? areaUnit})`
  const lines = new Map<string, Line>()
  const places = placeNames()
  let hasSheets = false
  const lineOf = (
    ...[sheet, of, name, more, status, unit]: readonly [string, Line['of'], string, string, string, string]
  ): Line => {
    const key = JSON.stringify([sheet, of, name, more, status, unit])
    const line = lines.get(key) ?? { sheet, of, name, more, status, unit, jobs: 0, area: 0, amount: undefined }
    lines.set(key, line)
    return line
  }
  const widthOf = (member: 'area' | 'amount', decimals?: number): number =>
    lines
      .values()
      .reduce((width, line) => Math.max(width, numberLength(roundAmount(line[member] ?? 0), decimals) + 1), 12)
  return {
    columns: (): readonly Column[] => [
      { name: totalsTitle, type: 'text', look: { width: 10 } },
      ...(hasSheets ? [{ name: 'Sheet', type: 'text', look: { width: 20, wraps: true } } as const] : []),
      { name: 'Name', type: 'text', look: { width: 40, wraps: true } },
      { name: 'Farm or registration', type: 'text', look: { width: 24, wraps: true } },
      { name: 'Status', type: 'text', look: { width: 14 } },
      { name: 'Jobs', type: 'integer', look: { width: 8 } },
      { name: areaName, type: 'number', look: { width: widthOf('area', 2), decimals: 2 } },
      { name: 'Amount', type: 'number', look: { width: widthOf('amount') } },
      { name: 'Unit', type: 'text', look: { width: 8 } },
    ],
    add(body: object, sheets?: readonly string[]): void {
      hasSheets ||= sheets !== undefined
      const applications = applicationsOf(body)
      const area = workedArea(applications[0]!.job, areaUnit)
      const counted = new Set<Line>()
      const count = (line: Line): void => {
        // A job counts once in each line: a product used twice was still used on the area of one job.
        if (counted.has(line)) return
        counted.add(line)
        line.jobs += 1
        if (typeof area === 'number') line.area += area
      }
      for (const [index, each] of applications.entries()) {
        const { farm, paddock } = places.see(each)
        const status = inWords(textIn(each.job, 'status')) ?? ''
        const sheet = sheets?.[index] ?? ''
        count(lineOf(sheet, 'All jobs', '', '', status, ''))
        for (const line of [
          lineOf(sheet, 'Farm', farm, '', status, ''),
          lineOf(sheet, 'Paddock', paddock, '', status, ''),
        ]) {
          line.at ??= each
          count(line)
        }
        for (const component of each.components) {
          const { amount, unit = '' } = shareOf(each, component)
          const registered = registrationsOf(component.product) ?? ''
          const line = lineOf(sheet, 'Product', productName(component), registered, status, unit)
          count(line)
          if (amount !== undefined) line.amount = (line.amount ?? 0) + amount
        }
      }
    },
    rows: (): readonly Values[] =>
      withoutLoneFarms(joined([...lines.values()].map((line) => named(line, places))))
        .toSorted(inOrder)
        .map(({ sheet, of, name, more, status, unit, jobs, area, amount }) => ({
          [totalsTitle]: of,
          ...(hasSheets ? { Sheet: sheet } : {}),
          Name: name,
          'Farm or registration': more,
          Status: status,
          Jobs: jobs,
          [areaName]: roundAmount(area),
          Amount: amount === undefined ? undefined : roundAmount(amount),
          Unit: unit,
        })),
  }
}

function named(line: Line, places: PlaceNames): Line {
  const { at, of } = line
  if (at === undefined) return line
  const farm = places.of(at, 'holding') ?? ''
  return of === 'Farm' ? { ...line, name: farm } : { ...line, name: places.of(at, 'feature') ?? '', more: farm }
}

/** Adds up lines that show the same: of one paddock that two programs number otherwise. */
function joined(lines: readonly Line[]): readonly Line[] {
  const alike = Map.groupBy(lines, ({ sheet, of, name, more, status, unit }) =>
    JSON.stringify([sheet, of, name, more, status, unit]),
  )
  return [...alike.values()].map(([first, ...others]) =>
    others.reduce((sum, { jobs, area }) => ({ ...sum, jobs: sum.jobs + jobs, area: sum.area + area }), first!),
  )
}

/** The lines without those of a farm that is the only one of its sheet: they would repeat all jobs. */
function withoutLoneFarms(lines: readonly Line[]): readonly Line[] {
  const ofFarms = lines.filter((line) => line.of === 'Farm')
  const farms = Map.groupBy(ofFarms, ({ sheet }) => sheet)
  return lines.filter(({ of, sheet }) => of !== 'Farm' || new Set(farms.get(sheet)!.map(({ name }) => name)).size > 1)
}

/** By sheet and kind; the paddocks of a farm stay together. */
function inOrder(one: Line, other: Line): number {
  return (
    inNumbers(one.sheet, other.sheet) ||
    kinds.indexOf(one.of) - kinds.indexOf(other.of) ||
    (one.of === 'Paddock' ? inNumbers(one.more, other.more) : 0) ||
    inNumbers(one.name, other.name) ||
    inNumbers(one.more, other.more)
  )
}

/** The header of the first column, which marks the table. */
const totalsTitle = 'Total of'

/**
 * The amount of one product of a mix. Where the shares do not add up to 100 %, they are of something else than the amount, such as
 * the water; then only a product of 100 % has it.
 */
function shareOf(
  { application, components }: Application,
  { percent }: Component,
): { readonly amount?: number | undefined; readonly unit?: string | undefined } {
  const total = totalOf(application)
  if (total.amount === undefined) return {}
  if (components.length === 1 || percent === 100) return total
  const shares = components.map((each) => (typeof each.percent === 'number' ? each.percent : Number.NaN))
  const isSplit = Math.abs(shares.reduce((sum, share) => sum + share, 0) - 100) < 1e-6
  return isSplit ? { ...total, amount: (total.amount * (percent as number)) / 100 } : {}
}
