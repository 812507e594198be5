/** Runs `windrow service reference`: breeds, species, medicine products and birth periods. */

import type { Client } from '../../client/connection.ts'
import { WindrowError } from '../../core/error.ts'
import { identifierText } from '../../resources/resource-type.ts'
import { birthPeriod, breed, medicineProduct } from '../../resources/livestock.ts'
import { choice, connectionOption, text, type Call, type CommandGroup, type Specs } from '../options/command.ts'
import { connectionOf, reach } from '../options/reach.ts'
import { answerOptions, identifierOf, listing, textType } from './answer.ts'

const addressOption: Specs = { '--service <URL>': 'the address of the service, instead of a connection' }

/** Breeds and species are public: an address is enough. */
async function reachOpenly(call: Call): Promise<Client> {
  const service = text(call, 'service')
  if (service === undefined) return (await reach(call)).client
  const nobody = { name: service, service, tokenUrl: service, clientId: '', username: '', password: '' }
  return connectionOf(nobody, call).client
}

const breeds = listing({
  name: 'breeds',
  summary: 'List the breeds of a species. Needs no account.',
  words: { species: { description: 'cattle, sheep or deer', optional: true, choices: ['cattle', 'sheep', 'deer'] } },
  options: {
    '--species <SPECIES>': 'the species, as in the other commands',
    '--cross <WORD>': { description: 'yes: only crosses; no: without crosses', choices: ['yes', 'no'] },
    '--name <NAME>': 'only the breed with this name',
    '--code <SCHEME:ID>': 'only the breed with this code, such as ICAR3:HFR',
    ...addressOption,
    ...connectionOption,
    ...answerOptions,
  },
  examples: [
    'windrow service reference breeds sheep',
    'windrow service reference breeds cattle --cross no -o breeds.csv',
  ],
  async ask(call) {
    const cross = choice(call, 'cross', ['yes', 'no'])
    const wanted = call.words['species']?.[0] ?? text(call, 'species')
    if (wanted === undefined)
      throw new WindrowError('option-invalid', 'Which species?', {
        hint: 'Add cattle, sheep or deer. windrow service reference species lists them all.',
      })
    const [name, code] = [text(call, 'name'), text(call, 'code')]
    const identifier = code === undefined ? undefined : identifierOf(code, '--code')
    const filter = {
      isCross: cross && cross === 'yes',
      name,
      code: identifier && { schema: identifier.scheme, id: identifier.id },
    }
    const client = await reachOpenly(call)
    return client.breeds(wanted, filter, call.signal)
  },
  type: breed,
  shown: {
    Breed: ({ name }) => name,
    Species: (each) => each.species,
    Cross: ({ isCross }) => (isCross === true ? 'cross' : ''),
    Codes: ({ identifiers }) => identifiers?.map(identifierText),
  },
  nothing: 'No breed was found.',
})

const species = listing({
  name: 'species',
  summary: 'List the species that the service knows breeds of. Needs no account.',
  words: {},
  options: { ...addressOption, ...connectionOption, ...answerOptions },
  examples: ['windrow service reference species --service https://farms.example'],
  async ask(call) {
    const client = await reachOpenly(call)
    return (await client.species(call.signal)).map((name) => ({ name }))
  },
  type: textType('species', ['name']),
  shown: { Species: ({ name }) => name },
  nothing: 'The service has no species.',
})

const medicines = listing({
  name: 'medicines',
  summary: 'List medicine products for animals, or find one by name or registration number.',
  words: { name: { description: 'words of the name; finds the most similar product', optional: true } },
  options: {
    '--registered <SCHEME:ID>': 'the product with this registration number',
    '--authority <AUTHORITY>': 'only products registered with this authority',
    '--species <SPECIES>': 'only products for this species',
    '--classification <WORD>': 'only products of this class, such as Antibiotic+Related',
    ...connectionOption,
    ...answerOptions,
  },
  examples: [
    'windrow service reference medicines --species Sheep -o medicines.xlsx',
    'windrow service reference medicines --registered nz.example.agvet:A001001 --json',
  ],
  async ask(call) {
    const filter = {
      registrationAuthority: text(call, 'authority'),
      species: text(call, 'species'),
      classification: text(call, 'classification'),
    }
    const [words] = call.words['name'] ?? []
    const number = text(call, 'registered')
    const chosen = Object.values(filter).find((each) => each !== undefined)
    const ways = [words, number, chosen].filter((each) => each !== undefined)
    if (ways.length > 1)
      throw new WindrowError('option-invalid', 'Use a name, --registered, or the filters, but only one of these.')
    const registered = number === undefined ? undefined : identifierOf(number, '--registered')
    const { client } = await reach(call)
    const { signal } = call
    if (registered !== undefined) return listOf(await client.medicineProduct(registered, signal))
    if (words !== undefined) return listOf(await client.findMedicineProduct(words, signal))
    return client.medicineProducts(filter, signal)
  },
  type: medicineProduct,
  shown: {
    Product: ({ name }) => name,
    Registered: ({ registeredId }) => identifierText(registeredId),
    Class: ({ classification }) => classification,
    Form: ({ form }) => form,
    For: (each) => each.species,
    Until: ({ expiryDate }) => String(expiryDate ?? '').slice(0, 10),
  },
  nothing: 'No product was found.',
})

function listOf<Each>(one: Each | undefined): readonly Each[] {
  return one === undefined ? [] : [one]
}

const birthPeriods = listing({
  name: 'birth-periods',
  summary: 'List the birth periods of animals, by species and country.',
  words: {},
  options: {
    '--species <SPECIES>': 'only this species, such as Cattle',
    '--country <CODE>': 'only this country, such as NZ',
    ...connectionOption,
    ...answerOptions,
  },
  examples: ['windrow service reference birth-periods --species Cattle --country NZ'],
  async ask(call) {
    const { client } = await reach(call)
    const filter = { species: text(call, 'species'), country: text(call, 'country') }
    return client.birthPeriods(filter, call.signal)
  },
  type: birthPeriod,
  shown: {
    Country: ({ country }) => country,
    Species: (each) => each.species,
    Group: ({ groupingName }) => groupingName,
    From: ({ startDay }) => startDay,
    To: ({ endDay }) => endDay,
  },
  nothing: 'No birth period was found.',
})

export const reference: CommandGroup = {
  name: 'reference',
  summary: 'Show reference data: breeds, species, medicine products, birth periods.',
  parts: [breeds, species, medicines, birthPeriods],
}
