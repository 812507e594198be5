/** Knows for which records a filter of an export is, by its name in a pipeline. */

const dated = ['work-records', 'pasture-cover-events', 'load-receivals', 'sample-analyses', 'sample-plans']
const withChanges = ['plots', 'holdings', 'land-covers']
// The others are for all.
const typesOf: ReadonlyMap<string, readonly string[]> = new Map([
  ['plot', ['plots', 'land-covers', 'work-records', 'pasture-cover-events', 'sample-analyses', 'sample-plans']],
  ['operation', ['work-records']],
  ['product', ['work-records']],
  ['operator', ['work-records']],
  ['status', ['work-records']],
  ['day', dated],
  ['from', dated],
  ['until', dated],
  ['deleted', ['pasture-cover-events']],
  ['box', withChanges],
  ['changed', withChanges],
])

/** What is wrong with a filter for this type of record, to be said after its name; undefined if nothing is. */
export function faultOfFilter(name: string, plural: string): string | undefined {
  const plurals = typesOf.get(name)
  if (plurals === undefined || plurals.includes(plural)) return undefined
  const words = plurals.map((each) => each.replaceAll('-', ' ')).join(', ')
  return `works for ${words} only, not for ${plural.replaceAll('-', ' ')}.`
}
