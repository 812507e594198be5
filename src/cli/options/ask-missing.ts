/** Asks in a terminal for the choices that are missing, or lists them all in one message. */

import { WindrowError } from '../../core/error.ts'
import { quoted } from '../../core/setting-text.ts'
import { withoutSecrets } from '../../core/sources/web-address.ts'
import { findMissing, type Missing } from '../../pipeline/inspect/missing-choices.ts'
import { placeOfFarm } from '../../pipeline/prepare/holding-place.ts'
import { asker } from './asker.ts'
import { flag, word, type Call, type Input, type Surroundings } from './command.ts'
import { datesOf, oneOffOf, zoneOf, type OneFile } from './reading.ts'
import { statePlace } from './reach.ts'
import { inform, plain, say } from '../screen/terminal.ts'

type Finding = AsyncGenerator<Missing, void, string | undefined>

/** True where somebody can answer: input and output are a terminal, and the result is not for a program. */
export function canAsk(call: Call): boolean {
  const { stdin, terminal } = call
  return stdin.isTTY === true && terminal.out.isTTY === true && !flag(call, 'json')
}

const missingCodes: readonly string[] = ['layer-unclear', 'holding-missing', 'key-missing', 'crs-unknown']

/** True for the failure of a file about which something must be chosen. */
export function isChoiceMissing(cause: unknown): cause is WindrowError {
  return cause instanceof WindrowError && missingCodes.includes(cause.code)
}

/** The connection as one of the missing choices. Throws what is no missing connection. */
export function connectionMissing(cause: unknown): Missing {
  if (!(cause instanceof WindrowError) || cause.code !== 'connection-missing' || 'missing' in cause.data) throw cause
  const names = (cause.data['connections'] ?? []) as readonly string[]
  return {
    option: 'connection',
    question: 'Which service?',
    choices: names.map((value) => ({ value, note: '' })),
    otherwise: 'none is saved yet; first run: windrow connect ADDRESS',
    refusal: cause,
    read: (answer) => answer,
  }
}

/** Looks for the missing choices about an opened file. */
export async function findingOf(call: Call, about: OneFile): Promise<Finding> {
  const { reading, connection } = about
  const { signal } = call
  const place = statePlace(call)
  return findMissing(reading.opened, await oneOffOf(call, about), {
    dates: datesOf(call),
    saidZone: zoneOf(call),
    connection,
    signal,
    async findNear(plan) {
      const { near, findNear } = placeOfFarm(plan, place, connection, signal)
      return near ?? findNear?.()
    },
  })
}

/** Asks for each missing choice, and shows the command that does the same without asking. Returns the completed input. */
export async function askMissing(command: string, finding: Finding, call: Call): Promise<Call> {
  using ask = asker(call)
  const answers: Record<string, string | readonly string[]> = {}
  let { value: missing, done } = await finding.next()
  while (missing && done !== true) {
    const answer = await askOne(missing, ask, call)
    answers[missing.option] = missing.option === 'key' ? [answer] : answer
    ;({ value: missing, done } = await finding.next(answer))
  }
  if (Object.keys(answers).length === 0) return call
  const answered = { ...call, options: { ...call.options, ...answers } }
  say(call.terminal, '', plain(`Next time: ${commandLine(command, answered)}`), '')
  return answered
}

async function askOne(
  { option, question, choices, suggestion, remark, otherwise, read }: Missing,
  ask: ReturnType<typeof asker>,
  { terminal }: Surroundings,
): Promise<string> {
  const width = Math.max(0, ...choices.map(({ value }) => value.length))
  const listed = choices.map(({ value, note }, at) => `  ${at + 1}  ${value.padEnd(width)}  ${note}`.trimEnd())
  inform(terminal, question, ...listed, ...(remark === undefined ? [] : [remark]))
  const meant = (answer: string): string => choices[Number(answer) - 1]?.value ?? answer
  // A name wins over a number in the list: a farm or column may be called 2.
  const settled = (answer: string): string => {
    try {
      return read(answer)
    } catch (cause) {
      if (meant(answer) === answer) throw cause
      return read(meant(answer))
    }
  }
  const shown = suggestion ?? (choices.length === 0 ? otherwise : '')
  const answer = await ask.open(option, `${wordsFor[option].prompt}${shown === '' ? '' : ` [${plain(shown)}]`}`, {
    usual: suggestion,
    check: settled,
  })
  return settled(answer)
}

const mostShown = 5

/** How each choice is asked for, and what stands for it in a command. */
const wordsFor: Readonly<Record<Missing['option'], { readonly prompt: string; readonly placeholder: string }>> = {
  connection: { prompt: 'Connection', placeholder: 'NAME' },
  layer: { prompt: 'Layer', placeholder: 'NAME' },
  holding: { prompt: 'Farm', placeholder: 'SCHEME:ID' },
  key: { prompt: 'Key', placeholder: 'COLUMN' },
  crs: { prompt: 'System', placeholder: 'EPSG:CODE' },
  dates: { prompt: 'Dates', placeholder: 'PATTERN' },
}

/** The one error that lists everything that is missing; an error of its own where only one thing is. */
export async function listMissing(
  command: string,
  finding: Finding,
  input: Input,
  first: readonly Missing[] = [],
): Promise<WindrowError | undefined> {
  const all = [...first]
  for await (const each of finding) all.push(each)
  const [only, ...others] = all.filter(({ refusal }) => refusal !== undefined)
  if (only === undefined || others.length === 0) return only?.refusal
  const lines = all.map(({ option, choices, suggestion, remark, otherwise }) => {
    const named = choices.slice(0, mostShown).map(({ value, note }) => {
      const why = [note, value === suggestion ? 'suggested' : ''].filter((each) => each !== '').join('; ')
      return `${quoted(value)}${why === '' ? '' : ` (${why})`}`
    })
    const more = choices.length > mostShown ? ` or ${choices.length - mostShown} more` : ''
    return `  ${`--${option}`.padEnd(12)} ${named.length === 0 ? otherwise : `${named.join(' or ')}${more}`}${remark === undefined ? '' : `. ${remark}`}`
  })
  // A farm or a connection is never proposed: a command that is copied would send the records there.
  const usual = Object.fromEntries(
    all
      .filter(({ option, choices }) => option !== 'connection' || choices.length > 0)
      .map(({ option, suggestion }) => [option, suggestion ?? wordsFor[option].placeholder]),
  )
  const suggested = commandLine(command, { ...input, options: { ...input.options, ...usual } })
  return new WindrowError(
    'choices-missing',
    [`${all.length} choices are missing for "${fileOf(input)}". Add these options:`, ...lines].join('\n'),
    {
      hint: `Check each. The command is then:\n  ${suggested}`,
      data: {
        missing: all.map(({ option, question, choices, suggestion }) => ({ option, question, choices, suggestion })),
      },
    },
  )
}

/** The file as it was typed; a web address may contain a password. */
const fileOf = (input: Input): string => withoutSecrets(word(input, 'file'))

/** The command line for this input, without what a program only adds to it. */
function commandLine(command: string, input: Input): string {
  const given = Object.entries(input.options)
    .filter(([name, value]) => value !== undefined && value !== false && !(command === 'plan' && name === 'dry-run'))
    .flatMap(([name, value]) =>
      value === true ? [`--${name}`] : [value].flat().map((each) => `--${name} ${quoted(String(each))}`),
    )
  return [`windrow ${command}`, quoted(fileOf(input)), ...given].join(' ')
}
