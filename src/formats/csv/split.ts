/** Hides the grammar of CSV: how a piece of text falls into records and cells, and what is wrong with their quotes. */

/** `quote` is empty where none are read; `escape` is what a quote inside a cell has before it where it is not doubled. */
export type Dialect = { readonly delimiter: string; readonly quote: string; readonly escape?: string }

/** What is wrong with a record: a quote never closed, a quote in the middle of a quoted cell, or no end in sight. */
export type RecordFault = 'unclosed' | 'stray' | 'endless'

/** Whole records in order, what is wrong with them by their index, and where in the text the rest begins. */
export type Split = {
  readonly cells: readonly (readonly string[])[]
  readonly faults: ReadonlyMap<number, RecordFault>
  readonly end: number
}

const lineFeed = 10
const space = 32

/**
 * Splits text whose line breaks are line feeds into records, by RFC 4180 with what programs write besides: spaces before and
 * after the quotes of a cell, single quotes inside a quoted cell. Without `isLast` a record that the text ends in is left for later.
 */
export function splitRecords(text: string, dialect: Dialect, isLast: boolean): Split {
  const { delimiter, quote } = dialect
  const cells: (readonly string[])[] = []
  const faults = new Map<number, RecordFault>()
  let at = 0
  let nextQuote = -1
  while (at < text.length) {
    if (nextQuote < at) nextQuote = quote === '' ? text.length : indexOr(text, quote, at)
    let lineEnd = text.indexOf('\n', at)
    if (lineEnd < 0) {
      if (!isLast) break
      lineEnd = text.length
    }
    // Most lines hold no quote, and nothing is as fast as the engine's own split.
    if (nextQuote >= lineEnd) {
      cells.push(text.slice(at, lineEnd).split(delimiter))
      at = lineEnd + 1
      continue
    }
    const record = recordAt(text, { ...dialect, at, isLast })
    if (record === undefined) break
    if (record.fault !== undefined) faults.set(cells.length, record.fault)
    cells.push(record.cells)
    at = record.end
  }
  return { cells, faults, end: Math.min(at, text.length) }
}

function indexOr(text: string, sought: string, from: number): number {
  const found = text.indexOf(sought, from)
  return found < 0 ? text.length : found
}

type Start = Dialect & { readonly at: number; readonly isLast: boolean }

/** One record; `end` is where the next begins. */
export type OneRecord = { readonly cells: readonly string[]; readonly fault?: RecordFault; readonly end: number }

/** One record cell by cell; nothing when the text ends before it does and more may follow. */
export function recordAt(text: string, start: Start): OneRecord | undefined {
  const { at, delimiter, quote, isLast } = start
  const cells: string[] = []
  const mark = quote.charCodeAt(0)
  let fault: RecordFault | undefined
  let lineEnd = indexOr(text, '\n', at)
  for (let from = at; ;) {
    let end: number
    const quoted =
      text.charCodeAt(from) === mark ? quotedCell(text, from, start) : indentedCell(text, { from, lineEnd }, start)
    if (quoted !== undefined) {
      if (quoted.end >= text.length && !isLast) return undefined
      fault ??= quoted.fault
      cells.push(quoted.cell)
      end = quoted.end
      if (end > lineEnd) lineEnd = indexOr(text, '\n', end)
    } else {
      end = text.indexOf(delimiter, from)
      if (end < 0 || end > lineEnd) end = lineEnd
      if (end >= text.length && !isLast) return undefined
      cells.push(text.slice(from, end))
    }
    if (end >= text.length || text.charCodeAt(end) === lineFeed)
      return { cells, end: end + 1, ...(fault === undefined ? {} : { fault }) }
    from = end + 1
  }
}

/**
 * The quoted cell with spaces before its quote, as people type it behind a comma; nothing where the quote is none: it is not
 * closed in the same line, or something follows it.
 */
function indentedCell(
  text: string,
  { from, lineEnd }: { readonly from: number; readonly lineEnd: number },
  dialect: Dialect,
): QuotedCell | undefined {
  if (text.charCodeAt(from) !== space || dialect.delimiter === ' ') return undefined
  let at = from + 1
  while (text.charCodeAt(at) === space) at += 1
  if (text[at] !== dialect.quote) return undefined
  const quoted = quotedCell(text, at, dialect)
  return quoted.fault === undefined && quoted.end <= lineEnd ? quoted : undefined
}

type QuotedCell = { readonly cell: string; readonly end: number; readonly fault?: RecordFault }

/** The quoted cell that begins at `from`; `end` is where its separator or line feed stands. */
function quotedCell(text: string, from: number, { delimiter, quote, escape }: Dialect): QuotedCell {
  const separator = delimiter.charCodeAt(0)
  const mark = quote.charCodeAt(0)
  let isDoubled = false
  let isStray = false
  for (let search = from + 1; ;) {
    const close = text.indexOf(quote, search)
    if (close < 0) return { cell: text.slice(from + 1), end: text.length, fault: 'unclosed' }
    if (escape !== undefined && isEscaped(text, close, { from, escape })) {
      search = close + 1
      continue
    }
    if (text.charCodeAt(close + 1) === mark) {
      isDoubled = true
      search = close + 2
      continue
    }
    let end = close + 1
    while (text.charCodeAt(end) === space && separator !== space) end += 1
    const after = text.charCodeAt(end)
    if (end >= text.length || after === separator || after === lineFeed) {
      const raw = text.slice(from + 1, close)
      const single = isDoubled ? raw.replaceAll(quote + quote, quote) : raw
      const cell = escape === undefined ? single : unescaped(single, { quote, escape })
      return isStray ? { cell, end, fault: 'stray' } : { cell, end }
    }
    isStray = true
    search = close + 1
  }
}

/** An odd number of escapes before the quote: two of them are one of their own. */
function isEscaped(text: string, at: number, { from, escape }: { from: number; escape: string }): boolean {
  let before = at - 1
  while (before > from && text[before] === escape) before -= 1
  return (at - 1 - before) % 2 === 1
}

function unescaped(text: string, { quote, escape }: { quote: string; escape: string }): string {
  if (!text.includes(escape)) return text
  let plain = ''
  for (let at = 0; at < text.length; at += 1) {
    if (text[at] === escape && (text[at + 1] === quote || text[at + 1] === escape)) at += 1
    plain += text[at]!
  }
  return plain
}
