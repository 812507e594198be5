/**
 * Hides the contests over all that happens to a boundary and its row: read, projected, wound, checked, mended, measured, mapped, held
 * against the schema and written, 100,000 times, beside the tools that people do a part of it with.
 */

import type { Bench } from './contest.ts'
import { installWindrow } from './installed.ts'
import { besideRival, geopandasMakeValid, lineOf, ogrAreas, ogrMakeValid } from './paddock-line.ts'

const goalMB = 200

export const bench: Bench = {
  rounds: 5,
  prepare(folder) {
    const line = lineOf(folder, 100_000, installWindrow(folder))
    return Promise.resolve([
      besideRival(line, ogrMakeValid, { goal: 4, goalMB }),
      besideRival(line, ogrAreas, { goal: 5, goalMB }),
      besideRival(line, geopandasMakeValid, { goal: 6, goalMB, rounds: 3 }),
    ])
  },
}
