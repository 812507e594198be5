/** Chooses the connection of a run: by option, pipeline, environment, or the only saved one. */

import type { Environment, FileableVariable, optionalVariables, requiredVariables } from '../core/environment.ts'
import { WindrowError } from '../core/error.ts'
import { readVariable } from '../core/sources/secret-text.ts'
import {
  listProfiles,
  loadProfile,
  optionalMembers,
  type OptionalMember,
  type Profile,
  type ProfilePlace,
} from './profile.ts'

/**
 * The connection to use: the one named by the option, else by the pipeline, else the one the environment describes, else the
 * only saved one. Throws 'connection-missing' with what to do when there is none, or more than one and no choice.
 */
export async function resolveProfile(
  choice: { readonly option?: string | undefined; readonly pipeline?: string | undefined },
  deps: ProfilePlace & { readonly env: Environment },
): Promise<Profile> {
  const named = choice.option ?? choice.pipeline
  if (named !== undefined) return loadProfile(named, deps)
  const fromEnvironment = await environmentProfile(deps.env)
  if (fromEnvironment !== undefined) return fromEnvironment
  const names = await listProfiles(deps)
  const [only] = names
  if (names.length === 1 && only !== undefined) return loadProfile(only, deps)
  if (only === undefined)
    throw new WindrowError('connection-missing', 'No service connection is configured.', { hint: howToConfigure })
  throw new WindrowError('connection-missing', `Which connection? There are ${names.length}: ${names.join(', ')}.`, {
    hint: `Add --connection ${only}, or write connection: ${only} in the pipeline.`,
    data: { connections: names },
  })
}

const howToConfigure =
  'Save a connection with windrow connect. Or name a saved one with --connection NAME, or connection: NAME in the pipeline. ' +
  'Or set WINDROW_SERVICE, WINDROW_TOKEN_URL, WINDROW_CLIENT_ID, WINDROW_USERNAME and WINDROW_PASSWORD, ' +
  'each also possible as ..._FILE with the name of a file that contains the value.'

const required = {
  service: 'WINDROW_SERVICE',
  tokenUrl: 'WINDROW_TOKEN_URL',
  clientId: 'WINDROW_CLIENT_ID',
  username: 'WINDROW_USERNAME',
  password: 'WINDROW_PASSWORD',
} as const satisfies Readonly<Record<string, keyof typeof requiredVariables>>

const optional: Readonly<Record<OptionalMember, keyof typeof optionalVariables>> = {
  clientSecret: 'WINDROW_CLIENT_SECRET',
  scope: 'WINDROW_SCOPE',
  region: 'WINDROW_REGION',
  requestingClientId: 'WINDROW_REQUESTING_CLIENT_ID',
  downgradeAuthentication: 'WINDROW_DOWNGRADE_AUTHENTICATION',
}

async function environmentProfile(env: Environment): Promise<Profile | undefined> {
  const given = await readVariables(required, env)
  const missing = Object.entries(required).flatMap(([member, name]) => (given[member] === undefined ? [name] : []))
  if (missing.length === Object.keys(required).length) return undefined
  // Falling back to a saved connection here could send a farm's records to another service than meant.
  if (missing.length > 0)
    throw new WindrowError(
      'connection-missing',
      `The environment describes a connection, but ${missing.join(', ')} ${missing.length === 1 ? 'is' : 'are'} missing.`,
      {
        hint: 'Set them, each also possible as ..._FILE. Or unset the others, or name a saved connection with --connection NAME.',
        data: { missing },
      },
    )
  const more = await readVariables(optional, env)
  const complete = given as Readonly<Record<keyof typeof required, string>>
  return { name: 'environment', ...complete, ...optionalMembers((name) => more[name]) }
}

/** The values of variables, by the member of the profile that each is for. */
async function readVariables(
  variables: Readonly<Record<string, FileableVariable>>,
  env: Environment,
): Promise<Readonly<Record<string, string | undefined>>> {
  const pairs = Object.entries(variables).map(
    async ([member, name]) => [member, await readVariable(env, name)] as const,
  )
  return Object.fromEntries(await Promise.all(pairs))
}
