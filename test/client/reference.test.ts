import { describe, expect, test } from 'vitest'
import { connectTo, type Client } from '../../src/client/connection.ts'
import type { BreedFilter } from '../../src/client/reference.ts'
import { json, problem, profile, scriptedWorld, type Answering } from './scripted-service.ts'

const base = 'https://service.example/api/reference'

function talking(service: Answering) {
  const world = scriptedWorld(service)
  return { world, client: connectTo(profile, world) }
}

describe('reference data', () => {
  test.each<[string, (client: Client) => Promise<unknown>, string]>([
    ['birth periods', (client) => client.birthPeriods(), '/birthPeriods'],
    [
      'birth periods of a species in a country',
      (client) => client.birthPeriods({ species: 'Cattle', country: 'NZ' }),
      '/birthPeriods?species=Cattle&country=NZ',
    ],
    ['medicine products', (client) => client.medicineProducts(), '/treatment/medicine-products'],
    [
      'medicine products by all three filters, a + kept',
      (client) =>
        client.medicineProducts({
          registrationAuthority: 'nz.example.agvet',
          species: 'Sheep',
          classification: 'Antibiotic+Related',
        }),
      '/treatment/medicine-products?registration_authority=nz.example.agvet&species=Sheep&classification=Antibiotic%2BRelated',
    ],
    ['species', (client) => client.species(), '/species'],
    ['breeds', (client) => client.breeds('sheep & goats'), '/breeds?species=sheep%20%26%20goats'],
  ])('%s', async (_name, ask, path) => {
    const { client, world } = talking(() => json([]))
    expect(await ask(client)).toEqual([])
    expect(world.sent.map(({ url }) => url.href)).toEqual([base + path])
    await expect(ask(talking(() => json({})).client)).rejects.toMatchObject({ code: 'service-confused' })
  })

  test('a medicine product is found by scheme and id, and by its name', async () => {
    const { client, world } = talking(() =>
      json({ name: 'Alphacide Drench', form: 'OralSolution/Suspension', shelf: 3 }),
    )
    const product = await client.medicineProduct({ scheme: 'nz.example.agvet', id: 'A/1' })
    expect(product).toEqual({ name: 'Alphacide Drench', form: 'OralSolution/Suspension', shelf: 3 })
    await client.findMedicineProduct(' alpha+ drench ')
    expect(world.sent.map(({ url }) => url.href)).toEqual([
      `${base}/treatment/medicine-products/nz.example.agvet/A%2F1`,
      `${base}/treatment/medicine-products/alpha%2B%20drench`,
    ])
  })

  test('missing records are undefined or an empty list', async () => {
    const { client } = talking(() => problem(404, 'No'))
    expect(await client.birthPeriods({ country: 'XX' })).toEqual([])
    expect(await client.findMedicineProduct('none')).toBeUndefined()
    expect(await client.medicineProduct({ scheme: 'a', id: 'b' })).toBeUndefined()
  })

  test('species and breeds need no sign-in', async () => {
    const { client, world } = talking(() => json([]))
    await client.species()
    await client.breeds('deer')
    expect(world.signIns).toHaveLength(0)
    expect(world.sent.map(({ headers }) => headers.get('authorization'))).toEqual([null, null])
  })

  test.each([
    ['names', ['Cattle', 'Sheep']],
    ['objects', [{ name: 'Cattle' }, { name: 'Sheep', code: 2 }]],
  ])('species may be %s', async (_name, body) => {
    expect(await talking(() => json(body)).client.species()).toEqual(['Cattle', 'Sheep'])
  })
})

describe('breeds', () => {
  const hillside = {
    name: 'Hillside Longwool',
    species: 'Sheep',
    isCross: false,
    identifiers: [{ schema: 'ICAR3', id: 'HLW' }],
  }
  const lowfield = { naem: 'Lowfield Short', species: 'Sheep', identifiers: [{ scheme: 'ABRI', id: 'LS' }] }
  const mixed = { name: 'Mixed', species: 'Sheep', isCross: true, grade: 'F1' }

  test('are read in either spelling', async () => {
    const { client } = talking(() => json([hillside, lowfield, mixed]))
    expect(await client.breeds('sheep')).toEqual([
      hillside,
      { name: 'Lowfield Short', species: 'Sheep', identifiers: [{ schema: 'ABRI', id: 'LS' }] },
      mixed,
    ])
  })

  test.each<[string, BreedFilter, readonly string[]]>([
    ['crosses', { isCross: true }, ['Mixed']],
    ['what is no cross', { isCross: false }, ['Hillside Longwool', 'Lowfield Short']],
    ['a name', { name: 'lowfield short' }, ['Lowfield Short']],
    ['a code', { code: { schema: 'icar3', id: 'hlw' } }, ['Hillside Longwool']],
    ['a code of another scheme', { code: { schema: 'ICAR2', id: 'HLW' } }, []],
  ])('are sifted by %s', async (_name, filter, names) => {
    const { client, world } = talking(() => json([hillside, lowfield, mixed]))
    expect((await client.breeds('sheep', filter)).map(({ name }) => name)).toEqual(names)
    expect(world.sent[0]?.url.search).toBe('?species=sheep')
  })

  test('whose codes are no list are an error of the service, and an empty code is none', async () => {
    const code = { schema: 'icar3', id: 'hlw' }
    const text = talking(() => json([{ ...hillside, identifiers: 'ICAR3:HLW' }]))
    await expect(text.client.breeds('sheep')).rejects.toMatchObject({ code: 'service-confused' })
    const empty = talking(() => json([{ ...hillside, identifiers: [null, ...hillside.identifiers] }]))
    expect(await empty.client.breeds('sheep', { code })).toHaveLength(1)
  })
})
