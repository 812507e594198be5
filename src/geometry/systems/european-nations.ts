/** Hides the numbers of the coordinate systems of single nations of Europe and of their overseas parts, old ones too, as EPSG gives them. */

import { rowsOf, type Group } from './row.ts'

/** One line each: code, projection, its numbers, area of use, name. */
export const nationalEuropeanSystems = (): readonly Group[] => [
  {
    datum: 'etrs89',
    rows: rowsOf(`
      2196 tmerc 0,9.5,0.99995,200000,0 8,54.6,11.3,57.8 ETRS89 / Kp2000 Jutland
      2197 tmerc 0,12,0.99995,500000,0 10.7,54.5,12.7,56.8 ETRS89 / Kp2000 Zealand
      2198 tmerc 0,15,1,900000,0 14.5,54.9,15.3,55.4 ETRS89 / Kp2000 Bornholm
      4093 tmerc 0,9,0.99998,200000,-5000000 8,54.8,10,57.7 ETRS89 / DKTM1
      4094 tmerc 0,10,0.99998,400000,-5000000 9,54.6,11.3,57.8 ETRS89 / DKTM2
      4095 tmerc 0,11.75,0.99998,600000,-5000000 10.7,54.5,12.7,56.8 ETRS89 / DKTM3
      4096 tmerc 0,15,1,800000,-5000000 14.5,54.9,15.3,55.4 ETRS89 / DKTM4
      5105 tmerc 58,5.5,1,100000,1000000 4.6,58.3,6,62.5 ETRS89 / NTM zone 5
      5106 tmerc 58,6.5,1,100000,1000000 6,57.9,7,63.1 ETRS89 / NTM zone 6
      5107 tmerc 58,7.5,1,100000,1000000 7,57.9,8,63.6 ETRS89 / NTM zone 7
      5108 tmerc 58,8.5,1,100000,1000000 8,58,9,63.9 ETRS89 / NTM zone 8
      5109 tmerc 58,9.5,1,100000,1000000 9,58.5,10,64.2 ETRS89 / NTM zone 9
      5110 tmerc 58,10.5,1,100000,1000000 10,58.9,11,65.1 ETRS89 / NTM zone 10
      5111 tmerc 58,11.5,1,100000,1000000 11,58.8,12,65.8 ETRS89 / NTM zone 11
      5112 tmerc 58,12.5,1,100000,1000000 12,59.8,13,68.2 ETRS89 / NTM zone 12
      5113 tmerc 58,13.5,1,100000,1000000 13,64,14,68.4 ETRS89 / NTM zone 13
      5114 tmerc 58,14.5,1,100000,1000000 14,64,15,69.1 ETRS89 / NTM zone 14
      5115 tmerc 58,15.5,1,100000,1000000 15,66.1,16,69.4 ETRS89 / NTM zone 15
      5116 tmerc 58,16.5,1,100000,1000000 16,66.8,17,69.5 ETRS89 / NTM zone 16
      5117 tmerc 58,17.5,1,100000,1000000 17,67.9,18,69.7 ETRS89 / NTM zone 17
      5118 tmerc 58,18.5,1,100000,1000000 18,68,19,70.3 ETRS89 / NTM zone 18
      5119 tmerc 58,19.5,1,100000,1000000 19,68.3,20,70.4 ETRS89 / NTM zone 19
      5120 tmerc 58,20.5,1,100000,1000000 20,68.3,21,70.3 ETRS89 / NTM zone 20
      5121 tmerc 58,21.5,1,100000,1000000 21,69,22,70.8 ETRS89 / NTM zone 21
      5122 tmerc 58,22.5,1,100000,1000000 22,68.6,23,70.9 ETRS89 / NTM zone 22
      5123 tmerc 58,23.5,1,100000,1000000 23,68.6,24,71.1 ETRS89 / NTM zone 23
      5124 tmerc 58,24.5,1,100000,1000000 24,68.5,25,71.2 ETRS89 / NTM zone 24
      5125 tmerc 58,25.5,1,100000,1000000 25,68.5,26,71.3 ETRS89 / NTM zone 25
      5126 tmerc 58,26.5,1,100000,1000000 26,69.7,27,71.2 ETRS89 / NTM zone 26
      5127 tmerc 58,27.5,1,100000,1000000 27,69.9,28,71.2 ETRS89 / NTM zone 27
      5128 tmerc 58,28.5,1,100000,1000000 28,69,29,71.2 ETRS89 / NTM zone 28
      5129 tmerc 58,29.5,1,100000,1000000 29,69,30,71 ETRS89 / NTM zone 29
      5130 tmerc 58,30.5,1,100000,1000000 30,69.4,31.3,70.8 ETRS89 / NTM zone 30
      5243 lcc 51,10.5,1,0,0,48.666666666667,53.666666666667 5.8,47.2,15.1,55.1 ETRS89 / LCC Germany (E-N)
      4839 lcc 51,10.5,1,0,0,48.666666666667,53.666666666667 5.8,47.2,15.1,55.1 ETRS89 / LCC Germany (N-E)
      5649 tmerc 0,3,0.9996,31500000,0 3.3,50.9,6,56 ETRS89 / UTM zone 31N (zE-N)
      5653 tmerc 0,15,0.9996,33500000,0 11.5,47.4,15.1,55.1 ETRS89 / UTM zone 33N (N-zE)
      5652 tmerc 0,9,0.9996,32500000,0 6,47.2,12,55.5 ETRS89 / UTM zone 32N (N-zE)
      5651 tmerc 0,3,0.9996,31500000,0 3.3,50.9,6,56 ETRS89 / UTM zone 31N (N-zE)
      3447 lcc 50.797815,4.359215833333,1,150328,166262,49.833333333333,51.166666666667 2.5,49.5,6.4,51.6 ETRS89 / Belgian Lambert 2005
      6870 tmerc 0,20,1,500000,0 19.2,39.6,21.1,42.7 ETRS89 / Albania TM 2010
      3108 tmerc 49.5,-2.416666666667,0.999997,47000,50000 -3.8,49.1,-2,50.2 ETRS89 / Guernsey Grid
      3109 tmerc 49.225,-2.135,0.9999999,40000,70000 -2.8,48.7,-1.8,49.5 ETRS89 / Jersey Transverse Mercator
      5316 tmerc 0,-7,0.999997,200000,-6000000 -14,59.9,-0.4,65.7 ETRS89 / Faroe TM
      3126 tmerc 0,19,1,500000,0 19.2,60,19.5,60.4 ETRS89 / ETRS-GK19FIN
      3127 tmerc 0,20,1,500000,0 19.5,59.9,20.5,60.5 ETRS89 / ETRS-GK20FIN
      3128 tmerc 0,21,1,500000,0 20.5,59.8,21.5,69.4 ETRS89 / ETRS-GK21FIN
      3129 tmerc 0,22,1,500000,0 21.5,59.7,22.5,69.4 ETRS89 / ETRS-GK22FIN
      3130 tmerc 0,23,1,500000,0 22.5,59.7,23.5,68.8 ETRS89 / ETRS-GK23FIN
      3131 tmerc 0,24,1,500000,0 23.5,59.8,24.5,68.9 ETRS89 / ETRS-GK24FIN
      3132 tmerc 0,25,1,500000,0 24.5,59.9,25.5,68.9 ETRS89 / ETRS-GK25FIN
      3133 tmerc 0,26,1,500000,0 25.5,60.1,26.5,70 ETRS89 / ETRS-GK26FIN
      3134 tmerc 0,27,1,500000,0 26.5,60.3,27.5,70.1 ETRS89 / ETRS-GK27FIN
      3135 tmerc 0,28,1,500000,0 27.5,60.4,28.5,70.1 ETRS89 / ETRS-GK28FIN
      3136 tmerc 0,29,1,500000,0 28.5,60.9,29.5,69.9 ETRS89 / ETRS-GK29FIN
      3137 tmerc 0,30,1,500000,0 29.5,61.4,30.5,68 ETRS89 / ETRS-GK30FIN
      3138 tmerc 0,31,1,500000,0 30.5,62,31.6,64.3 ETRS89 / ETRS-GK31FIN
      3040 tmerc 0,-15,0.9996,500000,0 -16.1,34.9,-11.9,72.5 ETRS89 / UTM zone 28N (N-E)
      3041 tmerc 0,-9,0.9996,500000,0 -12,34.9,-6,74.2 ETRS89 / UTM zone 29N (N-E)
      3042 tmerc 0,-3,0.9996,500000,0 -6,35.2,0.1,80.5 ETRS89 / UTM zone 30N (N-E)
      3043 tmerc 0,3,0.9996,500000,0 0,37,6.1,82.5 ETRS89 / UTM zone 31N (N-E)
      3044 tmerc 0,9,0.9996,500000,0 6,38.7,12.1,84.4 ETRS89 / UTM zone 32N (N-E)
      3045 tmerc 0,15,0.9996,500000,0 12,46.4,18.1,84.5 ETRS89 / UTM zone 33N (N-E)
      3046 tmerc 0,21,0.9996,500000,0 17.9,58.8,24.1,84.6 ETRS89 / UTM zone 34N (N-E)
      3047 tmerc 0,27,0.9996,500000,0 24,59.6,30.1,84.8 ETRS89 / UTM zone 35N (N-E)
      3048 tmerc 0,33,0.9996,500000,0 30,61.7,36.1,84.7 ETRS89 / UTM zone 36N (N-E)
      3049 tmerc 0,39,0.9996,500000,0 36,72.9,38.1,79.1 ETRS89 / UTM zone 37N (N-E)
      5048 tmerc 0,27,0.9996,500000,0 19,58.8,31.6,70.1 ETRS89 / TM35FIN(N,E)
    `),
  },
  {
    datum: 'ed50',
    rows: rowsOf(`
      4230 longlat - -9.6,34.8,31.6,71.3 ED50
      23028 tmerc 0,-15,0.9996,500000,0 -16.1,48.4,-12,56.6 ED50 / UTM zone 28N
      23029 tmerc 0,-9,0.9996,500000,0 -12,36.1,-6,62.5 ED50 / UTM zone 29N
      23030 tmerc 0,-3,0.9996,500000,0 -6,35.2,0.1,80.5 ED50 / UTM zone 30N
      23031 tmerc 0,3,0.9996,500000,0 0,38.5,6.1,82.5 ED50 / UTM zone 31N
      23032 tmerc 0,9,0.9996,500000,0 5.9,36.5,12.1,84.4 ED50 / UTM zone 32N
      23033 tmerc 0,15,0.9996,500000,0 12,34.4,18.1,84.5 ED50 / UTM zone 33N
      23034 tmerc 0,21,0.9996,500000,0 17.9,33.5,24.1,84.6 ED50 / UTM zone 34N
      23035 tmerc 0,27,0.9996,500000,0 24,25.7,30.1,84.8 ED50 / UTM zone 35N
      23036 tmerc 0,33,0.9996,500000,0 30,29.1,36,84.7 ED50 / UTM zone 36N
      23037 tmerc 0,39,0.9996,500000,0 36,29.1,42,79.1 ED50 / UTM zone 37N
      23038 tmerc 0,45,0.9996,500000,0 42,36.9,44.9,41.6 ED50 / UTM zone 38N
    `),
  },
  {
    datum: 'ntf',
    rows: rowsOf(`
      4275 longlat - -4.9,41.3,9.7,51.2 NTF
      27561 lcc 49.5,2.33722917,0.999877341,600000,200000,49.5,49.5 -4.9,48.1,8.3,51.2 NTF (Paris) / Lambert Nord France
      27562 lcc 46.8,2.33722917,0.99987742,600000,200000,46.8,46.8 -4.8,45.4,7.7,48.2 NTF (Paris) / Lambert Centre France
      27563 lcc 44.1,2.33722917,0.999877499,600000,200000,44.1,44.1 -1.8,42.3,7.8,45.5 NTF (Paris) / Lambert Sud France
      27564 lcc 42.165,2.33722917,0.99994471,234.358,185861.369,42.165,42.165 8.5,41.3,9.7,43.1 NTF (Paris) / Lambert Corse
      27571 lcc 49.5,2.33722917,0.999877341,600000,1200000,49.5,49.5 -4.9,48.1,8.3,51.2 NTF (Paris) / Lambert zone I
      27572 lcc 46.8,2.33722917,0.99987742,600000,2200000,46.8,46.8 -4.9,42.3,8.3,51.2 NTF (Paris) / Lambert zone II
      27573 lcc 44.1,2.33722917,0.999877499,600000,3200000,44.1,44.1 -1.8,42.3,7.8,45.5 NTF (Paris) / Lambert zone III
      27574 lcc 42.165,2.33722917,0.99994471,234.358,4185861.369,42.165,42.165 8.5,41.3,9.7,43.1 NTF (Paris) / Lambert zone IV
    `),
  },
  {
    datum: 'monte-mario',
    rows: rowsOf(`
      4265 longlat - 6.6,37.8,18.6,47.1 Monte Mario
      3003 tmerc 0,9,0.9996,1500000,0 5.9,36.5,12,47.1 Monte Mario / Italy zone 1
      3004 tmerc 0,15,0.9996,2520000,0 12,34.7,19,47.1 Monte Mario / Italy zone 2
    `),
  },
  {
    datum: 'rdn2008',
    rows: rowsOf(`
      6706 longlat - - RDN2008
      6707 tmerc 0,9,0.9996,500000,0 5.9,36.5,12,47.1 RDN2008 / UTM zone 32N (N-E)
      6708 tmerc 0,15,0.9996,500000,0 12,34.7,18,47.1 RDN2008 / UTM zone 33N (N-E)
      6709 tmerc 0,21,0.9996,500000,0 17.9,34.7,19,41.7 RDN2008 / UTM zone 34N (N-E)
      6875 tmerc 0,12,0.9985,7000000,0 5.9,34.7,19,47.1 RDN2008 / Italy zone (N-E)
      6876 tmerc 0,12,1,3000000,0 5.9,34.7,19,47.1 RDN2008 / Zone 12 (N-E)
      7791 tmerc 0,9,0.9996,500000,0 5.9,36.5,12,47.1 RDN2008 / UTM zone 32N
      7792 tmerc 0,15,0.9996,500000,0 12,34.7,18,47.1 RDN2008 / UTM zone 33N
      7793 tmerc 0,21,0.9996,500000,0 17.9,34.7,19,41.7 RDN2008 / UTM zone 34N
      7794 tmerc 0,12,0.9985,7000000,0 5.9,34.7,19,47.1 RDN2008 / Italy zone (E-N)
      7795 tmerc 0,12,1,3000000,0 5.9,34.7,19,47.1 RDN2008 / Zone 12 (E-N)
    `),
  },
  {
    datum: 'igm95',
    rows: rowsOf(`
      4670 longlat - - IGM95
      3064 tmerc 0,9,0.9996,500000,0 5.9,36.5,12,47.1 IGM95 / UTM zone 32N
      3065 tmerc 0,15,0.9996,500000,0 12,34.7,18,47.1 IGM95 / UTM zone 33N
      9716 tmerc 0,21,0.9996,500000,0 17.9,34.7,19,41.7 IGM95 / UTM zone 34N
    `),
  },
  {
    datum: 'regcan95',
    rows: rowsOf(`
      4081 longlat - - REGCAN95
      4082 tmerc 0,-21,0.9996,500000,0 -22,24.6,-18,31.2 REGCAN95 / UTM zone 27N
      4083 tmerc 0,-15,0.9996,500000,0 -18,25.2,-11.7,32.8 REGCAN95 / UTM zone 28N
    `),
  },
  {
    datum: 'rgr92',
    rows: rowsOf(`
      4627 longlat - - RGR92
      2975 tmerc 0,57,0.9996,500000,10000000 54,-24.8,58.3,-18.2 RGR92 / UTM zone 40S
    `),
  },
  {
    datum: 'rgaf09',
    rows: rowsOf(`
      5489 longlat - - RGAF09
      5490 tmerc 0,-63,0.9996,500000,0 -63.7,14,-60,18.4 RGAF09 / UTM zone 20N
    `),
  },
  {
    datum: 'rgfg95',
    rows: rowsOf(`
      4624 longlat - - RGFG95
      2972 tmerc 0,-51,0.9996,500000,0 -54,2.1,-49.4,8.9 RGFG95 / UTM zone 22N
    `),
  },
  {
    datum: 'rgm04',
    rows: rowsOf(`
      4470 longlat - - RGM04
      4471 tmerc 0,45,0.9996,500000,10000000 43.6,-14.5,46.7,-11.3 RGM04 / UTM zone 38S
    `),
  },
  {
    datum: 'datum73',
    rows: rowsOf(`
      4274 longlat - -9.6,36.9,-6.1,42.2 Datum 73
      27493 tmerc 39.666666666667,-8.131906111111,1,180.598,-86.99 -9.6,36.9,-6.1,42.2 Datum 73 / Modified Portuguese Grid
    `),
  },
  {
    datum: 'lisbon',
    rows: rowsOf(`
      4207 longlat - -9.6,36.9,-6.1,42.2 Lisbon
      20790 tmerc 39.666666666667,-8.131906111111,1,200000,300000 -9.6,36.9,-6.1,42.2 Lisbon (Lisbon) / Portuguese National Grid
      20791 tmerc 39.666666666667,-8.131906111111,1,0,0 -9.6,36.9,-6.1,42.2 Lisbon (Lisbon) / Portuguese Grid
      5018 tmerc 39.666666666667,-8.131906111111,1,0,0 -9.6,36.9,-6.1,42.2 Lisbon / Portuguese Grid New
    `),
  },
  {
    datum: 'ptra08',
    rows: rowsOf(`
      5013 longlat - - PTRA08
      5014 tmerc 0,-33,0.9996,500000,0 -35.6,35.2,-30,43.1 PTRA08 / UTM zone 25N
      5015 tmerc 0,-27,0.9996,500000,0 -30,33.5,-24,43 PTRA08 / UTM zone 26N
      5016 tmerc 0,-15,0.9996,500000,0 -18,29.2,-12.4,36.5 PTRA08 / UTM zone 28N
    `),
  },
  {
    datum: 'pulkovo1942-58',
    rows: rowsOf(`
      4179 longlat - 14.1,49,24.2,54.9 Pulkovo 1942(58)
      2172 sterea 53.001944444444,21.502777777778,0.9998,4603000,5806000 19,51.3,24,54.6 Pulkovo 1942(58) / Poland zone II
      2173 sterea 53.583333333333,17.008333333333,0.9998,3501000,5999000 14.1,52.1,20,54.9 Pulkovo 1942(58) / Poland zone III
      2174 sterea 51.670833333333,16.672222222222,0.9998,3703000,5627000 14.1,49.3,19.1,53.4 Pulkovo 1942(58) / Poland zone IV
      2175 tmerc 0,18.958333333333,0.999983,237000,-4700000 18.3,49.3,19.7,51.4 Pulkovo 1942(58) / Poland zone V
      3120 sterea 50.625,21.083333333333,0.9998,4637000,5467000 18,49,24.2,52.4 Pulkovo 1942(58) / Poland zone I
      3333 tmerc 0,15,1,3500000,0 12,45.7,18,54.9 Pulkovo 1942(58) / Gauss-Kruger zone 3
      3334 tmerc 0,21,1,4500000,0 18,39.6,24,54.9 Pulkovo 1942(58) / Gauss-Kruger zone 4
      3335 tmerc 0,27,1,5500000,0 24,41.2,29.8,51 Pulkovo 1942(58) / Gauss-Kruger zone 5
      3329 tmerc 0,15,1,5500000,0 13.5,46.5,16.5,54.8 Pulkovo 1942(58) / 3-degree Gauss-Kruger zone 5
      3330 tmerc 0,18,1,6500000,0 16.5,40.1,19.5,54.9 Pulkovo 1942(58) / 3-degree Gauss-Kruger zone 6
      3331 tmerc 0,21,1,7500000,0 19.5,39.6,22.5,54.6 Pulkovo 1942(58) / 3-degree Gauss-Kruger zone 7
      3332 tmerc 0,24,1,8500000,0 22.5,41.2,25.5,54.5 Pulkovo 1942(58) / 3-degree Gauss-Kruger zone 8
    `),
  },
  {
    datum: 'pulkovo1942-romania',
    rows: rowsOf(`
      3844 sterea 46,25,0.99975,500000,500000 20.2,43.4,31.5,48.3 Pulkovo 1942(58) / Stereo70
    `),
  },
  {
    datum: 'pulkovo1942-83',
    rows: rowsOf(`
      4178 longlat - 9.9,50.2,15.1,54.8 Pulkovo 1942(83)
      2397 tmerc 0,9,1,3500000,0 9.9,50.3,10.5,51.6 Pulkovo 1942(83) / 3-degree Gauss-Kruger zone 3
      2398 tmerc 0,12,1,4500000,0 10.5,48.9,13.5,54.8 Pulkovo 1942(83) / 3-degree Gauss-Kruger zone 4
      2399 tmerc 0,15,1,5500000,0 13.5,46.5,16.5,54.8 Pulkovo 1942(83) / 3-degree Gauss-Kruger zone 5
      3834 tmerc 0,9,1,2500000,0 9.9,50.2,12,54.3 Pulkovo 1942(83) / Gauss-Kruger zone 2
      3835 tmerc 0,15,1,3500000,0 12,45.7,18.1,54.8 Pulkovo 1942(83) / Gauss-Kruger zone 3
      3836 tmerc 0,21,1,4500000,0 18,45.7,22.9,50.1 Pulkovo 1942(83) / Gauss-Kruger zone 4
      5664 tmerc 0,9,1,2500000,0 9.9,50.2,12,54.3 Pulkovo 1942(83) / Gauss-Kruger zone 2 (E-N)
      5665 tmerc 0,15,1,3500000,0 12,45.7,18.1,54.8 Pulkovo 1942(83) / Gauss-Kruger zone 3 (E-N)
      5673 tmerc 0,9,1,3500000,0 9.9,50.3,10.5,51.6 Pulkovo 1942(83) / 3-degree Gauss-Kruger zone 3 (E-N)
      5674 tmerc 0,12,1,4500000,0 10.5,48.9,13.5,54.8 Pulkovo 1942(83) / 3-degree Gauss-Kruger zone 4 (E-N)
      5675 tmerc 0,15,1,5500000,0 13.5,46.5,16.5,54.8 Pulkovo 1942(83) / 3-degree Gauss-Kruger zone 5 (E-N)
    `),
  },
  {
    datum: 'mgi1901-slovenia',
    rows: rowsOf(`
      3906 longlat - 13.3,45.4,16.7,46.9 MGI 1901
      3912 tmerc 0,15,0.9999,500000,-5000000 13.3,45.4,16.7,46.9 MGI 1901 / Slovene National Grid
      8686 tmerc 0,15,0.9999,500000,0 13.3,45.4,16.7,46.9 MGI 1901 / Slovenia Grid
    `),
  },
  {
    datum: 'mgi1901-croatia',
    rows: rowsOf(`
      8677 tmerc 0,15,0.9999,5500000,0 13.3,42.9,16.5,46.9 MGI 1901 / Balkans zone 5
      8678 tmerc 0,18,0.9999,6500000,0 16.5,41.7,19.6,46.6 MGI 1901 / Balkans zone 6
    `),
  },
  {
    datum: 'mgi1901-serbia',
    rows: rowsOf(`
      6316 tmerc 0,21,0.9999,7500000,0 19.5,41.8,22.6,46.2 MGI 1901 / Balkans zone 7
    `),
  },
  {
    datum: 'mgi1901-macedonia',
    rows: rowsOf(`
      6204 tmerc 0,21,0.9999,500000,0 20.4,40.8,23.1,42.4 Macedonia State Coordinate System
    `),
  },
  {
    datum: 'isn93',
    rows: rowsOf(`
      4659 longlat - - ISN93
      3057 lcc 65,-19,1,500000,500000,64.25,65.75 -30.9,59.9,-5.5,69.6 ISN93 / Lambert 1993
    `),
  },
  {
    datum: 'isn2004',
    rows: rowsOf(`
      5324 longlat - - ISN2004
      5325 lcc 65,-19,1,1700000,300000,64.25,65.75 -30.9,59.9,-5.5,69.6 ISN2004 / Lambert 2004
    `),
  },
  {
    datum: 'isn2016',
    rows: rowsOf(`
      8086 longlat - - ISN2016
      8088 lcc 65,-19,1,2700000,300000,64.25,65.75 -30.9,59.9,-5.5,69.6 ISN2016 / Lambert 2016
    `),
  },
  {
    datum: 'ngo1948',
    rows: rowsOf(`
      4273 longlat - 4.6,57.9,31.3,71.3 NGO 1948
      27391 tmerc 58,6.05625,1,0,0 4.6,57.9,7.3,63.1 NGO 1948 (Oslo) / NGO zone I
      27392 tmerc 58,8.389583333333,1,0,0 7.2,57.9,9.6,63.9 NGO 1948 (Oslo) / NGO zone II
      27393 tmerc 58,10.722916666667,1,0,0 9.5,58.8,12,65.8 NGO 1948 (Oslo) / NGO zone III
      27394 tmerc 58,13.222916666667,1,0,0 11.9,59.8,15.1,69.1 NGO 1948 (Oslo) / NGO zone IV
      27395 tmerc 58,16.889583333333,1,0,0 15,66.1,18.9,70.2 NGO 1948 (Oslo) / NGO zone V
      27396 tmerc 58,20.889583333333,1,0,0 18.8,68.3,22.9,70.9 NGO 1948 (Oslo) / NGO zone VI
      27397 tmerc 58,24.889583333333,1,0,0 22.8,68.5,27,71.3 NGO 1948 (Oslo) / NGO zone VII
      27398 tmerc 58,29.05625,1,0,0 26.9,69,31.3,71.2 NGO 1948 (Oslo) / NGO zone VIII
    `),
  },
  {
    datum: 'turef',
    rows: rowsOf(`
      5252 longlat - - TUREF
      5253 tmerc 0,27,1,500000,0 25.6,36.5,28.5,42.2 TUREF / TM27
      5254 tmerc 0,30,1,500000,0 28.5,36,31.5,41.5 TUREF / TM30
      5255 tmerc 0,33,1,500000,0 31.5,35.9,34.5,42.1 TUREF / TM33
      5256 tmerc 0,36,1,500000,0 34.5,35.8,37.5,42.2 TUREF / TM36
      5257 tmerc 0,39,1,500000,0 37.5,36.6,40.5,41.2 TUREF / TM39
      5258 tmerc 0,42,1,500000,0 40.5,37,43.5,41.6 TUREF / TM42
      5259 tmerc 0,45,1,500000,0 43.5,36.9,44.9,41.1 TUREF / TM45
    `),
  },
  {
    datum: 'kkj',
    rows: rowsOf(`
      2391 tmerc 0,21,1,1500000,0 19.5,59.7,22.5,69.4 KKJ / Finland zone 1
      2392 tmerc 0,24,1,2500000,0 22.5,59.7,25.5,68.9 KKJ / Finland zone 2
      2394 tmerc 0,30,1,4500000,0 28.5,60.9,31.5,69.9 KKJ / Finland zone 4
      3386 tmerc 0,18,1,500000,0 19.2,60,19.5,60.4 KKJ / Finland zone 0
      3387 tmerc 0,33,1,5500000,0 31.5,62.8,31.6,63 KKJ / Finland zone 5
    `),
  },
  {
    datum: 'rt90',
    rows: rowsOf(`
      3019 tmerc 0,11.308277777778,1,1500000,0 10.9,57.2,13,59.8 RT90 7.5 gon V
      3020 tmerc 0,13.558277777778,1,1500000,0 11.8,55.2,15.5,64.4 RT90 5 gon V
      3022 tmerc 0,18.058277777778,1,1500000,0 16,56.8,20.3,68.6 RT90 0 gon
      3023 tmerc 0,20.308277777778,1,1500000,0 18.4,63.3,22.2,69.1 RT90 2.5 gon O
      3024 tmerc 0,22.558277777778,1,1500000,0 21.3,65.2,24.2,68.6 RT90 5 gon O
    `),
  },
  {
    datum: 'sjtsk05',
    rows: rowsOf(`
      5228 longlat - 12,48.5,18.9,51.1 S-JTSK/05
    `),
  },
]
