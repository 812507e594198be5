/** Serves the reference API (section 4.2): species and breeds for anybody, birth periods and medicine products for accounts. */

import { plainWords } from '../../core/values/plain-words.ts'
import { codeKey } from '../../resources/code-lists.ts'
import type { MedicineProduct } from '../../resources/livestock.ts'
import { weightsIn, json, Refusal, written } from '../http/responses.ts'
import { quoted } from '../http/query.ts'
import type { ReferenceData } from './reference-data.ts'
import { get, type Call, type Route } from '../http/router.ts'

const medicinesPath = '/reference/treatment/medicine-products'
const medicineFilters = ['registration_authority', 'species', 'classification']

export function referenceRoutes(data: ReferenceData): readonly Route[] {
  return [
    get('/reference/species', () => json(data.species), { access: 'unasked' }),
    get('/reference/breeds', (call) => breeds(call, data), { access: 'unasked', query: ['species'] }),
    get('/reference/birthPeriods', (call) => birthPeriods(call, data), { query: ['species', 'country'] }),
    get(medicinesPath, (call) => medicines(call, data), { query: medicineFilters }),
    get(`${medicinesPath}/:search`, (call) => medicineByName(call, data)),
    get(`${medicinesPath}/:identifierScheme/:identifierId`, (call) => medicineByNumber(call, data)),
  ]
}

function breeds(call: Call, data: ReferenceData): Response {
  const species = call.query.get('species')
  const supported = `Use ${data.species.join(', ')}.`
  if (species === null || species === '') throw new Refusal(400, `The parameter species is missing. ${supported}`)
  if (!data.species.some((each) => isSame(each, species)))
    throw new Refusal(400, `The species ${quoted(species)} is unknown. ${supported}`)
  return json(data.breeds.filter((breed) => isSame(breed.species, species)))
}

function birthPeriods(call: Call, data: ReferenceData): Response {
  const [species, country] = [call.query.get('species'), call.query.get('country')]
  const found = data.birthPeriods.filter((each) => matches(species, [each.species]) && matches(country, [each.country]))
  if (found.length > 0) return json(found)
  throw new Refusal(404, 'No birth period was found for this species and country.')
}

function medicines(call: Call, data: ReferenceData): Response {
  const [authority, species, classification] = medicineFilters.map((name) => call.query.get(name))
  const found = data.medicines.filter(
    (each) =>
      matches(authority!, [each.registeredId?.scheme, each.location?.id, each.meta?.source]) &&
      matches(species!, each.species ?? []) &&
      matches(classification!, [each.classification]),
  )
  return offered(
    call,
    found.map((each) => withSelf(each, call.base)),
  )
}

function medicineByNumber(call: Call, data: ReferenceData): Response {
  const [scheme, id] = [call.parameter('identifierScheme'), call.parameter('identifierId')]
  const found = data.medicines.find(({ registeredId }) => registeredId?.scheme === scheme && registeredId?.id === id)
  if (found !== undefined) return offered(call, withSelf(found, call.base))
  throw new Refusal(
    404,
    `No medicine product with the number ${quoted(id)} was found in the register ${quoted(scheme)}.`,
  )
}

// The answer is one product, so the best match: the exact name, then a name that starts with it, then one that contains it; shorter first.
function medicineByName(call: Call, data: ReferenceData): Response {
  const sought = plainWords(call.parameter('search').toLowerCase())
  const ranked = data.medicines
    .map((product) => ({ product, name: plainWords((product.name ?? '').toLowerCase()) }))
    .filter(({ name }) => sought !== '' && name.includes(sought))
    .map(({ product, name }) => ({ product, rank: (name.startsWith(sought) ? 0 : 1e6) + name.length }))
    .toSorted((one, other) => one.rank - other.rank)
  const best = ranked[0]?.product
  if (best !== undefined) return offered(call, withSelf(best, call.base))
  throw new Refusal(404, `No medicine product was found with ${quoted(call.parameter('search'))} in its name.`)
}

function withSelf(product: MedicineProduct, base: string): MedicineProduct {
  const { scheme = '', id = '' } = product.registeredId ?? {}
  return { ...product, self: `${base}${medicinesPath}/${encodeURIComponent(scheme)}/${encodeURIComponent(id)}` }
}

/** A filter that is missing or empty matches everything. */
function matches(wanted: string | null, values: readonly (string | undefined)[]): boolean {
  return wanted === null || wanted === '' || values.some((value) => isSame(value, wanted))
}

// An unencoded plus sign in a query arrives as a blank, and the service writes its values with and without signs.
function isSame(value: string | undefined, wanted: string): boolean {
  const key = codeKey(wanted)
  return value !== undefined && (value === wanted || (key !== '' && codeKey(value) === key))
}

const offeredTypes = ['application/json', 'text/json', 'text/plain'] as const

/** Medicine products come as three media types with the same text; the first where the caller names none. */
function offered(call: Call, document: unknown): Response {
  const wanted = preferred(call.request.headers.get('accept') ?? '*/*')
  const type = wanted.startsWith('text/') ? `${wanted}; charset=utf-8` : wanted
  return written(JSON.stringify(document), { 'Content-Type': type, Vary: 'Accept' })
}

function preferred(accept: string): string {
  const weights = weightsIn(accept)
  const weightOf = (type: string): number =>
    weights.get(type) ?? weights.get(`${type.split('/', 1)[0]!}/*`) ?? weights.get('*/*') ?? 0
  const weighed = offeredTypes.map((type) => ({ type, weight: weightOf(type) }))
  const best = weighed.reduce((one, other) => (other.weight > one.weight ? other : one))
  return best.type
}
