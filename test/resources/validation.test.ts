import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { resourceTypes } from '../../src/resources/index.ts'
import { medicineProduct } from '../../src/resources/livestock.ts'
import { operationRecord, workRecord } from '../../src/resources/work-record.ts'
import { plot } from '../../src/resources/land.ts'
import { check } from '../../src/resources/validation.ts'
import { badChanges, brief, goodBodies, plotBody, plotWith, workRecordBody } from './fixtures/bodies.ts'
import { runs } from '../runs.ts'

describe('good bodies', () => {
  test.each(resourceTypes.map((type) => [type.plural, type] as const))('%s', (plural, type) => {
    expect(goodBodies[plural]).toBeDefined()
    expect(check(type, goodBodies[plural])).toEqual([])
  })
  test.each([
    ['a source id as the OGC API gives it', plotWith('meta.sourceId', [{ scheme: 'nz.example.a', id: '7' }])],
    ['members that nobody knows', plotWith('unknownMember', { deep: [1, { type: 'x' }] })],
    ['null in place of an absent member', { ...plotBody, name: null, crops: null, totalArea: null }],
    ['null inside a group', plotWith('crops', [{ name: 'Lucerne', harvestDate: null }])],
    ['no boundary', plotWith('spatialFeature', { type: 'Feature', geometry: null, properties: null })],
    ['heights', plotWith('centroid', { type: 'Point', coordinates: [175, -38, 12] })],
    ['a tombstone', { meta: { ...plotBody.meta, isDeleted: true }, dataPointKey: 'k' }],
  ])('%s', (_, body) => {
    expect(check(plot, body)).toEqual([])
  })
})

describe('bad bodies', () => {
  test.each(resourceTypes.map((type) => [type.plural, type] as const))('%s', (plural, type) => {
    const [change, expected] = badChanges[plural]!
    expect(brief(check(type, { ...goodBodies[plural], ...change }))).toEqual([expected])
  })
})

describe('bodies that are wrong, by member', () => {
  test.each([
    ['name', 7, 'error field-invalid /name', 'name is 7; text is needed.'],
    ['meta', undefined, 'error field-missing /meta', 'meta is missing.'],
    ['meta', null, 'error field-missing /meta', 'meta is missing.'],
    ['meta.modified', null, 'error field-missing /meta/modified', 'meta.modified is missing.'],
    [
      'meta.sourceId',
      [],
      'error field-invalid /meta/sourceId',
      'meta.sourceId is an empty list; it needs at least 1 entry.',
    ],
    [
      'meta.sourceId',
      { scheme: 'a', id: '' },
      'error field-invalid /meta/sourceId/id',
      'meta.sourceId.id is ""; it may not be empty.',
    ],
    [
      'meta.sourceId',
      { scheme: 'a', id: 7 },
      'error field-invalid /meta/sourceId/id',
      'meta.sourceId.id is 7; text is needed.',
    ],
    [
      'meta.isDeleted',
      'yes',
      'error field-invalid /meta/isDeleted',
      'meta.isDeleted is "yes"; yes or no (true or false) is needed.',
    ],
    [
      'identifiers',
      [{ id: '7' }],
      'error field-missing /identifiers/0/scheme',
      'entry 1 of identifiers: scheme is missing.',
    ],
    ['crops', [null], 'error field-invalid /crops/0', 'entry 1 of crops is empty (null); a group of fields is needed.'],
    [
      'totalArea',
      { measurement: '3', units: 'HAR' },
      'error field-invalid /totalArea/measurement',
      'totalArea.measurement is "3"; a number is needed.',
    ],
    [
      'totalArea',
      { measurement: 3, units: 'MTR' },
      'error unit-unknown /totalArea/units',
      /"MTR" \(metre\), a unit of length; the service knows HAR \(hectare\), MTK/,
    ],
    [
      'totalLength',
      { measurement: 3, units: 'MTK' },
      'warning unit-unknown /totalLength/units',
      /a unit of area, for a length/,
    ],
    [
      'totalArea',
      { measurement: 3, units: 'KMTK' },
      'note code-respelled /totalArea/units',
      'totalArea.units is "KMTK"; the service writes KMK (square kilometre).',
    ],
    [
      'meta.modified',
      '2026-11-19',
      'error date-unclear /meta/modified',
      'meta.modified is "2026-11-19"; a day with time and zone is needed.',
    ],
    [
      'meta.created',
      '2026-02-31T00:00:00Z',
      'error date-impossible /meta/created',
      'meta.created is "2026-02-31T00:00:00Z"; February 2026 has 28 days.',
    ],
    ['meta.created', '2026-13-01T00:00:00Z', 'error date-impossible /meta/created', /there is no month 13\.$/],
    [
      'meta.created',
      '2026-12-01T25:00:00Z',
      'error date-impossible /meta/created',
      /there is no such time of day or zone\.$/,
    ],
    [
      'resourceType',
      '/core/plot',
      'note code-respelled /resourceType',
      'resourceType is "/core/plot"; windrow writes plotResource.',
    ],
    [
      'resourceType',
      'holdingResource',
      'error field-invalid /resourceType',
      'resourceType is "holdingResource", which means Holding; it is read as Plot.',
    ],
    ['resourceType', 'tractor', 'error field-invalid /resourceType', /which the service does not know/],
  ])('%s: %j', (name, value, expected, message) => {
    const findings = check(plot, plotWith(name, value))
    expect(brief(findings)).toEqual([expected])
    expect(findings[0]!.message).toEqual(message instanceof RegExp ? expect.stringMatching(message) : message)
  })

  test('a unit in words names the code to write', () => {
    const [finding] = check(plot, plotWith('totalArea', { measurement: 3, units: 'hectares' }))
    expect(finding).toEqual({
      code: 'unit-unknown',
      severity: 'error',
      path: '/totalArea/units',
      value: 'hectares',
      message:
        'totalArea.units is "hectares"; the service knows HAR (hectare), MTK (square metre), KMK (square kilometre), ' +
        'ACR (acre), FTK (square foot), YDK (square yard), MIK (square mile).',
      hint: 'Write HAR for hectare.',
    })
  })
  test('a unit that is nearly a code names the code', () => {
    expect(check(plot, plotWith('totalArea', { measurement: 3, units: 'HRA' }))[0]!.hint).toBe('Write HAR for hectare.')
  })
  test('every fault is reported at once, and once', () => {
    const body = { ...plotBody, name: 7, totalArea: 3, meta: {}, identifiers: [{}] }
    expect(brief(check(plot, body)).toSorted()).toEqual([
      'error field-invalid /name',
      'error field-invalid /totalArea',
      'error field-missing /identifiers/0/id',
      'error field-missing /identifiers/0/scheme',
      'error field-missing /meta/modified',
      'error field-missing /meta/sourceId',
    ])
  })
  test('hints explain what is missing', () => {
    expect(check(plot, plotWith('meta', {})).map(({ hint }) => hint)).toEqual([
      expect.stringContaining('this record in your own system'),
      expect.stringContaining('last changed'),
    ])
  })
  test.each([[null], [[]], ['text'], [7], [undefined]])('not a record: %j', (body) => {
    expect(check(plot, body)).toMatchObject([{ code: 'field-invalid', path: '', message: /^The record is / }])
  })
  test('long values are cut, control characters are shown', () => {
    const { message, value } = check(plot, plotWith('meta.modified', `\u001B[31m${'x'.repeat(5000)}`))[0]!
    expect(message.length).toBeLessThan(200)
    expect(value!.length).toBeLessThan(100)
    expect(message).not.toContain('\u001B')
  })
})

describe('open lists', () => {
  test.each([
    ['Levitation', 'note code-unknown /operation', /not in the known list/],
    ['CropProtektion', 'note code-unknown /operation', /Did you mean CropProtection\?/],
    ['crop protection', 'note code-respelled /operation', /the service writes CropProtection/],
  ])('operation %s', (operation, expected, said) => {
    const findings = check(workRecord, { ...workRecordBody, operation })
    expect(brief(findings)).toEqual([expected])
    expect(`${findings[0]!.message} ${findings[0]!.hint}`).toMatch(said)
  })
  test('work records need operation and status; a priority may be null', () => {
    expect(brief(check(workRecord, {}))).toEqual(['error field-missing /operation', 'error field-missing /status'])
    expect(brief(check(workRecord, { operation: null, status: 'Complete', priority: null }))).toEqual([
      'error field-missing /operation',
    ])
  })
  test.each(['AntibioticRelated', 'Antibiotic+Related'])('both spellings of medicine pass: %s', (classification) => {
    expect(check(medicineProduct, { classification })).toEqual([])
  })
  test('a third spelling of medicine is noted', () => {
    expect(brief(check(medicineProduct, { classification: 'antibiotic related', form: 'Oral Paste' }))).toEqual([
      'note code-respelled /classification',
      'note code-respelled /form',
    ])
  })
  test('units of a rate are open too', () => {
    const products = [
      { applicationRate: { measurement: 1, units: 'XUN' }, waterVolume: { measurement: 1, units: 'litres' } },
    ]
    expect(brief(check(operationRecord, { products }))).toEqual([
      'note code-unknown /products/0/applicationRate/units',
      'note code-respelled /products/0/waterVolume/units',
    ])
  })
})

describe('any input', () => {
  test('no body makes check throw', () => {
    const odd = fc.oneof(
      fc.jsonValue(),
      fc.constantFrom(...Object.keys(plotBody)),
      fc.constant({ toString: 1, valueOf: 1 }),
    )
    const body = fc.dictionary(fc.constantFrom(...Object.keys(plotBody), ...Object.keys(workRecordBody)), odd)
    fc.assert(
      fc.property(fc.constantFrom(...resourceTypes), fc.oneof(body, odd), (type, value) => {
        for (const { message, code, path } of check(type, value)) {
          expect(message).toMatch(/\S\.$/)
          expect(message).not.toContain('undefined')
          expect(code).not.toBe('')
          expect(path === '' || path.startsWith('/')).toBe(true)
        }
      }),
      { numRuns: runs(500) },
    )
  })
  test('deep and broad bodies are rejected with few findings', () => {
    const deep = JSON.parse(`${'['.repeat(20_000)}${']'.repeat(20_000)}`) as unknown
    expect(brief(check(plot, { ...plotBody, name: deep }))).toEqual(['error field-invalid /name'])
    const broad = { ...plotBody, identifiers: Array.from({ length: 200_000 }, () => 1) }
    expect(check(plot, broad)).toMatchObject([
      { path: '/identifiers/0', message: 'entry 1 of identifiers is 1; a group of fields is needed.' },
    ])
    const unseen = { ...workRecordBody, operation: 'Levitation', status: 7, more: broad.identifiers }
    expect(brief(check(workRecord, unseen))).toEqual(['note code-unknown /operation', 'error field-invalid '])
    expect(check(plot, { ...plotBody, more: broad.identifiers })).toEqual([])
  })
})
