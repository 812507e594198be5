import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { saveProfile, stateFolder } from '../../src/client/profile.ts'
import { startWorld, type World } from './world.ts'

let world: World
/** A farm with its paddocks, for each test or for several that leave its records as they are. */
async function prepare(): Promise<void> {
  world = startWorld()
  await world.run(['run', 'pipelines/holdings.yaml', 'pipelines/onboard-paddocks.yaml'])
  write('plots.csv', 'No,Name\n901,Top\n902,Low\n')
}
const close = (): void => world.close()

const rimu = 'nz.example.farm-number:00412876'
const write = (name: string, text: string): void => writeFileSync(join(world.folder, name), text)
const read = (name: string): string => readFileSync(join(world.folder, name), 'utf8')
const nowhere = () => ({
  env: { HOME: world.folder, LOCALAPPDATA: world.folder, XDG_STATE_HOME: join(world.folder, 's') },
})

/** The exit status and the refusal of the real run, its dry run, and the check of the same pipeline. */
async function refusals(yaml: string): Promise<readonly (readonly [number, string])[]> {
  write('try.yaml', yaml)
  const answers: [number, string][] = []
  for (const words of [
    ['run', 'try.yaml', '--dry-run'],
    ['check', 'try.yaml'],
    ['run', 'try.yaml'],
  ]) {
    const { exit, out, failure } = await world.run(words)
    answers.push([exit, `${out} ${failure?.message ?? ''}`])
  }
  return answers
}

const pipeline = (holding: string, more = 'key: <No>\nrecord: { name: <Name> }'): string =>
  `windrow: 1\nimport: plots\nfrom: { file: plots.csv }\nholding: ${holding}\n${more}\n`

describe('dry run, check and real run all refuse a holding that the account may not write', () => {
  beforeAll(prepare)
  afterAll(close)

  test.each([
    ['that does not exist', '{ scheme: nz.example.farm-number, id: "00999999" }', 'not connected to the holding'],
    ['with a typing mistake', '{ scheme: nz.exmaple.farm-number, id: "00412876" }', 'not connected to the holding'],
    ['the wrong way round', '{ scheme: "00412876", id: nz.example.farm-number }', 'the wrong way round'],
  ])('%s', async (_, holding, words) => {
    for (const [exit, answer] of await refusals(pipeline(holding))) {
      expect(exit).toBe(5)
      expect(answer).toContain(words)
    }
  })

  test('that a column names', async () => {
    write('farms.csv', 'No,Name,Farm\n901,Top,00412876\n902,Low,00999999\n')
    const yaml = pipeline('{ scheme: nz.example.farm-number, id: <Farm> }').replace('plots.csv', 'farms.csv')
    const [dry, , real] = await refusals(yaml)
    expect([dry![0], real![0]]).toEqual([5, 5])
    expect(dry![1]).toContain('The real run will be refused: farms.csv: The account is not connected to the holding')
    expect(dry![1]).toContain('2 would be created')
  })

  test('before the real run reads the file, and after the dry run has shown what is in it', async () => {
    const words = ['import', 'plots.csv', '--to', 'plots', '--key', 'No', '--holding', 'no.such:1', '--json']
    const error = { code: 'rights-missing' }
    expect(JSON.parse((await world.run(words)).out)).toMatchObject({ exit: 5, rows: { read: 0 }, error })
    const dry = JSON.parse((await world.run([...words, '--dry-run'])).out)
    expect(dry).toMatchObject({ exit: 5, outcome: 'dry-run', rows: { read: 2 }, records: { created: 2 }, error })
  })
})

describe('ids given by the service are not a key', () => {
  beforeAll(async () => {
    await prepare()
    await world.run(['export', 'plots', '--holding', 'Rimu Farm', '-o', 'back.csv'])
  })
  afterAll(close)
  const back = ['back.csv', '--holding', rimu]

  test('<Id>, in a dry run as in the real run', async () => {
    for (const dry of [[], ['--dry-run']]) {
      const { exit, failure } = await world.run(['import', ...back, '--key', 'Id', ...dry])
      expect(exit).toBe(2)
      expect(failure?.message).toContain('as the key it would publish every record a second time')
    }
    expect((await world.run(['export', 'plots', '--holding', 'Rimu Farm', '-o', 'again.csv'])).out).toContain(
      '22 records were written',
    )
  })

  test('but the source ids of an export find its records', async () => {
    const key = 'Source id (nz.example.farm-number.plots)'
    for (const dry of [['--dry-run'], []]) {
      const { exit, out } = await world.run(['import', ...back, '--key', key, ...dry])
      expect(exit).toBe(0)
      expect(out).toContain('22 read = 0 ready + 22 unchanged')
    }
  })

  test.each(['csv', 'geojson', 'xlsx', 'zip'])('and init proposes the source ids for .%s', async (ending) => {
    await world.run(['export', 'plots', '--holding', 'Rimu Farm', '-o', `out.${ending}`])
    await world.run(['init', `out.${ending}`, '--holding', rimu, '-o', 'out.yaml', '--set', 'from.geometry=none'])
    expect(read('out.yaml')).not.toMatch(/^key: .*<Id>/m)
    expect(read('out.yaml')).toContain(
      'key: { source id: { nz.example.farm-number.plots: <Source id (nz.example.farm-number.plots)> } }',
    )
  })

  test('nor in a pipeline, which check refuses because of its examples', async () => {
    const [, row] = read('back.csv').split('\r\n')
    const id = /[0-9a-f]{8}-[0-9a-f-]{27}(?=,http)/.exec(row!)![0]
    const yaml = pipeline('{ scheme: nz.example.farm-number, id: "00412876" }', 'key: <Id>\nrecord: { name: <Name> }')
    const example = `examples: [{ row: { Id: ${id}, Name: Top }, gives: {} }]\n`
    for (const [exit, answer] of await refusals(yaml.replace('plots.csv', 'back.csv') + example)) {
      expect(exit).toBe(2)
      expect(answer).toContain('<Id> contains ids that the service gave, not yours')
    }
  })

  test('but such ids of another program are', async () => {
    write('own.csv', 'Field ID,Name\n0b6a4f5e-3c1d-4e2f-8a9b-0c1d2e3f4a5b,Top\n')
    const own = ['own.csv', '--to', 'plots', '--holding', rimu]
    expect((await world.run(['import', ...own, '--dry-run'])).exit).toBe(0)
    expect(await world.run(['import', ...own, '--key', 'Field ID', '--dry-run'])).toMatchObject({ exit: 0 })
    await world.run(['init', ...own, '--key', 'Field ID', '-o', 'own.yaml'])
    expect(await world.run(['check', 'own.yaml'])).toMatchObject({ exit: 0 })
    expect(await world.run(['run', 'own.yaml'])).toMatchObject({ exit: 0 })
  })
})

describe('a dry run whose real run would be refused', () => {
  beforeEach(prepare)
  afterEach(close)

  test('says why for a farm that the service has, and lists the records that seem to be gone in one line', async () => {
    const crops = ['Kale', 'Rape', 'Maize', 'Oats', 'Barley', 'Chicory', 'Plantain', 'Lucerne', 'Clover']
    const words = ['import', 'plots.csv', '--holding', rimu]
    write('plots.csv', ['No,Name,Crop', ...crops.map((crop, at) => `A${at},Block ${at},${crop}`), ''].join('\n'))
    expect(await world.run([...words, '--key', 'No'])).toMatchObject({ exit: 0 })
    write('plots.csv', ['Name,Crop', ...crops.map((crop) => `Top,${crop}`), ''].join('\n'))
    const { exit, out } = await world.run([...words, '--dry-run'])
    expect(exit).toBe(2)
    expect(out).toContain(
      'The real run will be refused: 1 choice is missing for "plots.csv":   key: Which column is the id',
    )
    expect(out).toContain(
      'note     9 × The record is no longer in a readable row of the file. (first: A0, A1, A2, A3, A4)',
    )
  })

  test('still shows what would happen, without a key', async () => {
    write('plots.csv', 'Name,Crop\nTop,Kale\nTop,Rape\n')
    const words = ['import', 'plots.csv', '--holding', rimu]
    const [dry, real] = [await world.run([...words, '--dry-run']), await world.run(words)]
    expect([dry.exit, real.exit]).toEqual([2, 2])
    expect(dry.out).toContain('2 would be created')
    expect(dry.out).toContain(
      'The real run will be refused: 1 choice is missing for "plots.csv":   key: Which column is the id',
    )
  })

  test('asks which farm, and lists the farms that the account may write, as the real run and "service record" do', async () => {
    const asked = expect.stringMatching(
      /holding: Which farm do the records belong to\? nz\.example\.farm-number:00412876 \(Rimu Farm\)/,
    ) as string
    const words = ['import', 'plots.csv', '--to', 'plots']
    const dry = await world.run([...words, '--dry-run'])
    expect(dry).toMatchObject({ exit: 2, out: asked })
    const real = await world.run(words)
    expect(real.failure).toMatchObject({ code: 'choices-missing', message: asked })
    const record = await world.run(['service', 'record', 'load-receivals', 'x'])
    expect(record.failure).toMatchObject({
      code: 'holding-missing',
      message: expect.stringMatching(/holding: nz\.example\.farm-number:00412876 \(Rimu Farm\)/) as string,
    })
  })

  test('needs the connection that it names, and says which there are where none is chosen', async () => {
    const words = ['import', 'samples/rimu-farm/nightly.csv', '--zone', 'UTC', '--dry-run']
    const { platform } = process
    const place = { stateFolder: stateFolder(nowhere().env, platform), platform }
    const account = { tokenUrl: 'https://farms.example/token', clientId: 'c', clientSecret: 's', username: 'u', password: 'p' } // oxfmt-ignore
    for (const name of ['hill', 'valley'])
      await saveProfile({ name, service: 'https://farms.example', ...account }, place)
    const named = await world.run([...words, '--connection', 'hil'], nowhere())
    expect(named).toMatchObject({ exit: 2, failure: { message: 'Connection "hil" was not found.' } })
    const init = ['init', 'samples/rimu-farm/nightly.csv', '--connection', 'hil']
    expect((await world.run(init, nowhere())).failure?.message).toBe('Connection "hil" was not found.')
    const { err } = await world.run(words, nowhere())
    expect(err).toContain('Which connection? There are 2: hill, valley.')
    write('try.yaml', pipeline('{ scheme: nz.example.farm-number, id: "00412876" }'))
    write('out.yaml', 'windrow: 1\nexport: plots\nto: { file: out.csv }\n')
    for (const path of ['try.yaml', 'out.yaml']) {
      const check = await world.run(['check', path], nowhere())
      expect(check).toMatchObject({ exit: 2, out: expect.stringContaining('Which connection? There are 2') as string })
      expect(await world.run(['check', path, '--connection', 'none'], nowhere())).toMatchObject({ exit: 0 })
      expect(await world.run(['check', path, '--connection', 'hil'], nowhere())).toMatchObject({ exit: 2 })
    }
  })

  test('does not wait long for a service that is gone, as the real run does', async () => {
    write('try.yaml', pipeline('{ scheme: nz.example.farm-number, id: "00412876" }'))
    const fetch = () => Promise.reject(Object.assign(new TypeError(''), { cause: { code: 'ECONNREFUSED' } }))
    const waits = async (...words: readonly string[]): Promise<number> =>
      (await world.run(words, { fetch })).err.split('Trying again').length - 1
    const imported = ['import', 'plots.csv', '--to', 'plots', '--holding', rimu, '--key', 'No']
    for (const words of [
      ['check', 'try.yaml'],
      ['plan', 'try.yaml'],
      [...imported, '--dry-run'],
    ])
      expect(await waits(...words)).toBe(1)
    expect(await waits('run', 'try.yaml')).toBe(7)
  })

  test('asks which farm where no service is connected, with an example', async () => {
    const { out } = await world.run(['import', 'plots.csv', '--to', 'plots', '--dry-run'], nowhere())
    expect(out).toContain('Which farm do the records belong to? Write SCHEME:ID')
  })

  test('reports in one line what it could not check without a service, and so does check', async () => {
    write('try.yaml', pipeline('{ scheme: nz.example.farm-number, id: "00999999" }'))
    const dry = await world.run(['run', 'try.yaml', '--dry-run'], nowhere())
    expect(dry).toMatchObject({ exit: 0 })
    expect(dry.out).toContain(
      'Not checked, because no service is connected: whether you may publish plots for nz.example.farm-number:00999999; duplicates',
    )
    const check = await world.run(['check', 'try.yaml'], nowhere())
    expect(check).toMatchObject({
      exit: 0,
      out: expect.stringContaining('Not checked: whether you may publish plots') as string,
    })
  })
})

describe('init without a farm', () => {
  beforeEach(prepare)
  afterEach(close)

  test('init does not take a word for a farm, without a connection either', async () => {
    const refused = await world.run(
      ['init', 'plots.csv', '--to', 'plots', '--key', 'No', '--holding', 'nonsense'],
      nowhere(),
    )
    expect(refused).toMatchObject({ exit: 2, failure: { code: 'holding-missing' } })
    expect(refused.failure?.message).toContain('"nonsense" names no farm, and no column of the file does.')
  })

  test('a blank that init left is refused until it is filled in; then its example fits', async () => {
    expect((await world.run(['init', 'plots.csv', '--to', 'plots', '--key', 'No'])).out).toContain(
      'Read it, choose holding, then:',
    )
    for (const words of [['check'], ['run'], ['run', '--dry-run']])
      expect(await world.run([...words, 'plots.yaml'])).toMatchObject({
        exit: 2,
        failure: { code: 'pipeline-invalid' },
      })
    const filled = read('plots.yaml').replace('your.scheme', 'nz.example.farm-number').replace('your-id', '"00412876"')
    write('plots.yaml', filled)
    expect(await world.run(['check', 'plots.yaml'])).toMatchObject({ exit: 0 })
  })
})
