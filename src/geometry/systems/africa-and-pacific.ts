/** Hides the numbers of the coordinate systems of southern and eastern Africa and the Pacific, and old ones of Australia, as EPSG gives them. */

import { rowsOf, type Group } from './row.ts'

/** One line each: code, projection, its numbers, area of use, name. */
export const africanAndPacificSystems = (): readonly Group[] => [
  {
    datum: 'cape',
    rows: rowsOf(`
      4222 longlat - 16.4,-34.9,33,-22.1 Cape
      22234 tmerc 0,21,0.9996,500000,10000000 19.9,-26.9,24,-17.9 Cape / UTM zone 34S
      22235 tmerc 0,27,0.9996,500000,10000000 24,-25.9,29.4,-17.7 Cape / UTM zone 35S
      22275 tmerc 0,15,-1,0,0 14.3,-23.2,14.6,-22.6 Cape / Lo15
      22277 tmerc 0,17,-1,0,0 16.4,-33.1,18,-28 Cape / Lo17
      22279 tmerc 0,19,-1,0,0 17.9,-34.9,20,-28.3 Cape / Lo19
      22281 tmerc 0,21,-1,0,0 19.9,-34.9,22.1,-24.7 Cape / Lo21
      22283 tmerc 0,23,-1,0,0 22,-34.3,24.1,-25.2 Cape / Lo23
      22285 tmerc 0,25,-1,0,0 24,-34.3,26.1,-24.7 Cape / Lo25
      22287 tmerc 0,27,-1,0,0 26,-33.9,28,-22.9 Cape / Lo27
      22289 tmerc 0,29,-1,0,0 27.9,-33.1,30.1,-22.1 Cape / Lo29
      22291 tmerc 0,31,-1,0,0 29.9,-31.4,32.1,-22.2 Cape / Lo31
      22293 tmerc 0,33,-1,0,0 31.9,-29,33,-26.8 Cape / Lo33
    `),
  },
  {
    datum: 'arc1950-zimbabwe',
    rows: rowsOf(`
      4209 longlat - 25.2,-22.5,33.1,-15.6 Arc 1950
      20935 tmerc 0,27,0.9996,500000,10000000 24,-25.9,30,-8.3 Arc 1950 / UTM zone 35S
      20936 tmerc 0,33,0.9996,500000,10000000 30,-22.5,36,-8.1 Arc 1950 / UTM zone 36S
    `),
  },
  {
    datum: 'arc1960-kenya',
    rows: rowsOf(`
      4210 longlat - 33.9,-4.8,42,4.7 Arc 1960
      21036 tmerc 0,33,0.9996,500000,10000000 29.9,-11.7,36,0.1 Arc 1960 / UTM zone 36S
      21037 tmerc 0,39,0.9996,500000,10000000 36,-11.8,41.6,0 Arc 1960 / UTM zone 37S
      21096 tmerc 0,33,0.9996,500000,0 29.9,0,36,4.7 Arc 1960 / UTM zone 36N
      21097 tmerc 0,39,0.9996,500000,0 36,0,42,4.5 Arc 1960 / UTM zone 37N
    `),
  },
  {
    datum: 'agd66',
    rows: rowsOf(`
      4202 longlat - 112.8,-43.7,153.7,-9.8 AGD66
      20249 tmerc 0,111,0.9996,500000,10000000 109.2,-37.9,114,-17.1 AGD66 / AMG zone 49
      20250 tmerc 0,117,0.9996,500000,10000000 114,-38.6,120,-12.6 AGD66 / AMG zone 50
      20251 tmerc 0,123,0.9996,500000,10000000 120,-38.1,126.1,-10.4 AGD66 / AMG zone 51
      20252 tmerc 0,129,0.9996,500000,10000000 125.9,-37.4,132,-9.1 AGD66 / AMG zone 52
      20253 tmerc 0,135,0.9996,500000,10000000 132,-40.8,138.1,-8.8 AGD66 / AMG zone 53
      20254 tmerc 0,141,0.9996,500000,10000000 138,-46.7,144.1,-2.5 AGD66 / AMG zone 54
      20255 tmerc 0,147,0.9996,500000,10000000 144,-47.2,150.1,-1.3 AGD66 / AMG zone 55
      20256 tmerc 0,153,0.9996,500000,10000000 150,-46.5,156,-2.3 AGD66 / AMG zone 56
      20257 tmerc 0,159,0.9996,500000,10000000 156,-35.2,162.1,-14 AGD66 / AMG zone 57
      20258 tmerc 0,165,0.9996,500000,10000000 162,-34.3,163.2,-27.2 AGD66 / AMG zone 58
    `),
  },
  {
    datum: 'agd84',
    rows: rowsOf(`
      4203 longlat - 109.2,-38.6,153.7,-9.3 AGD84
      20349 tmerc 0,111,0.9996,500000,10000000 109.2,-37.9,114,-17.1 AGD84 / AMG zone 49
      20350 tmerc 0,117,0.9996,500000,10000000 114,-38.6,120,-12.6 AGD84 / AMG zone 50
      20351 tmerc 0,123,0.9996,500000,10000000 120,-38.1,126.1,-10.4 AGD84 / AMG zone 51
      20352 tmerc 0,129,0.9996,500000,10000000 125.9,-37.1,132.1,-9.3 AGD84 / AMG zone 52
      20353 tmerc 0,135,0.9996,500000,10000000 132,-36.2,138,-25.9 AGD84 / AMG zone 53
      20354 tmerc 0,141,0.9996,500000,10000000 138,-38.2,144.1,-9.8 AGD84 / AMG zone 54
      20355 tmerc 0,147,0.9996,500000,10000000 144,-29.1,150,-14 AGD84 / AMG zone 55
      20356 tmerc 0,153,0.9996,500000,10000000 150,-29.2,153.7,-22 AGD84 / AMG zone 56
    `),
  },
  {
    datum: 'rgnc91-93',
    rows: rowsOf(`
      4749 longlat - - RGNC91-93
      3163 lcc -21.5,166,1,400000,300000,-20.666666666667,-22.333333333333 163.5,-22.8,168.2,-19.5 RGNC91-93 / Lambert New Caledonia
    `),
  },
  {
    datum: 'fiji1986',
    rows: rowsOf(`
      4720 longlat - 176.8,-20.9,181.9,-12.4 Fiji 1986
      3460 tmerc -17,178.75,0.99985,2000000,4000000 176.8,-20.9,181.9,-12.4 Fiji 1986 / Fiji Map Grid
    `),
  },
  {
    datum: 'wgs84',
    rows: rowsOf(`
      6931 laea 90,0,1,0,0 -180,0,180,90 WGS 84 / NSIDC EASE-Grid 2.0 North
      6932 laea -90,0,1,0,0 -180,-90,180,0 WGS 84 / NSIDC EASE-Grid 2.0 South
    `),
  },
]
