/** Compares the results of a made file with its truth, which is known without any reader. */

import { readNumber } from '../../src/core/values/number-text.ts'
import { isBlank } from '../../src/core/row.ts'
import type { Case } from './case.ts'
import type { Judgement } from './judgement.ts'
import { areaShareOf, shown } from './judge-layer.ts'
import { distanceM, isSameArea, isSameValue } from './nearness.ts'
import type { Layer, Seen } from './observe.ts'

/** Checks every word of the truth about positions, areas or cells. */
export function judgeTruth(judgement: Judgement, { truth, oracle }: Case, layer: Layer): void {
  for (const [name, expected] of Object.entries(truth)) {
    // Replacements for words of the oracle were judged with the rest of it, and these two belong to outcomes.
    if (name in oracleWords || /^(areaHaIfSplit|(shell|hole)AreaHa)$/.test(name)) continue
    if (name === 'areaHa') judgeAreas(judgement, layer.seen, listOf(expected), areaShareOf(oracle))
    else if (name === 'centroid') judgeCentroids(judgement, layer.seen, placesOf(expected), oracle.positionToleranceM)
    else if (name === 'lonlat') judgeLonLat(judgement, layer, placesOf(expected))
    else if (name === 'vertices') judgeVertices(judgement, layer.seen, Number(expected))
    else if (/^[A-Z]{1,3}\d+$/.test(name)) judgeCell(judgement, layer, name, expected)
    else if (layer.columns.some((column) => column.name === name)) judgeColumn(judgement, layer, name, expected)
    else if (Array.isArray(expected) && expected.every((each) => typeof each === 'number'))
      judgeNumbers(judgement, layer, name, expected)
    else judgement.remark(`Not judged: "${name}" in the truth.`)
  }
}

const oracleWords: Readonly<Record<string, true>> = {
  features: true,
  geometryTypes: true,
  crs: true,
  header: true,
  firstAttributes: true,
  firstRow: true,
  lastRow: true,
  totalAreaHa: true,
  recordsIncludingHeader: true,
  encoding: true,
  delimiter: true,
  invalidCount: true,
  sheets: true,
}

function listOf(expected: unknown): readonly number[] {
  return (Array.isArray(expected) ? expected : [expected]).filter((each) => typeof each === 'number')
}

type LonLat = readonly [number, number]

function placesOf(expected: unknown): readonly LonLat[] {
  const list = Array.isArray(expected) ? expected : []
  return (typeof list[0] === 'number' ? [list] : list) as readonly LonLat[]
}

/** Checks the areas of the features, in order; a single area may be the sum of several. */
export function judgeAreas(
  judgement: Judgement,
  seen: readonly Seen[],
  expected: readonly number[],
  share = 1e-6,
): void {
  const areas = seen.filter(({ areaHa }) => areaHa !== undefined).map(({ areaHa }) => areaHa!)
  if (expected.length === 1 && areas.length > 1) {
    const total = areas.reduce((sum, area) => sum + area, 0)
    judgement.check(
      isSameArea(expected[0]!, total, { share }),
      `all together measure ${total} ha, in truth ${expected[0]!}`,
    )
    return
  }
  judgement.check(areas.length === expected.length, `${areas.length} areas were measured, in truth ${expected.length}`)
  for (const [index, truth] of expected.entries())
    if (areas[index] !== undefined)
      judgement.check(
        isSameArea(truth, areas[index], { share }),
        `area ${index} measures ${areas[index]} ha, in truth ${truth}`,
      )
}

function judgeCentroids(
  judgement: Judgement,
  seen: readonly Seen[],
  expected: readonly LonLat[],
  toleranceM = 0.02,
): void {
  const placed = seen.filter(({ centroid }) => centroid !== undefined)
  for (const [index, truth] of expected.entries()) {
    const centroid = placed[index]?.centroid
    const apartM = centroid === undefined ? Infinity : distanceM(centroid, truth)
    judgement.check(apartM <= toleranceM + 0.02, `feature ${index} is ${apartM} m from its true centre`)
  }
}

function judgeVertices(judgement: Judgement, seen: readonly Seen[], expected: number): void {
  const vertices = seen.reduce((sum, each) => sum + each.vertices, 0)
  judgement.check(vertices === expected, `${vertices} vertices would be published, in truth ${expected}`)
}

/** Positions from two columns: as shapes where the reader made them, else as numbers. */
function judgeLonLat(judgement: Judgement, layer: Layer, expected: readonly LonLat[]): void {
  if (layer.hasGeometry) return judgeCentroids(judgement, layer.seen, expected)
  const [lons, lats] = [0, 1].map((axis) => expected.map((place) => place[axis]!))
  judgeNumbers(judgement, layer, 'longitude', lons!)
  judgeNumbers(judgement, layer, 'latitude', lats!)
}

/** Some column must contain these numbers, read with the decimal mark that was decided. */
function judgeNumbers(judgement: Judgement, layer: Layer, name: string, expected: readonly number[]): void {
  const mark = layer.choices.find(({ setting }) => setting === 'from.decimal')?.value === 'comma' ? 'comma' : 'point'
  const rows = layer.head.filter((row) => !Object.values(row.values).every(isBlank))
  const found = layer.columns.find((column) =>
    expected.every((truth, row) => {
      const cell = rows[row]?.values[column.name]
      return (typeof cell === 'string' ? readNumber(cell, mark) : cell) === truth
    }),
  )
  judgement.check(found !== undefined, `no column contains the truth's "${name}": ${expected.join(', ')}`)
}

function judgeColumn(judgement: Judgement, layer: Layer, name: string, expected: unknown): void {
  for (const [row, truth] of (Array.isArray(expected) ? expected : [expected]).entries()) {
    const cell = layer.head[row]?.values[name]
    judgement.check(isSameValue(truth, cell), `row ${row} of "${name}" is ${shown(cell)}, in truth ${shown(truth)}`)
  }
}

/** A cell by its name in the spreadsheet. An error cell may be missing from the row when it is reported. */
function judgeCell(judgement: Judgement, layer: Layer, name: string, expected: unknown): void {
  const row = layer.head.find(({ at }) => at.row === Number(name.replace(/^\D+/, '')))
  const column = layer.columns[columnIndex(name)]
  const cell = column === undefined ? undefined : row?.values[column.name]
  const isErrorTold =
    String(expected).startsWith('#') && (row?.problems ?? []).some(({ value }) => value === String(expected))
  judgement.check(
    isErrorTold || isSameValue(expected, cell),
    `cell ${name} is ${shown(cell)}, in truth ${shown(expected)}`,
  )
}

function columnIndex(name: string): number {
  const letters = name.replace(/\d+$/, '').split('')
  return letters.reduce((index, letter) => index * 26 + letter.charCodeAt(0) - 64, 0) - 1
}
