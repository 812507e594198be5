/** Runs `windrow cluster`: looks at the queue that workers share, adds runs to it, and tries failed ones again. */

import { resolve } from 'node:path'
import { exitCodes, WindrowError } from '../core/error.ts'
import { machineZone } from '../mapping/zones.ts'
import { openQueue, queueStates, type Queued, type QueueState } from '../workers/queue.ts'
import { flag, jsonOption, storeOption, word, type Command, type GroupParts } from './options/command.ts'
import { formatModuleOption, knownFormats } from './options/format-module.ts'
import { readFarms } from './schedule/schedule-folder.ts'
import { count, counted, inform, plain, say } from './screen/terminal.ts'
import { localTime } from '../core/values/local-time.ts'
import { requiredStore } from './work.ts'

const mostShown = 20

const status: Command = {
  name: 'status',
  summary: 'Show what waits, runs, is late or has failed; exits 0 only if nothing has failed, for monitoring.',
  words: {},
  options: { ...storeOption, ...jsonOption },
  examples: ['windrow cluster status', 'windrow cluster status --json'],
  async run(call) {
    const { terminal, clock } = call
    await using queue = await openQueue(requiredStore(call))
    const groups = Map.groupBy(await queue.list(), ({ state }) => state)
    const of = (state: QueueState): readonly Queued[] => groups.get(state) ?? []
    const isWell = of('failed').length === 0
    const lists = Object.fromEntries(queueStates.map((state) => [state, of(state)]))
    if (flag(call, 'json')) say(terminal, JSON.stringify({ at: clock().toISOString(), isWell, ...lists }))
    else {
      say(terminal, `Times are in the zone ${machineZone()}.`)
      for (const state of queueStates) say(terminal, ...linesOf(state, of(state)))
    }
    return isWell ? exitCodes.done : exitCodes.doneWithRejects
  },
}

const run: Command = {
  name: 'run',
  summary: 'Add a run of each pipeline to the queue now, unless one waits there; the workers do the rest.',
  words: {
    folder: 'the folder of all farms',
    farm: { description: 'only these farms: the names of their folders', many: true, optional: true },
  },
  options: { ...formatModuleOption, ...storeOption },
  examples: ['windrow cluster run farms', 'windrow cluster run farms rimu totara'],
  async run(call) {
    const { terminal, clock, folder } = call
    await using queue = await openQueue(requiredStore(call))
    const root = resolve(folder, word(call, 'folder'))
    const { pipelines, broken } = await readFarms(root, { formats: await knownFormats(call) })
    const wanted = call.words['farm'] ?? []
    const strange = wanted.find((name) => !pipelines.some(({ farm }) => farm === name))
    if (strange !== undefined)
      throw new WindrowError('option-invalid', `No farm "${strange}" with a pipeline is in "${root}".`)
    const chosen = pipelines.filter(({ farm }) => wanted.length === 0 || wanted.includes(farm))
    // Not those that were tried: a running one has read its file already, and the next try may be hours away.
    const waiting = new Set((await queue.list()).flatMap(({ name, tries }) => (tries === 0 ? name : [])))
    const added = chosen.filter(({ name }) => !waiting.has(name))
    await queue.add(added, clock())
    say(terminal, `${counted(added.length, 'run')} added to the queue.`)
    const left = chosen.length - added.length
    if (left > 0) inform(terminal, `${counted(left, 'pipeline')} not added: a run of each waits there already.`)
    for (const { file, failure } of broken) inform(terminal, `${file}: ${failure.message}`)
    return broken.length === 0 ? exitCodes.done : exitCodes.cannotUse
  },
}

const retry: Command = {
  name: 'retry',
  summary: 'Try runs that failed for good once more.',
  words: { pipeline: { description: 'only those of this pipeline, such as rimu/paddocks', optional: true } },
  options: { ...storeOption },
  examples: ['windrow cluster retry', 'windrow cluster retry rimu/paddocks'],
  async run(call) {
    await using queue = await openQueue(requiredStore(call))
    say(call.terminal, `${counted(await queue.retry(call.words['pipeline']?.[0]), 'run')} will be tried again.`)
  },
}

export const cluster: GroupParts = { parts: [status, run, retry] }

function linesOf(state: QueueState, queued: readonly Queued[]): readonly string[] {
  const shown = queued.slice(0, mostShown).flatMap((each) => [
    // The queue counts a run that is given up as tried as often as it may be.
    plain(
      `  ${each.name}  due ${localTime(each.due)}${each.tries > 1 && state !== 'failed' ? `, try ${each.tries}` : ''}`,
    ),
    ...(each.error === undefined ? [] : [plain(`    ${each.error.split('\n', 1)[0]}`)]),
  ])
  const left = queued.length - mostShown
  return [`${state} ${count(queued.length)}`, ...shown, ...(left > 0 ? [`  and ${count(left)} more`] : [])]
}
