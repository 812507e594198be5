/** Hides how a record is taken out of an answer: it must be an object, comes in windrow's spelling, and keeps what is unknown. */

import { WindrowError } from '../core/error.ts'
import type { ResourceType } from '../resources/resource-type.ts'
import { readSpelling } from '../resources/spellings.ts'
import { membersOf, objectsOf, type Members } from './reading.ts'

/** A record as the service gave it. The type says what its members are by the interface; `check` says whether they are. */
export type Received<Body> = Members & Partial<Body>

/** The one record of an answer. Throws 'service-confused' when it is none. */
export function recordOf<Body>(type: ResourceType, value: unknown): Received<Body> {
  const members = membersOf(value)
  if (members !== undefined) return readSpelling(type, members) as Received<Body>
  throw new WindrowError(
    'service-confused',
    `The service answered with something that is no ${type.title.toLowerCase()}.`,
  )
}

/** The records of a list. Throws 'service-confused' when it is no list, or has anything else in it. */
export function recordsOf<Body>(type: ResourceType, value: unknown): readonly Received<Body>[] {
  const records = objectsOf(value)
  if (Array.isArray(value) && records.length === value.length)
    return records.map((record) => readSpelling(type, record) as Received<Body>)
  throw new WindrowError(
    'service-confused',
    `The service answered with something that is no list of ${type.plural.replaceAll('-', ' ')}.`,
  )
}
