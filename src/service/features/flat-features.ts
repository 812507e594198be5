/**
 * Writes the flat profile of features: columns instead of the record, as in exports. The columns come from the whole collection,
 * not from one page, because GDAL takes its columns from the first page.
 */

import type { Values } from '../../core/row.ts'
import { flattener } from '../../resources/columns.ts'
import type { ResourceType } from '../../resources/resource-type.ts'
import type { Flattener } from '../../resources/table-plan.ts'
import { keptUntilChange, selectionKey, type FeaturePages, type Selection } from './feature-pages.ts'
import type { FeatureRecord } from './feature-text.ts'
import { bareMembers, textWithout } from '../store/json-spans.ts'
import { dataPointKeyOf } from './known-records.ts'
import type { Store } from '../store/store.ts'
import { inSlices } from '../http/share-thread.ts'

/** Gives the values of one record for every column of its collection. */
export type Flatten = (record: FeatureRecord) => Readonly<Record<string, unknown>>

type FlatSource = { readonly store: Store; readonly pages: FeaturePages }

/** Makes the function that finds the columns of a collection; they are kept until a record changes. */
export function flatProfile(source: FlatSource): (selection: Selection) => Promise<Flatten> {
  const settled = keptUntilChange<Promise<Flatten>>(source.store)
  return ({ type, viewer, holding }) => {
    const whole = { type, viewer, holding }
    // Requests that come meanwhile share this reading of the records.
    return settled(selectionKey(whole), () => settle(source, whole))
  }
}

const atOnce = 20

async function settle({ pages }: FlatSource, whole: Selection): Promise<Flatten> {
  const columns = flattener(whole.type, { without: [...elsewhere] })
  const turn = inSlices()
  const numbers = pages.numbers(whole)
  for (let from = 0; from < numbers.length; from += atOnce) {
    // Read to the end first: others use the store during a pause.
    const some = [...pages.records(numbers.slice(from, from + atOnce))]
    for (const record of some) {
      columns.see(bodyOf(record, whole.type))
      await turn()
    }
  }
  return flattenBy(columns, whole.type)
}

// GDAL loses a column that is missing on the first page, so an empty one is written as null.
function flattenBy(columns: Flattener, type: ResourceType): Flatten {
  const names = columns.tables()[0]!.columns.map(({ name }) => name)
  return (record) => {
    const values: Values = columns.rows(bodyOf(record, type))[0]![0]!
    return Object.fromEntries(names.map((name) => [name, values[name] ?? null]))
  }
}

/** The id, the geometry and the links of a feature are outside its properties. */
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
