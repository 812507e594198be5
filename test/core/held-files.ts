/** Plays Windows where another program, such as a virus scanner, has each file open for a moment. */

import fs from 'node:fs'
import promises from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'
import { onTestFinished } from 'vitest'

type Work = (path: string, ...more: never[]) => unknown

/** From now on the first try to rename or delete a file fails. Returns the files that were held so far. */
export function holdFiles(): ReadonlySet<string> {
  const held = new Set<string>()
  const isHeld = (path: string): boolean => fs.existsSync(path) && !held.has(path) && held.add(path).has(path)
  const busy = (path: string): Error =>
    Object.assign(new Error(`EBUSY: resource busy or locked, '${path}'`), { code: 'EBUSY', syscall: 'unlink', path })
  const { renameSync, rmSync, unlinkSync } = fs
  const { rename, rm, unlink } = promises
  const now =
    <W extends Work>(work: W) =>
    (path: string, ...more: never[]): unknown => {
      if (isHeld(path)) throw busy(path)
      return work(path, ...more)
    }
  const later =
    <W extends Work>(work: W) =>
    async (path: string, ...more: never[]): Promise<unknown> => {
      // Node tries again by itself where it is asked to.
      const { maxRetries = 0 } = (more[0] ?? {}) as { readonly maxRetries?: number }
      if (isHeld(path) && maxRetries === 0) throw busy(path)
      return work(path, ...more)
    }
  Object.assign(fs, { renameSync: now(renameSync), rmSync: now(rmSync), unlinkSync: now(unlinkSync) })
  Object.assign(promises, { rename: later(rename), rm: later(rm), unlink: later(unlink) })
  const platform = Object.getOwnPropertyDescriptor(process, 'platform')!
  Object.defineProperty(process, 'platform', { ...platform, value: 'win32' })
  syncBuiltinESMExports()
  onTestFinished(() => {
    Object.assign(fs, { renameSync, rmSync, unlinkSync })
    Object.assign(promises, { rename, rm, unlink })
    Object.defineProperty(process, 'platform', platform)
    syncBuiltinESMExports()
  })
  return held
}
