/**
 * Hides how it is answered whether a value fits a schema, where nobody asks why not: by functions written for the schema when it
 * is first used. That takes two milliseconds; ajv, which finds the words for what is wrong, takes a fifth of a start.
 */

import { textFormats } from './text-formats.ts'

export type Fit = (value: unknown) => boolean

/** The words of JSON Schema that are known here. */
type Schema = {
  readonly type?: TypeName | readonly TypeName[]
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly format?: string
  readonly pattern?: string
  readonly minLength?: number
  readonly minimum?: number
  readonly maximum?: number
  readonly minItems?: number
  readonly maxItems?: number
  readonly items?: Schema
  readonly required?: readonly string[]
  readonly properties?: Readonly<Record<string, Schema>>
  readonly additionalProperties?: Schema | boolean
}

type TypeName = 'string' | 'number' | 'integer' | 'boolean' | 'null' | 'array' | 'object'

const words: Readonly<Record<keyof Schema, true>> = {
  type: true,
  enum: true,
  const: true,
  format: true,
  pattern: true,
  minLength: true,
  minimum: true,
  maximum: true,
  minItems: true,
  maxItems: true,
  items: true,
  required: true,
  properties: true,
  additionalProperties: true,
}
const remarks: ReadonlySet<string> = new Set(['$schema', 'title', 'description'])
const formats = new Map(textFormats.map(({ name, holds }) => [name, holds]))

/** The function of a schema; undefined where the schema says something that is not known here. */
export function fitOf(schema: object): Fit | undefined {
  return isKnown(schema) ? new FitWriter().fitOf(schema) : undefined
}

function isKnown(schema: unknown): schema is Schema {
  if (typeof schema !== 'object' || schema === null) return false
  const said = wordsOf(schema)
  if (!said.every((word) => Object.hasOwn(words, word))) return false
  const { type, minLength = 0, format, items, properties = {}, additionalProperties } = schema as Schema
  const listed = valuesOf(schema as Schema)
  return (
    (type !== undefined || listed !== undefined || said.length === 0) &&
    (listed === undefined || listed.every((value) => typeof value !== 'object')) &&
    // A sign outside the basic plane is one character and two units of a string; from two characters on it matters.
    minLength <= 1 &&
    (format === undefined || formats.has(format)) &&
    (items === undefined || isKnown(items)) &&
    (typeof additionalProperties === 'object' ? isKnown(additionalProperties) : true) &&
    Object.values(properties).every(isKnown)
  )
}

function wordsOf(schema: object): readonly string[] {
  return Object.keys(schema).filter((word) => !remarks.has(word))
}

function valuesOf({ enum: several, const: only }: Schema): readonly unknown[] | undefined {
  return only === undefined ? several : [only]
}

/**
 * Writes a function for each group and each list of a schema. Each member is looked up at a place of its own in the code, which the
 * engine needs to be fast: one function that goes through the members of any schema took a microsecond more for a plot.
 */
class FitWriter {
  readonly #functions: string[] = []
  readonly #namesOf = { list: new Map<Schema, string>(), group: new Map<Schema, string>() }
  /** What the functions use besides their argument: formats, patterns, lists. */
  readonly #given: unknown[] = []

  fitOf(schema: Schema): Fit {
    const condition = this.#condition(schema, 'value')
    const names = this.#given.map((_, index) => givenName(index))
    const code = `'use strict'\n${this.#functions.join('\n')}\nreturn (value) => ${condition}`
    return new Function(...names, code)(...this.#given) as Fit
  }

  /** An expression that is true where what `at` names fits. */
  #condition(schema: Schema, at: string): string {
    if (wordsOf(schema).length === 0) return 'true'
    const listed = valuesOf(schema)
    const types = schema.type === undefined ? [] : [schema.type].flat()
    const ofTypes = types.map((type) => `(${this.#ofType(type, schema, at)})`).join(' || ')
    return [
      ...(types.length === 0 ? [] : [`(${ofTypes})`]),
      ...(listed === undefined ? [] : [`${this.#give(listed)}.includes(${at})`]),
    ].join(' && ')
  }

  #ofType(type: TypeName, schema: Schema, at: string): string {
    switch (type) {
      case 'string':
        return [`typeof ${at} === 'string'`, ...this.#textConditions(schema, at)].join(' && ')
      case 'number':
        return [`Number.isFinite(${at})`, ...amountConditions(schema, at)].join(' && ')
      case 'integer':
        return [`Number.isInteger(${at})`, ...amountConditions(schema, at)].join(' && ')
      case 'boolean':
        return `typeof ${at} === 'boolean'`
      case 'null':
        return `${at} === null`
      case 'array':
        return [`Array.isArray(${at})`, ...this.#call('list', schema, at)].join(' && ')
      case 'object':
        return [
          `typeof ${at} === 'object' && ${at} !== null && !Array.isArray(${at})`,
          ...this.#call('group', schema, at),
        ].join(' && ')
    }
  }

  #textConditions({ minLength, format, pattern }: Schema, at: string): readonly string[] {
    return [
      ...(minLength === 1 ? [`${at}.length > 0`] : []),
      ...(format === undefined ? [] : [`${this.#give(formats.get(format))}(${at})`]),
      ...(pattern === undefined ? [] : [`${this.#give(new RegExp(pattern, 'u'))}.test(${at})`]),
    ]
  }

  /** A call of the function of a schema for a kind of value, if there is anything to look at. What members share is written once. */
  #call(kind: 'list' | 'group', schema: Schema, at: string): readonly string[] {
    const names = this.#namesOf[kind]
    let name = names.get(schema)
    if (name === undefined) {
      const lines = kind === 'list' ? this.#linesOfList(schema) : this.#linesOfGroup(schema)
      name = lines.length === 0 ? '' : `${kind}${names.size}`
      names.set(schema, name)
      if (name !== '') this.#functions.push(`const ${name} = (it) => {\n${lines.join('\n')}\nreturn true\n}`)
    }
    return name === '' ? [] : [`${name}(${at})`]
  }

  #linesOfList({ minItems = 0, maxItems, items }: Schema): readonly string[] {
    const lines: string[] = []
    if (minItems > 0) lines.push(`if (it.length < ${minItems}) return false`)
    if (maxItems !== undefined) lines.push(`if (it.length > ${maxItems}) return false`)
    if (items !== undefined) lines.push(`for (const each of it) if (!(${this.#condition(items, 'each')})) return false`)
    return lines
  }

  #linesOfGroup({ required = [], properties = {}, additionalProperties = true }: Schema): readonly string[] {
    const lines = required.map((name) => `if (it[${JSON.stringify(name)}] === undefined) return false`)
    for (const [name, schema] of Object.entries(properties)) {
      const condition = this.#condition(schema, 'member')
      lines.push(
        `{ const member = it[${JSON.stringify(name)}]`,
        `if (member !== undefined && !(${condition})) return false }`,
      )
    }
    if (additionalProperties !== true) {
      const known = this.#give(new Set(Object.keys(properties)))
      const other = additionalProperties === false ? 'false' : this.#condition(additionalProperties, 'it[name]')
      lines.push(`for (const name in it) if (!${known}.has(name) && !(${other})) return false`)
    }
    return lines
  }

  #give(thing: unknown): string {
    this.#given.push(thing)
    return givenName(this.#given.length - 1)
  }
}

function givenName(index: number): string {
  return `given${index}`
}

function amountConditions({ minimum, maximum }: Schema, at: string): readonly string[] {
  return [
    ...(minimum === undefined ? [] : [`${at} >= ${minimum}`]),
    ...(maximum === undefined ? [] : [`${at} <= ${maximum}`]),
  ]
}
