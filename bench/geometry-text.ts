/** Hides the contest behind a claim of src/core/shapes/shape-geojson.ts: flat shapes become GeoJSON text faster than objects do. */

import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Bench, Side } from './contest.ts'

const program = fileURLToPath(new URL('sides/geometry-text.ts', import.meta.url))

export const bench: Bench = {
  rounds: 3,
  prepare(folder) {
    const outputs = { ours: join(folder, 'geometry-text-ours.txt'), peer: join(folder, 'geometry-text-peer.txt') }
    const side = (name: keyof typeof outputs): Side => ({
      command: ['node', program, name, outputs[name]],
      version: process.versions.node,
    })
    return Promise.resolve([
      {
        name: '160,000 polygons to GeoJSON text',
        ours: side('ours'),
        peer: side('peer'),
        peerName: 'JSON.stringify',
        goal: 1.5,
        goalMB: 150,
        async difference() {
          const [ours, peer] = await Promise.all([readFile(outputs.ours), readFile(outputs.peer)])
          return ours.equals(peer) && ours.length > 0 ? undefined : 'The texts differ.'
        },
      },
    ])
  },
}
