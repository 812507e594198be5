/** Turns the terse faults of a schema check into sentences that a person can act on. */

import type { JsonSchema } from '../core/object-schema.ts'
import { membersOf } from './building-blocks.ts'
import { nearest } from '../core/values/nearest.ts'
import { textFormats, type TextFault } from './text-formats.ts'
import { plainValue, pointerPart, pointerParts, sayList, sayPath, sayValue } from './wording.ts'

/** One finding about a body. `path` is the JSON pointer of its member, even when that member is missing. */
export type Finding = TextFault & { readonly path: string; readonly value?: string | undefined }

/** The words for the whole body, and the schema in which null means an absent member, if there is one. */
export type Wording = { readonly whole: string; readonly nullIsAbsentIn?: JsonSchema }

/** The findings of a failed check, in the order of the schema, one for each member. */
export function findingsOf(faults: readonly SchemaFault[], wording: Wording): readonly Finding[] {
  const findings: Finding[] = []
  const seen = new Set<string>()
  for (const fault of settleChoices(faults)) {
    const isNull = wording.nullIsAbsentIn !== undefined && isNullMember(fault)
    if (isNull && !isRequired(wording.nullIsAbsentIn, fault.instancePath)) continue
    const finding = isNull
      ? missing(fault.instancePath, fault.parentSchema, wording.whole)
      : findingOf(fault, wording.whole)
    const key = `${finding.path} ${finding.code}`
    if (seen.has(key)) continue
    seen.add(key)
    findings.push(finding)
  }
  return findings
}

function isNullMember({ data, keyword, instancePath }: SchemaFault): boolean {
  return data === null && keyword === 'type' && instancePath !== '' && !/\/\d+$/.test(instancePath)
}

function isRequired(schema: JsonSchema | undefined, pointer: string): boolean {
  const parts = pointerParts(pointer)
  let owner: unknown = schema
  for (const part of parts.slice(0, -1))
    owner = membersOf(owner)[part] ?? (owner as { readonly items?: unknown } | undefined)?.items
  const required = (owner as { readonly required?: readonly string[] } | undefined)?.required
  return required?.includes(parts.at(-1)!) ?? false
}

function findingOf(fault: SchemaFault, whole: string): Finding {
  const { keyword, params, data } = fault
  if (keyword === 'required' || keyword === 'dependentRequired') {
    const member = String(params['missingProperty'])
    const path = `${fault.instancePath}/${pointerPart(member)}`
    return missing(path, membersOf(fault.parentSchema)[member], whole)
  }
  if (keyword === 'additionalProperties' || keyword === 'unevaluatedProperties') return unknownMember(fault, whole)
  const subject = sayPath(fault.instancePath, whole)
  const base = { path: fault.instancePath, value: plainValue(data) }
  if (keyword === 'format') {
    const format = textFormats.find(({ name }) => name === params['format'])
    if (format !== undefined && typeof data === 'string') return { ...base, ...format.explain(data, subject) }
  }
  const { text, hint = descriptionOf(fault.parentSchema) } = needOf(fault)
  const message = `${subject} is ${sayValue(data)}; ${text}.`
  return { ...base, code: 'field-invalid', severity: 'error', message, hint }
}

function missing(path: string, schema: unknown, whole: string): Finding {
  const message = `${sayPath(path, whole)} is missing.`
  return { code: 'field-missing', severity: 'error', path, message, hint: descriptionOf(schema) }
}

function unknownMember(fault: SchemaFault, whole: string): Finding {
  const member = String(fault.params['additionalProperty'] ?? fault.params['unevaluatedProperty'])
  const known = Object.keys(membersOf(fault.parentSchema))
  const meant = nearest(member, known)
  const where = fault.instancePath === '' ? '' : ` in ${sayPath(fault.instancePath, whole)}`
  return {
    code: 'field-unknown',
    severity: 'error',
    path: `${fault.instancePath}/${pointerPart(member)}`,
    value: member,
    message: `${sayValue(member)} is unknown${where}.`,
    hint: meant === undefined ? `Known: ${sayList(known, 20)}.` : `Did you mean ${sayValue(meant)}?`,
  }
}

type Need = { readonly text: string; readonly hint?: string }

function needOf({ keyword, params, data }: SchemaFault): Need {
  if (keyword === 'enum') return oneOf(params['allowedValues'], data)
  if (keyword === 'type') return { text: `${sayType(params['type'])} is needed` }
  if (keyword === 'const') return { text: `it must be ${sayValue(params['allowedValue'])}` }
  if (keyword === 'format') return { text: formatNeeds[String(params['format'])] ?? wrongFormat }
  return { text: needs[keyword]?.(String(params['limit'] ?? params['multipleOf'])) ?? 'something else is needed here' }
}

const wrongFormat = 'it has the wrong format'
const atLeast = (limit: string): string => `it needs at least ${limit} ${limit === '1' ? 'entry' : 'entries'}`
const atMost = (limit: string): string => `it may have at most ${limit} ${limit === '1' ? 'entry' : 'entries'}`

const needs: Readonly<Record<string, (limit: string) => string>> = {
  minLength: (limit) => (limit === '1' ? 'it may not be empty' : `it needs at least ${limit} characters`),
  maxLength: (limit) => `it may have at most ${limit} characters`,
  minimum: (limit) => `it must be ${limit} or more`,
  maximum: (limit) => `it must be ${limit} or less`,
  exclusiveMinimum: (limit) => `it must be more than ${limit}`,
  exclusiveMaximum: (limit) => `it must be less than ${limit}`,
  multipleOf: (divisor) => `it must be a multiple of ${divisor}`,
  minItems: atLeast,
  minProperties: atLeast,
  maxItems: atMost,
  maxProperties: atMost,
  uniqueItems: () => 'it says the same thing twice',
  pattern: () => wrongFormat,
}

const formatNeeds: Readonly<Record<string, string>> = {
  uri: 'a whole web address is needed, such as https://farm.example/hook',
  date: 'a day like 2026-11-20 is needed',
  uuid: 'an id like 0d2f7c1e-1d1b-4c55-9a3e-6f2f6a7f9b10 is needed',
  email: 'an e-mail address is needed',
}

function oneOf(allowed: unknown, data: unknown): Need {
  const words = Array.isArray(allowed) ? allowed.map((each) => (typeof each === 'string' ? each : sayValue(each))) : []
  const meant = typeof data === 'string' ? nearest(data, words) : undefined
  const text = `it must be ${sayList(words, 20)}`
  return meant === undefined ? { text } : { text, hint: `Did you mean ${sayValue(meant)}?` }
}

const typeWords: Readonly<Record<string, string>> = {
  string: 'text',
  number: 'a number',
  integer: 'a whole number',
  boolean: 'yes or no (true or false)',
  object: 'a group of fields',
  array: 'a list',
  null: 'nothing',
}

function sayType(type: unknown): string {
  const types = (Array.isArray(type) ? type : [type]).filter((each) => typeof each === 'string')
  return sayList(types.map((each) => typeWords[each] ?? each))
}

function descriptionOf(schema: unknown): string | undefined {
  const description = (schema as { readonly description?: unknown } | undefined)?.description
  return typeof description === 'string' ? description : undefined
}

/** A fault from the schema checker: the keyword that failed, its place and its value. */
type SchemaFault = {
  readonly keyword: string
  readonly instancePath: string
  readonly schemaPath: string
  readonly params: Readonly<Record<string, unknown>>
  readonly data?: unknown
  readonly parentSchema?: unknown
}

/**
 * Removes the faults of branches that were not meant. The meant branch is the one that got deepest into the value, then the one
 * with the fewest faults; where the value fits no branch at all, one fault lists the possible ones.
 */
function settleChoices(faults: readonly SchemaFault[]): readonly SchemaFault[] {
  let left = faults
  // Inner choices come before outer ones, so one pass resolves nested choices from the inside out.
  for (const choice of faults.filter(({ keyword }) => keyword === 'anyOf' || keyword === 'oneOf')) {
    const branches = branchesOf(choice, left)
    const meant = branches
      .filter((branch) => !branch.some((fault) => saysOther(fault, choice)))
      .toSorted((one, other) => depthOf(other) - depthOf(one) || one.length - other.length)[0]
    const inBranches = new Set(branches.flat())
    left = left.flatMap((fault) => {
      if (fault === choice) return meant === undefined ? [whatIsPossible(choice, inBranches)] : []
      return !inBranches.has(fault) || meant?.includes(fault) === true ? [fault] : []
    })
  }
  return left
}

function branchesOf({ schemaPath, instancePath }: SchemaFault, faults: readonly SchemaFault[]) {
  const inside = `${schemaPath}/`
  const within = faults.filter(
    (fault) => fault.schemaPath.startsWith(inside) && `${fault.instancePath}/`.startsWith(`${instancePath}/`),
  )
  return [...Map.groupBy(within, (fault) => fault.schemaPath.slice(inside.length).split('/', 1)[0]).values()]
}

/** True when the value has another type than the branch, or another word in the member that distinguishes branches. */
function saysOther({ keyword, instancePath }: SchemaFault, choice: SchemaFault): boolean {
  if (keyword === 'type') return instancePath === choice.instancePath
  if (keyword !== 'const' && keyword !== 'enum') return false
  return !instancePath.slice(choice.instancePath.length + 1).includes('/')
}

function depthOf(branch: readonly SchemaFault[]): number {
  return Math.max(...branch.map(({ instancePath }) => instancePath.split('/').length))
}

function whatIsPossible(choice: SchemaFault, inBranches: ReadonlySet<SchemaFault>): SchemaFault {
  const others = [...inBranches].filter((fault) => saysOther(fault, choice))
  const words = others.filter(({ keyword }) => keyword !== 'type')
  const word = words[0]
  if (word !== undefined) {
    const same = words.filter(({ instancePath }) => instancePath === word.instancePath)
    const allowedValues = same.flatMap(
      ({ params }) => (params['allowedValues'] as unknown[] | undefined) ?? [params['allowedValue']],
    )
    return { ...word, keyword: 'enum', params: { allowedValues } }
  }
  const types = others.flatMap(({ params }) => params['type'] as string | string[])
  return types.length === 0 ? choice : { ...choice, keyword: 'type', params: { type: [...new Set(types)] } }
}
