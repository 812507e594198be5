/** Replaces only files that windrow wrote, and keeps a report of each export. */

import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { fileError } from '../../src/core/sources/source.ts'
import { checkName, targetError } from '../../src/core/sources/target.ts'
import { exportReportSchema } from '../../src/pipeline/report/export-report.ts'
import { checkAgainst } from '../../src/resources/validation.ts'
import { startWorld, type Ran, type World } from './world.ts'

let world: World
beforeEach(async () => {
  world = startWorld()
  await world.publishFarms()
})
afterEach(() => world.close())

function exportWork(...words: readonly string[]): Promise<Ran> {
  return world.run(['export', 'work-records', '--zone', 'Pacific/Auckland', ...words])
}
const at = (path: string): string => join(world.folder, path)

describe('a file that is there already', () => {
  test('is not replaced if windrow did not write it', async () => {
    writeFileSync(at('work.csv'), 'my own notes')
    const { exit, failure } = await exportWork('-o', 'work.csv')
    expect(exit).toBe(2)
    expect(failure?.code).toBe('target-exists')
    expect(failure?.message).toBe(`"${at('work.csv')}" is there already, and windrow did not write it.`)
    expect(failure?.hint).toBe('It was left as it is. Choose another name (-o or to.file), or replace it with --force.')
    expect(readFileSync(at('work.csv'), 'utf8')).toBe('my own notes')
    expect((await exportWork('-o', 'work.csv', '--force')).exit).toBe(0)
    expect(readFileSync(at('work.csv'), 'utf8')).not.toBe('my own notes')
  })

  test('is replaced if windrow wrote it, until somebody changes it', async () => {
    await exportWork('-o', 'work.csv', '--only', 'operation=Mowing')
    expect((await exportWork('-o', 'work.csv')).exit).toBe(0)
    writeFileSync(at('work.csv'), `${readFileSync(at('work.csv'), 'utf8')}a remark of the office\n`)
    const { exit, failure } = await exportWork('-o', 'work.csv')
    expect([exit, failure?.message]).toEqual([2, `"${at('work.csv')}" was changed after windrow wrote it.`])
    expect(readFileSync(at('work.csv'), 'utf8')).toContain('a remark of the office')
  })

  test('is not replaced if somebody made it read-only', async () => {
    await exportWork('-o', 'work.csv', '--only', 'operation=Mowing')
    const before = readFileSync(at('work.csv'), 'utf8')
    chmodSync(at('work.csv'), 0o444)
    const { exit, failure } = await exportWork('-o', 'work.csv')
    expect([exit, failure?.message]).toEqual([2, `"${at('work.csv')}" is read-only.`])
    expect(readFileSync(at('work.csv'), 'utf8')).toBe(before)
  })

  test.skipIf(process.platform === 'win32')('keeps its rights, and a link to it stays a link', async () => {
    await exportWork('-o', 'work.csv', '--only', 'operation=Mowing')
    chmodSync(at('work.csv'), 0o600)
    mkdirSync(at('shared'))
    symlinkSync(at('work.csv'), at('shared/work.csv'))
    expect((await exportWork('-o', 'shared/work.csv')).exit).toBe(0)
    expect(lstatSync(at('shared/work.csv')).isSymbolicLink()).toBe(true)
    expect(readFileSync(at('work.csv'), 'utf8')).toContain('Crop protection')
    expect(statSync(at('work.csv')).mode & 0o777).toBe(0o600)
  })

  test('is replaced every night by the pipeline that wrote it', async () => {
    const lines = ['windrow: 1', 'export: work-records', 'zone: Pacific/Auckland', 'to: { file: ../nightly.xlsx }']
    writeFileSync(at('pipelines/nightly-work.yaml'), lines.join('\n'))
    for (const night of [1, 2, 3])
      expect((await world.run(['run', 'pipelines/nightly-work.yaml'])).exit, `night ${night}`).toBe(0)
    writeFileSync(at('nightly.xlsx'), 'mine')
    expect((await world.run(['run', 'pipelines/nightly-work.yaml'])).failure?.code).toBe('target-exists')
    expect((await world.run(['run', 'pipelines/nightly-work.yaml', '--force'])).exit).toBe(0)
  })
})

test.each([
  ['EBUSY', 'win32', '"work.xlsx" is open in another program.'],
  ['EPERM', 'win32', '"work.xlsx" is open in another program.'],
  ['EPERM', 'darwin', 'You may not write to "work.xlsx".'],
  ['EACCES', 'linux', 'You may not write to "work.xlsx".'],
] as const)('%s on %s is named for what it is there', (code, platform, message) => {
  expect(targetError('work.xlsx', { code }, platform).message).toBe(message)
})

test('a folder that macOS keeps programs out of is named with the way in', () => {
  const refused = { code: 'EPERM', syscall: 'open' }
  for (const failure of [targetError('work.xlsx', refused, 'darwin'), fileError('work.xlsx', refused, 'darwin')])
    expect(failure.hint).toContain('Privacy & Security')
  expect(fileError('work.xlsx', refused, 'linux').hint).toBe('Ask for permission to read it.')
  expect(fileError('work.xlsx', { code: 'EACCES' }, 'darwin').hint).toBe('Ask for permission to read it.')
})

test('a right that is missing on Windows is not taken for an open program', () => {
  expect(targetError('work.xlsx', { code: 'EPERM', syscall: 'open' }, 'win32').message).toBe(
    'You may not write to "work.xlsx".',
  )
})

test.each(['work 14:30.xlsx', 'aux.csv', 'COM1.csv', 'what?.csv', 'work.csv.', 'work.csv '])(
  'the name "%s" is refused on Windows',
  (name) => {
    expect(() => checkName(join('out', name), 'win32')).toThrow(`Windows does not allow the name "${name}".`)
    expect(() => checkName(join('out', name), 'linux')).not.toThrow()
  },
)

test.each(['work.csv', 'auxiliary.csv', '.work.csv', 'Mäh 2026, Nord.xlsx', 'con-1.csv'])(
  'the name "%s" is good on Windows',
  (name) => {
    expect(() => checkName(join('out', name), 'win32')).not.toThrow()
  },
)

describe('a folder that is missing', () => {
  test('is an error, and is not made', async () => {
    const { exit, failure } = await exportWork('-o', 'nowhere/deep/work.csv')
    expect([exit, failure?.code]).toEqual([2, 'target-unwritable'])
    expect(failure?.message).toBe(`The folder "${at('nowhere/deep')}" does not exist.`)
    expect(failure?.hint).toContain('to.folders: make')
    expect(existsSync(at('nowhere'))).toBe(false)
  })

  test('is made if that is set', async () => {
    expect((await exportWork('-o', 'nowhere/deep/work.csv', '--set', 'to.folders=make')).exit).toBe(0)
    expect(existsSync(at('nowhere/deep/work.csv'))).toBe(true)
  })

  test('is made by a pipeline with folders: make', async () => {
    const lines = ['windrow: 1', 'export: work-records', 'to: { file: reports/work.csv }']
    writeFileSync(at('work.yaml'), lines.join('\n'))
    expect((await world.run(['run', 'work.yaml'])).failure?.hint).toContain('to.folders: make')
    writeFileSync(at('work.yaml'), lines.join('\n').replace('work.csv', 'work.csv, folders: make'))
    expect((await world.run(['run', 'work.yaml'])).exit).toBe(0)
  })
})

describe('the report of an export', () => {
  const state = (): string => at('state/windrow')
  const exportRuns = (folder = state()): readonly string[] =>
    readdirSync(join(folder, 'runs')).filter((run) => run.includes('export'))
  const reports = (folder = state()): readonly Record<string, unknown>[] =>
    exportRuns(folder).map(
      (run) => JSON.parse(readFileSync(join(folder, 'runs', run, 'report.json'), 'utf8')) as Record<string, unknown>,
    )

  test('has what was asked, the zone, the counts and the file', async () => {
    await exportWork('-o', 'work.csv', '--only', 'operation=Mowing', '--only', 'day=2026-11-08')
    const [report] = reports()
    expect(checkAgainst(exportReportSchema, report)).toEqual([])
    expect(report).toMatchObject({
      kind: 'export',
      pipeline: 'export-work-records',
      outcome: 'done',
      exit: 0,
      what: 'work-records',
      only: { operations: ['Mowing'], from: '2026-11-08', until: '2026-11-08' },
      zone: 'Pacific/Auckland',
      records: { read: 12, written: 1, leftOut: 11 },
      file: { path: at('work.csv'), bytes: readFileSync(at('work.csv')).length },
    })
  })

  test('is left by a failed export, too, with its reason', async () => {
    await exportWork('-o', 'work.csv', '--only', 'operation=Baling')
    const [report] = reports()
    expect(checkAgainst(exportReportSchema, report)).toEqual([])
    expect(report).toMatchObject({ outcome: 'stopped', exit: 3, error: { code: 'nothing-matched' } })
    expect(report).not.toHaveProperty('file')
  })

  test('counts one record as one', async () => {
    const { out } = await exportWork('-o', 'one.csv', '--only', 'plot=007')
    expect(out).toContain('1 of 12 records matched and was written.')
    expect((await world.run(['runs'])).out).toContain(`1 work record written to ${at('one.csv')}`)
  })

  test('is listed and shown by windrow runs', async () => {
    await exportWork('-o', 'work.csv')
    await exportWork('-o', 'work.csv', '--only', 'status=Done')
    const { out } = await world.run(['runs'])
    expect(out).toContain('export-work-records')
    expect(out).toContain(`12 work records written to ${at('work.csv')}`)
    expect(out).toContain('stopped, exit 3')
    expect(out).toContain('matches: status "Done"')
    expect(JSON.parse((await world.run(['runs', '--json'])).out)).toHaveLength(3)
    const [first] = exportRuns()
    const shown = await world.run(['runs', first!])
    expect(shown.out).toContain('12 read, 0 left out by the filters. Days and times in Pacific/Auckland.')
    expect(shown.out).not.toContain('undo')
  })

  test('does not hinder undo, retry and imports in the same state folder', async () => {
    const words = ['service', 'changes', 'holdings', '--json']
    const before = (await world.run(words)).out
    expect(before).toContain('Rimu Farm')
    await exportWork('-o', 'work.csv')
    const undone = await world.run(['undo', 'last', '--yes'])
    expect(undone.exit, undone.out + undone.err + undone.failure?.message).toBe(0)
    const [run] = exportRuns()
    expect((await world.run(['undo', run!])).failure?.code).toBe('run-unusable')
    expect((await world.run(['retry', run!])).failure?.code).toBe('run-unusable')
    expect((await world.publishFarms()).exit).toBe(0)
  })
})

test('an interrupted export leaves neither a file nor a part of one', async () => {
  const stop = new AbortController()
  mkdirSync(at('target'))
  const fetch = async (input: Request): Promise<Response> => {
    if (input.url.includes('/crops/work-records')) stop.abort(new Error('stopped by the person'))
    return world.fetch(new Request(input))
  }
  await exportWork('-o', 'target/work.csv')
  const before = readdirSync(at('target'))
  await world
    .run(['export', 'work-records', '-o', 'target/other.csv'], {
      fetch: fetch as typeof globalThis.fetch,
      signal: stop.signal,
    })
    .catch(() => undefined)
  expect(readdirSync(at('target'))).toEqual(before)
})

describe('the progress line', () => {
  const watched = (isTTY: boolean, onText: (text: string) => void = () => undefined) => {
    let [now, shown] = [Date.parse('2026-11-01T00:00:00Z'), '']
    const write = (text: string): void => {
      shown += text
      onText(text)
    }
    return {
      shown: () => shown,
      surroundings: {
        terminal: { out: { write: () => undefined }, err: { isTTY, columns: 100, write } },
        clock: () => new Date((now += 500)),
        fetch: ((input: Request) =>
          world.fetch(new Request(input.url.replace('limit=500', 'limit=4'), input))) as typeof globalThis.fetch,
      },
    }
  }

  test('says how many records have come, of how many, how fast, and how long it will take', async () => {
    const { shown, surroundings } = watched(true)
    const { exit } = await world.run(['export', 'work-records', '-o', 'progress.csv'], surroundings)
    expect(exit).toBe(0)
    expect(shown()).toMatch(/\r\u001b\[K4 of 12 records read, \d+ a second, about \d+ s left/)
    expect(shown()).toContain('12 records read, writing the file')
    expect(shown().endsWith('\r\u001b[K')).toBe(true)
  })

  test('is not there without a terminal', async () => {
    const { shown, surroundings } = watched(false)
    await world.run(['export', 'work-records', '-o', 'no-progress.csv'], surroundings)
    expect(shown()).toBe('')
  })

  test('an export that is interrupted while it writes leaves neither a file nor a part of one', async () => {
    mkdirSync(at('writing'))
    const stop = new AbortController()
    const { shown, surroundings } = watched(true, (text) => {
      if (text.includes('writing the file')) stop.abort(new Error('stopped by the person'))
    })
    const words = ['export', 'work-records', '-o', 'writing/work.csv']
    await expect(world.run(words, { ...surroundings, signal: stop.signal })).rejects.toThrow('stopped by the person')
    expect(shown()).toContain('writing the file')
    expect(readdirSync(at('writing'))).toEqual([])
  })
})

describe('standard output', () => {
  test('gets the records, and messages go to standard error', async () => {
    const { exit, out, err } = await exportWork('-o', '-', '--only', 'operation=Mowing')
    expect(exit, err).toBe(0)
    expect(out).toMatch(/^Date,/)
    expect(out.trimEnd().split('\n')).toHaveLength(2)
    expect(err).toContain('1 of 12 records matched')
    expect(err).toContain('standard output')
    const [report] = readdirSync(at('state/windrow/runs')).filter((run) => run.includes('export'))
    expect(readFileSync(at(`state/windrow/runs/${report}/report.json`), 'utf8')).not.toContain('"file"')
  })

  test('gets one feature per line as ndjson', async () => {
    const { exit, out } = await world.run(['export', 'holdings', '-o', '-', '--set', 'to.format=ndjson'])
    expect(exit).toBe(0)
    const lines = out.trimEnd().split('\n')
    expect(lines.length).toBeGreaterThan(1)
    for (const line of lines) expect(JSON.parse(line)).toMatchObject({ type: 'Feature' })
  })

  test('gets nothing if the export fails', async () => {
    const { exit, out } = await exportWork('-o', '-', '--only', 'operation=Baling')
    expect([exit, out]).toEqual([3, ''])
  })

  test('cannot get a workbook', async () => {
    const { exit, failure } = await exportWork('-o', '-', '--set', 'to.format=xlsx')
    expect([exit, failure?.message]).toEqual([2, '"xlsx" is not a text format.'])
    expect(failure?.hint).toContain('csv')
  })
})

describe('a name that ends in .gz', () => {
  test.each(['csv', 'geojson', 'ndjson'])('packs .%s', async (ending) => {
    const words = ['export', 'holdings', '--zone', 'Pacific/Auckland', '-o']
    expect((await world.run([...words, `plain.${ending}`])).exit).toBe(0)
    const { exit, out } = await world.run([...words, `packed.${ending}.gz`, '--json'])
    expect(exit).toBe(0)
    const packed = readFileSync(at(`packed.${ending}.gz`))
    expect(gunzipSync(packed)).toEqual(readFileSync(at(`plain.${ending}`)))
    expect((JSON.parse(out) as { readonly bytes: number }).bytes).toBe(packed.length)
  })

  test('is read again', async () => {
    expect((await world.run(['export', 'holdings', '-o', 'farms.csv.gz'])).exit).toBe(0)
    const { exit, out } = await world.run(['import', 'farms.csv.gz', '--json'])
    expect([exit, (JSON.parse(out) as { rows: { unchanged: number } }).rows.unchanged]).toEqual([0, 2])
  })

  test('does not pack what is packed already', async () => {
    const { exit, failure } = await world.run(['export', 'holdings', '-o', 'farms.xlsx.gz'])
    expect([exit, failure?.code]).toEqual([2, 'format-cannot-write'])
  })
})

test('a name without a known ending is answered with those that can be written', async () => {
  const { failure } = await world.run(['export', 'holdings', '-o', 'farms.docx'])
  expect(failure?.hint).toMatch(/\.zip.*\.geojson.*\.xlsx.*\.csv/)
})

test.each([
  ['file: jobs.ods', 'windrow reads Workbook (.xls, .xlsb, .ods), but does not write it.'],
  ['file: jobs.csv, layout: linked', 'The layout linked has several tables, and CSV has room for one.'],
  ['file: jobs.xlsx, geometry: point', 'A workbook has no place for geometry.'],
  ['file: jobs.geojson, groupBy: Farm', 'Groups are sheets of a workbook; this format has one table.'],
  ['file: jobs.xlsx, groupBy: Fram', 'There is no column "Fram" in this export.'],
  ['file: jobs.xlsx, columns: [Date, Padock]', 'There is no column "Padock" in this export.'],
  ['file: jobs.xlsx, sort: Padock', 'There is no column "Padock" in this export.'],
])('check finds what no night can write: %s', async (to, message) => {
  writeFileSync(join(world.folder, 'jobs.yaml'), `windrow: 1\nexport: work-records\nto: { ${to} }\n`)
  const { exit, failure } = await world.run(['check', 'jobs.yaml'])
  expect([exit, failure?.message]).toEqual([2, `jobs.yaml: ${message}`])
  expect((await world.run(['run', 'jobs.yaml'])).failure?.message).toBe(message)
})

test('check finds a place where no file can be, and makes no folder', async () => {
  const check = async (to: string) => {
    writeFileSync(join(world.folder, 'jobs.yaml'), `windrow: 1\nexport: work-records\nto: { ${to} }\n`)
    const { exit, failure } = await world.run(['check', 'jobs.yaml'])
    return [exit, failure?.message]
  }
  const missing = `The folder "${at('none')}" does not exist.`
  expect(await check('file: none/jobs.xlsx')).toEqual([2, missing])
  expect(await check('file: none/jobs.xlsx, folders: make')).toEqual([0, undefined])
  expect(existsSync(at('none'))).toBe(false)
  mkdirSync(at('jobs.xlsx'))
  expect(await check('file: jobs.xlsx')).toEqual([2, `"${at('jobs.xlsx')}" is a folder.`])
  writeFileSync(at('note'), 'a file')
  const inFile = `"${at('note/jobs.xlsx')}" cannot be written: a file is in place of its folder.`
  expect(await check('file: note/jobs.xlsx, folders: make')).toEqual([2, inFile])
  expect(await check('file: other.xlsx')).toEqual([0, undefined])
  expect(existsSync(at('other.xlsx'))).toBe(false)
})
