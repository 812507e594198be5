/**
 * Publishes a lot of records to PostgreSQL with few questions, because each is a journey: what the lot may meet is read at once, and
 * what it writes is written at its end, in the same order.
 */

import type { Candidate } from '../features/known-records.ts'
import type { Records, StoredRecord } from '../store/records.ts'

/** The records as the lot sees them, with what it has written so far; `write` writes that to the store. */
export type Lot = { readonly records: Records; write(): void }

/** Begins a lot of records on holdings. Nobody else may change records before it is written. */
export function beginLot(records: Records, dataset: string, candidates: readonly Candidate[]): Lot {
  const byKey = new Map<string, StoredRecord | undefined>(candidates.map(({ key }) => [key, undefined]))
  const bySource = new Map<string, StoredRecord | undefined>()
  const written: { readonly record: StoredRecord; readonly before?: StoredRecord }[] = []
  // One that is too long to be read with many others is read when it is its turn.
  for (const { record, key } of records.withKeys([...byKey.keys()]))
    if (record === undefined) byKey.delete(key)
    else byKey.set(key, record)
  const fresh = candidates.filter(({ key, source }) => source !== undefined && byKey.get(key) === undefined)
  // Those that name the same holding ask for it together.
  const beside = new Map<string, readonly string[]>()
  for (const group of Map.groupBy(fresh, ({ identifiers }) => JSON.stringify(identifiers)).values()) {
    const sources = group.map(({ source }) => source!)
    for (const source of sources) beside.set(source, sources)
  }
  const placeOf = (holding: number, source: string | null): string => `${holding} ${source}`
  const see = (record: StoredRecord, before?: StoredRecord): void => {
    if (before !== undefined) {
      byKey.set(before.key, undefined)
      bySource.set(placeOf(before.holding, before.source), undefined)
    }
    byKey.set(record.key, record)
    bySource.set(placeOf(record.holding, record.source), record)
    written.push({ record, ...(before === undefined ? {} : { before }) })
  }
  return {
    records: {
      ...records,
      byKey: (key) => (byKey.has(key) ? byKey.get(key) : records.byKey(key)),
      bySource(_, holding, source) {
        const place = placeOf(holding, source)
        if (!bySource.has(place)) {
          const asked = (beside.get(source) ?? [source]).filter((each) => !bySource.has(placeOf(holding, each)))
          for (const each of asked) bySource.set(placeOf(holding, each), undefined)
          for (const { record, source: found } of records.withSources(dataset, holding, asked))
            if (record === undefined) bySource.delete(placeOf(holding, found))
            else bySource.set(placeOf(holding, found), record)
        }
        return bySource.has(place) ? bySource.get(place) : records.bySource(dataset, holding, source)
      },
      insert: (record) => see(record),
      replace: see,
    },
    write() {
      for (let from = 0, to = 0; from < written.length; from = to) {
        const isNew = written[from]!.before === undefined
        while (to < written.length && (written[to]!.before === undefined) === isNew) to += 1
        const some = written.slice(from, to).map(({ record }) => record)
        if (isNew) records.insertAll(some)
        else records.replaceAll(some)
      }
    },
  }
}
