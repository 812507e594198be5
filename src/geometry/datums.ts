/** Hides what is known of datums: ellipsoid, the way to WGS 84, how good it is, and the names files give them. */

import { plainName } from './wkt.ts'

/** `toWgs84` is a position vector: three shifts in metres, three rotations in seconds, a scale in parts per million. */
export type Datum = {
  readonly name: string
  readonly semiMajorM: number
  readonly inverseFlattening: number
  readonly toWgs84?: readonly number[]
  /** How far a position may be off once it is in WGS 84. */
  readonly accuracyM: number
  readonly aliases: readonly string[]
}

const wgs84 = [6378137, 298.257223563] as const
const grs80 = [6378137, 298.257222101] as const
const bessel = [6377397.155, 299.1528128] as const
const international = [6378388, 297] as const
const airy = [6377563.396, 299.3249646] as const
const airyModified = [6377340.189, 299.3249646] as const

type Extra = { readonly accuracyM: number; readonly toWgs84?: readonly number[] }

function datum(name: string, ellipsoid: readonly [number, number], extra: Extra, aliases: readonly string[]): Datum {
  const names = [name, ...aliases].map(plainName)
  return { name, semiMajorM: ellipsoid[0], inverseFlattening: ellipsoid[1], aliases: names, ...extra }
}

/**
 * The datums whose way to WGS 84 is known. Those that move with their plate (GDA94, ETRS89, NAD83) are taken as WGS 84, as
 * mapping programs do, and their accuracy says what the plate has moved since. The seven-parameter shifts are the
 * ones EPSG gives for a whole country; a grid would be better where the accuracy is above 1 m.
 */
export const datums = {
  wgs84: datum('WGS 84', wgs84, { accuracyM: 0 }, [
    'WGS_1984',
    'World Geodetic System 1984',
    'World Geodetic System 1984 ensemble',
    'WGS84',
  ]),
  nzgd2000: datum('NZGD2000', grs80, { accuracyM: 1 }, ['NZGD_2000', 'New Zealand Geodetic Datum 2000']),
  nzgd1949: datum(
    'NZGD49',
    international,
    { accuracyM: 4, toWgs84: [59.47, -5.04, 187.44, 0.47, -0.1, 1.024, -4.5993] },
    ['New_Zealand_1949', 'New Zealand Geodetic Datum 1949', 'NZGD1949'],
  ),
  gda94: datum('GDA94', grs80, { accuracyM: 2 }, ['GDA_1994', 'Geocentric Datum of Australia 1994']),
  gda2020: datum('GDA2020', grs80, { accuracyM: 1 }, ['GDA_2020', 'Geocentric Datum of Australia 2020']),
  osgb36: datum('OSGB36', airy, { accuracyM: 5, toWgs84: [446.448, -125.157, 542.06, 0.15, 0.247, 0.842, -20.489] }, [
    'OSGB_1936',
    'OSGB 1936',
    'Ordnance Survey of Great Britain 1936',
    'OSGB36',
  ]),
  tm65: datum(
    'TM65',
    airyModified,
    { accuracyM: 1, toWgs84: [482.5, -130.6, 564.6, -1.042, -0.214, -0.631, 8.15] },
    [],
  ),
  tm75: datum('TM75', airyModified, { accuracyM: 1, toWgs84: [482.5, -130.6, 564.6, -1.042, -0.214, -0.631, 8.15] }, [
    'Geodetic Datum of 1965',
  ]),
  irenet95: datum('IRENET95', grs80, { accuracyM: 1 }, []),
  etrs89: datum('ETRS89', grs80, { accuracyM: 1 }, [
    'ETRS_1989',
    'European Terrestrial Reference System 1989',
    'European Terrestrial Reference System 1989 ensemble',
    'European Terrestrial Reference Frame 2000 Poland',
    'ETRF2000_PL',
    'ETRF2000_Poland',
    'EUREF_FIN',
    'IGD05',
    'Slovenia_Geodetic_Datum_1996',
    'Slovenia Geodetic Datum 1996',
    'Slovenia_1996',
    'Croatian Terrestrial Reference System',
    'Croatian_Terrestrial_Ref_System',
    'HTRS96',
    'Estonia 1997',
    'Latvia 1992',
    'Latvian geodetic coordinate system 1992',
    'Latvian coordinate system 1992',
    'Lithuania 1994',
    'Lithuania 1994 (ETRS89)',
  ]),
  // Datums on a modern ellipsoid that lie from 9 to 320 m off WGS 84 all the same.
  ggrs87: datum('GGRS87', grs80, { accuracyM: 1, toWgs84: [-199.87, 74.79, 246.62] }, [
    'GGRS_1987',
    'Greek Geodetic Reference System 1987',
    'Greek_Geodetic_Reference_System_1987',
  ]),
  cgrs93: datum(
    'CGRS93',
    wgs84,
    { accuracyM: 1, toWgs84: [8.846, -4.394, -1.122, -0.00237, -0.146528, 0.130428, 0.783926] },
    ['CGRS_1993', 'Cyprus Geodetic Reference System 1993', 'Cyprus_Geodetic_Reference_System_1993'],
  ),
  israel1993: datum(
    'Israel 1993',
    grs80,
    { accuracyM: 1, toWgs84: [23.772, 17.49, 17.859, -0.3132, -1.85274, 1.67299, -5.4262] },
    ['Israel', 'Israel_1993'],
  ),
  vn2000: datum(
    'VN-2000',
    wgs84,
    {
      accuracyM: 1,
      toWgs84: [-191.90441429, -39.30318279, -111.45032835, 0.00928836, -0.01975479, 0.00427372, 0.252906278],
    },
    ['Vietnam_2000', 'Vietnam 2000'],
  ),
  rt90: datum('RT90', bessel, { accuracyM: 1, toWgs84: [414.1, 41.3, 603.1, -0.855, 2.141, -7.023, 0] }, [
    'RT_1990',
    'Rikets koordinatsystem 1990',
  ]),
  kkj: datum(
    'KKJ',
    international,
    { accuracyM: 1, toWgs84: [-96.062, -82.428, -121.753, 4.801, 0.345, -1.376, 1.496] },
    [
      'Kartastokoordinaattijarjestelma',
      'Kartastokoordinaattijarjestelma (1966)',
      'Kartastokoordinaattijarjestelma_1966',
    ],
  ),
  luref: datum(
    'LUREF',
    international,
    { accuracyM: 1, toWgs84: [-189.6806, 18.3463, -42.7695, -0.33746, -3.09264, 2.53861, 0.4598] },
    ['Luxembourg_1930', 'Luxembourg 1930', 'Luxembourg Reference Frame'],
  ),
  hd72: datum('HD72', [6378160, 298.247167427], { accuracyM: 1, toWgs84: [52.17, -71.82, -14.9] }, [
    'Hungarian_1972',
    'Hungarian_Datum_1972',
    'Hungarian Datum 1972',
  ]),
  sweref99: datum('SWEREF99', grs80, { accuracyM: 1 }, ['SWEREF 99']),
  rgf93: datum('RGF93', grs80, { accuracyM: 1 }, [
    'RGF_1993',
    'RGF93 v1',
    'RGF93 v2',
    'RGF93 v2b',
    'Reseau Geodesique Francais 1993',
    'Reseau Geodesique Francais 1993 v1',
    'Reseau Geodesique Francais 1993 v2',
    'Reseau Geodesique Francais 1993 v2b',
  ]),
  amersfoort: datum(
    'Amersfoort',
    bessel,
    { accuracyM: 1, toWgs84: [565.4171, 50.3319, 465.5524, -0.398957, 0.343988, -1.8774, 4.0725] },
    [],
  ),
  belge1972: datum(
    'BD72',
    international,
    { accuracyM: 1, toWgs84: [-106.8686, 52.2978, -103.7239, 0.3366, -0.457, 1.8422, -1.2747] },
    ['Belge_1972', 'Reseau National Belge 1972'],
  ),
  dhdn: datum('DHDN', bessel, { accuracyM: 3, toWgs84: [598.1, 73.7, 418.2, 0.202, 0.045, -2.455, 6.7] }, [
    'Deutsches Hauptdreiecksnetz',
    'Deutsche_Hauptdreiecksnetz',
  ]),
  ch1903plus: datum('CH1903+', bessel, { accuracyM: 1, toWgs84: [674.374, 15.056, 405.346] }, []),
  ch1903: datum('CH1903', bessel, { accuracyM: 2, toWgs84: [674.374, 15.056, 405.346] }, []),
  mgi: datum('MGI', bessel, { accuracyM: 2, toWgs84: [577.326, 90.129, 463.919, 5.137, 1.474, 5.297, 2.4232] }, [
    'Militar-Geographische Institut',
    'Militar Geographische Institut',
    'Militar_Geographisches_Institut',
    'Austrian MGI',
  ]),
  sjtsk: datum('S-JTSK', bessel, { accuracyM: 6, toWgs84: [570.8, 85.7, 462.8, 4.998, 1.587, 5.261, 3.56] }, [
    'S_JTSK',
    'System of the Unified Trigonometrical Cadastral Network',
    'Jednotne Trigonometricke Site Katastralni',
    'System Jednotne Trigonometricke Site Katastralni',
  ]),
  nad83: datum('NAD83', grs80, { accuracyM: 2 }, [
    'North_American_1983',
    'North American Datum 1983',
    'NAD_1983',
    'NAD_1983_2011',
    'NAD_1983_NSRS2007',
    'NAD_1983_HARN',
    'North_American_1983_HARN',
    'NAD83 (National Spatial Reference System 2011)',
    'NAD83 (High Accuracy Reference Network)',
    'NAD83 (National Spatial Reference System 2007)',
    'NAD83 National Spatial Reference System 2011',
    'NAD83_HARN',
    'NAD83 High Accuracy Reference Network',
    'NAD83 (High Accuracy Reference Network - Corrected)',
  ]),
  csrs: datum('NAD83(CSRS)', grs80, { accuracyM: 2 }, [
    'North_American_1983_CSRS',
    'NAD83 Canadian Spatial Reference System',
    'NAD_1983_CSRS',
    'NAD83_CSRS',
  ]),
  sirgas2000: datum('SIRGAS 2000', grs80, { accuracyM: 1 }, [
    'SIRGAS_2000',
    'Sistema de Referencia Geocentrico para las AmericaS 2000',
    'Sistema de Referencia Geocentrico para America del Sur 2000',
  ]),
  hartebeesthoek94: datum('Hartebeesthoek94', grs80, { accuracyM: 1 }, ['Hartebeesthoek_1994', 'Hartebeesthoek94']),
} as const satisfies Record<string, Datum>

export type DatumName = keyof typeof datums

/** Finds a datum by the name a file gives it. */
export function datumNamed(name: string): Datum | undefined {
  const plain = plainName(name)
  const bare = plainName(name.replace(/^D_/i, ''))
  return Object.values<Datum>(datums).find((each) => each.aliases.includes(plain) || each.aliases.includes(bare))
}

/** True for an ellipsoid that is WGS 84's or GRS 80's: they differ by 0.1 mm. */
export function isModernEllipsoid(semiMajorM: number, inverseFlattening: number): boolean {
  return Math.abs(semiMajorM - 6378137) < 0.01 && Math.abs(inverseFlattening - 298.25722) < 0.0001
}

/** A datum that no list knows, on a modern ellipsoid: taken as WGS 84, as all such datums are within a few metres of it. */
export function modernDatum(name: string, ellipsoid: readonly [number, number]): Datum {
  return datum(name, ellipsoid, { accuracyM: 3 }, [])
}

/** A datum that no list knows, by the shift to WGS 84 that its description gives; nothing where that says nothing. */
export function shiftedDatum(
  name: string,
  ellipsoid: readonly [number, number],
  shift: readonly number[],
): Datum | undefined {
  const isShift = (shift.length === 3 || shift.length === 7) && shift.every(Number.isFinite)
  // Noughts are what programs write that do not know the shift: an old ellipsoid never lies in the middle of WGS 84.
  if (!isShift || shift.every((each) => each === 0)) return undefined
  return datum(name, ellipsoid, { accuracyM: shift.length === 7 ? 5 : 10, toWgs84: shift }, [])
}
