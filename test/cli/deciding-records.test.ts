import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { collection, table } from '../pipeline/farm.ts'
import { startWorld, type Ran, type World } from './world.ts'

let world: World
beforeEach(async () => {
  world = startWorld()
  await world.publishFarms()
})
afterEach(() => world.close())

const farm = ['--holding', 'nz.example.farm-number:00412876', '--zone', 'Pacific/Auckland']
const square = (lon: number, lat = -37.8): string =>
  `"POLYGON((${lon} ${lat},${lon + 0.001} ${lat},${lon + 0.001} ${lat - 0.001},${lon} ${lat - 0.001},${lon} ${lat}))"`

const write = (name: string, rows: string | readonly string[]): void =>
  writeFileSync(join(world.folder, name), typeof rows === 'string' ? table(rows) : `${rows.join('\n')}\n`)
/** Imports a file; an option may have its value behind it, such as '--to plots'. */
const importing = (file: string, ...more: readonly string[]): Promise<Ran> =>
  world.run(['import', file, ...farm, ...more.flatMap((word) => (word.startsWith('--') ? word.split(' ') : [word]))])
/** Writes a file with these rows, and imports it. */
const importRows = (rows: string | readonly string[], file: string, ...more: readonly string[]): Promise<Ran> => {
  write(file, rows)
  return importing(file, ...more)
}
/** A list of paddocks with these names. */
const named = (...names: readonly string[]): readonly string[] => [
  'No,Name,Crop',
  ...names.map((name, at) => `P${at + 1},${name},Oats`),
]
const read = (name: string): string => readFileSync(join(world.folder, name), 'utf8')

type Problems = readonly {
  readonly code: string
  readonly severity: string
  readonly count: number
  readonly first: readonly { readonly message: string }[]
}[]
type Shown = {
  readonly records: { readonly created: number; readonly updated: number }
  readonly rows: Readonly<Record<'read' | 'ready' | 'unchanged' | 'rejected', number>>
  readonly problems: Problems
}
const reportOf = ({ out, failure }: Ran): Shown => {
  if (failure !== undefined) throw failure
  return JSON.parse(out) as Shown
}
const reportRows = async (rows: string | readonly string[], file: string, ...more: readonly string[]): Promise<Shown> =>
  reportOf(await importRows(rows, file, ...more, '--json'))
/** What a report says under this code, with its severity. */
const said = ({ problems }: Shown, which: string): readonly string[] =>
  problems
    .filter(({ code }) => code === which)
    .flatMap(({ severity, first }) => first.map(({ message }) => `${severity} ${message}`))
const unclear = (message: string): object => ({
  code: 'choices-missing',
  message: expect.stringContaining(`import: What are the rows? plots or `) as string,
  data: { missing: [{ setting: 'import', evidence: expect.stringContaining(message) as string }] },
})
const reported = async (file: string, ...more: readonly string[]): Promise<Shown> =>
  reportOf(await importing(file, ...more, '--json'))
const found = (ran: Ran, code: string): readonly string[] =>
  reportOf(ran).problems.flatMap((each) => (each.code === code ? each.first.map(({ message }) => message) : []))

describe('before anything is sent, an import warns', () => {
  test('of new plots without a boundary, once for the file', async () => {
    const rows = 'No|Name|Crop; P1|Paddock 1|Oats; P2|Paddock 2|Oats; P3|Paddock 3|Oats'
    const dry = await importRows(rows, 'names.csv', '--dry-run --json')
    expect(found(dry, 'boundary-absent')).toEqual(['3 new plots have no boundary.'])
    await importing('names.csv')
    const again = await importing('names.csv', '--json')
    expect(found(again, 'boundary-absent')).toEqual([])
  })

  test('of a row with a date for a crop and no crop', async () => {
    const rows = 'No|Name|Crop|Sown; P1|Top|Oats|2026-04-20; P2|Mid||2026-04-21; P3|Low||'
    const ran = await importRows(rows, 'crops.csv', '--set blank=keep --dry-run --json')
    const [first, ...others] = reportOf(ran).problems.filter(({ code }) => code === 'crop-unnamed')
    expect(others).toEqual([])
    expect(first).toMatchObject({ severity: 'warning', count: 1 })
    expect(first?.first[0]).toMatchObject({ message: 'The row has a date for a crop, but no crop.', at: { row: 3 } })
  })

  test('of names that would lose their macrons, once for each row', async () => {
    await importRows(named('Kānuka', 'Pōhutukawa', 'Top'), 'named.csv')
    const ran = await importRows(named('Kanuka', 'POHUTUKAWA', 'Tōp'), 'named.csv', '--dry-run --json')
    expect(found(ran, 'letters-doubtful')).toEqual([
      '"Kanuka" replaces "Kānuka": the macrons or accents are lost.',
      '"POHUTUKAWA" replaces "Pōhutukawa": the macrons or accents are lost.',
    ])
    expect(reportOf(ran).rows.rejected).toBe(0)
  })
})

test.each(['csv', 'geojson'])(
  'a name that was encoded twice never replaces a good one, from %s either',
  async (kind) => {
    const twice = (name: string): string => new TextDecoder('windows-1252').decode(Buffer.from(name))
    const writeNames = (names: readonly string[]): void => {
      const rows = names.map((name, at) => ({ No: `P${at + 1}`, Name: name, Crop: 'Oats' }))
      const features = rows.map((properties) => ({ type: 'Feature', properties, geometry: null }))
      if (kind === 'csv') write('named.csv', ['No,Name,Crop', ...rows.map((row) => Object.values(row).join())])
      else write('named.geojson', [collection(features)])
    }
    writeNames(['Rāhui', 'Top'])
    await importing(`named.${kind}`)
    writeNames([twice('Rāhui'), 'Top', twice('Tōtara')])
    const shown = await reported(`named.${kind}`)
    expect(shown.rows).toMatchObject({ read: 3, rejected: 1, unchanged: 1, ready: 1 })
    expect(said(shown, 'letters-spoilt')).toEqual([
      `error "${twice('Rāhui')}" would replace "Rāhui": a program wrote its letters in another encoding.`,
    ])
    const code = kind === 'csv' ? 'encoding-doubtful' : 'letters-doubtful'
    expect(said(shown, code)).toContain(`warning "${twice('Tōtara')}" looks encoded twice; it may have been "Tōtara".`)
    expect(said(shown, kind === 'csv' ? 'letters-doubtful' : 'encoding-doubtful')).toEqual([])
  },
)

describe('the crop of a plot', () => {
  test('is read from a column with a year in its header, the latest of several', async () => {
    const rows = 'No|Name|Crop_2025|Crop 2026|Date_Sown; P1|Top|Peas|Oats|2026-04-20'
    const { out } = await importRows(rows, 'years.csv', '--dry-run')
    expect(out).toMatch(/crops\.0\.name +<Crop 2026> +please check: the header; the latest year/)
    expect(out).toMatch(/crops\.0\.establishmentDate +\{ from: Date_Sown/)
  })

  test('is published as the code that the file has, and the import says so', async () => {
    const rows = 'No|Name|Crop; P0|Block 0|RG; P1|Block 1|PLN; P2|Block 2|LUC; P3|Block 3|FB'
    const { out } = await importRows(rows, 'codes.csv', '--dry-run')
    expect(out).toMatch(/crops\.0\.name +<Crop> +please check: .*codes such as RG, PLN, LUC are published as they are/)
    expect((await importRows('No|Name|Crop; P1|Top|Oats', 'words.csv', '--dry-run')).out).not.toContain('codes such as')
  })

  test('is never a date alone', async () => {
    const { out } = await importRows('No|Name|Area ha|Date_Sown; P1|Top|4.25|2026-04-20', 'dates.csv', '--dry-run')
    expect(out).not.toContain('establishmentDate')
    expect(out).toContain('note: <Date_Sown> is left out: it is the date of a crop, and no column names the crop.')
    expect(out).toMatch(/not used: .*Date_Sown/)
  })
})

describe('a file without a boundary, area or crop', () => {
  const harvests = [
    'timestamp,name,assets,quantity,units',
    '2026-07-15,Harvest garlic,Garlic,200,bulbs',
    '2026-08-15,Harvest potatoes,Potatoes,80,lbs',
  ]

  test.each([['import'], ['init']])('is not taken for plots by %s until --to says so', async (command) => {
    write('harvests.csv', harvests)
    const { failure } = await world.run([command, 'harvests.csv', ...farm, '--key', 'name'])
    expect(failure).toMatchObject({
      ...unclear('"harvests.csv" has no boundary, area or crop column, so it may not be a list of plots.'),
      exit: 2,
    })
    expect(failure?.message).toMatch(/These were taken for the column names: "timestamp", .*\.$/)
    expect(failure?.hint).toContain('--to TYPE')
    expect(existsSync(join(world.folder, 'harvests.yaml'))).toBe(false)
    const unnamed = await world.run([command, 'harvests.csv', ...farm, '--set', 'from.header=none'])
    expect(unnamed.failure?.message).not.toContain('column names')
    const { exit } = await world.run([command, 'harvests.csv', ...farm, '--key', 'name', '--to', 'plots'])
    expect(exit).toBe(0)
  })

  test.each([
    [
      'four names, a date and a crop',
      'Load no,Date,Paddock,Crop,Tonnes',
      (load: number) => `${load},2026-02-${String(load).padStart(2, '0')},Top ${load % 4},Wheat,${load}.5`,
      'the columns Date, Load no, Tonnes',
    ],
    [
      'loads and drivers',
      'Load no,Paddock,Crop,Yield t/ha,Moisture,Driver',
      (load: number) => `${1000 + load},Top ${load},Wheat,7.${load},13.5,Sam`,
      'the columns Load no, Yield t/ha, Moisture',
    ],
  ])('with %s is a log, and --key does not change that', async (_, header, line, signs) => {
    write('log.csv', [header, ...Array.from({ length: 25 }, (__, at) => line(at + 1))])
    for (const command of ['import', 'init']) {
      const { failure } = await world.run([command, 'log.csv', ...farm, '--key', 'Load no'])
      expect(failure).toMatchObject({ ...unclear(`"log.csv" has ${signs}: it looks like a log.`), exit: 2 })
      expect(failure?.message).toContain('Jobs and loads are only read from the service, never sent.')
    }
    const { exit } = await importing('log.csv', '--key', 'Load no', '--to plots')
    expect(exit).toBe(0)
  })

  test.each([
    [
      'the diary',
      'Date,Farm,Paddock,Operation,Product,Rate,Area treated (ha),Operator',
      '2026-10-01,Rimu,Top,Crop protection,Kauri 500,2 L/ha,5.1,Sam',
      'Operation, Product, Area treated (ha)',
    ],
    [
      'a map with the land of each job',
      'Name,Operation,Plot name,Worked area (ha),Logged operation,Product type,Source id (nz.example.rimu.job),WKT',
      `Spray Top,CropProtection,Top,5.1,CropProtection,Herbicide,J1,${square(175)}`,
      'Operation, Worked area (ha), Logged operation',
    ],
    [
      'a German diary',
      'Datum,Schlag,Fläche ha,Maßnahme,Mittel,Menge',
      '01.10.2026,Oben,5.1,Pflanzenschutz,Kauri 500,2',
      'Maßnahme, Mittel',
    ],
    [
      'a French diary',
      'Date,Parcelle,Surface ha,Intervention,Produit,Dose,Opérateur',
      '01/10/2026,Haut,5.1,Traitement,Kauri 500,2,Sam',
      'Intervention, Produit, Opérateur',
    ],
  ])('that is an export of work records is never published as plots: %s', async (_, header, line, signs) => {
    write('jobs.csv', [header, line])
    const { failure } = await world.run(['import', 'jobs.csv', ...farm, '--key', header.split(',')[0]!])
    expect(failure).toMatchObject(unclear(`"jobs.csv" has the columns ${signs}: it looks like a log.`))
  })

  test.each([
    ['its yields', 'Field,Area ha,Crop,Yield 2024,Yield 2025', 'Top,5.1,Wheat,8,9'],
    ['its last product', 'Field,Area ha,Crop,Last product,Last application', 'Top,5.1,Wheat,Kauri 500,2026-04-03'],
    ['who farms it', 'Operation,Operator,Field,Acres,Crop', 'Rimu Farm,Sam,Top,12.6,Wheat'],
    ['the land that was worked', 'Field,Treated area ha,Worked area ha,Area ha,Crop', 'Top,5,5,5.1,Wheat'],
  ])('but with one row for each paddock and %s is a list of plots', async (_, header, line) => {
    expect((await importRows([header, line], 'list.csv', '--key Field --dry-run')).exit).toBe(0)
  })

  test('of land covers is not published as plots, unless it has names, numbers or crops of paddocks, or --to says so', async () => {
    write('covers.csv', 'No|Land cover|Hectares; C1|Native bush|6.35')
    const covers = ['import', 'covers.csv', ...farm, '--key', 'No', '--dry-run']
    const sign = 'the column "Land cover" and no names or crops of paddocks: it may be a list of land covers.'
    expect((await world.run(covers)).failure).toMatchObject(unclear(`"covers.csv" has ${sign}`))
    expect((await world.run([...covers, '--to', 'plots'])).exit).toBe(0)
    for (const header of ['Paddock', 'Paddock ID', 'Field no', 'Crop']) {
      write('covers.csv', [`No,${header},Land cover,Hectares`, 'C1,Top,Native bush,6.35'])
      expect((await world.run(covers)).exit).toBe(0)
    }
  })

  test('with boundaries is a log where a machine drew many for each name, and not where each paddock has its yield', async () => {
    const lines = (names: number): readonly string[] => [
      'Id,Field,Crop,Yield,Moisture,WKT',
      ...Array.from({ length: 8 }, (_, at) => `A${at},Top ${at % names},Wheat,7.${at},13.5,${square(175 + at / 100)}`),
    ]
    const { failure } = await importRows(lines(2), 'swaths.csv')
    const signs = 'the columns Yield, Moisture'
    expect(failure).toMatchObject(unclear(`"swaths.csv" has ${signs}: it looks like a log.`))
    expect((await importRows(lines(8), 'paddocks.csv', '--dry-run')).exit).toBe(0)
  })

  test('but with one row for each paddock and its crop is a list of plots', async () => {
    const rows = 'No|Paddock name|Crop|Sown; 1|A|Wheat|2026-04-01; 2|B|Maize|2026-04-02'
    expect((await importRows(rows, 'names.csv', '--key No')).exit).toBe(0)
  })

  test('with a crop is doubted where the same names come again and again', async () => {
    const days = [1, 2, 3, 4, 5, 6].map((day) => `Top ${day % 2},Oats,2026-04-0${day}`)
    const { out } = await importRows(['name,crop,date', ...days], 'log.csv', '--dry-run --to plots')
    expect(out).toContain(
      'note: <name> has 2 different names in 6 rows, so this may be a log with several rows per plot. Each row would become a plot.',
    )
  })
})

describe('the order of day and month', () => {
  const american = ['ID,Name,Crop,Acres,Planted', 'A1,North,Corn,40,4/5/2026', 'A2,West,Corn,12,4/12/2026']
  const chicago = ['--holding', 'nz.example.farm-number:00412876', '--zone', 'America/Chicago']

  test('is asked, also where areas are in acres and the zone is in the United States', async () => {
    write('us.csv', american)
    const open = await world.run(['import', 'us.csv', ...chicago, '--dry-run', '--json'])
    expect(found(open, 'date-order-unclear')[0]).toContain('4/5/2026 is 4 May or 5 April. They are not published.')
    const said = await world.run(['import', 'us.csv', ...chicago, '--dates', 'd/M/yyyy', '--dry-run'])
    expect(said.out).toMatch(/Planted, date: d\/M\/yyyy, .* d\/M\/yyyy, set by you/)
    const { out } = await world.run(['inspect', 'us.csv', '--json'])
    expect(out).toContain('date-order-unclear')
  })
})

describe('a key of several columns', () => {
  const fields = ['Journal,Mark,Name,Crop', '7,1,Top,Oats', '7,2,Mid,Oats', '8,1,Low,Peas', '8,2,Top,Peas']
  const idOf = (line: string): string =>
    decodeURIComponent((JSON.parse(line) as { dataPointKey: string }).dataPointKey.split('/').at(-1)!)
  const ids = (): readonly string[] => read('ready.ndjson').trim().split('\n').map(idOf)

  test.each([[['--key', 'Journal', '--key', 'Mark']], [['--key', 'Journal,Mark']], [['--key', 'Journal, Mark']]])(
    'is given by %j',
    async (key) => {
      const { out } = await importRows(fields, 'fields.csv', ...key, '--dry-run --out ready.ndjson')
      expect(out).toMatch(/key +\[<Journal>, <Mark>\] +Set, not guessed/)
      expect(out).not.toContain('there is no key')
      expect(ids()).toEqual(['7/1', '7/2', '8/1', '8/2'])
      await world.run(['init', 'fields.csv', ...farm, ...key])
      expect(read('fields.yaml')).toMatch(/^key: \["?<Journal>"?, "?<Mark>"?\]/m)
    },
  )

  test('is not made from a comma in the name of a column', async () => {
    const rows = ['"Farm,No",Name,Crop', 'a1,Top,Oats', 'a2,Low,Oats']
    const { out } = await importRows(rows, 'comma.csv', '--key Farm,No --dry-run')
    expect(out).toMatch(/key +<Farm,No> +Set, not guessed/)
  })

  test('has no code of a crop as a part, and says which part of it is blank', async () => {
    const rows = ['1;a;Hof;115;Weizen', '1;b;Hof;311;Raps', '2;;Moor;459;Gras']
    const none = await importRows(['Schlagnr;Teilschlag;Schlag;Nutzcode;Kultur', ...rows], 'schlag.csv', '--to plots')
    expect(none.failure?.message).not.toContain('Nutzcode')
    const { out } = await importing('schlag.csv', '--key Schlagnr,Teilschlag --dry-run')
    expect(out).toContain('Fill in Teilschlag for this row.')
  })

  test('names the columns it lacks', async () => {
    const { failure } = await importRows(fields, 'fields.csv', '--key Journal --key Marke')
    expect(failure?.message).toBe('fields.csv: The file has no column "Marke".')
    const shape = '{"type":"Polygon","coordinates":[[[175.3,-37.7],[175.31,-37.7],[175.31,-37.71],[175.3,-37.7]]]}'
    const bare = await importRows([shape], 'bare.geojson', '--key', 'name+place')
    expect(bare.failure).toMatchObject({ message: expect.stringContaining('"name"'), hint: 'It has: no columns.' })
  })
})

test('an option that takes one value is refused when it is given twice', async () => {
  const { failure } = await importRows('No|Name|Crop; P1|Top|Oats', 'names.csv', '--layer a --layer b')
  expect(failure).toMatchObject({ code: 'option-invalid', message: '--layer is given twice: "a" and "b".' })
})

test('a column that only counts the lines is doubted as the key', async () => {
  const rows = ['Top', 'Mid', 'Low', 'Top', 'Mid'].map((name, index) => `${index + 1},${name},Oats`)
  const { failure } = await importRows(['No.,Name,Crop', ...rows], 'printed.csv')
  expect(failure?.message).toContain(
    'No. (5 of 5 filled, all different; 1 to 5 in row order: if these only count the lines, they change when the list does; suggested)',
  )
  const { out } = await importRows(['No.,Name,Crop', ...rows.toReversed()], 'printed.csv', '--dry-run')
  expect(out).toMatch(/key +<No\.> +.*5 of 5 filled, all different/)
})

test('a number that a program gives to each row is doubted as the key, and comes after names', async () => {
  const counted = await importRows('id|Crop; 0|Oats; 1|Oats', 'counted.csv')
  expect(counted.failure?.message).toContain(
    'id (2 of 2 filled, all different; 0 to 1 in row order: if these only count the lines, they change when the list does; suggested)',
  )
  const rows = await importRows('id|OBJECTID|Crop; 7|7|Oats; 3|3|Oats', 'rows.csv')
  expect(rows.failure?.message).toContain(
    'id (2 of 2 filled, all different; the same as <OBJECTID>, a row number, which may change with the next export; suggested)',
  )
  const one = await importRows('Id|Name|Crop; 0|Top|Oats', 'one.csv')
  expect(one.failure?.message).toContain('Name (1 of 1 filled, all different; names can change; suggested)')
})

test.each([
  ['with ids', (id: number) => ({ ID: `P${id}`, Crop: 'Oats' })],
  ['without ids', () => ({ Crop: 'Oats' })],
])('a file %s that was cut off is said to be so', async (_, properties) => {
  const geometry = { type: 'Point', coordinates: [175, -37] }
  const features = [1, 2, 3].map((id) => ({ type: 'Feature', properties: properties(id), geometry }))
  const { exit, failure, out } = await importRows([collection(features).slice(0, -60)], 'cut.geojson')
  expect(exit).toBe(2)
  expect(failure?.message ?? out).toContain(
    'The file ends in the middle; features are missing at its end. Nothing was sent.',
  )
})

test('a column with repeated values is described by how many are different', async () => {
  const rows = Array.from({ length: 12 }, (_, index) => `${index % 3},Oats`)
  write('few.csv', ['Mark,Crop', ...rows])
  const { failure } = await world.run(['import', 'few.csv', ...farm])
  expect(failure?.message).toContain('The nearest is <Mark>: 12 of 12 filled, 3 of 12 different.')
  const { out } = await world.run(['init', 'few.csv', ...farm])
  expect(out).toMatch(/^# key: <COLUMN> +# please choose: Which column is the id/m)
  expect(out).toContain('Read it, choose key, then:')
})

test('a column in which only a few ids are blank or repeated is named as the nearest one', async () => {
  const ids = Array.from({ length: 20 }, (_, at) => (at === 7 ? '' : `${at + 101}`))
  write('pdks.csv', ['pdk,Pdk name,Crop', ...ids.map((id) => `${id},Tūī,Oats`), '109,Tūī,Kale'])
  const near = 'The nearest is <pdk>: 20 of 21 filled, 19 of 20 different.'
  expect((await importing('pdks.csv')).failure?.message).toContain(near)
  const { rows } = await reported('pdks.csv', '--key pdk')
  expect(rows).toMatchObject({ read: 21, rejected: 3 })
})

describe('boundaries without ids', () => {
  const shifted = (names: readonly string[], by: number): readonly string[] => [
    'Name,WKT',
    // Nobody who draws again moves all boundaries by the same distance.
    ...names.map((name, index) => `${name},${square(175.1 + index / 100 + (index < 3 ? by / (index + 1) : 0))}`),
  ]

  test('have their unique names proposed as the key, with the doubt', async () => {
    const { failure } = await importRows(shifted(['Top', 'Mid', 'Low'], 0), 'drawn.csv')
    expect(failure?.message).toContain('Name (3 of 3 filled, all different; names can change; suggested) or Name+place')
    expect(failure?.hint).toContain('--key Name')
    const named = await importing('drawn.csv', '--key Name --json')
    expect(reportOf(named).records.created).toBe(3)
  })

  test('keep a key of name and place when they are redrawn a little, and get a new one elsewhere', async () => {
    const names = ['Top', 'Top', 'Low', 'Hill', 'Flat', 'Creek', 'Gully']
    const run = ['import', 'drawn.csv', ...farm, '--key', 'name+place', '--json']
    write('drawn.csv', shifted(names, 0))
    const shown = await world.run(run.slice(0, -1).concat('--dry-run'))
    expect(shown.out).toMatch(
      /key +\[<Name>, \{ place: measured \}\] +Set, not guessed; the key keeps the first position, even if the boundary moves later/,
    )
    expect(reportOf(await world.run(run)).records.created).toBe(7)
    expect(reportOf(await world.run(run)).rows).toMatchObject({ read: 7, unchanged: 7 })
    write('drawn.csv', shifted(names, 0.0003))
    expect(reportOf(await world.run(run)).records).toMatchObject({ created: 0, updated: 3 })
    expect(reportOf(await world.run(run)).rows).toMatchObject({ unchanged: 7 })
    write('drawn.csv', [...shifted(names, 0.0003), `Top,${square(175.2)}`])
    expect(reportOf(await world.run(run)).records).toMatchObject({ created: 1, updated: 0 })
  })

  test('stop where one of them has a new name, which makes its key a new one', async () => {
    const run = ['import', 'drawn.csv', ...farm, '--key', 'name+place', '--json']
    write('drawn.csv', shifted(['Top', 'Mid', 'Low'], 0))
    await world.run(run)
    write('drawn.csv', shifted(['Top', 'Middle', 'Low'], 0))
    const message = expect.stringContaining('1 of 1 new records is in the service already, under another key: row 3, ')
    expect(reportOf(await world.run(run))).toMatchObject({ exit: 6, error: { code: 'rule-stopped', message } })
    expect(reportOf(await world.run([...run, '--match', 'boundary'])).records).toMatchObject({ created: 0, updated: 1 })
    expect(reportOf(await world.run(run)).rows).toMatchObject({ unchanged: 3 })
    // Another paddock on the land of one that is in the file may be meant.
    write('drawn.csv', [...shifted(['Top', 'Middle', 'Low'], 0), `Ring,${square(175.1)}`])
    expect(reportOf(await world.run(run)).records).toMatchObject({ created: 1 })
  })

  test('are rejected where two rows would be the same place', async () => {
    const run = ['import', 'drawn.csv', ...farm, '--key', 'name+place', '--json']
    write('drawn.csv', shifted(['Top'], 0))
    await world.run(run)
    write('drawn.csv', ['Name,WKT', `Top,${square(175.1001)}`, `Top,${square(175.0999)}`])
    const ran = await world.run(run)
    expect(reportOf(ran).rows).toMatchObject({ read: 2, rejected: 2 })
    expect(reportOf(ran).problems.map(({ code }) => code)).toContain('key-repeated')
  })

  test('need a boundary for the place', async () => {
    const { failure } = await importRows('Name|Crop; Top|Oats', 'names.csv', '--key', 'Name+place')
    expect(failure).toMatchObject({
      code: 'option-invalid',
      message: 'names.csv: The key has a place, but the file has no boundaries.',
    })
    const ran = await importRows([...shifted(['Top'], 0), 'Low,'], 'some.csv', '--key Name+place --json')
    expect(found(ran, 'key-missing')).toEqual([
      'The row has no boundary, and the key contains where the boundary lies.',
    ])
    const rows = [...shifted(['Top'], 0), 'Gate,POINT (175.1 -37.8)']
    const pointed = await importRows(rows, 'points.csv', '--key Name+place --json')
    expect(reportOf(pointed).rows).toMatchObject({ unchanged: 1, rejected: 1 })
    expect(reportOf(pointed).problems.filter(({ severity }) => severity === 'error')).toMatchObject([
      { code: 'geometry-wrong-type', count: 1 },
    ])
  })

  test('run from the pipeline of init with the same key', async () => {
    write('drawn.csv', shifted(['Top', 'Top'], 0))
    await world.run(['init', 'drawn.csv', ...farm, '--key', 'Name+place'])
    expect(read('drawn.yaml')).toMatch(/^key: .*<Name>.*place: measured/m)
    expect(reportOf(await world.run(['run', 'drawn.yaml', '--json'])).records.created).toBe(2)
    write('drawn.csv', shifted(['Top', 'Top'], 0.0002))
    expect(reportOf(await world.run(['run', 'drawn.yaml', '--json'])).records).toMatchObject({ created: 0, updated: 2 })
  })
})

describe('an id that is there twice', () => {
  const ids = ['K001', 'K002', 'K003', 'K004', 'K005', 'K006', 'K007', 'K008', 'K009', 'K009', 'K011', 'K012']
  const lines = ['PDK_ID,PDK_NAME,Crop', ...ids.map((id, at) => `${id},Field ${at},Wheat`)]

  test('is named, and the names are not proposed as the key', async () => {
    const { failure } = await importRows(lines, 'kowhai.csv')
    expect(failure).toMatchObject({ code: 'choices-missing', exit: 2 })
    expect(failure!.message).toContain(
      'PDK_ID (looks like the id, but only 11 of 12 are different: correct the file, or the rows with the same id are rejected; suggested)',
    )
    expect(failure!.message).not.toContain('PDK_NAME')
    const shown = await reported('kowhai.csv', '--key PDK_ID')
    expect(shown.rows).toMatchObject({ ready: 10, rejected: 2 })
  })

  test('is named in the draft of a pipeline', async () => {
    write('kowhai.csv', lines)
    await world.run(['init', 'kowhai.csv', ...farm, '-o', 'kowhai.yaml'])
    expect(read('kowhai.yaml')).toMatch(/key: <PDK_ID> .*only 11 of 12 are different/)
  })
})

test('a decimal comma before a unit is read as inspect reads it', async () => {
  const areas = ['3,00ha', '4,10ha', '5,20ha', '15,20ha']
  const fields = areas.map((area, at) => `00${at};Feld ${at};${area};Weizen`)
  const shown = await reportRows(
    ['Schlag-Nr;Bezeichnung;Größe;Sorte', ...fields, 'Summe;;27,5;'],
    'flaechen.csv',
    '--key Schlag-Nr',
  )
  expect(shown.rows).toMatchObject({ ready: 4, rejected: 0 })
})
