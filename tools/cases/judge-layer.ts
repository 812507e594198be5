/** Compares a layer of boundaries with another program's results. */

import type { Problem } from '../../src/core/problem.ts'
import { identifyCrs, type Crs } from '../../src/geometry/crs/crs.ts'
import type { Box, FeatureOracle, LayerOracle } from './case.ts'
import type { Judgement } from './judgement.ts'
import { distanceM, isSameArea, isSameNumber, isSameValue } from './nearness.ts'
import { problemsOf, type Layer, type Seen } from './observe.ts'

/** Compares everything in the oracle of a layer with windrow's results. */
export function judgeLayer(judgement: Judgement, layer: Layer, oracle: LayerOracle): void {
  const isPartial = oracle.readError !== undefined || oracle.gdalReadError !== undefined
  if (isPartial) judgement.remark('The other program did not read to the end, so counts and sums are not compared.')
  judgeColumns(judgement, layer, oracle)
  judgeFirst(judgement, layer, oracle)
  judgeCrs(judgement, layer, oracle)
  if (isPartial) return
  judgeCounts(judgement, layer, oracle)
  judgeKinds(judgement, layer, oracle)
  judgeRaw(judgement, layer, oracle)
  judgeFaults(judgement, layer, oracle)
  if (layer.crs !== undefined) judgePlaces(judgement, layer, oracle)
}

/** Checks what an outcome leaves open: the columns, the first row, the system, and the numbers in the file. */
export function judgeUndisputed(judgement: Judgement, layer: Layer, oracle: LayerOracle): void {
  judgeColumns(judgement, layer, oracle)
  judgeFirst(judgement, layer, oracle)
  judgeCrs(judgement, layer, oracle)
  if (layer.seen.length === oracle.features) judgeRaw(judgement, layer, oracle)
}

/** Compares the first row's cells with the oracle's, by name. */
function judgeFirst(judgement: Judgement, layer: Layer, { firstAttributes }: LayerOracle): void {
  const [first] = layer.head
  if (firstAttributes === undefined || firstAttributes === null || Object.keys(firstAttributes).length === 0) return
  judgement.check(first !== undefined, 'there is no first row, though the oracle has one')
  if (first === undefined) return
  for (const [name, expected] of Object.entries(firstAttributes)) {
    const seen = first.values[name]
    // Where a name comes twice, an oracle by name contains the last of them.
    const isRepeated = layer.columns.some((column) => column.name !== name && column.name.startsWith(`${name} (`))
    if (isRepeated || isInvented(layer, name) || (seen === undefined && isGeometryColumn(layer, name))) continue
    judgement.check(
      isSameValue(expected, seen),
      `column "${name}" of the first row is ${shown(seen)}, expected ${shown(expected)}`,
    )
  }
}

// A column that became the row's shape need not be among the values.
function isGeometryColumn(layer: Layer, name: string): boolean {
  return layer.hasGeometry && !layer.columns.some((column) => column.name === name)
}

function judgeColumns(judgement: Judgement, layer: Layer, { fields }: LayerOracle): void {
  if (fields === undefined) return
  const wanted = fields.map(({ name }) => name).filter((name) => name !== '' && !isInvented(layer, name))
  const missing = wanted.filter((name) => !layer.names.has(name))
  judgement.check(missing.length === 0, `columns are missing: ${missing.join(', ')}`)
}

/** Columns that other programs give every layer of KML, even when its placemarks lack them. */
const kmlFields: ReadonlySet<string> = new Set(
  'name description timestamp begin end altitudemode tessellate extrude visibility draworder icon snippet'.split(' '),
)

function isInvented({ format, names }: Layer, name: string): boolean {
  return format === 'kml' && kmlFields.has(name.toLowerCase()) && !names.has(name)
}

function judgeCounts(judgement: Judgement, layer: Layer, { features, geometryTypes, ...oracle }: LayerOracle): void {
  if (features !== undefined)
    judgement.check(layer.seen.length === features, `${layer.seen.length} rows, expected ${features}`)
  if (geometryTypes === undefined) return
  const unsupported = oracle.oracleGeometryUnsupported ?? 0
  if (unsupported > 0) judgement.remark(`${unsupported} geometries are of a kind that the oracle could not read.`)
  const kinds = Object.groupBy(layer.seen, ({ kind }) => kind)
  // A file may contain surfaces that are not polygons: windrow must read or report them.
  const named = layer.seen.filter(({ problems }) => problems.some(isWrongType)).length
  let apart = 0
  const reported: string[] = []
  for (const kind of new Set([...Object.keys(kinds), ...Object.keys(geometryTypes)])) {
    const [seen, expected] = [kinds[kind]?.length ?? 0, geometryTypes[kind] ?? 0]
    apart += Math.abs(seen - expected)
    if (seen !== expected) reported.push(`${seen} ${kind}, expected ${expected}`)
  }
  const forgiven = unsupported > 0 ? 2 * Math.max(unsupported, named) : 0
  judgement.check(apart <= forgiven, `geometry types differ: ${reported.join('; ')}`)
}

function judgeKinds(judgement: Judgement, layer: Layer, { perFeature = [], features }: LayerOracle): void {
  for (const { i, type } of perFeature) {
    const seen = layer.seen[i]
    if (seen === undefined) judgement.check(features === undefined, `feature ${i} is missing`)
    else if (type !== undefined && !seen.problems.some(isWrongType))
      judgement.check(seen.kind === (type ?? 'null'), `feature ${i} is ${seen.kind}, expected ${type}`)
  }
}

function isWrongType({ code }: Problem): boolean {
  return code === 'geometry-wrong-type'
}

function isNamed(layer: Layer): boolean {
  return layer.seen.some(({ problems }) => problems.some(isWrongType))
}

function judgeCrs(judgement: Judgement, layer: Layer, { crs, bboxNative }: LayerOracle): void {
  if (crs === undefined || (!layer.hasGeometry && crs === null)) return
  if (crs === null) {
    const holdsBoundaries = bboxNative !== undefined
    judgement.check(!layer.saysCrs, 'a coordinate system was found, though the file has none')
    if (holdsBoundaries)
      judgement.check(layer.crsRefusal?.code === 'crs-unknown', 'the missing coordinate system was not reported')
    return
  }
  judgement.check(
    layer.crs !== undefined,
    `the coordinate system was refused: ${layer.crsRefusal?.message ?? 'the table has no geometry'}`,
  )
  if (layer.crs === undefined || crs.epsg === undefined) return
  const code = layer.crs.code === '' ? 'none' : layer.crs.code
  const isSame = code === `EPSG:${crs.epsg}` || (lonLatCodes.has(code) && lonLatCodes.has(`EPSG:${crs.epsg}`))
  if (code === 'none')
    judgement.remark(`The coordinate system is understood by its numbers, without the code EPSG:${crs.epsg}.`)
  else
    judgement.check(
      isSame || isAlike(layer.crs, `EPSG:${crs.epsg}`),
      `the coordinate system is ${code}, expected EPSG:${crs.epsg}`,
    )
}

/** Some systems have two codes for the same numbers on the same datum. */
function isAlike({ definition }: Crs, code: string): boolean {
  try {
    return JSON.stringify(identifyCrs({ from: 'option', text: code }).definition) === JSON.stringify(definition)
  } catch {
    return false
  }
}

/** Longitude and latitude on WGS 84; with heights it has another code, and the format decides the order of axes. */
const lonLatCodes: ReadonlySet<string> = new Set(['EPSG:4326', 'EPSG:4979', 'OGC:CRS84', 'OGC:CRS84H'])

function judgeRaw(judgement: Judgement, layer: Layer, oracle: LayerOracle): void {
  const { bboxNative, totalPlanarAreaNativeUnits, totalPlanarAreaHa, invalidCount = 0 } = oracle
  if ((oracle.oracleGeometryUnsupported ?? 0) > 0 && isNamed(layer)) return
  if (bboxNative !== undefined)
    judgement.check(
      bboxNative.every((value, side) => isSameNumber(value, layer.boxNative[side]!, 5.9)),
      `the extent in the file's own numbers is ${layer.boxNative.join(', ')}, expected ${bboxNative.join(', ')}`,
    )
  // An area before repair can only be compared where nothing is repaired.
  if (invalidCount === 0 && totalPlanarAreaNativeUnits !== undefined)
    judgement.check(
      isSameNumber(totalPlanarAreaNativeUnits, layer.planarArea, 5.9),
      `the area in the file's own units is ${layer.planarArea}, expected ${totalPlanarAreaNativeUnits}`,
    )
  const unitM = layer.crs?.definition.unitM
  if (invalidCount === 0 && totalPlanarAreaHa !== undefined && unitM !== undefined) {
    const planarHa = (layer.planarArea * unitM ** 2) / 10_000
    judgement.check(
      isSameArea(totalPlanarAreaHa, planarHa, { features: layer.seen.length }),
      `the area on the map plane is ${planarHa} ha, expected ${totalPlanarAreaHa}`,
    )
  }
  if (oracle.geometryTypes === undefined) return
  // KML writes missing heights as zeros.
  if (layer.format !== 'kml') judgeDimension(judgement, 'heights', [oracle.hasZ === true, layer.hasZ])
  judgeDimension(judgement, 'measures', [oracle.hasM === true, layer.hasM])
}

function judgeDimension(judgement: Judgement, name: string, [expected, seen]: readonly [boolean, boolean]): void {
  if (expected) judgement.check(seen, `the ${name} were not read`)
  else judgement.check(!seen, `${name} were read that are not in the file`)
}

/** Wrong boundaries must be reported, and no others rejected. */
function judgeFaults(judgement: Judgement, layer: Layer, oracle: LayerOracle): void {
  const open = layer.seen.filter(({ problems }) => problems.some(({ code }) => code === 'boundary-open')).length
  if (oracle.ringsNotClosedInFile !== undefined)
    judgement.check(
      open === oracle.ringsNotClosedInFile,
      `${open} boundaries were reported as not closed, expected ${oracle.ringsNotClosedInFile}`,
    )
  if (layer.crs === undefined) return
  const { invalid = [], invalidCount = 0 } = oracle
  for (const { i, reason } of invalid)
    judgement.check(
      layer.seen[i] !== undefined && layer.seen[i].problems.length > 0,
      `feature ${i}, which is invalid (${reason ?? ''}), was not reported`,
    )
  if (invalid.length < invalidCount) return
  const wrong = new Set(invalid.map(({ i }) => i))
  for (const [index, seen] of layer.seen.entries()) {
    const refused = seen.problems.find(({ code, severity }) => severity === 'error' && code.startsWith('boundary-'))
    if (refused === undefined || wrong.has(index)) continue
    const isSpeck = (seen.areaHa ?? Infinity) < speckHa
    if (isSpeck) judgement.remark(`Feature ${index} is refused: it covers ${(seen.areaHa ?? 0) * 10_000} m2.`)
    else judgement.check(false, `feature ${index} is valid, but: ${refused.message}`)
  }
}

/** A square metre: smaller areas may vanish in the written decimals. */
const speckHa = 1e-4

function judgePlaces(judgement: Judgement, layer: Layer, oracle: LayerOracle): void {
  const toleranceM = (oracle.positionToleranceM ?? 0.02) + writtenM
  const areaShare = areaShareOf(oracle)
  if (liesOutside(layer, oracle.bboxWgs84)) {
    const isReported = problemsOf(layer).some(({ code }) => code === 'coordinate-out-of-range')
    judgement.check(isReported, 'the boundaries are far outside the area of their system, and this was not reported')
    judgement.remark('Far outside the area of its system nothing is placed; windrow reports that instead.')
    return
  }
  if (oracle.bboxWgs84 !== undefined) judgeBox(judgement, layer.boxLonLat, oracle.bboxWgs84, toleranceM)
  for (const feature of oracle.perFeature ?? []) {
    const seen = layer.seen[feature.i]
    if (seen !== undefined) judgeFeature(judgement, seen, feature, { toleranceM, areaShare })
  }
  judgeTotal(judgement, layer, oracle)
}

/** The rounding of seven decimals, in the oracle as in the output. */
const writtenM = 0.02

function judgeBox(judgement: Judgement, seen: Box, expected: Box, toleranceM: number): void {
  for (const [west, south] of [
    [0, 1],
    [2, 3],
  ] as const) {
    const apartM = distanceM([seen[west], seen[south]], [expected[west], expected[south]])
    judgement.check(
      apartM <= toleranceM,
      `the extent is ${apartM.toFixed(3)} m off: ${seen.join(', ')}, expected ${expected.join(', ')}`,
    )
  }
}

function liesOutside({ crs }: Layer, box: Box | undefined): boolean {
  if (crs === undefined || box === undefined || crs.isLonLat) return false
  const [west, south, east, north] = crs.area
  return box[0] > east + 5 || box[2] < west - 5 || box[1] > north + 5 || box[3] < south - 5
}

/** Other datum parameters, or a grid, also scale by some millionths. */
export function areaShareOf({ positionToleranceM = 0 }: LayerOracle): number {
  return positionToleranceM > 1 ? 1e-5 : 1e-6
}

type Tolerances = { readonly toleranceM: number; readonly areaShare: number }

function judgeFeature(
  judgement: Judgement,
  seen: Seen,
  expected: FeatureOracle,
  { toleranceM, areaShare }: Tolerances,
): void {
  const { i, areaHa, areaHaRawRings, valid = true } = expected
  const place = expected.centroid ?? expected.lonlat
  if (areaHa !== undefined && seen.areaHa !== undefined && areaHa > 0) {
    const isSame =
      isSameArea(areaHa, seen.areaHa, { share: areaShare }) ||
      (!valid && isAnyArea(seen.areaHa, [areaHa, areaHaRawRings]))
    judgement.check(isSame, `feature ${i} measures ${seen.areaHa} ha, expected ${areaHa}`)
  }
  // A repair may drop a part, and a mean of longitudes is meaningless across 180 degrees.
  if (place === undefined || seen.centroid === undefined || !valid || seen.spansDateline) return
  const apartM = distanceM(seen.centroid, place)
  judgement.check(apartM <= toleranceM, `feature ${i} is ${apartM.toFixed(3)} m from its expected place`)
}

/** Programs repair differently: a crossing's lobes agree to a hundredth of a percent, or the rings are used as drawn. */
function isAnyArea(seenHa: number, expected: readonly (number | undefined)[]): boolean {
  return expected.some((each) => each !== undefined && Math.abs(each - seenHa) <= 1e-4 * each)
}

function judgeTotal(judgement: Judgement, { seen, areaHa: total }: Layer, oracle: LayerOracle): void {
  const { totalAreaHa, totalAreaHaRawRings, invalidCount = 0 } = oracle
  if (totalAreaHa === undefined) return
  const isSame =
    isSameArea(totalAreaHa, total, { features: seen.length, share: areaShareOf(oracle) }) ||
    (invalidCount > 0 && isAnyArea(total, [totalAreaHa, totalAreaHaRawRings]))
  judgement.check(isSame, `all together measure ${total} ha, expected ${totalAreaHa}`)
}

/** A value in a sentence. */
export function shown(value: unknown): string {
  const text = value === undefined ? 'absent' : JSON.stringify(value)
  return text.length > 80 ? `${text.slice(0, 79)}…` : text
}
