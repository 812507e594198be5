/** Lists cases of the rules about land that boundaries share, and about stated areas. */

import type { Cases } from '../core/rule.ts'
import type { LandFacts } from './land.ts'

const at = { source: 'a.geojson', row: 3 }

/** The land of two boundaries in hectares, as '0.2 of 1.2 and 1'. */
function land(text: string, copies = 0): LandFacts {
  const [areaM2 = 0, own = 0, other = 0] = text.split(/ of | and /).map((each) => Number(each) * 10_000)
  const about = { at, id: 'B', where: { lon: 175.3, lat: -37.8 }, other: '"Top" (A, row 0)', with: [{ ...at, row: 0 }] }
  return { areaM2, areasM2: [own, other], copies, ...about }
}

function outline(contained: number): LandFacts {
  return { at, id: 'farm', outline: '"farm" (row 3)', with: [], contained, first: '"A" (row 0)' }
}

export const landCases: Cases<LandFacts> = {
  'boundary-twice': {
    yes: [
      ['a paddock under two keys', land('1 of 1 and 1', 2)],
      ['one under forty keys', land('1 of 1 and 1', 40)],
      ['the same field drawn again', land('1 of 1 and 1.008')],
      ['more than can be listed', { kind: 'twice', unlisted: 101, areaM2: 5000 }],
    ],
    no: [
      ['a field that was redrawn', land('1 of 1 and 1.02')],
      ['a pond in a paddock', land('0.01 of 0.01 and 1')],
    ],
  },
  'boundary-inside-another': {
    yes: [
      ['a pond in a paddock', land('0.01 of 0.01 and 1')],
      ['around a paddock of the service', land('0.16 of 1 and 0.16')],
      ['nearly inside', land('0.96 of 1 and 3')],
      ['the outline of a farm of three', outline(3)],
    ],
    no: [
      ['a tenth sticks out', land('0.9 of 1 and 3')],
      ['the same paddock', land('1 of 1 and 1')],
      ['a paddock with two ponds is no outline', outline(2)],
    ],
  },
  'boundaries-overlap': {
    yes: [
      ['a fifth of a paddock', land('0.2 of 1.2 and 1')],
      ['a strip 3 m wide along one side', land('0.03 of 1 and 1')],
      ['more than can be listed', { kind: 'overlap', unlisted: 3, areaM2: 500 }],
    ],
    no: [
      ['one fence drawn by two people', land('0.01 of 1 and 1')],
      ['a pond in a paddock', land('0.01 of 0.01 and 1')],
    ],
  },
}
