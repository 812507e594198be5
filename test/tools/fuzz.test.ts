import { spawnSync } from 'node:child_process'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { root } from '../imports.ts'
import { bytesOf } from '../formats/fixtures.ts'
import { groundOf } from '../../tools/fuzz/inputs.ts'
import { seeds } from '../../tools/fuzz/seeds.ts'
import type { InputReport } from '../../tools/fuzz/serve.ts'
import { shrunk } from '../../tools/fuzz/shrink.ts'
import { watchedReader, type Watched } from '../../tools/fuzz/watch.ts'

const limits = { silentMs: 60_000, cpuMs: 3000, grownMB: 100, heapMB: 40 }
const victims = new URL('fuzz-victims.ts', import.meta.url)
const patient = watchedReader(victims, limits)
const impatient = watchedReader(victims, { ...limits, silentMs: 400 })
afterAll(() => {
  patient.close()
  impatient.close()
})

async function reportOf(victim: Watched, text: string): Promise<InputReport> {
  const all: InputReport[] = []
  await victim.run({ name: 'a.victim', bytes: bytesOf(text) }, (report) => all.push(report))
  expect(all).toHaveLength(1)
  return all[0]!
}

test.each([
  ['an exception', 'T', patient, /^TypeError: Cannot read properties of undefined \((?:src|test).*:\d+\)$/],
  ['a loop without end', 'H', impatient, /^hang/],
  ['a heap that runs full', 'M', patient, /^crash/],
  ['buffers beyond the limit', 'B', patient, /^memory/],
])('%s is reported, and the next input is read normally', async (_, letter, victim, fault) => {
  expect((await reportOf(victim, letter)).fault).toMatch(fault)
  expect(await reportOf(patient, 'quiet')).toMatchObject({ rows: 0 })
  expect((await reportOf(victim, 'quiet')).fault).toBeUndefined()
})

test('a failing input is reduced to the part that fails', async () => {
  const failing = bytesOf(`${'x'.repeat(300)}<!${'y'.repeat(200)}`)
  const small = await shrunk(failing, (bytes) => Promise.resolve(Buffer.from(bytes).includes('<!')), 500)
  expect(Buffer.from(small).toString()).toBe('<!')
})

test('an input is the same each time it is made, and differs from its neighbours', async () => {
  const seed = seeds.find(({ name }) => name === 'all.zip')!
  const [one, other] = [await groundOf(seed, [], 5), await groundOf(seed, [], 5)]
  const numbers = [250, 400, 5000]
  expect(numbers.map((number) => one.input(number))).toEqual(numbers.map((number) => other.input(number)))
  expect(new Set(numbers.map((number) => Buffer.from(one.input(number)).toString('hex'))).size).toBe(3)
})

test('each reader survives a short run', () => {
  const words = [
    join(root, 'tools/fuzz.ts'),
    '--cuts',
    '1',
    '--mutations',
    '2',
    '--seed',
    '3',
    '--out',
    join(tmpdir(), 'windrow-fuzz'),
  ]
  const run = spawnSync(process.execPath, words, { encoding: 'utf8' })
  expect(run.stdout).not.toMatch(/[1-9]\d* kinds of failure/)
  expect(run.stdout.match(/ 3 inputs/g)).toHaveLength(seeds.length)
  expect(run.status).toBe(0)
})
