import { describe, expect, test } from 'vitest'
import { flattener } from '../../src/resources/columns.ts'
import { birthPeriod, breed, medicineProduct } from '../../src/resources/livestock.ts'
import { loadReceival, pastureCoverEvent } from '../../src/resources/crop-observations.ts'
import { plot } from '../../src/resources/land.ts'
import { workRecord } from '../../src/resources/work-record.ts'
import { goodBodies, plotBody, workRecordBody } from './fixtures/bodies.ts'
import { after, columnNames, filled, flatRows } from './fixtures/flat-rows.ts'

const meta = plotBody.meta

describe('a plot', () => {
  test('is one row of typed, readable columns, in the order of the record', () => {
    const flat = after(plot, [plotBody], { zone: 'Pacific/Auckland' })
    expect(flat.tables()).toEqual([
      {
        name: 'plots',
        title: 'Plots',
        columns: [
          { name: 'Name', type: 'text' },
          { name: 'Total area (ha)', type: 'number' },
          { name: 'Total area resolution (ha)', type: 'number' },
          { name: 'Total length (m)', type: 'number' },
          { name: 'Crop 1 name', type: 'text' },
          { name: 'Crop 1 variety', type: 'text' },
          {
            name: 'Crop 1 establishment date (Pacific/Auckland)',
            type: 'date-time',
            zone: 'Pacific/Auckland',
            look: { times: 'day only' },
          },
          { name: 'Classification 1 scheme', type: 'text' },
          { name: 'Classification 1 primary', type: 'text' },
          { name: 'Activity 1 name', type: 'text' },
          { name: 'Activity 1 primary', type: 'boolean' },
          { name: 'Activity 1 productive area (ha)', type: 'number' },
          { name: 'Identifier (nz.example.farm-number)', type: 'text' },
          { name: 'Link 1 relationship', type: 'text' },
          { name: 'Link 1 content type', type: 'text' },
          { name: 'Link 1 related', type: 'text' },
          { name: 'Longitude', type: 'number' },
          { name: 'Latitude', type: 'number' },
          { name: 'Modified (Pacific/Auckland)', type: 'date-time', zone: 'Pacific/Auckland' },
          { name: 'Created (Pacific/Auckland)', type: 'date-time', zone: 'Pacific/Auckland' },
          { name: 'Deleted', type: 'boolean' },
          { name: 'Source id (nz.example.farm-number.plots)', type: 'text' },
          { name: 'Data point key', type: 'text' },
          { name: 'Id', type: 'text' },
          { name: 'Unknown member', type: 'text' },
        ],
      },
    ])
    expect(flat.rows(plotBody)[0]!.map(filled)).toEqual([
      {
        Name: 'Rāhui',
        'Total area (ha)': 1.85,
        'Total area resolution (ha)': 0.01,
        'Total length (m)': 820,
        'Crop 1 name': 'Lucerne',
        'Crop 1 variety': 'V-1',
        'Crop 1 establishment date (Pacific/Auckland)': '2026-09-03T00:00:00+12:00',
        'Classification 1 scheme': 'org.example.use',
        'Classification 1 primary': 'Grassland',
        'Activity 1 name': 'Grazing',
        'Activity 1 primary': true,
        'Activity 1 productive area (ha)': 1.7,
        'Identifier (nz.example.farm-number)': '00412876',
        'Link 1 relationship': 'holding',
        'Link 1 content type': 'holding',
        'Link 1 related': '/holdings/1',
        Longitude: 175.402,
        Latitude: -38.1,
        'Modified (Pacific/Auckland)': '2026-11-20T09:15:00.1234567+13:00',
        'Created (Pacific/Auckland)': '2025-03-01T13:00:00+13:00',
        Deleted: false,
        'Source id (nz.example.farm-number.plots)': '00412876/007',
        'Data point key': 'plots/nz.example.farm-number/00412876/007',
        'Unknown member': 'Waikato clay loam',
      },
    ])
  })
  test.each([
    [['2026-09-03T00:00:00+12:00', '2026-04-01T00:00:00.000+13:00'], 'Pacific/Auckland', 'day only'],
    [['2026-09-02T12:00:00Z'], 'Pacific/Auckland', 'day only'],
    [['2026-09-03T00:00:00+12:00', '2026-04-01T08:30:00+13:00'], 'Pacific/Auckland', undefined],
    [['2026-09-03T00:00:00+12:00'], 'UTC', undefined],
    [['2026-09-03T00:00:00+12:00'], undefined, undefined],
    [[], 'Pacific/Auckland', undefined],
  ])('moments are days where all of them begin one in the zone: %j in %s', (moments, zone, times) => {
    const bodies = [{ name: 'A' }, ...moments.map((establishmentDate) => ({ crops: [{ establishmentDate }] }))]
    const { columns } = after(plot, bodies, zone === undefined ? {} : { zone }).tables()[0]!
    expect(columns.find(({ name }) => name.startsWith('Crop 1'))?.look?.times).toBe(times)
  })

  test('without any record the plain columns are still there', () => {
    expect(columnNames(after(plot, []))).toEqual([
      'Name',
      'Total area (ha)',
      'Total length (m)',
      'Modified',
      'Data point key',
      'Id',
    ])
  })
  test('the columns do not depend on the order of records and members', () => {
    const one = { name: 'A', crops: [{ name: 'Lucerne' }, { variety: 'V' }], zebra: 1 }
    const other = { meta, crops: [{ variety: 'W', name: 'Plantain' }], name: 'B' }
    const forth = columnNames(after(plot, [one, other]))
    expect(columnNames(after(plot, [other, one]))).toEqual(forth)
    expect(forth.filter((name) => name.startsWith('Crop'))).toEqual(['Crop 1 name', 'Crop 1 variety', 'Crop 2 variety'])
    expect(forth.at(-1)).toBe('Zebra')
  })
})

describe('measures', () => {
  test('are converted to one unit per column', () => {
    const bodies = [
      { totalArea: { measurement: 1.85, units: 'HAR' } },
      { totalArea: { measurement: 18_500, units: 'MTK', resolution: 100 } },
      { totalArea: { measurement: 1, units: 'ACR' } },
    ]
    expect(flatRows(plot, bodies)).toEqual([
      { 'Total area (ha)': 1.85 },
      { 'Total area (ha)': 1.85, 'Total area resolution (ha)': 0.01 },
      { 'Total area (ha)': 0.40468564224 },
    ])
    expect(flatRows(plot, bodies.slice(1), { units: { area: 'acres', length: 'km' } })).toEqual([
      { 'Total area (ac)': 4.57144955714, 'Total area resolution (ac)': 0.0247105381467 },
      { 'Total area (ac)': 1 },
    ])
  })
  test('a length in square metres means metres', () => {
    expect(flatRows(plot, [{ totalLength: { measurement: 820, units: 'MTK' } }])).toEqual([{ 'Total length (m)': 820 }])
  })
  test('what cannot be converted is shown unchanged', () => {
    const totalArea = { measurement: 3, units: 'paddocks' }
    const [row] = flatRows(plot, [{ totalArea }])
    expect(JSON.parse(row!['Other'] as string)).toEqual({ '/totalArea': totalArea })
  })
  test('further members of a measure are shown too', () => {
    const totalArea = { measurement: 3, units: 'HAR', additionalProperties: { by: 'GPS' }, method: 'walk' }
    const [row] = flatRows(plot, [{ totalArea }])
    expect(row!['Total area (ha)']).toBe(3)
    expect(JSON.parse(row!['Other'] as string)).toEqual({
      '/totalArea/additionalProperties': { by: 'GPS' },
      '/totalArea/method': 'walk',
    })
  })
  test('pasture measures have their own kinds', () => {
    const [row] = flatRows(pastureCoverEvent, [goodBodies['pasture-cover-events']!])
    expect(row).toMatchObject({
      'Dry matter measure (kg)': 2450,
      'Dry matter area metric (ha)': 1,
      'Pasture height (m)': 0.115,
      'Device serial': '0042',
      'Holding name': 'Rimu Farm',
      'Holding identifier (nz.example.farm-number)': '00412876',
      'Observation date': '2026-11-19T20:15:00Z',
    })
    expect(row).not.toHaveProperty('Other')
  })
  test.each([
    [{ units: { area: 'km' } }, /"km" is not a unit of area/],
    [{ units: { length: 'bananas' } }, /"bananas" is not a unit of length/],
    [{ zone: 'Nowhere' }, /not a time zone/],
  ])('%j ends the run with a hint', (options, message) => {
    expect(() => flattener(plot, options)).toThrow(
      expect.objectContaining({
        code: 'option-invalid',
        message: expect.stringMatching(message),
        hint: expect.any(String),
      }),
    )
  })
})

describe('lists', () => {
  test('short ones have numbered columns', () => {
    expect(flatRows(medicineProduct, [{ species: ['Cattle', 'Sheep'] }, { species: ['Deer'] }])).toEqual([
      { 'Species 1': 'Cattle', 'Species 2': 'Sheep' },
      { 'Species 1': 'Deer' },
    ])
  })
  test('above five, one column contains the text of all, in every row', () => {
    const six = ['Buffalo', 'Cattle', 'Deer', 'Elk', 'Goat', 'Horse']
    expect(flatRows(medicineProduct, [{ species: ['Sheep'] }, { species: six }])).toEqual([
      { Species: 'Sheep' },
      { Species: 'Buffalo; Cattle; Deer; Elk; Goat; Horse' },
    ])
  })
  test('a column that no record fills can be expected, but not that of an entry of a long list', () => {
    const expecting = (crops: number, name: string): readonly string[] => {
      const flat = flattener(plot, { zone: 'UTC' })
      flat.see({ crops: Array.from({ length: crops }, (_, index) => ({ name: `crop ${index}` })) })
      flat.expect?.(name)
      return columnNames(flat)
    }
    expect(expecting(1, 'Crop 2 variety')).toContain('Crop 2 variety')
    expect(expecting(1, 'crop 2 establishment date')).toContain('Crop 2 establishment date (UTC)')
    expect(expecting(1, 'Total area resolution (ha)')).toContain('Total area resolution (ha)')
    expect(expecting(1, 'Identifier (A)')).toContain('Identifier (A)')
    expect(expecting(1, 'Bearer 1')).toEqual(expecting(1, 'Name'))
    expect(expecting(6, 'Crop 2 variety')).not.toContain('Crop 2 variety')
  })

  test('long lists of groups show names, and the rest in Other', () => {
    const crops = Array.from({ length: 6 }, (_, index) => ({ name: `Crop ${index}`, variety: `V${index}` }))
    const [short, long] = flatRows(plot, [{ crops: crops.slice(0, 1) }, { crops }])
    expect(long!['Crops']).toBe('Crop 0; Crop 1; Crop 2; Crop 3; Crop 4; Crop 5')
    expect(JSON.parse(long!['Other'] as string)).toEqual({ '/crops': crops })
    expect(short!['Crops']).toBe('Crop 0')
    expect(JSON.parse(short!['Other'] as string)).toEqual({ '/crops': crops.slice(0, 1) })
  })
})

describe('identifiers', () => {
  test('one column for each scheme, always text, with more columns for repeated schemes', () => {
    const identifiers = [
      { scheme: 'a', id: '007' },
      { scheme: 'b', id: '1e5' },
      { scheme: 'a', id: '008' },
    ]
    const flat = after(plot, [{ identifiers }, { identifiers: [{ scheme: 'b', id: 12 }] }])
    expect(flat.tables()[0]!.columns.filter(({ name }) => name.startsWith('Identifier'))).toEqual([
      { name: 'Identifier (a)', type: 'text' },
      { name: 'Identifier (b)', type: 'text' },
      { name: 'Identifier 2 (a)', type: 'text' },
    ])
    expect(filled(flat.rows({ identifiers })[0]![0]!)).toEqual({
      'Identifier (a)': '007',
      'Identifier (b)': '1e5',
      'Identifier 2 (a)': '008',
    })
    expect(filled(flat.rows({ identifiers: [{ scheme: 'b', id: 12 }] })[0]![0]!)).toEqual({ 'Identifier (b)': '12' })
  })
  test('source ids come as one or as a list', () => {
    const list = { meta: { ...meta, sourceId: [meta.sourceId, { scheme: 'b', id: '2' }] } }
    expect(
      flatRows(plot, [{ meta }, list]).map((row) => Object.keys(row).filter((name) => name.startsWith('Source'))),
    ).toEqual([
      ['Source id (nz.example.farm-number.plots)'],
      ['Source id (nz.example.farm-number.plots)', 'Source id (b)'],
    ])
  })
  test('a breed has its codes by scheme', () => {
    expect(flatRows(breed, [goodBodies['breeds']!])).toEqual([
      { Name: 'Hillside Longwool', Species: 'Sheep', Cross: false, 'Identifier (ICAR3)': 'HLW' },
    ])
  })
  test('half an identifier, and further members of one, are shown unchanged', () => {
    const identifiers = [{ id: '7' }, { scheme: 'a', id: '8', since: 1999 }]
    const [row] = flatRows(plot, [{ identifiers }])
    expect(JSON.parse(row!['Other'] as string)).toEqual({ '/identifiers/0': { id: '7' }, '/identifiers/1/since': 1999 })
  })
})

describe('unknown members', () => {
  test('get columns of the type of all their values', () => {
    const bodies = [
      {
        n: 1,
        b: true,
        t: '2026-11-19T20:15:00Z',
        mixed: 1,
        deep: { unknownMember: { type: 'x' } },
        list: [1, 2],
        PADD_NO: '007',
      },
      {
        n: 2.5,
        b: false,
        t: '2026-11-19T20:15:00+13:00',
        mixed: 'one',
        additionalProperties: { unknownMember: 'clay' },
      },
    ]
    const flat = after(plot, bodies)
    const types = new Map(flat.tables()[0]!.columns.map(({ name, type }) => [name, type]))
    expect(
      Object.fromEntries(
        ['N', 'B', 'T', 'Mixed', 'Deep unknown member type', 'List 1', 'PADD_NO', 'Unknown member'].map((name) => [
          name,
          types.get(name),
        ]),
      ),
    ).toEqual({
      N: 'number',
      B: 'boolean',
      T: 'date-time',
      Mixed: 'text',
      'Deep unknown member type': 'text',
      'List 1': 'number',
      PADD_NO: 'text',
      'Unknown member': 'text',
    })
    expect(filled(flat.rows(bodies[0]!)[0]![0]!)).toMatchObject({ Mixed: '1', 'List 2': 2, PADD_NO: '007' })
    expect(filled(flat.rows(bodies[1]!)[0]![0]!)).toMatchObject({ Mixed: 'one', T: '2026-11-19T20:15:00+13:00' })
  })
  test('that are measures and identifiers look like those of known members', () => {
    const body = {
      netWeight: { measurement: 8.42, units: 'TNE' },
      feature: {
        name: 'Woolshed',
        identifier: { scheme: 'nz.example.paddock', id: '001', resourceType: 'identifierType' },
      },
      tags: [
        { scheme: 'a', id: '1' },
        { scheme: 'a', id: '2' },
      ],
      price: { measurement: 8, units: 'NZD' },
      moisture: { measurement: 8, units: 'KGM', method: 'oven' },
    }
    expect(flatRows(loadReceival, [body])).toEqual([
      {
        'Net weight (kg)': 8420,
        'Plot name': 'Woolshed',
        'Plot identifier (nz.example.paddock)': '001',
        'Tag (a)': '1',
        'Tag 2 (a)': '2',
        'Price measurement': 8,
        'Price units': 'NZD',
        'Moisture measurement': 8,
        'Moisture units': 'KGM',
        'Moisture method': 'oven',
      },
    ])
  })
  test('that fit no column are shown unchanged', () => {
    const odd = JSON.parse(
      '{"much": 1e999, "leap": "2016-12-31T23:59:60Z", "totalArea": {"measurement": 1e308, "units": "MIK"}}',
    ) as object
    const [row] = flatRows(plot, [{ ...odd, meta: { modified: '2016-12-31T23:59:60Z', created: 'once' } }])
    expect(row).toMatchObject({ Much: 'Infinity', Leap: '2016-12-31T23:59:60Z' })
    expect(JSON.parse(row!['Other'] as string)).toEqual({
      '/meta/modified': '2016-12-31T23:59:60Z',
      '/meta/created': 'once',
      '/totalArea': { measurement: 1e308, units: 'MIK' },
    })
  })
  test('never share a column name, not even in another case', () => {
    const names = columnNames(after(plot, [{ name: 'a', Name: 'b', NAME: 'c', Other: 'd', totalArea: 7 }]))
    expect(new Set(names.map((name) => name.toLowerCase())).size).toBe(names.length)
  })
  test('cannot do harm with their names', () => {
    const body = JSON.parse('{"__proto__": "x", "constructor": "y", "toString": "z"}') as object
    const [row] = flatRows(plot, [body])
    expect(Object.keys(row!)).toEqual(['__proto__', 'Constructor', 'To string'])
    expect(Object.getPrototypeOf(row)).toBe(Object.prototype)
  })
  test('are limited in number; the rest is shown in one column', () => {
    const many = Object.fromEntries(Array.from({ length: 5000 }, (_, index) => [`m${index}`, index]))
    const flat = after(plot, [many])
    const columns = columnNames(flat)
    expect(columns.length).toBeLessThanOrEqual(1001)
    const row = flat.rows(many)[0]![0]!
    const shown = Object.keys(filled(row)).length - 1
    expect(shown + Object.keys(JSON.parse(row['Other'] as string) as object).length).toBe(5000)
  })
  test('of any depth are shown as far as possible', () => {
    const deep = JSON.parse(`{"a":${'[{"b":'.repeat(40)}"bottom"${'}]'.repeat(40)}}`) as object
    expect(JSON.stringify(flatRows(plot, [deep]))).toContain('bottom')
    const abyss = JSON.parse(`{"a":${'['.repeat(50_000)}${'1'}${']'.repeat(50_000)}}`) as object
    expect(flatRows(plot, [abyss])[0]!['Other']).toContain('nested too deeply')
  })
  test('that come only in the second pass are an error, not a loss', () => {
    const flat = after(plot, [{ name: 'A' }])
    flat.tables()
    expect(() => flat.rows({ name: 'B', surprise: 1 })).toThrow(/first pass/)
  })
})

describe('geometry', () => {
  test('of the record is left to the file format', () => {
    const [row] = flatRows(plot, [plotBody])
    expect(JSON.stringify(row)).not.toContain('Polygon')
  })
  test('of the record keeps its further members', () => {
    const spatialFeature = { ...plotBody.spatialFeature, id: 'f7', properties: { surveyed: true } }
    const [row] = flatRows(plot, [{ spatialFeature }])
    expect(JSON.parse(row!['Other'] as string)).toEqual({
      '/spatialFeature/id': 'f7',
      '/spatialFeature/properties': { surveyed: true },
    })
  })
  test('of an operation is text, because a row has only one shape', () => {
    const geometry = {
      type: 'LineString',
      coordinates: [
        [175, -38],
        [175.1, -38],
      ],
    }
    const body = {
      ...workRecordBody,
      loggedOperations: [{ loggedGeometry: { type: 'Feature', geometry, properties: {} } }],
    }
    const [row] = flatRows(workRecord, [body])
    expect(JSON.parse(row!['Logged geometry (GeoJSON)'] as string)).toEqual(geometry)
  })
})

test('a type with few members makes a table too', () => {
  expect(flatRows(birthPeriod, [goodBodies['birth-periods']!])).toEqual([
    { Country: 'NZ', Species: 'Cattle', 'Grouping name': 'Spring', 'Start day': '1 July', 'End day': '30 November' },
  ])
})
