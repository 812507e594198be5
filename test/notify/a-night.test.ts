import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { startWorld, type World } from '../cli/world.ts'
import { root } from '../imports.ts'
import { startMailServer, startWebServer } from './receivers.ts'

let world: World
let mail: Awaited<ReturnType<typeof startMailServer>>
let web: Awaited<ReturnType<typeof startWebServer>>
beforeEach(async () => {
  // Runs are named by the clock of the machine.
  vi.stubEnv('TZ', 'Pacific/Auckland')
  world = startWorld()
  await world.publishFarms()
  ;[mail, web] = [await startMailServer(), await startWebServer()]
  mkdirSync(join(world.folder, 'nights'))
  write('nightly-paddocks.yaml', pipeline)
  write('paddocks.csv', 'No,Name\n1,Front flat\n2,Back hill\n')
})
afterEach(() => {
  vi.unstubAllEnvs()
  mail.close()
  web.close()
  world.close()
})

const write = (name: string, text: string): void =>
  writeFileSync(join(world.folder, 'nights', name), text, { mode: 0o644 })
const pipeline = `windrow: 1
import: plots
from: { file: paddocks.csv }
holding: { scheme: nz.example.farm-number, id: "00412876" }
key: <No>
record: { name: <Name> }
schedule: { every: day, at: "02:15", zone: Pacific/Auckland }
`
const notify = (smtpPort: number, webhook: string): string => `windrow: 1
notify: Rimu office
email: { to: [office@rimu.example], from: windrow@rimu.example, server: 127.0.0.1, port: ${smtpPort}, encryption: none }
webhook: { address: "${webhook}/windrow" }
ping: { nightly-paddocks: "${webhook}/ping/nightly-paddocks" }
`

/** Replaces what is different each time. */
function settled(text: string): string {
  return text
    .replaceAll(String(mail.port), '2525')
    .replaceAll(web.url, 'http://127.0.0.1:8099')
    .replaceAll(new URL(web.url).host, '127.0.0.1:8099')
    .replace(/[\da-f]{8}-[\da-f-]{27}/g, '00000000-0000-4000-8000-000000000000')
    .replace(/^(C: EHLO ).*$/gm, '$1[127.0.0.1]')
    .replace(/v1,[A-Za-z\d+/=]+/g, 'v1,(base64)')
}

test('a night that fails at 02:15, because the service is down, and heals at 02:45', async () => {
  write('notify.yaml', notify(mail.port, web.url))
  let now = new Date('2026-11-23T02:14:00+13:00')
  const up = new Date('2026-11-23T02:40:00+13:00')
  const end = new Date('2026-11-23T02:50:00+13:00')
  const stop = new AbortController()
  const { exit, err } = await world.run(['schedule', 'nights', '--log', 'text'], {
    env: { ...world.env, WINDROW_WEBHOOK_SECRET: 'rimu-secret' },
    clock: () => now,
    signal: stop.signal,
    sleep(ms) {
      now = new Date(now.getTime() + ms)
      if (now > end) stop.abort()
      return Promise.resolve()
    },
    fetch(input, init) {
      const request = new Request(input, init)
      if (request.url.startsWith(web.url)) return fetch(request)
      const refused = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' })
      return now < up ? Promise.reject(new TypeError('fetch failed', { cause: refused })) : world.fetch(request)
    },
  })
  expect(exit).toBe(0)
  const subjects = mail.mails.map(({ text }) => /^Subject: (.*)$/m.exec(text)?.[1])
  expect(subjects).toEqual([
    'Rimu office: nightly-paddocks failed and will be tried again',
    'Rimu office: nightly-paddocks is well again',
  ])
  // What is sent at the same time may arrive in any order.
  const received = web.calls.toSorted((one, other) => other.path.localeCompare(one.path))
  expect(received.map(({ method, path }) => `${method} ${path}`)).toEqual([
    'POST /windrow',
    'POST /windrow',
    'GET /ping/nightly-paddocks',
  ])
  const events = received.slice(0, 2).map(({ body }) => JSON.parse(body) as { type: string; time: string })
  expect(events.map(({ type }) => type)).toEqual(['windrow.failure', 'windrow.recovery'])
  const calls = received.map(({ method, path, headers, body }) =>
    [
      `${method} ${path}`,
      ...['content-type', 'webhook-id', 'webhook-timestamp', 'webhook-signature'].flatMap((name) =>
        headers[name] === undefined ? [] : [`${name}: ${String(headers[name])}`],
      ),
      ...(body === '' ? [] : ['', JSON.stringify(JSON.parse(body), undefined, 2)]),
    ].join('\n'),
  )
  // Messages of one moment may arrive in any order.
  const log = err.replace(/(?:.* was sent: .*\n)+/g, (lines) => lines.trimEnd().split('\n').sort().join('\n') + '\n')
  const doc = `# A night that fails and heals

The service is down from before 02:15 until 02:40. \`test/notify/a-night.test.ts\` runs this night with a clock of its own, an SMTP server and
a web server on this machine, and compares what happens with this page. Ids, signatures and ports are replaced.

\`nights/nightly-paddocks.yaml\`:

\`\`\`yaml
${pipeline}\`\`\`

\`nights/notify.yaml\`:

\`\`\`yaml
${notify(mail.port, web.url)}\`\`\`

## What windrow logs

\`windrow schedule nights --log text\`, from 02:14 to 02:50:

\`\`\`text
${log}\`\`\`

## The conversation with the mail server

S is the server, C is windrow.

\`\`\`text
${mail.talk.join('\n')}
\`\`\`

## What the web server received

\`\`\`text
${calls.join('\n\n')}
\`\`\`
`
  await expect(settled(doc)).toMatchFileSnapshot(join(root, 'docs/a-night.md'))
})
