import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { WindrowError } from '../../src/core/error.ts'
import { once } from '../../src/core/once.ts'
import type { Row } from '../../src/core/row.ts'
import type { Source } from '../../src/core/sources/source.ts'
import { formats, openFile } from '../../src/formats/index.ts'
import { probeSource } from '../../src/formats/recognise.ts'
import { likenessOf } from '../../src/formats/unreadable-kinds.ts'
import { fixtures, only, recogniseFormat, rowsOf, sourceOf, type Fixture } from './fixtures.ts'
import { runs, share } from '../runs.ts'

/** The source, in pieces of a few bytes, counting how many of its streams are open. */
function watched(source: Source, pieceBytes: number): { readonly source: Source; open(): number } {
  let open = 0
  return {
    open: () => open,
    source: {
      ...source,
      async *stream(signal, from) {
        open += 1
        try {
          for await (const chunk of source.stream(signal, from))
            for (let at = 0; at < chunk.length; at += pieceBytes) yield chunk.subarray(at, at + pieceBytes)
        } finally {
          open -= 1
        }
      },
    },
  }
}

/** The source with one buffer for all chunks, so that each is overwritten when the next is asked for. */
function overwriting(source: Source): Source {
  return {
    ...source,
    async *stream(signal, from) {
      const memory = new Uint8Array(512)
      for await (const chunk of source.stream(signal, from))
        for (let at = 0; at < chunk.length; at += memory.length) {
          const piece = chunk.subarray(at, at + memory.length)
          memory.set(piece)
          yield memory.subarray(0, piece.length)
          memory.fill(0x58)
        }
    },
  }
}

async function readAllRows(source: Source, format: string): Promise<Row[]> {
  const rows: Row[] = []
  for (const table of (await openFile(source, { format })).tables) rows.push(...(await rowsOf(table)))
  return rows
}

/** Reads whatever it is; anything but rows, problems or a WindrowError is a failure. */
async function survive(fixture: Fixture, bytes: Uint8Array): Promise<Row[] | WindrowError> {
  try {
    return await readAllRows(sourceOf(fixture.name, bytes), fixture.format)
  } catch (error) {
    if (error instanceof WindrowError) return error
    throw error
  }
}

test('every format that can be read has a fixture, and every fixture a format', () => {
  const readable = formats.filter((format) => format.open !== undefined).map(({ name }) => name)
  expect(readable.length).toBeGreaterThanOrEqual(3)
  expect(new Set(fixtures.map(({ format }) => format))).toEqual(new Set(readable))
})

test('names and extensions belong to one format, and each option is described', () => {
  expect(new Set(formats.map(({ name }) => name)).size).toBe(formats.length)
  const extensions = formats.flatMap((format) => format.extensions)
  expect(new Set(extensions).size).toBe(extensions.length)
  for (const { options } of formats)
    for (const property of Object.values(options.properties)) expect(property.description).toMatch(/\.$/)
})

describe.each(fixtures)('$name', (fixture) => {
  const small = fixture.make(7)
  const source = sourceOf(fixture.name, small)
  // Each workbook that is read takes a process.
  const rowsOfWhole = once(() => readAllRows(source, fixture.format))

  test('is recognised, and read with all its rows', async () => {
    expect((await recogniseFormat(source))?.name).toBe(fixture.format)
    const rows = await rowsOfWhole()
    expect(rows.map(({ values }) => values.id)).toEqual(['0000', '0001', '0002', '0003', '0004', '0005', '0006'])
    expect(rows.map(({ values }) => values.name)).toContain('Pōkeka "river" 3')
    expect(rows.flatMap(({ problems }) => problems ?? [])).toEqual([])
  })

  test('is no longer in unreadable-kinds.ts, the list of kinds that are not read', async () => {
    const { probe } = await probeSource(source)
    // These are wider than what is read: not every XML file is KML.
    const wider =
      /^(?:text of an unknown kind|JSON, but|XML$|a database|(?:an Office document from before 2007|a document of Office)|a zip file with|a text document \(ODT\))/
    expect(likenessOf(probe).what).toMatch(wider)
    expect(likenessOf({ name: fixture.name, head: Uint8Array.of(7, 0) }).what).toBe('a binary file of an unknown kind')
  })

  test('gives the same rows twice, with places that differ', async () => {
    const table = only((await openFile(source)).tables)
    const first = await rowsOf(table)
    expect(await rowsOf(table)).toEqual(first)
    expect(new Set(first.map(({ at }) => at.row)).size).toBe(7)
  })

  test('gives the same rows in pieces of five bytes', async () => {
    const pieces = watched(source, 5)
    expect(await readAllRows(pieces.source, fixture.format)).toEqual(await rowsOfWhole())
    expect(pieces.open()).toBe(0)
  })

  test('gives the same rows from chunks that share their memory', async () => {
    expect(await readAllRows(overwriting(source), fixture.format)).toEqual(await rowsOfWhole())
  })

  test('stops when it is aborted, and when nobody reads on, and frees the file both times', async () => {
    // The library takes long to write a workbook.
    const large = watched(sourceOf(fixture.name, fixture.make(fixture.format === 'workbook' ? 600 : 1500)), 4096)
    const table = only((await openFile(large.source)).tables)
    expect(large.open()).toBe(0)
    const controller = new AbortController()
    const reading = (async () => {
      let rows = 0
      for await (const batch of table.batches(controller.signal)) {
        rows += batch.length
        controller.abort(new Error('enough'))
      }
      return rows
    })()
    await expect(reading).rejects.toThrow('enough')
    expect(large.open()).toBe(0)
    for await (const batch of table.batches()) {
      expect(batch.length).toBeGreaterThan(0)
      break
    }
    expect(large.open()).toBe(0)
  })

  const step = Math.ceil(small.length / runs(600))
  const lengths = Array.from({ length: Math.ceil(small.length / step) }, (_, index) => index * step)
  const cuts = fixture.format === 'workbook' ? share(lengths, 8) : lengths
  test('cut off anywhere, it gives rows, problems or a WindrowError', async () => {
    const whole = await rowsOfWhole()
    for (const length of cuts) {
      const read = await survive(fixture, small.slice(0, length))
      if (!(read instanceof WindrowError)) expect(read.length).toBeLessThanOrEqual(whole.length)
    }
  })

  test('with any byte changed, it gives rows, problems or a WindrowError', async () => {
    const change = fc.tuple(fc.nat(small.length - 1), fc.nat(255))
    await fc.assert(
      fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 4 }), async (changes) => {
        const bytes = small.slice()
        for (const [at, byte] of changes) bytes[at] = byte
        await survive(fixture, bytes)
      }),
      { numRuns: runs(fixture.isText ? 200 : 40) },
    )
  })

  test('empty, it is refused as empty', async () => {
    await expect(openFile(sourceOf(fixture.name, new Uint8Array(0)))).rejects.toMatchObject({ code: 'file-empty' })
    await expect(openFile(sourceOf(fixture.name, new Uint8Array(0)), { format: fixture.format })).rejects.toMatchObject(
      { code: 'file-empty' },
    )
  })

  test.runIf(fixture.isText)('with a byte order mark it reads the same', async () => {
    const marked = sourceOf(fixture.name, Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), small]))
    expect((await recogniseFormat(marked))?.name).toBe(fixture.format)
    expect(await readAllRows(marked, fixture.format)).toEqual(await rowsOfWhole())
  })

  test.runIf(fixture.isText)('as UTF-16 with and without a mark it reads the same', async () => {
    const wide = Buffer.from(Buffer.from(small).toString('utf8'), 'utf16le')
    for (const bytes of [Buffer.concat([Buffer.from([0xff, 0xfe]), wide]), wide]) {
      const rows = await readAllRows(sourceOf(fixture.name, bytes), fixture.format)
      expect(rows).toEqual(await rowsOfWhole())
    }
  })
})
