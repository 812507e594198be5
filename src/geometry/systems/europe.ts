/** Hides the numbers of the coordinate systems that European farms use, as EPSG gives them. */

import { range, utm, type Box, type Group, type Row } from './row.ts'

const europe: Box = [-36, 24.5, 46, 84.8]

/** The systems of Europe. */
export const europeanSystems = (): readonly Group[] => [
  {
    datum: 'osgb36',
    area: [-9, 49, 2.5, 61.5],
    national: 27700,
    rows: [
      [4277, 'OSGB36', 'longlat'],
      [27700, 'British National Grid', 'tmerc', [49, -2, 0.9996012717, 400000, -100000]],
    ],
  },
  {
    datum: 'tm65',
    area: [-11, 51, -5, 56],
    rows: [[29902, 'TM65 / Irish Grid', 'tmerc', [53.5, -8, 1.000035, 200000, 250000]]],
  },
  {
    datum: 'tm75',
    area: [-11, 51, -5, 56],
    national: 29903,
    rows: [[29903, 'TM75 / Irish Grid', 'tmerc', [53.5, -8, 1.000035, 200000, 250000]]],
  },
  {
    datum: 'irenet95',
    area: [-11, 51, -5, 56],
    national: 2157,
    rows: [
      [4173, 'IRENET95', 'longlat'],
      [2157, 'Irish Transverse Mercator', 'tmerc', [53.5, -8, 0.99982, 600000, 750000]],
    ],
  },
  {
    datum: 'etrs89',
    area: europe,
    national: 3035,
    rows: [
      [4258, 'ETRS89', 'longlat'],
      [3035, 'ETRS89-LAEA Europe', 'laea', [52, 10, 1, 4321000, 3210000]],
      ...range(28, 38).map((zone): Row => [25800 + zone, `ETRS89 / UTM zone ${zone}N`, 'tmerc', utm(zone)]),
      [4647, 'ETRS89 / UTM zone 32N with the zone in front', 'tmerc', [0, 9, 0.9996, 32500000, 0]],
      [5650, 'ETRS89 / UTM zone 33N with the zone in front', 'tmerc', [0, 15, 0.9996, 33500000, 0]],
      [3067, 'ETRS89 / TM35FIN(E,N)', 'tmerc', [0, 27, 0.9996, 500000, 0]],
      ...range(19, 31).map((zone): Row => [
        3854 + zone,
        `GK${zone}FIN`,
        'tmerc',
        [0, zone, 1, zone * 1000000 + 500000, 0],
      ]),
    ],
  },
  {
    datum: 'etrf2000-pl',
    area: [14, 49, 24.5, 55],
    national: 2180,
    rows: [
      [2180, 'PUWG 1992', 'tmerc', [0, 19, 0.9993, 500000, -5300000]],
      ...range(5, 8).map((zone): Row => [
        2171 + zone,
        `CS2000 zone ${zone}`,
        'tmerc',
        [0, zone * 3, 0.999923, zone * 1000000 + 500000, 0],
      ]),
    ],
  },
  {
    datum: 'slovenia1996',
    area: [13, 45, 17, 47],
    national: 3794,
    rows: [[3794, 'Slovene National Grid', 'tmerc', [0, 15, 0.9999, 500000, -5000000]]],
  },
  {
    datum: 'htrs96',
    area: [13, 42, 20, 47],
    national: 3765,
    rows: [[3765, 'HTRS96 / Croatia TM', 'tmerc', [0, 16.5, 0.9999, 500000, 0]]],
  },
  {
    datum: 'est97',
    area: [20.3, 57.5, 28.3, 60],
    national: 3301,
    rows: [
      [
        3301,
        'Estonian Coordinate System of 1997',
        'lcc',
        [57.5175539305556, 24, 1, 500000, 6375000, 59.3333333333333, 58],
      ],
    ],
  },
  {
    datum: 'lks92',
    area: [19, 55.6, 28.3, 58.1],
    national: 3059,
    rows: [[3059, 'LKS92 / Latvia TM', 'tmerc', [0, 24, 0.9996, 500000, -6000000]]],
  },
  {
    datum: 'lks94',
    area: [19, 53.8, 26.9, 56.5],
    national: 3346,
    rows: [[3346, 'LKS94 / Lithuania TM', 'tmerc', [0, 24, 0.9998, 500000, 0]]],
  },
  {
    datum: 'sweref99',
    area: [10, 54.5, 25, 70],
    national: 3006,
    rows: [
      [4619, 'SWEREF99', 'longlat'],
      [3006, 'SWEREF99 TM', 'tmerc', [0, 15, 0.9996, 500000, 0]],
      ...[12, 13.5, 15, 16.5, 18, 14.25, 15.75, 17.25, 18.75, 20.25, 21.75, 23.25].map((lon0, index): Row => [
        3007 + index,
        `SWEREF99 ${degreesAndMinutes(lon0)}`,
        'tmerc',
        [0, lon0, 1, 150000, 0],
      ]),
    ],
  },
  {
    datum: 'rgf93',
    area: [-10, 41, 10.5, 52],
    national: 2154,
    rows: [
      [4171, 'RGF93', 'longlat'],
      [2154, 'Lambert-93', 'lcc', [46.5, 3, 1, 700000, 6600000, 49, 44]],
      ...range(42, 50).map((lat0): Row => [
        3900 + lat0,
        `RGF93 / CC${lat0}`,
        'lcc',
        [lat0, 3, 1, 1700000, (lat0 - 41) * 1000000 + 200000, lat0 - 0.75, lat0 + 0.75],
      ]),
    ],
  },
  {
    datum: 'amersfoort',
    area: [3, 50.5, 7.5, 54],
    national: 28992,
    rows: [
      [4289, 'Amersfoort', 'longlat'],
      [28992, 'RD New', 'sterea', [52.1561605555556, 5.38763888888889, 0.9999079, 155000, 463000]],
    ],
  },
  {
    datum: 'belge1972',
    area: [2, 49, 7, 52],
    national: 31370,
    rows: [
      [4313, 'BD72', 'longlat'],
      [
        31370,
        'Belgian Lambert 72',
        'lcc',
        [90, 4.36748666666667, 1, 150000.013, 5400088.438, 51.1666672333333, 49.8333339],
      ],
    ],
  },
  {
    datum: 'etrs89',
    area: [2, 49, 7, 52],
    national: 3812,
    rows: [
      [
        3812,
        'Belgian Lambert 2008',
        'lcc',
        [50.797815, 4.35921583333333, 1, 649328, 665262, 49.8333333333333, 51.1666666666667],
      ],
    ],
  },
  {
    datum: 'dhdn',
    area: [5, 47, 15.5, 56],
    rows: [
      [4314, 'DHDN', 'longlat'],
      ...range(2, 5).map((zone): Row => [
        31464 + zone,
        `Gauss-Krüger zone ${zone}`,
        'tmerc',
        [0, zone * 3, 1, zone * 1000000 + 500000, 0],
      ]),
    ],
  },
  {
    datum: 'ch1903plus',
    area: [5.5, 45.5, 11, 48],
    national: 2056,
    rows: [
      [4150, 'CH1903+', 'longlat'],
      [2056, 'LV95', 'somerc', [46.9524055555556, 7.43958333333333, 1, 2600000, 1200000]],
    ],
  },
  {
    datum: 'ch1903',
    area: [5.5, 45.5, 11, 48],
    national: 21781,
    rows: [
      [4149, 'CH1903', 'longlat'],
      [21781, 'LV03', 'somerc', [46.9524055555556, 7.43958333333333, 1, 600000, 200000]],
    ],
  },
  {
    datum: 'mgi',
    area: [9, 46, 17.5, 49.5],
    rows: [
      [4312, 'MGI', 'longlat'],
      [31287, 'MGI / Austria Lambert', 'lcc', [47.5, 13.3333333333333, 1, 400000, 400000, 49, 46]],
      ...[10.3333333333333, 13.3333333333333, 16.3333333333333].flatMap((lon0, index): Row[] => [
        [31254 + index, `MGI / Austria GK ${['West', 'Central', 'East'][index]!}`, 'tmerc', [0, lon0, 1, 0, -5000000]],
        [
          31257 + index,
          `MGI / Austria GK M${28 + index * 3}`,
          'tmerc',
          [0, lon0, 1, 150000 + index * 300000, -5000000],
        ],
      ]),
    ],
  },
  {
    datum: 'sjtsk',
    area: [12, 47.5, 23, 51.5],
    national: 5514,
    rows: [
      [4156, 'S-JTSK', 'longlat'],
      [5514, 'S-JTSK / Krovak East North', 'krovak', [49.5, 24.8333333333333, 0.9999, 0, 0]],
    ],
  },
  {
    datum: 'etrs89',
    area: [-9.6, 36.9, -6.1, 42.2],
    national: 3763,
    rows: [[3763, 'ETRS89 / Portugal TM06', 'tmerc', [39.66825833333333, -8.133108333333334, 1, 0, 0]]],
  },
  {
    datum: 'etrs89',
    area: [9.5, 46.4, 17.2, 49.1],
    rows: [[3416, 'ETRS89 / Austria Lambert', 'lcc', [47.5, 13.333333333333334, 1, 400000, 400000, 49, 46]]],
  },
  { datum: 'etrs89', area: europe, rows: [[3034, 'ETRS89-LCC Europe', 'lcc', [52, 10, 1, 4000000, 2800000, 35, 65]]] },
  {
    datum: 'bgs2005',
    area: [22.3, 41.2, 28.7, 44.3],
    national: 7801,
    rows: [
      [7801, 'BGS2005 / CCS2005', 'lcc', [42.66787568333333, 25.5, 1, 500000, 4725824.3591, 42, 43.333333333333336]],
    ],
  },
  {
    datum: 'ggrs87',
    area: [19.5, 34.8, 28.4, 41.8],
    national: 2100,
    rows: [
      [4121, 'GGRS87', 'longlat'],
      [2100, 'Greek Grid', 'tmerc', [0, 24, 0.9996, 500000, 0]],
    ],
  },
  {
    datum: 'cgrs93',
    area: [32.1, 34.5, 34.7, 35.8],
    national: 6312,
    rows: [[6312, 'Cyprus Local Transverse Mercator', 'tmerc', [0, 33, 0.99995, 200000, -3500000]]],
  },
  {
    datum: 'rt90',
    area: [10, 54.5, 25, 70],
    rows: [
      [4124, 'RT90', 'longlat'],
      [3021, 'RT90 2.5 gon V', 'tmerc', [0, 15.808277777777779, 1, 1500000, 0]],
    ],
  },
  {
    datum: 'kkj',
    area: [19, 59, 32, 70.5],
    rows: [
      [4123, 'KKJ', 'longlat'],
      [2393, 'KKJ / Finland Uniform Coordinate System', 'tmerc', [0, 27, 1, 3500000, 0]],
    ],
  },
  {
    datum: 'luref',
    area: [5.7, 49.4, 6.6, 50.2],
    national: 2169,
    rows: [[2169, 'LUREF / Luxembourg TM', 'tmerc', [49.833333333333336, 6.166666666666667, 1, 80000, 100000]]],
  },
  {
    datum: 'hd72',
    area: [16, 45.7, 23, 48.6],
    national: 23700,
    rows: [
      [4237, 'HD72', 'longlat'],
      [23700, 'HD72 / EOV', 'somerc', [47.14439372222222, 19.04857177777778, 0.99993, 650000, 200000]],
    ],
  },
]

function degreesAndMinutes(lon: number): string {
  return `${Math.floor(lon)} ${String(Math.round((lon % 1) * 60)).padStart(2, '0')}`
}
