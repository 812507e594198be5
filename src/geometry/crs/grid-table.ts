/** Lists the shift grids that national surveys publish: from which datum each leads to which, and its accuracy according to EPSG. */

import { once } from '../../core/once.ts'
import { datums, type Datum } from './datums.ts'
import { plainName } from './wkt.ts'

/** A file that leads from a datum to a modern one. `accuracyM` is its accuracy for WGS 84, `ownAccuracyM` for the target. */
export type GridFile = {
  readonly file: string
  readonly target: string
  readonly ownAccuracyM: number
  readonly accuracyM: number
}

// Each line: the datum's name, the key of the datum it leads to, then files with their accuracy in metres, the best first.
const lines = `
NZGD49 | nzgd2000 | nzgd2kgrid0005.gsb 0.2
AGD66 | gda94 | A66_National_13_09_01.gsb 0.5; SEAust_21_06_00.gsb 0.1; vic_0799.gsb 0.1; tas_1098.gsb 0.1; nt_0599.gsb 0.1
AGD84 | gda94 | National_84_02_07_01.gsb 0.1; wa_0700.gsb 0.1
GDA94 | gda2020 | GDA94_GDA2020_conformal_and_distortion.gsb 0.05; GDA94_GDA2020_conformal.gsb 0.05
OSGB36 | etrs89 | OSTN15_NTv2_OSGBtoETRS.gsb 0.03; OSTN02_NTv2.gsb 0.03
TM75 | etrs89 | tm75_etrs89.gsb 0.41
Amersfoort | etrs89 | rdtrans2018.gsb 0.001; rdtrans2008.gsb 0.001
BD72 | etrs89 | bd72lb72_etrs89lb08.gsb 0.01
DHDN | etrs89 | SeTa2016.gsb 0.01; BWTA2017.gsb 0.1; HeTa2010.gsb 0.1; BETA2007.gsb 0.9
MGI | etrs89 | AT_GIS_GRID_2021_09_28.gsb 0.14; AT_GIS_GRID.gsb 0.15
CH1903 | etrs89 | CHENyx06_ETRS.gsb 0.25
NTF | rgf93 | ntf_r93.gsb 1
ED50 | etrs89 | 100800401.gsb 0.05; SPED2ETV2.gsb 0.2; PENR2009.gsb 0.2; BALR2009.gsb 0.2
Datum 73 | etrs89 | D73_ETRS89_geo.gsb 0.1
ISN93 | isn2016 | ISN93_ISN2016.gsb 0.05
ISN2004 | isn2016 | ISN2004_ISN2016.gsb 0.05
NAD27 | csrs | TOR27CSv1.GSB 1; ON27CSv1.GSB 1.5; NB2783v2.gsb 0.8; SK27-98.gsb 1.5; NA27SCRS.GSB 1.5; QUE27-98.gsb 1.5
NAD27 | nad83 | NTv2_0.gsb 1.5; NA27NA83.GSB 1.5; SK27-83.gsb 1.5
SAD69 | sirgas2000 | SAD69_003.gsb 1
SAD69(96) | sirgas2000 | SAD96_003.gsb 0.5
`

const filesByDatum = once(() => {
  const found = new Map<string, GridFile[]>()
  for (const line of lines.trim().split('\n')) {
    const [from, key, files] = line.split(' | ')
    const target = datums().get(key!)
    if (target === undefined) throw new Error(`The datum table has no line "${key}".`)
    const known = found.get(from!) ?? []
    found.set(from!, [...known, ...files!.split('; ').map((each) => gridFileOf(each, target))])
  }
  return found
})

function gridFileOf(text: string, target: Datum): GridFile {
  const [file, accuracy] = text.split(' ')
  const ownAccuracyM = Number(accuracy)
  return { file: file!, target: target.name, ownAccuracyM, accuracyM: Math.max(ownAccuracyM, target.accuracyM) }
}

/** The files that lead away from a datum, the best first. */
export function gridFilesFrom({ name }: Datum): readonly GridFile[] {
  return filesByDatum().get(name) ?? []
}

/** True for names of one file: surveys give it out as "National 84 (02.07.01).gsb", programs as "National_84_02_07_01.gsb". */
export function isSameFile(one: string, other: string): boolean {
  return plainName(one) === plainName(other)
}
