/** Hides which words people write over their columns for the fields of a record. */

/** A field that a column may feed: the words that name it, best first, and what the column must hold. */
export type FieldRule = {
  readonly field: string
  readonly types: readonly string[]
  readonly holds: 'text' | 'date' | 'area' | 'length'
  readonly words: readonly RegExp[]
}

const land = '(?:paddock|pdk|field|plot|block|parcel|land cover|landcover|cover|polygon|unit|feature)'
const farm = '(?:farm|holding|property|station|business)'
const mark = '(?:id|no|nr|num|number|code|key|ref|reference|identifier)'

/** The rules in the order in which fields take their columns. */
export const fieldRules: readonly FieldRule[] = [
  rule(
    '/name',
    ['plots', 'land-covers'],
    'text',
    `${land} ?name`,
    'name',
    `${land} ?(?:title|label)`,
    'label',
    'title',
    land,
  ),
  rule('/name', ['holdings'], 'text', `${farm} ?name`, 'name', 'trading name', farm, 'label', 'title'),
  rule('/crops/0/name', ['plots'], 'text', 'crop ?name', 'crop', 'current crop', 'crop ?type', 'crop ?code', 'pasture'),
  rule('/crops/0/variety', ['plots'], 'text', '(?:crop )?variety', 'cultivar', 'hybrid'),
  rule(
    '/crops/0/establishmentDate',
    ['plots'],
    'date',
    '(?:date )?sown',
    '(?:sow|sowing|sown|plant|planting|planted|establishment|established|drilled) ?(?:date|on)?',
    'date (?:of )?(?:sowing|planting|planted|drilled)',
  ),
  rule('/crops/0/maturityDate', ['plots'], 'date', '(?:maturity|mature|matures) ?(?:date)?'),
  rule('/crops/0/harvestDate', ['plots'], 'date', '(?:harvest|harvested) ?(?:date|on)?', 'date (?:of )?harvest(?:ed)?'),
  rule('/activities/0/name', ['plots', 'land-covers'], 'text', 'land ?use', 'activity', 'enterprise', 'use'),
  rule(
    '/landCoverClass/primary',
    ['land-covers'],
    'text',
    'land ?cover(?: class)?',
    'cover(?: class| type)?',
    'class',
    'category',
  ),
  rule('/speciesPresent/0/name', ['land-covers'], 'text', 'species(?: name)?', 'common name', 'dominant species'),
  rule('/speciesPresent/0/taxonomicName', ['land-covers'], 'text', 'taxonomic name', 'scientific name', 'taxon'),
  rule(
    '/totalArea',
    ['plots', 'land-covers', 'holdings'],
    'area',
    '(?:total |gross |eff(?:ective)? )?area(?: .*)?',
    '(?:hectares|ha|acres|ac)',
    'size(?: .*)?',
    '.* area(?: .*)?',
  ),
  rule('/totalLength', ['plots', 'land-covers', 'holdings'], 'length', 'perimeter(?: .*)?', '.* perimeter(?: .*)?'),
  rule(
    '/meta/modified',
    ['plots', 'land-covers', 'holdings'],
    'date',
    '(?:last )?(?:modified|updated|edited|edit|changed)(?: (?:date|at|on|time))?',
    'date (?:modified|updated|edited|changed)',
  ),
]

function rule(
  ...[field, types, holds, ...words]: readonly [string, readonly string[], FieldRule['holds'], ...string[]]
): FieldRule {
  return { field, types, holds, words: words.map((each) => new RegExp(`^(?:${each})$`)) }
}

/** Words over a column that tells one record from another, best first. */
export const keyWords: readonly RegExp[] = [
  new RegExp(`^(?:\\w+ )?${land} ?${mark}$`),
  /^(?:uuid|guid|global ?id|ext(?:ernal)? ?id|source ?id)$/,
  new RegExp(`^(?:\\w+ )?${mark}$`),
  new RegExp(`^${land}$|^(?:${land} ?)?name$`),
]

/** Numbers that mapping programs give to rows, often anew with each export. */
export const rowNumberWords = /^(?:object ?id|fid|ogc ?fid|gid|row ?(?:id|no|number)?|index|oid)$/

/** Words over a column that says which holding a row belongs to. */
export const holdingWords = new RegExp(`^${farm} ?${mark}$|^(?:nait|cph|agribase|farms ?online)(?: ${mark})?$`)

/** A header as words: "PADDOCK_ID", "PaddockId" and "Paddock id" are all "paddock id". */
export function headerWords(header: string): string {
  return header
    .normalize('NFD')
    .replaceAll(/\p{M}/gu, '')
    .replaceAll(/(\p{Ll})(\p{Lu})/gu, '$1 $2')
    .toLowerCase()
    .replaceAll('²', '2')
    .replaceAll(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()
}
