/** Hides where the farm of a pipeline lies, as far as the ledger knows: by what was published of it before. */

import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Near } from '../geometry/near.ts'
import { openLedger } from '../ledger/ledger.ts'
import { publishedTypes } from '../resources/index.ts'
import { dataPointKey } from '../resources/keys.ts'
import type { ImportPipeline } from './definition.ts'

const enough = 50

/** The middle of what is known of the pipeline's holding; nothing where the pipeline names none, or nothing is known of it. */
export function placeOfHolding(
  { mapping }: Pick<ImportPipeline, 'mapping'>,
  { state, account }: { readonly state: string; readonly account: string | undefined },
): Near | undefined {
  const { scheme, id } = mapping.holding
  const file = join(state, 'ledger.db')
  if (!isConstant(scheme) || !isConstant(id) || !existsSync(file)) return undefined
  const ledger = openLedger(file, account ?? 'no connection')
  try {
    const places = publishedTypes
      .flatMap((type) => {
        const prefix = dataPointKey({ type, holding: { scheme, id }, sourceId: '' })
        return ledger.startingWith(prefix, enough).map(placeOf)
      })
      .filter((place) => place !== undefined)
    if (places.length === 0) return undefined
    const middle = (numbers: readonly number[]): number =>
      numbers.toSorted((one, other) => one - other)[numbers.length >> 1]!
    const [lon, lat] = [middle(places.map((place) => place[0])), middle(places.map((place) => place[1]))]
    return { lon, lat, name: `the records of holding ${id}` }
  } finally {
    ledger.close()
  }
}

type Place = readonly [lon: number, lat: number]

function isConstant(value: unknown): value is string {
  return typeof value === 'string' && value !== '' && !/[<>]/.test(value)
}

/** The first position of a body's geometry. */
function placeOf(body: string): Place | undefined {
  const { geometry } = JSON.parse(body) as { readonly geometry?: { readonly coordinates?: unknown } | null }
  let inner = geometry?.coordinates
  while (Array.isArray(inner) && Array.isArray(inner[0])) inner = inner[0]
  if (!Array.isArray(inner)) return undefined
  const [lon, lat] = inner as readonly unknown[]
  return typeof lon === 'number' && typeof lat === 'number' ? [lon, lat] : undefined
}
