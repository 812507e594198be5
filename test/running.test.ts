import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { everyCommand } from '../src/cli/options/command.ts'
import { loadCommands } from '../src/cli/commands.ts'
import { readNotifySettings } from '../src/notify/settings.ts'
import { readYaml } from '../src/pipeline/definition/yaml-source.ts'
import { nextTime } from '../src/schedule/due.ts'
import { root } from './imports.ts'

const page = readFileSync(join(root, 'docs/running.md'), 'utf8')
const files = new Map(
  [...page.matchAll(/<!-- file: (\S+) -->\n```\w+\n([^]*?)```/g)].map(([, name = '', text = '']) => [name, text]),
)

let folder: string
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), 'windrow-running-'))))
afterEach(() => rmSync(folder, { recursive: true, force: true }))

function can(program: string, ...words: readonly string[]): boolean {
  return spawnSync(program, words, { stdio: 'ignore' }).status === 0
}
const hasSystemd = can('systemd-analyze', '--version')
// Debian's crontab checks with -n, that of cronie with -T; its help says which. Any other word could replace the crontab of the user.
const crontabHelp = spawnSync('crontab', ['-?'], { encoding: 'utf8' }).stderr ?? ''
const crontabCheck = [/-n\s+\(dry run/, /-T .*test a crontab/].findIndex((words) => words.test(crontabHelp))
const hasBuilder = can('docker', 'image', 'inspect', 'node:24-slim')
const hasPowerShell = can('pwsh', '-v')

describe('the recipes of docs/running.md', () => {
  test('are there', () => {
    expect([...files.keys()]).toEqual([
      'windrow.service',
      'windrow-once.service',
      'windrow-once.timer',
      'crontab',
      'task.ps1',
      'Dockerfile',
      'notify.yaml',
      'alerts.yaml',
    ])
  })

  test('call only commands and options that exist', async () => {
    const commands = everyCommand(await loadCommands())
    const lines = [
      ...page.matchAll(/(?<=^|[ `'/])windrow ((?:check|run|schedule|status|runs|connect)\b[^`'\n]*)/gm),
      ...page.matchAll(/(?<='|\["?)(schedule [^'\n]*--[^'\n]*)/gm),
    ].map(([, words = '']) => words)
    expect(lines.length).toBeGreaterThan(15)
    for (const line of lines) {
      const { command } = commands.find(({ words }) => line.split(/[\s]/)[0] === words)!
      const known = Object.keys(command.options).map((flags) => /--[\w-]+/.exec(flags)![0])
      for (const option of line.match(/--[\w-]+/g) ?? []) expect(known, line).toContain(option)
    }
  })

  test.skipIf(!hasSystemd)('for systemd pass systemd-analyze verify (skipped where it is not installed)', () => {
    const units = [...files].filter(([name]) => /\.(service|timer)$/.test(name))
    for (const [name, text] of units)
      writeFileSync(
        join(folder, name),
        // The program and the user are not on every machine that runs this test.
        text.replace('/usr/local/bin/windrow', process.execPath).replace('User=windrow', 'User=root'),
      )
    const paths = units.map(([name]) => join(folder, name))
    const { status, stderr } = spawnSync('systemd-analyze', ['verify', '--man=no', ...paths], { encoding: 'utf8' })
    const about = stderr.split('\n').filter((line) => line.includes('windrow'))
    expect({ status, about }).toEqual({ status: 0, about: [] })
    expect(can('systemd-analyze', 'calendar', /OnCalendar=(.*)/.exec(files.get('windrow-once.timer')!)![1]!)).toBe(true)
  })

  test('for cron has five fields that come every ten minutes', () => {
    const [line = ''] = files.get('crontab')!.match(/^\*.*$/m) ?? []
    const cron = line.split(' ').slice(0, 5).join(' ')
    const next = nextTime({ cron, zone: 'UTC' }, new Date('2026-11-22T02:11:00Z'))
    expect(next?.toISOString()).toBe('2026-11-22T02:20:00.000Z')
  })

  test.skipIf(crontabCheck < 0)('for cron passes the check of crontab (skipped where there is none)', () => {
    writeFileSync(join(folder, 'crontab'), files.get('crontab')!)
    expect(can('crontab', ['-n', '-T'][crontabCheck]!, join(folder, 'crontab'))).toBe(true)
  })

  test.skipIf(!hasPowerShell)(
    'for the Task Scheduler is PowerShell without mistakes (skipped where there is none)',
    () => {
      const path = join(folder, 'task.ps1')
      writeFileSync(path, files.get('task.ps1')!)
      const parse = `$mistakes = $null; [void][System.Management.Automation.Language.Parser]::ParseFile('${path}', [ref]$null, [ref]$mistakes); exit $mistakes.Count`
      expect(can('pwsh', '-NoProfile', '-Command', parse)).toBe(true)
    },
  )

  test.skipIf(!hasBuilder)(
    'for Docker builds (skipped without a builder that has node:24-slim)',
    () => {
      writeFileSync(
        join(folder, 'Dockerfile'),
        // The package is not packed here.
        files.get('Dockerfile')!.replace(/^COPY .*\nRUN .*$/m, 'RUN node --version'),
      )
      expect(can('docker', 'build', folder)).toBe(true)
    },
    300_000,
  )

  test('has a notify.yaml that windrow accepts', async () => {
    const path = join(folder, 'notify.yaml')
    writeFileSync(path, files.get('notify.yaml')!, { mode: 0o644 })
    const env = { WINDROW_SMTP_PASSWORD: 'a', WINDROW_WEBHOOK_SECRET: 'b' }
    const settings = await readNotifySettings(path, { env, platform: process.platform })
    expect(settings).toMatchObject({ place: 'Rimu office', email: { encryption: 'starttls' }, on: { size: 4 } })
  })

  test('has alerts that are YAML and name metrics that exist', () => {
    const { value, faults } = readYaml(files.get('alerts.yaml')!)
    expect(faults).toEqual([])
    const source = readFileSync(join(root, 'src/cli/schedule/schedule-watch.ts'), 'utf8')
    for (const [name] of JSON.stringify(value).matchAll(/windrow_\w+/g))
      expect(source).toContain(`'${name.replace('windrow_pipeline_', '')}'`)
  })
})
