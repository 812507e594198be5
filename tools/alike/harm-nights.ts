/** Makes nights of which the last once did harm, or was stopped rightly: what an office's file can turn into between two runs. */

import { book, csv, drawFarm, geojson, halves, tableOf, type Paddock } from './farm.ts'
import { inTurn, nightly, nights, scheme, type Farm, type Harm, type Step } from './trial.ts'

type Rows = string[][]
type Content = string | Uint8Array

/** A farm of forty paddocks as its office's program writes it. */
function officeRows({ at }: Farm): Rows {
  return tableOf(drawFarm(at, 40))
}

/** Changes the column in each row; the first row of data is 1. */
function column(name: string, how: (cell: string, row: number, rows: Rows) => string) {
  return (rows: Rows): Rows => {
    const index = rows[0]!.indexOf(name)
    return rows.map((row, number) => (number === 0 ? row : row.with(index, how(row[index]!, number, rows))))
  }
}

const header =
  (name: string, becomes: string) =>
  (rows: Rows): Rows =>
    rows.with(
      0,
      rows[0]!.map((each) => (each === name ? becomes : each)),
    )

/** What happens to the rows of the second night. */
const changes: Readonly<Record<string, (rows: Rows) => Rows>> = {
  'nothing changed': (rows) => rows,
  'three paddocks changed': (rows) => rows.map((row, index) => (index % 13 === 5 ? row.with(2, 'Chicory') : row)),
  'a new paddock': (rows) => [...rows, ['41', 'New', 'Maize', '2026-10-01', '2.5']],
  'a new column': (rows) => rows.map((row, index) => [...row, index === 0 ? 'Soil' : 'clay']),
  'columns in another order': (rows) => rows.map((row) => row.toReversed()),
  'rows in another order': (rows) => [rows[0]!, ...rows.slice(1).toReversed()],
  'a renamed column': header('Name', 'Paddock'),
  'a missing column': (rows) => rows.map((row) => row.toSpliced(2, 1)),
  'another unit in the heading': header('Area (ha)', 'Area (ac)'),
  'decimal commas': column('Area (ha)', (cell) => cell.replace('.', ',')),
  'days as the Americans write them': column('Sown', (cell) => cell.replace(/(\d+)-(\d+)-(\d+)/, '$2/$3/$1')),
  'days as numbers of Excel': column('Sown', (_, row) => String(46_000 + row)),
  'days of 1905': column('Sown', (_, row) => `1905-07-${String((row % 28) + 1).padStart(2, '0')}`),
  'days before 1950 in three rows': column('Sown', (cell, row) => (row % 13 === 5 ? '1923-04-01' : cell)),
  'areas ten times too large': column('Area (ha)', (cell) => String(Number(cell) * 10)),
  'areas in square metres': column('Area (ha)', (cell) => String(Number(cell) * 10_000)),
  'areas of nothing': column('Area (ha)', () => '0'),
  'areas below nothing': column('Area (ha)', (cell) => `-${cell}`),
  'areas that failed': column('Area (ha)', () => '#REF!'),
  'areas a bit larger': column('Area (ha)', (cell) => (Number(cell) * 1.02).toFixed(2)),
  'crops of 0': column('Crop', () => '0'),
  'crops that came back empty': column('Crop', () => ''),
  'half of the crops empty': column('Crop', (cell, row) => (row % 2 === 0 ? '' : cell)),
  'crops of NULL': column('Crop', () => 'NULL'),
  'crops that became codes': column('Crop', (cell) => cell.slice(0, 2).toUpperCase()),
  'crops moved by a row': column('Crop', (_, row, rows) => rows[(row % 40) + 1]![2]!),
  'all of one crop': column('Crop', () => 'Maize'),
  'names that came back empty': column('Name', () => ''),
  'names moved by a row': column('Name', (_, row, rows) => rows[(row % 40) + 1]![1]!),
  'names without macrons': column('Name', (cell) => cell.normalize('NFD').replaceAll(/\p{M}/gu, '')),
  'names with question marks': column('Name', (cell) => cell.replaceAll(/[^ -~]/g, '?')),
  'names cut after six letters': column('Name', (cell) => cell.slice(0, 6)),
  'names in capitals': column('Name', (cell) => cell.toUpperCase()),
  'names and crops exchanged': (rows) =>
    rows.map((row, index) => (index === 0 ? row : [row[0]!, row[2]!, row[1]!, ...row.slice(3)])),
  'ids without zeros': column('ID', (cell) => String(Number(cell))),
  'ids with a letter': column('ID', (cell) => `P0${cell}`),
  'half of the ids with a letter': column('ID', (cell, row) => (row % 2 === 0 ? `P0${cell}` : cell)),
  'ids with spaces': column('ID', (cell) => `${cell}  `),
  'ids numbered anew': column('ID', (cell) => String(Number(cell) + 100)),
  'one id twice': (rows) => [...rows, rows[3]!.with(1, 'Another')],
  'all rows twice': (rows) => [...rows, ...rows.slice(1)],
  'a third of the rows missing': (rows) => rows.slice(0, 28),
  'five rows missing': (rows) => rows.slice(0, 36),
  'the header alone': (rows) => rows.slice(0, 1),
  'another farm': (rows) =>
    rows.map((row, index) => (index === 0 ? row : [row[0]!, `Mill ${index}`, 'Wheat', '2026-09-09', String(index)])),
  'a total below': (rows) => [...rows, ['Total', '', '', '', '120.4']],
  'a sum without a word below': (rows) => [...rows, [], ['', '', '', '', '120.4']],
  'blank rows between': (rows) => rows.flatMap((row, index) => (index % 10 === 5 ? [[], row] : [row])),
  'the header again': (rows) => rows.toSpliced(20, 0, rows[0]!),
  'a title above': (rows) => [['Paddocks of the farm'], ['printed on', '2026-11-28'], [], ...rows],
  'a second table below': (rows) => [...rows, [], ['Sheds', 'Size'], ['Wool', '40'], ['Hay', '90']],
  'formulas as names': column('Name', (cell, row) => (row % 13 === 5 ? `=1+${row}` : cell)),
  'markup as names': column('Name', (cell, row) => (row % 13 === 5 ? '<script>alert(1)</script>' : cell)),
}

/** What happens to the bytes of the second night. */
const bytes: Readonly<Record<string, (text: string) => Content>> = {
  'nothing in it': () => '',
  'a web page': () => '<!doctype html><html><body>502 Bad Gateway</body></html>',
  'an error in JSON': () => '{"error":"unauthorised","status":401}',
  'zeros from a row on': (text) => {
    const half = text.indexOf('\r\n', text.length / 2) + 2
    return text.slice(0, half) + '\0'.repeat(text.length - half)
  },
  'cut within a row': (text) => text.slice(0, Math.floor(text.length * 0.9)),
  'cut between rows': (text) => text.slice(0, text.lastIndexOf('\r\n', text.length - 3) + 2),
  'cut at two thirds': (text) => text.slice(0, text.indexOf('\r\n', (text.length * 2) / 3) + 2),
  'UTF-16': (text) => Buffer.from(`\ufeff${text}`, 'utf16le'),
  'with a mark of UTF-8': (text) => `\ufeff${text}`,
  'in Latin-1': (text) => Buffer.from(text, 'latin1'),
  'line ends of Unix': (text) => text.replaceAll('\r\n', '\n'),
  semicolons: (text) => text.replaceAll(',', ';'),
  tabs: (text) => text.replaceAll(',', '\t'),
  'an open quote': (text) => text.replace('\r\n03,', '\r\n"03,'),
  'decoded twice': (text) => Buffer.from(text).toString('latin1'),
}

const policies = [
  ['crops that came back empty', 'blank: clear'],
  ['crops that came back empty', 'blank: keep'],
  ['half of the crops empty', 'blank: clear'],
  ['half of the crops empty', 'blank: keep'],
  ['names that came back empty', 'blank: clear'],
  ['names that came back empty', 'blank: keep'],
  ['crops of NULL', 'blank: keep'],
  ['a third of the rows missing', 'gone: delete'],
  ['a third of the rows missing', 'rules: { fewer-rows: stop above 20 % }'],
  ['five rows missing', 'gone: delete'],
  ['one id twice', 'gone: delete'],
  ['one id twice', 'rules: { rejected: stop above 2 % }'],
  ['days before 1950 in three rows', 'rules: { rejected: stop above 2 % }'],
] as const

function changedNights(): Record<string, Harm> {
  const trials: Record<string, Harm> = {}
  for (const [name, change] of Object.entries(changes))
    trials[name] = (farm) =>
      nights(nightly(farm), csv(officeRows(farm)), csv(change(officeRows(farm))), csv(officeRows(farm)))
  for (const [name, change] of Object.entries(bytes))
    trials[name] = (farm) =>
      nights(nightly(farm), csv(officeRows(farm)), change(csv(officeRows(farm))), csv(officeRows(farm)))
  for (const [name, policy] of policies)
    trials[`${name}, ${policy}`] = (farm) =>
      nights(nightly(farm, policy), csv(officeRows(farm)), csv(changes[name]!(officeRows(farm))))
  return trials
}

/** Farms in one file: `Farm;Id;Name;Area`, ten paddocks each. */
function farmsFile(...farms: readonly (readonly [number: string, names: string])[]): string {
  const words = ['River', 'Hill', 'Flat', 'Bush', 'Shed', 'Road', 'Pond', 'Gate', 'Creek', 'Ridge']
  const rows = farms.flatMap(([number, names]) =>
    words.map((word, index) => [
      number,
      String(index + 1),
      names === '' ? `Paddock ${index + 1}` : `${names} ${word}`,
      String(index + 1),
    ]),
  )
  return csv([['Farm', 'Id', 'Name', 'Area'], ...rows], ';')
}

function farmsPipeline(more = 'gone: keep'): string {
  return `windrow: 1
import: plots
from: { file: farms.csv, delimiter: ";" }
holding: { scheme: ${scheme}, id: <Farm> }
key: <Id>
record: { name: <Name>, totalArea: { from: Area, unit: ha } }
${more}
`
}

const severalFarms: Readonly<Record<string, Harm>> = {
  'a farm spelt otherwise': ({ number: a }) =>
    nights(farmsPipeline(), farmsFile([a, 'East'], [`${a}B`, 'West']), farmsFile([a, 'East'], [`${a}C`, 'West'])),
  'a farm spelt otherwise, after another left': ({ number: a }) =>
    nights(
      farmsPipeline(),
      farmsFile([a, 'East'], [`${a}B`, 'West'], [`${a}C`, 'South']),
      farmsFile([a, 'East'], [`${a}B`, 'West']),
      farmsFile([`${a}D`, 'East'], [`${a}B`, 'West']),
    ),
  'a farm with the usual names joins after another left': ({ number: a }) =>
    nights(
      farmsPipeline(),
      farmsFile([a, ''], [`${a}B`, '']),
      farmsFile([`${a}B`, '']),
      farmsFile([`${a}B`, ''], [`${a}C`, '']),
      farmsFile([`${a}B`, ''], [`${a}C`, '']),
    ),
  'a farm leaves and is deleted': ({ number: a }) =>
    nights(farmsPipeline('gone: delete'), farmsFile([a, 'East'], [`${a}B`, 'West']), farmsFile([a, 'East'])),
  'a farm that the service does not know': ({ number: a }) =>
    nights(farmsPipeline(), farmsFile([a, 'East'], ['99999999', 'West'])),
  'farms by capitals and spaces': ({ number: a }) =>
    nights(farmsPipeline(), farmsFile([a, 'East'], [a.toLowerCase(), 'West'], [`${a}\u200b`, 'North'])),
}

const courses: Readonly<Record<string, Harm>> = {
  'ever fewer rows': (farm) =>
    nights(
      nightly(farm, 'rules: { fewer-rows: stop above 20 % }'),
      ...[40, 33, 27, 22, 18, 15, 12, 10, 8].map((count) => csv(officeRows(farm).slice(0, count + 1))),
    ),
  'fewer rows once, then all again': (farm) =>
    nights(nightly(farm), ...[40, 10, 40].map((count) => csv(officeRows(farm).slice(0, count + 1)))),
  'a retry of names that are formulas': (farm) => retried(farm, '-3', '+2'),
  'a retry of plain names': (farm) => retried(farm, '3', '2'),
  'a retry without a correction': (farm) => retried(farm, '3', '2', (text) => text),
  'a retry of a row that was taken out': (farm) =>
    retried(farm, '3', '2', (text) => text.split('\r\n').slice(0, 2).join('\r\n')),
  'an undo': (farm) => [
    ...nights(nightly(farm), csv(officeRows(farm)), csv(changes['three paddocks changed']!(officeRows(farm)))),
    { run: 'undo', words: ['undo', '{last run}', '--yes'] },
    { run: 'after it', words: ['run', 'night.yaml'] },
  ],
  'a season that splits, merges and sells': (farm) => season(farm),
  'a season by import': (farm) =>
    inTurn(
      farm,
      [{ 'season 1.geojson': geojson(farm.paddocks) }, '--key ID'],
      [{ 'season 2.geojson': geojson(secondSeason(farm)) }, '--key ID'],
    ),
  'a pipeline with another name and a cut file': (farm) => {
    const [first] = nights(nightly(farm), csv(officeRows(farm)))
    const put = {
      'nightly.csv': csv(officeRows(farm).slice(0, 14)),
      'renamed.yaml': nightly(farm, 'rules: { fewer-rows: stop above 20 % }'),
    }
    return [
      first!,
      { run: 'renamed', put, words: ['run', 'renamed.yaml'] },
      { run: 'again', words: ['run', 'renamed.yaml'] },
    ]
  },
  'a map, then nights': (farm) => [
    ...inTurn(farm, [{ 'map.geojson': geojson(drawFarm(farm.at, 40)) }, '--key ID']),
    ...nights(nightly(farm), csv(officeRows(farm)), csv(changes['three paddocks changed']!(officeRows(farm)))),
  ],
  'a workbook each night': (farm) => {
    const rows = officeRows(farm)
    const pipeline = nightly(farm)
      .replace('nightly.csv', 'nightly.xlsx')
      .replace('Sown, date: yyyy-MM-dd, zone: Pacific/Auckland', 'Sown, date: yyyy-MM-dd, zone: UTC')
    return nights(
      pipeline,
      book({ Paddocks: rows }),
      book({ Paddocks: changes['three paddocks changed']!(rows) }),
      book({ Paddocks: rows.slice(0, 20) }),
    )
  },
  'overlaps trimmed': (farm) => trimmed(farm, 'geometry: { overlaps: up to 5 m }'),
  'overlaps kept': (farm) => trimmed(farm, 'geometry: { overlaps: keep }'),
  'overlaps as they are': (farm) => trimmed(farm, ''),
  'a column taken out of the own export': (farm) => ownExport(farm, (text) => withoutColumn(text, 'Crop 1 name')),
  'a column of the own export renamed': (farm) => ownExport(farm, (text) => text.replace('Crop 1 name', 'Crop')),
  'the own export unchanged': (farm) => ownExport(farm, (text) => text),
}

/** A night of which two rows are rejected, their correction, and the retry. */
function retried(
  farm: Farm,
  one: string,
  two: string,
  how = (text: string): string => text.replaceAll(/([12])x/g, '$1.5'),
): readonly Step[] {
  const rows = (x: string): string =>
    csv([
      ['ID', 'Name', 'Crop', 'Sown', 'Area (ha)'],
      [one, `${one} Creek`, 'Maize', '', `1${x}`],
      [two, `${two} Hill`, 'Maize', '', `2${x}`],
      ['9', 'Flat', 'Maize', '', '3'],
    ])
  return [
    ...nights(nightly(farm), rows(''), rows('x')),
    { run: 'retry', correct: { file: 'rejected.csv', how }, words: ['retry', '{last run}'] },
    { run: 'night 3', put: { 'nightly.csv': rows('') }, words: ['run', 'night.yaml'] },
  ]
}

function secondSeason({ paddocks }: Farm): readonly Paddock[] {
  const [split, , wide, neighbour, ...rest] = paddocks
  const [southWest, , , northWest] = wide!.ring
  const [, southEast, northEast] = neighbour!.ring
  return [...halves(split!), { ...wide!, ring: [southWest!, southEast!, northEast!, northWest!, southWest!] }, ...rest]
}

function season(farm: Farm): readonly Step[] {
  const put = { 'map.geojson': geojson(secondSeason(farm)), 'season.yaml': ofMap(farm, 'gone: delete') }
  return [
    ...inTurn(farm, [{ 'map.geojson': geojson(farm.paddocks) }, '--key ID']),
    { run: 'pipeline', put, words: ['run', 'season.yaml'] },
    { run: 'take over', words: ['run', 'season.yaml', '--take-over'] },
    { run: 'allow', words: ['run', 'season.yaml', '--allow', 'deletes'] },
    { run: 'both', words: ['run', 'season.yaml', '--allow', 'deletes', '--take-over'] },
  ]
}

/** The pipeline of a map with boundaries. */
function ofMap({ number }: Farm, more: string): string {
  return `windrow: 1
import: plots
from: { file: map.geojson }
holding: { scheme: ${scheme}, id: "${number}" }
key: <ID>
record: { name: <NAME>, totalArea: measured }
${more}
`
}

function trimmed(farm: Farm, policy: string): readonly Step[] {
  const wider = farm.paddocks.map((each) => ({
    ...each,
    ring: each.ring.map(([x, y], index) => [x + (index === 1 || index === 2 ? 0.00004 : 0), y] as const),
  }))
  return nights(ofMap(farm, policy), geojson(wider), geojson(farm.paddocks))
}

/** Paddocks that windrow exports, a person edits, and windrow imports again. */
function ownExport(farm: Farm, how: (text: string) => string): readonly Step[] {
  const edited = how(
    csv([
      ['Name', 'Farm', 'Crop 1 name', 'Crop 1 establishment date (UTC)', `Source id (${scheme}.plots)`],
      ...farm.paddocks.map(({ id, name, crop, sown }) => [
        name,
        `Farm ${farm.number}`,
        crop,
        `${sown}T00:00:00Z`,
        `${farm.number}/${id}`,
      ]),
    ]),
  )
  return ['', '--set blank=clear', '--set blank=keep'].flatMap((blank, index) => [
    ...inTurn(farm, ...(index === 0 ? [[{ 'map.geojson': geojson(farm.paddocks) }, '--key ID'] as const] : [])),
    ...inTurn(farm, [{ 'plots.csv': edited }, blank]).map((step) => ({
      ...step,
      run: blank === '' ? 'edited' : blank,
    })),
  ])
}

function withoutColumn(text: string, name: string): string {
  const rows = text
    .trimEnd()
    .split('\r\n')
    .map((line) => line.split(','))
  const index = rows[0]!.indexOf(name)
  return csv(rows.map((row) => row.toSpliced(index, 1)))
}

export const harmOfNights: Readonly<Record<string, Harm>> = { ...changedNights(), ...severalFarms, ...courses }
