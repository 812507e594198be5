import { afterEach, describe, expect, test } from 'vitest'
import { WindrowError } from '../../src/core/error.ts'
import { readFaultPlan, type FaultPlan } from '../../src/service/faults/faults.ts'
import { createService, type Service } from '../../src/service/create.ts'
import { serve, type Served } from '../../src/service/serve.ts'
import { bothAccounts, holding, list, plot, steadyRandom, text, tokenForm, type Tree } from './hill-farm.ts'

let service: Service | undefined
let served: Served | undefined

/** A service with a socket on which Hill Farm is connected; faults hit the dataset plots, or later requests. */
async function startService(faults: FaultPlan) {
  service = createService({ accounts: bothAccounts, random: steadyRandom(), faults })
  const { url, authUrl } = (served = await serve(service, { graceMs: 100 }))
  const headers = { Authorization: '', 'Content-Type': 'application/json' }
  const signIn = async (): Promise<void> => {
    const form = { method: 'POST', body: tokenForm('hill') }
    const tokens = (await (await fetch(`${authUrl}/protocol/openid-connect/token`, form)).json()) as Tree
    headers.Authorization = `Bearer ${text(tokens['access_token'])}`
  }
  await signIn()
  const send = async (path: string, body?: unknown) => {
    const init = body === undefined ? { headers } : { method: 'POST', headers, body: JSON.stringify(body) }
    const answer = await fetch(url + path, init)
    return { status: answer.status, headers: answer.headers, body: (await answer.json()) as Tree }
  }
  await send('/data/streaming/datasets/holdings/resources', [holding('HF-0042')])
  return {
    signIn,
    send,
    publish: (...keys: readonly string[]) =>
      send(
        '/data/streaming/datasets/plots/resources',
        keys.map((key) => plot(key)),
      ),
    stored: async () =>
      list((await send('/data/streaming/datasets/plots/changes')).body)
        .slice(1, -1)
        .map((item) => text(item['dataPointKey']).split('/')[1]),
  }
}
async function stopService(): Promise<void> {
  await served?.close()
  service?.close()
  served = service = undefined
}
afterEach(stopService)

describe('a rehearsed fault', () => {
  test.each<readonly [FaultPlan['faults'][number], number, Record<string, string>]>([
    [{ fault: 'too-large', items: 0 }, 413, {}],
    [{ fault: 'too-many', retryAfterS: 7 }, 429, { 'retry-after': '7' }],
    [{ fault: 'failing' }, 500, {}],
    [{ fault: 'unavailable', retryAfterS: 3 }, 503, { 'retry-after': '3' }],
    [{ fault: 'bad-record', keys: ['HF-0042/1'] }, 400, {}],
  ])('%o is answered once with %i, nothing is stored, and not again', async (rule, status, headers) => {
    const { publish, stored } = await startService({ faults: [{ ...rule, dataset: 'plots', on: 'publish', most: 1 }] })
    const answer = await publish('1')
    expect(answer.status).toBe(status)
    expect(Object.fromEntries(answer.headers)).toMatchObject({ 'content-type': 'application/problem+json', ...headers })
    expect(answer.body).toMatchObject({ status, detail: expect.stringContaining('a rehearsed fault') as string })
    expect(await stored()).toEqual([])
    expect((await publish('1')).status).toBe(200)
    expect(await stored()).toEqual(['1'])
  })

  test('sign-in-lost ends a token, and a new one works', async () => {
    const faults: FaultPlan = { faults: [{ fault: 'sign-in-lost', dataset: 'plots', on: 'publish', most: 1 }] }
    const { publish, signIn, stored, send } = await startService(faults)
    const { status, headers } = await publish('1')
    expect([status, headers.get('www-authenticate')]).toEqual([401, 'Bearer realm="windrow", error="invalid_token"'])
    expect((await send('/ogc')).status).toBe(401)
    await signIn()
    expect(await stored()).toEqual([])
    expect((await publish('1')).status).toBe(200)
  })

  test('slow is answered late', async () => {
    const { publish } = await startService({ faults: [{ fault: 'slow', ms: 120, dataset: 'plots' }] })
    const before = performance.now()
    expect((await publish('1')).status).toBe(200)
    expect(performance.now() - before).toBeGreaterThan(110)
  })

  test('cut stores the records and sends no answer', async () => {
    const { publish, stored } = await startService({ faults: [{ fault: 'cut', on: 'publish', dataset: 'plots' }] })
    await expect(publish('1')).rejects.toThrow('fetch failed')
    expect(await stored()).toEqual(['1'])
  })

  test('results-short leaves the last result out, results-shuffled reverses them; all records are stored', async () => {
    const { publish, stored } = await startService({
      faults: [
        { fault: 'results-short', dataset: 'plots', at: [1] },
        { fault: 'results-shuffled', dataset: 'plots', at: [2] },
      ],
    })
    expect(list((await publish('1', '2')).body).map(({ index }) => index)).toEqual([0])
    expect(list((await publish('3', '4')).body).map(({ index }) => index)).toEqual([1, 0])
    expect(await stored()).toEqual(['1', '2', '3', '4'])
  })

  test('dropped is answered as accepted, in its place, and never stored', async () => {
    const { publish, stored } = await startService({ faults: [{ fault: 'dropped', keys: ['HF-0042/2'] }] })
    const { body } = await publish('1', '2', '3')
    expect(body).toEqual([0, 1, 2].map((index) => ({ index, successful: true })))
    expect(await stored()).toEqual(['1', '3'])
  })

  test('delayed stores records later and reports mistakes at once', async () => {
    const { send, stored } = await startService({ faults: [{ fault: 'delayed', ms: 150, dataset: 'plots' }] })
    const { body } = await send('/data/streaming/datasets/plots/resources', [plot('1'), plot('2', 'ELSEWHERE')])
    expect(list(body).map(({ successful }) => successful)).toEqual([true, false])
    expect(await stored()).toEqual([])
    await expect.poll(stored).toEqual(['1'])
  })
})

test('at, every, share and the seed decide which requests a fault hits', async () => {
  const statuses = async (rule: object, seed: number): Promise<string> => {
    const { publish } = await startService({ seed, faults: [{ fault: 'failing', dataset: 'plots', ...rule }] })
    let said = ''
    for (let index = 0; index < 12; index += 1) said += (await publish('1')).status === 500 ? 'x' : '.'
    await stopService()
    return said
  }
  expect(await statuses({ at: [1, 4] }, 1)).toBe('x..x........')
  expect(await statuses({ every: 3, most: 2 }, 1)).toBe('..x..x......')
  const some = await statuses({ share: 0.5 }, 1)
  expect(some).toMatch(/^(?=.*x)(?=.*\.)/)
  expect(await statuses({ share: 0.5 }, 1)).toBe(some)
  expect(await statuses({ share: 0.5 }, 2)).not.toBe(some)
})

test.each([
  ['no list', {}, 'faults'],
  ['a kind that is none', { faults: [{ fault: 'flood' }] }, 'flood'],
  ['a misspelt member', { faults: [{ fault: 'failing', evry: 2 }] }, 'evry'],
  ['slow without its time', { faults: [{ fault: 'slow' }] }, 'needs ms'],
  ['a time that it does not use', { faults: [{ fault: 'cut', ms: 5 }] }, 'does not use ms'],
  ['two ways to choose', { faults: [{ fault: 'cut', at: [1], every: 2 }] }, 'at and every'],
  ['results of what is only read', { faults: [{ fault: 'dropped', keys: ['1'], on: 'features' }] }, 'publish'],
])('a plan with %s is refused in a sentence', (_, plan, said) => {
  expect(() => readFaultPlan(plan)).toThrow(WindrowError)
  expect(() => readFaultPlan(plan)).toThrow(said)
})
