/** Finds the oceans and polar regions where no farm can be. */

import { isWithin, type Box } from '../crs/area.ts'

// Boxes far from coasts and islands; a place in none of them may still be water.
const waters: readonly (readonly [name: string, ...boxes: Box[]])[] = [
  [
    'the Atlantic',
    [-6, -12, 5, 3],
    [0, 3, 4.5, 5],
    [-48, 6, -27, 35],
    [-45, 35, -33, 55],
    [-28, -34, -16, -10],
    [-34, -53.5, -14, -42],
    [-40, -66, 0, -61],
  ],
  [
    'the Pacific',
    [-150, 26, -128, 48],
    [168, 22, 180, 45],
    [-128, -60, -112, -30],
    [-125, -20, -95, -2],
    [-150, 2, -112, 16],
  ],
  [
    'the Indian Ocean',
    [80, -35, 95, -13],
    [65, -35, 76, -22],
    [80, -9, 92, 4],
    // Along the coast of Somalia, where Europe lies with its axes exchanged.
    [42.5, -4, 44.5, -1],
    [44.5, -4, 49, 0.7],
    [46, 0.7, 49, 1.7],
    [47.7, 1.7, 49, 3.3],
    [49, -3, 62, 1],
    [49, -5, 52, -3],
    [49.5, 1, 50.3, 4.5],
    [50.3, 1, 52, 7.5],
    [52, 1, 66, 10],
    [56, 10, 68, 16],
  ],
  ['the Arctic Ocean', [-180, 84, 180, 90]],
  ['Antarctica', [-180, -90, 180, -66]],
]

/** The ocean or polar region that a position surely lies in. */
export function oceanAt(lon: number, lat: number): string | undefined {
  return waters.find(([, ...boxes]) => (boxes as readonly Box[]).some((box) => isWithin(lon, lat, box)))?.[0]
}
