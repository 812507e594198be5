/** Runs `windrow apply`: sends what a plan staged. */

import { WindrowError } from '../core/error.ts'
import { machineZone } from '../mapping/zones.ts'
import { applyPlan, openPlanned, readPlan } from '../pipeline/apply-run.ts'
import { placeOfFarm } from '../pipeline/prepare/holding-place.ts'
import { prepareImport } from '../pipeline/prepare/prepare.ts'
import { readRuns, reportOf, type KeptRun } from '../pipeline/report/run-folder.ts'
import { flag, usualOptions, word, type CommandSpec, type Input, type Surroundings } from './command.ts'
import { formatModuleOption, knownFormats } from './format-module.ts'
import { heardBy, importOptions, runAndReport, type Begin } from './import-report.ts'
import { noted } from './noted.ts'
import { reach, statesOf, storeOf, webOf } from './reach.ts'
import { confirmWithin } from './run.ts'
import { localTime, plain, say } from './terminal.ts'

export const apply: CommandSpec = {
  words: [
    {
      name: 'run',
      description: 'the plan as windrow plan names it, or "last" for the newest plan; a dry run only by its name',
    },
  ],
  options: [
    ...importOptions.filter(({ flags }) => !flags.startsWith('--dry-run') && !flags.startsWith('--out')),
    formatModuleOption,
    ...usualOptions,
  ],
  examples: ['windrow apply last', 'windrow apply 2026-11-20-1412-nightly-paddocks --state pipelines/.windrow'],
  async run(input, surroundings) {
    const found = findPlan(input, surroundings)
    const place = { state: found.state, store: storeOf(input, surroundings) }
    const { clock, signal } = surroundings
    const sleep = (ms: number): Promise<void> => surroundings.sleep(ms, signal)
    if (found.applied !== undefined && found.isFinished) return showApplied(found, input, surroundings)
    const plan = readPlan(found)
    const planned = `${localTime(found.started)} (${machineZone()})`
    surroundings.terminal.err.write(`${plain(`Applying "${found.id}", planned at ${planned}.`)}\n`)
    const formats = await knownFormats(input, surroundings)
    const { pipeline, source, close } = await openPlanned(plan, formats, {
      signal,
      sleep,
      clock,
      ...webOf(surroundings, found.state),
    })
    try {
      const connection = await reach(input, surroundings, pipeline)
      const farm = placeOfFarm(pipeline, place, connection, signal)
      const prepared = await prepareImport(pipeline, { clock, signal, sleep, formats, source, ...farm })
      try {
        const options = { ...place, connection, confirmWithinMs: confirmWithin(input), takeOver: plan.takeOver }
        const begin: Begin = (...run) => applyPlan(plan, ...run)
        return await noted({ what: 'apply', pipeline }, input, surroundings, (onReport) =>
          runAndReport(prepared, { ...options, begin, show: heardBy(onReport) }, input, surroundings),
        )
      } finally {
        await prepared.close()
      }
    } finally {
      await close()
    }
  },
}

type Found = KeptRun & { readonly state: string }

function findPlan(input: Input, surroundings: Surroundings): Found {
  const wanted = word(input, 'run')
  const states = statesOf(input, surroundings)
  const all = states.flatMap((state) => readRuns(state).runs.map((run): Found => ({ ...run, state })))
  const plans = all
    .filter((each) => each.isPlan || each.applied !== undefined)
    .sort((one, other) => (one.started < other.started ? -1 : 1))
  const found = wanted === 'last' ? plans.at(-1) : all.find(({ id }) => id === wanted)
  if (found !== undefined) return found
  throw new WindrowError(
    'run-unknown',
    wanted === 'last' ? withoutPlan(all) : `There is no plan "${wanted}" in ${states.join(' or ')}.`,
    {
      hint: 'Plans of a pipeline are in .windrow beside it: add --state FOLDER/.windrow. windrow plan prints the command.',
    },
  )
}

/** A dry run shows only numbers: sending the last one unseen would surprise. */
function withoutPlan(all: readonly Found[]): string {
  const dry = all.findLast(({ isDryRun }) => isDryRun)
  return dry === undefined
    ? 'There is no plan yet.'
    : `There is no plan yet, only dry runs. To send the last one:  windrow apply ${dry.id}`
}

function showApplied(found: Found, input: Input, { terminal }: Surroundings): number {
  const report = reportOf(found)
  if (flag(input, 'json') && report !== undefined) say(terminal, JSON.stringify(report))
  else
    say(
      terminal,
      plain(
        `The plan "${found.id}" was applied at ${localTime(found.applied!)} (${machineZone()}). Nothing was sent again.`,
      ),
    )
  return 0
}
