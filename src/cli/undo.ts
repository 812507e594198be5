/** Runs `windrow undo`: shows what undoing a run would change, asks, and undoes it. */

import { exitCodes } from '../core/error.ts'
import type { ImportOptions } from '../pipeline/report/course.ts'
import { readKeptPipeline } from '../pipeline/report/run-folder.ts'
import { canUndo, changesIn, planUndo, undoRun } from '../pipeline/undo-run.ts'
import { flag, timing, usualOptions, word, type Call, type CommandSpec } from './options/command.ts'
import { isConfirmed, yesOption } from './options/asker.ts'
import { findRun } from '../pipeline/report/find-run.ts'
import { confirmWithin, confirmOption, showReport } from './running/import-report.ts'
import { commandFor, reach, runWord, statesOf, storeOf } from './options/reach.ts'
import { count, plain, say, startProgress } from './screen/terminal.ts'
import { planLines } from './screen/changes-text.ts'

export const undo: CommandSpec = {
  words: { run: `${runWord} for the newest that sent something` },
  options: {
    ...yesOption,
    '--dry-run': 'only show what would be undone',
    ...confirmOption,
    ...usualOptions,
  },
  examples: ['windrow undo last', 'windrow undo 2026-11-20-1412-onboard-paddocks --state pipelines/.windrow'],
  run: runUndo,
}

async function runUndo(call: Call): Promise<number> {
  const { clock, terminal } = call
  const found = findRun(word(call, 'run'), statesOf(call), 'that sent something', canUndo)
  const kept = readKeptPipeline(found)
  const connection = await reach(call, kept)
  const progress = startProgress(call)
  const options: ImportOptions = {
    state: found.state,
    store: storeOf(call),
    connection,
    dryRun: false,
    ...timing(call),
    confirmWithinMs: confirmWithin(call),
    onProgress: (_, done) => progress.show(`${done} records sent`),
  }
  const plan = await planUndo(found, options)
  const changes = changesIn(plan)
  const [asJson, dryRun] = [flag(call, 'json'), flag(call, 'dry-run')]
  const isDone = changes === 0 && plan.continues === undefined
  if (asJson && (dryRun || isDone)) say(terminal, JSON.stringify({ windrow: 'undo', ...plan }))
  const sayInWords = (...lines: readonly string[]): void => {
    if (!asJson) say(terminal, ...lines)
  }
  sayInWords(...planLines(plan, terminal))
  const leftAlone = plan.counts['left-alone'] > 0 ? exitCodes.doneWithRejects : exitCodes.done
  if (isDone) {
    const why = leftAlone === 0 ? 'the run is undone already.' : 'nothing of the run can be undone any more.'
    sayInWords(`Nothing to do: ${why}`)
    return leftAlone
  }
  if (dryRun) {
    sayInWords('Dry run, nothing sent.')
    return exitCodes.done
  }
  // An undo of which only the end is missing was confirmed before.
  const asked = {
    what: 'Undo',
    question: `Undo these ${count(changes)} changes?`,
    hint: 'Add --yes to undo without asking, or --dry-run to look only.',
  }
  if (changes > 0 && !(await isConfirmed(asked, call))) {
    say(terminal, 'Nothing was changed.')
    return exitCodes.done
  }
  const began = clock().getTime()
  const report = await undoRun(found, options).finally(() => progress[Symbol.dispose]())
  const seconds = (clock().getTime() - began) / 1000
  showReport(report, { call, state: found.state, seconds })
  const again = report.error === undefined ? report.run : found.id
  const what = report.error === undefined ? 'To take the undo back' : 'To continue the undo'
  sayInWords(plain(`${what}: ${commandFor('undo', { run: again, state: found.state }, call)}`))
  return report.exit
}
