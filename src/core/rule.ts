/** Defines the one form of all that guesses or judges, and runs the rules of a moment by the policy of a run. */

import type { Place, Problem, Severity } from './problem.ts'
import type { Choice } from './row.ts'

/** What becomes of what a rule finds. */
export const verdicts = ['allow', 'note', 'warn', 'reject', 'stop'] as const
export type Verdict = (typeof verdicts)[number]

/** How much passes: a share of the whole, a count, or the larger of the two. */
export type Limit = { readonly share?: number | undefined; readonly count?: number | undefined }

/** What a rule says: what is wrong, what to do about it, and `setting`, what to write if the file is right and this is to stay so. */
export type Sentence = Omit<Problem, 'code' | 'severity' | 'at'> & { readonly at?: Place }

/**
 * A rule. `find` is pure: no sentence, no policy, no SQL. Where there is a limit, evidence has `count` and `total`, and what is within
 * the limit is not said; `says` gets the limit in words.
 */
export type Rule<Facts, Evidence = unknown> = {
  /** Also its key under `rules:` in a pipeline, the word after --allow, and its code in a report. */
  readonly id: string
  readonly about: 'file' | 'column' | 'row' | 'record' | 'night'
  readonly usual: Verdict
  readonly above?: Limit | 'off'
  /** How a limit is read and written, if not as a share or a count; reading returns a sentence about what is wrong with it. */
  readLimit?(written: string): Limit | string
  spellLimit?(limit: Limit): string
  /** False where no pipeline may choose another verdict. */
  readonly isChosen?: false
  /** Why windrow does that, and what to do: a paragraph for `windrow explain` and docs/rules.md. Its first sentence says what it finds. */
  readonly why: string
  find(facts: Facts): Evidence | undefined
  says(evidence: Evidence, limit: string): Sentence
}

/** A rule that decides a setting of a pipeline, or two that belong together, where nobody has said it. */
export type Decider<Facts, Evidence = unknown> = Pick<Rule<Facts, Evidence>, 'id' | 'about' | 'why' | 'find'> & {
  /** The key that it decides, such as `from.delimiter`. */
  readonly decides: string
  says(evidence: Evidence): Choice | readonly Choice[]
}

/** Decides what nobody has said. */
export function decide<Facts>(
  rules: readonly Decider<Facts>[],
  facts: Facts,
  isSaid: (setting: string) => boolean,
): readonly Choice[] {
  return rules.flatMap((rule) => {
    const evidence = isSaid(rule.decides) ? undefined : rule.find(facts)
    return evidence === undefined ? [] : rule.says(evidence)
  })
}

/** Cases of a rule, in a file beside it: facts in which it finds something, and in which it does not, each with a few words. */
export type Cases<Facts> = Readonly<
  Record<string, { readonly yes: readonly Case<Facts>[]; readonly no: readonly Case<Facts>[] }>
>
export type Case<Facts> = readonly [words: string, facts: Facts]

/** What a pipeline says about a rule. */
export type Ruling = { readonly verdict: Verdict; readonly above?: Limit | undefined }

/** What a run says about all rules. Those in `allowed` do not stop this one run. */
export type Policy = {
  readonly rulings: Readonly<Record<string, Ruling>>
  readonly allowed: ReadonlySet<string>
}

/** The policy of a run that says nothing about rules. */
export const usualPolicy: Policy = { rulings: {}, allowed: new Set() }

const severities: Readonly<Record<Exclude<Verdict, 'allow'>, Severity>> = {
  note: 'note',
  warn: 'warning',
  reject: 'error',
  stop: 'stop',
}

/**
 * Rules with what a run does about each. Those that it allows are not among them; `isLetThrough` is true if one would stop the run, and
 * may not do so this once.
 */
export type RuledBy<Facts> = ReturnType<typeof rulesFor<Facts>>

/** Asks a policy once about rules that run for many facts. */
export function rulesFor<Facts>(rules: readonly Rule<Facts>[], policy: Policy) {
  return rules.flatMap((rule) => {
    const { verdict, above } = rulingOf(rule, policy)
    if (verdict === 'allow') return []
    return [{ rule, verdict, above, isLetThrough: verdict === 'stop' && policy.allowed.has(rule.id) }]
  })
}

/** Runs the rules of a moment over their facts. What they find is about `place` unless they say otherwise. */
export function judge<Facts>(
  rules: readonly Rule<Facts>[],
  facts: Facts,
  { policy, place }: { readonly policy: Policy; readonly place: Place },
): readonly Problem[] {
  return judgeBy(rulesFor(rules, policy), facts, place)
}

/** The same, where the policy was asked before. */
export function judgeBy<Facts>(rules: RuledBy<Facts>, facts: Facts, place: Place): readonly Problem[] {
  let found: Problem[] | undefined
  for (const each of rules) {
    const evidence = each.rule.find(facts)
    if (evidence === undefined) continue
    if (each.rule.above !== undefined && isWithin(each.above, evidence as Counted)) continue
    found ??= []
    found.push(findingOf(each, evidence, place))
  }
  return found ?? nothing
}

const nothing: readonly Problem[] = []

function findingOf<Facts>(
  { rule, verdict, above, isLetThrough }: RuledBy<Facts>[number],
  evidence: unknown,
  place: Place,
): Problem {
  const limit = above === undefined ? '' : (rule.spellLimit ?? spellLimit)(above)
  const { at = place, setting, ...said } = rule.says(evidence, limit)
  const found = { code: rule.id, at, ...said }
  if (isLetThrough)
    return {
      ...found,
      severity: 'warning',
      message: `${said.message} This run was let through with --allow ${rule.id}.`,
    }
  if (verdict === 'stop') return { ...found, severity: 'stop', setting }
  return { ...found, severity: severities[verdict], ...hinted(said.hint, setting) }
}

function hinted(hint: string | undefined, setting: string | undefined): Pick<Problem, 'hint'> {
  if (setting === undefined) return hint === undefined ? {} : { hint }
  return { hint: `${hint === undefined ? '' : `${hint} `}If the file is right:  ${setting}` }
}

/** What a run does about a rule. */
export function rulingOf(
  { id, usual, above }: Pick<Rule<never>, 'id' | 'usual' | 'above'>,
  { rulings }: Policy,
): Ruling {
  const said = rulings[id]
  const usualLimit = above === 'off' ? undefined : above
  if (said === undefined) return above === 'off' ? { verdict: 'allow' } : { verdict: usual, above: usualLimit }
  return { verdict: said.verdict, above: said.above ?? usualLimit }
}

/** True where a pipeline allows what a rule finds, or a person does for this run. */
export function isAllowed(rule: Pick<Rule<never>, 'id' | 'usual' | 'above'>, policy: Policy): boolean {
  return policy.allowed.has(rule.id) || rulingOf(rule, policy).verdict === 'allow'
}

/** `mayGo`: where a limit has a share and a count, so many may always pass, and beyond them the share decides. */
type Counted = { readonly count: number; readonly total: number; readonly mayGo?: number }

function isWithin(limit: Limit | undefined, { count, total, mayGo }: Counted): boolean {
  if (limit === undefined || count === 0) return count === 0
  const { share, count: most } = limit
  if (mayGo !== undefined && share !== undefined && most !== undefined)
    return count <= Math.max(Math.min(mayGo, most), share * total)
  return (share !== undefined && count <= share * total) || (most !== undefined && count <= most)
}

/** A limit as a person writes it. */
export function spellLimit({ share, count }: Limit): string {
  const percent = share === undefined ? [] : [`${Number((share * 100).toPrecision(12))} %`]
  return [...percent, ...(count === undefined ? [] : [String(count)])].join(' or ')
}

const shareText = /^(\d+(?:\.\d+)?)\s*(?:%|per ?cent)$/i
const countText = /^\d{1,12}$/

/** Reads "5 %", "10" or "5 % or 10"; otherwise returns a sentence. */
export function readLimit(written: string): Limit | string {
  const parts = written.trim().split(/\s+or\s+/i)
  // Dividing the text by hundred keeps 12.8 % at 0.128, not 0.12800000000000003.
  const shares = parts.flatMap((part) => shareText.exec(part)?.[1] ?? []).map((percent) => Number(`${percent}e-2`))
  const counts = parts.filter((part) => countText.test(part)).map(Number)
  const [[share], [count]] = [shares, counts]
  if (parts.length > 2 || shares.length > 1 || counts.length > 1 || shares.length + counts.length < parts.length)
    return `"${written}" is not a limit. Write a share, a number, or both: 5 %, 10, 5 % or 10.`
  return share !== undefined && share > 1 ? `"${written}" is more than 100 %.` : { share, count }
}

/** Reads what a pipeline says about a rule, "allow", "warn" or "stop above 5 % or 10"; otherwise returns a sentence. */
export function readRuling({ id, usual, above, ...own }: Rule<never>, written: string): Ruling | string {
  const [, word = '', limit] = /^(\w+)(?:\s+above\s+(.+))?$/s.exec(written.trim()) ?? []
  const known: readonly Verdict[] = usual === 'reject' ? ['allow', 'warn', 'reject'] : ['allow', 'note', 'warn', 'stop']
  const verdict = known.find((each) => each === word)
  const ways = `${known.join(', ')}${above === undefined ? '' : ', or a verdict with a limit, such as: stop above 5 %'}`
  if (verdict === undefined || (limit !== undefined && above === undefined))
    return `"${written}" is no verdict for ${id}. Write one of: ${ways}.`
  if (limit === undefined) return { verdict }
  const found = (own.readLimit ?? readLimit)(limit)
  return typeof found === 'string' ? found : { verdict, above: found }
}

const mostSaid = 10

/** Of several findings that stop a run, what to tell a person: their sentences, and what may be written. */
export function stopText(stops: readonly Problem[]): {
  readonly message: string
  readonly hint: string
} {
  const ids = [...new Set(stops.map(({ code }) => code))]
  const sentences = stops.slice(0, mostSaid).map(({ message }) => message)
  const once = (texts: readonly string[]) => [...new Set(texts)].slice(0, mostSaid)
  const hints = once(stops.flatMap(({ hint }) => hint ?? []))
  const settings = once(stops.flatMap(({ setting }) => setting ?? []))
  const more = stops.length > mostSaid ? ` The report lists ${stops.length - mostSaid} more.` : ''
  return {
    message: `Stopped before sending by the ${ids.length === 1 ? 'rule' : 'rules'} ${ids.join(', ')}. ${sentences.join(' ')}${more} Nothing was sent.`,
    hint: [
      ...hints,
      ...(settings.length === 0 ? [] : [`If the file is right and this is to stay so:  ${settings.join('; ')}`]),
    ].join(' '),
  }
}
