/** Turns the value of a cell into what a field takes: text, number, yes or no, date, measure. */

import { isObject } from '../core/values/exact-json.ts'
import { partNumberAndWord, readNumber, type NumberWriting, type ThousandsMark } from '../core/values/number-text.ts'
import type { Value } from '../core/row.ts'
import { unitCode, unitOfCode, unitsOfKind, type UnitKind } from '../resources/units.ts'
import { trimmed } from '../core/values/trimmed.ts'
import { textOf } from './cell.ts'
import { dateTransform, type DateOptions } from './dates.ts'
import { countNumber } from './readings.ts'
import { addProblem, showValue, type RowState, type CellAndField, type Transform } from './row-state.ts'
import { spokenWanted, type Wanted } from './target.ts'

/** The options of a value in the pipeline. */
export type TransformOptions = NumberWriting &
  DateOptions & {
    readonly unit?: string | undefined
    readonly join?: string | undefined
    readonly identifying?: boolean | undefined
  }

/** Chooses the transform for a field; returns a sentence when the options do not fit the field. */
export function transformFor(wanted: Wanted, options: TransformOptions): Transform | string {
  switch (wanted.kind) {
    case 'text':
      if (options.date !== undefined) return dateTransform(options, false)
      return options.identifying === true ? toIdentifier : textTransform(options.join)
    case 'number':
      return numberTransform(options)
    case 'truth':
      return toTruth
    case 'date-time':
      return dateTransform(options, true)
    case 'measure':
      return measureTransform(wanted.of, options)
    case 'any':
      return openTransform(options)
    case 'object':
    case 'list':
      return nestedTransform(wanted)
  }
}

function textTransform(join: string | undefined): Transform {
  return (value, state, spot) => {
    const text = textOf(value)
    if (text !== undefined) return text
    if (join !== undefined && Array.isArray(value)) {
      const pieces = (value as readonly Value[]).map(textOf).filter((piece) => piece !== undefined && piece !== '')
      return pieces.join(join)
    }
    return addProblem(state, spot, {
      code: 'value-not-fitting-column',
      value,
      message: `The cell contains ${Array.isArray(value) ? 'a list' : 'nested values'}, but the field takes one text.`,
      hint: Array.isArray(value)
        ? `Join it: { from: ${spot.column}, join: ", " }`
        : `Name one part, such as <${spot.column}.name>.`,
    })
  }
}

/** Identifiers stay text. A numeric column is noted, so that the caller warns once a table; a number that lost digits is rejected. */
function toIdentifier(value: Value, state: RowState, spot: CellAndField): string | undefined {
  if (typeof value !== 'number') {
    if (typeof value === 'string' && powerOfTen.test(value)) return addLostDigits(value, state, spot)
    return asPlainText(value, state, spot) as string | undefined
  }
  if (!Number.isSafeInteger(value) && (Number.isInteger(value) || !Number.isFinite(value)))
    return addLostDigits(value, state, spot)
  state.numericIds ??= []
  if (!state.numericIds.includes(spot.column)) state.numericIds.push(spot.column)
  return String(value)
}

/** Excel shows and saves a number of 12 digits or more like this: 9.82123E+14. */
const powerOfTen = /^\s*\d(?:[.,]\d+)?E\+\d\d\s*$/

function addLostDigits(value: Value, state: RowState, spot: CellAndField): undefined {
  return addProblem(state, spot, {
    code: 'number-unclear',
    value,
    message: 'This identifier has more digits than a number can store; some are lost already.',
    hint: 'Format the column as text in the original program, and export again.',
  })
}

const asPlainText = textTransform(undefined)

function numberTransform(writing: NumberWriting): Transform {
  const { decimal, thousands } = writing
  return (value, state, spot) => {
    if (typeof value === 'number' && Number.isFinite(value)) return value
    if (typeof value === 'string') noteNumber(value, writing, state, spot)
    const number = typeof value === 'string' ? readNumber(value, decimal, thousands) : undefined
    return number ?? addUnclearNumber(value, writing, state, spot)
  }
}

function noteNumber(text: string, writing: NumberWriting, { readings, row }: RowState, { column }: CellAndField): void {
  if (readings !== undefined) countNumber(readings, writing, { column, text, at: row.at })
}

const thousandsSpoken: Readonly<Record<ThousandsMark, string>> = {
  none: 'no mark between thousands',
  point: 'a point between thousands',
  comma: 'a comma between thousands',
  space: 'a space between thousands',
  apostrophe: 'an apostrophe between thousands',
}

const examples: Readonly<Record<'comma' | 'point', string>> = { comma: '1.204,5', point: '1,204.5' }

function addUnclearNumber(value: Value, { decimal, thousands }: NumberWriting, state: RowState, spot: CellAndField) {
  const add = (message: string, hint: string) =>
    addProblem(state, spot, { code: 'number-unclear', value, message, hint })
  const hasOtherMarks = thousands !== undefined && typeof value === 'string' && readNumber(value, decimal) !== undefined
  if (hasOtherMarks)
    return add(
      `This number is not written as the pipeline expects: ${decimal === undefined ? '' : `a decimal ${decimal}, `}${thousandsSpoken[thousands]}.`,
      `Correct the cell, or name the format of the numbers:  { from: ${spot.column}, number: { decimal: ..., thousands: ... } }`,
    )
  if (decimal === undefined && typeof value === 'string' && /\d[.,' ]\d/.test(value)) {
    const mark = value.includes(',') || !value.includes('.') ? 'comma' : 'point'
    return add(
      `Is the ${mark} a decimal separator or between thousands?`,
      'Set  from.decimal: comma  or  from.decimal: point',
    )
  }
  return add(
    `This is not a number${decimal === undefined ? '' : ` with a decimal ${decimal}, such as ${examples[decimal]}`}.`,
    'Correct the cell, or leave it empty.',
  )
}

function toTruth(value: Value, state: RowState, spot: CellAndField): boolean | undefined {
  if (typeof value === 'boolean') return value
  const word = textOf(value)?.toLowerCase() ?? ''
  if (/^(?:yes|y|true|t|1)$/.test(word)) return true
  if (/^(?:no|n|false|f|0)$/.test(word)) return false
  return addProblem(state, spot, {
    code: 'truth-unclear',
    value,
    message: 'This is neither yes nor no.',
    hint: `Write what it means: { from: ${spot.column}, words: { ${showValue(value)}: yes } }`,
  })
}

/** In m², 12.345 is a paddock of 12345 m² with a point between thousands, or a corner of one with a decimal point. */
const likeThousands = /^[1-9]\d{0,2}\.\d{3}$/

function measureTransform(kind: UnitKind | undefined, options: TransformOptions): Transform | string {
  const { unit, decimal, thousands } = options
  const code = unit === undefined ? undefined : unitCode(unit, kind)
  if (unit !== undefined && code === undefined) return unknownUnit(unit, kind)
  return (value, state, spot) => {
    if (isObject(value)) return value
    const parts = typeof value === 'string' ? partNumberAndWord(value) : undefined
    if (typeof value === 'string') noteNumber(parts?.number ?? value, options, state, spot)
    const isNumber = typeof value === 'number' && Number.isFinite(value)
    const bare = isNumber ? value : readNumber(textOf(value) ?? '', decimal, thousands)
    const amount = bare ?? (parts && readNumber(parts.number, decimal, thousands))
    if (amount === undefined) return addUnclearNumber(parts?.number ?? value, options, state, spot)
    // The cell may have its own unit.
    const word = bare === undefined ? parts?.word : undefined
    const units = word === undefined ? code : unitCode(word, kind)
    const isBare = decimal === undefined && thousands === undefined && typeof value === 'string'
    if (isBare && units === 'MTK' && likeThousands.test(parts?.number ?? value.trim()))
      return addUnclearNumber(parts?.number ?? value, options, state, spot)
    // A temperature or a change of weight may be less than zero; land is not.
    const isImpossible = amount < 0 && (kind === 'area' || kind === 'length')
    if (isImpossible && (word === undefined || units !== undefined))
      return addProblem(state, spot, {
        code: 'number-negative',
        value: amount,
        message: `The ${kind} ${amount} is less than zero.`,
        hint: 'Correct the cell, or leave it empty.',
      })
    if (units !== undefined) return { measurement: amount, units }
    return addProblem(state, spot, {
      code: 'unit-unknown',
      value,
      message: word === undefined ? 'The number has no unit.' : unknownUnit(word, kind),
      hint:
        word === undefined
          ? `Write the unit: { from: ${spot.column}, unit: ${kind === 'length' ? 'm' : 'ha'} }`
          : 'Correct the cell, or leave it empty.',
    })
  }
}

function unknownUnit(word: string, kind: UnitKind | undefined): string {
  const other = unitOfCode(unitCode(word) ?? '')
  const known = kind === undefined ? [] : unitsOfKind(kind).map(({ sign }) => sign)
  const list = known.length === 0 ? '' : ` Units of ${kind}: ${known.join(', ')}.`
  return other === undefined
    ? `"${word}" is not a unit that windrow knows.${list}`
    : `"${word}" is a unit of ${other.kind}, not of ${kind}.${list}`
}

/** Fields of open objects take the cell's value; a date pattern or unit in the pipeline still applies. */
function openTransform(options: TransformOptions): Transform | string {
  if (options.date !== undefined) return dateTransform(options, false)
  if (options.unit !== undefined) return measureTransform(undefined, options)
  if (options.join !== undefined) return textTransform(options.join)
  if (options.decimal !== undefined || options.thousands !== undefined) return numberTransform(options)
  return (value) => (typeof value === 'string' ? trimmed(value) : value)
}

/** Lists and objects come only from files that have them, such as GeoJSON. */
function nestedTransform(wanted: Wanted): Transform {
  return (value, state, spot) => {
    const fits = wanted.kind === 'list' ? Array.isArray(value) : isObject(value)
    if (fits) return value
    return addProblem(state, spot, {
      code: 'value-not-fitting-column',
      value,
      message: `The field takes ${spokenWanted(wanted)}, but the cell contains something else.`,
      hint:
        wanted.kind === 'list'
          ? `Split the text:  { from: ${spot.column}, split: ";" }`
          : 'Name the fields one by one in the pipeline.',
    })
  }
}
