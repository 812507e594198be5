/** Hides the description of the features API for machines (OpenAPI 3.0). GDAL and QGIS read the limits of a page from it. */

const oneOf = (name: string, description: string) => ({
  name,
  in: 'path',
  required: true,
  description,
  schema: { type: 'string' },
})

// QGIS wants a component called limit, GDAL a reference whose text contains "limit"; both take its maximum as the page size.
const parameters = {
  limit: {
    name: 'limit',
    in: 'query',
    description: 'How many features to return at most. A larger number is lowered to the maximum.',
    required: false,
    style: 'form',
    explode: false,
    schema: { type: 'integer', minimum: 1, maximum: 10_000, default: 10 },
  },
  offset: {
    name: 'offset',
    in: 'query',
    description: 'How many features to pass over first.',
    required: false,
    style: 'form',
    explode: false,
    schema: { type: 'integer', minimum: 0, default: 0 },
  },
  bbox: {
    name: 'bbox',
    in: 'query',
    description:
      'minx,miny,maxx,maxy in longitude and latitude: features that it touches, and those without a location.',
    required: false,
    style: 'form',
    explode: false,
    schema: {
      type: 'array',
      oneOf: [
        { minItems: 4, maxItems: 4 },
        { minItems: 6, maxItems: 6 },
      ],
      items: { type: 'number' },
    },
  },
  documentFormat: { name: 'f', in: 'query', required: false, schema: { type: 'string', enum: ['json'] } },
  featureFormat: { name: 'f', in: 'query', required: false, schema: { type: 'string', enum: ['json', 'geojson'] } },
  holdingId: oneOf('holdingId', 'The id of a holding.'),
  id: oneOf('id', 'The id of a feature.'),
} as const

type ParameterName = keyof typeof parameters

const collections = [
  { at: '/collections/holdings', names: [], title: 'holdings' },
  { at: '/collections/plots', names: [], title: 'plots' },
  { at: '/collections/land-covers', names: [], title: 'land covers' },
  { at: '/collections/holdings/{holdingId}/collections/plots', names: ['holdingId'], title: 'plots of a holding' },
  {
    at: '/collections/holdings/{holdingId}/collections/land-covers',
    names: ['holdingId'],
    title: 'land covers of a holding',
  },
] as const satisfies readonly { at: string; names: readonly ParameterName[]; title: string }[]

/** The document, for the address that the service is asked at. */
export function apiDocument(base: string): object {
  const documents = {
    '/': operation('The landing page', [], 'application/json'),
    '/api': operation('This document', [], 'application/vnd.oai.openapi+json;version=3.0'),
    '/conformance': operation('What the service conforms to', [], 'application/json'),
    '/collections': operation('All collections', [], 'application/json'),
    '/collections/holdings/{holdingId}/collections': operation('All collections of a holding', ['holdingId']),
  }
  const ofCollections = collections.flatMap(({ at, names, title }) => [
    [at, operation(`The collection of ${title}`, names)],
    [`${at}/items`, operation(`The ${title}`, [...names, 'limit', 'offset', 'bbox'], 'application/geo+json')],
    [`${at}/items/{id}`, operation(`One of the ${title}`, [...names, 'id'], 'application/geo+json')],
  ])
  return {
    openapi: '3.0.3',
    info: { title: 'Farm records', version: '1.0.0', description: 'Holdings, plots and land covers as features.' },
    servers: [{ url: `${base}/ogc` }],
    security: [{ bearer: [] }, {}],
    paths: { ...documents, ...(Object.fromEntries(ofCollections) as Record<string, object>) },
    components: {
      parameters,
      securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } },
      responses: {
        problem: {
          description: 'What is wrong',
          content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/problem' } } },
        },
      },
      schemas: {
        problem: {
          type: 'object',
          properties: {
            type: { type: 'string' },
            title: { type: 'string' },
            status: { type: 'integer' },
            detail: { type: 'string' },
            instance: { type: 'string' },
          },
        },
      },
    },
  }
}

function operation(summary: string, names: readonly ParameterName[], media = 'application/json') {
  const format = media === 'application/geo+json' ? 'featureFormat' : 'documentFormat'
  return {
    get: {
      summary,
      parameters: [...names, format].map((name) => ({ $ref: `#/components/parameters/${name}` })),
      responses: {
        '200': { description: summary, content: { [media]: { schema: { type: 'object' } } } },
        default: { $ref: '#/components/responses/problem' },
      },
    },
  }
}
