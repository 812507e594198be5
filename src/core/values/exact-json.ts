/** Hides that the engine rounds whole numbers of more than fifteen figures when it reads JSON; they are ids, and stay text. */

const longNumber = /[:,[\s]-?\d{16}/

/**
 * Parses JSON like `JSON.parse`, but a whole number whose figures a number does not keep becomes the text of them. Figures that a
 * program wrote of a number stay one: they were rounded before.
 */
export function parseExactly(text: string): unknown {
  return longNumber.test(text) ? JSON.parse(text, keepFigures as Parameters<typeof JSON.parse>[1]) : JSON.parse(text)
}

// The third argument, the text of the value, is in no type yet; Node has it since 21.
function keepFigures(_member: string, value: unknown, { source }: { readonly source?: string }): unknown {
  if (typeof value !== 'number' || Number.isSafeInteger(value) || source === undefined) return value
  return /^-?\d{16,}$/.test(source) && String(value) !== source ? source : value
}
