import { existsSync, readFileSync, readdirSync } from 'node:fs'
import type { JsonSchema } from '../../src/core/object-schema.ts'
import { describe, expect, test } from 'vitest'
import { findResourceType } from '../../src/resources/index.ts'
import { check, checkAgainst } from '../../src/resources/validation.ts'
import { webhookRegistration } from '../../src/resources/webhook.ts'
import {
  cloudEvent,
  collections,
  controlList,
  datasetList,
  featureItems,
  feedContext,
  feedContinuation,
  pagedResult,
  problemDetails,
  resultList,
  tokenResponse,
} from './fixtures/answers.ts'

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
  } as const satisfies JsonSchema
  test.each<[unknown, string, string, string | undefined]>([
    [{}, 'field-missing /kind', 'kind is missing.', 'Which way the records go.'],
    [
      { kind: 'imprt' },
      'field-invalid /kind',
      'kind is "imprt"; it must be import or export.',
      'Did you mean "import"?',
    ],
    [{ kind: 'import', limt: 1 }, 'field-unknown /limt', '"limt" is unknown.', 'Did you mean "limit"?'],
    [{ kind: 'import', 'a/b': 1 }, 'field-unknown /a~1b', '"a/b" is unknown.', 'Known: kind, key, limit, uri or code.'],
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
    [{ kind: 'import', code: 'a' }, 'field-invalid /code', 'code is "a"; it has the wrong format.', 'Capitals only.'],
    [[], 'field-invalid ', 'This is an empty list; a group of fields is needed.', undefined],
  ])('%j', (value, expected, message, hint) => {
    const findings = checkAgainst(pipeline, value)
    expect(findings.map(({ code, path }) => `${code} ${path}`)).toEqual([expected])
    expect(findings[0]!.message).toBe(message)
    expect(findings[0]!.hint).toBe(hint)
  })
  test('a choice by a word reports the faults of the branch that was meant', () => {
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
  ] as readonly (readonly [JsonSchema, unknown, unknown])[])('documents of the service %#', (schema, good, bad) => {
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
  ] as readonly (readonly [string, JsonSchema])[])('%s fits its document', (start, schema) => {
    const body = named(start)
    expect(body).toBeDefined()
    expect(checkAgainst(schema, body)).toEqual([])
  })
  test('every record in them is valid', () => {
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
