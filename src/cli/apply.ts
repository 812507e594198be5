/** Runs `windrow apply`: sends what a plan staged. */

import { localTime } from '../core/values/local-time.ts'
import { machineZone } from '../mapping/zones.ts'
import { findPlan, isApplied, openApply } from '../pipeline/apply-run.ts'
import type { FoundRun } from '../pipeline/report/find-run.ts'
import { readRuns, reportOf } from '../pipeline/report/run-folder.ts'
import { flag, usualOptions, word, type Call, type CommandSpec } from './options/command.ts'
import { formatModuleOption } from './options/format-module.ts'
import { statesOf } from './options/reach.ts'
import { aroundJob, reportOptions, runAndReport } from './running/import-report.ts'
import { inform, plain, say } from './screen/terminal.ts'

export const apply: CommandSpec = {
  words: { run: 'the plan as windrow plan names it, or "last" for the newest plan; a dry run only by its name' },
  options: {
    ...reportOptions,
    ...formatModuleOption,
    ...usualOptions,
  },
  examples: ['windrow apply last', 'windrow apply 2026-11-20-1412-nightly-paddocks --state pipelines/.windrow'],
  async run(call) {
    const found = findPlan(word(call, 'run'), statesOf(call))
    if (isApplied(found, readRuns(found.state).runs)) return showApplied(found, call)
    await using job = await openApply(found, await aroundJob(call))
    inform(call.terminal, `Applying "${found.id}", planned at ${localTime(found.started)} (${machineZone()}).`)
    return await runAndReport(job.prepared, { ...job.options, begin: job.begin }, call)
  },
}

function showApplied(found: FoundRun, call: Call): void {
  const report = reportOf(found)
  const when = `${localTime(found.applied!)} (${machineZone()})`
  if (flag(call, 'json') && report !== undefined) say(call.terminal, JSON.stringify(report))
  else say(call.terminal, plain(`The plan "${found.id}" was applied at ${when}. Nothing was sent again.`))
}
