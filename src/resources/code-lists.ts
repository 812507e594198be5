/**
 * Lists the values of the service's code lists. All lists are open: a value that is not listed is passed on. The long lists
 * of medicine are in medicine-lists.ts.
 */

import { medicineClassifications, medicineForms } from './medicine-lists.ts'

/** `name` is the `format` in schemas; `title` names a value of the list in a sentence. */
export type CodeList = { readonly name: string; readonly title: string; readonly values: readonly string[] }

/** All lists. Where the service has two spellings of a value, both are listed. */
export const codeLists: readonly CodeList[] = [
  {
    name: 'work-status',
    title: 'status of a job',
    values: ['Scheduled', 'InProgress', 'Paused', 'PartiallyCompleted', 'Complete', 'Cancelled'],
  },
  { name: 'priority', title: 'priority', values: ['Immediately', 'SoonAsPossible', 'High', 'Medium', 'Low'] },
  {
    name: 'operation',
    title: 'kind of work',
    values: [
      'Unknown',
      'Fertilizing',
      'SowingAndPlanting',
      'CropProtection',
      'Tillage',
      'Baling',
      'Mowing',
      'Wrapping',
      'Harvesting',
      'ForageHarvesting',
      'Transport',
      'Swathing',
      'Irrigation',
      'DataCollection',
      'Grazing',
      'Burning',
    ],
  },
  {
    name: 'wind-direction',
    title: 'wind direction',
    values: ['N', 'NNE', 'NE', 'ENE', 'E', 'ESE', 'SE', 'SSE', 'S', 'SSW', 'SW', 'WSW', 'W', 'WNW', 'NW', 'NNW'],
  },
  {
    name: 'abundance',
    title: 'abundance',
    values: ['Dominant', 'Abundant', 'Frequent', 'Occasional', 'Rare', 'NotObserved'],
  },
  {
    name: 'medicine-species',
    title: 'kind of animal',
    values: ['Buffalo', 'Cattle', 'Deer', 'Elk', 'Goat', 'Horse', 'Pig', 'Sheep'],
  },
  { name: 'breed-species', title: 'kind of animal', values: ['Cattle', 'Sheep', 'Deer'] },
  {
    name: 'breed-scheme',
    title: 'scheme of breed codes',
    values: ['ICAR3', 'ICAR2', 'NZ DIGAD3', 'NZ DIGAD1', 'ABRI', 'BCMS'],
  },
  {
    name: 'withholding-product',
    title: 'product that is withheld',
    values: ['Eggs', 'Fibre', 'Honey', 'Meat', 'Milk', 'Other', 'Velvet'],
  },
  { name: 'medicine-classification', title: 'class of medicine', values: medicineClassifications },
  { name: 'medicine-form', title: 'form of a medicine', values: medicineForms },
]

const valuesByKey = new Map(
  codeLists.map(({ name, values }) => [
    name,
    new Map(values.map((value) => [codeKey(value), value] as const).toReversed()),
  ]),
)
const valuesByList = new Map(codeLists.map(({ name, values }) => [name, values]))

/** True when the list has the value in exactly this spelling. */
export function isListed(name: string, value: string): boolean {
  return valuesByList.get(name)?.includes(value) ?? false
}

/** The value in the list's spelling, ignoring case, spaces and signs; undefined when it is not in the list. */
export function listedSpelling(name: string, value: string): string | undefined {
  return isListed(name, value) ? value : valuesByKey.get(name)?.get(codeKey(value))
}

/** A key that all spellings of a value share: `Antibiotic+Related`, `Antibiotic Related` and `AntibioticRelated`. */
export function codeKey(value: string): string {
  return value.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, '')
}
