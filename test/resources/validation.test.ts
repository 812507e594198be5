import { existsSync, readFileSync, readdirSync } from 'node:fs'
import fc from 'fast-check'
import type { JSONSchema } from 'json-schema-to-ts'
import { describe, expect, test } from 'vitest'
import { findResourceType, resourceTypes } from '../../src/resources/index.ts'
import { landCover } from '../../src/resources/land-cover.ts'
import { medicineProduct } from '../../src/resources/medicine.ts'
import { collections, featureItems } from '../../src/resources/ogc.ts'
import { operationRecord } from '../../src/resources/operation.ts'
import { pagedResult } from '../../src/resources/paged-result.ts'
import { plot } from '../../src/resources/plot.ts'
import { problemDetails } from '../../src/resources/problem-details.ts'
import { controlList, datasetList, feedContext, feedContinuation, resultList } from '../../src/resources/streaming.ts'
import { tokenResponse } from '../../src/resources/token-response.ts'
import { check, checkAgainst, type Finding } from '../../src/resources/validation.ts'
import { cloudEvent, webhookRegistration } from '../../src/resources/webhook.ts'
import { workRecord } from '../../src/resources/work-record.ts'
import { badChanges, goodBodies, landCoverBody, plotBody, workRecordBody } from './fixtures/bodies.ts'

function brief(findings: readonly Finding[]): readonly string[] {
  return findings.map(({ severity, code, path }) => `${severity} ${code} ${path}`)
}

/** The plot with one member replaced; a dotted name reaches inside. */
function plotWith(name: string, value: unknown): object {
  const body = structuredClone(plotBody) as unknown as Record<string, unknown>
  const names = name.split('.')
  const owner = names.slice(0, -1).reduce((each, part) => each[part] as Record<string, unknown>, body)
  owner[names.at(-1)!] = value
  return body
}

describe('good bodies', () => {
  test.each(resourceTypes.map((type) => [type.plural, type] as const))('%s', (plural, type) => {
    expect(goodBodies[plural]).toBeDefined()
    expect(check(type, goodBodies[plural])).toEqual([])
  })
  test.each([
    ['a source id as the OGC API gives it', plotWith('meta.sourceId', [{ scheme: 'nz.example.a', id: '7' }])],
    ['members that nobody knows', plotWith('soil', { deep: [1, { type: 'x' }] })],
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
      'resourceType is "holdingResource", which means Holding; this is taken as Plot.',
    ],
    ['resourceType', 'tractor', 'error field-invalid /resourceType', /which is no type that the service knows/],
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
  test('everything wrong is said at once, once', () => {
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
  test('what is missing is explained', () => {
    expect(check(plot, plotWith('meta', {})).map(({ hint }) => hint)).toEqual([
      expect.stringContaining('which record of your own system'),
      expect.stringContaining('last changed'),
    ])
  })
  test.each([[null], [[]], ['text'], [7], [undefined]])('no record at all: %j', (body) => {
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

describe('geometry', () => {
  const polygon = (...rings: unknown[]): object => ({ type: 'Polygon', coordinates: rings })
  const square = [
    [0, 0],
    [0, 1],
    [1, 1],
    [0, 0],
  ]
  test.each([
    [
      polygon(square, [
        [0, 0],
        [0, 1],
        [1, 1],
      ]),
      'boundary-open /coordinates/1',
      /begins at 0, 0 and ends at 1, 1/,
    ],
    [
      polygon([
        [0, 0],
        [0, 1],
        [0, 0],
      ]),
      'boundary-too-few-points /coordinates/0',
      /has 3 positions/,
    ],
    [polygon([]), 'boundary-too-few-points /coordinates/0', /has 0 positions/],
    [polygon(), 'geometry-missing /coordinates', /no positions/],
    [
      polygon([
        [0, 0],
        [0, 181],
        [1, 1],
        [0, 0],
      ]),
      'coordinate-out-of-range /coordinates/0/1',
      /0, 181/,
    ],
    [
      polygon([
        [-38.1, 175.4],
        [0, 1],
        [1, 1],
        [0, 0],
      ]),
      'coordinate-out-of-range /coordinates/0/0',
      /swapped/,
    ],
    [
      polygon([
        [1802345, 5791234],
        [0, 1],
        [1, 1],
        [0, 0],
      ]),
      'coordinate-out-of-range /coordinates/0/0',
      /map projection/,
    ],
    [
      polygon([
        [0, 0],
        ['0', 1],
        [1, 1],
        [0, 0],
      ]),
      'coordinate-not-a-number /coordinates/0/1',
      /"0", 1/,
    ],
    [
      polygon([
        [0, 0],
        [0, Number.NaN],
        [1, 1],
        [0, 0],
      ]),
      'coordinate-not-a-number /coordinates/0/1',
      /NaN/,
    ],
    [
      polygon([
        [0, 0],
        [0, 1, null],
        [1, 1],
        [0, 0],
      ]),
      'coordinate-not-a-number /coordinates/0/1',
      /not a number/,
    ],
    [polygon([[0, 0], [0], [1, 1], [0, 0]]), 'coordinate-not-a-number /coordinates/0/1', /pair/],
    [polygon([0, 0]), 'coordinate-not-a-number /coordinates/0/0', /pair/],
    [polygon(7), 'geometry-wrong-type /coordinates/0', /not a list/],
    [{ type: 'Polygon' }, 'geometry-wrong-type /coordinates', /not a list/],
    [{ type: 'Circle', coordinates: [] }, 'geometry-wrong-type /type', /"Circle"/],
    [{ type: { toString: 1 }, coordinates: [] }, 'geometry-wrong-type /type', /none that the service knows/],
    [
      { type: 'MultiPolygon', coordinates: [[square], [[[0, 0]]]] },
      'boundary-too-few-points /coordinates/1/0',
      /has 1 position;/,
    ],
    [{ type: 'LineString', coordinates: [[0, 0]] }, 'boundary-too-few-points /coordinates', /two positions/],
    [
      { type: 'GeometryCollection', geometries: [{ type: 'Point', coordinates: [0, 91] }] },
      'coordinate-out-of-range /geometries/0/coordinates',
      /91/,
    ],
    [{ type: 'GeometryCollection' }, 'geometry-wrong-type ', /without a list/],
    [{ type: 'Point', coordinates: [0, 0] }, 'geometry-wrong-type /type', /Plot takes Polygon or MultiPolygon/],
  ])('%j', (geometry, expected, said) => {
    const findings = check(plot, plotWith('spatialFeature', { type: 'Feature', geometry, properties: {} })).filter(
      ({ code }) => code !== 'field-invalid',
    )
    const [code, path] = expected.split(' ')
    expect(findings).toMatchObject([{ code, severity: 'error', path: `/spatialFeature/geometry${path}` }])
    expect(`${findings[0]!.message} ${findings[0]!.hint}`).toMatch(said)
  })
  test('the centroid and the geometry of operations are looked at too', () => {
    const far = { type: 'Feature', geometry: { type: 'Point', coordinates: [200, 0] }, properties: {} }
    expect(brief(check(plot, plotWith('centroid', far.geometry)))).toEqual([
      'error coordinate-out-of-range /centroid/coordinates',
    ])
    const loggedOperations = [{}, { loggedGeometry: far }]
    expect(brief(check(workRecord, { ...workRecordBody, loggedOperations }))).toEqual([
      'error coordinate-out-of-range /loggedOperations/1/loggedGeometry/geometry/coordinates',
    ])
  })
  test('a bare geometry is no feature', () => {
    expect(brief(check(plot, plotWith('spatialFeature', polygon(square))))).toEqual([
      'error field-missing /spatialFeature/geometry',
      'error field-invalid /spatialFeature/type',
    ])
  })
  test('a land cover may be a line', () => {
    const line = {
      type: 'Feature',
      geometry: {
        type: 'LineString',
        coordinates: [
          [0, 0],
          [1, 1],
        ],
      },
      properties: {},
    }
    expect(check(landCover, { ...landCoverBody, spatialFeature: line })).toEqual([])
  })
})

describe('whatever comes', () => {
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
      { numRuns: 500 },
    )
  })
  test('deep and broad bodies are refused without a flood of findings', () => {
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

describe('checkAgainst', () => {
  const pipeline = {
    type: 'object',
    required: ['kind'],
    properties: {
      kind: { enum: ['import', 'export'], description: 'Which way the records go.' },
      key: { anyOf: [{ type: 'string' }, { type: 'array', items: { type: 'string' }, minItems: 1 }] },
      limit: { type: 'integer', minimum: 1, maximum: 10 },
      uri: { type: 'string', format: 'uri' },
      code: { type: 'string', pattern: '^[A-Z]+$', description: 'Capitals only.' },
    },
    additionalProperties: false,
  } as const satisfies JSONSchema
  test.each<[unknown, string, string, string | undefined]>([
    [{}, 'field-missing /kind', 'kind is missing.', 'Which way the records go.'],
    [
      { kind: 'imprt' },
      'field-invalid /kind',
      'kind is "imprt"; it must be import or export.',
      'Did you mean "import"?',
    ],
    [{ kind: 'import', limt: 1 }, 'field-unknown /limt', '"limt" is not known.', 'Did you mean "limit"?'],
    [
      { kind: 'import', 'a/b': 1 },
      'field-unknown /a~1b',
      '"a/b" is not known.',
      'Known are kind, key, limit, uri or code.',
    ],
    [{ kind: 'import', key: 7 }, 'field-invalid /key', 'key is 7; text or a list is needed.', undefined],
    [{ kind: 'import', key: [] }, 'field-invalid /key', 'key is an empty list; it needs at least 1 entry.', undefined],
    [{ kind: 'import', key: ['a', 1] }, 'field-invalid /key/1', 'entry 2 of key is 1; text is needed.', undefined],
    [{ kind: 'import', limit: 0 }, 'field-invalid /limit', 'limit is 0; it must be 1 or more.', undefined],
    [{ kind: 'import', limit: 1.5 }, 'field-invalid /limit', 'limit is 1.5; a whole number is needed.', undefined],
    [
      { kind: 'import', limit: null },
      'field-invalid /limit',
      'limit is empty (null); a whole number is needed.',
      undefined,
    ],
    [
      { kind: 'import', uri: 'x' },
      'field-invalid /uri',
      'uri is "x"; a whole web address is needed, such as https://farm.example/hook.',
      undefined,
    ],
    [
      { kind: 'import', code: 'a' },
      'field-invalid /code',
      'code is "a"; it is written in another form than is needed.',
      'Capitals only.',
    ],
    [[], 'field-invalid ', 'This is an empty list; a group of fields is needed.', undefined],
  ])('%j', (value, expected, message, hint) => {
    const findings = checkAgainst(pipeline, value)
    expect(findings.map(({ code, path }) => `${code} ${path}`)).toEqual([expected])
    expect(findings[0]!.message).toBe(message)
    expect(findings[0]!.hint).toBe(hint)
  })
  test('a choice by a word says what is wrong in the branch that was meant', () => {
    const registration = {
      name: 'Hook',
      uri: 'https://office.example/hook',
      subscriptions: [{ resourceType: 'plotResource' }],
    }
    const withSignIn = (authentication: object): readonly string[] =>
      checkAgainst(webhookRegistration, { ...registration, authentication }).map(({ message }) => message)
    expect(withSignIn({ type: 'None' })).toEqual([])
    expect(withSignIn({ type: 'Header', headerAuth: { httpHeader: 'X-Key', apiToken: 't' } })).toEqual([])
    expect(withSignIn({ type: 'Basic', basicAuth: { username: 'a' } })).toEqual([
      'authentication.basicAuth.password is missing.',
    ])
    expect(withSignIn({ type: 'ApiToken' })).toEqual(['authentication.apiTokenAuth is missing.'])
    expect(withSignIn({ type: 'Magic' })).toEqual([
      'authentication.type is "Magic"; it must be None, Basic, ApiToken, ClientCredentials, AuthorisationCode, HttpHeader or Header.',
    ])
  })
  test.each([
    [
      cloudEvent,
      { specversion: '1.0', type: 'com.windrow.plotResource.create', source: '/events', id: '1', x: null },
      { specversion: '0.3', type: 't', source: 's', id: '1' },
    ],
    [tokenResponse, { access_token: 'a', expires_in: 3600 }, { access_token: '', expires_in: 3600 }],
    [
      tokenResponse,
      { access_token: 'a', expires_in: 3600, refresh_token: 'b' },
      { access_token: 'a', expires_in: '3600' },
    ],
    [collections, { links: [], collections: [] }, { links: [] }],
    [problemDetails, { title: 'Not Found', status: 404 }, { status: '404' }],
    [pagedResult, { items: [], links: { next: null } }, { items: {} }],
    [resultList, [{ index: 0, successful: true }], [{ index: -1, successful: true }]],
    [feedContext, { id: '@context' }, { id: '@continuation' }],
    [feedContinuation, { id: '@continuation', token: 'a' }, { id: '@continuation' }],
  ] as readonly (readonly [JSONSchema, unknown, unknown])[])('documents of the service %#', (schema, good, bad) => {
    expect(checkAgainst(schema, good)).toEqual([])
    expect(checkAgainst(schema, bad)).toHaveLength(1)
  })
  test('a schema that is only true or false', () => {
    expect(checkAgainst(true, 1)).toEqual([])
    expect(checkAgainst(false, 1)).toHaveLength(1)
  })
})

const transcripts = new URL('../../../shared/transcripts/', import.meta.url)
describe.skipIf(!existsSync(transcripts))('exchanges with the service', () => {
  const bodies = (existsSync(transcripts) ? readdirSync(transcripts) : [])
    .filter((name) => name.endsWith('.http'))
    .map((name) => [name, responseOf(readFileSync(new URL(name, transcripts), 'utf8'))] as const)

  function responseOf(text: string): unknown {
    const answer = text.slice(text.indexOf('\nHTTP/1.1'))
    const [, body = ''] = answer.split(/\n\n([^]*)/)
    const filled = body.replaceAll(/<TIME-\d>/g, '2026-11-19T20:15:00.1234567+00:00')
    return filled.trim() === '' ? undefined : (JSON.parse(filled) as unknown)
  }
  const named = (start: string): unknown => bodies.find(([name]) => name.startsWith(start))?.[1]

  test.each([
    ['12', collections],
    ['14', featureItems],
    ['40', controlList],
    ['41', datasetList],
    ['43', resultList],
    ['44', resultList],
    ['48', problemDetails],
    ['60', pagedResult],
    ['01', tokenResponse],
  ] as readonly (readonly [string, JSONSchema])[])('%s fits its document', (start, schema) => {
    const body = named(start)
    expect(body).toBeDefined()
    expect(checkAgainst(schema, body)).toEqual([])
  })
  test('every record in them is good', () => {
    let seen = 0
    const visit = (value: unknown): void => {
      if (typeof value !== 'object' || value === null) return
      const type = findResourceType(`${(value as { resourceType?: unknown }).resourceType as string}`)
      if (type !== undefined && 'meta' in value) {
        seen += 1
        expect(check(type, value).filter(({ severity }) => severity === 'error')).toEqual([])
      }
      for (const each of Object.values(value)) visit(each)
    }
    for (const [, body] of bodies) visit(body)
    expect(seen).toBeGreaterThan(8)
  })
})
