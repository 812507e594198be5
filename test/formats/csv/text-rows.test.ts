import { describe, expect, test } from 'vitest'
import { profileTable } from '../../../src/core/profile.ts'
import type { Table } from '../../../src/core/row.ts'
import { csv } from '../../../src/formats/csv.ts'
import type { FormatOptions } from '../../../src/formats/format.ts'
import { byRowsAlone, only, rowsByText, rowsOf, sourceOf } from '../fixtures.ts'

async function openText(text: string, options: FormatOptions = {}): Promise<Table> {
  return only(await csv.open!(sourceOf('Rimu paddocks.csv', text), options))
}

const header = 'No,Name,Crop,Sown'
const records = (count: number, line: (index: number) => string): readonly string[] =>
  Array.from({ length: count }, (_, index) => line(index))
const usual = (index: number): string => `${index},"Ōtāne ""${index % 7}""",Kale,${1 + (index % 28)}/9/2026`

describe('rows by way of text are the rows', () => {
  const odd: Readonly<Record<string, readonly string[]>> = {
    'of a sound file': records(900, usual),
    'with blank ones between them': records(900, (at) => (at % 50 === 7 ? ',,,' : usual(at))),
    'with cells missing and left over': records(900, (at) =>
      at % 90 === 3 ? '1,2' : at % 90 === 4 ? '1,2,3,4,5' : usual(at),
    ),
    'with another number of separators at their ends': records(900, (at) => `${usual(at)}${','.repeat(at % 3)}`),
    'with quotes gone wrong': records(900, (at) => (at === 400 ? '5,"a "b" c",Kale,x' : usual(at))),
    'with a quote never closed': records(900, (at) => (at === 800 ? '5,"open,Kale,x' : usual(at))),
    'with spaces before quotes': records(300, (at) => `${at}, "Ōtāne, ${at}", Kale,  "x"`),
    'with lost letters': records(900, (at) => (at === 500 ? '5,R\ufffdhui,Kale,x' : usual(at))),
    'with the names once more': records(900, (at) => (at === 500 ? header : usual(at))),
    'below names in another order': records(900, (at) => (at === 500 ? 'Name,No,Crop,Sown' : usual(at))),
    'with a drawn line': records(900, (at) => (at === 1 ? '---,---,---,---' : usual(at))),
    'with a total below': [...records(300, usual), 'Total,,,44'],
    'with a total between them': records(900, (at) => (at === 300 ? 'Total,,,44' : usual(at))),
    'with full totals': records(300, (at) => (at === 200 ? 'Total,1,2,3' : usual(at))),
    'with notes below': [...records(300, usual), '', 'Exported on 3 May by Rimu Farm', '(300 rows)'],
    'that begin with a blank cell': records(300, (at) => `,Ōtāne ${at},Kale,`),
    'that begin like words for totals': records(
      300,
      (at) => `${['Tot', 'Sum', 'P5', '-3', '--x', 'No'][at % 6]!},a,b,c`,
    ),
    'of one filled cell': records(300, (at) => `${at},,,`),
    'with formulas that are only texts': records(900, (at) => (at % 3 === 0 ? `="00${at}",a,"=""b""",` : usual(at))),
    'with words for nothing': records(
      900,
      (at) => `${at},NULL,${at % 2 === 0 ? '\\N' : 'Kale'},${at % 5 === 0 ? ' (null) ' : `${at} ha`}`,
    ),
    'with dates, words behind numbers and numbers with both marks': records(
      900,
      (at) => `${at},${at % 3} ha,"1,${200 + at}",${at % 5 === 0 ? `Sep ${1 + (at % 30)}, 2026` : 'Juno'}`,
    ),
  }

  test.each(Object.entries(odd))('%s', async (_, lines) => {
    const text = `${[header, ...lines].join('\n')}\n`
    const [table, again] = [await openText(text), await openText(text)]
    expect((await rowsByText(table)).rows).toEqual(await rowsOf(again))
    expect(table.found()).toEqual(again.found())
    expect((await table.review!([])).decisions).toEqual((await again.review!([])).decisions)
    expect(await profileTable(table)).toEqual(await profileTable(byRowsAlone(again)))
  })
})

test('of so many columns that not all their values may be held, the same are held', async () => {
  // 400,000 may be held in all: in the last row those of the first 16 columns only.
  const columns = Array.from({ length: 104 }, (_, column) => column)
  const lines = records(3848, (at) => columns.map((column) => (Math.max(at - 1, 0) * (column + 3)) % 3907).join(','))
  const text = `${columns.map((column) => `c${column}`).join(',')}\n${lines.join('\n')}\n`
  const { columns: byText } = await profileTable(await openText(text))
  const { columns: byRows } = await profileTable(byRowsAlone(await openText(text)))
  expect(byText).toEqual(byRows)
  expect(byText.filter(({ distinctIsExact }) => distinctIsExact).length).toBe(16)
})

test('all rows of a sound file come as text, whatever its quotes, separator and columns without a name', async () => {
  const lines = records(900, (at) => `${at};;"say ""${at}""\nand go";;`)
  const { rows, asText } = await rowsByText(await openText(`No;;Said;Note;\n${lines.join('\n')}\n`))
  expect(rows.length).toBe(900)
  expect(asText).toBe(900)
})

test('where quotes are written with a backslash, rows come as rows', async () => {
  const table = await openText('No,Name\n1,"a \\"b\\" c"\n2,"d"\n', { escape: 'backslash' })
  expect((await rowsByText(table)).asText).toBe(0)
})
