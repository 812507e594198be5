/** Hides nothing: the list of the record types that windrow knows, and the one table of the words for them. */

import { birthPeriod, breed } from './livestock.ts'
import { holding } from './holding.ts'
import { landCover } from './land-cover.ts'
import { loadReceival, sampleAnalysis, samplePlan } from './loads-and-samples.ts'
import { medicineProduct } from './medicine.ts'
import { operationRecord } from './operation.ts'
import { pastureCoverEvent } from './pasture-cover.ts'
import { plot } from './plot.ts'
import type { ResourceType } from './resource-type.ts'
import { workRecord } from './work-record.ts'

/** Every type of record, those that can be published first. */
export const resourceTypes: readonly ResourceType[] = [
  holding,
  plot,
  landCover,
  workRecord,
  operationRecord,
  pastureCoverEvent,
  loadReceival,
  sampleAnalysis,
  samplePlan,
  medicineProduct,
  birthPeriod,
  breed,
]

/** The types that the streaming API takes: each has a dataset and a short code. */
export const publishedTypes: readonly ResourceType[] = resourceTypes.filter((type) => type.dataset !== undefined)

/** The types, by their plural, that can be read as a list of records. */
export const readableTypes = [
  'plots',
  'holdings',
  'land-covers',
  'work-records',
  'pasture-cover-events',
  'load-receivals',
  'sample-analyses',
  'sample-plans',
] as const

const typesByWord = new Map<string, ResourceType>(
  resourceTypes.flatMap((type) =>
    [type.name, type.plural, type.title, type.shortCode ?? type.name, ...type.aliases].map(
      (word): [string, ResourceType] => [wordKey(word), type],
    ),
  ),
)

/** The type that a word stands for: its name, plural, title, short code or alias, in any case, with or without hyphens. */
export function findResourceType(word: string): ResourceType | undefined {
  return typesByWord.get(wordKey(word))
}

function wordKey(word: string): string {
  return word.toLowerCase().replaceAll(/[\s_-]/g, '')
}
