/** Hides that reading may never end: the reading process is watched, stopped when it says nothing more, and started again. */

import { fork, type ChildProcess } from 'node:child_process'
import type { Told, Work } from './serve.ts'

/** What one input may cost. `silentMs` is wall time, generous because machines are busy; `cpuMs` is what counts. */
export type Limits = {
  readonly silentMs: number
  readonly cpuMs: number
  readonly grownMB: number
  readonly heapMB: number
}

export const usualLimits: Limits = { silentMs: 20_000, cpuMs: 2000, grownMB: 240, heapMB: 400 }

/** A reading process that never leaves its owner waiting. */
export type Watched = {
  /** Calls `tell` once for each input of the work, in order. */
  run(work: Work, tell: (told: Told) => void): Promise<void>
  close(): void
}

/** Starts no process before there is work. `entry` is a module that calls `serve`. */
export function watchedReader(entry: URL, limits: Limits = usualLimits): Watched {
  let child: ChildProcess | undefined
  let isReady = false
  const start = (): ChildProcess => {
    isReady = false
    return fork(entry, {
      serialization: 'advanced',
      execArgv: [`--max-old-space-size=${limits.heapMB}`, '--no-warnings'],
      silent: true,
    })
  }

  /** Gives the number of inputs that were answered; the next one, if any is left, ended the process. */
  const answered = (
    work: Work,
    count: number,
    tell: (told: Told) => void,
  ): Promise<{ answers: number; end?: string }> =>
    new Promise((resolve) => {
      const reader = (child ??= start())
      let answers = 0
      let timer: NodeJS.Timeout | undefined
      const settle = (end?: string): void => {
        clearTimeout(timer)
        reader.removeAllListeners('message')
        reader.removeAllListeners('exit')
        resolve(end === undefined ? { answers } : { answers, end })
      }
      const wait = (): void => {
        clearTimeout(timer)
        timer = setTimeout(() => {
          settle('hang: nothing came back in time')
          reader.kill('SIGKILL')
          child = undefined
        }, limits.silentMs)
      }
      reader.on('message', (message) => {
        if (message === 'ready') {
          isReady = true
          wait()
          return
        }
        tell(overLimit(message as Told, limits))
        answers += 1
        if (answers === count) settle()
        else wait()
      })
      reader.on('exit', (code, signal) => {
        child = undefined
        settle(`crash: the process ended (${signal ?? `exit ${code}`}), most likely out of memory`)
      })
      // How long a process takes to start depends on what else the machine does.
      if (isReady) wait()
      reader.send(work)
    })

  return {
    async run(work, tell) {
      if ('bytes' in work) {
        const { end } = await answered(work, 1, tell)
        if (end !== undefined) tell(lost(0, end))
        return
      }
      for (let from = work.from; from < work.until;) {
        const { answers, end } = await answered({ ...work, from }, work.until - from, tell)
        from += answers
        if (end === undefined) continue
        tell(lost(from, end))
        from += 1
      }
    },
    close() {
      child?.disconnect()
      child = undefined
    },
  }
}

function lost(number: number, fault: string): Told {
  return { number, fault, cpuMs: 0, grownMB: 0, rows: 0 }
}

function overLimit(told: Told, { cpuMs, grownMB }: Limits): Told {
  if (told.fault !== undefined) return told
  // A reader that gives up of itself may have tried for a while.
  const patience = told.refused === 'file-too-large' ? 3 * cpuMs : cpuMs
  if (told.cpuMs > patience) return { ...told, fault: `slow: more than ${cpuMs} ms` }
  if (told.grownMB > grownMB) return { ...told, fault: `memory: more than ${grownMB} MB for one input` }
  return told
}
