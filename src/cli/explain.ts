/** Runs `windrow explain`: what a code or an exit status means, why windrow does that, and what to do. */

import { errorCodes, exitCodes, WindrowError } from '../core/error.ts'
import { errorExplanations, exitExplanations, problemExplanations } from '../core/explanations.ts'
import { problemCodes } from '../core/problem.ts'
import { allDeciders, allRules, partsOf } from '../rules/index.ts'
import { nearest } from '../core/values/nearest.ts'
import type { CommandSpec } from './options/command.ts'
import { painter, say, type Terminal } from './screen/terminal.ts'

const allCodes = [
  ...new Set([
    ...Object.values(exitCodes).map(String),
    ...Object.keys(errorCodes),
    ...allRules.map(({ id }) => id),
    ...allDeciders.map(({ id }) => id),
    ...Object.keys(problemCodes),
  ]),
]

export const explain: CommandSpec = {
  words: {
    code: {
      description: 'a code of a report, or an exit status (default: list all)',
      optional: true,
      choices: allCodes,
    },
  },
  options: {},
  examples: ['windrow explain boundary-crosses-itself', 'windrow explain 6'],
  async run(call) {
    const { terminal } = call
    const [code] = call.words['code'] ?? []
    say(terminal, ...(code === undefined ? listLines(terminal) : codeLines(code.toLowerCase(), terminal)))
  },
}

/** All codes under their headings. */
function codesByHeading() {
  return {
    'Exit statuses': Object.entries(exitExplanations).map(([name, { meaning, paragraph }]) => ({
      code: String(exitCodes[name as keyof typeof exitCodes]),
      kind: 'exit status',
      meaning: meaning.replaceAll('`', ''),
      paragraph,
    })),
    'Why a run stops': Object.entries(errorExplanations).map(([name, paragraph]) => {
      const { exit, meaning } = errorCodes[name as keyof typeof errorCodes]
      return { code: name, kind: `stops the run, exit status ${exit}`, meaning, paragraph }
    }),
    'What a rule finds': allRules.map((rule) => {
      const { id, about, usual, above } = rule
      const [meaning, paragraph] = partsOf(rule)
      const verdict = above === 'off' ? 'off until it has a limit' : usual
      return { code: id, kind: `rule about a ${about}: ${verdict}`, meaning, paragraph }
    }),
    'What windrow decides about a file': allDeciders.map((rule) => {
      const [meaning, paragraph] = partsOf(rule)
      return { code: rule.id, kind: `decides ${rule.decides}`, meaning, paragraph }
    }),
    'What can be wrong with a row or a file': Object.entries(problemExplanations).map(([name, paragraph]) => {
      const { severity, meaning } = problemCodes[name as keyof typeof problemCodes]
      return { code: name, kind: `${severity} of a row or a file`, meaning, paragraph }
    }),
  }
}

function listLines(terminal: Terminal): readonly string[] {
  const paint = painter(terminal)
  const width = Math.max(...allCodes.map((code) => code.length))
  const room = widthOfTerminal(terminal) - width - 4
  const sections = Object.entries(codesByHeading()).flatMap(([heading, codes]) => [
    paint('bold', heading),
    ...codes.flatMap(({ code, meaning }) =>
      wrapped(meaning, room).map((line, index) => `  ${(index === 0 ? code : '').padEnd(width)}  ${line}`),
    ),
    '',
  ])
  return [...sections, 'windrow explain CODE says what to do.']
}

function codeLines(code: string, terminal: Terminal): readonly string[] {
  const paint = painter(terminal)
  const found = Object.values(codesByHeading())
    .flat()
    .filter((each) => each.code === code)
  if (found.length === 0)
    throw new WindrowError('option-invalid', `There is no code "${code}".`, { hint: hintFor(code) })
  return found.flatMap(({ kind, meaning, paragraph }, index) => [
    ...(index === 0 ? [] : ['']),
    `${paint('bold', code)}  (${kind})`,
    ...wrapped(meaning, widthOfTerminal(terminal)),
    '',
    ...wrapped(paragraph, widthOfTerminal(terminal)),
  ])
}

function hintFor(code: string): string {
  if (/^\d+$/.test(code)) return `windrow ends with one of: ${Object.values(exitCodes).join(', ')}.`
  const withWord = allCodes.filter((each) => each.split('-').includes(code))
  if (withWord.length > 1) return `Codes with this word: ${withWord.join(', ')}.`
  const near = withWord[0] ?? allCodes.find((each) => each.startsWith(code)) ?? nearest(code, allCodes)
  return near === undefined ? 'windrow explain lists all codes.' : `Did you mean: windrow explain ${near}`
}

function widthOfTerminal({ out }: Terminal): number {
  return Math.min(out.columns ?? 100, 100)
}

function wrapped(text: string, width: number): readonly string[] {
  const lines: string[] = []
  let line = ''
  for (const each of text.split(' ')) {
    if (line !== '' && line.length + 1 + each.length > width) {
      lines.push(line)
      line = ''
    }
    line = line === '' ? each : `${line} ${each}`
  }
  return [...lines, line]
}
