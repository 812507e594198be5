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

type State = Scanned & {
  readonly delimiter: number
  readonly quote: number
  readonly escapes: boolean
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
  const code = (sign: string): number => (sign === '' ? -1 : sign.charCodeAt(0))
  const states = dialects.map((dialect): State => ({
    dialect,
    head: startTally(),
    all: startTally(),
    longest: 0,
    delimiter: code(dialect.delimiter),
    quote: code(dialect.quote),
    escapes: dialect.escape !== undefined,
    at: start,
    count: 1,
    run: 0,
    runOf: 0,
    isBlank: true,
    isFaulty: false,
    breaks: 0,
    from: 0,
  }))
  const isSign = new Uint8Array(256)
  for (const sign of [
    lineFeed,
    carriageReturn,
    comma,
    backslash,
    ...states.flatMap((each) => [each.delimiter, each.quote]),
  ])
    if (sign >= 0) isSign[sign] = 1
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
      if (isSign[byte] === 0) {
        // Zeros pad fields of fixed width, and 26 ends the text of old programs.
        if (byte !== space && byte !== 0 && byte !== 26) hasText = true
        continue
      }
      const at = position + index
      const isNext = at === last + 1
      last = at
      if (byte === lineFeed && isNext && lastSign === carriageReturn) continue
      if (byte === comma && index + 1 < bytes.length && bytes[index + 1] !== space) tightCommas += 1
      for (const state of states)
        step(state, byte, { at, hasText, isNext, isEscaped: isNext && lastSign === backslash })
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
      return { readings: states as readonly Scanned[], tightCommas, isShort: position < headBytes }
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
