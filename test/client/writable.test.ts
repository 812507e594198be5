import { describe, expect, test } from 'vitest'
import type { ControlItem, Dataset } from '../../src/client/streaming.ts'
import { mayPublish } from '../../src/client/writable.ts'
import type { ResourceType } from '../../src/resources/resource-type.ts'

const type = (name: string, plural: string, aliases: readonly string[] = []): ResourceType => ({
  name,
  title: name,
  plural,
  dataset: plural,
  shortCode: `/core/${plural}`,
  aliases,
  schema: {},
})
const plots = type('plotResource', 'plots', ['/core/plot'])
const holdings = type('holdingResource', 'holdings')
const { dataset: _dataset, ...unpublished } = type('workRecordResource', 'work-records')

const farm = (id: string) => ({ scheme: 'nz.example.farm-number', id })
const writable = (id: string, updates: string | undefined = `https://service.example${id}/up`) => ({
  id,
  updates,
  changes: undefined,
})
const item = (id: string, resourceTypes: ControlItem['resourceTypes']): ControlItem => ({
  holdingId: `h-${id}`,
  signature: undefined,
  identifiers: [{ scheme: 'other', id: 'x' }, farm(id)],
  resourceTypes,
})
const dataset = (name: string): Dataset => ({
  name,
  updates: `https://service.example/own/${name}`,
  changes: `https://service.example/own/${name}/changes`,
  containedTypes: [],
})
const own = [dataset('holdings'), dataset('plots')]

describe('publishing is allowed', () => {
  test.each(['/core/plots', '/core/plot', '/CORE/PLOTS', 'plotResource', 'plots'])(
    'for a type spelt %s',
    (spelling) => {
      expect(mayPublish([item('1', [writable(spelling, 'https://service.example/up')])], plots, farm('1'))).toEqual({
        updates: 'https://service.example/up',
      })
    },
  )

  test('where any item of the holding lists the type', () => {
    const control = [item('1', [writable('/core/holdings')]), item('1', [writable('/core/plots')])]
    expect(mayPublish(control, plots, farm('1'))).toMatchObject({ updates: 'https://service.example/core/plots/up' })
  })

  test('for any holding when none is named', () => {
    expect(mayPublish([item('1', []), item('2', [writable('/core/plots')])], plots)).toEqual({
      updates: 'https://service.example/core/plots/up',
    })
  })

  test("at the dataset's own address when the list leaves the address out", () => {
    const control = [item('1', [{ ...writable('/core/plots'), updates: undefined }])]
    expect(mayPublish(control, plots, farm('1'), own)).toEqual({
      updates: 'https://service.example/own/plots',
    })
    expect(mayPublish(control, plots, farm('1'))).toEqual({
      reason: 'The service gave no address for publishing plots.',
    })
  })

  test('for a holding that is not there yet, the first and any other', () => {
    const permission = { updates: 'https://service.example/own/holdings' }
    expect(mayPublish([], holdings, farm('1'), own)).toEqual(permission)
    expect(mayPublish([], holdings, undefined, own)).toEqual(permission)
    const others = [item('1', [writable('/core/plots')])]
    expect(mayPublish(others, holdings, farm('2'), own)).toEqual(permission)
    expect(mayPublish(others, holdings, undefined, own)).toEqual(permission)
    expect(mayPublish([], holdings, farm('1'))).toEqual({
      reason: 'The service gave no address for publishing holdings.',
    })
  })
})

describe('publishing is not allowed', () => {
  test.each<[string, readonly ControlItem[], ResourceType, { scheme: string; id: string } | undefined, RegExp]>([
    ['with nothing connected', [], plots, farm('1'), /not connected to any holding/],
    [
      'for a holding that is not connected',
      [item('2', [writable('/core/plots')])],
      plots,
      farm('1'),
      /not connected to the holding nz\.example\.farm-number:1\. It is connected to other:x\./,
    ],
    [
      'for the same id in another scheme',
      [item('1', [writable('/core/plots')])],
      plots,
      { scheme: 'uk.example', id: '1' },
      /not connected/,
    ],
    [
      'for a type that is not listed',
      [item('1', [writable('/core/holdings')])],
      plots,
      farm('1'),
      /may not publish plots for nz\.example\.farm-number:1; it may publish \/core\/holdings\./,
    ],
    [
      'for a connected holding itself, when that is not listed',
      [item('1', [writable('/core/plots')])],
      holdings,
      farm('1'),
      /may not publish holdings/,
    ],
    [
      'for a type that has no dataset',
      [item('1', [writable('/core/plots')])],
      unpublished,
      farm('1'),
      /does not accept work-records/,
    ],
    [
      'in words without control characters',
      [item('1', [writable('\u001b[31m')])],
      plots,
      farm('1'),
      /it may publish \[31m\./,
    ],
  ])('%s', (...[, control, resourceType, holding, reason]) => {
    const permission = mayPublish(control, resourceType, holding, own)
    expect(permission).toEqual({ reason: expect.stringMatching(reason) })
  })
})
