/** Matches numeric dates against a pattern character by character. */

/** One step of a pattern: a number with this many digits, one certain character, white space, or an offset from UTC. */
export type ScanStep =
  | { readonly kind: 'number'; readonly slot: number; readonly least: number; readonly most: number }
  | { readonly kind: 'character'; readonly code: number }
  | { readonly kind: 'space' }
  | { readonly kind: 'offset'; readonly slot: number; readonly form: 'any' | 'colon' }

/**
 * Follows the steps through the whole text; false if it does not fit. `found` receives each number at its slot; for the
 * offset, the position where it begins.
 */
export function scanDate(steps: readonly ScanStep[], text: string, found: Int32Array): boolean {
  let at = 0
  for (let index = 0; index < steps.length; index++) {
    const step = steps[index]!
    if (step.kind === 'number') {
      let number = 0
      const start = at
      const stop = Math.min(at + step.most, text.length)
      for (; at < stop; at++) {
        const digit = text.charCodeAt(at) - 48
        if (digit < 0 || digit > 9) break
        number = number * 10 + digit
      }
      if (at - start < step.least) return false
      found[step.slot] = number
    } else if (step.kind === 'character') {
      const code = text.charCodeAt(at++)
      if (code !== step.code && !isOtherCase(code, step.code)) return false
    } else if (step.kind === 'space') {
      const start = at
      while (at < text.length && isSpace(text.charCodeAt(at))) at++
      if (at === start) return false
    } else {
      found[step.slot] = at
      at = endOfOffset(text, at, step.form)
      if (at === -1) return false
    }
  }
  return at === text.length
}

/** The step for a character that matches only itself; undefined if a regular expression accepts other spellings of it. */
export function characterStep(character: string): ScanStep | undefined {
  // Unicode treats the long s as an s and the Kelvin sign as a k.
  if (!/^[!-~]$/.test(character) || /[\dskSK]/.test(character)) return undefined
  return { kind: 'character', code: character.charCodeAt(0) }
}

function isOtherCase(code: number, wanted: number): boolean {
  const small = wanted | 32
  return small >= 97 && small <= 122 && (code | 32) === small && code < 128
}

function isSpace(code: number): boolean {
  return code === 32 || (code >= 9 && code <= 13) || (code > 127 && /\s/.test(String.fromCharCode(code)))
}

function isDigit(text: string, at: number): boolean {
  const code = text.charCodeAt(at)
  return code >= 48 && code <= 57
}

/** Where Z, +12, +1200 or +12:00 ends; -1 if there is none. */
function endOfOffset(text: string, at: number, form: 'any' | 'colon'): number {
  const first = text.charCodeAt(at)
  if ((first | 32) === 122) return at + 1
  if ((first !== 43 && first !== 45) || !isDigit(text, at + 1) || !isDigit(text, at + 2)) return -1
  const hasColon = text.charCodeAt(at + 3) === 58
  const minutes = hasColon ? at + 4 : at + 3
  if (isDigit(text, minutes) && isDigit(text, minutes + 1) && (hasColon || form === 'any')) return minutes + 2
  return form === 'any' ? at + 3 : -1
}
