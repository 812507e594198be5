/**
 * Hides the contests over the whole line of an import: from the zipped shapefile to records that are ready to send, beside the
 * tools that only convert; and the sending of them, beside a loop that does nothing but send.
 */

import { spawnSync } from 'node:child_process'
import { readFileSync, rmSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { freshFolder, type Bench, type Contest, type Side } from './contest.ts'
import { installWindrow } from './installed.ts'
import { dryRunBeside, dryRun, lineOf, mapshaperClean, ogrAreas, ogrMakeValid, type Line } from './paddock-line.ts'

export const bench: Bench = {
  rounds: 5,
  async prepare(folder) {
    const program = await installWindrow(folder)
    const lines = [10_000, 100_000].map((count) => lineOf(folder, count, program))
    return lines.flatMap((line) => [...conversions(line), publishing(line)])
  },
}

function conversions(line: Line): readonly Contest[] {
  const isLarge = line.count === 100_000
  return [
    dryRunBeside(line, ogrMakeValid, { goal: isLarge ? 3 : 2, goalMB }),
    dryRunBeside(line, ogrAreas, { goal: isLarge ? 3.5 : 2, goalMB }),
    dryRunBeside(line, mapshaperClean, { goal: isLarge ? 3 : 1, goalMB }),
  ]
}

// Two threads, each with a heap of its own.
const goalMB = 200

const publisher = fileURLToPath(new URL('sides/publish.ts', import.meta.url))
const bareLoop = fileURLToPath(new URL('sides/bare-loop.mjs', import.meta.url))

function publishing(line: Line): Contest {
  const { count, program, pipeline, at } = line
  stageOnce(line)
  const side = (name: string, ...words: readonly string[]): Side => ({
    command: ['node', publisher, program, at(`${name}-stored.txt`), ...words],
    version: process.versions.node,
  })
  return {
    name: `${count / 1000}k records to the service, sending`,
    ours: side('ours', program, 'run', pipeline, '--state', freshFolder),
    peer: side('bare', bareLoop, at('ready.ndjson')),
    peerName: 'a bare loop of fetch',
    goal: 0.85,
    // The bare loop itself takes 300: bodies as text, as bytes, and under way.
    goalMB: 400,
    difference() {
      const [ours, bare] = ['ours', 'bare'].map((name) => readFileSync(at(`${name}-stored.txt`), 'utf8'))
      const isSame = ours === bare && ours === String(count)
      return Promise.resolve(isSame ? undefined : `${ours} records are stored after ours, ${bare} after the loop.`)
    },
  }
}

/** The bodies that the bare loop sends are the very ones that windrow makes. */
function stageOnce(line: Line): void {
  const state = line.at('state')
  const { status, stderr } = spawnSync(process.execPath, [...dryRun(line, state)], { encoding: 'utf8' })
  rmSync(state, { recursive: true, force: true })
  if (status !== 0) throw new Error(`windrow did not make the records to send.\n${stderr}`)
}
