/** Describes the report of an export, report.json in its run folder, and its published schema. */

import type { TypeOf } from '../../core/object-schema.ts'
import type { Report } from './report.ts'
import { exportFilters } from '../export/filter-records.ts'
import { count, counts, objectOf, text, texts } from './report-schema.ts'

const listed = { type: 'object', additionalProperties: count } as const

const filterNames = Object.keys(exportFilters) as readonly (keyof typeof exportFilters)[]

/** A change that breaks programs that read it raises `version`. */
export const exportReportSchema = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  title: 'windrow export report',
  ...objectOf('', ['error', 'onlyChanged', 'file'], {
    windrow: { const: 'report' },
    version: { const: 1 },
    kind: { const: 'export' },
    run: text,
    pipeline: { ...text, description: 'The pipeline, or the word export and what was exported.' },
    started: text,
    ended: text,
    outcome: { enum: ['done', 'stopped', 'interrupted'] },
    exit: { type: 'integer' },
    error: objectOf('', ['hint'], { code: text, message: text, hint: text }),
    source: objectOf('', [], { service: text, connection: text }),
    what: { ...text, description: 'The type of the records, such as work-records.' },
    only: objectOf('The filters; days are in the zone, and included.', filterNames, exportFilters),
    onlyChanged: { const: true, description: 'Only what changed since the last such export.' },
    zone: { ...text, description: 'The time zone of days and times.' },
    records: counts(['read', 'written', 'leftOut'], 'read = written + leftOut; leftOut did not match the filters.'),
    rows: { ...listed, description: 'The number of rows in each table of the file.' },
    file: objectOf('The file that was written. By its fingerprint windrow knows its own files again.', [], {
      path: text,
      bytes: count,
      sha256: text,
    }),
    notes: texts,
  }),
} as const

/** The content of an export's report.json. */
export type ExportReport = TypeOf<typeof exportReportSchema>

export type RunReport = Report | ExportReport

/** True for a run that was never going to send, also if it stopped before its end. */
export function isDryRun(report: RunReport): boolean {
  return report.kind !== 'export' && (report.outcome === 'dry-run' || report.dryRun === true)
}
