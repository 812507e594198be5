import fs, { mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { checkTarget, fileTarget } from '../../src/core/sources/target.ts'
import type { WatchFolder } from '../../src/pipeline/definition/definition.ts'
import { chooseFiles, finishFile, openTakenFiles } from '../../src/pipeline/prepare/watch-folder.ts'
import { holdFiles } from '../core/held-files.ts'
import { folderWith } from '../core/temporary-folder.ts'

test('a file is written where Windows holds the one that tried its place, and leaves nothing beside it', async () => {
  const folder = folderWith({ 'work.csv': 'old' })
  const path = join(folder, 'work.csv')
  const held = holdFiles()
  await checkTarget(path)
  const target = await fileTarget(path)
  await target.write('new')
  await target.commit()
  const left = await fileTarget(path)
  await left.abandon()
  expect(held.size).toBe(3)
  expect([readdirSync(folder), readFileSync(path, 'utf8')]).toEqual([['work.csv'], 'new'])
})

/** A file that arrived and was read, and is now moved away. */
async function moved() {
  const folder = folderWith({ 'inbox/farm.csv': 'ID\n1\n' })
  mkdirSync(join(folder, 'done'))
  const watch: WatchFolder = {
    folder: join(folder, 'inbox'),
    pattern: '*',
    take: 'newest',
    moveTo: join(folder, 'done'),
    allowsNone: false,
  }
  const taken = openTakenFiles(folder, 'nightly')
  onTestFinished(() => taken[Symbol.dispose]())
  const { toRead } = await chooseFiles(watch, [join(folder, 'inbox/farm.csv')], { taken, now: new Date() })
  const move = () => finishFile(toRead[0]!, watch, { taken, wasRead: true })
  return { move, files: () => [readdirSync(watch.folder), readdirSync(watch.moveTo!)] }
}

test('a file that arrived is moved where Windows holds it for a moment', async () => {
  const { move, files } = await moved()
  holdFiles()
  expect(await move()).toBeUndefined()
  expect(files()).toEqual([[], ['farm.csv']])
})

test('a file that can be copied to another disk but not deleted leaves no copy each night', async () => {
  const { move, files } = await moved()
  const { renameSync, unlinkSync } = fs
  const failing = (code: string) => (): never => {
    throw Object.assign(new Error(code), { code })
  }
  Object.assign(fs, { renameSync: failing('EXDEV'), unlinkSync: failing('EROFS') })
  syncBuiltinESMExports()
  onTestFinished(() => {
    Object.assign(fs, { renameSync, unlinkSync })
    syncBuiltinESMExports()
  })
  expect(await move()).toMatch(/^"farm.csv" cannot be moved to .* EROFS. It is not read again.$/)
  expect(await move()).toContain('EROFS')
  expect(files()).toEqual([['farm.csv'], []])
})
