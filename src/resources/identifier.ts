/** Writes an identifier as people type it. */

/** scheme:id, as --holding takes it, such as nz.example.farm-number:00412876. */
export function identifierText(
  identifier: { readonly scheme?: unknown; readonly schema?: unknown; readonly id?: unknown } | undefined,
): string {
  // Reference data calls the scheme "schema".
  return [identifier?.scheme ?? identifier?.schema, identifier?.id].filter((each) => typeof each === 'string').join(':')
}
