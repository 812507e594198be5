import { chosen } from '../../src/core/row.ts'
import { spawn, type ChildProcess } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import axe from 'axe-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Paddock } from '../../src/web/farm-map.ts'
import { reportPage, type PageContent, type ReportView } from '../../src/web/report-page.ts'
import { runsPage, type RunRow } from '../../src/web/runs-page.ts'
import { expectBelow } from '../processor-time.ts'

const chromium = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find(existsSync)

const finding = {
  code: 'date-impossible',
  severity: 'error',
  at: { source: 'paddocks.zip', row: 2 },
  column: 'SOWN',
  value: '31/02/2026',
  message: 'February 2026 has 28 days.',
  hint: 'Correct the cell.',
} as const

const view: ReportView = {
  run: '2026-11-20-1412-onboard',
  pipeline: 'onboard',
  started: '2026-11-20T01:12:00Z',
  outcome: 'done',
  exit: 3,
  source: { name: 'paddocks.zip', table: 'paddocks', kinds: {} },
  choices: [chosen('key', '<PADDOCK_ID>', 'all different', '<OBJECTID>')],
  target: { type: 'plots', holdings: ['nz.example.farm-number:00412876'] },
  rows: { read: 24, ready: 23, unchanged: 0, rejected: 1, skipped: 0 },
  records: { ready: 23, created: 22, updated: 1, refused: 0, unsent: 0, unchanged: 0 },
  gone: { gone: 1, deleted: 0, kept: 1 },
  areaM2: 1_126_000,
  accepted: 23,
  unseen: 0,
  problems: [{ code: 'date-impossible', severity: 'error', meaning: 'No such day.', count: 1, first: [finding] }],
}

function paddocksOf(count: number): readonly Paddock[] {
  const wide = Math.ceil(Math.sqrt(count))
  return Array.from({ length: count }, (_, index): Paddock => {
    const [west, south] = [175 + (index % wide) * 0.003, -38 + Math.floor(index / wide) * 0.002]
    const corners = Array.from({ length: 31 }, (__, at) => {
      const angle = ((at % 30) / 30) * 2 * Math.PI
      return [west + Math.cos(angle) * (0.0012 + (at % 3) * 1e-4), south + Math.sin(angle) * 0.0009]
    })
    return {
      row: index,
      key: `plots/nz.example.farm-number/00412876/${index}`,
      id: `PADDOCK-${index}`,
      name: `A rather long name of a paddock ${index}`,
      crop: ['Ryegrass', 'Maize', 'Lucerne'][index % 3]!,
      outcome: (['created', 'updated', 'rejected', 'unchanged', 'deleted', 'kept'] as const)[index % 6]!,
      areaM2: 50_000 + index,
      beforeM2: 49_000,
      rings: [corners.flat()],
    }
  })
}

const changes: PageContent['changes'] = [
  {
    key: 'plots/nz.example.farm-number/00412876/1',
    id: 'PADDOCK-1',
    name: 'A rather long name of a paddock 1',
    fields: [{ field: 'Crop 1 name', before: 'Ryegrass', after: 'Averylongwordwithoutanyspaces'.repeat(4) }],
    boundary: { beforeM2: 49_000, afterM2: 50_001, movedM2: 1234 },
  },
]

/** A page in Chromium, driven through its debugging protocol. */
type Browser = {
  readonly requests: string[]
  readonly complaints: string[]
  send(method: string, params?: object): Promise<{ readonly [name: string]: unknown }>
  evaluate<T>(expression: string): Promise<T>
  press(key: string): Promise<void>
  open(page: string, width: number): Promise<void>
  close(): void
}

type Message = {
  id?: number
  method?: string
  params?: Record<string, never>
  result?: never
  error?: { message: string }
}

async function startBrowser(folder: string): Promise<Browser> {
  const flags = '--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking'
  const words = [...flags.split(' '), '--disable-component-update', '--disable-sync', '--remote-debugging-port=0']
  const profile = join(folder, 'profile')
  const child = spawn(chromium!, [...words, `--user-data-dir=${profile}`, 'about:blank'])
  const host = new URL(await addressOf(child)).host
  const targets = (await (await fetch(`http://${host}/json`)).json()) as {
    type: string
    webSocketDebuggerUrl: string
  }[]
  const socket = new WebSocket(targets.find(({ type }) => type === 'page')!.webSocketDebuggerUrl)
  await new Promise((resolve) => socket.addEventListener('open', resolve))
  const waiting = new Map<number, (message: Message) => void>()
  const [requests, complaints]: [string[], string[]] = [[], []]
  let onLoad = (): void => undefined
  socket.addEventListener('message', ({ data }) => {
    const message = JSON.parse(String(data)) as Message
    if (message.id !== undefined) waiting.get(message.id)?.(message)
    if (message.method === 'Network.requestWillBeSent')
      requests.push((message.params as unknown as { request: { url: string } }).request.url)
    if (message.method === 'Runtime.exceptionThrown' || message.method === 'Log.entryAdded')
      complaints.push(JSON.stringify(message.params))
    if (message.method === 'Page.loadEventFired') onLoad()
  })
  let last = 0
  const send: Browser['send'] = (method, params = {}) =>
    new Promise((resolve, reject) => {
      const id = (last += 1)
      waiting.set(id, ({ result, error }) => (error ? reject(new Error(error.message)) : resolve(result ?? {})))
      socket.send(JSON.stringify({ id, method, params }))
    })
  for (const domain of ['Page', 'Runtime', 'Log', 'Network']) await send(`${domain}.enable`)
  // Durations in processor time: other programs may use the machine.
  await send('Performance.enable', { timeDomain: 'threadTicks' })
  return {
    requests,
    complaints,
    send,
    async evaluate<T>(expression: string) {
      const { result, exceptionDetails } = (await send('Runtime.evaluate', {
        expression,
        awaitPromise: true,
        returnByValue: true,
      })) as { result?: { value: T }; exceptionDetails?: unknown }
      if (exceptionDetails !== undefined) throw new Error(JSON.stringify(exceptionDetails))
      return result!.value
    },
    async press(key) {
      const text = key === 'Enter' ? { text: '\r' } : {}
      const code = { Enter: 13, ArrowRight: 39 }[key]
      const event = { key, code: key, windowsVirtualKeyCode: code, ...text }
      await send('Input.dispatchKeyEvent', { type: 'keyDown', ...event })
      await send('Input.dispatchKeyEvent', { type: 'keyUp', ...event })
    },
    async open(page, width) {
      const path = join(folder, `page-${last}.html`)
      writeFileSync(path, page)
      requests.length = 0
      await send('Emulation.setDeviceMetricsOverride', {
        width,
        height: 900,
        deviceScaleFactor: 1,
        mobile: width < 500,
      })
      const loaded = new Promise<void>((resolve) => (onLoad = resolve))
      await send('Page.navigate', { url: pathToFileURL(path).href })
      await loaded
    },
    close() {
      socket.close()
      child.kill()
    },
  }
}

function addressOf(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = ''
    child.stderr!.on('data', (chunk: Buffer) => {
      text += chunk.toString()
      const [, address] = /listening on (ws:\S+)/.exec(text) ?? []
      if (address !== undefined) resolve(address)
    })
    child.once('error', reject)
    child.once('exit', () => reject(new Error(text)))
  })
}

describe.skipIf(chromium === undefined)('the page in Chromium (skipped where it is not installed)', () => {
  let folder: string
  let browser: Browser
  const page = reportPage(view, { paddocks: paddocksOf(24), changes, zone: 'Pacific/Auckland' })

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'windrow-page-'))
    browser = await startBrowser(folder)
  })
  afterAll(() => {
    browser.close()
    rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 })
  })

  test.each([390, 800, 1280])('fits a screen of %i pixels without sideways scrolling', async (width) => {
    await browser.open(page, width)
    const wide = await browser.evaluate<number>('document.documentElement.scrollWidth')
    expect(wide).toBeLessThanOrEqual(width)
  })

  test.each([
    ['screen', 1280],
    ['print', 688],
  ])('does not break the name of a usual crop on a %s of %i pixels', async (media, width) => {
    await browser.send('Emulation.setEmulatedMedia', { media })
    const paddocks = paddocksOf(2).map((each) => ({ ...each, crop: 'Winterweizen' }))
    await browser.open(reportPage(view, { paddocks, changes, zone: 'UTC' }), width)
    const lines = `(() => {
      const range = document.createRange()
      range.selectNodeContents(document.querySelector('#r1 td:nth-child(3)'))
      return range.getClientRects().length
    })()`
    expect(await browser.evaluate(lines)).toBe(1)
    await browser.send('Emulation.setEmulatedMedia', { media: '' })
  })

  test('loads nothing and reports no errors', async () => {
    await browser.open(page, 1280)
    await browser.evaluate(`document.querySelector('tbody tr').click()`)
    expect(browser.requests.filter((url) => !url.startsWith('file:'))).toEqual([])
    expect(browser.requests).toHaveLength(1)
    expect(browser.complaints).toEqual([])
  })

  test('links rows and paddocks by click', async () => {
    await browser.open(page, 1280)
    const chosen = `[...document.querySelectorAll('.chosen')].map(({ id }) => id).toSorted().join()`
    await browser.evaluate(`document.querySelector('#r5 td:nth-child(3)').click()`)
    await browser.evaluate('new Promise(requestAnimationFrame)')
    expect(await browser.evaluate(chosen)).toBe('p5,r5')
    const mapTop = await browser.evaluate<number>(`document.querySelector('.map').getBoundingClientRect().top`)
    expect(mapTop).toBeGreaterThan(-10)
    await browser.evaluate(
      `document.querySelector('#p17 path').dispatchEvent(new PointerEvent('click', { bubbles: true, cancelable: true, pointerType: 'mouse' }))`,
    )
    await browser.evaluate('new Promise(requestAnimationFrame)')
    expect(await browser.evaluate(chosen)).toBe('p17,r17')
    expect(await browser.evaluate(`document.activeElement.closest('tr').id`)).toBe('r17')
    expect(await browser.evaluate(`document.getElementById('about').textContent`)).toContain('PADDOCK-17')
  })

  test('shows the details of a paddock on a first tap, and its row on the next', async () => {
    await browser.open(page, 390)
    const tap = `document.querySelector('#p3 path').dispatchEvent(new PointerEvent('click', { bubbles: true, cancelable: true, pointerType: 'touch' })); new Promise(requestAnimationFrame)`
    await browser.evaluate(tap)
    expect(await browser.evaluate(`document.getElementById('about').textContent`)).toContain('PADDOCK-3')
    expect(await browser.evaluate('location.hash')).toBe('#p3')
    await browser.evaluate(tap)
    expect(await browser.evaluate('location.hash')).toBe('#r3')
  })

  test('links rows and paddocks by keyboard', async () => {
    await browser.open(page, 1280)
    await browser.evaluate(`document.querySelector('.map a[tabindex="0"]').focus()`)
    await browser.press('ArrowRight')
    await browser.press('ArrowRight')
    expect(await browser.evaluate('document.activeElement.id')).toBe('p2')
    expect(await browser.evaluate(`document.getElementById('about').textContent`)).toContain(
      'February 2026 has 28 days.',
    )
    await browser.press('Enter')
    await browser.evaluate('new Promise(requestAnimationFrame)')
    expect(await browser.evaluate(`document.activeElement.closest('tr').id`)).toBe('r2')
    await browser.press('Enter')
    await browser.evaluate('new Promise(requestAnimationFrame)')
    expect(await browser.evaluate('document.activeElement.id')).toBe('p2')
  })

  test('shows 10,000 paddocks from less than 5 MB within two seconds of a quiet processor', async () => {
    const large = reportPage(view, { paddocks: paddocksOf(10_000), changes, zone: 'UTC' })
    expect(Buffer.byteLength(large)).toBeLessThan(5_000_000)
    await browser.open(large, 1280)
    await browser.evaluate('new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))')
    const { metrics } = (await browser.send('Performance.getMetrics')) as { metrics: { name: string; value: number }[] }
    const seconds = metrics.find(({ name }) => name === 'TaskDuration')!.value
    await expectBelow(2000, seconds * 1000)
    const matching = `filter.value = 'paddock-9999'; filter.dispatchEvent(new Event('input')); [...document.querySelectorAll('.paddocks tbody tr')].filter((row) => row.checkVisibility()).map(({ id }) => id).join()`
    expect(await browser.evaluate(matching)).toBe('r9999')
    await browser.evaluate(`location.hash = '#r7777'; new Promise(requestAnimationFrame)`)
    expect(await browser.evaluate(`document.getElementById('r7777').checkVisibility()`)).toBe(true)
  })

  test.each(['light', 'dark'])('has no serious finding of axe in %s colours', async (scheme) => {
    await browser.open(page, 1280)
    await browser.send('Emulation.setEmulatedMedia', { features: [{ name: 'prefers-color-scheme', value: scheme }] })
    await browser.evaluate(`document.getElementById('by-crop').click()`)
    await browser.evaluate(`${axe.source};0`)
    const found = await browser.evaluate<readonly { id: string; impact: string; nodes: readonly { html: string }[] }[]>(
      'axe.run().then(({ violations }) => violations.map(({ id, impact, nodes }) => ({ id, impact, nodes: nodes.slice(0, 2).map(({ html }) => ({ html })) })))',
    )
    expect(found.filter(({ impact }) => impact === 'serious' || impact === 'critical')).toEqual([])
  })
  const nights = Array.from({ length: 60 }, (_, night): RunRow => {
    const isGood = night % 9 !== 5
    return {
      pipeline: 'nightly-paddocks-of-all-farms-of-the-office',
      started: new Date(Date.UTC(2026, 9, night, 13, 15)).toISOString(),
      outcome: isGood ? 'done' : 'stopped',
      exit: isGood ? 0 : 4,
      isGood,
      counts: { read: 12_345, created: 1, updated: 2, deleted: 0, rejected: 0 },
      error: isGood ? undefined : 'The service does not answer at https://service.example/a-rather-long-address',
      page: 'runs/report.html',
    }
  })

  test.each([390, 1280])('the page of all runs fits %i pixels and has no serious finding of axe', async (width) => {
    await browser.open(runsPage(nights, { title: 'pipelines', zone: 'Pacific/Auckland' }), width)
    expect(await browser.evaluate<number>('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width)
    await browser.evaluate(`${axe.source};0`)
    const found = await browser.evaluate<readonly { impact: string }[]>(
      'axe.run().then(({ violations }) => violations.map(({ id, impact }) => ({ id, impact })))',
    )
    expect(found.filter(({ impact }) => impact === 'serious' || impact === 'critical')).toEqual([])
  })
})
