/** Runs `windrow check`: finds mistakes in pipelines, runs their examples, and asks the service. Reads no file of records. */

import { existsSync, readdirSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { exitCodes, naming, WindrowError } from '../core/error.ts'
import { checkTarget } from '../core/sources/target.ts'
import { isS3Address } from '../core/sources/web-address.ts'
import type { Format } from '../formats/format.ts'
import { columnsNamedIn } from '../mapping/cell.ts'
import { compileMapping } from '../mapping/compile.ts'
import { notifyFile, readNotifySettings } from '../notify/settings.ts'
import { pipelineName, readPipeline, type ExportPipeline, type Pipeline } from '../pipeline/definition/definition.ts'
import { checkExamples, sourceIdsOf } from '../pipeline/definition/examples.ts'
import { exportJobOf } from '../pipeline/export/export-job.ts'
import { checkFilter } from '../pipeline/export-run.ts'
import { checkChoices } from '../pipeline/export/export-tables.ts'
import { checkFolder } from '../pipeline/keep-export.ts'
import { askToPublish, refuseServiceIds } from '../pipeline/send/ask-to-publish.ts'
import { faultOfOrder, type Waiting } from '../schedule/keeper.ts'
import { checkTimes, nextTime } from '../schedule/due.ts'
import { timeIn } from '../schedule/status.ts'
import { connectionOption, flag, jsonOption, type Call, type CommandSpec } from './options/command.ts'
import { formatModuleOption, knownFormats } from './options/format-module.ts'
import { reach } from './options/reach.ts'
import { painter, plain, say } from './screen/terminal.ts'

export const check: CommandSpec = {
  words: { pipeline: { description: 'the pipeline file', many: true } },
  options: { ...formatModuleOption, ...connectionOption, ...jsonOption },
  examples: ['windrow check pipelines/onboard-paddocks.yaml'],
  async run(call) {
    const { terminal } = call
    const paint = painter(terminal)
    const formats = await knownFormats(call)
    const checked: Checked[] = []
    for (const path of call.words['pipeline'] ?? []) checked.push(await checkFile(path, formats, call))
    const areGood = checked.every(({ examples }) => examples.every(({ ok }) => ok))
    if (flag(call, 'json')) say(terminal, JSON.stringify(checked))
    else
      for (const { pipeline, kind, type, examples, nextRun, refused, unchecked } of checked) {
        const good = examples.filter(({ ok }) => ok).length
        const done =
          examples.length === 0 ? 'no mistakes' : `${good} of ${examples.length} examples give the expected record`
        say(terminal, plain(`${pipeline}   ${kind} ${type}, ${done}`))
        for (const { example, difference } of examples)
          if (difference !== undefined) say(terminal, paint('red', plain(`  example ${example}: ${difference}`)))
        if (nextRun !== undefined) say(terminal, `  Next run by its schedule: ${timeIn(nextRun.at, nextRun.zone)}`)
        if (refused !== undefined)
          say(terminal, paint('red', plain(`  ${refused.message}`)), plain(`  ${refused.hint}`))
        if (unchecked !== undefined) say(terminal, plain(`  ${unchecked}`))
      }
    const worst = Math.max(0, ...checked.map(({ refused }) => refused?.exit ?? 0))
    return areGood ? worst : Math.max(worst, exitCodes.cannotUse)
  },
}

async function checkFile(path: string, formats: readonly Format[], call: Call): Promise<Checked> {
  const whole = resolve(call.folder, path)
  if (basename(path) === notifyFile) {
    await readNotifySettings(whole, call)
    return { pipeline: path, kind: 'notify', type: 'messages', examples: [] }
  }
  const pipeline = await readPipeline(whole, formats)
  await assertOrder(pipeline, formats)
  const isImport = pipeline.kind === 'import'
  const examples = isImport ? checkExamples(pipeline) : []
  const asked = await askService(pipeline, formats, call)
  if (!isImport) await checkExport(pipeline, call.clock(), formats)
  const { kind, type, schedule } = pipeline
  if (schedule !== undefined) checkTimes(schedule)
  const at = schedule && nextTime(schedule, call.clock())
  const nextRun = at && { at, zone: schedule.zone }
  return { pipeline: path, kind, type: type.plural, examples, nextRun, ...asked }
}

/** Throws what a run would throw before it asks the service for anything, such as for a kind of file that nobody can write. */
async function checkExport(pipeline: ExportPipeline, now: Date, formats: readonly Format[]): Promise<void> {
  try {
    const job = exportJobOf(pipeline, now, formats)
    checkChoices(job)
    if (isS3Address(job.path)) return
    checkFolder(job.path, job.makesFolders)
    if (existsSync(dirname(job.path))) await checkTarget(job.path)
  } catch (cause) {
    throw naming(basename(pipeline.path), cause)
  }
}

/** Checks the order of a pipeline among the files of its folder; those with mistakes of their own count as there. */
async function assertOrder(pipeline: Pipeline, formats: readonly Format[]): Promise<void> {
  if (pipeline.after === undefined) return
  const folder = dirname(pipeline.path)
  const files = readdirSync(folder).filter((file) => /\.ya?ml$/i.test(file))
  const all = await Promise.all(
    files.map(async (file): Promise<Waiting | undefined> => {
      try {
        const found = await readPipeline(join(folder, file), formats)
        return found.schedule === undefined ? undefined : found
      } catch (cause) {
        if (!(cause instanceof WindrowError)) throw cause
        return { name: pipelineName(file) }
      }
    }),
  )
  const fault = faultOfOrder(
    pipeline,
    all.filter((each) => each !== undefined),
  )
  if (fault !== undefined) throw fault
}

type Checked = Asked & {
  readonly pipeline: string
  readonly kind: string
  readonly type: string
  readonly examples: ReturnType<typeof checkExamples>
  readonly nextRun?: { readonly at: Date; readonly zone: string } | undefined
}

type Asked = {
  readonly refused?: { readonly code: string; readonly message: string; readonly hint: string; readonly exit: number }
  /** Why the service was not asked. */
  readonly unchecked?: string
}

/**
 * Finds the connection. Asks the service, where one is connected, whether it would accept the records of an import, or has any for the
 * words of an export.
 */
async function askService(pipeline: Pipeline, formats: readonly Format[], call: Call): Promise<Asked> {
  const { type } = pipeline
  try {
    if (pipeline.kind === 'export') {
      const { client } = await reach(call, pipeline)
      await checkFilter(exportJobOf(pipeline, call.clock(), formats), client, call.signal)
      return {}
    }
    const { mapping } = pipeline
    const { holding } = compileMapping(mapping)
    const [keys, keyColumn] = [sourceIdsOf(pipeline), columnsNamedIn(mapping.key).join(' + ')]
    const { client } = await reach(call, pipeline, { isTrial: true }).catch((cause: unknown) => {
      refuseServiceIds(keyColumn, keys)
      throw cause
    })
    const holdings = holding === undefined ? [] : [holding]
    await askToPublish(client, { type, holdings, keys, keyColumn }, call.signal)
    return {}
  } catch (cause) {
    if (!(cause instanceof WindrowError)) throw cause
    const { code, message, hint = '', exit, data } = cause
    if (exit !== exitCodes.unreachable && data['isNone'] !== true) return { refused: { code, message, hint, exit } }
    if (pipeline.kind === 'export' && data['isNone'] === true) return {}
    const may = pipeline.kind === 'export' ? `read ${type.plural}` : `publish ${type.plural} for this farm`
    return { unchecked: `Not checked: whether you may ${may}. ${message}` }
  }
}
