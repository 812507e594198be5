/** Writes the way from a folder to a file, so that every system can follow it. */

import path, { type PlatformPath } from 'node:path'

/** The way from a folder to a file with `/`, which Windows takes, too; on another drive of Windows the whole path. */
export function relativePath(folder: string, file: string, { relative, sep }: PlatformPath = path): string {
  return relative(folder, file).replaceAll(sep, '/')
}
