/** Asks questions in a terminal, until each answer can be used, or for a yes. */

import { createInterface } from 'node:readline/promises'
import { Writable } from 'node:stream'
import { WindrowError } from '../../core/error.ts'
import { flag, text, type Call, type Specs } from './command.ts'
import { inform } from '../screen/terminal.ts'

/** Throws a WindrowError where an answer cannot be used. */
export type Check = (answer: string) => unknown

/** Starts asking. Questions go to standard error. */
export function asker(call: Call) {
  const { stdin, terminal, signal } = call
  const isPerson = stdin.isTTY === true && !flag(call, 'secret-stdin')
  let isMuted = false
  const echo = new Writable({
    write(chunk: Buffer, _encoding, done) {
      if (!isMuted) terminal.err.write(chunk.toString())
      done()
    },
  })
  const lines = createInterface({ input: stdin, output: echo, terminal: isPerson, signal })
  const waiting = lines[Symbol.asyncIterator]()
  const next = async (question: string): Promise<string> => {
    if (isPerson) terminal.err.write(`${question}: `)
    const line = await waiting.next()
    if (line.done !== true) return line.value
    // Ctrl-C and Ctrl-D end the input, which would answer all further questions with nothing.
    if (!isPerson) return ''
    terminal.err.write('\n')
    throw new WindrowError('interrupted', 'Stopped before all questions were answered. Nothing was saved or sent.')
  }
  return {
    /** The option's text, else the answer of the person, who is asked until it can be used. */
    async open(
      option: string,
      question: string,
      {
        usual = '',
        example = '',
        check,
      }: { readonly usual?: string | undefined; readonly example?: string; readonly check?: Check },
    ): Promise<string> {
      const please = `Please type an answer${example === '' ? '' : `, such as ${example}`}, or Ctrl-C to stop.`
      const given = text(call, option)
      if (given !== undefined) {
        if (given.trim() === '') throw new WindrowError('option-invalid', `--${option} is empty.`)
        await check?.(given)
        return given
      }
      if (!isPerson)
        throw new WindrowError('option-invalid', `--${option} is missing, and there is no terminal to ask on.`, {
          hint: `Add it${example === '' ? '' : `, such as --${option} ${example}`}. See windrow help connect.`,
        })
      for (;;) {
        const answer = (await next(question)).trim() || usual
        const fault = answer === '' ? please : await faultOf(answer, check)
        if (fault === undefined) return answer
        inform(terminal, fault)
      }
    },
    async hidden(question: string, { mayBeEmpty }: { readonly mayBeEmpty: boolean }): Promise<string> {
      for (;;) {
        const answer = next(question)
        isMuted = true
        const secret = await answer
        isMuted = false
        if (isPerson) terminal.err.write('\n')
        if (secret !== '' || mayBeEmpty) return secret
        if (!isPerson)
          throw new WindrowError('option-invalid', 'Standard input contains no password.', {
            hint: 'Put the password on the first line and the client secret, if you have one, on the second.',
          })
        inform(terminal, 'Please type an answer, or Ctrl-C to stop.')
      }
    },
    [Symbol.dispose]: () => lines.close(),
  }
}

async function faultOf(answer: string, check: Check | undefined): Promise<string | undefined> {
  try {
    await check?.(answer)
    return undefined
  } catch (cause) {
    if (!(cause instanceof WindrowError)) throw cause
    return `${cause.message} ${cause.hint ?? ''}`
  }
}

export const yesOption: Specs = { '--yes': 'do it without asking' }

/** True with --yes, or when the person says yes. Throws 'option-invalid' where nobody can be asked; `hint` says what to do. */
export async function isConfirmed(
  { what, question, hint }: { readonly what: string; readonly question: string; readonly hint: string },
  call: Call,
): Promise<boolean> {
  const { stdin, terminal, signal } = call
  if (flag(call, 'yes')) return true
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
