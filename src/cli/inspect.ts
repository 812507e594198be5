/** Hides `windrow inspect`: what a file holds, before anything is done with it. */

import { profileTable, type ColumnProfile, type TableProfile } from '../core/profile.ts'
import type { Problem } from '../core/problem.ts'
import type { Table } from '../core/row.ts'
import { WindrowError } from '../core/error.ts'
import { identifyCrs } from '../geometry/crs.ts'
import { flag, jsonOption, text, type Command, type Input, type Surroundings } from './command.ts'
import { openReading, readingOptions } from './reading.ts'
import { count, painter, plain, say } from './terminal.ts'

export const inspect: Command = {
  name: 'inspect',
  summary: 'Show what a file holds: layers, columns, coordinate system, and the rows that cannot be read.',
  words: [{ name: 'file', description: 'the file, folder or zip, or - for standard input' }],
  options: [...readingOptions, jsonOption],
  examples: ['windrow inspect "Rimu paddocks FINAL v3.zip"', 'windrow inspect nightly.csv --json'],
  run: runInspect,
}

type CrsSeen =
  | { readonly code: string; readonly name: string; readonly evidence: string; readonly accuracyM: number }
  | { readonly problem: string; readonly hint?: string }
type Inspected = {
  readonly profile: TableProfile
  readonly table: Table
  readonly crs: CrsSeen | undefined
  readonly problems: readonly Problem[]
  readonly inRows: readonly RowFinding[]
}

/** What the reader found wrong with rows, by code: how often, and where first. */
type RowFinding = { readonly code: string; readonly severity: string; readonly count: number; readonly first: Problem }

async function runInspect(input: Input, surroundings: Surroundings): Promise<number> {
  const { source, opened, close } = await openReading(input, surroundings)
  try {
    const layer = text(input, 'layer')
    const tables = layer === undefined ? opened.tables : opened.tables.filter(({ name }) => name === layer)
    const inspected: Inspected[] = []
    for (const table of tables) {
      const { listened, inRows } = listenTo(table)
      const profile = await profileTable(listened, surroundings.signal)
      inspected.push({
        profile,
        table,
        crs: table.hasGeometry ? crsSeen(table, text(input, 'crs')) : undefined,
        problems: table.found(),
        inRows: inRows(),
      })
    }
    const { terminal } = surroundings
    if (flag(input, 'json'))
      say(
        terminal,
        JSON.stringify({
          file: opened.name,
          bytes: source.size,
          format: opened.format.name,
          layers: inspected.map(toJson),
        }),
      )
    else {
      say(
        terminal,
        plain(
          `${opened.name}   ${opened.format.title}${source.members === undefined ? `, ${count(source.size)} bytes` : ''}`,
        ),
      )
      for (const each of inspected) say(terminal, '', ...layerLines(each, surroundings))
    }
    return 0
  } finally {
    await close()
  }
}

/** Counts the problems of rows while somebody else reads them. */
function listenTo(table: Table): { readonly listened: Table; inRows(): readonly RowFinding[] } {
  const found = new Map<string, { count: number; readonly first: Problem }>()
  const listened: Table = {
    ...table,
    async *batches(signal) {
      for await (const batch of table.batches(signal)) {
        for (const row of batch)
          for (const each of row.problems ?? []) {
            const known = found.get(each.code) ?? { count: 0, first: each }
            known.count += 1
            found.set(each.code, known)
          }
        yield batch
      }
    },
  }
  const inRows = (): readonly RowFinding[] =>
    [...found].map(([code, { count: times, first }]) => ({ code, severity: first.severity, count: times, first }))
  return { listened, inRows }
}

function crsSeen(table: Table, told: string | undefined): CrsSeen {
  const clue = told === undefined ? table.crs : ({ from: 'option', text: told } as const)
  if (clue === undefined)
    return { problem: 'not said by the file', hint: 'Name it with --crs, such as --crs EPSG:2193.' }
  try {
    const { code, name, evidence, accuracyM } = identifyCrs(clue)
    return { code, name, evidence, accuracyM }
  } catch (cause) {
    if (!(cause instanceof WindrowError)) throw cause
    return { problem: cause.message, ...(cause.hint === undefined ? {} : { hint: cause.hint }) }
  }
}

function toJson({ profile, table, crs, problems, inRows }: Inspected): object {
  const { name, rows, shapes, withoutShape, bbox, columns } = profile
  return {
    name,
    rows,
    geometry: shapes,
    withoutGeometry: table.hasGeometry ? withoutShape : null,
    bbox: bbox ?? null,
    crs: crs ?? null,
    decisions: table.decisions,
    columns: columns.map((column) => ({
      name: column.name,
      type: typeSeen(column),
      filled: column.filled,
      distinct: column.distinct,
      distinctIsExact: column.distinctIsExact,
      examples: column.examples,
    })),
    problems,
    inRows,
  }
}

function layerLines(
  { profile, table, crs, problems, inRows }: Inspected,
  { terminal }: Surroundings,
): readonly string[] {
  const paint = painter(terminal)
  const kinds = Object.entries(profile.shapes).map(([kind, n]) => `${count(n)} ${kind}`)
  if (table.hasGeometry && profile.withoutShape > 0) kinds.push(`${count(profile.withoutShape)} without geometry`)
  const lines = [
    paint(
      'bold',
      plain(`${profile.name}   ${count(profile.rows)} rows${kinds.length === 0 ? '' : `, ${kinds.join(', ')}`}`),
    ),
  ]
  if (crs !== undefined)
    lines.push(
      'problem' in crs
        ? paint('yellow', plain(`  crs        ${crs.problem} ${crs.hint ?? ''}`))
        : plain(`  crs        ${crs.name} ${crs.code}, from ${crs.evidence}, good to ${crs.accuracyM} m`),
    )
  if (profile.bbox !== undefined)
    lines.push(`  bbox       ${profile.bbox.map((each) => Number(each.toFixed(6))).join(', ')}`)
  for (const { option, value, evidence, runnerUp } of table.decisions)
    lines.push(
      plain(`  ${option.padEnd(10)} ${value}   ${evidence}${runnerUp === undefined ? '' : `; runner-up ${runnerUp}`}`),
    )
  const width = Math.min(30, Math.max(...profile.columns.map(({ name }) => name.length), 6))
  lines.push(
    '',
    `  ${'column'.padEnd(width)}  ${'type'.padEnd(10)} ${'filled'.padStart(8)} ${'different'.padStart(10)}  examples`,
  )
  for (const column of profile.columns) lines.push(plain(columnLine(column, width)))
  for (const each of problems)
    lines.push(paint(each.severity === 'error' ? 'red' : 'yellow', plain(`  ${each.severity}: ${each.message}`)))
  for (const { severity, count: times, first } of inRows)
    lines.push(
      paint(
        severity === 'error' ? 'red' : 'yellow',
        plain(
          `  ${severity}: ${count(times)} ${times === 1 ? 'row' : 'rows'}, first ${first.at.row}: ${first.message}`,
        ),
      ),
    )
  return lines
}

function columnLine(column: ColumnProfile, width: number): string {
  const distinct = `${column.distinctIsExact ? '' : '>'}${column.distinct}`
  const examples = column.examples.slice(0, 3).join(' | ')
  return `  ${column.name.padEnd(width)}  ${typeSeen(column).padEnd(10)} ${String(column.filled).padStart(8)} ${distinct.padStart(10)}  ${examples.slice(0, 60)}`
}

/** The kind of values that all filled cells are; text where they differ, and always for numbers that begin with zeros. */
function typeSeen(column: ColumnProfile): string {
  const { filled, numberFit, leadingZeros } = column
  if (filled === 0) return 'empty'
  if (column.nested > 0) return 'nested'
  if (column.truths === filled) return 'yes/no'
  const asNumber = column.numbers + Math.max(numberFit.point, numberFit.comma) + numberFit.either
  if (asNumber === filled) return leadingZeros > 0 ? 'text (id)' : 'number'
  const date = column.dates.find(({ fits, impossible, misfits }) => fits > 0 && misfits === 0 && impossible < fits)
  return date === undefined ? 'text' : `date ${date.pattern}`
}
