/** Writes JSON Schemas as literals, and reads the types of their values from them. */

/** A JSON Schema, with the keywords that windrow asks for. */
export type JsonSchema =
  | boolean
  | {
      readonly type?: string | readonly string[]
      readonly properties?: Readonly<Record<string, JsonSchema>>
      readonly required?: readonly string[]
      readonly items?: JsonSchema
      readonly format?: string
      readonly [keyword: string]: unknown
    }

/** The type of the values that fit a schema. Where a schema has a type, what it also combines with anyOf is left out. */
export type TypeOf<Schema> = Schema extends { readonly const: infer Value }
  ? Value
  : Schema extends { readonly enum: readonly (infer Value)[] }
    ? Value
    : Schema extends { readonly type: (infer Name) | readonly (infer Name)[] }
      ? Typed<Name, Schema>
      : Schema extends { readonly anyOf: readonly (infer Each)[] } | { readonly oneOf: readonly (infer Each)[] }
        ? TypeOf<Each>
        : unknown

type Typed<Name, Schema> = Name extends keyof Plain
  ? Plain[Name]
  : Name extends 'array'
    ? ItemOf<Schema>[]
    : ObjectOf<Schema>

type Plain = { string: string; number: number; integer: number; boolean: boolean; null: null }

type ItemOf<Schema> = Schema extends { readonly items: infer Item } ? TypeOf<Item> : unknown

// The last step makes one object of three parts, as editors show it.
type ObjectOf<
  Schema,
  Members = MembersOf<Schema>,
  Needed extends keyof Members = RequiredOf<Schema> & keyof Members,
> = Pick<Members, Needed> & Omit<Partial<Members>, Needed> & OthersOf<Schema> extends infer Parts
  ? { [Name in keyof Parts]: Parts[Name] }
  : never

type MembersOf<Schema> = Schema extends { readonly properties: infer Members }
  ? { -readonly [Name in keyof Members]: TypeOf<Members[Name]> }
  : unknown

type RequiredOf<Schema> = Schema extends { readonly required: readonly (infer Name)[] } ? Name : never

type OthersOf<Schema> = Schema extends { readonly additionalProperties: infer Others }
  ? Others extends false
    ? unknown
    : { [name: string]: TypeOf<Others> }
  : { [name: string]: unknown }

/** An object with these members and perhaps others; it must have the `required` ones. */
export function looseObject<const Members extends object, const Name extends keyof Members = never>(
  required: readonly Name[],
  properties: Members,
) {
  return { type: 'object', required, properties } as const
}

/** An object with these members and no others. */
export function strictObject<const Members extends object, const Name extends keyof Members = never>(
  required: readonly Name[],
  properties: Members,
) {
  return { type: 'object', required, additionalProperties: false, properties } as const
}
