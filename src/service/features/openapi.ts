/** Hides the description of the features API for machines (OpenAPI 3.0). GDAL and QGIS read the limits of a page from it. */

import type { Root } from './feature-roots.ts'
import { mediaTypes } from '../http/responses.ts'

type Parameter = {
  readonly name: string
  readonly in: 'path' | 'query' | 'header'
  readonly description: string
  readonly required: boolean
  readonly schema: object
  readonly style?: 'form'
  readonly explode?: false
}
type Reference = { readonly $ref: string }
type Operation = {
  readonly summary: string
  readonly operationId: string
  readonly parameters: readonly Reference[]
  readonly responses: Readonly<Record<string, object>>
}

/** The document; every parameter is written once and referred to. */
export type ApiDocument = {
  readonly openapi: '3.0.3'
  readonly info: { readonly title: string; readonly version: string; readonly description: string }
  readonly servers: readonly { readonly url: string }[]
  readonly security: readonly object[]
  readonly paths: Readonly<Record<string, { readonly get: Operation }>>
  readonly components: Readonly<Record<string, object>> & {
    readonly parameters: Readonly<Record<string, Parameter>>
  }
}

const oneOf = (name: string, description: string): Parameter => ({
  name,
  in: 'path',
  required: true,
  description,
  schema: { type: 'string' },
})

const asked = (name: string, description: string, schema: object): Parameter => ({
  name,
  in: 'query',
  description,
  required: false,
  style: 'form',
  explode: false,
  schema,
})

// QGIS wants a component called limit, GDAL a reference whose text contains "limit"; both take its maximum as the page size.
const parameters = {
  limit: asked('limit', 'How many features to return at most. A larger number is lowered to the maximum.', {
    type: 'integer',
    minimum: 1,
    maximum: 10_000,
    default: 10,
  }),
  offset: asked('offset', 'How many features to pass over first.', { type: 'integer', minimum: 0, default: 0 }),
  after: asked(
    'after',
    'Where the page before ended, as its next link says it: records that come and go move no other.',
    {
      type: 'string',
    },
  ),
  bbox: asked(
    'bbox',
    'minx,miny,maxx,maxy in longitude and latitude: features that it touches, and those without a location.',
    {
      type: 'array',
      oneOf: [
        { minItems: 4, maxItems: 4 },
        { minItems: 6, maxItems: 6 },
      ],
      items: { type: 'number' },
    },
  ),
  datetime: asked(
    'datetime',
    'A moment, or two with a slash between them, of which one may be "..": features whose meta.validFrom and meta.validTo meet it. ' +
      'A feature without these is always valid.',
    { type: 'string' },
  ),
  profile: asked(
    'profile',
    'How the properties of features look: the whole record, or flat columns for tables. Other documents take it and look the same.',
    {
      type: 'string',
      enum: ['record', 'flat'],
      default: 'record',
    },
  ),
  documentFormat: asked('f', 'The format of the answer.', { type: 'string', enum: ['json'] }),
  featureFormat: asked('f', 'The format of the answer, which is GeoJSON.', {
    type: 'string',
    enum: ['json', 'geojson'],
  }),
  region: {
    name: 'X-Requested-Region',
    in: 'header',
    description: 'The country whose records are wanted, by its code of two letters (ISO 3166-1).',
    required: false,
    schema: { type: 'string', pattern: '^[A-Za-z]{2}$' },
  },
  holdingId: oneOf('holdingId', 'The id of a holding.'),
  id: oneOf('id', 'The id of a feature.'),
} as const satisfies Readonly<Record<string, Parameter>>

type ParameterName = keyof typeof parameters

/** The document of a root, for the address that it is asked at. */
export function apiDocument(address: string, root: Root): ApiDocument {
  const plurals = root.types.map(({ plural }) => plural)
  const below = plurals.includes('holdings') ? plurals.filter((plural) => plural !== 'holdings') : []
  return {
    openapi: '3.0.3',
    info: { title: 'Farm records', version: '1.0.0', description: 'Holdings, plots and land covers as features.' },
    servers: [{ url: address }],
    security: [{ bearer: [] }, {}],
    paths: {
      '/': operation('The landing page', []),
      '/api': operation('This document', [], mediaTypes.openApi),
      '/api.html': operation('This document for people', [], mediaTypes.html),
      '/conformance': operation('What the service conforms to', []),
      '/collections': operation('All collections', []),
      ...Object.assign({}, ...plurals.map((plural) => collectionPaths('/collections', plural, []))),
      ...(below.length === 0
        ? {}
        : {
            '/collections/holdings/{holdingId}/collections': operation('All collections of a holding', ['holdingId']),
          }),
      ...Object.assign(
        {},
        ...below.map((plural) =>
          collectionPaths('/collections/holdings/{holdingId}/collections', plural, ['holdingId']),
        ),
      ),
    },
    components: { parameters, ...otherComponents },
  }
}

function collectionPaths(at: string, plural: string, names: readonly ParameterName[]) {
  const title = `${plural.replace('-', ' ')}${names.length === 0 ? '' : ' of a holding'}`
  const path = `${at}/${plural}`
  const list: readonly ParameterName[] = [...names, 'limit', 'offset', 'after', 'bbox', 'datetime']
  return {
    [path]: operation(`The collection of ${title}`, names),
    [`${path}/items`]: operation(`The ${title}`, list, mediaTypes.geoJson),
    [`${path}/items/{id}`]: operation(`One of the ${title}`, [...names, 'id'], mediaTypes.geoJson),
  }
}

function operation(summary: string, names: readonly ParameterName[], media: string = mediaTypes.json) {
  const isOfFeatures = media === mediaTypes.geoJson
  const format: readonly ParameterName[] = ['profile', isOfFeatures ? 'featureFormat' : 'documentFormat']
  const all: readonly ParameterName[] = [...names, ...(media === mediaTypes.html ? [] : format), 'region']
  const isSearched = names.includes('id') || names.includes('holdingId')
  const failures = ['400', '401', ...(isSearched ? ['404'] : []), '500', 'default']
  const get: Operation = {
    summary,
    operationId: summary.toLowerCase().replaceAll(/[^a-z]+(\w)/g, (_, letter: string) => letter.toUpperCase()),
    parameters: all.map((name) => ({ $ref: `#/components/parameters/${name}` })),
    responses: {
      '200': { description: summary, content: { [media]: { schema: schemaOf(media, names) } } },
      ...Object.fromEntries(failures.map((status) => [status, { $ref: '#/components/responses/problem' }])),
    },
  }
  return { get }
}

function schemaOf(media: string, names: readonly ParameterName[]): object {
  if (media === mediaTypes.html) return { type: 'string' }
  if (media !== mediaTypes.geoJson) return { type: 'object' }
  return { $ref: `#/components/schemas/${names.includes('id') ? 'feature' : 'featureCollection'}` }
}

const link = {
  type: 'object',
  required: ['href', 'rel'],
  properties: {
    href: { type: 'string' },
    rel: { type: 'string' },
    type: { type: 'string' },
    title: { type: 'string' },
  },
}
const links = { type: 'array', items: link }
const text = { type: 'string' }
const count = { type: 'integer', minimum: 0 }

const otherComponents = {
  securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } },
  responses: {
    problem: {
      description: 'What is wrong',
      content: { [mediaTypes.problem]: { schema: { $ref: '#/components/schemas/problem' } } },
    },
  },
  schemas: {
    problem: {
      type: 'object',
      properties: { type: text, title: text, status: { type: 'integer' }, detail: text, instance: text },
    },
    feature: {
      type: 'object',
      required: ['type', 'geometry', 'properties'],
      properties: {
        type: { type: 'string', enum: ['Feature'] },
        id: text,
        geometry: { type: 'object', nullable: true, properties: { type: text } },
        properties: { type: 'object', nullable: true },
        links,
      },
    },
    featureCollection: {
      type: 'object',
      required: ['type', 'features'],
      properties: {
        type: { type: 'string', enum: ['FeatureCollection'] },
        timeStamp: { type: 'string', format: 'date-time' },
        numberMatched: count,
        numberReturned: count,
        links,
        features: { type: 'array', items: { $ref: '#/components/schemas/feature' } },
      },
    },
  },
}
