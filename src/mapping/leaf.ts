/** Hides what may stand at a leaf of the record tree, and compiles it to a reader of the row. */

import type { DecimalMark, NumberWriting } from '../core/values/number-text.ts'
import { holdsNothing, noValueIn, type NoValue } from '../core/values/no-value.ts'
import { isBlank, type Row, type Value } from '../core/row.ts'
import { cellOf, columnNamed, hasColumnInside, templateOf, textOf } from './cell.ts'
import { pointerPart } from '../resources/wording.ts'
import { fault, type Compilation, type LeafPlace } from './compilation.ts'
import { checkLeafMap, type LeafMap } from './leaf-map.ts'
import { blank, complain, trialRun, type Reader, type Run, type Spot } from './run.ts'
import { spokenWanted, type Wanted } from './target.ts'
import { transformFor, type Transform } from './transforms.ts'
import { wordsReader } from './words.ts'

/** A compiled leaf; `live` when it reads cells, and not only says a constant. */
export type Leaf = { readonly read: Reader; readonly live: boolean }

/** Compiles text, a number, yes or no, or a leaf map; faults go to the compilation and give undefined. */
export function compileLeaf(spec: unknown, place: LeafPlace, compilation: Compilation): Leaf | undefined {
  if (typeof spec !== 'object' || spec === null) return compileScalar(spec, place, compilation, {})
  const map = checkLeafMap(spec as Readonly<Record<string, unknown>>, place, compilation)
  if (map === undefined) return undefined
  if (map.first !== undefined) return compileFirst(map.first, map, place, compilation)
  if (map.text !== undefined) return compileTemplate(map.text, map, place, compilation)
  const from = typeof map.from === 'string' ? [map.from] : (map.from ?? [])
  return compileColumns(from, map, place, compilation)
}

function compileScalar(spec: unknown, place: LeafPlace, compilation: Compilation, map: LeafMap): Leaf | undefined {
  if (typeof spec === 'string') {
    const column = columnNamed(spec)
    if (column !== undefined) return compileColumns([column], map, place, compilation)
    if (hasColumnInside(spec))
      return fault(
        compilation,
        place.path,
        `"${spec}" has a column inside other text.`,
        `Write it as a template: { text: "${spec}" }`,
      )
  }
  if (spec === null || spec === undefined)
    return fault(compilation, place.path, 'Nothing stands here.', 'Write <Column>, or the text that every record gets.')
  const transform = chooseTransform(map, place, compilation)
  if (transform === undefined) return undefined
  return compileConstant(spec as Value, transform, place, compilation)
}

function compileConstant(
  value: Value,
  transform: Transform,
  place: LeafPlace,
  compilation: Compilation,
): Leaf | undefined {
  if (isBlank(value)) return { read: () => undefined, live: false }
  const trial = trialRun()
  const constant = transform(value, trial, { column: '', path: place.field })
  const problem = trial.problems?.[0]
  if (problem !== undefined)
    return fault(
      compilation,
      place.path,
      `"${textOf(value) ?? 'This'}" is no value for a field that takes ${spokenWanted(place.wanted)}.`,
      typeof value === 'string' ? `If it is the name of a column, write <${value}>.` : undefined,
    )
  return { read: () => constant, live: false }
}

function chooseTransform(map: LeafMap, place: LeafPlace, compilation: Compilation): Transform | undefined {
  const { wanted } = place
  const idle = idleOption(map, wanted)
  if (idle !== undefined)
    return fault(
      compilation,
      `${place.path}/${idle}`,
      `"${idle}" is no use here.`,
      'Take it away, or say what it is for.',
    )
  const chosen = transformFor(wanted, {
    date: map.date,
    // In a field of text a day stays a day, unless the leaf itself says where.
    zone: map.zone ?? (wanted.kind === 'date-time' ? compilation.zone : undefined),
    decimal: decimalOf(map.number) ?? (wanted.kind === 'any' ? undefined : compilation.decimal),
    thousands: map.number?.thousands,
    unit: map.unit,
    join: map.join,
    identifying: place.identifying,
  })
  return typeof chosen === 'string' ? fault(compilation, place.path, chosen) : chosen
}

/** A mark between the thousands is no decimal mark, so that the other one is. */
function decimalOf({ decimal, thousands }: NumberWriting = {}): DecimalMark | undefined {
  return decimal ?? (thousands === 'point' ? 'comma' : thousands === 'comma' ? 'point' : undefined)
}

/** An option without effect is a misunderstanding that would show only in the data. */
function idleOption(map: LeafMap, wanted: Wanted): 'zone' | 'number' | 'otherwise' | undefined {
  const { kind } = wanted
  if (map.zone !== undefined && map.date === undefined && kind !== 'date-time') return 'zone'
  if (map.number !== undefined && kind !== 'number' && kind !== 'measure' && kind !== 'any') return 'number'
  return map.otherwise !== undefined && map.words === undefined ? 'otherwise' : undefined
}

function compileColumns(
  from: readonly string[],
  map: LeafMap,
  place: LeafPlace,
  compilation: Compilation,
): Leaf | undefined {
  const cells = from.map((name) => cellOf(columnNamed(name) ?? name))
  for (const { column } of cells) compilation.columns.add(column)
  const [only] = cells
  if (only === undefined) return undefined
  if (cells.length === 1) return finishLeaf(only.column, (row) => only.read(row), map, { place, compilation })
  if (map.join === undefined)
    return fault(
      compilation,
      place.path,
      'Several columns for one field need "join".',
      `Say what to put between them, join: " ", or take the first that is not empty: { first: [${from.map((name) => `<${name}>`).join(', ')}] }`,
    )
  const spokenColumns = cells.map(({ column }) => column).join(' + ')
  const joinText = map.join
  const readJoined = (row: Row): Value => {
    const values = cells.map((cell) => cell.read(row))
    const pieces = values.flatMap((value) => value).filter((value) => !holdsNothing(value))
    // What is no text goes on as it is, for the transform to complain of.
    const nested = pieces.find((piece) => textOf(piece) === undefined)
    if (nested !== undefined) return nested
    if (pieces.length > 0) return pieces.map(textOf).join(joinText)
    return values.every((value) => value === undefined) ? undefined : null
  }
  return finishLeaf(spokenColumns, readJoined, map, { place, compilation })
}

function compileTemplate(text: string, map: LeafMap, place: LeafPlace, compilation: Compilation): Leaf | undefined {
  const template = templateOf(text)
  if (template.columns.length === 0) return compileScalar(text, place, compilation, map)
  for (const column of template.columns) compilation.columns.add(column)
  return finishLeaf(template.columns.join(' + '), (row) => template.read(row), map, { place, compilation })
}

/** The first alternative that is not blank; a text among them takes the options of the whole, a map its own. */
function compileFirst(
  alternatives: readonly unknown[],
  map: LeafMap,
  place: LeafPlace,
  compilation: Compilation,
): Leaf | undefined {
  const { first: _, ...options } = map
  const leaves = alternatives.map((spec, index) => {
    const at = { ...place, path: `${place.path}/first/${index}` }
    return typeof spec === 'object' && spec !== null
      ? compileLeaf(spec, at, compilation)
      : compileScalar(spec, at, compilation, options)
  })
  const readers = leaves.flatMap((leaf) => (leaf === undefined ? [] : [leaf.read]))
  if (readers.length < leaves.length) return undefined
  return {
    live: leaves.some((leaf) => leaf?.live === true),
    read(run) {
      let found: unknown
      for (const read of readers) {
        const troubles = run.problems?.length ?? 0
        const value = read(run)
        // An alternative that is wrong is said, not passed over.
        if ((run.problems?.length ?? 0) > troubles || (value !== undefined && value !== blank)) return value
        found ??= value
      }
      return found
    },
  }
}

type Surroundings = { readonly place: LeafPlace; readonly compilation: Compilation }

/** From the raw value on: blank, words, split into entries, transform. */
function finishLeaf(
  column: string,
  readRaw: (row: Row) => Value,
  map: LeafMap,
  { place, compilation }: Surroundings,
): Leaf | undefined {
  const spot: Spot = { column, path: place.field }
  if (map.split !== undefined) return splitLeaf(map.split, spot, readRaw, { map, place, compilation })
  const transform = chooseTransform(map, place, compilation)
  if (transform === undefined) return undefined
  const words = map.words === undefined ? undefined : compileWords(map, spot, transform, { place, compilation })
  const read: Reader = (run) => {
    const raw = readRaw(run.row)
    if (isBlank(raw)) return raw === undefined ? undefined : blank
    const noValue = noValueIn(raw)
    if (noValue !== undefined && !isWord(map, raw)) return withoutValue(noValue, raw, run, spot)
    const value = words === undefined ? raw : words(raw, run)
    if (value === undefined || value === blank) return value
    const made = transform(value as Value, run, spot)
    return made === '' ? blank : made
  }
  return { read, live: true }
}

/** True for what the pipeline itself gives a meaning. */
function isWord({ words = {} }: LeafMap, raw: Value): boolean {
  return Object.hasOwn(words, (raw as string).trim())
}

function withoutValue(noValue: NoValue, raw: Value, run: Run, spot: Spot): unknown {
  if (noValue === 'error')
    return complain(run, spot, {
      code: 'cell-error',
      value: raw,
      message: `The cell shows ${(raw as string).trim()} instead of a value.`,
      hint: 'Mend the formula or widen the column in the spreadsheet that it comes from, and export again.',
    })
  run.wordedBlanks ??= []
  if (!run.wordedBlanks.includes(spot.column)) run.wordedBlanks.push(spot.column)
  return blank
}

function splitLeaf(
  separator: string,
  spot: Spot,
  readRaw: (row: Row) => Value,
  { map, place, compilation }: Surroundings & { readonly map: LeafMap },
): Leaf | undefined {
  if (place.wanted.kind !== 'list' && place.wanted.kind !== 'any')
    return fault(
      compilation,
      `${place.path}/split`,
      `"split" makes a list, but this field takes ${spokenWanted(place.wanted)}.`,
    )
  const entry = place.wanted.kind === 'list' ? place.wanted.of : place.wanted
  const named = entry.kind === 'object' && Object.hasOwn(entry.members.byName, 'name')
  if (entry.kind === 'object' && !named)
    return fault(
      compilation,
      place.path,
      `The entries of this list take ${spokenWanted(entry)}; one text each is not enough.`,
      'Write the list out: one entry in brackets for each column.',
    )
  const transform = chooseTransform(map, { ...place, wanted: named ? { kind: 'text' } : entry }, compilation)
  if (transform === undefined) return undefined
  const words = map.words === undefined ? undefined : compileWords(map, spot, transform, { place, compilation })
  const read: Reader = (run) => {
    const raw = readRaw(run.row)
    if (isBlank(raw)) return raw === undefined ? undefined : blank
    const noValue = noValueIn(raw)
    if (noValue !== undefined && !isWord(map, raw)) return withoutValue(noValue, raw, run, spot)
    const pieces = Array.isArray(raw) ? (raw as readonly Value[]) : (textOf(raw) ?? '').split(separator)
    const entries: unknown[] = []
    for (const piece of pieces) {
      const value = isBlank(piece) ? blank : words === undefined ? piece : words(piece, run)
      const made = value === undefined || value === blank ? undefined : transform(value as Value, run, spot)
      if (made !== undefined && made !== '') entries.push(named ? { name: made } : made)
    }
    return entries.length === 0 ? blank : entries
  }
  return { read, live: true }
}

/** What a word means must itself fit the field, which is known before any row is read. */
function compileWords(
  map: LeafMap,
  spot: Spot,
  transform: Transform,
  { place, compilation }: Surroundings,
): (value: Value, run: Run) => unknown {
  for (const [word, meaning] of Object.entries(map.words ?? {}))
    compileConstant(meaning, transform, { ...place, path: `${place.path}/words/${pointerPart(word)}` }, compilation)
  return wordsReader(map, spot)
}
