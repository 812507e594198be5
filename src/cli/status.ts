/** Runs `windrow status`: shows how the scheduled pipelines of a folder are, for people and for monitoring. */

import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { exitCodes } from '../core/error.ts'
import { quoted } from '../core/shell-word.ts'
import { machineZone } from '../mapping/zones.ts'
import { hasOutbox, openOutbox } from '../notify/outbox.ts'
import { notifyFile, readNotifyFile } from '../notify/settings.ts'
import { openScheduleMemory } from '../schedule/memory.ts'
import { reportsIn, statusOf, type PipelineStatus } from '../schedule/status.ts'
import { flag, jsonOption, stateOption, word, type Call, type CommandSpec } from './options/command.ts'
import { formatModuleOption, knownFormats } from './options/format-module.ts'
import { stateOf } from './options/reach.ts'
import { brokenBy, readFolder, type ScheduleFolder } from './schedule/schedule-folder.ts'
import { count, painter, plain, say, type Terminal } from './screen/terminal.ts'
import { localTime } from '../core/values/local-time.ts'
import { alignedLines } from './screen/text-width.ts'

export const status: CommandSpec = {
  words: { folder: 'the folder with the pipeline files' },
  options: { ...formatModuleOption, ...stateOption, ...jsonOption },
  examples: ['windrow status pipelines', 'windrow status pipelines --json'],
  async run(call) {
    const { terminal, clock } = call
    const folder = resolve(call.folder, word(call, 'folder'))
    const found = await readFolder(folder, { formats: await knownFormats(call) })
    const all = { ...found, broken: [...found.broken, ...(await brokenNotify(folder, call.platform))] }
    const state = stateOf(call, folder)
    const statuses = [
      ...(await statusesIn(all, state, clock(), word(call, 'folder'))),
      ...unsentMessages(folder, state, call),
    ]
    const isWell = statuses.every((each) => each.isWell)
    if (flag(call, 'json')) say(terminal, JSON.stringify({ at: clock().toISOString(), isWell, pipelines: statuses }))
    else say(terminal, `Times are in the zone ${machineZone()}.`, ...tableLines(statuses, terminal))
    return isWell ? exitCodes.done : exitCodes.doneWithRejects
  },
}

/** With a mistake in notify.yaml nobody hears of a bad night. Monitoring may not have the secrets of the schedule. */
async function brokenNotify(folder: string, platform: NodeJS.Platform): Promise<ScheduleFolder['broken']> {
  const path = join(folder, notifyFile)
  if (!existsSync(path)) return []
  try {
    await readNotifyFile(path, platform)
    return []
  } catch (cause) {
    return [brokenBy(cause, notifyFile)]
  }
}

/** Where the last message did not arrive, nobody may have heard of a bad night. */
function unsentMessages(folder: string, state: string, call: Call): readonly PipelineStatus[] {
  if (!existsSync(join(folder, notifyFile)) || !hasOutbox(state)) return []
  using outbox = openOutbox(state, call.clock)
  const unsent = outbox.unsent()
  if (unsent.length === 0) return []
  const test = `windrow schedule ${quoted(word(call, 'folder'))} --test-notify`
  const ways = unsent.map(({ channel, reason }) => `${channel}: ${reason}`).join('; ')
  const why = `The last message did not arrive. ${ways}. Correct that, then try it:  ${test}`
  return [{ pipeline: notifyFile, isWell: false, why }]
}

/** How each pipeline of the folder is, which a person calls `typed`; a file that cannot be read is not well. */
export async function statusesIn(
  { scheduled, broken }: ScheduleFolder,
  state: string,
  now: Date,
  typed = '',
): Promise<readonly PipelineStatus[]> {
  const reports = reportsIn(state, now)
  using memory = existsSync(join(state, 'schedule.db')) ? openScheduleMemory(state) : undefined
  const known = await Promise.all(
    scheduled.map((pipeline) =>
      statusOf(pipeline, {
        reports,
        lastDue: memory?.last(pipeline.name),
        night: memory?.night(pipeline.name),
        now,
      }),
    ),
  )
  return [
    ...known,
    ...broken.map(({ file, failure }) => ({
      pipeline: file,
      isWell: false,
      // The first mistake follows in the second line.
      why: `The file cannot be used. ${failure.message.split(/\s*\n\s*/, 2).join(' ')} windrow check ${quoted(join(typed, file))} shows all of it.`,
    })),
  ].sort((one, other) => (one.pipeline < other.pipeline ? -1 : 1))
}

const heads = ['Pipeline', 'Last run', 'Last good run', 'Next run', 'File age', 'Records'] as const

function tableLines(statuses: readonly PipelineStatus[], terminal: Terminal): readonly string[] {
  const paint = painter(terminal)
  const [head = '', ...lines] = alignedLines([heads, ...statuses.map((each) => cellsOf(each).map(plain))], 4)
  return [
    paint('bold', head),
    ...statuses.flatMap(({ why }, at) => [
      lines[at]!,
      ...(why === undefined ? [] : [paint('red', `    ${plain(why)}`)]),
    ]),
  ]
}

function cellsOf({ pipeline, lastRun, lastGoodRun, nextRun, file, records }: PipelineStatus): readonly string[] {
  const time = (moment: string | undefined): string => (moment === undefined ? '-' : localTime(moment))
  const age = file === undefined ? '-' : file.ageSeconds === undefined ? 'no file' : ageText(file.ageSeconds)
  return [
    pipeline,
    time(lastRun?.started),
    time(lastGoodRun?.started),
    time(nextRun),
    age,
    records === undefined ? '-' : count(records),
  ]
}

function ageText(seconds: number): string {
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min`
  return seconds < 2 * 86_400 ? `${Math.floor(seconds / 3600)} h` : `${Math.floor(seconds / 86_400)} days`
}
