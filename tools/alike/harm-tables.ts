/** Makes tables that are hard to read: where does the header stand, what is a row, and what is in a cell? */

import { book, csv, geojson, tableOf, zip, type Cells } from './farm.ts'
import { imports, oneFile, scheme, typedImports, type Farm, type Harm } from './trial.ts'

const table = ({ paddocks }: Farm): string[][] => tableOf(paddocks)
const text = (farm: Farm): string => csv(table(farm))
const csvOf =
  (how: (rows: string[][], farm: Farm) => Cells, typed = '--key ID'): Harm =>
  (farm) =>
    imports(farm, { 'paddocks.csv': csv(how(table(farm), farm)) }, typed)
const named = (how: (name: string, row: number) => string): Harm =>
  csvOf((rows) => rows.map((row, index) => (index === 0 ? row : row.with(1, how(row[1]!, index)))))

export const harmOfTables: Readonly<Record<string, Harm>> = {
  'a list with titles and subtotals': csvOf(
    (rows) => [
      ['Paddock list'],
      ['Printed 20 November 2026'],
      [],
      rows[0]!,
      ['North block'],
      ...rows.slice(1, 6),
      ['', 'Subtotal', '', '', '18.2'],
      ['South block'],
      ...rows.slice(6),
      ['', 'Subtotal', '', '', '17.1'],
      [],
      ['', 'Grand total', '', '', '35.3'],
    ],
    '',
  ),
  'a header over two rows': csvOf(
    (rows) => [['Paddock', 'Paddock', 'Crop', 'Crop', 'Area'], ['ID', 'Name', 'Kind', 'Sown', 'ha'], ...rows.slice(1)],
    '',
  ),
  'a header in row 12': csvOf(
    (rows) => [...Array.from({ length: 11 }, (_, index) => [index === 2 ? 'Report of the office' : '']), ...rows],
    '',
  ),
  'no header': csvOf((rows) => rows.slice(1), ''),
  'the header in every second row': csvOf((rows) => rows.slice(1).flatMap((row) => [rows[0]!, row]), ''),
  'nothing but headers': csvOf((rows) => Array.from({ length: 30 }, () => rows[0]!), ''),
  'a ruled line': csvOf((rows) =>
    rows.toSpliced(
      1,
      0,
      rows[0]!.map(() => '-----'),
    ),
  ),
  'two lists side by side': csvOf(
    (rows) => rows.slice(0, 6).map((row, index) => [...row, '', ...(index === 0 ? rows[0]! : rows[index + 5]!)]),
    '',
  ),
  'three tables below each other': (farm) =>
    imports(
      farm,
      {
        'diary.xlsx': book({
          Data: [...table(farm), [], ['Sheds', 'Size'], ['Wool', 40], [], ['Tank', 'Litres'], ['A', 900], ['B', 700]],
        }),
      },
      '',
    ),
  'a sum below': csvOf((rows) => [...rows, ['', '', '', '', '35.3']]),
  'a total in the column of ids': csvOf((rows) => [...rows, ['Total', '10 paddocks', '', '', '35.3']]),
  'a farm called Soma': named((name, row) => (row === 10 ? 'Soma Farm' : name)),
  'a note below': csvOf((rows) => [...rows, [], ['All areas in hectares.']]),
  'columns of one name': csvOf((rows) => rows.map((row, index) => [...row, index === 0 ? 'Name' : 'other'])),
  'two columns of ids': csvOf(
    (rows) => rows.map((row, index) => [index === 0 ? 'Paddock ID' : `A${index}`, ...row]),
    '',
  ),
  'a list of staff': csvOf(
    (rows) => [
      ['number', 'title', 'first_name', 'last_name', 'born_on'],
      ...rows.slice(1).map((_, index) => [`W${index}`, 'M.', 'Christian', `DUPONT ${index}`, `1980-01-1${index}`]),
    ],
    '',
  ),
  'a diary': csvOf(
    (rows) => [
      ['Date', 'Paddock', 'Job', 'Operator'],
      ...rows.slice(1).map((row, index) => [`2026-10-0${(index % 8) + 1}`, row[1]!, 'Spraying', 'Hemi']),
    ],
    '',
  ),
  'paddocks as farms': (farm) =>
    typedImports(
      {
        'paddocks.csv': csv(
          table(farm).map(([id, ...rest], index) => [index === 0 ? 'Paddock no' : `Z${farm.number}${id}`, ...rest]),
        ),
      },
      `--to holdings --holding ${scheme}`,
    ),
  'farms as paddocks': (farm) =>
    imports(
      farm,
      {
        'farms.csv': csv([
          ['FARM_NO', 'Farm name', 'Total ha'],
          ['00412876', 'Rimu Farm', '121'],
          ['00731190', 'Kōwhai Station', '2310'],
        ]),
      },
      '',
    ),
  'one unreadable date': csvOf((rows) => rows.map((row, index) => (index === 4 ? row.with(3, 'not sown yet') : row))),
  'dates of both orders': csvOf((rows) =>
    rows.map((row, index) => (index === 0 ? row : row.with(3, `0${index % 9 || 1}/0${(index % 7) + 1}/2026`))),
  ),
  'sown before 1950': csvOf((rows) => rows.map((row, index) => (index === 4 ? row.with(3, '1923-04-01') : row))),
  'areas in acres': csvOf(
    (rows) =>
      rows.map((row, index) => (index === 0 ? row.with(4, 'Area') : row.with(4, String(Number(row[4]) * 2.471)))),
    '--key ID',
  ),
  'areas against the map': (farm) =>
    imports(
      farm,
      {
        'map.geojson': geojson(farm.paddocks, ({ id, name, area }) => ({
          ID: id,
          NAME: name,
          AREA_HA: Number(area) * 10,
        })),
      },
      '--key ID',
    ),
  'decimal commas': (farm) =>
    imports(
      farm,
      {
        'paddocks.csv': csv(
          table(farm).map((row) => row.map((cell) => cell.replace('.', ','))),
          ';',
        ),
      },
      '--key ID',
    ),
  'a first line that says sep': oneFile('paddocks.csv', (farm) => `sep=;\r\n${csv(table(farm), ';')}`),
  'line ends of old Macs': oneFile('paddocks.csv', (farm) => text(farm).replaceAll('\r\n', '\r')),
  comments: oneFile('paddocks.csv', (farm) => `# exported by an office\r\n# 10 paddocks\r\n${text(farm)}`),
  'UTF-16 without a mark': oneFile('paddocks.csv', (farm) => Buffer.from(text(farm), 'utf16le')),
  'UTF-16, big end first': oneFile('paddocks.csv', (farm) => Buffer.from(`\ufeff${text(farm)}`, 'utf16le').swap16()),
  'UTF-32, little end first': oneFile('paddocks.csv', (farm) => utf32(`\ufeff${text(farm)}`)),
  'UTF-32, big end first': oneFile('paddocks.csv', (farm) => utf32(`\ufeff${text(farm)}`).swap32()),
  'the second half is zeros': oneFile('paddocks.csv', (farm) => text(farm).slice(0, 200) + '\0'.repeat(200)),
  'a row that is too long': csvOf((rows) =>
    rows.map((row, index) => (index === 5 ? [...row, 'more', 'and more'] : row)),
  ),
  'an open quote': oneFile('paddocks.csv', (farm) => text(farm).replace('05,', '"05,')),
  'formulas as names': named((name, row) => ['=1+1', '+64 21 555', '-5 corner', '@cmd'][row % 7] ?? name),
  'markup as names': named((name, row) => (row % 3 === 0 ? `<img src=x onerror=alert(${row})>` : name)),
  'control letters in names': named((name, row) => (row % 3 === 0 ? `${name}\u001b[31m\u009b2J\r` : name)),
  'letters turned round in names': named((name, row) => (row % 3 === 0 ? `\u202e${name}` : name)),
  'very long names': named((name, row) => (row === 3 ? 'a'.repeat(40_000) : name)),
  'members of every object as columns': csvOf((rows) =>
    rows.map((row, index) => [...row, ...(index === 0 ? ['__proto__', 'constructor', 'toString'] : ['a', 'b', 'c'])]),
  ),
  'members of every object as ids': csvOf((rows) =>
    rows.map((row, index) => (index === 1 ? row.with(0, '__proto__') : index === 2 ? row.with(0, 'constructor') : row)),
  ),
  'a cell of 200,000 letters': csvOf((rows) =>
    rows.map((row, index) => (index === 3 ? row.with(2, 'total '.repeat(33_000)) : row)),
  ),
  'a workbook': oneFile('paddocks.xlsx', (farm) => book({ Paddocks: table(farm) })),
  'a workbook of 1997': oneFile('paddocks.xls', (farm) => book({ Paddocks: table(farm) }, 'xls')),
  'a workbook of LibreOffice': oneFile('paddocks.ods', (farm) => book({ Paddocks: table(farm) }, 'ods')),
  'a workbook with three sheets': oneFile(
    'paddocks.xlsx',
    (farm) =>
      book({
        Cover: [['Farm book']],
        Paddocks: table(farm),
        Sheds: [
          ['Shed', 'Size'],
          ['Wool', 40],
        ],
      }),
    '',
  ),
  'a sheet by its name': (farm) =>
    imports(
      farm,
      { 'paddocks.xlsx': book({ Cover: [['Farm book']], Paddocks: table(farm) }) },
      '--layer Paddocks --key ID',
    ),
  'the lock file of a workbook': oneFile(
    '~$Paddocks.xlsx',
    () => Buffer.concat([Buffer.from([5]), Buffer.from('Hemi'.padEnd(54)), Buffer.alloc(110)]),
    '',
  ),
  'a date that is none in ods': oneFile('paddocks.ods', () =>
    ods(
      '<table:table-row><table:table-cell office:value-type="string"><text:p>ID</text:p></table:table-cell><table:table-cell office:value-type="string"><text:p>Sown</text:p></table:table-cell></table:table-row><table:table-row><table:table-cell office:value-type="string"><text:p>01</text:p></table:table-cell><table:table-cell office:value-type="date" office:date-value="INVALID_DATE"><text:p>x</text:p></table:table-cell></table:table-row>',
    ),
  ),
  'rows repeated a billion times in ods': oneFile('paddocks.ods', () =>
    ods(
      '<table:table-row table:number-rows-repeated="1000000000"><table:table-cell office:value-type="string"><text:p>ID</text:p></table:table-cell></table:table-row>',
    ),
  ),
}

function ods(rows: string): Uint8Array {
  const names = ['office', 'table', 'text']
    .map((name) => `xmlns:${name}="urn:oasis:names:tc:opendocument:xmlns:${name}:1.0"`)
    .join(' ')
  return zip({
    mimetype: 'application/vnd.oasis.opendocument.spreadsheet',
    'content.xml': `<?xml version="1.0" encoding="UTF-8"?><office:document-content ${names}><office:body><office:spreadsheet><table:table table:name="Sheet1">${rows}</table:table></office:spreadsheet></office:body></office:document-content>`,
  })
}

function utf32(words: string): Buffer {
  const bytes = Buffer.alloc(words.length * 4)
  for (let index = 0; index < words.length; index += 1) bytes.writeUInt32LE(words.charCodeAt(index), index * 4)
  return bytes
}
