/** Hides how rows of a table are gathered as text: the bytes of their cells as code units, one cell behind the other. */

import { rowsPerBatch, type Place, type Row, type TextRows, type Value, type Values } from '../../core/row.ts'
import type { Shape } from '../../core/shape.ts'
import { textBetween } from '../../core/units.ts'
import type { Field } from './table-header.ts'

type Means = {
  readonly hasShapes: boolean
  at(row: number): Place
  makeValues(cells: readonly Value[]): Values
}

/** Where a cell is blank it has no place at all. */
const nowhere = -1

/**
 * Some rows, and the cells of one more that is being read: `start` it, add its cells in the order of the fields, and `keep` it,
 * or take its `cells` and do not.
 */
export class TextBatch {
  count = 0
  readonly #means: Means
  /** For each field which of the texts of a row it is. */
  readonly #places: readonly number[]
  readonly #width: number
  readonly #values: readonly (Value[] | undefined)[]
  readonly #bounds: Int32Array
  readonly #rows = new Int32Array(rowsPerBatch)
  readonly #shapes: (Shape | null)[] = []
  #units = new Uint16Array(1 << 14)
  #bound = 0
  #free = 0
  #kept = 0

  constructor(fields: readonly Field[], means: Means) {
    const texts = fields.filter(({ kind }) => kind === 'text')
    this.#means = means
    this.#places = fields.map((field) => texts.indexOf(field))
    this.#width = texts.length
    this.#values = fields.map(({ kind }) => (kind === 'text' ? undefined : []))
    this.#bounds = new Int32Array((rowsPerBatch + 1) * texts.length * 2)
  }

  /** Begins a row in place of one that was not kept. */
  start(): void {
    this.#free = this.#kept
    this.#bound = this.count * this.#width * 2
  }

  /** Adds a text of ASCII alone; a blank one where it ends as it begins. */
  addAscii(bytes: Uint8Array, from: number, to: number): void {
    const begin = this.#room(to - from)
    const units = this.#units
    for (let at = from, unit = begin; at < to; at += 1, unit += 1) units[unit] = bytes[at]!
    if (from === to) this.#addBounds(nowhere, nowhere)
    else this.#addBounds(begin, begin + to - from)
  }

  /** Adds a text of UTF-8 with one or two bytes a letter, as nearly all are; false where it is none. */
  addShortUtf8(bytes: Uint8Array, from: number, to: number): boolean {
    const begin = this.#room(to - from)
    const units = this.#units
    let unit = begin
    for (let at = from; at < to; at += 1, unit += 1) {
      const byte = bytes[at]!
      if (byte < 0x80) units[unit] = byte
      else {
        at += 1
        const second = at < to ? bytes[at]! : 0
        if (byte < 0xc2 || byte > 0xdf || (second & 0xc0) !== 0x80) return false
        units[unit] = ((byte & 0x1f) << 6) | (second & 0x3f)
      }
    }
    this.#addBounds(begin, unit)
    return true
  }

  /** Adds any text. */
  addText(text: string): void {
    const begin = this.#room(text.length)
    for (let at = 0; at < text.length; at += 1) this.#units[begin + at] = text.charCodeAt(at)
    this.#addBounds(begin, begin + text.length)
  }

  /** Adds a cell of a field that holds no text. */
  addValue(field: number, value: Value): void {
    this.#values[field]![this.count] = value
  }

  /** The cells of the row that is not kept yet. */
  cells(): readonly Value[] {
    return this.#cellsOf(this.count)
  }

  /** Keeps the row under its number. */
  keep(row: number, shape: Shape | null): void {
    this.#rows[this.count] = row
    this.#shapes[this.count] = shape
    this.#kept = this.#free
    this.count += 1
  }

  /** The rows that were kept, good until they are cleared. */
  rows(): TextRows {
    const place = (index: number): Place => this.#means.at(this.#rows[index]!)
    const shapes = this.#means.hasShapes ? { shapes: this.#shapes } : {}
    return {
      count: this.count,
      width: this.#width,
      places: this.#places,
      units: this.#units,
      bounds: this.#bounds,
      values: this.#values,
      ...shapes,
      text: (from, to) => textBetween(this.#units, from, to),
      place,
      row: (index): Row => {
        const values = this.#means.makeValues(this.#cellsOf(index))
        return { at: place(index), values, ...(this.#means.hasShapes ? { shape: this.#shapes[index]! } : {}) }
      },
    }
  }

  /** Begins anew. */
  clear(): void {
    this.count = 0
    this.#kept = 0
  }

  #cellsOf(row: number): readonly Value[] {
    return this.#places.map((place, field) => {
      const values = this.#values[field]
      if (values !== undefined) return values[row]
      const at = (row * this.#width + place) * 2
      const from = this.#bounds[at]!
      return from === nowhere ? null : textBetween(this.#units, from, this.#bounds[at + 1]!)
    })
  }

  #room(units: number): number {
    const begin = this.#free
    if (begin + units > this.#units.length) {
      const more = new Uint16Array(Math.max(this.#units.length * 2, begin + units))
      more.set(this.#units)
      this.#units = more
    }
    return begin
  }

  #addBounds(from: number, to: number): void {
    this.#bounds[this.#bound] = from
    this.#bounds[this.#bound + 1] = to
    this.#bound += 2
    if (to > this.#free) this.#free = to
  }
}
