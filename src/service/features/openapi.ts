/** Describes the features API (OpenAPI 3.0) and writes the same as a page for people. GDAL and QGIS read the page size from it. */

import type { Root } from './feature-documents.ts'
import { largestLimit } from '../http/query.ts'
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

export const profiles = ['record', 'flat']
/** The values of `f`; each gives the one format that there is. */
export const documentFormats = ['json']
export const featureFormats = ['json', 'geojson']

/** What a list of features can be asked for, beside a profile and a format. */
export const listParameters = ['limit', 'offset', 'after', 'bbox', 'datetime'] as const

// QGIS wants a component called limit, GDAL a reference whose text contains "limit"; both take its maximum as the page size.
const parameters = {
  limit: asked('limit', 'The largest number of features to return. A number above the maximum counts as the maximum.', {
    type: 'integer',
    minimum: 1,
    maximum: largestLimit,
    default: 10,
  }),
  offset: asked('offset', 'How many features to skip first.', { type: 'integer', minimum: 0, default: 0 }),
  after: asked(
    'after',
    'Where the previous page ended. Its next link contains this value; new and deleted records do not shift the pages.',
    { type: 'string' },
  ),
  bbox: asked(
    'bbox',
    'minx,miny,maxx,maxy in longitude and latitude: returns features that touch this box, and features without a location.',
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
    'A time, or two with a slash between them; one of the two may be "..". Returns features that are valid then, by meta.validFrom ' +
      'and meta.validTo. A feature without these is always valid.',
    { type: 'string' },
  ),
  profile: asked(
    'profile',
    'The form of the properties of features: the whole record, or flat columns for tables. It does not change other documents.',
    { type: 'string', enum: profiles, default: 'record' },
  ),
  documentFormat: asked('f', 'The format of the answer.', { type: 'string', enum: documentFormats }),
  featureFormat: asked('f', 'The format of the answer: both values give GeoJSON.', {
    type: 'string',
    enum: featureFormats,
  }),
  region: {
    name: 'X-Requested-Region',
    in: 'header',
    description: 'Returns only records of this country, given as a two-letter code (ISO 3166-1).',
    required: false,
    schema: { type: 'string', pattern: '^[A-Za-z]{2}$' },
  },
  holdingId: oneOf('holdingId', 'The id of a holding.'),
  id: oneOf('id', 'The id of a feature.'),
} as const satisfies Readonly<Record<string, Parameter>>

type ParameterName = keyof typeof parameters

/** The document of a root at its address. Each parameter is written once and referred to. */
export function apiDocument(address: string, root: Root) {
  const plurals = root.types.map(({ plural }) => plural)
  const below = plurals.includes('holdings') ? plurals.filter((plural) => plural !== 'holdings') : []
  const ofHolding = '/collections/holdings/{holdingId}/collections'
  const paths: Readonly<Record<string, ReturnType<typeof operation>>> = {
    '/': operation('The landing page', []),
    '/api': operation('This document', [], mediaTypes.openApi),
    '/api.html': operation('This document for people', [], mediaTypes.html),
    '/conformance': operation('The standards that the service conforms to', []),
    '/collections': operation('All collections', []),
    ...Object.fromEntries(plurals.flatMap((plural) => collectionPaths('/collections', plural, []))),
    ...(below.length > 0 && { [ofHolding]: operation('All collections of a holding', ['holdingId']) }),
    ...Object.fromEntries(below.flatMap((plural) => collectionPaths(ofHolding, plural, ['holdingId']))),
  }
  return {
    openapi: '3.0.3',
    info: { title: 'Farm records', version: '1.0.0', description: 'Holdings, plots and land covers as features.' },
    servers: [{ url: address }],
    security: [{ bearer: [] }, {}],
    paths,
    components: { parameters, ...otherComponents },
  } as const
}

function collectionPaths(at: string, plural: string, names: readonly ParameterName[]) {
  const title = `${plural.replace('-', ' ')}${names.length === 0 ? '' : ' of a holding'}`
  const path = `${at}/${plural}`
  return [
    [path, operation(`The collection of ${title}`, names)],
    [`${path}/items`, operation(`The ${title}`, [...names, ...listParameters], mediaTypes.geoJson)],
    [`${path}/items/{id}`, operation(`One of the ${title}`, [...names, 'id'], mediaTypes.geoJson)],
  ] as const
}

function operation(summary: string, names: readonly ParameterName[], media: string = mediaTypes.json) {
  const isOfFeatures = media === mediaTypes.geoJson
  const format: readonly ParameterName[] = ['profile', isOfFeatures ? 'featureFormat' : 'documentFormat']
  const all: readonly ParameterName[] = [...names, ...(media === mediaTypes.html ? [] : format), 'region']
  const isSearched = names.includes('id') || names.includes('holdingId')
  const failures = ['400', '401', ...(isSearched ? ['404'] : []), '500', 'default']
  const get = {
    summary,
    operationId: summary.toLowerCase().replaceAll(/[^a-z]+(\w)/g, (_, letter: string) => letter.toUpperCase()),
    parameters: all.map((name) => ({ $ref: `#/components/parameters/${name}` as const })),
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
      description: 'A description of the problem',
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

/** The same as a plain page without script, which OGC asks for besides the JSON. */
export function apiPage({ info, servers, paths }: ReturnType<typeof apiDocument>): string {
  const root = servers[0].url
  const known: Readonly<Record<string, Parameter>> = parameters
  const rows = Object.entries(paths).map(([path, { get }]) => {
    const names = get.parameters.map(({ $ref }) => $ref.slice($ref.lastIndexOf('/') + 1))
    const asked = names.map((name) => known[name]!.name).join(', ')
    return `<tr><td><code>${escaped(path)}</code></td><td>${escaped(get.summary)}</td><td>${escaped(asked)}</td></tr>`
  })
  const described = Object.values(known).map(
    ({ name, description }) => `<dt><code>${escaped(name)}</code></dt><dd>${escaped(description)}</dd>`,
  )
  return `<!doctype html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>${escaped(info.title)}</title>
<style>body { font: 1rem/1.5 system-ui, sans-serif; max-width: 70rem; margin: 2rem auto; padding: 0 1rem }
td, th { text-align: left; vertical-align: top; padding: .2rem 1rem .2rem 0 }
code { overflow-wrap: anywhere }</style>
<h1>${escaped(info.title)}</h1>
<p>${escaped(info.description)} All addresses are below <code>${escaped(root)}</code> and are read with GET. Send an access token as
<code>Authorization: Bearer ...</code>; without one the collections are empty. For programs: <a href="api">OpenAPI 3.0</a>.</p>
<table><tr><th>Address</th><th>Content</th><th>Parameters</th></tr>
${rows.join('\n')}
</table>
<dl>${described.join('\n')}</dl>
</html>
`
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')
}
