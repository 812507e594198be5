/** Hides the numbers of the coordinate systems that farms outside Europe use, as EPSG gives them, and of those used everywhere. */

import { range, utm, world, type Box, type Group, type Numbers, type Row } from './row.ts'

const newZealand: Box = [166, -47.6, 179, -34]
const australia: Box = [93, -60.6, 174, -8.4]
const northAmerica: Box = [-190, 14, -47, 84]
const canada: Box = [-141, 40, -47, 84]

const circuit = (lat0: number, lon0: number, k = 1): Numbers => [lat0, lon0, k, 400000, 800000]

// The provinces of Vietnam have zones of three degrees, each on a meridian of its own.
const vietnamese = (lon0: number): Numbers => [0, lon0, 0.9999, 500000, 0]

// The zones of NAD83(CSRS) came in three lots, so that their codes follow no rule.
const csrsZones: Readonly<Record<number, number>> = {
  7: 3154,
  8: 3155,
  9: 3156,
  10: 3157,
  11: 2955,
  12: 2956,
  13: 2957,
  14: 3158,
  15: 3159,
  16: 3160,
  17: 2958,
  18: 2959,
  19: 2960,
  20: 2961,
  21: 2962,
  22: 3761,
}

/** The systems of the other continents and of the whole world. */
export const worldSystems = (): readonly Group[] => [
  {
    datum: 'wgs84',
    area: world,
    rows: [
      [4326, 'WGS 84', 'longlat'],
      [3395, 'WGS 84 / World Mercator', 'merc', [0, 0, 1, 0, 0]],
    ],
  },
  {
    datum: 'israel1993',
    area: [34, 29.4, 35.8, 33.4],
    national: 2039,
    rows: [
      [4141, 'Israel 1993', 'longlat'],
      [2039, 'Israeli TM Grid', 'tmerc', [31.734393611111113, 35.20451694444445, 1.0000067, 219529.584, 626907.39]],
    ],
  },
  {
    datum: 'vn2000',
    area: [102, 8, 110, 23.5],
    rows: [
      [4756, 'VN-2000', 'longlat'],
      [3405, 'VN-2000 / UTM zone 48N', 'tmerc', utm(48)],
      [3406, 'VN-2000 / UTM zone 49N', 'tmerc', utm(49)],
      [5896, 'VN-2000 / TM-3 zone 481', 'tmerc', vietnamese(102)],
      [9205, 'VN-2000 / TM-3 103-00', 'tmerc', vietnamese(103)],
      [9206, 'VN-2000 / TM-3 104-00', 'tmerc', vietnamese(104)],
      [9207, 'VN-2000 / TM-3 104-30', 'tmerc', vietnamese(104.5)],
      [9208, 'VN-2000 / TM-3 104-45', 'tmerc', vietnamese(104.75)],
      [5897, 'VN-2000 / TM-3 zone 482', 'tmerc', vietnamese(105)],
      [9209, 'VN-2000 / TM-3 105-30', 'tmerc', vietnamese(105.5)],
      [9210, 'VN-2000 / TM-3 105-45', 'tmerc', vietnamese(105.75)],
      [9211, 'VN-2000 / TM-3 106-00', 'tmerc', vietnamese(106)],
      [9212, 'VN-2000 / TM-3 106-15', 'tmerc', vietnamese(106.25)],
      [9213, 'VN-2000 / TM-3 106-30', 'tmerc', vietnamese(106.5)],
      [9214, 'VN-2000 / TM-3 107-00', 'tmerc', vietnamese(107)],
      [9215, 'VN-2000 / TM-3 107-15', 'tmerc', vietnamese(107.25)],
      [9216, 'VN-2000 / TM-3 107-30', 'tmerc', vietnamese(107.5)],
      [5899, 'VN-2000 / TM-3 107-45', 'tmerc', vietnamese(107.75)],
      [5898, 'VN-2000 / TM-3 zone 491', 'tmerc', vietnamese(108)],
      [9217, 'VN-2000 / TM-3 108-15', 'tmerc', vietnamese(108.25)],
      [9218, 'VN-2000 / TM-3 108-30', 'tmerc', vietnamese(108.5)],
    ],
  },
  { datum: 'wgs84', area: [-180, -86, 180, 86], rows: [[6933, 'EASE-Grid 2.0', 'cea', [0, 0, 1, 0, 0, 30]]] },
  { datum: 'wgs84', area: [-180, -85.06, 180, 85.06], rows: [[3857, 'Web Mercator', 'webmerc', [0, 0, 1, 0, 0]]] },
  {
    datum: 'nzgd2000',
    area: newZealand,
    national: 2193,
    rows: [
      [4167, 'NZGD2000', 'longlat'],
      [2193, 'NZTM2000', 'tmerc', [0, 173, 0.9996, 1600000, 10000000]],
      [2105, 'Mount Eden 2000', 'tmerc', circuit(-36.8797222222222, 174.764166666667, 0.9999)],
      [2106, 'Bay of Plenty 2000', 'tmerc', circuit(-37.7611111111111, 176.466111111111)],
      [2107, 'Poverty Bay 2000', 'tmerc', circuit(-38.6244444444444, 177.885555555556)],
      [2108, 'Hawkes Bay 2000', 'tmerc', circuit(-39.6508333333333, 176.673611111111)],
      [2109, 'Taranaki 2000', 'tmerc', circuit(-39.1355555555556, 174.227777777778)],
      [2110, 'Tuhirangi 2000', 'tmerc', circuit(-39.5122222222222, 175.64)],
      [2111, 'Wanganui 2000', 'tmerc', circuit(-40.2419444444444, 175.488055555556)],
      [2112, 'Wairarapa 2000', 'tmerc', circuit(-40.9252777777778, 175.647222222222)],
      [2113, 'Wellington 2000', 'tmerc', circuit(-41.3011111111111, 174.776388888889)],
      [2114, 'Collingwood 2000', 'tmerc', circuit(-40.7147222222222, 172.671944444444)],
      [2115, 'Nelson 2000', 'tmerc', circuit(-41.2744444444444, 173.299166666667)],
      [2116, 'Karamea 2000', 'tmerc', circuit(-41.2897222222222, 172.108888888889)],
      [2117, 'Buller 2000', 'tmerc', circuit(-41.8105555555556, 171.581111111111)],
      [2118, 'Grey 2000', 'tmerc', circuit(-42.3336111111111, 171.549722222222)],
      [2119, 'Amuri 2000', 'tmerc', circuit(-42.6888888888889, 173.01)],
      [2120, 'Marlborough 2000', 'tmerc', circuit(-41.5444444444444, 173.801944444444)],
      [2121, 'Hokitika 2000', 'tmerc', circuit(-42.8861111111111, 170.979722222222)],
      [2122, 'Okarito 2000', 'tmerc', circuit(-43.11, 170.260833333333)],
      [2123, 'Jacksons Bay 2000', 'tmerc', circuit(-43.9777777777778, 168.606111111111)],
      [2124, 'Mount Pleasant 2000', 'tmerc', circuit(-43.5905555555556, 172.726944444444)],
      [2125, 'Gawler 2000', 'tmerc', circuit(-43.7486111111111, 171.360555555556)],
      [2126, 'Timaru 2000', 'tmerc', circuit(-44.4019444444444, 171.057222222222)],
      [2127, 'Lindis Peak 2000', 'tmerc', circuit(-44.735, 169.4675)],
      [2128, 'Mount Nicholas 2000', 'tmerc', circuit(-45.1327777777778, 168.398611111111)],
      [2129, 'Mount York 2000', 'tmerc', circuit(-45.5636111111111, 167.738611111111)],
      [2130, 'Observation Point 2000', 'tmerc', circuit(-45.8161111111111, 170.628333333333)],
      [2131, 'North Taieri 2000', 'tmerc', circuit(-45.8613888888889, 170.2825, 0.99996)],
      [2132, 'Bluff 2000', 'tmerc', circuit(-46.6, 168.342777777778)],
    ],
  },
  {
    datum: 'nzgd2000',
    area: [-177.5, -45, -175.5, -43],
    rows: [[3793, 'Chatham Islands TM 2000', 'tmerc', [0, -176.5, 1, 3500000, 10000000]]],
  },
  {
    datum: 'nzgd1949',
    area: newZealand,
    national: 27200,
    rows: [
      [4272, 'NZGD49', 'longlat'],
      [27200, 'New Zealand Map Grid', 'nzmg', [-41, 173, 1, 2510000, 6023150]],
    ],
  },
  {
    datum: 'gda94',
    area: australia,
    rows: [
      [4283, 'GDA94', 'longlat'],
      ...range(48, 58).map((zone): Row => [28300 + zone, `GDA94 / MGA zone ${zone}`, 'tmerc', utm(zone, true)]),
      [3577, 'GDA94 / Australian Albers', 'aea', [0, 132, 1, 0, 0, -18, -36]],
      [3111, 'GDA94 / Vicgrid', 'lcc', [-37, 145, 1, 2500000, 2500000, -36, -38]],
      [3308, 'GDA94 / NSW Lambert', 'lcc', [-33.25, 147, 1, 9300000, 4500000, -30.75, -35.75]],
    ],
  },
  {
    datum: 'gda2020',
    area: australia,
    rows: [
      [7844, 'GDA2020', 'longlat'],
      ...range(46, 59).map((zone): Row => [7800 + zone, `GDA2020 / MGA zone ${zone}`, 'tmerc', utm(zone, true)]),
      [9473, 'GDA2020 / Australian Albers', 'aea', [0, 132, 1, 0, 0, -18, -36]],
      [7899, 'GDA2020 / Vicgrid', 'lcc', [-37, 145, 1, 2500000, 2500000, -36, -38]],
      [8058, 'GDA2020 / NSW Lambert', 'lcc', [-33.25, 147, 1, 9300000, 4500000, -30.75, -35.75]],
    ],
  },
  {
    datum: 'nad83',
    area: northAmerica,
    rows: [
      [4269, 'NAD83', 'longlat'],
      ...range(1, 23).map((zone): Row => [26900 + zone, `NAD83 / UTM zone ${zone}N`, 'tmerc', utm(zone)]),
    ],
  },
  {
    datum: 'nad83',
    area: canada,
    rows: [
      [3347, 'NAD83 / Statistics Canada Lambert', 'lcc', [63.390675, -91.8666666666667, 1, 6200000, 3000000, 49, 77]],
    ],
  },
  {
    datum: 'csrs',
    area: canada,
    rows: [
      [4617, 'NAD83(CSRS)', 'longlat'],
      ...Object.entries(csrsZones).map(([zone, code]): Row => [
        code,
        `NAD83(CSRS) / UTM zone ${zone}N`,
        'tmerc',
        utm(Number(zone)),
      ]),
    ],
  },
  {
    datum: 'sirgas2000',
    area: [-122, -60, -25, 33],
    rows: [
      [4674, 'SIRGAS 2000', 'longlat'],
      ...range(11, 22).map((zone): Row => [31954 + zone, `SIRGAS 2000 / UTM zone ${zone}N`, 'tmerc', utm(zone)]),
      ...range(17, 25).map((zone): Row => [31960 + zone, `SIRGAS 2000 / UTM zone ${zone}S`, 'tmerc', utm(zone, true)]),
    ],
  },
  {
    datum: 'hartebeesthoek94',
    area: [13, -38, 36, -20],
    rows: [
      [4148, 'Hartebeesthoek94', 'longlat'],
      // These count westward and southward, which a scale of -1 says in one number.
      ...range(0, 9).map((index): Row => [
        2046 + index,
        `Hartebeesthoek94 / Lo${15 + index * 2}`,
        'tmerc',
        [0, 15 + index * 2, -1, 0, 0],
      ]),
    ],
  },
  {
    datum: 'wgs84',
    area: world,
    rows: range(1, 60).map((zone): Row => [32600 + zone, `WGS 84 / UTM zone ${zone}N`, 'tmerc', utm(zone)]),
  },
  {
    datum: 'wgs84',
    area: world,
    rows: range(1, 60).map((zone): Row => [32700 + zone, `WGS 84 / UTM zone ${zone}S`, 'tmerc', utm(zone, true)]),
  },
]
