import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { machineZone } from '../../src/mapping/zones.ts'
import type { Report } from '../../src/pipeline/report/report.ts'
import { startWorld, type World } from './world.ts'

let world: World
let first: Report
async function prepare(): Promise<void> {
  world = startWorld()
  await world.publishFarms()
  write('No,Name\n1,One\n2,Two\n,Three\n')
  write(yaml, 'farm.yaml')
  first = await run()
  write('No,Name\n1,Uno\n3,Three\n')
  await run()
  write('No,Name\n1,Uno\n3,Three\n', 'other.csv')
  await run('--dry-run')
  write('')
  await world.run(['run', 'farm.yaml'])
  await world.run(['undo', first.run, '--yes'])
}

const yaml = `windrow: 1
import: plots
from: { file: farm.csv }
holding: { scheme: nz.example.farm-number, id: "00412876" }
key: <No>
record: { name: <Name> }
`
const write = (text: string, name = 'farm.csv'): void => writeFileSync(join(world.folder, name), text)

async function run(...words: readonly string[]): Promise<Report> {
  return JSON.parse((await world.run(['run', 'farm.yaml', '--json', ...words])).out) as Report
}

async function listed(columns: number, ...words: readonly string[]): Promise<readonly string[]> {
  let out = ''
  const terminal = { out: { write: (text: string) => (out += text), columns }, err: { write: () => undefined } }
  expect(await world.run(['runs', ...words], { terminal })).toMatchObject({ exit: 0 })
  return out.trimEnd().split('\n')
}

const moment = /^\d{4}-\d\d-\d\d \d\d:\d\d$/

describe('of runs that stay as they are', () => {
  beforeAll(prepare)
  afterAll(() => world.close())

  test.each([80, 120])('at %i columns the columns line up, and every name of a run is whole', async (columns) => {
    const lines = await listed(columns)
    expect(lines[0]).toBe(`Times are in the zone ${machineZone()}.`)
    expect(lines.filter((line) => line.includes(machineZone()))).toHaveLength(1)
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(columns)
    const runs = lines.slice(2).filter((line) => moment.test(line.slice(0, 16)))
    expect(runs).toHaveLength(4)
    const head = lines[1]!
    const end = (title: string): number => head.indexOf(title) + title.length
    for (const line of runs)
      for (const title of ['Read', 'Created', 'Updated', 'Deleted', 'Rejected'])
        expect(line.slice(0, end(title))).toMatch(/ \d+$/)
    expect(lines.filter((line) => line.includes(first.run)).length).toBeGreaterThan(0)
    expect(lines).toContain('1 dry run or plan not shown: --all lists them.')
  })

  test('times are local', async () => {
    const [, , line] = await listed(120)
    const started = new Date(first.started)
    expect(line).toContain(
      `${String(started.getHours()).padStart(2, '0')}:${String(started.getMinutes()).padStart(2, '0')}`,
    )
  })

  test('--all lists dry runs and plans in a table of their own', async () => {
    const lines = await listed(120, '--all')
    const at = lines.indexOf('1 dry run or plan, nothing sent:')
    expect(lines.slice(at + 2)).toHaveLength(1)
    expect(lines[at + 2]).toContain('dry run')
  })

  test('--failed lists the runs that did not end with exit 0, with the reason', async () => {
    const lines = await listed(120, '--failed')
    const runs = lines.filter((line) => moment.test(line.slice(0, 16)))
    expect(runs).toHaveLength(3)
    expect(runs.every((line) => line.includes(', exit '))).toBe(true)
    expect(lines.join('\n')).toContain('"farm.csv" is empty')
  })

  describe('one run', () => {
    test('is shown with its report and with what can be done with it', async () => {
      const { out } = await world.run(['runs', '--last'])
      expect(out).toContain(`Undo of run ${first.run}`)
      expect(out).toMatch(/To take it back: {2}windrow undo \S+-undo-farm\n/)
      const retried = await world.run(['runs', first.run])
      expect(retried.out).toContain('3 read = 2 ready + 0 unchanged + 1 rejected + 0 skipped')
      expect(retried.out).toMatch(/Report +\S+report\.html/)
      expect(retried.out).toContain(`windrow retry ${first.run}`)
      expect(retried.out).toMatch(/It was undone by the run \S+-undo-farm\./)
    })

    test('as JSON is its report', async () => {
      const { out } = await world.run(['runs', first.run, '--json'])
      expect(JSON.parse(out)).toEqual(first)
    })
  })

  test('as JSON all runs are listed, dry runs too', async () => {
    const reports = JSON.parse((await world.run(['runs', '--json'])).out) as readonly Report[]
    expect(reports.map(({ outcome }) => outcome)).toEqual(['done', 'done', 'dry-run', 'stopped', 'done'])
  })

  test('--html writes a page of the real runs, newest first, with links that lead to their reports', async () => {
    mkdirSync(join(world.folder, 'show this'))
    const { exit, out } = await world.run(['runs', '--html', 'show this/runs.html'])
    expect({ exit, out }).toEqual({ exit: 0, out: 'The runs are in show this/runs.html.\n' })
    expect((await world.run(['runs', '--html', 'samples/rimu-farm/nightly.csv'])).failure?.code).toBe('option-invalid')
    const page = readFileSync(join(world.folder, 'show this/runs.html'), 'utf8')
    const links = [...page.matchAll(/href="([^"]+)"/g)].map(([, link]) => decodeURIComponent(link!))
    expect(links).toHaveLength(4)
    for (const link of links) expect(existsSync(join(world.folder, 'show this', link)), link).toBe(true)
    expect(page).toContain('stopped, exit 2')
    // The reason has a row of its own: beside the numbers it would be a narrow column.
    expect(page).toMatch(/<td colspan="8"><small>[^<]+/)
    expect(page).toContain(`undo of ${first.run}`)
    expect(page).toContain('The last run of farm failed')
    await world.run(['runs', '--all', '--html', 'show this/all.html'])
    const all = readFileSync(join(world.folder, 'show this/all.html'), 'utf8')
    expect(all).toContain('nothing was sent')
    expect(all.match(/<i class/g)).toEqual(page.match(/<i class/g))
  })

  test.each([
    ['.windrow', () => basename(world.folder)],
    ['elsewhere/windrow', () => join(world.folder, 'elsewhere/windrow')],
  ])('the page of the runs in %s says where they are', async (state, place) => {
    mkdirSync(join(world.folder, state), { recursive: true })
    await world.run(['runs', '--state', state, '--html', 'runs.html'])
    expect(readFileSync(join(world.folder, 'runs.html'), 'utf8')).toContain(`<h1>Runs in ${place()}</h1>`)
  })
})

describe('with more runs, or other folders', () => {
  beforeEach(prepare)
  afterEach(() => world.close())

  test('a folder where init left only the schema hides neither runs nor ledger of the user', async () => {
    const folder = join(world.folder, 'office')
    mkdirSync(join(folder, '.windrow'), { recursive: true })
    writeFileSync(join(folder, '.windrow/pipeline.schema.json'), '{}')
    writeFileSync(join(folder, 'names.csv'), 'No,Name\n7,Seven\n8,Eight\n')
    const words = ['import', 'names.csv', '--to', 'plots', '--key', 'No', '--holding', '00412876']
    const imported = await world.run([...words, '--allow', 'duplicates'], { folder })
    expect(imported.out).toContain('2 created')
    // The other farm has records of its own there.
    expect(imported.out).not.toContain('--take-over')
    expect((await world.run(['runs'], { folder })).out).toContain('names')
    expect(await world.run(['verify'], { folder })).toMatchObject({ exit: 0 })
  })

  test('a run is no longer called undone after its undo was taken back', async () => {
    const { out } = await world.run(['runs', first.run])
    const undo = /It was undone by the run (\S+)\.\n/.exec(out)![1]!
    expect(await world.run(['undo', undo, '--yes'])).toMatchObject({ exit: 0 })
    const back = await world.run(['runs', first.run])
    expect(back.out).not.toContain('It was undone')
    expect(back.out).toContain(`To take it back:  windrow undo ${first.run}\n`)
  })

  test('more plans push out plans, never a run that sent something, and a deleted one says so', async () => {
    const plan = async (): Promise<string> =>
      (JSON.parse((await world.run(['plan', 'farm.yaml', '--json'])).out) as Report).run
    write('No,Name\n1,Planned\n')
    const oldest = await plan()
    for (let more = 0; more < 10; more += 1) await plan()
    expect((await world.run(['runs', first.run])).exit).toBe(0)
    for (const words of [['runs'], ['undo'], ['retry'], ['apply']])
      expect((await world.run([...words, oldest])).failure).toMatchObject({
        code: 'run-unknown',
        message: expect.stringMatching(
          /^The run "\S+-farm\S*" was deleted on \d{4}-\d\d-\d\d \d\d:\d\d: windrow keeps for each pipeline the last 30 runs that sent something, /,
        ) as string,
      })
    const rejected = join('.windrow/runs', oldest, 'rejected.csv')
    expect((await world.run(['retry', rejected])).failure?.message).toContain(`"${oldest}" was deleted on`)
  })

  test('a run whose records the service refused keeps its cause, and nothing of it is to be taken back', async () => {
    write('No,Name\n1,Refused\n')
    const refusing: typeof fetch = (input, init) => {
      const request = new Request(input, init)
      const isPost = request.method === 'POST' && request.url.endsWith('/resources')
      return isPost ? Promise.resolve(new Response('', { status: 403 })) : world.fetch(request)
    }
    expect((await world.run(['run', 'farm.yaml'], { fetch: refusing })).exit).toBe(5)
    const refused = (await world.run(['runs', '--last'])).out
    expect(refused).toContain('403')
    expect(refused).not.toContain('To take it back')
    const id = /^Run (\S+), started/.exec(refused)![1]!
    write('No,Name\n1,Another\n')
    const { run: next } = await run()
    expect((await world.run(['runs', id])).out).toBe(refused)
    expect((await world.run(['undo', 'last', '--dry-run'])).out).toContain(next)
  })

  test('the last run is the newest, also after the clock was set back', async () => {
    write('No,Name\n1,Ahead\n')
    const ahead = { clock: () => new Date(Date.now() + 365 * 86_400_000) }
    expect((await world.run(['run', 'farm.yaml'], ahead)).exit).toBe(0)
    write('No,Name\n1,Now\n')
    const { run: newest } = await run()
    expect((await world.run(['runs', '--last'])).out).toContain(`Run ${newest}, started`)
  })

  test('the last run may be an export, or an import after it', async () => {
    const { exit, failure } = await world.run(['export', 'plots', '-o', 'plots.csv', '--state', '.windrow'])
    expect(exit, failure?.message).toBe(0)
    expect((await world.run(['runs', '--last'])).out).toMatch(/^Export \S+-export-plots, started/)
    write('No,Name\n1,After\n')
    const { run: newest } = await run()
    expect((await world.run(['runs', '--last'])).out).toContain(`Run ${newest}, started`)
  })

  test('what cannot be their folder or report is named', async () => {
    writeFileSync(join(world.folder, '.windrow/runs', first.run, 'report.json'), '{')
    const { failure } = await world.run(['undo', first.run, '--yes'])
    expect(failure).toMatchObject({
      code: 'state-unreadable',
      message: expect.stringContaining('report.json') as string,
    })
    rmSync(join(world.folder, '.windrow/runs'), { recursive: true })
    writeFileSync(join(world.folder, '.windrow/runs'), 'a file in the way')
    write('No,Name\n1,Uno\n')
    for (const words of [['runs'], ['run', 'farm.yaml'], ['undo', 'last']])
      expect((await world.run(words)).failure).toMatchObject({
        code: 'state-unreadable',
        message: expect.stringContaining(`"${join(world.folder, '.windrow/runs')}" cannot be opened`) as string,
      })
  })
})
