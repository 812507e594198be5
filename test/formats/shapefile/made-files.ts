/** Makes .shp and .dbf bytes without windrow's writer, also invalid ones. */

export type MadeField = {
  readonly name: string | Uint8Array
  readonly letter: string
  readonly width: number
  readonly decimals?: number
}

export type MadeTable = {
  readonly fields: readonly MadeField[]
  /** Cells as they stand in the file; text is padded with spaces. `deleted` rows carry the asterisk. */
  readonly rows: readonly { readonly cells: readonly (string | Uint8Array)[]; readonly deleted?: boolean }[]
  readonly version?: number
  readonly languageDriver?: number
  readonly declaredRows?: number
  readonly extraHeaderBytes?: number
  readonly encoding?: 'latin1' | 'utf8'
}

export function dbfBytes(table: MadeTable): Uint8Array {
  const encoding = table.encoding ?? 'utf8'
  const header = Buffer.alloc(33 + table.fields.length * 32 + (table.extraHeaderBytes ?? 0))
  const rowBytes = table.fields.reduce((sum, field) => sum + field.width, 1)
  header[0] = table.version ?? 3
  header.writeUInt32LE(table.declaredRows ?? table.rows.length, 4)
  header.writeUInt16LE(header.length, 8)
  header.writeUInt16LE(rowBytes, 10)
  header[29] = table.languageDriver ?? 0
  for (const [index, field] of table.fields.entries()) {
    const at = 32 + index * 32
    header.set(typeof field.name === 'string' ? Buffer.from(field.name, encoding) : field.name, at)
    header.write(field.letter, at + 11, 'latin1')
    header.writeUInt16LE(field.letter === 'C' ? field.width : field.width + (field.decimals ?? 0) * 256, at + 16)
  }
  header[32 + table.fields.length * 32] = 0x0d
  const rows = table.rows.map(({ cells, deleted }) => {
    const row = Buffer.alloc(rowBytes, 0x20)
    if (deleted === true) row[0] = 0x2a
    let at = 1
    for (const [index, field] of table.fields.entries()) {
      const cell = cells[index] ?? ''
      row.set((typeof cell === 'string' ? Buffer.from(cell, encoding) : cell).subarray(0, field.width), at)
      at += field.width
    }
    return row
  })
  return new Uint8Array(Buffer.concat([header, ...rows, Buffer.of(0x1a)]))
}

/** A table of names, one row each. */
export function namesTable(names: readonly string[], more: Partial<MadeTable> = {}): Uint8Array {
  return dbfBytes({
    fields: [{ name: 'NAME', letter: 'C', width: 20 }],
    rows: names.map((name) => ({ cells: [name] })),
    ...more,
  })
}

export type Ring = readonly (readonly [number, number])[]

/** The content of one record, built of numbers: shape type first. */
export function content(type: number, ...numbers: readonly (readonly ['i' | 'd', number])[]): Buffer {
  const parts = numbers.map(([form, value]) => {
    const bytes = Buffer.alloc(form === 'i' ? 4 : 8)
    if (form === 'i') bytes.writeInt32LE(value)
    else bytes.writeDoubleLE(value)
    return bytes
  })
  const head = Buffer.alloc(4)
  head.writeInt32LE(type)
  return Buffer.concat([head, ...parts])
}

const ints = (...values: number[]): (readonly ['i', number])[] => values.map((value) => ['i', value])
const doubles = (...values: number[]): (readonly ['d', number])[] => values.map((value) => ['d', value])
const box = doubles(0, 0, 1, 1)

export function nullContent(): Buffer {
  return content(0)
}

/** `z` and `m` are written as the type asks for; `m` may be left out, as many programs do. */
export function pointContent(type: 1 | 11 | 21, xy: readonly [number, number], zm: readonly number[] = []): Buffer {
  return content(type, ...doubles(...xy, ...zm))
}

type Measures = { readonly z?: readonly number[]; readonly m?: readonly number[] }

function tail({ z, m }: Measures): (readonly ['i' | 'd', number])[] {
  return [...(z === undefined ? [] : doubles(0, 0, ...z)), ...(m === undefined ? [] : doubles(0, 0, ...m))]
}

export function multiPointContent(type: 8 | 18 | 28, points: Ring, more: Measures = {}): Buffer {
  return content(type, ...box, ...ints(points.length), ...doubles(...points.flat()), ...tail(more))
}

export function partsContent(type: 3 | 5 | 13 | 15 | 23 | 25, parts: readonly Ring[], more: Measures = {}): Buffer {
  const starts = parts.map((_, index) => parts.slice(0, index).reduce((sum, part) => sum + part.length, 0))
  const points = parts.flat()
  return content(
    type,
    ...box,
    ...ints(parts.length, points.length, ...starts),
    ...doubles(...points.flat()),
    ...tail(more),
  )
}

/** A MultiPatch: each part with the number of its kind, and a height for each vertex. */
export function patchContent(parts: readonly (readonly [kind: number, ring: Ring])[]): Buffer {
  const starts = parts.map((_, index) => parts.slice(0, index).reduce((sum, [, ring]) => sum + ring.length, 0))
  const points = parts.flatMap(([, ring]) => ring)
  return content(
    31,
    ...box,
    ...ints(parts.length, points.length, ...starts, ...parts.map(([kind]) => kind)),
    ...doubles(...points.flat()),
    ...tail({ z: points.map((_, index) => index) }),
  )
}

/** The index of a .shp: where each record begins and how long its content is, in bytes. */
export function shxBytes(records: readonly (readonly [start: number, contentBytes: number])[]): Uint8Array {
  const bytes = Buffer.alloc(100 + records.length * 8)
  bytes.writeInt32BE(9994, 0)
  bytes.writeInt32BE(bytes.length / 2, 24)
  bytes.writeInt32LE(1000, 28)
  bytes.writeInt32LE(5, 32)
  for (const [index, [start, contentBytes]] of records.entries()) {
    bytes.writeUInt32BE(start / 2, 100 + index * 8)
    bytes.writeUInt32BE(contentBytes / 2, 104 + index * 8)
  }
  return new Uint8Array(bytes)
}

/** A .shp of the given record contents. `declaredBytes` is the length its header claims. */
export function shpBytes(
  records: readonly Buffer[],
  more: { readonly type?: number; readonly declaredBytes?: number } = {},
): Uint8Array {
  const header = Buffer.alloc(100)
  const bodies = records.map((record, index) => {
    const head = Buffer.alloc(8)
    head.writeInt32BE(index + 1, 0)
    head.writeInt32BE(record.length / 2, 4)
    return Buffer.concat([head, record])
  })
  const length = 100 + bodies.reduce((sum, body) => sum + body.length, 0)
  header.writeInt32BE(9994, 0)
  header.writeInt32BE((more.declaredBytes ?? length) / 2, 24)
  header.writeInt32LE(1000, 28)
  header.writeInt32LE(more.type ?? 5, 32)
  return new Uint8Array(Buffer.concat([header, ...bodies]))
}

/** A square with its south-west corner at x, y: clockwise, as the specification asks of shells. */
export function square(x: number, y: number, side: number): Ring {
  return [
    [x, y],
    [x, y + side],
    [x + side, y + side],
    [x + side, y],
    [x, y],
  ]
}

/** The same ring the other way round, as holes run. */
export function turned(ring: Ring): Ring {
  return ring.toReversed()
}
