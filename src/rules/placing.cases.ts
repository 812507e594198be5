/** Lists cases of what decides about the place of a file: decided, and left to a person or as it is. */

import type { Cases } from '../core/rule.ts'
import { emptyBox, widen, type Shape } from '../core/shape.ts'
import type { Lying } from './place.ts'

/** The first points of the rows of a file as '1800000 5815000, 1800600 5815000', with what it says about its coordinates. */
function lying(text: string, more: Partial<Lying> & { readonly by?: string } = {}): Lying {
  const firstShapes = (text === '' ? [] : text.split(', ')).map((point): Shape => ({
    kind: 'Point',
    coordinates: Float64Array.from(point.split(' ').map(Number)),
    ends: [],
    parts: [],
  }))
  const box = emptyBox()
  for (const { coordinates } of firstShapes) widen(box, coordinates)
  const clue = more.by === undefined ? undefined : ({ from: '.prj', text: more.by } as const)
  const points = firstShapes.flatMap(({ coordinates }) => [...coordinates])
  return { said: undefined, clue, box, firstShapes, points, near: undefined, ...more }
}

const nearMunich = { lon: 11.05, lat: 48, name: 'Hof Birke' }
const waikato = '1800000 5815000, 1800600 5815000'

export const placingCases: Cases<Lying> = {
  crs: {
    yes: [
      ['the .prj names NZTM2000', lying(waikato, { by: 'EPSG:2193' })],
      ['one row of two lies in the area', lying('1 1, 1800600 5815000', { by: 'EPSG:2193' })],
      ['nothing can be read, and the file names it', lying('', { by: 'EPSG:2193' })],
    ],
    no: [
      ['metres, and the file says nothing', lying(waikato)],
      [
        'metres beside the farm, and the file says nothing',
        lying(waikato, { near: { lon: 175.3, lat: -37.8, name: 'Rimu Farm' } }),
      ],
      ['it says degrees, and has metres', lying(waikato, { by: 'EPSG:4326' })],
      ['a system that nobody knows', lying(waikato, { by: 'LOCAL_CS["mine"]' })],
    ],
  },
  axes: {
    yes: [
      ['northing first', lying('5815000 1800000, 5815000 1800600', { by: 'EPSG:2193' })],
      ['northing first, and a person names the system', lying('5815000 1800000', { said: 'EPSG:2193' })],
      ['latitude first, beyond 90', lying('-37.8 175.3, -37.8 175.4', { by: 'EPSG:4326' })],
      ['latitude first, and the farm is known', lying('48 11, 48.01 11', { by: 'EPSG:4326', near: nearMunich })],
    ],
    no: [
      ['easting first', lying(waikato, { by: 'EPSG:2193' })],
      [
        'one row of three fits as written',
        lying(`5815000 1800000, 5815000 1800600, 1800000 5815000`, { by: 'EPSG:2193' }),
      ],
      [
        'latitude first where both are possible, and the farm is not known',
        lying('48 11, 48.01 11', { by: 'EPSG:4326' }),
      ],
      ['a farm just outside a grid that is similar both ways', lying('500000 190000', { by: 'EPSG:3844' })],
      ['no system is known', lying('5815000 1800000')],
    ],
  },
}
