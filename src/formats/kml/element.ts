/** Describes an element of a placemark. */

/** What is in an element comes in order. `label` is its attribute name, of SchemaData the address of the schema. */
export type Element = { readonly name: string; readonly label: string; readonly content: (string | Element)[] }

/** The elements directly in an element. */
export function elementsIn({ content }: Element): readonly Element[] {
  return content.filter((each) => typeof each !== 'string')
}

/** All text in an element, also of the elements in it. */
export function textOf({ content }: Element): string {
  let text = ''
  for (const each of content) text += typeof each === 'string' ? each : textOf(each)
  return text
}
