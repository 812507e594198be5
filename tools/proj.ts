/** Asks PROJ's programs (projinfo, cs2cs, cct) where a system is used, and where its points lie by one named transformation to WGS 84. */

import { spawn, spawnSync } from 'node:child_process'

/** A position in a system, as files hold it (easting first), and where it is in WGS 84. */
export type ControlPoint = {
  readonly x: number
  readonly y: number
  readonly lon: number
  readonly lat: number
}

type Extent = {
  readonly south_latitude: number
  readonly west_longitude: number
  readonly north_latitude: number
  readonly east_longitude: number
}

type Described = {
  readonly bbox?: Extent
  readonly usages?: readonly { readonly bbox: Extent }[]
  readonly base_crs?: { readonly id?: { readonly code: number } }
  readonly source_crs?: { readonly id?: { readonly code: number } }
  readonly accuracy?: string
  readonly type: string
  readonly coordinate_system?: { readonly axis: readonly { readonly direction: string }[] }
}

/** True where PROJ's programs can be started. */
export function hasProj(): boolean {
  return spawnSync('projinfo', ['EPSG:4326', '-o', 'PROJ', '-q']).status === 0
}

/** A transformation to WGS 84: its source system, PROJ's pipeline for it, and its accuracy according to EPSG. */
export type Operation = { readonly source: string; readonly pipeline: string; readonly accuracyM: number }

/** Asks for one operation by its code, such as EPSG:1314, so that PROJ chooses nothing. */
export async function operationOf(code: string): Promise<Operation> {
  const described = JSON.parse(await run('projinfo', ['-k', 'operation', code, '-o', 'PROJJSON', '-q'])) as Described
  const pipeline = await run('projinfo', ['-k', 'operation', code, '-o', 'PROJ', '-q'])
  return {
    source: `EPSG:${described.source_crs!.id!.code}`,
    pipeline: pipeline.replaceAll(/\s+/g, ' ').trim(),
    accuracyM: Number(described.accuracy),
  }
}

/** West, south, east, north in degrees; east may pass 180. */
export type Area = readonly [west: number, south: number, east: number, north: number]

/**
 * Puts a grid of points over a system's area of use: on the operation's own datum, from there into the system, and by the
 * operation to WGS 84. Without an operation the datum is taken as WGS 84. Longitude and latitude of a datum are used wherever
 * the datum is, but a transformation to WGS 84 only in its own `area`.
 */
export async function controlPointsOf(
  code: string,
  area: Area,
  operation: Operation | undefined,
): Promise<readonly ControlPoint[]> {
  const described = JSON.parse(await run('projinfo', [code, '-o', 'PROJJSON', '-q'])) as Described
  const isGeographic = described.type === 'GeographicCRS'
  const positions = gridOver(isGeographic && area[2] - area[0] < 360 ? area : usedIn(described))
  const base = operation?.source ?? (isGeographic ? code : `EPSG:${described.base_crs!.id!.code}`)
  // cct needs four numbers, and skips a last line without a line break.
  const asText = positions.map(([lon, lat]) => `${lat} ${lon} 0 0\n`).join('')
  const placed = isGeographic
    ? positions
    : numbersIn(await run('cs2cs', ['-f', '%.7f', base, code], asText)).map(eastingFirst(described))
  const moved =
    operation === undefined
      ? positions
      : numbersIn(await run('cct', ['-d', '12', ...operation.pipeline.split(' ')], asText)).map(([lat, lon]) => [
          lon,
          lat,
        ])
  return positions.map((_, index) => {
    const [x, y] = placed[index]!
    const [lon, lat] = moved[index]!
    return { x: x!, y: y!, lon: lon!, lat: lat! }
  })
}

/** Descriptions of a system as programs write them into files: WKT 1 of ESRI and OGC, WKT 2 of 2015 and 2019, PROJJSON; without codes. */
export async function descriptionsOf(code: string): Promise<readonly string[]> {
  const formats = 'WKT1:ESRI,WKT1:GDAL,WKT2:2015,WKT2:2019,PROJJSON'
  const output = await run('projinfo', [code, '-o', formats, '--single-line'])
  return output
    .split('\n')
    .filter((line) => /^[A-Z]+\[|^\{/.test(line))
    .map((line) => line.replaceAll(/,(?:AUTHORITY|ID)\[[^[\]]*\]/g, '').replaceAll(/,"id":\{[^{}]*\}/g, ''))
}

const steps = [0.02, 0.27, 0.5, 0.76, 0.98]

function usedIn({ bbox: only, usages }: Described): Area {
  const bbox = only ?? usages?.[0]?.bbox
  if (bbox === undefined) throw new Error('PROJ does not say where the system is used.')
  const { south_latitude: south, west_longitude: west, north_latitude: north, east_longitude: east } = bbox
  return [west, south, east < west ? east + 360 : east, north]
}

function gridOver([west, south, east, north]: Area): readonly (readonly [number, number])[] {
  return steps.flatMap((across) =>
    steps.map((up) => {
      const lon = west + (east - west) * across
      return [lon > 180 ? lon - 360 : lon, Math.max(-89, Math.min(89, south + (north - south) * up))] as const
    }),
  )
}

function eastingFirst({ coordinate_system: system }: Described): (pair: readonly number[]) => readonly number[] {
  const isTurned =
    /^(?:north|south)$/.test(system!.axis[0]!.direction) && /^(?:east|west)$/.test(system!.axis[1]!.direction)
  return isTurned ? ([first, second]) => [second!, first!] : (pair) => pair
}

/** The first two numbers of each line. */
function numbersIn(output: string): readonly (readonly number[])[] {
  const lines = output.trim().split('\n')
  return lines.map((line) => line.trim().split(/\s+/).slice(0, 2).map(Number))
}

function run(program: string, options: readonly string[], input = ''): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, options, { env: { ...process.env, PROJ_NETWORK: 'OFF' } })
    let output = ''
    let complaint = ''
    child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()))
    child.stderr.on('data', (chunk: Buffer) => (complaint += chunk.toString()))
    child.on('error', reject)
    child.on('close', (status) => {
      if (status === 0) resolve(output)
      else reject(new Error(`${program} ${options.join(' ')}: ${complaint}`))
    })
    // A program that ends without reading its input is judged by its exit code.
    child.stdin.on('error', () => undefined)
    child.stdin.end(input)
  })
}
