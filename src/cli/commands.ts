/** The list of commands, in the order help shows them. */

import { check } from './check.ts'
import type { Command } from './command.ts'
import { connect } from './connect.ts'
import { exportRecords } from './export.ts'
import { importFile } from './import.ts'
import { init } from './init.ts'
import { inspect } from './inspect.ts'
import { run } from './run.ts'
import { runs } from './runs.ts'
import { schedule } from './schedule.ts'
import { serveCommand } from './serve.ts'

export const commands: readonly Command[] = [
  inspect,
  init,
  importFile,
  exportRecords,
  run,
  check,
  runs,
  schedule,
  serveCommand,
  connect,
]
