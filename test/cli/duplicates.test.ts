import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { formats } from '../../src/formats/index.ts'
import { memoryTarget, outTable } from '../formats/fixtures.ts'
import { startWorld, type Ran, type World } from './world.ts'

const farm = 'nz.example.farm-number:00412876'
type Field = { readonly id: string; readonly name: string; readonly ring: readonly (readonly [number, number])[] }

let world: World
let fields: readonly Field[]
beforeEach(async () => {
  world = startWorld()
  await world.run(['run', 'pipelines/holdings.yaml', 'pipelines/onboard-paddocks.yaml'])
  await world.run(['export', 'plots', '--holding', 'Rimu Farm', '-o', 'known.geojson'])
  const { features } = JSON.parse(read('known.geojson')) as {
    features: { properties: { Name: string }; geometry: { coordinates: [[number, number][]] } }[]
  }
  fields = features.map(({ properties, geometry }, index) => ({
    id: `7f9c${String(index).padStart(4, '0')}-0d1e-4a2b-9c3d-5e6f7a8b9c0d`,
    name: properties.Name,
    ring: geometry.coordinates[0],
  }))
})
afterEach(() => world.close())

const write = (name: string, content: string | Uint8Array): void => writeFileSync(join(world.folder, name), content)
const read = (name: string): string => readFileSync(join(world.folder, name), 'utf8')

async function plots(): Promise<readonly { readonly Name: string }[]> {
  await world.run(['export', 'plots', '--holding', 'Rimu Farm', '-o', 'now.geojson'])
  const { features } = JSON.parse(read('now.geojson')) as { features: { properties: { Name: string } }[] }
  return features.map(({ properties }) => properties)
}

const geojson = (all: readonly Field[]): string =>
  JSON.stringify({
    type: 'FeatureCollection',
    features: all.map(({ id, name, ring }) => ({
      type: 'Feature',
      properties: { 'Field ID': id, Field: name },
      geometry: { type: 'Polygon', coordinates: [ring] },
    })),
  })

const names = (all: readonly Field[]): string =>
  `Client,Farm,Field,Field ID,Area (ha)\n${all.map(({ id, name }, row) => `Smith,Rimu,${name},${id},${5 + row / 10}`).join('\n')}\n`

async function workbook(all: readonly Field[]): Promise<Uint8Array> {
  const target = memoryTarget('fields.xlsx')
  const columns = ['Field', 'Field ID'].map((name) => ({ name }))
  const rows = all.map(({ id, name }) => ({ values: { Field: name, 'Field ID': id } }))
  await formats.find(({ name }) => name === 'xlsx')!.write!([outTable(rows, { columns })], target, {})
  return target.bytes()
}

const importing = (file: string, ...more: readonly string[]): Promise<Ran> =>
  world.run(['import', file, '--key', 'Field ID', '--holding', farm, ...more])

/** What the run counted, from its report. */
async function counted(ran: Promise<Ran>) {
  const { out, exit } = await ran
  const { records, rows, problems, error } = JSON.parse(out) as {
    records: { created: number; updated: number; unchanged: number }
    rows: { rejected: number }
    problems: readonly { code: string; count: number; first: readonly { message: string; value?: string }[] }[]
    error?: { code: string; message: string; hint: string }
  }
  const { created, updated, unchanged } = records
  return { exit, created, updated, unchanged, rejected: rows.rejected, problems, error }
}

describe('a second file for the same farm stops before anything is sent', () => {
  test.each([
    ['GeoJSON with GUID ids', 'fields.geojson', geojson, 'overlap 100 %'],
    ['a workbook without boundaries', 'fields.xlsx', workbook, 'same name'],
  ])('%s', async (_, file, content, evidence) => {
    write(file, await content(fields))
    for (const dry of [['--dry-run'], []]) {
      const { exit, out } = await importing(file, '--to', 'plots', ...dry)
      expect(out).toContain('22 of 22 new records are in the service already, under other keys: row ')
      expect(out).toMatch(new RegExp(`"Woolshed" \\(7f9c\\S+\\), is "Woolshed" \\(001\\), ${evidence}`))
      expect(out).toContain('; and 19 more.')
      expect(out).toContain(evidence === 'same name' ? 'match: name' : 'match: boundary')
      expect(exit).toBe(6)
    }
    expect(await plots()).toHaveLength(22)
  })

  test('also by a pipeline, and with names in other spelling, unless it allows that', async () => {
    const plain = (name: string): string => ` ${name.normalize('NFD').replaceAll(/\p{M}/gu, '').toUpperCase()}`
    write('fields.csv', names(fields.map((each) => ({ ...each, name: plain(each.name) }))))
    const yaml = (more: string): string =>
      `windrow: 1\nimport: plots\nfrom: { file: fields.csv }\nholding: { scheme: nz.example.farm-number, id: "00412876" }\nkey: <Field ID>\nrecord: { name: <Field> }\n${more}\n`
    write('again.yaml', yaml(''))
    const stopped = await counted(world.run(['run', 'again.yaml', '--json']))
    expect(stopped).toMatchObject({
      exit: 6,
      error: { code: 'rule-stopped', hint: expect.stringContaining('match: name  or  match: <COLUMN>=identifier') },
    })
    write('again.yaml', yaml('rules: { duplicates: allow }'))
    const allowed = await counted(world.run(['run', 'again.yaml', '--json']))
    expect(allowed).toMatchObject({ exit: 0, created: 22 })
    expect(allowed.problems).toContainEqual(expect.objectContaining({ code: 'record-repeated', count: 22 }))
    expect(await plots()).toHaveLength(44)
  })

  test('a dry run without a service says that it could not compare', async () => {
    write('fields.csv', names(fields))
    const env = { HOME: world.folder, LOCALAPPDATA: world.folder, XDG_STATE_HOME: join(world.folder, 's') }
    const words = ['import', 'fields.csv', '--key', 'Field ID', '--holding', farm, '--dry-run']
    expect((await world.run(words, { env })).out).toContain('duplicates of records that are in the service already')
  })
})

test('land covers on plots are new records', async () => {
  write('fields.geojson', geojson(fields))
  const ran = importing('fields.geojson', '--to', 'land-covers', '--json')
  expect(await counted(ran)).toMatchObject({ exit: 0, created: 22 })
})

describe('--match', () => {
  test('boundary updates the records that are there, and finds them again', async () => {
    const renamed = fields.map((each) => ({ ...each, name: `${each.name} 2` }))
    write('fields.geojson', geojson(renamed))
    const first = await counted(importing('fields.geojson', '--match', 'boundary', '--json'))
    expect(first).toMatchObject({ exit: 0, created: 0, updated: 22 })
    expect(first.problems.find(({ code }) => code === 'record-matched')).toMatchObject({
      count: 22,
      first: expect.arrayContaining([
        expect.objectContaining({
          message: 'This row is the record "Woolshed" (001) of the service, by its boundary (overlap 100 %).',
        }),
      ]),
    })
    const now = await plots()
    expect(now).toHaveLength(22)
    expect(now.map(({ Name }) => Name)).toContain('Woolshed 2')
    await world.run(['export', 'plots', '-o', 'keys.csv'])
    expect(read('keys.csv')).toContain('00412876/001')
    expect(read('keys.csv')).not.toContain('-0d1e-4a2b-9c3d-')
    // The next night needs no option: the same rows are the same records, wherever their boundaries are now.
    expect(await counted(importing('fields.geojson', '--json'))).toMatchObject({ exit: 0, created: 0, unchanged: 22 })
    const [one, ...others] = renamed
    const far = { ...one!, ring: one!.ring.map(([lon, lat]) => [lon + 0.1, lat] as const) }
    write('fields.geojson', geojson([far, ...others]))
    const later = await counted(importing('fields.geojson', '--json'))
    expect(later).toMatchObject({ exit: 0, created: 0, updated: 1, unchanged: 21 })
    expect(await plots()).toHaveLength(22)
  })

  test('name updates them, and rejects names that are there twice', async () => {
    write('fields.csv', names(fields))
    const { exit, created, updated, rejected, problems } = await counted(
      // Its areas are others than those of the map.
      importing('fields.csv', '--match', 'name', '--allow', 'values-changed', '--json'),
    )
    expect({ exit, created, updated, rejected }).toEqual({ exit: 3, created: 0, updated: 20, rejected: 2 })
    expect(problems.find(({ code }) => code === 'match-unclear')!.first.map(({ message }) => message)).toEqual([
      'This row could be "Kānuka" (002) or "Kānuka" (016).',
      'This row could be "Kānuka" (002) or "Kānuka" (016).',
    ])
    expect(await plots()).toHaveLength(22)
  })

  test('COLUMN=identifier updates them by an id that the service knows', async () => {
    write(
      'fields.csv',
      `Field ID,Paddock,Field\n${fields.map(({ id }, at) => `${id},${numbers[at]},F${at}`).join('\n')}\n`,
    )
    const ran = await counted(importing('fields.csv', '--to', 'plots', '--match', 'Paddock=identifier', '--json'))
    expect(ran).toMatchObject({ exit: 0, created: 0, updated: 22 })
    expect(await plots()).toHaveLength(22)
    const missing = await importing('fields.csv', '--to', 'plots', '--match', 'Nummer=identifier')
    expect(missing.failure?.message ?? missing.out).toContain('The column "Nummer" is missing')
  })

  const numbers = '001 002 003 004 005 007 008 009 010 011 013 014 015 016 017 018 019 020 021 022 023 024'.split(' ')

  test('is part of a plan, of a file and of a pipeline, and remembered once it is applied', async () => {
    write('fields.csv', names(fields.filter(({ name }) => name !== 'Kānuka')))
    write(
      'again.yaml',
      'windrow: 1\nimport: plots\nfrom: { file: fields.csv }\nholding: { scheme: nz.example.farm-number, id: "00412876" }\nkey: <Field ID>\nrecord: { name: <Field> }\n',
    )
    for (const words of [['fields.csv', '--key', 'Field ID', '--holding', farm], ['again.yaml']]) {
      const planned = await world.run(['plan', ...words, '--match', 'name', '--allow', 'values-changed'])
      const [, command] = /To send exactly this: windrow (.*)/.exec(planned.out) ?? []
      expect(await world.run(command!.split(' '))).toMatchObject({ exit: 0 })
      const verb = words[0] === 'again.yaml' ? 'run' : 'import'
      expect(await counted(world.run([verb, ...words, '--json']))).toMatchObject({ exit: 0, created: 0, unchanged: 20 })
    }
    expect(await plots()).toHaveLength(22)
  })

  test('boundary needs boundaries, and a way that there is', async () => {
    write('fields.csv', names(fields))
    const without = await importing('fields.csv', '--match', 'boundary')
    expect(without.failure?.message).toContain('has no boundaries, so its rows cannot be matched by them')
    expect((await importing('fields.csv', '--match', 'shape')).failure?.message).toContain('"shape" is no way to match')
  })
})
