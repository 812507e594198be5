/** Runs `windrow runs`: lists past runs, when they ran and how they ended, or shows one. */

import { existsSync } from 'node:fs'
import { basename, dirname, isAbsolute, relative, resolve, sep } from 'node:path'
import { pathToFileURL } from 'node:url'
import { WindrowError } from '../core/error.ts'
import { writeTarget } from '../core/sources/target.ts'
import { machineZone } from '../mapping/zones.ts'
import { countsOf } from '../notify/notice.ts'
import { isDryRun, type ExportReport, type RunReport } from '../pipeline/report/export-report.ts'
import type { Report } from '../pipeline/report/report.ts'
import { listRuns, readRuns, withoutUndone } from '../pipeline/report/run-folder.ts'
import { findResourceType } from '../resources/index.ts'
import { isGoodReport } from '../schedule/status.ts'
import { runsPage, type RunRow } from '../web/runs-page.ts'
import { flag, jsonOption, stateOption, text, type Call, type CommandSpec } from './options/command.ts'
import { findRun, type FoundRun } from '../pipeline/report/find-run.ts'
import { commandFor, nearState, runWord, statesOf } from './options/reach.ts'
import { reportLines } from './screen/report-text.ts'
import { count, counted, inform, painter, plain, say, type Terminal } from './screen/terminal.ts'
import { localTime } from '../core/values/local-time.ts'
import { alignedLines, cutTo, widthOf } from './screen/text-width.ts'

export const runs: CommandSpec = {
  words: { run: { description: `show one run: ${runWord}`, optional: true } },
  options: {
    '--last': 'show the last run',
    '--failed': 'only runs that did not end with exit 0',
    '--all': 'list dry runs and plans, too',
    '--html <FILE>': 'write the list as a page to look at in a browser',
    ...stateOption,
    ...jsonOption,
  },
  examples: [
    'windrow runs',
    'windrow runs --html runs.html',
    'windrow runs --state pipelines/.windrow',
    'windrow runs --last',
  ],
  async run(call) {
    if (flag(call, 'last') || (call.words['run'] ?? []).length > 0) showOne(call)
    else await list(call)
  },
}

async function list(call: Call): Promise<void> {
  const state = nearState(call, 'runs')
  const { runs: listed, unreadable } = listRuns(state)
  const { terminal } = call
  for (const { id, reason } of unreadable) inform(terminal, `The report of run ${id} cannot be read: ${reason}`)
  const reports = listed.map(({ report }) => report).filter(({ exit }) => !flag(call, 'failed') || exit !== 0)
  const file = text(call, 'html')
  if (file !== undefined && !/\.html?$/i.test(file))
    throw new WindrowError('option-invalid', `--html cannot be "${file}".`, { hint: 'Use a name that ends in .html.' })
  if (file !== undefined) {
    const shown = reports.filter((report) => flag(call, 'all') || !isDryRun(report))
    await writePage(resolve(call.folder, file), shown, state)
  }
  if (flag(call, 'json')) return say(terminal, JSON.stringify(reports))
  if (file !== undefined) return say(terminal, plain(`The runs are in ${file}.`))
  if (reports.length === 0)
    return say(
      terminal,
      `No past runs ${flag(call, 'failed') && listed.length > 0 ? 'that failed ' : ''}in ${state}.`,
      'Runs of a pipeline are in .windrow beside it: windrow runs --state FOLDER/.windrow',
    )
  const dry = reports.filter(isDryRun)
  const real = reports.filter((report) => !isDryRun(report))
  say(terminal, plain(`Times are in the zone ${machineZone()}.`), ...tableLines(real, terminal))
  if (dry.length === 0) return
  const words = counted(dry.length, 'dry run or plan', 'dry runs and plans')
  const lines = flag(call, 'all')
    ? [`${words}, nothing sent:`, ...tableLines(dry, terminal)]
    : [`${words} not shown: --all lists them.`]
  say(terminal, ...(real.length === 0 ? [] : ['']), ...lines)
}

/** Writes the page of all runs; the pages of single runs are beside their reports. */
async function writePage(path: string, reports: readonly RunReport[], state: string): Promise<void> {
  const rows = reports.map((report): RunRow => {
    const page = report.kind === 'import' ? report.files['page'] : undefined
    const [origin] = report.kind === 'import' ? originLines(report) : []
    const note = isDryRun(report) ? 'nothing was sent' : origin
    return {
      ...report,
      isGood: isGoodReport(report) || report.outcome === 'dry-run',
      counts: countsOf(report),
      error: report.error?.message,
      note,
      page: page === undefined || !existsSync(page) ? undefined : addressFrom(dirname(path), page),
    }
  })
  // The folder of the pipelines names them; the parents of the user's own state folder say nothing.
  const title = basename(state) === '.windrow' ? basename(dirname(state)) : state
  await writeTarget(path, runsPage(rows, { title, zone: machineZone() }))
}

/** The address of a file for a link in a page of that folder; on another drive of Windows there is no relative one. */
function addressFrom(folder: string, path: string): string {
  const way = relative(folder, path)
  return isAbsolute(way) ? pathToFileURL(path).href : way.split(sep).map(encodeURIComponent).join('/')
}

const numbers = ['Read', 'Created', 'Updated', 'Deleted', 'Rejected'] as const
const gap = '  '

/** A line for each run, with its name on the next line where both do not fit. */
function tableLines(reports: readonly RunReport[], terminal: Terminal): readonly string[] {
  if (reports.length === 0) return []
  const paint = painter(terminal)
  const [head = '', ...lines] = alignedLines([['Started', 'Ended', ...numbers], ...reports.map(cellsOf)], 2)
  const whole = terminal.out.columns ?? 100
  const room = whole - widthOf(head) - gap.length
  const isWide = reports.every(({ run }) => widthOf(plain(run)) <= room)
  return [
    paint('bold', isWide ? `${head}${gap}Run` : head),
    ...reports.flatMap((report, at) => [
      isWide ? `${lines[at]}${gap}${plain(report.run)}` : lines[at]!,
      ...(isWide ? [] : [`${gap}${plain(report.run)}`]),
      ...moreLines(report).map((line) => cutTo(`${gap}${gap}${plain(line)}`, whole)),
    ]),
  ]
}

function cellsOf(report: RunReport): readonly string[] {
  const { started, outcome, exit } = report
  const words = outcome === 'dry-run' ? 'dry run' : isDryRun(report) ? `dry run ${outcome}` : outcome
  // An export changes no record.
  const counts =
    report.kind === 'export'
      ? [count(report.records.read), ...numbers.slice(1).map(() => '')]
      : Object.values(countsOf(report)).map(count)
  return [localTime(started), exit === 0 ? words : `${words}, exit ${exit}`, ...counts]
}

function moreLines(report: RunReport): readonly string[] {
  const { error } = report
  if (report.kind === 'export') return [error?.message ?? exportedLine(report)]
  return [...originLines(report), ...(error === undefined ? [] : [error.message.split('\n', 1)[0]!])]
}

function originLines({ undoes, retries }: Report): readonly string[] {
  return [
    ...(undoes === undefined ? [] : [`undo of ${undoes}`]),
    ...(retries === undefined ? [] : [`corrected rows of ${retries.run}`]),
  ]
}

function exportedLine({ records, what, file }: ExportReport): string {
  const one = findResourceType(what)?.title.toLowerCase() ?? what
  return `${counted(records.written, one, what.replaceAll('-', ' '))} written to ${file?.path ?? 'standard output'}`
}

function showOne(call: Call): void {
  const wanted = call.words['run']?.[0] ?? 'last'
  const found = findRun(wanted, statesOf(call), 'apart from dry runs', (run) => !run.isDryRun)
  const { terminal, folder } = call
  const report = listRuns(found.state).runs.find(({ id }) => id === found.id)?.report
  if (report === undefined)
    return say(
      terminal,
      plain(`The run ${found.id} was stopped before its report was written.`),
      ...nextLines(found, call),
    )
  if (flag(call, 'json')) return say(terminal, JSON.stringify(report))
  if (report.kind === 'export') {
    const { read, leftOut } = report.records
    return say(
      terminal,
      plain(`Export ${found.id}, started ${localTime(report.started)} (${machineZone()})`),
      '',
      plain(report.error?.message ?? `${exportedLine(report)}.`),
      plain(`${count(read)} read, ${count(leftOut)} left out by the filters. Days and times in ${report.zone}.`),
      ...report.notes.map(plain),
    )
  }
  const seconds = (Date.parse(report.ended) - Date.parse(report.started)) / 1000
  const retry = commandFor('retry', { run: found.id, state: found.state }, call)
  say(
    terminal,
    plain(`Run ${found.id}, started ${localTime(report.started)} (${machineZone()})`),
    '',
    ...reportLines(report, terminal, { seconds, folder, retry }),
    ...nextLines(found, call),
  )
}

/** Whether a run was undone, or how to. */
function nextLines(found: FoundRun, call: Call): readonly string[] {
  const standing = withoutUndone(readRuns(found.state).runs)
  const undone = standing.find(({ undoes, isFinished }) => undoes === found.id && isFinished)
  if (undone !== undefined) return [plain(`It was undone by the run ${undone.id}.`)]
  const command = commandFor('undo', { run: found.id, state: found.state }, call)
  return found.hasSent ? [plain(`To take it back:  ${command}`)] : []
}
