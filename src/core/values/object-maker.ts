/** Hides how objects with the same members are made and read by the million: a literal that is compiled once, and names as the engine keeps them. */

/**
 * A literal of more members than these only ever sees one array: of cells that came in arrays of several kinds the engine takes
 * hundreds of megabytes to compile it.
 */
const mostMembers = 64

/**
 * Makes the function that turns values into an object with these names: in the order of the names, or each from the place that
 * `places` gives it. A name `__proto__` is only a name.
 */
export function objectMaker<Value>(
  names: readonly string[],
  places: readonly number[] = names.map((_, index) => index),
): (values: readonly Value[]) => Record<string, Value> {
  const isWide = names.length > mostMembers
  // Objects of one literal have one hidden class and room for all members: a third of the time of assigning name by name.
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

/** In brackets a name is only ever a name; without, the engine knows it before the object is made. */
function memberName(name: string): string {
  const written = JSON.stringify(name)
  return name === '__proto__' ? `[${written}]` : written
}

/**
 * The name as the engine keeps it. Under one that was read from a file it looks the letters up at each access, and gives the code
 * that it made for the access up again at the next row.
 */
export function keptName(name: string): string {
  return Object.keys({ [name]: true })[0]!
}
