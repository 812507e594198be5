import { Worker } from 'node:worker_threads'
import { expect, test } from 'vitest'
import { hasCome } from '../../src/core/postgres.ts'

// The thread that has answered may call only after the next question has been asked.
test('a call that comes too late is not taken for the answer', async () => {
  const flag = new Int32Array(new SharedArrayBuffer(4))
  const thread = new Worker(
    `const { workerData: flag } = require('node:worker_threads')
     setTimeout(() => Atomics.notify(flag, 0), 50)
     setTimeout(() => { Atomics.store(flag, 0, 1); Atomics.notify(flag, 0) }, 100)`,
    { eval: true, workerData: flag },
  )
  expect(hasCome(flag, 10_000)).toBe(true)
  expect(flag[0]).toBe(1)
  await thread.terminate()
})

test('an answer that does not come is waited for so long, and no longer', () => {
  const began = performance.now()
  expect(hasCome(new Int32Array(new SharedArrayBuffer(4)), 20)).toBe(false)
  expect(performance.now() - began).toBeGreaterThan(19)
})
