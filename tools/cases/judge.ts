/** Chooses the judge of a case by the content of its oracle, never by its name. */

import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { givenCrs, type Case, type LayerOracle } from './case.ts'
import { startJudgement, type Judgement, type Verdict } from './judgement.ts'
import { judgeBook } from './judge-book.ts'
import { judgeLayer, judgeUndisputed } from './judge-layer.ts'
import { judgeOutcomes } from './judge-outcomes.ts'
import { isReported, judgeRefusal, reportsOf } from './judge-refusal.ts'
import { judgeRows, judgeText, judgeTextHead } from './judge-text.ts'
import { judgeTruth } from './judge-truth.ts'
import { judgeValidity } from './judge-validity.ts'
import { observe, type Layer, type Observation } from './observe.ts'

/** Judges one case. Throws only what is a bug of windrow or of the judge. */
export async function judgeCase(folder: string, each: Case): Promise<Verdict> {
  const judgement = startJudgement()
  const path = join(folder, each.file)
  if (!existsSync(path)) judgement.check(false, `file "${each.file}" was not found`)
  else if (each.format === 'wkt-cases') judgeValidity(judgement, path, each.oracle)
  else await judgeFile(judgement, each, { folder, path })
  return judgement.verdict()
}

type Where = { readonly folder: string; readonly path: string }

async function judgeFile(judgement: Judgement, each: Case, { folder, path }: Where): Promise<void> {
  const crs = givenCrs(each)
  const alone = await observe(path)
  const isPlaced = alone.layers.every(({ crs, hasGeometry }) => crs !== undefined || !hasGeometry)
  const helped = crs === undefined || isPlaced ? alone : await observe(path, crs)
  const [first] = helped.layers
  for (const file of each.oracle.expectedFiles ?? [])
    if (first !== undefined && each.oracle.header)
      judgeRows(judgement, first, JSON.parse(readFileSync(join(folder, file), 'utf8')))
    else judgement.remark(`Not judged: ${file}, which another program made.`)
  if (each.expectedError !== undefined) judgeExpected(judgement, each, { alone, helped })
  else if (each.acceptableOutcomes.length > 0) {
    judgeOutcomes(judgement, each, helped, (inner) => judgeRead(inner, each, helped))
    const layer = layerFor(helped.layers, each.oracle)
    if (helped.refusal === undefined && layer !== undefined) {
      judgeUndisputed(judgement, layer, each.oracle)
      judgeTruth(judgement, each, layer)
    }
  } else {
    judgeRead(judgement, each, helped)
    if (helped !== alone)
      judgement.check(
        reportsOf(alone).some(({ code }) => code === 'crs-unknown'),
        'a coordinate system was assumed, though the file has none',
      )
  }
}

type Observed = { readonly alone: Observation; readonly helped: Observation }

/** Refused, or the alternative after an "or" or "unless". */
function judgeExpected(judgement: Judgement, each: Case, { alone, helped }: Observed): void {
  const { expectedError = '' } = each
  const alternative = /\b(?:or|unless)\b(.*)/.exec(expectedError)?.[1]
  const isRefused = reportsOf(alone).some(({ isRefusing }) => isRefusing)
  if (isRefused || alternative === undefined) judgeRefusal(judgement, each, alone)
  else {
    judgement.check(isReported(each, alone), `it was read, but ${expectedError} was not reported`)
    judgement.remark(`Read instead of refused: ${alternative.trim()}`)
  }
  if (helped !== alone) return judgeRead(judgement, each, helped)
  const rows = each.oracle.completeRecords ?? Number(/\bfirst (\d+) (?:records|rows|features)/.exec(expectedError)?.[1])
  if (alone.refusal === undefined && Number.isFinite(rows)) {
    const whole = alone.layers.flatMap(({ seen }) => seen.filter(({ areaHa }) => areaHa !== undefined)).length
    judgement.check(whole === rows, `${whole} whole records were read, expected ${rows}`)
  } else if (!isRefused) judgeRead(judgement, each, alone)
  else if (alone.refusal === undefined && alone.layers[0] !== undefined) {
    if (each.oracle.header) judgeTextHead(judgement, alone.layers[0], each.oracle)
    else judgeUndisputed(judgement, alone.layers[0], each.oracle)
  }
}

/** Checks all that the oracle knows of a file that must be read. */
function judgeRead(judgement: Judgement, each: Case, { refusal, layers }: Observation): void {
  const { oracle, truth } = each
  if (refusal !== undefined && isEmptyBook(each)) return judgement.check(true, '')
  if (refusal !== undefined) return judgement.check(false, `it was refused: ${refusal.message} ${refusal.hint ?? ''}`)
  if (oracle.sheets !== undefined) judgeBook(judgement, layers, oracle)
  else if (oracle.layers !== undefined) for (const layer of oracle.layers) judgeNamed(judgement, layers, layer)
  else {
    const layer = layerFor(layers, oracle)
    if (layer === undefined) return judgement.check(false, 'no table was found')
    if (oracle.recordsIncludingHeader !== undefined || oracle.header !== undefined) judgeText(judgement, layer, oracle)
    else judgeLayer(judgement, layer, oracle)
    if (oracle.geometry !== undefined) judgeGeometry(judgement, layer, oracle.geometry)
  }
  const main = layerFor(layers, oracle)
  if (main !== undefined) judgeTruth(judgement, each, main)
  for (const word of Object.keys(oracle))
    if (!understood.has(word) && !(word in truth)) judgement.remark(`Not judged: "${word}".`)
}

function isEmptyBook({ oracle }: Case): boolean {
  return oracle.sheets?.every(({ firstRows = [] }) => firstRows.flat().every((cell) => cell === null)) === true
}

/** Every word of an oracle that is judged, or that describes how it was made. */
const understood: ReadonlySet<string> = new Set(
  [
    'layer layers crs fields fieldCount features geometryTypes bboxNative bboxWgs84 positionToleranceM datumShiftM truth',
    'totalAreaHa totalAreaHaRawRings totalPlanarAreaHa totalPlanarAreaNativeUnits hasZ hasM ringsNotClosedInFile',
    'invalid invalidCount oracleGeometryUnsupported firstAttributes perFeature readError gdalReadError completeRecords',
    'encoding bom delimiter expectedFiles shpRecords dbfRows recordsIncludingHeader blankRecords columnCountHistogram header firstRow lastRow',
    'duplicateHeaders geometry geometryColumn sheets date1904 cases ops expectedFalse note notes encodingNote gdal',
    'gdalWarnings zipEntries member unpack zipError otherReaders tool libreoffice biffVersion codepage',
  ].flatMap((line) => line.split(' ')),
)

// A text column with geometry is a boundary only where the reader reports it.
function judgeGeometry(judgement: Judgement, layer: Layer, oracle: LayerOracle): void {
  judgement.check(layer.hasGeometry, 'the column with the geometry was not recognised')
  if (layer.hasGeometry) judgeLayer(judgement, layer, { ...oracle, fields: [], firstAttributes: null })
}

function judgeNamed(judgement: Judgement, layers: readonly Layer[], oracle: LayerOracle): void {
  const layer = layers.find(({ name }) => name === oracle.layer)
  judgement.check(layer !== undefined, `layer "${oracle.layer ?? ''}" was not found`)
  if (layer !== undefined) judgeLayer(judgement, layer, oracle)
}

/** The only layer, or the one of the name; a name that a program derived from the file's name is allowed. */
function layerFor(layers: readonly Layer[], { layer }: LayerOracle): Layer | undefined {
  return layers.length === 1 ? layers[0] : (layers.find(({ name }) => name === layer) ?? layers[0])
}
