/** Reads the pipelines of many farms: each folder below a root has those of one farm. */

import { readdirSync } from 'node:fs'
import { basename, dirname, join, relative, sep } from 'node:path'
import { WindrowError } from '../../core/error.ts'
import { isShareLost } from '../../core/storage-failure.ts'
import type { Format } from '../../formats/format.ts'
import { notifyFile } from '../../notify/settings.ts'
import type { Pipeline } from '../../pipeline/definition/definition.ts'
import { inStore } from '../options/reach.ts'
import { readUnlessKnown, type Broken, type ReadBefore } from './schedule-folder.ts'
import { checkConnection, tenantsFile, type Tenants } from '../platform/tenants.ts'

/**
 * A pipeline of a farm. `file` is its path below the root, with slashes; `name` has the name of the folder too. Without tenants.yaml
 * each farm is its own tenant.
 */
export type FarmPipeline = {
  readonly name: string
  readonly farm: string
  readonly tenant: string
  readonly file: string
  readonly pipeline: Pipeline
}

export type FarmDeps = {
  readonly formats: readonly Format[]
  readonly tenants: Tenants | undefined
  readonly before?: ReadBefore
}

/** All pipelines below the root, and the files that cannot be used. Folders that begin with a dot are not looked into. */
export async function readFarms(
  root: string,
  { formats, tenants, before = new Map() }: FarmDeps,
): Promise<{ readonly pipelines: readonly FarmPipeline[]; readonly broken: readonly Broken[] }> {
  const found = new Map<string, FarmPipeline>()
  const broken: Broken[] = []
  for (const path of yamlFiles(root)) {
    if (path === join(root, tenantsFile)) continue
    const file = relative(root, path).split(sep).join('/')
    try {
      const pipeline = await readUnlessKnown(path, formats, before)
      const { name } = inStore(pipeline, 'a store')
      const other = found.get(name)
      if (other !== undefined) throw sameName(name, other.file)
      const farm = basename(dirname(path))
      const tenant = tenants?.of(path)
      if (tenant !== undefined) checkConnection(pipeline, tenant)
      found.set(name, { name, farm, tenant: tenant?.name ?? farm, file, pipeline })
    } catch (failure) {
      if (!(failure instanceof WindrowError)) throw failure
      broken.push({ file, failure })
    }
  }
  return { pipelines: [...found.values()], broken }
}

function sameName(name: string, other: string): WindrowError {
  return new WindrowError('pipeline-invalid', `"${other}" has the name ${name}, too.`, {
    hint: 'A pipeline has the name of its folder and its file. Rename one of the two folders or files.',
  })
}

function* yamlFiles(folder: string): Generator<string> {
  for (const entry of entriesOf(folder)) {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) {
      if (!entry.name.startsWith('.')) yield* yamlFiles(path)
    } else if (/\.ya?ml$/i.test(entry.name) && entry.name !== notifyFile) yield path
  }
}

function entriesOf(folder: string) {
  try {
    return readdirSync(folder, { withFileTypes: true }).toSorted((one, other) => (one.name < other.name ? -1 : 1))
  } catch (cause) {
    if (isShareLost(cause)) throw cause
    throw new WindrowError('file-missing', `The folder "${folder}" was not found.`, {
      hint: 'Name the folder with the folders of the farms.',
      cause,
    })
  }
}
