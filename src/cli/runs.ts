/** Runs `windrow runs`: lists past runs, when they ran and how they ended. */

import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { listRuns } from '../pipeline/report/run-folder.ts'
import { flag, jsonOption, stateOption, type CommandSpec } from './command.ts'
import { stateOf, userState } from './reach.ts'
import { plain, say } from './terminal.ts'

export const runs: CommandSpec = {
  words: [],
  options: [stateOption, jsonOption],
  examples: ['windrow runs', 'windrow runs --state pipelines/.windrow'],
  run(input, surroundings) {
    const beside = join(surroundings.folder, '.windrow')
    const state =
      input.options['state'] === undefined && !existsSync(beside)
        ? userState(surroundings)
        : stateOf(input, surroundings, surroundings.folder)
    const { runs: listed, unreadable } = listRuns(state)
    const reports = listed.map(({ report }) => report)
    const { terminal } = surroundings
    for (const { id, reason } of unreadable)
      terminal.err.write(`${plain(`The report of run ${id} cannot be read: ${reason}`)}\n`)
    if (flag(input, 'json')) {
      say(terminal, JSON.stringify(reports))
      return Promise.resolve(0)
    }
    if (reports.length === 0)
      say(
        terminal,
        `No past runs in ${state}.`,
        'Runs of a pipeline are in .windrow beside it: windrow runs --state FOLDER/.windrow',
      )
    for (const { run, started, outcome, exit, rows, records, error } of reports)
      say(
        terminal,
        plain(
          `${run.padEnd(34)} ${started.slice(0, 16).replace('T', ' ')}  ${(outcome === 'dry-run' ? 'dry run' : outcome).padEnd(11)} exit ${exit}   ${rows.read} read, ${records.created} created, ${records.updated} updated, ${rows.unchanged} unchanged, ${rows.rejected + records.refused} rejected`,
        ),
        ...(error === undefined ? [] : [plain(`    ${error.message.split('\n', 1)[0]}`)]),
      )
    return Promise.resolve(0)
  },
}
