/** Recognises column names of a position: longitude and latitude, or east and north of a grid. */

import { plainWords } from '../../core/values/plain-words.ts'

/** `degrees` are names for longitude and latitude, `grid` for a grid in metres, `weak` may mean something else. */
export type PairKind = 'degrees' | 'grid' | 'weak'

export type NamedPair = { readonly x: string; readonly y: string; readonly kind: PairKind }

const tail =
  '(?: (?:wgs ?84|dd|dms|deg|degrees?|decimal|gps|gda ?94|gda ?2020|nzgd ?2000|etrs ?89|m|metres?|meters?|\\d+))*'

const words = (
  [
    {
      kind: 'degrees',
      x: '(?:.* )?(?:lon|long|lng|longitude?|longitudine|lengtegraad|langengrad|laengengrad|lengdegrad|langdgrad|længdegrad|laengdegrad|pituusaste|dlugosc(?: geograficzna)?|długosc(?: geograficzna)?|zemepisna delka|долгота)',
      y: '(?:.* )?(?:lat|latitude?|latitudine|breedtegraad|breitengrad|breddegrad|leveysaste|szerokosc(?: geograficzna)?|zemepisna sirka|широта)',
    },
    {
      kind: 'grid',
      x: '(?:.* )?(?:eastings?|rechtswert|ostwert|abscissa)|(?:nztm|nzmg|mga|amg|utm|osgb|bng|itm|tm35|lv95|rd)(?: .*)? (?:e|x)|east|este|e',
      y: '(?:.* )?(?:northings?|hochwert|nordwert)|(?:nztm|nzmg|mga|amg|utm|osgb|bng|itm|tm35|lv95|rd)(?: .*)? (?:n|y)|north|norte|n',
    },
    {
      kind: 'weak',
      x: 'x|(?:point|coord|coordinate|pos|map|centroid|gps) x|x (?:coord|coordinate)|xcoord|lange|laenge|lengte',
      y: 'y|(?:point|coord|coordinate|pos|map|centroid|gps) y|y (?:coord|coordinate)|ycoord|breite|breedte',
    },
  ] as const
).map(({ kind, x, y }) => ({ kind, x: named(x), y: named(y) }))

function named(names: string): RegExp {
  return new RegExp(`^(?:${names})${tail}$`, 'u')
}

/** The pairs among the columns by their names, the most certain first. */
export function namedPairs(columns: readonly string[]): readonly NamedPair[] {
  const plain = columns.map((name) => ({ name, plain: plainWords(name) }))
  return words.flatMap(({ kind, x, y }) => {
    const xs = plain.filter((each) => x.test(each.plain))
    const ys = plain.filter((each) => y.test(each.plain))
    // Programs write pairs in the same order: start lon, start lat, end lon, end lat.
    const pairs = xs.length === ys.length ? xs : xs.slice(0, 1)
    return pairs.flatMap((one, index) => (ys[index] === undefined ? [] : [{ x: one.name, y: ys[index].name, kind }]))
  })
}
