/** Hides the table of coordinate systems that farms use; every one of them is turned into WGS 84 with its datum's shift. */

import { once } from '../core/once.ts'
import { datums } from './datums.ts'
import { define, type Definition } from './definition.ts'
import { epsgOfEsri } from './esri-codes.ts'
import { africanAndPacificSystems } from './systems/africa-and-pacific.ts'
import { asianSystems } from './systems/asia.ts'
import { canadianSystems } from './systems/canada.ts'
import { europeanSystems } from './systems/europe.ts'
import { nationalEuropeanSystems } from './systems/european-nations.ts'
import { latinAmericanSystems } from './systems/latin-america.ts'
import { world, type Box, type Group } from './systems/row.ts'
import { statePlaneSystems } from './systems/state-plane.ts'
import { olderAmericanSystems } from './systems/usa-1927.ts'
import { americanSystems } from './systems/usa.ts'
import { worldSystems } from './systems/world.ts'

/** A system of the table. `isNational` tells the grid one thinks of first in its area. */
export type System = {
  readonly code: string
  readonly name: string
  readonly area: Box
  readonly isNational: boolean
  readonly definition: Definition
}

function systemsOf(group: Group): readonly System[] {
  const datum = datums().get(group.datum)
  if (datum === undefined) throw new Error(`The datum table has no line "${group.datum}".`)
  return group.rows.map(([code, name, method, numbers = [0, 0, 1, 0, 0], area = group.area ?? world]) => {
    const [lat0, lon0, k, x0, y0, lat1 = 0, lat2 = 0] = numbers
    const definition = define(method, datum, {
      lat0,
      lon0,
      k,
      x0,
      y0,
      lat1,
      lat2,
      unitM: group.unitM ?? 1,
    })
    return {
      code: `EPSG:${code}`,
      name,
      area: areaOf(area, definition),
      isNational: group.national === code,
      definition,
    }
  })
}

// People use a zone well beyond its six degrees (all of Norway in zone 33), but not on the other side of the globe.
function areaOf(area: Box, definition: Definition): Box {
  // Longitude and latitude mean much the same everywhere, but a shift that was measured in one country holds there alone.
  if (definition.method === 'longlat' && definition.datum.toWgs84 === undefined) return world
  if (area !== world || definition.method !== 'tmerc') return area
  const { lon0, y0 } = definition
  return [lon0 - 20, y0 > 0 ? -82 : -2, lon0 + 20, y0 > 0 ? 2 : 86]
}

// Table after table, so that who asks for a system of the world has only that one made.
const tables = [
  worldSystems,
  europeanSystems,
  nationalEuropeanSystems,
  americanSystems,
  statePlaneSystems,
  canadianSystems,
  latinAmericanSystems,
  africanAndPacificSystems,
  asianSystems,
  olderAmericanSystems,
].map((groups) =>
  once(() => {
    const all = groups().flatMap(systemsOf)
    return { all, byCode: new Map(all.map((each) => [each.code, each])) }
  }),
)

/** The table, the systems a farm most likely uses first. */
export const systems = once((): readonly System[] => tables.flatMap((table) => table().all))

function withCode(code: string): System | undefined {
  for (const table of tables) {
    const found = table().byCode.get(code)
    if (found !== undefined) return found
  }
  return undefined
}

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
  const found = withCode(otherCodes[upper] ?? upper)
  if (found !== undefined) return found
  const [, number] = /^(?:EPSG|ESRI):(\d+)$/.exec(upper) ?? []
  return number === undefined ? undefined : withCode(`EPSG:${epsgOfEsri(Number(number)) ?? number}`)
}
