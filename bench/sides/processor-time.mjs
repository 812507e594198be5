/**
 * Runs a Node program and writes the processor time that all of its threads took into the file that WINDROW_TIMES_FILE names.
 *
 *   node processor-time.mjs PROGRAM [WORDS...]
 */

import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { isMainThread } from 'node:worker_threads'

// Done, a file that cannot be used, done with rows rejected, and stopped by a guard: each is an answer.
const answers = [0, 2, 3, 6]

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [program, ...words] = process.argv.slice(2)
  const { status, stderr } = spawnSync(process.execPath, ['--import', import.meta.url, program, ...words], {
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  if (!answers.includes(status)) process.stderr.write(stderr)
  process.exitCode = answers.includes(status) ? 0 : 1
} else if (isMainThread)
  process.on('exit', () => {
    const { user, system } = process.cpuUsage()
    const seconds = (user + system) / 1e6
    writeFileSync(process.env.WINDROW_TIMES_FILE, JSON.stringify({ seconds, wholeSeconds: seconds }))
  })
