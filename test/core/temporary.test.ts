import { execFile } from 'node:child_process'
import { existsSync, readFileSync, statSync } from 'node:fs'
import promises from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { promisify } from 'node:util'
import { afterEach, expect, test, vi } from 'vitest'
import { fillTemporary } from '../../src/core/sources/temporary.ts'
import { root } from '../imports.ts'
import { folderWith } from './temporary-folder.ts'

afterEach(() => void vi.unstubAllEnvs())

async function* chunks(...texts: readonly string[]): AsyncGenerator<Uint8Array> {
  for (const text of texts) yield Buffer.from(text)
}

test('a stream is stored for its owner alone until it is removed', async () => {
  const file = await fillTemporary(chunks('Rimu', ' Farm'))
  expect(readFileSync(file.path, 'utf8')).toBe('Rimu Farm')
  if (process.platform !== 'win32') expect(statSync(file.path).mode & 0o777).toBe(0o600)
  await file.remove()
  await file.remove()
  expect(existsSync(file.path)).toBe(false)
})

test('a file that Windows keeps because it is open harms nobody, and goes later', async () => {
  const file = await fillTemporary(chunks('Rimu'))
  const { rm } = promises
  promises.rm = () => Promise.reject(Object.assign(new Error('EBUSY'), { code: 'EBUSY', syscall: 'unlink' }))
  syncBuiltinESMExports()
  await file.remove().finally(() => {
    promises.rm = rm
    syncBuiltinESMExports()
  })
  expect(existsSync(file.path)).toBe(true)
  await file.remove()
  expect(existsSync(file.path)).toBe(false)
})

test('a folder for temporary files that is none is named', async () => {
  const file = join(folderWith({ file: '' }), 'file')
  for (const name of ['TMPDIR', 'TEMP', 'TMP']) vi.stubEnv(name, file)
  await expect(fillTemporary(chunks('Rimu'))).rejects.toMatchObject({
    code: 'file-missing',
    message: `"${file}", the folder for temporary files, is not a folder.`,
  })
})

test('a stream without input is abandoned when the signal aborts', async () => {
  const stop = new AbortController()
  const filling = fillTemporary(new Readable({ read: () => undefined }), stop.signal)
  setTimeout(() => stop.abort(new Error('enough')), 20)
  await expect(filling).rejects.toThrow('enough')
})

test.each(['throw new Error("broken")', 'process.exit(3)'])('nothing stays behind after: %s', async (end) => {
  const script = `
    import { fillTemporary } from ${JSON.stringify(new URL('src/core/sources/temporary.ts', `file://${root}/`).href)}
    const { path } = await fillTemporary([Buffer.from('x')])
    process.stdout.write(path)
    ${end}`
  const ran = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', script]).catch(
    (failed: { stdout: string }) => failed,
  )
  expect(ran.stdout).toContain('windrow-')
  expect(existsSync(ran.stdout)).toBe(false)
})
