import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { startWorld, type World } from './world.ts'

let world: World
beforeEach(async () => {
  world = startWorld()
  await world.publishFarms()
})
afterEach(() => world.close())

const farm = ['--holding', 'nz.example.farm-number:00412876', '--zone', 'Pacific/Auckland']
const square = (lon: number): string =>
  `"POLYGON((${lon} -37.1,${lon + 0.001} -37.1,${lon + 0.001} -37.101,${lon} -37.101,${lon} -37.1))"`

const write = (name: string, lines: readonly string[]): void =>
  writeFileSync(join(world.folder, name), `${lines.join('\n')}\n`)

test('a dry run without --holding names no farm', async () => {
  write('drawn.csv', ['No,Name,WKT', `1,Top,${square(175.1)}`, `2,Low,${square(175.2)}`])
  const { out } = await world.run(['import', 'drawn.csv', '--zone', 'Pacific/Auckland', '--dry-run'])
  expect(out).toMatch(/^ {2}holding +none +Which farm do the records belong to/m)
  expect(out).toMatch(/^to plots (?:at|with) /m)
})

describe('a column that names another farm of the account', () => {
  test.each([
    ['number', 'Farm no', '00731190', 'holding: nz.example.farm-number:<Farm no>'],
    ['number without its zeros', 'Farm no', '731190', 'only: { Farm no: ["Rimu Farm"] }'],
    ['name', 'Farm', 'Kowhai Station', 'only: { Farm: ["Rimu Farm"] }'],
  ])('by its %s stops an import for one farm', async (_, header, other, hint) => {
    write('both.csv', [`Id,${header},Name,Crop`, 'A1,Rimu Farm,Top,Oats', `B1,${other},Low,Oats`])
    const stopped = await world.run(['import', 'both.csv', ...farm])
    expect(stopped.exit).toBe(6)
    expect(stopped.out).toContain(
      `"both.csv" has rows of another farm: <${header}> names Kōwhai Station, but all rows are for nz.example.farm-number:00412876.`,
    )
    expect(stopped.out).toContain(hint)
    expect((await world.run(['import', 'both.csv', ...farm, '--dry-run'])).exit).toBe(6)
    const { out } = await world.run(['init', 'both.csv', '--to', 'plots', ...farm])
    expect(out).toContain(`# please check: "both.csv" has rows of another farm: <${header}> names Kōwhai Station`)
    expect(out).toContain('If the column means something else, rename it, or list all its values in only.\n')
  })

  test('is one of the choices where it has the numbers of several farms', async () => {
    const rows = ['A1,00412876,Top,Oats', 'B1,00731190,Low,Oats']
    write('both.csv', ['Id,Farm no,Name,Crop', ...rows])
    const { failure } = await world.run(['import', 'both.csv'])
    const eachRow = '"nz.example.farm-number:<Farm no>" (the farm of each row)'
    expect(failure!.message).toContain(`do the records belong to? ${eachRow} or nz.example.farm-number:00412876 `)
    write('two.csv', ['Farm no,Name,Crop', ...rows.map((row) => row.slice(3))])
    const { failure: several } = await world.run(['import', 'two.csv'])
    expect(several!.message).toMatch(/holding: .*"nz\.example\.farm-number:<Farm no>" \(the farm of each row\) or /)
    write('one.csv', ['Id,Farm no,Name,Crop', rows[0]!])
    expect((await world.run(['import', 'one.csv'])).failure!.message).not.toContain('of each row')
  })

  test('is not taken for the id of a farm where its name was typed without < and >', async () => {
    write('farms.csv', ['Farm no,Name', '00412876,Rimu'])
    for (const type of ['holdings', 'plots']) {
      const { failure } = await world.run([
        'import',
        'farms.csv',
        '--to',
        type,
        '--holding',
        'nz.example.farm-number:Farm no',
      ])
      expect(failure).toMatchObject({
        code: 'option-invalid',
        hint: 'To take the farm of each row from it:  holding: "nz.example.farm-number:<Farm no>"',
      })
    }
  })

  test('comes first among the farms to choose from', async () => {
    write('one.csv', ['Id,Client,Name,Crop', 'A1,Kowhai Station,Top,Oats', 'B1,Kowhai Station,Low,Oats'])
    const { failure } = await world.run(['import', 'one.csv'])
    expect(failure!.message).toMatch(/belong to\? \S+ \(Kōwhai Station\) or \S+ \(Rimu Farm\)/)
    write('two.csv', ['Name,Client,Crop', 'Top,Kowhai Station,Oats', 'Low,Kowhai Station,Oats'])
    const { failure: several } = await world.run(['import', 'two.csv'])
    expect(several!.message).toMatch(/holding: .* \S+ \(Kōwhai Station\) or \S+ \(Rimu Farm\)\.\n/)
  })

  test('also stops it where the column has the folders of a KML file', async () => {
    const placemark = (name: string, lon: number): string =>
      `<Placemark><name>${name}</name><Polygon><outerBoundaryIs><LinearRing><coordinates>${lon},-37.1 ${lon + 0.001},-37.1 ${lon},-37.101 ${lon},-37.1</coordinates></LinearRing></outerBoundaryIs></Polygon></Placemark>`
    const folder = (name: string, inside: string): string => `<Folder><name>${name}</name>${inside}</Folder>`
    write('both.kml', [
      '<kml xmlns="http://www.opengis.net/kml/2.2"><Document>',
      folder('Rimu Farm', placemark('Top', 175.1)),
      folder('Kōwhai Station', placemark('Low', 175.2)),
      '</Document></kml>',
    ])
    const { exit, out } = await world.run(['import', 'both.kml', '--key', 'name', ...farm])
    expect(exit).toBe(6)
    expect(out).toContain('<folder> names Kōwhai Station')
  })

  test('stops an import also where a farm has several numbers, and the chosen one is not its first', async () => {
    const { out } = await world.run(['service', 'changes', 'holdings', '--json'])
    type Page = { readonly items: readonly { readonly identifiers: readonly object[]; readonly meta: object }[] }
    const known = out
      .trim()
      .split('\n')
      .flatMap((line) => (JSON.parse(line) as Page).items)
    expect(known).toHaveLength(2)
    const modified = new Date(Date.now() + 60_000).toISOString()
    const numbered = known.map((each, at) => ({
      ...each,
      identifiers: [{ scheme: 'nz.example.bank-number', id: `L${at}` }, ...each.identifiers],
      meta: { ...each.meta, modified },
    }))
    write('farms.json', [JSON.stringify(numbered)])
    expect(await world.run(['service', 'publish', 'holdings', 'farms.json'])).toMatchObject({ exit: 0 })
    write('both.csv', ['Id,Farm no,Name,Crop', 'A1,00412876,Top,Oats', 'B1,00731190,Low,Oats'])
    const stopped = await world.run(['import', 'both.csv', ...farm])
    expect(stopped.exit).toBe(6)
    expect(stopped.out).toContain('rows of another farm: <Farm no> names Kōwhai Station')
    expect(stopped.out).toContain('holding: nz.example.farm-number:<Farm no>')
  })

  test('stops a pipeline for one farm as soon as it names another in new rows, until only: says which to take', async () => {
    write('night.csv', ['Id,Name,Crop', 'A1,Top,Oats'])
    const pipeline = [
      'windrow: 1',
      'import: plots',
      'from: { file: night.csv }',
      'holding: { scheme: nz.example.farm-number, id: "00412876" }',
      'key: <Id>',
      'record: { name: <Name>, crops: [{ name: <Crop> }] }',
    ]
    write('night.yaml', pipeline)
    expect((await world.run(['run', 'night.yaml'])).exit).toBe(0)
    write('night.csv', ['Farm,Id,Name,Crop', 'Rimu Farm,A1,Top,Oats', 'Kowhai Station,B1,Low,Oats'])
    const { exit, out, err } = await world.run(['run', 'night.yaml'])
    expect(exit).toBe(6)
    expect(`${out}${err}`).toContain(
      'rows of another farm: <Farm> names Kōwhai Station, but all rows are for nz.example.farm-number:00412876.',
    )
    write('night.yaml', [...pipeline, 'only: { Farm: Rimu Farm }'])
    const taken = await world.run(['run', 'night.yaml'])
    expect(taken.exit).toBe(0)
    expect(taken.out).toContain('2 read = 0 ready + 1 unchanged + 0 rejected + 1 skipped')
  })

  test('stops a pipeline also where the properties of a feature name it', async () => {
    const feature = (lon: number, id: string, grower: string): unknown => ({
      type: 'Feature',
      properties: { Id: id, Name: `Block ${id}`, Grower: grower },
      geometry: {
        type: 'Polygon',
        coordinates: [
          [
            [lon, -37.1],
            [lon, -37.101],
            [lon + 0.001, -37.1],
            [lon, -37.1],
          ],
        ],
      },
    })
    const features = [feature(175.1, 'A1', 'Rimu Farm'), feature(175.2, 'B1', '731190')]
    write('both.geojson', [JSON.stringify({ type: 'FeatureCollection', features })])
    write('both.yaml', [
      'windrow: 1',
      'import: plots',
      'from: { file: both.geojson }',
      'holding: { scheme: nz.example.farm-number, id: "00412876" }',
      'key: <Id>',
      'record: { name: <Name> }',
    ])
    const { exit, out, err } = await world.run(['run', 'both.yaml'])
    expect(exit).toBe(6)
    expect(`${out}${err}`).toContain('<Grower> names Kōwhai Station')
    expect(out).toContain('2 ready = 0 created + 0 updated + 0 refused + 2 unsent')
  })

  test('does not stop it if it names blocks, or the farm itself', async () => {
    write('blocks.csv', ['Id,Property,Name,Crop', 'A1,Rimu farm,Top,Oats', 'B1,River block,Low,Oats'])
    expect((await world.run(['import', 'blocks.csv', ...farm])).exit).toBe(0)
  })
})

test('an import of areas that lost their decimal separator stops, and --allow publishes it', async () => {
  const table = (areas: readonly string[]): readonly string[] => [
    'Id,Name,Crop,Area ha',
    ...areas.map((area, at) => `A${at},Paddock ${at},Oats,${area}`),
  ]
  const command = ['import', 'three.csv', ...farm]
  write('three.csv', table(['4.52', '7.31', '3.08']))
  expect((await world.run(command)).exit).toBe(0)
  write('three.csv', table(['452', '731', '308']))
  const { exit, out } = await world.run(command)
  expect(out).toContain('3 of the 3 values of "Total area" that changed would become 100 times as large')
  expect(exit).toBe(6)
  expect((await world.run([...command, '--allow', 'amounts-resized'])).exit).toBe(0)
})

test('an import of a second file whose ids lost their zeros stops', async () => {
  write('mine.csv', ['Id,Name,Crop', '001,Top,Oats', '002,Low,Oats', '003,Hill,Oats'])
  expect((await world.run(['import', 'mine.csv', ...farm])).exit).toBe(0)
  write('office.csv', ['Id,Name,Crop', '1,The top,Oats', '2,The flat,Oats', '3,The hill,Oats'])
  const { exit, out } = await world.run(['import', 'office.csv', ...farm])
  expect(out).toContain(
    '3 of 3 new records seem to be known records under other ids (row 2: "The top" (1), known as "001")',
  )
  expect(exit).toBe(6)
})

describe('what an import reports about columns', () => {
  test('the column with the boundary is used', async () => {
    write('drawn.csv', ['No,Name,Remark,WKT', `1,Top,wet,${square(175.1)}`, `2,Low,dry,${square(175.2)}`])
    const { out } = await world.run(['import', 'drawn.csv', ...farm, '--dry-run'])
    expect(out).toContain('not used: Remark\n')
  })

  test('numbers that could be thousands or decimals are counted, and a pipeline fixes the reading', async () => {
    write('areas.csv', ['No;Name;Area ha', '1;Top;1,204', '2;Mid;12.75', '3;Low;3,950'])
    await world.run(['init', 'areas.csv', '--to', 'plots', ...farm])
    expect(readFileSync(join(world.folder, 'areas.yaml'), 'utf8')).toContain(
      '{ from: Area ha, unit: ha, number: { thousands: comma } } # the header; 3 of 3 filled, unit from the header; ' +
        'thousands: 2 numbers are like "1,204", 1204 here and 1.204 with a decimal comma; 1 such as "12.75" shows it',
    )
    write('areas.csv', ['No;Name;Area ha', '1;Top;1,204', '2;Mid;12.75', "3;Low;3'950"])
    const { out } = await world.run(['run', 'areas.yaml', '--dry-run'])
    expect(out).toContain(
      'This number is not written as the pipeline expects: a decimal point, a comma between thousands.',
    )
  })

  test('numbers without a clear separator are left to the person, with both readings', async () => {
    write('areas.csv', ['No;Name;Area ha', '1;Top;1,204', '2;Low;3,950'])
    await world.run(['init', 'areas.csv', '--to', 'plots', ...farm])
    expect(readFileSync(join(world.folder, 'areas.yaml'), 'utf8')).toContain(
      'comma (1,204 is 1.204) or point (1,204 is 1204)',
    )
  })
})

describe('dates that could be day/month or month/day', () => {
  const american = ['ID,Name,Crop,Planted', 'A1,North,Corn,4/5/2026', 'A2,West,Corn,4/12/2026']
  const planted = async (words: readonly string[]): Promise<readonly unknown[]> => {
    await world.run([...words, '--dry-run', '--out', 'ready.ndjson'])
    const bodies = readFileSync(join(world.folder, 'ready.ndjson'), 'utf8').trim().split('\n')
    return bodies.map((body) => (JSON.parse(body) as { crops: { establishmentDate?: string }[] }).crops[0])
  }

  test('are not published until --dates gives their format', async () => {
    write('us.csv', american)
    const { out, exit } = await world.run(['import', 'us.csv', ...farm, '--dry-run', '--json'])
    expect(exit).toBe(0)
    const { problems } = JSON.parse(out) as { problems: { code: string; first: { message: string }[] }[] }
    const first = problems.find(({ code }) => code === 'date-order-unclear')
    expect(first).toMatchObject({ code: 'date-order-unclear', severity: 'warning' })
    for (const words of ['"Planted" of us.csv', '4/5/2026 is 4 May or 5 April', 'dates: d/M/yyyy', 'dates: M/d/yyyy'])
      expect(first!.first[0]!.message).toContain(words)
    expect(await planted(['import', 'us.csv', ...farm])).toEqual([{ name: 'Corn' }, { name: 'Corn' }])
    expect(await planted(['import', 'us.csv', ...farm, '--dates', 'M/d/yyyy'])).toEqual([
      { name: 'Corn', establishmentDate: '2026-04-05T00:00:00+13:00' },
      { name: 'Corn', establishmentDate: '2026-04-12T00:00:00+12:00' },
    ])
  })

  test('wait in the pipeline of init for a choice, which --dates makes', async () => {
    write('us.csv', american)
    const { out } = await world.run(['init', 'us.csv', ...farm])
    expect(out).toContain('Read it, choose dates, then:')
    const yaml = readFileSync(join(world.folder, 'us.yaml'), 'utf8')
    expect(yaml).toContain(
      '      # establishmentDate: { from: Planted, date: d/M/yyyy, zone: Pacific/Auckland } # please choose',
    )
    expect(await world.run(['check', 'us.yaml'])).toMatchObject({ exit: 0 })
    expect(await planted(['run', 'us.yaml'])).toEqual([{ name: 'Corn' }, { name: 'Corn' }])
    writeFileSync(
      join(world.folder, 'us.yaml'),
      yaml.replace('      # est', '      est').replace('date: d/M', 'date: M/d'),
    )
    expect(await planted(['run', 'us.yaml'])).toMatchObject([
      { establishmentDate: '2026-04-05T00:00:00+13:00' },
      { establishmentDate: '2026-04-12T00:00:00+12:00' },
    ])
    await world.run(['init', 'us.csv', ...farm, '--dates', 'M/d/yyyy', '-o', 'said.yaml'])
    expect(readFileSync(join(world.folder, 'said.yaml'), 'utf8')).toMatch(
      /establishmentDate: \{ from: Planted, date: M\/d\/yyyy/,
    )
  })

  test('have the zone of this machine with a comment, unless --zone names one', async () => {
    write('us.csv', american)
    const drafted = async (out: string, more: readonly string[]): Promise<string> => {
      const holding = ['--holding', 'nz.example.farm-number:00412876']
      await world.run(['init', 'us.csv', ...holding, '--dates', 'M/d/yyyy', '-o', out, ...more])
      return readFileSync(join(world.folder, out), 'utf8')
    }
    expect(await drafted('own.yaml', [])).toMatch(/^zone: \S+ +# please check: the zone of this machine/m)
    expect(await drafted('said.yaml', ['--zone', 'America/Chicago'])).not.toContain('this machine')
  })

  test('are shown by inspect with both readings, or with that of --dates', async () => {
    write('us.csv', american)
    expect((await world.run(['inspect', 'us.csv'])).out).toMatch(/Planted +date d\/M\/yyyy or M\/d\/yyyy /)
    const { out } = await world.run(['inspect', 'us.csv', '--dates', 'M/d/yyyy'])
    expect(out).toMatch(/Planted +date M\/d\/yyyy /)
    expect(out).not.toContain('are ambiguous')
    expect(await world.run(['inspect', 'us.csv', '--dates', 'dd/mm'])).toMatchObject({ exit: 2 })
  })
})

describe('what only the whole file shows', () => {
  const rows = Array.from({ length: 1200 }, (_, at) => `${at};Paddock ${at};${at < 600 ? '' : square(170 + at / 200)}`)
  const file = ['No;Name;Outline', ...rows]

  test('is in the pipeline that init writes, and a run follows it', async () => {
    write('late.csv', file)
    await world.run(['init', 'late.csv', '--to', 'plots', ...farm])
    const yaml = readFileSync(join(world.folder, 'late.yaml'), 'utf8')
    expect(yaml).toMatch(/geometry: Outline +# 600 of 600 filled cells contain well-known text\n/)
    expect(yaml).toMatch(/quote: "\\"" +# 600 cells are in double quotes\n/)
    expect(yaml).toMatch(/delimiter: ";" +# With the semicolon, all 1201 rows have 3 cells\n/)
    const { out } = await world.run(['run', 'late.yaml', '--dry-run'])
    expect(out).toContain('600 polygons')
  })

  test('is what an import shows and uses', async () => {
    write('late.csv', file)
    const { out } = await world.run(['import', 'late.csv', ...farm, '--dry-run'])
    expect(out).toMatch(/from\.geometry +Outline +600 of 600 filled cells contain well-known text\./)
    expect(out).toContain('600 polygons')
  })

  test('is shown by inspect of standard input too', async () => {
    const { out } = await world.run(['inspect', '-', '--json'], { typed: `${file.join('\n')}\n` })
    const { layers } = JSON.parse(out) as { layers: { geometry: unknown; choices: { setting: string }[] }[] }
    expect(layers[0]).toMatchObject({ geometry: { Polygon: 600 } })
    expect(layers[0]!.choices.map(({ setting }) => setting)).toContain('from.geometry')
  })
})

test('a KML file that only leads to another one says so', async () => {
  const link = '<NetworkLink><Link><href>https://maps.example/farm.kml</href></Link></NetworkLink>'
  write('link.kml', [`<kml xmlns="http://www.opengis.net/kml/2.2"><Document>${link}</Document></kml>`])
  expect(await world.run(['import', 'link.kml', ...farm])).toMatchObject({
    exit: 2,
    failure: {
      code: 'file-empty',
      message: expect.stringContaining('points to other files') as string,
      hint: expect.stringContaining('Google Earth') as string,
    },
  })
})

test('of two columns with one name an import uses the first, and warns; two ids stop it', async () => {
  write('beside.csv', ['ID,Name,Area ha,,ID,Name,Area ha', '1,Top,4.5,,4,Bot,7.5', '2,Mid,5.5,,5,End,8.5'])
  expect(await world.run(['import', 'beside.csv', ...farm])).toMatchObject({
    exit: 6,
    failure: { message: expect.stringContaining('a second column "ID", so it is unclear which one is the id') },
  })
  write('joined.csv', ['No,Name,Name,Crop,Crop', 'A1,Top,Hill,Oats,Rye', 'A2,Low,Flat,Oats,Rye'])
  const { exit, out } = await world.run(['import', 'joined.csv', ...farm, '--dry-run', '--out', 'bodies.ndjson'])
  expect(exit).toBe(0)
  for (const name of ['Name', 'Crop'])
    expect(out).toContain(
      `The file has a second column "${name}", which is called "${name} (2)" here. The first one was used.`,
    )
  expect(readFileSync(join(world.folder, 'bodies.ndjson'), 'utf8')).toMatch(/"name":"Top"[^]*"name":"Low"/)
})
