import { readdirSync, readFileSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { whenFree } from '../../src/core/sources/when-free.ts'
import { folderWith } from './temporary-folder.ts'

/** Work that fails so many times with a code of Node's. */
function failing(times: number, code: string, work = (): void => undefined) {
  let tries = 0
  return {
    work(): void {
      tries += 1
      if (tries <= times) throw Object.assign(new Error(code), { code, syscall: 'rename' })
      work()
    },
    tries: () => tries,
  }
}

test.each(['EPERM', 'EACCES', 'EBUSY'])('a file that Windows holds for a moment (%s) is replaced', (code) => {
  const folder = folderWith({ 'work.csv': 'old', '.work.part': 'new' })
  const rename = (): void => renameSync(join(folder, '.work.part'), join(folder, 'work.csv'))
  const { work, tries } = failing(3, code, rename)
  whenFree(work, 'win32')
  expect(tries()).toBe(4)
  expect([readdirSync(folder), readFileSync(join(folder, 'work.csv'), 'utf8')]).toEqual([['work.csv'], 'new'])
})

test.each([
  ['EPERM', 'darwin', 1],
  ['EACCES', 'linux', 1],
  ['ENOENT', 'win32', 1],
  ['EBUSY', 'win32', 8],
] as const)('%s on %s is reported after %i tries', (code, platform, expected) => {
  const { work, tries } = failing(Infinity, code)
  const wait = vi.spyOn(Atomics, 'wait').mockReturnValue('timed-out')
  onTestFinished(() => wait.mockRestore())
  expect(() => whenFree(work, platform)).toThrow(code)
  expect(tries()).toBe(expected)
  // For a little more than a second in all.
  const waits = wait.mock.calls.map((each) => each[3])
  expect(waits).toEqual([10, 20, 40, 80, 160, 320, 640].slice(0, expected - 1))
})
