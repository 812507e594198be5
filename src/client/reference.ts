/** Calls the reference API: birth periods, medicine products, species and breeds. */

import { WindrowError } from '../core/error.ts'
import {
  birthPeriod,
  breed,
  medicineProduct,
  type BirthPeriod,
  type Breed,
  type MedicineProduct,
} from '../resources/livestock.ts'
import type { Identifier } from '../resources/resource-type.ts'
import { pathOf, queryOf } from './address.ts'
import { membersOf, objectsOf, recordOf, recordsOf, serviceConfused, textOf, type Received } from './reading.ts'
import type { Requester } from './request.ts'

/** Which medicine products; all without any of the three. The service compares the values. */
export type MedicineFilter = {
  readonly registrationAuthority?: string | undefined
  readonly species?: string | undefined
  readonly classification?: string | undefined
}

/** Which breeds of a species. The service filters by species only; the rest is filtered here. */
export type BreedFilter = {
  readonly isCross?: boolean | undefined
  readonly name?: string | undefined
  readonly code?: { readonly schema: string; readonly id: string } | undefined
}

const medicines = '/reference/treatment/medicine-products'

/** Makes the reference data calls of one connection. */
export function referenceData(requester: Requester) {
  const productAt = async (to: string, signal: AbortSignal | undefined) => {
    const answer = await requester.ask({ to, what: 'the medicine product', welcome: 404, signal })
    return answer.status === 404 ? undefined : recordOf<MedicineProduct>(medicineProduct, answer.body)
  }
  return {
    async birthPeriods(
      { species, country }: { readonly species?: string | undefined; readonly country?: string | undefined } = {},
      signal?: AbortSignal,
    ) {
      const to = `/reference/birthPeriods${queryOf({ species, country })}`
      const answer = await requester.ask({ to, what: 'the birth periods', welcome: 404, signal })
      return answer.status === 404 ? [] : recordsOf<BirthPeriod>(birthPeriod, answer.body)
    },
    async medicineProducts(filter: MedicineFilter = {}, signal?: AbortSignal) {
      const { registrationAuthority, species, classification } = filter
      const query = queryOf({ registration_authority: registrationAuthority, species, classification })
      const answer = await requester.ask({ to: medicines + query, what: 'the medicine products', signal })
      return recordsOf<MedicineProduct>(medicineProduct, answer.body)
    },
    medicineProduct: ({ scheme, id }: Identifier, signal?: AbortSignal) =>
      productAt(medicines + pathOf(scheme, id), signal),
    findMedicineProduct: (words: string, signal?: AbortSignal) => productAt(medicines + pathOf(words.trim()), signal),
    async species(signal?: AbortSignal) {
      const answer = await requester.ask({ to: '/reference/species', what: 'the species', unsigned: true, signal })
      return speciesOf(answer.body)
    },
    async breeds(species: string, filter: BreedFilter = {}, signal?: AbortSignal) {
      const to = `/reference/breeds${queryOf({ species: species.trim() || undefined })}`
      const answer = await requester.ask({ to, what: 'the breeds', unsigned: true, signal })
      const found = recordsOf<Breed>(breed, answer.body)
      if (found.some(({ identifiers }) => !Array.isArray(identifiers ?? [])))
        throw new WindrowError('service-confused', 'The service gave a breed codes that are not a list.')
      return found.filter((each) => isWanted(each, filter))
    },
  }
}

/** The interface does not define this body: names, or objects with a name. */
function speciesOf(body: unknown): readonly string[] {
  const names = Array.isArray(body) ? body.map((each) => textOf(each) ?? textOf(membersOf(each)?.['name'])) : []
  if (Array.isArray(body) && names.every((name) => name !== undefined)) return names
  throw serviceConfused('a list of species')
}

function isWanted(one: Received<Breed>, { isCross, name, code }: BreedFilter): boolean {
  if (isCross !== undefined && (one.isCross === true) !== isCross) return false
  if (name !== undefined && !same(one.name, name)) return false
  if (code === undefined) return true
  return objectsOf(one.identifiers).some((each) => same(each['schema'], code.schema) && same(each['id'], code.id))
}

function same(one: unknown, other: string): boolean {
  return typeof one === 'string' && one.trim().toLowerCase() === other.trim().toLowerCase()
}
