/** Keeps a pipeline with every decision in the run that it made, so that the run can be applied, retried or undone later. */

import { findResourceType } from '../../resources/index.ts'
import { typeOfDataset } from '../../resources/published-resource.ts'
import type { ResourceType } from '../../resources/resource-type.ts'
import type { ImportPipeline } from './definition.ts'

/** A pipeline as JSON: the type of its records by name. */
export type KeptPipeline = Omit<ImportPipeline, 'type' | 'mapping'> & {
  readonly type: { readonly name: string; readonly plural: string }
  readonly mapping: Omit<ImportPipeline['mapping'], 'type'>
}

/** The pipeline in the form that is kept. */
export function keepPipeline({ type, mapping, ...rest }: ImportPipeline): KeptPipeline {
  const { type: _, ...spec } = mapping
  return { ...rest, type: { name: type.name, plural: type.plural }, mapping: spec }
}

/** The pipeline that was kept; it stages the same as the one before. */
export function restorePipeline({ type: { name, plural }, mapping, ...rest }: KeptPipeline): ImportPipeline {
  const type: ResourceType = findResourceType(plural) ?? typeOfDataset({ name: plural, containedTypes: [name] }).type
  return { ...rest, type, mapping: { ...mapping, type } }
}
