/** Starts a process that runs one command or program after another: starting one for each takes longer than most of them. */

import { fork, type ChildProcess } from 'node:child_process'
import { join } from 'node:path'
import type { Outcome, Task } from './command-runner.ts'
import { root } from './imports.ts'

export type SharedProcess = {
  readonly child: ChildProcess
  /** Runs windrow with these words, or a program. Throws when the process ends. */
  run(task: Task): Promise<Outcome>
}

export function startSharedProcess(surroundings: {
  readonly cwd: string
  readonly env: NodeJS.ProcessEnv
}): SharedProcess {
  const execArgv = ['--disable-warning=ExperimentalWarning']
  const child = fork(join(root, 'test/command-runner.ts'), { ...surroundings, execArgv })
  return {
    child,
    run: (task) =>
      new Promise((resolve, reject) => {
        child.once('message', (message) => {
          child.removeAllListeners('exit')
          resolve(message as Outcome)
        })
        child.once('exit', (code, signal) => reject(new Error(`The process ended with ${signal ?? code}.`)))
        child.send(task)
      }),
  }
}
