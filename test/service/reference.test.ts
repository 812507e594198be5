import { describe, expect, test } from 'vitest'
import { birthPeriod, breed, medicineProduct } from '../../src/resources/livestock.ts'
import { check } from '../../src/resources/validation.ts'
import { referenceData } from '../../src/service/routes/reference-data.ts'
import { base, list, onSocket, openService, signIn, speaker, text, type Answer } from './hill-farm.ts'

const medicines = '/reference/treatment/medicine-products'

async function open() {
  const service = await onSocket(openService())
  return { service, hill: await signIn(service), anybody: speaker(service) }
}

const names = ({ status, body }: Answer): readonly unknown[] => {
  expect(status).toBe(200)
  return list(body).map(({ name }) => name)
}

describe('species and breeds', () => {
  test('the species are there for anybody, also with an invalid token', async () => {
    const { service, anybody } = await open()
    for (const caller of [anybody, speaker(service, 'stale')])
      expect((await caller.get('/reference/species')).body).toEqual(['Cattle', 'Sheep', 'Deer'])
  })

  test.each(['cattle', 'sheep', 'deer', 'Deer'])(
    'the breeds of %s are of that species, each with the documented members',
    async (species) => {
      const { anybody } = await open()
      const { status, body } = await anybody.get(`/reference/breeds?species=${species}`)
      expect(status).toBe(200)
      expect(list(body).length).toBeGreaterThan(3)
      for (const each of list(body)) {
        expect(each).toEqual({
          name: expect.any(String),
          species: expect.stringMatching(new RegExp(`^${species}$`, 'i')),
          isCross: expect.any(Boolean),
          identifiers: expect.any(Array),
        })
        for (const code of list(each['identifiers'])) expect(Object.keys(code)).toEqual(['schema', 'id'])
      }
      expect(list(body).some(({ isCross }) => (isCross as unknown) === true)).toBe(species === 'cattle')
    },
  )

  test.each(['', '?species=', '?species=goat', '?species=cattle&species=deer', '?breed=x'])(
    'breeds%s is a mistake that names the parameter and says what there is',
    async (query) => {
      const { anybody } = await open()
      const answer = await anybody.get(`/reference/breeds${query}`)
      expect([answer.status, answer.headers.get('content-type')]).toEqual([400, 'application/problem+json'])
      expect(answer.body['detail']).toContain('species')
      expect(answer.body['instance']).toBe('/reference/breeds')
    },
  )
})

describe('birth periods', () => {
  test('are found by species and country, in any case; all members are text', async () => {
    const { hill } = await open()
    const all = list((await hill.get('/reference/birthPeriods')).body)
    const some = list((await hill.get('/reference/birthPeriods?species=cattle&country=nz')).body)
    expect(some.length).toBeGreaterThan(0)
    expect(some).toEqual(all.filter((each) => text(each['species']) === 'Cattle' && text(each['country']) === 'NZ'))
    for (const each of all) for (const value of Object.values(each)) expect(value).toEqual(expect.any(String))
    expect(list((await hill.get('/reference/birthPeriods?country=AU')).body).length).toBeGreaterThan(some.length)
  })

  test('no match is 404; without a token it is 401', async () => {
    const { hill, anybody } = await open()
    const answer = await hill.get('/reference/birthPeriods?species=Buffalo')
    expect([answer.status, answer.headers.get('content-type')]).toEqual([404, 'application/problem+json'])
    expect((await anybody.get('/reference/birthPeriods')).status).toBe(401)
  })
})

describe('medicine products', () => {
  test.each([
    ['classification=Antibiotic%2BRelated', ({ classification }) => classification === 'Antibiotic+Related'],
    ['classification=Antibiotic+Related', ({ classification }) => classification === 'Antibiotic+Related'],
    ['classification=AntibioticRelated', ({ classification }) => classification === 'Antibiotic+Related'],
    ['species=deer', ({ species }) => (species as string[]).includes('Deer')],
    ['registration_authority=au.example.agvet', ({ location }) => (location as { id: string }).id === 'AU'],
    ['registration_authority=AU', ({ location }) => (location as { id: string }).id === 'AU'],
    [
      'species=Cattle&classification=Parasiticides&registration_authority=NZ',
      ({ name }) => name === 'Alphacide Pour-on',
    ],
  ] as readonly (readonly [string, (each: Record<string, unknown>) => boolean])[])('%s', async (query, fits) => {
    const { hill } = await open()
    const all = list((await hill.get(medicines)).body)
    const found = list((await hill.get(`${medicines}?${query}`)).body)
    expect(found.length).toBeGreaterThan(0)
    expect(found.length).toBeLessThan(all.length)
    expect(found).toEqual(all.filter((each) => fits(each as Record<string, unknown>)))
  })

  test('a filter without a match gives an empty list', async () => {
    const { hill } = await open()
    for (const query of ['species=Llama', 'classification=%2B', 'registration_authority=x'])
      expect([query, names(await hill.get(`${medicines}?${query}`))]).toEqual([query, []])
  })

  test('each is found at its own address, by scheme and number', async () => {
    const { hill } = await open()
    for (const product of list((await hill.get(medicines)).body)) {
      expect(text(product['self'])).toMatch(`${base}${medicines}/`)
      expect((await hill.get(text(product['self']))).body).toEqual(product)
    }
    for (const path of ['nz.example.agvet/A999999', 'au.example.agvet/A001001', "x/' OR 1=1 --"])
      expect((await hill.get(`${medicines}/${path}`)).status).toBe(404)
  })

  test.each([
    ['Alphacide Drench', 'Alphacide Drench'],
    ['alphacide', 'Alphacide Drench'],
    ['alphacide drench for', 'Alphacide Drench for Sheep'],
    ['pour-on', 'Alphacide Pour-on'],
    ['K%C5%8Dwhai', 'Kōwhai Penicillin Injection'],
    ['kowhai%20penicillin', 'Kōwhai Penicillin Injection'],
  ])('searched by %s gives the best', async (search, name) => {
    const { hill } = await open()
    expect((await hill.get(`${medicines}/${search}`)).body).toMatchObject({ name })
  })

  test('a search without a match is 404, and everything needs a token', async () => {
    const { hill, anybody } = await open()
    for (const search of ['nothing-like-it', '%20', '+', '%25', '_'])
      expect([search, (await hill.get(`${medicines}/${search}`)).status]).toEqual([search, 404])
    for (const path of [medicines, `${medicines}/alphacide`, `${medicines}/nz.example.agvet/A001001`])
      expect((await anybody.get(path)).status).toBe(401)
  })

  test.each([
    [undefined, 'application/json'],
    ['*/*', 'application/json'],
    ['application/json', 'application/json'],
    ['text/json', 'text/json; charset=utf-8'],
    ['text/plain', 'text/plain; charset=utf-8'],
    ['text/plain;q=0.4, text/json;q=0.5', 'text/json; charset=utf-8'],
    ['text/html, application/xml;q=0.9, */*;q=0.8', 'application/json'],
    ['application/json;q=0.1, text/plain', 'text/plain; charset=utf-8'],
    ['application/xml', 'application/json'],
  ])('for Accept %s come as %s', async (accept, type) => {
    const { hill } = await open()
    const headers = accept === undefined ? {} : { Accept: accept }
    for (const path of [medicines, `${medicines}/alphacide`, `${medicines}/nz.example.agvet/A001001`]) {
      const answer = await hill.send(path, { headers })
      expect([path, answer.status, answer.headers.get('content-type')]).toEqual([path, 200, type])
      expect(JSON.stringify(answer.body)).toContain('Alphacide Drench')
    }
  })
})

test('the built-in records fit their types without a finding', () => {
  const { breeds, birthPeriods, medicines: products } = referenceData
  const all = [
    breeds.map((each) => check(breed, each)),
    birthPeriods.map((each) => check(birthPeriod, each)),
    products.map((each) => check(medicineProduct, each)),
  ]
  expect(all.flat(2)).toEqual([])
  expect(new Set(products.map(({ registeredId }) => JSON.stringify(registeredId))).size).toBe(products.length)
})
