import { chmodSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { get } from 'node:http'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { startMailServer, startWebServer } from '../notify/receivers.ts'
import { startWorld, type World } from './world.ts'

let world: World
let web: Awaited<ReturnType<typeof startWebServer>>
let now: Date
beforeEach(async () => {
  world = startWorld()
  await world.publishFarms()
  web = await startWebServer()
  now = new Date('2026-11-23T12:00:00Z')
  mkdirSync(join(world.folder, 'nights'))
  write('paddocks.yaml', pipeline)
  write('paddocks.csv', 'No,Name\n1,One\n2,Two\n')
})
afterEach(() => {
  web.close()
  world.close()
})

const pipeline = `windrow: 1
import: plots
from: { file: paddocks.csv }
holding: { scheme: nz.example.farm-number, id: "00412876" }
key: <No>
record: { name: <Name> }
schedule: { cron: "15 2 * * *", zone: Pacific/Auckland }
`
const write = (name: string, text: string): void =>
  writeFileSync(join(world.folder, 'nights', name), text, { mode: 0o644 })
const schedule = (...words: readonly string[]) =>
  world.run(['schedule', 'nights', ...words], {
    env: { ...world.env, WINDROW_WEBHOOK_SECRET: 'rimu-secret' },
    clock: () => now,
    sleep: (ms) => Promise.resolve(void (now = new Date(now.getTime() + ms))),
    fetch(input, init) {
      const request = new Request(input, init)
      return request.url.startsWith(web.url) ? fetch(request) : world.fetch(request)
    },
  })
const titles = (): readonly string[] =>
  web.calls.map(({ body }) => (JSON.parse(body) as { data: { title: string } }).data.title)

describe('schedule --once', () => {
  beforeEach(() => write('notify.yaml', `windrow: 1\nnotify: Rimu office\nwebhook: { address: "${web.url}/hook" }\n`))

  test('reports that a night failed, once, and that it is well again', async () => {
    await schedule('--once')
    now = new Date('2026-11-23T13:15:00Z')
    write('paddocks.csv', 'Name\nOne\n')
    expect((await schedule('--once')).exit).toBe(6)
    now = new Date('2026-11-23T13:25:00Z')
    expect((await schedule('--once')).exit).toBe(6)
    expect(titles()).toEqual(['paddocks failed'])
    write('paddocks.csv', 'No,Name\n1,One\n2,Two\n')
    now = new Date('2026-11-24T13:15:00Z')
    expect((await schedule('--once')).exit).toBe(0)
    expect(titles()).toEqual(['paddocks failed', 'paddocks is well again'])
  })

  test('reports a broken pipeline once for each mistake', async () => {
    write('broken.yaml', 'windrow: 1\nimport: cows\n')
    for (let time = 0; time < 3; time += 1) expect((await schedule('--once')).exit).toBe(2)
    expect(titles()).toEqual(['broken.yaml cannot be used'])
  })

  test('runs the same, with the same exit status, where no message can be sent', async () => {
    await schedule('--once')
    now = new Date('2026-11-23T13:15:00Z')
    web.state.status = 500
    write('paddocks.csv', 'Name\nOne\n')
    const { exit, err } = await schedule('--once')
    expect(exit).toBe(6)
    expect(err.match(/was not sent: webhook at .* it answered 500. It will be tried again/g)).toHaveLength(3)
  })

  test('status says which messages do not arrive, until one does', async () => {
    await schedule('--once')
    now = new Date('2026-11-23T13:15:00Z')
    web.state.status = 500
    expect((await schedule('--once')).out).toContain('2 created')
    const status = () => world.run(['status', 'nights'], { clock: () => now })
    expect(await status()).toMatchObject({ exit: 0 })
    write('paddocks.csv', 'Name\nOne\n')
    now = new Date('2026-11-24T13:15:00Z')
    await schedule('--once')
    write('paddocks.csv', 'No,Name\n1,One\n2,Two\n')
    await world.run(['run', 'nights/paddocks.yaml'], { clock: () => now })
    expect(await status()).toMatchObject({
      exit: 3,
      out: expect.stringMatching(
        /The last message did not arrive\. webhook at \S+: it answered 500\. Correct that, then try it: {2}windrow schedule nights --test-notify/,
      ) as string,
    })
    await schedule('--test-notify')
    expect((await status()).exit).toBe(3)
    web.state.status = 204
    await schedule('--test-notify')
    expect((await status()).exit).toBe(0)
  })

  test('status says that the schedule has no secret for messages, until it has', async () => {
    await world.run(['schedule', 'nights', '--once'], { clock: () => now })
    await world.run(['run', 'nights/paddocks.yaml'], { clock: () => now })
    const status = () => world.run(['status', 'nights'], { clock: () => now })
    expect(await status()).toMatchObject({
      exit: 3,
      out: expect.stringMatching(
        /notify\.yaml: the schedule cannot use it\. .* The secret that signs the messages is missing\./,
      ) as string,
    })
    await schedule('--once')
    expect((await status()).exit).toBe(0)
  })

  test('runs the pipelines and exits with 2 where notify.yaml has a mistake', async () => {
    await schedule('--once')
    write('notify.yaml', 'windrow: 1\nnotify: Rimu office\nfax: 12\n')
    now = new Date('2026-11-23T13:15:00Z')
    const { exit, out, err } = await schedule('--once')
    expect(exit).toBe(2)
    expect(out).toContain('2 created')
    expect(err).toMatch(/^notify\.yaml: /m)
  })
})

describe('schedule --test-notify', () => {
  test('says what arrived and what failed', async () => {
    const mail = await startMailServer()
    write(
      'notify.yaml',
      `windrow: 1\nnotify: Rimu office\nemail: { to: [a@rimu.example], from: b@rimu.example, server: 127.0.0.1, port: ${mail.port}, encryption: none }\nwebhook: { address: "${web.url}/hook" }\n`,
    )
    const host = new URL(web.url).host
    expect(await schedule('--test-notify')).toMatchObject({
      exit: 0,
      out: `e-mail to a@rimu.example: sent\nwebhook at ${host}: sent\n`,
    })
    expect(mail.mails).toHaveLength(1)
    web.state.status = 404
    expect(await schedule('--test-notify')).toMatchObject({
      exit: 4,
      out: `e-mail to a@rimu.example: sent\nwebhook at ${host}: failed, it answered 404\n`,
    })
    mail.close()
  })

  test('without notify.yaml says how to write one', async () => {
    expect((await schedule('--test-notify')).failure).toMatchObject({ code: 'notify-invalid', exit: 2 })
  })

  test.skipIf(process.platform === 'win32')(
    'refuses a file that others may change; --notify names another',
    async () => {
      const text = `windrow: 1\nnotify: Rimu office\nwebhook: { address: "${web.url}/hook" }\n`
      write('notify.yaml', text)
      chmodSync(join(world.folder, 'nights'), 0o777)
      expect((await schedule('--test-notify')).failure?.message).toMatch(/can be changed by other users/)
      writeFileSync(join(world.folder, 'mine.yaml'), text, { mode: 0o600 })
      expect((await schedule('--test-notify', '--notify', 'mine.yaml')).exit).toBe(0)
    },
  )
})

test('check reads notify.yaml, too', async () => {
  write('notify.yaml', 'windrow: 1\nnotify: Rimu office\ncommand: [ring]\n')
  expect((await world.run(['check', 'nights/paddocks.yaml', 'nights/notify.yaml'])).exit).toBe(0)
  write('notify.yaml', 'windrow: 1\nnotify: Rimu office\ncommand: ring\n')
  expect((await world.run(['check', 'nights/notify.yaml'])).failure).toMatchObject({ code: 'notify-invalid' })
})

describe('metrics', () => {
  test('in a file are complete and say how each pipeline is', async () => {
    const read = async (): Promise<string> => {
      await schedule('--once', '--metrics-file', 'nights/windrow.prom')
      return readFileSync(join(world.folder, 'nights/windrow.prom'), 'utf8')
    }
    expect(await read()).toContain('windrow_pipeline_well{pipeline="paddocks"} 1\n')
    now = new Date('2026-11-23T13:15:00Z')
    const good = await read()
    expect(good).toContain('# TYPE windrow_pipeline_records gauge\nwindrow_pipeline_records{pipeline="paddocks"} 2\n')
    expect(good).toContain('windrow_pipeline_last_run_exit{pipeline="paddocks"} 0\n')
    write('paddocks.csv', 'Name\nOne\n')
    now = new Date('2026-11-24T13:15:00Z')
    const bad = await read()
    expect(bad).toContain('windrow_pipeline_well{pipeline="paddocks"} 0\n')
    expect(bad).toContain('windrow_pipeline_last_run_exit{pipeline="paddocks"} 6\n')
    expect(readdirSync(join(world.folder, 'nights')).filter((name) => name.includes('.part'))).toEqual([])
  })

  test('on a port are answered on this machine only, while the schedule runs', async () => {
    const stop = new AbortController()
    let answer = ''
    let address = ''
    let sleeps = 0
    const { exit } = await world.run(['schedule', 'nights', '--metrics-port', '0'], {
      signal: stop.signal,
      terminal: {
        out: { write: () => undefined },
        err: { write: (text) => void (address = /http:\S+/.exec(text)?.[0] ?? address) },
      },
      async sleep() {
        if ((sleeps += 1) > 1) return stop.abort()
        answer = await new Promise((resolve, reject) => {
          get(address, (response) => {
            let text = ''
            response.on('data', (chunk: Buffer) => (text += chunk.toString())).on('end', () => resolve(text))
          }).on('error', reject)
        })
      },
    })
    expect(exit).toBe(0)
    expect(address).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/metrics$/)
    expect(answer).toContain('windrow_pipeline_well{pipeline="paddocks"}')
    await expect(fetch(address)).rejects.toThrow()
  })
})

test('--log json writes only JSON lines, on standard error, with the name of the run', async () => {
  await schedule('--once')
  now = new Date('2026-11-23T13:15:00Z')
  const { exit, out, err } = await schedule('--once', '--log', 'json')
  expect({ exit, out }).toEqual({ exit: 0, out: '' })
  const lines = err
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>)
  expect(lines.map(({ event }) => event)).toEqual(['started', 'ended'])
  expect(lines[1]).toMatchObject({
    at: '2026-11-23T13:15:00.000Z',
    level: 'info',
    pipeline: 'paddocks',
    run: expect.stringMatching(/^2026-11-2\d-\d{4}-paddocks$/) as string,
    exit: 0,
    counts: { read: 2, created: 2 },
  })
})
