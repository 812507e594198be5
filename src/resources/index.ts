/** Lists the record types that windrow knows, and finds the type that a word means, or that the records of a dataset have. */

import { WindrowError } from '../core/error.ts'
import { looseObject } from '../core/object-schema.ts'
import { closingMembers, leadingMembers } from './building-blocks.ts'
import { holding, landCover, plot } from './land.ts'
import { birthPeriod, breed, medicineProduct } from './livestock.ts'
import { loadReceival, pastureCoverEvent, sampleAnalysis, samplePlan } from './crop-observations.ts'
import type { ResourceType } from './resource-type.ts'
import { operationRecord, workRecord } from './work-record.ts'

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

/** The types that the streaming API accepts: each has a dataset and a short code. */
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

/** The type of a word: its name, plural, title, short code or alias, in any case, with or without hyphens. */
export function findResourceType(word: string): ResourceType | undefined {
  return typesByWord.get(wordKey(word))
}

/** The type that this word means, to publish. Throws 'option-invalid' where there is none. */
export function typeToPublish(word: string): ResourceType {
  const plurals = publishedTypes.map(({ plural }) => plural)
  return typeAmong(plurals, word, 'published')
}

/** The type that this word means, to export. Throws 'option-invalid' where there is none. */
export function typeToExport(word: string): ResourceType {
  return typeAmong(readableTypes, word, 'exported')
}

function typeAmong(plurals: readonly string[], word: string, what: string): ResourceType {
  const type = findResourceType(word)
  if (type !== undefined && plurals.includes(type.plural)) return type
  throw new WindrowError('option-invalid', `"${word}" cannot be ${what}.`, {
    hint: `Use one of: ${plurals.join(', ')}.`,
  })
}

function wordKey(word: string): string {
  return word.toLowerCase().replaceAll(/[\s_-]/g, '')
}

/** The members of every published record: all that is known of a dataset that windrow does not know (section 2.9). */
export const publishedResourceSchema = looseObject(['meta'], { ...leadingMembers, ...closingMembers })

type Dataset = { readonly name: string; readonly containedTypes?: readonly string[] }

/**
 * The type of a dataset's records, by its name or by the types that it lists; `note` is set when windrow does not know it and checks
 * only the common members.
 */
export function typeOfDataset({ name, containedTypes = [] }: Dataset): { type: ResourceType; note?: string } {
  const known = [name, ...containedTypes]
    .map(findResourceType)
    .find((type) => type !== undefined && publishedTypes.includes(type))
  if (known !== undefined) return { type: known }
  const type: ResourceType = {
    name: containedTypes[0] ?? name,
    title: name,
    plural: name,
    dataset: name,
    aliases: [...containedTypes, `/core/${name}`],
    shapes: ['Point', 'MultiPoint', 'LineString', 'MultiLineString', 'Polygon', 'MultiPolygon'],
    schema: publishedResourceSchema,
  }
  return {
    type,
    note: `windrow does not know the records of "${name}"; only the members of every published record are checked.`,
  }
}
