/** Reads the words above columns, and knows by words.json which words people write there for which field. */

import { plainWords } from './plain-words.ts'
import rows from './words.json' with { type: 'json' }

/** A row of words.json: words of one language for a field; those of a lower `order` fit better. */
type WordRow = {
  readonly field: string
  readonly order?: number
  readonly language: string
  readonly words: readonly string[]
}

/** All rows of words.json. */
export const wordRows: readonly WordRow[] = rows

/** The fields that something asks for; words for another one would never be read. */
export const knownFields = new Set<string>()

function rowsOf(field: string): readonly WordRow[] {
  knownFields.add(field)
  return wordRows.filter((row) => row.field === field)
}

function wordsOf(field: string): readonly string[] {
  return rowsOf(field).flatMap(({ words }) => words)
}

/** The words of fields in all languages, as one pattern for a part of a header. */
function anyOf(...fields: readonly string[]): string {
  return `(?:${fields.flatMap(wordsOf).map(patternOf).join('|')})`
}

/** The pattern of words such as "(crop) sown (date|on)": what is in brackets may be missing, * is any words or any ending. */
function patternOf(words: string): string {
  return words
    .replaceAll('|', '@')
    .replace(/^\* /, '.* ')
    .replace(/ \*$/, '(?: .*)?')
    .replaceAll(/(\p{L})\*/gu, String.raw`$1\w*`)
    .replaceAll(/^\(([^()?]+)\) | \(([^()?]+)\)/g, (_, first: string | undefined, later: string) =>
      first === undefined ? `(?: ?(?:${later}))?` : `(?:(?:${first}) ?)?`,
    )
    .replaceAll(/(?<=[\p{L})?]) (?=\p{L})/gu, ' ?')
    .replaceAll('@', '|')
}

/** The patterns of a field, best first. */
function inOrder(field: string): readonly string[] {
  const ranks = Map.groupBy(rowsOf(field), ({ order }) => order ?? 1)
  return [...ranks]
    .toSorted(([one], [other]) => one - other)
    .map(([, all]) =>
      all
        .flatMap(({ words }) => words)
        .map(patternOf)
        .join('|'),
    )
}

function whole(pattern: string): RegExp {
  return new RegExp(`^(?:${pattern})$`)
}

const place = anyOf('land')
const shape = anyOf('shape')
const land = anyOf('land', 'shape', 'other land')
const farm = anyOf('farm')
const mark = anyOf('number')
const called = anyOf('called')
const ofThe = `(?:${anyOf('of the')} ?)?`

/** A field that a column may fill: the header words for it, best first, and what the column must contain. */
export type FieldRule = {
  readonly field: string
  readonly types: readonly string[]
  readonly holds: 'text' | 'date' | 'area' | 'length'
  readonly words: readonly RegExp[]
}

const landNames = [`${land} ?${called}|${called} ${ofThe}${land}`, called, `${land} ?${anyOf('label')}`] as const
const otherNames = [anyOf('label'), anyOf('appellation')] as const
const farmNames = [
  `${farm} ?${called}|${called} ${ofThe}${farm}`,
  called,
  anyOf('trading name'),
  farm,
  anyOf('label'),
] as const

/** The rules in the order in which fields take their columns. */
export const fieldRules: readonly FieldRule[] = [
  // Before names: alone, a land cover is what grows there.
  rule('landCoverClass.primary', ['land-covers'], 'text'),
  // A unit is mostly that of the areas.
  rule('name', ['plots'], 'text', [...landNames, place, shape, ...otherNames]),
  rule('name', ['land-covers'], 'text', [...landNames, ...otherNames, land]),
  rule('name', ['holdings'], 'text', farmNames),
  rule('crops.0.name', ['plots'], 'text'),
  rule('crops.0.variety', ['plots'], 'text'),
  rule('crops.0.establishmentDate', ['plots'], 'date'),
  rule('crops.0.maturityDate', ['plots'], 'date'),
  rule('crops.0.harvestDate', ['plots'], 'date'),
  rule('activities.0.name', ['plots', 'land-covers'], 'text'),
  rule('speciesPresent.0.name', ['land-covers'], 'text'),
  rule('speciesPresent.0.taxonomicName', ['land-covers'], 'text'),
  rule('totalArea', ['plots', 'land-covers', 'holdings'], 'area'),
  rule('totalLength', ['plots', 'land-covers', 'holdings'], 'length'),
  rule('meta.modified', ['plots', 'land-covers', 'holdings'], 'date'),
]

function rule(
  field: string,
  types: readonly string[],
  holds: FieldRule['holds'],
  words: readonly string[] = inOrder(field),
): FieldRule {
  return { field, types, holds, words: words.map(whole) }
}

const nameRules = fieldRules.filter(({ field }) => /(?:^|\.)name$/.test(field))

/** True when a header announces names. */
export function holdsNames(header: string): boolean {
  const words = headerWords(header)
  return nameRules.some((each) => each.words.some((pattern) => pattern.test(words)))
}

const saysCalled = new RegExp(`${called}$|^${called} `)

/** True when a header says that its column has names, such as "Farm name"; "Farm" alone may have names or numbers. */
export function saysName(header: string): boolean {
  return saysCalled.test(headerWords(header))
}

const landWords = whole(`${place}(?: ?(?:${called}|${mark}))?|${called} ${ofThe}${place}`)

/** True when a header names a paddock or another piece of land, such as "Block name" or "Field no", and not only a shape on a map. */
export function saysLand(header: string): boolean {
  return landWords.test(headerWords(header))
}

/** Headers of a column that identifies a record, best first. */
export const keyWords: readonly RegExp[] = [
  String.raw`(?:\w+ )?${land} ?${mark}|(?:${mark}|n) ${ofThe}${land}`,
  anyOf('key'),
  String.raw`(?:\w+ )?${mark}`,
  `${land}|(?:${land} ?)?${called}|${called} ${ofThe}${land}`,
].map(whole)

/** Official numbers of parcels that are different only on their sheet of the map, and the headers of such a sheet. */
export const parcelWords = whole(`${anyOf('parcel')}(?: ?${mark})?`)
export const sheetWords = whole(`${anyOf('map sheet')}(?: ?${mark})?`)

/** Numbers that mapping programs give to rows, often anew with each export. */
export const rowNumberWords = whole(anyOf('row number'))

const ofHolding = `${farm} ?${mark}|${anyOf('farm register')}(?: ${mark})?`

/** Headers of a column that names the holding of a row. */
export const holdingWords = whole(ofHolding)

// By its number or its name. `folder` is that of a KML file.
const farmWords = whole(`${ofHolding}|(?:${farm}|${anyOf('customer')})(?: ?${called})?|folder`)

/** True if a column with this header may name the farm of a row. */
export function mayNameFarm(header: string): boolean {
  return farmWords.test(headerWords(header))
}

/** Words in the headers of a log of loads, harvests, deliveries or jobs, and of what a machine drew while it worked. */
export const logWords = new RegExp(String.raw`\b${anyOf('log')}\b`)

/** Words that say that an area is only a part of the land: the grazed or sown area is rightly smaller than the boundary. */
export const partWords = new RegExp(String.raw`\b${anyOf('part of the land')}\b`)

const ownWords = new Set(wordsOf('above a column'))

/** True for a word that programs write above columns, and hardly ever into them. */
export function isColumnWord(text: string): boolean {
  return ownWords.has(text.trim().toLowerCase())
}

const mostInShapefile = 10
const cutNames = wordsOf('cut name')

/** A header as words: "PADDOCK_ID", "PaddockId" and "Paddock id" are all "paddock id". "Paddock_Na", cut by a shapefile, is "paddock name". */
export function headerWords(header: string): string {
  const words = plainWords(header.replaceAll('²', '2'))
  if (header.length !== mostInShapefile) return words
  for (let length = mostInShapefile; length > 1; length -= 1) {
    const name = cutNames.find((each) => length < each.length && words.endsWith(each.slice(0, length)))
    if (name !== undefined) return words.slice(0, -length) + name
  }
  return words
}
