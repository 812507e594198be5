/** Keeps the data of a benchmark between its runs. */

import { existsSync, renameSync } from 'node:fs'

/** Makes a file unless it is there; it gets its name when it is complete. Returns its path. */
export async function madeOnce(path: string, make: (path: string) => void | Promise<void>): Promise<string> {
  if (existsSync(path)) return path
  await make(`${path}.part`)
  renameSync(`${path}.part`, path)
  return path
}
