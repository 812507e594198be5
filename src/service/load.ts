/** Loads a file of records that cannot be published (`serve --load`). */

import { isObject } from '../core/values/exact-json.ts'
import { WindrowError } from '../core/error.ts'
import { cropLists, loadCropRecords, type CropList, type CropLoader, type Loaded } from './routes/crop-records.ts'
import { quoted } from './http/query.ts'

/** Lists of crop records by name. */
export type LoadFile = { readonly [List in CropList]?: readonly unknown[] }

/** The outcome of each list. */
export type LoadSummary = { readonly [List in CropList]: Loaded }

const listNames = Object.keys(cropLists) as readonly CropList[]

/** Stores the records of a file. Throws a WindrowError for a file of another form. */
export function loadFile(loader: CropLoader, content: unknown): LoadSummary {
  const file = readLoadFile(content)
  const loaded = listNames.map((name) => [name, loadCropRecords(loader, cropLists[name], file[name] ?? [])])
  return Object.fromEntries(loaded) as LoadSummary
}

function readLoadFile(file: unknown): LoadFile {
  const lists = isObject(file) ? Object.entries(file) : []
  const unknown = lists.find(([name]) => !(listNames as readonly string[]).includes(name))?.[0]
  const noList = lists.find(([, list]) => !Array.isArray(list))?.[0]
  if (lists.length > 0 && unknown === undefined && noList === undefined) return file as LoadFile
  const fault =
    unknown !== undefined
      ? `contains ${quoted(unknown)}, which is not a list that can be loaded`
      : noList !== undefined
        ? `contains ${quoted(noList)}, but it is not a list`
        : 'contains no lists of records'
  throw new WindrowError('option-invalid', `The file to load ${fault}.`, {
    hint: `It should look like { "workRecords": [ ... ] }. The lists may be ${listNames.join(', ')}.`,
  })
}
