/** Checks formats from outside against the contract, and names them in errors when they fail. */

import { errorCodes, WindrowError, type ErrorCode } from '../core/error.ts'
import type { Row, Table } from '../core/row.ts'
import { isObject, type Members } from '../core/values/exact-json.ts'
import type { Source } from '../core/sources/source.ts'
import type { Format, FormatOptions } from './format.ts'

/** A table as a format from outside gives it: parts that it leaves out count as empty. */
export type OwnTable = Pick<Table, 'name' | 'batches'> & Partial<Table>

/** A format from outside windrow. */
export type OwnFormat = Omit<Format, 'open'> & {
  open?(source: Source, options: FormatOptions): Promise<readonly OwnTable[]>
}

const wanted: readonly (readonly [member: string, what: string, fits: (format: Members) => boolean])[] = [
  ['name', 'one word, such as "orchard"', ({ name }) => typeof name === 'string' && /^[a-z][a-z0-9-]*$/.test(name)],
  [
    'title',
    'a text for people, such as "Orchard plan (.orc)"',
    ({ title }) => typeof title === 'string' && title !== '',
  ],
  ['extensions', 'a list of endings, such as [".orc"]', ({ extensions }) => areEndings(extensions)],
  [
    'options',
    'a JSON Schema: { type: "object", properties: {}, additionalProperties: false }',
    ({ options }) => isObject(options) && options.type === 'object' && isObject(options.properties),
  ],
  ['recognise', 'a function', ({ recognise }) => typeof recognise === 'function'],
  [
    'open or write',
    'a function',
    ({ open, write }) => isFunctionOr(open) && isFunctionOr(write) && (open ?? write) !== undefined,
  ],
]

function areEndings(value: unknown): boolean {
  return (
    Array.isArray(value) && value.length > 0 && value.every((each) => typeof each === 'string' && /^\.\S+$/.test(each))
  )
}

function isFunctionOr(value: unknown): boolean {
  return value === undefined || typeof value === 'function'
}

/**
 * Takes a format from outside, an \`OwnFormat\`; messages call it `origin`. Throws `format-failed` if it does not meet the
 * contract; its later errors become `format-failed` too.
 */
export function adoptFormat(value: unknown, origin: string): Format {
  const faults = isObject(value) ? wanted.filter(([, , fits]) => !fits(value)) : wanted
  if (faults.length > 0)
    throw failed(
      origin,
      `is not a format: it lacks ${faults.map(([member, what]) => `${member} (${what})`).join('; ')}`,
    )
  const format = value as unknown as Format
  const { name, title, extensions, options, writtenAs, readsFolders, isText, isWorkbook, namesCrs } = format
  const abilities = { writtenAs, readsFolders, isText, isWorkbook, namesCrs }
  const guard = async <T>(work: () => Promise<T>): Promise<T> => {
    try {
      return await work()
    } catch (cause) {
      throw ownError(origin, cause)
    }
  }
  return {
    name,
    title,
    extensions,
    options,
    ...Object.fromEntries(Object.entries(abilities).filter(([, said]) => said !== undefined)),
    recognise: (probe) => answerOf(() => format.recognise(probe), origin),
    ...(format.open === undefined
      ? {}
      : {
          open: (source, options) => guard(async () => adoptTables(await format.open!(source, options), name, origin)),
        }),
    ...(format.write === undefined
      ? {}
      : { write: (tables, target, options) => guard(async () => format.write!(tables, target, options)) }),
  }
}

function answerOf(ask: () => boolean, origin: string): boolean {
  let answer: unknown
  try {
    answer = ask()
  } catch (cause) {
    throw ownError(origin, cause)
  }
  // A promise would count as true for every file.
  if (typeof answer !== 'boolean') throw failed(origin, 'returned neither true nor false from recognise')
  return answer
}

function adoptTables(tables: unknown, format: string, origin: string): readonly Table[] {
  if (!Array.isArray(tables)) throw failed(origin, 'opened a file but returned no list of tables')
  return tables.map((table: unknown) => {
    if (!isObject(table) || typeof table['name'] !== 'string' || typeof table['batches'] !== 'function')
      throw failed(origin, 'returned a table without a name (a text) or without batches (a function)')
    const given = table as unknown as Table
    return {
      ...given,
      format,
      hasGeometry: given.hasGeometry === true,
      choices: given.choices ?? [],
      found: () => (given.found === undefined ? [] : given.found()),
      batches: (...how) => checkedBatches(given, origin, how),
    }
  })
}

async function* checkedBatches(
  table: Table,
  origin: string,
  how: Parameters<Table['batches']>,
): AsyncGenerator<readonly Row[]> {
  try {
    for await (const batch of table.batches(...how)) {
      if (!Array.isArray(batch) || !batch.every(isRow))
        throw failed(origin, 'returned a batch that is not a list of rows, each { at: { source, row }, values, shape }')
      yield batch
    }
  } catch (cause) {
    throw how[0]?.aborted === true ? cause : ownError(origin, cause)
  }
}

function isRow(row: unknown): boolean {
  if (!isObject(row) || !isObject(row['at']) || typeof row['at']['row'] !== 'number' || !isObject(row['values']))
    return false
  const { shape } = row
  return shape === undefined || shape === null || isShape(shape)
}

function isShape(shape: unknown): boolean {
  if (!isObject(shape) || typeof shape['kind'] !== 'string' || !(shape['coordinates'] instanceof Float64Array))
    return false
  return Array.isArray(shape['ends']) && Array.isArray(shape['parts'])
}

function failed(origin: string, what: string, cause?: unknown): WindrowError {
  return new WindrowError('format-failed', `The format module ${origin} ${what}.`, {
    hint: 'Inform its author; docs/library.md shows what a format needs.',
    cause,
  })
}

/** Keeps an error that the format itself explained, also one from another copy of this package. */
function ownError(origin: string, cause: unknown): unknown {
  if (cause instanceof WindrowError) return cause
  const { name, code, message, hint } = (isObject(cause) ? cause : {}) as Members
  if (name === 'WindrowError' && typeof code === 'string' && code in errorCodes)
    return new WindrowError(code as ErrorCode, String(message), typeof hint === 'string' ? { hint, cause } : { cause })
  const said = typeof message === 'string' ? message : String(cause)
  return failed(origin, `failed: ${said.slice(0, 300)}`, cause)
}
