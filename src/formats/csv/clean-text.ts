/** Hides what is taken out of the text of a CSV file before it is split: line breaks of all kinds, a first line "sep=;", zeros. */

import { withLineFeeds } from '../../core/text.ts'

/** What came along in the text and was left out; counted while it is read. */
export type LeftOut = { nulls: number }

/** The text with line feeds alone, without zero characters, and without its first line where that is only an instruction. */
export async function* cleanText(
  texts: AsyncIterable<string>,
  { hasSeparatorLine, leftOut }: { readonly hasSeparatorLine: boolean; readonly leftOut: LeftOut },
): AsyncGenerator<string> {
  let head: string | undefined = hasSeparatorLine ? '' : undefined
  for await (const each of withLineFeeds(texts)) {
    const text = withoutNulls(each, leftOut)
    if (head === undefined) {
      yield text
      continue
    }
    head += text
    const end = head.indexOf('\n')
    if (end < 0) continue
    yield head.slice(end + 1)
    head = undefined
  }
}

/** Programs with fields of fixed width pad them with zeros, and a crash leaves blocks of them. */
function withoutNulls(text: string, leftOut: LeftOut): string {
  if (!text.includes('\0')) return text
  const rest = text.replaceAll('\0', '')
  leftOut.nulls += text.length - rest.length
  return rest
}
