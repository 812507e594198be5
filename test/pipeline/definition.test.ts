import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { WindrowError } from '../../src/core/error.ts'
import type { Format } from '../../src/formats/format.ts'
import { formats } from '../../src/formats/index.ts'
import { compileMapping } from '../../src/mapping/compile.ts'
import { machineZone } from '../../src/mapping/zones.ts'
import {
  parsePipeline,
  readPipeline,
  type ExportPipeline,
  type ImportPipeline,
} from '../../src/pipeline/definition/definition.ts'
import { pipelineSchema, schemaWith } from '../../src/pipeline/definition/definition-schema.ts'
import type { PipelineFinding } from '../../src/pipeline/definition/pipeline-mistakes.ts'
import { exportJobOf } from '../../src/pipeline/export/export-job.ts'
import { checkAgainst } from '../../src/resources/validation.ts'
import { openedAlsoAs } from '../core/other-spelling.ts'
import { folderWith } from '../core/temporary-folder.ts'
import { runs } from '../runs.ts'

const folder = resolve(import.meta.dirname, '../fixtures/pipelines')
const names = ['onboard-paddocks', 'nightly-paddocks', 'spraying-last-month'] as const
const texts = names.map((name) => readFileSync(join(folder, `${name}.yaml`), 'utf8'))

const start =
  'windrow: 1\nimport: plots\nfrom: { file: a.csv }\nholding: { scheme: x, id: "1" }\nkey: <A>\nrecord: { name: <B> }\n'
const exportStart = 'windrow: 1\nexport: plots\nto: { file: a.csv }\n'
const jobsStart = exportStart.replace('plots', 'work-records')

function findingsOf(text: string, formats: readonly Format[] = []): readonly PipelineFinding[] {
  try {
    parsePipeline(text, 'pipelines/test.yaml', formats)
  } catch (error) {
    if (error instanceof WindrowError && error.code === 'pipeline-invalid')
      return error.data['findings'] as readonly PipelineFinding[]
    throw error
  }
  return []
}

function importOf(text: string): ImportPipeline {
  const pipeline = parsePipeline(text, 'pipelines/test.yaml')
  if (pipeline.kind !== 'import') throw new Error('not an import')
  return pipeline
}

function exportOf(text: string): ExportPipeline {
  const pipeline = parsePipeline(text, 'pipelines/test.yaml')
  if (pipeline.kind !== 'export') throw new Error('not an export')
  return pipeline
}

describe('the pipelines of the documentation', () => {
  test('onboarding a farm', async () => {
    const pipeline = await readPipeline(join(folder, 'onboard-paddocks.yaml'))
    expect(pipeline).toMatchObject({
      kind: 'import',
      name: 'onboard-paddocks',
      type: { plural: 'plots' },
      from: { file: resolve(folder, '../samples/rimu-farm/Rimu paddocks FINAL v3.zip'), crs: 'EPSG:2193', options: {} },
      geometry: { multipart: 'keep', repairUpTo: 0.01, decimals: 7, keepHeights: false },
      rules: { rejected: { verdict: 'stop', above: { share: 0.05 } } },
      mapping: { holding: { scheme: 'nz.example.farm-number', id: '00412876' }, key: '<PADDOCK_ID>', rows: 'one' },
    })
    expect(compileMapping((pipeline as ImportPipeline).mapping).columns).toEqual(['PADDOCK_ID', 'NAME', 'CROP', 'SOWN'])
  })

  test.each([
    ['day', '2:15', '15 2 * * *'],
    ['month', '06:00', '0 6 1 * *'],
    ['Monday', '23:59', '59 23 * * 1'],
    ['Sunday', '00:00', '0 0 * * 0'],
  ])('a schedule of every %s at %s', (every, at, cron) => {
    const text = `${exportStart}schedule: { every: ${every}, at: ${at}, zone: UTC }\n`
    expect(parsePipeline(text, 'p.yaml').schedule).toMatchObject({ cron, zone: 'UTC' })
  })

  test.each([
    ['day: yesterday', 'all'],
    ['modified since: 2 days ago', 'all'],
    ['day: 2026-09', 'once'],
    ['from: 2026-09-01', 'once'],
  ])('an export of %s that was missed runs %s', (only, missed) => {
    const text = `${jobsStart}only: { ${only} }\nschedule: { every: day, at: "02:15", zone: UTC }\n`
    expect(parsePipeline(text, 'p.yaml').schedule).toMatchObject({ missed })
  })

  test('the nightly sync', async () => {
    expect(await readPipeline(join(folder, 'nightly-paddocks.yaml'))).toMatchObject({
      kind: 'import',
      from: { options: { encoding: 'utf-8', delimiter: ';', decimal: 'comma' }, settledMs: 120_000 },
      columns: { expect: ['Paddock no', 'Name', 'Crop', 'Sown'], new: 'warn', missing: 'stop' },
      mapping: { decimal: 'comma', key: '<Paddock no>' },
      blank: 'keep',
      gone: 'keep',
      rules: {
        deletes: { verdict: 'stop', above: { share: 0.05, count: 10 } },
        rejected: { verdict: 'stop', above: { share: 0.02 } },
        'fewer-rows': { verdict: 'stop', above: { share: 0.2 } },
      },
      schedule: { cron: '15 2 * * *', zone: 'Pacific/Auckland', missed: 'once', timeoutMs: 1_800_000 },
    })
  })

  test('last month in a spreadsheet', async () => {
    const pipeline = (await readPipeline(join(folder, 'spraying-last-month.yaml'))) as ExportPipeline
    expect(exportJobOf(pipeline, new Date('2026-10-05T00:00:00Z'))).toMatchObject({
      type: { name: 'workRecordResource' },
      only: { holding: 'Rimu Farm', operations: ['CropProtection'], from: '2026-09-01', until: '2026-09-30' },
      zone: 'Pacific/Auckland',
      units: { area: 'HAR' },
      path: resolve(folder, '../out/Spraying 2026-09.xlsx'),
      layout: 'linked',
    })
  })
})

test('slivers narrower than the limit are removed', () => {
  expect(importOf(`${start}\ngeometry: { slivers: under 20 cm }`).geometry.sliversM).toBe(0.2)
  expect(importOf(`${start}\ngeometry: { slivers: none }`).geometry.sliversM).toBeUndefined()
  expect(() => importOf(`${start}\ngeometry: { slivers: thin }`)).toThrow(/is not a width/)
})

test('rows find records by boundary, by name or by an identifier in a column', () => {
  expect(importOf(`${start}\nmatch: boundary`).match).toEqual({ by: 'boundary' })
  expect(importOf(`${start}\nmatch: name\nrules: { duplicates: allow }`)).toMatchObject({
    match: { by: 'name' },
    rules: { duplicates: { verdict: 'allow' } },
  })
  expect(importOf(`${start}\nmatch: <Paddock no>=identifier`).match).toEqual({ by: 'identifier', column: 'Paddock no' })
  expect(() => importOf(`${start}\nmatch: Paddock no`)).toThrow(/"Paddock no" is no way to match records/)
  expect(importOf(start).match).toBeUndefined()
})

describe('defaults', () => {
  test('an import loses nothing and repairs next to nothing', () => {
    expect(importOf(start)).toMatchObject({
      connection: undefined,
      schedule: undefined,
      columns: { expect: undefined, new: 'warn', missing: 'stop' },
      only: [],
      geometry: { multipart: 'keep', repairUpTo: 0.01, keepHeights: false, decimals: 7 },
      blank: undefined,
      gone: 'keep',
      rules: {},
      examples: [],
    })
  })

  test("an export is in the machine's zone and has everything", () => {
    const { only, zone, units, columns } = exportJobOf(exportOf(exportStart), new Date())
    expect([zone, columns]).toEqual([machineZone(), undefined])
    for (const group of [only, units])
      expect(
        Object.values(group)
          .flat()
          .filter((each) => each !== undefined),
      ).toEqual([])
  })

  test('a holding is its own key', () => {
    const text = start
      .replace('import: plots', 'import: holdings')
      .replace('id: "1"', 'id: <NO>')
      .replace('key: <A>\n', '')
    expect(importOf(text).mapping.key).toBe('<NO>')
  })
})

test('numbers keep their zeros', () => {
  const { mapping, examples } = importOf(
    `${start.replace('id: "1"', 'id: 00412876')}examples:\n  - { row: { A: 007, B: 1.50 }, gives: { name: 1.50 } }\n`,
  )
  expect(mapping.holding.id).toBe('00412876')
  expect(examples).toEqual([{ row: { A: '007', B: '1.50' }, gives: { name: '1.50' } }])
})

test('a key in parts, a source scheme, a zone, a filter and groups reach the mapping', () => {
  const text = `${start.replace('key: <A>', 'key: [<A>, <C>]')}source: { scheme: nz.example.rimu }\nzone: Pacific/Auckland\nrows: group\nonly: { S: [x, 2] }\n`
  const { mapping, only } = importOf(text)
  expect(mapping).toMatchObject({
    key: ['<A>', '<C>'],
    sourceScheme: 'nz.example.rimu',
    zone: 'Pacific/Auckland',
    rows: 'group',
  })
  expect(only).toEqual([{ column: 'S', oneOf: ['x', '2'] }])
})

describe('mistakes are reported at their place', () => {
  test.each<[string, string, string, string]>([
    ['a misspelt name', start.replace('record', 'recrod'), '6:1', 'Did you mean "record"?'],
    ['a misspelt option', start.replace('a.csv', 'a.csv, delimeter: ";"'), '3:22', 'Did you mean "delimiter"?'],
    ['a misspelt word', `${start}blank: kep\n`, '7:8', 'Did you mean "keep"?'],
    ['a misspelt field', start.replace('name:', 'nmae:'), '6:11', 'did you mean name?'],
    ['a wrong version', start.replace('windrow: 1', 'windrow: 2'), '1:10', 'must be 1'],
    ['no such record', start.replace('plots', 'cows'), '2:9', 'must be plots'],
    ['a missing part', start.replace('from: { file: a.csv }\n', ''), '1:1', 'from is missing'],
    ['a missing file', start.replace('{ file: a.csv }', '{}'), '3:1', 'from.file is missing'],
    ['no key', start.replace('key: <A>\n', ''), '1:1', 'There is no key'],
    ['a key that is no column', start.replace('<A>', 'A'), '5:6', 'in angle brackets: <A>'],
    [
      'holdings that are all one',
      start.replace('plots', 'holdings').replace('key: <A>\n', ''),
      '4:27',
      'reads no column',
    ],
    ['a bad amount', `${start}rules: { rejected: stop above some }\n`, '7:20', 'not a limit'],
    ['a bad time', start.replace('a.csv', 'a.csv, settled: 2 minits'), '3:31', 'not a time'],
    ['a broken web address', start.replace('a.csv', '"https://["'), '3:15', 'not a valid address'],
    ['a password in an address', start.replace('a.csv', '"https://me:x@farms.example"'), '3:15', 'WINDROW_WEB_SECRETS'],
    ['an address that is not secure', start.replace('a.csv', '"http://farms.example/a.csv"'), '3:15', 'plain http'],
    ['a bucket without a file', start.replace('a.csv', '"s3://farms"'), '3:15', 'names a bucket and a file'],
    [
      'private addresses without a web address',
      start.replace('a.csv', 'a.csv, private addresses: allow'),
      '3:41',
      'only for web addresses',
    ],
    ['a bad repair', `${start}geometry: { repair: all }\n`, '7:21', 'not a limit for repairs'],
    [
      'farms taken apart',
      `${start.replace('plots', 'holdings').replace('id: "1"', 'id: <NO>')}geometry: { multipart: explode }\n`,
      '7:24',
      'one record, however many parts',
    ],
    [
      'rows put together and apart',
      `${start}rows: group\ngeometry: { multipart: explode }\n`,
      '8:24',
      'split into parts',
    ],
    [
      'an area of the whole for each part',
      `${start.replace('name: <B>', 'totalArea: { from: HA, unit: ha }')}geometry: { multipart: explode }\n`,
      '6:22',
      'for the whole row',
    ],
    ['a bad zone', `${start}zone: Pacific/Aukland\n`, '7:7', 'not a time zone'],
    [
      'a retry without a pause',
      `${start}schedule: { cron: "1 2 * * *", zone: UTC, retry: { every: 1 s } }\n`,
      '7:59',
      'too often',
    ],
    [
      'a retry in a word',
      `${start}schedule: { cron: "1 2 * * *", zone: UTC, retry: always }\n`,
      '7:50',
      'every: 10 min',
    ],
    ['a bad wait', `${start}schedule: { cron: "1 2 * * *", zone: UTC, wait for file: 06:00 }\n`, '7:58', 'until 06:00'],
    ['waiting without a time', `${start}after: holdings\n`, '7:8', 'needs a schedule'],
    ['a file and a folder', start.replace('a.csv', 'a.csv, folder: inbox'), '3:30', 'cannot be combined'],
    ['a pattern without a folder', start.replace('a.csv', 'a.csv, pattern: "*"'), '3:31', 'folder: inbox'],
    ['a pattern with folders', start.replace('file: a.csv', 'folder: inbox, pattern: "b/*.csv"'), '3:33', 'subfolders'],
    ['a shapefile that arrives', start.replace('file: a.csv', 'folder: inbox, pattern: "*.shp"'), '3:33', 'as a zip'],
    ['a bad afterwards', start.replace('file: a.csv', 'folder: inbox, then: delete'), '3:30', 'move to done'],
    ['a guard', `${start}guard: { deletes: 5 % }\n`, '7:1', 'What was under "guard" is now under "rules".'],
    ['a rule that is none', `${start}rules: { fare: allow }\n`, '7:10', '"fare" is unknown in rules'],
    ['a verdict that is none', `${start}rules: { far: maybe }\n`, '7:15', '"maybe" is no verdict for far'],
    ['a bad age', `${start}rules: { older: stop above old }\n`, '7:17', 'is not a time'],
    ['a bad clock', `${start}schedule: { cron: "2:15", zone: UTC }\n`, '7:19', 'it needs minute'],
    ['a schedule without a time', `${start}schedule: { every: day, zone: UTC }\n`, '7:1', '"at" is missing'],
    ['a schedule without a day', `${start}schedule: { at: "02:15", zone: UTC }\n`, '7:1', '"every" is missing'],
    ['an hour that no day has', `${start}schedule: { every: day, at: "24:15", zone: UTC }\n`, '7:29', 'like "02:15"'],
    [
      'two ways to say the time',
      `${start}schedule: { every: day, at: "02:15", cron: "15 2 * * *", zone: UTC }\n`,
      '7:38',
      'but not both',
    ],
    ['too many decimals', `${start}geometry: { decimals: 20 }\n`, '7:23', '12 or less'],
    ['an unfinished example', `${start}examples: [{ row: { A: 1 } }]\n`, '7:12', 'gives is missing'],
    ['an unknown day', `${jobsStart}only: { day: last moth }\n`, '4:14', 'not a day'],
    ['two ways to say the days', `${jobsStart}only: { day: today, from: 2026-01-01 }\n`, '4:14', 'cannot be combined'],
    [
      'the end before the start',
      `${jobsStart}only: { from: 2026-02-01, until: 2026-01-01 }\n`,
      '4:34',
      'before the first',
    ],
    ['a filter that plots have nothing for', `${exportStart}only: { day: today }\n`, '4:9', 'not for plots'],
    ['a list of changes that jobs do not have', `${jobsStart}only: { changed: since last export }\n`, '4:9', 'plots,'],
    ['an unknown unit', `${exportStart}units: { area: kg }\n`, '4:16', 'not a unit of area'],
    ...['yesterday', 'last week', '2 months ago'].map((day): [string, string, string, string] => [
      `a name by month for the days of ${day}`,
      `${jobsStart.replace('a.csv', '"{year}/{month}.csv"')}only: { day: ${day} }\n`,
      '3:13',
      'replace the one before',
    ]),
    [
      'a name by year for months',
      `${jobsStart.replace('a.csv', '"{year}.csv"')}only: { day: last month }\n`,
      '3:13',
      'Write {month} in the name',
    ],
    ['an unknown placeholder', exportStart.replace('a.csv', '"{mnth}.csv"'), '3:13', '{month}'],
    ['a tab', `${start}rules:\n\trejected: stop above 5 %\n`, '8:1', 'indented with a tab'],
    ['the same name twice', `${start}key: <B>\n`, '7:1', 'appears twice'],
    ['a Windows path with \\n in it', start.replace('a.csv', '"C:\\new\\farm.csv"'), '3:15', 'backslash'],
    ['a server with \\n in it', start.replace('a.csv', '"\\\\farm\\new.csv"'), '3:15', 'backslash'],
    ['a Windows path with \\P in it', start.replace('a.csv', '"C:\\Paddocks.csv"'), '3:15', 'backslash'],
    ['a Windows path in double quotes', start.replace('a.csv', '"..\\samples\\a.csv"'), '3:18', 'backslash'],
    ['no direction', 'windrow: 1\n', '1:1', 'neither import nor export'],
    ['a misspelt direction', start.replace('import', 'imprt'), '2:1', 'Did you mean "import"?'],
    ['nothing at all', '', '1:1', 'windrow: 1'],
    ['a list', '- a\n', '1:1', 'windrow: 1'],
  ])('%s', (_, text, place, part) => {
    const findings = findingsOf(text)
    const found = findings.find((finding) => `${finding.message} ${finding.hint ?? ''}`.includes(part))
    expect(found?.place, JSON.stringify(findings)).toBe(`test.yaml:${place}`)
  })

  test('all at once, in the order of the file, with the text there', () => {
    const text = `${start.replace('name:', 'nmae:').replace('a.csv', 'a.csv, settled: soon')}blank: kep\nzone: Mars\n`
    let error: unknown
    try {
      parsePipeline(text, 'pipelines/test.yaml')
    } catch (cause) {
      error = cause
    }
    const { message, hint } = error as WindrowError
    const places = [...message.matchAll(/test\.yaml:\d+:\d+/g)].map(([place]) => place)
    expect(places).toEqual(['test.yaml:3:31', 'test.yaml:6:11', 'test.yaml:7:8', 'test.yaml:8:7'])
    expect(message).toContain('has 4 mistakes')
    expect(message).toContain('\n      Mars\n')
    expect(hint).toContain('check the file again with windrow check')
  })

  test('the text hides secrets of a web address', () => {
    const address = '"https://me:secret@farms.example/a.csv?key=secret"'
    for (const text of [`${address}, settled: 2 min`, `${address}, crs: `, `[${address}]`, `${address}: x`])
      expect(JSON.stringify(findingsOf(start.replace('a.csv', text)))).not.toContain('secret')
  })

  test('a misspelt name is one mistake, not two', () => {
    expect(findingsOf(start.replace('record', 'recrod'))).toHaveLength(1)
  })
})

test('all pipelines with the same formats share one schema, so that it is compiled once', () => {
  expect(schemaWith('import', formats)).toBe(schemaWith('import', formats))
  expect(schemaWith('import', formats)).not.toBe(schemaWith('export', formats))
  expect(schemaWith('import', formats.slice(0, 1))).not.toBe(schemaWith('import', formats))
})

test('formats add their options: readers under from, writers under to', () => {
  const format: Format = {
    name: 'sheep',
    title: 'Sheep',
    extensions: ['.sheep'],
    options: {
      type: 'object',
      properties: { shorn: { type: 'boolean', description: 'Whether it is.' } },
      additionalProperties: false,
    },
    recognise: () => false,
    open: () => Promise.resolve([]),
  }
  const text = start.replace('a.csv', 'a.sheep, shorn: true')
  expect(findingsOf(text)).toHaveLength(1)
  expect(findingsOf(text, [format])).toEqual([])
  expect(findingsOf(exportStart.replace('a.csv', 'a.sheep, shorn: true'), [format])).toHaveLength(1)
  expect(findingsOf(text.replace('true', 'half'), [format])).toHaveLength(1)
})

test.each(['bom: true', 'locale: de-DE', 'csv: excel', 'cut: true', 'level: 9', 'decimals: 5'])(
  'an option that is only for writing is a mistake under from: %s',
  (option) => {
    expect(findingsOf(start.replace('a.csv', `a.csv, ${option}`), formats)).toHaveLength(1)
    expect(findingsOf(exportStart.replace('a.csv', `a.csv, ${option}`), formats)).toEqual([])
  },
)

test('a locale that does not exist is a mistake', () => {
  const to = (locale: string): string => exportStart.replace('a.csv', `a.csv, csv: excel, locale: ${locale}`)
  for (const locale of ['de', 'de-DE', 'en-NZ']) expect(findingsOf(to(locale), formats)).toEqual([])
  for (const locale of ['german', 'xx', 'zz-ZZ', 'de_DE'])
    expect(findingsOf(to(locale), formats)).toMatchObject([{ message: `"${locale}" is not a locale.` }])
})

test('the published schema takes the pipelines of the documentation', async () => {
  const { readYaml } = await import('../../src/pipeline/definition/yaml-source.ts')
  for (const text of texts) expect(checkAgainst(pipelineSchema(formats), readYaml(text).value)).toEqual([])
  expect(checkAgainst(pipelineSchema(formats), { windrow: 1 })).not.toEqual([])
})

describe('files', () => {
  test('that are opened by another spelling of their name are the same pipeline', async () => {
    const path = join(folderWith({ 'Nightly.yaml': start }), 'Nightly.yaml')
    const typed = await readPipeline(await openedAlsoAs(path, 'nightly.yaml'))
    expect(typed).toEqual(await readPipeline(path))
    expect(typed).toMatchObject({ name: 'Nightly', path })
  })

  test('whose names macOS writes with accents apart have the name that people type', () => {
    const apart = 'pipelines/Ko\u0304whai.yaml'
    const waiting = `${start}schedule: { every: day, at: "02:15", zone: Pacific/Auckland }\nafter: [Ko\u0304whai, Rimu]\n`
    expect(parsePipeline(waiting, apart)).toMatchObject({
      name: 'K\u014dwhai',
      path: apart,
      after: ['K\u014dwhai', 'Rimu'],
    })
  })

  test('that are missing or not UTF-8 are reported', async () => {
    const place = await mkdtemp(join(tmpdir(), 'windrow-'))
    try {
      await expect(readPipeline(join(place, 'none.yaml'))).rejects.toMatchObject({ code: 'file-missing' })
      const path = join(place, 'latin.yaml')
      await writeFile(path, Buffer.from('windrow: 1 # R\xe2hui', 'latin1'))
      await expect(readPipeline(path)).rejects.toMatchObject({
        code: 'pipeline-invalid',
        hint: expect.stringContaining('UTF-8') as string,
      })
    } finally {
      await rm(place, { recursive: true })
    }
  })
})

test('any changed pipeline is read, or its mistakes are reported with their places', () => {
  const change = fc.record({
    text: fc.constantFrom(...texts),
    at: fc.double({ min: 0, max: 1, noNaN: true }),
    length: fc.nat({ max: 12 }),
    insert: fc.oneof(
      fc.constant(''),
      fc.constantFrom(
        'x',
        ':',
        ' ',
        '\n',
        '{',
        '}',
        '[',
        ']',
        '"',
        '\t',
        '<',
        '>',
        '- ',
        '#',
        '&a ',
        '*a',
        'null',
        '7',
        '__proto__: ',
        'from: ',
      ),
      fc.string({ unit: 'binary', maxLength: 4 }),
    ),
  })
  fc.assert(
    fc.property(change, ({ text, at, length, insert }) => {
      const index = Math.floor(at * text.length)
      const findings = findingsOf(text.slice(0, index) + insert + text.slice(index + length))
      for (const finding of findings) {
        expect(finding.line).toBeGreaterThan(0)
        expect(finding.column).toBeGreaterThan(0)
        expect(finding.place).toBe(`test.yaml:${finding.line}:${finding.column}`)
        expect(finding.message).toMatch(/\.$|\?$/)
      }
    }),
    { numRuns: runs(600) },
  )
})

test('a pipeline with any values is read, or its mistakes are reported', () => {
  const names = fc.constantFrom(
    'windrow',
    'import',
    'export',
    'from',
    'to',
    'holding',
    'key',
    'record',
    'only',
    'guard',
    'schedule',
    'examples',
    'columns',
    'geometry',
    'units',
    'zone',
    'rows',
  )
  const group = fc.dictionary(names, fc.jsonValue({ maxDepth: 3 }))
  fc.assert(
    fc.property(group, fc.boolean(), (changes, isImport) => {
      const base = isImport
        ? {
            windrow: 1,
            import: 'plots',
            from: { file: 'a' },
            holding: { scheme: 'x', id: '1' },
            key: '<A>',
            record: { name: '<B>' },
          }
        : { windrow: 1, export: 'plots', to: { file: 'a' } }
      findingsOf(JSON.stringify({ ...base, ...changes }))
    }),
    { numRuns: runs(500) },
  )
})
