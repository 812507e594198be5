import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import {
  apply,
  bufferSource,
  connectTo,
  exportFile,
  exportPipeline,
  fileTarget,
  importFile,
  importPipeline,
  init,
  openFile,
  openSource,
  plan,
  retry,
  undo,
  verify,
  type ImportSettings,
  type OwnFormat,
  type SendingOptions,
  type WantedRecords,
} from '../../src/index.ts'
import { createService, serve } from '../../src/service.ts'
import { saveProfile, stateFolder, type Profile } from '../../src/client/profile.ts'
import type { Report } from '../../src/pipeline/report/report.ts'
import { openStage } from '../../src/pipeline/stage/stage-store.ts'
import { accountCalled, startWorld, type World } from '../cli/world.ts'

let world: World
let connection: Profile
beforeEach(async () => {
  world = startWorld()
  connection = accountCalled('demo')
})
afterEach(() => world.close())

const around = (more: Partial<Profile> = {}) => ({
  connection: { ...connection, ...more },
  state: join(world.folder, 'state'),
  fetch: world.fetch as typeof fetch,
  sleep: () => Promise.resolve(),
})
const file = (name: string): string => join(world.folder, name)
const zip = (): string => file('samples/rimu-farm/Rimu paddocks FINAL v3.zip')
const farm = 'nz.example.farm-number:00412876'
const rimu = { holding: farm, zone: 'Pacific/Auckland' }
const holdings = () =>
  importFile(
    file('samples/rimu-farm/holdings.csv'),
    { import: 'holdings', holding: 'nz.example.farm-number' },
    around(),
  )

describe('importFile', () => {
  test('publishes a file as the command does, and a second time nothing', async () => {
    expect((await holdings()).records).toMatchObject({ created: 2 })
    const first = await importFile(zip(), rimu, around())
    expect(first).toMatchObject({ outcome: 'done', exit: 3, rows: { read: 24, rejected: 2 }, records: { created: 22 } })
    expect((await importFile(zip(), rimu, around())).rows).toMatchObject({ unchanged: 22, ready: 0 })
  })

  test('keeps the pipeline of an import with every decision', async () => {
    await holdings()
    const { run } = await importFile(zip(), rimu, { ...around(), dryRun: true })
    using stage = openStage(join(world.folder, 'state', 'runs', run))
    const { mapping, geometry, columns, rules } = stage.recall('kept pipeline')!
    expect(Object.keys(mapping)).toEqual(['holding', 'record', 'rows', 'key', 'zone'])
    expect(JSON.stringify([columns, geometry, rules])).toBe(
      '[{"new":"ignore","missing":"stop"},{"multipart":"keep","repairUpTo":0.01,"keepHeights":false,"decimals":7},{"deletes":{"verdict":"stop","above":{"count":0}},"rejected":{"verdict":"allow"},"area-unit":{"verdict":"warn"},"filter-empty":{"verdict":"allow"},"other-reading":{"verdict":"warn"},"file-older":{"verdict":"allow"},"file-cut":{"verdict":"allow"},"other-encoding":{"verdict":"warn"}}]',
    )
  })

  test('rejects if the account is refused, instead of zeros that look like success', async () => {
    await holdings()
    for (const wrong of [{ clientSecret: 'wrong' }, { password: 'wrong' }])
      await expect(importFile(zip(), rimu, around(wrong))).rejects.toMatchObject({
        name: 'WindrowError',
        code: 'sign-in-refused',
        exit: 5,
      })
  })

  test('rejects if the account may not publish, with a report that nothing was sent', async () => {
    await holdings()
    const stopped = importFile(zip(), { ...rimu, holding: 'nz.example.farm-number:00999999' }, around())
    const failure = (await stopped.catch((cause: unknown) => cause)) as { code: string; data: { report: Report } }
    expect(failure.code).toBe('rights-missing')
    // It asks before it reads.
    expect(failure.data.report).toMatchObject({ outcome: 'stopped', exit: 5, rows: { read: 0 }, records: { ready: 0 } })
  })

  test('takes the name or number of a farm, as the command does', async () => {
    await holdings()
    const importFor = (holding: string) => importFile(zip(), { ...rimu, holding }, around())
    expect((await importFor('Rimu Farm')).records).toMatchObject({ created: 22 })
    expect((await importFor('00412876')).rows).toMatchObject({ unchanged: 22 })
    await expect(importFor('Rimo Farm')).rejects.toMatchObject({
      code: 'holding-missing',
      message: expect.stringContaining('Did you mean Rimu Farm (nz.example.farm-number:00412876)?') as string,
    })
  })

  test('names the members that a connection lacks', async () => {
    const { password: _, ...incomplete } = connection
    const options = { ...around(), connection: { ...incomplete, service: '' } as unknown as Profile }
    await expect(importFile(zip(), rimu, options)).rejects.toMatchObject({
      code: 'connection-missing',
      message: 'The connection lacks service, password.',
    })
  })

  test('makes a dry run without a connection', async () => {
    for (const name of ['HOME', 'XDG_STATE_HOME', 'LOCALAPPDATA']) vi.stubEnv(name, world.folder)
    const state = file('state')
    const { outcome, rows } = await importFile(zip(), rimu, { state, dryRun: true })
    expect([outcome, rows.read]).toEqual(['dry-run', 24])
    await expect(importFile(zip(), rimu, { state })).rejects.toMatchObject({ code: 'connection-missing' })
    vi.unstubAllEnvs()
  })
})

test('each job that its caller stops is interrupted, whatever the reason', async () => {
  const signal = AbortSignal.abort(new Error('enough'))
  const options = { ...around(), signal }
  const jobs = [
    () => importFile(zip(), rimu, options),
    () => importPipeline(file('pipelines/nightly-paddocks.yaml'), options),
    () => exportFile(file('plots.csv'), { export: 'plots' }, options),
  ]
  for (const start of jobs) await expect(start()).rejects.toMatchObject({ code: 'interrupted', exit: 130 })
})

describe('an option that is unknown or has a wrong value is refused, and nothing is sent or written', () => {
  test.each([
    [{ dryrun: true }, 'importFile: "dryrun" is unknown.', 'Did you mean "dryRun"?'],
    [{ 'dry-run': true }, 'importFile: "dry-run" is unknown.', 'Did you mean "dryRun"?'],
    [{ dryRun: 'yes' }, 'importFile: dryRun is "yes"; yes or no (true or false) is needed.', undefined],
    [{ allow: ['fur'] }, 'importFile: entry 1 of allow is "fur"', 'Did you mean "far"?'],
  ])('importFile, in the options: %j', async (wrong, message, hint) => {
    await holdings()
    const options = { ...around(), ...wrong } as SendingOptions
    const failure = { code: 'option-invalid', message: expect.stringContaining(message) as string, hint }
    await expect(importFile(zip(), rimu, options)).rejects.toMatchObject(failure)
    expect((await importFile(zip(), rimu, { ...around(), dryRun: true })).records).toMatchObject({ created: 22 })
  })

  test.each([
    [{ from: { delimeter: ';' } }, 'from.delimeter', 'Did you mean "delimiter"?'],
    [{ holdings: farm }, 'holdings', 'Did you mean "holding"?'],
    [{ geometry: { repair: 'a lot' } }, 'geometry.repair', 'a lot'],
  ])('importFile, in the settings: %j', async (wrong, ...said) => {
    const failure = importFile(zip(), { ...rimu, ...wrong }, around())
    await expect(failure).rejects.toMatchObject({ code: 'option-invalid' })
    for (const each of said) await expect(failure).rejects.toThrow(each)
  })

  test('importPipeline', async () => {
    const options = { ...around(), dryrun: true }
    await expect(importPipeline(file('pipelines/nightly-paddocks.yaml'), options)).rejects.toMatchObject({
      code: 'option-invalid',
      hint: 'Did you mean "dryRun"?',
    })
  })

  test.each([
    [{ only: { operations: ['Mowing'] } }, 'only.operations', 'Did you mean "operation"?'],
    [{ only: { operation: 7 } }, 'only.operation', 'text or a list is needed'],
    [{ to: { layout: 'diry' } }, 'to.layout', 'Did you mean "diary"?'],
    [{ units: { areas: 'ac' } }, 'units.areas', 'Did you mean "area"?'],
    [{ only: { product: 'Roundup' }, export: 'plots' }, 'only.product', 'works for work records only, not for plots.'],
    [{ export: 'cows' }, 'export', 'cows'],
    [{ only: { from: 'yestrday' } }, 'only.from', 'yestrday'],
  ])('exportFile, in the settings: %j', async (wrong, ...said) => {
    const failure = exportFile(file('a.csv'), { export: 'work-records', ...wrong } as WantedRecords, around())
    await expect(failure).rejects.toMatchObject({ code: 'option-invalid' })
    for (const each of said) await expect(failure).rejects.toThrow(each)
    expect(existsSync(file('a.csv'))).toBe(false)
  })

  test('exportFile, in the options', async () => {
    const wanted = { export: 'plots' } as const
    await expect(exportFile(file('a.csv'), wanted, { ...around(), connection: 'nobody' })).rejects.toThrow('nobody')
    const options = { ...around(), replace: true }
    await expect(exportFile(file('a.csv'), wanted, options)).rejects.toThrow('exportFile: "replace" is unknown.')
    expect(existsSync(file('a.csv'))).toBe(false)
  })

  test('by the other functions, too', async () => {
    const wrong: object = { clok: 'now' }
    const source = bufferSource('a.csv', Buffer.from('ID;Name\n1;Top\n'))
    const service = createService({})
    const calls = [
      () => openSource(zip(), world.folder, wrong),
      () => openFile(source, wrong),
      () => openFile(source, { options: { clok: 'now' } }),
      () => fileTarget(file('a.csv'), wrong),
      () => connectTo(connection, wrong),
      () => createService(wrong),
      () => serve(service, wrong),
    ]
    for (const call of calls)
      await expect((async () => await call())()).rejects.toMatchObject({
        code: 'option-invalid',
        message: expect.stringContaining('"clok" is unknown.') as string,
      })
    service.close()
  })
})

describe('importPipeline', () => {
  const nightly = (): string => file('pipelines/nightly-paddocks.yaml')

  test('runs a pipeline, with its state beside it', async () => {
    await holdings()
    const { state: _, ...beside } = around()
    expect((await importPipeline(nightly(), beside)).records).toMatchObject({ created: 22 })
    expect(existsSync(file('pipelines/.windrow/ledger.db'))).toBe(true)
  })

  test.each([{ clientSecret: 'wrong' }, { password: 'wrong' }])(
    'rejects where the account is refused: %o',
    async (wrong) => {
      await expect(importPipeline(nightly(), around(wrong))).rejects.toMatchObject({
        name: 'WindrowError',
        code: 'sign-in-refused',
        exit: 5,
        data: { report: { outcome: 'stopped', rows: { read: 0 } } },
      })
    },
  )

  test('refuses an export pipeline', async () => {
    await expect(importPipeline(file('pipelines/spraying-last-month.yaml'), around())).rejects.toMatchObject({
      code: 'option-invalid',
    })
  })

  test('takes the object of a pipeline, whose records belong to the name that the program gives it', async () => {
    await holdings()
    const settings: ImportSettings = {
      import: 'plots',
      from: { file: 'samples/rimu-farm/nightly.csv', delimiter: ';' },
      holding: { scheme: 'nz.example.farm-number', id: '00412876' },
      key: '<Paddock no>',
      record: { name: '<Name>' },
    }
    const options = { ...around(), folder: world.folder }
    await expect(importPipeline(settings, options)).rejects.toThrow('no name')
    const named = { ...options, name: 'nightly' }
    expect(await importPipeline(settings, named)).toMatchObject({ pipeline: 'nightly', records: { created: 22 } })
    expect((await importPipeline(settings, named)).rows).toMatchObject({ unchanged: 22 })
    const wrong = { ...settings, record: { nmae: '<Name>' } }
    await expect(importPipeline(wrong, named)).rejects.toThrow('did you mean name?')
    const nightly = readFileSync(file('samples/rimu-farm/nightly.csv'), 'utf8')
    writeFileSync(file('samples/rimu-farm/nightly.csv'), nightly.replace('Rāhui', 'Rāhui north'))
    const planned = await plan(settings, named)
    expect(planned.counts).toMatchObject({ updated: 1, unchanged: 21 })
    // It has no file that could have changed since it was planned.
    expect((await apply(planned, options)).records).toMatchObject({ updated: 1 })
  })
})

test('a file format of your own is read, and a plan of it applied', async () => {
  await holdings()
  const { format } = (await import('../fixtures/formats/orchard.js')) as { readonly format: OwnFormat }
  writeFileSync(file('north.orc'), 'ORCHARD 1\nTop;12;175.1 -38.1, 175.1 -38.09, 175.11 -38.1, 175.1 -38.1\n')
  const pipeline: ImportSettings = {
    import: 'plots',
    from: { file: 'north.orc', rowWidth: 6 },
    holding: { scheme: 'nz.example.farm-number', id: '00412876' },
    key: '<name>',
    record: { name: '<name>', totalArea: 'measured' },
  }
  const options = { ...around(), folder: world.folder, name: 'orchard', formats: [format] }
  const planned = await plan(pipeline, options)
  expect((await apply(planned, options)).records).toMatchObject({ created: 1 })
  const { formats: _, ...without } = options
  await expect(plan(pipeline, without)).rejects.toThrow('from.rowWidth')
})

describe('plan, apply, undo, retry and verify', () => {
  test('show what would change, send it once, and take it back', async () => {
    await holdings()
    const planned = await plan(file('pipelines/onboard-paddocks.yaml'), around())
    expect(planned).toMatchObject({ outcome: 'dry-run', counts: { created: 22, rejected: 2 } })
    expect([...planned.changes('rejected')]).toHaveLength(2)
    expect(planned.changes('created').next().value).toMatchObject({ kind: 'created', id: '001' })
    const applied = await apply(planned, around())
    expect(applied).toMatchObject({ outcome: 'done', records: { created: 22 } })
    expect((await apply(planned.run, around())).run).toBe(applied.run)
    const pipeline = file('pipelines/onboard-paddocks.yaml')
    expect(await verify(pipeline, around())).toMatchObject({ isSame: true, differences: [] })
    const shown = await undo(applied, { ...around(), dryRun: true })
    expect(shown).toMatchObject({ counts: { delete: 22 }, report: undefined })
    expect((await undo('last', around())).report).toMatchObject({ outcome: 'done' })
    expect(await undo(applied, around())).toMatchObject({ counts: { delete: 0 }, report: undefined })
  })

  test('send corrected rows', async () => {
    await holdings()
    const report = await importFile(file('samples/rimu-farm/rimu-paddocks.geojson'), rimu, around())
    expect(report.rows).toMatchObject({ ready: 22, rejected: 2 })
    const corrected = file('corrected.geojson')
    const rejected = readFileSync(report.files['rejected']!, 'utf8')
    writeFileSync(corrected, rejected.replace('31/02/2026', '28/02/2026'))
    expect((await retry(report, corrected, around())).records).toMatchObject({ created: 1 })
  })

  test('refuse a run that is not there', async () => {
    for (const ask of [() => apply('1', around()), () => undo('1', around()), () => retry('last', undefined, around())])
      await expect(ask()).rejects.toMatchObject({ code: 'run-unknown' })
  })
})

describe('exportFile', () => {
  test('writes the wanted records in the given zone', async () => {
    await holdings()
    const wanted = {
      export: 'work-records',
      only: { from: '2026-10-01', until: '2026-10-31' },
      zone: 'Pacific/Auckland',
    } as const
    expect(await exportFile(file('work.csv'), wanted, around())).toMatchObject({ written: 7, sifted: 5 })
    expect(readFileSync(file('work.csv'), 'utf8')).toContain('Start (Pacific/Auckland)')
    const pipeline = { ...wanted, to: { file: 'again.csv' } }
    const options = { ...around(), folder: world.folder, name: 'again' }
    expect(await exportPipeline(pipeline, options)).toMatchObject({ written: 7, path: file('again.csv') })
  })

  test('replaces only what windrow wrote, makes no folders, and writes no empty file, unless it is asked to', async () => {
    await holdings()
    const wanted = { export: 'work-records', zone: 'Pacific/Auckland' } as const
    const work = file('work.csv')
    writeFileSync(work, 'mine')
    await expect(exportFile(work, wanted, around())).rejects.toMatchObject({ code: 'target-exists' })
    expect(readFileSync(work, 'utf8')).toBe('mine')
    await exportFile(work, wanted, { ...around(), force: true })
    await exportFile(work, wanted, around())
    writeFileSync(work, 'mine again')
    await expect(exportFile(work, wanted, around())).rejects.toMatchObject({ code: 'target-exists' })
    const deep = file('2026/october/work.csv')
    await expect(exportFile(deep, wanted, around())).rejects.toMatchObject({ code: 'target-unwritable' })
    expect(existsSync(file('2026'))).toBe(false)
    expect(await exportFile(deep, { ...wanted, to: { folders: 'make' } }, around())).toMatchObject({ written: 12 })
    const none = { ...wanted, only: { from: '1999-01-01', until: '1999-01-01' } }
    await expect(exportFile(file('none.csv'), none, around())).rejects.toMatchObject({ code: 'nothing-matched' })
    expect(existsSync(file('none.csv'))).toBe(false)
    expect(await exportFile(file('none.csv'), { ...none, to: { empty: 'allow' } }, around())).toMatchObject({
      written: 0,
    })
  })
})

test('connectTo finds a saved connection by its name', async () => {
  vi.stubEnv('XDG_STATE_HOME', world.folder)
  vi.stubEnv('LOCALAPPDATA', world.folder)
  vi.stubEnv('HOME', world.folder)
  const place = { stateFolder: stateFolder(process.env, process.platform), platform: process.platform }
  await saveProfile({ ...connection, name: 'farms' }, place)
  const client = await connectTo('farms', { fetch: world.fetch })
  await client.signIn()
  expect(client.service).toBe('http://127.0.0.1:8080/')
  await expect(connectTo('farm')).rejects.toMatchObject({ hint: 'Saved connections: farms.' })
  await expect(saveProfile({ ...connection, name: 'demo' }, place)).rejects.toMatchObject({ code: 'option-invalid' })
  vi.unstubAllEnvs()
})

test('the demonstration service has two farms and their work, and keeps what is sent to it while the program runs', async () => {
  const options = { connection: 'demo', folder: world.folder }
  const client = await connectTo('demo')
  const farms = []
  for await (const page of client.features('holdings')) farms.push(...page)
  expect(farms).toHaveLength(2)
  expect((await importFile('samples/rimu-farm/Rimu paddocks FINAL v3.zip', rimu, options)).records).toMatchObject({
    created: 22,
  })
  expect(await exportFile('plots.geojson', { export: 'plots' }, options)).toMatchObject({ written: 22 })
  expect(await exportFile('work.csv', { export: 'work-records' }, options)).toMatchObject({ written: 12 })
  expect(existsSync(file('.windrow'))).toBe(false)
})

test.each(['Rimu paddocks FINAL v3.zip', 'rimu-paddocks.geojson', 'nightly.csv'])(
  '%s becomes the same records by the command, by importFile, and by the pipeline that init drafts',
  async (name) => {
    await holdings()
    const path = file(`samples/rimu-farm/${name}`)
    const clock = (): Date => new Date('2026-11-28T09:00:00Z')
    const options = { ...around(), clock, dryRun: true, folder: world.folder }
    const bodies = (report: Report): string => readFileSync(report.files['bodies']!, 'utf8')
    const words = ['import', path, '--holding', farm, '--zone', 'Pacific/Auckland', '--dry-run', '--out', 'out.ndjson']
    await world.run(words, { clock })
    const byCommand = readFileSync(file('out.ndjson'), 'utf8')
    expect(byCommand.split('\n').length).toBeGreaterThan(20)
    expect(bodies(await importFile(path, rimu, options))).toBe(byCommand)
    const { yaml } = await init(path, rimu, options)
    writeFileSync(file('drafted.yaml'), yaml)
    const byPipeline = await importPipeline('drafted.yaml', { ...options, allow: ['rejected'] })
    expect(bodies(byPipeline)).toBe(byCommand)
  },
)
