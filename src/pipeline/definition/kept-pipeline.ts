/** Keeps a pipeline with every decision in the run that it made, so that the run can be applied, retried or undone later. */

import { existsSync, statSync } from 'node:fs'
import { resolve } from 'node:path'
import { WindrowError } from '../../core/error.ts'
import { isWebAddress, withoutSecrets } from '../../core/sources/web-address.ts'
import { findResourceType, typeOfDataset } from '../../resources/index.ts'
import type { ResourceType } from '../../resources/resource-type.ts'
import type { ImportPipeline } from './definition.ts'

/** A pipeline as JSON: the type of its records by name. */
export type KeptPipeline = ReturnType<typeof keepPipeline>

/** The pipeline in the form that is kept, without the secrets in web addresses. */
export function keepPipeline({ type, mapping, path, from, ...rest }: ImportPipeline) {
  const { type: _, ...spec } = mapping
  const open = (name: string): string => (isWebAddress(name) ? withoutSecrets(name) : name)
  const places = { path: open(path), from: { ...from, file: open(from.file) } }
  return { ...rest, ...places, type: { name: type.name, plural: type.plural }, mapping: spec }
}

/** The pipeline that was kept; it stages the same as the one before, unless its address lost a secret. */
export function restorePipeline({ type: { name, plural }, mapping, ...rest }: KeptPipeline): ImportPipeline {
  const type: ResourceType = findResourceType(plural) ?? typeOfDataset({ name: plural, containedTypes: [name] }).type
  return { ...rest, type, mapping: { ...mapping, type } }
}

/** A one-off import has no pipeline file; its pipeline has the path of the file itself. */
export function isOneOff({ path, from }: Pick<KeptPipeline, 'path' | 'from'>): boolean {
  return path === from.file
}

/** Refuses a pipeline of whose name another one has kept something in the same state folder, if the file of the other is still there. */
export function assertSameFile(
  { name, path }: Pick<KeptPipeline, 'name' | 'path'>,
  { state, file }: { readonly state: string; readonly file: string },
): void {
  const other = resolve(state, file)
  if (!existsSync(other) || !existsSync(path) || isSameFile(other, path)) return
  throw new WindrowError('name-taken', `Another pipeline is called "${name}" here: ${other}. Nothing was sent.`, {
    hint: `The two share what windrow knows (${state}), and each would take the other's records or changes for its own. Rename one of them, or give it a folder of its own with --state.`,
  })
}

/** True for two paths to one file, through a link or in another spelling of a folder. */
function isSameFile(one: string, other: string): boolean {
  const [first, second] = [one, other].map((path) => statSync(path, { bigint: true }))
  return first!.ino === second!.ino && first!.dev === second!.dev
}
