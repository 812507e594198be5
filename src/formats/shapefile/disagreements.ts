/** Reports files of a shapefile that disagree, are missing or are cut off. */

import { problem, type Problem } from '../../core/problem.ts'
import type { Place } from '../../core/row.ts'
import type { OpenShapes } from './geometry-file.ts'
import type { LayerFiles } from './shapefile-members.ts'
import { indexedRecords } from './record-index.ts'
import type { TableHeader } from './table-header.ts'

/** A layer, with the counts of what was read so far. */
export type ReadToEnd = {
  readonly files: LayerFiles
  readonly header: TableHeader | undefined
  readonly at: (row: number) => Place
  readonly shapes: OpenShapes | undefined
  shapeCount: number
  rowCount: number
  unpairedCount: number
  deletedCount: number
}

export function missingFiles({ shp, dbf, shx, prj }: LayerFiles, at: Place): readonly Problem[] {
  if (shp === undefined && (shx ?? prj) !== undefined)
    return [
      problem('file-inconsistent', at, {
        severity: 'error',
        message: `There is no .shp beside "${dbf!.name}", so the boundaries are missing.`,
        hint: 'Copy or pack the .shp with the .dbf. To read the table alone, copy the .dbf into a folder of its own.',
      }),
    ]
  if (shp === undefined || (dbf !== undefined && dbf.size > 0)) return []
  const message = `There is no ${dbf === undefined ? '' : 'usable '}.dbf beside "${shp.name}", so the shapes have no names or other values.`
  const hint = 'If there should be values, pack the .dbf with the .shp.'
  return [problem('file-inconsistent', at, { message, hint })]
}

/** The count that the index shows, good enough for display. */
export function indexedShapes({ shx }: LayerFiles): number | undefined {
  return shx === undefined || shx.size < 100 ? undefined : indexedRecords(shx)
}

/** The problems of the whole layer, known when both files were read to their ends. */
export function disagreements(reading: ReadToEnd): readonly Problem[] {
  const { files, at, shapeCount, rowCount, deletedCount } = reading
  const dbfName = files.dbf?.name ?? ''
  const found = [...truncations(reading), ...uselessIndex(reading)]
  if (!found.some(({ code }) => code === 'file-truncated') && reading.unpairedCount > 0)
    found.push(
      problem('file-inconsistent', at(Math.min(shapeCount, rowCount)), {
        severity: 'error',
        message: `The number of shapes in "${files.shp!.name}" (${shapeCount}) and of rows in "${dbfName}" (${rowCount}) differ, so values may belong to the wrong shapes.`,
        hint: 'Export the file again, or check on a map whether the names are right.',
      }),
    )
  if (deletedCount > 0)
    found.push(
      problem('row-deleted', at(0), {
        message: `Rows that "${dbfName}" marks as deleted were left out: ${deletedCount}.`,
      }),
    )
  return found
}

/** A wrong index does no harm, but shows that somebody combined files that do not belong together. */
function uselessIndex({ files: { shx, shp }, at, shapes, unpairedCount }: ReadToEnd): readonly Problem[] {
  if (shx === undefined || shapes === undefined || shapes.usesIndex || shapes.ending() !== 'whole') return []
  if (indexedRecords(shx) === 0 && unpairedCount === 0) return []
  return [
    problem('file-inconsistent', at(0), {
      severity: 'note',
      message: `"${shx.name}" does not fit "${shp!.name}"; the shapes were read in the order of the .shp.`,
      hint: 'Check on a map whether the names are at the right shapes.',
    }),
  ]
}

function* truncations({ files, header, at, shapes, shapeCount, rowCount }: ReadToEnd): Generator<Problem> {
  const ending = shapes?.ending() ?? 'whole'
  // A header may claim a greater length by mistake: then the other files show how many shapes there are.
  const expected = header === undefined ? (indexedShapes(files) ?? Infinity) : rowCount
  if (ending === 'cut' || ending === 'broken' || (ending === 'short' && shapeCount < expected)) {
    const what = ending === 'broken' ? 'is damaged' : 'ends too early'
    const counted = header === undefined ? '' : ` The .dbf counts ${header.declaredRows} rows.`
    yield problem('file-truncated', at(shapeCount), {
      message: `"${files.shp!.name}" ${what}. Whole shapes that could be read: ${shapeCount}.${counted}`,
      hint: 'Copy or export it again; the shapes after that place are missing.',
    })
  }
  if (header === undefined || header.presentRows >= header.declaredRows) return
  if (shapes === undefined || shapeCount > rowCount)
    yield problem('file-truncated', at(header.presentRows), {
      message: `"${files.dbf!.name}" ends too early: it should have ${header.declaredRows} rows and has ${header.presentRows}.`,
      hint: 'Copy or export it again.',
    })
}
