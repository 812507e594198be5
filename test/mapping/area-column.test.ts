import { expect, test } from 'vitest'
import { areaColumnsOf } from '../../src/mapping/area-column.ts'

test.each([
  ['AREA_HA', 'HAR'],
  ['Area (acres)', 'ACR'],
  ['Shape_Area', undefined],
  ['HECTARES', 'HAR'],
  ['Fläche ha', 'HAR'],
  ['Boundary Acres', 'ACR'],
  ['GIS_Acres', 'ACR'],
  ['Total Ha', 'HAR'],
  ['Area sq m', 'MTK'],
  ['Area ha/acres', undefined],
])('"%s" contains areas, unit %s', (name, unit) => {
  expect(areaColumnsOf({}, ['ID', name])).toEqual([{ name, unit, isRecord: false }])
})

test.each(['EFF_AREA', 'Effective area ha', 'Sprayed area', 'Net area (ha)', 'Planted Acres', 'NAME'])(
  '"%s" is not the area of a whole boundary',
  (name) => expect(areaColumnsOf({}, [name])).toEqual([]),
)

test.each([
  ['<SIZE>', 'SIZE'],
  [{ from: 'SIZE', unit: 'ac' }, 'SIZE'],
  [{ first: ['<SIZE>', '<AREA>'] }, 'SIZE + AREA'],
  [{ measurement: '<SIZE>', units: 'HAR' }, 'SIZE'],
])('the columns mapped to the record come before columns by header: %j', (totalArea, name) => {
  expect(areaColumnsOf({ totalArea }, ['AREA_HA', 'SIZE'])).toEqual([{ name, unit: undefined, isRecord: true }])
})

test('with a measured area the headers decide', () => {
  expect(areaColumnsOf({ totalArea: 'measured' }, ['AREA_HA'])).toMatchObject([{ name: 'AREA_HA', isRecord: false }])
})
