/**
 * Remembers of each confirmed record a digest of the row that it came from, so that the same row needs no work in the next run.
 * Triggers forget the digest as soon as the record changes.
 */

import { inTransaction, type Database } from '../core/database.ts'

/** 96 bits of a hash of a row and of everything that decides what becomes of it, in two whole numbers. */
export type RowDigest = { readonly high: number; readonly low: number }

/** The square metres of a boundary, and its box in degrees. */
export type Land = readonly [areaM2: number, west: number, south: number, east: number, north: number]

/**
 * A record as it was sent, and the row that it came from. `land` is a Land as JSON, null without a boundary; `findings` is a text of
 * what was found about the row, null if it was nothing.
 */
export type SourceRow = RowDigest & {
  readonly key: string
  readonly hash: string
  readonly land: string | null
  readonly findings: string | null
}

/** The records of a pipeline in a list, in the order of their numbers. */
export type KnownRows = ReturnType<ReturnType<typeof sourceRows>['of']>

/** The rows of an account's records. */
export function sourceRows(database: Database, account: string) {
  const remember = database.prepare(
    `INSERT INTO source_rows (record, high, low, land, findings) SELECT id, CAST(? AS BIGINT), CAST(? AS BIGINT), ?, ? FROM records
     WHERE account = ? AND key = ? AND hash = ? AND pipeline = ? AND state = 'confirmed' AND in_doubt = 0
     ON CONFLICT (record) DO UPDATE SET high = excluded.high, low = excluded.low, land = excluded.land,
       findings = excluded.findings`,
  )
  const count = database.prepare('SELECT count(*) AS n FROM records WHERE account = ? AND pipeline = ?')
  const isPostgres = database.dialect === 'postgres'
  // SQLite would not choose the index by itself.
  const byPipeline = isPostgres ? '' : 'INDEXED BY records_by_pipeline'
  // One list of a column is read faster than the rows.
  const list = (column: string, which = ''): string =>
    isPostgres ? `CAST(json_agg(${column}) ${which} AS TEXT)` : `json_group_array(${column}) ${which}`
  const page = database.prepare(
    `SELECT ${list('id')} AS ids, ${list('coalesce(high, -1)')} AS highs, ${list('coalesce(low, -1)')} AS lows,
       CASE WHEN count(land) > 0 THEN '[' || string_agg(coalesce(land, 'null'), ',') || ']' END AS lands,
       ${list('id', 'FILTER (WHERE findings IS NOT NULL)')} AS faulty FROM
     (SELECT id, high, low, land, findings FROM records ${byPipeline} LEFT JOIN source_rows ON record = id
      WHERE account = ? AND pipeline = ? AND id > ? ORDER BY id LIMIT ${perPage}) AS page`,
  )
  const findingsOf = database.prepare('SELECT findings FROM source_rows WHERE record = ?')
  const keysOf = database.prepare(
    'SELECT key FROM source_rows JOIN records ON id = record WHERE account = ? AND pipeline = ?',
  )
  return {
    /** Remembers the rows of this pipeline's records that are confirmed with this content. */
    remember: (pipeline: string, rows: readonly SourceRow[]): void =>
      inTransaction(database, () => {
        for (const { high, low, land, findings, key, hash } of rows)
          remember.run(high, low, land, findings, account, key, hash, pipeline)
      }),
    of(pipeline: string) {
      const { n } = count.get(account, pipeline) as { n: number }
      const [ids, highs, lows] = [new Float64Array(n), new Float64Array(n), new Float64Array(n)]
      let lands: Float64Array | undefined
      const faulty = new Set<number>()
      for (let filled = 0; filled < n;) {
        const found = page.get(account, pipeline, ids[filled - 1] ?? 0) as Page
        const next = listIn<number>(found.ids)
        if (next.length === 0) break
        ids.set(next, filled)
        highs.set(listIn(found.highs), filled)
        lows.set(listIn(found.lows), filled)
        for (const [index, land] of listIn<Land | null>(found.lands).entries()) {
          lands ??= new Float64Array(n * landNumbers).fill(NaN)
          if (land !== null) lands.set(land, (filled + index) * landNumbers)
        }
        for (const id of listIn<number>(found.faulty)) faulty.add(id)
        filled += next.length
      }
      return {
        ids,
        /** The place in the list of the record that came from this row. */
        placeOf: placesBy(highs, lows),
        landAt: (place: number) => lands && landIn(lands, place),
        findingsAt: (place: number) =>
          faulty.has(ids[place]!) ? (findingsOf.get(ids[place]!)!['findings'] as string) : undefined,
      }
    },
    /** The keys of a pipeline's records that are still as their rows made them. */
    keysOf: (pipeline: string): ReadonlySet<string> =>
      new Set(keysOf.all(account, pipeline).map(({ key }) => String(key))),
  }
}

type Page = Record<'ids' | 'highs' | 'lows' | 'lands' | 'faulty', string | null>

function listIn<Item>(text: string | null): readonly Item[] {
  return text === null ? [] : (JSON.parse(text) as readonly Item[])
}

const perPage = 2_000
const landNumbers = 5

function landIn(lands: Float64Array, place: number): Land | undefined {
  const at = place * landNumbers
  if (Number.isNaN(lands[at])) return undefined
  return [lands[at]!, lands[at + 1]!, lands[at + 2]!, lands[at + 3]!, lands[at + 4]!]
}

/** A table of digests, each found where its high part leads, or a few places further on. */
function placesBy(highs: Float64Array, lows: Float64Array): (digest: RowDigest) => number | undefined {
  const size = 2 ** Math.ceil(Math.log2(2 * highs.length + 1))
  const slots = new Int32Array(size).fill(-1)
  const slotOf = (high: number, low: number): number => {
    for (let slot = high & (size - 1); ; slot = (slot + 1) & (size - 1)) {
      const place = slots[slot]!
      if (place < 0 || (highs[place] === high && lows[place] === low)) return slot
    }
  }
  for (let place = 0; place < highs.length; place += 1)
    if (highs[place]! >= 0) slots[slotOf(highs[place]!, lows[place]!)] = place
  let last = -1
  return ({ high, low }) => {
    // Most rows follow each other as they did before.
    last += 1
    if (highs[last] === high && lows[last] === low) return last
    const place = slots[slotOf(high, low)]!
    if (place < 0) return undefined
    last = place
    return place
  }
}
