/** Reads the accounts of the configuration and checks their secrets, which are hashed with scrypt. */

import { createHash, randomBytes, scrypt, scryptSync, timingSafeEqual } from 'node:crypto'
import { strictObject, type TypeOf } from '../../core/object-schema.ts'
import { WindrowError } from '../../core/error.ts'
import { firstError } from '../../resources/validation.ts'
import type { Random, Store } from './store.ts'

/**
 * One client program that signs in for one user. `holdings` are connected to it as soon as they exist and reserved until then;
 * `connector` is the client's name at the control endpoint, by default its client id.
 */
export type AccountConfig = TypeOf<typeof accountSchema>

export type AccountsConfig = TypeOf<typeof accountsSchema>

/** An account as the store knows it. `credential` changes when one of its secrets does, which ends its tokens. */
export type Account = { readonly number: number; readonly config: AccountConfig; readonly credential: string }

/** The credentials of the demonstration account. They are public, so they work on loopback only. */
export const demoCredentials = {
  clientId: 'windrow-demo',
  clientSecret: 'demo-secret',
  username: 'demo@rimu.example',
  password: 'kererū in the rimu',
} as const

const identifier = strictObject(['scheme', 'id'], {
  scheme: { type: 'string', minLength: 1 },
  id: { type: 'string', minLength: 1 },
})

const accountSchema = strictObject(['clientId', 'clientSecretHash', 'username', 'passwordHash'], {
  clientId: { type: 'string', minLength: 1 },
  clientSecretHash: { type: 'string' },
  username: { type: 'string', minLength: 1 },
  passwordHash: { type: 'string' },
  holdings: { type: 'array', items: identifier },
  connector: identifier,
})

const accountsSchema = strictObject(['accounts'], { accounts: { type: 'array', items: accountSchema } })

/** Checks the accounts of a configuration. Throws a WindrowError that names the place and never shows a secret. */
export function readAccounts(content: unknown): AccountsConfig {
  const finding = firstError(accountsSchema, content)
  if (finding !== undefined) throw accountsError(finding.path, finding.message)
  const config = content as AccountsConfig
  const signIns = config.accounts.map(({ clientId, username }) => JSON.stringify([clientId, username]))
  const repeated = signIns.findIndex((signIn, index) => signIns.indexOf(signIn) < index)
  if (repeated >= 0)
    throw accountsError(`/accounts/${repeated}`, 'An earlier account has the same clientId and username.')
  for (const [index, account] of config.accounts.entries())
    for (const name of ['clientSecretHash', 'passwordHash'] as const)
      if (parseHash(account[name]) === undefined)
        throw accountsError(`/accounts/${index}/${name}`, 'This is not a hash from windrow.')
  return config
}

function accountsError(path: string, message: string): WindrowError {
  return new WindrowError('option-invalid', `The accounts have a mistake at ${path || 'the top'}: ${message}`, {
    hint: 'Write secrets as hashes, "scrypt$...". windrow serve --hash-secret makes one.',
    data: { path },
  })
}

// 32 MiB for each guess.
const cost = { N: 32_768, r: 8, p: 1 }
const mostMemory = 128 * 1024 * 1024

/** Makes the hash of a secret for the configuration. */
export function hashSecret(secret: string, random: Random = randomBytes, work = cost.N): string {
  const salt = Buffer.from(random(16))
  const derived = scryptSync(secret.normalize(), salt, 32, { ...cost, N: work, maxmem: mostMemory })
  return ['scrypt', work, cost.r, cost.p, salt.toString('base64url'), derived.toString('base64url')].join('$')
}

function parseHash(text: string) {
  const parts = /^scrypt\$(\d{1,7})\$(\d{1,2})\$(\d)\$([\w-]{16,})\$([\w-]{43})$/.exec(text)
  if (parts === null) return undefined
  const [N, r, p] = [Number(parts[1]), Number(parts[2]), Number(parts[3])]
  const isPower = N > 1 && Number.isInteger(Math.log2(N))
  if (!isPower || r < 1 || p < 1 || 128 * N * r >= mostMemory) return undefined
  const settings = { N, r, p, maxmem: mostMemory }
  return { settings, salt: Buffer.from(parts[4]!, 'base64url'), derived: Buffer.from(parts[5]!, 'base64url') }
}

/** True when the secret fits the hash; a wrong one takes as long. */
export async function secretMatches(secret: string, hashText: string): Promise<boolean> {
  const hash = parseHash(hashText)
  if (hash === undefined) return false
  const derived = await new Promise<Buffer>((resolve, reject) =>
    scrypt(secret.normalize(), hash.salt, 32, hash.settings, (error, key) => (error ? reject(error) : resolve(key))),
  )
  return timingSafeEqual(derived, hash.derived)
}

/** The demonstration account. Its hashes are cheap and unsalted, because its secrets are public anyway. */
export function demoAccount(): AccountConfig {
  const hash = (secret: string): string => hashSecret(secret, (bytes) => new Uint8Array(bytes), 2)
  return {
    clientId: demoCredentials.clientId,
    clientSecretHash: hash(demoCredentials.clientSecret),
    username: demoCredentials.username,
    passwordHash: hash(demoCredentials.password),
  }
}

/** Gives every configured account its number in the store. Accounts that left the configuration keep their number, unused. */
export function enrolAccounts(store: Store, configs: readonly AccountConfig[]): readonly Account[] {
  const insert = store.prepare('INSERT INTO accounts (client_id, username) VALUES (?, ?) ON CONFLICT DO NOTHING')
  const select = store.prepare('SELECT number FROM accounts WHERE client_id = ? AND username = ?')
  return store.transaction(() =>
    configs.map((config) => {
      insert.run(config.clientId, config.username)
      const { number } = select.get(config.clientId, config.username) as { readonly number: number }
      const secrets = `${config.clientSecretHash}\n${config.passwordHash}`
      return { number, config, credential: createHash('sha256').update(secrets).digest('base64url') }
    }),
  )
}
