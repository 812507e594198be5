/** Reads a folder of cases: a cases.json whose fields may be missing or new. */

import { existsSync, readFileSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** The known facts of one feature; `i` counts the features of the layer from 0. */
export type FeatureOracle = {
  readonly i: number
  readonly type?: string | null
  readonly areaHa?: number
  readonly areaHaRawRings?: number
  readonly centroid?: readonly [number, number]
  readonly lonlat?: readonly [number, number]
  readonly valid?: boolean
}

export type Box = readonly [number, number, number, number]

/** Another program's results for one layer. */
export type LayerOracle = {
  readonly layer?: string
  readonly crs?: { readonly epsg?: number; readonly name?: string; readonly assumed?: boolean } | null
  readonly fields?: readonly { readonly name: string; readonly type?: string }[]
  readonly features?: number
  readonly geometryTypes?: Readonly<Record<string, number>>
  readonly bboxNative?: Box
  readonly bboxWgs84?: Box
  readonly positionToleranceM?: number
  readonly totalAreaHa?: number
  readonly totalAreaHaRawRings?: number
  readonly totalPlanarAreaHa?: number
  readonly totalPlanarAreaNativeUnits?: number
  readonly hasZ?: boolean
  readonly hasM?: boolean
  readonly ringsNotClosedInFile?: number
  readonly invalidCount?: number
  readonly invalid?: readonly { readonly i: number; readonly reason?: string }[]
  readonly oracleGeometryUnsupported?: number
  readonly firstAttributes?: Readonly<Record<string, unknown>> | null
  readonly perFeature?: readonly FeatureOracle[]
  readonly readError?: string
  readonly gdalReadError?: string
}

/** Another program's results for a text table. */
export type TextOracle = {
  readonly encoding?: string
  readonly delimiter?: string
  readonly recordsIncludingHeader?: number
  readonly blankRecords?: number
  readonly columnCountHistogram?: Readonly<Record<string, number>>
  readonly header?: readonly string[] | null
  readonly firstRow?: readonly string[] | null
  readonly lastRow?: readonly string[] | null
  readonly duplicateHeaders?: readonly string[]
  readonly geometry?: LayerOracle
}

/** Another program's results for one sheet; a chart has a `kind`. */
export type SheetOracle = {
  readonly name: string
  readonly kind?: string
  readonly state?: string
  readonly maxRow?: number
  readonly maxCol?: number
  readonly merged?: readonly string[]
  readonly firstRows?: readonly (readonly unknown[])[]
}

export type Oracle = LayerOracle &
  TextOracle & {
    readonly layers?: readonly LayerOracle[]
    readonly sheets?: readonly SheetOracle[]
    readonly date1904?: boolean
    readonly cases?: number
    readonly expectedFalse?: number
    readonly expectedFiles?: readonly string[]
    readonly completeRecords?: number
    readonly truth?: Readonly<Record<string, unknown>>
  }

/** One file and its known results. In `oracle`, `truth` replaces the results of other programs. */
export type Case = {
  readonly id: string
  readonly file: string
  readonly format: string
  readonly what: string
  readonly expectedError: string | undefined
  readonly acceptableOutcomes: readonly string[]
  readonly oracle: Oracle
  readonly truth: Readonly<Record<string, unknown>>
}

/** The cases of a folder (or of the named cases.json), the file that lists them, and the folder that their files are relative to. */
export function readCases(path: string): {
  readonly list: string
  readonly folder: string
  readonly cases: readonly Case[]
} {
  const list = existsSync(path) && statSync(path).isDirectory() ? join(path, 'cases.json') : path
  if (!existsSync(list)) throw new Error(`"${list}" was not found.`)
  const parsed = JSON.parse(readFileSync(list, 'utf8')) as unknown
  const entries = Array.isArray(parsed) ? parsed : (parsed as { cases?: unknown } | null)?.cases
  if (!Array.isArray(entries)) throw new Error(`"${list}" does not contain a list of cases.`)
  return { list, folder: dirname(list), cases: entries.map((entry, index) => caseOf(entry, index)) }
}

function caseOf(entry: unknown, index: number): Case {
  const given = (entry ?? {}) as Partial<Omit<Case, 'truth'>>
  if (typeof given.id !== 'string' || typeof given.file !== 'string')
    throw new Error(`Case ${index} of the list has no id or no file.`)
  const oracle = given.oracle ?? {}
  const truth = oracle.truth ?? {}
  return {
    id: given.id,
    file: given.file,
    format: given.format ?? '',
    what: given.what ?? '',
    expectedError: given.expectedError ?? undefined,
    acceptableOutcomes: given.acceptableOutcomes ?? [],
    oracle: { ...oracle, ...truth },
    truth,
  }
}

/** The coordinate system that the caller must give, where the file has none. */
export function givenCrs({ oracle, expectedError }: Case): string | undefined {
  const named = /\b(EPSG:\d+)\b/i.exec(expectedError ?? '')?.[1]
  if (named !== undefined) return named.toUpperCase()
  const { crs } = oracle.geometry ?? oracle.layers?.find((layer) => layer.crs?.assumed === true) ?? oracle
  return crs?.assumed === true && crs.epsg !== undefined ? `EPSG:${crs.epsg}` : undefined
}
