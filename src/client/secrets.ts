/** Removes secrets from text: an answer of the service may repeat a password or a token, which must not reach a message. */

import { oneLine, shortened } from './reading.ts'

export type Secrets = ReturnType<typeof secretKeeper>

// Replacing one or two letters would only garble the text.
const shortest = 3

/** Remembers secrets, and those that are added later. */
export function secretKeeper(first: readonly (string | undefined)[]) {
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
    /** Makes any text safe for a message: one line, bounded, every secret replaced. */
    clean(text: string, most = 300): string {
      // Control characters first, because they could hide a secret; cutting last, because it could halve one.
      let clean = oneLine(text)
      for (const secret of [...known].toSorted((a, b) => b.length - a.length))
        clean = clean.replaceAll(secret, '[hidden]')
      return shortened(clean, most)
    },
  }
}
