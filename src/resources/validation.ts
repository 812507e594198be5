/** Checks bodies against their schema with ajv, compiled once per schema when it is first needed, and their coordinates in one pass. */

import { createRequire } from 'node:module'
import type * as Ajv from 'ajv/dist/2020.js'
import type formats from 'ajv-formats'
import type { JsonSchema } from '../core/object-schema.ts'
import { once } from '../core/once.ts'
import type { ShapeKind } from '../core/shape.ts'
import { feature, point } from './building-blocks.ts'
import { findingsOf, type Finding, type Wording } from './findings.ts'
import { geometryFault } from './geometry-check.ts'
import { findResourceType } from './index.ts'
import type { ResourceType } from './resource-type.ts'
import { textFormats } from './text-formats.ts'
import { sayList, sayPath, sayValue } from './wording.ts'

export type { Finding } from './findings.ts'

const none: readonly never[] = []

/**
 * All findings about a body of this type. The lists of the service are open and null counts as absent: such values give notes or
 * nothing. Errors are what the service would refuse.
 */
export function check(type: ResourceType, body: unknown): readonly Finding[] {
  const checker = checkerOf(type.schema)
  const isValid = checker.holds(body)
  const named =
    typeof body === 'object' && body !== null ? (body as { resourceType?: unknown }).resourceType : undefined
  const isNamed = named === undefined || named === null || named === type.name
  const faults = geometryFindings(checker.sites, type, body)
  if (isValid && isNamed && faults === none) return none
  return [
    ...(isValid ? none : everyFinding(checker, body, { whole: 'The record', nullIsAbsentIn: type.schema })),
    ...(isNamed ? none : nameFinding(type, named)),
    ...faults,
  ]
}

/** All findings about a value under any other schema. A schema is compiled once. */
export function checkAgainst(schema: JsonSchema, value: unknown): readonly Finding[] {
  const checker = checkerOf(schema)
  return checker.holds(value) ? none : everyFinding(checker, value, { whole: 'This' })
}

/** The first finding for which the service would refuse the value. */
export function firstError(schema: JsonSchema, value: unknown): Finding | undefined {
  return checkAgainst(schema, value).find(({ severity }) => severity === 'error')
}

type Checker = {
  readonly compiled: object
  readonly holds: Ajv.ValidateFunction
  readonly sites: readonly Site[]
  every?: Ajv.ValidateFunction
}

const checkers = new WeakMap<object, Checker>()
const settings = {
  strictTypes: false,
  strictTuples: false,
  allowUnionTypes: true,
  logger: false,
  verbose: true,
  // The schemas are windrow's own.
  meta: false,
  validateSchema: false,
} as const
// A valid body needs only yes or no; the checkers that find every fault use more memory and are compiled when first needed.
const firstFault = once(() => compiler(settings))
const everyFault = once(() => compiler({ ...settings, allErrors: true }))

// Loaded when first needed: the library has 86 files, and `inspect` needs none of them.
function compiler(options: Ajv.Options): Ajv.Ajv2020 {
  const load = createRequire(import.meta.url)
  const { Ajv2020 } = load('ajv/dist/2020.js') as typeof Ajv
  const ajv = new Ajv2020(options)
  ;(load('ajv-formats') as typeof formats).default(ajv)
  for (const { name, holds } of textFormats) ajv.addFormat(name, { type: 'string', validate: holds })
  return ajv
}

function checkerOf(schema: JsonSchema): Checker {
  const compiled = typeof schema === 'boolean' ? booleanSchemas[`${schema}`] : schema
  const known = checkers.get(compiled)
  if (known !== undefined) return known
  const checker: Checker = { compiled, holds: firstFault().compile(compiled), sites: geometrySites(compiled, []) }
  checkers.set(compiled, checker)
  return checker
}

const booleanSchemas = { true: {}, false: { not: {} } } as const

/**
 * Every fault of a body uses memory, so a body with very many members reports only its first. If that one is no error, later
 * faults stay unknown, so the body is rejected.
 */
function everyFinding(checker: Checker, body: unknown, wording: Wording): readonly Finding[] {
  const isModest = countMembers(body, mostMembers, 0) < mostMembers
  const validate = isModest ? (checker.every ??= everyFault().compile(checker.compiled)) : checker.holds
  validate(body)
  const findings = findingsOf(validate.errors ?? [], wording)
  if (isModest || findings.some(({ severity }) => severity === 'error')) return findings
  const message = `${wording.whole} is too large or too deep to be checked (at most ${mostMembers} members and ${deepest} levels).`
  return [...findings, { code: 'field-invalid', severity: 'error', path: '', message }]
}

const mostMembers = 20_000
const deepest = 100

/** The number of members at all depths, without coordinates; at least `most` when nested too deeply. */
function countMembers(value: unknown, most: number, depth: number): number {
  if (typeof value !== 'object' || value === null) return 1
  if (depth > deepest) return most
  let count = 1
  for (const [name, member] of Object.entries(value)) {
    if (name === 'coordinates') continue
    count += countMembers(member, most - count, depth + 1)
    if (count >= most) break
  }
  return count
}

function nameFinding(type: ResourceType, named: unknown): readonly Finding[] {
  if (typeof named !== 'string') return none
  const found = findResourceType(named)
  const base = { path: '/resourceType', value: named }
  if (found === type) {
    const message = `resourceType is ${sayValue(named)}; windrow writes ${type.name}.`
    return [{ ...base, code: 'code-respelled', severity: 'note', message }]
  }
  const called = found === undefined ? 'which the service does not know' : `which means ${found.title}`
  const message = `resourceType is ${sayValue(named)}, ${called}; it is read as ${type.title}.`
  return [{ ...base, code: 'field-invalid', severity: 'error', message, hint: `Write ${type.name}.` }]
}

/** The place of a geometry in a body; `*` is any entry of a list. */
type Site = { readonly path: readonly string[]; readonly isFeature: boolean }

function geometrySites(schema: unknown, path: readonly string[]): readonly Site[] {
  if (schema === feature || schema === point) return [{ path, isFeature: schema === feature }]
  if (typeof schema !== 'object' || schema === null) return []
  const { properties = {}, items } = schema as { properties?: Readonly<Record<string, unknown>>; items?: unknown }
  const inside = Object.entries(properties).flatMap(([name, member]) => geometrySites(member, [...path, name]))
  return [...inside, ...geometrySites(items, [...path, '*'])]
}

function geometryFindings(sites: readonly Site[], type: ResourceType, body: unknown): readonly Finding[] {
  let findings: Finding[] | undefined
  for (const site of sites)
    for (const [pointer, value] of valuesAt(body, site.path, 0, '')) {
      const finding = geometryFinding(value, site, type, pointer)
      if (finding !== undefined) (findings ??= []).push(finding)
    }
  return findings ?? none
}

type Found = readonly (readonly [string, unknown])[]

/** The values at a path, from its name at `depth` on. */
function valuesAt(value: unknown, path: readonly string[], depth: number, pointer: string): Found {
  const name = path[depth]
  if (name === undefined) return [[pointer, value]]
  if (typeof value !== 'object' || value === null) return none
  if (name === '*')
    return Array.isArray(value)
      ? value.flatMap((each, index) => valuesAt(each, path, depth + 1, `${pointer}/${index}`))
      : none
  const member = (value as Readonly<Record<string, unknown>>)[name]
  return member === undefined ? none : valuesAt(member, path, depth + 1, `${pointer}/${name}`)
}

function geometryFinding(value: unknown, site: Site, type: ResourceType, pointer: string): Finding | undefined {
  const kind = (value as { readonly type?: unknown } | null)?.type
  // The schema reports values that are not a Feature or Point at all.
  if (kind !== (site.isFeature ? 'Feature' : 'Point')) return undefined
  const geometry = site.isFeature ? (value as { readonly geometry?: unknown }).geometry : value
  if (site.isFeature && (typeof geometry !== 'object' || geometry === null)) return undefined
  const at = site.isFeature ? `${pointer}/geometry` : pointer
  const fault = geometryFault(geometry)
  if (fault !== undefined) return { ...fault, severity: 'error', path: at + fault.path }
  const shape = (geometry as { readonly type: ShapeKind }).type
  const isOwn = site.isFeature && site.path.length === 1 && site.path[0] === 'spatialFeature'
  if (!isOwn || type.shapes === undefined || type.shapes.includes(shape)) return undefined
  return {
    code: 'geometry-wrong-type',
    severity: 'error',
    path: `${at}/type`,
    value: shape,
    message: `${sayPath(at, '')} is a ${shape}; ${type.title} takes ${sayList(type.shapes)}.`,
  }
}
