/**
 * The contests about a whole import: from the zipped shapefile to records that are ready to send, beside tools that only convert;
 * and sending, beside a loop that only sends.
 */

import { spawnSync } from 'node:child_process'
import { readFileSync, rmSync } from 'node:fs'
import { freshFolder, nodeSide, sidePath, type Bench, type Contest, type Side } from './contest.ts'
import { installWindrow } from './installed.ts'
import { dryRunBeside, dryRun, lineOf, mapshaperClean, ogrAreas, ogrMakeValid, type Line } from './paddock-line.ts'

export const bench: Bench = {
  rounds: 5,
  async prepare(folder) {
    const program = await installWindrow(folder)
    const lines = [await lineOf(folder, 10_000, program), await lineOf(folder, 100_000, program)]
    return lines.flatMap((line) => [...conversions(line), publishing(line)])
  },
}

function conversions(line: Line): readonly Contest[] {
  const isLarge = line.count === 100_000
  return [
    dryRunBeside(line, ogrMakeValid, { goal: isLarge ? 2.5 : 2, goalMB }),
    dryRunBeside(line, ogrAreas, { goal: isLarge ? 2.5 : 2, goalMB }),
    dryRunBeside(line, mapshaperClean, { goal: isLarge ? 2.5 : 1, goalMB }),
  ]
}

// Two threads, each with its own heap.
const goalMB = 200

/** Sending the records of a line, beside a bare loop that sends the bodies that windrow made. */
export function publishing(line: Line): Contest {
  const { count, program, pipeline, at } = line
  stageOnce(line)
  const side = (name: string, ...words: readonly string[]): Side =>
    nodeSide(sidePath('publish.ts'), program, at(`${name}-stored.txt`), ...words)
  return {
    name: `${count / 1000}k records to the service, sending`,
    ours: side('ours', program, 'run', pipeline, '--state', freshFolder),
    peer: side('bare', sidePath('bare-loop.mjs'), at('ready.ndjson')),
    peerName: 'a bare loop of fetch',
    goal: 0.85,
    // The bare loop itself uses 300: bodies as text, as bytes, and in requests.
    goalMB: 400,
    difference() {
      const [ours, bare] = ['ours', 'bare'].map((name) => readFileSync(at(`${name}-stored.txt`), 'utf8'))
      const isSame = ours === bare && ours === String(count)
      return Promise.resolve(isSame ? undefined : `${ours} records are stored after ours, ${bare} after the loop.`)
    },
  }
}

function stageOnce(line: Line): void {
  const state = line.at('state')
  const { status, stderr } = spawnSync(process.execPath, [...dryRun(line, state)], { encoding: 'utf8' })
  rmSync(state, { recursive: true, force: true })
  if (status !== 0) throw new Error(`windrow failed to make the records to send.\n${stderr}`)
}
