/** Declares a command. Help, documentation and parsing all come from this declaration. */

import type { Readable } from 'node:stream'
import type { Environment } from '../../core/environment.ts'
import { WindrowError } from '../../core/error.ts'
import type { Terminal } from '../screen/terminal.ts'

/** Everything outside that a command uses; commands use no globals. */
export type Surroundings = {
  readonly terminal: Terminal
  readonly stdin: Readable & { readonly isTTY?: boolean }
  readonly env: Environment
  readonly platform: NodeJS.Platform
  readonly folder: string
  readonly clock: () => Date
  readonly sleep: (ms: number, signal?: AbortSignal) => Promise<void>
  readonly fetch: typeof fetch
  readonly random: () => number
  readonly signal: AbortSignal
}

/** The clock, the signal to stop, and a sleep that this signal ends. */
export function timing({ clock, sleep, signal }: Pick<Surroundings, 'clock' | 'sleep' | 'signal'>) {
  return { clock, signal, sleep: (ms: number): Promise<void> => sleep(ms, signal) }
}

/** The words typed after a command: `words` by the argument's name, `options` by the long name without dashes. */
export type Input = {
  readonly words: Readonly<Record<string, readonly string[]>>
  readonly options: Readonly<Record<string, string | boolean | readonly string[] | undefined>>
}

/** What a command works with: what was typed, and everything outside. */
export type Call = Input & Surroundings

/**
 * What an argument or an option is for. It may be given twice only if it is `many`; only an argument can be `optional`. `choices` are
 * the words that a shell offers to complete.
 */
type Spec = {
  readonly description: string
  readonly many?: boolean
  readonly optional?: boolean
  readonly choices?: readonly string[]
}

/** What arguments are for, by their names; or options, by their flags as shown in the help: '-o, --out <FILE>' or '--json'. */
export type Specs = Readonly<Record<string, string | Spec>>

/** A command without its name and summary, which are listed in commands.ts. */
export type CommandSpec = {
  readonly words: Specs
  readonly options: Specs
  readonly examples: readonly string[]
  /** True for a command that ends when it is stopped, so that being stopped is no failure. */
  readonly runsUntilStopped?: true
  /** The exit status; 0 for a command that returns nothing. */
  run(call: Call): Promise<number | void>
}

/** A first word with commands below it: `windrow service` has `changes`, `webhooks` and more. */
export type GroupParts = { readonly parts: readonly CommandEntry[] }

type Named = { readonly name: string; readonly summary: string }
export type Command = Named & CommandSpec
export type CommandGroup = Named & GroupParts
export type CommandEntry = Command | CommandGroup

/** The arguments or options as a list; `name` are the flags of an option. */
export function specsOf(specs: Specs): readonly (Spec & { readonly name: string })[] {
  return Object.entries(specs).map(([name, spec]) => ({
    name,
    ...(typeof spec === 'string' ? { description: spec } : spec),
  }))
}

/** Every command among these entries, with the words that call it. */
export function everyCommand(entries: readonly CommandEntry[]): readonly { words: string; command: Command }[] {
  return entries.flatMap((entry) =>
    'parts' in entry
      ? everyCommand(entry.parts).map(({ words, command }) => ({ words: `${entry.name} ${words}`, command }))
      : [{ words: entry.name, command: entry }],
  )
}

/** The value of a required argument; the parser refuses a command line without it. */
export function word({ words }: Input, name: string): string {
  return words[name]![0]!
}

/** An option's text; undefined when it was not given. */
export function text(input: Input, name: string): string | undefined {
  const value = input.options[name]
  return typeof value === 'string' ? value : undefined
}

/** The texts of an option that may be given several times. */
export function texts(input: Input, name: string): readonly string[] {
  const value = input.options[name]
  return typeof value === 'object' ? value : []
}

/** Whether an option without a value was given. */
export function flag(input: Input, name: string): boolean {
  return input.options[name] === true
}

/** An option that must be one of a few words. Throws a WindrowError that lists them. */
export function choice<Word extends string>(input: Input, name: string, allowed: readonly Word[]): Word | undefined {
  const given = text(input, name)
  const found = allowed.find((each) => each === given)
  if (given !== undefined && found === undefined)
    throw new WindrowError('option-invalid', `--${name} cannot be "${given}".`, {
      hint: `Use one of: ${allowed.join(', ')}.`,
    })
  return found
}

/** An option that must be a whole number within bounds. */
export function wholeNumber(
  input: Input,
  name: string,
  bounds: { readonly from: number; readonly to: number },
): number | undefined {
  const given = text(input, name)
  if (given === undefined) return undefined
  const number = Number(given)
  if (!/^\d+$/.test(given) || number < bounds.from || number > bounds.to)
    throw new WindrowError('option-invalid', `--${name} cannot be "${given}".`, {
      hint: `Use a whole number from ${bounds.from} to ${bounds.to}.`,
    })
  return number
}

export const jsonOption: Specs = { '--json': 'print the result as JSON' }
export const connectionOption: Specs = {
  '--connection <NAME>': 'the saved connection to use; windrow connect saves one',
}
export const stateOption: Specs = {
  '--state <FOLDER>': 'the folder where windrow keeps its ledger (what was sent) and past runs',
}
export const storeOption: Specs = {
  '--store <ADDRESS>':
    'the PostgreSQL database to keep the ledger in, for many machines: postgres://user@host/database (default: WINDROW_STORE)',
}
/** For commands that ask the service and know what was sent. */
export const usualOptions: Specs = { ...connectionOption, ...stateOption, ...storeOption, ...jsonOption }
