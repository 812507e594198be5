import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, existsSync, mkdtempSync, openSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { root } from '../imports.ts'

test('a reader that closes the output early is not a failure', async () => {
  const words = ['inspect', join(root, 'samples/rimu-farm/nightly.csv')]
  const child = spawn(process.execPath, [join(root, 'bin/windrow.js'), ...words], { stdio: ['ignore', 'pipe', 'pipe'] })
  child.stdout.destroy()
  let said = ''
  child.stderr.on('data', (text) => (said += String(text)))
  const [exit] = (await once(child, 'close')) as [number]
  expect({ exit, said }).toEqual({ exit: 0, said: '' })
})

test.skipIf(!existsSync('/dev/full'))('output to a full disk is reported, and is not a failure', async () => {
  const words = ['inspect', join(root, 'samples/rimu-farm/nightly.csv')]
  const full = openSync('/dev/full', 'w')
  const child = spawn(process.execPath, [join(root, 'bin/windrow.js'), ...words], { stdio: ['ignore', full, 'pipe'] })
  closeSync(full)
  let said = ''
  child.stderr?.on('data', (text) => (said += String(text)))
  const [exit] = (await once(child, 'close')) as [number]
  expect({ exit, said }).toEqual({ exit: 0, said: 'windrow: The output could not be written. The disk is full.\n' })
})

test.skipIf(!existsSync('/dev/full'))('a log on a full disk ends no command', async () => {
  const words = ['serve', '--demo', '--log', '--port', '0', '--json']
  const full = openSync('/dev/full', 'w')
  const child = spawn(process.execPath, [join(root, 'bin/windrow.js'), ...words], { stdio: ['ignore', 'pipe', full] })
  closeSync(full)
  const [started] = (await once(child.stdout!, 'data')) as [Buffer]
  const { url } = JSON.parse(String(started)) as { readonly url: string }
  for (let call = 0; call < 3; call += 1) expect((await fetch(`${url}/health`)).status).toBe(200)
  child.kill()
  expect((await once(child, 'close'))[0]).toBe(0)
})

test('a folder that is gone is named', async () => {
  const gone = `process.cwd = () => { throw new Error('ENOENT: process.cwd failed') }`
  const preload = ['--import', `data:text/javascript,${encodeURIComponent(gone)}`]
  const child = spawn(process.execPath, [...preload, join(root, 'bin/windrow.js'), 'runs'])
  let said = ''
  child.stderr.on('data', (text) => (said += String(text)))
  const [exit] = (await once(child, 'close')) as [number]
  expect({ exit, said }).toEqual({ exit: 2, said: expect.stringContaining('is gone, or its drive is.') as string })
})

test.skipIf(!existsSync('/dev/full'))('records for standard output that meet a full disk are a failure', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'windrow-full-'))
  const env = { ...process.env, HOME: folder, LOCALAPPDATA: folder, XDG_STATE_HOME: folder }
  const start = (...words: readonly string[]) => [process.execPath, [join(root, 'bin/windrow.js'), ...words]] as const
  const service = spawn(...start('serve', '--demo', '--as', 'trial', '--port', '0', '--json'), { env, stdio: 'pipe' })
  try {
    await once(service.stdout, 'data')
    const full = openSync('/dev/full', 'w')
    const words = ['export', 'holdings', '--set', 'to.empty=allow', '--connection', 'trial', '-o', '-']
    const child = spawn(...start(...words), { env, stdio: ['ignore', full, 'pipe'] })
    closeSync(full)
    let said = ''
    child.stderr?.on('data', (text) => (said += String(text)))
    const [exit] = (await once(child, 'close')) as [number]
    expect([exit, said]).toEqual([2, expect.stringContaining('Standard output has only a part of the records.')])
    expect(said.match(/could not be written/g)).toHaveLength(1)
  } finally {
    service.kill()
    await once(service, 'close')
    rmSync(folder, { recursive: true, force: true })
  }
})
