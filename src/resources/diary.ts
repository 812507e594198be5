/**
 * Lays out work records as a diary: one row for each application as a person reads it. The worked area of a job is only in the first
 * of its rows, so that the sum of the column is right.
 */

import type { Column, ColumnLook, Value, Values } from '../core/row.ts'
import { numberLength } from '../core/values/number-length.ts'
import { objectMaker } from '../core/values/object-maker.ts'
import { remarkWidth, zonedTitle } from './column-tree.ts'
import type { Manner } from './column-walk.ts'
import { groupIn, groupsIn, textIn, type Group } from './groups.ts'
import type { Flattener, FlattenerOptions } from './table-plan.ts'
import { convert, roundAmount, unitOfCode } from './units.ts'

/** One product or mix of products in one operation of a job; a job without any is one entry too. `isFirst`: the first of its job. */
export type Application = ReturnType<typeof applicationsOf>[number]

type Work = Pick<Application, 'job' | 'operation'>

/** A product of a mix, with its share in percent. */
export type Component = Application['components'][number]

/** The applications of a work record, in the order in which it lists them. */
export function applicationsOf(body: object) {
  const applications = groupsOrOne(body, 'loggedOperations').flatMap((operation) =>
    groupsOrOne(operation, 'products').map((application) => ({
      job: body as Group,
      operation,
      application,
      components: groupsIn(application, 'components').map((component) => ({
        product: groupIn(component, 'product'),
        percent: component['percent'],
      })),
    })),
  )
  return applications.map((each, index) => ({ ...each, isFirst: index === 0 }))
}

function groupsOrOne(owner: object, name: string): readonly Group[] {
  const groups = groupsIn(owner, name)
  return groups.length === 0 ? [{}] : groups
}

type Entry = { readonly column: Column; readonly of: (application: Application) => Value }

/** Makes the diary. With `leavesOutEmpty`, columns without any value are left out but those it `keeps`, unless there is no record at all. */
export function diary(manner: Manner, { zone, leavesOutEmpty = false, keeps = [] }: FlattenerOptions): Flattener {
  const { clock } = manner
  const places = placeNames()
  const all = entries(manner, zone, places)
  const filled = new Set<Entry>()
  let endsLater = false
  let longestRemark = 0
  /** The width that each column of numbers needs. */
  const widths = new Map<string, number>()
  let made: { readonly entries: readonly Entry[]; readonly make: (cells: readonly Value[]) => Values } | undefined
  const settled = (): NonNullable<typeof made> => {
    const isKept = (entry: Entry): boolean => filled.has(entry) || keeps.includes(entry.column.name)
    const kept = leavesOutEmpty && filled.size > 0 ? all.filter(isKept) : all
    return (made ??= { entries: kept, make: objectMaker(kept.map(({ column }) => column.name)) })
  }
  return {
    see(body) {
      for (const application of applicationsOf(body)) {
        places.see(application)
        for (const entry of all) {
          const { name, type, look } = entry.column
          if (filled.has(entry) && type !== 'number') continue
          const value = entry.of(application)
          if (value !== undefined && value !== '') filled.add(entry)
          if (typeof value === 'number')
            widths.set(name, Math.max(widths.get(name) ?? look!.width!, numberLength(value, look!.decimals) + 1))
        }
        longestRemark = Math.max(longestRemark, remarkOf(application)?.length ?? 0)
        endsLater ||= (dayIn(clock, endOf(application)) ?? '') > (dayIn(clock, startOf(application)) ?? '')
      }
    },
    tables() {
      const columns = settled().entries.map(({ column }) => {
        // The time of day alone would hide the night between.
        if (endsLater && column.name === endTitle) return { ...column, look: lookOfMoments }
        const isRemark = column.name === remarkTitle
        const width = isRemark ? remarkWidth(longestRemark, usualRemarkWidth) : widths.get(column.name)
        return width === undefined ? column : { ...column, look: { ...column.look, width } }
      })
      return [{ name: 'work-records', title: 'Diary', columns }]
    },
    rows(body) {
      const { entries: kept, make } = settled()
      return [applicationsOf(body).map((application) => make(kept.map((entry) => entry.of(application))))]
    },
    momentOf,
    once: areaTitle(manner),
  }
}

function areaTitle({ unitOf }: Manner): string {
  return `Area treated (${signOf({ units: unitOf('area') })})`
}

const endTitle = 'End'
const remarkTitle = 'Remark'
const usualRemarkWidth = 16
/** How a sheet shows moments with their day. */
export const lookOfMoments = { width: 17, times: 'to the minute' } as const

/** The moment by which work records are put in order; NaN without one. */
export function momentOf(body: object): number {
  return Date.parse(datedBy(body) ?? '')
}

/**
 * The moment or day by which a record is dated: when it began, else when the first of its operations did, as its first rows show it,
 * else that of its consignment.
 */
export function datedBy(body: object): string | undefined {
  const job = body as Group
  const operations = groupsIn(body, 'loggedOperations')
  const began = [job, ...operations].map((each) => textIn(each, 'phenomenonStartTime'))
  const known = operations.map((operation) => startOf({ job, operation }))
  return [...began, ...known, startOf({ job, operation: {} }), textIn(body, 'consignmentDate')].find(
    (moment) => moment !== undefined,
  )
}

function dayIn(clock: Manner['clock'], moment: string | undefined): string | undefined {
  return moment === undefined ? undefined : clock(moment)?.slice(0, 10)
}

function remarkOf({ operation, job }: Application): string | undefined {
  return joined([textIn(operation, 'remark'), textIn(job, 'remark')])
}

function entries(manner: Manner, zone: string | undefined, places: PlaceNames): readonly Entry[] {
  const { clock, unitOf, rates } = manner
  const moment = (text: string | undefined): string | undefined => text && (clock(text) ?? text)
  const area = unitOf('area')
  const text = (name: string, width: number, of: Entry['of'], more: ColumnLook = {}): Entry => ({
    column: { name, type: 'text', look: { width, wraps: true, ...more } },
    of,
  })
  const number = (name: string, look: ColumnLook, of: Entry['of']): Entry => ({
    column: { name, type: 'number', look },
    of,
  })
  const time = (name: string, look: ColumnLook, of: (application: Application) => string | undefined): Entry => ({
    column: { name, type: 'date-time', zone, look },
    of: (each) => moment(of(each)),
  })
  return [
    {
      column: { name: 'Date', type: 'date', look: { width: 11 } },
      of: (each) => startDay(clock, each),
    },
    time(zone === undefined ? 'Start' : zonedTitle('Start', zone), { width: 20, times: 'of day' }, startOf),
    time(endTitle, { width: 7, times: 'of day' }, endOf),
    text('Farm', 14, (each) => places.of(each, 'holding')),
    text('Paddock', 12, (each) => places.of(each, 'feature')),
    text('Crop', 12, ({ components }) =>
      joined(components.map(({ product }) => textIn(groupIn(product, 'crop'), 'name'))),
    ),
    text('Operation', 11, ({ operation, job }) => inWords(textIn(operation, 'operation') ?? textIn(job, 'operation'))),
    text('Product', 26, ({ components }) => components.map(productInMix).join('; ')),
    text('Registration', 12, ({ components }) => joined(components.map(({ product }) => registrationsOf(product)))),
    text('Rate', 11, ({ application }) => rateOf(application, rates), { isMeasured: true }),
    number('Total', { width: 8 }, ({ application }) => totalOf(application).amount),
    text('Unit', 5, ({ application }) => totalOf(application).unit),
    number(areaTitle(manner), { width: 9, decimals: 2 }, ({ job, isFirst }) =>
      isFirst ? workedArea(job, area) : undefined,
    ),
    number('Water (L)', { width: 8 }, ({ application }) => amountIn(groupIn(application, 'waterVolume'), 'LTR')),
    text('Weather', 16, ({ operation }) => weatherOf(groupIn(operation, 'environment')), { isMeasured: true }),
    text('Operator', 13, ({ operation, job }) => textIn(operation, 'responsible') ?? textIn(job, 'responsible')),
    time('Withholding until', lookOfMoments, withheldUntil),
    text('Status', 11, ({ job }) => inWords(textIn(job, 'status'))),
    text(remarkTitle, usualRemarkWidth, remarkOf),
  ]
}

/** The day on which work began in the zone of the export, or as the record has it. */
export function startDay(clock: Manner['clock'], work: Work): string | undefined {
  const start = startOf(work)
  return dayIn(clock, start) ?? start
}

/** The moment at which work began; else the only moment that is known. */
function startOf({ job, operation }: Work): string | undefined {
  return (
    textIn(operation, 'phenomenonStartTime') ??
    textIn(job, 'phenomenonStartTime') ??
    textIn(operation, 'observationDate') ??
    textIn(job, 'observationDate') ??
    endOf({ job, operation })
  )
}

function endOf({ job, operation }: Work): string | undefined {
  return textIn(operation, 'phenomenonEndTime') ?? textIn(job, 'phenomenonEndTime')
}

export type PlaceNames = ReturnType<typeof placeNames>

type Member = 'holding' | 'feature'
type Place = Readonly<Record<'name' | 'scheme' | 'id', string | undefined>>

/** The names of farms and paddocks, else their ids. One that shares its name with another has its id too: `see` all applications first. */
export function placeNames() {
  const idsOf = new Map<string, Set<string>>()
  let areShared = false
  const note = ({ id }: Place, alike: string): string => {
    if (id === undefined) return alike
    const ids = (idsOf.get(alike) ?? new Set()).add(id)
    idsOf.set(alike, ids)
    areShared ||= ids.size > 1
    return `${alike}\n${id}`
  }
  return {
    /** Returns texts that are the same for all applications on the same farm and in the same paddock. */
    see(each: Application) {
      const [farm, paddock] = [placeIn(each, 'holding'), placeIn(each, 'feature')]
      return { farm: note(farm, likeness(farm)), paddock: note(paddock, likeness(paddock, farm)) }
    },
    of(each: Application, member: Member): string | undefined {
      const place = placeIn(each, member)
      const { name, id } = place
      if (!areShared || name === undefined || id === undefined) return name ?? id
      const alike = likeness(place, member === 'holding' ? undefined : placeIn(each, 'holding'))
      return idsOf.get(alike)!.size > 1 ? `${name} (${id})` : name
    },
  }
}

export function placeIn({ job, operation }: Work, member: Member): Place {
  const own = groupIn(operation, member)
  const place = isNamed(own) ? own : groupIn(job, member)
  const identifier = groupIn(place, 'identifier')
  return { name: textIn(place, 'name'), scheme: textIn(identifier, 'scheme'), id: textIn(identifier, 'id') }
}

/** Each program numbers the same paddocks in a scheme of its own, so only ids of one scheme show that two of one name are different. */
function likeness({ name, scheme }: Place, farm?: Place): string {
  return farm === undefined ? `${name}\n${scheme}` : `${name}\n${scheme}\non ${farm.id ?? farm.name}`
}

function isNamed(place: Group): boolean {
  return textIn(place, 'name') !== undefined || textIn(groupIn(place, 'identifier'), 'id') !== undefined
}

/** The name of a product; without one, its type and manufacturer. */
export function productName({ product }: Component): string {
  const [type, manufacturer] = [inWords(textIn(product, 'type')), textIn(product, 'manufacturer')]
  const named = textIn(product, 'name')
  if (named !== undefined) return named
  return type === undefined || manufacturer === undefined ? (type ?? manufacturer ?? '') : `${type} (${manufacturer})`
}

function productInMix(component: Component, _: number, mix: readonly Component[]): string {
  const { percent } = component
  return mix.length > 1 && typeof percent === 'number'
    ? `${productName(component)} ${percent}\u00a0%`
    : productName(component)
}

/** The numbers under which a product is registered. */
export function registrationsOf(product: Group): string | undefined {
  return joined(groupsIn(product, 'registrations').map((each) => textIn(each, 'id')))
}

function rateOf(application: Group, units: Manner['rates']): string | undefined {
  for (const unit of units) {
    const amount = amountIn(groupIn(application, 'applicationRate'), unit.amount)
    const area = amountIn(groupIn(application, 'spatialMetric'), unit.per)
    if (typeof amount !== 'number' || typeof area !== 'number' || area === 0) continue
    // A sprayer cannot be set to more than five digits.
    return `${Number((amount / area).toPrecision(5))} ${signOf({ units: unit.amount })}/${signOf({ units: unit.per })}`
  }
  const rate = measureText(groupIn(application, 'applicationRate'))
  const per = groupIn(application, 'spatialMetric')
  if (rate === undefined || per['measurement'] === undefined) return rate
  return `${rate}/${per['measurement'] === 1 ? signOf(per) : (measureText(per) ?? '')}`
}

/** The amount that was applied, with the sign of its unit. */
export function totalOf(application: Group) {
  const total = groupIn(application, 'applicationTotal')
  const { measurement: amount } = total
  return typeof amount === 'number' ? { amount, unit: signOf(total) } : { amount: undefined, unit: undefined }
}

/** The worked area of a job in the unit; text if its own unit cannot be converted. */
export function workedArea(job: Group, unit: string): number | string | undefined {
  return amountIn(groupIn(job, 'workedArea'), unit) ?? amountIn(groupIn(job, 'nonOverlapWorkedArea'), unit)
}

function amountIn(measure: Group, unit: string): number | string | undefined {
  const { measurement, units } = measure
  if (typeof measurement !== 'number') return undefined
  const amount = units === unit ? measurement : convert(measurement, typeof units === 'string' ? units : '', unit)
  return Number.isNaN(amount) ? measureText(measure) : roundAmount(amount)
}

function measureText(measure: Group): string | undefined {
  return typeof measure['measurement'] === 'number' ? `${measure['measurement']} ${signOf(measure)}`.trim() : undefined
}

function signOf({ units }: Group): string {
  return typeof units === 'string' ? (unitOfCode(units)?.sign ?? units) : ''
}

function weatherOf(environment: Group): string {
  const wind = [measureText(groupIn(environment, 'windSpeed')), textIn(environment, 'windDirectionCompass')]
  const soil = measureText(groupIn(environment, 'soilTemperature'))
  const winds = wind.filter((each) => each !== undefined)
  return [
    ...(winds.length === 0 ? [] : [`wind ${winds.join(' ')}`]),
    ...(soil === undefined ? [] : [`soil ${soil}`]),
  ].join(', ')
}

/** The longest withholding period of the products, counted from the end of the work. */
function withheldUntil(each: Application): string | undefined {
  const hours = each.components.flatMap(({ product }) =>
    groupsIn(product, 'withdrawals').flatMap(({ hours: own }) => (typeof own === 'number' ? [own] : [])),
  )
  const from = Date.parse(endOf(each) ?? startOf(each) ?? '')
  const until = new Date(from + Math.max(...hours) * 3_600_000)
  return hours.length === 0 || Number.isNaN(until.getTime()) ? undefined : until.toISOString().replace('.000Z', 'Z')
}

/** A code such as CropProtection as words: "Crop protection". */
export function inWords(code: string | undefined): string | undefined {
  if (code === undefined || !/^[A-Z][A-Za-z]*$/.test(code)) return code
  const words = code.replaceAll(/([a-z])([A-Z])/g, '$1 $2')
  return words.charAt(0) + words.slice(1).toLowerCase()
}

function joined(texts: readonly (string | undefined)[]): string | undefined {
  const different = [...new Set(texts.filter((each) => each !== undefined && each !== ''))]
  return different.length === 0 ? undefined : different.join('; ')
}
