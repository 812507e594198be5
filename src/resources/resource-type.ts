/** Describes one type of record of the service, and its identifiers. The types are listed in index.ts. */

import type { JsonSchema } from '../core/object-schema.ts'
import type { ShapeKind } from '../core/shape.ts'
import { entriesIn } from './groups.ts'

/**
 * `name` is the spelling of `resourceType` that windrow writes; `plural` is the word in commands and collections;
 * `dataset` and `shortCode` are set when the streaming API accepts the type; `aliases` are other spellings that are read;
 * `shapes` are the geometries its spatial feature may have. Schemas are self-contained: composed in code, no `$ref`.
 */
export type ResourceType = {
  readonly name: string
  readonly title: string
  readonly plural: string
  readonly dataset?: string
  readonly shortCode?: string
  readonly aliases: readonly string[]
  readonly shapes?: readonly ShapeKind[]
  readonly schema: JsonSchema
}

/** An identifier, the same everywhere in the service. */
export type Identifier = { readonly scheme: string; readonly id: string }

/** What may be an identifier; reference data calls the scheme "schema". */
export type LooseIdentifier = { readonly scheme?: unknown; readonly schema?: unknown; readonly id?: unknown }

/** scheme:id, as a person writes a holding, such as nz.example.farm-number:00412876. */
export function identifierText(identifier: LooseIdentifier | undefined): string {
  return [identifier?.scheme ?? identifier?.schema, identifier?.id].filter((each) => typeof each === 'string').join(':')
}

/** The identifiers of a record, without entries that a program left empty (null) or wrote otherwise. */
export function identifiersIn(body: object): readonly Identifier[] {
  const entries = entriesIn(body, 'identifiers') as readonly Identifier[]
  return entries.filter(({ scheme, id }) => typeof scheme === 'string' && typeof id === 'string')
}
