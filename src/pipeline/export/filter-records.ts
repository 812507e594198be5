/** Filters records by farm, day, paddock, operation, product, operator and status, because the service cannot, and reports what there is instead. */

import type { TypeOf } from '../../core/object-schema.ts'
import { nearest } from '../../core/values/nearest.ts'
import { listed } from '../../core/values/plural.ts'
import { plainName } from '../../core/values/same-name.ts'
import { zoneClock } from '../../resources/date-time.ts'
import { datedBy, inWords } from '../../resources/diary.ts'
import { identifierText, type Identifier } from '../../resources/resource-type.ts'
import { sourceIdsOf, type FoundHolding, type KnownPlots } from './find-holding.ts'

const text = { type: 'string' } as const
const texts = { type: 'array', items: text } as const

/**
 * What an export may be narrowed to, as its report has it. `from`, `until` and `modifiedSince` are days in the export's zone, all
 * included. `deletedToo` works only for lists that can show deleted records; `box` (west, south, east, north) only for features.
 */
export const exportFilters = {
  holding: text,
  /** Names or ids of paddocks. */
  plots: texts,
  operations: texts,
  /** Names, types, manufacturers or registrations of products. */
  products: texts,
  /** Who did the work, or one of its operations: a person or a contractor. */
  operators: texts,
  statuses: texts,
  from: text,
  until: text,
  modifiedSince: text,
  deletedToo: { type: 'boolean' },
  box: { type: 'array', items: { type: 'number' }, minItems: 4, maxItems: 4 },
} as const

type Filters = { readonly [Name in keyof typeof exportFilters]: Readonly<TypeOf<(typeof exportFilters)[Name]>> }
/** The filters of one export. */
export type RecordFilter = { readonly [Name in keyof Filters]?: Filters[Name] | undefined } & {
  readonly box?: readonly [number, number, number, number] | undefined
}

/** What was asked for that no record has, and what the records have instead. */
export type Missed = { readonly asked: string; readonly instead: string }

type Body = Readonly<Record<string, unknown>>

/**
 * One of the filters. `left` are the `wanted` words that no record had so far; `wordsOf` shows the words that the record has: months, or
 * words of which the most frequent come first.
 */
type Step = {
  readonly asked: string
  readonly title: string
  readonly wanted: readonly string[]
  readonly left: ReadonlySet<string>
  readonly passes: (body: Body) => boolean
  readonly wordsOf: (body: Body) => readonly string[]
  readonly isOfMonths?: true
}

type Context = {
  readonly zone: string
  readonly holding: FoundHolding | undefined
  readonly plots?: KnownPlots
}

/** Makes the filter of an export. The records of one kind of list may not name their holding; `plots` are those that the words mean. */
export function makeFilter(only: RecordFilter, context: Context) {
  const steps = stepsOf(only, context)
  const met = steps.map(() => new Map<string, { readonly word: string; count: number }>())
  const passed = steps.map(() => 0)
  let came = 0
  const note = (body: Body, at: number): void => {
    for (const word of new Set(steps[at]!.wordsOf(body))) {
      const plain = plainName(word)
      const known = met[at]!.get(plain)
      if (known === undefined) met[at]!.set(plain, { word, count: 1 })
      else known.count += 1
    }
  }
  return {
    /** True for a record to write. */
    passes: (body: Body): boolean => {
      came += 1
      return steps.every(({ passes, wanted }, at) => {
        const isPassed = passes(body)
        if (isPassed) passed[at]! += 1
        if (!isPassed || wanted.length > 0) note(body, at)
        return isPassed
      })
    },
    /** How many records failed because the day that was asked for is not known. */
    undated: (): number =>
      steps.reduce(
        (sum, { isOfMonths }, at) => sum + ((isOfMonths && met[at]!.get(plainName(withoutDate))?.count) ?? 0),
        0,
      ),
    /** How many records failed because they name no farm. */
    farmless: (): number =>
      met[steps.findIndex(({ title }) => title === farmsTitle)]?.get(plainName(withoutFarm))?.count ?? 0,
    /**
     * Asked once all records came: the first filter that none passed, or that has a word that none of the records before it has;
     * undefined if there is none, or none came.
     */
    missed: (): Missed | undefined => {
      const at = steps.findIndex(({ left }, index) => passed[index] === 0 || left.size > 0)
      const step = steps[at]
      if (step === undefined || came === 0) return undefined
      const words = [...met[at]!.values()].sort((one, other) =>
        step.isOfMonths === true ? (one.word < other.word ? 1 : -1) : other.count - one.count,
      )
      const known = words.map(({ word }) => word)
      const missing = passed[at] === 0 ? step.wanted : [...step.left]
      const near = missing.map((each) => nearest(each, known)).find((each) => each !== undefined)
      const inPeriod =
        at > steps.findIndex(({ title }) => title === daysTitle) && isDated(only) ? ' in this period' : ''
      const counted = words.map(({ word, count }) => `${word} (${count})`)
      const meant = near === undefined ? '' : ` Did you mean ${near}?`
      const apart = missing.some((each) => each.includes(',')) ? ' Give several words one by one, not with commas.' : ''
      return {
        asked: [step.asked, missing.map((each) => `"${each}"`).join(' or ')].join(' ').trim(),
        instead: `${step.title}${inPeriod}: ${listed(counted, 12) || 'none'}.${meant}${apart}`,
      }
    },
  }
}

const daysTitle = 'Months with records'
const withoutDate = 'without a date'
const farmsTitle = 'Farms'
const withoutFarm = 'without a farm'

function isDated({ from, until }: RecordFilter): boolean {
  return from !== undefined || until !== undefined
}

function stepsOf(only: RecordFilter, { zone, holding, plots }: Context): readonly Step[] {
  const steps: Step[] = []
  const clock = zoneClock(zone)
  const addWords = (
    name: string,
    wanted: readonly string[] = [],
    how: Pick<Step, 'title' | 'wordsOf'> & { readonly shown?: Step['wordsOf']; readonly also?: KnownPlots | undefined },
  ): void => {
    if (wanted.length === 0) return
    const { title, wordsOf, shown = wordsOf, also = new Map() } = how
    const words = new Map(wanted.map((each) => [plainName(each), each]))
    const left = new Set([...words.values()].filter((each) => !also.has(each)))
    for (const [word, ids] of also) for (const id of ids) words.set(plainName(id), word)
    const passes = (body: Body): boolean => {
      const found = wordsOf(body).flatMap((each) => words.get(plainName(each)) ?? [])
      for (const each of found) left.delete(each)
      return found.length > 0
    }
    steps.push({ asked: name, title, wanted, left, passes, wordsOf: shown })
  }
  const addDays = (
    { asked, title }: Pick<Step, 'asked' | 'title'>,
    momentOf: (body: Body) => unknown,
    from = '',
    until = '9999-12-31',
  ): void => {
    const day = (body: Body): string | undefined => dayIn(momentOf(body), clock)
    steps.push({
      asked: `${asked} (${zone})`,
      title,
      wanted: [],
      left: new Set(),
      passes: (body) => isWithin(day(body), from, until),
      wordsOf: (body) => [day(body)?.slice(0, 7) ?? withoutDate],
      isOfMonths: true,
    })
  }
  if (holding !== undefined)
    steps.push({
      asked: `farm "${only.holding ?? holding.name}"`,
      title: farmsTitle,
      wanted: [],
      left: new Set(),
      passes: (body) => isOfHolding(body, holding),
      wordsOf: (body) => {
        const farms = farmsOf(body).flatMap((each) => namesOf(each).slice(0, 1))
        return farms.length === 0 ? [withoutFarm] : farms
      },
    })
  const { from, until, modifiedSince } = only
  const between = `${from === undefined ? '' : ` from ${from}`}${until === undefined ? '' : ` until ${until}`}`
  if (isDated(only)) addDays({ asked: `days${between}`, title: daysTitle }, datedBy, from, until)
  if (modifiedSince !== undefined)
    addDays({ asked: `modified since ${modifiedSince}`, title: 'Months of the last change' }, modifiedOf, modifiedSince)
  addWords('paddock', only.plots, {
    title: 'Paddocks',
    also: plots,
    wordsOf: (body) => plotsOf(body).flatMap(namesOf),
    shown: (body) => plotsOf(body).flatMap((each) => namesOf(each).slice(0, 1)),
  })
  // A diary has the codes in words.
  const withWords = (codes: readonly string[]): readonly string[] =>
    codes.flatMap((code) => [code, inWords(code) ?? code])
  addWords('operation', only.operations, {
    title: 'Operations',
    wordsOf: (body) => withWords(operationsOf(body)),
    shown: operationsOf,
  })
  addWords('product', only.products, {
    title: 'Products',
    wordsOf: (body) => productsOf(body).flatMap(productWords),
    shown: (body) => productsOf(body).flatMap((each) => productWords(each).slice(0, 1)),
  })
  addWords('operator', only.operators, {
    title: 'Operators',
    wordsOf: (body) => [body, ...logged(body)].flatMap((each) => textsOf(each['responsible'])),
  })
  const statusOf = (body: Body): readonly string[] => textsOf(body['status'])
  addWords('status', only.statuses, {
    title: 'Statuses',
    wordsOf: (body) => withWords(statusOf(body)),
    shown: statusOf,
  })
  return steps
}

function isWithin(day: string | undefined, from: string, until: string): boolean {
  return day !== undefined && day >= from && day <= until
}

function dayIn(moment: unknown, clock: ReturnType<typeof zoneClock>): string | undefined {
  // A day without a time, or a time without its zone, is that day everywhere.
  if (typeof moment === 'string' && /^\d{4}-\d\d-\d\d(?:T[\d:.]+)?$/.test(moment)) return moment.slice(0, 10)
  const instant = typeof moment === 'string' ? Date.parse(moment) : Number.NaN
  return Number.isNaN(instant) ? undefined : clock(new Date(instant).toISOString())?.slice(0, 10)
}

function modifiedOf(body: Body): unknown {
  return (body['meta'] as Body | undefined)?.['modified']
}

/** The farms that a record refers to: its own, and those of its operations. */
function farmsOf(body: Body): readonly Body[] {
  return [body, ...logged(body)]
    .flatMap((each) => objectsIn([each['holding']]))
    .filter((each) => namesOf(each).length > 0)
}

function isOfHolding(body: Body, holding: FoundHolding): boolean {
  const farms = farmsOf(body)
  // Plots and land covers are read per holding and do not name it; a work record must.
  if (farms.length === 0) return !('operation' in body)
  return farms.some(({ name, identifier }) => {
    const { scheme, id } = (identifier ?? {}) as Partial<Identifier>
    if (id === undefined) return textsOf(name).some((each) => plainName(each) === plainName(holding.name))
    return id === holding.id || holding.identifiers.some((each) => each.scheme === scheme && each.id === id)
  })
}

/** The paddocks that a record is about: those it and its operations refer to, else the record itself. */
function plotsOf(body: Body): readonly unknown[] {
  const referred = [body, ...logged(body)].flatMap((each) => [each['feature'], each['plot']])
  const known = referred.filter((each) => each !== undefined && each !== null)
  return known.length > 0 || 'operation' in body ? known : [body]
}

/** Name, ids and identifiers of a record or of a reference to one, the name first. */
function namesOf(value: unknown): readonly string[] {
  if (typeof value !== 'object' || value === null) return []
  const { name, id, identifier, identifiers } = value as Body
  const listed = [identifier, identifiers, sourceIdsOf(value as Body)].flat() as (Partial<Identifier> | undefined)[]
  const ids = listed.flatMap((each) => (each?.id === undefined ? [] : [each.id, identifierText(each)]))
  return [...textsOf(name), ...ids, ...textsOf(id)]
}

/** A record matches by its own operation and by those it logged. */
function operationsOf(body: Body): readonly string[] {
  return [body, ...logged(body)].flatMap((each) => textsOf(each['operation']))
}

function logged(body: Body): readonly Body[] {
  return objectsIn(body['loggedOperations'])
}

function productsOf(body: Body): readonly Body[] {
  return logged(body)
    .flatMap((each) => objectsIn(each['products']))
    .flatMap((each) => objectsIn(each['components']))
    .flatMap((each) => objectsIn([each['product']]))
}

function productWords({ name, type, manufacturer, registrations }: Body): readonly string[] {
  const registered = objectsIn(registrations).flatMap((each) => [...textsOf(each['id']), identifierText(each)])
  return [name, type].flatMap(textsOf).concat(registered, textsOf(manufacturer))
}

function objectsIn(value: unknown): readonly Body[] {
  return Array.isArray(value) ? value.filter((each): each is Body => typeof each === 'object' && each !== null) : []
}

function textsOf(value: unknown): readonly string[] {
  return typeof value === 'string' && value !== '' ? [value] : []
}
