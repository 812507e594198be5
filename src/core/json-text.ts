/**
 * Hides how one record after another becomes JSON text fast: most of a record says what the one before it said at the same place,
 * and is copied as bytes. 0.9 microseconds for a plot without its boundary, where JSON.stringify and encoding take 1.6
 * (Node 24, warm).
 */

import { bytesPerNumber, writeNumber, type TextBytes } from './digits.ts'

/** Writes records that are much alike. What it writes is what JSON.stringify gives. */
export class JsonWriter {
  readonly #record = new Slot(0)
  #slotsLeft = mostSlots

  /** Writes a record to the end of what is there. */
  write(out: TextBytes, record: Readonly<Record<string, unknown>>): void {
    this.#value(out, record, this.#record)
  }

  /** False, and nothing is written, where JSON leaves the value out. */
  #value(out: TextBytes, value: unknown, slot: Slot): boolean {
    // Not by a switch over typeof: the engine compares the names of the types then.
    if (typeof value === 'string') writeKept(out, value, slot)
    else if (typeof value === 'number') {
      out.add(slot.lead)
      writeFigures(out, value)
    } else if (slot.level > deepest) return writeByEngine(out, value, slot)
    else if (Array.isArray(value) && value.length <= mostEntries) this.#list(out, value, slot)
    else if (isPlain(value)) this.#members(out, value, slot)
    else return writeByEngine(out, value, slot)
    return true
  }

  #list(out: TextBytes, values: readonly unknown[], slot: Slot): void {
    out.add(slot.lead)
    for (let index = 0; index < values.length; index += 1) {
      const entry = this.#slotAt(slot, index, undefined)
      if (this.#value(out, values[index], entry)) continue
      out.add(entry.lead)
      out.text('null')
    }
    close(out, values.length === 0 ? openingBracket : undefined, closingBracket)
  }

  #members(out: TextBytes, members: Readonly<Record<string, unknown>>, slot: Slot): void {
    out.add(slot.lead)
    let count = 0
    for (const name in members) {
      const value = members[name]
      if (value !== undefined && this.#value(out, value, this.#slotAt(slot, count, name))) count += 1
    }
    close(out, count === 0 ? openingBrace : undefined, closingBrace)
  }

  #slotAt(holder: Slot, index: number, name: string | undefined): Slot {
    const slot = holder.slots[index] ?? this.#newSlot(holder)
    if (slot.name !== name || slot.lead.length === 0) slot.begin(index, name)
    return slot
  }

  #newSlot({ slots, level }: Slot): Slot {
    const slot = new Slot(level + 1)
    if (this.#slotsLeft > 0) {
      this.#slotsLeft -= 1
      slots.push(slot)
    }
    return slot
  }
}

/** Records that are not alike would else leave slots for all that any of them held. */
const mostSlots = 1000
/** Longer lists and texts are left to the engine, and what lies deeper: it goes deeper than functions that call themselves. */
const mostEntries = 32
const deepest = 16
const mostUnits = 64

const nothing = new Uint8Array(0)
const [openingBracket, closingBracket, openingBrace, closingBrace, quote] = [0x5b, 0x5d, 0x7b, 0x7d, 0x22]

/** A place in the record: what stands before its value, and the text that stood there last. */
class Slot {
  name: string | undefined
  lead: Uint8Array = nothing
  last: string | undefined
  /** The lead and the last text; there from the second time on that the text comes, as most come once or always. */
  kept: Uint8Array | undefined
  readonly level: number
  readonly slots: Slot[] = []

  constructor(level: number) {
    this.level = level
  }

  begin(index: number, name: string | undefined): void {
    const isFirst = index === 0
    this.name = name
    this.lead = Buffer.from(
      name === undefined ? (isFirst ? '[' : ',') : `${isFirst ? '{' : ','}${JSON.stringify(name)}:`,
    )
    this.last = undefined
    this.kept = undefined
  }
}

/** Objects that say by themselves what they are in JSON are left to the engine, and those whose names may not be all their own. */
function isPlain(value: unknown): value is Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false
  const kind: unknown = Object.getPrototypeOf(value)
  if (kind !== Object.prototype && kind !== null) return false
  return typeof (value as { readonly toJSON?: unknown }).toJSON !== 'function'
}

function close(out: TextBytes, opening: number | undefined, closing: number): void {
  out.room(2)
  if (opening !== undefined) out.bytes[out.at++] = opening
  out.bytes[out.at++] = closing
}

/** False, and nothing is written, where JSON leaves the value out. */
function writeByEngine(out: TextBytes, value: unknown, { lead }: Slot): boolean {
  const text = JSON.stringify(value) as string | undefined
  if (text === undefined) return false
  out.add(lead)
  out.text(text)
  return true
}

function writeKept(out: TextBytes, text: string, slot: Slot): void {
  if (text === slot.last && slot.kept !== undefined) {
    out.add(slot.kept)
    return
  }
  const from = out.at
  out.add(slot.lead)
  if (!writeShort(out, text)) {
    out.text(JSON.stringify(text))
    return
  }
  if (text === slot.last) slot.kept = Uint8Array.from(out.bytes.subarray(from, out.at))
  else {
    slot.kept = undefined
    slot.last = text
  }
}

/**
 * A short text letter by letter, as far as letters take two bytes: the engine would first make it a text of two bytes a letter.
 * False where it is another.
 */
function writeShort(out: TextBytes, text: string): boolean {
  const { length } = text
  if (length > mostUnits) return false
  out.room(length * 2 + 2)
  const { bytes } = out
  let { at } = out
  bytes[at++] = quote
  for (let index = 0; index < length; index += 1) {
    const unit = unitAt(text, index)
    if (unit < 0x80 && standsForItself[unit] === 1) bytes[at++] = unit
    else if (unit >= 0x80 && unit < 0x800) {
      bytes[at++] = 0xc0 | (unit >> 6)
      bytes[at++] = 0x80 | (unit & 0x3f)
    } else return false
  }
  bytes[at++] = quote
  out.at = at
  return true
}

// As a method it would be looked up at each letter: texts that were read, cut and joined are of more kinds than the engine tells apart.
const unitAt = Function.prototype.call.bind(String.prototype.charCodeAt) as (text: string, index: number) => number

const standsForItself = Uint8Array.from({ length: 0x80 }, (_, unit) =>
  unit < 0x20 || unit === quote || unit === 0x5c ? 0 : 1,
)

/** Up to fifteen figures are the shortest that tell the number; smaller ones are written with an exponent. */
function writeFigures(out: TextBytes, value: number): void {
  const size = Math.abs(value)
  if (value === 0 || (size >= 1e-6 && size < 1e8)) {
    out.room(bytesPerNumber)
    out.at = writeNumber(out.view, out.at, value, undefined)
  } else out.text(Number.isFinite(value) ? String(value) : 'null')
}
