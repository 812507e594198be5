/** Finds the shift grids in a folder that take a coordinate system to WGS 84, or the reason why none does. */

import { stat } from 'node:fs/promises'
import { WindrowError } from '../../core/error.ts'
import { folderSource } from '../../core/sources/folder.ts'
import type { Member } from '../../core/sources/source.ts'
import type { Crs } from '../crs/crs.ts'
import { gridFilesFrom, isSameFile, type GridFile } from '../crs/grid-table.ts'
import { placer } from './project.ts'
import { readShiftGrid, shiftBy, type ShiftGrid } from '../crs/shift-grid.ts'

/** A system with its grids, or without, and a sentence why the folder has none for it. */
export type Gridded = { readonly crs: Crs; readonly lack?: string }

/**
 * Gives a system the grids of a folder that cover one of these positions of the file. It reads only the grids for its datum. Throws
 * a WindrowError where the folder cannot be read, or such a grid is damaged or does not begin at the datum.
 */
export async function withGrids(
  crs: Crs,
  folder: string,
  positions: readonly (readonly [number, number])[],
): Promise<Gridded> {
  const { datum } = crs.definition
  const wanted = gridFilesFrom(datum)
  const members = await membersOf(folder)
  if (wanted.length === 0) return { crs }
  const used: (GridFile & { readonly grid: ShiftGrid })[] = []
  for (const each of wanted)
    for (const { source } of members.filter(({ name }) => isSameFile(name.split('/').at(-1)!, each.file))) {
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
    hint: 'Name the folder that contains the .gsb files with --grid-dir, or with grids: in a pipeline.',
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
