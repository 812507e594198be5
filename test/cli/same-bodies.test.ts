/** Imports the same file as a command, by the pipeline that init writes, and with the library: the bodies are the same to the byte. */

import { cpSync, existsSync, readFileSync, readdirSync, writeFileSync } from 'node:fs'
import { basename, dirname, extname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Choice } from '../../src/core/row.ts'
import type { WindrowError } from '../../src/core/error.ts'
import { importFile, type FileSettings, type Report } from '../../src/index.ts'
import { withSettings } from '../../src/pipeline/definition/settings.ts'
import { answerOf } from '../../src/pipeline/inspect/one-off.ts'
import { fixtures } from '../formats/fixtures.ts'
import { root } from '../imports.ts'
import { startWorld, type World } from './world.ts'

const beside = join(root, '../shared/cases')
const isThere = existsSync(join(beside, 'cases.json'))
type Case = { readonly id: string; readonly file: string }
const cases = isThere ? (JSON.parse(readFileSync(join(beside, 'cases.json'), 'utf8')) as readonly Case[]) : []

let world: World
beforeAll(() => {
  world = startWorld()
})
afterAll(() => world.close())

const holding = 'nz.example.farm-number:00412876'
const short: Readonly<Record<string, string>> = {
  'from.layer': 'layer',
  'from.crs': 'crs',
  key: 'key',
  dates: 'dates',
}

function bodiesIn(path: string | undefined): string {
  return path === undefined || !existsSync(path) ? '' : readFileSync(path, 'utf8')
}

// Bodies have the moment at which they were first staged.
const clock = () => new Date('2026-05-04T03:02:01Z')

/** What a person sets about a file: each proposal, else the first that is possible. Undefined if windrow refuses the file, or nothing is possible. */
async function settingsFor(file: string, env: Readonly<Record<string, string>>) {
  let settings: FileSettings = { import: 'plots', holding, zone: 'Pacific/Auckland' }
  const words = ['--to', 'plots', '--holding', holding, '--zone', 'Pacific/Auckland']
  for (let tries = 0; tries < 4; tries += 1) {
    const { failure } = await world.run(['import', file, ...words], { env, clock })
    if (failure?.code === 'connection-missing') return { settings, words }
    if (failure?.code !== 'choices-missing') return undefined
    const missing = (failure.data['missing'] as readonly Choice[]).filter(({ setting }) => setting !== 'connection')
    for (const { setting, value, others } of missing) {
      const answer = value ?? others[0]?.value
      if (answer === undefined) return undefined
      const text = answerOf(setting, answer)
      settings = withSettings(settings, [[setting.split('.'), text]])
      const option = short[setting]
      words.push(...(option === undefined ? ['--set', `${setting}=${text}`] : [`--${option}`, text]))
    }
  }
  return undefined
}

/** Compares the bodies of a file by each of the three ways; returns how many there are. */
async function expectSame(file: string, id: string): Promise<number> {
  const env = { HOME: world.folder, LOCALAPPDATA: world.folder, XDG_STATE_HOME: join(world.folder, 'state', id) }
  const set = await settingsFor(file, env)
  if (set === undefined) return 0
  const { words, settings } = set
  const at = (name: string): string => join(world.folder, `${id}-${name}`)
  const around = { env, clock }
  const imported = await world.run(['import', file, ...words, '--dry-run', '--out', at('import.ndjson')], around)
  if (imported.failure !== undefined) return 0
  const init = await world.run(['init', file, ...words, '-o', at('init.yaml')], around)
  const allowed = ['--set', 'rules.rejected=allow', '--set', 'rules.area-unit=warn']
  const ran = await world.run(['run', at('init.yaml'), ...allowed, '--dry-run', '--out', at('run.ndjson')], around)
  const options = { dryRun: true, state: at('library'), folder: world.folder, clock }
  const report = await importFile(join(world.folder, file), settings, options).catch(
    (cause: unknown) => (cause as WindrowError).data['report'] as Report,
  )
  const failures = [init, ran].flatMap(({ failure }) => failure?.message ?? [])
  expect(failures, words.join(' ')).toEqual([])
  const bodies = bodiesIn(at('import.ndjson'))
  expect(bodiesIn(report.files.bodies)).toBe(bodies)
  expect(bodiesIn(at('run.ndjson')), ran.out).toBe(bodies)
  return bodies.split('\n').length - 1
}

describe('a file of our own has the same bodies by import, by init and run, and by the library', () => {
  test.each(fixtures.map((each) => [each.name, each] as const))('%s', async (name, { make }) => {
    writeFileSync(join(world.folder, name), make(9))
    expect(await expectSame(name, `own-${name}`)).toBeGreaterThan(0)
  })

  test.each(['Rimu paddocks FINAL v3.zip', 'nightly.csv', 'rimu-paddocks.geojson'])('%s', async (name) => {
    expect(await expectSame(`samples/rimu-farm/${name}`, name.replaceAll(/\W/g, '-'))).toBeGreaterThan(0)
  })
})

describe.skipIf(!isThere)(
  'a file of other programs has the same bodies (skipped where ../shared/cases is absent)',
  () => {
    const counts: number[] = []
    test.each(cases.map(({ id, file }) => [id, file] as const))('%s', async (id, file) => {
      const path = join(beside, file)
      const stem = basename(path, extname(path))
      for (const name of readdirSync(dirname(path)))
        if (name === basename(path) || basename(name, extname(name)) === stem)
          cpSync(join(dirname(path), name), join(world.folder, id, name), { recursive: true })
      counts.push(await expectSame(`${id}/${basename(path)}`, id))
    })

    test('at least 30 of them have bodies', () => {
      expect(counts.filter((each) => each > 0).length).toBeGreaterThanOrEqual(30)
    })
  },
)
