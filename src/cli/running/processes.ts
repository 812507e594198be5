/** Starts processes on this machine that help a run with a large file. */

import { fork, type ChildProcess } from 'node:child_process'
import type { StatePlace } from '../../ledger/ledger.ts'
import type { Sharing } from '../../pipeline/report/course.ts'
import { wholeNumber, type Input, type Specs } from '../options/command.ts'

export const partSizeOption: Specs = {
  '--part-size <MB>': 'how large the parts are in which several processes read a file (default: 16)',
}

export function partBytesOf(input: Input): number {
  return (wholeNumber(input, 'part-size', { from: 1, to: 4096 }) ?? 16) * 1_000_000
}

/** What a process is asked to help with: the task of a run in its file; its ledger is in this place. */
export type Asked = { readonly taskFile: string; readonly place: StatePlace }

// The file of the process has the same ending as this one: .ts in the repository, .js in the package.
const program = new URL(`./share-process${import.meta.url.slice(import.meta.url.lastIndexOf('.'))}`, import.meta.url)

/** Starts so many processes when there is something to share. */
export function startProcesses(
  count: number,
  { place, partBytes }: { readonly place: StatePlace; readonly partBytes: number },
): Sharing & Disposable {
  let started: readonly ChildProcess[] | undefined
  return {
    partBytes,
    ask(taskFile) {
      started ??= Array.from({ length: count }, () =>
        fork(program, { execArgv: ['--disable-warning=ExperimentalWarning'] }),
      )
      const asked: Asked = { taskFile, place }
      // One that has died cannot be asked; the run does its work.
      for (const each of started) if (each.connected) each.send(asked, () => undefined)
    },
    [Symbol.dispose]() {
      for (const each of started ?? []) if (each.connected) each.disconnect()
    },
  }
}
