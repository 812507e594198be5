import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { connectTo, type Client } from '../../src/client/connection.ts'
import { accountCalled, startWorld, type World } from './world.ts'

let world: World
beforeEach(() => {
  world = startWorld()
})
afterEach(() => world.close())

const importHoldings = (state = 'state'): readonly string[] =>
  `import samples/rimu-farm/holdings.csv --to holdings --holding nz.example.farm-number --state ${state}`.split(' ')
const verify = ['verify', '--state', 'state']

/** Another person with the same account, on another machine. */
function somebodyElse(): Client {
  return connectTo(accountCalled('else'), {
    fetch: world.fetch,
    clock: () => new Date(),
    sleep: () => Promise.resolve(),
    random: () => 0.5,
  })
}

async function holdingsThere(client: Client): Promise<Record<string, unknown>[]> {
  const items: Record<string, unknown>[] = []
  for await (const page of client.changes(await client.dataset('holdings'))) items.push(...page.items)
  return items
}

async function write(change: (body: Record<string, unknown>) => object): Promise<void> {
  const client = somebodyElse()
  const { updates } = await client.dataset('holdings')
  const [first] = await holdingsThere(client)
  const { id: _id, self: _self, ...body } = first!
  const changed = change(body)
  expect(await client.publish(updates!, [JSON.stringify(changed)])).toEqual([{ state: 'accepted' }])
}

const now = (): string => new Date(Date.now() + 1000).toISOString()

describe('windrow verify', () => {
  test('finds no difference after an import', async () => {
    await world.run(importHoldings())
    const { exit, out } = await world.run(verify)
    expect(out).toContain('2 compared = 2 the same + 0 different + 0 missing;  2 in the service, 0 of them extra')
    expect(exit).toBe(0)
  })

  test('names --pipeline where a pipeline is given as a dataset', async () => {
    await world.run(importHoldings())
    const { failure } = await world.run([...verify, 'my farm.yaml'])
    expect(failure).toMatchObject({
      code: 'option-invalid',
      hint: expect.stringContaining('windrow verify --pipeline "my farm.yaml"') as string,
    })
  })

  test('names the fields that were changed in the service, and when', async () => {
    await world.run(importHoldings())
    await write((body) => ({ ...body, name: 'Sold', meta: { ...(body['meta'] as object), modified: now() } }))
    const { exit, out } = await world.run(verify)
    expect(out).toMatch(/different .*Sold {2}different from the version last sent or seen, changed at \S+: name/)
    expect(exit).toBe(3)
  })

  /** The file as of the next night: a farm has another name. */
  const renamed = (): void => {
    const file = join(world.folder, 'samples/rimu-farm/holdings.csv')
    writeFileSync(file, readFileSync(file, 'utf8').replace('Rimu Farm', 'Rimu Hill'))
  }

  test('reports an earlier version where the last update was lost, and blames nobody', async () => {
    world.close()
    world = startWorld({ faults: { faults: [{ fault: 'dropped', dataset: 'holdings', at: [2], recordShare: 1 }] } })
    await world.run(importHoldings())
    renamed()
    expect((await world.run(importHoldings())).exit).toBe(3)
    const { exit, out } = await world.run(verify)
    expect(out).toMatch(/different .*the service shows an earlier version \(\S+\) than the one last sent or seen: name/)
    expect(out).not.toContain('somebody')
    expect(exit).toBe(3)
  })

  test('does not blame others for what this account sent from another state folder', async () => {
    const file = join(world.folder, 'samples/rimu-farm/holdings.csv')
    const both = readFileSync(file, 'utf8')
    writeFileSync(file, both.split('\n').slice(0, 2).join('\n'))
    await world.run(importHoldings())
    writeFileSync(file, both)
    renamed()
    await world.run(importHoldings('other'))
    const { out } = await world.run(verify)
    expect(out).toMatch(/different .*different from the version last sent or seen, changed at \S+: name/)
    expect(out).toMatch(/extra .*Kōwhai Station {2}not sent from this state folder/)
    expect(out).not.toContain('somebody')
  })

  test('names what was deleted in the service, and changes nothing', async () => {
    await world.run(importHoldings())
    const ledger = (): Buffer => readFileSync(join(world.folder, 'state/ledger.db'))
    const before = ledger()
    await write((body) => ({ ...body, meta: { ...(body['meta'] as object), modified: now(), isDeleted: true } }))
    const { exit, out } = await world.run(verify)
    expect(out).toMatch(/1 missing;/)
    expect(out).toMatch(/missing .*deleted in the service/)
    expect(exit).toBe(3)
    expect(ledger().equals(before)).toBe(true)
    expect((await world.run(verify)).exit).toBe(3)
  })

  test('names records that are not in the ledger', async () => {
    await world.run(importHoldings())
    const sourceId = { scheme: 'other', id: 'x' }
    const identifiers = [{ scheme: 'nz.example.farm-number', id: '999' }]
    await write(() => ({ dataPointKey: 'x', name: 'New', identifiers, meta: { sourceId, modified: now() } }))
    const { exit, out } = await world.run(verify)
    expect(out).toMatch(/extra +x {2}New {2}not sent from this state folder/)
    expect(exit).toBe(3)
  })

  test('explains a service that shows no records at all', async () => {
    await world.run(importHoldings())
    const empty = async (request: Request): Promise<Response> =>
      new URL(request.url).pathname.endsWith('/changes') ? Response.json([]) : world.fetch(request)
    const { exit, out } = await world.run(verify, { fetch: empty as typeof fetch })
    expect(out).toContain('2 missing;')
    expect(out).toContain('may have lost the right to read')
    expect(exit).toBe(3)
  })

  test('reports content that the service stores differently, but not what it adds', async () => {
    await world.run(importHoldings())
    const altered = async (request: Request): Promise<Response> => {
      const response = await world.fetch(request)
      if (!new URL(request.url).pathname.endsWith('/changes')) return response
      const feed = (await response.json()) as { id: string; name?: string }[]
      return Response.json(feed.map((each) => (each.id.startsWith('@') ? each : { ...each, unknownMember: 'red' })))
    }
    expect((await world.run(verify, { fetch: altered as typeof fetch })).exit).toBe(0)
    const renamed = async (request: Request): Promise<Response> => {
      const response = await altered(request)
      if (!new URL(request.url).pathname.endsWith('/changes')) return response
      const feed = (await response.json()) as { id: string; name?: string }[]
      return Response.json(
        feed.map((each) => (each.name === undefined ? each : { ...each, name: each.name.slice(0, 3) })),
      )
    }
    const { exit, out } = await world.run(verify, { fetch: renamed as typeof fetch })
    expect(out).toContain('stored differently than sent: name')
    expect(exit).toBe(3)
  })

  test('finds a record by its source id where the feed shows no key', async () => {
    await world.run(importHoldings())
    const keyless = async (request: Request): Promise<Response> => {
      const response = await world.fetch(request)
      if (!new URL(request.url).pathname.endsWith('/changes')) return response
      const feed = (await response.json()) as object[]
      return Response.json(feed.map((each) => ({ ...each, dataPointKey: undefined })))
    }
    expect((await world.run(verify, { fetch: keyless as typeof fetch })).exit).toBe(0)
  })

  test('prints its counts as JSON and writes all differences to a file', async () => {
    await world.run(importHoldings())
    await write((body) => ({ ...body, name: 'Sold', meta: { ...(body['meta'] as object), modified: now() } }))
    const { out } = await world.run([...verify, 'holdings', '--json', '-o', 'differences.csv'])
    expect(JSON.parse(out)).toMatchObject({
      datasets: [{ dataset: 'holdings', ledger: 2, service: 2, same: 1, different: 1, missing: 0, extra: 0 }],
      differences: [{ kind: 'different', name: 'Sold' }],
    })
    expect(readFileSync(join(world.folder, 'differences.csv'), 'utf8')).toContain('Sold')
  })

  test('looks beside the pipeline, and reports a missing ledger', async () => {
    const { failure } = await world.run(['verify', '--state', 'nowhere'])
    expect(failure).toMatchObject({ code: 'state-unreadable', hint: expect.stringContaining('--state') })
    mkdirSync(join(world.folder, 'own/.windrow'), { recursive: true })
    writeFileSync(join(world.folder, 'own/x.yaml'), '')
    await world.run(importHoldings('own/.windrow'))
    expect((await world.run(['verify', '--pipeline', 'own/x.yaml'])).exit).toBe(0)
    expect((await world.run([...verify, 'plots'])).exit).toBe(2)
  })
})
