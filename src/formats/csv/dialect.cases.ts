/** Cases of the rules that decide the dialect of a CSV file: decided, and left as usual. */

import type { Case, Cases } from '../../core/rule.ts'
import { dialectsFor } from './dialect.ts'
import { startScan, type CsvScan } from './scan.ts'

/** A file of these lines. */
const file = (words: string, ...lines: readonly string[]): Case<CsvScan> => {
  const scan = startScan(dialectsFor({}, false))
  scan.add(Buffer.from(`${lines.join('\n')}\n`))
  return [words, scan.end()]
}

/** Lines beyond the first 128 kB. */
const many = (line: string): readonly string[] => Array.from({ length: 15_000 }, () => line)

export const dialectCases: Cases<CsvScan> = {
  delimiter: {
    yes: [
      file('semicolons, and commas in all decimals', 'id;area', '1;2,5', '2;3,5'),
      file('commas in all texts, and tabs', 'id\tnote', '1\tTop, dry', '2\tLow, wet'),
      file('a title with a comma above the names', 'Report, June', '', 'id;area', '1;2,5', '2;3,5'),
      file('the first half fits two, and all of it one', 'Area,ha;No', ...many('3,5;100'), ...many('4;10000')),
    ],
    no: [file('one column', 'name', 'Top', 'Low'), file('a few commas', 'name', 'Top, lower', 'Low')],
  },
  quote: {
    yes: [
      file('cells in double quotes', 'id,name', '1,"Top, lower"'),
      file('cells in single quotes', "'id','name'", "'1','Top'"),
      file('a sign for inches far below', 'id,name', ...many('1000,Top'), '1,"5 inch', ...many('1000,Top')),
    ],
    no: [file('no quotes', 'id,name', '1,Top'), file('apostrophes', 'id,name', "1,'t Hof", "2,'t Land")],
  },
  escape: {
    yes: [file('quotes with a backslash before them', 'id,name', String.raw`1,"The \"big\", wet one"`)],
    no: [file('quotes that are doubled', 'id,name', '1,"The ""big"" one"'), file('a backslash', 'id,name', '1,a\\b')],
  },
}
