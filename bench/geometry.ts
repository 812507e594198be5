/**
 * Hides the contests over all that happens to a boundary and its row: read, projected, wound, checked, mended, measured, mapped, held
 * against the schema and written, 100,000 times, beside the tools that people do a part of it with.
 */

import type { Bench } from './contest.ts'
import { installWindrow } from './installed.ts'
import { recordsBeside, geopandasMakeValid, lineOf, ogrAreas, ogrAreasInMetres, ogrMakeValid } from './paddock-line.ts'

const goalMB = 200

export const bench: Bench = {
  rounds: 5,
  async prepare(folder) {
    const line = lineOf(folder, 100_000, await installWindrow(folder))
    return [
      recordsBeside(line, ogrMakeValid, { goal: 4, goalMB }),
      recordsBeside(line, ogrAreas, { goal: 5, goalMB }),
      recordsBeside(line, ogrAreasInMetres, { goal: 4, goalMB }),
      recordsBeside(line, geopandasMakeValid, { goal: 6, goalMB, rounds: 3 }),
    ]
  },
}
