/** Reads notify.yaml. Only the person who runs windrow may be able to change it, because it can start a program. */

import { stat } from 'node:fs/promises'
import { basename, dirname, resolve } from 'node:path'
import { strictObject, type TypeOf } from '../core/object-schema.ts'
import type { Environment, notifyVariables } from '../core/environment.ts'
import { WindrowError } from '../core/error.ts'
import { readPrivateText, readVariable } from '../core/sources/secret-text.ts'
import { fileSource, readAll } from '../core/sources/source.ts'
import { isOwnMachine } from '../core/sources/web-address.ts'
import { checkZone } from '../pipeline/definition/definition-check.ts'
import { checkForm } from '../pipeline/definition/definition.ts'
import { fileInvalid, findingsFor, type Findings } from '../pipeline/definition/pipeline-mistakes.ts'
import { readYaml } from '../pipeline/definition/yaml-source.ts'
import { cronOf, rhythms, timeOfDay } from '../pipeline/definition/amounts.ts'

const text = { type: 'string', minLength: 1 } as const
const texts = { type: 'array', items: text, minItems: 1 } as const

/** The occasions for a message, as written under `on`. */
export const occasions = ['failure', 'recovery', 'unusual counts', 'summary'] as const
export type Occasion = (typeof occasions)[number]

const settingsSchema = strictObject(['windrow', 'notify'], {
  windrow: { const: 1, description: 'The version of the format.' },
  notify: { ...text, description: 'What the messages call this place, such as Rimu office.' },
  on: { type: 'array', items: { enum: occasions }, minItems: 1, description: 'The occasions; without it, all.' },
  email: strictObject(['to', 'from', 'server'], {
    to: texts,
    from: text,
    server: text,
    port: { type: 'integer', minimum: 1, maximum: 65_535 },
    encryption: {
      enum: ['starttls', 'tls', 'none'],
      description: 'starttls by default, tls for port 465; none only on this machine.',
    },
    username: text,
    'password file': text,
  }),
  webhook: strictObject(['address'], { address: text, 'secret file': text }),
  command: { ...texts, description: 'A program and its words. It gets the message as JSON on standard input.' },
  ping: {
    description: 'An address to call after each good run, or one for each pipeline.',
    anyOf: [text, { type: 'object', additionalProperties: text, minProperties: 1 }],
  },
  summary: strictObject(['every', 'at', 'zone'], {
    every: { enum: rhythms, description: 'day, month, or a day of the week.' },
    at: { type: 'string', pattern: timeOfDay.source, description: 'A time such as "07:00".' },
    zone: text,
  }),
})

export type SettingsFile = TypeOf<typeof settingsSchema>

export type MailSettings = NonNullable<NotifySettings['email']>
export type WebhookSettings = { readonly address: string; readonly secret: string }

/** Who gets messages, and when. `ping` is one address for all pipelines, or one for each. */
export type NotifySettings = Awaited<ReturnType<typeof readNotifySettings>>

/** The name of the file beside the pipelines; it is no pipeline. */
export const notifyFile = 'notify.yaml'

type Around = { readonly env: Environment; readonly platform: NodeJS.Platform }

const mostBytes = 1 << 18

/** Reads the file without its secrets. Throws `notify-invalid` where its form is wrong or others may change it. */
export async function readNotifyFile(path: string, platform: NodeJS.Platform) {
  await checkOwner(path, platform)
  const source = readYaml(new TextDecoder().decode(await readAll(await fileSource(path), mostBytes)))
  const findings = findingsFor(path, source)
  if (findings.all.length === 0) checkForm(settingsSchema, source.value, findings)
  if (findings.all.length > 0) throw fileInvalid('notify-invalid', path, findings.all)
  return { value: source.value, findings }
}

/** Windows has no such bits; the rights of the folder protect the file there. */
async function checkOwner(path: string, platform: NodeJS.Platform): Promise<void> {
  if (platform === 'win32') return
  for (const each of [path, dirname(path)]) {
    const facts = await stat(each).catch((cause: unknown) => {
      throw new WindrowError('file-missing', `"${each}" was not found.`, { cause })
    })
    const isOwn = [0, process.getuid?.()].includes(facts.uid)
    if (isOwn && (facts.mode & 0o022) === 0) continue
    const what = each === path ? `"${path}"` : `The folder of "${path}"`
    const message = isOwn
      ? `${what} can be changed by other users of this machine.`
      : `${what} belongs to another user.`
    const hint = isOwn
      ? `Run chmod go-w "${each}". Or keep the file in a folder of your own and name it with --notify FILE.`
      : `The user who runs windrow must own it. Or name a file of your own with --notify FILE.`
    throw new WindrowError('notify-invalid', message, { hint })
  }
}

/** Reads the file. Throws `notify-invalid` with all mistakes. */
export async function readNotifySettings(path: string, around: Around) {
  const { value, findings } = await readNotifyFile(path, around.platform)
  const raw = value as SettingsFile
  checkAddresses(raw, findings)
  // Node refuses them without a shell: https://nodejs.org/api/child_process.html#spawning-bat-and-cmd-files-on-windows
  if (around.platform === 'win32' && /\.(?:cmd|bat)$/i.test(raw.command?.[0] ?? ''))
    findings.add('/command/0', {
      message: 'Windows starts a .cmd or .bat file only with cmd.exe.',
      hint: `Write it as  command: [cmd.exe, /d, /c, ${raw.command![0]}].`,
    })
  const summary = raw.summary && {
    cron: cronOf(raw.summary.every, raw.summary.at),
    zone: raw.summary.zone,
    missed: 'once' as const,
  }
  checkZone('/summary/zone', summary?.zone, findings)
  const [email, webhook] = [await mailOf(raw, path, findings, around), await webhookOf(raw, path, findings, around)]
  if (findings.all.length > 0) throw fileInvalid('notify-invalid', path, findings.all)
  const { notify: place, on = occasions, command, ping } = raw
  return { place, on: new Set(on), email, webhook, command, ping, summary }
}

function checkAddresses({ webhook, ping }: SettingsFile, findings: Findings): void {
  const addresses: readonly (readonly [pointer: string, address: string])[] = [
    ...(webhook === undefined ? [] : [['/webhook/address', webhook.address] as const]),
    ...(typeof ping === 'string' ? [['/ping', ping] as const] : []),
    ...(typeof ping === 'object' ? Object.entries(ping).map(([name, to]) => [`/ping/${name}`, to] as const) : []),
  ]
  for (const [pointer, address] of addresses) {
    const { protocol, hostname } = URL.canParse(address) ? new URL(address) : { protocol: '', hostname: '' }
    if (protocol === 'https:' || (protocol === 'http:' && isOwnMachine(hostname))) continue
    findings.add(pointer, {
      message: 'This is not an https address.',
      hint: 'It looks like https://hooks.example/windrow. Plain http is only for this machine, because others could read it.',
    })
  }
}

async function mailOf({ email }: SettingsFile, path: string, findings: Findings, around: Around) {
  if (email === undefined) return undefined
  const { to, from, server, port = 587, username, 'password file': file } = email
  const encryption = email.encryption ?? (port === 465 ? 'tls' : 'starttls')
  if (encryption === 'none' && !isOwnMachine(server))
    findings.add('/email/encryption', {
      message: 'Mail without encryption can be read by others on the way.',
      hint: 'Use starttls or tls; none is only for a mail server on this machine.',
    })
  const password = await secretOf(path, file, 'WINDROW_SMTP_PASSWORD', around)
  if (username !== undefined && password === undefined)
    findings.add('/email/username', {
      message: 'The password of this user is missing.',
      hint: 'Set WINDROW_SMTP_PASSWORD or WINDROW_SMTP_PASSWORD_FILE, or add password file: with a file that only you can read.',
    })
  const login = username === undefined || password === undefined ? undefined : { username, password }
  return { to, from, server, port, encryption, login }
}

async function webhookOf(
  { webhook }: SettingsFile,
  path: string,
  findings: Findings,
  around: Around,
): Promise<WebhookSettings | undefined> {
  if (webhook === undefined) return undefined
  const { address, 'secret file': file } = webhook
  const secret = await secretOf(path, file, 'WINDROW_WEBHOOK_SECRET', around)
  if (secret === undefined)
    findings.add('/webhook', {
      message: 'The secret that signs the messages is missing.',
      hint: 'Set WINDROW_WEBHOOK_SECRET or WINDROW_WEBHOOK_SECRET_FILE, or add secret file: with a file that only you can read.',
    })
  return { address, secret: secret ?? '' }
}

/** The content of the named file, which only its owner may read, else the variable. */
async function secretOf(
  path: string,
  file: string | undefined,
  variable: keyof typeof notifyVariables,
  { env, platform }: Around,
): Promise<string | undefined> {
  if (file === undefined) return readVariable(env, variable)
  const place = resolve(dirname(path), file)
  try {
    return (await readPrivateText(place, platform)).replace(/\r?\n$/, '') || undefined
  } catch (cause) {
    if (cause instanceof WindrowError) throw cause
    throw new WindrowError('notify-invalid', `"${file}", named in ${basename(path)}, cannot be read.`, {
      hint: 'Name a file that the user who runs windrow can read.',
      cause,
    })
  }
}
