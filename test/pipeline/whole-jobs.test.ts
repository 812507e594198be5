import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import {
  bufferSource,
  connectTo,
  fileTarget,
  openFile,
  openSource,
  prepareImport,
  readPipeline,
  recordsOf,
} from '../../src/index.ts'
import {
  exportFile,
  importFile,
  importPipeline,
  type ExportFileOptions,
  type ImportFileOptions,
} from '../../src/pipeline/whole-jobs.ts'
import type { ImportPipeline } from '../../src/pipeline/definition/definition.ts'
import { createService, serve } from '../../src/service.ts'
import type { Profile } from '../../src/client/profile.ts'
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
const holding = 'nz.example.farm-number:00412876'
const holdings = () =>
  importFile(file('samples/rimu-farm/holdings.csv'), { ...around(), to: 'holdings', holding: 'nz.example.farm-number' })

describe('importFile', () => {
  test('publishes a file as the command does, and a second time nothing', async () => {
    expect((await holdings()).records).toMatchObject({ created: 2 })
    const options = { ...around(), holding, zone: 'Pacific/Auckland' }
    const first = await importFile(zip(), options)
    expect(first).toMatchObject({ outcome: 'done', exit: 3, rows: { read: 24, rejected: 2 }, records: { created: 22 } })
    expect((await importFile(zip(), options)).rows).toMatchObject({ unchanged: 22, ready: 0 })
  })

  test('gives an import the digest of earlier versions: another one would take it for another pipeline', async () => {
    await holdings()
    const { run } = await importFile(zip(), { ...around(), holding, zone: 'Pacific/Auckland', dryRun: true })
    using stage = openStage(join(world.folder, 'state', 'runs', run))
    const { mapping, geometry, columns, rules } = stage.recall('kept pipeline')!
    expect(Object.keys(mapping)).toEqual(['holding', 'record', 'rows', 'zone', 'key'])
    expect(JSON.stringify([columns, geometry, rules])).toBe(
      '[{"new":"ignore","missing":"stop"},{"multipart":"keep","repairUpTo":0.01,"keepHeights":false,"decimals":7},{"deletes":{"verdict":"stop","above":{"count":0}},"rejected":{"verdict":"allow"},"area-unit":{"verdict":"warn"},"filter-empty":{"verdict":"allow"},"other-reading":{"verdict":"warn"},"file-older":{"verdict":"allow"},"file-cut":{"verdict":"allow"},"other-encoding":{"verdict":"warn"}}]',
    )
  })

  test('rejects if the account is refused, instead of zeros that look like success', async () => {
    await holdings()
    for (const wrong of [{ clientSecret: 'wrong' }, { password: 'wrong' }])
      await expect(importFile(zip(), { ...around(wrong), holding })).rejects.toMatchObject({
        name: 'WindrowError',
        code: 'sign-in-refused',
        exit: 5,
      })
  })

  test('rejects if the account may not publish, with a report that nothing was sent', async () => {
    await holdings()
    const stopped = importFile(zip(), { ...around(), holding: 'nz.example.farm-number:00999999' })
    const failure = (await stopped.catch((cause: unknown) => cause)) as { code: string; data: { report: Report } }
    expect(failure.code).toBe('rights-missing')
    // It asks before it reads.
    expect(failure.data.report).toMatchObject({ outcome: 'stopped', exit: 5, rows: { read: 0 }, records: { ready: 0 } })
  })

  test('takes the name or number of a farm, as the command does', async () => {
    await holdings()
    const options = { ...around(), zone: 'Pacific/Auckland' }
    expect((await importFile(zip(), { ...options, holding: 'Rimu Farm' })).records).toMatchObject({ created: 22 })
    expect((await importFile(zip(), { ...options, holding: '00412876' })).rows).toMatchObject({ unchanged: 22 })
    await expect(importFile(zip(), { ...options, holding: 'Rimo Farm' })).rejects.toMatchObject({
      code: 'holding-missing',
      message: expect.stringContaining('Did you mean Rimu Farm (nz.example.farm-number:00412876)?') as string,
    })
  })

  test('names the members that a connection lacks', async () => {
    const { password: _, ...incomplete } = connection
    const options = { ...around(), connection: { ...incomplete, service: '' } as unknown as Profile, holding }
    await expect(importFile(zip(), options)).rejects.toMatchObject({
      code: 'connection-missing',
      message: 'The connection lacks service, password.',
    })
  })

  test('makes a dry run without a connection', async () => {
    for (const name of ['HOME', 'XDG_STATE_HOME', 'LOCALAPPDATA']) vi.stubEnv(name, world.folder)
    const state = file('state')
    const { outcome, rows } = await importFile(zip(), { state, holding, dryRun: true })
    expect([outcome, rows.read]).toEqual(['dry-run', 24])
    await expect(importFile(zip(), { state, holding })).rejects.toMatchObject({ code: 'connection-missing' })
    vi.unstubAllEnvs()
  })
})

test('each job that its caller stops is interrupted, whatever the reason', async () => {
  const signal = AbortSignal.abort(new Error('enough'))
  const options = { ...around(), signal }
  const jobs = [
    () => importFile(zip(), { ...options, holding }),
    () => importPipeline(file('pipelines/nightly-paddocks.yaml'), options),
    () => exportFile(file('plots.csv'), { ...options, what: 'plots' }),
  ]
  for (const start of jobs) await expect(start()).rejects.toMatchObject({ code: 'interrupted', exit: 130 })
})

describe('an option that is unknown or has a wrong value is refused, and nothing is sent or written', () => {
  test.each([
    [{ dryrun: true }, 'importFile: "dryrun" is unknown.', 'Did you mean "dryRun"?'],
    [{ 'dry-run': true }, 'importFile: "dry-run" is unknown.', 'Did you mean "dryRun"?'],
    [{ dryRun: 'yes' }, 'importFile: dryRun is "yes"; yes or no (true or false) is needed.', undefined],
    [{ allow: ['fur'] }, 'importFile: entry 1 of allow is "fur"', 'Did you mean "far"?'],
    [{ options: { delimeter: ';' } }, 'importFile: "delimeter" is unknown in options.', 'Did you mean "delimiter"?'],
  ])('importFile %j', async (wrong, message, hint) => {
    await holdings()
    const right = { ...around(), holding, zone: 'Pacific/Auckland' }
    const options = { ...right, ...wrong } as ImportFileOptions
    const failure = { code: 'option-invalid', message: expect.stringContaining(message) as string, hint }
    await expect(importFile(zip(), options)).rejects.toMatchObject(failure)
    expect((await importFile(zip(), { ...right, dryRun: true })).records).toMatchObject({ created: 22 })
  })

  test('importPipeline', async () => {
    const options = { ...around(), dryrun: true }
    await expect(importPipeline(file('pipelines/nightly-paddocks.yaml'), options)).rejects.toMatchObject({
      code: 'option-invalid',
      hint: 'Did you mean "dryRun"?',
    })
  })

  test.each([
    [{ only: { operation: ['Mowing'] } }, 'exportFile: "operation" is unknown in only.', 'Did you mean "operations"?'],
    [{ only: { operations: 'Mowing' } }, 'exportFile: only.operations is "Mowing"; a list is needed.', undefined],
    [{ layout: 'diry' }, 'exportFile: layout is "diry"; it must be diary, linked or flat.', 'Did you mean "diary"?'],
    [{ units: { areas: 'ac' } }, 'exportFile: "areas" is unknown in units.', 'Did you mean "area"?'],
    [{ replace: true }, 'exportFile: "replace" is unknown.', undefined],
  ])('exportFile %j', async (wrong, message, hint) => {
    const options = { ...around(), what: 'work-records', ...wrong } as ExportFileOptions
    await expect(exportFile(file('a.csv'), options)).rejects.toMatchObject({
      code: 'option-invalid',
      message,
      ...(hint && { hint }),
    })
    expect(existsSync(file('a.csv'))).toBe(false)
  })

  test('by the other functions, too', async () => {
    const wrong: object = { clok: 'now' }
    const source = bufferSource('a.csv', Buffer.from('ID;Name\n1;Top\n'))
    const service = createService({})
    const pipeline = (await readPipeline(file('pipelines/nightly-paddocks.yaml'))) as ImportPipeline
    const preparation = { sleep: () => Promise.resolve(), clock: () => new Date() }
    const client = { ...preparation, fetch: world.fetch, random: Math.random }
    await using prepared = await prepareImport(pipeline, preparation)
    const calls = [
      () => openSource(zip(), world.folder, wrong),
      () => openFile(source, wrong),
      () => openFile(source, { options: { clok: 'now' } }),
      () => fileTarget(file('a.csv'), wrong),
      () => connectTo(connection, client, wrong),
      () => createService(wrong),
      () => serve(service, wrong),
      () => prepareImport(pipeline, { ...preparation, ...wrong }),
      () => recordsOf(prepared, { now: '2026-11-28T00:00:00Z', ...wrong }).next(),
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
})

describe('exportFile', () => {
  test('refuses a filter that its records have nothing for', async () => {
    const only = { products: ['Roundup'] }
    await expect(exportFile(file('p.csv'), { what: 'plots', only })).rejects.toMatchObject({
      code: 'option-invalid',
      message: 'only.products works for work records only, not for plots.',
    })
  })

  test('writes the wanted records in the given zone', async () => {
    await holdings()
    const only = { from: '2026-10-01', until: '2026-10-31' }
    const options = { ...around(), what: 'work-records', only, zone: 'Pacific/Auckland' }
    expect(await exportFile(file('work.csv'), options)).toMatchObject({ written: 7, sifted: 5 })
    expect(readFileSync(file('work.csv'), 'utf8')).toContain('Start (Pacific/Auckland)')
  })

  test('replaces only what windrow wrote, makes no folders, and writes no empty file, unless it is asked to', async () => {
    await holdings()
    const options = { ...around(), what: 'work-records', zone: 'Pacific/Auckland' }
    const work = file('work.csv')
    writeFileSync(work, 'mine')
    await expect(exportFile(work, options)).rejects.toMatchObject({ code: 'target-exists' })
    expect(readFileSync(work, 'utf8')).toBe('mine')
    await exportFile(work, { ...options, force: true })
    await exportFile(work, options)
    writeFileSync(work, 'mine again')
    await expect(exportFile(work, options)).rejects.toMatchObject({ code: 'target-exists' })
    const deep = file('2026/october/work.csv')
    await expect(exportFile(deep, options)).rejects.toMatchObject({ code: 'target-unwritable' })
    expect(existsSync(file('2026'))).toBe(false)
    expect(await exportFile(deep, { ...options, makeFolders: true })).toMatchObject({ written: 12 })
    const none = { ...options, only: { from: '1999-01-01', until: '1999-01-01' } }
    await expect(exportFile(file('none.csv'), none)).rejects.toMatchObject({ code: 'nothing-matched' })
    expect(existsSync(file('none.csv'))).toBe(false)
    expect(await exportFile(file('none.csv'), { ...none, allowEmpty: true })).toMatchObject({ written: 0 })
  })

  test.each([
    [{ what: 'cows' }, 'cows'],
    [{ what: 'plots', only: { from: 'yesterday' } }, 'yesterday'],
    [{ what: 'plots', connection: 'nobody' }, 'nobody'],
  ])('refuses %o', async (wrong, sentence) => {
    await expect(exportFile(file('a.csv'), { ...around(), ...wrong })).rejects.toThrow(sentence)
    expect(existsSync(file('a.csv'))).toBe(false)
  })
})
