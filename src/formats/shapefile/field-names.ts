/** Shortens column names to the ten bytes of a .dbf, and finds the full names again. */

import { wholeLetters } from '../../core/letters.ts'
import { splitRecords } from '../csv/split.ts'
import { cellQuoter } from '../csv/write-csv.ts'

const nameBytes = 10

/** A name of at most ten bytes for each column, unique regardless of case, the same every time. */
export function shortNames(names: readonly string[]): readonly string[] {
  const taken = new Set<string>()
  // Names that fit are kept before any other is shortened, so that a shortened one never takes their place.
  const kept = names.map((name) => {
    const key = name.toLowerCase()
    if (!fits(name) || taken.has(key)) return undefined
    taken.add(key)
    return name
  })
  const counts = new Map<string, number>()
  return names.map((name, index) => {
    const asIs = kept[index]
    if (asIs !== undefined) return asIs
    const clean = ownName(name) ?? (withoutNote(replaceControls(name).trim()) || 'column')
    const stem = cutToBytes(clean, nameBytes)
    let short = stem
    for (let count = counts.get(stem) ?? 1; taken.has(short.toLowerCase()); count += 1) {
      const tail = `_${count}`
      short = cutToBytes(clean, nameBytes - tail.length) + tail
      counts.set(stem, count + 1)
    }
    taken.add(short.toLowerCase())
    return short
  })
}

function fits(name: string): boolean {
  return name !== '' && name === replaceControls(name).trim() && Buffer.byteLength(name) <= nameBytes
}

/** "Start (Pacific/Auckland)" is cut to "Start": half of the text in brackets helps nobody, and the list of names has it all. */
function withoutNote(name: string): string {
  return name.replace(/(?<=\S) \([^()]*\)$/, '')
}

function replaceControls(name: string): string {
  return name.replaceAll(/[\u0000-\u001f\u007f]/g, '_')
}

/** The beginning of a text that takes at most this many bytes of UTF-8, cut between letters. */
export function cutToBytes(text: string, most: number): string {
  const bytes = Buffer.from(text, 'utf8')
  if (bytes.length <= most) return text
  const part = bytes.subarray(0, most)
  return part.toString('utf8', 0, wholeLetters(part)).trimEnd()
}

/** The name of the list of full names beside the shapefiles. */
export const namesFile = 'names.csv'

/** A list of the changed names as CSV; undefined if there are none. */
export function namesList(
  layers: readonly { readonly file: string; readonly names: readonly string[]; readonly short: readonly string[] }[],
): string | undefined {
  const lines = layers.flatMap(({ file, names, short }) =>
    names.flatMap((name, index) => (name === short[index] ? [] : [[file, short[index]!, name].map(csvCell).join(',')])),
  )
  return lines.length === 0 ? undefined : `\uFEFF${namesHeader.join(',')}\r\n${lines.join('\r\n')}\r\n`
}

const csvCell = cellQuoter(',')
const namesHeader = ['file', 'column', 'full name']

/**
 * The full names of a layer's columns by the list beside it. If it lists one other layer with mostly the same columns, this is that
 * layer under a new name.
 */
export function fullNames(list: string, layer: string, short: readonly string[]): readonly string[] {
  const text = list.replace(/^\ufeff/, '').replaceAll(/\r\n?/g, '\n')
  const [header = [], ...lines] = splitRecords(text, { delimiter: ',', quote: '"' }, true).cells
  if (header.join() !== namesHeader.join()) return short
  const layers = Map.groupBy(lines, ([file = '']) => file.toLowerCase())
  const own = layers.get(layer.toLowerCase())
  const listed = own ?? (layers.size === 1 ? [...layers.values()][0]! : [])
  const names = new Map(listed.map(([, column = '', name = '']) => [armed(column), armed(name)]))
  const known = [...names.keys()].filter((name) => short.includes(name))
  return own !== undefined || known.length * 2 > names.size ? short.map((name) => names.get(name) || name) : short
}

function armed(text: string): string {
  return text.replace(/^'(?=[=+\-@\t\r])/, '')
}

/**
 * Titles without their number and without the note in brackets; `*` is replaced by the unit in the brackets. "Source id" fits, and is
 * the name by which a shapefile without its list of full names is recognised.
 */
const ownNames: Readonly<Record<string, string>> = {
  'Total area': 'TOTAL_*',
  'Total area resolution': 'STEP_*',
  'Total length': 'LENGTH_*',
  'Crop name': 'CROP',
  'Crop variety': 'VARIETY',
  'Crop identifier': 'CROP_ID',
  'Crop establishment date': 'SOWN',
  'Crop maturity date': 'MATURE',
  'Crop harvest date': 'HARVESTED',
  'Historic crops': 'PAST_CROPS',
  'Classification scheme': 'CLASS_BY',
  'Classification primary': 'CLASS',
  'Classification secondary': 'SUBCLASS',
  'Activity name': 'ACTIVITY',
  'Activity id': 'ACTIV_ID',
  'Activity primary': 'MAIN_USE',
  'Activity productive area': 'PROD_*',
  'Land cover class scheme': 'COVER_BY',
  'Land cover class primary': 'COVER',
  'Land cover class secondary': 'SUBCOVER',
  'Species name': 'SPECIES',
  'Species taxonomic name': 'TAXON',
  'Species abundance': 'ABUNDANCE',
  'Eligibility scheme': 'ELIG_BY',
  'Eligibility primary': 'ELIG_CLASS',
  'Eligibility eligible': 'ELIGIBLE',
  Identifier: 'IDENT',
  'Link relationship': 'LINK_ROLE',
  'Link content type': 'LINK_TYPE',
  'Link related': 'LINK',
  Modified: 'MODIFIED',
  Created: 'CREATED',
  'Valid from': 'VALID_FROM',
  'Data point key': 'DATA_KEY',
  'Operation name': 'OPERATION',
  'Operation type': 'OPER_TYPE',
  Start: 'START',
  End: 'END',
}

/** The readable name of a column that is too long for a shapefile; undefined for columns that are not windrow's own. */
function ownName(title: string): string | undefined {
  const [, words = '', number, rest = '', note = ''] =
    /^(.*?)(?: (\d+)( [^()]*?)?)?(?: \(([^()]*)\))?$/.exec(title) ?? []
  const known = words + rest
  if (!Object.hasOwn(ownNames, known)) return undefined
  const unit = note.replaceAll('²', '2').toUpperCase()
  const name = ownNames[known]!.replace('*', /^[A-Z0-9]{1,3}$/.test(unit) ? unit : '')
  const plain = name.replace(/_$/, '')
  return number === undefined || number === '1' ? plain : `${plain.slice(0, 9 - number.length)}_${number}`
}
