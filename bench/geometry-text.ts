/** The contest about GeoJSON text: flat shapes beside objects. */

import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { nodeSide, sidePath, type Bench, type Side } from './contest.ts'

export const bench: Bench = {
  rounds: 3,
  prepare(folder) {
    const outputs = { ours: join(folder, 'geometry-text-ours.txt'), peer: join(folder, 'geometry-text-peer.txt') }
    const side = (name: keyof typeof outputs): Side => nodeSide(sidePath('geometry-text.ts'), name, outputs[name])
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
