/** Finds coordinate systems by their code in the table that coordinate-systems.json holds, each with its datum's shift to WGS 84. */

import { once } from '../../core/once.ts'
import type { Box } from '../../core/shape.ts'
import { world } from './area.ts'
import table from './coordinate-systems.json' with { type: 'json' }
import { datums } from './datums.ts'
import { define, type Definition, type Method } from './crs-definition.ts'

/** A system of the table. `epsgName` is EPSG's own name; `isNational` marks the grid one thinks of first in its area. */
export type System = ReturnType<typeof systemOf>

/** One line of the table; `numbers` are lat0, lon0, k, x0, y0, lat1 and lat2 in degrees and metres. */
type Row = {
  readonly code: number
  readonly name: string
  readonly epsgName?: string
  readonly datum: string
  readonly method: string
  readonly numbers?: readonly number[]
  readonly area?: readonly number[]
  readonly unitM?: number
  readonly isNational?: boolean
}

function systemOf(row: Row) {
  const { code, name, epsgName = name, datum: key, method, numbers = [], area, unitM = 1, isNational = false } = row
  const datum = datums().get(key)
  if (datum === undefined) throw new Error(`The table has no datum "${key}" for EPSG:${code}.`)
  const [lat0 = 0, lon0 = 0, k = 1, x0 = 0, y0 = 0, lat1 = 0, lat2 = 0] = numbers
  const definition = define(method as Method, datum, { lat0, lon0, k, x0, y0, lat1, lat2, unitM })
  const areaOfUse = areaOf(area as Box | undefined, definition)
  return { code: `EPSG:${code}`, name, epsgName, area: areaOfUse, isNational, definition }
}

// People use a zone well beyond its six degrees (all of Norway in zone 33), but not on the other side of the globe.
function areaOf(area: Box = world, definition: Definition): Box {
  // Longitude and latitude mean much the same everywhere, but a shift that was measured in one country is valid only there.
  if (definition.method === 'longlat' && definition.datum.toWgs84 === undefined) return world
  if (area !== world || definition.method !== 'tmerc') return area
  const { lon0, y0 } = definition
  return [lon0 - 20, y0 > 0 ? -82 : -2, lon0 + 20, y0 > 0 ? 2 : 86]
}

/** The table, the systems a farm most likely uses first. */
export const systems = once((): readonly System[] => (table.systems as readonly Row[]).map(systemOf))

const byCode = once(() => new Map(systems().map((each) => [each.code, each])))

const otherCodes: Readonly<Record<string, string>> = {
  'EPSG:4979': 'EPSG:4326',
  'OGC:CRS84': 'EPSG:4326',
  'OGC:CRS84H': 'EPSG:4326',
  'OGC:CRS83': 'EPSG:4269',
  'OGC:CRS27': 'EPSG:4267',
}

/** Finds a system by its code, such as EPSG:2193; codes that mean the same system are understood. */
export function systemOfCode(code: string): System | undefined {
  const upper = code.toUpperCase()
  const found = byCode().get(otherCodes[upper] ?? upper)
  if (found !== undefined) return found
  const [, number] = /^(?:EPSG|ESRI):(\d+)$/.exec(upper) ?? []
  return number === undefined ? undefined : byCode().get(`EPSG:${epsgOfEsri(Number(number)) ?? number}`)
}

/** The EPSG code for an ESRI number, if there is one. The table has ranges: first, last, and the code of the first. */
function epsgOfEsri(code: number): number | undefined {
  for (const [first, last, epsg] of table.esri as unknown as readonly (readonly [number, number, number])[])
    if (code >= first && code <= last) return epsg + code - first
  return undefined
}
