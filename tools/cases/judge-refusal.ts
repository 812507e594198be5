/** Recognises an expected error, which each collection names differently, in windrow's messages. */

import type { WindrowError } from '../../src/core/error.ts'
import type { Case } from './case.ts'
import type { Judgement } from './judgement.ts'
import { problemsOf, type Observation } from './observe.ts'

/** The windrow words for names of errors: codes of errors or problems, or words of the message. */
const meanings: readonly { readonly name: RegExp; readonly said: RegExp }[] = [
  { name: /PASSWORD|ENCRYPT/, said: /password|encrypt|protected/i },
  { name: /UNSUPPORTED|UNKNOWN_FORMAT|SHP_MISSING|NO_SHP|ISOXML/, said: /format-unknown|file-missing|file-unreadable/ },
  { name: /ZIP/, said: /file-damaged|format-unknown|archive-unsafe|file-truncated|file-too-large/ },
  { name: /JSON/, said: /file-damaged|row-unreadable|file-truncated|format-unknown/ },
  { name: /TRUNCATED/, said: /file-truncated|file-damaged/ },
  { name: /CRS/, said: /crs-|coordinate-out-of-range/ },
  { name: /NOT_CLOSED|UNCLOSED_RING/, said: /boundary-open/ },
  { name: /QUOTE/, said: /quote-unclosed|file-damaged/ },
  { name: /INTERSECT|INVALID_GEOM|KINK/, said: /boundary-|geometry-|coordinate-/ },
  { name: /OUT_OF_RANGE|SWAPPED/, said: /coordinate-out-of-range|crs-unknown/ },
  { name: /EMPTY/, said: /file-empty|file-damaged/ },
  { name: /ENCODING/, said: /encoding-/ },
  { name: /BOMB|TOO_LARGE|LIMIT|TRAVERSAL|UNSAFE/, said: /file-|archive-unsafe|format-unknown|row-unreadable/ },
]

/** One report about a file or a row; `isRefusing` when something is rejected for it. */
export type Reported = { readonly code: string; readonly text: string; readonly isRefusing: boolean }

/** All reports. */
export function reportsOf({ refusal, layers }: Observation): readonly Reported[] {
  const errors = [refusal, ...layers.map(({ crsRefusal }) => crsRefusal)].filter((each) => each !== undefined)
  return [
    ...errors.map((error) => ({ code: error.code, text: textOf(error), isRefusing: true })),
    ...layers.flatMap(problemsOf).map(({ code, message, hint, severity }) => ({
      code,
      text: `${message} ${hint ?? ''}`,
      isRefusing: severity === 'error',
    })),
  ]
}

function textOf({ message, hint }: WindrowError): string {
  return `${message} ${hint ?? ''}`
}

/**
 * Checks that a file was refused, or its faults reported in place. A refusal must say in a sentence what is wrong and what to do.
 */
export function judgeRefusal(judgement: Judgement, { expectedError = '' }: Case, observation: Observation): void {
  const { refusal } = observation
  const reported = reportsOf(observation)
  const refusing = reported.filter(({ isRefusing }) => isRefusing)
  judgement.check(refusing.length > 0, `it was read without any report, expected ${expectedError}`)
  if (refusal !== undefined) {
    judgement.check(refusal.message.length >= 20, `the refusal explains nothing: "${refusal.message}"`)
    judgement.check(refusal.hint !== undefined, `the refusal does not say what to do: "${refusal.message}"`)
  }
  const meaning = meaningOf(expectedError)
  if (meaning === undefined) judgement.remark(`The name of the expected error is unknown here; any refusal is enough.`)
  else if (refusing.length > 0)
    judgement.check(
      refusing.some(({ code, text }) => meaning.test(`${code} ${text}`) || speaksOf(expectedError, text)),
      `it was refused for another reason (${refusing[0]!.code}: ${refusing[0]!.text.trim()}), expected ${expectedError}`,
    )
}

/** True when a sentence has a word of the error's name in it. */
function speaksOf(expectedError: string, text: string): boolean {
  const words = /^[A-Z_]+/.exec(expectedError)?.[0].split('_') ?? []
  return words.some((word) => word.length > 3 && text.toUpperCase().includes(word))
}

/** True when the expected error was reported at all, even as a warning. */
export function isReported({ expectedError = '' }: Case, observation: Observation): boolean {
  const meaning = meaningOf(expectedError) ?? /./
  return reportsOf(observation).some(({ code, text }) => meaning.test(`${code} ${text}`))
}

function meaningOf(expectedError: string): RegExp | undefined {
  const [name = ''] = expectedError.split(/\bor\b|\bunless\b|:/)
  return meanings.find((each) => each.name.test(name))?.said
}
