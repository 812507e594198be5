/** Hides how the cells of records are found without making a text of each: as stretches of the code units of their piece. */

import { textBetween } from '../../core/units.ts'
import { constantsMeant, mayHoldConstants } from './constants.ts'
import { inPieces, isDoubtful } from './records.ts'
import { recordAt, type Dialect, type OneRecord, type RecordFault } from './split.ts'

const [lineFeed, space] = [10, 32]
const none = -1

/** True for a dialect whose cells can be found so. */
export function canFindCells({ delimiter, escape }: Dialect): boolean {
  return delimiter.length === 1 && escape === undefined
}

/** Reads records from text whose line breaks are line feeds. It is one chunk that is filled again and again. */
export function readSpans(texts: AsyncIterable<string>, dialect: Dialect): AsyncGenerator<SpanChunk> {
  const chunk = new SpanChunk(dialect)
  return inPieces(texts, dialect, {
    take: (text, isLast) => ({ end: chunk.fill(text, isLast), chunk: chunk.count > 0 ? chunk : undefined }),
    giveUp: (text, fault) => chunk.giveUp({ cells: [text], fault, end: text.length }),
  })
}

/**
 * Some records in order. The cells of a plain one stand in `units` between pairs of `bounds`; one that has to be looked at more
 * closely for its quotes has none.
 */
export class SpanChunk {
  units = new Uint16Array(1 << 15)
  bounds = new Int32Array(1 << 15)
  count = 0
  isDoubtful = false
  isCut = false
  readonly #separator: number
  readonly #quote: number
  readonly #dialect: Dialect
  readonly #odd = new Map<number, OneRecord>()
  #bytes = Buffer.from(this.units.buffer)
  /** For each record where its bounds end. */
  #ends = new Int32Array(1 << 10)
  #text = ''
  /** Behind the text, where cells without their doubled quotes are put. */
  #free = 0
  #bound = 0

  constructor(dialect: Dialect) {
    this.#dialect = dialect
    this.#separator = dialect.delimiter.charCodeAt(0)
    this.#quote = dialect.quote === '' ? none : dialect.quote.charCodeAt(0)
  }

  /** Takes the records of the text in place of those before; returns where the rest begins. */
  fill(text: string, isLast: boolean): number {
    this.#start(text)
    const hasConstants = mayHoldConstants(text)
    let at = 0
    while (at < text.length) {
      let next = hasConstants ? none : this.#find(at)
      if (next === none) {
        const record = recordAt(text, { ...this.#dialect, at, isLast })
        if (record === undefined) break
        this.#odd.set(this.count, hasConstants ? { ...record, cells: constantsMeant(record.cells) } : record)
        next = record.end
      }
      this.#endRecord()
      at = next
    }
    this.isDoubtful = isDoubtful(text)
    return Math.min(at, text.length)
  }

  /** Holds nothing but a record that the text is given up with. */
  giveUp(record: OneRecord): this {
    this.#start('')
    this.#odd.set(0, record)
    this.#endRecord()
    this.isCut = true
    return this
  }

  /** Where the bounds of a record begin; one that is not plain has none. */
  boundsOf(record: number): number {
    return record === 0 ? 0 : this.#ends[record - 1]!
  }

  /** How many cells of a record have bounds. */
  cellsIn(record: number): number {
    return (this.#ends[record]! - this.boundsOf(record)) >> 1
  }

  /** Any record with its cells as texts. */
  record(record: number): { readonly cells: readonly string[]; readonly fault: RecordFault | undefined } {
    const odd = this.#odd.get(record)
    if (odd !== undefined) return { cells: odd.cells, fault: odd.fault }
    const cells: string[] = []
    for (let at = this.boundsOf(record); at < this.#ends[record]!; at += 2)
      cells.push(this.text(this.bounds[at]!, this.bounds[at + 1]!))
    return { cells, fault: undefined }
  }

  /** The text between two places in `units`. */
  text(from: number, to: number): string {
    return to <= this.#text.length ? this.#text.slice(from, to) : textBetween(this.units, from, to)
  }

  #start(text: string): void {
    // As long again as the text: what is written behind it is shorter than what it is made of.
    if (this.units.length < text.length * 2 + 1) {
      this.units = new Uint16Array(text.length * 2 + 1)
      this.#bytes = Buffer.from(this.units.buffer)
    }
    this.#bytes.write(text, 'utf16le')
    // Ends the search for a cell's end.
    this.units[text.length] = lineFeed
    this.#text = text
    this.#free = text.length + 1
    this.#bound = 0
    this.count = 0
    this.isCut = false
    this.isDoubtful = false
    this.#odd.clear()
  }

  #endRecord(): void {
    if (this.count === this.#ends.length) this.#ends = grown(this.#ends)
    this.#ends[this.count] = this.#bound
    this.count += 1
  }

  /** Finds the cells of the record at `start`; returns where the next begins, or none where it is not plain, or not all there. */
  #find(start: number): number {
    const { units } = this
    const length = this.#text.length
    const separator = this.#separator
    const quote = this.#quote
    let { bounds } = this
    let bound = this.#bound
    for (let from = start; ;) {
      let end = from
      let last: number
      const first = units[from]!
      if (first === quote) {
        const close = this.#closeOf(from)
        if (close === none) return none
        end = close + 1
        while (units[end] === space && separator !== space) end += 1
        if (units[end] !== separator && units[end] !== lineFeed) return none
        from += 1
        last = close
        if (this.#isDoubled) {
          from = this.#undouble(from, close)
          last = this.#free
        }
      } else {
        if (first === space && this.#isIndented(from)) return none
        for (let unit = first; unit !== separator && unit !== lineFeed; unit = units[end]!) end += 1
        last = end
      }
      if (end >= length) return none
      if (bound === bounds.length) bounds = this.bounds = grown(bounds)
      bounds[bound] = from
      bounds[bound + 1] = last
      bound += 2
      from = end + 1
      if (units[end] === lineFeed) {
        this.#bound = bound
        return from
      }
    }
  }

  #isDoubled = false

  /** Where the quote stands that closes the one at `open`. */
  #closeOf(open: number): number {
    const { units } = this
    const length = this.#text.length
    const quote = this.#quote
    this.#isDoubled = false
    for (let at = open + 1; at < length; at += 1) {
      if (units[at] !== quote) continue
      if (units[at + 1] !== quote) return at
      this.#isDoubled = true
      at += 1
    }
    return none
  }

  /** Writes the cell with one quote for two; returns where it begins. */
  #undouble(from: number, to: number): number {
    const { units } = this
    const quote = this.#quote
    const begin = this.#free
    let free = begin
    for (let at = from; at < to; at += 1) {
      units[free++] = units[at]!
      if (units[at] === quote) at += 1
    }
    this.#free = free
    return begin
  }

  #isIndented(from: number): boolean {
    const { units } = this
    let at = from
    while (units[at] === space) at += 1
    return units[at] === this.#quote
  }
}

function grown(ints: Int32Array<ArrayBuffer>): Int32Array<ArrayBuffer> {
  const more = new Int32Array(ints.length * 2)
  more.set(ints)
  return more
}
