/** Formats a report for the terminal: what was read, which rows need attention, and what happened to every row. */

import { basename, relative } from 'node:path'
import type { Problem } from '../../core/problem.ts'
import { valueText } from '../../core/row.ts'
import type { ProblemGroup, Report } from '../../pipeline/report/report.ts'
import { differenceText } from '../../rules/land.ts'
import { booksOf, countsRepeated, howToCorrect, rowsTakenOut, type Book } from '../../web/report-books.ts'
import { count, counted, painter, plain, type Terminal } from './terminal.ts'

const shownProblems = 10
const shownInPlan = 20
const rowWords: Readonly<Record<string, string>> = { shapefile: 'feature', geojson: 'feature' }

/**
 * The report as lines; a plan also has lines of `changes`, and shows more rejected rows. `retry` is the command to type after
 * correcting the rejected rows.
 */
export function reportLines(
  report: Report,
  terminal: Terminal,
  how: {
    readonly seconds: number | undefined
    readonly folder: string
    readonly changes?: readonly string[]
    readonly retry?: string
  },
): readonly string[] {
  const paint = painter(terminal)
  return [
    ...headLines(report),
    ...(how.changes ?? []),
    ...problemLines(report, terminal, how.changes === undefined ? shownProblems : shownInPlan),
    '',
    ...countLines(report),
    '',
    ...retriedLines(report),
    ...fileLines(report, how.folder),
    ...retryLines(report, how.retry),
    ...uncheckedLines(report),
    ...explainLines(report),
    paint(report.exit === 0 ? 'green' : 'yellow', lastLine(report, how.seconds)),
  ]
}

function headLines({ source, choices, target, undoes, retries }: Report): readonly string[] {
  const kinds = Object.entries(source.kinds).map(([kind, n]) =>
    counted(n, kind.replace(/([a-z])([A-Z])/g, '$1 $2').toLowerCase()),
  )
  const crs = source.crs === undefined ? undefined : `${source.crs.name}${codeInWords(source.crs)}`
  const encoding = choices.find(({ setting }) => setting === 'from.encoding')
  const facts = [...kinds, crs, encoding === undefined ? undefined : `text ${valueText(encoding.value)}`].filter(
    (each) => each !== undefined,
  )
  const table = ['', source.name].includes(source.table) ? '' : ` / ${source.table}`
  const [first, ...others] = target.type === 'holdings' ? [] : target.holdings
  const holdings = first === undefined ? '' : ` of ${others.length === 0 ? first : `${others.length + 1} holdings`}`
  // A connection from the environment has no name.
  const named = target.connection === 'environment' ? target.service : (target.connection ?? target.service)
  const service = named === undefined ? 'without a service' : `at ${named}`
  if (undoes !== undefined) return [plain(`Undo of run ${undoes}`), plain(`${target.type}${holdings} ${service}`)]
  return [
    ...(retries === undefined ? [] : [plain(`Corrected rows of run ${retries.run}`)]),
    plain(`${source.name}${table}     ${facts.join(', ')}`.trimEnd()),
    ...wayLines(source),
    plain(`to ${target.type}${holdings} ${service}`),
  ]
}

// Systems within a metre of each other are only in report.json; a datum shift or a grid is shown here.
function wayLines({ crs }: Report['source']): readonly string[] {
  if (crs === undefined || (crs.accuracyM <= 1 && !crs.transformation.startsWith('the grid '))) return []
  return [plain(`to WGS 84 by ${crs.transformation}, good to ${crs.accuracyM} m`)]
}

function codeInWords(crs: { readonly code: string; readonly evidence: string }): string {
  const origin = crs.evidence === '' ? '' : `from ${crs.evidence}`
  const parts = [crs.code, origin].filter((each) => each !== '')
  return parts.length === 0 ? '' : ` (${parts.join(', ')})`
}

function problemLines(report: Report, terminal: Terminal, most: number): readonly string[] {
  const paint = painter(terminal)
  const lines: string[] = []
  const needing = report.rows.rejected + report.records.refused
  if (needing > 0) lines.push('', paint('bold', `  ${counted(needing, 'row needs', 'rows need')} you`), '')
  const errors = report.problems.filter((group) => group.severity === 'error')
  const shown = errors.flatMap(({ first }) => first).slice(0, most)
  for (const each of shown) lines.push(...oneProblem(each, report.source.format, paint))
  const left = errors.reduce((sum, group) => sum + group.count, 0) - shown.length
  if (left > 0) lines.push(`  ... and ${count(left)} more: see the report and the file of rejected rows.`)
  const others = report.problems.filter(({ severity }) => severity === 'warning' || severity === 'note')
  if (others.length > 0)
    lines.push('', ...others.flatMap(byMessage).map((group) => noteLine(group, report.source.format)))
  return lines
}

function oneProblem(each: Problem, format: string, paint: ReturnType<typeof painter>): readonly string[] {
  const row = (each.at.row < 0 ? '' : `${rowWords[format] ?? 'row'} ${each.at.row}`).padEnd(7)
  const value = each.value === undefined ? '' : `"${each.value}"`
  const cell = each.column === undefined ? value : `${each.column} ${value}`
  const head = plain(`  ${row} ${cell}`)
  return [
    `${head.padEnd(66)} ${paint('dim', each.code)}`,
    `          ${plain(each.message)}`,
    ...(each.hint === undefined ? [] : [`          ${plain(each.hint)}`]),
  ]
}

const mostNotes = 5

/** A group of problems of the whole file as one of each: they have little in common but the code. Of notes, only a few are listed. */
function byMessage(group: ProblemGroup): readonly ProblemGroup[] {
  const isWhole = group.count === group.first.length && group.first.every(({ at }) => at.row < 0)
  const isListed = isWhole && (group.severity === 'warning' || group.count <= mostNotes)
  return isListed ? group.first.map((each) => ({ ...group, count: 1, first: [each] })) : [group]
}

function noteLine(group: ProblemGroup, format: string): string {
  const [first] = group.first
  const rowIn = ({ at }: Problem): string | undefined =>
    at.row < 0 ? undefined : `${rowWords[format] ?? 'row'} ${at.row}`
  const values = group.first.flatMap(({ value }) => value ?? []).slice(0, mostNotes)
  const firsts = (first && rowIn(first)) ?? values.join(', ')
  // Of two records, only the sentence names the other one and its farm.
  const told = group.count === 1 ? first : group.first.find((each) => each.with !== undefined)
  const row = told && rowIn(told)
  const several = `${count(group.count)} × ${group.meaning}`
  const text =
    told === undefined
      ? `${several}${firsts === '' ? '' : ` (first: ${firsts})`}`
      : `${group.count === 1 ? '' : `${several} First: `}${told.message}${row === undefined ? '' : ` (${row})`}`
  return plain(`  ${group.severity === 'warning' ? 'warning' : 'note   '}  ${text}`)
}

function countLines(report: Report): readonly string[] {
  const { rows, records, undoes } = report
  const [ofRows, ofRecords, ...ofGone] = booksOf(report).map(bookLine)
  const [taken, made] = [rows.ready + rows.unchanged, records.ready + records.unchanged]
  const isGrouped = undoes === undefined && taken !== made
  return [
    ofRows!,
    `${ofRecords}${seenWords(report)}`,
    ...(isGrouped ? [`          ${count(taken)} rows make ${count(made)} records`] : []),
    ...ofGone,
    ...(report.areaM2 > 0
      ? [`area      ${(report.areaM2 / 10_000).toFixed(1)} ha measured${statedWords(report)}`]
      : []),
    ...coverageLines(report),
  ]
}

function bookLine({ name, whole, verb, parts }: Book): string {
  return `${name.padEnd(9)} ${count(whole)} ${verb} = ${parts.map(([part, n]) => `${count(n)} ${part}`).join(' + ')}`
}

const coverageWords = [
  ['twice', 'duplicate boundary', 'duplicate boundaries'],
  ['inside', 'boundary inside another', 'boundaries inside others'],
  ['overlap', 'overlap', 'overlaps'],
] as const

function coverageLines({ coverage }: Report): readonly string[] {
  if (coverage === undefined) return []
  const found = coverageWords.flatMap(([kind, one, several]) => {
    const { count: n, areaM2 } = coverage[kind]
    if (n === 0) return []
    const amount = areaM2 < 1000 ? `${areaM2.toFixed(0)} m²` : `${(areaM2 / 10_000).toFixed(2)} ha`
    return [`${counted(n, one, several)} (${amount})`]
  })
  return found.length === 0 ? [] : [`coverage  ${found.join(', ')}`]
}

function statedWords(report: Report): string {
  const { statedArea } = report
  if (statedArea === undefined) return ''
  const { column, unit, rows, measuredRows, statedM2, measuredM2 } = statedArea
  const amount = `${(statedM2 / 10_000).toFixed(1)}${unit === 'ha' ? '' : ' ha'}`
  const share = rows === measuredRows ? '' : ` for ${count(rows)} of ${count(measuredRows)} boundaries`
  const read = unit === 'ha' ? '' : `, read as ${unit}`
  const leftOut = countsRepeated(report) ? ' with repeated rows' : ''
  return plain(
    `; the column ${column} adds up to ${amount}${share}${leftOut} (${differenceText(statedM2, measuredM2)}${read})`,
  )
}

function seenWords(report: Report): string {
  if (report.accepted === 0 || report.outcome === 'dry-run' || report.error !== undefined) return ''
  return report.unseen === 0
    ? `       ${report.accepted === 1 ? 'it is' : `all ${count(report.accepted)}`} seen in the service`
    : `       ${count(report.unseen)} of ${count(report.accepted)} not seen in the service yet; the next run looks again and sends what is missing`
}

function uncheckedLines({ unchecked }: Report): readonly string[] {
  if (unchecked === undefined) return []
  return [plain(`Not checked, because no service is connected: ${unchecked.join('; ')}.`)]
}

/** How the books of the run close whose rejected rows these were. */
function retriedLines({ retries, outcome }: Report): readonly string[] {
  if (retries === undefined || outcome === 'dry-run') return []
  const { run, read, ready, unchanged, skipped, corrected, takenOut, rejected } = retries
  const whole = corrected + takenOut + rejected
  const left = rejected === 0 ? 'that run is complete' : `${count(rejected)} still to correct`
  const state = takenOut === 0 ? left : `${rowsTakenOut(takenOut)}; ${left}`
  const books = [
    `${count(ready)} ready`,
    `${count(unchanged)} unchanged`,
    `${count(skipped)} skipped`,
    `${count(corrected)} corrected`,
  ]
  if (takenOut > 0) books.push(`${count(takenOut)} taken out`)
  if (rejected > 0) books.push(`${count(rejected)} rejected`)
  return [
    plain(
      `${count(corrected)} of ${counted(whole, 'rejected row')} of run ${run} ${corrected === 1 ? 'is' : 'are'} now published; ${state}:`,
    ),
    `          ${count(read)} read = ${books.join(' + ')}`,
    '',
  ]
}

function retryLines({ retry, outcome, files }: Report, command: string | undefined): readonly string[] {
  if (retry === undefined)
    return outcome === 'stopped' && files['rejected'] !== undefined
      ? ['Nothing was sent. Correct the file and import it again.']
      : []
  return [plain(`${howToCorrect(basename(retry.file))}, and type:  ${command ?? retry.command}`)]
}

function explainLines({ problems }: Report): readonly string[] {
  const doubtful =
    problems.find(({ severity }) => severity === 'error') ?? problems.find(({ severity }) => severity === 'warning')
  return doubtful === undefined ? [] : [`What a problem means, and what to do: windrow explain ${doubtful.code}`]
}

const fileWords: Readonly<Record<string, string>> = { rejected: 'Rejected', page: 'Report' }

function fileLines(report: Report, folder: string): readonly string[] {
  return Object.entries(report.files).flatMap(([name, path]) => {
    const label = fileWords[name]
    const near = relative(folder, path)
    return label === undefined ? [] : [plain(`${label.padEnd(9)} ${near.startsWith('..') ? path : near}`)]
  })
}

function lastLine(report: Report, seconds: number | undefined): string {
  const [inTime, after] = ['in', 'after'].map((word) =>
    seconds === undefined ? '' : ` ${word} ${seconds.toFixed(1)} s`,
  )
  if (report.error !== undefined && report.outcome === 'dry-run')
    return plain(
      `Dry run, nothing sent,${inTime} (exit ${report.exit}). The real run will be refused: ${report.error.message}`,
    )
  if (report.error !== undefined)
    return `Stopped${after} (exit ${report.exit}): ${report.error.message}`.split('\n').map(plain).join('\n')
  const parts = [
    report.rows.rejected > 0 && `${counted(report.rows.rejected, 'row')} rejected`,
    report.records.refused > 0 && `${count(report.records.refused)} refused by the service`,
    report.records.unsent > 0 && `${count(report.records.unsent)} unsent`,
    report.unseen > 0 && `${count(report.unseen)} not seen in the service`,
  ].filter((part) => typeof part === 'string')
  const leftAlone = report.undoes === undefined ? 0 : report.rows.skipped
  if (leftAlone > 0) parts.push(`${count(leftAlone)} left alone`)
  const done = report.undoes === undefined ? 'Done' : 'Undone'
  const opening = report.outcome === 'dry-run' ? 'Dry run, nothing sent,' : done
  return parts.length === 0
    ? `${opening}${inTime} (exit ${report.exit})`
    : `${opening}${inTime}, with ${parts.join(', ')} (exit ${report.exit})`
}
