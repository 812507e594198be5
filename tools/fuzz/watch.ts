/** Watches the reading process: stops it when it is silent too long, and starts it again. */

import { fork, type ChildProcess } from 'node:child_process'
import type { InputReport, Work } from './serve.ts'

/** The limits of one input. `silentMs` is wall time, generous for busy machines; `cpuMs` is the real limit. */
export type Limits = {
  readonly silentMs: number
  readonly cpuMs: number
  readonly grownMB: number
  readonly heapMB: number
}

const usualLimits: Limits = { silentMs: 20_000, cpuMs: 2000, grownMB: 240, heapMB: 400 }

/** A reading process that always answers. */
export type Watched = {
  /** Calls `onReport` once for each input of the work, in order. */
  run(work: Work, onReport: (report: InputReport) => void): Promise<void>
  close(): void
}

/** Starts the process with the first work. `entry` is a module that calls `serve`. */
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

  /** Returns the number of answered inputs; the next one, if any is left, ended the process. */
  const answered = (
    work: Work,
    count: number,
    onReport: (report: InputReport) => void,
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
          settle('hang: no answer in time')
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
        onReport(overLimit(message as InputReport, limits))
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
    async run(work, onReport) {
      if ('bytes' in work) {
        const { end } = await answered(work, 1, onReport)
        if (end !== undefined) onReport(lost(0, end))
        return
      }
      for (let from = work.from; from < work.until;) {
        const { answers, end } = await answered({ ...work, from }, work.until - from, onReport)
        from += answers
        if (end === undefined) continue
        onReport(lost(from, end))
        from += 1
      }
    },
    close() {
      child?.disconnect()
      child = undefined
    },
  }
}

function lost(number: number, fault: string): InputReport {
  return { number, fault, cpuMs: 0, grownMB: 0, rows: 0 }
}

function overLimit(report: InputReport, { cpuMs, grownMB }: Limits): InputReport {
  if (report.fault !== undefined) return report
  // A reader that ends by itself may have used time before.
  const patience = report.refused === 'file-too-large' ? 3 * cpuMs : cpuMs
  if (report.cpuMs > patience) return { ...report, fault: `slow: more than ${cpuMs} ms` }
  if (report.grownMB > grownMB) return { ...report, fault: `memory: more than ${grownMB} MB for one input` }
  return report
}
