/** Makes the plots of the service benchmark: seeded ready bodies of 1 kB, one a line, boundary included. */

import { createReadStream, existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { recordsPerBatch } from '../src/client/streaming.ts'
import { demoCredentials } from '../src/service/store/accounts.ts'
import { createService, type Service } from '../src/service/create.ts'
import { chanceFrom, type Chance } from '../tools/seeded.ts'
import { writeText } from '../tools/write-text.ts'
import { madeOnce } from './made-once.ts'

const edition = 1
const base = 'http://127.0.0.1'
const holding = { scheme: 'nz.example.farm-number', id: '00412876' }

/** The path of a file with a number of ready bodies, made when missing. */
export function bodiesOf(folder: string, count: number): Promise<string> {
  return madeOnce(join(folder, `plots-${count}-${edition}.ndjson`), (path) => writeText(path, plotLines(count)))
}

function* plotLines(count: number): Generator<string> {
  const chance = chanceFrom(1_000)
  for (let number = 0; number < count; number += 1) yield `${JSON.stringify(plot(number, chance))}\n`
}

function plot(number: number, chance: Chance): object {
  const west = 170 + (number % 300) * 0.01
  const south = -45 + Math.floor(number / 300) * 0.01
  const corner = (index: number): readonly number[] => {
    const angle = (index / 19) * 2 * Math.PI
    const radius = chance.between(0.0035, 0.004)
    return [rounded(west + radius * Math.cos(angle)), rounded(south + radius * Math.sin(angle))]
  }
  const corners = Array.from({ length: 19 }, (_, index) => corner(index))
  const ring = [...corners, corners[0]]
  return {
    resourceType: 'plotResource',
    name: `Pātiki ${number}`,
    dataPointKey: `plots/${holding.scheme}/${holding.id}/${number}`,
    identifiers: [holding],
    totalArea: { measurement: chance.whole(50, 900) / 100, units: 'HAR' },
    crops: [{ name: 'Ryegrass', establishmentDate: '2025-03-01T00:00:00+13:00' }],
    centroid: { type: 'Point', coordinates: [rounded(west), rounded(south)] },
    spatialFeature: { type: 'Feature', geometry: { type: 'Polygon', coordinates: [ring] }, properties: {} },
    meta: { sourceId: { scheme: 'nz.example.paddock', id: String(number) }, modified: '2026-01-01T00:00:00Z' },
  }
}

function rounded(degrees: number): number {
  return Math.round(degrees * 1e7) / 1e7
}

/** The path of a store with a number of plots of one holding, made when missing or of an older format. */
export async function storeOf(folder: string, count: number): Promise<string> {
  const path = join(folder, `service-${count}-${edition}.db`)
  if (existsSync(path) && opens(path)) return path
  for (const each of [path, `${path}-wal`]) rmSync(each, { force: true })
  const service = createService({ demo: true, store: path })
  const headers = { Authorization: `Bearer ${await signInTo(service)}`, 'Content-Type': 'application/json' }
  const post = async (dataset: string, records: readonly string[]): Promise<void> => {
    const url = `${base}/data/streaming/datasets/${dataset}/resources`
    const answer = await service.fetch(new Request(url, { method: 'POST', headers, body: `[${records.join(',')}]` }))
    const results = (await answer.json()) as readonly { readonly successful: boolean }[]
    if (!results.every(({ successful }) => successful))
      throw new Error(`A record was refused: ${JSON.stringify(results)}`)
  }
  const meta = { sourceId: { scheme: 'nz.example.farms', id: '1' }, modified: '2026-01-01T00:00:00Z' }
  const farm = {
    resourceType: 'holdingResource',
    name: 'Rimu Farm',
    dataPointKey: 'rimu',
    identifiers: [holding],
    meta,
  }
  await post('holdings', [JSON.stringify(farm)])
  let some: string[] = []
  for await (const line of createInterface({ input: createReadStream(await bodiesOf(folder, count)) })) {
    if (some.push(line) < recordsPerBatch) continue
    await post('plots', some)
    some = []
  }
  service.close()
  return path
}

function opens(path: string): boolean {
  try {
    createService({ demo: true, store: path }).close()
    return true
  } catch {
    return false
  }
}

/** A token of the demo account. */
export async function signInTo(service: Service): Promise<string> {
  const { clientId, clientSecret, username, password } = demoCredentials
  const form = { grant_type: 'password', client_id: clientId, client_secret: clientSecret, username, password }
  const url = `${base}${service.authPath}/protocol/openid-connect/token`
  const answer = await service.fetch(new Request(url, { method: 'POST', body: new URLSearchParams(form) }))
  return ((await answer.json()) as { readonly access_token: string }).access_token
}
