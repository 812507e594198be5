import { describe, expect, test } from 'vitest'
import type { Choice } from '../../../src/core/row.ts'
import { csv } from '../../../src/formats/csv.ts'
import type { FormatOptions } from '../../../src/formats/format.ts'
import { lookAtTable, type TableFacts } from '../../../src/pipeline/inspect/look.ts'
import { only, rowsOf, sourceOf } from '../fixtures.ts'

/** Well beyond the first part, which is 128 kB. */
const many = 16_000
const lines = (count: number, line: (index: number) => string, from = 0): readonly string[] =>
  Array.from({ length: count }, (_, index) => line(from + index))

async function decide(text: readonly string[], options: FormatOptions = {}): Promise<TableFacts> {
  const source = sourceOf('Rimu paddocks.csv', `${text.join('\n')}\n`)
  return lookAtTable(only(await csv.look!(source, options)))
}

const decided = ({ table }: TableFacts, option: string): Choice | undefined =>
  table.choices.find(({ setting }) => setting === `from.${option}`)

describe('the separator', () => {
  test('that fits all rows is reported with their number', async () => {
    const looked = await decide(['No,Name,Crop', ...lines(many, (at) => `${at},Paddock ${at},Kale`)])
    expect(decided(looked, 'delimiter')).toMatchObject({
      setting: 'from.delimiter',
      value: ',',
      evidence: `With the comma, all ${many + 1} rows have 3 cells.`,
    })
  })

  test('is another where the first part fits two and the whole fits one', async () => {
    const text = ['Area,ha;No', ...lines(many, (at) => `3,5;${at}`), ...lines(many, (at) => `4;${at}`, many)]
    const looked = await decide(text)
    expect(decided(looked, 'delimiter')).toMatchObject({
      setting: 'from.delimiter',
      value: ';',
      evidence: `With the semicolon, all ${2 * many + 1} rows have 2 cells; with the comma, ${many + 1} of ${2 * many + 1} have 2.`,
      others: [{ value: ',' }],
    })
    expect((await rowsOf(looked.table)).at(-1)?.values).toEqual({ 'Area,ha': '4', No: `${2 * many - 1}` })
  })

  test('stays the same if two files were joined, and that is reported', async () => {
    const text = [
      'No,Name,Crop',
      ...lines(many, (at) => `${at},Paddock ${at},Kale`),
      'No;Name;Crop',
      ...lines(2 * many, (at) => `${at};Paddock ${at};Kale`),
    ]
    const looked = await decide(text)
    expect(decided(looked, 'delimiter')).toMatchObject({
      value: ',',
      evidence: `With the comma, ${many + 1} of ${3 * many + 2} rows have 3 cells.`,
    })
    expect(looked.table.found()).toMatchObject([{ code: 'file-inconsistent' }])
  })

  test('that an option says is not decided again', async () => {
    const text = ['Area,ha;No', ...lines(many, (at) => `3,5;${at}`), ...lines(many, (at) => `4;${at}`, many)]
    expect(decided(await decide(text, { delimiter: ',' }), 'delimiter')).toMatchObject({
      value: ',',
      evidence: 'Set, not guessed.',
    })
  })
})

describe('the quote', () => {
  const plain = ['No,Name,Crop', ...lines(many, (at) => `${at},Paddock ${at},Kale`)]

  test('is a single one if cells have it only far below', async () => {
    const looked = await decide([...plain, ...lines(10, (at) => `${at},'Top, ${at}',Kale`, many)])
    expect(decided(looked, 'quote')).toMatchObject({ value: "'", others: [{ value: '"' }] })
    expect((await rowsOf(looked.table)).at(-1)?.values).toMatchObject({ Name: `Top, ${many + 9}` })
  })

  test('is a double one where single ones turn out to be letters', async () => {
    const text = ['No,Name', ...lines(many, (at) => `${at},'P ${at}'`), ...lines(many, (at) => `${at},"Top, ${at}"`)]
    const looked = await decide(text)
    expect(decided(looked, 'quote')).toMatchObject({
      value: '"',
      evidence: expect.stringContaining(`With " around cells, all ${2 * many + 1} rows have 2 cells`),
    })
    expect((await rowsOf(looked.table)).at(-1)?.values).toMatchObject({ Name: `Top, ${many - 1}` })
  })

  test('stays a double one where apostrophes begin names', async () => {
    const looked = await decide(['No;Name', ...lines(many, (at) => `${at};'t Hof ${at}`), '9;3 rows;of more'])
    expect(decided(looked, 'quote')).toBeUndefined()
  })

  test('is none if an unclosed one is only a sign for inches', async () => {
    const looked = await decide([...plain, `${many},"5 inch pipe,Kale`, ...lines(many, (at) => `${at},P,Kale`)])
    expect(decided(looked, 'quote')).toMatchObject({ value: 'none' })
    expect(looked.profile.rows).toBe(2 * many + 1)
  })

  test('that is never closed stays a fault where others are closed', async () => {
    const quoted = lines(many, (at) => `${at},"Paddock ${at}",Kale`)
    const looked = await decide(['No,Name,Crop', ...quoted, `${many},"5 inch pipe,Kale`, ...quoted])
    expect(decided(looked, 'quote')).toMatchObject({ value: '"' })
  })

  test('has a backslash before it inside of cells where that shows only far below', async () => {
    const looked = await decide([...plain, ...lines(10, (at) => `${at},"The \\"Top\\", ${at}",Kale`, many)])
    expect(decided(looked, 'escape')).toMatchObject({ value: 'backslash', others: [{ value: 'double' }] })
    expect((await rowsOf(looked.table)).at(-1)?.values).toMatchObject({ Name: `The "Top", ${many + 9}` })
  })
})
