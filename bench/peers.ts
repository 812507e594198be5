/** Hides where the peers are found that come from elsewhere, and which version of each is there. */

import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Side } from './contest.ts'

const ownFolder = fileURLToPath(new URL('peers/node_modules', import.meta.url))

const converter = 'ogr2ogr'

/** GDAL's ogr2ogr with these words. */
export function ogr2ogr(...words: readonly string[]): Side {
  const { stdout } = spawnSync(converter, ['--version'], { encoding: 'utf8' })
  return { command: [converter, ...words], version: /GDAL ([\d.]+)/.exec(stdout ?? '')?.[1] }
}

/** mapshaper of bench/peers with these words. */
export function mapshaper(...words: readonly string[]): Side {
  const home = join(ownFolder, 'mapshaper')
  const manifest = join(home, 'package.json')
  const version = existsSync(manifest)
    ? (JSON.parse(readFileSync(manifest, 'utf8')) as { readonly version: string }).version
    : undefined
  return { command: ['node', join(home, 'bin', 'mapshaper'), ...words], version }
}
