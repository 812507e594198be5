/** A process that helps the run whose plan and state folder are named. */

import { setTimeout as wait } from 'node:timers/promises'
import { helpRun } from '../../src/pipeline/help-run.ts'

const [plan, state] = process.argv.slice(2)
await helpRun(plan!, { place: { state: state! }, clock: () => new Date(), sleep: (ms) => wait(ms) })
