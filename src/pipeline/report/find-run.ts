/** Finds the past run that a person names. */

import { WindrowError } from '../../core/error.ts'
import { localTime } from '../../core/values/local-time.ts'
import { findDeletedRun, whatIsKept } from './prune-runs.ts'
import { readRuns, type KeptRun } from './run-folder.ts'

/** A past run and the state folder that keeps it. */
export type FoundRun = KeptRun & { readonly state: string }

/** The past runs that these state folders keep. */
export function allRuns(states: readonly string[]): readonly FoundRun[] {
  return states.flatMap((state) => readRuns(state).runs.map((run) => ({ ...run, state })))
}

/** The run of this name, or the only one whose name begins so; "last" is the newest of those that `isWanted` accepts, `which` in words. */
export function findRun(
  wanted: string,
  states: readonly string[],
  which: string,
  isWanted: (run: KeptRun) => boolean,
): FoundRun {
  const all = allRuns(states)
  if (wanted === 'last') {
    // Within a folder imports are in order, whatever the clock showed. Exports have no number and come before them.
    const newestOf = (state: string, isNumbered: boolean): FoundRun | undefined =>
      all.findLast((run) => run.state === state && (run.number !== undefined) === isNumbered && isWanted(run))
    const [newest] = states
      .flatMap((state) => [newestOf(state, true), newestOf(state, false)])
      .filter((run) => run !== undefined)
      .sort((one, other) => (sentAt(one) > sentAt(other) ? -1 : 1))
    if (newest !== undefined) return newest
  }
  const beginning = all.filter(({ id }) => id.startsWith(wanted))
  const found = all.find(({ id }) => id === wanted) ?? (beginning.length === 1 ? beginning[0] : undefined)
  if (found !== undefined) return found
  if (beginning.length === 0) refuseDeleted(wanted, states)
  const few = beginning.slice(0, 5).map(({ id }) => id)
  throw new WindrowError(
    'run-unknown',
    wanted === 'last'
      ? `There is no run ${which} in ${states.join(' or ')} yet.`
      : few.length > 0
        ? `Several runs begin with "${wanted}": ${few.join(', ')}${beginning.length > few.length ? ' ...' : ''}.`
        : `There is no run "${wanted}" in ${states.join(' or ')}.`,
    { hint: 'windrow runs lists them. Runs of a pipeline are in .windrow beside it: add --state FOLDER/.windrow.' },
  )
}

/** Throws if windrow deleted the run of this name. */
export function refuseDeleted(wanted: string, states: readonly string[]): void {
  const [deleted] = states.flatMap((state) => findDeletedRun(state, wanted) ?? [])
  if (deleted === undefined) return
  const sentence = `The run "${deleted.id}" was deleted on ${localTime(deleted.at)}: windrow keeps ${whatIsKept}.`
  throw new WindrowError('run-unknown', sentence, { hint: 'windrow runs lists those that are left.' })
}

function sentAt({ started, applied }: KeptRun): string {
  return applied ?? started
}
