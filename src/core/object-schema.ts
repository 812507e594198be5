/** Writes the JSON Schemas of objects. */

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
