import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { openSpool } from '../../src/pipeline/export/record-spool.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'windrow-spool-'))
  for (const name of ['TMPDIR', 'TEMP', 'TMP']) vi.stubEnv(name, folder)
})
afterEach(() => {
  vi.unstubAllEnvs()
  rmSync(folder, { recursive: true, force: true })
})

test('records are read again in any order, and nothing is left', async () => {
  {
    await using spool = await openSpool<{ readonly name: string }>()
    await spool.add([{ name: 'Rāhui' }, { name: 'Top' }])
    await spool.add([{ name: '' }])
    // Where an open file can be removed, a killed export leaves no records behind.
    expect(readdirSync(folder)).toHaveLength(process.platform === 'win32' ? 1 : 0)
    const read: unknown[] = []
    for await (const batch of spool.batches(2, Uint32Array.of(2, 0, 1))) read.push(batch)
    expect(read).toEqual([[{ name: '' }, { name: 'Rāhui' }], [{ name: 'Top' }]])
  }
  expect(readdirSync(folder)).toEqual([])
})
