import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, expect, test } from 'vitest'
import { root } from '../imports.ts'
import { bombs } from './bombs.ts'

const ground = mkdtempSync(join(tmpdir(), 'windrow-hostile-'))
afterAll(() => rmSync(ground, { recursive: true, force: true }))

const watch = pathToFileURL(join(import.meta.dirname, 'hostile-watch.mjs')).href

/** Inspects the file as a person would, with a working and a temporary folder of its own. */
function inspect(path: string) {
  const folders = { work: join(ground, 'work'), temporary: join(ground, 'temporary') }
  for (const each of Object.values(folders)) mkdirSync(each, { recursive: true })
  const measured = join(ground, 'measured.json')
  const { temporary } = folders
  const run = spawnSync(process.execPath, ['--import', watch, join(root, 'bin/windrow.js'), 'inspect', path], {
    cwd: folders.work,
    env: {
      ...process.env,
      WINDROW_WATCH_FILE: measured,
      TMPDIR: temporary,
      TMP: temporary,
      TEMP: temporary,
      // Node's own cache of compiled code, which would otherwise begin anew in the temporary folder.
      NODE_COMPILE_CACHE: join(tmpdir(), 'node-compile-cache'),
      NO_COLOR: '1',
    },
    encoding: 'utf8',
    timeout: 60_000,
    maxBuffer: 1 << 26,
  })
  const { peakMB, cpuMs } = JSON.parse(readFileSync(measured, 'utf8')) as { peakMB: number; cpuMs: number }
  return { ...run, peakMB, cpuMs, left: Object.values(folders).flatMap((each) => readdirSync(each)) }
}

test.each(bombs)(
  '$file: $what',
  ({ file, harmless, says, make }) => {
    const path = join(ground, file)
    const bytes = make(path)
    if (bytes !== undefined) writeFileSync(path, bytes)
    const { status, stdout, stderr, peakMB, cpuMs, left } = inspect(path)
    const beside = readdirSync(ground).toSorted()
    rmSync(path)
    const said = `${stdout}${stderr}`
    expect({ status, said: said.slice(0, 500) }).toMatchObject({ status: harmless === true ? 0 : 2 })
    expect(said).not.toMatch(/^\s+at .*:\d+:\d+\)?$/m)
    expect(said.length).toBeLessThan(400_000)
    // The sentence, and in its second line what to do.
    if (harmless !== true) {
      expect(stderr.trim().split('\n').length).toBeGreaterThanOrEqual(2)
      expect(stderr).toContain(file)
    }
    if (says !== undefined) expect(said).toMatch(says)
    expect(peakMB).toBeLessThan(300)
    // Processor time, because the machine that tests may be busy with other things.
    expect(cpuMs).toBeLessThan(5000)
    expect(left).toEqual([])
    expect(beside).toEqual([file, 'measured.json', 'temporary', 'work'].toSorted())
  },
  90_000,
)
