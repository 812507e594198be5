/**
 * Runs a national parcel file, without sending it, as a whole and in parts with one process and with several, and shows the time, the
 * memory, and how much of the work one process has to do alone.
 *
 *   npm run parts                               500,000 rows with 1 and 2 processes
 *   npm run parts -- --rows 5000000             more of them
 *   npm run parts -- --processes 1,2,4 --part-size 8 --folder D:\parcels
 */

import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { setTimeout as wait } from 'node:timers/promises'
import { writeParcels } from './parcels.ts'
import { countOf, readOptions } from './read-options.ts'

const values = readOptions({
  rows: { type: 'string', default: '500000' },
  processes: { type: 'string', default: '1,2' },
  'part-size': { type: 'string', default: '16' },
  folder: { type: 'string' },
})
const rows = countOf('rows', values.rows)
const folder = values.folder ?? mkdtempSync(join(tmpdir(), 'windrow-parcels-'))
mkdirSync(folder, { recursive: true })
const file = `parcels-${rows}.csv`
if (!existsSync(join(folder, file))) writeParcels(join(folder, file), rows)
const pipeline = join(folder, 'parcels.yaml')
writeFileSync(
  pipeline,
  `windrow: 1
import: plots
from: { file: ${file}, encoding: utf-8, crs: EPSG:2193 }
holding: { scheme: nz.example.land-register, id: "1" }
key: <PARCEL>
record: { name: <NAME>, totalArea: measured }
`,
)

const program = fileURLToPath(new URL('../bin/windrow.js', import.meta.url))
const noting = new URL('note-use.mjs', import.meta.url).href
const phases = ['cut', 'stage', 'join', 'compare', 'end'] as const

type Measured = {
  readonly seconds: number
  readonly processes: readonly { readonly seconds: number; readonly megabytes: number }[]
  readonly phases: Readonly<Record<(typeof phases)[number], number>>
}

/** One dry run. The files that it leaves while it works show which phase it is in. */
async function measure(words: readonly string[]): Promise<Measured> {
  const state = mkdtempSync(join(folder, 'state-'))
  const notes = join(state, 'notes')
  mkdirSync(notes)
  const runs = join(state, 'runs')
  const began = performance.now()
  const env = { ...process.env, NODE_OPTIONS: `--import ${noting}`, WINDROW_NOTE_USE: notes }
  const all = [program, 'run', pipeline, '--dry-run', '--state', state, ...words]
  const child = spawn(process.execPath, all, { env, stdio: ['ignore', 'ignore', 'inherit'] })
  const ended = new Promise<number | null>((resolve) => child.on('exit', resolve))
  const took = { cut: 0, stage: 0, join: 0, compare: 0, end: 0 }
  let at = 0
  let last = secondsOf(child.pid!)
  while (child.exitCode === null) {
    const [run] = existsSync(runs) ? readdirSync(runs) : []
    const home = run === undefined ? undefined : join(runs, run, 'parts', '1')
    const has = (name: string): boolean => home !== undefined && existsSync(join(home, name))
    const isOver = [has('stage.json'), !has('stage.json'), has('compare.json'), !has('compare.json'), false][at]
    const now = secondsOf(child.pid!)
    took[phases[at]!] += Math.max(0, now - last)
    last = now
    if (isOver === true) at += 1
    await wait(20)
  }
  const exit = await ended
  if (exit !== 0) throw new Error(`windrow ended with exit ${exit}.`)
  const seconds = (performance.now() - began) / 1000
  const processes = readdirSync(notes).map(
    (name) => JSON.parse(readFileSync(join(notes, name), 'utf8')) as Measured['processes'][number],
  )
  rmSync(state, { recursive: true, force: true })
  return { seconds, processes, phases: took }
}

/** The processor seconds of a process so far, where Linux shows them; else the seconds of a clock. */
function secondsOf(pid: number): number {
  try {
    const [user, system] = readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /, '')
      .split(' ')
      .slice(11)
    return (Number(user) + Number(system)) / 100
  } catch {
    return performance.now() / 1000
  }
}

const two = (text: number, width = 9): string => text.toFixed(1).padStart(width)

function show(name: string, { seconds, processes, phases: took }: Measured, one: Measured | undefined): void {
  const cpu = processes.reduce((sum, each) => sum + each.seconds, 0)
  const memory = processes.map(({ megabytes }) => megabytes.toFixed(0)).join(' + ')
  const faster = one === undefined ? '' : `  ${(one.seconds / seconds).toFixed(2)} times as fast as one`
  console.log(`${name.padEnd(22)}${two(seconds)} s ${two(cpu)} s of processors  ${memory} MB${faster}`)
  if (took.stage === 0) return
  const alone = took.cut + took.join + took.end
  const each = phases.map((phase) => `${phase} ${took[phase].toFixed(1)}`).join(', ')
  const share = ((100 * alone) / cpu).toFixed(0)
  console.log(`${''.padEnd(22)}${two(alone)} s that only one process can do (${share} %); that one: ${each}`)
}

console.log(`${rows} parcels`)
show('as a whole, 2 threads', await measure([]), undefined)
let one: Measured | undefined
for (const count of values.processes.split(',')) {
  const measured = await measure(['--processes', count, '--part-size', values['part-size']])
  show(`in parts, ${count} ${count === '1' ? 'process' : 'processes'}`, measured, one)
  if (count === '1') one = measured
}
if (values.folder === undefined) rmSync(folder, { recursive: true, force: true })
