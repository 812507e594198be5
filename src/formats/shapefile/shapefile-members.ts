/** Finds the files of a shapefile: together in a folder or a zip, in upper or lower case. */

import { WindrowError } from '../../core/error.ts'
import { isAlike, spelling, stemOf } from '../../core/sources/file-tree.ts'
import type { Member, Source } from '../../core/sources/source.ts'
import { namesFile } from './field-names.ts'
import { isGeometryFile } from '../recognise.ts'

const extensions = ['shp', 'shx', 'dbf', 'prj', 'qpj', 'cpg'] as const
type Extension = (typeof extensions)[number]

/**
 * The files of one layer. `source` is the name of the opened file; `layer` is set if that may contain several; `names` is the list of
 * the columns' full names, which windrow writes beside the layers.
 */
export type LayerFiles = Readonly<Partial<Record<Extension | 'names', Source>>> & {
  readonly source: string
  readonly name: string
  readonly layer?: string
}

/** The layers of a zip or folder: every .shp with its files, or every .dbf if there is no .shp at all. */
export function layersIn(container: string, members: readonly Member[]): readonly LayerFiles[] {
  const shps = members.filter((member) => extensionOf(member.name) === 'shp')
  const mains = shps.length > 0 ? shps : members.filter((member) => extensionOf(member.name) === 'dbf')
  if (mains.length === 0)
    throw new WindrowError('format-unknown', `"${container}" contains no shapefile: none of its files ends in .shp.`, {
      hint: 'Pack the .shp, .dbf and .prj files together.',
    })
  const names = layerNames(mains)
  // Grouped once, because there may be thousands of files.
  const groups = Map.groupBy(members, (member) => groupOf(member.name))
  return mains.map((main, index) => {
    const beside = groups.get(groupOf(main.name))!.map((member) => member.source)
    const name = names[index]!
    const list = groups.get(groupOf(main.name.replace(/[^/]*$/, namesFile)))
    return { source: container, name, layer: name, ...filesOf(main.source, beside), ...namesIn(list) }
  })
}

/** The layer of a loose .shp, .dbf or .shx, with the files beside it. */
export async function looseLayer(source: Source, head: Uint8Array): Promise<LayerFiles> {
  const isUnnamed = isGeometryFile(head) && !(extensions as readonly string[]).includes(extensionOf(source.name))
  const beside = await source.siblings()
  const files = { ...filesOf(source, beside), ...namesIn(beside), ...(isUnnamed ? { shp: source } : {}) }
  if (files.shp === undefined && files.dbf === undefined)
    throw new WindrowError('file-missing', `There is no .shp beside "${source.name}".`, {
      hint: 'A shapefile is several files: the .shp contains the boundaries, the .dbf the values. Put them together.',
    })
  return { source: (files.shp ?? source).name, name: stemOf(source.name), ...files }
}

function filesOf(main: Source, beside: readonly Source[]): Partial<Record<Extension, Source>> {
  const stem = stemOf(main.name)
  const own = [main, ...beside].filter((each) => isAlike(stemOf(each.name), stem))
  // If names differ only in case, the spelling of the main file wins.
  const ordered = own.toSorted((a, b) => Number(stemOf(b.name) === stem) - Number(stemOf(a.name) === stem))
  const files: Partial<Record<Extension, Source>> = {}
  for (const extension of extensions) {
    const found =
      extensionOf(main.name) === extension ? main : ordered.find((each) => extensionOf(each.name) === extension)
    if (found !== undefined) files[extension] = found
  }
  return files
}

function namesIn(files: readonly (Source | Member)[] = []): Pick<LayerFiles, 'names'> {
  const found = files.find(({ name }) => name.slice(name.lastIndexOf('/') + 1).toLowerCase() === namesFile)
  return found === undefined ? {} : { names: 'source' in found ? found.source : found }
}

/** The files' own names; with their folders if two folders contain the same name. */
function layerNames(mains: readonly Member[]): readonly string[] {
  const alike = Map.groupBy(mains, ({ source }) => spelling(stemOf(source.name)))
  return mains.map(({ name, source }) => {
    const stem = stemOf(source.name)
    return alike.get(spelling(stem))!.length === 1 ? stem : stemOf(name)
  })
}

/** The folder exactly, the name in upper or lower case. */
function groupOf(path: string): string {
  const folder = path.slice(0, path.lastIndexOf('/') + 1)
  return folder + spelling(stemOf(path.slice(folder.length)))
}

function extensionOf(name: string): string {
  return /\.([^./]*)$/.exec(name)?.[1]?.toLowerCase() ?? ''
}
