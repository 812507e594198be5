/**
 * Hides the flat profile of features: columns in the place of the record, by the same flattener that exports use. The columns are
 * settled over the whole collection, not over a page, because GDAL takes its columns from the first page it sees.
 */

import type { Values } from '../../core/row.ts'
import { flattener, type Flattener } from '../../resources/columns.ts'
import type { ResourceType } from '../../resources/resource-type.ts'
import { remember, selectionKey, type FeaturePages, type Selection } from './feature-pages.ts'
import type { FeatureRecord } from './feature-text.ts'
import { bareMembers, textWithout } from '../store/json-spans.ts'
import type { Records } from '../store/records.ts'
import { dataPointKeyOf } from './known-records.ts'
import type { Store } from '../store/store.ts'
import { inSlices } from '../http/share-thread.ts'

/** Gives the columns of one record, every column of its collection among them. */
export type Flatten = (record: FeatureRecord) => Readonly<Record<string, unknown>>

type FlatSource = { readonly store: Store; readonly records: Records; readonly pages: FeaturePages }

/** Makes the function that settles the columns of a selection's collection; they are remembered until a record changes. */
export function flatProfile(source: FlatSource): (selection: Selection) => Promise<Flatten> {
  const settled = new Map<string, { readonly sequence: number; readonly flatten: Promise<Flatten> }>()
  return ({ type, viewer, holding }) => {
    const whole = { type, viewer, holding }
    const key = selectionKey(whole)
    const sequence = source.store.lastSequence()
    const known = settled.get(key)
    if (known?.sequence === sequence) return known.flatten
    // Who asks meanwhile waits for the same look at the records.
    const flatten = settle(source, whole)
    remember(settled, key, { sequence, flatten })
    flatten.catch(() => settled.delete(key))
    return flatten
  }
}

async function settle({ pages, records }: FlatSource, whole: Selection): Promise<Flatten> {
  const columns = flattener(whole.type, { without: [...elsewhere] })
  const turn = inSlices()
  for (const number of pages.numbers(whole)) {
    const record = records.byNumber(number)
    if (record !== undefined) columns.see(bodyOf(record, whole.type))
    await turn()
  }
  return flattenBy(columns, whole.type)
}

// A member that is null says at least that there is such a column; one that is missing on the first page is lost to GDAL.
function flattenBy(columns: Flattener, type: ResourceType): Flatten {
  const names = columns.tables()[0]!.columns.map(({ name }) => name)
  return (record) => {
    const values: Values = columns.rows(bodyOf(record, type))[0]![0]!
    return Object.fromEntries(names.map((name) => [name, values[name] ?? null]))
  }
}

/** The id, the geometry and the links stand beside the columns. */
const elsewhere: ReadonlySet<string> = new Set(['id', 'self', 'links', 'spatialFeature'])

function bodyOf({ body, key, meta }: FeatureRecord, type: ResourceType): object {
  const own = textWithout(body, bareMembers(body, { start: 0, end: body.length }), elsewhere)
  const dataPointKey = dataPointKeyOf(key)
  return {
    ...(JSON.parse(`{${Buffer.from(own.buffer, own.byteOffset, own.length).toString()}}`) as object),
    resourceType: type.name,
    meta: JSON.parse(meta) as object,
    ...(dataPointKey === undefined ? {} : { dataPointKey }),
  }
}
