/** Runs in a process of its own: helps the run that started it, until that ends. */

import { setTimeout as sleep } from 'node:timers/promises'
import { keepMemorySmall } from '../../core/memory.ts'
import { helpRun } from '../../pipeline/help-run.ts'
import type { Asked } from './processes.ts'

keepMemorySmall()

let last = Promise.resolve()

process.on('message', ({ taskFile, place }: Asked) => {
  const help = async (): Promise<void> => {
    await helpRun(taskFile, { place, clock: () => new Date(), sleep: (ms) => sleep(ms) })
  }
  // The run does by itself what nobody helps it with, and reports what is wrong.
  last = last.then(help).catch((cause: unknown) => {
    process.stderr.write(`windrow: a process that helps failed: ${(cause as Error).message}\n`)
  })
})

process.on('disconnect', () => process.exit())
