/** Removes secrets from text: an answer of the service may repeat a password or a token, which must not reach a message. */

import { oneLine, shortened } from './reading.ts'

/** Remembers secrets and makes any text safe for a message: one line, bounded, every secret replaced. */
export type Secrets = {
  add(secret: string | undefined): void
  clean(text: string, most?: number): string
}

// Replacing one or two letters would only garble the text.
const shortest = 3

/** Starts with the given secrets. */
export function secretKeeper(first: readonly (string | undefined)[]): Secrets {
  const known = new Set<string>()
  const add = (secret: string | undefined): void => {
    if (secret === undefined) return
    const form = new URLSearchParams([['', secret]]).toString().slice(1)
    const json = JSON.stringify(secret).slice(1, -1)
    for (const spelling of [
      secret,
      oneLine(secret),
      form,
      form.replaceAll('+', '%20'),
      encodeURIComponent(secret),
      json,
    ])
      if (spelling.length >= shortest) known.add(spelling)
  }
  first.forEach(add)
  return {
    add,
    // Control characters first, because they could hide a secret; cutting last, because it could halve one.
    clean(text, most = 300) {
      let clean = oneLine(text)
      for (const secret of [...known].toSorted((a, b) => b.length - a.length))
        clean = clean.replaceAll(secret, '[hidden]')
      return shortened(clean, most)
    },
  }
}
