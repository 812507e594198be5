/** Detects the quote character around cells (double, single or none) and how a quote inside a cell is written. */

import { WindrowError } from '../../core/error.ts'
import type { Decision } from '../../core/row.ts'
import type { FormatOptions } from '../format.ts'
import { splitRecords, type Dialect } from './split.ts'

/** The quote character that the option names, '' for none; undefined without the option. */
export function quoteOf(option: FormatOptions[string]): string | undefined {
  if (option === undefined) return undefined
  const quote = String(option)
  if (quote.toLowerCase() === 'none') return ''
  if (quote.length === 1 && !/[\s\ufeff\w]/.test(quote)) return quote
  throw new WindrowError('option-invalid', `"${quote}" cannot be the quote character; it must be one character.`, {
    hint: `Use " or ' or none, or leave the option out.`,
  })
}

const doubleQuoted = /(?:^|[,;\t|])"[^"\n]*"(?=[,;\t|]|$)/gm
const singleQuoted = /(?:^|[,;\t|])'[^'\n]*'(?=[,;\t|]|$)/gm

/** Distinguishes single quotes from the usual double ones: only cells that begin and end with a quote count. Undefined if no cell does. */
export function decideQuote(text: string): Decision | undefined {
  const double = text.match(doubleQuoted)?.length ?? 0
  if (double > 0) {
    const evidence = `${double} ${double === 1 ? 'cell of the first part is' : 'cells of the first part are'} in double quotes.`
    return { option: 'quote', value: '"', evidence }
  }
  const single = text.match(singleQuoted) ?? []
  if (single.length < 3) return undefined
  const evidence = `${single.length} cells of the first part are like ${single[0]!.replace(/^[,;\t|]/, '').slice(0, 60)}, none is in double quotes.`
  return { option: 'quote', value: "'", evidence, runnerUp: '"' }
}

/** Detects text in which a quote is written \\" and not doubled; undefined if doubling fits as well. */
export function decideEscape(text: string, dialect: Dialect, isWhole: boolean): Decision | undefined {
  const written = `\\${dialect.quote}`
  if (dialect.quote === '' || !text.includes(written)) return undefined
  const plain = misfits(text, dialect, isWhole)
  const escaped = misfits(text, { ...dialect, escape: '\\' }, isWhole)
  if (escaped >= plain) return undefined
  const evidence = `Quotes inside cells are written ${written}; read as doubled, ${plain} of the first rows would not fit.`
  return { option: 'escape', value: 'backslash', evidence, runnerUp: 'double' }
}

/** How many records have a fault or another number of cells than most. */
function misfits(text: string, dialect: Dialect, isWhole: boolean): number {
  const { cells, faults } = splitRecords(text, dialect, isWhole)
  const counts = new Map<number, number>()
  for (const [index, { length }] of cells.entries())
    if (!faults.has(index)) counts.set(length, (counts.get(length) ?? 0) + 1)
  // A record that swallowed others counts as all the lines in it.
  const lines = text.split('\n').length - (text.endsWith('\n') ? 1 : 0)
  return Math.max(cells.length, lines) - Math.max(0, ...counts.values())
}
