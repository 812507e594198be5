import { closeSync, openSync, readFileSync, readdirSync, rmSync, statSync, truncateSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Report } from '../../src/pipeline/report/report.ts'
import { rimu, startFarm, type Farm } from './farm.ts'

const paddocks = 300

let farm: Farm
beforeEach(async () => {
  farm = await startFarm()
  writeRows()
  expect(await farm.run(nightly)).toMatchObject({ exit: 0, records: { created: paddocks } })
})
afterEach(() => farm.close())

const nightly = `windrow: 1
import: plots
from: { file: nightly.csv }
holding: { scheme: ${rimu.scheme}, id: "${rimu.id}" }
key: <ID>
record: { name: <NAME> }`

const writeRows = (name = 'Paddock', count = paddocks): string =>
  farm.write(
    'nightly.csv',
    `ID,NAME\n${Array.from({ length: count }, (_, row) => `P${row},${name} ${row}`).join('\n')}\n`,
  )

const ledger = (): string => join(farm.folder, '.windrow', 'ledger.db')
const setAside = (): readonly string[] =>
  readdirSync(join(farm.folder, '.windrow')).filter((name) => name.startsWith('ledger-damaged') && name.endsWith('.db'))

/** Damages everything behind the first pages, where SQLite keeps what it needs to open the file. */
function damageInside(): void {
  const file = openSync(ledger(), 'r+')
  for (let at = 8 * 8192; at < statSync(ledger()).size; at += 8192) writeSync(file, Buffer.alloc(4000, 7), 0, 4000, at)
  closeSync(file)
}

function damageBodies(): void {
  const database = new DatabaseSync(ledger())
  database.exec(`UPDATE records SET body = substr(body, 1, 30)`)
  database.close()
}

function expectRebuilt(report: Report): void {
  expect(report).toMatchObject({
    outcome: 'done',
    exit: 0,
    rows: { read: paddocks, unchanged: paddocks },
    records: { ready: 0 },
    problems: [{ code: 'ledger-rebuilt', severity: 'warning', count: 1 }],
  })
  const [kept] = setAside()
  const { message } = report.problems[0]!.first[0]!
  expect(message).toContain(kept)
  expect(message).toContain('The service does not know which pipeline published which record')
  expect(farm.posted()).toEqual([])
}

describe('after a ledger was set aside, records that left the file', () => {
  const deleting = `${nightly}\ngone: delete`
  const message = (report: Report) => report.problems.find(({ code }) => code === 'ledger-rebuilt')!.first[0]!.message

  test('are deleted within the guards, because the kept runs show which records are the pipeline’s', async () => {
    truncateSync(ledger())
    writeRows('Paddock', 200)
    const stopped = await farm.run(deleting)
    expect(stopped).toMatchObject({ exit: 6, error: { code: 'rule-stopped' } })
    expect(stopped.error!.message).toContain('100 of 300 records are gone from the file and would be deleted')
    truncateSync(ledger())
    writeRows('Paddock', 295)
    const report = await farm.run(deleting)
    expect(report).toMatchObject({ exit: 0, gone: { gone: 5, deleted: 5 } })
    expect(message(report)).toContain('the kept runs of this pipeline show it')
    expect(message(report)).not.toContain('not deleted')
    expect((await farm.held('plots')).size).toBe(295)
  })

  test('stay if no run is kept', async () => {
    truncateSync(ledger())
    rmSync(join(farm.folder, '.windrow', 'runs'), { recursive: true })
    writeRows('Paddock', 295)
    const report = await farm.run(deleting)
    expect(report).toMatchObject({ exit: 0, gone: { gone: 0 } })
    expect(message(report)).toContain('records missing from the file are not deleted')
    expect(report.problems.find(({ code }) => code === 'not-in-file')).toMatchObject({ severity: 'warning' })
    expect((await farm.held('plots')).size).toBe(paddocks)
  })
})

describe('an unusable ledger is set aside, kept, and rebuilt from the service:', () => {
  test.each<readonly [string, () => void]>([
    ['an empty file', () => truncateSync(ledger())],
    ['a damaged header', () => writeSync(openSync(ledger(), 'r+'), Buffer.alloc(100, 7), 0, 100, 0)],
  ])('%s, in the same run', async (_, damage) => {
    damage()
    const before = readFileSync(ledger())
    expectRebuilt(await farm.run(nightly))
    expect(readFileSync(join(farm.folder, '.windrow', setAside()[0]!)).equals(before)).toBe(true)
    expect((await farm.run(nightly)).problems).toEqual([])
    expect((await farm.held('plots')).size).toBe(paddocks)
  })

  test.each<readonly [string, () => void]>([
    ['damaged pages', damageInside],
    ['bodies that are no JSON', damageBodies],
  ])('%s, found in the middle of a run: it stops before sending, and the next run starts again', async (_, damage) => {
    damage()
    writeRows('Renamed')
    const met = await farm
      .run(nightly)
      .then(({ error, exit }) => ({ code: error?.code, exit, hint: error?.hint }))
      .catch(({ code, exit, hint }: { code: string; exit: number; hint: string }) => ({ code, exit, hint }))
    expect(met).toEqual({
      code: 'state-damaged',
      exit: 2,
      hint: expect.stringContaining('keeps the damaged ledger under another name') as string,
    })
    expect(farm.posted()).toEqual([])
    expect(setAside()).toEqual([])
    writeRows()
    expectRebuilt(await farm.run(nightly))
    expect((await farm.held('plots')).size).toBe(paddocks)
  })
})
