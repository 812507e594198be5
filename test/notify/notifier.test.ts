import { createHmac } from 'node:crypto'
import { spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Code } from '../../src/core/problem.ts'
import { unusualCounts } from '../../src/notify/notice.ts'
import { waitsMs } from '../../src/notify/outbox.ts'
import { readNotifySettings } from '../../src/notify/settings.ts'
import { startNotifier, tryChannels, type Delivery, type Notifier } from '../../src/notify/notifier.ts'
import type { Report } from '../../src/pipeline/report/report.ts'
import type { ScheduleEvent } from '../../src/schedule/events.ts'
import { startMailServer, startWebServer } from './receivers.ts'

const zone = 'Pacific/Auckland'
const at = (text: string) => new Date(`${text}+13:00`)
const due = at('2026-11-23T02:15')
const unreachable = { code: 'service-unreachable', message: 'The service does not answer.', hint: 'Wait.' }
const failed: ScheduleEvent = {
  kind: 'retrying',
  name: 'paddocks',
  due,
  exit: 4,
  tries: 1,
  failure: unreachable,
  at: at('2026-11-23T02:25'),
  until: at('2026-11-23T05:15'),
}

// A disk of its own, which only root can mount.
const mount = (place: string): boolean => {
  mkdirSync(place, { recursive: true })
  return spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'windrow-test', place]).status === 0
}
const unmount = (place: string): boolean => spawnSync('umount', ['-l', place]).status === 0
const trial = mkdtempSync(join(tmpdir(), 'windrow-disk-'))
const hasDisk = process.platform === 'linux' && mount(trial) && unmount(trial)
rmSync(trial, { recursive: true })

let folder: string
let state: string
let mail: Awaited<ReturnType<typeof startMailServer>>
let web: Awaited<ReturnType<typeof startWebServer>>
let now: Date
let deliveries: Delivery[]
let troubles: unknown[]
const notifiers: Notifier[] = []

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'windrow-notify-'))
  state = join(folder, '.windrow')
  ;[mail, web] = [await startMailServer(), await startWebServer()]
  now = at('2026-11-23T02:15')
  ;[deliveries, troubles] = [[], []]
})
afterEach(() => {
  for (const each of notifiers.splice(0)) each.close()
  mail.close()
  web.close()
  rmSync(folder, { recursive: true, force: true })
})

const env = { WINDROW_WEBHOOK_SECRET: 'rimu-secret', WINDROW_SMTP_PASSWORD: 'never-shown' }
const around = { env, platform: process.platform }

function write(text: string): string {
  const path = join(folder, 'notify.yaml')
  writeFileSync(path, text, { mode: 0o644 })
  return path
}

const email = (): string =>
  `email: { to: [office@rimu.example], from: windrow@rimu.example, server: 127.0.0.1, port: ${mail.port}, encryption: none }\n`
const webhook = (): string => `webhook: { address: "${web.url}/hooks/secret-part" }\n`

async function notifier(text: string): Promise<Notifier> {
  const made = startNotifier({
    settings: await readNotifySettings(write(`windrow: 1\nnotify: Rimu office\n${text}`), around),
    state,
    env: { ...process.env, ...env },
    fetch,
    clock: () => now,
    sleep: (ms) => Promise.resolve(void (now = new Date(now.getTime() + ms))),
    timetables: () => new Map([['paddocks', { cron: '15 2 * * *', zone, missed: 'once' }]]),
    onDelivery: (delivery) => void deliveries.push(delivery),
    onTrouble: (cause) => void troubles.push(cause),
  })
  notifiers.push(made)
  return made
}

let nights = 0
function reportOf(counts: Partial<Report['rows']>, more: Partial<Report> = {}): Report {
  const started = new Date(at('2026-10-01T02:15').getTime() + nights++ * 86_400_000).toISOString()
  const report = {
    windrow: 'report',
    version: 1,
    kind: 'import',
    run: `${started.slice(0, 10)}-paddocks`,
    pipeline: 'paddocks',
    started,
    ended: started,
    outcome: 'done',
    exit: 0,
    rows: { read: 200, ready: 0, unchanged: 200, rejected: 0, skipped: 0, ...counts },
    records: { ready: 0, created: 0, updated: 0, refused: 0, unsent: 0, unchanged: 200 },
    gone: { gone: 0, deleted: 0, kept: 0 },
    ...more,
  } as Report
  const place = join(state, 'runs', report.run)
  mkdirSync(place, { recursive: true })
  writeFileSync(join(place, 'report.json'), JSON.stringify(report))
  return report
}

const ended = (report: Report): ScheduleEvent => ({
  kind: 'ended',
  name: 'paddocks',
  due,
  exit: report.exit,
  tries: 1,
  report,
})

describe('a failed night', () => {
  test('is reported once by mail and by a signed webhook, with its next try, and so is its end', async () => {
    const sent = await notifier(email() + webhook())
    sent.hear(failed)
    sent.hear({ ...failed, tries: 2 } as ScheduleEvent)
    await sent.deliver()
    expect(mail.mails).toHaveLength(1)
    const [{ from, to, text } = { from: '', to: [], text: '' }] = mail.mails
    expect({ from, to }).toEqual({ from: 'windrow@rimu.example', to: ['office@rimu.example'] })
    expect(text).toContain('Subject: Rimu office: paddocks failed and will be tried again')
    expect(text.replaceAll('=\n', '')).toContain('due at 23 Nov 2026, 02:15 (Pacific/Auckland), ended with exit 4')
    expect(text.replaceAll('=\n', '')).toContain('tried again at 23 Nov 2026, 02:25 (Pacific/Auckland)')
    const [call] = web.calls
    const { 'webhook-id': id, 'webhook-timestamp': time, 'webhook-signature': signature } = call!.headers
    const expected = createHmac('sha256', 'rimu-secret').update(`${String(id)}.${String(time)}.${call!.body}`)
    expect(signature).toBe(`v1,${expected.digest('base64')}`)
    expect(JSON.parse(call!.body)).toMatchObject({
      specversion: '1.0',
      id,
      type: 'windrow.failure',
      subject: 'paddocks',
      data: { place: 'Rimu office', pipeline: 'paddocks', exit: 4, error: unreachable },
    })
    sent.hear({ ...failed, kind: 'healed', exit: 0, failure: undefined, since: due, tries: 4 } as ScheduleEvent)
    await sent.deliver()
    expect(mail.mails.map((each) => /^Subject: (.*)$/m.exec(each.text)?.[1])).toEqual([
      'Rimu office: paddocks failed and will be tried again',
      'Rimu office: paddocks is well again',
    ])
    expect(troubles).toEqual([])
  })

  test('that heals with rejected rows is not called all well', async () => {
    const sent = await notifier(webhook())
    const report = reportOf({ rejected: 2 }, { exit: 3 })
    sent.hear({ ...failed, kind: 'healed', exit: 3, failure: undefined, since: due, tries: 4, report } as ScheduleEvent)
    await sent.deliver()
    expect(web.calls[0]!.body).toContain('But not all of its rows are in the service: please look at the run.')
    expect(web.calls[0]!.body).not.toContain('You need not do anything')
  })

  test('is reported by a command, which gets the message on standard input and none of the secrets', async () => {
    const out = join(folder, 'told.json')
    const script = `let t = ''; process.stdin.on('data', (d) => (t += d)).on('end', () => require('fs').writeFileSync(process.argv[1], JSON.stringify([JSON.parse(t), process.env])))`
    const sent = await notifier(`command: ${JSON.stringify([process.execPath, '-e', script, out])}\n`)
    sent.hear({ ...failed, kind: 'gave-up', next: at('2026-11-24T02:15'), tries: 19 } as ScheduleEvent)
    await sent.deliver()
    expect(deliveries).toEqual([expect.objectContaining({ isGivenUp: false }) as Delivery])
    const [event, given] = JSON.parse(readFileSync(out, 'utf8')) as [object, object]
    expect(event).toMatchObject({ data: { title: 'paddocks failed after 19 tries' } })
    expect(Object.keys(given).filter((name) => name.startsWith('WINDROW_'))).toEqual([])
  })

  test('is reported later where the mail server refuses, also after a restart, but not for ever', async () => {
    mail.state.refuses = true
    const first = await notifier(email())
    first.hear(failed)
    await first.finish()
    expect(deliveries).toHaveLength(3)
    expect(deliveries[0]!.reason).toMatch(/451/)
    first.close()
    notifiers.splice(0)
    const second = await notifier(email())
    mail.state.refuses = false
    now = new Date(now.getTime() + waitsMs[2]!)
    await second.deliver()
    expect(mail.mails).toHaveLength(1)
    mail.state.refuses = true
    second.hear(failed)
    for (const wait of [...waitsMs, 0, 0]) {
      await second.deliver()
      now = new Date(now.getTime() + wait)
    }
    expect(deliveries.slice(4).map(({ isGivenUp }) => isGivenUp)).toEqual([...waitsMs.map(() => false), true])
    expect(troubles).toEqual([])
  })

  test('is reported to each person alone, so that one whom the mail server does not know is named', async () => {
    mail.state.unknown = 'hemi@rimu.example'
    const sent = await notifier(email().replace('office@rimu.example', 'hemi@rimu.example, office@rimu.example'))
    sent.hear(failed)
    await sent.finish()
    expect(mail.mails.map(({ to }) => to)).toEqual([['office@rimu.example']])
    const refused = deliveries.filter(({ reason }) => reason !== undefined)
    expect(refused.map(({ channel }) => channel)).toEqual(Array(3).fill('e-mail to hemi@rimu.example'))
    expect(refused[0]!.reason).toMatch(/550/)
  })

  test('of more pipelines than a hundred is reported for each of them', async () => {
    const sent = await notifier(email())
    for (let number = 1; number <= 130; number += 1) sent.hear({ ...failed, name: `paddocks-${number}` })
    await sent.finish()
    expect(mail.mails).toHaveLength(130)
  })

  test('whose message shows no secret of a webhook that fails', async () => {
    web.state.status = 500
    const sent = await notifier(webhook())
    sent.hear(failed)
    await sent.deliver()
    web.close()
    now = new Date(now.getTime() + waitsMs[0]!)
    await sent.deliver()
    expect(deliveries[0]!.reason).toBe('it answered 500')
    expect(JSON.stringify(deliveries)).not.toMatch(/secret/)
  })

  test('is not sent on to where a webhook redirects; the reason says what to write', async () => {
    web.state.status = 308
    const sent = await notifier(webhook())
    sent.hear(failed)
    await sent.deliver()
    expect(deliveries[0]!.reason).toBe('it answered 308: write the address that it leads to')
    expect(web.calls).toHaveLength(1)
  })

  test('is not sent to a mail server without encryption, unless it is on this machine and the file says so', async () => {
    const sent = await notifier(email().replace(', encryption: none', ''))
    sent.hear(failed)
    await sent.deliver()
    expect(deliveries[0]!.reason).toMatch(/TLS/)
    expect(mail.talk.join()).not.toContain('MAIL FROM')
  })

  test.skipIf(!hasDisk)('whose message has no room to wait is reported at once', async () => {
    expect(mount(state)).toBe(true)
    try {
      const sent = await notifier(webhook())
      const { bavail, bsize } = statfsSync(state)
      writeFileSync(join(state, 'filler'), Buffer.alloc(bavail * bsize))
      sent.hear(failed)
      await sent.deliver()
      rmSync(join(state, 'filler'))
      sent.hear({ ...failed, kind: 'gave-up', tries: 3, next: undefined } as ScheduleEvent)
      await sent.deliver()
      notifiers.splice(0).forEach((each) => each.close())
    } finally {
      unmount(state)
    }
    const titles = web.calls.map(({ body }) => (JSON.parse(body) as { data: { title: string } }).data.title)
    expect(titles).toEqual(['paddocks failed and will be tried again', 'paddocks failed after 3 tries'])
  })

  test('because the disk is full is reported once, without a place on it, until a run ended', async () => {
    const sent = await notifier(webhook())
    const full: ScheduleEvent = { kind: 'hindered', reason: 'The disk is full.' }
    for (let look = 0; look < 3; look += 1) {
      sent.hear(full)
      await sent.deliver()
    }
    sent.hear(ended(reportOf({})))
    sent.hear(full)
    await sent.deliver()
    const told = web.calls.map(({ body }) => (JSON.parse(body) as { data: { title: string; text: string } }).data)
    expect(told).toHaveLength(2)
    expect(told[0]).toMatchObject({
      title: 'no pipeline can run',
      text: 'The disk is full.\nPipelines that are due run as soon as the disk has room. No other message follows.',
    })
  })

  test('ends at once when windrow is stopped, and is reported at the next start', async () => {
    const stopped = startNotifier({
      settings: await readNotifySettings(write(`windrow: 1\nnotify: Rimu office\n${webhook()}`), around),
      state,
      env,
      fetch,
      clock: () => now,
      sleep: () => Promise.reject(new Error('stopped')),
      timetables: () => new Map(),
      onDelivery: (delivery) => void deliveries.push(delivery),
      onTrouble: (cause) => void troubles.push(cause),
    })
    web.state.status = 500
    stopped.hear(failed)
    await stopped.finish()
    stopped.close()
    expect(deliveries).toHaveLength(1)
    web.state.status = 204
    const next = await notifier(webhook())
    now = new Date(now.getTime() + waitsMs[0]!)
    await next.deliver()
    expect(deliveries[1]!.reason).toBeUndefined()
  })

  test('of a broken file is reported once for each mistake', async () => {
    const sent = await notifier(webhook())
    const broken = (message: string): ScheduleEvent => ({
      kind: 'broken',
      file: 'paddocks.yaml',
      exit: 2,
      failure: { code: 'pipeline-invalid', message },
    })
    for (const message of ['one', 'one', 'two']) sent.hear(broken(message))
    sent.hear({ kind: 'repaired', file: 'paddocks.yaml' })
    sent.hear(broken('two'))
    await sent.deliver()
    expect(web.calls).toHaveLength(3)
  })
})

describe('a good night', () => {
  test('with unusual counts is reported, by a rule that names the numbers', async () => {
    for (let night = 0; night < 6; night += 1) reportOf({ rejected: night % 3 })
    const sent = await notifier(webhook())
    sent.hear(ended(reportOf({ rejected: 2 })))
    sent.hear(ended(reportOf({ read: 80, rejected: 30 }, { exit: 3 })))
    await sent.deliver()
    expect(web.calls).toHaveLength(1)
    expect(web.calls[0]!.body).toContain('80 rows were read; in the last 7 good runs it was 200.')
    expect(web.calls[0]!.body).toContain('30 rows were rejected or refused; in the last 7 good runs it was 0 to 2.')
  })

  test('with a warning that no good night before it had is reported once: values in doubt, a refused deletion, a total read as a record', async () => {
    const found = (code: Code, ...messages: readonly string[]): Report['problems'][number] => ({
      code,
      severity: 'warning',
      meaning: '',
      count: messages.length,
      first: messages.map((message, index) => ({
        code,
        severity: 'warning',
        at: { source: 'a.csv', row: code === 'refused' ? index - 1 : index + 2 },
        message,
      })),
    })
    const [old, grown, tracks] = ['The area was 2.', 'The area was 5.', 'Two boundaries overlap.']
    reportOf({}, { problems: [found('area-differs', old)] })
    const sent = await notifier(webhook())
    const problems = [
      found('refused', 'The service refused to delete this record: no', 'The service refused this record: no'),
      found('area-differs', old, grown),
      found('boundaries-overlap', tracks),
    ]
    for (let night = 0; night < 2; night += 1) sent.hear(ended(reportOf({}, { exit: 3, problems })))
    await sent.deliver()
    expect(web.calls).toHaveLength(1)
    expect((JSON.parse(web.calls[0]!.body) as { text: string }).text.split('\n').slice(2, -1)).toEqual([
      'The service refused to delete this record: no.',
      'Row 3: The area was 5.',
    ])
  })

  test('with records that the service accepted and does not show is reported', async () => {
    const sent = await notifier(webhook())
    sent.hear(ended(reportOf({}, { exit: 3, unseen: 2 })))
    sent.hear(ended(reportOf({}, { exit: 3, unseen: 2 })))
    await sent.deliver()
    expect(web.calls.map(({ body }) => /\d+ records were accepted [^.]+\./.exec(body)?.[0])).toEqual([
      '2 records were accepted but not shown yet by the service.',
    ])
  })

  test.each([
    ['too few runs to compare with', { read: 9000 }, [1, 2, 3, 4], []],
    ['twice as many', { read: 400 }, [200, 200, 200, 200, 200], []],
    ['more than twice as many', { read: 401 }, [200, 200, 200, 190, 200], ['401']],
    ['a small farm', { read: 12 }, [5, 5, 5, 5, 5], []],
    ['fewer than half', { read: 99 }, [200, 200, 200, 250, 200], ['99']],
    ['half of a small farm', { read: 6 }, [12, 12, 12, 13, 12], ['6']],
    ['a few less', { read: 161 }, [200, 200, 200, 250, 200], []],
    ['nothing updated', { updated: 0 }, [200, 200, 200, 250, 200], []],
    ['an old large night', { read: 500 }, [900, ...Array<number>(10).fill(200)], ['500']],
    ['the first rejected row', { rejected: 1 }, [0], ['1']],
    ['a rejected row in the first run', { rejected: 1 }, [], ['1']],
    ['one rejected row more', { rejected: 3 }, [0, 2, 2, 2, 2], ['3']],
    ['rows that were rejected before', { rejected: 2 }, [0, 2, 0, 1, 0], []],
  ])('is compared with its own past: %s', (_, now, before, starts) => {
    const [name] = Object.keys(now)
    const found = unusualCounts(
      now,
      before.map((count) => ({ [name!]: count })),
    )
    expect(found.map((sentence) => sentence.split(' ')[0])).toEqual(starts)
  })

  test.each([
    [0, '1 row was rejected or refused.'],
    [1, '1 row was rejected or refused; in the last good run it was 0.'],
    [3, '1 row was rejected or refused; in the last 3 good runs it was 0.'],
  ])('after %i good runs reports the first rejected row', (nights, sentence) => {
    expect(unusualCounts({ rejected: 1 }, Array<{ rejected: number }>(nights).fill({ rejected: 0 }))).toEqual([
      sentence,
    ])
  })

  test('calls the address of its dead man’s switch; a failed one does not', async () => {
    const sent = await notifier(`ping: { paddocks: "${web.url}/ping/paddocks", others: "${web.url}/ping/others" }\n`)
    sent.hear(ended(reportOf({}, { exit: 4, outcome: 'stopped', error: unreachable })))
    await sent.deliver()
    expect(web.calls).toEqual([])
    sent.hear(ended(reportOf({})))
    await sent.deliver()
    expect(web.calls.map(({ method, path }) => `${method} ${path}`)).toEqual(['GET /ping/paddocks'])
  })

  test('calls one address for all pipelines only while none of them fails', async () => {
    const sent = await notifier(`ping: "${web.url}/ping"\n`)
    sent.hear({ ...failed, name: 'holdings' } as ScheduleEvent)
    sent.hear(ended(reportOf({})))
    await sent.deliver()
    expect(web.calls).toEqual([])
    sent.hear({ ...ended(reportOf({})), name: 'holdings' } as ScheduleEvent)
    await sent.deliver()
    expect(web.calls).toHaveLength(1)
  })

  test('does not call late that all is well', async () => {
    const sent = await notifier(`ping: "${web.url}/ping"\n`)
    web.state.status = 500
    sent.hear(ended(reportOf({})))
    await sent.deliver()
    now = new Date(now.getTime() + 2 * 3_600_000)
    await sent.deliver()
    expect(web.calls).toHaveLength(1)
  })
})

test('a summary comes once a week, with each pipeline', async () => {
  const sent = await notifier(`${webhook()}summary: { every: Monday, at: "07:00", zone: ${zone} }\n`)
  await sent.deliver()
  nights = 60
  for (let night = 0; night < 3; night += 1) reportOf({})
  now = at('2026-11-30T07:00')
  await sent.deliver()
  await sent.deliver()
  expect(web.calls).toHaveLength(1)
  const { data } = JSON.parse(web.calls[0]!.body) as { data: { title: string; text: string } }
  expect(data.title).toBe('the pipeline is well')
  expect(data.text).toContain('paddocks: 3 good runs, 0 failed')
  expect(data.text).toContain('Together: 600 read, 0 created')
  expect(data.text).toContain('Next run: 1 Dec 2026, 02:15 (Pacific/Auckland)')
})

test('only the occasions under "on" are reported', async () => {
  const sent = await notifier(`${webhook()}on: [recovery]\n`)
  sent.hear(failed)
  await sent.deliver()
  expect(web.calls).toEqual([])
})

test('a test message goes each way, and each result is reported', async () => {
  const settings = await readNotifySettings(
    write(`windrow: 1\nnotify: Rimu office\n${email()}${webhook()}command: [no-such-program]\n`),
    around,
  )
  const tried = await tryChannels(settings, { env, fetch, clock: () => now })
  expect(tried.map(({ channel, reason }) => [channel, reason])).toEqual([
    ['e-mail to office@rimu.example', undefined],
    [`webhook at ${new URL(web.url).host}`, undefined],
    ['command no-such-program', expect.stringContaining('ENOENT')],
  ])
  expect(mail.mails[0]!.text).toContain('Subject: Rimu office: this is a test')
})

describe('notify.yaml', () => {
  const head = 'windrow: 1\nnotify: Rimu office\n'
  test.each([
    ['a wrong name', `${head}emial: { to: [a@b.example] }\n`, /emial/],
    ['no https', `${head}webhook: { address: "http://hooks.example/x" }\n`, /not an https address/],
    [
      'mail that others can read',
      `${head}email: { to: [a@b.example], from: a@b.example, server: mail.example, encryption: none }\n`,
      /without encryption/,
    ],
    ['an unknown zone', `${head}summary: { every: day, at: "07:00", zone: Pacific/Rimu }\n`, /not a time zone/],
    ['a wrong time', `${head}summary: { every: day, at: "7", zone: Pacific/Auckland }\n`, /at/],
    ['a list that is no list', `${head}on: failure\n`, /on/],
    ['no YAML', `${head}on: [`, /mistake/],
  ])('with %s is refused with the line', async (_, text, sentence) => {
    const refusal = readNotifySettings(write(text), around)
    await expect(refusal).rejects.toMatchObject({ code: 'notify-invalid', exit: 2 })
    await expect(refusal).rejects.toThrow(sentence)
    await expect(refusal).rejects.toThrow(/notify\.yaml:\d+:\d+/)
  })

  test('without the secrets it needs is refused', async () => {
    const text = `${head}webhook: { address: "https://hooks.example/x" }\nemail: { to: [a@b.example], from: a@b.example, server: mail.example, username: a }\n`
    const refusal = readNotifySettings(write(text), { ...around, env: {} })
    await expect(refusal).rejects.toThrow(/secret that signs/)
    await expect(refusal).rejects.toThrow(/password of this user/)
  })

  test.skipIf(process.platform === 'win32')('with a secret in a file that others can read is refused', async () => {
    const text = `${head}webhook: { address: "https://hooks.example/x", secret file: secret.txt }\n`
    writeFileSync(join(folder, 'secret.txt'), 'whsec_cmltdQ==\n', { mode: 0o644 })
    await expect(readNotifySettings(write(text), { ...around, env: {} })).rejects.toThrow(/others .* can read it/)
    chmodSync(join(folder, 'secret.txt'), 0o600)
    const { webhook: read } = await readNotifySettings(write(text), { ...around, env: {} })
    expect(read).toEqual({ address: 'https://hooks.example/x', secret: 'whsec_cmltdQ==' })
  })

  test('with a secret in a file with a byte order mark is read, and one in UTF-16 is refused', async () => {
    const text = `${head}webhook: { address: "https://hooks.example/x", secret file: secret.txt }\n`
    writeFileSync(join(folder, 'secret.txt'), '\ufeffwhsec_cmltdQ==\r\n', { mode: 0o600 })
    const { webhook: read } = await readNotifySettings(write(text), { ...around, env: {} })
    expect(read).toMatchObject({ secret: 'whsec_cmltdQ==' })
    writeFileSync(join(folder, 'secret.txt'), Buffer.from('\ufeffwhsec_cmltdQ==', 'utf16le'))
    await expect(readNotifySettings(write(text), { ...around, env: {} })).rejects.toThrow(/is not UTF-8 text/)
  })

  test('with a command that Windows cannot start by itself is refused there', async () => {
    const path = write(`${head}command: [ring-the-bell.CMD, --loud]\n`)
    const refusal = readNotifySettings(path, { ...around, platform: 'win32' })
    await expect(refusal).rejects.toThrow(/cmd only|only with cmd\.exe/)
    await expect(refusal).rejects.toThrow('command: [cmd.exe, /d, /c, ring-the-bell.CMD]')
    await readNotifySettings(path, { ...around, platform: 'linux' })
  })

  test.skipIf(process.platform === 'win32')('that other users may change is refused', async () => {
    const path = write(`${head}command: [true]\n`)
    chmodSync(path, 0o664)
    await expect(readNotifySettings(path, around)).rejects.toThrow(/can be changed by other users/)
    chmodSync(path, 0o644)
    chmodSync(folder, 0o777)
    await expect(readNotifySettings(path, around)).rejects.toThrow(/folder .* can be changed/)
    chmodSync(folder, 0o700)
  })
})
