/** Runs `windrow cluster`: looks at the queue that workers share, adds runs to it, and tries failed ones again. */

import { resolve } from 'node:path'
import { exitCodes, WindrowError } from '../core/error.ts'
import { machineZone } from '../mapping/zones.ts'
import { inOrder } from '../schedule/keeper.ts'
import { openScheduleMemory, type ScheduleMemory } from '../schedule/memory.ts'
import { openQueue, prepareQueue, queueStates, type Queued, type QueueState, type RunQueue } from '../schedule/queue.ts'
import { flag, jsonOption, storeOption, word, type Call, type Command, type GroupParts } from './options/command.ts'
import { readFarms } from './schedule/schedule-folder.ts'
import { formatModuleOption, knownFormats } from './options/format-module.ts'
import { count, counted, inform, localTime, plain, say } from './screen/terminal.ts'
import { asTried, enqueue, requiredStore } from './work.ts'

const mostShown = 20

const status: Command = {
  name: 'status',
  summary: 'Show what waits, runs, is late or has failed; exits 0 only if nothing has failed, for monitoring.',
  words: {},
  options: { ...storeOption, ...jsonOption },
  examples: ['windrow cluster status', 'windrow cluster status --json'],
  run: (call) =>
    withQueue(call, ({ queue }) => {
      const { terminal, clock } = call
      const groups = Map.groupBy(queue.list(), ({ state }) => state)
      const of = (state: QueueState): readonly Queued[] => groups.get(state) ?? []
      const isWell = of('failed').length === 0
      const lists = Object.fromEntries(queueStates.map((state) => [state, of(state)]))
      if (flag(call, 'json')) say(terminal, JSON.stringify({ at: clock().toISOString(), isWell, ...lists }))
      else {
        say(terminal, `Times are in the zone ${machineZone()}.`)
        for (const state of queueStates) say(terminal, ...linesOf(state, of(state)))
      }
      return isWell ? exitCodes.done : exitCodes.doneWithRejects
    }),
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
  run: (call) =>
    withQueue(call, async ({ queue, memory }) => {
      const { terminal, clock, folder } = call
      const root = resolve(folder, word(call, 'folder'))
      const formats = await knownFormats(call)
      const { pipelines, broken } = await readFarms(root, { formats })
      const wanted = call.words['farm'] ?? []
      const strange = wanted.find((name) => !pipelines.some(({ farm }) => farm === name))
      if (strange !== undefined)
        throw new WindrowError('option-invalid', `No farm "${strange}" with a pipeline is in "${root}".`)
      const chosen = pipelines.filter(({ farm }) => wanted.length === 0 || wanted.includes(farm))
      const due = clock()
      let added = 0
      for (const each of inOrder(chosen.map(asTried))) if (enqueue({ ...each, due }, memory, queue)) added += 1
      say(terminal, `${counted(added, 'run')} added to the queue.`)
      for (const { file, failure } of broken) inform(terminal, `${file}: ${failure.message}`)
      return broken.length === 0 ? exitCodes.done : exitCodes.cannotUse
    }),
}

const retry: Command = {
  name: 'retry',
  summary: 'Try runs that failed for good once more.',
  words: { pipeline: { description: 'only those of this pipeline, such as rimu/paddocks', optional: true } },
  options: { ...storeOption },
  examples: ['windrow cluster retry', 'windrow cluster retry rimu/paddocks'],
  run: (call) =>
    withQueue(call, ({ queue }) =>
      say(call.terminal, `${counted(queue.retry(call.words['pipeline']?.[0]), 'run')} will be tried again.`),
    ),
}

export const cluster: GroupParts = { parts: [status, run, retry] }

type Opened = { readonly queue: RunQueue; readonly memory: ScheduleMemory }

async function withQueue(
  call: Call,
  work: (opened: Opened) => number | void | Promise<number>,
): Promise<number | void> {
  const store = requiredStore(call)
  await prepareQueue(store)
  using memory = openScheduleMemory(store)
  using queue = openQueue(store)
  return await work({ queue, memory })
}

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
