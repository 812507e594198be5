/** Builds pages and escapes every value in them. */

/** A piece of a page that is already safe. */
export type Html = { readonly html: string }

/** Builds a piece of a page; values are escaped, pieces and lists of pieces are not, booleans, null and undefined give nothing. */
export function html(parts: TemplateStringsArray, ...values: readonly Part[]): Html {
  let text = parts[0]!
  values.forEach((value, index) => {
    text += render(value) + parts[index + 1]!
  })
  return { html: text }
}

type Part = Html | string | number | boolean | null | undefined | readonly Part[]

function render(part: Part): string {
  if (part === undefined || part === null || typeof part === 'boolean') return ''
  if (typeof part !== 'object') return escape(String(part))
  return 'html' in part ? part.html : part.map(render).join('')
}

function escape(text: string): string {
  return text
    .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g, '')
    .replace(/[&<>"']/g, (character) => entities[character]!)
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}
