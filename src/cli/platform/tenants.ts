/** Reads tenants.yaml: which account each tenant of a platform uses, and how much it may run. */

import { execFile } from 'node:child_process'
import { existsSync, statSync } from 'node:fs'
import { dirname, isAbsolute, join, relative, resolve, sep } from 'node:path'
import { promisify } from 'node:util'
import { strictObject, type TypeOf } from '../../core/object-schema.ts'
import { serviceAddress, tokenAddress } from '../../client/address.ts'
import { loadProfile, type Profile, type ProfilePlace } from '../../client/profile.ts'
import { environmentForOthers, tenantVariable, type Environment } from '../../core/environment.ts'
import { WindrowError } from '../../core/error.ts'
import { readPrivateText } from '../../core/sources/secret-text.ts'
import { nearest } from '../../core/values/nearest.ts'
import type { Pipeline } from '../../pipeline/definition/definition.ts'
import { readOperatorFile } from '../../pipeline/definition/operator-file.ts'
import { fileInvalid, type Findings } from '../../pipeline/definition/pipeline-mistakes.ts'
import type { Quota } from '../../schedule/quotas.ts'
import { checkConfined, realPath, type Reached } from './confined.ts'

/** The name of the file in the folder of all farms; it is no pipeline. */
export const tenantsFile = 'tenants.yaml'

const text = { type: 'string', minLength: 1 } as const
const secret = {
  type: 'object',
  additionalProperties: false,
  minProperties: 1,
  maxProperties: 1,
  properties: {
    variable: { type: 'string', pattern: `^${tenantVariable}[A-Z0-9_]+$` },
    file: text,
    command: { type: 'array', items: text, minItems: 1 },
  },
} as const
const account = strictObject([], {
  service: text,
  'token address': text,
  'client id': text,
  'client secret': secret,
  username: text,
  password: secret,
  scope: text,
  region: text,
  'requesting client id': text,
  'downgrade authentication': text,
})

const tenantsSchema = strictObject(['windrow', 'tenants'], {
  windrow: { const: 1 },
  farms: text,
  account,
  tenants: {
    type: 'object',
    minProperties: 1,
    additionalProperties: strictObject([], {
      connection: text,
      account,
      'runs at once': { type: 'integer', minimum: 1, maximum: 1000 },
      'records a day': { type: 'integer', minimum: 1 },
      addresses: { type: 'array', items: text, minItems: 1 },
    }),
  },
})

type TenantsFile = TypeOf<typeof tenantsSchema>
type Account = TypeOf<typeof account>
type Secret = TypeOf<typeof secret>

export type Tenant = {
  readonly name: string
  readonly folder: string
  /** How the addresses of its files on the web and in stores begin. */
  readonly addresses: readonly string[]
  readonly quota: Quota
  readonly uses: { readonly connection: string } | { readonly account: Account }
}

/** The tenants of a platform. `of` finds that of a pipeline, by the folder in the folder of all farms in which it lies. */
export type Tenants = { of(pipeline: string): Tenant }

/** Throws 'tenants-invalid' with all mistakes. A file that did not change is read once. */
export async function readTenants(path: string, platform: NodeJS.Platform): Promise<Tenants> {
  // An editor may be about to write it: what was known does not count, and nothing runs without it.
  if (!existsSync(path))
    throw new WindrowError('tenants-invalid', `"${path}" was not found.`, {
      hint: `Put it there again, or, if WINDROW_TENANTS names it, correct that.`,
    })
  const { mtimeMs, size, ino } = statSync(path)
  const version = `${mtimeMs} ${size} ${ino}`
  const known = read.get(path)
  if (known?.version === version) return known.tenants
  const { value, findings } = await readOperatorFile(path, {
    schema: tenantsSchema,
    code: 'tenants-invalid',
    elsewhere: `, name it with WINDROW_TENANTS, and write farms: with the folder of all farms into it`,
    platform,
  })
  const tenants = tenantsIn(value as TenantsFile, path, findings)
  if (findings.all.length > 0) throw fileInvalid('tenants-invalid', path, findings.all)
  read.set(path, { version, tenants })
  return tenants
}

const read = new Map<string, { readonly version: string; readonly tenants: Tenants }>()

function tenantsIn({ farms = '.', account: shared, tenants }: TenantsFile, path: string, findings: Findings): Tenants {
  const root = realPath(resolve(dirname(path), farms))
  const found = new Map<string, Tenant>()
  for (const [name, tenant] of Object.entries(tenants)) {
    const { connection, account: own, addresses = [], 'runs at once': atOnce, 'records a day': aDay } = tenant
    const uses = connection === undefined ? { account: { ...shared, ...own } } : { connection }
    if (connection !== undefined && own !== undefined)
      findings.add(`/tenants/${name}/connection`, {
        message: 'A tenant has either a connection or an account, not both.',
      })
    if ('account' in uses) checkAccount(uses.account, `/tenants/${name}`, findings)
    for (const [index, address] of addresses.entries())
      if (!/^(?:https|s3):\/\/[^\s@?#]+\/$/.test(address))
        findings.add(`/tenants/${name}/addresses/${index}`, {
          message: 'This is not how addresses begin.',
          hint: 'It ends with a slash, such as https://files.example/rimu/ or s3://farms/rimu/.',
        })
    const quota = { runsAtOnce: atOnce, recordsADay: aDay }
    found.set(name, { name, folder: join(root, name), addresses, quota, uses })
  }
  return {
    of(pipeline) {
      const way = relative(root, realPath(pipeline)).split(sep)
      const [name = ''] = way
      const tenant = way.length > 1 ? found.get(name) : undefined
      if (tenant !== undefined) return tenant
      const isInside = way.length > 1 && name !== '..' && !isAbsolute(name)
      const meant = nearest(name, [...found.keys()])
      throw new WindrowError(
        'tenant-refused',
        isInside
          ? `"${name}" is no tenant in ${tenantsFile}, so its pipelines do not run.`
          : `"${pipeline}" lies in no folder of a tenant, so it does not run.`,
        {
          hint: isInside
            ? `Add it there with its account${meant === undefined ? '' : `, or correct the name: is "${meant}" meant?`}.`
            : `The folders of the tenants are in "${root}".`,
        },
      )
    },
  }
}

const needed = ['service', 'token address', 'client id', 'username', 'password'] as const

function checkAccount(given: Account, pointer: string, findings: Findings): void {
  const missing = needed.filter((name) => given[name] === undefined)
  if (missing.length > 0)
    findings.add(pointer, {
      message: `The account of this tenant lacks ${missing.join(', ')}.`,
      hint: 'Write them under account: of the tenant, or of all tenants at the top. Or name a saved connection: with windrow connect.',
      what: 'name',
    })
  const addresses = { service: serviceAddress, 'token address': tokenAddress } as const
  for (const [name, check] of Object.entries(addresses)) {
    const address = given[name as keyof typeof addresses]
    try {
      if (address !== undefined) check(address)
    } catch (cause) {
      if (!(cause instanceof WindrowError)) throw cause
      findings.add(`${pointer}/account/${name}`, { message: cause.message })
    }
  }
}

type Deps = ProfilePlace & { readonly env: Environment }

/** The account that a pipeline uses by the tenants.yaml at `path`. Throws 'tenant-refused' if it asks for what is not its tenant's. */
export async function tenantProfile(pipeline: Reached, path: string, deps: Deps): Promise<Profile> {
  const tenant = (await readTenants(path, deps.platform)).of(pipeline.path)
  checkConnection(pipeline, tenant)
  checkConfined(pipeline, tenant)
  return 'connection' in tenant.uses
    ? loadProfile(tenant.uses.connection, deps)
    : profileOf(tenant, tenant.uses.account, path, deps)
}

/** Throws 'tenant-refused' if a pipeline names another connection than that of its tenant. */
export function checkConnection({ connection }: Pick<Pipeline, 'connection'>, { name, uses }: Tenant): void {
  if (connection === undefined || ('connection' in uses && uses.connection === connection)) return
  throw new WindrowError(
    'tenant-refused',
    `This pipeline names the connection "${connection}", which is not that of the tenant "${name}".`,
    {
      hint: `Remove the line connection: from the pipeline; ${tenantsFile} gives each tenant its account.`,
    },
  )
}

async function profileOf(tenant: Tenant, given: Account, path: string, deps: Deps): Promise<Profile> {
  const secretOf = (name: 'password' | 'client secret') =>
    given[name] && readSecret(given[name], { what: `The ${name} of the tenant "${tenant.name}"`, path, ...deps })
  const [password, clientSecret] = await Promise.all([secretOf('password'), secretOf('client secret')])
  const more = {
    clientSecret,
    scope: given.scope,
    region: given.region,
    requestingClientId: given['requesting client id'],
    downgradeAuthentication: given['downgrade authentication'],
  }
  return {
    name: tenant.name,
    service: given.service!,
    tokenUrl: given['token address']!,
    clientId: given['client id']!,
    username: given.username!,
    password: password!,
    ...Object.fromEntries(Object.entries(more).filter(([, value]) => value !== undefined)),
  }
}

const run = promisify(execFile)
const commandWaitMs = 20_000

/** Reads a secret. No message has a part of it, or of what a command wrote. */
async function readSecret(
  { variable, file, command }: Secret,
  { what, path, env, platform }: Deps & { readonly what: string; readonly path: string },
): Promise<string> {
  const missing = (why: string): WindrowError =>
    new WindrowError('secret-missing', `${what} is not there: ${why}.`, {
      hint: `${tenantsFile} says where it is. Check that as the user who runs windrow.`,
    })
  if (variable !== undefined) {
    const value = env[variable as `${typeof tenantVariable}${string}`]
    if (!value) throw missing(`the variable ${variable} is not set`)
    return value
  }
  const read =
    file !== undefined
      ? readPrivateText(resolve(dirname(path), file), platform).catch((cause: unknown) => {
          if (cause instanceof WindrowError) throw cause
          throw missing(`"${file}" cannot be read`)
        })
      : outputOf(command!, env).catch((cause: NodeJS.ErrnoException & { readonly killed?: boolean }) => {
          throw missing(
            `the command ${command![0]} ${cause.killed === true ? 'took more than 20 seconds' : `failed (${cause.code})`}`,
          )
        })
  const value = (await read).replace(/\r?\n$/, '')
  if (value === '')
    throw missing(file === undefined ? `the command ${command![0]} wrote nothing` : `"${file}" is empty`)
  return value
}

/** Starts a program without a shell and without windrow's variables, which have other secrets. */
async function outputOf([program = '', ...words]: readonly string[], env: Environment): Promise<string> {
  return (await run(program, words, { env: environmentForOthers(env), timeout: commandWaitMs, windowsHide: true }))
    .stdout
}
