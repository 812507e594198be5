/**
 * The contests about all work on a boundary and its row: read, projected, wound, checked, repaired, measured, mapped, validated
 * and written, 100,000 times, beside tools that people use for a part of it.
 */

import type { Bench } from './contest.ts'
import { installWindrow } from './installed.ts'
import { recordsBeside, geopandasMakeValid, lineOf, ogrAreas, ogrAreasInMetres, ogrMakeValid } from './paddock-line.ts'

const goalMB = 200

export const bench: Bench = {
  rounds: 5,
  async prepare(folder) {
    const line = await lineOf(folder, 100_000, await installWindrow(folder))
    return [
      recordsBeside(line, ogrMakeValid, { goal: 3.5, goalMB }),
      recordsBeside(line, ogrAreas, { goal: 4, goalMB }),
      recordsBeside(line, ogrAreasInMetres, { goal: 3, goalMB }),
      recordsBeside(line, geopandasMakeValid, { goal: 6, goalMB, rounds: 3 }),
    ]
  },
}
