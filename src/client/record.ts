/** Reads records from an answer: each must be an object, gets windrow's spelling, and keeps unknown members. */

import { WindrowError } from '../core/error.ts'
import type { ResourceType } from '../resources/resource-type.ts'
import { readSpelling } from '../resources/spellings.ts'
import { membersOf, objectsOf, type Members } from './reading.ts'

/** A record as the service gave it, unchecked: `check` tests its members against the interface. */
export type Received<Body> = Members & Partial<Body>

/** Reads the one record of an answer. Throws 'service-confused' when it is not a record. */
export function recordOf<Body>(type: ResourceType, value: unknown): Received<Body> {
  const members = membersOf(value)
  if (members !== undefined) return readSpelling(type, members) as Received<Body>
  throw new WindrowError(
    'service-confused',
    `The service answered with something that is not a ${type.title.toLowerCase()}.`,
  )
}

/** Reads the records of a list. Throws 'service-confused' when it is not a list of records. */
export function recordsOf<Body>(type: ResourceType, value: unknown): readonly Received<Body>[] {
  const records = objectsOf(value)
  if (Array.isArray(value) && records.length === value.length)
    return records.map((record) => readSpelling(type, record) as Received<Body>)
  throw new WindrowError(
    'service-confused',
    `The service answered with something that is not a list of ${type.plural.replaceAll('-', ' ')}.`,
  )
}
