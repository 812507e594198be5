/** Knows the words for a total, an average or a count, as lists have them among and below their rows. */

const totals =
  'Σ|(?:(?:grand|sub|over ?all|farm|report|table)[ -]?)?total(?:s|e|en|t)?|totaux|totaal|totalen|eindtotaal|subtotaal|summen?|gesamt|gesamtsumme|gesamtfläche|insgesamt|zwischensumme|endsumme|(?:carried|brought) forward|übertrag'
const things = '(?:rows|records|fields|paddocks|blocks|crops|entries)'
const counts = `\\d+ ${things}|(?:number|no\\.?|count) of ${things}`
const sums =
  'sums?|somme|suma|razem|ogółem|soma|somma|summa|yhteensä|i alt|sammanlagt|celkem|spolu|ukupno|skupaj|kokku|kopā|iš viso|összesen|toplam|итого|всего|разом'
const means = 'avera?ge|mean|mittelwert|durchschnitt|gemiddelde?|moyenne|media|promedio'
// Farm and land not alone: Soma Farm is a farm.
const tail =
  '(?: (?:général|generale?|general|geral))?(?: (?:(?:farm|land) )*(?:effective|grazing|area|ha|hectares?|ac|acres?|fields?|paddocks?|rows?|records?|fläche|oppervlakte|surface))*'
// Nobody calls a paddock Subtotal West.
const parts = '(?:sub-?totaa?l|zwischensumme)(?: .*)?'
const total = new RegExp(
  `^(?:(?:${totals}|${counts}|${sums}|${means})${tail}(?: ?[[(].{0,20}[\\])])?[ :.]*|${parts})$`,
  'iu',
)

/** True for a text that is only a word for a total; "Total Block" may be a name. */
export function isTotal(text: string): boolean {
  const trimmed = text.trim()
  return trimmed.length <= 60 && total.test(trimmed)
}
