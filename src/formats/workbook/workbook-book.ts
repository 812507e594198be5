/** Reads workbooks in a separate process: the library trusts the file, and a damaged one can make it run for ever or use all memory, which a thread cannot contain. */

import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { WindrowError } from '../../core/error.ts'
import type { Answer, BookLimits, Question } from './library.ts'

/** Sound files need up to 0.2 s and 40 MB of heap per unpacked MB; the limits are several times that. */
function limitsFor(unpackedBytes: number): BookLimits {
  const megabytes = Math.ceil(unpackedBytes / 2 ** 20)
  const heapMB = Math.min(4096, 96 + 56 * megabytes)
  return { seconds: 3 + megabytes, heapMB, memoryMB: heapMB + 112 + 4 * megabytes }
}

/** Reads a whole workbook in a separate process. Throws a WindrowError if it cannot be read, exceeds the limits, or has a password. */
export async function readBook(name: string, bytes: Uint8Array, unpackedBytes: number) {
  const answer = await answerOf(name, { bytes, limits: limitsFor(unpackedBytes) })
  if (!('fault' in answer)) return answer
  if (/password|encrypt/i.test(answer.fault)) throw passwordError(name)
  throw new WindrowError('file-damaged', `"${name}" cannot be read as a workbook; it is damaged or cut off.`, {
    hint: 'Open it in Excel or LibreOffice and save it again.',
    cause: answer.fault,
  })
}

export function passwordError(name: string): WindrowError {
  return new WindrowError('file-unreadable', `"${name}" is protected by a password.`, {
    hint: /\.ods$/i.test(name)
      ? 'Open it in LibreOffice and save it with another name, without a password.'
      : 'Open it in Excel, take the password off (File, Info, Protect Workbook), and save it.',
  })
}

async function answerOf(name: string, question: Question): Promise<Answer> {
  const child = startReader(question.limits.heapMB)
  const ended = new AbortController()
  const { signal } = ended
  const message = (): Promise<unknown> =>
    Promise.race([
      once(child, 'message', { signal }).then(([found]) => found as unknown),
      once(child, 'exit', { signal }).then(() => undefined),
    ])
  try {
    if ((await message()) === undefined)
      throw new WindrowError('part-missing', 'The part of windrow that reads workbooks does not start.', {
        hint: 'Install windrow again. If that does not help, save the sheet as CSV (UTF-8) and read that.',
      })
    const begun = performance.now()
    child.send(question)
    const answer = (await message()) as Answer | undefined
    if (answer === undefined) throw costly(name, question.limits, performance.now() - begun)
    return answer
  } finally {
    ended.abort()
    child.kill('SIGKILL')
  }
}

// It has the same extension as this file: .ts in the repository, .js in the package.
const library = new URL(`./library${import.meta.url.slice(import.meta.url.lastIndexOf('.'))}`, import.meta.url)

function startReader(heapMB: number): ChildProcess {
  return fork(library, {
    // The options of this process may not suit another one.
    execArgv: [`--max-old-space-size=${heapMB}`, '--max-semi-space-size=8'],
    serialization: 'advanced',
    // The library prints warnings about number formats and records to standard error.
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  })
}

function costly(name: string, { seconds, memoryMB }: BookLimits, tookMs: number): WindrowError {
  const what = tookMs >= seconds * 1000 ? `longer than ${seconds} seconds` : `more than ${memoryMB} MB of memory`
  return new WindrowError('file-too-large', `"${name}" takes ${what} to read, far beyond what its size explains.`, {
    hint: 'It may be damaged, or its sheets filled down to the last row. Open it in Excel or LibreOffice, save the sheet as CSV (UTF-8) and read that.',
  })
}
