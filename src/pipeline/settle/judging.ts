/** What all judges share: the run that they judge, how they stop it, and how a guard lets it pass once. */

import type { Client } from '../../client/connection.ts'
import { WindrowError, type ErrorCode } from '../../core/error.ts'
import { problem, type Place, type Problem } from '../../core/problem.ts'
import { settingText } from '../../core/setting-text.ts'
import { judge, stopText, type Policy, type Rule } from '../../core/rule.ts'
import type { ImportPipeline } from '../definition/definition.ts'
import { importSchema } from '../definition/definition-schema.ts'
import type { ImportJob, StageContext } from '../stage/import-job.ts'
import { wholeFile, type Stage } from '../stage/stage-store.ts'
import { farmNames } from '../export/find-holding.ts'

/** The guards by the names of their keys in a pipeline. */
export const guardNames = Object.keys(importSchema.properties.guard.properties) as readonly GuardName[]
export type GuardName = keyof typeof importSchema.properties.guard.properties

/** The guards of a pipeline, and those that do not stop this one run. */
export type Guards = ImportPipeline['guard'] & { readonly allowed?: ReadonlySet<GuardName> | undefined }

/** A staged run to judge. */
export type Judging = StageContext & {
  readonly job: ImportJob
  /** The name of the file. */
  readonly source: string
  /** The folder that says whether another pipeline is in use. */
  readonly state: string
  readonly guards: Guards
  readonly policy: Policy
  readonly client: Client | undefined
}

/** Runs rules over their facts and writes what they find into the stage. Returns it, because somebody has to reject the rows. */
export function find<Facts>(
  { stage, source, policy }: Pick<Judging, 'stage' | 'source' | 'policy'>,
  rules: readonly Rule<Facts>[],
  facts: Facts,
): readonly Problem[] {
  const found = judge(rules, facts, { policy, place: wholeFile(source) })
  for (const each of found) stage.addProblem(each)
  return found
}

/** The same for one record: where a rule says so, its rows are rejected. Returns whether one did. */
export function findAndReject<Facts>(
  { stage, source, policy }: Pick<Judging, 'stage' | 'source' | 'policy'>,
  rules: readonly Rule<Facts>[],
  facts: Facts,
  { record, place }: { readonly record: number; readonly place?: Place },
): boolean {
  const found = judge(rules, facts, { policy, place: place ?? wholeFile(source) })
  for (const each of found)
    if (each.severity === 'error') stage.reject(record, each)
    else stage.addProblem(each)
  return found.some(({ severity }) => severity === 'error')
}

/** Throws the error of a run that rules stopped, with what all of them say. */
export function throwIfStopped(stage: Stage): void {
  const stops = stage.stops()
  if (stops.length === 0) return
  const { message, settings } = stopText(stops)
  throw new WindrowError('rule-stopped', message, {
    hint: settings.length === 0 ? undefined : `If the file is right and this is to stay so:  ${settings.join('; ')}`,
    data: { rules: stops.map(({ code }) => code), reasons: stops.map((each) => each.message) },
  })
}

/** The error of a run that is stopped for these reasons, perhaps with a question behind them. */
export function stopFor(
  code: ErrorCode,
  reasons: readonly string[],
  { hint, asks = '' }: { readonly hint: string; readonly asks?: string },
): WindrowError {
  return new WindrowError(code, `${reasons.join(' ')} ${asks}Nothing was sent.`, { hint, data: { reasons } })
}

/** Makes the function that names the farm of a body. The name is only a help, so the service may refuse. */
export async function farmNamesIfShown({ client, signal }: Judging) {
  return client && (await farmNames(client, signal).catch(() => undefined))
}

/** How a person says that a guard is never to stop such a run. */
export function waysToAllow(guard: 'far' | 'renamed', { settingsIn }: ImportJob): string {
  return settingText(settingsIn, `guard: { ${guard}: allow }`, `--${guard} allow`)
}

/** How a person lets a run pass once. */
export function allowOption(name: GuardName): string {
  return `--allow ${name.replaceAll(' ', '-')}`
}

/** Warns of each reason for which a guard would stop the run, if it is allowed to pass this once. Returns whether it is. */
export function warnIfAllowed(
  { stage, guards, source }: Judging,
  name: GuardName,
  reasons: readonly string[],
): boolean {
  if (guards.allowed?.has(name) !== true) return false
  for (const reason of reasons) stage.addProblem(allowedWarning(name, reason, source))
  return true
}

/** The warning that a guard would have stopped this run, and did not. */
export function allowedWarning(name: GuardName, reason: string, source: string): Problem {
  const sentence = `${reason.charAt(0).toUpperCase()}${reason.slice(1)}`.replace(/[^.?]$/, '$&.')
  const message = `${sentence} This run was let through with ${allowOption(name)}.`
  return problem('guard-allowed', wholeFile(source), { message })
}

/** True where the file stops within its last line, and the one before did not. */
export function isCut(stage: Stage): boolean {
  return stage.query("SELECT 1 FROM problems WHERE code = 'file-cut'").length > 0
}
