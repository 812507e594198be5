/** Compiles one value of the record tree to a reader of the row. */

import type { DecimalMark, NumberWriting } from '../core/values/number-text.ts'
import { holdsNothing, noValueIn } from '../core/values/no-value.ts'
import { nearest } from '../core/values/nearest.ts'
import { trimmed } from '../core/values/trimmed.ts'
import { isBlank, type Row, type Value } from '../core/row.ts'
import { cellOf, columnNamed, columnsNamedIn, templateOf, textOf } from './cell.ts'
import { pointerPart } from '../resources/wording.ts'
import { fault, inside, type NodePlace } from './compilation.ts'
import { checkLeafMap, type LeafMap } from './leaf-map.ts'
import {
  blank,
  addProblem,
  rowlessState,
  type Reader,
  type RowState,
  type CellAndField,
  type Transform,
} from './row-state.ts'
import { spokenWanted, type Wanted } from './target.ts'
import { transformFor } from './transforms.ts'

/** A compiled leaf; `live` when it reads cells, not a constant. */
export type Leaf = { readonly read: Reader; readonly live: boolean }

/** Compiles text, a number, yes or no, or a leaf map; adds faults to the compilation and then returns undefined. */
export function compileLeaf(spec: unknown, place: NodePlace): Leaf | undefined {
  if (typeof spec !== 'object' || spec === null) return compileScalar(spec, place, {})
  const map = checkLeafMap(spec as Readonly<Record<string, unknown>>, place)
  if (map === undefined) return undefined
  if (map.first !== undefined) return compileFirst(map.first, map, place)
  if (map.text !== undefined) return compileTemplate(map.text, map, place)
  const from = typeof map.from === 'string' ? [map.from] : (map.from ?? [])
  return compileColumns(from, map, place)
}

function compileScalar(spec: unknown, place: NodePlace, map: LeafMap): Leaf | undefined {
  if (typeof spec === 'string') {
    const column = columnNamed(spec)
    if (column !== undefined) return compileColumns([column], map, place)
    if (columnsNamedIn(spec).length > 0)
      return fault(place, `"${spec}" has a column inside other text.`, `Write it as a template: { text: "${spec}" }`)
  }
  if (spec === null || spec === undefined)
    return fault(place, 'The value is missing.', 'Write <Column>, or the text for every record.')
  const transform = chooseTransform(map, place)
  if (transform === undefined) return undefined
  return compileConstant(spec as Value, transform, place)
}

function compileConstant(value: Value, transform: Transform, place: NodePlace): Leaf | undefined {
  if (isBlank(value)) return { read: () => undefined, live: false }
  const trial = rowlessState()
  const constant = transform(value, trial, { column: '', path: place.field })
  const problem = trial.problems?.[0]
  if (problem !== undefined)
    return fault(
      place,
      `"${textOf(value) ?? 'This'}" does not fit a field that takes ${spokenWanted(place.wanted)}.`,
      typeof value === 'string' ? `If it is the name of a column, write <${value}>.` : undefined,
    )
  return { read: () => constant, live: false }
}

function chooseTransform(map: LeafMap, place: NodePlace): Transform | undefined {
  const { wanted, compilation } = place
  const unused = unusedOption(map, wanted)
  if (unused !== undefined)
    return fault(
      inside(place, unused),
      `"${unused}" has no effect here: the field takes ${spokenWanted(wanted)}.`,
      'Remove it, or add what it belongs to.',
    )
  const chosen = transformFor(wanted, {
    date: map.date ?? (wanted.kind === 'date-time' ? compilation.dates : undefined),
    // In a text field a day stays a day, unless the leaf itself names a zone.
    zone: map.zone ?? (wanted.kind === 'date-time' ? compilation.zone : undefined),
    // A bare cell of an open object keeps its text; with a unit it is a number.
    decimal:
      decimalOf(map.number) ?? (wanted.kind === 'any' && map.unit === undefined ? undefined : compilation.decimal),
    thousands: map.number?.thousands,
    unit: map.unit,
    join: map.join,
    identifying: place.identifying,
  })
  return typeof chosen === 'string' ? fault(place, chosen) : chosen
}

/** A mark between thousands cannot be the decimal mark, so the other one is. */
function decimalOf({ decimal, thousands }: NumberWriting = {}): DecimalMark | undefined {
  return decimal ?? (thousands === 'point' ? 'comma' : thousands === 'comma' ? 'point' : undefined)
}

/** Finds an option without effect: a misunderstanding that would show only in the data. */
function unusedOption(
  map: LeafMap,
  { kind }: Wanted,
): 'date' | 'zone' | 'number' | 'unit' | 'join' | 'otherwise' | undefined {
  const fits = (...kinds: readonly Wanted['kind'][]): boolean => kind === 'any' || kinds.includes(kind)
  if (map.date !== undefined && !fits('date-time', 'text')) return 'date'
  if (map.zone !== undefined && map.date === undefined && kind !== 'date-time') return 'zone'
  if (map.number !== undefined && !fits('number', 'measure')) return 'number'
  if (map.unit !== undefined && !fits('measure')) return 'unit'
  if (map.join !== undefined && !fits('text')) return 'join'
  return map.otherwise !== undefined && map.words === undefined ? 'otherwise' : undefined
}

function compileColumns(from: readonly string[], map: LeafMap, place: NodePlace): Leaf | undefined {
  const cells = from.map((name) => cellOf(columnNamed(name) ?? name))
  for (const { column } of cells) place.compilation.columns.add(column)
  const [only] = cells
  if (only === undefined) return undefined
  if (cells.length === 1) return finishLeaf(only.column, (row) => only.read(row), map, place)
  if (map.join === undefined)
    return fault(
      place,
      'Several columns for one field need "join".',
      `Write the text between them, join: " ", or take the first that is not empty: { first: [${from.map((name) => `<${name}>`).join(', ')}] }`,
    )
  const spokenColumns = cells.map(({ column }) => column).join(' + ')
  const joinText = map.join
  const readJoined = (row: Row): Value => {
    const values = cells.map((cell) => cell.read(row))
    const pieces = values.flatMap((value) => value).filter((value) => !holdsNothing(value))
    // A nested value is returned unchanged, so that the transform reports it.
    const nested = pieces.find((piece) => textOf(piece) === undefined)
    if (nested !== undefined) return nested
    if (pieces.length > 0) return pieces.map(textOf).join(joinText)
    return values.every((value) => value === undefined) ? undefined : null
  }
  return finishLeaf(spokenColumns, readJoined, map, place)
}

function compileTemplate(text: string, map: LeafMap, place: NodePlace): Leaf | undefined {
  const template = templateOf(text)
  if (template.columns.length === 0) return compileScalar(text, place, map)
  for (const column of template.columns) place.compilation.columns.add(column)
  return finishLeaf(template.columns.join(' + '), (row) => template.read(row), map, place)
}

/** Compiles alternatives, of which the first that is not blank counts; a text takes the options of the whole, a map its own. */
function compileFirst(alternatives: readonly unknown[], map: LeafMap, place: NodePlace): Leaf | undefined {
  const { first: _, ...options } = map
  const leaves = alternatives.map((spec, index) => {
    const at = inside(place, `first/${index}`)
    return typeof spec === 'object' && spec !== null ? compileLeaf(spec, at) : compileScalar(spec, at, options)
  })
  const readers = leaves.flatMap((leaf) => (leaf === undefined ? [] : [leaf.read]))
  if (readers.length < leaves.length) return undefined
  return {
    live: leaves.some((leaf) => leaf?.live === true),
    read(state) {
      let found: unknown
      for (const read of readers) {
        const problemsBefore = state.problems?.length ?? 0
        const value = read(state)
        // A wrong alternative is reported, not skipped.
        if ((state.problems?.length ?? 0) > problemsBefore || (value !== undefined && value !== blank)) return value
        found ??= value
      }
      return found
    },
  }
}

/** Handles the raw value: blank, split into entries, words, transform. */
function finishLeaf(column: string, readRaw: (row: Row) => Value, map: LeafMap, place: NodePlace): Leaf | undefined {
  const spot: CellAndField = { column, path: place.field }
  const readFilled = filledReader(readRaw, map, spot)
  const readValue = map.split === undefined ? valueReader(map, spot, place) : entriesReader(map.split, map, spot, place)
  if (readValue === undefined) return undefined
  const read: Reader = (state) => {
    const raw = readFilled(state)
    return raw === undefined || raw === blank ? raw : readValue(raw, state)
  }
  return { read, live: true }
}

/** Reads the raw value; `blank` for an empty cell and for words such as NULL that the pipeline does not explain itself. */
function filledReader(
  readRaw: (row: Row) => Value,
  { words = {} }: LeafMap,
  spot: CellAndField,
): (state: RowState) => Value | typeof blank {
  return (state) => {
    const raw = readRaw(state.row)
    if (isBlank(raw)) return raw === undefined ? undefined : blank
    const noValue = noValueIn(raw)
    if (noValue === undefined || Object.hasOwn(words, (raw as string).trim())) return raw
    if (noValue === 'error')
      return addProblem(state, spot, {
        code: 'cell-error',
        value: raw,
        message: `The cell shows ${(raw as string).trim()} instead of a value.`,
        hint: 'Write the value, correct the formula or widen the column in the spreadsheet, and export again.',
      })
    state.wordedBlanks ??= []
    if (!state.wordedBlanks.includes(spot.column)) state.wordedBlanks.push(spot.column)
    return blank
  }
}

type ValueReader = (raw: Value, state: RowState) => unknown

/** Replaces words and makes what the field takes. Each meaning must fit the field, which is checked before any row is read. */
function valueReader(map: LeafMap, spot: CellAndField, place: NodePlace): ValueReader | undefined {
  const transform = chooseTransform(map, place)
  if (transform === undefined) return undefined
  for (const [word, meaning] of Object.entries(map.words ?? {}))
    compileConstant(meaning, transform, inside(place, `words/${pointerPart(word)}`))
  const words = map.words === undefined ? undefined : wordsReader(map, spot)
  return (raw, state) => {
    const value = words === undefined ? raw : words(raw, state)
    if (value === undefined || value === blank) return value
    const made = transform(value as Value, state, spot)
    return made === '' ? blank : made
  }
}

function entriesReader(separator: string, map: LeafMap, spot: CellAndField, place: NodePlace): ValueReader | undefined {
  if (place.wanted.kind !== 'list' && place.wanted.kind !== 'any')
    return fault(inside(place, 'split'), `"split" makes a list, but this field takes ${spokenWanted(place.wanted)}.`)
  const entry = place.wanted.kind === 'list' ? place.wanted.of : place.wanted
  const named = entry.kind === 'object' && Object.hasOwn(entry.members.byName, 'name')
  if (entry.kind === 'object' && !named)
    return fault(
      place,
      `An entry of this list takes ${spokenWanted(entry)}, not one text.`,
      'Write the list out: one entry in brackets for each column.',
    )
  const readEntry = valueReader(map, spot, { ...place, wanted: named ? { kind: 'text' } : entry })
  if (readEntry === undefined) return undefined
  return (raw, state) => {
    const pieces = Array.isArray(raw) ? (raw as readonly Value[]) : (textOf(raw) ?? '').split(separator)
    const entries = pieces.flatMap((piece) => {
      const made = isBlank(piece) ? blank : readEntry(piece, state)
      return made === undefined || made === blank ? [] : [named ? { name: made } : made]
    })
    return entries.length === 0 ? blank : entries
  }
}

/** Makes the reader of words. They match as written, else in any case where that is not ambiguous. */
function wordsReader(map: LeafMap, spot: CellAndField): (value: Value, state: RowState) => unknown {
  const exact = new Map(Object.entries(map.words ?? {}).map(([word, meaning]) => [trimmed(word), meaning]))
  const loose = new Map<string, Value>()
  for (const [word, meaning] of exact) {
    const key = word.toLowerCase()
    loose.set(key, loose.has(key) ? undefined : meaning)
  }
  const furtherForm = map.date ?? map.unit ?? map.number
  const otherwise = map.otherwise ?? (furtherForm === undefined ? 'stop' : 'keep')
  const known = [...exact.keys()]
  return (value, state) => {
    const word = textOf(value) ?? ''
    const meaning = exact.get(word) ?? loose.get(word.toLowerCase())
    if (meaning !== undefined && !isBlank(meaning)) return meaning
    if (meaning !== undefined || exact.has(word) || otherwise === 'blank') return blank
    if (otherwise === 'keep') return value
    const near = nearest(word, known)
    return addProblem(state, spot, {
      code: 'word-unknown',
      value,
      message: `The pipeline does not list this word.${near === undefined ? '' : ` The nearest is "${near}".`}`,
      hint: 'Correct the cell, add the word under "words", or keep unknown words: otherwise: keep',
    })
  }
}
