/** Decides about records that are in the files of several pipelines, and reports those that change hands. */

import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { problem, type Severity } from '../../core/problem.ts'
import type { Ledger } from '../../ledger/ledger.ts'
import { idInKey } from '../../resources/keys.ts'
import { wholeFile } from '../stage/stage-store.ts'
import type { Judging } from './judging.ts'

/** Finds another pipeline whose last file has a record; undefined if there is none, or its pipeline file is gone. */
export function otherHolder({ job, ledger, state }: Judging): (key: string) => string | undefined {
  const seen = new Map<string, boolean>()
  return (key) =>
    ledger.shared.pipelinesOf(key).find((each) => {
      if (!seen.has(each)) seen.set(each, isInUse(ledger, each, state))
      return each !== job.name && seen.get(each)
    })
}

/** False for a one-off import, and for a pipeline that was renamed or removed: their file nobody reads again. */
export function isInUse(ledger: Ledger, pipeline: string, state: string): boolean {
  const file = ledger.shared.fileOf(pipeline)
  return file !== null && existsSync(resolve(state, file))
}

const namedFew = 5

/** The ids of the first few, and how many more there are. */
export function namesOf(keys: readonly string[]): string {
  const few = keys.slice(0, namedFew).map((key) => `"${idInKey(key)}"`)
  return `${few.join(', ')}${keys.length > few.length ? ` and ${keys.length - few.length} more` : ''}`
}

/** Reports records that left this file but are still in the last file of another pipeline, by that pipeline. */
export function reportKept({ stage, source }: Judging, kept: ReadonlyMap<string, readonly string[]>): void {
  for (const [other, keys] of kept) {
    const [records, are] = keys.length === 1 ? ['record is', 'it is'] : ['records are', 'they are']
    const message = `${keys.length} ${records} no longer in this file: ${namesOf(keys)}. The last file of "${other}" still has ${keys.length === 1 ? 'it' : 'them'}, so ${are} not deleted and now "${other}" decides.`
    stage.addProblem(problem('in-other-file', wholeFile(source), { message }))
  }
}

/** Reports records that another pipeline published last and that were not in this pipeline's last file. */
export function reportChangedHands({ job: { name }, stage, ledger, source, state }: Judging): void {
  const before = new Set(ledger.shared.keysOf(name))
  const taken = stage
    .query<{ key: string; owner: string }>(
      'SELECT key, before AS owner FROM owners WHERE before IS NOT NULL AND after = ? ORDER BY key',
      name,
    )
    .filter(({ key }) => !before.has(key))
  for (const [owner, its] of Map.groupBy(taken, (each) => each.owner)) {
    const severity: Severity = isInUse(ledger, owner, state) ? 'warning' : 'note'
    const records = its.length === 1 ? '1 record of this file was' : `${its.length} records of this file were`
    const message = `${records} last published by "${owner}": ${namesOf(its.map(({ key }) => key))}. From now on "${name}" publishes ${its.length === 1 ? 'it' : 'them'}, too.`
    const hint =
      severity === 'note'
        ? 'Nothing has to be done if this pipeline replaces the earlier one.'
        : 'Two pipelines for the same records overwrite each other unless they fill different fields. If both are meant, nothing has to be done.'
    stage.addProblem(problem('changed-hands', wholeFile(source), { message, hint, severity }))
  }
}
