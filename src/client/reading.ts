/** Reads values of an answer safely: members by kind, records in windrow's spelling, sentences without control characters. */

import { isObject, jsonValue } from '../core/values/exact-json.ts'
import type { Identifier, ResourceType } from '../resources/resource-type.ts'
import { WindrowError } from '../core/error.ts'
import { readSpelling } from '../resources/spellings.ts'

export type Members = { readonly [name: string]: unknown }

/** The value as an object with members, or undefined. */
export function membersOf(value: unknown): Members | undefined {
  return isObject(value) ? value : undefined
}

/** The value as text that is not empty, or undefined. */
export function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined
}

/** The value as a count: a whole number from 0, or undefined. */
export function countOf(value: unknown): number | undefined {
  return Number.isSafeInteger(value) && (value as number) >= 0 ? (value as number) : undefined
}

/** The objects among the entries of a list; anything else is an empty list. */
export function objectsOf(value: unknown): readonly Members[] {
  return Array.isArray(value) ? value.map(membersOf).filter((each) => each !== undefined) : []
}

/** The identifiers of a list, with their further members; `schema` is read as `scheme`, entries without scheme or id are left out. */
export function identifiersOf(value: unknown): readonly Identifier[] {
  return objectsOf(value).flatMap(({ schema, ...each }) => {
    const scheme = textOf(each['scheme']) ?? textOf(schema)
    const id = textOf(each['id'])
    return scheme === undefined || id === undefined ? [] : [{ ...each, scheme, id }]
  })
}

const unseen = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\s]+/gu

/** The text on one line, without control or direction characters. */
export function oneLine(text: string): string {
  return text.replace(unseen, ' ').trim()
}

/** Cuts a text to a length. */
export function shortened(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most - 1).replace(/[\uD800-\uDBFF]$/, '')}…`
}

/**
 * The explanation in an error body: `detail` or `title` of problem details, `error_description` or `error` of a token endpoint;
 * undefined for other bodies, such as a proxy's HTML.
 */
export function sentenceOf(body: string): string | undefined {
  const parsed = membersOf(jsonValue(body))
  return ['detail', 'error_description', 'title', 'error'].map((name) => textOf(parsed?.[name])).find(Boolean)
}

/** The error for an answer that is something else than `what`. */
export function serviceConfused(what: string): WindrowError {
  return new WindrowError('service-confused', `The service answered with something that is not ${what}.`)
}

/** A record as the service gave it, unchecked: `check` tests its members against the interface. */
export type Received<Body> = Members & Partial<Body>

/** Reads the one record of an answer. Throws 'service-confused' when it is not a record. */
export function recordOf<Body>(type: ResourceType, value: unknown): Received<Body> {
  const members = membersOf(value)
  if (members !== undefined) return readSpelling(type, members) as Received<Body>
  throw serviceConfused(`a ${type.title.toLowerCase()}`)
}

/** Reads the records of a list. Throws 'service-confused' when it is not a list of records. */
export function recordsOf<Body>(type: ResourceType, value: unknown): readonly Received<Body>[] {
  const records = objectsOf(value)
  if (Array.isArray(value) && records.length === value.length)
    return records.map((record) => readSpelling(type, record) as Received<Body>)
  throw serviceConfused(`a list of ${type.plural.replaceAll('-', ' ')}`)
}

export type Secrets = ReturnType<typeof secretKeeper>

// Replacing one or two letters would only garble the text.
const shortest = 3

/**
 * Remembers secrets, and those that are added later: an answer of the service may repeat a password or a token, which must not reach
 * a message.
 */
export function secretKeeper(first: readonly (string | undefined)[]) {
  const known = new Set<string>()
  const add = (secret: string | undefined): void => {
    if (secret === undefined) return
    const form = new URLSearchParams([['', secret]]).toString().slice(1)
    const json = JSON.stringify(secret).slice(1, -1)
    for (const spelling of [
      secret,
      oneLine(secret),
      form,
      form.replaceAll('+', '%20'),
      encodeURIComponent(secret),
      json,
    ])
      if (spelling.length >= shortest) known.add(spelling)
  }
  first.forEach(add)
  return {
    add,
    /** Makes any text safe for a message: one line, bounded, every secret replaced. */
    clean(text: string, most = 300): string {
      // Control characters first, because they could hide a secret; cutting last, because it could halve one.
      let clean = oneLine(text)
      for (const secret of [...known].toSorted((a, b) => b.length - a.length))
        clean = clean.replaceAll(secret, '[hidden]')
      return shortened(clean, most)
    },
  }
}

/** Client and secret are in the form, or percent-encoded in a Basic header (RFC 6749, 2.3.1). */
export function clientOf(form: URLSearchParams, headers: Headers): { readonly id: string; readonly secret: string } {
  const basic = /^basic +(\S+)$/i.exec(headers.get('authorization') ?? '')?.[1]
  if (basic === undefined) return { id: form.get('client_id') ?? '', secret: form.get('client_secret') ?? '' }
  const [id = '', ...secret] = Buffer.from(basic, 'base64').toString().split(':')
  return { id: decoded(id), secret: decoded(secret.join(':')) }
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    return text
  }
}
