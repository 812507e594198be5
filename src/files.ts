/** The public names for files alone: what reads, places, measures and writes them, without the service. */

export { WindrowError, errorCodes, exitCodes, type ErrorCode } from './core/error.ts'
export { problem, problemCodes, type Problem, type ProblemCode, type Severity } from './core/problem.ts'
export type {
  Column,
  ColumnType,
  CrsClue,
  Decision,
  Place,
  Row,
  Rows,
  Table,
  TextRows,
  Value,
  Values,
} from './core/row.ts'
export type { Shape, ShapeKind } from './core/shape.ts'
export { geometryText } from './core/geometry-text.ts'
export { geoJsonFromShape, shapeFromGeoJson, type Geometry } from './core/shape-geojson.ts'
export { membersOf } from './core/container.ts'
export { openSource } from './core/open-source.ts'
export { bufferSource, fileSource, type Member, type OpenedSource, type Source } from './core/source.ts'
export type { WebOptions } from './core/source-url.ts'
export { fileTarget, type Target } from './core/target.ts'
export type { Format, FormatOptions, OptionSchema, OutTable, Probe, Written } from './formats/format.ts'
export { adoptFormat } from './formats/from-outside.ts'
export { formatForTarget, formats, openFile, type OpenedFile, type OpenOptions } from './formats/index.ts'
export { identifyCrs, type Crs } from './geometry/crs.ts'
export { withGrids, type Gridded } from './geometry/grids.ts'
export { measure, type Measured } from './geometry/measure.ts'
export { normaliserFor, type Normalised, type GeometryPolicy } from './geometry/normalise.ts'
export { isProjectionFault, projectorFor, type ProjectionFault } from './geometry/project.ts'
