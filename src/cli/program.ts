/** Parses the command line with commander and calls the command. */

import { Command as Parser, CommanderError, Option } from 'commander'
import { WindrowError } from '../core/error.ts'
import { specsOf, type Command, type CommandEntry, type Input, type Surroundings } from './options/command.ts'

/** Parses the words after `windrow` and runs the command they name. Returns its exit status. */
export async function runProgram(
  argv: readonly string[],
  commands: readonly CommandEntry[],
  surroundings: Surroundings,
  version: string,
): Promise<number> {
  if (surroundings.platform === 'win32') checkWords(argv)
  let exit = 0
  const program = makeProgram(commands, version, async (command, input) => {
    exit = (await command.run({ ...surroundings, ...input })) ?? 0
  })
  directOutput(program, surroundings)
  const isHelp = argv.length === 0 || argv[0] === 'help'
  try {
    await program.parseAsync(isHelp ? [...argv.slice(1), '--help'] : [...argv], { from: 'user' })
    return exit
  } catch (cause) {
    if (cause instanceof CommanderError && cause.exitCode === 0) return 0
    throw cause
  }
}

/** Windows takes \" for a quote in a word, so that "C:\my farm\" goes on to the next quote; no name there has one. */
function checkWords(argv: readonly string[]): void {
  const [folder] = argv.find((each) => /\\[^"]*"/.test(each))?.split('"') ?? []
  if (folder === undefined) return
  throw new WindrowError('option-invalid', `Windows took "${folder}" and what follows it for one word.`, {
    hint: 'A backslash before a closing quote keeps the word open: leave it out at the end of a folder.',
  })
}

function directOutput(parser: Parser, surroundings: Surroundings): void {
  const { terminal } = surroundings
  for (const each of parser.commands) directOutput(each, surroundings)
  const failWithUsage = (cause: CommanderError): never => {
    if (cause.exitCode === 0) throw cause
    const message = cause.message
      .replace(/^error: /, '')
      // commander's word for a command that has only commands.
      .replace(
        /^\(outputHelp\)$/,
        () => `The command is missing. Choose one of: ${parser.commands.map((each) => each.name()).join(', ')}.`,
      )
      .replace(
        /^missing required argument 'what'$/,
        () => `The kind of record is missing. Choose one of: ${parser.registeredArguments[0]!.description}.`,
      )
      .replace(/^missing required argument '(.+)'$/, 'The $1 is missing.')
      .replace(/^./, (first) => first.toUpperCase())
    throw new WindrowError('option-invalid', message, { hint: `${keyMeant(cause, parser)}${usageOf(parser)}`, cause })
  }
  parser.exitOverride(failWithUsage).configureOutput({
    writeOut: (text) => void terminal.out.write(text),
    writeErr: () => undefined,
    getOutHelpWidth: () => terminal.out.columns ?? 100,
  })
}

/** Where a word of a key was typed as an option, how to set the key. */
function keyMeant({ message }: CommanderError, parser: Parser): string {
  const [, option] = /unknown option '--([\w-]+)/.exec(message) ?? []
  const end = option === undefined ? undefined : `${option.replaceAll('-', '').toLowerCase()}=`
  const key = keysOf.get(parser)?.find((each) => each.slice(each.lastIndexOf('.') + 1).toLowerCase() === end)
  return key === undefined ? '' : `It is a setting: --set ${key}VALUE\n`
}

function usageOf(parser: Parser): string {
  const usage = `Usage: ${parser.createHelp().commandUsage(parser)}`
  const [example] = examplesOf.get(parser) ?? []
  return `${usage}${example === undefined ? '' : `\nExample: ${example}`}\nMore: windrow help${parser.parent === null ? '' : ` ${wordsOf(parser)}`}`
}

/** The words that call a command, without windrow itself. */
function wordsOf(parser: Parser): string {
  return parser.parent?.parent ? `${wordsOf(parser.parent)} ${parser.name()}` : parser.name()
}

const examplesOf = new WeakMap<Parser, readonly string[]>()

/** What may be behind --set. */
const keysOf = new WeakMap<Parser, readonly string[]>()

export function helpOf(command: CommandEntry): string {
  const program = makeProgram([command], '', () => Promise.resolve())
  const [parser] = program.commands
  return parser!.configureHelp({ helpWidth: 100 }).helpInformation()
}

type Runner = (command: Command, input: Input) => Promise<void>

function makeProgram(entries: readonly CommandEntry[], version: string, run: Runner): Parser {
  const program = new Parser('windrow')
    .description('Gets farm records into and out of an agricultural data service.')
    .version(version, '-v, --version', 'print the version')
    .helpOption('-h, --help', 'print help')
    .helpCommand(false)
    .addHelpText('after', helpEnd)
  for (const entry of entries) addEntry(program, entry, run)
  return program
}

function addEntry(above: Parser, entry: CommandEntry, run: Runner): void {
  const parser = above.command(entry.name).description(entry.summary).helpCommand(false)
  if ('parts' in entry) for (const part of entry.parts) addEntry(parser, part, run)
  else declare(parser, entry, run)
}

function declare(parser: Parser, command: Command, run: Runner): void {
  const names = Object.keys(command.words)
  for (const each of specsOf(command.words)) {
    const name = each.many === true ? `${each.name}...` : each.name
    parser.argument(each.optional === true ? `[${name}]` : `<${name}>`, each.description)
  }
  for (const each of specsOf(command.options)) parser.addOption(optionOf(each))
  if (command.examples.length > 0)
    parser.addHelpText('after', `\nExamples:\n${command.examples.map((each) => `  ${each}`).join('\n')}`)
  examplesOf.set(parser, command.examples)
  keysOf.set(parser, specsOf(command.options).find(({ name }) => name.startsWith('--set '))?.choices ?? [])
  parser.action(async (...given: readonly (string | readonly string[] | undefined)[]) => {
    const words = Object.fromEntries(names.map((name, index) => [name, [given[index] ?? []].flat()]))
    await run(command, { words, options: parser.opts() })
  })
}

/** An option; commander itself would silently keep the last of several values. */
function optionOf({ name, description, many }: ReturnType<typeof specsOf>[number]): Option {
  const option = new Option(name, description)
  // commander would call --dry-run dryRun.
  option.attributeName = () => option.name()
  if (many === true) return option.argParser((value, before?: readonly string[]) => [...(before ?? []), value])
  if (!option.required && !option.optional) return option
  return option.argParser((value, before?: string) => {
    if (before === undefined || before === value) return value
    throw new WindrowError('option-invalid', `--${option.name()} is given twice: "${before}" and "${value}".`, {
      hint: 'Write it once.',
    })
  })
}

const helpEnd = `
A setting such as  geometry.repair: 3 %  is a line of a pipeline file, or --set "geometry.repair=3 %" on the command line.

Exit status: 0 done; 1 windrow itself failed; 2 the file, options or pipeline cannot be used;
3 done, but some rows were rejected, refused or are not yet visible; 4 service unreachable, run again later;
5 the service refuses the account; 6 a limit stopped the run, nothing was sent; 130, 143 stopped, run again to continue.

Try it without an account:  windrow serve --demo`
