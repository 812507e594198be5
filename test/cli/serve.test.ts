import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { request, type IncomingMessage, type RequestListener } from 'node:http'
import { createServer, get } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text as readText } from 'node:stream/consumers'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { demoCredentials } from '../../src/service/store/accounts.ts'
import { root } from '../imports.ts'
import { startSharedProcess, type SharedProcess } from '../shared-process.ts'
import { makeCertificate } from '../service/certificate.ts'
import { startWorld } from './world.ts'

let folder: string
let children: ChildProcess[]

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'windrow-serve-'))
  children = []
})
afterEach(() => {
  for (const child of children) child.kill('SIGKILL')
  rmSync(folder, { recursive: true, force: true })
})

const home = () => ({ XDG_STATE_HOME: folder, LOCALAPPDATA: folder, HOME: folder })

function windrow(words: readonly string[], options: readonly string[] = []) {
  const child = spawn(process.execPath, [...options, join(root, 'bin/windrow.js'), ...words], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...home() },
  })
  children.push(child)
  return child
}

async function startService(...words: readonly string[]) {
  const child = windrow(['serve', '--json', ...words])
  const said = once(child.stdout, 'data') as Promise<[Buffer]>
  const told = JSON.parse(String((await said)[0])) as { url: string; publicAddress: string | null; tokenUrl: string }
  return { child, ...told }
}

/** A process that runs the commands of a test. */
function shell(env: Readonly<Record<string, string>>): SharedProcess {
  const shared = startSharedProcess({ cwd: folder, env: { ...process.env, ...home(), ...env } })
  children.push(shared.child)
  return shared
}

function demoEnvironment({ url, tokenUrl }: { readonly url: string; readonly tokenUrl: string }) {
  const { clientId, clientSecret, username, password } = demoCredentials
  return {
    WINDROW_SERVICE: url,
    WINDROW_TOKEN_URL: tokenUrl,
    WINDROW_CLIENT_ID: clientId,
    WINDROW_CLIENT_SECRET: clientSecret,
    WINDROW_USERNAME: username,
    WINDROW_PASSWORD: password,
  }
}

test('--faults practises for a bad night: the import succeeds and reports what it did', async () => {
  writeFileSync(
    join(folder, 'faults.yaml'),
    `seed: 3
faults:
  - { fault: too-many, on: publish, dataset: plots, at: [1], retryAfterS: 0 }
  - { fault: cut, on: publish, dataset: plots, at: [2] }
  - { fault: sign-in-lost, on: publish, dataset: plots, at: [3] }
  - { fault: results-shuffled, dataset: plots }\n`,
  )
  writeFileSync(join(folder, 'farm.csv'), 'NO,NAME\n00412876,Rimu Farm\n')
  const rows = Array.from({ length: 1200 }, (_, index) => `P${index},Paddock ${index}`)
  writeFileSync(join(folder, 'paddocks.csv'), `ID,NAME\n${rows.join('\n')}\n`)
  const env = { ...home(), ...demoEnvironment(await startService('--demo', '--faults', 'faults.yaml')) }
  const world = startWorld()
  const run = (...words: readonly string[]) => world.run(words, { env, folder, fetch: globalThis.fetch })
  const farm = ['farm.csv', '--to', 'holdings', '--holding', 'nz.example.farm-number', '--key', 'NO', '--json']
  expect(await run('import', ...farm)).toMatchObject({ exit: 0 })
  const paddocks = ['paddocks.csv', '--to', 'plots', '--holding', 'nz.example.farm-number:00412876', '--key', 'ID']
  const { exit, out } = await run('import', ...paddocks, '--json')
  world.close()
  expect(JSON.parse(out)).toMatchObject({
    outcome: 'done',
    unseen: 0,
    records: { ready: 1200, created: 1200, refused: 0, unsent: 0 },
  })
  expect(exit).toBe(0)
})

test('a service process with https and a log answers its open requests before it stops', async () => {
  const { cert, key } = makeCertificate()
  writeFileSync(join(folder, 'cert.pem'), cert)
  writeFileSync(join(folder, 'key.pem'), key)
  writeFileSync(join(folder, 'slow.yaml'), 'faults: [{ fault: slow, on: features, ms: 500 }]')
  const words = ['--tls-cert', 'cert.pem', '--tls-key', 'key.pem', '--log', '--faults', 'slow.yaml']
  const { child, url } = await startService('--demo', ...words)
  const log = readText(child.stderr!)
  const asked = get(`${url}/ogc`, { ca: cert, agent: false })
  asked.on('socket', (socket) => socket.on('secureConnect', () => setTimeout(() => child.kill('SIGTERM'), 200)))
  // Windows kills a process instead of signalling it.
  if (process.platform === 'win32') return void asked.on('error', () => undefined)
  const [answer] = (await once(asked, 'response')) as [IncomingMessage]
  expect(await readText(answer)).toContain(`${url}/ogc/collections`)
  await once(child, 'exit')
  expect(child.exitCode).toBe(0)
  const [line] = (await log)
    .trim()
    .split('\n')
    .map((each) => JSON.parse(each) as Record<string, unknown>)
  expect(line).toMatchObject({ method: 'GET', path: '/ogc', status: 200, from: '127.0.0.1' })
})

test('Ctrl-Break of Windows stops a service as Ctrl-C does', async () => {
  const press = `const tries = setInterval(() => {
    if (process.listenerCount('SIGBREAK') === 0) return
    clearInterval(tries)
    process.emit('SIGBREAK', 'SIGBREAK')
  }, 50)`
  const child = windrow(['serve', '--demo'], ['--import', `data:text/javascript,${encodeURIComponent(press)}`])
  expect(await once(child, 'exit')).toEqual([0, null])
})

test('serve prints its address, the whole address for signing in, and its page', async () => {
  const world = startWorld()
  const { exit, out } = await world.run(['serve', '--demo'], { signal: AbortSignal.abort() })
  world.close()
  expect(exit).toBe(0)
  const [, url] = /^The service is running at (\S+)$/m.exec(out) ?? []
  expect(out).toContain(`\nSign-in address: ${url}/auth/realms/windrow/protocol/openid-connect/token\n`)
  expect(out).toContain(`\nIts page, for a browser: ${url}/ogc/api.html\n`)
})

test('behind a proxy that speaks https, an import, the feed and an export come through by its public address', async () => {
  const { cert, key } = makeCertificate()
  writeFileSync(join(folder, 'cert.pem'), cert)
  let target = 0
  const pass: RequestListener = (incoming, outgoing) => {
    const { method, url: path, headers } = incoming
    const going = request({ host: '127.0.0.1', port: target, method, path, headers }, (coming) => {
      outgoing.writeHead(coming.statusCode!, coming.headers)
      coming.pipe(outgoing)
    })
    incoming.pipe(going)
  }
  const proxy = createServer({ cert, key }, pass).listen(0, '127.0.0.1')
  await once(proxy, 'listening')
  const address = `https://localhost:${(proxy.address() as AddressInfo).port}`
  try {
    const { url, publicAddress, tokenUrl } = await startService('--demo', '--public-address', address)
    target = Number(new URL(url).port)
    expect([publicAddress, tokenUrl]).toEqual([address, `${address}/auth/realms/windrow/protocol/openid-connect/token`])
    const { run } = shell({
      ...demoEnvironment({ url: address, tokenUrl }),
      NODE_EXTRA_CA_CERTS: join(folder, 'cert.pem'),
    })
    writeFileSync(join(folder, 'farm.csv'), 'NO,NAME\n00412876,Rimu Farm\n')
    const rows = Array.from({ length: 1100 }, (_, index) => `P${index},Paddock ${index}`)
    writeFileSync(join(folder, 'paddocks.csv'), `ID,NAME\n${rows.join('\n')}\n`)
    for (const words of [
      'import farm.csv --to holdings --holding nz.example.farm-number --key NO',
      'import paddocks.csv --to plots --holding nz.example.farm-number:00412876 --key ID',
      'verify plots',
      'service changes plots --limit 500 -o changes.csv',
      'export plots -o plots.csv',
    ]) {
      const { status, stdout, stderr } = await run(words.split(' '))
      expect(status, `${words}: ${stdout}${stderr}`).toBe(0)
    }
    for (const name of ['changes.csv', 'plots.csv'])
      expect(readFileSync(join(folder, name), 'utf8').match(/Paddock \d+/g)).toHaveLength(1100)
  } finally {
    proxy.closeAllConnections()
    proxy.close()
  }
})

test.each([
  [['--tls-cert', 'cert.pem'], '--tls-key'],
  [['--public-address', 'http://farm.example'], 'plain http'],
  [['--demo', '--public-address', 'https://farm.example'], 'Everybody knows the password'],
  [['--allow-origin', 'https://map.example/page'], 'origin'],
  [['--webhooks-to-loopback'], '--webhooks'],
  [['--store', 'postgres://windrow:secret@db.example/farms'], 'in a file, not in PostgreSQL'],
])('serve %j is refused in a sentence', async (words, said) => {
  const world = startWorld()
  writeFileSync(join(world.folder, 'cert.pem'), makeCertificate().cert)
  const { exit, failure } = await world.run(['serve', ...words])
  world.close()
  expect(exit).toBe(2)
  expect(failure?.message).toContain(said)
})

describe('the files of serve', () => {
  test('accounts, lifetimes and limits come from one --config file', async () => {
    const world = startWorld()
    const hash = async (secret: string): Promise<string> =>
      (await world.run(['serve', '--hash-secret'], { typed: `${secret}\n` })).out.trim()
    writeFileSync(
      join(folder, 'service.yaml'),
      `accounts:
  - clientId: hill
    clientSecretHash: ${await hash('client secret')}
    username: sync@hill.example
    passwordHash: ${await hash('pass word')}
tokens: { accessS: 77 }
limits: { bodyBytes: 1000 }\n`,
    )
    world.close()
    const { url, tokenUrl } = await startService('--config', 'service.yaml')
    const form = { client_id: 'hill', client_secret: 'client secret', username: 'sync@hill.example' }
    const body = new URLSearchParams({ grant_type: 'password', ...form, password: 'pass word' })
    const answer = await fetch(tokenUrl, { method: 'POST', body })
    const { access_token: token, expires_in: seconds } = (await answer.json()) as Record<string, unknown>
    expect(seconds).toBe(77)
    const headers = { Authorization: `Bearer ${String(token)}`, 'Content-Type': 'application/json' }
    const large = { method: 'POST', headers, body: `[${' '.repeat(1000)}]` }
    expect((await fetch(`${url}/data/streaming/datasets/plots/resources`, large)).status).toBe(413)
  })

  test.each([
    ['--faults', 'faults:\n  - fault: too-many\n    every: 2\n    retyAfterS: 1\n', 'line 4', 'retyAfterS'],
    ['--config', 'tokens:\n  accessS: soon\n', 'line 2', 'accessS'],
    ['--config', 'accounts:\n  - clientId: a\n', 'line 2', 'clientSecretHash'],
    ['--config', 'tokens: {\n', 'line', 'service.yaml'],
  ])('a mistake in %s is reported with its line', async (option, content, ...said) => {
    const world = startWorld()
    writeFileSync(join(world.folder, 'service.yaml'), content)
    const { exit, failure } = await world.run(['serve', option, 'service.yaml'])
    world.close()
    expect(exit).toBe(2)
    for (const part of said) expect(failure?.message).toContain(part)
  })
})
