/** Hides the process: arguments, environment, signals and console stop here. */

import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { setTimeout as wait } from 'node:timers/promises'
import { exitCodes, WindrowError } from '../core/error.ts'
import { storageFailure } from '../core/storage-failure.ts'
import { keepMemorySmall } from '../core/memory.ts'
import type { Surroundings } from './command.ts'
import { commandsFor } from './commands.ts'
import { runProgram } from './program.ts'
import { painter, plain } from './terminal.ts'

/** Runs windrow with the words after its name and answers with the exit status. */
export async function main(argv: readonly string[]): Promise<number> {
  keepMemorySmall()
  const stop = new AbortController()
  let signalled: NodeJS.Signals | undefined
  const onSignal = (signal: NodeJS.Signals): void => {
    // A second signal means now: the run's folder is safe at any point.
    if (signalled !== undefined) process.exit(exitOfSignal(signal))
    signalled = signal
    stop.abort(new WindrowError('interrupted', 'Stopped on request.'))
  }
  process.on('SIGINT', onSignal)
  process.on('SIGTERM', onSignal)
  process.stdout.on('error', passOverLostOutput)
  const surroundings = processSurroundings(stop.signal)
  try {
    const commands = await commandsFor(argv)
    const exit = await runProgram(argv, commands, surroundings, version())
    const [called] = commands
    const isProperEnd = commands.length === 1 && 'runsUntilStopped' in called! && called.runsUntilStopped === true
    return signalled === undefined || isProperEnd ? exit : exitOfSignal(signalled)
  } catch (cause) {
    if (signalled !== undefined) return exitOfSignal(signalled)
    return tellFailure(partMissing(cause) ?? storageFailure(cause) ?? cause, argv.includes('--json'), surroundings)
  } finally {
    process.off('SIGINT', onSignal)
    process.off('SIGTERM', onSignal)
  }
}

/** Whoever reads the output may have seen enough, as head does, or its disk may be full; the command continues to its end. */
function passOverLostOutput(cause: NodeJS.ErrnoException): void {
  if (cause.code === 'EPIPE') return
  const failure = storageFailure(cause)
  if (failure === undefined) throw cause
  process.stderr.write(`windrow: The output could not be written. ${failure.message}\n`)
}

function processSurroundings(signal: AbortSignal): Surroundings {
  return {
    terminal: { out: process.stdout, err: process.stderr },
    stdin: process.stdin,
    env: process.env,
    platform: process.platform,
    folder: process.cwd(),
    clock: () => new Date(),
    sleep: (ms, until) => wait(ms, undefined, until === undefined ? {} : { signal: until }),
    fetch: globalThis.fetch,
    random: Math.random,
    signal,
  }
}

function exitOfSignal(signal: NodeJS.Signals): number {
  return signal === 'SIGTERM' ? exitCodes.terminated : exitCodes.interrupted
}

/** Much is loaded when it is needed, hours after the start in a schedule; by then an update may have taken it away. */
function partMissing(cause: unknown): WindrowError | undefined {
  if (!(cause instanceof Error && 'code' in cause)) return undefined
  if (cause.code !== 'ERR_MODULE_NOT_FOUND' && cause.code !== 'MODULE_NOT_FOUND') return undefined
  const [what = ''] = cause.message.split('\n')
  return new WindrowError('part-missing', `A part of windrow is missing. ${what}`, {
    hint: 'It was updated or removed while it ran, or not installed as a whole. Install it again, and start anew what was running.',
    cause,
  })
}

/** An expected failure is a sentence and a hint; an unexpected one keeps its stack, because it is windrow's own fault. */
function tellFailure(cause: unknown, asJson: boolean, { terminal }: Surroundings): number {
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

function version(): string {
  // By its own name, because the built file lies elsewhere in the package than this one.
  const manifest = createRequire(import.meta.url).resolve('windrow/package.json')
  return (JSON.parse(readFileSync(manifest, 'utf8')) as { version: string }).version
}
