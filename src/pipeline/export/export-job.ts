/** Makes an export pipeline a job for a given moment: its days, file name and format. */

import { WindrowError } from '../../core/error.ts'
import type { WebOptions } from '../../core/sources/source-url.ts'
import { valueText, type Value } from '../../core/row.ts'
import type { Format, FormatOptions } from '../../formats/format.ts'
import { gzippedByName } from '../../formats/gzipped.ts'
import { formatForTarget, formats } from '../../formats/index.ts'
import { identifyCrs, type Crs } from '../../geometry/crs/crs.ts'
import { machineZone } from '../../mapping/zones.ts'
import type { Layout, UnitWords } from '../../resources/table-plan.ts'
import type { JobGeometry } from '../../resources/job-tables.ts'
import type { ResourceType } from '../../resources/resource-type.ts'
import { unitCode } from '../../resources/units.ts'
import { workRecord } from '../../resources/work-record.ts'
import type { ExportPipeline } from '../definition/definition.ts'
import { dayOf, fillPlaceholders, firstDay, periodOf } from '../definition/period.ts'
import type { ColumnChoice } from './choose-columns.ts'
import type { RecordFilter } from './filter-records.ts'

export type ExportJob = ColumnChoice & {
  readonly type: ResourceType
  readonly only: RecordFilter
  /** Days and times are in this zone. */
  readonly zone: string
  readonly units: UnitWords
  readonly layout: Layout
  /** Where work was done, on each row of a flat table of work records. */
  readonly geometry?: Exclude<JobGeometry, 'none'> | undefined
  /** In workbooks: the column, or "month" and the like, whose values get a sheet each. */
  readonly groupBy?: string | undefined
  /** Whether workbooks also show columns without any value. */
  readonly allColumns?: boolean | undefined
  /** A path, or an s3 address, which needs `web`: the keys of the store and what requests need. */
  readonly path: string
  readonly web?: WebOptions | undefined
  readonly format: Format
  readonly formatOptions: FormatOptions
  /** The coordinate system of the file; longitude and latitude if left out. */
  readonly crs?: Crs | undefined
  /** False: an export without a record fails, and an existing file stays as it is. */
  readonly allowsEmpty?: boolean | undefined
  readonly makesFolders?: boolean | undefined
  /** What the report says besides, such as what was set for this run. */
  readonly notes?: readonly string[]
  /** Only records that changed or were deleted since the last such export. */
  readonly onlyChanged?: boolean | undefined
}

/** Works out the pipeline's days and file name for this moment. */
export function exportJobOf(pipeline: ExportPipeline, now: Date, known: readonly Format[] = formats): ExportJob {
  const { type, units, zone = machineZone(), only } = pipeline
  const { columns, sort, groupBy, allColumns, ...to } = pipeline.to
  const { file, format: ending, layout, geometry, crs, folders, empty, ...options } = to
  const period = periodOf(only, zone, now)
  const path = fillPlaceholders(file, period, dayOf(now, zone))
  const format = ending === undefined ? formatForTarget(path, known) : gzippedByName(path, namedFormat(ending, known))
  const foreign = Object.keys(options).find((name) => !(name in format.options.properties))
  if (foreign !== undefined) throw optionOfOthers(foreign, format, known)
  return {
    type,
    columns,
    sort,
    groupBy,
    allColumns,
    only: { ...filterOf(only, (day) => firstDay(day, zone, now)), ...period },
    zone,
    units: {
      ...units,
      area: units.area && unitCode(units.area, 'area'),
      length: units.length && unitCode(units.length, 'length'),
    },
    ...layoutOf({ layout, geometry }, type, format),
    path,
    format,
    formatOptions: options as FormatOptions,
    crs: crs === undefined ? undefined : crsOf(crs, format),
    allowsEmpty: empty === 'allow',
    makesFolders: folders === 'make',
    onlyChanged: only.changed === 'since last export',
    notes: pipeline.set.map(([key, value]) => `Set for this run: ${key.join('.')}: ${valueText(value as Value)}`),
  }
}

/** The filter of an export but its days; `firstOf` is the first day of a word. */
function filterOf(only: ExportPipeline['only'], firstOf: (word: string) => string): RecordFilter {
  const { holding, plot, operation, product, operator, status, box, deleted, 'modified since': since } = only
  const listOf = (said: unknown): readonly string[] => [said ?? []].flat().map(String)
  return {
    operations: listOf(operation),
    statuses: listOf(status),
    plots: listOf(plot),
    products: listOf(product),
    operators: listOf(operator),
    holding: holding === undefined ? undefined : String(holding),
    deletedToo: deleted === 'include' || undefined,
    box: box && (box.map(Number) as unknown as RecordFilter['box']),
    modifiedSince: since && firstOf(since),
  }
}

/**
 * The coordinate system that a person names for a file of the format, undefined for longitude and latitude. Throws if the format cannot
 * say in which system its coordinates are, or windrow does not know the system.
 */
function crsOf(text: string, { namesCrs, title }: Format): Crs | undefined {
  const crs = identifyCrs({ from: 'option', text })
  if (crs.code === 'EPSG:4326') return undefined
  if (crs.code === '')
    throw new WindrowError('crs-unknown', 'A file is written only in a coordinate system that has a code.', {
      hint: 'Name it by its code, such as EPSG:2193.',
    })
  if (namesCrs === true) return crs
  const able = formats.filter((each) => each.namesCrs === true).map((each) => each.title.replace(/ \(.*/, ''))
  const message = `Coordinates in ${title} are in longitude and latitude, not in ${crs.code}.`
  const hint = `Leave the coordinate system out, or write ${able.join(' or ')}: -o FILE.gpkg or -o FILE.zip.`
  throw new WindrowError('format-cannot-write', message, { hint })
}

/**
 * The layout that a person names, else a diary of work records in formats that people read, else one table; and what their rows have
 * as geometry. Throws if the records, the layout or the format have no place for it.
 */
function layoutOf(
  said: { readonly layout?: Layout | undefined; readonly geometry?: JobGeometry | undefined },
  type: ResourceType,
  format: Format,
): Pick<ExportJob, 'layout' | 'geometry'> {
  const { geometry, layout } = said
  if (layout === 'linked' && format.isText === true)
    throw new WindrowError(
      'format-cannot-write',
      `The layout linked has several tables, and ${format.title.replace(/ \(.*/, '')} has room for one.`,
      {
        hint: 'Write it to .xlsx or .gpkg, or set  to.layout: diary  or  to.layout: flat',
      },
    )
  if (geometry === undefined || geometry === 'none') {
    const isDiary = type === workRecord && (format.isWorkbook === true || format.name === 'csv')
    return { layout: layout ?? (isDiary ? 'diary' : 'flat') }
  }
  const fault =
    type !== workRecord
      ? 'Only work records need a choice of geometry: other records have their boundary or none.'
      : format.isWorkbook === true
        ? 'A workbook has no place for geometry.'
        : layout === undefined || layout === 'flat'
          ? undefined
          : `Work records have geometry in the flat layout only, not in ${layout}.`
  if (fault === undefined) return { layout: 'flat', geometry }
  throw new WindrowError('option-invalid', fault, {
    hint: 'Write work records to .gpkg, .zip, .geojson, .kml or .csv without to.layout, or leave to.geometry out.',
  })
}

function optionOfOthers(name: string, { title }: Format, known: readonly Format[]): WindrowError {
  const others = known.filter(({ options, write }) => write !== undefined && name in options.properties)
  const message = `to.${name} works for ${others.map((each) => each.title).join(', ')} only, not for ${title}.`
  return new WindrowError('option-invalid', message, { hint: 'Leave it out, or write another kind of file.' })
}

function namedFormat(name: string, known: readonly Format[]): Format {
  const found = known.find((each) => each.name === name && each.write !== undefined)
  if (found !== undefined) return found
  const names = known.filter((each) => each.write !== undefined).map((each) => each.name)
  throw new WindrowError('format-cannot-write', `windrow cannot write the format "${name}".`, {
    hint: `Choose one of: ${names.join(', ')}.`,
  })
}
