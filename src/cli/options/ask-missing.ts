/** Decides about the file of a command, asks in a terminal for what only a person can decide, and shows what was decided. */

import { WindrowError } from '../../core/error.ts'
import { valueText, type Choice } from '../../core/row.ts'
import { otherText, yamlInline } from '../../core/values/yaml-text.ts'
import { quoted } from '../../core/shell-word.ts'
import { withoutSecrets } from '../../core/sources/web-address.ts'
import { decideImport, type Decided } from '../../pipeline/inspect/decide.ts'
import { lookAt } from '../../pipeline/inspect/look.ts'
import { answerOf, aroundPlan, type PlanAround } from '../../pipeline/inspect/one-off.ts'
import { withSettings } from '../../pipeline/definition/settings.ts'
import type { Group } from '../../pipeline/definition/yaml-source.ts'
import type { Connection } from '../../pipeline/report/course.ts'
import { asker } from './asker.ts'
import { flag, texts, word, type Call, type Input } from './command.ts'
import type { Reading } from './reading.ts'
import { statePlace } from './reach.ts'
import { inform, plain, say } from '../screen/terminal.ts'

/** True where somebody can answer: input and output are a terminal, and the result is not for a program. */
export function canAsk(call: Call): boolean {
  const { stdin, terminal } = call
  return stdin.isTTY === true && terminal.out.isTTY === true && !flag(call, 'json')
}

/** The connection as one of the missing choices. Throws what is no missing connection. */
export function connectionMissing(cause: unknown): Choice {
  if (!(cause instanceof WindrowError) || cause.code !== 'connection-missing' || 'missing' in cause.data) throw cause
  const names = (cause.data['connections'] ?? []) as readonly string[]
  return {
    setting: 'connection',
    question: 'Which service?',
    value: undefined,
    evidence: names.length === 0 ? 'None is saved yet; first run: windrow connect ADDRESS' : '',
    others: names.map((value) => ({ value, evidence: '' })),
    certainty: 'ask',
  }
}

/** Looks at a file and decides. In a terminal it asks for each missing choice, and shows the command that needs no questions. */
export async function decideAsking(
  command: string,
  call: Call,
  { reading, connection }: { readonly reading: Reading; readonly connection: Connection | undefined },
  unreached: readonly Choice[] = [],
): Promise<{ readonly said: Group; readonly decided: Decided; readonly around: PlanAround }> {
  const { source, formats, path } = reading
  const { signal } = call
  const around = aroundPlan(statePlace(call), {
    path,
    fileName: source.name,
    connection,
    formats,
    isTrial: flag(call, 'dry-run'),
    signal,
    hintFor: (missing) => `Check each. The command is then:\n  ${commandLine(command, answered(call, missing))}`,
  })
  let { said } = reading
  const facts = await lookAt(source, said, { formats, signal })
  await using closing = new AsyncDisposableStack()
  closing.defer(facts.close)
  let decided = await decideImport(facts, said, around)
  if (!canAsk(call)) return { said, decided: { ...decided, missing: [...unreached, ...decided.missing] }, around }
  using ask = asker(call)
  const answers: Choice[] = []
  for (;;) {
    const open = decided.missing.find(({ setting }) => !answers.some((each) => each.setting === setting))
    if (open === undefined || (open.setting === 'key' && decided.profile.columns.length === 0)) break
    const before = said
    const decideWith = async (answer: string): Promise<void> => {
      const next = withSettings(before, [[open.setting.split('.'), answer]])
      decided = await decideImport(facts, next, around)
      said = next
    }
    const answer = await askOne(open, decideWith, ask, call)
    const made = decided.choices.find(({ setting, certainty }) => setting === open.setting && certainty !== 'ask')
    answers.push({ ...open, value: made?.value ?? answer })
  }
  if (answers.length > 0)
    say(call.terminal, '', plain(`Next time: ${commandLine(command, answered(call, answers))}`), '')
  return { said, decided, around }
}

async function askOne(
  { setting, question, value, evidence, others }: Choice,
  decideWith: (answer: string) => Promise<void>,
  ask: ReturnType<typeof asker>,
  { terminal }: Call,
): Promise<string> {
  const all = [...(value === undefined ? [] : [{ value, evidence }]), ...others].map((each) => ({
    text: answerOf(setting, each.value),
    note: each.evidence,
  }))
  const width = Math.max(0, ...all.map(({ text }) => text.length))
  const listed = all.map(({ text, note }, at) => `  ${at + 1}  ${text.padEnd(width)}  ${note}`.trimEnd())
  inform(terminal, question ?? '', ...listed, ...(value === undefined && evidence !== '' ? [evidence] : []))
  const { prompt = setting, isClosed = false } = asked[setting] ?? {}
  const meant = (answer: string): string => all[Number(answer) - 1]?.text ?? answer
  let settled = ''
  // A name wins over a number in the list: a farm or column may be called 2.
  const check = async (answer: string): Promise<void> => {
    const named = all.find(({ text }) => text.toLowerCase() === answer.toLowerCase())?.text
    settled = named ?? (isClosed ? meant(answer) : answer)
    if (isClosed && !all.some(({ text }) => text === settled))
      throw new WindrowError('option-invalid', `Choose one of: ${all.map(({ text }) => text).join(', ')}.`)
    try {
      await decideWith(settled)
    } catch (cause) {
      if (meant(answer) === settled) throw cause
      settled = meant(answer)
      await decideWith(settled)
    }
  }
  const usual = value === undefined ? undefined : answerOf(setting, value)
  await ask.open(setting, `${prompt}${usual === undefined ? '' : ` [${plain(usual)}]`}`, { usual, check })
  return settled
}

type Asked = {
  readonly prompt: string
  /** In place of a value: a farm or a connection is never proposed, because a command that is copied would send the records there. */
  readonly placeholder: string
  /** Without one, --set makes the choice. */
  readonly option?: string
  /** True where only the listed values are right. */
  readonly isClosed?: true
}

const asked: Readonly<Record<string, Asked>> = {
  connection: { prompt: 'connection', placeholder: 'NAME', option: 'connection' },
  'from.layer': { prompt: 'Layer', placeholder: 'NAME', option: 'layer', isClosed: true },
  import: { prompt: 'Rows', placeholder: 'TYPE', option: 'to', isClosed: true },
  holding: { prompt: 'Farm', placeholder: 'SCHEME:ID', option: 'holding' },
  key: { prompt: 'Key', placeholder: 'COLUMN', option: 'key' },
  'from.crs': { prompt: 'System', placeholder: 'EPSG:CODE', option: 'crs' },
  dates: { prompt: 'Dates', placeholder: 'PATTERN', option: 'dates', isClosed: true },
  'from.decimal': { prompt: 'Decimal separator', placeholder: 'SEPARATOR', isClosed: true },
}

/** The input with these choices, as far as they have a value. */
function answered(input: Input, choices: readonly Choice[]): Input {
  const options: Record<string, string | readonly string[]> = {}
  for (const { setting, value, evidence, others } of choices) {
    if (setting === 'connection' && others.length === 0 && evidence !== '') continue
    const { placeholder = 'VALUE', option } = asked[setting] ?? {}
    const answer = value === undefined ? placeholder : answerOf(setting, value)
    if (option === undefined) options['set'] = [...texts(input, 'set'), `${setting}=${answer}`]
    else options[option] = answer
  }
  return { ...input, options: { ...input.options, ...options } }
}

/** The command line for this input, without what a program only adds to it; a web address may contain a password. */
function commandLine(command: string, input: Input): string {
  const given = Object.entries(input.options)
    .filter(([name, value]) => value !== undefined && value !== false && !(command === 'plan' && name === 'dry-run'))
    .flatMap(([name, value]) =>
      value === true ? [`--${name}`] : [value].flat().map((each) => `--${name} ${quoted(String(each))}`),
    )
  return [`windrow ${command}`, quoted(withoutSecrets(word(input, 'file'))), ...given].join(' ')
}

/** A choice on one line, with its evidence and the next best. */
export function choiceLine({ setting, value, evidence, others: [next], certainty, question }: Choice): string {
  if (setting === 'not used') return plain(`  ${setting}: ${valueText(value)}`)
  const words = certainty === 'ask' ? (question ?? '') : certainty === 'check' ? 'please check' : ''
  const why = [words, evidence].filter((part) => part !== '').join(certainty === 'ask' ? ' ' : ': ')
  const other = next === undefined ? '' : `; next best: ${otherText(next)}`
  const isPlain = typeof value === 'string' && value !== '\t'
  const shown = value === undefined ? 'none' : isPlain ? value : yamlInline(value)
  return plain(`  ${setting.padEnd(26)} ${[shown, `${why}${other}`].filter((part) => part !== '').join('   ')}`)
}
