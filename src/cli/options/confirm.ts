/** Asks a person for a yes before something that is hard to take back. */

import { createInterface } from 'node:readline/promises'
import { WindrowError } from '../../core/error.ts'
import { flag, type Input, type OptionSpec, type Surroundings } from './command.ts'

export const yesOption: OptionSpec = { flags: '--yes', description: 'do it without asking' }

/** True with --yes, or when the person says yes. Throws 'option-invalid' where nobody can be asked; `hint` says what to do. */
export async function isConfirmed(
  { what, question, hint }: { readonly what: string; readonly question: string; readonly hint: string },
  input: Input,
  { stdin, terminal, signal }: Surroundings,
): Promise<boolean> {
  if (flag(input, 'yes')) return true
  if (stdin.isTTY !== true)
    throw new WindrowError(
      'option-invalid',
      `${what} asks first, and there is no terminal to ask in. Nothing was changed.`,
      { hint },
    )
  terminal.err.write(`${question} Type y or n: `)
  using lines = createInterface({ input: stdin, signal })
  for await (const line of lines) return /^\s*y(es)?\s*$/i.test(line)
  return false
}
