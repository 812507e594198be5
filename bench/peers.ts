/** Finds the installed peers and their versions. */

import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { nodeSide, type Side } from './contest.ts'

const ownFolder = fileURLToPath(new URL('peers/node_modules', import.meta.url))

/** GDAL's ogr2ogr with these arguments. */
export function ogr2ogr(...words: readonly string[]): Side {
  return ofGdal('ogr2ogr', words)
}

/** GDAL's ogrinfo with these arguments. */
export function ogrinfo(...words: readonly string[]): Side {
  return ofGdal('ogrinfo', words)
}

function ofGdal(program: string, words: readonly string[]): Side {
  const { stdout } = spawnSync(program, ['--version'], { encoding: 'utf8' })
  return { command: [program, ...words], version: /GDAL ([\d.]+)/.exec(stdout ?? '')?.[1] }
}

/** A program of ours with these arguments, in the Python that has geopandas. */
export function geopandas(program: string, ...words: readonly string[]): Side {
  // The first python3 in PATH may not be the system's own, which has Debian's packages.
  for (const python of ['python3', '/usr/bin/python3']) {
    const ask = ['-c', 'import geopandas, shapely; print(geopandas.__version__, "with shapely", shapely.__version__)']
    const { status, stdout } = spawnSync(python, ask, { encoding: 'utf8' })
    if (status === 0) return { command: [python, program, ...words], version: stdout.trim() }
  }
  return { command: ['python3', program, ...words], version: undefined }
}

/** mapshaper of bench/peers with these arguments. */
export function mapshaper(...words: readonly string[]): Side {
  const side = nodeSide(join(ownFolder, 'mapshaper', 'bin', 'mapshaper'), ...words)
  return { ...side, version: versionOf('mapshaper') }
}

/** A program of ours that calls a package of bench/peers, whose folder is the first argument. */
export function withPeer(name: string, program: string, ...words: readonly string[]): Side {
  return { ...nodeSide(program, join(ownFolder, '..'), ...words), version: versionOf(name) }
}

function versionOf(name: string): string | undefined {
  const manifest = join(ownFolder, name, 'package.json')
  if (!existsSync(manifest)) return undefined
  return (JSON.parse(readFileSync(manifest, 'utf8')) as { readonly version: string }).version
}
