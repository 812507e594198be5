/** Stages one range of a table in a folder of its own, and adds what was staged there to the stage of the run. */

import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { RangeUnclear, type Range } from '../../core/row.ts'
import { whenFree } from '../../core/sources/when-free.ts'
import { joinReadings, keepReadings, type KeptReadings } from '../../mapping/readings.ts'
import type { Identifier } from '../../resources/resource-type.ts'
import { addCounts } from '../evidence/changed-values.ts'
import { addStatedAreas } from '../evidence/stated-area.ts'
import { startBoundaryStore } from './boundary-store.ts'
import type { Pictured } from './farm-outlines.ts'
import { startEvidence, type Evidence, type ImportJob, type KeptSameRows, type StageContext } from './import-job.ts'
import { addTotals, startTotals } from './row-totals.ts'
import { openStage } from './stage-store.ts'
import { stageRows, type Staged } from './stage.ts'

/** What was counted in a part. `pictured` is missing in parts that the report does not show. */
type PartResult = Staged &
  Readonly<Omit<Evidence, 'readings'>> & {
    readonly readings: KeptReadings
    readonly pictured: readonly Pictured[] | undefined
    readonly sameRows: KeptSameRows | undefined
  }

/** A part that was staged; `unclear` if its rows can only be understood together with the others. */
type PartFile = PartResult | 'unclear'

export type PartContext = Pick<
  StageContext,
  'ledger' | 'now' | 'signal' | 'matching' | 'sameRows' | 'isPreview' | 'onRows'
>

/** True if the part in a folder was staged to its end. */
export function isStaged(folder: string): boolean {
  return existsSync(join(folder, 'part.json'))
}

/** Stages a range of the job's table. The ledger is only read. */
export async function stagePart(
  job: ImportJob,
  context: PartContext,
  { folder, range }: { readonly folder: string; readonly range: Range },
): Promise<void> {
  // A process that died may have left half of it.
  whenFree(() => rmSync(folder, { recursive: true, force: true }))
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const isShown = job.picture !== undefined && range.row < 2 * job.picture.enough
  const own: ImportJob = isShown ? job : { ...job, picture: undefined }
  job.picture?.startOver()
  const evidence = startEvidence(job)
  const sameRows = context.sameRows?.ofPart(isShown)
  const stage = openStage(folder, 'nothing')
  const boundaries = job.geometry && startBoundaryStore(folder)
  const known = job.table.found().length
  let file: PartFile
  try {
    const staged = await stageRows(own, { ...context, ...evidence, stage, boundaries, sameRows }, range)
    boundaries?.save()
    const result: PartResult = {
      ...staged,
      ...evidence,
      readings: keepReadings(evidence.readings),
      pictured: isShown ? job.picture!.keep() : undefined,
      sameRows: sameRows?.keep(),
    }
    file = job.table.found().length > known ? 'unclear' : result
  } catch (cause) {
    if (!(cause instanceof RangeUnclear)) throw cause
    file = 'unclear'
  } finally {
    boundaries?.close({ stays: true })
    stage.close()
  }
  writeWhole(join(folder, 'part.json'), JSON.stringify(file))
}

/** Writes a file that other processes see whole or not at all. */
export function writeWhole(path: string, content: string | Float64Array): void {
  writeFileSync(`${path}.next`, content, { mode: 0o600 })
  whenFree(() => renameSync(`${path}.next`, path))
}

/** Adds parts, in order, to the stage of the run, which is empty, and to what is collected beside it. */
export function startJoin(
  { picture }: ImportJob,
  { stage, boundaries, readings, letters, changedValues, statedAreas, sameRows }: StageContext,
) {
  const totals = startTotals()
  const holdings = new Map<string, Identifier>()
  const saved: { readonly folder: string; readonly lastRecord: number }[] = []
  const parts: Pick<PartResult, 'readings' | 'pictured'>[] = []
  return {
    /** False if a reader found something that only the whole table can explain; then the stage has to be filled anew. */
    add(folder: string): boolean {
      const part = JSON.parse(readFileSync(join(folder, 'part.json'), 'utf8')) as PartFile
      if (part === 'unclear') return false
      addTotals(totals, part.totals)
      // The books balance also after a crash.
      saved.push({ folder, lastRecord: stage.addPart(folder, () => stage.remember('passed', totals)) })
      for (const each of ['stage.db', 'ready.ndjson']) whenFree(() => rmSync(join(folder, each)))
      for (const each of part.holdings) holdings.set(JSON.stringify([each.scheme, each.id]), each)
      if (letters && part.letters) addCounts(letters, part.letters)
      addCounts(changedValues, part.changedValues)
      addStatedAreas(statedAreas, part.statedAreas)
      if (part.sameRows) sameRows?.add(part.sameRows)
      parts.push({ readings: part.readings, pictured: part.pictured })
      return true
    },
    /** Undefined if the parts do not add up to the whole. */
    end(): Staged | undefined {
      picture?.startOver()
      for (const { pictured } of parts) if (pictured) picture?.take(pictured)
      if (picture?.isFull() === false && parts.some(({ pictured }) => pictured === undefined)) return undefined
      for (const each of saved) boundaries?.addSaved(each.folder, each.lastRecord)
      for (const [key, tally] of joinReadings(parts.map((part) => part.readings))) readings.set(key, tally)
      return { totals, holdings: [...holdings.values()] }
    },
  }
}
