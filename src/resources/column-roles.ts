/** Finds which kind of columns the values of a schema make. */

import { feature, point, referencedType } from './building-blocks.ts'
import type { UnitKind } from './units.ts'

/**
 * `open` is for members that windrow does not know: their values decide. `boundary` is geometry that the file format stores
 * itself, `shape` is geometry that needs a text column; `tag` is a type name that adds nothing to the columns.
 */
export type Role =
  | {
      readonly is:
        | 'text'
        | 'number'
        | 'boolean'
        | 'date-time'
        | 'open'
        | 'boundary'
        | 'shape'
        | 'point'
        | 'tag'
        | 'identifiers'
    }
  | { readonly is: 'measure'; readonly kind: UnitKind | undefined }
  | { readonly is: 'group'; readonly members: Readonly<Record<string, unknown>> }
  | { readonly is: 'list'; readonly entries: unknown }

type SchemaParts = {
  readonly type?: string | readonly string[]
  readonly format?: string
  readonly properties?: Readonly<Record<string, unknown>>
  readonly items?: unknown
}

/** The role of the member `name` with this schema; no schema means an unknown member. */
export function roleOf(name: string, schema: unknown): Role {
  if (schema === undefined) return { is: 'open' }
  if (schema === feature) return { is: name === 'spatialFeature' ? 'boundary' : 'shape' }
  if (schema === point) return { is: 'point' }
  if (name === 'resourceType' || schema === referencedType) return { is: 'tag' }
  const { type, format, properties, items } = schema as SchemaParts
  if (isIdentifier(properties)) return { is: 'identifiers' }
  const first = typeof type === 'string' ? type : type?.[0]
  if (first === 'object') return groupRole(properties)
  if (first === 'array') {
    const entries = items as SchemaParts | undefined
    return isIdentifier(entries?.properties) ? { is: 'identifiers' } : { is: 'list', entries: items }
  }
  if (first === 'number' || first === 'integer') return { is: 'number' }
  if (first === 'boolean') return { is: 'boolean' }
  if (first !== 'string') return { is: 'open' }
  return { is: format === 'date-time' ? 'date-time' : 'text' }
}

/** A breed's code has `schema` where other identifiers have `scheme`. */
function isIdentifier(properties: Readonly<Record<string, unknown>> | undefined): boolean {
  return properties?.['id'] !== undefined && (properties['scheme'] ?? properties['schema']) !== undefined
}

function groupRole(properties: Readonly<Record<string, unknown>> | undefined): Role {
  if (properties === undefined) return { is: 'open' }
  const unit = (properties['units'] as SchemaParts | undefined)?.format
  if (unit?.endsWith('-unit') !== true) return { is: 'group', members: properties }
  return { is: 'measure', kind: unit === 'any-unit' ? undefined : (unit.slice(0, -'-unit'.length) as UnitKind) }
}
