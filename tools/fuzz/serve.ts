/** Reads inputs in a child process, which may hang or run out of memory, and reports the result of each. */

import { peakKB } from '../peak-memory.mjs'
import { bufferSource } from '../../src/core/sources/source.ts'
import type { Format } from '../../src/formats/format.ts'
import { groundOf, type Ground } from './inputs.ts'
import { judge } from './judge.ts'
import type { Seed } from './seeds.ts'

/** Work for the process: the inputs of a seed from one number up to another, or one input given as bytes. */
export type Work =
  | { readonly seed: string; readonly chanceSeed: number; readonly from: number; readonly until: number }
  | { readonly name: string; readonly bytes: Uint8Array }

/** How one input went. `fault` is what it broke; `bytes` comes with a fault. */
export type InputReport = {
  readonly number: number
  readonly cpuMs: number
  readonly grownMB: number
  readonly rows: number
  readonly refused?: string
  readonly fault?: string
  readonly bytes?: Uint8Array
}

/** Answers the parent process until it disconnects. */
export function serve(seeds: readonly Seed[], formats?: readonly Format[]): void {
  const grounds = new Map<string, Promise<Ground>>()
  const groundFor = (name: string, chanceSeed: number): Promise<Ground> => {
    const seed = seeds.find((each) => each.name === name)!
    const others = seeds.filter((each) => each.reader === seed.reader && each !== seed)
    const known = grounds.get(name) ?? groundOf(seed, others, chanceSeed)
    grounds.set(name, known)
    return known
  }
  const answer = async (work: Work): Promise<void> => {
    if ('bytes' in work) {
      process.send!(await tryInput(0, work.name, work.bytes, formats))
      return
    }
    const ground = await groundFor(work.seed, work.chanceSeed)
    for (let number = work.from; number < work.until; number += 1)
      process.send!(await tryInput(number, work.seed, ground.input(number), formats))
  }
  process.on('message', (work) => void answer(work as Work))
  process.on('disconnect', () => process.exit(0))
  process.send!('ready')
}

// A limit for the message about thousands of inputs: further faults come without bytes.
const tellBytes = 1 << 24

async function tryInput(
  number: number,
  name: string,
  bytes: Uint8Array,
  formats?: readonly Format[],
): Promise<InputReport> {
  const peakBefore = peakKB()
  const begun = process.cpuUsage()
  let went: Pick<InputReport, 'rows' | 'refused' | 'fault'>
  try {
    went = await judge(bufferSource(name, bytes), formats)
  } catch (error) {
    went = { rows: 0, fault: faultOf(error) }
  }
  const { user, system } = process.cpuUsage(begun)
  const grownMB = (peakKB() - peakBefore) / 1024
  const kept = went.fault === undefined ? {} : { bytes: bytes.subarray(0, tellBytes) }
  return { number, cpuMs: (user + system) / 1000, grownMB, ...went, ...kept }
}

/** The fault and its place, without parts that differ between inputs. */
function faultOf(error: unknown): string {
  if (!(error instanceof Error)) return `something that is not an error was thrown: ${String(error).slice(0, 100)}`
  const frames = (error.stack ?? '')
    .split('\n')
    .filter((line) => /^\s+at /.test(line) && !line.includes('judge.ts') && !line.includes('node:internal'))
  const frame = frames.find((line) => /[\\/]src[\\/]/.test(line)) ?? frames[0] ?? ''
  const where = /((?:src|node_modules|test|tools)[\\/][^()]*?:\d+):\d+\)?$/.exec(frame)?.[1] ?? frame.trim()
  return `${error.name}: ${error.message.replace(/\d+/g, '#').slice(0, 160)} (${where})`
}
