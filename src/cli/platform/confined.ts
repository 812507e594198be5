/** Keeps a tenant's pipeline to files in the tenant's own folder and at its own addresses, whatever paths and links lead to. */

import { readdirSync, realpathSync } from 'node:fs'
import { basename, dirname, join, sep } from 'node:path'
import { WindrowError } from '../../core/error.ts'
import { isWebAddress, parseWebAddress } from '../../core/sources/web-address.ts'
import type { Pipeline } from '../../pipeline/definition/definition.ts'

/** A pipeline; or only where it lies, where a person has named its file. */
export type Reached = Pipeline | Pick<Pipeline, 'path' | 'connection'>

type Confines = { readonly folder: string; readonly addresses: readonly string[] }

/** Throws 'tenant-refused' where the pipeline reads or writes outside the folder and the addresses, or in a private network. */
export function checkConfined(pipeline: Reached, { folder, addresses }: Confines): void {
  if ('from' in pipeline && pipeline.from.allowsPrivate)
    throw new WindrowError('tenant-refused', 'A pipeline of a tenant cannot read from this machine or its network.', {
      hint: 'Remove private addresses: allow from the pipeline.',
    })
  const inside = realPath(folder)
  const places = Map.groupBy(placesOf(pipeline), isWebAddress)
  for (const address of places.get(true) ?? []) checkAddress(address, addresses)
  for (const path of places.get(false) ?? []) {
    const isInside = (real: string | undefined): boolean => real === inside || real?.startsWith(inside + sep) === true
    const outside = isInside(realPath(path)) ? linksBeside(path).find((each) => !isInside(targetOf(each))) : path
    if (outside === undefined) continue
    throw new WindrowError('tenant-refused', `"${outside}" lies outside the folder of its tenant.`, {
      hint: `A pipeline of a tenant reads and writes only below "${folder}". Move the file there.`,
    })
  }
}

/** The keys for sites and stores serve all tenants, so that the operator says who may use them where. */
function checkAddress(address: string, addresses: readonly string[]): void {
  const { at, shown } = parseWebAddress(address)
  const whole = at instanceof URL ? at.href : shown
  const isOwn = (begin: string): boolean => whole.startsWith(at instanceof URL ? new URL(begin).href : begin)
  if (addresses.some((begin) => begin.startsWith('s3:') !== at instanceof URL && isOwn(begin))) return
  throw new WindrowError('tenant-refused', `"${shown}" is at none of the addresses of its tenant.`, {
    hint: 'The operator lists them in tenants.yaml, such as  addresses: [https://files.example/rimu/, s3://farms/rimu/]',
  })
}

function placesOf(pipeline: Reached): readonly string[] {
  const own = [pipeline.path, join(dirname(pipeline.path), '.windrow', 'runs')]
  if ('to' in pipeline) return [...own, pipeline.to.file]
  if (!('from' in pipeline)) return own
  const { file, watch, grids } = pipeline.from
  const named = [file, watch?.folder, watch?.moveTo, grids]
  return [...own, ...named.filter((each) => each !== undefined)]
}

/** The links in a folder, or beside a file: a shapefile has several files of one name. */
function linksBeside(path: string): readonly string[] {
  for (const folder of [path, dirname(path)])
    try {
      const entries = readdirSync(folder, { withFileTypes: true })
      return entries.filter((entry) => entry.isSymbolicLink()).map(({ name }) => join(folder, name))
    } catch {
      // Not a folder, or not there yet.
    }
  return []
}

/** Where a link leads; undefined if nothing is there, because a file that is made there may lie anywhere. */
function targetOf(link: string): string | undefined {
  try {
    return realpathSync.native(link)
  } catch {
    return undefined
  }
}

/** The path with all links followed; of what is not there yet, that of the folder which is. */
export function realPath(path: string): string {
  const above = dirname(path)
  return targetOf(path) ?? (above === path ? path : join(realPath(above), basename(path)))
}
