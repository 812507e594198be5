/** Reads many records with one question, so that a batch of rows needs two journeys to a distant database and not two for each. */

import type { manyStatements } from './ledger-statements.ts'

/** A record to look for: by its key, else by the source id. */
export type Wanted = { readonly key: string; readonly source?: { readonly scheme: string; readonly id: string } }

type Found = { readonly key: string; readonly sourceId: string | null }

/** Remembers, until it forgets, what was read together, and also what was not there. Without statements it reads nothing. */
export function startForeseeing<Known extends Found>(
  account: string,
  all: ReturnType<typeof manyStatements> | undefined,
  recordOf: (row: Record<string, unknown>) => Known,
) {
  const byKey = new Map<string, Known | undefined>()
  const bySource = new Map<string, Known | undefined>()
  const nameOf = (source: readonly string[]): string => JSON.stringify(source)
  return {
    /** What was read together, else what is asked for now. */
    find: <Part>(key: string, ask: () => Part): Known | undefined | Part => (byKey.has(key) ? byKey.get(key) : ask()),
    findBySource(source: readonly string[], ask: () => Known | undefined): Known | undefined {
      const name = nameOf(source)
      return bySource.has(name) ? bySource.get(name) : ask()
    },
    load(dataset: string, list: () => readonly Wanted[]): void {
      if (all === undefined) return
      const wanted = list()
      for (const { key } of wanted) byKey.set(key, undefined)
      for (const row of all.byKey.all(account, JSON.stringify([...byKey.keys()]))) {
        const record = recordOf(row)
        byKey.set(record.key, record)
      }
      const left = wanted.flatMap(({ key, source }) => (source && !byKey.get(key) ? [source] : []))
      for (const [scheme, sources] of Map.groupBy(left, (each) => each.scheme)) {
        for (const { id } of sources) bySource.set(nameOf([dataset, scheme, id]), undefined)
        const ids = JSON.stringify(sources.map(({ id }) => id))
        for (const row of all.bySource.all(account, dataset, scheme, ids)) {
          const record = recordOf(row)
          bySource.set(nameOf([dataset, scheme, record.sourceId!]), record)
        }
      }
    },
    forget(): void {
      byKey.clear()
      bySource.clear()
    },
  }
}
