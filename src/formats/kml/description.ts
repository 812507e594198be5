/** Reads attributes from descriptions written as web pages: ArcGIS and others put them only into a table there. */

import { withReferences } from '../xml.ts'

const longestName = 100
const mostFields = 1000

/** Reads a description: the rows of its two-column table, if it has one, and the text outside it. */
export function readDescription(html: string) {
  if (!html.includes('<')) return { fields: [], text: html.trim() }
  const fields = fieldsOf(html)
  if (fields.length === 0) return { fields, text: plainText(html) }
  const before = html.slice(0, html.search(/<table\b/i))
  const after = html.slice(html.toLowerCase().lastIndexOf('</table>') + '</table>'.length)
  return { fields, text: plainText(`${before} ${after}`) }
}

/** Name and value of each row; undefined if a row has more than two cells, because that is another kind of table. */
function fieldsOf(html: string): readonly (readonly [string, string])[] {
  if (!/<table\b/i.test(html) || !/<\/table>/i.test(html)) return []
  const fields: (readonly [string, string])[] = []
  for (const row of html.split(/<tr\b[^<>]*>/i).slice(1)) {
    const cells = row.split(/<\/?t(?:r|able)\b/i, 1)[0]!.split(/<t[dh]\b[^<>]*>/i).slice(1) // oxfmt-ignore
    if (cells.length > 2) return []
    if (cells.length < 2) continue
    const [name, value] = cells.map(plainText) as [string, string]
    if (name === '' || name.length > longestName || fields.length === mostFields) return []
    fields.push([name, /^<null>$/i.test(value) ? '' : value])
  }
  return fields
}

// Only tags of web pages, those of one letter with an end: a paddock may be called <North>, or <A>.
const pageTags = /<\/?(?:big|br|center|div|em|font|h[1-6]|html|small|span|strong|sub|sup)\b[^<>]*>|<\/[abipu]>/i

/** A name without the tags that some programs write around its words. */
export function nameWithoutTags(name: string): string {
  return pageTags.test(name) ? plainText(name).replaceAll('\n', ' ') : name
}

/** The text of a page without its tags. Each step is a single pass, whatever the text contains. */
function plainText(html: string): string {
  const text = ['style', 'script', 'head']
    .reduce(withoutElement, html)
    .replace(/<(?:br|\/p|\/div|\/li|\/tr)\b[^<>]*>/gi, '\n')
    .replace(/<\/?[a-z!][^<>]*>/gi, ' ')
  return withReferences(text)
    .replace(/[^\S\n]+/g, ' ')
    .replace(/ ?\n[ \n]*/g, '\n')
    .trim()
}

function withoutElement(html: string, name: string): string {
  const [begin, ...rest] = html.split(new RegExp(`<${name}\\b`, 'i'))
  const end = new RegExp(`</${name}>`, 'i')
  return [begin!, ...rest.map((each) => each.slice(Math.max(0, each.search(end))))].join(' ')
}
