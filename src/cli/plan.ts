/** Runs `windrow plan`: a dry run of a file or a pipeline that shows each difference, and can be applied afterwards. */

import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { WindrowError } from '../core/error.ts'
import { withoutSecrets } from '../core/sources/web-address.ts'
import { readPipeline } from '../pipeline/definition/definition.ts'
import { changesDocument, changesOf, countChanges, type Change, type ChangeKind } from '../pipeline/report/changes.ts'
import type { Report } from '../pipeline/report/report.ts'
import { openAsPlan } from '../pipeline/apply-run.ts'
import { changeLines, shownChanges } from './screen/changes-text.ts'
import { flag, word, type Call, type CommandSpec, type Input } from './options/command.ts'
import { reportOf } from '../pipeline/report/run-folder.ts'
import { allRuns, type FoundRun } from '../pipeline/report/find-run.ts'
import { commandFor, statesOf } from './options/reach.ts'
import { knownFormats } from './options/format-module.ts'
import { settingsFor } from './options/settings.ts'
import type { Shown } from './running/import-report.ts'
import { importFile, importOneFile } from './import.ts'
import { reportLines } from './screen/report-text.ts'
import { run, runPipeline, takeOverOption } from './run.ts'
import { plain, say } from './screen/terminal.ts'

const notForPlans = ['dry-run', 'confirm-within']

export const plan: CommandSpec = {
  words: { file: 'the file, folder, zip or web address, a pipeline file (.yaml), or a run that a rule stopped' },
  options: {
    ...Object.fromEntries(Object.entries(importFile.options).filter(([flags]) => !notForPlans.includes(nameOf(flags)))),
    ...takeOverOption,
  },
  examples: [
    'windrow plan "Rimu paddocks FINAL v3.zip" --holding nz.example.farm-number:00412876',
    'windrow plan pipelines/nightly-paddocks.yaml',
    'windrow plan pipelines/nightly-paddocks.yaml --json > changes.json',
  ],
  async run(call) {
    const dry: Call = { ...call, options: { ...call.options, 'dry-run': true } }
    const file = word(call, 'file')
    const isPipeline = /\.ya?ml$/i.test(file)
    const runs = existsSync(resolve(call.folder, file)) ? [] : allRuns(statesOf(call))
    const kept = runs.find((run) => run.id === file && (run.isStopped || run.isDryRun))
    if (kept !== undefined) return showKept(kept, call)
    refuseOthers(call, isPipeline)
    if (!isPipeline) return importOneFile(dry, showPlan)
    const formats = await knownFormats(call)
    const pipeline = await readPipeline(resolve(call.folder, file), formats, settingsFor(call, 'import'))
    if (pipeline.kind === 'export')
      throw new WindrowError('option-invalid', `"${file}" is an export: it changes nothing in the service.`)
    return runPipeline(pipeline, dry, { show: showPlan })
  },
}

function showKept(run: FoundRun, call: Call): number {
  const report = reportOf(run)
  if (report === undefined) throw new WindrowError('plan-unusable', `The run "${run.id}" has no report.`)
  showPlan(report, { call, state: run.state, seconds: undefined })
  return report.exit
}

function nameOf(flags: string): string {
  return /--([a-z-]+)/.exec(flags)![1]!
}

/** An option without effect would make a plan that nobody asked for. */
function refuseOthers({ options }: Input, isPipeline: boolean): void {
  const known = Object.keys((isPipeline ? run : importFile).options).map(nameOf)
  const other = Object.keys(options).find((name) => options[name] !== undefined && !known.includes(name))
  if (other === undefined) return
  const [here, there] = isPipeline ? ['a pipeline', 'files'] : ['a file', 'pipelines']
  const hint = isPipeline ? { hint: 'Write it in the pipeline: docs/pipelines.md lists its parts.' } : {}
  throw new WindrowError('option-invalid', `--${other} is for ${there}, not for ${here}.`, hint)
}

function showPlan(report: Report, shown: Shown): void {
  const { call, state, seconds } = shown
  const { terminal, folder } = call
  using stage = openAsPlan(report.run, state)
  if (flag(call, 'json')) {
    for (const piece of changesDocument(report, stage)) terminal.out.write(piece)
    return
  }
  const firstOf = (kind: ChangeKind): readonly Change[] => changesOf(stage, kind).take(shownChanges).toArray()
  const changes = changeLines(countChanges(stage), firstOf, terminal)
  say(terminal, ...reportLines(report, terminal, { seconds, folder, changes }))
  const hint = report.error?.hint
  if (hint !== undefined) say(terminal, plain(hint))
  const way =
    refusalOf(report, call) ?? `To send exactly this: ${commandFor('apply', { run: report.run, state }, call)}`
  // The hint of a plan that a rule stopped has said it.
  if (hint === undefined || report.apply === undefined) say(terminal, plain(way))
}

function refusalOf({ error, target, apply }: Report, input: Input): string | undefined {
  const file = word(input, 'file')
  const why = [
    error !== undefined && apply === undefined && 'it was stopped.',
    target.service === undefined && 'no service is connected.',
    withoutSecrets(file) !== file && 'windrow keeps no secrets of web addresses. Download the file and plan that.',
    file === '-' && 'standard input cannot be read again. Save it as a file and plan that.',
  ].find((each) => each !== false)
  if (why !== undefined) return `This plan cannot be applied: ${why}`
  return apply === undefined ? 'There is nothing to send.' : undefined
}
