/** Lists the files of a folder and its subfolders, within limits. */

import { createHash } from 'node:crypto'
import { readdir, realpath, stat } from 'node:fs/promises'
import { lstatSync, type Dirent } from 'node:fs'
import { basename, join, sep } from 'node:path'
import { WindrowError } from '../error.ts'
import { failedToOpen, fileSource, withoutBytes, type Member, type Source } from './source.ts'

/** How many files and levels of a folder are listed. */
export type FolderLimits = { readonly members: number; readonly levels: number }

const usualLimits: FolderLimits = { members: 10_000, levels: 8 }

/** Opens a folder as a source of members. Nothing is listed until `members` is called. */
export function folderSource(path: string, limits: FolderLimits = usualLimits): Source {
  let listed: Promise<readonly Member[]> | undefined
  const noBytes = (): WindrowError =>
    new WindrowError('file-unreadable', `"${path}" is a folder, not a file.`, { hint: 'Choose a file inside it.' })
  return {
    name: basename(path),
    path,
    ...withoutBytes(noBytes),
    async fingerprint() {
      const hash = createHash('sha256')
      for (const { name, source } of await membersOfFolder(path, limits))
        hash.update(`${name}\0${await source.fingerprint()}\0`)
      return hash.digest('hex')
    },
    members: () => (listed ??= membersOfFolder(path, limits)),
  }
}

async function membersOfFolder(folder: string, limits: FolderLimits): Promise<readonly Member[]> {
  const root = await realpath(folder).catch(failedToOpen(folder))
  const names: string[] = []
  const list = async (within: string, level: number): Promise<void> => {
    const path = join(folder, within)
    for (const entry of await readdir(path, { withFileTypes: true }).catch(failedToOpen(path))) {
      if (isLeftAside(entry.name)) continue
      const name = within + entry.name
      const kind = kindOf(entry)
      if (kind.isDirectory()) {
        if (level === limits.levels) throw tooMuch(folder, `contains folders more than ${limits.levels} levels deep`)
        await list(`${name}/`, level + 1)
      } else if (await isFile(kind, join(folder, name), root)) names.push(name)
      if (names.length > limits.members) throw tooMuch(folder, `contains more than ${limits.members} files`)
    }
  }
  await list('', 1)
  return Promise.all(names.sort().map(async (name) => ({ name, source: await fileSource(join(folder, name)) })))
}

/** What an entry of a folder is. Windows lists the files and folders that OneDrive and the like look after as links. */
export function kindOf(entry: Dirent): Pick<Dirent, 'isFile' | 'isDirectory' | 'isSymbolicLink'> {
  if (!entry.isSymbolicLink()) return entry
  return lstatSync(join(entry.parentPath, entry.name), { throwIfNoEntry: false }) ?? entry
}

/** A link is followed only to a file within the folder: never out of it, and never in a circle. */
async function isFile(kind: ReturnType<typeof kindOf>, path: string, root: string): Promise<boolean> {
  if (!kind.isSymbolicLink()) return kind.isFile()
  const target = await realpath(path).catch(() => undefined)
  if (target === undefined || !target.startsWith(root + sep)) return false
  return (await stat(target)).isFile()
}

/** Files that programs keep for themselves: hidden files, Excel's lock files, folder settings of Windows. */
export function isLeftAside(name: string): boolean {
  return /^(?:\.|~\$|__MACOSX$|Thumbs\.db$|desktop\.ini$)/i.test(name)
}

function tooMuch(folder: string, what: string): WindrowError {
  return new WindrowError('file-too-large', `"${folder}" ${what}.`, { hint: 'Choose a file in it, or a subfolder.' })
}
