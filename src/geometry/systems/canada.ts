/** Hides the numbers of the coordinate systems of Canada, as EPSG gives them. */

import { rowsOf, type Group } from './row.ts'

/** One line each: code, projection, its numbers, area of use, name. */
export const canadianSystems = (): readonly Group[] => [
  {
    datum: 'nad83',
    rows: rowsOf(`
      3005 aea 45,-126,1,1000000,0,50,58.5 -139.1,48.2,-114,60.1 NAD83 / BC Albers
      3161 lcc 0,-85,1,930000,6430000,44.5,53.5 -95.2,41.6,-74.3,56.9 NAD83 / Ontario MNR Lambert
      3400 tmerc 0,-115,0.9992,500000,0 -120,48.9,-109.9,60 NAD83 / Alberta 10-TM (Forest)
      3401 tmerc 0,-115,0.9992,0,0 -120,48.9,-109.9,60 NAD83 / Alberta 10-TM (Resource)
      3578 aea 59,-132.5,1,500000,500000,61.666666666667,68 -141.1,59.9,-123.9,69.7 NAD83 / Yukon Albers
      3580 lcc 0,-112,1,0,0,62,70 -136.5,59.9,-102,78.9 NAD83 / NWT Lambert
      3775 tmerc 0,-111,0.9999,0,0 -112.5,48.9,-109.9,60 NAD83 / Alberta 3TM ref merid 111 W
      3776 tmerc 0,-114,0.9999,0,0 -115.5,48.9,-112.5,60 NAD83 / Alberta 3TM ref merid 114 W
      3777 tmerc 0,-117,0.9999,0,0 -118.5,50.7,-115.5,60 NAD83 / Alberta 3TM ref merid 117 W
      3798 lcc 44,-70,1,800000,0,50,46 -79.9,44.9,-57.1,62.7 NAD83 / MTQ Lambert
      3801 tmerc 0,-120,0.9999,0,0 -120,52.8,-118.5,60 NAD83 / Alberta 3TM ref merid 120 W
      3978 lcc 49,-95,1,0,0,49,77 -141.1,38.2,-40.7,86.5 NAD83 / Canada Atlas Lambert
      5320 lcc 0,-84,1,1000000,0,44.5,54.5 -95.2,41.6,-74.3,56.9 NAD83 / Teranet Ontario Lambert
      6623 aea 44,-68.5,1,0,0,60,46 -79.9,44.9,-57.1,62.7 NAD83 / Quebec Albers
      32181 tmerc 0,-53,0.9999,304800,0 -54.5,46.5,-52.5,49.9 NAD83 / MTM zone 1
      32182 tmerc 0,-56,0.9999,304800,0 -57.5,46.8,-54.4,54.8 NAD83 / MTM zone 2
      32183 tmerc 0,-58.5,0.9999,304800,0 -60,47.5,-57.1,55.4 NAD83 / MTM zone 3
      32184 tmerc 0,-61.5,0.9999,304800,0 -63,47.1,-60,59 NAD83 / MTM zone 4
      32185 tmerc 0,-64.5,0.9999,304800,0 -66,47.9,-63,60.6 NAD83 / MTM zone 5
      32186 tmerc 0,-67.5,0.9999,304800,0 -69,47.3,-66,59 NAD83 / MTM zone 6
      32187 tmerc 0,-70.5,0.9999,304800,0 -72,45,-69,61.8 NAD83 / MTM zone 7
      32188 tmerc 0,-73.5,0.9999,304800,0 -75,44.9,-72,62.6 NAD83 / MTM zone 8
      32189 tmerc 0,-76.5,0.9999,304800,0 -78,43.6,-75,62.7 NAD83 / MTM zone 9
      32190 tmerc 0,-79.5,0.9999,304800,0 -81,42.2,-78,62.5 NAD83 / MTM zone 10
      32191 tmerc 0,-82.5,0.9999,304800,0 -83.6,41.6,-81,46 NAD83 / MTM zone 11
      32192 tmerc 0,-81,0.9999,304800,0 -82.5,46,-79.5,55.3 NAD83 / MTM zone 12
      32193 tmerc 0,-84,0.9999,304800,0 -85.5,46,-82.5,55.6 NAD83 / MTM zone 13
      32194 tmerc 0,-87,0.9999,304800,0 -88.5,47.1,-85.5,56.7 NAD83 / MTM zone 14
      32195 tmerc 0,-90,0.9999,304800,0 -91.5,47.9,-88.5,56.9 NAD83 / MTM zone 15
      32196 tmerc 0,-93,0.9999,304800,0 -94.5,48,-91.5,55.2 NAD83 / MTM zone 16
      32197 tmerc 0,-96,0.9999,304800,0 -95.2,48.6,-94.5,53.3 NAD83 / MTM zone 17
      32198 lcc 44,-68.5,1,0,0,60,46 -79.9,44.9,-57.1,62.7 NAD83 / Quebec Lambert
    `),
  },
  {
    datum: 'csrs',
    rows: rowsOf(`
      2945 tmerc 0,-58.5,0.9999,304800,0 -60,47.5,-57.1,55.4 NAD83(CSRS) / MTM zone 3
      2946 tmerc 0,-61.5,0.9999,304800,0 -63,47.1,-60,59 NAD83(CSRS) / MTM zone 4
      2947 tmerc 0,-64.5,0.9999,304800,0 -66,47.9,-63,60.6 NAD83(CSRS) / MTM zone 5
      2948 tmerc 0,-67.5,0.9999,304800,0 -69,47.3,-66,59 NAD83(CSRS) / MTM zone 6
      2949 tmerc 0,-70.5,0.9999,304800,0 -72,45,-69,61.8 NAD83(CSRS) / MTM zone 7
      2950 tmerc 0,-73.5,0.9999,304800,0 -75,44.9,-72,62.6 NAD83(CSRS) / MTM zone 8
      2951 tmerc 0,-76.5,0.9999,304800,0 -78,43.6,-75,62.7 NAD83(CSRS) / MTM zone 9
      2952 tmerc 0,-79.5,0.9999,304800,0 -81,42.2,-78,62.5 NAD83(CSRS) / MTM zone 10
      2953 sterea 46.5,-66.5,0.999912,2500000,7500000 -69.1,44.5,-63.7,48.1 NAD83(CSRS) / New Brunswick Stereographic
      2954 sterea 47.25,-63,0.999912,400000,800000 -64.5,45.9,-61.9,47.1 NAD83(CSRS) / Prince Edward Isl. Stereographic (NAD83)
      3153 aea 45,-126,1,1000000,0,50,58.5 -139.1,48.2,-114,60.1 NAD83(CSRS) / BC Albers
      3162 lcc 0,-85,1,930000,6430000,44.5,53.5 -95.2,41.6,-74.3,56.9 NAD83(CSRS) / Ontario MNR Lambert
      3348 lcc 63.390675,-91.866666666667,1,6200000,3000000,49,77 -141.1,38.2,-40.7,86.5 NAD83(CSRS) / Statistics Canada Lambert
      3402 tmerc 0,-115,0.9992,500000,0 -120,48.9,-109.9,60 NAD83(CSRS) / Alberta 10-TM (Forest)
      3403 tmerc 0,-115,0.9992,0,0 -120,48.9,-109.9,60 NAD83(CSRS) / Alberta 10-TM (Resource)
      3579 aea 59,-132.5,1,500000,500000,61.666666666667,68 -141.1,59.9,-123.9,69.7 NAD83(CSRS) / Yukon Albers
      3581 lcc 0,-112,1,0,0,62,70 -136.5,59.9,-102,78.9 NAD83(CSRS) / NWT Lambert
      3779 tmerc 0,-111,0.9999,0,0 -112.5,48.9,-109.9,60 NAD83(CSRS) / Alberta 3TM ref merid 111 W
      3780 tmerc 0,-114,0.9999,0,0 -115.5,48.9,-112.5,60 NAD83(CSRS) / Alberta 3TM ref merid 114 W
      3781 tmerc 0,-117,0.9999,0,0 -118.5,50.7,-115.5,60 NAD83(CSRS) / Alberta 3TM ref merid 117 W
      3799 lcc 44,-70,1,800000,0,50,46 -79.9,44.9,-57.1,62.7 NAD83(CSRS) / MTQ Lambert
      3802 tmerc 0,-120,0.9999,0,0 -120,52.8,-118.5,60 NAD83(CSRS) / Alberta 3TM ref merid 120 W
      3979 lcc 49,-95,1,0,0,49,77 -141.1,38.2,-40.7,86.5 NAD83(CSRS) / Canada Atlas Lambert
      5321 lcc 0,-84,1,1000000,0,44.5,54.5 -95.2,41.6,-74.3,56.9 NAD83(CSRS) / Teranet Ontario Lambert
      6622 lcc 44,-68.5,1,0,0,60,46 -79.9,44.9,-57.1,62.7 NAD83(CSRS) / Quebec Lambert
      6624 aea 44,-68.5,1,0,0,60,46 -79.9,44.9,-57.1,62.7 NAD83(CSRS) / Quebec Albers
      26891 tmerc 0,-82.5,0.9999,304800,0 -83.6,41.6,-81,46 NAD83(CSRS) / MTM zone 11
      26892 tmerc 0,-81,0.9999,304800,0 -82.5,46,-79.5,55.3 NAD83(CSRS) / MTM zone 12
      26893 tmerc 0,-84,0.9999,304800,0 -85.5,46,-82.5,55.6 NAD83(CSRS) / MTM zone 13
      26894 tmerc 0,-87,0.9999,304800,0 -88.5,47.1,-85.5,56.7 NAD83(CSRS) / MTM zone 14
      26895 tmerc 0,-90,0.9999,304800,0 -91.5,47.9,-88.5,56.9 NAD83(CSRS) / MTM zone 15
      26896 tmerc 0,-93,0.9999,304800,0 -94.5,48,-91.5,55.2 NAD83(CSRS) / MTM zone 16
      26897 tmerc 0,-96,0.9999,304800,0 -95.2,48.6,-94.5,53.3 NAD83(CSRS) / MTM zone 17
      26898 tmerc 0,-53,0.9999,304800,0 -54.5,46.5,-52.5,49.9 NAD83(CSRS) / MTM zone 1
      26899 tmerc 0,-56,0.9999,304800,0 -57.5,46.8,-54.4,54.8 NAD83(CSRS) / MTM zone 2
    `),
  },
]
