import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { Readable } from 'node:stream'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { startWorld, type World } from './world.ts'

const farm = 'nz.example.farm-number'
let world: World
beforeEach(async () => {
  world = startWorld()
  writeFileSync(join(world.folder, 'farms.csv'), 'No,Name\n00412876,Rimu Farm\n')
  writeFileSync(
    join(world.folder, 'farms.yaml'),
    `windrow: 1\nimport: holdings\nfrom: { file: farms.csv }\nholding: { scheme: ${farm}, id: <No> }\nrecord: { name: <Name> }\n`,
  )
  writeFileSync(
    join(world.folder, 'nightly.yaml'),
    `windrow: 1\nimport: plots\nfrom: { file: nightly.csv }\nholding: { scheme: ${farm}, id: "00412876" }\nkey: <No>\nrecord: { name: <Name> }\ngone: delete\nrules: { deletes: stop above 100 % }\n`,
  )
  expect((await world.run(['run', 'farms.yaml'])).exit).toBe(0)
  expect(await nightly(['1', '2', '3'])).toBe(0)
})
afterEach(() => world.close())

async function nightly(ids: readonly string[]): Promise<number> {
  writeFileSync(join(world.folder, 'nightly.csv'), `No,Name\n${ids.map((id) => `${id},Paddock ${id}\n`).join('')}`)
  return (await world.run(['run', 'nightly.yaml'])).exit
}

const lastReport = async () =>
  JSON.parse((await world.run(['runs', '--last', '--json'])).out) as { gone: object; problems: { code: string }[] }

describe('windrow ledger show', () => {
  test('lists the records of all pipelines, with their states in words', async () => {
    const { exit, out } = await world.run(['ledger', 'show'])
    expect(exit).toBe(0)
    const lines = out.trimEnd().split('\n')
    expect(lines[0]).toMatch(/^Id +Dataset +State +Pipeline +Changed +Key$/)
    expect(lines[2]).toMatch(
      /^1 +plots +in the service +nightly +\d{4}-\S+ +plots\/nz\.example\.farm-number\/00412876\/1$/,
    )
    expect(lines.at(-1)).toBe('4 records: 4 in the service.')
  })

  test.each(['nightly', 'nightly.yaml'])('lists those of one pipeline, named as %s', async (name) => {
    const { out } = await world.run(['ledger', 'show', name, '--json'])
    expect((JSON.parse(out) as object[]).map((each) => Object.keys(each).toSorted().join())).toEqual(
      Array(3).fill('account,dataset,key,modified,pipeline,state'),
    )
  })

  test.each(['Ra\u0304hui.yaml', 'R\u0101hui', 'Ra\u0304hui'])(
    'lists those of a file whose accents are apart, named as %s',
    async (name) => {
      renameSync(join(world.folder, 'nightly.yaml'), join(world.folder, 'Ra\u0304hui.yaml'))
      expect((await world.run(['run', 'Ra\u0304hui.yaml'])).exit).toBe(0)
      const { out } = await world.run(['ledger', 'show', name, '--json'])
      expect(JSON.parse(out)).toHaveLength(3)
    },
  )

  test.each(['R\u0101hui', 'Ra\u0304hui'])(
    'lists those of a ledger that has the accents apart, named as %s',
    async (name) => {
      using ledger = new DatabaseSync(join(world.folder, '.windrow', 'ledger.db'))
      ledger.exec("UPDATE records SET pipeline = 'Ra\u0304hui' WHERE pipeline = 'nightly'")
      const { out } = await world.run(['ledger', 'show', name, '--json'])
      expect(JSON.parse(out)).toHaveLength(3)
    },
  )

  test('leaves deleted records out unless they are asked for', async () => {
    await nightly(['1', '2'])
    expect((await world.run(['ledger', 'show', 'nightly'])).out).toContain('\n2 records: 2 in the service.')
    expect((await world.run(['ledger', 'show', 'nightly', '--deleted'])).out).toContain('1 deleted')
  })

  test('names the pipelines that there are where it finds no such pipeline', async () => {
    const { failure } = await world.run(['ledger', 'show', 'weekly'])
    expect(failure).toMatchObject({ code: 'option-invalid', hint: 'It has: farms, nightly.' })
  })

  test('names the place where there is no ledger', async () => {
    const { failure } = await world.run(['ledger', 'show', '--state', 'elsewhere'])
    expect(failure).toMatchObject({ code: 'state-unreadable', message: expect.stringContaining('elsewhere') as string })
  })
})

describe('windrow ledger export', () => {
  test('writes a CSV', async () => {
    const { exit } = await world.run(['ledger', 'export', 'nightly', '-o', 'ledger.csv'])
    expect(exit).toBe(0)
    const [head, first] = readFileSync(join(world.folder, 'ledger.csv'), 'utf8').split(/\r?\n/)
    expect(head).toMatch(/Name,Dataset,State,Pipeline,Changed,Key,Account,Id$/)
    expect(first).toContain('Paddock 1')
  })

  test('prints all fields as JSON', async () => {
    const { out } = await world.run(['ledger', 'export', 'nightly', '--json'])
    expect(JSON.parse(out)).toMatchObject([
      { state: 'confirmed', body: { name: 'Paddock 1' } },
      { body: { name: 'Paddock 2' } },
      { body: { name: 'Paddock 3' } },
    ])
  })

  test('asks for a file', async () => {
    expect((await world.run(['ledger', 'export'])).failure).toMatchObject({ code: 'option-invalid' })
  })
})

describe('windrow ledger forget', () => {
  test('a pipeline: no run deletes its records, and the kept runs do not give them back', async () => {
    const { exit, out } = await world.run(['ledger', 'forget', 'nightly', '--yes'])
    expect([exit, out]).toEqual([
      0,
      `windrow will forget that "nightly" published 3 records.
They stay in the service unchanged, but count as not ours from then on: no run deletes them.
A pipeline whose file has such a record makes it its own again.
Forgotten: 3 records.
`,
    ])
    expect(await nightly(['1'])).toBe(0)
    expect(await lastReport()).toMatchObject({ gone: { gone: 0 } })
    expect((await lastReport()).problems.map(({ code }) => code)).toContain('not-in-file')
    expect((await world.run(['ledger', 'show'])).out).toMatch(/^2 +plots +in the service +\(nobody’s\)/m)
    // What its file has is its own again.
    expect(await nightly(['2', '3'])).toBe(0)
    expect(await lastReport()).toMatchObject({ gone: { gone: 1, deleted: 1 } })
  })

  test('a record', async () => {
    const { exit, out } = await world.run(['ledger', 'forget', 'nightly', '--record', '2', '--yes'])
    expect([exit, out.split('\n')[0]]).toEqual([0, 'windrow will forget that "nightly" published the record "2".'])
    await nightly(['1'])
    expect(await lastReport()).toMatchObject({ gone: { gone: 1, deleted: 1 } })
    const again = await world.run(['ledger', 'forget', '--record', '2', '--yes'])
    expect(again.out).toBe('No pipeline owns the record "2": there is nothing to forget.\n')
  })

  test('a record in each account that has it', async () => {
    const ledger = new DatabaseSync(join(world.folder, '.windrow', 'ledger.db'))
    ledger.exec(
      `CREATE TEMP TABLE copied AS SELECT * FROM records; UPDATE copied SET account = 'rehearsal', id = id + 100`,
    )
    ledger.exec('INSERT INTO records SELECT * FROM copied')
    ledger[Symbol.dispose]()
    const { exit, out, failure } = await world.run(['ledger', 'forget', 'nightly', '--record', '2', '--yes'])
    expect(exit, failure?.message).toBe(0)
    expect(out).toContain('windrow will forget that "nightly" published the record "2" in 2 accounts.\n')
    const ids = (await world.run(['ledger', 'show', 'nightly'])).out.split('\n').map((line) => line.split(' ', 1)[0])
    expect(ids.filter((id) => id === '1')).toHaveLength(2)
    expect(ids).not.toContain('2')
  })

  test('asks first', async () => {
    const { failure } = await world.run(['ledger', 'forget', 'nightly'])
    expect(failure).toMatchObject({ code: 'option-invalid', hint: expect.stringContaining('--yes') as string })
    const stdin = Object.assign(Readable.from(['n\n']), { isTTY: true })
    const { out, err } = await world.run(['ledger', 'forget', 'nightly'], { stdin })
    expect(err).toContain('Forget? Type y or n: ')
    expect(out).toContain('Nothing was changed.')
    expect((await world.run(['ledger', 'show', 'nightly'])).exit).toBe(0)
  })

  test.each([
    ['nothing', [], 'What should be forgotten?'],
    ['a record that is not there', ['--record', '9'], 'No record has the id "9".'],
  ])('refuses %s', async (_, words, message) => {
    expect((await world.run(['ledger', 'forget', ...words, '--yes'])).failure).toMatchObject({ message })
  })
})
