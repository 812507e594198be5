/** Opens GeoJSON: collections, single features and geometries, sequences by line or record separator, old crs members. */

import { WindrowError } from '../../core/error.ts'
import { problem, type Problem } from '../../core/problem.ts'
import { rowsPerBatch, type CrsClue, type Row, type Table } from '../../core/row.ts'
import { stemOf } from '../../core/sources/file-tree.ts'
import { foreignText } from '../../core/letters.ts'
import { foreignTextError } from '../../core/sources/text.ts'
import { crsOf, crsOfFeature, numberOfCrs } from '../../core/shapes/shape-geojson.ts'
import { beginningOf, type Source } from '../../core/sources/source.ts'
import { isObject, jsonValue, type Members } from '../../core/values/exact-json.ts'
import type { FormatOptions } from '../format.ts'
import { pieceText, rowOfFeature } from './geojson-features.ts'
import { headText } from '../recognise.ts'
import { passesOver } from '../table-names.ts'
import { cutOff, onePageOnly, openBytes, scanned, textsBetween, type JsonBytes } from './json-pieces.ts'
import { FeatureScanner, isGeometryType, type Piece } from './geojson-scanner.ts'

/** How the file is cut into features: by its brackets, or by separators, which works even if one feature is broken. */
type Cut = 'brackets' | 'lines' | 'record separators'

/** Opens GeoJSON as its one table. Throws a WindrowError if it is other JSON, or cut off before its first feature. */
export async function openGeoJson(source: Source, options: FormatOptions): Promise<readonly Table[]> {
  const opened = await openBytes(source, options.encoding as string | undefined)
  const head = await beginningOf(opened.stream(), headBytes)
  const text = headText(head).replace(/^[\s\x1e]+/, '')
  const file = text.startsWith('[') ? asCollection(opened) : opened
  if (text === '') throw new WindrowError('file-empty', `"${source.name}" is empty.`, { hint: 'Export it again.' })
  if (!/^(?:\{|\[\s*\{)/.test(text))
    throw new WindrowError(
      'file-damaged',
      `"${source.name}" is not GeoJSON: it begins with ${JSON.stringify(text.slice(0, 20))}.`,
    )
  const cut = cutOf(head, text, source.name)
  const said = cut === 'brackets' ? await lookInside(file) : undefined
  const crs = said ?? (await crsOfFirst(file, cut).catch(ifTooLarge(undefined)))
  return [tableOf(file, cut, crs === undefined ? undefined : { from: 'crs member', text: crs })]
}

/** A bare list of features, as some programs and web pages save it, as the collection that it means. */
function asCollection(file: JsonBytes): JsonBytes {
  return {
    ...file,
    async *stream(signal) {
      yield Buffer.from('{"type":"FeatureCollection","features":')
      yield* file.stream(signal)
      yield Buffer.from('}')
    },
  }
}

const headBytes = 1 << 16

function cutOf(head: Uint8Array, text: string, name: string): Cut {
  if (/^\s*\x1e/.test(Buffer.from(head.subarray(0, 64)).toString('latin1'))) return 'record separators'
  const [first, second] = text.split('\n', 2) as [string, string | undefined]
  // A line that ends in the middle of a list is not a complete text, even if the next begins with a bracket.
  const isOneText = /^\{\s*"/.test(first) && !/"features"\s*:/.test(first) && !/[[,:{]\s*$/.test(first)
  const goesOn = second?.trimStart().startsWith('{') ?? false
  return isOneText && (goesOn || /\.(geojson[ls]|geojsonseq|ndjson|jsonl)$/i.test(name)) ? 'lines' : 'brackets'
}

/** Reads up to the first feature; refuses other JSON, and returns what the file states about coordinates. */
async function lookInside(file: JsonBytes): Promise<string | undefined> {
  const { name } = file.source
  const scanner = new FeatureScanner(name)
  for await (const chunk of file.stream())
    for (const { kind, bytes } of scanner.push(chunk)) {
      const frame = frameOf(`${pieceText(bytes).text}${kind === 'opening' ? ']}' : ''}`)
      if (frame === undefined) {
        if (kind === 'whole') return undefined
        throw new WindrowError('file-damaged', `The part before the features of "${name}" is not valid JSON.`, {
          hint: 'Export the file again.',
        })
      }
      refuseOtherJson(frame, kind, name)
      return crsOf(frame) ?? (kind === 'opening' ? await crsAfterFeatures(file) : undefined)
    }
  scanner.end()
  throw new WindrowError('file-damaged', `"${name}" ends before its first feature is complete.`, {
    hint: 'The copy was cut off; copy or export it again.',
  })
}

/** The system that the first feature with a geometry states; PostGIS writes it into each geometry. */
async function crsOfFirst(file: JsonBytes, cut: Cut): Promise<string | undefined> {
  for await (const pieces of piecesOf(file.stream(), cut, file.source.name))
    for (const { kind, bytes } of pieces) {
      if (kind === 'opening') continue
      const first = frameOf(pieceText(bytes).text)
      if (first?.['geometry'] !== null) return first && crsOfFeature(first)
    }
  return undefined
}

function piecesOf(stream: AsyncIterable<Uint8Array>, cut: Cut, name: string): AsyncIterable<readonly Piece[]> {
  return cut === 'brackets' ? scanned(stream, name) : textsBetween(stream, cut === 'lines' ? 0x0a : 0x1e, name)
}

function frameOf(text: string): Members | undefined {
  const parsed = jsonValue(text)
  return isObject(parsed) ? parsed : undefined
}

function refuseOtherJson(frame: Members, kind: Piece['kind'], name: string): void {
  const hint = 'Export it as GeoJSON (RFC 7946).'
  const isArcGis = 'geometryType' in frame || 'spatialReference' in frame
  if (frame.type === 'Topology' || isArcGis)
    throw new WindrowError('format-unknown', `"${name}" is ${isArcGis ? 'ArcGIS JSON' : 'TopoJSON'}, not GeoJSON.`, {
      hint,
    })
  if (kind === 'opening' || frame.type === 'Feature' || isGeometryType(frame.type)) return
  throw new WindrowError(
    'format-unknown',
    `"${name}" is JSON, but its outermost level has no features and no geometry.`,
    {
      hint: `${hint} If the features are inside another member, as a web service may answer, save that member alone.`,
    },
  )
}

/** Some programs write the crs member last; everything from there to the end of the file must then be the rest of one object. */
async function crsAfterFeatures({ source, isUtf8 }: JsonBytes): Promise<string | undefined> {
  if (!isUtf8) return undefined
  const tail = await source.read(Math.max(0, source.size - headBytes), source.size).catch(ifTooLarge(new Uint8Array(0)))
  const text = Buffer.from(tail).toString('utf8')
  const at = text.lastIndexOf('"crs"')
  const frame = at < 0 ? undefined : frameOf(`{${text.slice(at)}`)
  return frame === undefined ? undefined : crsOf(frame)
}

/** What is too large to look ahead in is found while reading. */
function ifTooLarge<T>(otherwise: T): (cause: unknown) => T {
  return (cause) => {
    if (cause instanceof WindrowError && cause.code === 'file-too-large') return otherwise
    throw cause
  }
}

function tableOf(file: JsonBytes, cut: Cut, said: CrsClue | undefined): Table {
  const { name } = file.source
  return {
    name: stemOf(name),
    format: 'geojson',
    crs: said ?? { from: 'format', text: 'OGC:CRS84' },
    hasGeometry: true,
    choices: [],
    ...passesOver([], (report, signal) =>
      rowsOf(piecesOf(file.stream(signal), cut, name), { name, crs: said?.text, report }, signal),
    ),
  }
}

type Run = {
  readonly name: string
  readonly crs: string | undefined
  readonly report: (found: Problem) => void
}

async function* rowsOf(
  stream: AsyncIterable<readonly Piece[]>,
  run: Run,
  signal?: AbortSignal,
): AsyncGenerator<readonly Row[]> {
  let batch: Row[] = []
  let row = 0
  let listedFrom = row
  const guessed: number[] = []
  const repaired: number[] = []
  for await (const pieces of stream) {
    for (const { kind, bytes, depth } of pieces) {
      if (kind === 'opening') listedFrom = row
      if (kind === 'half' || kind === 'cut') run.report(cutOff({ source: run.name, row: row }))
      const isOne = kind === 'frame' && checkFrame(pieceText(bytes).text, { row, listed: row - listedFrom }, run)
      if (kind === 'opening' || kind === 'cut' || (kind === 'frame' && !isOne)) continue
      const read = rowOfFeature(bytes, depth, { source: run.name, row })
      if (read.guessed) guessed.push(row)
      const foreign = read.guessed ? foreignText(bytes) : undefined
      if (foreign !== undefined) throw foreignTextError(foreign)
      if (read.repaired) repaired.push(row)
      const isOwn = read.crs !== undefined && !isSameSystem(read.crs, run.crs)
      batch.push(isOwn ? inOtherSystem(read.row, read.crs, run.crs) : read.row)
      row += 1
      if (batch.length < rowsPerBatch) continue
      yield batch
      batch = []
      signal?.throwIfAborted()
    }
  }
  if (batch.length > 0) yield batch
  if (guessed.length > 0) run.report(notUtf8(run.name, guessed))
  if (repaired.length > 0) run.report(notQuiteJson(run.name, repaired))
}

/** Reports irregularities around a list of features. True if the object is a feature and its list is empty. */
function checkFrame(
  text: string,
  { row, listed }: { readonly row: number; readonly listed: number },
  { name, crs, report }: Pick<Run, 'name' | 'crs' | 'report'>,
): boolean {
  const frame = frameOf(text)
  const at = { source: name, row }
  if (frame === undefined)
    report(problem('file-inconsistent', at, { message: 'The part around the features is not valid JSON.' }))
  // The first list is left out of the frame.
  if (Array.isArray(frame?.features) && frame.features.length > 0) {
    const message = `The file has a second list of ${frame.features.length} features, which was not read.`
    report(problem('file-inconsistent', at, { severity: 'error', message, hint: 'Export the file again.' }))
  }
  const page = frame === undefined ? undefined : onePageOnly(frame, row, at)
  if (page !== undefined) report(page)
  const isOne = frame?.type === 'Feature' || isGeometryType(frame?.type)
  if (isOne && listed > 0) {
    const message = `The file states only at its end that it is one ${String(frame?.type)}; its list of ${listed} features was read.`
    report(problem('file-inconsistent', at, { severity: 'error', message, hint: 'Export the file again.' }))
  }
  const late = frame === undefined ? undefined : crsOf(frame)
  if (late === undefined || late === crs) return isOne && listed === 0
  const message = `The file states only at its end that its coordinates are in ${late}; they were read as ${crs ?? 'longitude and latitude'}.`
  const hint = 'Set the coordinate system, such as  from.crs: EPSG:2193'
  report(problem('file-inconsistent', at, { severity: 'error', value: late, message, hint }))
  return isOne && listed === 0
}

/** A file that states nothing is in longitude and latitude. */
function isSameSystem(own: string, crs = 'CRS84'): boolean {
  return own === crs || numberOfCrs(own) === (numberOfCrs(crs) ?? 0)
}

function inOtherSystem(row: Row, own: string, crs: string | undefined): Row {
  const message = `The feature states that its coordinates are in ${own}; those of the file are in ${crs ?? 'longitude and latitude'}.`
  const found = problem('file-inconsistent', row.at, {
    severity: 'error',
    value: own,
    message,
    hint: 'Export each coordinate system into a file of its own.',
  })
  return { ...row, problems: [...(row.problems ?? []), found] }
}

function notUtf8(name: string, rows: readonly number[]): Problem {
  const message = `Some features are not UTF-8, as GeoJSON must be, and were read as Windows-1252 (${rows.length}).`
  const hint = 'Check their names; if they are wrong, set the encoding.'
  return problem('encoding-guessed', { source: name, row: rows[0]! }, { message, hint })
}

function notQuiteJson(name: string, rows: readonly number[]): Problem {
  const message = `Some features are not quite valid JSON (${rows.length}): they have NaN instead of a number, or a comma too many. NaN was read as blank.`
  const hint = 'You do not need to do anything; you may inform the supplier of the file.'
  return problem('text-repaired', { source: name, row: rows[0]! }, { message, hint })
}
