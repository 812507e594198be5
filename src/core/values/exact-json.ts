/** Parses JSON without rounding long whole numbers: they are ids and become text. */

const longNumber = /([:,[\s])(-?\d{16,})(?=[\s,\]}])/g

/**
 * Parses JSON like `JSON.parse`, but a whole number that JavaScript cannot store exactly becomes text. Numbers as JavaScript
 * writes them stay numbers: they were already rounded.
 */
export function parseExactly(text: string): unknown {
  const quoted = text.replace(longNumber, (found, before: string, digits: string) =>
    isKept(digits) ? found : `${before}"${digits}"`,
  )
  try {
    return JSON.parse(quoted)
  } catch (cause) {
    // Such digits in a text: the quotes broke it. Asking for each value takes several times as long.
    if (quoted === text) throw cause
    return JSON.parse(text, keepDigits as Parameters<typeof JSON.parse>[1])
  }
}

function isKept(digits: string): boolean {
  return Number.isSafeInteger(Number(digits)) || String(Number(digits)) === digits
}

// The third argument, the text of the value, is not yet in TypeScript's types; Node has it since 21.
function keepDigits(_member: string, value: unknown, { source }: { readonly source?: string }): unknown {
  return typeof value === 'number' && source !== undefined && /^-?\d{16,}$/.test(source) && !isKept(source)
    ? source
    : value
}

/** The members of an object in parsed JSON. */
export type Members = { [member: string]: unknown }

/** True for an object in parsed JSON, which is no list and not null. */
export function isObject(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
