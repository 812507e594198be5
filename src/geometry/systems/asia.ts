/** Hides the numbers of the coordinate systems of Asia, as EPSG gives them. */

import { rowsOf, type Group } from './row.ts'

/** One line each: code, projection, its numbers, area of use, name. */
export const asianSystems = (): readonly Group[] => [
  {
    datum: 'wgs84',
    rows: rowsOf(`
      7755 lcc 24,80,1,4000000,4000000,12.472955,35.172804444444 65.6,3.8,97.5,35.6 WGS 84 / India NSF LCC
      7756 lcc 16.25543298,80.875,1,1000000,1000000,13.75,18.75 76.7,12.6,84.9,20 WGS 84 / Andhra Pradesh
      7757 lcc 28.00157897,94.5,1,1000000,1000000,27,29 91.5,26.6,97.5,29.5 WGS 84 / Arunachal Pradesh
      7758 lcc 26.00257703,92.75,1,1000000,1000000,24.666666666667,27.333333333333 89.6,24.1,96.1,28 WGS 84 / Assam
      7759 lcc 25.87725247,85.875,1,1000000,1000000,24.625,27.125 83.3,24.2,88.3,27.9 WGS 84 / Bihar
      7760 lcc 28.62510126,77,1,1000000,1000000,28.375,28.875 76.8,28.4,77.4,28.9 WGS 84 / Delhi
      7761 lcc 22.37807121,71.375,1,1000000,1000000,20.791666666667,23.958333333333 68.1,20,74.5,24.8 WGS 84 / Gujarat
      7762 lcc 29.25226266,76,1,1000000,1000000,28.083333333333,30.416666666667 74.4,27.6,77.6,31 WGS 84 / Haryana
      7763 lcc 31.75183497,77.375,1,1000000,1000000,30.75,32.75 75.5,30.3,79,33.3 WGS 84 / Himachal Pradesh
      7764 lcc 34.75570874,76.5,1,1000000,1000000,33.083333333333,36.416666666667 73.7,32.2,79.6,35.6 WGS 84 / Jammu and Kashmir
      7765 lcc 23.62652682,85.625,1,1000000,1000000,22.541666666667,24.708333333333 83.3,21.9,88,25.4 WGS 84 / Jharkhand
      7766 lcc 24.00529821,78.375,1,1000000,1000000,22,26 74,21,82.9,26.9 WGS 84 / Madhya Pradesh
      7767 lcc 18.88015774,76.75,1,1000000,1000000,16.625,21.125 72.6,15.6,80.9,22.1 WGS 84 / Maharashtra
      7768 lcc 24.75060911,94,1,1000000,1000000,24.083333333333,25.416666666667 92.9,23.8,94.8,25.7 WGS 84 / Manipur
      7769 lcc 25.62524747,91.375,1,1000000,1000000,25.208333333333,26.041666666667 89.8,25,92.9,26.2 WGS 84 / Meghalaya
      7770 lcc 26.12581974,94.375,1,1000000,1000000,25.375,26.875 93.3,25.2,95.3,27.1 WGS 84 / Nagaland
      7771 lcc 25.63452135,93.5,1,1000000,1000000,23.041666666667,28.208333333333 89.6,21.9,97.5,29.5 WGS 84 / India Northeast
      7772 lcc 20.25305174,84.375,1,1000000,1000000,18.583333333333,21.916666666667 81.3,17.8,87.5,22.6 WGS 84 / Orissa
      7773 lcc 31.00178226,75.375,1,1000000,1000000,30,32 73.8,29.5,77,32.6 WGS 84 / Punjab
      7774 lcc 26.88505546,73.875,1,1000000,1000000,24.291666666667,29.458333333333 69.4,23,78.3,30.2 WGS 84 / Rajasthan
      7775 lcc 27.13270823,80.875,1,1000000,1000000,24.875,29.375 77,23.8,84.7,30.5 WGS 84 / Uttar Pradesh
      7776 lcc 30.0017132,79.375,1,1000000,1000000,29,31 77.5,28.7,81.1,31.5 WGS 84 / Uttaranchal
      7777 tmerc 10.25,93.25,0.9999428,1000000,1000000 92.1,6.7,94.4,13.8 WGS 84 / Andaman and Nicobar
      7778 tmerc 21,82.25,0.9998332,1000000,1000000 80.2,17.7,84.4,24.2 WGS 84 / Chhattisgarh
      7779 tmerc 15.375,74,0.9999913,1000000,1000000 73.6,14.8,74.4,15.8 WGS 84 / Goa
      7780 tmerc 15.125,76.375,0.9998012,1000000,1000000 74,11.5,78.6,18.5 WGS 84 / Karnataka
      7781 tmerc 10.5,76,0.9999177,1000000,1000000 74.8,8.2,77.4,12.8 WGS 84 / Kerala
      7782 tmerc 10,73.125,0.9999536,1000000,1000000 72,8.2,73.8,11.8 WGS 84 / Lakshadweep
      7783 tmerc 23.125,92.75,0.9999821,1000000,1000000 92.2,21.9,93.5,24.6 WGS 84 / Mizoram
      7784 tmerc 27.625,88.5,0.9999926,1000000,1000000 88,27,89,28.2 WGS 84 / Sikkim
      7785 tmerc 10.875,78.375,0.9997942,1000000,1000000 76.2,8,80.4,13.6 WGS 84 / Tamil Nadu
      7786 tmerc 23.75,91.75,0.9999822,1000000,1000000 91.1,22.9,92.4,24.6 WGS 84 / Tripura
      7787 tmerc 24.375,87.875,0.9998584,1000000,1000000 85.8,21.4,89.9,27.3 WGS 84 / West Bengal
    `),
  },
  {
    datum: 'kalianpur1975',
    rows: rowsOf(`
      4146 longlat - 68.1,8,97.5,35.6 Kalianpur 1975
      24342 tmerc 0,69,0.9996,500000,0 68.1,20.6,72.1,28.3 Kalianpur 1975 / UTM zone 42N
      24343 tmerc 0,75,0.9996,500000,0 72,8,78.1,35.6 Kalianpur 1975 / UTM zone 43N
      24344 tmerc 0,81,0.9996,500000,0 78,8.2,84.1,35.5 Kalianpur 1975 / UTM zone 44N
      24345 tmerc 0,87,0.9996,500000,0 84,18.1,90.1,28.2 Kalianpur 1975 / UTM zone 45N
      24346 tmerc 0,93,0.9996,500000,0 90,21.9,96.1,29.5 Kalianpur 1975 / UTM zone 46N
      24347 tmerc 0,99,0.9996,500000,0 96,27.1,97.5,29.5 Kalianpur 1975 / UTM zone 47N
      24378 lcc 32.5,68,0.99878641,2743195.5,914398.5,32.5,32.5 70.3,28,81.7,35.6 Kalianpur 1975 / India zone I
      24379 lcc 26,74,0.99878641,2743195.5,914398.5,26,26 68.1,21,82.1,28.1 Kalianpur 1975 / India zone IIa
      24380 lcc 26,90,0.99878641,2743195.5,914398.5,26,26 82,21,97.5,29.5 Kalianpur 1975 / India zone IIb
      24381 lcc 19,80,0.99878641,2743195.5,914398.5,19,19 70.1,15,87.2,21.1 Kalianpur 1975 / India zone IIIa
      24383 lcc 12,80,0.99878641,2743195.5,914398.5,12,12 73.9,8,80.4,15.1 Kalianpur 1975 / India zone IVa
    `),
  },
  {
    datum: 'jgd2000',
    rows: rowsOf(`
      4612 longlat - - JGD2000
      2443 tmerc 33,129.5,0.9999,0,0 128.1,26.9,130.5,34.8 JGD2000 / Japan Plane Rectangular CS I
      2444 tmerc 33,131,0.9999,0,0 129.7,30.1,132.1,34 JGD2000 / Japan Plane Rectangular CS II
      2445 tmerc 36,132.166666666667,0.9999,0,0 130.8,33.7,133.5,36.4 JGD2000 / Japan Plane Rectangular CS III
      2446 tmerc 33,133.5,0.9999,0,0 131.9,32.6,134.9,34.5 JGD2000 / Japan Plane Rectangular CS IV
      2447 tmerc 36,134.333333333333,0.9999,0,0 133.1,34.1,135.5,35.8 JGD2000 / Japan Plane Rectangular CS V
      2448 tmerc 36,136,0.9999,0,0 134.8,33.4,137,36.4 JGD2000 / Japan Plane Rectangular CS VI
      2449 tmerc 36,137.166666666667,0.9999,0,0 136.2,34.5,137.9,37.6 JGD2000 / Japan Plane Rectangular CS VII
      2450 tmerc 36,138.5,0.9999,0,0 137.3,34.5,140,38.6 JGD2000 / Japan Plane Rectangular CS VIII
      2451 tmerc 36,139.833333333333,0.9999,0,0 138.4,29.3,141.2,38 JGD2000 / Japan Plane Rectangular CS IX
      2452 tmerc 40,140.833333333333,0.9999,0,0 139.4,37.7,142.2,41.6 JGD2000 / Japan Plane Rectangular CS X
      2453 tmerc 44,140.25,0.9999,0,0 139.3,41.3,141.5,43.5 JGD2000 / Japan Plane Rectangular CS XI
      2454 tmerc 44,142.25,0.9999,0,0 140.8,42.1,143.7,45.6 JGD2000 / Japan Plane Rectangular CS XII
      2455 tmerc 44,144.25,0.9999,0,0 142.6,41.8,145.9,44.4 JGD2000 / Japan Plane Rectangular CS XIII
      2456 tmerc 26,142,0.9999,0,0 141.2,24.6,142.4,27.8 JGD2000 / Japan Plane Rectangular CS XIV
      2457 tmerc 26,127.5,0.9999,0,0 126.6,26,128.4,27 JGD2000 / Japan Plane Rectangular CS XV
      2458 tmerc 26,124,0.9999,0,0 122.8,23.9,125.6,25 JGD2000 / Japan Plane Rectangular CS XVI
      2459 tmerc 26,131,0.9999,0,0 131.1,24.4,131.4,26.1 JGD2000 / Japan Plane Rectangular CS XVII
      2460 tmerc 20,136,0.9999,0,0 136,20.3,136.2,20.5 JGD2000 / Japan Plane Rectangular CS XVIII
      2461 tmerc 26,154,0.9999,0,0 153.9,24.2,154.1,24.4 JGD2000 / Japan Plane Rectangular CS XIX
    `),
  },
  {
    datum: 'jgd2011',
    rows: rowsOf(`
      6668 longlat - - JGD2011
      6669 tmerc 33,129.5,0.9999,0,0 128.1,26.9,130.5,34.8 JGD2011 / Japan Plane Rectangular CS I
      6670 tmerc 33,131,0.9999,0,0 129.7,30.1,132.1,34 JGD2011 / Japan Plane Rectangular CS II
      6671 tmerc 36,132.166666666667,0.9999,0,0 130.8,33.7,133.5,36.4 JGD2011 / Japan Plane Rectangular CS III
      6672 tmerc 33,133.5,0.9999,0,0 131.9,32.6,134.9,34.5 JGD2011 / Japan Plane Rectangular CS IV
      6673 tmerc 36,134.333333333333,0.9999,0,0 133.1,34.1,135.5,35.8 JGD2011 / Japan Plane Rectangular CS V
      6674 tmerc 36,136,0.9999,0,0 134.8,33.4,137,36.4 JGD2011 / Japan Plane Rectangular CS VI
      6675 tmerc 36,137.166666666667,0.9999,0,0 136.2,34.5,137.9,37.6 JGD2011 / Japan Plane Rectangular CS VII
      6676 tmerc 36,138.5,0.9999,0,0 137.3,34.5,140,38.6 JGD2011 / Japan Plane Rectangular CS VIII
      6677 tmerc 36,139.833333333333,0.9999,0,0 138.4,29.3,141.2,38 JGD2011 / Japan Plane Rectangular CS IX
      6678 tmerc 40,140.833333333333,0.9999,0,0 139.4,37.7,142.2,41.6 JGD2011 / Japan Plane Rectangular CS X
      6679 tmerc 44,140.25,0.9999,0,0 139.3,41.3,141.5,43.5 JGD2011 / Japan Plane Rectangular CS XI
      6680 tmerc 44,142.25,0.9999,0,0 140.8,42.1,143.7,45.6 JGD2011 / Japan Plane Rectangular CS XII
      6681 tmerc 44,144.25,0.9999,0,0 142.6,41.8,145.9,44.4 JGD2011 / Japan Plane Rectangular CS XIII
      6682 tmerc 26,142,0.9999,0,0 141.2,24.6,142.4,27.8 JGD2011 / Japan Plane Rectangular CS XIV
      6683 tmerc 26,127.5,0.9999,0,0 126.6,26,128.4,27 JGD2011 / Japan Plane Rectangular CS XV
      6684 tmerc 26,124,0.9999,0,0 122.8,23.9,125.6,25 JGD2011 / Japan Plane Rectangular CS XVI
      6685 tmerc 26,131,0.9999,0,0 131.1,24.4,131.4,26.1 JGD2011 / Japan Plane Rectangular CS XVII
      6686 tmerc 20,136,0.9999,0,0 136,20.3,136.2,20.5 JGD2011 / Japan Plane Rectangular CS XVIII
      6687 tmerc 26,154,0.9999,0,0 153.9,24.2,154.1,24.4 JGD2011 / Japan Plane Rectangular CS XIX
    `),
  },
  {
    datum: 'korea2000',
    rows: rowsOf(`
      4737 longlat - - Korea 2000
      5179 tmerc 38,127.5,0.9996,1000000,2000000 122.7,28.6,134.3,40.3 Korea 2000 / Unified CS
      5180 tmerc 38,125,1,200000,500000 124.5,33.9,126,38.1 Korea 2000 / West Belt
      5181 tmerc 38,127,1,200000,500000 126,33.9,128,38.4 Korea 2000 / Central Belt
      5182 tmerc 38,127,1,200000,550000 126,33.1,127.1,33.7 Korea 2000 / Central Belt Jeju
      5183 tmerc 38,129,1,200000,500000 128,34.4,129.7,38.7 Korea 2000 / East Belt
      5184 tmerc 38,131,1,200000,500000 130.7,37.3,131.1,37.7 Korea 2000 / East Sea Belt
      5185 tmerc 38,125,1,200000,600000 124.5,33.9,126,38.1 Korea 2000 / West Belt 2010
      5186 tmerc 38,127,1,200000,600000 126,33.1,128,38.4 Korea 2000 / Central Belt 2010
      5187 tmerc 38,129,1,200000,600000 128,34.4,129.7,38.7 Korea 2000 / East Belt 2010
      5188 tmerc 38,131,1,200000,600000 130.7,37.3,131.1,37.7 Korea 2000 / East Sea Belt 2010
    `),
  },
  {
    datum: 'twd97',
    rows: rowsOf(`
      3824 longlat - - TWD97
      3825 tmerc 0,119,0.9999,250000,0 118,18.6,120,24.7 TWD97 / TM2 zone 119
      3826 tmerc 0,121,0.9999,250000,0 119.9,20.4,122.1,26.8 TWD97 / TM2 zone 121
    `),
  },
  {
    datum: 'hongkong1980',
    rows: rowsOf(`
      4611 longlat - 113.7,22.1,114.6,22.6 Hong Kong 1980
      2326 tmerc 22.312133333333,114.178555555556,1,836694.05,819069.8 113.7,22.1,114.6,22.6 Hong Kong 1980 Grid System
    `),
  },
  {
    datum: 'dgn95',
    rows: rowsOf(`
      4755 longlat - - DGN95
      23866 tmerc 0,93,0.9996,500000,0 92,0,96,7.8 DGN95 / UTM zone 46N
      23867 tmerc 0,99,0.9996,500000,0 96,0,102,7.5 DGN95 / UTM zone 47N
      23868 tmerc 0,105,0.9996,500000,0 102,0,108,7 DGN95 / UTM zone 48N
      23869 tmerc 0,111,0.9996,500000,0 108,0,114,7.4 DGN95 / UTM zone 49N
      23870 tmerc 0,117,0.9996,500000,0 114,0,120,4.4 DGN95 / UTM zone 50N
      23871 tmerc 0,123,0.9996,500000,0 120,0,126,5.5 DGN95 / UTM zone 51N
      23872 tmerc 0,129,0.9996,500000,0 126,0,132,6.7 DGN95 / UTM zone 52N
      23877 tmerc 0,99,0.9996,500000,10000000 96,-8.9,102,0 DGN95 / UTM zone 47S
      23878 tmerc 0,105,0.9996,500000,10000000 102,-10.8,108.1,0 DGN95 / UTM zone 48S
      23879 tmerc 0,111,0.9996,500000,10000000 108,-12.1,114,0 DGN95 / UTM zone 49S
      23880 tmerc 0,117,0.9996,500000,10000000 114,-13.1,120.1,0 DGN95 / UTM zone 50S
      23881 tmerc 0,123,0.9996,500000,10000000 120,-14,126.1,0.1 DGN95 / UTM zone 51S
      23882 tmerc 0,129,0.9996,500000,10000000 126,-9.5,132,0 DGN95 / UTM zone 52S
      23883 tmerc 0,135,0.9996,500000,10000000 132,-10.1,138.1,0 DGN95 / UTM zone 53S
      23884 tmerc 0,141,0.9996,500000,10000000 138,-10.9,141.5,0 DGN95 / UTM zone 54S
    `),
  },
  {
    datum: 'prs92',
    rows: rowsOf(`
      4683 longlat - 116,3,130,22.2 PRS92
      3121 tmerc 0,117,0.99995,500000,0 116,6.2,118,18.7 PRS92 / Philippines zone 1
      3122 tmerc 0,119,0.99995,500000,0 118,3,120.1,20.5 PRS92 / Philippines zone 2
      3123 tmerc 0,121,0.99995,500000,0 119.7,3,122.3,21.7 PRS92 / Philippines zone 3
      3124 tmerc 0,123,0.99995,500000,0 121.7,3.4,124.3,22.2 PRS92 / Philippines zone 4
      3125 tmerc 0,125,0.99995,500000,0 123.7,4.7,126.7,22 PRS92 / Philippines zone 5
    `),
  },
  {
    datum: 'cgcs2000',
    rows: rowsOf(`
      4490 longlat - - China Geodetic Coordinate System 2000
      4491 tmerc 0,75,1,13500000,0 73.6,35.4,78.1,41.1 CGCS2000 / Gauss-Kruger zone 13
      4492 tmerc 0,81,1,14500000,0 77.9,29.1,84,47.3 CGCS2000 / Gauss-Kruger zone 14
      4493 tmerc 0,87,1,15500000,0 84,27.3,90,49.2 CGCS2000 / Gauss-Kruger zone 15
      4494 tmerc 0,93,1,16500000,0 90,27.7,96.1,47.9 CGCS2000 / Gauss-Kruger zone 16
      4495 tmerc 0,99,1,17500000,0 96,21.1,102.1,43.2 CGCS2000 / Gauss-Kruger zone 17
      4496 tmerc 0,105,1,18500000,0 102,17.7,108,42.5 CGCS2000 / Gauss-Kruger zone 18
      4497 tmerc 0,111,1,19500000,0 108,16.7,114,45.2 CGCS2000 / Gauss-Kruger zone 19
      4498 tmerc 0,117,1,20500000,0 114,19,120,51.6 CGCS2000 / Gauss-Kruger zone 20
      4499 tmerc 0,123,1,21500000,0 120,24.6,126,53.6 CGCS2000 / Gauss-Kruger zone 21
      4500 tmerc 0,129,1,22500000,0 126,29.7,132,52.8 CGCS2000 / Gauss-Kruger zone 22
      4501 tmerc 0,135,1,23500000,0 132,45,134.8,48.4 CGCS2000 / Gauss-Kruger zone 23
      4502 tmerc 0,75,1,500000,0 73.6,35.4,78.1,41.1 CGCS2000 / Gauss-Kruger CM 75E
      4503 tmerc 0,81,1,500000,0 77.9,29.1,84,47.3 CGCS2000 / Gauss-Kruger CM 81E
      4504 tmerc 0,87,1,500000,0 84,27.3,90,49.2 CGCS2000 / Gauss-Kruger CM 87E
      4505 tmerc 0,93,1,500000,0 90,27.7,96.1,47.9 CGCS2000 / Gauss-Kruger CM 93E
      4506 tmerc 0,99,1,500000,0 96,21.1,102.1,43.2 CGCS2000 / Gauss-Kruger CM 99E
      4507 tmerc 0,105,1,500000,0 102,17.7,108,42.5 CGCS2000 / Gauss-Kruger CM 105E
      4508 tmerc 0,111,1,500000,0 108,16.7,114,45.2 CGCS2000 / Gauss-Kruger CM 111E
      4509 tmerc 0,117,1,500000,0 114,19,120,51.6 CGCS2000 / Gauss-Kruger CM 117E
      4510 tmerc 0,123,1,500000,0 120,24.6,126,53.6 CGCS2000 / Gauss-Kruger CM 123E
      4511 tmerc 0,129,1,500000,0 126,29.7,132,52.8 CGCS2000 / Gauss-Kruger CM 129E
      4512 tmerc 0,135,1,500000,0 132,45,134.8,48.4 CGCS2000 / Gauss-Kruger CM 135E
      4513 tmerc 0,75,1,25500000,0 73.6,35.8,76.5,40.7 CGCS2000 / 3-degree Gauss-Kruger zone 25
      4514 tmerc 0,78,1,26500000,0 76.5,31,79.5,41.9 CGCS2000 / 3-degree Gauss-Kruger zone 26
      4515 tmerc 0,81,1,27500000,0 79.5,29.9,82.6,45.9 CGCS2000 / 3-degree Gauss-Kruger zone 27
      4516 tmerc 0,84,1,28500000,0 82.5,28.2,85.5,47.3 CGCS2000 / 3-degree Gauss-Kruger zone 28
      4517 tmerc 0,87,1,29500000,0 85.5,27.8,88.5,49.2 CGCS2000 / 3-degree Gauss-Kruger zone 29
      4518 tmerc 0,90,1,30500000,0 88.4,27.3,91.6,48.5 CGCS2000 / 3-degree Gauss-Kruger zone 30
      4519 tmerc 0,93,1,31500000,0 91.5,27.7,94.5,45.2 CGCS2000 / 3-degree Gauss-Kruger zone 31
      4520 tmerc 0,96,1,32500000,0 94.5,28.2,97.6,44.5 CGCS2000 / 3-degree Gauss-Kruger zone 32
      4521 tmerc 0,99,1,33500000,0 97.5,21.4,100.5,42.8 CGCS2000 / 3-degree Gauss-Kruger zone 33
      4522 tmerc 0,102,1,34500000,0 100.5,21.1,103.5,42.7 CGCS2000 / 3-degree Gauss-Kruger zone 34
      4523 tmerc 0,105,1,35500000,0 103.5,22.5,106.6,42.3 CGCS2000 / 3-degree Gauss-Kruger zone 35
      4524 tmerc 0,108,1,36500000,0 106.5,18.1,109.6,42.5 CGCS2000 / 3-degree Gauss-Kruger zone 36
      4525 tmerc 0,111,1,37500000,0 109.5,18.1,112.5,45.2 CGCS2000 / 3-degree Gauss-Kruger zone 37
      4526 tmerc 0,114,1,38500000,0 112.5,21.5,115.5,45.5 CGCS2000 / 3-degree Gauss-Kruger zone 38
      4527 tmerc 0,117,1,39500000,0 115.5,22.6,118.5,49.9 CGCS2000 / 3-degree Gauss-Kruger zone 39
      4528 tmerc 0,120,1,40500000,0 118.5,24.4,121.5,53.4 CGCS2000 / 3-degree Gauss-Kruger zone 40
      4529 tmerc 0,123,1,41500000,0 121.5,28.2,124.5,53.6 CGCS2000 / 3-degree Gauss-Kruger zone 41
      4530 tmerc 0,126,1,42500000,0 124.5,40.1,127.5,53.2 CGCS2000 / 3-degree Gauss-Kruger zone 42
      4531 tmerc 0,129,1,43500000,0 127.5,41.3,130.5,50.3 CGCS2000 / 3-degree Gauss-Kruger zone 43
      4532 tmerc 0,132,1,44500000,0 130.5,42.4,133.5,48.9 CGCS2000 / 3-degree Gauss-Kruger zone 44
      4533 tmerc 0,135,1,45500000,0 133.5,45.8,134.8,48.4 CGCS2000 / 3-degree Gauss-Kruger zone 45
      4534 tmerc 0,75,1,500000,0 73.6,35.8,76.5,40.7 CGCS2000 / 3-degree Gauss-Kruger CM 75E
      4535 tmerc 0,78,1,500000,0 76.5,31,79.5,41.9 CGCS2000 / 3-degree Gauss-Kruger CM 78E
      4536 tmerc 0,81,1,500000,0 79.5,29.9,82.6,45.9 CGCS2000 / 3-degree Gauss-Kruger CM 81E
      4537 tmerc 0,84,1,500000,0 82.5,28.2,85.5,47.3 CGCS2000 / 3-degree Gauss-Kruger CM 84E
      4538 tmerc 0,87,1,500000,0 85.5,27.8,88.5,49.2 CGCS2000 / 3-degree Gauss-Kruger CM 87E
      4539 tmerc 0,90,1,500000,0 88.4,27.3,91.6,48.5 CGCS2000 / 3-degree Gauss-Kruger CM 90E
      4540 tmerc 0,93,1,500000,0 91.5,27.7,94.5,45.2 CGCS2000 / 3-degree Gauss-Kruger CM 93E
      4541 tmerc 0,96,1,500000,0 94.5,28.2,97.6,44.5 CGCS2000 / 3-degree Gauss-Kruger CM 96E
      4542 tmerc 0,99,1,500000,0 97.5,21.4,100.5,42.8 CGCS2000 / 3-degree Gauss-Kruger CM 99E
      4543 tmerc 0,102,1,500000,0 100.5,21.1,103.5,42.7 CGCS2000 / 3-degree Gauss-Kruger CM 102E
      4544 tmerc 0,105,1,500000,0 103.5,22.5,106.6,42.3 CGCS2000 / 3-degree Gauss-Kruger CM 105E
      4545 tmerc 0,108,1,500000,0 106.5,18.1,109.6,42.5 CGCS2000 / 3-degree Gauss-Kruger CM 108E
      4546 tmerc 0,111,1,500000,0 109.5,18.1,112.5,45.2 CGCS2000 / 3-degree Gauss-Kruger CM 111E
      4547 tmerc 0,114,1,500000,0 112.5,21.5,115.5,45.5 CGCS2000 / 3-degree Gauss-Kruger CM 114E
      4548 tmerc 0,117,1,500000,0 115.5,22.6,118.5,49.9 CGCS2000 / 3-degree Gauss-Kruger CM 117E
      4549 tmerc 0,120,1,500000,0 118.5,24.4,121.5,53.4 CGCS2000 / 3-degree Gauss-Kruger CM 120E
      4550 tmerc 0,123,1,500000,0 121.5,28.2,124.5,53.6 CGCS2000 / 3-degree Gauss-Kruger CM 123E
      4551 tmerc 0,126,1,500000,0 124.5,40.1,127.5,53.2 CGCS2000 / 3-degree Gauss-Kruger CM 126E
      4552 tmerc 0,129,1,500000,0 127.5,41.3,130.5,50.3 CGCS2000 / 3-degree Gauss-Kruger CM 129E
      4553 tmerc 0,132,1,500000,0 130.5,42.4,133.5,48.9 CGCS2000 / 3-degree Gauss-Kruger CM 132E
      4554 tmerc 0,135,1,500000,0 133.5,45.8,134.8,48.4 CGCS2000 / 3-degree Gauss-Kruger CM 135E
    `),
  },
  {
    datum: 'indian1975',
    rows: rowsOf(`
      4240 longlat - 97.3,5.6,105.7,20.5 Indian 1975
      24047 tmerc 0,99,0.9996,500000,0 97.3,5.6,102.1,20.5 Indian 1975 / UTM zone 47N
      24048 tmerc 0,105,0.9996,500000,0 102,6,105.7,18.5 Indian 1975 / UTM zone 48N
    `),
  },
]
