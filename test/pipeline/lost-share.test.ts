import { renameSync, mkdirSync } from 'node:fs'
import { open, type FileHandle } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { fileSource } from '../../src/core/sources/source.ts'
import { share } from '../runs.ts'
import { rimu, startFarm, type Farm } from './farm.ts'

let farm: Farm
let network: string
beforeEach(async () => {
  farm = await startFarm()
  network = join(farm.folder, 'share')
  mkdirSync(network)
  // Long enough for several reads.
  const rows = Array.from({ length: 1500 }, (_, row) => `P${row},Paddock ${row},${'x'.repeat(500)}\n`)
  farm.write('share/nightly.csv', `ID,NAME,NOTE\n${rows.join('')}`)
})
afterEach(() => farm.close())

const nightly = `windrow: 1
import: plots
from: { file: share/nightly.csv }
holding: { scheme: ${rimu.scheme}, id: "${rimu.id}" }
key: <ID>
record: { name: <NAME> }`

/** Does something before each read of a file from the given one on, counted from 1; `end` gives the number of reads. */
async function atRead(from = Infinity, happens = (): void => undefined) {
  const handle = await open(join(network, 'nightly.csv'))
  const reads = Object.getPrototypeOf(handle) as { read: FileHandle['read'] }
  await handle.close()
  const { read } = reads
  let count = 0
  reads.read = function (this: FileHandle, ...given: unknown[]) {
    count += 1
    try {
      if (count >= from) happens()
    } catch (cause) {
      return Promise.reject(cause as Error)
    }
    return Reflect.apply(read, this, given) as ReturnType<FileHandle['read']>
  } as FileHandle['read']
  const end = (): number => {
    reads.read = read
    return count
  }
  onTestFinished(() => void end())
  return { end }
}

/** The last read but one of a run, while the rows are staged. */
async function lateRead(): Promise<number> {
  const counted = await atRead()
  await farm.run(nightly, { dryRun: true })
  return counted.end() - 1
}

const failWith = (code: string) => (): never => {
  throw Object.assign(new Error(`${code}: it went away, read`), { code, syscall: 'read' })
}

describe('a network share that goes away while its file is read', () => {
  test.each(share(['ESTALE', 'EIO', 'ENOTCONN', 'EHOSTDOWN'], 1))(
    'with %s: nothing is sent, the exit status is 4, and the next run continues',
    async (code) => {
      const reading = await atRead(await lateRead(), failWith(code))
      const report = await farm.run(nightly)
      expect(report).toMatchObject({ outcome: 'stopped', exit: 4, error: { code: 'share-lost' } })
      expect(report.error!.message).toContain('nightly.csv')
      expect(farm.posted()).toEqual([])
      reading.end()
      expect(await farm.run(nightly)).toMatchObject({ exit: 0, records: { created: 1500 } })
    },
  )

  test('and is no longer there: likewise', async () => {
    const away = join(farm.folder, 'away')
    let isAway = false
    const reading = await atRead(await lateRead(), () => {
      if (!isAway) renameSync(network, away)
      isAway = true
    })
    const report = await farm.run(nightly)
    expect(report).toMatchObject({ outcome: 'stopped', exit: 4, error: { code: 'share-lost' } })
    expect(farm.posted()).toEqual([])
    reading.end()
    renameSync(away, network)
    expect(await farm.run(nightly)).toMatchObject({ exit: 0, records: { created: 1500 } })
  })

  test('is known by name also where a format reads here and there', async () => {
    const source = await fileSource(join(network, 'nightly.csv'))
    await atRead(2, failWith('ESTALE'))
    expect(await source.read(0, 10)).toHaveLength(10)
    await expect(source.read(0, 10)).rejects.toMatchObject({ code: 'share-lost', exit: 4 })
  })
})

test('a file that is missing on a share that is there is missing', async () => {
  await expect(fileSource(join(network, 'other.csv'))).rejects.toMatchObject({ code: 'file-missing', exit: 2 })
})
