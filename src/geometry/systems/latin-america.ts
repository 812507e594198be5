/** Hides the numbers of the coordinate systems of Latin America, as EPSG gives them. */

import { rowsOf, type Group } from './row.ts'

/** One line each: code, projection, its numbers, area of use, name. */
export const latinAmericanSystems = (): readonly Group[] => [
  {
    datum: 'sirgas2000',
    rows: rowsOf(`
      5880 poly 0,-54,1,5000000,10000000 -74.1,-35.8,-25.2,7.1 SIRGAS 2000 / Brazil Polyconic
    `),
  },
  {
    datum: 'sad69',
    rows: rowsOf(`
      4618 longlat - -74.1,-35.8,-25.2,7.1 SAD69
      29101 poly 0,-54,1,5000000,10000000 -74.1,-35.8,-25.2,7.1 SAD69 / Brazil Polyconic
      29168 tmerc 0,-75,0.9996,500000,0 -78,0,-72,12.4 SAD69 / UTM zone 18N
      29169 tmerc 0,-69,0.9996,500000,0 -72,0,-66,12.6 SAD69 / UTM zone 19N
      29170 tmerc 0,-63,0.9996,500000,0 -66,0.6,-59.9,11.3 SAD69 / UTM zone 20N
      29171 tmerc 0,-57,0.9996,500000,0 -60,1.1,-54,8.6 SAD69 / UTM zone 21N
      29172 tmerc 0,-51,0.9996,500000,0 -54,1.6,-46.6,5.9 SAD69 / UTM zone 22N
      29188 tmerc 0,-75,0.9996,500000,10000000 -78,-45,-71.9,0 SAD69 / UTM zone 18S
      29189 tmerc 0,-69,0.9996,500000,10000000 -72,-45,-65.9,2.2 SAD69 / UTM zone 19S
      29190 tmerc 0,-63,0.9996,500000,10000000 -66,-45,-59.9,5.3 SAD69 / UTM zone 20S
      29191 tmerc 0,-57,0.9996,500000,10000000 -60,-39,-53.9,4.6 SAD69 / UTM zone 21S
      29192 tmerc 0,-51,0.9996,500000,10000000 -54,-35.8,-47.9,7.1 SAD69 / UTM zone 22S
      29193 tmerc 0,-45,0.9996,500000,10000000 -48,-33.5,-42,5.2 SAD69 / UTM zone 23S
      29194 tmerc 0,-39,0.9996,500000,10000000 -42,-26.4,-36,0.8 SAD69 / UTM zone 24S
      29195 tmerc 0,-33,0.9996,500000,10000000 -36,-23.8,-29.9,4.2 SAD69 / UTM zone 25S
    `),
  },
  {
    datum: 'sad69-96',
    rows: rowsOf(`
      5527 longlat - -74.1,-35.8,-25.2,7.1 SAD69(96)
      5530 poly 0,-54,1,5000000,10000000 -74.1,-35.8,-25.2,7.1 SAD69(96) / Brazil Polyconic
      5531 tmerc 0,-57,0.9996,500000,10000000 -60,-32,-53.9,4.6 SAD69(96) / UTM zone 21S
      5533 tmerc 0,-45,0.9996,500000,10000000 -48,-33.5,-42,5.2 SAD69(96) / UTM zone 23S
      5534 tmerc 0,-39,0.9996,500000,10000000 -42,-26.4,-36,0.8 SAD69(96) / UTM zone 24S
      5535 tmerc 0,-33,0.9996,500000,10000000 -36,-23.8,-29.9,4.2 SAD69(96) / UTM zone 25S
      5858 tmerc 0,-51,0.9996,500000,10000000 -54.1,-35.8,-47.9,7.1 SAD69(96) / UTM zone 22S
      5875 tmerc 0,-75,0.9996,500000,10000000 -74.1,-10.1,-71.9,-4.5 SAD69(96) / UTM zone 18S
      5876 tmerc 0,-69,0.9996,500000,10000000 -72,-11.2,-65.9,2.2 SAD69(96) / UTM zone 19S
      5877 tmerc 0,-63,0.9996,500000,10000000 -66,-16.3,-59.9,5.3 SAD69(96) / UTM zone 20S
    `),
  },
  {
    datum: 'posgar94',
    rows: rowsOf(`
      4694 longlat - - POSGAR 94
      22181 tmerc -90,-72,1,1500000,0 -73.6,-52,-70.5,-36.1 POSGAR 94 / Argentina 1
      22182 tmerc -90,-69,1,2500000,0 -70.5,-54.9,-67.4,-24 POSGAR 94 / Argentina 2
      22183 tmerc -90,-66,1,3500000,0 -67.5,-55.2,-64.4,-21.7 POSGAR 94 / Argentina 3
      22184 tmerc -90,-63,1,4500000,0 -64.5,-55,-61.5,-21.9 POSGAR 94 / Argentina 4
      22185 tmerc -90,-60,1,5500000,0 -61.6,-39.1,-58.5,-23.3 POSGAR 94 / Argentina 5
      22186 tmerc -90,-57,1,6500000,0 -58.5,-38.6,-55.4,-24.8 POSGAR 94 / Argentina 6
      22187 tmerc -90,-54,1,7500000,0 -55.5,-28.2,-53.6,-25.4 POSGAR 94 / Argentina 7
    `),
  },
  {
    datum: 'posgar98',
    rows: rowsOf(`
      4190 longlat - - POSGAR 98
      22171 tmerc -90,-72,1,1500000,0 -73.6,-52,-70.5,-36.1 POSGAR 98 / Argentina 1
      22172 tmerc -90,-69,1,2500000,0 -70.5,-54.9,-67.4,-24 POSGAR 98 / Argentina 2
      22173 tmerc -90,-66,1,3500000,0 -67.5,-55.2,-64.4,-21.7 POSGAR 98 / Argentina 3
      22174 tmerc -90,-63,1,4500000,0 -64.5,-55,-61.5,-21.9 POSGAR 98 / Argentina 4
      22175 tmerc -90,-60,1,5500000,0 -61.6,-39.1,-58.5,-23.3 POSGAR 98 / Argentina 5
      22176 tmerc -90,-57,1,6500000,0 -58.5,-38.6,-55.4,-24.8 POSGAR 98 / Argentina 6
      22177 tmerc -90,-54,1,7500000,0 -55.5,-28.2,-53.6,-25.4 POSGAR 98 / Argentina 7
    `),
  },
  {
    datum: 'posgar2007',
    rows: rowsOf(`
      5340 longlat - - POSGAR 2007
      5343 tmerc -90,-72,1,1500000,0 -73.6,-52,-70.5,-36.1 POSGAR 2007 / Argentina 1
      5344 tmerc -90,-69,1,2500000,0 -70.5,-54.9,-67.4,-24 POSGAR 2007 / Argentina 2
      5345 tmerc -90,-66,1,3500000,0 -67.5,-55.2,-64.4,-21.7 POSGAR 2007 / Argentina 3
      5346 tmerc -90,-63,1,4500000,0 -64.5,-55,-61.5,-21.9 POSGAR 2007 / Argentina 4
      5347 tmerc -90,-60,1,5500000,0 -61.6,-39.1,-58.5,-23.3 POSGAR 2007 / Argentina 5
      5348 tmerc -90,-57,1,6500000,0 -58.5,-38.6,-55.4,-24.8 POSGAR 2007 / Argentina 6
      5349 tmerc -90,-54,1,7500000,0 -55.5,-28.2,-53.6,-25.4 POSGAR 2007 / Argentina 7
      9265 tmerc 0,-69,0.9996,500000,10000000 -68.7,-54.7,-66,-51.6 POSGAR 2007 / UTM zone 19S
    `),
  },
  {
    datum: 'campo-inchauspe',
    rows: rowsOf(`
      4221 longlat - -73.6,-55,-53.6,-21.7 Campo Inchauspe
      22191 tmerc -90,-72,1,1500000,0 -73.6,-52,-70.5,-36.1 Campo Inchauspe / Argentina 1
      22192 tmerc -90,-69,1,2500000,0 -70.5,-52.5,-67.4,-24 Campo Inchauspe / Argentina 2
      22193 tmerc -90,-66,1,3500000,0 -67.5,-49.1,-64.4,-21.7 Campo Inchauspe / Argentina 3
      22194 tmerc -90,-63,1,4500000,0 -64.5,-43.2,-61.4,-21.9 Campo Inchauspe / Argentina 4
      22195 tmerc -90,-60,1,5500000,0 -61.6,-39.1,-58.5,-23.3 Campo Inchauspe / Argentina 5
      22196 tmerc -90,-57,1,6500000,0 -58.5,-38.6,-55.4,-24.8 Campo Inchauspe / Argentina 6
      22197 tmerc -90,-54,1,7500000,0 -55.5,-28.2,-53.6,-25.4 Campo Inchauspe / Argentina 7
    `),
  },
  {
    datum: 'sirgas-chile',
    rows: rowsOf(`
      5360 longlat - - SIRGAS-Chile 2002
      5361 tmerc 0,-69,0.9996,500000,10000000 -72,-59.9,-66,-17.5 SIRGAS-Chile 2002 / UTM zone 19S
      5362 tmerc 0,-75,0.9996,500000,10000000 -78,-59.4,-71.9,-18.3 SIRGAS-Chile 2002 / UTM zone 18S
    `),
  },
  {
    datum: 'sirgas-chile-2010',
    rows: rowsOf(`
      8949 longlat - - SIRGAS-Chile 2010
      8950 tmerc 0,-75,0.9996,500000,10000000 -78,-59.4,-71.9,-18.3 SIRGAS-Chile 2010 / UTM zone 18S
      8951 tmerc 0,-69,0.9996,500000,10000000 -72,-59.9,-66,-17.5 SIRGAS-Chile 2010 / UTM zone 19S
    `),
  },
  {
    datum: 'sirgas-chile-2013',
    rows: rowsOf(`
      9148 longlat - - SIRGAS-Chile 2013
      9149 tmerc 0,-75,0.9996,500000,10000000 -78,-59.4,-71.9,-18.3 SIRGAS-Chile 2013 / UTM zone 18S
      9150 tmerc 0,-69,0.9996,500000,10000000 -72,-59.9,-66,-17.5 SIRGAS-Chile 2013 / UTM zone 19S
    `),
  },
  {
    datum: 'sirgas-chile-2016',
    rows: rowsOf(`
      9153 longlat - - SIRGAS-Chile 2016
      9154 tmerc 0,-75,0.9996,500000,10000000 -78,-59.4,-71.9,-18.3 SIRGAS-Chile 2016 / UTM zone 18S
      9155 tmerc 0,-69,0.9996,500000,10000000 -72,-59.9,-66,-17.5 SIRGAS-Chile 2016 / UTM zone 19S
    `),
  },
  {
    datum: 'sirgas-rou98',
    rows: rowsOf(`
      5381 longlat - - SIRGAS-ROU98
      5382 tmerc 0,-57,0.9996,500000,10000000 -58.5,-36.7,-54,-30 SIRGAS-ROU98 / UTM zone 21S
      5383 tmerc 0,-51,0.9996,500000,10000000 -54,-37.8,-50,-31.9 SIRGAS-ROU98 / UTM zone 22S
    `),
  },
  {
    datum: 'yacare',
    rows: rowsOf(`
      4309 longlat - -58.5,-35,-53,-30 Yacare
    `),
  },
  {
    datum: 'mexico-itrf92',
    rows: rowsOf(`
      4483 longlat - - Mexico ITRF92
      4484 tmerc 0,-117,0.9996,500000,0 -122.2,15,-114,32.8 Mexico ITRF92 / UTM zone 11N
      4485 tmerc 0,-111,0.9996,500000,0 -114,15,-108,32.3 Mexico ITRF92 / UTM zone 12N
      4486 tmerc 0,-105,0.9996,500000,0 -108,14,-102,31.8 Mexico ITRF92 / UTM zone 13N
      4487 tmerc 0,-99,0.9996,500000,0 -102,12.3,-96,29.9 Mexico ITRF92 / UTM zone 14N
      4488 tmerc 0,-93,0.9996,500000,0 -96,12.1,-90,26 Mexico ITRF92 / UTM zone 15N
      4489 tmerc 0,-87,0.9996,500000,0 -90,17.8,-84.6,25.8 Mexico ITRF92 / UTM zone 16N
      6362 lcc 12,-102,1,2500000,0,17.5,29.5 -122.2,12.1,-84.6,32.8 Mexico ITRF92 / LCC
    `),
  },
  {
    datum: 'mexico-itrf2008',
    rows: rowsOf(`
      6365 longlat - - Mexico ITRF2008
      6366 tmerc 0,-117,0.9996,500000,0 -122.2,15,-114,32.8 Mexico ITRF2008 / UTM zone 11N
      6367 tmerc 0,-111,0.9996,500000,0 -114,15,-108,32.3 Mexico ITRF2008 / UTM zone 12N
      6368 tmerc 0,-105,0.9996,500000,0 -108,14,-102,31.8 Mexico ITRF2008 / UTM zone 13N
      6369 tmerc 0,-99,0.9996,500000,0 -102,12.3,-96,29.9 Mexico ITRF2008 / UTM zone 14N
      6370 tmerc 0,-93,0.9996,500000,0 -96,12.1,-90,26 Mexico ITRF2008 / UTM zone 15N
      6371 tmerc 0,-87,0.9996,500000,0 -90,17.8,-84.6,25.8 Mexico ITRF2008 / UTM zone 16N
      6372 lcc 12,-102,1,2500000,0,17.5,29.5 -122.2,12.1,-84.6,32.8 Mexico ITRF2008 / LCC
    `),
  },
  {
    datum: 'magna-sirgas',
    rows: rowsOf(`
      4686 longlat - - MAGNA-SIRGAS
      3114 tmerc 4.596200416667,-80.077507916667,1,1000000,1000000 -79.1,1.2,-78.5,2.5 MAGNA-SIRGAS / Colombia Far West zone
      3115 tmerc 4.596200416667,-77.077507916667,1,1000000,1000000 -78.6,0,-75.5,10.3 MAGNA-SIRGAS / Colombia West zone
      3116 tmerc 4.596200416667,-74.077507916667,1,1000000,1000000 -75.6,-2.6,-72.5,11.9 MAGNA-SIRGAS / Colombia Bogota zone
      3117 tmerc 4.596200416667,-71.077507916667,1,1000000,1000000 -72.6,-4.3,-69.5,12.6 MAGNA-SIRGAS / Colombia East Central zone
      3118 tmerc 4.596200416667,-68.077507916667,1,1000000,1000000 -69.6,-2.3,-66.8,6.4 MAGNA-SIRGAS / Colombia East zone
      9377 tmerc 4,-73,0.9992,5000000,2000000 -84.8,-4.3,-66.8,15.6 MAGNA-SIRGAS / Origen-Nacional
    `),
  },
  {
    datum: 'regven',
    rows: rowsOf(`
      4189 longlat - - REGVEN
      2201 tmerc 0,-75,0.9996,500000,0 -73.4,7,-71.9,11.7 REGVEN / UTM zone 18N
      2202 tmerc 0,-69,0.9996,500000,0 -72,0.7,-66,15.7 REGVEN / UTM zone 19N
      2203 tmerc 0,-63,0.9996,500000,0 -66,0.6,-58.9,16.8 REGVEN / UTM zone 20N
    `),
  },
  {
    datum: 'peru96',
    rows: rowsOf(`
      5373 longlat - - Peru96
      5387 tmerc 0,-75,0.9996,500000,10000000 -78,-21.1,-72,0 Peru96 / UTM zone 18S
      5389 tmerc 0,-69,0.9996,500000,10000000 -72,-20.5,-68.6,-2.1 Peru96 / UTM zone 19S
      5839 tmerc 0,-81,0.9996,500000,10000000 -84,-17.4,-78,-3.1 Peru96 / UTM zone 17S
    `),
  },
  {
    datum: 'cr05',
    rows: rowsOf(`
      5365 longlat - - CR05
      5367 tmerc 0,-84,0.9999,500000,0 -86.5,2.2,-81.4,11.8 CR05 / CRTM05
    `),
  },
]
