/** Sets how often a property is tried: a fixed short share in `npm test`, many more times in `npm run fuzz -- --properties 10`. */

import fc from 'fast-check'

const times = process.env['WINDROW_PROPERTY_TIMES']
// The short share tries the same values each time, so that a red test means a change in the code.
if (times === undefined) fc.configureGlobal({ seed: 2026 })

/** The number of values to try in this run, for a property with this full number. */
export function runs(many: number): number {
  return Math.ceil(many * (times === undefined ? 0.1 : Number(times)))
}
