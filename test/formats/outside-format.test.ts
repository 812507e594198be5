import { describe, expect, test } from 'vitest'
import { WindrowError } from '../../src/core/error.ts'
import type { Format } from '../../src/formats/format.ts'
import { adoptFormat } from '../../src/formats/outside-format.ts'
import { formats, openFile } from '../../src/formats/index.ts'
import { format as orchard } from '../fixtures/formats/orchard.js'
import { memoryTarget, only, rowsOf, sourceOf } from './fixtures.ts'

const plan =
  'ORCHARD 1\nTop;12;175.1 -38.1, 175.2 -38.1, 175.2 -38.0, 175.1 -38.1\nFlat;9;175 -38,175 -37,176 -37,175 -38\n'
const origin = '"mine.js"'
const whole = {
  name: 'mine',
  title: 'Mine',
  extensions: ['.mine'],
  options: { type: 'object', properties: {}, additionalProperties: false },
  recognise: () => true,
  open: () => Promise.resolve([]),
}

function opening(tables: unknown): Promise<{ readonly tables: readonly unknown[] }> {
  const format = adoptFormat({ ...whole, open: () => Promise.resolve(tables) }, origin)
  return openFile(sourceOf('a.mine', 'x'), { formats: [format] })
}

async function reading(batches: () => AsyncGenerator<unknown>): Promise<unknown> {
  const { tables } = (await opening([{ name: 'a', batches }])) as Awaited<ReturnType<typeof openFile>>
  return rowsOf(only(tables))
}

describe('a format from outside', () => {
  test('reads its files beside those that windrow knows', async () => {
    const known = [adoptFormat(orchard, '"orchard.js"'), ...formats]
    const { format, tables } = await openFile(sourceOf('north.orc', plan), { formats: known, options: { rowWidth: 5 } })
    expect(format.name).toBe('orchard')
    expect((await rowsOf(only(tables))).map(({ at, values }) => [at.row, values])).toEqual([
      [2, { name: 'Top', trees: '12', rowWidth: 5 }],
      [3, { name: 'Flat', trees: '9', rowWidth: 5 }],
    ])
    expect((await openFile(sourceOf('a.csv', 'id,name\n1,Top\n'), { formats: known })).format.name).toBe('csv')
  })

  test('is asked first, also about files that windrow knows', async () => {
    const known = [adoptFormat(whole, origin), ...formats]
    expect((await openFile(sourceOf('a.csv', 'id,name\n1,Top\n'), { formats: known })).format.name).toBe('mine')
  })

  test('may leave out what its tables have nothing of', async () => {
    const { tables } = (await opening([{ name: 'a', async *batches() {} }])) as Awaited<ReturnType<typeof openFile>>
    expect(tables).toMatchObject([{ format: 'mine', hasGeometry: false, choices: [] }])
    expect(only(tables).found()).toEqual([])
  })

  test('keeps what it says of its files', () => {
    const said = { isText: true, namesCrs: true, isWorkbook: true, readsFolders: true, writtenAs: ['.mine2'] }
    expect(adoptFormat({ ...whole, ...said }, origin)).toMatchObject(said)
  })

  test('may be an object with methods of a class', async () => {
    class Mine {
      readonly name = 'mine'
      readonly title = 'Mine'
      readonly extensions = ['.mine']
      readonly options = whole.options
      recognise({ name }: { readonly name: string }): boolean {
        return name.endsWith(this.extensions[0]!)
      }
      open(): Promise<unknown> {
        return Promise.resolve([{ name: this.name, async *batches() {} }])
      }
    }
    const { tables } = await openFile(sourceOf('a.mine', 'x'), { formats: [adoptFormat(new Mine(), origin)] })
    expect(only(tables).name).toBe('mine')
  })

  test('may write', async () => {
    const write: Format['write'] = async (_tables, target) => {
      await target.write('x')
      return { rows: {}, notes: [] }
    }
    const target = memoryTarget('a.mine')
    await adoptFormat({ ...whole, open: undefined, write }, origin).write!([], target, {})
    expect(target.text()).toBe('x')
  })
})

describe('an invalid format is refused with what it lacks', () => {
  test.each<[string, unknown, string]>([
    ['nothing', undefined, 'name (one word'],
    ['a function', () => whole, 'name (one word'],
    ['no name', { ...whole, name: 'My format' }, 'name (one word'],
    ['no endings', { ...whole, extensions: ['mine'] }, 'extensions (a list of endings'],
    ['no options', { ...whole, options: undefined }, 'options (a JSON Schema'],
    ['no recognise', { ...whole, recognise: undefined }, 'recognise (a function)'],
    ['neither direction', { ...whole, open: undefined }, 'open or write (a function)'],
    ['an open that is none', { ...whole, open: 'x' }, 'open or write (a function)'],
  ])('%s', (_, value, lacks) => {
    expect(() => adoptFormat(value, origin)).toThrow(
      expect.objectContaining({ code: 'format-failed', message: expect.stringContaining(lacks) }),
    )
  })
})

describe('a format that fails is named', () => {
  const named = { code: 'format-failed', exit: 2, message: expect.stringContaining(`The format module ${origin}`) }
  const boom = (): never => {
    throw new TypeError('boom')
  }

  test.each<[string, object]>([
    ['recognise', { recognise: boom }],
    ['recognise with a promise', { recognise: () => Promise.resolve(false) }],
    ['open', { open: boom }],
    ['open later', { open: () => Promise.reject(new TypeError('boom')) }],
    ['open with nothing', { open: () => undefined }],
    ['a table without a name', { open: () => Promise.resolve([{ batches: boom }]) }],
  ])('in %s', async (_, more) => {
    const known = [adoptFormat({ ...whole, ...more }, origin)]
    await expect(openFile(sourceOf('a.mine', 'x'), { formats: known })).rejects.toMatchObject(named)
  })

  const at = { source: 'a', row: 1 }
  test.each<[string, () => AsyncGenerator<unknown>]>([
    ['batches', boom],
    [
      'a batch that is none',
      async function* () {
        yield 'x'
      },
    ],
    [
      'a row without a place',
      async function* () {
        yield [{ values: {} }]
      },
    ],
    [
      'a row without values',
      async function* () {
        yield [{ at }]
      },
    ],
    [
      'a shape of GeoJSON',
      async function* () {
        yield [{ at, values: {}, shape: { type: 'Point', coordinates: [1, 2] } }]
      },
    ],
  ])('in %s', async (_, batches) => {
    await expect(reading(batches)).rejects.toMatchObject(named)
  })

  test('unless it explains the error itself', async () => {
    const own = new WindrowError('file-damaged', 'The plan has no blocks.', { hint: 'Draw some.' })
    const ofAnotherCopy = Object.assign(new Error('The plan has no blocks.'), {
      name: 'WindrowError',
      code: 'file-damaged',
      hint: 'Draw some.',
    })
    for (const failure of [own, ofAnotherCopy])
      await expect(
        reading(async function* () {
          yield []
          throw failure
        }),
      ).rejects.toMatchObject({ code: 'file-damaged', message: 'The plan has no blocks.', hint: 'Draw some.' })
  })
})
