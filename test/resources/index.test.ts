import { describe, expect, test } from 'vitest'
import { findResourceType, publishedTypes, resourceTypes } from '../../src/resources/index.ts'

describe('findResourceType', () => {
  test.each([
    ['/core/plots', 'plotResource'],
    ['/core/plot', 'plotResource'],
    ['PLOTRESOURCE', 'plotResource'],
    ['paddocks', 'plotResource'],
    ['/core/land-cover', 'landCoverResource'],
    ['/core/land-covers', 'landCoverResource'],
    ['pfLandCoverResource', 'landCoverResource'],
    ['land covers', 'landCoverResource'],
    ['LandCover', 'landCoverResource'],
    ['pfHoldingResource', 'holdingResource'],
    ['/core/holdings', 'holdingResource'],
    ['WorkRecordResource', 'workRecordResource'],
    ['work records', 'workRecordResource'],
    ['Work record', 'workRecordResource'],
    ['svcPastureCoverEvent', 'svcPastureCoverEvent'],
    ['pasture-cover-events', 'svcPastureCoverEvent'],
    ['medicine-products', 'medicineProductResource'],
    ['Breed', 'breed'],
  ])('%s is %s', (word, name) => {
    expect(findResourceType(word)?.name).toBe(name)
  })
  test.each(['', 'tractor', '__proto__', 'constructor', '/core/'])('"%s" is not a type', (word) => {
    expect(findResourceType(word)).toBeUndefined()
  })
  test('no word means two types', () => {
    for (const type of resourceTypes)
      for (const word of [type.name, type.title, type.plural, type.shortCode ?? type.name, ...type.aliases])
        expect(findResourceType(word), word).toBe(type)
  })
})

test('holdings, plots and land covers can be published, under the names of the service', () => {
  expect(publishedTypes.map(({ name, dataset, shortCode, plural }) => [name, dataset, shortCode, plural])).toEqual([
    ['holdingResource', 'holdings', '/core/holdings', 'holdings'],
    ['plotResource', 'plots', '/core/plots', 'plots'],
    ['landCoverResource', 'land-covers', '/core/land-covers', 'land-covers'],
  ])
})
