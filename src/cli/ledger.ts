/** Runs `windrow ledger`: shows, exports and forgets what windrow knows of the records in the service. */

import { join, resolve } from 'node:path'
import { WindrowError } from '../core/error.ts'
import { hostAndDatabase } from '../core/postgres.ts'
import { readBody } from '../ledger/content.ts'
import { openKnownRecords, type KnownRecord, type KnownRecords } from '../ledger/known-records.ts'
import { ledgerIn, type RecordState, type StatePlace } from '../ledger/ledger.ts'
import { moveLedger } from '../ledger/move-ledger.ts'
import { pipelineName } from '../pipeline/definition/definition.ts'
import { lockPipeline } from '../pipeline/report/run-folder.ts'
import { idInKey } from '../resources/keys.ts'
import {
  flag,
  jsonOption,
  stateOption,
  storeOption,
  text,
  type Call,
  type Command,
  type GroupParts,
} from './options/command.ts'
import { isConfirmed, yesOption } from './options/asker.ts'
import { ledgerPlace, nameInStore, statePlace } from './options/reach.ts'
import { outOptions, printWritten, tableLines, textType, writeBodies } from './service/answer.ts'
import { count, counted, plain, say } from './screen/terminal.ts'

const words = {
  pipeline: { description: 'the name of a pipeline, or its file (default: all records)', optional: true },
}
const deletedOption = { '--deleted': 'also records that were deleted' }
const mostShown = 50

const stateWords: Readonly<Record<RecordState, string>> = {
  confirmed: 'in the service',
  accepted: 'accepted, not shown yet',
  missing: 'not shown by the rebuilt service',
  deleting: 'deletion accepted, not shown yet',
  deleted: 'deleted',
}

const show: Command = {
  name: 'show',
  summary: 'Show which records windrow thinks the service has, and which pipeline published them.',
  words,
  options: { ...deletedOption, ...stateOption, ...storeOption, ...jsonOption },
  examples: ['windrow ledger show', 'windrow ledger show pipelines/nightly-paddocks.yaml'],
  run: (call) =>
    inLedger(call, ({ records }) => {
      const { terminal } = call
      const asJson = flag(call, 'json')
      const found: Shown[] = []
      const states: Partial<Record<RecordState, number>> = {}
      let all = 0
      for (const { body: _, ...record } of records()) {
        all += 1
        states[record.state] = (states[record.state] ?? 0) + 1
        if (asJson || found.length < mostShown) found.push(record)
      }
      if (asJson) return say(terminal, JSON.stringify(found))
      if (all > 0) say(terminal, ...tableLines(found, columnsOf(found), terminal))
      if (all > found.length)
        say(terminal, `... and ${count(all - found.length)} more; windrow ledger export -o FILE writes them all`)
      say(terminal, plain(summaryOf(all, states)))
    }),
}

const exported: Command = {
  name: 'export',
  summary: 'Write what windrow knows of the records to a .csv or .xlsx file, or print it with all fields as JSON.',
  words,
  options: { ...outOptions, ...deletedOption, ...stateOption, ...storeOption, ...jsonOption },
  examples: ['windrow ledger export -o ledger.csv', 'windrow ledger export nightly-paddocks --json'],
  run: (call) =>
    inLedger(call, async ({ records }) => {
      if (text(call, 'out') !== undefined) {
        const rows = records().map((each) => [rowOf(each)])
        printWritten(await writeBodies(knownType, rows, call), call)
      } else if (flag(call, 'json')) {
        const all = records().map(({ body, ...each }) => ({ ...each, body: readBody(body) }))
        say(call.terminal, JSON.stringify(all.toArray()))
      } else
        throw new WindrowError('option-invalid', 'Which file should be written?', {
          hint: 'Add -o ledger.csv, or --json to print all records.',
        })
    }),
}

const forget: Command = {
  name: 'forget',
  summary: 'Forget that a pipeline published its records, or one record: no run deletes them from then on.',
  words: { pipeline: { ...words.pipeline, description: 'the name of a pipeline, or its file' } },
  options: {
    '--record <ID>': 'only this record, by its id or its whole key',
    ...yesOption,
    ...stateOption,
    ...storeOption,
  },
  examples: ['windrow ledger forget old-paddocks', 'windrow ledger forget nightly-paddocks --record 007 --yes'],
  run: (call) =>
    inLedger(call, async ({ known, records, pipeline, place }) => {
      const { terminal } = call
      const id = text(call, 'record')
      if (pipeline === undefined && id === undefined)
        throw new WindrowError('option-invalid', 'What should be forgotten?', {
          hint: 'Name a pipeline, or a record with --record ID.',
        })
      const entries = id === undefined ? undefined : entriesOf(records(), id)
      const isOne = entries !== undefined
      const allOf = (): number => records().reduce((sum) => sum + 1, 0)
      const what = isOne ? recordInWords(entries) : counted(allOf(), 'record')
      const owners = isOne ? [...new Set(entries.flatMap((each) => each.pipeline ?? []))] : [pipeline!]
      if (owners.length === 0) return say(terminal, plain(`No pipeline owns ${what}: there is nothing to forget.`))
      const consequence = isOne
        ? 'It stays in the service unchanged, but counts as not ours from then on: no run deletes it.'
        : 'They stay in the service unchanged, but count as not ours from then on: no run deletes them.'
      say(
        terminal,
        plain(`windrow will forget that ${owners.map((owner) => `"${owner}"`).join(' and ')} published ${what}.`),
        consequence,
        'A pipeline whose file has such a record makes it its own again.',
      )
      const hint = 'Add --yes to forget without asking, or look first with windrow ledger show.'
      if (!(await isConfirmed({ what: 'Forget', question: 'Forget?', hint }, call)))
        return say(terminal, 'Nothing was changed.')
      // A run of the pipeline must not end between the two.
      using locks = new DisposableStack()
      for (const owner of owners) locks.use(lockPipeline(place, owner))
      if (isOne) for (const each of entries) known.forgetRecord(each)
      else known.forgetPipeline(pipeline!)
      say(terminal, plain(`Forgotten: ${what}.`))
    }),
}

const move: Command = {
  name: 'move',
  summary: 'Move the ledger of a folder of pipelines into a PostgreSQL database, where several machines can use it.',
  words: { folder: { description: 'the folder of the pipelines (default: this one)', optional: true } },
  options: { ...stateOption, ...storeOption },
  examples: ['windrow ledger move farms/rimu --store postgres://windrow@db.example/windrow'],
  async run(call) {
    const folder = resolve(call.folder, call.words['folder']?.[0] ?? '')
    const { state, store } = statePlace(call, folder)
    if (store === undefined)
      throw new WindrowError('option-invalid', 'Where should the ledger be moved to?', {
        hint: 'Name the database with --store postgres://user@host/database, or in WINDROW_STORE.',
      })
    const [from, keptAs] = [ledgerIn({ state }), join(state, 'ledger-moved.db')]
    const moved = moveLedger({
      from,
      keptAs,
      store,
      nameOf: (name) => nameInStore({ name, path: join(folder, `${name}.yaml`) }),
      pathOf: (file) => resolve(state, file),
    })
    say(
      call.terminal,
      plain(`${counted(moved, 'record')} moved to ${hostAndDatabase(store)}. The file is now "${keptAs}".`),
      'From now on run these pipelines with --store or WINDROW_STORE, on every machine.',
    )
  },
}

export const ledger: GroupParts = { parts: [show, exported, forget, move] }

type Opened = {
  readonly known: KnownRecords
  readonly records: () => IteratorObject<KnownRecord, undefined>
  readonly pipeline: string | undefined
  readonly place: StatePlace
}

/** Does work with the records of the pipeline that the words name, or with all. */
async function inLedger(call: Call, work: (opened: Opened) => void | Promise<void>): Promise<void> {
  const given = call.words['pipeline']?.[0]
  const isFile = given !== undefined && /\.ya?ml$/i.test(given)
  const place = ledgerPlace(call, isFile ? given : undefined)
  const path = resolve(call.folder, given ?? '')
  const name = pipelineName(path)
  const ofFile = place.store === undefined ? name : nameInStore({ name, path })
  const wanted = isFile ? ofFile : given
  using known = openKnownRecords(ledgerIn(place))
  const names = known.pipelines()
  // A ledger from before may have accents apart, as macOS writes them.
  const alike = names.filter((each) => each.normalize('NFC') === wanted?.normalize('NFC'))
  const pipeline = alike.find((each) => each === wanted) ?? alike[0] ?? wanted
  if (pipeline !== undefined && !names.includes(pipeline))
    throw new WindrowError('option-invalid', `The ledger has no pipeline "${pipeline}".`, {
      hint: names.length === 0 ? 'It has none at all: check --state.' : `It has: ${names.join(', ')}.`,
    })
  const withDeleted = flag(call, 'deleted')
  const isAsked = ({ state }: KnownRecord) => withDeleted || state !== 'deleted'
  const records = () => Iterator.from(known.list(pipeline)).filter(isAsked)
  await work({ known, records, pipeline, place })
}

/** The entries of the only record with this id: one for each account, such as that of a rehearsal and that of the real service. */
function entriesOf(records: IteratorObject<KnownRecord, undefined>, id: string): readonly KnownRecord[] {
  const found = records.filter(({ key }) => key === id || idInKey(key) === id).toArray()
  const keys = [...new Set(found.map(({ key }) => key))]
  if (keys.length === 1) return found
  throw new WindrowError(
    'option-invalid',
    `${keys.length === 0 ? 'No record has' : 'Several records have'} the id "${id}".`,
    {
      hint:
        keys.length === 0
          ? 'windrow ledger show lists them.'
          : `Name the pipeline, or one of the keys: ${keys.slice(0, 5).join(', ')}.`,
    },
  )
}

function recordInWords([first, ...more]: readonly KnownRecord[]): string {
  return `the record "${idInKey(first!.key)}"${more.length > 0 ? ` in ${more.length + 1} accounts` : ''}`
}

type Shown = Omit<KnownRecord, 'body'>

function columnsOf(records: readonly Shown[]) {
  const hasAccounts = new Set(records.map(({ account }) => account)).size > 1
  return {
    Id: ({ key }: Shown) => idInKey(key),
    Dataset: ({ dataset }: Shown) => dataset,
    State: ({ state }: Shown) => stateWords[state],
    Pipeline: ({ pipeline }: Shown) => pipeline ?? '(nobody’s)',
    Changed: ({ modified }: Shown) => modified,
    ...(hasAccounts ? { Account: ({ account }: Shown) => account } : {}),
    Key: ({ key }: Shown) => key,
  }
}

function summaryOf(all: number, states: Partial<Record<RecordState, number>>): string {
  const counts = Object.entries(states).map(([state, its]) => `${count(its)} ${stateWords[state as RecordState]}`)
  return `${counted(all, 'record')}${counts.length === 0 ? '' : `: ${counts.join('; ')}`}.`
}

function rowOf({ key, dataset, state, pipeline, modified, account, body }: KnownRecord): object {
  const { name } = readBody(body)
  return { id: idInKey(key), name, dataset, state: stateWords[state], pipeline, changed: modified, key, account }
}

const knownType = textType('known-records', ['id', 'name', 'dataset', 'state', 'pipeline', 'changed', 'key', 'account'])
