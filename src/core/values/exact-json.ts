/** Parses JSON: without rounding long whole numbers, which are ids and become text, or only where the text is JSON. Writes it in one order. */

const longNumber = /[:,[\s]-?\d{16}/

/**
 * Parses JSON like `JSON.parse`, but a whole number that JavaScript cannot store exactly becomes text. Numbers as JavaScript
 * writes them stay numbers: they were already rounded.
 */
export function parseExactly(text: string): unknown {
  return longNumber.test(text) ? JSON.parse(text, keepDigits as Parameters<typeof JSON.parse>[1]) : JSON.parse(text)
}

// The third argument, the text of the value, is not yet in TypeScript's types; Node has it since 21.
function keepDigits(_member: string, value: unknown, { source }: { readonly source?: string }): unknown {
  if (typeof value !== 'number' || Number.isSafeInteger(value) || source === undefined) return value
  return /^-?\d{16,}$/.test(source) && String(value) !== source ? source : value
}

/** The value of a JSON text; undefined if it is none. The message of the parser, which quotes the text, is lost on purpose. */
export function jsonValue(text: string, parse: (text: string) => unknown = JSON.parse): unknown {
  try {
    return parse(text)
  } catch {
    return undefined
  }
}

/** The members of an object in parsed JSON. */
export type Members = { [member: string]: unknown }

/** True for an object in parsed JSON, which is no list and not null. */
export function isObject(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** For `JSON.stringify`: puts members in the order of their names, so that equal values have the same text. */
export function byName(_name: string, value: unknown): unknown {
  if (!isObject(value)) return value
  return Object.fromEntries(Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1)))
}
