/**
 * Hides the contests over the embedded service: publishing through the client beside a loop that does nothing but post, pages of
 * features beside the same server that sends such a page from memory, and many readers at a time.
 */

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Bench, Contest, Side } from './contest.ts'
import { installWindrow } from './installed.ts'
import { bodiesOf, storeOf } from './plots.ts'

const count = 100_000
const publisher = fileURLToPath(new URL('sides/publish.ts', import.meta.url))
const clientLoop = fileURLToPath(new URL('sides/client-loop.ts', import.meta.url))
const bareLoop = fileURLToPath(new URL('sides/bare-loop.mjs', import.meta.url))
const server = fileURLToPath(new URL('sides/serve-pages.ts', import.meta.url))
const { node: version } = process.versions

export const bench: Bench = {
  rounds: 5,
  async prepare(folder) {
    const store = await storeOf(folder, count)
    const small = await storeOf(folder, count / 10)
    return [publishing(folder, await installWindrow(folder)), pages(store, small), readers(store)]
  },
}

function publishing(folder: string, program: string): Contest {
  const stored = (name: string): string => join(folder, `${name}-stored.txt`)
  const bodies = bodiesOf(folder, count)
  const loop = (name: string, script: string): Side => ({
    command: ['node', publisher, program, stored(name), script, bodies],
    version,
  })
  return {
    name: `publishing ${count / 1000}k plots of 1 kB`,
    ours: loop('client', clientLoop),
    peer: loop('loop', bareLoop),
    peerName: 'a bare loop of fetch',
    goal: 0.85,
    goalMB: 400,
    difference() {
      const [ours, bare] = ['client', 'loop'].map((name) => readFileSync(stored(name), 'utf8'))
      const isSame = ours === bare && ours === String(count)
      return Promise.resolve(isSame ? undefined : `${ours} plots are stored after ours, ${bare} after the loop.`)
    },
  }
}

function serving(store: string, kind: 'store' | 'memory', reading: 'pages' | 'readers'): Side {
  return { command: ['node', server, store, kind, reading], version }
}

// What each side has sent is counted by the reader, who ends the run when an answer is not what it should be.
const sameWork = (): Promise<undefined> => Promise.resolve(undefined)

function pages(store: string, small: string): Contest {
  return {
    name: 'pages of 1,000 features, per GB',
    ours: serving(store, 'store', 'pages'),
    tenth: serving(small, 'store', 'pages'),
    peer: serving(store, 'memory', 'pages'),
    peerName: 'the same server, from memory',
    goal: 0.3,
    difference: sameWork,
  }
}

function readers(store: string): Contest {
  return {
    name: '50 readers for 20 s, per GB',
    ours: serving(store, 'store', 'readers'),
    peer: serving(store, 'memory', 'readers'),
    peerName: 'the same server, from memory',
    goal: 0,
    goalMB: 600,
    rounds: 1,
    difference: sameWork,
  }
}
