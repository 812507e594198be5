/** Hides what the library overlooks in the cells of an OpenDocument sheet: values without a text, and errors as Excel writes them. */

const valueWithoutText = /<((?:[\w.-]+:)?table-cell)(\s[^<>]*\boffice:[a-z]*-?value\s*=[^<>]*)\/>/g

const errorAsNumber =
  /<((?:[\w.-]+:)?table-cell)(\s[^<>]*\bvalue-type\s*=\s*["']float["'][^<>]*)>(?=\s*<text:p>#(?:NULL!|DIV\/0!|VALUE!|REF!|NAME\?|NUM!|N\/A)<\/text:p>)/g

/** The XML of the sheets with these cells written as the library understands them. */
export function understoodCells(xml: string): string {
  // A cell may have its value in an attribute alone (ODF 1.2, 19.386), as some writers do with all numbers.
  const closed = xml.replace(valueWithoutText, (cell, name: string, attributes: string) =>
    attributes.includes('string-value') ? cell : `<${name}${attributes}></${name}>`,
  )
  // Excel gives the number 0 to a formula that fails; LibreOffice says in an attribute of its own that it has failed.
  return closed.replace(errorAsNumber, '<$1$2 calcext:value-type="error">')
}
