/** Edits one cell, one corner or the rows of an export and imports it again: nothing else may change. */

import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { describe, expect, test } from 'vitest'
import type { Column, Row, Value } from '../../src/core/row.ts'
import { bufferSource } from '../../src/core/sources/source.ts'
import { fileTarget } from '../../src/core/sources/target.ts'
import { rearmed } from '../../src/core/values/formula-text.ts'
import type { OutTable } from '../../src/formats/format.ts'
import { openFile } from '../../src/formats/index.ts'
import { share } from '../runs.ts'
import { counts, endings, held, records, worldWith, type Body, type Id } from './hard-records.ts'
import type { World } from './world.ts'

/** Changes the rows of a file as another program would, and writes them in the same format, after the tables that it adds. */
async function edit(
  world: World,
  file: string,
  change: (rows: Row[]) => readonly Row[],
  added: readonly OutTable[] = [],
): Promise<void> {
  const path = join(world.folder, file)
  const opened = await openFile(bufferSource(file, readFileSync(path)))
  const tables = [...added]
  for (const table of opened.tables) {
    const rows: Row[] = []
    for await (const batch of table.batches()) rows.push(...batch)
    // Another program keeps the apostrophe of a cell of CSV, and does not add a second one as windrow's writer does.
    const unmarked = (value: Value): Value => (typeof value === 'string' ? rearmed(value) : value)
    const changed = change(rows).map((row) => ({
      ...row,
      values: Object.fromEntries(Object.entries(row.values).map(([name, value]) => [name, unmarked(value)])),
    }))
    const names = new Set(changed.flatMap(({ values }) => Object.keys(values)))
    const { name, columns = [...names].map((each): Column => ({ name: each })), hasGeometry } = table
    tables.push({
      name,
      columns: columns.filter((each) => each.name !== 'boundary' && names.has(each.name)),
      hasGeometry,
      rows: async function* () {
        yield changed
      },
    })
  }
  await opened.close()
  const target = await fileTarget(path)
  await opened.format.write!(tables, target, {})
  await target.commit()
}

function withCell(column: RegExp, of: string, value: Value): (rows: Row[]) => readonly Row[] {
  return (rows) =>
    rows.map((row) => {
      if (row.values['Name'] !== of) return row
      const name = Object.keys(row.values).find((each) => column.test(each))!
      return { ...row, values: { ...row.values, [name]: value } }
    })
}

describe('one edit changes one field:', () => {
  const edits: readonly (readonly [string, RegExp, Value, (record: Body) => Body])[] = [
    ['a name with macrons', /^Name$/, 'Ōtāne flat', (record) => ({ ...record, name: 'Ōtāne flat' })],
    [
      'an area in the fourth digit',
      /^Total area \(ha\)$/,
      3.813,
      (record) => ({ ...record, totalArea: { measurement: 3.813, units: 'HAR' } }),
    ],
    [
      'the variety of a crop',
      /^Crop 1 variety$/,
      'V-2',
      (record) => ({ ...record, crops: cropsWith(record, { variety: 'V-2' }) }),
    ],
    [
      'the name of a crop, which keeps what has no column',
      /^Crop 1 name$/,
      'Chicory',
      (record) => ({ ...record, crops: cropsWith(record, { name: 'Chicory' }) }),
    ],
    [
      'the date of a crop, in the zone of the file',
      /^Crop 1 establishment date/,
      '2026-04-06T02:30:00',
      (record) => ({ ...record, crops: cropsWith(record, { establishmentDate: '2026-04-06T02:30:00+12:00' }) }),
    ],
    [
      'an identifier, which keeps its place',
      /^Identifier \(org.example.gps\)$/,
      '0008',
      (record) => ({
        ...record,
        identifiers: (record['identifiers'] as readonly Id[]).map((each) =>
          each.scheme === 'org.example.gps' ? { ...each, id: '0008' } : each,
        ),
      }),
    ],
  ]
  const cropsWith = (record: Body, change: Body): readonly Body[] =>
    (record['crops'] as readonly Body[]).map((crop, index) => (index === 0 ? { ...crop, ...change } : crop))

  const all = endings.flatMap((ending) => edits.map((edit) => [ending, edit] as const))
  const chosen = [...share(all, 1, ([ending]) => ending), ...share(all, 1, ([, edit]) => edit)]
  const editsOf = (ending: string) =>
    edits.filter((edit) => chosen.some((each) => each[0] === ending && each[1] === edit))

  test.each(endings)('a .%s', async (ending) => {
    const world = await worldWith(records)
    try {
      let before = await held(world, 'plots')
      const id = (records['plots']![0]!['meta'] as { sourceId: Id }).sourceId.id
      for (const [what, column, value, expected] of editsOf(ending)) {
        const file = `plots.${ending}`
        await world.run(['export', 'plots', '-o', file, '--zone', 'Pacific/Auckland'])
        await edit(world, file, withCell(column, before.get(id)!['name'] as string, value))
        const report = await counts(world, ['import', file])
        expect(report, what).toMatchObject({ rows: { rejected: 0 }, records: { created: 0, updated: 1 } })
        const after = await held(world, 'plots')
        const edited = JSON.stringify(expected(before.get(id)!))
        // A GeoPackage has its times in UTC, and its header says so.
        const inItsZone = ending === 'gpkg' ? edited.replace('02:30:00+12:00', '02:30:00+00:00') : edited
        expect(after, what).toEqual(new Map([...before, [id, JSON.parse(inItsZone)]]))
        before = after
      }
    } finally {
      world.close()
    }
  })

  test.each(
    share(
      endings.filter((ending) => ending !== 'xlsx'),
      2,
    ),
  )('a moved corner in a .%s', async (ending) => {
    const world = await worldWith(records)
    try {
      const before = await held(world, 'plots')
      await world.run(['export', 'plots', '-o', `plots.${ending}`])
      await edit(world, `plots.${ending}`, (rows) =>
        rows.map((row) => {
          if (row.values['Name'] !== 'Far end' || !row.shape) return row
          const coordinates = row.shape.coordinates.map((each, index) => (index === 2 ? each + 3e-7 : each))
          return { ...row, shape: { ...row.shape, coordinates } }
        }),
      )
      const report = await counts(world, ['import', `plots.${ending}`])
      expect(report).toMatchObject({ rows: { rejected: 0 }, records: { created: 0, updated: 1 } })
      const changed = [...(await held(world, 'plots'))].filter(([id, now]) => !isDeepStrictEqual(now, before.get(id)))
      expect(changed.map(([, { name }]) => name)).toEqual(['Far end'])
    } finally {
      world.close()
    }
  })

  // KML has no cell for a value that no placemark has, so a column that was emptied is absent.
  const withCells = endings.filter((ending) => ending !== 'kml')
  test.each(share(withCells, 2))('blank, absent and cleared are three different things in a .%s', async (ending) => {
    const world = await worldWith(records)
    try {
      const before = await held(world, 'plots')
      const file = `plots.${ending}`
      const id = (records['plots']![0]!['meta'] as { sourceId: Id }).sourceId.id
      const name = before.get(id)!['name'] as string
      const fresh = async (change: (rows: Row[]) => readonly Row[]): Promise<void> => {
        await world.run(['export', 'plots', '-o', file, '--zone', 'Pacific/Auckland', '--force'])
        await edit(world, file, change)
      }
      const variety = /^Crop 1 variety$/
      // The column is absent: the file says nothing about the field.
      await fresh((rows) =>
        rows.map((row) => ({
          ...row,
          values: Object.fromEntries(Object.entries(row.values).filter(([column]) => !variety.test(column))),
        })),
      )
      expect(await counts(world, ['import', file])).toMatchObject({ rows: { ready: 0, rejected: 0 } })
      expect(await held(world, 'plots')).toEqual(before)
      // The cell is blank: nobody has said what that means, so the row is rejected.
      await fresh(withCell(variety, name, null))
      expect(await counts(world, ['import', file])).toMatchObject({ rows: { ready: 0, rejected: 1 } })
      expect(await held(world, 'plots')).toEqual(before)
      expect(await counts(world, ['import', file, '--set', 'blank=keep'])).toMatchObject({
        rows: { ready: 0, rejected: 0 },
      })
      expect(await held(world, 'plots')).toEqual(before)
      // The cell is cleared: this field of this record goes. Cells that were blank before lose nothing.
      const report = await counts(world, ['import', file, '--set', 'blank=clear'])
      expect(report).toMatchObject({ rows: { ready: 1, rejected: 0 }, records: { created: 0, updated: 1 } })
      const [{ variety: _, ...crop }, ...more] = before.get(id)!['crops'] as readonly [Body, ...Body[]]
      expect(await held(world, 'plots')).toEqual(
        new Map([...before, [id, { ...before.get(id)!, crops: [crop, ...more] }]]),
      )
    } finally {
      world.close()
    }
  })

  describe('a column that is not there says nothing, whatever blank says:', () => {
    const crops = (...given: readonly Body[]) => ({ ...records['plots']![1]!, crops: given })
    const dated = { establishmentDate: '2026-04-05T02:30:00+13:00' }
    const identifiers = [{ scheme: 'org.example.crop', id: '3' }]
    const both = crops({ name: 'Lucerne', ...dated }, { name: 'Kale', variety: 'V-2', ...dated })
    const cases: readonly (readonly [string, Body, RegExp])[] = [
      ['the name of a crop with a date', crops({ name: 'Lucerne', ...dated }), /^Crop 1 name/],
      ['the name of a crop without one', crops({ name: 'Lucerne', variety: 'V-1' }), /^Crop 1 (?:name|variety)/],
      ['the name of the first of two crops', both, /^Crop 1 name/],
      ['the first of two crops but for its blank variety', both, /^Crop 1 (?:name|est)/],
      ['the second of two crops', both, /^Crop 2/],
      ['the only identifier of a crop', crops({ name: 'Kale', identifiers }), /^Crop 1 identifier .*crop/],
      ['where a paddock without a boundary lies', records['plots']![3]!, /^L(?:ong|at)itude/],
    ]

    test.each(cases)('%s', async (_, plot, left) => {
      // The first record has a value in each column of an export.
      const world = await worldWith({ ...records, plots: [records['plots']![0]!, plot] })
      try {
        const before = await held(world, 'plots')
        await world.run(['export', 'plots', '-o', 'plots.csv'])
        await edit(world, 'plots.csv', (rows) =>
          rows.map((row) => ({
            ...row,
            values: Object.fromEntries(Object.entries(row.values).filter(([column]) => !left.test(column))),
          })),
        )
        for (const how of [[], ['--set', 'blank=keep'], ['--set', 'blank=clear']])
          expect(await counts(world, ['import', 'plots.csv', ...how])).toMatchObject({
            rows: { ready: 0, unchanged: 2, rejected: 0 },
          })
        expect(await held(world, 'plots')).toEqual(before)
      } finally {
        world.close()
      }
    })
  })

  test('a crop keeps its name in an export without names, where its day becomes that of the next crop', async () => {
    const [first, second] = ['2026-04-05T02:30:00+13:00', '2026-05-05T00:00:00+12:00']
    const crop = (name: string, establishmentDate: string) => ({ name, establishmentDate })
    const plot = { ...records['plots']![1]!, crops: [crop('Lucerne', first!), crop('Kale', second!)] }
    const world = await worldWith({ ...records, plots: [plot] })
    try {
      await world.run(['export', 'plots', '-o', 'plots.csv', '--zone', 'Pacific/Auckland'])
      await edit(world, 'plots.csv', (rows) =>
        rows.map((row) => {
          const { ['Crop 1 name']: _, ...values } = row.values
          const [one, other] = Object.keys(values).filter((each) => /^Crop . establishment/.test(each))
          return { ...row, values: { ...values, [one!]: values[other!] } }
        }),
      )
      expect(await counts(world, ['import', 'plots.csv', '--set', 'blank=clear'])).toMatchObject({
        records: { updated: 1 },
      })
      const [after] = (await held(world, 'plots')).values()
      expect(after!['crops']).toEqual([crop('Lucerne', second!), crop('Kale', second!)])
    } finally {
      world.close()
    }
  })

  test('blank cells under all headers of a crop clear it', async () => {
    const world = await worldWith(records)
    try {
      const id = (records['plots']![0]!['meta'] as { sourceId: Id }).sourceId.id
      const before = await held(world, 'plots')
      await world.run(['export', 'plots', '-o', 'plots.csv'])
      await edit(world, 'plots.csv', (rows) =>
        rows.map((row) => {
          if (row.values['Name'] !== before.get(id)!['name']) return row
          const cells = Object.entries(row.values)
          return {
            ...row,
            values: Object.fromEntries(cells.map(([at, is]) => [at, at.startsWith('Crop 1') ? null : is])),
          }
        }),
      )
      expect((await counts(world, ['import', 'plots.csv', '--set', 'blank=clear'])).records).toMatchObject({
        updated: 1,
      })
      const { crops } = before.get(id)! as { readonly crops: readonly Body[] }
      expect(await held(world, 'plots')).toEqual(
        new Map([...before, [id, { ...before.get(id)!, crops: crops.slice(1) }]]),
      )
    } finally {
      world.close()
    }
  })

  test('a sheet that a person adds to a workbook is not read, with a warning, and a mistyped day is rejected with a hint that helps', async () => {
    const world = await worldWith(records)
    try {
      const prices: OutTable = {
        name: 'Prices',
        columns: [{ name: 'Crop' }, { name: 'Price' }],
        hasGeometry: false,
        rows: async function* () {
          yield [{ at: { source: 'plots.xlsx', row: 1 }, values: { Crop: 'Rape', Price: 510 } }]
        },
      }
      await world.run(['export', 'plots', '-o', 'plots.xlsx'])
      await edit(world, 'plots.xlsx', withCell(/^Crop 1 establishment date/, 'Far end', '12/5/27'), [prices])
      const { exit, out } = await world.run(['import', 'plots.xlsx', '--dry-run'])
      expect(out).toContain('plots.xlsx / Plots')
      expect(out).toContain('Only "Plots" was read, as it is an export. Not read: Prices.')
      expect(out).toContain('Write it as 2027-05-31, format the cell as a date, leave it empty')
      expect(exit).toBe(3)
      await world.run(['export', 'plots', '-o', 'far.xlsx'])
      await edit(world, 'far.xlsx', withCell(/^Crop 1 establishment date/, 'Far end', '2062-09-01T00:00:00'))
      expect((await world.run(['import', 'far.xlsx', '--dry-run'])).out).toContain('The crop would be sown in 2062.')
    } finally {
      world.close()
    }
  })

  test('areas that are rounded to fewer digits change nothing', async () => {
    const world = await worldWith(records)
    try {
      const before = await held(world, 'plots')
      await world.run(['export', 'plots', '-o', 'plots.csv'])
      await edit(world, 'plots.csv', (rows) =>
        rows.map((row) => {
          const area = row.values['Total area (ha)']
          return area ? { ...row, values: { ...row.values, 'Total area (ha)': Number(area).toFixed(2) } } : row
        }),
      )
      expect(await counts(world, ['import', 'plots.csv'])).toMatchObject({ rows: { ready: 0, unchanged: before.size } })
      expect(await held(world, 'plots')).toEqual(before)
    } finally {
      world.close()
    }
  })

  test('areas that another unit hides are compared with those of the record', async () => {
    const world = await worldWith(records)
    try {
      const areas = [38123.45, 52011.27, 9040.5, 120433.18, 71000.6]
      const lines = areas.map((area, index) => `${index + 1},Block ${index + 1},${area}`)
      writeFileSync(join(world.folder, 'new.csv'), ['No,Name,Area m2', ...lines].join('\n'))
      const choices = ['--to', 'plots', '--holding', '00731190', '--key', 'No']
      expect(await counts(world, ['import', 'new.csv', ...choices])).toMatchObject({ records: { created: 5 } })
      const before = await held(world, 'plots')
      const importWith = async (areaOf: (row: number) => number) => {
        await world.run(['export', 'plots', '--holding', 'Kōwhai Station', '-o', 'plots.csv', '--force'])
        await edit(world, 'plots.csv', (rows) =>
          rows.map((row) => {
            const at = lines.findIndex((line) => line.split(',')[1] === row.values['Name'])
            if (at === -1) return row
            const area = areaOf(at)
            return { ...row, values: { ...row.values, 'Total area (ha)': area.toFixed(6) } }
          }),
        )
        return world.run(['import', 'plots.csv'])
      }
      const hectares = areas.map((area) => area / 1e4)
      const sorted = await importWith((row) => hectares.toSorted((one, other) => one - other)[row]!)
      expect(sorted).toMatchObject({ exit: 6 })
      expect(sorted.out).toContain('5 of the 6 known records in the file would get another value for "Total area"')
      const same = await importWith(() => 3)
      expect(same).toMatchObject({ exit: 6 })
      expect(same.out).toContain('5 of the 6 known records in the file would get another value for "Total area"')
      expect(await held(world, 'plots')).toEqual(before)
      const mistyped = await importWith((row) => (row === 2 ? hectares[row]! * 10 : hectares[row]!))
      expect(mistyped).toMatchObject({ exit: 0 })
      expect(mistyped.out).toContain('The area of this record was 0.9041 ha until now and becomes 9.0405 ha.')
    } finally {
      world.close()
    }
  })

  test('a row without a source id says what to fill in, and a new one makes a new record', async () => {
    const world = await worldWith(records)
    try {
      await world.run(['export', 'plots', '--holding', 'Kōwhai Station', '-o', 'plots.csv'])
      const withRow = (id: string) => (rows: Row[]) => [
        ...rows,
        { ...rows[0]!, values: { ...rows[0]!.values, Name: 'New', 'Source id (nz.example.farm-number.plots)': id } },
      ]
      await edit(world, 'plots.csv', withRow(''))
      const { out, exit } = await world.run(['import', 'plots.csv', '--dry-run'])
      expect(exit).toBe(3)
      expect(out).toContain('for a new record write FARM/ID there')
      await world.run(['export', 'plots', '--holding', 'Kōwhai Station', '-o', 'plots.csv'])
      await edit(world, 'plots.csv', withRow('00731190/31'))
      const report = await counts(world, ['import', 'plots.csv'])
      expect(report).toMatchObject({ rows: { ready: 1, unchanged: 1 }, records: { created: 1 } })
      expect((await held(world, 'plots')).get('00731190/31')).toMatchObject({
        name: 'New',
        dataPointKey: 'plots/nz.example.farm-number/00731190/31',
      })
    } finally {
      world.close()
    }
  })

  test('rows and columns that are left out leave their records and fields alone', async () => {
    const world = await worldWith(records)
    try {
      const before = await held(world, 'plots')
      await world.run(['export', 'plots', '-o', 'plots.csv'])
      const left = /^(?:Name|Source id|Identifier \(nz|Crop 1 name|Crop 1 variety)/
      await edit(world, 'plots.csv', (rows) =>
        rows.slice(0, 2).map(({ at, values }) => ({
          at,
          values: Object.fromEntries(Object.entries(values).filter(([name]) => left.test(name))),
        })),
      )
      const report = await counts(world, ['import', 'plots.csv'])
      expect(report).toMatchObject({ rows: { read: 2, unchanged: 2 }, records: { created: 0, updated: 0 } })
      expect(await held(world, 'plots')).toEqual(before)
    } finally {
      world.close()
    }
  })
})
