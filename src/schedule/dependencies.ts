/** Checks which pipelines wait for which others: all are there, and none waits for itself. */

import { WindrowError } from '../core/error.ts'
import type { Pipeline } from '../pipeline/definition/definition.ts'

export type Waiting = Pick<Pipeline, 'name' | 'after'>

/** Why a pipeline cannot wait for others as it says; undefined if it can. */
export function faultOfOrder(pipeline: Waiting, all: readonly Waiting[]): WindrowError | undefined {
  const { name, after = [] } = pipeline
  const missing = after.find((other) => !all.some((each) => each.name === other))
  if (missing !== undefined)
    return new WindrowError(
      'pipeline-invalid',
      `"${name}" waits for "${missing}" (after), but no pipeline of this name with a schedule can be used in this folder.`,
      { hint: 'Write the name of its file without .yaml, and give it a schedule.' },
    )
  const circle = wayBack(pipeline, all)
  if (circle === undefined) return undefined
  const [first, ...others] = circle.map((each) => `"${each}"`)
  return new WindrowError(
    'pipeline-invalid',
    `These pipelines wait for each other (after), so none could ever run: ${first} waits for ${others.join(', which waits for ')}.`,
    { hint: 'Remove one of these "after" lines.' },
  )
}

/** The names from a pipeline through those that it waits for back to itself. */
function wayBack({ name, after = [] }: Waiting, all: readonly Waiting[]): readonly string[] | undefined {
  const seen = new Set<string>()
  const ways = after.map((next) => [name, next])
  for (let way = ways.pop(); way !== undefined; way = ways.pop()) {
    const last = way.at(-1)!
    if (last === name) return way
    if (seen.has(last)) continue
    seen.add(last)
    const next = all.find((each) => each.name === last)?.after ?? []
    ways.push(...next.map((each) => [...way!, each]))
  }
  return undefined
}
