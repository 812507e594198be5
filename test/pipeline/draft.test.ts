import { chosen } from '../../src/core/row.ts'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Choice, Table, Value } from '../../src/core/row.ts'
import { parsePipeline, type ImportPipeline } from '../../src/pipeline/definition/definition.ts'
import { decideFor } from '../../src/pipeline/inspect/decide.ts'
import { draftPipeline } from '../../src/pipeline/inspect/draft.ts'
import { lookAtTable } from '../../src/pipeline/inspect/look.ts'
import type { Group } from '../../src/pipeline/definition/yaml-source.ts'
import { checkExamples } from '../../src/pipeline/definition/examples.ts'
import { memoryTable, square } from '../memory-table.ts'
import { runs } from '../runs.ts'

const holding = { scheme: 'nz.example.farm-number', id: '00412876' }
const zone = 'Pacific/Auckland'

type More = {
  readonly file?: string
  readonly type?: string
  readonly holding?: Group
  readonly choices?: readonly Choice[]
}

/** The draft of a table; `said` is what a person set. */
async function draftOf(table: Table, more: More = {}, said: Group = {}): Promise<string> {
  const { file = '../samples/Rimu paddocks.csv', type = 'plots', choices = [], holding: farm = holding } = more
  const facts = await lookAtTable({ ...table, choices })
  const signal = AbortSignal.timeout(60_000)
  const around = { path: file, fileName: 'Rimu paddocks.csv', connection: undefined, signal }
  return draftPipeline(await decideFor(facts, { import: type, holding: farm, zone, ...said }, around))
}

function read(text: string): ImportPipeline {
  const pipeline = parsePipeline(text, 'pipelines/draft.yaml')
  if (pipeline.kind !== 'import') throw new Error('not an import')
  return pipeline
}

const columns = ['PADDOCK_ID', 'NAME', 'CROP', 'SOWN', 'AREA_HA']
const cells = [
  ['001', 'Rāhui', 'Ryegrass', '3/9/2026', '3.2'],
  ['002', 'Ōtāne flat', 'Lucerne', '31/8/2026', '4.75'],
]

test('a shapefile makes a pipeline that reads like a form', async () => {
  const profile = memoryTable(columns, cells, [square(175.3, -37.8, 0.001), square(175.4, -37.8, 0.001)])
  const text = await draftOf(
    profile,
    {
      file: '../samples/rimu-farm/Rimu paddocks FINAL v3.zip',
    },
    { from: { crs: 'EPSG:4326' } },
  )
  expect(text).toBe(`# yaml-language-server: $schema=.windrow/pipeline.schema.json
# Plot records from "../samples/rimu-farm/Rimu paddocks FINAL v3.zip", 2 rows when this was written
windrow: 1
import: plots
from:
  file: ../samples/rimu-farm/Rimu paddocks FINAL v3.zip
  crs: EPSG:4326                    # Set, not guessed
  decimal: point                    # 2 numbers have a decimal point
holding: { scheme: nz.example.farm-number, id: "00412876" } # Set, not guessed
key: <PADDOCK_ID>                   # 2 of 2 filled, all different
zone: Pacific/Auckland              # Set, not guessed
record:
  name: <NAME>                      # the header; 2 of 2 filled
  totalArea: measured               # measured from the boundary; runner-up { from: AREA_HA, unit: ha }
  crops:
    - name: <CROP>                  # the header; 2 of 2 filled
      establishmentDate: { from: SOWN, date: d/M/yyyy, zone: Pacific/Auckland } # d/M/yyyy fits 2 of 2; M/d/yyyy fails on 1 of them, first 31/8/2026 in row 3
geometry: { multipart: keep, repair: up to 1 % }
rules: { rejected: stop above 5 %, fewer-rows: stop above 20 % }
examples:
  - row: { PADDOCK_ID: "001", NAME: Rāhui, CROP: Ryegrass, SOWN: 3/9/2026 }
    gives: { dataPointKey: plots/nz.example.farm-number/00412876/001, name: Rāhui, crops: [{ name: Ryegrass, establishmentDate: "2026-09-03T00:00:00+12:00" }] }
`)
  expect(checkExamples(read(text))).toEqual([{ example: 1, ok: true }])
})

const codes = cells.map(([id, name, , ...others]) => [id, name, id === '001' ? 'RG' : 'PLN', ...others] as const)

test('crop codes are published as they are, until words say what each means', async () => {
  const text = await draftOf(memoryTable(columns, codes))
  expect(text).toMatch(/- name: <CROP> +# please check: .*codes such as RG, PLN are published as they are/)
  expect(checkExamples(read(text))).toEqual([{ example: 1, ok: true }])
})

test.each([
  ['a word', ['RG', 'Maize']],
  ['a word in capitals', ['RG', 'MAIZE']],
  ['two words', ['RG', 'W W']],
  ['a number', ['RG', 7]],
  ['more than 30 codes', Array.from({ length: 31 }, (_, index) => `R${index}`)],
])('crops with %s are not taken for codes', async (_, crops) => {
  const rows = crops.map((crop, index) => [`P${index}`, `Paddock ${index}`, crop])
  const text = await draftOf(memoryTable(['ID', 'NAME', 'CROP'], rows))
  expect(text).not.toContain('codes such as')
  expect(() => read(text)).not.toThrow()
})

test('a CSV without geometry gets its choices and columns written down', async () => {
  const text = await draftOf(memoryTable([...columns, 'Remark'], cells), {
    choices: [
      chosen('from.delimiter', ';', 'the same in all rows', 'comma'),
      chosen('from.encoding', 'utf-8', 'valid UTF-8'),
      chosen('from.decimal', 'comma', 'overruled'),
    ],
  })
  expect(read(text)).toMatchObject({
    from: { options: { delimiter: ';', encoding: 'utf-8', decimal: 'point' } },
    columns: { expect: [...columns, 'Remark'] },
    mapping: { zone, record: { totalArea: { from: 'AREA_HA', unit: 'ha' } } },
  })
  expect(text).toContain('# not used: <Remark>')
  expect(text).toContain('# the same in all rows; runner-up comma')
})

test('a column of farms gives the holding row by row where only a scheme is set', async () => {
  const many = memoryTable(
    ['FARM_NO', 'ID', 'NAME'],
    [
      ['1', 'a', 'x'],
      ['2', 'b', 'y'],
    ],
  )
  const one = memoryTable(
    ['FARM_NO', 'ID', 'NAME'],
    [
      ['1', 'a', 'x'],
      ['1', 'b', 'y'],
    ],
  )
  const scheme = 'nz.example.farm-number'
  for (const table of [many, one])
    expect(read(await draftOf(table, {}, { holding: scheme })).mapping.holding).toEqual({ scheme, id: '<FARM_NO>' })
  expect(await draftOf(many)).toContain('# please check: <FARM_NO> names 2 farms, but you chose 00412876 for all rows.')
  expect(read(await draftOf(many)).mapping.holding).toEqual(holding)
})

test('holdings have their own number as the key', async () => {
  const profile = memoryTable(
    ['FARM_NO', 'NAME'],
    [
      ['00412876', 'Rimu Farm'],
      ['00731190', 'Kōwhai Station'],
    ],
  )
  const pipeline = read(await draftOf(profile, { type: 'holdings' }, { holding: 'nz.example.farm-number' }))
  expect(pipeline.mapping).toMatchObject({ key: '<FARM_NO>', holding: { id: '<FARM_NO>' }, record: { name: '<NAME>' } })
  expect(checkExamples(pipeline)).toEqual([{ example: 1, ok: true }])
})

test('without a key the pipeline does not run until one is chosen', async () => {
  const repeated = memoryTable(
    ['ID', 'NAME'],
    [
      ['1', 'a'],
      ['1', 'a'],
    ],
  )
  const text = await draftOf(repeated)
  expect(text).toMatch(/^# key: <COLUMN> +# please choose: Which column is the id/m)
  expect(() => read(text)).toThrow(/There is no key/)
})

test('without fields the record is left to fill in, and the pipeline does not run before', async () => {
  const text = await draftOf(memoryTable(['ID', 'ZZZ'], [['1', 'a']]))
  expect(text).toMatch(/^record: +# please fill in\n {2}# no column looks like a field of plots/m)
  expect(text).toContain('  # not used: <ZZZ>')
  expect(() => read(text)).toThrow(expect.objectContaining({ code: 'pipeline-invalid' }))
  expect(read(text.replace('  # name: <COLUMN>', '  name: <ZZZ>')).mapping.record).toEqual({ name: '<ZZZ>' })
})

test('an unknown coordinate system is left to fill in, with a likely one', async () => {
  const profile = memoryTable(columns, cells, [square(175.3, -37.8, 0.001), square(175.4, -37.8, 0.001)])
  const text = await draftOf(profile)
  expect(text).toMatch(
    /^ {2}# crs: EPSG:4326 +# please choose: Which coordinate system does the file use\? EPSG:4326 /m,
  )
  expect(read(text).from.crs).toBeUndefined()
  expect(read(text.replace('# crs', 'crs')).from.crs).toBe('EPSG:4326')
})

test('a file without boundaries will come again, so a shorter one stops the run', async () => {
  const { rules } = read(await draftOf(memoryTable(columns, cells)))
  expect(rules['fewer-rows']).toEqual({ verdict: 'stop', above: { share: 0.2 } })
})

test('a wrong row is not used as the example', async () => {
  const profile = memoryTable(
    ['ID', 'Sown'],
    [['1', '31/02/2026'], ...Array.from({ length: 30 }, (_, index) => [`${index + 2}`, '30/08/2026'])],
  )
  expect(await draftOf(profile)).not.toContain('examples:')
})

test('the draft of any table is a pipeline whose example is right', async () => {
  const header = fc.oneof(
    fc.constantFrom(
      'NAME',
      'Crop',
      'Variety',
      'Sown',
      'AREA_HA',
      'Area (ac)',
      'Land use',
      'Modified',
      'FARM_NO',
      'a.b',
      '__proto__',
      'yes',
      '7',
    ),
    fc.string({ unit: 'binary', minLength: 1, maxLength: 12 }),
  )
  const cell: fc.Arbitrary<Value> = fc.oneof(
    fc.constantFrom(
      '',
      '3/9/2026',
      '31/08/2026',
      '2026-09-03',
      '3.2',
      '1.204,5',
      'RG',
      '007',
      'true',
      '~',
      '- a',
      'a: b',
      'a #b',
      'x\ny: 1',
    ),
    fc.string({ unit: 'binary', maxLength: 12 }),
    fc.double({ noNaN: true }),
    fc.integer(),
    fc.boolean(),
    fc.constant(null),
  )
  const table = fc.uniqueArray(header, { minLength: 1, maxLength: 6 }).chain((names) =>
    fc.record({
      names: fc.constant([
        'Paddock ID',
        'Paddock name',
        ...names.filter((name) => name !== 'Paddock ID' && name !== 'Paddock name'),
      ]),
      cells: fc.array(fc.array(cell, { minLength: 6, maxLength: 6 }), { minLength: 1, maxLength: 5 }),
      type: fc.constantFrom('plots', 'land-covers'),
      isShaped: fc.boolean(),
      file: fc.string({ unit: 'binary', minLength: 1 }).filter((name) => name.trim() !== '' && !name.includes('\0')),
    }),
  )
  await fc.assert(
    fc.asyncProperty(table, async ({ names, cells: rows, type, isShaped, file }) => {
      const withKeys = rows.map((row, index) => [`P${index}`, `Paddock ${index}`, ...row])
      const shapes = isShaped ? rows.map((_, index) => square(index, 0, 1)) : undefined
      const profile = memoryTable(names, withKeys, shapes)
      const text = await draftOf(profile, { type, file })
      const pipeline = read(text)
      expect(pipeline.mapping.key).toMatch(/^<.+>$/s)
      expect(checkExamples(pipeline).filter(({ ok }) => !ok)).toEqual([])
    }),
    { numRuns: runs(300) },
  )
})

test('a decimal separator that no number shows is left to fill in', async () => {
  const text = await draftOf(
    memoryTable(
      ['ID', 'Area ha'],
      [
        ['1', '1,250'],
        ['2', '2,500'],
      ],
    ),
  )
  expect(text).toMatch(
    /^ {2}# decimal: comma +# please choose: Which is the decimal separator, comma or point\? comma /m,
  )
  expect(read(text.replace('# decimal', 'decimal')).mapping.decimal).toBe('comma')
})

test('a given farm is kept, with a warning if a column names another', async () => {
  const profile = memoryTable(['Farm No', 'ID', 'Name'], [['00999999', '1', 'Top']])
  expect(await draftOf(profile)).toContain(
    '# please check: <Farm No> says 00999999, but you chose 00412876 for all rows.',
  )
  expect(await draftOf(profile, { holding: { ...holding, id: '00999999' } })).not.toContain('you chose')
})
