/** Reads the options of a tool; a wrong one ends it with a sentence and exit status 2. */

import { parseArgs, type ParseArgsOptionsConfig } from 'node:util'

/** The values of the options that the tool knows. */
export function readOptions<const Options extends ParseArgsOptionsConfig>(options: Options) {
  try {
    return parseArgs({ options }).values
  } catch (cause) {
    const known = Object.keys(options).map((name) => `--${name}`)
    return refuse(`${(cause as Error).message}. The options are ${known.join(', ')}.`)
  }
}

/** The value of an option as a whole number above 0. */
export function countOf(name: string, text: string): number {
  const number = Number(text)
  return Number.isInteger(number) && number > 0
    ? number
    : refuse(`--${name} needs a whole number above 0, not "${text}".`)
}

/** Ends the tool. */
export function refuse(sentence: string): never {
  console.error(sentence)
  process.exit(2)
}
