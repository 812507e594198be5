/** Reads a list of faults to rehearse: which faults, on which requests, how often. */

import type { FromSchema, JSONSchema } from 'json-schema-to-ts'
import { WindrowError } from '../../core/error.ts'
import { checkAgainst } from '../../resources/validation.ts'
import { sections } from '../http/sections.ts'

/** The faults that can be rehearsed, and what a caller then sees. */
export const faultKinds = {
  'sign-in-lost': 'A token that worked is no longer accepted: 401 until the caller signs in again.',
  'too-large': 'A list with more records than `items` is rejected: 413.',
  'too-many': 'The caller is asked to wait (`retryAfterS`): 429.',
  failing: 'The service fails and stores nothing: 500.',
  unavailable: 'The service is not available (`retryAfterS`): 503.',
  slow: 'The answer comes late (`ms`).',
  cut: 'The request is carried out, then the connection is cut before the answer.',
  'bad-record': 'A list that contains a chosen record (`keys`, `recordShare`) is rejected as a whole: 400.',
  'results-short': 'The last result of a list is missing, although its record was stored.',
  'results-shuffled': 'The results of a list come in reverse order.',
  dropped: 'The chosen records (`keys`, `recordShare`) are accepted but never stored.',
  delayed: 'Accepted records are stored later (`ms`).',
} as const

export type FaultKind = keyof typeof faultKinds

const count = { type: 'integer', minimum: 1 } as const
const share = { type: 'number', exclusiveMinimum: 0, maximum: 1 } as const

/**
 * A fault hits requests of the section `on` (without it, of all sections), of one dataset where `dataset` is given. Of these it
 * hits those numbered in `at` (from 1), each n-th of `every`, or a seeded `share`; all without these three; at most `most`.
 */
export const faultPlanSchema = {
  type: 'object',
  required: ['faults'],
  additionalProperties: false,
  properties: {
    seed: { type: 'integer', minimum: 0 },
    faults: {
      type: 'array',
      minItems: 1,
      maxItems: 100,
      items: {
        type: 'object',
        required: ['fault'],
        additionalProperties: false,
        properties: {
          fault: { enum: Object.keys(faultKinds) as FaultKind[] },
          on: { enum: sections },
          dataset: { type: 'string', minLength: 1 },
          at: { type: 'array', items: count, minItems: 1 },
          every: count,
          share,
          most: count,
          ms: { type: 'integer', minimum: 1, maximum: 3_600_000 },
          retryAfterS: { type: 'integer', minimum: 0, maximum: 86_400 },
          items: { type: 'integer', minimum: 0 },
          keys: { type: 'array', items: { type: 'string', minLength: 1 }, minItems: 1 },
          recordShare: share,
        },
      },
    },
  },
} as const satisfies JSONSchema

export type FaultPlan = FromSchema<typeof faultPlanSchema>
export type FaultRule = FaultPlan['faults'][number]

/** The members that a kind of fault needs, of those that only some kinds take. */
const needs: Readonly<Partial<Record<FaultKind, readonly (keyof FaultRule)[]>>> = {
  'too-large': ['items'],
  slow: ['ms'],
  delayed: ['ms'],
  'bad-record': ['keys', 'recordShare'],
  dropped: ['keys', 'recordShare'],
}
const special = ['ms', 'retryAfterS', 'items', 'keys', 'recordShare'] as const
const takesRetryAfter: readonly FaultKind[] = ['too-many', 'unavailable']

/** The faults that hit only published lists of records. */
export const faultsOfLists: readonly FaultKind[] = [
  'too-large',
  'bad-record',
  'results-short',
  'results-shuffled',
  'dropped',
  'delayed',
]

/** Checks a fault file. Throws a WindrowError with the place of the first mistake. */
export function readFaultPlan(content: unknown): FaultPlan {
  const finding = checkAgainst(faultPlanSchema, content).find(({ severity }) => severity === 'error')
  if (finding !== undefined) throw planError(finding.path, finding.message)
  const plan = content as FaultPlan
  for (const [index, rule] of plan.faults.entries()) {
    const fault = faultOf(rule)
    if (fault !== undefined) throw planError(`/faults/${index}`, fault)
  }
  return plan
}

function faultOf(rule: FaultRule): string | undefined {
  const kind = rule.fault
  const needed = needs[kind] ?? []
  if (needed.length > 0 && !needed.some((name) => rule[name] !== undefined))
    return `The fault ${kind} needs ${needed.join(' or ')}.`
  const idle = special.find(
    (name) =>
      rule[name] !== undefined && !needed.includes(name) && !(name === 'retryAfterS' && takesRetryAfter.includes(kind)),
  )
  if (idle !== undefined) return `The fault ${kind} does not use ${idle}. Remove it.`
  if (rule.on !== undefined && rule.on !== 'publish' && faultsOfLists.includes(kind))
    return `The fault ${kind} hits published lists, so "on" can only be publish.`
  const ways = (['at', 'every', 'share'] as const).filter((name) => rule[name] !== undefined)
  return ways.length > 1 ? `Use only one of ${ways.join(' and ')} to choose the requests.` : undefined
}

function planError(path: string, message: string): WindrowError {
  return new WindrowError('option-invalid', `The list of faults has a mistake at ${path || 'the top'}: ${message}`, {
    hint: 'A fault looks like this: { fault: too-many, on: publish, at: [2, 3], retryAfterS: 1 }',
    data: { path },
  })
}
