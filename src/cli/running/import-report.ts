/** Runs an import for the commands, and shows its report as text, JSON or a page. */

import { spawn } from 'node:child_process'
import { realpathSync } from 'node:fs'
import { basename, dirname, join, resolve, sep } from 'node:path'
import { WindrowError } from '../../core/error.ts'
import { checkTarget, copyToTarget } from '../../core/sources/target.ts'
import { runImport } from '../../pipeline/import-run.ts'
import type { Pipeline } from '../../pipeline/definition/definition.ts'
import type { AroundJob, ImportOptions, PreparedImport } from '../../pipeline/report/course.ts'
import type { Report } from '../../pipeline/report/report.ts'
import { knownFormats } from '../options/format-module.ts'
import { flag, text, timing, wholeNumber, type Call, type Input, type Surroundings } from '../options/command.ts'
import { commandFor, namedConnection, storeOf, reach } from '../options/reach.ts'
import { inform, plain, say, startProgress } from '../screen/terminal.ts'
import { reportLines } from '../screen/report-text.ts'

export const confirmOption = {
  '--confirm-within <SECONDS>': 'how long to wait for accepted records to appear in the service (default: 10)',
}

export const reportOptions = {
  '--report <FILE>': 'also write the report: .html to look at, .json for programs',
  '--open': "open the report's page in the browser",
  ...confirmOption,
}

export const importOptions = {
  '--dry-run':
    'do everything except send; the counts show what would happen; --connection none: without asking the service',
  '--out <FILE>': 'also write the records that are ready to send, one JSON line each',
  ...reportOptions,
}

/** Shows the report of a run that ended. */
export type Show = (report: Report, about: Shown) => void
export type Shown = {
  readonly call: Call
  readonly state: string
  /** How long it took; undefined for a run of earlier. */
  readonly seconds: number | undefined
}

/** `begin` does the run, `show` shows its report; without them an import is run and its counts are shown. `onReport` hears it first. */
type RunOptions = Pick<ImportOptions, 'state' | 'store' | 'connection' | 'refusal' | 'takeOver' | 'retries'> & {
  readonly begin?: typeof runImport
  readonly show?: Show | undefined
  readonly onReport?: ((report: Report) => void) | undefined
}

/** How long to wait for accepted records to appear in the service. */
export function confirmWithin(input: Input): number {
  return (wholeNumber(input, 'confirm-within', { from: 0, to: 3600 }) ?? 10) * 1000
}

/** For work that can do without a service; one that is named must be there. */
export function unlessUnconnected(call: Call): (cause: unknown) => undefined {
  return (cause) => {
    const isMissing = cause instanceof WindrowError && cause.code === 'connection-missing'
    if (!isMissing || namedConnection(call) !== undefined) throw cause
  }
}

/** A dry run needs no service: without one it compares with the ledger. It says why if there are connections. */
export function unlessDry(call: Call): (cause: unknown) => undefined {
  return (cause) => {
    if (!flag(call, 'dry-run')) throw cause
    unlessUnconnected(call)(cause)
    const { message, hint = '', data } = cause as WindrowError
    if (data['isNone'] !== true) inform(call.terminal, message, hint)
  }
}

/** What a job on a run needs from the command. A dry run can do without a connection. */
export async function aroundJob(call: Call): Promise<AroundJob> {
  const connect = (pipeline: Pick<Pipeline, 'connection'> | undefined) => reach(call, pipeline).catch(unlessDry(call))
  return {
    ...timing(call),
    folder: call.folder,
    env: call.env,
    formats: await knownFormats(call),
    store: storeOf(call),
    connect,
  }
}

/** Runs a prepared import and shows its report. Returns the exit status. */
export async function runAndReport(
  prepared: PreparedImport,
  { begin = runImport, show = showReport, onReport, ...options }: RunOptions,
  call: Call,
): Promise<number> {
  const { clock, terminal, folder } = call
  const began = clock().getTime()
  const out = text(call, 'out')
  const copy = text(call, 'report')
  if (copy !== undefined && !/\.(html|json)$/i.test(copy))
    throw new WindrowError('option-invalid', `--report cannot be "${copy}".`, {
      hint: 'Use a name that ends in .html, to look at, or in .json, for programs.',
    })
  const { from, path: own } = prepared.pipeline
  const targets = [copy, out].filter((path) => path !== undefined)
  for (const path of targets) {
    const target = resolve(folder, path)
    await checkTarget(target)
    const replaced = realPath(target)
    // A file in a zip is below the zip.
    if ([from.file, own].some((read) => `${realPath(resolve(folder, read))}${sep}`.startsWith(`${replaced}${sep}`)))
      throw new WindrowError('target-exists', `"${path}" is read by this run, so the run cannot write it.`, {
        hint: 'It was left as it is. Choose another name for --out or --report.',
      })
  }
  let report: Report
  {
    using progress = startProgress(call)
    report = await begin(prepared, {
      ...options,
      ...timing(call),
      dryRun: flag(call, 'dry-run'),
      confirmWithinMs: confirmWithin(call),
      onProgress: (phase, count) => progress.show(phase === 'read' ? `${count} rows read` : `${count} records sent`),
    })
  }
  onReport?.(report)
  show(report, { call, state: options.state, seconds: (clock().getTime() - began) / 1000 })
  const { page, report: json, bodies } = report.files
  if (page === undefined || json === undefined) inform(terminal, withoutReport(report))
  const wanted = copy?.toLowerCase().endsWith('.html') === true ? page : json
  // The run has ended: a copy that fails does not change its exit status.
  const copyOut = async (from: string | undefined, to: string | undefined): Promise<void> => {
    if (from === undefined || to === undefined) return
    await copyToTarget(from, resolve(folder, to)).catch((cause: unknown) => {
      if (!(cause instanceof WindrowError)) throw cause
      inform(
        terminal,
        `windrow: ${cause.message} The run itself ended with exit ${report.exit}; the same content is in "${from}".`,
      )
    })
  }
  await copyOut(wanted, copy)
  await copyOut(bodies, out)
  if (flag(call, 'open') && page !== undefined) await openPage(page, call)
  return report.exit
}

const openers: Readonly<Partial<Record<NodeJS.Platform, readonly [program: string, ...words: string[]]>>> = {
  win32: ['rundll32', 'url.dll,FileProtocolHandler'],
  darwin: ['open'],
}

/** Opens a page with the program of the platform, without a shell. A page that cannot be opened is only reported. */
async function openPage(page: string, { platform, env, terminal }: Surroundings): Promise<void> {
  const [program, ...words] = openers[platform] ?? ['xdg-open']
  const opener = spawn(program, [...words, page], { env: env as NodeJS.ProcessEnv, stdio: 'ignore', detached: true })
  const isOpen = await new Promise<boolean>((resolve) => {
    opener.once('error', () => resolve(false))
    opener.once('spawn', () => resolve(true))
  })
  opener.unref()
  if (!isOpen) inform(terminal, `"${program}" cannot be started here. Open this file in a browser: ${page}`)
}

/** Prints the counts of a run, or its whole report as JSON. */
export function showReport(report: Report, shown: Shown): void {
  const { call, state, seconds } = shown
  const { terminal, folder } = call
  if (flag(call, 'json')) return say(terminal, JSON.stringify(report))
  const retry = commandFor('retry', { run: report.run, state }, call)
  say(terminal, ...reportLines(report, terminal, { seconds, folder, retry }))
  if (report.error?.hint !== undefined) say(terminal, plain(report.error.hint))
}

/** The result of a run whose report could not be written completely. */
function withoutReport({ run, records, exit, files, error }: Report): string {
  const { created, updated, refused, unsent } = records
  const missing = files['report'] === undefined ? 'report' : 'report page'
  const why = error === undefined ? '' : ` ${error.message}`
  const next = files['report'] === undefined ? ' The next run writes it.' : ''
  return `windrow: The ${missing} of run ${run} was not written.${why} Records: ${created} created, ${updated} updated, ${refused} refused, ${unsent} unsent (exit ${exit}).${next}`
}

/** The path with all links followed; of what is not there yet, that of the folder which is. */
function realPath(path: string): string {
  const above = dirname(path)
  try {
    return realpathSync.native(path)
  } catch {
    return above === path ? path : join(realPath(above), basename(path))
  }
}
