/** Counts in one pass over the bytes of a CSV file which rows each delimiter with each quote character would make. */

import type { Dialect } from './split.ts'

/**
 * The rows that a reading makes. `cells` has how many rows have so many cells, `runs` the most consecutive ones of them; blank rows do not
 * count and do not interrupt. `swallowed` are the line breaks in rows with a wrong quote, `quoted` the cells in quotes.
 */
export type Tally = {
  readonly cells: number[]
  readonly runs: number[]
  rows: number
  /** The cells of the first row. */
  first: number
  swallowed: number
  quoted: number
}

/** A reading with the rows that it makes of the first part of a file, and of all of it. `longest` is its longest row in bytes. */
export type Scanned = { readonly dialect: Dialect; readonly head: Tally; readonly all: Tally; readonly longest: number }

type State = {
  readonly delimiter: number
  readonly quote: number
  readonly escapes: boolean
  readonly all: Tally
  head: Tally
  longest: number
  at: number
  count: number
  run: number
  runOf: number
  isBlank: boolean
  isFaulty: boolean
  breaks: number
  from: number
}

// Signs of dialects, before and after their first time.
const [known, unseen] = [1, 2]

// Where in a cell a reading is.
const [start, plain, inQuotes, closing, closed] = [0, 1, 2, 3, 4]

/** The column names, and what is above them, are in the first part. */
const headBytes = 1 << 17

const [tab, lineFeed, carriageReturn, space, comma, backslash] = [9, 10, 13, 32, 44, 92]

/** What a scan found; `tightCommas` are those with no space behind, and the whole of a short file is its first part. */
export type CsvScan = ReturnType<ReturnType<typeof startScan>['end']>

/** The most bytes of a row; what takes in more is an open quote, or no table. */
const mostOfRow = 1 << 22

function startTally(): Tally {
  return { cells: [], runs: [], rows: 0, first: 0, swallowed: 0, quoted: 0 }
}

/** Starts to scan text in an encoding that has the signs of ASCII at their place. `add` takes the next bytes. */
export function startScan(dialects: readonly Dialect[]) {
  const seen = new Set<number>()
  const seenCode = (sign = ''): number => (seen.has(sign.charCodeAt(0)) ? sign.charCodeAt(0) : -1)
  const keyOf = ({ delimiter, quote, escape }: Dialect): string => [delimiter, quote, escape].map(seenCode).join()
  const first: State = {
    head: startTally(),
    all: startTally(),
    longest: 0,
    delimiter: -1,
    quote: -1,
    escapes: false,
    at: start,
    count: 1,
    run: 0,
    runOf: 0,
    isBlank: true,
    isFaulty: false,
    breaks: 0,
    from: 0,
  }
  // Dialects make the same rows until one of their signs occurs.
  let byKey = new Map(dialects.map((each) => [keyOf(each), first]))
  let states = [first]
  const tellApart = (sign: number): void => {
    const before = new Map(dialects.map((each) => [each, byKey.get(keyOf(each))!]))
    seen.add(sign)
    const made = new Map<string, State>()
    for (const [{ delimiter, quote, escape }, state] of before) {
      const key = keyOf({ delimiter, quote, ...(escape !== undefined && { escape }) })
      const signs = { delimiter: seenCode(delimiter), quote: seenCode(quote), escapes: seenCode(escape) >= 0 }
      if (!made.has(key)) made.set(key, { ...structuredClone(state), ...signs })
    }
    byKey = made
    states = [...made.values()]
  }
  const kinds = new Uint8Array(256)
  for (const sign of dialects.flatMap(({ delimiter, quote, escape = '' }) => [delimiter, quote, escape]))
    if (sign !== '') kinds[sign.charCodeAt(0)] = unseen
  for (const sign of [lineFeed, carriageReturn, comma, backslash]) kinds[sign] ||= known
  let position = 0
  let [last, lastSign] = [-1, -1]
  let hasText = false
  let tightCommas = 0
  let isHead = true
  const endHead = (): void => {
    isHead = false
    for (const state of states) state.head = structuredClone(state.all)
  }
  const add = (bytes: Uint8Array): void => {
    for (let index = 0; index < bytes.length; index += 1) {
      const byte = bytes[index]!
      if (kinds[byte] === 0) {
        // Zeros pad fields of fixed width, and 26 ends the text of old programs.
        if (byte !== space && byte !== 0 && byte !== 26) hasText = true
        continue
      }
      const at = position + index
      const isNext = at === last + 1
      last = at
      if (byte === lineFeed && isNext && lastSign === carriageReturn) continue
      if (byte === comma && index + 1 < bytes.length && bytes[index + 1] !== space) tightCommas += 1
      if (kinds[byte] === unseen) {
        kinds[byte] = known
        tellApart(byte)
      }
      const sign = { at, hasText, isNext, isEscaped: isNext && lastSign === backslash }
      for (const state of states) step(state, byte, sign)
      // Of two backslashes the second escapes nothing.
      lastSign = byte === backslash && isNext && lastSign === backslash ? -1 : byte
      hasText = false
    }
    position += bytes.length
  }
  return {
    add(bytes: Uint8Array): void {
      const left = headBytes - position
      if (!isHead || bytes.length < left) return add(bytes)
      add(bytes.subarray(0, left))
      endHead()
      add(bytes.subarray(left))
    },
    end() {
      for (const state of states) {
        passText(state, { hasText, isNext: false })
        if (state.at === inQuotes) state.isFaulty = true
        state.count -= 1
        endCell(state)
        endRow(state, position)
      }
      if (isHead) endHead()
      const readings = dialects.map((dialect): Scanned => ({ dialect, ...byKey.get(keyOf(dialect))! }))
      return { readings, tightCommas, isShort: position < headBytes }
    },
  }
}

type Sign = { readonly at: number; readonly hasText: boolean; readonly isNext: boolean; readonly isEscaped: boolean }

/** What lies between two signs: text, or at most spaces. */
function passText(state: State, { hasText, isNext }: Pick<Sign, 'hasText' | 'isNext'>): void {
  if (hasText) {
    state.isBlank = false
    if (state.at === start) state.at = plain
    else if (state.at === closing || state.at === closed) strayIn(state)
  } else if (!isNext && state.at === closing) state.at = closed
}

function strayIn(state: State): void {
  state.isFaulty = true
  state.at = inQuotes
}

function step(state: State, byte: number, sign: Sign): void {
  passText(state, sign)
  if (byte === state.delimiter) {
    if (state.at !== inQuotes) endCell(state)
    else state.isBlank = false
  } else if (byte === lineFeed || byte === carriageReturn) {
    if (state.at === inQuotes) state.breaks += 1
    else {
      state.count -= 1
      endCell(state)
      endRow(state, sign.at)
    }
  } else if (byte === state.quote) {
    if (state.at === start) state.at = inQuotes
    else if (state.at === closing) state.at = inQuotes
    else if (state.at === closed) strayIn(state)
    else if (state.at === inQuotes && !(state.escapes && sign.isEscaped)) state.at = closing
  } else passText(state, { hasText: byte !== tab, isNext: true })
}

function endCell(state: State): void {
  if (state.at === closing || state.at === closed) state.all.quoted += 1
  state.count += 1
  state.at = start
}

function endRow(state: State, at: number): void {
  const { all, count, longest, from } = state
  if (!state.isBlank || state.isFaulty) {
    all.rows += 1
    if (all.first === 0) all.first = count
    if (at - from > mostOfRow) all.swallowed = Infinity
    else if (state.isFaulty) all.swallowed += state.breaks
    else all.cells[count] = (all.cells[count] ?? 0) + 1
    state.run = state.runOf === count ? state.run + 1 : 1
    state.runOf = count
    if (state.run > (all.runs[count] ?? 0)) all.runs[count] = state.run
  }
  state.longest = Math.max(longest, at - from)
  state.from = at
  state.count = 1
  state.at = start
  state.isBlank = true
  state.isFaulty = false
  state.breaks = 0
}
