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

type Product = {
  readonly register: keyof typeof registers
  readonly number: string
  readonly name: string
  readonly registrant: string
  readonly classification: string
  readonly form: string
  /** Day of registration, and the day on which it ends. */
  readonly days: readonly [string, string]
  readonly ingredients: Readonly<Record<string, string>>
  /** Days by species and product. */
  readonly withhold: Readonly<Record<string, Readonly<Record<string, number>>>>
  readonly approved?: string
}

function medicine({ register, number, name, days, ingredients, withhold, ...more }: Product): MedicineProduct {
  const { scheme, source } = registers[register]
  const { registrant, classification, form, approved = 'Approved' } = more
  const moment = (day: string): string => `${day}T00:00:00+00:00`
  return {
    resourceType: 'medicineProductResource',
    name,
    registeredId: { scheme, id: number },
    registrant,
    classification,
    form,
    approved,
    registrationDate: moment(days[0]),
    expiryDate: moment(days[1]),
    species: Object.keys(withhold),
    activeIngredients: Object.entries(ingredients).map(([id, each]) => ({
      id: { scheme: 'org.example.substance', id },
      name: each,
    })),
    withholdings: Object.entries(withhold).flatMap(([species, products]) =>
      Object.entries(products).map(([productType, lasting]) => ({
        hours: lasting * 24,
        market: 'Domestic',
        productType,
        species,
      })),
    ),
    location: { scheme: 'org.iso.3166', id: register },
    meta: { source, modified: moment(days[0]), isDeleted: false },
  }
}

const makers = {
  tussock: 'Tussock Animal Health (example)',
  kea: 'Kea Veterinary Supplies (example)',
  wattle: 'Wattle Creek Remedies (example)',
} as const

const medicines: readonly MedicineProduct[] = [
  medicine({
    register: 'NZ',
    number: 'A001001',
    name: 'Alphacide Drench',
    registrant: makers.tussock,
    classification: 'Immuno+Parasite+Nutrition',
    form: 'OralSolution/Suspension',
    days: ['2019-03-01', '2029-02-28'],
    ingredients: { 'I-7': 'Abamectin', 'I-31': 'Selenium' },
    withhold: { Cattle: { Meat: 14 }, Sheep: { Meat: 10 } },
  }),
  medicine({
    register: 'NZ',
    number: 'A001002',
    name: 'Alphacide Pour-on',
    registrant: makers.tussock,
    classification: 'Parasiticides',
    form: 'TopicalSolution/Suspension',
    days: ['2020-07-15', '2030-07-14'],
    ingredients: { 'I-7': 'Abamectin' },
    withhold: { Cattle: { Meat: 28, Milk: 0 }, Deer: { Meat: 28 } },
  }),
  medicine({
    register: 'NZ',
    number: 'A002115',
    name: 'Kōwhai Penicillin Injection',
    registrant: makers.kea,
    classification: 'Antibiotic+Related',
    form: 'ParenteralLiquid/Solution/Suspension',
    days: ['2016-11-02', '2027-11-01'],
    ingredients: { 'I-12': 'Procaine benzylpenicillin' },
    withhold: { Cattle: { Meat: 10, Milk: 4 }, Sheep: { Meat: 10 }, Horse: { Meat: 28 } },
  }),
  medicine({
    register: 'NZ',
    number: 'A002240',
    name: 'Drywell Dry Cow',
    registrant: makers.kea,
    classification: 'Antibiotic+Related',
    form: 'Intra-Mammary',
    days: ['2018-05-20', '2028-05-19'],
    ingredients: { 'I-14': 'Cloxacillin' },
    withhold: { Cattle: { Meat: 30, Milk: 4 } },
  }),
  medicine({
    register: 'NZ',
    number: 'A003307',
    name: 'Five Way Ewe Vaccine',
    registrant: makers.tussock,
    classification: 'Immunotherapy',
    form: 'VaccinesOrAntiSera',
    days: ['2014-01-10', '2034-01-09'],
    ingredients: { 'I-50': 'Clostridium toxoids' },
    withhold: { Sheep: { Meat: 0 }, Goat: { Meat: 0 } },
  }),
  medicine({
    register: 'NZ',
    number: 'A003911',
    name: 'Heatwatch Insert',
    registrant: makers.kea,
    classification: 'EndocrineSystem',
    form: 'Intra-Vaginal/UterinePrep/Device',
    days: ['2021-09-30', '2031-09-29'],
    ingredients: { 'I-61': 'Progesterone' },
    withhold: { Cattle: { Meat: 0, Milk: 0 } },
  }),
  medicine({
    register: 'NZ',
    number: 'A004410',
    name: 'Ridgeline Pain Relief',
    registrant: makers.kea,
    classification: 'Anaesthetics/Analgesics',
    form: 'Injection',
    days: ['2012-02-14', '2022-02-13'],
    approved: 'Expired',
    ingredients: { 'I-70': 'Meloxicam' },
    withhold: { Cattle: { Meat: 10, Milk: 3 }, Pig: { Meat: 5 } },
  }),
  medicine({
    register: 'NZ',
    number: 'A004777',
    name: 'Velvet Antler Local',
    registrant: makers.tussock,
    classification: 'Anaesthetics/Analgesics',
    form: 'Injection',
    days: ['2017-10-01', '2027-09-30'],
    ingredients: { 'I-71': 'Lignocaine' },
    withhold: { Deer: { Velvet: 0, Meat: 1 }, Elk: { Velvet: 0 } },
  }),
  medicine({
    register: 'AU',
    number: '60417',
    name: 'Alphacide Drench for Sheep',
    registrant: makers.wattle,
    classification: 'Parasiticides',
    form: 'OralSolution/Suspension',
    days: ['2019-08-08', '2029-08-07'],
    ingredients: { 'I-7': 'Abamectin' },
    withhold: { Sheep: { Meat: 14, Fibre: 0 } },
  }),
  medicine({
    register: 'AU',
    number: '60533',
    name: 'Wattle Eye Ointment',
    registrant: makers.wattle,
    classification: 'OphthalmicPreparations',
    form: 'Ointment(Inc.Lotion-Salve-Dressing)',
    days: ['2015-04-04', '2028-04-03'],
    ingredients: { 'I-14': 'Cloxacillin' },
    withhold: { Cattle: { Meat: 0 }, Sheep: { Meat: 0 }, Buffalo: { Meat: 0 } },
  }),
  medicine({
    register: 'AU',
    number: '61020',
    name: 'Calcium and Magnesium Lift',
    registrant: makers.wattle,
    classification: 'Nutrition+Metabolism',
    form: 'ParenteralLiquid/Solution/Suspension',
    days: ['2022-01-20', '2032-01-19'],
    ingredients: { 'I-80': 'Calcium borogluconate', 'I-81': 'Magnesium hypophosphite' },
    withhold: { Cattle: { Meat: 0, Milk: 0 } },
  }),
]

/** The reference records that the service uses by default. */
export const referenceData: ReferenceData = { species: ['Cattle', 'Sheep', 'Deer'], breeds, birthPeriods, medicines }
