import { existsSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { startWorld, type World } from './world.ts'

let world: World
beforeEach(() => {
  world = startWorld()
})
afterEach(() => world.close())

const registration = (authentication: object) => ({
  name: 'office',
  uri: 'https://office.example/hooks',
  authentication,
  subscriptions: [{ resourceType: 'workRecordResource', create: true, update: true, delete: true }],
})
const event = {
  specversion: '1.0',
  type: 'com.example.workRecordResource.update',
  source: '/events',
  id: 'e-1',
  data: { id: 'not what is stored', name: 'not what is stored' },
}
const basic = { type: 'Basic', basicAuth: { username: 'u', password: 'geheim' } }
const authorization = `Basic ${Buffer.from('u:geheim').toString('base64')}`

/** Starts the listener with an export of work records. Returns its output and a function that sends it an event. */
async function listening(authentication: object, more: readonly string[] = []) {
  writeFileSync(join(world.folder, 'office.json'), JSON.stringify(registration(authentication)))
  const pipeline = join(world.folder, 'jobs.yaml')
  writeFileSync(
    pipeline,
    'windrow: 1\nexport: work-records\nzone: Pacific/Auckland\nto: { file: jobs.csv, empty: allow }\n',
  )
  const stop = new AbortController()
  let [out, err] = ['', '']
  const terminal = { out: { write: (text: string) => (out += text) }, err: { write: (text: string) => (err += text) } }
  const words = ['listen', 'jobs.yaml', '--registration', 'office.json', '--settle', '0', '--catch-up', '0', ...more]
  const ran = world.run(words, { signal: stop.signal, terminal })
  const ended = (count: number) => expect.poll(() => out.match(/exit 0/g)).toHaveLength(count)
  await expect.poll(() => out).toContain('listening at')
  const url = /listening at (\S+)/.exec(out)![1]!
  return {
    ended,
    file: join(world.folder, 'jobs.csv'),
    send: (headers: Record<string, string>) =>
      fetch(url, { method: 'POST', headers, body: JSON.stringify(event) }).then(({ status }) => status),
    said: () => out + err,
    async stop() {
      stop.abort()
      return (await ran).exit
    },
  }
}

describe('windrow listen', () => {
  test('runs the pipeline at the start and after an event, with the records of the service', async () => {
    const { ended, file, send, said, stop } = await listening(basic)
    await ended(1)
    expect(existsSync(file)).toBe(true)
    rmSync(file)
    expect(await send({ authorization, 'content-type': 'application/cloudevents+json' })).toBe(204)
    await ended(2)
    expect(existsSync(file)).toBe(true)
    expect(said()).toContain('after 1 com.example.workRecordResource.update')
    expect(said()).not.toContain('not what is stored')
    expect(await stop()).toBe(0)
  })

  test('runs nothing for an unknown sender', async () => {
    const { ended, send, said, stop } = await listening(basic)
    await ended(1)
    expect(await send({ authorization: 'Basic eDp5' })).toBe(401)
    expect(await send({})).toBe(401)
    await stop()
    expect(said().match(/exit 0/g)).toHaveLength(1)
    expect(said()).not.toContain('geheim')
  })

  test('warns that without authentication anyone can start it', async () => {
    const { ended, said, stop } = await listening({ type: 'None' })
    await ended(1)
    expect(said()).toContain('anyone can make the pipelines run')
    await stop()
  })

  test('reports a pipeline that fails, and continues', async () => {
    const { ended, send, said, stop } = await listening(basic)
    await ended(1)
    writeFileSync(join(world.folder, 'jobs.yaml'), 'windrow: 1\nexport: cows\n')
    await send({ authorization })
    await expect.poll(said).toContain('cows')
    writeFileSync(
      join(world.folder, 'jobs.yaml'),
      'windrow: 1\nexport: work-records\nto: { file: jobs.csv, empty: allow }\n',
    )
    await send({ authorization })
    await ended(2)
    expect(await stop()).toBe(0)
  })

  test('starts with the pipelines that can be read, and names the one that cannot', async () => {
    writeFileSync(join(world.folder, 'broken.yaml'), 'windrow: 1\nexport: cows\n')
    const { ended, said, stop } = await listening(basic, ['broken.yaml'])
    await ended(1)
    await expect.poll(said).toContain('cows')
    expect(await stop()).toBe(0)
  })

  test.each<[string, readonly string[], object, string]>([
    ['no registration', ['listen', 'jobs.yaml'], basic, '--registration'],
    ['a missing pipeline', ['listen', 'none.yaml', '--registration', 'office.json'], basic, 'none.yaml'],
    [
      'a registration that is none',
      ['listen', 'jobs.yaml', '--registration', 'office.json'],
      { type: 'Basic' },
      'basicAuth',
    ],
  ])('does not start with %s', async (_name, words, authentication, text) => {
    writeFileSync(join(world.folder, 'office.json'), JSON.stringify(registration(authentication)))
    const { exit, failure } = await world.run(words)
    expect(exit).toBe(2)
    expect(`${failure?.message} ${failure?.hint}`).toContain(text)
  })
})
