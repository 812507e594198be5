import { expect, test } from 'vitest'
import { noteAnswers, noteGone, noteUnseen } from '../../src/pipeline/report/note-answers.ts'
import { openStage, type RecordAction, type Stage } from '../../src/pipeline/stage/stage-store.ts'
import { folderWith } from '../core/temporary-folder.ts'
import { processorMs } from '../processor-time.ts'

const source = 'a.csv'

/** Stages a record; each row of the file that it was made of is one of `rows`. */
function stageRecord(stage: Stage, key: string, action: RecordAction, rows: readonly number[]): number {
  const record = stage.addRecord({
    key,
    action,
    hash: 'h',
    base: null,
    sourceScheme: 's',
    sourceId: key,
    modified: '2026-11-16T00:00:00Z',
    body: undefined,
    before: undefined,
  })
  for (const row of rows) stage.addRow({ source, row }, 'ready', record, key)
  return record
}

function notesIn(stage: Stage): readonly string[] {
  const notes = stage.query<{ code: string; row: number; value: string }>(
    `SELECT code, row, json_extract(detail, '$.value') AS value FROM problems ORDER BY id`,
  )
  return notes.map(({ code, row, value }) => `${code} ${value} ${row}`)
}

test('each row of a refused record has its note; a record without rows has one', () => {
  const stage = openStage(folderWith({}))
  const refused = [stageRecord(stage, 'p/1', 'create', [1, 3]), stageRecord(stage, 'p/2', 'delete', [])]
  stage.addReceipts(refused.map((record) => ({ record, state: 'refused' })))
  stage.addReceipts([{ record: stageRecord(stage, 'p/4', 'update', [4]), state: 'stale' }])
  stageRecord(stage, 'p/5', 'keep', [])
  for (const _ of ['noted', 'noted again']) {
    noteAnswers(stage, source)
    noteGone(stage, source)
  }
  noteUnseen(stage, source, ['p/1', 'p/2'])
  expect(notesIn(stage)).toEqual([
    'refused 1 1',
    'refused 1 3',
    'refused 2 -1',
    'changed-meanwhile 4 4',
    'gone-from-source 5 -1',
    'not-seen 1 1',
    'not-seen 2 -1',
  ])
  stage.close()
})

test('a file of few of many records is noted in time proportional to it', async () => {
  const stage = openStage(folderWith({}))
  const count = 6000
  const keys = Array.from({ length: count }, (_, row) => `p/${row}`)
  const staged = await processorMs(() =>
    stage.together(() => {
      const records = keys.map((key, row) => stageRecord(stage, key, 'update', [row]))
      for (const key of keys) stageRecord(stage, `${key}-gone`, 'keep', [])
      for (const record of records) stage.change(`INSERT INTO receipts (record, state) VALUES (?, 'refused')`, record)
    }),
  )
  const noted = await processorMs(() => {
    noteAnswers(stage, source)
    noteGone(stage, source)
    noteUnseen(stage, source, keys)
  })
  expect(notesIn(stage)).toHaveLength(3 * count)
  expect(noted).toBeLessThan(10 * staged + 200)
  stage.close()
})
