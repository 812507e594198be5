import { describe, expect, test } from 'vitest'
import { flattener } from '../../src/resources/columns.ts'
import { exportedColumns } from '../../src/resources/exported-columns.ts'
import { findResourceType, publishedTypes } from '../../src/resources/index.ts'
import { units } from '../../src/resources/units.ts'
import { landCoverBody, plotBody } from './fixtures/bodies.ts'

const plot = findResourceType('plots')!

function valueAt(body: unknown, pointer: string): unknown {
  return pointer
    .slice(1)
    .split('/')
    .reduce((value, step) => (value as Record<string, unknown> | undefined)?.[step], body)
}

describe('every column of an export leads back to its field:', () => {
  test.each([
    ['plots', plotBody],
    ['land-covers', landCoverBody],
  ])('%s', (plural, body) => {
    const type = findResourceType(plural)!
    for (const zone of [undefined, 'Pacific/Auckland']) {
      const columns = flattener(type, zone === undefined ? {} : { zone })
      columns.see(body)
      const [table] = columns.tables()
      const names = table!.columns.map(({ name }) => name)
      const found = exportedColumns(type, names)
      const [row] = columns.rows(body)[0]!
      // Members that no schema describes, and the resolution of a measure, have no way back.
      expect(names.filter((name) => !found.has(name))).toEqual(
        plural === 'plots' ? ['Total area resolution (ha)', 'Unknown member'] : [],
      )
      for (const [name, field] of found) {
        if (row![name] === undefined || field.is !== 'value') continue
        expect(valueAt(body, field.pointer), name).toEqual(row![name])
      }
    }
  })

  test('in any unit', () => {
    for (const { sign, kind } of units.filter((each) => each.kind === 'area'))
      expect(exportedColumns(plot, [`Total area (${sign})`]).get(`Total area (${sign})`), kind).toEqual({
        pointer: '/totalArea',
        is: 'measure',
        unit: sign,
      })
  })

  test('with a scheme that has brackets, and for the second identifier of a scheme', () => {
    const names = ['Source id (a (b))', 'Crop 2 identifier (x)', 'Crop 2 identifier 2 (x)', 'Activity 1 id (y)']
    expect([...exportedColumns(plot, names).values()]).toEqual([
      { pointer: '/meta/sourceId', is: 'identifier', scheme: 'a (b)' },
      { pointer: '/crops/1/identifiers', is: 'identifier', scheme: 'x' },
      { pointer: '/crops/1/identifiers', is: 'identifier', scheme: 'x' },
      { pointer: '/activities/0/id', is: 'identifier', scheme: 'y' },
    ])
  })
})

test('a name that two fields share, and headers of other programs, lead nowhere', () => {
  const names = ['Id', 'Id 2', 'NAME', 'Total area', 'Crop', 'Crop 6 name', 'Identifier', 'Identifier ()', 'Source id']
  for (const type of publishedTypes) expect([...exportedColumns(type, names).keys()]).toEqual([])
})
