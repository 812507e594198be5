/** Writes what happens as log lines on standard error: text, or one JSON object a line. */

import { machineZone } from '../../mapping/zones.ts'
import { zoneClock } from '../../resources/date-time.ts'
import { choice, type Input, type OptionSpec, type Surroundings } from '../options/command.ts'
import { plain, type Terminal } from '../screen/terminal.ts'

export const logOption: OptionSpec = {
  flags: '--log <FORMAT>',
  description: 'write only log lines, on standard error: text or json, each with the pipeline and the run it is about',
  choices: ['text', 'json'],
}

export type LogLine = {
  readonly level: 'info' | 'warning' | 'error'
  readonly message: string
  readonly pipeline?: string | undefined
  readonly run?: string | undefined
  readonly [more: string]: unknown
}

/** `line` writes a line; `terminalOf` makes a terminal whose error output becomes lines about a pipeline, and whose other output is dropped. */
export type Log = { line(line: LogLine): void; terminalOf(pipeline?: string): Terminal }

export function logOf(input: Input, { terminal, clock }: Surroundings): Log | undefined {
  const format = choice(input, 'log', ['text', 'json'])
  if (format === undefined) return undefined
  const line = ({ level, message, pipeline, run, ...more }: LogLine): void => {
    const at = clock().toISOString()
    const names = [pipeline, run].filter((name) => name !== undefined)
    const written =
      format === 'json'
        ? JSON.stringify({ at, level, pipeline, run, message, ...more })
        : plain([localTime(at), level.padEnd(7), ...names, message].join('  '))
    terminal.err.write(`${written}\n`)
  }
  return {
    line,
    terminalOf: (pipeline) => ({
      out: { write: () => undefined },
      err: {
        write(text) {
          for (const message of text.split('\n')) if (message.trim() !== '') line({ level: 'info', pipeline, message })
        },
      },
    }),
  }
}

/** A moment as the clock of this machine shows it, with its offset. */
function localTime(moment: string): string {
  const local = zoneClock(machineZone())(moment) ?? moment
  return local.replace('T', ' ').replace(/\.\d+/, '')
}
