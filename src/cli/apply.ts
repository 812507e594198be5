/** Runs `windrow apply`: sends what a plan staged. */

import { WindrowError } from '../core/error.ts'
import { webOf } from '../core/sources/open-source.ts'
import { machineZone } from '../mapping/zones.ts'
import { applyPlan, isApplied, openPlanned, readPlan } from '../pipeline/apply-run.ts'
import { readRuns, reportOf } from '../pipeline/report/run-folder.ts'
import { flag, timing, usualOptions, word, type Call, type CommandSpec } from './options/command.ts'
import { allRuns, refuseDeleted, type FoundRun } from './running/find-run.ts'
import { formatModuleOption, knownFormats } from './options/format-module.ts'
import { reportOptions, openImport, runAndReport } from './running/import-report.ts'
import { reach, statesOf, storeOf } from './options/reach.ts'
import { inform, localTime, plain, say } from './screen/terminal.ts'

export const apply: CommandSpec = {
  words: { run: 'the plan as windrow plan names it, or "last" for the newest plan; a dry run only by its name' },
  options: {
    ...reportOptions,
    ...formatModuleOption,
    ...usualOptions,
  },
  examples: ['windrow apply last', 'windrow apply 2026-11-20-1412-nightly-paddocks --state pipelines/.windrow'],
  async run(call) {
    const found = findPlan(call)
    const place = { state: found.state, store: storeOf(call) }
    if (isApplied(found, readRuns(found.state).runs)) return showApplied(found, call)
    const plan = readPlan(found)
    const planned = `${localTime(found.started)} (${machineZone()})`
    inform(call.terminal, `Applying "${found.id}", planned at ${planned}.`)
    const formats = await knownFormats(call)
    const { pipeline, source, close } = await openPlanned(plan, formats, {
      ...timing(call),
      ...webOf(call, found.state),
    })
    await using closers = new AsyncDisposableStack()
    closers.defer(close)
    const connection = await reach(call, pipeline)
    await using prepared = await openImport(pipeline, { place, connection }, { formats, source }, call)
    const options = { ...place, connection, takeOver: plan.takeOver }
    return await runAndReport(prepared, { ...options, begin: (...run) => applyPlan(plan, ...run) }, call)
  },
}

function findPlan(call: Call): FoundRun {
  const wanted = word(call, 'run')
  const states = statesOf(call)
  const all = allRuns(states)
  const found = wanted === 'last' ? newestPlan(all, states) : all.find(({ id }) => id === wanted)
  if (found !== undefined) return found
  refuseDeleted(wanted, states)
  throw new WindrowError(
    'run-unknown',
    wanted === 'last' ? withoutPlan(all) : `There is no plan "${wanted}" in ${states.join(' or ')}.`,
    {
      hint: 'Plans of a pipeline are in .windrow beside it: add --state FOLDER/.windrow. windrow plan prints the command.',
    },
  )
}

/** Within a folder plans are in the order in which they were made, whatever the clock showed. */
function newestPlan(all: readonly FoundRun[], states: readonly string[]): FoundRun | undefined {
  const isPlan = (run: FoundRun): boolean => run.isPlan || run.applied !== undefined
  const newestIn = (state: string): FoundRun | undefined =>
    all
      .filter((run) => run.state === state && isPlan(run))
      .sort((one, other) => (one.planned ?? 0) - (other.planned ?? 0))
      .at(-1)
  return states
    .map(newestIn)
    .filter((run) => run !== undefined)
    .sort((one, other) => (one.started < other.started ? -1 : 1))
    .at(-1)
}

/** A dry run shows only numbers: sending the last one unseen would surprise. */
function withoutPlan(all: readonly FoundRun[]): string {
  const dry = all.findLast((each) => each.isDryRun && canApply(each))
  return dry === undefined
    ? 'There is no plan yet.'
    : `There is no plan yet, only dry runs. To send the last one:  windrow apply ${dry.id}`
}

function canApply(run: FoundRun): boolean {
  try {
    readPlan(run)
    return true
  } catch (cause) {
    if (cause instanceof WindrowError) return false
    throw cause
  }
}

function showApplied(found: FoundRun, call: Call): void {
  const report = reportOf(found)
  if (flag(call, 'json') && report !== undefined) say(call.terminal, JSON.stringify(report))
  else
    say(
      call.terminal,
      plain(
        `The plan "${found.id}" was applied at ${localTime(found.applied!)} (${machineZone()}). Nothing was sent again.`,
      ),
    )
}
