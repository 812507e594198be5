/** Hides nothing: what a benchmark is made of. One file a benchmark, listed in run.ts. */

/** A program with its arguments; 'node' is the Node that runs the benchmark. */
export type Command = readonly [program: string, ...words: string[]]

/** In a command, this word stands for an empty folder of that run alone, gone when it ends. */
export const freshFolder = '{fresh folder}'

/**
 * One of the two that are measured: what to run, and which version of it, undefined where it is not installed. `writes` are files
 * that are taken away before each run, because some read first what stands where they are to write.
 */
export type Side = {
  readonly command: Command
  readonly version: string | undefined
  readonly writes?: readonly string[]
}

/**
 * Two programs on the same task. `goal` is the least ratio of the peer's time to ours; `goalMB` the most memory that ours may
 * take, `goalShare` the most of what the peer takes. `tenth` is our side on a tenth of the data: ours may take at most
 * `mostGrowth` times its memory. `difference` is asked once both have run: it says where their results differ, or undefined
 * when both did the same work. `rounds` is for contests that take long.
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

/** How much more memory ten times the data may take: none but for the odds and ends. */
export const mostGrowth = 1.25

/** `prepare` lays seeded data into the folder, unless it is there from an earlier run, and names the contests over it. */
export type Bench = { readonly rounds: number; prepare(folder: string): Promise<readonly Contest[]> }
