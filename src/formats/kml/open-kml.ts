/** Opens KML, loose or packed as KMZ, from Google Earth, drones, phones and portals. */

import { WindrowError } from '../../core/error.ts'
import { problem, type Problem } from '../../core/problem.ts'
import { rowsPerBatch, type Place, type Row, type Table } from '../../core/row.ts'
import { stemOf } from '../../core/sources/file-tree.ts'
import type { Source } from '../../core/sources/source.ts'
import { asUtf8, decideEncoding, encodingDecider, statedEncoding, type Encoding } from '../../core/sources/text.ts'
import { membersOfZip } from '../../core/sources/zip.ts'
import { isZip } from '../../core/sources/zip-mark.ts'
import type { FormatOptions } from '../format.ts'
import { headText } from '../recognise.ts'
import { encodingNotes, passesOver } from '../table-names.ts'
import { placemarkReader, type PlacemarkReader } from './placemarks.ts'

/** A document with the name of its layer; `isRead` is true for links to another document of the same zip. */
type Document = { readonly name: string; readonly file: Source; readonly isRead: (link: string) => boolean }

/** Opens KML as a table of its placemarks; a zip of several documents as one table each. `decides`: all of it shows its encoding. */
export async function openKml(source: Source, options: FormatOptions, decides: boolean): Promise<readonly Table[]> {
  const documents = isZip(await source.read(0, 4))
    ? await documentsInZip(source)
    : [{ name: stemOf(source.name), file: source, isRead: () => false }]
  const wanted = options.encoding as string | undefined
  return Promise.all(
    documents.map(async (document) => {
      const { name, file } = document
      const at = (row: number): Place =>
        documents.length === 1 ? { source: source.name, row } : { source: source.name, layer: name, row }
      const declared = await declaredIn(file)
      const encoding = await (decides ? decideEncoding : statedEncoding)(file, wanted, declared)
      return tableOf(document, at, encoding)
    }),
  )
}

/** The documents of a zip that contain placemarks: one is the file itself, several are layers. Some documents only link to others. */
async function documentsInZip(source: Source): Promise<readonly Document[]> {
  const all = (await membersOfZip(source)).filter(({ name }) => /\.kml$/i.test(name))
  if (all.length === 0)
    throw new WindrowError('file-empty', `"${source.name}" contains no KML.`, { hint: 'Check what is packed in it.' })
  const names = new Set(all.flatMap(({ name }) => [name, encodeURI(name)]))
  const isRead = (link: string): boolean => names.has(link.replace(/^\.\//, ''))
  const holding = await Promise.all(all.map(async (each) => ((await holdsPlacemark(each.source)) ? [each] : [])))
  const found = all.length === 1 ? all : holding.flat()
  const [first] = found.length === 0 ? all : found
  if (found.length <= 1) return [{ name: stemOf(source.name), file: first!.source, isRead }]
  const stems = found.map((each) => stemOf(each.source.name))
  const areDifferent = new Set(stems).size === stems.length
  return found.map(({ name, source: file }, index) => ({
    name: areDifferent ? stems[index]! : stemOf(name),
    file,
    isRead,
  }))
}

async function holdsPlacemark(source: Source): Promise<boolean> {
  let held = ''
  for await (const chunk of source.stream()) {
    const text =
      held + Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length).toString('latin1').replaceAll('\0', '')
    if (text.includes('<Placemark') || text.includes(':Placemark')) return true
    held = text.slice(-16)
  }
  return false
}

/** The encoding that a file declares, if it is not a Unicode one. */
async function declaredIn(source: Source): Promise<string | undefined> {
  const head = headText(await source.read(0, 1024))
  const declared = /^\s*<\?xml[^>]*?\bencoding\s*=\s*["']([^"']+)["']/.exec(head)?.[1]
  return declared === undefined || /^utf-?(?:8|16)/i.test(declared) ? undefined : declared
}

function tableOf({ name, file, isRead }: Document, at: Run['at'], encoding: Encoding): Table {
  return {
    name,
    format: 'kml',
    crs: { from: 'format', text: 'OGC:CRS84' },
    hasGeometry: true,
    choices: [encodingDecider.says(encoding)].flat(),
    ...passesOver(encodingNotes(encoding, at(0)), (report, signal) =>
      rowsOf({ file, isRead, encoding, at, report }, signal),
    ),
  }
}

/** Few enough for batches of some hundred rows, even of short placemarks. */
const pieceBytes = 1 << 14

type Run = Omit<Document, 'name'> & {
  readonly encoding: Encoding
  readonly at: (row: number) => Place
  readonly report: (found: Problem) => void
}

async function* rowsOf(run: Run, signal?: AbortSignal): AsyncGenerator<readonly Row[]> {
  const { file, encoding, at, isRead, report } = run
  const reader = placemarkReader(file.name, at, isRead)
  let batch: Row[] = []
  for await (const bytes of asUtf8(file.stream(signal), encoding))
    for (let from = 0; from < bytes.length; from += pieceBytes) {
      reader.push(bytes.subarray(from, from + pieceBytes))
      batch.push(...reader.take())
      if (batch.length < rowsPerBatch) continue
      signal?.throwIfAborted()
      yield batch
      batch = []
    }
  const isWhole = reader.end()
  batch.push(...reader.take())
  if (batch.length > 0) yield batch
  if (!isWhole)
    report(
      problem('file-truncated', at(reader.count), {
        message: `"${file.name}" ends in the middle. Placemarks that could be read: ${reader.count}.`,
        hint: 'The copy was cut off; copy or export it again.',
      }),
    )
  for (const each of besideProblems(reader, at)) report(each)
}

function* besideProblems(reader: PlacemarkReader, at: Run['at']): Generator<Problem> {
  const { links, firstLink, overlays, described } = reader.beside
  if (links > 0)
    yield problem('parts-left-out', at(0), {
      severity: reader.count === 0 ? 'error' : 'warning',
      value: firstLink.slice(0, 200),
      message: `The file points to other files, which were not downloaded: ${links}, first "${firstLink.slice(0, 200)}".`,
      hint: 'If records are missing, open it in Google Earth, save the place as KML there, and read that.',
    })
  if (overlays > 0)
    yield problem('parts-left-out', at(0), {
      message: `Pictures on the map, which contain no records, were left out: ${overlays}.`,
    })
  if (described > 0)
    yield problem('description-read', at(0), {
      message: `Rows whose columns were read from the table in their description: ${described}.`,
    })
}
