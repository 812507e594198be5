/** Lists the words that people use as column headers for the fields of a record. */

import { plainWords } from '../core/values/plain-words.ts'

/** A field that a column may fill: the header words for it, best first, and what the column must contain. */
export type FieldRule = {
  readonly field: string
  readonly types: readonly string[]
  readonly holds: 'text' | 'date' | 'area' | 'length'
  readonly words: readonly RegExp[]
}

// English, then German, French, Dutch, Spanish and other languages, as headerWords writes them: without accents.
const place =
  'paddock|pdk|field|plot|block|parcel|schlag|feld|feldstue?ck|flurstue?ck|fs|parzelle|parcelle(?: culturale)?|champ|ilot|perceels?|kavel|parcela|lote|campo|appezzamento|talhao|skifte|lohko'
const shape = 'polygon|feature'
const land = `(?:${place}|${shape}|land cover|landcover|cover|unit|mark|dzia[lł]k[ai])`
const farm = '(?:farm|holding|property|station|business|betrieb|betriebs|exploitation|bedrijf|bedrijfs|explotacion)'
const mark =
  '(?:id|no|nr|nbr|num|number|code|key|ref|reference|identifier|nummer|kennung|numero|identifiant|codigo|codice)'
const called = '(?:name|bezeichnung|bez|naam|nom|nombre|nome|navn|namn|nimi|nazwa|nazev|naziv)'
const ofThe = '(?:d(?:e|u|el|o|a|ella|ell)? ?(?:la |l )?)?'

const landNames = [`${land} ?${called}|${called} ${ofThe}${land}`, called, `${land} ?(?:title|label)`] as const
const otherNames = ['label', 'title', 'appellation'] as const

/** The rules in the order in which fields take their columns. */
export const fieldRules: readonly FieldRule[] = [
  // Before names: alone, a land cover is what grows there.
  rule(
    'landCoverClass.primary',
    ['land-covers'],
    'text',
    '(?:land ?)?cover (?:class|type)',
    'class',
    'category',
    '(?:land ?)?cover',
  ),
  // A unit is mostly that of the areas.
  rule('name', ['plots'], 'text', ...landNames, place, shape, ...otherNames),
  rule('name', ['land-covers'], 'text', ...landNames, ...otherNames, land),
  rule(
    'name',
    ['holdings'],
    'text',
    `${farm} ?${called}|${called} ${ofThe}${farm}`,
    called,
    'trading name',
    farm,
    'label',
    'title',
  ),
  rule(
    'crops.0.name',
    ['plots'],
    'text',
    'crop ?(?:type ?)?(?:name|desc(?:ription)?)|lib(?:elle)? (?:de )?cult(?:ure)?|nom cult(?:ure)?|cult nom|gws ?nam(?: h)?',
    'crop(?: commodity)?|(?:haupt)?(?:frucht|fruchtart|kultur|kulturart)|culture|(?:gws )?(?:hoofd)?gewas(?:naam)?|cultivo|cultura|coltura|afgr(?:o|oe|ø)de|groda|uprawa|plodina|kasvi',
    'current crop',
    'crop ?type',
    'crop ?code|code cult(?:u|ure)?|cult cod(?:e)?|(?:nutz(?:ungs)?|kultur|gewas|gws|afg|afgr(?:o|oe|ø)de) ?[ck]ode',
    'pasture',
  ),
  rule(
    'crops.0.variety',
    ['plots'],
    'text',
    '(?:crop |current )?variety',
    'cultivar|sorte|variete|ras|variedad|varieta|odmiana',
    'hybrid(?: variety)?',
  ),
  rule(
    'crops.0.establishmentDate',
    ['plots'],
    'date',
    '(?:crop )?(?:date )?sown',
    '(?:crop )?(?:sow|sowing|sown|plant|planting|planted|establishment|established|drilled|seeded) ?(?:date|on)?|(?:drill|drilling|seeding) ?(?:date|on)',
    'date (?:of )?(?:sowing|planting|planted|drilling|drilled|seeding|seeded)',
    '(?:aussaat|saat|pflanz|zaai|plant)(?: ?(?:datum|termin|am))?|gezaaid(?: op)?|(?:date (?:de )?|fecha de )?(?:semis|plantation|siembra)|data (?:di |de )?(?:semina|sementeira|plantio|siewu)|sadat(?:o|um)',
  ),
  rule('crops.0.maturityDate', ['plots'], 'date', '(?:maturity|mature|matures) ?(?:date)?'),
  rule(
    'crops.0.harvestDate',
    ['plots'],
    'date',
    '(?:harvest|harvested) ?(?:date|on)?',
    'date (?:of )?harvest(?:ed)?',
    '(?:ernte|oogst)(?: ?(?:datum|termin|am))?|(?:date (?:de )?|fecha de )?(?:recolte|cosecha)|data (?:di |de )?(?:raccolta|colheita)',
  ),
  rule(
    'activities.0.name',
    ['plots', 'land-covers'],
    'text',
    '(?:land|field|paddock) ?use|nutzung(?:sart)?',
    'activity',
    'enterprise',
    'use',
  ),
  rule('speciesPresent.0.name', ['land-covers'], 'text', 'species(?: name)?', 'common name', 'dominant species'),
  rule('speciesPresent.0.taxonomicName', ['land-covers'], 'text', 'taxonomic name', 'scientific name', 'taxon'),
  rule(
    'totalArea',
    ['plots', 'land-covers', 'holdings'],
    'area',
    '(?:total |gross |eff(?:ective)? )?area(?: .*)?',
    '(?:(?:total|gross|boundary|gis|gps|field|paddock|land|measured|mapped|surveyed|calculated|calc|deeded|legal|fsa|clu) ?)?(?:hectares|hectarage|ha|acres|acreage|ac)',
    'size(?: .*)?',
    '(?:(?:schlag|feld|gesamt|netto|brutto) ?)?(?:flache|flaeche|große|grosse|groesse)(?: .*)?|(?:surface|surf|superficie|contenance|oppervlakte|opp|vymera|powierzchnia|pinta ala|pindala)(?: .*)?|(?:.* )?(?:areal|opp)(?: ha)?',
    '.* area(?: .*)?',
  ),
  rule('totalLength', ['plots', 'land-covers', 'holdings'], 'length', 'perimeter(?: .*)?', '.* perimeter(?: .*)?'),
  rule(
    'meta.modified',
    ['plots', 'land-covers', 'holdings'],
    'date',
    '(?:last )?(?:modified|updated|edited|edit|changed)(?: (?:date|at|on|time))?',
    'date (?:modified|updated|edited|changed)',
  ),
]

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

const landWords = new RegExp(`^(?:${place})(?: ?(?:${called}|${mark}))?$|^${called} ${ofThe}(?:${place})$`)

/** True when a header names a paddock or another piece of land, such as "Block name" or "Field no", and not only a shape on a map. */
export function saysLand(header: string): boolean {
  return landWords.test(headerWords(header))
}

function rule(
  ...[field, types, holds, ...words]: readonly [string, readonly string[], FieldRule['holds'], ...string[]]
): FieldRule {
  return { field, types, holds, words: words.map((each) => new RegExp(`^(?:${each})$`)) }
}

/** Headers of a column that identifies a record, best first. */
export const keyWords: readonly RegExp[] = [
  new RegExp(`^(?:\\w+ )?${land} ?${mark}$|^(?:${mark}|n) ${ofThe}${land}$`),
  // The last ones are parcels of Australia, the Netherlands, Slovenia and Czechia.
  /^(?:uuid|guid|global ?id|ext(?:ernal)? ?id|source ?id|lot ?plan|lot ?id ?string?|cad ?id|sector ?id|gerk ?pid|id dpb)$/,
  new RegExp(`^(?:\\w+ )?${mark}$`),
  new RegExp(`^${land}$|^(?:${land} ?)?${called}$|^${called} ${ofThe}${land}$`),
]

/** Official numbers of parcels that are different only on their sheet of the map, and the headers of such a sheet. */
export const parcelWords = new RegExp(`^(?:(?:land )?parcel|flurstue?ck|parcela)(?: ?${mark})?$`)
export const sheetWords = new RegExp(`^(?:(?:os |map )?sheet|gemarkung|flur|poligono)(?: ?${mark})?$`)

/** Numbers that mapping programs give to rows, often anew with each export. */
export const rowNumberWords = /^(?:obj(?:ect)? ?id|fid|ogc ?fid|gid|row ?(?:id|no|number)?|index|oid)$/

/** Headers of a column that names the holding of a row. */
export const holdingWords = new RegExp(`^${farm} ?${mark}$|^(?:nait|cph|agribase|farms ?online)(?: ${mark})?$`)

// By its number or its name. `folder` is that of a KML file.
const farmWords = new RegExp(
  `${holdingWords.source}|^(?:${farm}|client|customer|grower|enterprise)(?: ?${called})?$|^folder$`,
)

/** True if a column with this header may name the farm of a row. */
export function mayNameFarm(header: string): boolean {
  return farmWords.test(headerWords(header))
}

/** A header as words: "PADDOCK_ID", "PaddockId" and "Paddock id" are all "paddock id". "Paddock_Na", cut by a shapefile, is "paddock name". */
export function headerWords(header: string): string {
  const words = plainWords(header.replaceAll('²', '2'))
  return header.length === mostInShapefile ? withLastWordWhole(words) : words
}

const mostInShapefile = 10

// Those that the last word of a long header usually is, in the languages above.
const lastWords = [
  'name',
  'naam',
  'date',
  'number',
  'nummer',
  'area',
  'crop',
  'variety',
  'bezeichnung',
  'oppervlakte',
  'label',
  'appellation',
]

function withLastWordWhole(words: string): string {
  for (let length = mostInShapefile; length > 1; length -= 1) {
    const whole = lastWords.find((each) => length < each.length && words.endsWith(each.slice(0, length)))
    if (whole !== undefined) return words.slice(0, -length) + whole
  }
  return words
}
