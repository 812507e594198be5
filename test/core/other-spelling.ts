/** Plays Windows and macOS, where a file is opened by any spelling of its name. */

import promises, { link } from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'
import { basename, dirname, join } from 'node:path'
import { onTestFinished } from 'vitest'

/** Lets a file be opened by another name, too, which the list of its folder does not have. Returns that path. */
export async function openedAlsoAs(path: string, name: string): Promise<string> {
  const typed = join(dirname(path), name)
  // There already on Windows and macOS.
  await link(path, typed).catch(() => undefined)
  const { readdir } = promises
  promises.readdir = (async (folder: string, options?: never) =>
    folder === dirname(path) ? [basename(path)] : readdir(folder, options)) as typeof promises.readdir
  syncBuiltinESMExports()
  onTestFinished(() => {
    promises.readdir = readdir
    syncBuiltinESMExports()
  })
  return typed
}
