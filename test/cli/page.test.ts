import { chosen } from '../../src/core/row.ts'
import { yamlInline } from '../../src/core/values/yaml-text.ts'
import { chmodSync, cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { saveProfile, stateFolder } from '../../src/client/profile.ts'
import type { Report } from '../../src/pipeline/report/report.ts'
import { accountCalled, startWorld, type World } from './world.ts'

const file = 'samples/rimu-farm/Rimu paddocks FINAL v3.zip'
const holding = ['--holding', 'nz.example.farm-number:00412876']

let world: World
beforeEach(async () => {
  world = startWorld()
  await world.publishFarms()
})
afterEach(() => {
  vi.unstubAllEnvs()
  return world.close()
})

/** The report and page of the newest run of this name; two in one minute are numbered. */
function filesOf(name: string): { readonly report: Report; readonly page: string } {
  const runs = ['state/windrow/runs', 'pipelines/.windrow/runs'].map((each) => join(world.folder, each))
  const folders = runs.filter(existsSync).flatMap((each) => readdirSync(each).map((run) => join(each, run)))
  const found = folders
    .filter((each) => each.replace(/-\d+$/, '').endsWith(name))
    .map((folder) => ({ folder, report: JSON.parse(readFileSync(join(folder, 'report.json'), 'utf8')) as Report }))
    .toSorted((one, other) => one.report.started.localeCompare(other.report.started))
  const { folder, report } = found.at(-1)!
  return { report, page: readFileSync(join(folder, 'report.html'), 'utf8') }
}

function rowOf(page: string, name: string): string {
  const rows = page.split('<tr id="r').slice(1)
  return rows.find((row) => row.includes(`>${name}</a>`))!.replaceAll(/<[^>]+>|\s+/g, ' ')
}

test('every decision that the terminal shows is in the report and on the page, with its evidence', async () => {
  const { out } = await world.run(['import', file, ...holding, '--zone', 'Pacific/Auckland'])
  const { report, page } = filesOf('v3')
  expect(report.choices.map(({ setting }) => setting)).toEqual([
    'from.encoding',
    'from.crs',
    'holding',
    'key',
    'zone',
    'record.name',
    'record.totalArea',
    'record.crops.0.name',
    'record.crops.0.establishmentDate',
  ])
  for (const { setting, value, evidence } of report.choices) {
    expect(evidence, setting).not.toBe('')
    expect(out.split('\n').find((line) => line.includes(` ${setting} `))).toContain(evidence)
    expect(page).toContain(`>${setting}</th>`)
    expect(out).toContain(typeof value === 'string' ? value : yamlInline(value))
  }
  expect(page).toMatch(/started [^<]+\(Pacific\/Auckland\)/)
})

test('the page shows what became of each paddock, with its finding and its area', async () => {
  await world.run(['import', file, ...holding])
  const { page } = filesOf('v3')
  expect(rowOf(page, 'Woolshed')).toMatch(/001 +RG +created +5\.21/)
  expect(rowOf(page, 'Kererū')).toMatch(/012 +RG +rejected +February 2026 has 28 days\./)
  // The finding names its paddock.
  expect(page).toMatch(/>11<\/a\s*>\s*<\/td>\s*<td>Kererū<\/td>/)
})

test('the page of a file without dates, or without a column of the pipeline, shows the time of this machine', async () => {
  vi.stubEnv('TZ', 'Europe/Berlin')
  const pipeline =
    'import: plots\nfrom: { file: names.csv }\nholding: { scheme: nz.example.farm-number, id: "00412876" }\nkey: <No>\nrecord: { name: <Name> }\n'
  writeFileSync(join(world.folder, 'pipelines/names.yaml'), `windrow: 1\n${pipeline}`)
  for (const header of ['No,Name', 'No,Title']) {
    writeFileSync(join(world.folder, 'pipelines/names.csv'), `${header}\n1,Top\n`)
    await world.run(['run', 'pipelines/names.yaml'])
    expect(filesOf('names').page).toMatch(/started [^<]+\(Europe\/Berlin\)/)
  }
})

test('the page of a plan shows its updates field by field, with the boundaries of the service', async () => {
  await world.run(['import', file, ...holding])
  await world.run(['plan', 'pipelines/nightly-paddocks.yaml', '--allow', 'values-changed'])
  const { report, page } = filesOf('nightly-paddocks')
  expect(page).toContain('What would change, field by field')
  expect(page.replaceAll(/\s+/g, ' ')).toMatch(/<del>RG<\/del> ?<\/td> <td data-label="after"> ?<ins>Ryegrass<\/ins>/)
  expect(rowOf(page, 'Woolshed')).toMatch(/to update +5\.21 +5\.21/)
  expect(page.match(/<a id="p/g)).toHaveLength(22)
  expect(report.choices).toContainEqual(chosen('key', '<Paddock no>', 'set in the pipeline'))
})

test('the page names the command that sends a plan, and the one that takes the run back, from any folder', async () => {
  await world.run(['import', file, ...holding])
  const spaced = join(world.folder, 'my pipelines')
  cpSync(join(world.folder, 'pipelines'), spaced, { recursive: true })
  const pipeline = join(spaced, 'nightly-paddocks.yaml')
  const { platform } = process
  await saveProfile(accountCalled('hill farms'), { stateFolder: stateFolder(world.env, platform), platform })
  await world.run(['run', pipeline, '--dry-run', '--connection', 'hill farms'])
  const commandsOf = (page: string): readonly string[] =>
    [...page.matchAll(/<code>windrow ([^<]*)<\/code>/g)].map(([, words]) => words!.replaceAll('&quot;', '"'))
  const reports = () => readdirSync(join(spaced, '.windrow/runs')).toSorted()
  const pageOf = (run: string): string => readFileSync(join(spaced, '.windrow/runs', run, 'report.html'), 'utf8')
  const type = (command: string, ...more: readonly string[]) => {
    const words = command.match(/"[^"]*"|\S+/g)!.map((word) => word.replaceAll('"', ''))
    return world.run([...words, ...more])
  }
  const [planned] = reports()
  const [apply] = commandsOf(pageOf(planned!))
  expect(apply).toContain('--connection "hill farms"')
  expect(await type(apply!)).toMatchObject({ exit: 0, out: expect.stringContaining('22 updated') as string })

  const [undo, ...others] = commandsOf(pageOf(planned!))
  expect(others).toEqual([])
  expect(undo).toContain('--connection "hill farms"')
  expect(await type(undo!, '--yes')).toMatchObject({ exit: 0, out: expect.stringContaining('22 put back') as string })
  // The page of the undo has the words and the records of an undo.
  const page = pageOf(reports().find((run) => run !== planned)!)
  expect(page.replaceAll(/<[^>]+>|\s+/g, ' ')).toMatch(/22 to undo += +22 put back +\+ +0 deleted/)
  expect(rowOf(page, 'Woolshed')).toMatch(/001 +RG +put back +5\.21 +5\.21/)
  expect(page).toMatch(/To take\s+the undo\s+back, type: <code>windrow undo /)
})

test('records that are gone from the file are in the table, and findings of the whole file are not theirs', async () => {
  const pipeline = join(world.folder, 'pipelines/nightly-paddocks.yaml')
  await world.run(['import', file, ...holding])
  await world.run(['run', pipeline, '--allow', 'values-changed'])
  const csv = join(world.folder, 'samples/rimu-farm/nightly.csv')
  const lines = readFileSync(csv, 'utf8').split('\n')
  writeFileSync(csv, lines.filter((line) => !line.includes('Woolshed')).join('\n'))
  await world.run(['run', pipeline, '--dry-run'])
  const { page, report } = filesOf('nightly-paddocks')
  expect(report.gone.gone).toBe(1)
  expect(page).toMatch(/<td>001<\/td>\s*<td><\/td>\s*<td>\s*kept\s*<\/td>/)
})

test.skipIf(process.platform === 'win32')('--open starts the program of the platform with the page', async () => {
  const programs = join(world.folder, 'programs')
  const noted = join(world.folder, 'opened.txt')
  mkdirSync(programs)
  for (const name of ['xdg-open', 'open']) {
    writeFileSync(join(programs, name), `#!/bin/sh\nprintf '%s' "$1" > '${noted}.new'\nmv '${noted}.new' '${noted}'\n`)
    chmodSync(join(programs, name), 0o755)
  }
  const env = { ...world.env, PATH: `${programs}:${process.env['PATH']}` }
  const { err } = await world.run(['import', file, ...holding, '--dry-run', '--open'], { env })
  expect(err).toBe('')
  await expect.poll(() => existsSync(noted)).toBe(true)
  expect(readFileSync(noted, 'utf8')).toMatch(/runs.*report\.html$/)
})

test('--open names the page where no program can open it', async () => {
  const env = { ...world.env, PATH: world.folder }
  const { err, exit } = await world.run(['import', file, ...holding, '--dry-run', '--open'], { env, platform: 'linux' })
  expect(err).toMatch(/^"xdg-open" cannot be started here\. Open this file in a browser: .*report\.html\n$/)
  expect(exit).toBe(3)
})
