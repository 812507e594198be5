/**
 * The built-in reference records. Species and breeds are real, with the codes that are well known. Products, makers and registers
 * are invented, so that nobody treats an animal by them.
 */

import type { BirthPeriod, Breed, MedicineProduct } from '../../resources/livestock.ts'

export type ReferenceData = {
  readonly species: readonly string[]
  readonly breeds: readonly Breed[]
  readonly birthPeriods: readonly BirthPeriod[]
  readonly medicines: readonly MedicineProduct[]
}

const breedSchemes = ['ICAR3', 'ICAR2', 'NZ DIGAD1', 'BCMS'] as const

/** The codes come in the order of the schemes above; an empty one is left out. */
function cattle(name: string, codes: readonly string[] = [], isCross = false): Breed {
  const identifiers = breedSchemes.flatMap((schema, at) => (codes[at] ? [{ schema, id: codes[at] }] : []))
  return { name, species: 'Cattle', isCross, identifiers }
}

function others(species: string, names: string): readonly Breed[] {
  return names.split(', ').map((name) => ({ name, species, isCross: false, identifiers: [] }))
}

const breeds: readonly Breed[] = [
  cattle('Aberdeen Angus', ['AAN', 'AN', '', 'AA']),
  cattle('Ayrshire', ['AYR', 'AY', 'A', 'AY']),
  cattle('Belgian Blue', ['BBL', 'BB']),
  cattle('Brown Swiss', ['BSW', 'BS', '', 'BS']),
  cattle('Charolais', ['CHA', 'CH', '', 'CH']),
  cattle('Galloway'),
  cattle('Guernsey', ['GUE', 'GU', 'G', 'GU']),
  cattle('Hereford', ['HER', 'HE', '', 'HE']),
  cattle('Holstein', ['HOL', 'HO', 'F', 'HO']),
  cattle('Jersey', ['JER', 'JE', 'J', 'JE']),
  cattle('Limousin', ['LIM', 'LM', '', 'LIM']),
  cattle('Murray Grey'),
  cattle('Shorthorn'),
  cattle('Simmental', ['SIM', 'SM', '', 'SIM']),
  cattle('South Devon'),
  cattle('Wagyu'),
  cattle('Aberdeen Angus cross', ['', '', '', 'AAX'], true),
  cattle('Charolais cross', ['', '', '', 'CHX'], true),
  cattle('Hereford cross', ['', '', '', 'HEX'], true),
  cattle('Holstein Friesian Jersey cross', [], true),
  cattle('Limousin cross', ['', '', '', 'LIMX'], true),
  ...others(
    'Sheep',
    'Border Leicester, Cheviot, Coopworth, Corriedale, Dorset Horn, Drysdale, East Friesian, Finnish Landrace, Merino, Perendale, ' +
      'Poll Dorset, Romney, South Suffolk, Southdown, Suffolk, Texel, Wiltshire',
  ),
  ...others('Deer', 'Red, Wapiti, Fallow, Sika, Rusa, White-tailed'),
]

/** The days are month and day. */
const birthPeriods: readonly BirthPeriod[] = (
  [
    ['NZ', 'Cattle', 'Spring', '07-01', '12-31'],
    ['NZ', 'Cattle', 'Autumn', '01-01', '06-30'],
    ['NZ', 'Sheep', 'Early lambing', '06-01', '07-31'],
    ['NZ', 'Sheep', 'Main lambing', '08-01', '10-31'],
    ['NZ', 'Deer', 'Fawning', '11-01', '01-31'],
    ['AU', 'Cattle', 'Autumn', '02-01', '06-30'],
    ['AU', 'Cattle', 'Spring', '07-01', '11-30'],
    ['AU', 'Sheep', 'Winter lambing', '05-01', '08-31'],
    ['GB', 'Cattle', 'Spring', '01-01', '06-30'],
    ['GB', 'Cattle', 'Autumn', '07-01', '12-31'],
    ['GB', 'Sheep', 'Lambing', '01-01', '05-31'],
  ] as const
).map(([country, species, groupingName, startDay, endDay]) => ({ country, species, groupingName, startDay, endDay }))

const registers = {
  NZ: { scheme: 'nz.example.agvet', source: 'Example Register of Veterinary Medicines' },
  AU: { scheme: 'au.example.agvet', source: 'Example Board of Animal Medicines' },
} as const

const makers = {
  Tussock: 'Tussock Animal Health (example)',
  Kea: 'Kea Veterinary Supplies (example)',
  Wattle: 'Wattle Creek Remedies (example)',
} as const

/**
 * Medicines, one a line: number, name, maker, class, form, first and last day of its registration, what it contains, and for how many
 * days no meat, milk and so on of which animals may be sold.
 */
function medicinesIn(register: keyof typeof registers, lines: string): readonly MedicineProduct[] {
  const { scheme, source } = registers[register]
  const moment = (day: string): string => `${day}T00:00:00+00:00`
  return lines
    .trim()
    .split('\n')
    .map((line) => {
      const [id, name, maker, classification, form, days, contents, withheld] = line.split(' | ') as unknown as Cells
      const [from, until, state] = days.split(' ') as [string, string, string?]
      const withholdings = withheld.split('; ').flatMap((each) => {
        const [species, ...products] = each.split(/,? /) as [string, ...string[]]
        return products.map((product) => {
          const [productType, lasting] = product.split('=') as [string, string]
          return { hours: Number(lasting) * 24, market: 'Domestic', productType, species }
        })
      })
      return {
        resourceType: 'medicineProductResource',
        name,
        registeredId: { scheme, id },
        registrant: makers[maker],
        classification,
        form,
        approved: state ?? 'Approved',
        registrationDate: moment(from),
        expiryDate: moment(until),
        species: [...new Set(withholdings.map(({ species }) => species))],
        activeIngredients: contents.split('; ').map((each) => ({
          id: { scheme: 'org.example.substance', id: each.slice(0, each.indexOf(' ')) },
          name: each.slice(each.indexOf(' ') + 1),
        })),
        withholdings,
        location: { scheme: 'org.iso.3166', id: register },
        meta: { source, modified: moment(from), isDeleted: false },
      }
    })
}

type Cells = readonly [
  id: string,
  name: string,
  maker: keyof typeof makers,
  classification: string,
  form: string,
  days: string,
  contents: string,
  withheld: string,
]

const medicines = [
  ...medicinesIn(
    'NZ',
    `
A001001 | Alphacide Drench | Tussock | Immuno+Parasite+Nutrition | OralSolution/Suspension | 2019-03-01 2029-02-28 | I-7 Abamectin; I-31 Selenium | Cattle Meat=14; Sheep Meat=10
A001002 | Alphacide Pour-on | Tussock | Parasiticides | TopicalSolution/Suspension | 2020-07-15 2030-07-14 | I-7 Abamectin | Cattle Meat=28, Milk=0; Deer Meat=28
A002115 | Kōwhai Penicillin Injection | Kea | Antibiotic+Related | ParenteralLiquid/Solution/Suspension | 2016-11-02 2027-11-01 | I-12 Procaine benzylpenicillin | Cattle Meat=10, Milk=4; Sheep Meat=10; Horse Meat=28
A002240 | Drywell Dry Cow | Kea | Antibiotic+Related | Intra-Mammary | 2018-05-20 2028-05-19 | I-14 Cloxacillin | Cattle Meat=30, Milk=4
A003307 | Five Way Ewe Vaccine | Tussock | Immunotherapy | VaccinesOrAntiSera | 2014-01-10 2034-01-09 | I-50 Clostridium toxoids | Sheep Meat=0; Goat Meat=0
A003911 | Heatwatch Insert | Kea | EndocrineSystem | Intra-Vaginal/UterinePrep/Device | 2021-09-30 2031-09-29 | I-61 Progesterone | Cattle Meat=0, Milk=0
A004410 | Ridgeline Pain Relief | Kea | Anaesthetics/Analgesics | Injection | 2012-02-14 2022-02-13 Expired | I-70 Meloxicam | Cattle Meat=10, Milk=3; Pig Meat=5
A004777 | Velvet Antler Local | Tussock | Anaesthetics/Analgesics | Injection | 2017-10-01 2027-09-30 | I-71 Lignocaine | Deer Velvet=0, Meat=1; Elk Velvet=0
`,
  ),
  ...medicinesIn(
    'AU',
    `
60417 | Alphacide Drench for Sheep | Wattle | Parasiticides | OralSolution/Suspension | 2019-08-08 2029-08-07 | I-7 Abamectin | Sheep Meat=14, Fibre=0
60533 | Wattle Eye Ointment | Wattle | OphthalmicPreparations | Ointment(Inc.Lotion-Salve-Dressing) | 2015-04-04 2028-04-03 | I-14 Cloxacillin | Cattle Meat=0; Sheep Meat=0; Buffalo Meat=0
61020 | Calcium and Magnesium Lift | Wattle | Nutrition+Metabolism | ParenteralLiquid/Solution/Suspension | 2022-01-20 2032-01-19 | I-80 Calcium borogluconate; I-81 Magnesium hypophosphite | Cattle Meat=0, Milk=0
`,
  ),
]

/** The reference records that the service uses by default. */
export const referenceData: ReferenceData = { species: ['Cattle', 'Sheep', 'Deer'], breeds, birthPeriods, medicines }
