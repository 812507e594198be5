import { describe, expect, test } from 'vitest'
import { readThrough, type ColumnProfile } from '../../src/core/profile/profile-table.ts'
import type { Row, Table, Value } from '../../src/core/row.ts'
import { memoryTable, square } from '../memory-table.ts'

async function profileOf(values: readonly Value[]): Promise<ColumnProfile> {
  const { columns } = await profileTable(
    memoryTable(
      ['X'],
      values.map((value) => [value]),
    ),
  )
  return columns[0]!
}

test('columns are counted by what they hold', async () => {
  expect(await profileOf(['007', '7', ' 007 ', '', null, 3, true, { a: 1 }])).toMatchObject({
    filled: 6,
    blank: 2,
    texts: 3,
    numbers: 1,
    truths: 1,
    nested: 1,
    distinct: 4,
    repeated: 1,
    leadingZeros: 2,
    longest: 4,
    examples: ['007', '7', '3', 'true'],
  })
})

test('a value that comes three times is repeated once', async () => {
  expect(await profileOf(['a', 'a', 'a', 'b', 'b', 'c'])).toMatchObject({
    distinct: 3,
    repeated: 2,
    distinctIsExact: true,
  })
})

describe('dates', () => {
  test.each([
    [['3/9/2026', '31/08/2026'], 'd/M/yyyy', 2, 'M/d/yyyy', { text: '31/08/2026', at: { row: 3 } }],
    [['9/3/2026', '08/31/2026'], 'M/d/yyyy', 2, 'd/M/yyyy', { text: '08/31/2026', at: { row: 3 } }],
  ])('%j are %s', async (...[values, pattern, fits, other, firstMisfit]) => {
    const { dates } = await profileOf(values)
    expect(dates[0]).toMatchObject({ pattern, fits, misfits: 0, impossible: 0, firstMisfit: undefined })
    expect(dates.find((each) => each.pattern === other)).toMatchObject({ fits: 1, firstMisfit })
  })

  test('an impossible day does not hide the form', async () => {
    const { dates } = await profileOf(['3/9/2026', '31/02/2026'])
    expect(dates.find(({ pattern }) => pattern === 'd/M/yyyy')).toMatchObject({ fits: 1, impossible: 1, misfits: 0 })
  })

  test('texts of other kinds fit nothing', async () => {
    expect((await profileOf(['Rāhui', '12', '3.2 ha'])).dates).toEqual([])
  })

  test('a form that turns up late is counted over all rows', async () => {
    const names = Array.from({ length: 150 }, (_, index) => `Paddock ${index}`)
    const { dates, texts } = await profileOf([...names, '13/9/2026', '13/9/2026'])
    expect(texts).toBe(152)
    expect(dates).toMatchObject([
      { pattern: 'd/M/yyyy', fits: 2, misfits: 150, firstMisfit: { text: 'Paddock 0', at: { row: 2 } } },
    ])
  })

  test('one value among thousands of others decides the order of day and month', async () => {
    const texts = Array.from(
      { length: 9000 },
      (_, index) => `${1 + (index % 12)}/${1 + (index % 11)}/20${10 + (index % 16)}`,
    )
    const { dates } = await profileOf([...texts, '9/13/2026', ...texts])
    expect(dates).toMatchObject([
      { pattern: 'M/d/yyyy', fits: 18_001, impossible: 0, misfits: 0 },
      { pattern: 'd/M/yyyy', fits: 18_000, impossible: 1, firstMisfit: { text: '9/13/2026', at: { row: 9002 } } },
    ])
  })
})

test('numbers are counted by their decimal mark, and the words behind them', async () => {
  const { numberFit, numberWords } = await profileOf(['1.5', '1,5', '1,204', '7', 'x', '3.2 ha', '4 ha', '5 ac'])
  expect(numberFit).toEqual({ point: 2, comma: 2, either: 1, both: 1 })
  expect(numberWords).toEqual({ ha: 2, ac: 1 })
})

test.each([
  ['-37.812', { point: 1, comma: 0, both: 0 }],
  ['-37,812', { point: 0, comma: 1, both: 0 }],
])('a latitude such as %s has no thousands, a number of another column may', async (latitude, fit) => {
  const table = memoryTable(['Latitude', 'Longitude', 'Area'], [[latitude, latitude.replace('-37', '175'), '1.204']])
  const { columns } = await profileTable({ ...table, lonLat: ['Longitude', 'Latitude'] })
  expect(columns.map(({ numberFit }) => numberFit)).toMatchObject([fit, fit, { point: 1, comma: 1, both: 1 }])
})

test('shapes are counted, with their box in the coordinates of the file', async () => {
  const table = memoryTable(['X'], [['a'], ['b'], ['c']], [square(10, 20, 5), null, square(-3, 30, 1)])
  expect(await profileTable(table)).toMatchObject({
    rows: 3,
    shapes: { Polygon: 2 },
    withoutShape: 1,
    bbox: [-3, 20, 15, 31],
  })
})

test('the fullest row is the sample, and blank rows and footers are none', async () => {
  const table = memoryTable(
    ['A', 'B'],
    [
      ['1', ''],
      ['2', 'x'],
      ['3', 'y'],
    ],
  )
  expect((await profileTable(table)).sample?.values).toEqual({ A: '2', B: 'x' })
  const footer: Row = {
    at: { source: 'a', row: 9 },
    values: { A: 'Total' },
    problems: [{ code: 'row-footer', severity: 'note', at: { source: 'a', row: 9 }, message: 'A total.' }],
  }
  const withFooter: Table = {
    ...table,
    async *batches() {
      yield* table.batches()
      yield [footer]
    },
  }
  expect((await profileTable(withFooter)).rows).toBe(3)
})

test('a row that cannot be read counts, and its cells do not', async () => {
  const table = memoryTable(
    ['ID', 'Area'],
    [
      ['1', '2.5'],
      ['2', '3.5'],
    ],
  )
  const at = { source: 'a', row: 9 }
  const damaged: Row = {
    at,
    values: { ID: '1', Area: 'Hours' },
    problems: [{ code: 'row-unreadable', severity: 'error', at, message: 'A second table.' }],
  }
  const profile = await profileTable({
    ...table,
    async *batches() {
      yield* table.batches()
      yield [damaged]
    },
  })
  expect(profile.rows).toBe(3)
  expect(profile.columns).toMatchObject([
    { filled: 2, blank: 0, repeated: 0 },
    { filled: 2, blank: 0, numberFit: { point: 2 } },
  ])
})

describe('many rows', () => {
  const count = 120_000
  const profileRows = async (valueOf: (row: number) => Value): Promise<ColumnProfile> => {
    const table: Table = {
      ...memoryTable(['ID'], []),
      async *batches() {
        for (let row = 0; row < count; row += 1000)
          yield await Promise.resolve(
            Array.from({ length: 1000 }, (_, index): Row => ({
              at: { source: 'a', row: row + index },
              values: { ID: valueOf(row + index) },
            })),
          )
      },
    }
    return (await profileTable(table)).columns[0]!
  }
  // A prime step goes through all numbers below the count, in no order.
  const shuffled = (row: number): number => (row * 7919) % count

  test.each<[string, (row: number) => Value]>([
    ['texts in order', (row) => `P${row}`],
    ['texts in no order', (row) => `P${shuffled(row)}`],
    ['numbers in order', (row) => row],
    ['numbers in no order', (row) => shuffled(row)],
  ])('all different: %s are known to be', async (_, valueOf) => {
    expect(await profileRows(valueOf)).toMatchObject({
      filled: count,
      distinct: count,
      distinctIsExact: true,
      repeated: 0,
    })
  })

  test('one repetition at the end is found in whatever order', async () => {
    const last = count - 1
    expect(await profileRows((row) => `P${row === last ? last - 1 : row}`)).toMatchObject({ repeated: 1 })
    expect(await profileRows((row) => `P${row === last ? 77 : shuffled(row)}`)).toMatchObject({ repeated: 1 })
  })

  test('repeated values are counted exactly up to a limit, and then reported as more', async () => {
    expect(await profileRows((row) => `P${row % 3000}`)).toMatchObject({
      distinct: 3000,
      distinctIsExact: true,
      repeated: 3000,
    })
    expect(await profileRows((row) => `P${shuffled(row) % 50_000}`)).toMatchObject({
      filled: count,
      distinctIsExact: false,
    })
  })

  test('marks of decimals are counted over all of them', async () => {
    const one = await profileRows((row) => (row === count - 1 ? '1.204,5' : `${row % 9000},${row % 100}`))
    expect(one.numberFit).toMatchObject({ comma: count, point: 0, either: 0 })
  })
})

test('a stop from outside reaches the table', async () => {
  const table = memoryTable(['A'], [['1']])
  const stopped: Table = {
    ...table,
    async *batches(signal) {
      signal?.throwIfAborted()
      yield* table.batches()
    },
  }
  await expect(profileTable(stopped, AbortSignal.abort())).rejects.toThrow('abort')
})

test('a column named like a part of JavaScript is a column', async () => {
  const { columns } = await profileTable(memoryTable(['__proto__', 'constructor'], [['1', '2']]))
  expect(columns.map(({ name, filled }) => [name, filled])).toEqual([
    ['__proto__', 1],
    ['constructor', 1],
  ])
})

test('with too many columns to store all values, the first ones are stored', async () => {
  // 400,000 may be held in all: in the last row those of the first 16 columns only.
  const indices = Array.from({ length: 104 }, (_, column) => column)
  const rows = Array.from({ length: 3848 }, (_, row) =>
    indices.map((column) => String((Math.max(row - 1, 0) * (column + 3)) % 3907)),
  )
  const names = indices.map((column) => `c${column}`)
  const { columns } = await profileTable(memoryTable(names, rows))
  expect(columns.filter(({ distinctIsExact }) => distinctIsExact).length).toBe(16)
})

test('who looks on sees each shape and each problem once', async () => {
  const rows = Array.from({ length: 250 }, (_, row): Row => {
    const at = { source: 'a', row }
    const shape = square(row * 10, 0, 9)
    const open = { code: 'boundary-open', severity: 'note', at, message: 'One ring was not closed.' } as const
    return { at, values: { ID: row }, shape, ...(row % 100 === 7 ? { problems: [open] } : {}) }
  })
  const table: Table = {
    ...memoryTable(['ID'], []),
    hasGeometry: true,
    async *batches() {
      for (let from = 0; from < rows.length; from += 100) yield await Promise.resolve(rows.slice(from, from + 100))
    },
  }
  const problems: unknown[] = []
  const { firstShapes } = await profileTable(table, undefined, {
    onProblem: (problem) => problems.push(problem),
  })
  expect(problems).toEqual(rows.flatMap((row) => row.problems ?? []))
  expect(firstShapes).toEqual(rows.slice(0, 100).map(({ shape }) => shape))
})

async function profileTable(...given: Parameters<typeof readThrough>) {
  return (await readThrough(...given)).profile
}
