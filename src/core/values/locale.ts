/** Finds how numbers are written where a language is spoken. */

import { WindrowError } from '../error.ts'

/** The decimal separator of a locale such as de or en-NZ. Throws for a locale that does not exist: it would count as English. */
export function decimalOf(locale: string): string | undefined {
  if (!isLocale(locale))
    throw new WindrowError('option-invalid', `"${locale}" is not a locale.`, {
      hint: 'Write a language, or a language and a country, such as de, de-DE or en-NZ.',
    })
  const parts = new Intl.NumberFormat(locale, { numberingSystem: 'latn' }).formatToParts(1.5)
  return parts.find(({ type }) => type === 'decimal')?.value
}

function isLocale(locale: string): boolean {
  try {
    return Intl.NumberFormat.supportedLocalesOf(locale).length > 0
  } catch {
    return false
  }
}
