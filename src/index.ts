/** Hides nothing: the library's public names. */

export { errorCodes, exitCodes, WindrowError, type ErrorCode } from './core/error.ts'
export { problemCodes, type Problem, type ProblemCode, type Severity } from './core/problem.ts'
export type { Column, ColumnType, CrsClue, Decision, Place, Row, Table, Value, Values } from './core/row.ts'
export type { Shape, ShapeKind } from './core/shape.ts'
export { geoJsonFromShape } from './core/shape-geojson.ts'
export { bufferSource, fileSource, spooledSource, type Source } from './core/source.ts'
export { fileTarget, type Target } from './core/target.ts'
export type { Format, FormatOptions, OptionSchema, OutTable, Probe, Written } from './formats/format.ts'
