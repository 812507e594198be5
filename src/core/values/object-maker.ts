/** Makes functions that build objects with the same members for millions of rows. The measurement is in docs/decisions.md. */

/** With more members than this the function receives one array only: with arrays of several kinds V8 needs hundreds of megabytes to compile it. */
const mostMembers = 64

/**
 * Makes the function that turns values into an object with these names: in the order of the names, or each from the index that
 * `places` gives. `__proto__` is an ordinary name.
 */
export function objectMaker<Value>(
  names: readonly string[],
  places: readonly number[] = names.map((_, index) => index),
): (values: readonly Value[]) => Record<string, Value> {
  const isWide = names.length > mostMembers
  const members = names.map((name, index) => `${memberName(name)}: values[${isWide ? index : Number(places[index])}]`)
  const make = new Function('values', `return { ${members.join(', ')} }`) as (
    values: readonly Value[],
  ) => Record<string, Value>
  if (!isWide) return make
  const always: (Value | null)[] = names.map(() => null)
  return (values) => {
    for (let index = 0; index < places.length; index += 1) always[index] = values[places[index]!]!
    return make(always as Value[])
  }
}

/** In brackets `__proto__` is an ordinary name. */
function memberName(name: string): string {
  const written = JSON.stringify(name)
  return name === '__proto__' ? `[${written}]` : written
}

/** The name as an object keeps it; access by it is faster than by the same text read from a file. */
export function keptName(name: string): string {
  return Object.keys({ [name]: true })[0]!
}
