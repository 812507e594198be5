/**
 * Recognises days and times that a spreadsheet program made of other texts: of 1-3, 2026-03-01 in a workbook and 1-Mar or 3-Jan in a CSV
 * file; of "5 A", 05:00:00 and 5:00 AM.
 */

const months = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']

/** True for the text of a cell that a spreadsheet made a day or a time of day. */
export function isDayOrTime(text: string): boolean {
  return /^(?:\d{4}-\d\d-\d\d(?:T00:00:00)?|(?:[01]\d|2[0-3]):00:00|\d{1,2}:00(?::00)? [ap]m)$/i.test(text)
}

/** What to do about such a cell. */
export const asTextHint = 'Format the column as text in the spreadsheet, and write the name or id again.'

/** The texts behind 1-Mar or Mar-24, as English programs write them, without zeros in front; none for any other text. */
export function textsBehindDay(text: string): readonly string[] {
  const [, day, ofDay, ofYear, year] = /^(\d{1,2})-([a-z]{3})$|^([a-z]{3})-(\d\d)$/i.exec(text.trim()) ?? []
  const month = months.indexOf((ofDay ?? ofYear ?? '').toLowerCase()) + 1
  if (month === 0) return []
  return day === undefined ? [`${month}-${Number(year)}`] : [`${Number(day)}-${month}`, `${month}-${Number(day)}`]
}

/** True for a text such as 1-Mar, unless it is in capitals, as codes are. */
export function isPerhapsMadeDay(text: string): boolean {
  return text !== text.toUpperCase() && textsBehindDay(text).length > 0
}

/** A name or an id as `textsBehindDay` spells it: 01/03 is 1-3. */
export function withoutZerosAndSlashes(text: string): string {
  return text.replaceAll('/', '-').replaceAll(/(?<!\d)0+(?=\d)/g, '')
}
