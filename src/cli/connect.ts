/** Hides `windrow connect`: asks for an account, tries it, shows what it may write, keeps it for this user alone. */

import { createInterface } from 'node:readline/promises'
import { Writable } from 'node:stream'
import type { ControlItem } from '../client/streaming.ts'
import { optionalMembers, saveProfile, type Profile } from '../client/profile.ts'
import { WindrowError } from '../core/error.ts'
import { flag, jsonOption, text, word, type CommandSpec, type Input, type Surroundings } from './command.ts'
import { connectionOf, userState } from './reach.ts'
import { plain, say } from './terminal.ts'

export const connect: CommandSpec = {
  words: [{ name: 'url', description: 'the address of the service' }],
  options: [
    { flags: '--as <NAME>', description: 'what to call the connection' },
    { flags: '--token-url <URL>', description: 'where the service gives out tokens' },
    { flags: '--client-id <ID>', description: 'the client id the service gave you' },
    { flags: '--username <NAME>', description: 'the user to sign in as' },
    { flags: '--scope <WORDS>', description: 'the scope to ask for, if the service wants one' },
    { flags: '--region <CODE>', description: 'the country whose records are wanted, such as NZ' },
    { flags: '--requesting-client-id <ID>', description: 'the id to send as X-Requesting-ClientID with every call' },
    { flags: '--downgrade-authentication <TEXT>', description: 'what to send as X-Downgrade-Authentication' },
    {
      flags: '--secret-stdin',
      description: 'read the password, and on a second line the client secret, from standard input',
    },
    jsonOption,
  ],
  examples: ['windrow connect https://farms.example --as farms'],
  run: runConnect,
}

async function runConnect(input: Input, surroundings: Surroundings): Promise<number> {
  const profile = await askProfile(input, surroundings)
  const { client } = connectionOf(profile, surroundings)
  await client.signIn(surroundings.signal)
  const control = await client.control(surroundings.signal)
  const path = await saveProfile(profile, { stateFolder: userState(surroundings), platform: surroundings.platform })
  if (flag(input, 'json')) {
    say(
      surroundings.terminal,
      JSON.stringify({ connection: profile.name, service: profile.service, path, holdings: control }),
    )
    return 0
  }
  say(
    surroundings.terminal,
    `Signed in. Kept as "${profile.name}" in ${path}, readable by you alone.`,
    ...holdingLines(control),
  )
  return 0
}

function holdingLines(control: readonly ControlItem[]): readonly string[] {
  if (control.length === 0)
    return [
      'The account is connected to no holding yet. It may still publish a first one: windrow import holdings.csv --to holdings',
    ]
  return [
    `It may publish for ${control.length} ${control.length === 1 ? 'holding' : 'holdings'}:`,
    ...control.map(({ identifiers, resourceTypes }) => {
      const [first] = identifiers
      const types = resourceTypes.map(({ id }) => id.replace(/^.*\//, '')).join(', ')
      return plain(`  ${first === undefined ? '(without identifier)' : `${first.scheme}:${first.id}`}   ${types}`)
    }),
  ]
}

async function askProfile(input: Input, surroundings: Surroundings): Promise<Profile> {
  const service = word(input, 'url')
  const ask = asker(input, surroundings)
  try {
    const name = await ask.open('as', 'What to call the connection', new URL(checkedUrl(service)).hostname)
    const tokenUrl = await ask.open('token-url', 'Address that gives out tokens')
    const clientId = await ask.open('client-id', 'Client id')
    const username = await ask.open('username', 'User name')
    const password = await ask.hidden('Password')
    const clientSecret = await ask.hidden('Client secret (empty if none)')
    const optional = optionalMembers((member) =>
      member === 'clientSecret' ? clientSecret || undefined : text(input, optionFor[member]),
    )
    return { name, service, tokenUrl, clientId, username, password, ...optional }
  } finally {
    ask.close()
  }
}

const optionFor = {
  scope: 'scope',
  region: 'region',
  requestingClientId: 'requesting-client-id',
  downgradeAuthentication: 'downgrade-authentication',
} as const

function checkedUrl(url: string): string {
  if (URL.canParse(url)) return url
  throw new WindrowError('option-invalid', `"${url}" is not an address.`, { hint: 'It begins with https://' })
}

type Asker = {
  /** The option's text, else what the person answers. */
  open(option: string, question: string, usual?: string): Promise<string>
  hidden(question: string): Promise<string>
  close(): void
}

function asker(input: Input, { stdin, terminal }: Surroundings): Asker {
  const isPerson = stdin.isTTY === true && !flag(input, 'secret-stdin')
  let isMuted = false
  const echo = new Writable({
    write(chunk: Buffer, _encoding, done) {
      if (!isMuted) terminal.err.write(chunk.toString())
      done()
    },
  })
  const lines = createInterface({ input: stdin, output: echo, terminal: isPerson })
  const waiting = lines[Symbol.asyncIterator]()
  const next = async (question: string): Promise<string> => {
    if (isPerson) terminal.err.write(`${question}: `)
    const line = await waiting.next()
    return line.done === true ? '' : line.value
  }
  return {
    async open(option, question, usual) {
      const told = text(input, option)
      if (told !== undefined) return told
      if (!isPerson)
        throw new WindrowError('option-invalid', `--${option} is missing, and nobody is there to be asked.`, {
          hint: 'See windrow connect --help.',
        })
      const answer = (await next(usual === undefined ? question : `${question} [${usual}]`)).trim()
      return answer === '' ? (usual ?? '') : answer
    },
    async hidden(question) {
      const answer = next(question)
      isMuted = true
      const secret = await answer
      isMuted = false
      if (isPerson) terminal.err.write('\n')
      return secret
    },
    close: () => lines.close(),
  }
}
