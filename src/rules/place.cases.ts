/** Lists cases of the rules about where boundaries lie. */

import type { Cases } from '../core/rule.ts'
import type { AddedLand, Distance, PlacedRecord } from './place.ts'

/** Distances in kilometres: '115, 115, moved 3'. */
function distancesOf(text: string): readonly Distance[] {
  return text.split(', ').map((each) => {
    const km = Number(each.replace('moved ', ''))
    const nearest = { lon: 175.3, lat: -37.8 }
    return { place: { lon: 175.3 + km / 87.9, lat: -37.8 }, nearest, km, isMoved: each.startsWith('moved') }
  })
}

function land(text: string): AddedLand {
  return { distances: text === '' ? [] : distancesOf(text), farm: 'Rimu Farm', plural: 'plots' }
}

/** A record as '115 km from its former place'. */
function record(text: string): PlacedRecord {
  const [km, from] = text.split(' km from ') as [string, PlacedRecord['from']]
  const [{ isMoved: _, ...distance }] = distancesOf(km) as [Distance]
  return { ...distance, at: { source: 'a.geojson', row: 9 }, id: 'A9', from }
}

const ocean = 'In NZTM2000 (EPSG:2193) the boundaries lie in an ocean, where no farm can be.'

export const placeCases: Cases<AddedLand | PlacedRecord> = {
  far: {
    yes: [
      ['three new boundaries 115 km away', land('115, 115, 115')],
      ['ten of eleven move 115 km', land(`${'moved 115, '.repeat(10)}0.03`)],
      ['two of three, by different ways', land('115, moved 90, 3')],
      ['the first three, in an ocean', { ...land(''), doubt: { message: ocean } }],
    ],
    no: [
      ['one boundary 115 km away', land('115')],
      ['half of six', land('115, 115, 115, 49, 49, 49')],
      ['a farm 49 km wide', land('49, 49, 49')],
      ['no boundary of a farm that has some', land('0')],
    ],
  },
  'first-land-far': {
    yes: [['three paddocks 114 km from the office', land('114, 114, 115')]],
    no: [
      ['an office in the next town', land('49, 30, 20')],
      ['a farm whose place is not known', land('')],
      ['a single paddock', land('114')],
      ['one paddock of three', land('114, 3, 3')],
    ],
  },
  'boundary-moved-far': {
    yes: [['a paddock that moves 115 km', record('115 km from its former place')]],
    no: [
      ['a corrected paddock', record('0.2 km from its former place')],
      ['a new one far away', record('115 km from the nearest one of the farm')],
    ],
  },
  'boundary-far': {
    yes: [
      ['a new paddock 115 km from the farm', record('115 km from the nearest one of the farm')],
      ['among the first ones of a farm', record('400 km from most others of the file')],
    ],
    no: [
      ['a lease in the next valley', record('45 km from the nearest one of the farm')],
      ['one that moves', record('115 km from its former place')],
    ],
  },
}
