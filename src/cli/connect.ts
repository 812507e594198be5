/** Runs `windrow connect`: asks for an account, tries it, shows what it may write, and saves it for this user only. */

import { serviceAddress, tokenAddress } from '../client/address.ts'
import type { ControlItem } from '../client/streaming.ts'
import { optionalMembers, profilePath, saveProfile, type Profile } from '../client/profile.ts'
import { identifierText } from '../resources/resource-type.ts'
import { flag, jsonOption, text, word, type Call, type CommandSpec, type Surroundings } from './options/command.ts'
import { asker, type Check } from './options/asker.ts'
import { connectionOf, userState } from './options/reach.ts'
import { counted, plain, say } from './screen/terminal.ts'

export const connect: CommandSpec = {
  words: { url: 'the address of the service' },
  options: {
    '--as <NAME>': 'the name to save the connection under',
    '--token-url <URL>': 'the address for signing in (tokens)',
    '--client-id <ID>': 'the client id that the service gave you',
    '--username <NAME>': 'the user name to sign in with',
    '--scope <WORDS>': 'the scope to ask for, if the service needs one',
    '--region <CODE>': 'the country of the records, such as NZ',
    '--requesting-client-id <ID>': 'the id to send as X-Requesting-ClientID with each request',
    '--downgrade-authentication <TEXT>': 'the text to send as X-Downgrade-Authentication',
    '--secret-stdin': 'read the password from standard input, and the client secret from its second line',
    ...jsonOption,
  },
  examples: ['windrow connect https://farms.example --as farms'],
  run: runConnect,
}

async function runConnect(call: Call): Promise<void> {
  const place = { stateFolder: userState(call), platform: call.platform }
  const profile = await askProfile(call, (name) => profilePath(name, place))
  const { client } = connectionOf(profile, call)
  await client.signIn(call.signal)
  const control = await client.control(call.signal)
  const path = await saveProfile(profile, place)
  if (flag(call, 'json'))
    return say(
      call.terminal,
      JSON.stringify({ connection: profile.name, service: profile.service, path, holdings: control }),
    )
  say(
    call.terminal,
    `Signed in. Saved as connection "${profile.name}" in ${path}, which only you can read.`,
    ...holdingLines(control),
  )
}

function holdingLines(control: readonly ControlItem[]): readonly string[] {
  if (control.length === 0)
    return ['The account is not connected to a farm yet. Publish one first: windrow import holdings.csv --to holdings']
  return [
    `It may publish for ${counted(control.length, 'farm')}:`,
    ...control.map(({ identifiers, resourceTypes }) => {
      const [first] = identifiers
      const types = resourceTypes.map(({ id }) => id.replace(/^.*\//, '')).join(', ')
      return plain(`  ${first === undefined ? '(no identifier)' : identifierText(first)}   ${types}`)
    }),
  ]
}

const patienceMs = 5000

/**
 * The usual address for signing in to a service: the realm that its refusal names, below its own address. Undefined if it names
 * none or does not answer soon.
 */
async function signInNear(service: string, { fetch, signal }: Surroundings): Promise<string | undefined> {
  const base = serviceAddress(service)
  const patience = AbortSignal.any([signal, AbortSignal.timeout(patienceMs)])
  try {
    const { headers } = await fetch(`${base.href.replace(/\/$/, '')}/data/streaming/control`, {
      signal: patience,
      redirect: 'error',
    })
    const realm = /^bearer .*?realm="([\w.-]+)"/i.exec(headers.get('www-authenticate') ?? '')?.[1]
    return realm === undefined ? undefined : new URL(`/auth/realms/${realm}`, base).href
  } catch {
    // The address is only a help; a service that does not answer is reported when signing in.
    signal.throwIfAborted()
    return undefined
  }
}

async function askProfile(call: Call, checkName: Check): Promise<Profile> {
  const service = word(call, 'url')
  const { hostname } = serviceAddress(service)
  using ask = asker(call)
  const name = await ask.open('as', `Name for the connection [${hostname}]`, {
    usual: hostname,
    check: checkName,
  })
  const usual = text(call, 'token-url') === undefined ? await signInNear(service, call) : undefined
  const tokenUrl = await ask.open('token-url', `Address for signing in${usual === undefined ? '' : ` [${usual}]`}`, {
    usual,
    example: usual ?? new URL('/auth/realms/farms', service).href,
    check: tokenAddress,
  })
  const clientId = await ask.open('client-id', 'Client id', { example: 'farm-office' })
  const username = await ask.open('username', 'User name', { example: 'kim@farm.example' })
  const password = await ask.hidden('Password', { mayBeEmpty: false })
  const clientSecret = await ask.hidden('Client secret (empty if none)', { mayBeEmpty: true })
  const optional = optionalMembers((member) =>
    member === 'clientSecret' ? clientSecret || undefined : text(call, optionFor[member]),
  )
  return { name, service, tokenUrl, clientId, username, password, ...optional }
}

const optionFor = {
  scope: 'scope',
  region: 'region',
  requestingClientId: 'requesting-client-id',
  downgradeAuthentication: 'downgrade-authentication',
} as const
