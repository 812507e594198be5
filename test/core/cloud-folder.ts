/** Plays Windows, where files and folders that OneDrive looks after are listed as links. */

import fs, { type Dirent } from 'node:fs'
import promises from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'
import { onTestFinished } from 'vitest'

/** From now on every entry of every folder is listed as a link. */
export function listAllAsLinks(): void {
  const { readdirSync } = fs
  const { readdir } = promises
  const [yes, no] = [() => true, () => false]
  const asLinks = (entries: readonly (string | Dirent)[]) =>
    entries.map((entry) =>
      typeof entry === 'string' ? entry : Object.assign(entry, { isFile: no, isDirectory: no, isSymbolicLink: yes }),
    )
  Object.assign(fs, { readdirSync: (path: string, options?: object) => asLinks(readdirSync(path, options as never)) })
  Object.assign(promises, {
    readdir: async (path: string, options?: object) => asLinks(await readdir(path, options as never)),
  })
  syncBuiltinESMExports()
  onTestFinished(() => {
    Object.assign(fs, { readdirSync })
    Object.assign(promises, { readdir })
    syncBuiltinESMExports()
  })
}
