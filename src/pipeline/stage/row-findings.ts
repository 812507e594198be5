/** Finds problems of a row that reader, mapping and checks cannot see. */

import { problem, type Code, type Problem } from '../../core/problem.ts'
import type { Place, Row } from '../../core/row.ts'
import { noValueIn } from '../../core/values/no-value.ts'
import { settingText } from '../../core/setting-text.ts'
import { plural } from '../../core/values/plural.ts'
import type { Mapped } from '../../mapping/compile.ts'
import { idInKey } from '../../resources/keys.ts'
import type { ResourceType } from '../../resources/resource-type.ts'
import { check } from '../../resources/validation.ts'
import type { Composed } from './compose.ts'
import { partsNote } from './part-rows.ts'
import { wholeFile } from './stage-store.ts'
import type { ImportJob } from './import-job.ts'
import type { RowTotals } from './row-totals.ts'

/** Wrong cells, of which a reader does not know whether their column matters. */
const ofCells: readonly Code[] = ['cell-error', 'date-impossible', 'value-not-fitting-column', 'formula-not-calculated']

/**
 * The row, with its wrong cells weighed: in a column that is not used they are warnings. A formula without a result is an error where
 * its blank would clear a value, or leave out the row.
 */
export function weighed(row: Row, { mapping, choosing, blank }: ImportJob): Row {
  const errorText = choosing.find((column) => noValueIn(row.values[column]) === 'error')
  if (row.problems === undefined && errorText === undefined) return row
  const problems = (row.problems ?? []).map((each) => {
    const { code, column } = each
    if (column === undefined || !ofCells.includes(code)) return each
    const isChoosing = choosing.includes(column)
    if (!isChoosing && !mapping.columns.includes(column)) return { ...each, severity: 'warning' as const }
    if (code !== 'formula-not-calculated' || (!isChoosing && blank !== 'clear')) return each
    const message = 'The cell contains a formula whose result was never calculated, so its value is unknown.'
    return { ...each, severity: 'error' as const, message }
  })
  if (errorText !== undefined) {
    const about = { column: errorText, value: row.values[errorText] as string }
    const message = `The cell shows ${about.value.trim()} instead of a value.`
    problems.push(problem('cell-error', row.at, { ...about, message }))
  }
  return { ...row, problems }
}

/** Warns that a row has no boundary in a table with boundaries. */
export function withoutBoundary({ at }: Row, blank: ImportJob['blank']): Problem {
  return problem('geometry-missing', at, {
    severity: 'warning',
    message: `This row has no boundary. Once published, a new record has none; a known record ${blank === 'clear' ? 'loses' : 'keeps'} the boundary it has.`,
  })
}

/** Uses the row number as a placeholder for the key, so that a dry run can show the rest. */
export function standIn(mapped: Mapped, row: Row, job: ImportJob): Mapped {
  if (!job.keyIsStandIn || mapped.sourceId !== undefined) return mapped
  const flagged = problem('key-stand-in', row.at, {
    message: 'The record has no id; the row number is used as a placeholder, so it cannot be published.',
    hint: 'Name the column that is different in every row with --key COLUMN.',
  })
  return { ...mapped, sourceId: `row ${row.at.row}`, problems: [...mapped.problems, flagged] }
}

/** Adds the record's name to problems without a cell, such as those of boundaries, so that a person can find the record. */
export function withRecordName({ problems, record }: Mapped): readonly Problem[] {
  const name = record['name']
  if (typeof name !== 'string') return problems
  return problems.map((each) =>
    each.column === undefined && each.value === undefined ? { ...each, value: name } : each,
  )
}

/** Reports the fields that the row would empty. */
export function lossProblems(composed: Composed, at: Place, { settingsIn }: ImportJob): readonly Problem[] {
  return composed.lost.map((path) =>
    problem('would-lose-field', at, {
      path,
      message: `The record has a value for ${pathInWords(path)}, but this row would empty it.`,
      hint: `Fill the cell, or decide what a blank cell does:  ${settingText(settingsIn, 'blank: keep  or  blank: clear', '--blank keep  or  --blank clear')}`,
    }),
  )
}

/** Warns that a record which was deleted is in the file again, and gets back its boundary. */
export function backProblem(key: string, pipeline: string, at: Place): Problem {
  return problem('record-back', at, {
    value: idInKey(key),
    message: `The record "${idInKey(key)}" was deleted by "${pipeline}" and is in the file again. It gets back its boundary, and all else that the file does not have, as before.`,
    hint: 'Check that it is the same piece of land. If not, import its boundary.',
  })
}

/** Checks a composed record against the service's rules. */
export function checkProblems(type: ResourceType, composed: Composed, at: Place): readonly Problem[] {
  const findings = check(type, composed.record)
  if (findings.length === 0) return []
  return findings.map((each) => ({ ...each, at }))
}

/** Warns of a crop with a date and without a name. */
export function cropProblems({ record }: Composed, at: Place): readonly Problem[] {
  const crops = cropsOf(record)
  const index = crops.findIndex((crop) => crop['name'] === undefined && dateFields.some((name) => name in crop))
  if (index === -1) return []
  const path = `/crops/${index}/${dateFields.find((name) => name in crops[index]!)}`
  return [
    problem('crop-unnamed', at, {
      path,
      message: 'The row has a date for a crop, but no crop.',
      hint: 'Fill in the crop, or clear the date.',
    }),
  ]
}

/**
 * Rejects a crop that would be sown more than ten years from now, where two digits of the year were exchanged, or was sown before 1950, as
 * where a sheet shows the number 2027 as a day of 1905. A known day may stay.
 */
export function sowingProblems(
  { record }: Mapped,
  at: Place,
  { now, known = {} }: { readonly now: string; readonly known: Readonly<Record<string, unknown>> | undefined },
): readonly Problem[] {
  const before = cropsOf(known).map((crop) => Date.parse(String(crop['establishmentDate'])))
  return cropsOf(record).flatMap(({ establishmentDate: sown }, index) => {
    if (typeof sown !== 'string') return []
    const year = Number(sown.slice(0, 4))
    if (year >= 1950 && year <= Number(now.slice(0, 4)) + 10) return []
    if (before.includes(Date.parse(sown))) return []
    return problem('date-unlikely', at, {
      path: `/crops/${index}/establishmentDate`,
      value: sown.slice(0, 10),
      message: year < 1950 ? `The crop would be one of ${year}.` : `The crop would be sown in ${year}.`,
      hint: 'Correct the cell, or leave it empty.',
    })
  })
}

function cropsOf({ crops }: Readonly<Record<string, unknown>>): readonly Readonly<Record<string, unknown>>[] {
  return Array.isArray(crops) ? crops : []
}

const dateFields = ['establishmentDate', 'maturityDate', 'harvestDate']

type NewRow = { readonly mapped: Mapped; readonly boundary: { readonly text?: Uint8Array | undefined } | undefined }

/** The problems of a row that would create a record, or clear what it has. */
export function newProblems(
  { mapped: { problems, record, sourceId, blank }, boundary }: NewRow,
  at: Place,
  { plural }: ResourceType,
): readonly Problem[] {
  if (!land.has(plural) || boundary?.text !== undefined) return problems
  const { name, ...others } = record
  if (name !== undefined) {
    // Where names are the ids, a heading has one, and two and more blank cells.
    const mayBeHeading = name === sourceId && blank.length > 1 && hasOnlyIdentity(others)
    return mayBeHeading ? [...problems, likeHeading(at)] : problems
  }
  if (!hasOnlyIdentity(record)) return problems
  const none = problem('row-without-record', at, {
    message: 'The row has an id and nothing else, like a heading between the rows.',
    hint: 'Delete the row, or fill in its cells.',
  })
  return [...problems, none]
}

function likeHeading(at: Place): Problem {
  return problem('row-without-record', at, {
    severity: 'warning',
    message: 'The row has a name and nothing else, like a heading between the rows. It was read as a record.',
    hint: 'If it is a heading, delete the row, or filter it out with only: in a pipeline.',
  })
}

function hasOnlyIdentity(record: Mapped['record']): boolean {
  return Object.keys(record).every((field) => ofIdentity.has(field))
}

const ofIdentity: ReadonlySet<string> = new Set(['resourceType', 'dataPointKey', 'identifiers', 'links', 'meta'])

/** The types whose records are land: without a boundary they lie nowhere. */
const land: ReadonlySet<string> = new Set(['plots', 'land-covers'])

/** Notes reported once for the table, because they would be noise on every row. */
export function tableNotes(totals: RowTotals, { table, settingsIn, type }: ImportJob): readonly Problem[] {
  const inRow = (row: number): Place => ({ source: table.name, row })
  const at = wholeFile(table.name)
  const notes = Object.entries(totals.numericIds).map(([column, row]) =>
    problem('id-from-number', inRow(row), {
      column,
      message: `The column "${column}" has numbers that are used as identifiers; if they began with zeros, the zeros are lost.`,
      hint: 'If identifiers begin with zeros, format the column as text in the file.',
    }),
  )
  for (const [column, { first, rows }] of Object.entries(totals.wordedBlanks))
    notes.push(
      problem('blank-in-words', inRow(first), {
        column,
        message: `The column "${column}" has NULL or a similar word in ${plural(rows, 'row')}, as databases write for an empty cell; it was read as blank.`,
        hint: `If it is an ordinary word:  ${settingText(settingsIn, `{ from: ${column}, words: { "NULL": "NULL" }, otherwise: keep }`)}`,
      }),
    )
  const count = totals.newWithoutBoundary
  if (count > 0 && land.has(type.plural))
    notes.push(
      problem('boundary-absent', at, {
        message: `${plural(count, `new ${type.title.toLowerCase()} has`, `new ${type.plural.replace('-', ' ')} have`)} no boundary.`,
        hint: 'Import the file with the boundaries first, with the same ids; then these rows update its records.',
      }),
    )
  if (totals.partsMade.rows > 0) notes.push(partsNote(totals.partsMade, at))
  if (totals.dimensionsDropped === 0) return notes
  const message = `The heights or measures of ${plural(totals.dimensionsDropped, 'boundary', 'boundaries')} were left out.`
  const hint = `To keep heights:  ${settingText(settingsIn, 'geometry: { heights: keep }')}`
  return [...notes, problem('dimensions-dropped', at, { message, hint })]
}

function pathInWords(path: string): string {
  if (path === '/spatialFeature') return 'its boundary'
  const counted = path.replaceAll(/\/\d+/g, (index) => ` ${Number(index.slice(1)) + 1}`)
  return `"${counted.slice(1).replaceAll('/*', '').replaceAll('/', ' ')}"`
}
