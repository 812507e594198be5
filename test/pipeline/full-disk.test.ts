import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { WindrowError } from '../../src/core/error.ts'
import { assertBalanced, type Report } from '../../src/pipeline/report/report.ts'
import { openStage } from '../../src/pipeline/stage/stage-store.ts'
import { folderWith } from '../core/temporary-folder.ts'
import { share } from '../runs.ts'
import { anyChange, rimu, startFarm, type Farm } from './farm.ts'

// A disk of its own, which only root can mount: elsewhere these tests are skipped.
const disk = mkdtempSync(join(tmpdir(), 'windrow-disk-'))
const mount = () => spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=24m', 'windrow-test', disk]).status === 0
const unmount = () => spawnSync('umount', ['-l', disk]).status === 0
const hasDisk = process.platform === 'linux' && mount() && unmount()
afterAll(() => rmSync(disk, { recursive: true, force: true }))

const rows = 1200
const nightly = `windrow: 1
import: plots
from: { file: nightly.csv }
holding: { scheme: ${rimu.scheme}, id: "${rimu.id}" }
key: <ID>
record: { name: <NAME> }`

let farm: Farm
beforeEach(async () => {
  farm = await startFarm()
  writeNight('Paddock')
})
afterEach(() => farm.close())

const writeNight = (word: string): void => {
  const lines = Array.from({ length: rows }, (_, row) => `P${row},${word} ${row} ${'x'.repeat(200)}`)
  farm.write('nightly.csv', `ID,NAME\n${lines.join('\n')}\n`)
}

const kilobytesLeft = [0, 8, 40, 90, 200, 350, 600, 900, 1300, 1800, 2400, 3000, 3600, 4200, 5000, 6000, 8000]

/** What the disk has no more room for. */
function shortOf(kilobytes: number): string {
  if (kilobytes < 500) return 'a run'
  if (kilobytes < 2000) return 'its stage'
  return kilobytes < 5500 ? 'its receipts' : 'nothing'
}

const filler = join(disk, 'filler')

/** Fills the disk up to so many kilobytes. */
function leave(kilobytes: number): void {
  rmSync(filler, { force: true })
  const { bavail, bsize } = statfsSync(disk)
  writeFileSync(filler, Buffer.alloc(Math.max(0, bavail * bsize - kilobytes * 1024)))
}

describe.skipIf(!hasDisk)('a full disk', () => {
  beforeAll(() => expect(mount()).toBe(true))
  afterAll(() => void unmount())

  const exits = new Set<string>()

  test.each(share(kilobytesLeft, 1, shortOf))(
    'with %i kB left: the run says what became of it, and the next one makes good',
    async (kilobytes) => {
      const state = join(disk, `left-${kilobytes}`)
      mkdirSync(state)
      leave(kilobytes)
      const ended = await farm.run(nightly, { state }).catch((cause: unknown) => cause)
      const posted = farm.posted().flat().length
      expect(ended).not.toHaveProperty('stack', expect.stringContaining('ROLLBACK'))
      if (ended instanceof Error) {
        expect(ended).toBeInstanceOf(WindrowError)
        expect(ended).toMatchObject(posted === 0 ? { code: 'disk-full', exit: 2 } : { code: 'run-unreported', exit: 3 })
        expect((ended as WindrowError).hint).not.toMatch(/move/)
      } else {
        const report = ended as Report
        exits.add(`exit ${report.exit}`)
        if (report.exit !== 0) expect(report.error?.code).toBe('disk-full')
        // No run continues a stage that is not complete, and the disk needs the room.
        if (report.exit === 2) expect(readdirSync(join(state, 'runs', report.run))).toEqual(['report.json'])
        expect(report.exit === 2).toBe(report.exit !== 0 && posted === 0)
        if (posted > 0) assertBalanced(report)
        // What the service answered counts, also where the answers could not be written.
        if (posted > 0) expect(report.records).toMatchObject({ created: posted, unsent: rows - posted })
      }

      rmSync(filler)
      const next = await farm.run(nightly, { state })
      expect(next).toMatchObject({ outcome: 'done', exit: 0, unseen: 0 })
      expect((await farm.held('plots')).size).toBe(rows)
      // Now that there is room, every run has its report.
      for (const id of readdirSync(join(state, 'runs')))
        expect(existsSync(join(state, 'runs', id, 'report.json')), id).toBe(true)
      rmSync(state, { recursive: true })
    },
  )

  test('was found before sending, and while sending', () => {
    expect([...exits].toSorted()).toEqual(['exit 0', 'exit 2', 'exit 3'])
  })

  test.each([1700, 1850, 1900, 1960])(
    'with %i kB left for a night of changes: what the disk took in part is not looked for',
    async (kilobytes) => {
      const state = join(disk, `changes-${kilobytes}`)
      rmSync(filler, { force: true })
      const renaming = `${nightly}\nrules: { ${anyChange} }`
      expect(await farm.run(renaming, { state })).toMatchObject({ exit: 0 })
      writeNight('Field')
      leave(kilobytes)
      expect(await farm.run(renaming, { state })).toMatchObject({ exit: 2, error: { code: 'disk-full' } })
      rmSync(filler)
      expect(await farm.run(renaming, { state })).toMatchObject({ exit: 0, records: { updated: rows } })
      rmSync(state, { recursive: true })
    },
  )

  test('that is read-only is refused with a sentence', async () => {
    const state = join(disk, 'read-only')
    await farm.run(nightly, { state })
    spawnSync('mount', ['-o', 'remount,ro', disk])
    try {
      for (const place of [state, join(disk, 'new')])
        await expect(farm.run(nightly, { state: place })).rejects.toMatchObject({ code: 'disk-read-only', exit: 2 })
    } finally {
      spawnSync('mount', ['-o', 'remount,rw', disk])
    }
  })
})

test('a stage that fills the disk fails with that cause, and is unchanged', () => {
  const stage = openStage(folderWith({}))
  const add = (): void => stage.addRow({ source: 'a.csv', row: 1 }, 'rejected', null, 'x'.repeat(2000))
  add()
  stage.query('PRAGMA max_page_count = 30')
  const full = expect.objectContaining({ errcode: 13 }) as Error
  const fill = (): void => {
    for (;;) add()
  }
  expect(() => stage.together(fill)).toThrow(full)
  const batches = stage.startBatches()
  expect(() => batches.run(fill)).toThrow(full)
  expect(() => batches.end()).not.toThrow()
  expect(stage.query('SELECT count(*) AS n FROM rows')).toEqual([{ n: 1 }])
  stage.close()
})
