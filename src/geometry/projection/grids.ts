/** Finds the shift grids in a folder that take a coordinate system to WGS 84, or the reason why none does. */

import { stat } from 'node:fs/promises'
import { WindrowError } from '../../core/error.ts'
import { once } from '../../core/once.ts'
import { folderSource } from '../../core/sources/folder.ts'
import type { Member } from '../../core/sources/source.ts'
import type { Crs } from '../crs/crs.ts'
import { datums, type Datum } from '../crs/datums.ts'
import { readShiftGrid, shiftBy, type ShiftGrid } from '../crs/shift-grid.ts'
import { plainCrsName } from '../crs/wkt.ts'
import { placer } from './project.ts'

/**
 * Gives a system the grids of a folder that cover one of these positions of the file; `lack` is a sentence why the folder has none for
 * it. It reads only the grids for its datum. Throws a WindrowError where the folder cannot be read, or such a grid is damaged or does
 * not begin at the datum.
 */
export async function withGrids(crs: Crs, folder: string, positions: readonly (readonly [number, number])[]) {
  // The files that lead away from the datum, the best first.
  const wanted = filesByDatum().get(crs.definition.datum.name) ?? []
  const members = await membersOf(folder)
  if (wanted.length === 0) return { crs }
  const used: (GridFile & { readonly grid: ShiftGrid })[] = []
  for (const each of wanted)
    for (const { name, source } of members) {
      // Surveys give a file out as "National 84 (02.07.01).gsb", programs as "National_84_02_07_01.gsb".
      if (plainCrsName(name.split('/').at(-1)!) !== plainCrsName(each.file)) continue
      const grid = await readShiftGrid(source)
      requireDatum(grid, crs)
      used.push({ ...each, grid })
    }
  if (used.length === 0) return { crs, lack: nothingFor(crs, wanted, members) }
  const names = used.map(({ grid }) => `"${grid.name}"`).join(' and ')
  const covering = used.filter(({ grid }) => covers(grid, crs, positions))
  if (covering.length === 0 && positions.length > 0)
    return { crs, lack: `The file lies outside the area of the grid ${names}; ${shiftOf(crs)} is used instead.` }
  const ways = covering.map(({ file, target, ownAccuracyM }) => `the grid ${file} (${ownAccuracyM} m to ${target})`)
  return {
    crs: {
      ...crs,
      transformation: ways.join(' or '),
      accuracyM: Math.max(...covering.map((each) => each.accuracyM)),
      grids: covering.map(({ grid }) => grid),
      beyondGrids: shiftOf(crs),
    },
  }
}

async function membersOf(folder: string): Promise<readonly Member[]> {
  const facts = await stat(folder).catch(() => undefined)
  if (facts?.isDirectory() === true) return (await folderSource(folder).members?.()) ?? []
  throw new WindrowError('option-invalid', `There is no folder of grids "${folder}".`, {
    hint: 'Name the folder that contains the .gsb files:  from.grids',
  })
}

function covers(grid: ShiftGrid, crs: Crs, positions: readonly (readonly [number, number])[]): boolean {
  // The positions are some metres off before the shift, which matters only at the very edge.
  const place = placer(crs)
  return positions.some(([x, y]) => shiftBy(grid, Float64Array.from(place(x, y)), 0))
}

function requireDatum({ name, fromSemiMajorM }: ShiftGrid, { definition: { datum } }: Crs): void {
  if (Math.abs(fromSemiMajorM - datum.semiMajorM) < 1) return
  throw new WindrowError(
    'file-damaged',
    `The grid "${name}" has the name of one for ${datum.name}, but it begins at another ellipsoid (${fromSemiMajorM} m, not ${datum.semiMajorM} m).`,
    {
      hint: 'It may lead the other way. Download the grid that leads away from that datum, or take this one out of the folder.',
    },
  )
}

function nothingFor(crs: Crs, wanted: readonly GridFile[], members: readonly Member[]): string {
  const grids = members.map(({ name }) => name).filter((name) => /\.gsb$/i.test(name))
  const has = grids.length === 0 ? 'It has no .gsb file' : `It has ${grids.slice(0, 5).join(', ')}`
  return `The folder of grids has none for ${crs.definition.datum.name}; ${shiftOf(crs)} is used instead. ${has}; it needs ${wanted.map(({ file }) => file).join(' or ')}.`
}

function shiftOf({ transformation, accuracyM }: Crs): string {
  return `${transformation} (good to ${accuracyM} m)`
}

/** A file that leads from a datum to a modern one. `accuracyM` is its accuracy for WGS 84, `ownAccuracyM` for the target. */
type GridFile = ReturnType<typeof gridFileOf>

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

function gridFileOf(text: string, target: Datum) {
  const [file, accuracy] = text.split(' ')
  const ownAccuracyM = Number(accuracy)
  return { file: file!, target: target.name, ownAccuracyM, accuracyM: Math.max(ownAccuracyM, target.accuracyM) }
}
