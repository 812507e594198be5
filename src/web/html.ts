/** Builds pages and escapes every value in them. */

import { pageStyle } from './page-style.ts'

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

/** The head of a table: the titles of its columns, then of its columns of numbers. */
export function tableHead(titles: readonly string[], ofNumbers: readonly string[] = []): Html {
  const texts = titles.map((title) => html`<th scope="col">${title}</th>`)
  const numbers = ofNumbers.map((title) => html`<th scope="col" class="n">${title}</th>`)
  return html`<thead>
    <tr>
      ${texts}${numbers}
    </tr>
  </thead>`
}

/** A page that loads nothing. `scripts` is what its policy allows besides styles; `head` and `end` come beside its content. */
export function wholePage(
  about: {
    readonly title: string
    readonly style?: string
    readonly scripts?: string
    readonly head?: Html
    readonly end?: Html
  },
  content: Html,
): string {
  const { title, style = '', scripts = '', head, end } = about
  const page = html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta
          http-equiv="Content-Security-Policy"
          content="${`default-src 'none'; style-src 'unsafe-inline'${scripts}`}"
        />
        <title>${title}</title>
        <style>
          ${{ html: pageStyle + style }}
        </style>
        ${head}
      </head>
      <body>
        <main>${content}</main>
        ${end}
      </body>
    </html> `
  return page.html
}

/** A moment as a clock in that zone shows it. */
export function timeIn(moment: string, zone: string): string {
  const time = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short', timeZone: zone })
  return time.format(new Date(moment))
}
