/** Hides what a stage itself finds worth telling about a row, beyond what reader, mapping and checks say. */

import { problem, type Problem } from '../../core/problem.ts'
import type { Place, Row } from '../../core/row.ts'
import type { Mapped } from '../../mapping/compile.ts'
import type { ResourceType } from '../../resources/resource-type.ts'
import { check } from '../../resources/validation.ts'
import type { Composed } from './compose.ts'
import { partsNote } from './part-rows.ts'
import type { ImportJob, Passed } from './import-job.ts'

/**
 * What the reader found, and letters that were lost on the way: a name with a hole in it is not published, whoever lost it. The
 * reader can only warn, because it does not know which columns matter.
 */
export function readerProblems({ at, values, problems = [] }: Row, { mapping }: ImportJob): readonly Problem[] {
  const isLost = (column: string): boolean => {
    const value = values[column]
    return typeof value === 'string' && value.includes('\ufffd')
  }
  if (!mapping.columns.some(isLost)) return problems
  const lost = mapping.columns.filter(isLost)
  const others = problems.filter(({ code, column }) => code !== 'encoding-doubtful' || !lost.includes(column ?? ''))
  const found = lost.map((column) =>
    problem('encoding-doubtful', at, {
      severity: 'error',
      column,
      value: values[column] as string,
      message: 'Letters of this cell were lost: the file is in another encoding than the one it is read in.',
      hint: 'Say the right one with --encoding, or under "from" in the pipeline, such as windows-1252; or export the file again as UTF-8.',
    }),
  )
  return [...others, ...found]
}

/** Tells that a row lacks the boundary that others of its table have. */
export function withoutBoundary({ at }: Row): Problem {
  return problem('geometry-missing', at, {
    severity: 'warning',
    message:
      'The row has no boundary, as the others have; a new record goes out without one, a known one keeps its own.',
  })
}

/** Without a key the row's number stands in, so that a dry run can show the rest. */
export function standIn(mapped: Mapped, row: Row, job: ImportJob): Mapped {
  if (!job.keyIsStandIn || mapped.sourceId !== undefined) return mapped
  const flagged = problem('key-stand-in', row.at, {
    message: 'The record has no key of its own; its row number stands in, which is no good for publishing.',
    hint: 'Name the column that tells one record from another with --key COLUMN.',
  })
  return { ...mapped, sourceId: `row ${row.at.row}`, problems: [...mapped.problems, flagged] }
}

/** A problem with a boundary has no cell to show; the record's name tells a person which one it is. */
export function named({ problems, record }: Mapped): readonly Problem[] {
  const name = record['name']
  if (typeof name !== 'string') return problems
  return problems.map((each) =>
    each.column === undefined && each.value === undefined ? { ...each, value: name } : each,
  )
}

/** Tells which fields the row would empty. */
export function lossProblems(composed: Composed, at: Place): readonly Problem[] {
  return composed.lost.map((path) =>
    problem('would-lose-field', at, {
      path,
      message: `The record has a value for ${pathInWords(path)} and this row would empty it.`,
      hint: 'Fill the cell, or say what a blank cell means:  blank: keep  or  blank: clear  (--blank on the command line).',
    }),
  )
}

/** What the service's rules say of a composed record. */
export function checkProblems(type: ResourceType, composed: Composed, at: Place): readonly Problem[] {
  const findings = check(type, composed.record)
  if (findings.length === 0) return []
  return findings.map(({ code, severity, ...rest }) => problem(code, at, { severity, ...rest }))
}

/** What would be noise on every row is said once for the table. */
export function tableNotes(passed: Passed, source: string): readonly Problem[] {
  const at: Place = { source, row: -1 }
  const notes = Object.entries(passed.numericIds).map(([column, row]) =>
    problem(
      'id-from-number',
      { source, row },
      {
        column,
        message: `The column "${column}" holds numbers that became identifiers; zeros in front, if there were any, are lost.`,
        hint: 'If the identifiers begin with zeros, format the column as text in the file.',
      },
    ),
  )
  for (const [column, { first, rows }] of Object.entries(passed.wordedBlanks))
    notes.push(
      problem(
        'blank-in-words',
        { source, row: first },
        {
          column,
          message: `The column "${column}" says NULL or the like in ${rows} ${rows === 1 ? 'row' : 'rows'}, as databases do where there is nothing; it was taken for blank.`,
          hint: `If it is a word like others:  { from: ${column}, words: { "NULL": "NULL" }, otherwise: keep }`,
        },
      ),
    )
  if (passed.partsMade.rows > 0) notes.push(partsNote(passed.partsMade, at))
  if (passed.dimensionsDropped === 0) return notes
  const message = `The heights or measures of ${passed.dimensionsDropped} boundaries were left out.`
  return [
    ...notes,
    problem('dimensions-dropped', at, { message, hint: 'To keep heights:  geometry: { heights: keep }' }),
  ]
}

function pathInWords(path: string): string {
  if (path === '/spatialFeature') return 'its boundary'
  return `"${path.slice(1).replaceAll('/*', '').replaceAll('/', ' ')}"`
}
