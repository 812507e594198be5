/** Writes plain text and a progress line to a terminal, without control characters from files. */

import { styleText } from 'node:util'
import type { Environment } from '../../core/environment.ts'
import { plural } from '../../core/values/plural.ts'

/**
 * Where a command writes. With --json it writes JSON to `out` and everything else to `err`. `arrived` waits until all that was written to
 * `out` is there: false where its reader closed it early. It throws where the disk is full.
 */
export type Terminal = {
  readonly out: { write(text: string): unknown; readonly isTTY?: boolean; readonly columns?: number }
  readonly err: { write(text: string): unknown; readonly isTTY?: boolean; readonly columns?: number }
  readonly arrived?: () => Promise<boolean>
}

type Tone = 'bold' | 'dim' | 'red' | 'yellow' | 'green'

/** Writes lines to standard output. */
export function say(terminal: Terminal, ...lines: readonly string[]): void {
  terminal.out.write(`${lines.join('\n')}\n`)
}

/** Writes sentences to standard error: they do not mix with what a command prints for programs. */
export function inform(terminal: Pick<Terminal, 'err'>, ...sentences: readonly string[]): void {
  for (const sentence of sentences) terminal.err.write(`${plain(sentence)}\n`)
}

/** Makes the function that colours text where standard output is a terminal and NO_COLOR is not set. */
export function painter(terminal: Terminal): (tone: Tone, text: string) => string {
  const env: Environment = process.env
  const paints = terminal.out.isTTY === true && !env['NO_COLOR']
  return (tone, text) => (paints ? styleText(tone, text, { validateStream: false }) : text)
}

/** Removes control characters, which a terminal would obey instead of show: names in files are data. */
export function plain(text: string): string {
  return text
    .replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g, '')
    .replace(/[\t\n]/g, ' ')
}

/** A line on standard error, redrawn at most ten times a second; nothing where there is no terminal. */
export function startProgress({ terminal, clock }: { readonly terminal: Terminal; readonly clock: () => Date }) {
  const isShown = terminal.err.isTTY === true
  let last = 0
  let drawn = false
  return {
    show(text: string): void {
      if (!isShown || clock().getTime() - last < 100) return
      last = clock().getTime()
      drawn = true
      terminal.err.write(`\r\u001b[K${plain(text).slice(0, (terminal.err.columns ?? 80) - 1)}`)
    },
    [Symbol.dispose](): void {
      if (drawn) terminal.err.write('\r\u001b[K')
      drawn = false
    },
  }
}

/** A number, or a text with one, with thin spaces between thousands. */
export function count(number: number | string): string {
  return String(number).replace(/\B(?=(\d{3})+(?!\d))/g, '\u202f')
}

/** Such as "1 row" or "12 rows", with thin spaces too. */
export function counted(number: number, one: string, several?: string): string {
  return count(plural(number, one, several))
}
