/** Runs windrow as a process: arguments, environment, signals and console. */

import { setTimeout as wait } from 'node:timers/promises'
import { exitCodes, WindrowError } from '../core/error.ts'
import { storageFailure } from '../core/storage-failure.ts'
import { keepMemorySmall } from '../core/memory.ts'
import { version } from '../core/version.ts'
import type { Surroundings } from './options/command.ts'
import { commandsFor } from './commands.ts'
import { runProgram } from './program.ts'
import { painter, plain, type Terminal } from './screen/terminal.ts'

/** SIGBREAK is Ctrl-Break, SIGHUP a window that is closed: elsewhere that signal is left to nohup. */
const signals: readonly NodeJS.Signals[] = [
  'SIGINT',
  'SIGTERM',
  'SIGBREAK',
  ...(process.platform === 'win32' ? (['SIGHUP'] as const) : []),
]

/** Runs windrow with the words after its name. Returns the exit status. */
export async function main(argv: readonly string[]): Promise<number> {
  keepMemorySmall()
  const stop = new AbortController()
  let signalled: NodeJS.Signals | undefined
  const onSignal = (signal: NodeJS.Signals): void => {
    // A second signal stops at once: the run's folder is safe at any point.
    if (signalled !== undefined) process.exit(exitOfSignal(signal))
    signalled = signal
    stop.abort(new WindrowError('interrupted', 'Stopped by Ctrl-C or by the system.'))
  }
  for (const signal of signals) process.on(signal, onSignal)
  try {
    const surroundings = processSurroundings(stop.signal)
    const commands = await commandsFor(argv)
    const exit = await runProgram(argv, commands, surroundings, version())
    const [called] = commands
    const isProperEnd = commands.length === 1 && 'runsUntilStopped' in called! && called.runsUntilStopped === true
    return signalled === undefined || isProperEnd ? exit : exitOfSignal(signalled)
  } catch (cause) {
    if (signalled !== undefined) return exitOfSignal(signalled)
    return printFailure(partMissing(cause) ?? storageFailure(cause) ?? cause, argv.includes('--json'))
  } finally {
    for (const signal of signals) process.off(signal, onSignal)
  }
}

/**
 * The reader of the output may have closed it, as head does, or its disk may be full: the command continues to its end, unless what it
 * writes there is all that it makes.
 */
function watchOutput(): NonNullable<Terminal['arrived']> {
  let lost: NodeJS.ErrnoException | undefined
  // A log on a full disk must not end a night, or a schedule with all nights to come.
  process.stderr.on('error', () => undefined)
  process.stdout.on('error', (cause: NodeJS.ErrnoException) => {
    const failure = cause.code === 'EPIPE' ? undefined : storageFailure(cause)
    if (failure === undefined && cause.code !== 'EPIPE') throw cause
    if (failure !== undefined && lost === undefined)
      process.stderr.write(`windrow: The output could not be written. ${failure.message}\n`)
    lost ??= cause
  })
  return async () => {
    if (lost === undefined) await new Promise((resolve) => process.stdout.write('', resolve))
    if (lost === undefined) return true
    if (lost.code === 'EPIPE') return false
    const { code } = storageFailure(lost)!
    throw new WindrowError(code, 'Standard output has only a part of the records.', {
      hint: 'Free some space on its disk, and run the same command again.',
      cause: lost,
    })
  }
}

function processSurroundings(signal: AbortSignal): Surroundings {
  return {
    terminal: { ...terminal, arrived: watchOutput() },
    stdin: process.stdin,
    env: process.env,
    platform: process.platform,
    folder: currentFolder(),
    clock: () => new Date(),
    sleep: (ms, until) => wait(ms, undefined, until === undefined ? {} : { signal: until }),
    fetch: globalThis.fetch,
    random: Math.random,
    signal,
  }
}

const terminal = { out: process.stdout, err: process.stderr }

function currentFolder(): string {
  try {
    return process.cwd()
  } catch (cause) {
    throw new WindrowError('file-missing', 'The folder in which windrow was started is gone, or its drive is.', {
      hint: 'Go to another folder, then run the same command again.',
      cause,
    })
  }
}

function exitOfSignal(signal: NodeJS.Signals): number {
  return signal === 'SIGTERM' ? exitCodes.terminated : exitCodes.interrupted
}

/** Parts are loaded when needed, in a schedule hours after the start; an update may have removed them. */
function partMissing(cause: unknown): WindrowError | undefined {
  if (!(cause instanceof Error && 'code' in cause)) return undefined
  if (cause.code !== 'ERR_MODULE_NOT_FOUND' && cause.code !== 'MODULE_NOT_FOUND') return undefined
  const [what = ''] = cause.message.split('\n')
  return new WindrowError('part-missing', `A part of windrow is missing. ${what}`, {
    hint: 'windrow was updated or removed while it ran, or was not installed completely. Install it again and restart what was running.',
    cause,
  })
}

/** Prints an expected failure as a sentence and a hint. An unexpected one is a bug and keeps its stack. */
function printFailure(cause: unknown, asJson: boolean): number {
  if (!(cause instanceof WindrowError)) {
    const stack = cause instanceof Error ? (cause.stack ?? cause.message) : String(cause)
    if (asJson)
      terminal.out.write(`${JSON.stringify({ error: { code: 'bug', message: stack }, exit: exitCodes.bug })}\n`)
    terminal.err.write(`windrow itself failed. Please report this:\n${plainLines(stack)}\n`)
    return exitCodes.bug
  }
  const { code, message, hint, exit, data } = cause
  if (asJson) terminal.out.write(`${JSON.stringify({ error: { code, message, hint, data }, exit })}\n`)
  const paint = painter({ out: terminal.err, err: terminal.err })
  terminal.err.write(`${paint('red', 'windrow:')} ${plainLines(message)}\n`)
  if (hint !== undefined) terminal.err.write(`${plainLines(hint)}\n`)
  return exit
}

function plainLines(text: string): string {
  return text.split('\n').map(plain).join('\n')
}
