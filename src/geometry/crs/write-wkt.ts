/** Writes a coordinate system of the table as the text of a .prj, in the names that ESRI's programs and PROJ know. */

import type { Definition, Method } from './crs-definition.ts'
import type { System } from './systems.ts'

const projections: Readonly<Record<Exclude<Method, 'longlat'>, string>> = {
  tmerc: 'Transverse_Mercator',
  webmerc: 'Mercator_Auxiliary_Sphere',
  merc: 'Mercator',
  lcc: 'Lambert_Conformal_Conic',
  laea: 'Lambert_Azimuthal_Equal_Area',
  aea: 'Albers',
  cea: 'Cylindrical_Equal_Area',
  sterea: 'Double_Stereographic',
  krovak: 'Krovak',
  somerc: 'Hotine_Oblique_Mercator_Azimuth_Center',
  nzmg: 'New_Zealand_Map_Grid',
  poly: 'Polyconic',
}

const degree = 'UNIT["Degree",0.0174532925199433]'

/** The system of the table as well-known text. Programs recognise it by EPSG's own name. */
export function wktOf({ epsgName, definition }: System): string {
  const { method, unitM, datum } = definition
  const [system, datumName, ellipsoid] = datum.esri!
  const place = `DATUM["${datumName}",SPHEROID["${ellipsoid}",${real(datum.semiMajorM)},${real(datum.inverseFlattening)}]],PRIMEM["Greenwich",0.0]`
  if (method === 'longlat') return `GEOGCS["${system}",${place},${degree}]`
  const parameters = parametersOf(definition).map(([each, value]) => `PARAMETER["${each}",${real(value)}]`)
  // PROJ knows this one only by a name of its own.
  const projection = isTurnedSouth(definition) ? 'Transverse_Mercator_South_Orientated' : projections[method]
  return `PROJCS["${epsgName.replaceAll(/[^\p{L}\p{N}.()+-]+/gu, '_')}",GEOGCS["${system}",${place},${degree}],PROJECTION["${projection}"],${parameters.join(',')},${unitOf(unitM)}]`
}

function parametersOf(definition: Definition): readonly (readonly [name: string, value: number])[] {
  const { method, lat0, lon0, k, x0, y0, lat1, lat2, unitM } = definition
  const shifts = [
    ['False_Easting', x0 / unitM],
    ['False_Northing', y0 / unitM],
  ] as const
  const meridian = ['Central_Meridian', lon0] as const
  const origin = ['Latitude_Of_Origin', lat0] as const
  const parallels = [
    ['Standard_Parallel_1', lat1],
    ['Standard_Parallel_2', lat2],
  ] as const
  const centre = [
    ['Longitude_Of_Center', lon0],
    ['Latitude_Of_Center', lat0],
  ] as const
  switch (method) {
    case 'longlat':
      return []
    case 'tmerc':
    case 'sterea':
      return [...shifts, meridian, ['Scale_Factor', isTurnedSouth(definition) ? -k : k], origin]
    case 'webmerc':
      return [...shifts, meridian, ['Standard_Parallel_1', 0], ['Auxiliary_Sphere_Type', 0]]
    case 'merc':
    case 'cea':
      return [...shifts, meridian, parallels[0]]
    case 'lcc':
      return [...shifts, meridian, ...parallels.slice(0, lat1 === lat2 ? 1 : 2), ['Scale_Factor', k], origin]
    case 'aea':
      return [...shifts, meridian, ...parallels, origin]
    case 'laea':
    case 'poly':
      return [...shifts, meridian, origin]
    case 'nzmg':
      return [...shifts, ['Longitude_Of_Origin', lon0], origin]
    case 'somerc':
      return [...shifts, ['Scale_Factor', k], ['Azimuth', 90], ...centre]
    case 'krovak':
      return [
        ...shifts,
        ['Pseudo_Standard_Parallel_1', 78.5],
        ['Scale_Factor', k],
        ['Azimuth', 30.288139722222223],
        ...centre,
        ['X_Scale', -1],
        ['Y_Scale', 1],
        ['XY_Plane_Rotation', 90],
      ]
  }
}

function isTurnedSouth({ method, k }: Definition): boolean {
  return method === 'tmerc' && k < 0
}

function unitOf(unitM: number): string {
  const name = unitM === 1 ? 'Meter' : unitM === 0.3048 ? 'Foot' : 'Foot_US'
  return `UNIT["${name}",${real(unitM)}]`
}

function real(value: number): string {
  return Number.isInteger(value) ? `${value}.0` : String(value)
}
