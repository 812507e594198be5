/** A process that helps the run whose task and state folder are named. */

import { setTimeout as wait } from 'node:timers/promises'
import { helpRun } from '../../src/pipeline/help-run.ts'

const [taskFile, state] = process.argv.slice(2)
await helpRun(taskFile!, { place: { state: state! }, clock: () => new Date(), sleep: (ms) => wait(ms) })
