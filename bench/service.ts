/**
 * The contests about the embedded service: publishing through the client beside a loop that only posts, pages of features beside
 * the same server with a page in memory, and many readers at a time.
 */

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { nodeSide, sidePath, type Bench, type Contest, type Side } from './contest.ts'
import { installWindrow } from './installed.ts'
import { bodiesOf, storeOf } from './plots.ts'

const count = 100_000

export const bench: Bench = {
  rounds: 5,
  async prepare(folder) {
    const store = await storeOf(folder, count)
    const small = await storeOf(folder, count / 10)
    return [await publishing(folder, await installWindrow(folder)), pages(store, small), readers(store)]
  },
}

async function publishing(folder: string, program: string): Promise<Contest> {
  const stored = (name: string): string => join(folder, `${name}-stored.txt`)
  const bodies = await bodiesOf(folder, count)
  const loop = (name: string, script: string): Side =>
    nodeSide(sidePath('publish.ts'), program, stored(name), sidePath(script), bodies)
  return {
    name: `publishing ${count / 1000}k plots of 1 kB`,
    ours: loop('client', 'client-loop.ts'),
    peer: loop('loop', 'bare-loop.mjs'),
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
  return nodeSide(sidePath('serve-pages.ts'), store, kind, reading)
}

// The reader counts what each side has sent, and ends the run at a wrong answer.
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
