/** Describes a benchmark. One file a benchmark, listed in run.ts. */

import { fileURLToPath } from 'node:url'

/** A program with its arguments; 'node' is the Node that runs the benchmark. */
export type Command = readonly [program: string, ...words: string[]]

/** In a command, this word is replaced by an empty folder for that run, which is removed when it ends. */
export const freshFolder = '{fresh folder}'

/**
 * One of the two sides: the command and its version, undefined when not installed. `writes` are files that are removed before
 * each run, because some programs first read the file that they will write.
 */
export type Side = {
  readonly command: Command
  readonly version: string | undefined
  readonly writes?: readonly string[]
}

/** The path of a program in the folder of sides. */
export function sidePath(name: string): string {
  return fileURLToPath(new URL(`sides/${name}`, import.meta.url))
}

/** A side that is a program for Node, with its arguments. */
export function nodeSide(program: string, ...words: readonly string[]): Side {
  return { command: ['node', program, ...words], version: process.versions.node }
}

/**
 * Two programs on the same task. `goal` is the least ratio of the peer's time to ours; `goalMB` the most memory of ours,
 * `goalShare` the most as a share of the peer's. `tenth` is our side on a tenth of the data: ours may use at most `mostGrowth`
 * times its memory. `difference` is called after both have run: it describes where their results differ, or is undefined when
 * both did the same work. `rounds` is for contests that take long.
 */
export type Contest = {
  readonly name: string
  readonly ours: Side
  readonly peer: Side
  readonly peerName: string
  readonly goal: number
  readonly goalMB?: number
  readonly goalShare?: number
  readonly tenth?: Side
  readonly rounds?: number
  difference(): Promise<string | undefined>
}

/** The allowed growth of memory for ten times the data: almost none. */
export const mostGrowth = 1.25

/**
 * `prepare` writes seeded data into the folder, unless an earlier run did, and returns the contests over it; it may leave out
 * those whose names are without the words `only`, if `names` lists all.
 */
export type Bench = {
  readonly rounds: number
  readonly names?: readonly string[]
  prepare(folder: string, only: string): Promise<readonly Contest[]>
}
