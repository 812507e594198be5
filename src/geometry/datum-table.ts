/** Hides the numbers of the datums: what EPSG publishes of each, one line per datum, or per region of a datum that has several ways to WGS 84. */

/** Each line: key, name, ellipsoid, accuracy in metres, operation of EPSG, its shift to WGS 84 (a position vector), names that files use. */
export const datumLines = `
wgs84 | WGS 84 | 6378137 298.257223563 | 0 | - | - | World Geodetic System 1984 ensemble; World Geodetic System 1984; WGS_1984
nzgd2000 | NZGD2000 | 6378137 298.257222101 | 1 | EPSG:1565 NZGD2000 to WGS 84 (1) | - | New Zealand Geodetic Datum 2000
nzgd1949 | NZGD49 | 6378388 297 | 4 | EPSG:1564 NZGD49 to WGS 84 (2) | 59.47,-5.04,187.44,0.47,-0.1,1.024,-4.5993 | New Zealand Geodetic Datum 1949; GD49; New_Zealand_1949; NZGD1949
gda94 | GDA94 | 6378137 298.257222101 | 3 | EPSG:1150 GDA94 to WGS 84 (1) | - | Geocentric Datum of Australia 1994; GDA_1994
gda2020 | GDA2020 | 6378137 298.257222101 | 3 | EPSG:8450 GDA2020 to WGS 84 (2) | - | Geocentric Datum of Australia 2020
osgb36 | OSGB36 | 6377563.396 299.3249646 | 5 | EPSG:1314 OSGB36 to WGS 84 (6) | 446.448,-125.157,542.06,0.15,0.247,0.842,-20.489 | Ordnance Survey of Great Britain 1936; OSGB 1936
tm65 | TM65 | 6377340.189 299.3249646 | 1 | EPSG:1641 TM65 to WGS 84 (2) | 482.5,-130.6,564.6,-1.042,-0.214,-0.631,8.15 | ire65
tm75 | TM75 | 6377340.189 299.3249646 | 1 | EPSG:1954 TM75 to WGS 84 (2) | 482.5,-130.6,564.6,-1.042,-0.214,-0.631,8.15 | Geodetic Datum of 1965; 1975 Mapping Adjustment
irenet95 | IRENET95 | 6378137 298.257222101 | 1 | EPSG:1678 IRENET95 to WGS 84 (1) | - |
etrs89 | ETRS89 | 6378137 298.257222101 | 1 | EPSG:1149 ETRS89 to WGS 84 (1) | - | European Terrestrial Reference System 1989 ensemble; European Terrestrial Reference System 1989; ETRS_1989; EUREF_FIN
etrf2000-pl | ETRF2000-PL | 6378137 298.257222101 | 1 | EPSG:9772 ETRF2000-PL to WGS 84 (1) | - | ETRF2000 Poland; European Terrestrial Reference Frame 2000 Poland
slovenia1996 | Slovenia 1996 | 6378137 298.257222101 | 1 | EPSG:15976 Slovenia 1996 to WGS 84 (1) | - | Slovenia Geodetic Datum 1996; D96
htrs96 | HTRS96 | 6378137 298.257222101 | 1 | EPSG:15967 HTRS96 to WGS 84 (1) | - | Croatian Terrestrial Reference System; Croatian_Terrestrial_Ref_System
est97 | EST97 | 6378137 298.257222101 | 1 | EPSG:1649 EST97 to WGS 84 (1) | - | Estonia 1997
lks92 | LKS92 | 6378137 298.257222101 | 1 | EPSG:1958 LKS92 to WGS 84 (1) | - | Latvia 1992; LKS_1992; Latvian geodetic coordinate system 1992; Latvian coordinate system 1992
lks94 | LKS94 | 6378137 298.257222101 | 1 | EPSG:1283 LKS94 to WGS 84 (1) | - | Lithuania 1994 (ETRS89); LKS94 (ETRS89); Lithuania_1994; LKS_1994
bgs2005 | BGS2005 | 6378137 298.257222101 | 1 | EPSG:8890 BGS2005 to WGS 84 (1) | - | Bulgaria Geodetic System 2005
igd05 | IGD05 | 6378137 298.257222101 | 1 | - | - | Israeli Grid 05; Israeli Geodetic Datum 2005
ggrs87 | GGRS87 | 6378137 298.257222101 | 1 | EPSG:1272 GGRS87 to WGS 84 (1) | -199.87,74.79,246.62 | Greek Geodetic Reference System 1987; GGRS_1987
cgrs93 | CGRS93 | 6378137 298.257223563 | 1 | EPSG:7721 CGRS93 to WGS 84 (1) | 8.846,-4.394,-1.122,-0.00237,-0.146528,0.130428,0.783926 | Cyprus Geodetic Reference System 1993; CGRS_1993
israel1993 | Israel 1993 | 6378137 298.257222101 | 1 | EPSG:9676 Israel 1993 to WGS 84 (2) | 23.772,17.49,17.859,-0.3132,-1.85274,1.67299,-5.4262 | Israel
vn2000 | VN-2000 | 6378137 298.257223563 | 1 | EPSG:6960 VN-2000 to WGS 84 (2) | -191.90441429,-39.30318279,-111.45032835,0.00928836,-0.01975479,0.00427372,0.252906278 | Vietnam 2000
rt90 | RT90 | 6377397.155 299.1528128 | 1 | EPSG:1896 RT90 to WGS 84 (2) | 414.1,41.3,603.1,-0.855,2.141,-7.023,0 | Rikets koordinatsystem 1990; RT_1990
kkj | KKJ | 6378388 297 | 1 | EPSG:10099 KKJ to WGS 84 (2) | -96.062,-82.428,-121.753,4.801,0.345,-1.376,1.496 | Kartastokoordinaattijarjestelma (1966); Kartastokoordinaattijarjestelma
luref | LUREF | 6378388 297 | 1 | EPSG:5486 LUREF to WGS 84 (3) | -189.6806,18.3463,-42.7695,-0.33746,-3.09264,2.53861,0.4598 | Luxembourg Reference Frame; Luxembourg 1930; NTL; Nouvelle Triangulation du Luxembourg
hd72 | HD72 | 6378160 298.247167427 | 1 | EPSG:1242 HD72 to WGS 84 (4) | 52.17,-71.82,-14.9 | Hungarian Datum 1972; Hungarian_1972
sweref99 | SWEREF99 | 6378137 298.257222101 | 1 | EPSG:1879 SWEREF99 to WGS 84 (1) | - |
rgf93 | RGF93 | 6378137 298.257222101 | 1 | EPSG:1671 RGF93 v1 to WGS 84 (1) | - | Reseau Geodesique Francais 1993 v1; Réseau Géodésique Français 1993; RGF_1993; RGF93 v1; RGF93 v2; RGF93 v2b; Reseau Geodesique Francais 1993 v2; Reseau Geodesique Francais 1993 v2b
amersfoort | Amersfoort | 6377397.155 299.1528128 | 1 | EPSG:4833 Amersfoort to WGS 84 (4) | 565.4171,50.3319,465.5524,-0.3989573882,0.3439878174,-1.87740164,4.0725 |
belge1972 | BD72 | 6378388 297 | 1 | EPSG:15929 BD72 to WGS 84 (3) | -106.8686,52.2978,-103.7239,0.3366,-0.457,1.8422,-1.2747 | Reseau National Belge 1972; Belge 1972
dhdn | DHDN | 6377397.155 299.1528128 | 3 | EPSG:1777 DHDN to WGS 84 (2) | 598.1,73.7,418.2,0.202,0.045,-2.455,6.7 | Deutsches Hauptdreiecksnetz; potsdam; Deutsche_Hauptdreiecksnetz
ch1903plus | CH1903+ | 6377397.155 299.1528128 | 1 | EPSG:1676 CH1903+ to WGS 84 (1) | 674.374,15.056,405.346 |
ch1903 | CH1903 | 6377397.155 299.1528128 | 2 | EPSG:1766 CH1903 to WGS 84 (2) | 674.374,15.056,405.346 |
mgi | MGI | 6377397.155 299.1528128 | 2 | EPSG:1618 MGI to WGS 84 (3) | 577.326,90.129,463.919,5.137,1.474,5.297,2.4232 | Militar-Geographische Institut; hermannskogel; Militar_Geographisches_Institut; Austrian MGI
sjtsk | S-JTSK | 6377397.155 299.1528128 | 6 | EPSG:1623 S-JTSK to WGS 84 (1) | 570.8,85.7,462.8,4.998,1.587,5.261,3.56 | System of the Unified Trigonometrical Cadastral Network; Systém Jednotné trigonometrické sítě katastrální; Systém Jednotnej trigonometrickej siete katastrálnej; Jednotne Trigonometricke Site Katastralni
nad83 | NAD83 | 6378137 298.257222101 | 4 | EPSG:1188 NAD83 to WGS 84 (1) | - | North American Datum 1983; NAD83(1986); NAD83(Original); North_American_1983; NAD_1983
csrs | NAD83(CSRS) | 6378137 298.257222101 | 2 | EPSG:1842 NAD83(CSRS) to WGS 84 (1) | - | NAD83 Canadian Spatial Reference System; North_American_1983_CSRS; NAD_1983_CSRS
sirgas2000 | SIRGAS 2000 | 6378137 298.257222101 | 1 | EPSG:15894 SIRGAS 2000 to WGS 84 (1) | - | Sistema de Referencia Geocentrico para las AmericaS 2000; Sistema de Referencia Geocentrico para America del Sur 2000
hartebeesthoek94 | Hartebeesthoek94 | 6378137 298.257223563 | 1 | EPSG:1505 Hartebeesthoek94 to WGS 84 (1) | - | Hartebeesthoek_1994
harn | NAD83(HARN) | 6378137 298.257222101 | 2 | EPSG:1580 NAD83(HARN) to WGS 84 (1) | - | NAD83 (High Accuracy Reference Network); NAD83 (High Precision Geodetic Network); NAD83(HPGN); Guam Geodetic Network 1993; NAD83 (High Accuracy Regional Network); North_American_1983_HARN; NAD_1983_HARN; NAD83 (High Accuracy Reference Network - Corrected); NAD83(HARN Corrected)
nsrs2007 | NAD83(NSRS2007) | 6378137 298.257222101 | 2 | EPSG:15931 NAD83(NSRS2007) to WGS 84 (1) | - | NAD83 (National Spatial Reference System 2007); NAD_1983_NSRS2007
nad83-2011 | NAD83(2011) | 6378137 298.257222101 | 2 | EPSG:9774 NAD83(2011) to WGS 84 (1) | - | NAD83 (National Spatial Reference System 2011); NAD_1983_2011
nad27 | NAD27 | 6378206.4 294.978698214 | 10 | EPSG:1173 NAD27 to WGS 84 (4) | -8,160,176 | North American Datum 1927; North_American_1927; NAD_1927
nad27-alaska | NAD27 | 6378206.4 294.978698214 | 12 | EPSG:1176 NAD27 to WGS 84 (7) | -5,135,172 | North American Datum 1927; North_American_1927
nad27-canada | NAD27 | 6378206.4 294.978698214 | 20 | EPSG:1172 NAD27 to WGS 84 (3) | -10,158,187 | North American Datum 1927; North_American_1927
sad69 | SAD69 | 6378160 298.25 | 5 | EPSG:1877 SAD69 to WGS 84 (14) | -66.87,4.37,-38.52 | South American Datum 1969; South_American_1969
sad69-96 | SAD69(96) | 6378160 298.25 | 5 | EPSG:6195 SAD69(96) to WGS 84 (2) | -67.35,3.88,-38.22 | South American Datum 1969(96); SAD_1969_96
posgar94 | POSGAR 94 | 6378137 298.257223563 | 1 | EPSG:1210 POSGAR 94 to WGS 84 (1) | - | Posiciones Geodesicas Argentinas 1994; POSGAR; POSGAR_1994
posgar98 | POSGAR 98 | 6378137 298.257222101 | 1 | EPSG:1773 POSGAR 98 to WGS 84 (1) | - | Posiciones Geodesicas Argentinas 1998; POSGAR_1998
posgar2007 | POSGAR 2007 | 6378137 298.257223563 | 1 | EPSG:5351 POSGAR 2007 to WGS 84 (1) | - | Posiciones Geodesicas Argentinas 2007
campo-inchauspe | Campo Inchauspe | 6378388 297 | 9 | EPSG:1127 Campo Inchauspe to WGS 84 (1) | -148,136,90 |
sirgas-chile | SIRGAS-Chile 2002 | 6378137 298.257222101 | 1 | - | - | SIRGAS-Chile realization 1 epoch 2002; SIRGAS-Chile
sirgas-chile-2010 | SIRGAS-Chile 2010 | 6378137 298.257222101 | 1 | - | - | SIRGAS-Chile realization 2 epoch 2010
sirgas-chile-2013 | SIRGAS-Chile 2013 | 6378137 298.257222101 | 1 | - | - | SIRGAS-Chile realization 3 epoch 2013
sirgas-chile-2016 | SIRGAS-Chile 2016 | 6378137 298.257222101 | 1 | - | - | SIRGAS-Chile realization 4 epoch 2016
sirgas-rou98 | SIRGAS-ROU98 | 6378137 298.257223563 | 1 | EPSG:5384 SIRGAS-ROU98 to WGS 84 (1) | - |
yacare | Yacare | 6378388 297 | 1.5 | EPSG:5386 Yacare to WGS 84 (2) | -124.45,183.74,44.64,-0.4384,0.5446,-0.9706,-2.1365 | ROU-USAMS
mexico-itrf92 | Mexico ITRF92 | 6378137 298.257222101 | 1 | EPSG:4832 Mexico ITRF92 to WGS 84 (1) | - | Red Geodesica Nacional 1992; Mexican Datum of 1993
mexico-itrf2008 | Mexico ITRF2008 | 6378137 298.257222101 | 1 | EPSG:6373 Mexico ITRF2008 to WGS 84 (1) | - | Red Geodesica Nacional 2008
magna-sirgas | MAGNA-SIRGAS | 6378137 298.257222101 | 1 | EPSG:15738 MAGNA-SIRGAS to WGS 84 (1) | - | Marco Geocentrico Nacional de Referencia; MAGNA
regven | REGVEN | 6378137 298.257222101 | 1 | EPSG:1768 REGVEN to WGS 84 (1) | - | Red Geodesica Venezolana; SIRGAS-REGVEN
peru96 | Peru96 | 6378137 298.257222101 | 1 | EPSG:5378 Peru96 to WGS 84 (1) | - | Sistema Geodésico Nacional
cr05 | CR05 | 6378137 298.257223563 | 1.5 | EPSG:5376 CR05 to WGS 84 (1) | - | Costa Rica 2005
ed50 | ED50 | 6378388 297 | 10 | EPSG:1133 ED50 to WGS 84 (1) | -87,-98,-121 | European Datum 1950; European_1950
ntf | NTF | 6378249.2 293.466021294 | 2 | EPSG:1193 NTF to WGS 84 (1) | -168,-60,320 | Nouvelle Triangulation Francaise; Nouvelle Triangulation Francaise (Paris); NTF_Paris
monte-mario | Monte Mario | 6378388 297 | 4 | EPSG:1660 Monte Mario to WGS 84 (4) | -104.1,-49.1,-9.9,0.971,-2.917,0.714,-11.68 | Rome 1940; Monte Mario (Rome)
rdn2008 | RDN2008 | 6378137 298.257222101 | 1 | EPSG:6711 RDN2008 to WGS 84 (1) | - | Rete Dinamica Nazionale 2008
igm95 | IGM95 | 6378137 298.257222101 | 1 | EPSG:1099 IGM95 to WGS 84 (1) | - | Istituto Geografico Militaire 1995; IGM_1995
regcan95 | REGCAN95 | 6378137 298.257222101 | 1 | EPSG:4084 REGCAN95 to WGS 84 (1) | - | Red Geodesica de Canarias 1995
rgr92 | RGR92 | 6378137 298.257222101 | 1 | EPSG:1912 RGR92 to WGS 84 (1) | - | Reseau Geodesique de la Reunion 1992; RGR_1992
rgaf09 | RGAF09 | 6378137 298.257222101 | 1 | EPSG:5501 RGAF09 to WGS 84 (1) | - | Reseau Geodesique des Antilles Francaises 2009
rgfg95 | RGFG95 | 6378137 298.257222101 | 1 | EPSG:4840 RGFG95 to WGS 84 (2) | - | Reseau Geodesique Francais Guyane 1995; RGFG_1995
rgm04 | RGM04 | 6378137 298.257222101 | 1 | EPSG:4476 RGM04 to WGS 84 (1) | - | Reseau Geodesique de Mayotte 2004; RGM_2004
datum73 | Datum 73 | 6378388 297 | 1 | EPSG:1987 Datum 73 to WGS 84 (4) | -239.749,88.181,30.488,0.263,0.082,1.211,2.229 |
lisbon | Lisbon | 6378388 297 | 2 | EPSG:1988 Lisbon to WGS 84 (4) | -288.885,-91.744,126.244,-1.691,0.41,-0.211,-4.598 | Lisbon 1937; Lisbon 1937 (Lisbon); Lisbon (Lisbon); Lisbon_Lisbon
ptra08 | PTRA08 | 6378137 298.257222101 | 1 | EPSG:4905 PTRA08 to WGS 84 (1) | - | Autonomous Regions of Portugal 2008
pulkovo1942-58 | Pulkovo 1942(58) | 6378245 298.3 | 1 | EPSG:1645 Pulkovo 1942(58) to WGS 84 (1) | 33.4,-146.6,-76.3,-0.359,-0.053,0.844,-0.84 | 42/58; Pulkovo_1942_Adj_1958
pulkovo1942-romania | Pulkovo 1942(58) | 6378245 298.3 | 3 | EPSG:15995 Pulkovo 1942(58) to WGS 84 (19) | 2.329,-147.042,-92.08,-0.309,0.325,0.497,5.69 | 42/58; Pulkovo_1942_Adj_1958
pulkovo1942-83 | Pulkovo 1942(83) | 6378245 298.3 | 2 | EPSG:1675 Pulkovo 1942(83) to WGS 84 (1) | 24,-123,-94,0.02,-0.25,-0.13,1.1 | 42/83; Pulkovo_1942_Adj_1983
mgi1901-slovenia | MGI 1901 | 6377397.155 299.1528128 | 1 | EPSG:3917 MGI 1901 to WGS 84 (9) | 409.545,72.164,486.872,3.085957,5.46911,-11.020289,17.919665 | HR1901; D48
mgi1901-croatia | MGI 1901 | 6377397.155 299.1528128 | 1 | EPSG:3964 MGI 1901 to WGS 84 (4) | 551.7,162.9,467.9,6.04,1.96,-11.38,-4.82 | HR1901; D48
mgi1901-serbia | MGI 1901 | 6377397.155 299.1528128 | 1 | EPSG:7676 MGI 1901 to WGS 84 (11) | 577.88891,165.22205,391.18289,4.9145,-0.94729,-13.05098,7.78664 | HR1901; D48
mgi1901-macedonia | MGI 1901 | 6377397.155 299.1528128 | 2 | EPSG:6206 MGI 1901 to WGS 84 (10) | 521.748,229.489,590.921,4.029,4.488,-15.521,-9.78 | HR1901; D48
isn93 | ISN93 | 6378137 298.257222101 | 1 | EPSG:1952 ISN93 to WGS 84 (1) | - | Islands Net 1993; Islands_Network_1993; ISN_1993
isn2004 | ISN2004 | 6378137 298.257222101 | 1 | EPSG:5327 ISN2004 to WGS 84 (1) | - | Islands Net 2004; Islands_Network_2004
isn2016 | ISN2016 | 6378137 298.257222101 | 1 | EPSG:9291 ISN2016 to WGS 84 (1) | - | Islands Net 2016
ngo1948 | NGO 1948 | 6377492.018 299.1528128 | 3 | EPSG:1654 NGO 1948 to WGS 84 (1) | 278.3,93,474.5,7.889,0.05,-6.61,6.21 | NGO 1948 (Oslo)
turef | TUREF | 6378137 298.257222101 | 1 | EPSG:5261 TUREF to WGS 84 (1) | - | Turkish National Reference Frame
sjtsk05 | S-JTSK/05 | 6377397.155 299.1528128 | 1 | EPSG:5227 S-JTSK/05 to WGS 84 (1) | 572.213,85.334,461.94,4.9732,1.529,5.2484,3.5378 | System of the Unified Trigonometrical Cadastral Network/05; Systém Jednotné trigonometrické sítě katastrální/05
kalianpur1975 | Kalianpur 1975 | 6377299.151 300.8017255 | 22 | EPSG:1156 Kalianpur 1975 to WGS 84 (1) | 295,736,257 |
jgd2000 | JGD2000 | 6378137 298.257222101 | 1 | EPSG:1826 JGD2000 to WGS 84 (1) | - | Japanese Geodetic Datum 2000
jgd2011 | JGD2011 | 6378137 298.257222101 | 1 | EPSG:9936 JGD2011 to WGS 84 (1) | - | Japanese Geodetic Datum 2011
korea2000 | Korea 2000 | 6378137 298.257222101 | 1 | EPSG:15831 Korea 2000 to WGS 84 (1) | - | Geocentric datum of Korea
twd97 | TWD97 | 6378137 298.257222101 | 1 | EPSG:3830 TWD97 to WGS 84 (1) | - | Taiwan Datum 1997; TWD_1997
hongkong1980 | Hong Kong 1980 | 6378388 297 | 1 | EPSG:1825 Hong Kong 1980 to WGS 84 (1) | -162.619,-276.959,-161.764,0.067753,-2.243648,-1.158828,-1.094246 | HK80
dgn95 | DGN95 | 6378137 298.257223563 | 1 | EPSG:15912 DGN95 to WGS 84 (1) | - | Datum Geodesi Nasional 1995; Indonesian Geodetic Datum 1995; IGD95; DGN_1995
prs92 | PRS92 | 6378206.4 294.978698214 | 1 | EPSG:15708 PRS92 to WGS 84 (1) | -127.62,-67.24,-47.04,-3.068,4.903,1.578,-1.06 | Philippine Reference System 1992; Modified Luzon Datum; PRS_1992
cgcs2000 | CGCS2000 | 6378137 298.257222101 | 1 | - | - | China 2000; China Geodetic Coordinate System 2000
indian1975 | Indian 1975 | 6377276.345 300.8017 | 5 | EPSG:1154 Indian 1975 to WGS 84 (1) | 209,818,290 |
cape | Cape | 6378249.145 293.4663077 | 9 | EPSG:1128 Cape to WGS 84 (1) | -136,-108,-292 | South Africa
arc1950-zimbabwe | Arc 1950 | 6378249.145 293.4663077 | 15 | EPSG:1121 Arc 1950 to WGS 84 (9) | -142,-96,-293 |
arc1960-kenya | Arc 1960 | 6378249.145 293.465 | 6 | EPSG:1284 Arc 1960 to WGS 84 (2) | -157,-2,-299 |
agd66 | AGD66 | 6378160 298.25 | 5 | EPSG:15788 AGD66 to WGS 84 (16) | -127.8,-52.3,152.9 | Australian Geodetic Datum 1966; Australian_1966
agd84 | AGD84 | 6378160 298.25 | 3 | EPSG:1669 AGD84 to WGS 84 (7) | -117.763,-51.51,139.061,0.292,0.443,0.277,-0.191 | Australian Geodetic Datum 1984; Australian_1984
rgnc91-93 | RGNC91-93 | 6378137 298.257222101 | 1 | EPSG:15880 RGNC91-93 to WGS 84 (1) | - | Reseau Geodesique de Nouvelle Caledonie 91-93; RGNC; Reseau_Geodesique_de_Nouvelle_Caledonie_1991-93; RGNC_1991-93
fiji1986 | Fiji 1986 | 6378135 298.26 | 2 | EPSG:15876 Fiji 1986 to WGS 84 (1) | 0,0,4.5,0,0,0.554,0.2263 | Fiji Geodetic Datum 1986; FGD 1986
kudams | KUDAMS | 6378137 298.257222101 | 1 | EPSG:1062 Kudams to WGS 84 (2) | 226.702,-193.337,-35.371,-2.229,-4.391,9.238,0.9798 | Kuwait Utility
ngn | NGN | 6378137 298.257223563 | 1 | EPSG:1060 NGN to WGS 84 (1) | -3.2,-5.7,2.8 | National Geodetic Network
`
